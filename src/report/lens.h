/* lens: what each sublayer of a Transformer's decoder would write, as text and for the page. */
#pragma once

#include "base/memory.h"

#include <jansson.h>
#include <softalign/lab.h>

/* At first three empty lists, the rest 0. */
typedef struct sa_lens {
    json_t *words, *sublayers;
    json_t *cells;          /* word after word, [most probable word, its probability, rank of the
                               word that is written from 1, KL] of each sublayer */
    sa_buffer titles, rows; /* the text: a line for each word, a column for each sublayer */
    int step;               /* of the last value */
} sa_lens;

/* The `each` of sa_explain_options with `lens`. */
void sa_lens_add(void *lens, const sa_explain_pair *pair, const sa_explain_value *line);
