#include "metrics/head_roles.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SA_ROLES] = {"previous",  "next",  "same", "induction",
                                            "duplicate", "first", "end",  "alignment"};

bool sa_is_repeated(const int32_t *words, int i) {
    for (int j = 1; j < i; j++)
        if (words[j - 1] == words[i]) return true;
    return false;
}

void sa_head_roles_add(sa_head_roles *sum, const sa_head_row *row, const double *alpha, int from,
                       int to) {
    const int32_t *x = row->words;
    const int i = row->i;
    double weight[SA_ROLES] = {0};
    int cells[SA_ROLES] = {0};
    if (row->keys < 3) return;
    for (int j = 0; j < row->keys; j++) {
        bool linked = false;
        for (size_t k = 0; k < row->golds; k++)
            linked |= row->gold[k].target == i && row->gold[k].source == j;
        const bool is_cell[SA_ROLES] = {
            [SA_ROLE_PREVIOUS] = x && j == i - 1,
            [SA_ROLE_NEXT] = x && j == i + 1,
            [SA_ROLE_SAME] = x && j == i,
            [SA_ROLE_INDUCTION] = x && j > 0 && j < i && x[j - 1] == x[i],
            [SA_ROLE_DUPLICATE] = x && j < i && x[j] == x[i],
            [SA_ROLE_FIRST] = j == 0,
            [SA_ROLE_END] = !row->causal && j == row->keys - 1,
            [SA_ROLE_ALIGNMENT] = linked,
        };
        for (int role = 0; role < SA_ROLES; role++) {
            cells[role] += is_cell[role];
            if (is_cell[role] && j >= from && j < to) weight[role] += alpha[j - from];
        }
    }
    for (int role = 0; role < SA_ROLES; role++) {
        if (cells[role] == 0 || cells[role] == row->keys) continue;
        sum->weight[role] += weight[role];
        if (from == 0) sum->uniform[role] += cells[role] / (double)row->keys, sum->rows[role]++;
    }
    for (int j = from; j < to && j < row->keys; j++)
        if (alpha[j - from] > 0)
            sum->entropy -= alpha[j - from] * log(alpha[j - from]) / log(row->keys);
    sum->all += from == 0;
}

bool sa_head_roles_add_pair(sa_head_roles *sums, const sa_alignment *alignment,
                            sa_attention_site site, const sa_link *gold, size_t golds,
                            sa_error *error) {
    const int S = alignment->sources, T = alignment->targets;
    const int heads = alignment->heads * (alignment->layers > 1 ? alignment->layers : 1);
    const bool causal = site == SA_SITE_DECODER;
    int32_t *words = sa_new((size_t)S, sizeof *words, error);
    for (int j = 0; words && j < S; j++) /* a word's number is that of its first occurrence */
        while (strcmp(alignment->source[words[j]], alignment->source[j]) != 0) words[j]++;
    for (int t = 0; words && t < T; t++) {
        const sa_head_row row = {
            t, causal ? t + 1 : S, site == SA_SITE_CROSS ? NULL : words, causal, gold, golds};
        for (int k = 0; k < heads; k++)
            sa_head_roles_add(&sums[k], &row,
                              sa_alignment_weights(alignment, k / alignment->heads + 1,
                                                   k % alignment->heads + 1) +
                                  (ptrdiff_t)t * S,
                              0, S);
    }
    free(words);
    return words != NULL;
}

void sa_head_roles_name(const sa_head_roles *sum, char name[SA_ROLE_NAME]) {
    enum { ROWS = 50 };
    const double diffuse = 0.9, least = 0.4, near = 0.15;
    double lift[SA_ROLES];
    int best = 0, second = -1;
    for (int r = 0; r < SA_ROLES; r++) {
        const double rows = (double)sum->rows[r], u = sum->uniform[r] / rows;
        lift[r] = rows < ROWS ? -1 : (sum->weight[r] / rows - u) / (1 - u);
        if (lift[r] > lift[best]) best = r;
    }
    for (int r = 0; r < SA_ROLES; r++)
        if (r != best && lift[r] >= fmax(least, lift[best] - near) &&
            (second < 0 || lift[r] > lift[second]))
            second = r;
    const bool even = sum->entropy >= diffuse * (double)sum->all;
    if (sum->all < ROWS || even || lift[best] < least)
        strcpy(name, sum->all < ROWS ? "" : even ? "diffuse" : "mixed");
    else
        snprintf(name, SA_ROLE_NAME, "%s%s%s", names[best], second < 0 ? "" : "+",
                 second < 0 ? "" : names[second]);
}
