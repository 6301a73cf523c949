/* head_roles: names what a head attends to by where its weights are. */
#pragma once

#include "base/batch.h"

/* The cells of row i that belong to a role. Of self-attention: words i - 1, i + 1, i; the words
 * after earlier occurrences of word i (Olsson et al. 2022); these occurrences. Then the first word,
 * EOS and, of cross-attention, gold links. */
enum {
    SA_ROLE_PREVIOUS,
    SA_ROLE_NEXT,
    SA_ROLE_SAME,
    SA_ROLE_INDUCTION,
    SA_ROLE_DUPLICATE,
    SA_ROLE_FIRST,
    SA_ROLE_END,
    SA_ROLE_ALIGNMENT,
    SA_ROLES
};

/* Returns whether word i occurred before, with another word in between: then an induction head
 * attends to the word after the earlier occurrence. */
bool sa_is_repeated(const int32_t *words, int i);

/* A row of attention weights. */
typedef struct sa_head_row {
    int i, keys;          /* its number; how many words it may attend to */
    const int32_t *words; /* [keys] of self-attention; NULL: cross-attention */
    bool causal;          /* a decoder's */
    const sa_link *gold;  /* [golds] of cross-attention */
    size_t golds;
} sa_head_row;

/* Sums over any number of rows of at least three keys. For a role, rows count in which it has some
 * of the keys, but not all. */
typedef struct sa_head_roles {
    double weight[SA_ROLES],
        uniform[SA_ROLES]; /* on its cells; what equal weights would have there */
    size_t rows[SA_ROLES], all;
    double entropy; /* divided by that of equal weights */
} sa_head_roles;

/* Adds the weights alpha [to - from] of keys `from` .. `to` - 1. A row can be added range by range,
 * and is counted with the first. */
void sa_head_roles_add(sa_head_roles *sum, const sa_head_row *row, const double *alpha, int from,
                       int to);

/* Adds all heads of a pair to sums [layers * heads]. Memory may run out. */
bool sa_head_roles_add_pair(sa_head_roles *sums, const sa_alignment *alignment,
                            sa_attention_site site, const sa_link *gold, size_t golds,
                            sa_error *error);

enum { SA_ROLE_NAME = 24 };

/* Writes the name of the role. Its lift is (s - u) / (1 - u), where s is the mean weight on its
 * cells and u that of equal weights. "diffuse": the entropy is at least 0.9; else the role with the
 * largest lift, if that is at least 0.4, and after a "+" another as large within 0.15; else
 * "mixed"; "": there are fewer than 50 rows. */
void sa_head_roles_name(const sa_head_roles *sum, char name[SA_ROLE_NAME]);
