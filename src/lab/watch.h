/* watch: what attention computes on the way to its weights. */
#pragma once

#include "attention/heads.h"
#include "attention/parts.h"

/* How many maps of weights a head makes: 1, or 2 of which the difference counts. */
int sa_lab_maps(const sa_attention *w);

/* The scores of map m (from 0) of a head that has been attended with (sa_head_view), as the
 * normalizer gets them, in e [Q x S]. The head that is returned has the query and keys that the
 * score has read. */
sa_head sa_lab_watch(const sa_attention *w, const sa_head *at, int m, sa_mat e);

/* The number that the normalizer of the head gets. */
sa_real sa_lab_exponent(const sa_attention *w, const sa_head *at);
