/* merged: merged attention (T5Gemma 2; Zhang et al. 2025). In the decoder of a Transformer one
 * attention takes the place of two: query i sees the annotations of the source and the words up to
 * its own, which have the same W_k and W_v, with one softmax over both:
 *
 *   c_i = sum_j alpha_ij v_j, j <= S + i, of h_1 .. h_S, x_1 .. x_T
 *
 * With c^h_i and c^x_i, what attention to each side alone would find, and the source's share g_i,
 *
 *   c_i = g_i c^h_i + (1 - g_i) c^x_i        g_i = sum_j alpha_ij, j <= S
 *
 * for a softmax g_i = sigma(log sum_j exp(e_ij), j <= S, less the same of j > S): a gate that is
 * made of scores alone. */
#include "attention/heads.h"
#include "attention/parts.h"

sa_merged sa_merged_layout(sa_arena *arena, const sa_batch_side *target, const int *source,
                           sa_mat h, sa_mat dh) {
    const int B = target->sentences, rows = dh.rows ? h.rows + target->words : 0;
    int *first = sa_arena_alloc(arena, (size_t)B + 1, sizeof *first);
    for (int b = 0; arena->base && b <= B; b++) first[b] = source[b] + target->first[b];
    return (sa_merged){B, target->first, first, h, dh, sa_mat_alloc(arena, rows, h.cols)};
}

/* Returns the rows of the source's words of sentence b in h. */
static sa_mat source_rows(const sa_merged *own, sa_mat h, int b) {
    const int first = own->first[b] - own->target[b];
    return sa_rows(h, first, own->first[b + 1] - own->target[b + 1] - first);
}

void sa_merged_forward(const sa_merged *own, sa_mat x, sa_mat both) {
    for (int b = 0; b < own->sentences; b++) {
        const sa_mat h = source_rows(own, own->h, b), y = sa_sentence_rows(x, own->target, b);
        sa_copy_mat(h, sa_rows(both, own->first[b], h.rows));
        sa_copy_mat(y, sa_rows(both, own->first[b] + h.rows, y.rows));
    }
}

void sa_merged_backward(const sa_merged *own, sa_mat dx) {
    for (int b = 0; b < own->sentences; b++) {
        const sa_mat dh = source_rows(own, own->dh, b), dy = sa_sentence_rows(dx, own->target, b);
        sa_add(sa_rows(own->d, own->first[b], dh.rows), dh);
        sa_add(sa_rows(own->d, own->first[b] + dh.rows, dy.rows), dy);
    }
}

/* Traces g_i. The first query, at position S + 1, has the S words of the source before it. */
static void weights_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat g = sa_corner(head->scratch->soft, sa_is_traced() ? head->alpha.rows : 0, 1);
    for (int l = 0; l < g.rows; l++) *sa_row(g, l) = sa_sum(sa_row(head->alpha, l), head->i - 1);
    sa_part_trace(w, part, head, w->part[part].kind->formula, SA_SHAPE_NUMBER, "g", "g_i", g);
}

/* ---- The part -------------------------------------------------------------------------------- */

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->settings.merged && sizes->site == SA_SITE_DECODER;
}

/* Returns why a model cannot have it, at whatever site it is asked. */
static const char *refuse(const sa_attention_sizes *sizes) {
    if (sizes->settings.model != SA_MODEL_TRANSFORMER)
        return "{merged} makes one of a decoder's two attentions: it needs {model:transformer}";
    if (sizes->positions && sizes->positions->kind->part)
        return "{positions:} measures distances in one sentence, and {merged} attends to two";
    if (sizes->settings.window != SA_WINDOW_NONE)
        return "{window:} is a part of one sentence, and {merged} attends to two";
    if (sa_rare_of(sizes->score->part)->any_sum || sizes->score->query == SA_QUERY_POSITIONS)
        return "{merged} weighs the words of two sentences against each other, and {attention:} "
               "weighs places, reads a memory or takes a difference";
    return sizes->normalizer->any_sum || sizes->normalizer->part == &sa_selective_part
               ? "{merged} divides a weight of 1 among the words of two sentences, and "
                 "{normalizer:} looks at one word or one sentence"
               : NULL;
}

const sa_part sa_merged_part = {
    .name = "merged",
    .formula = "g_i = sum_j alpha_ij, j <= S",
    .citation = "Zhang et al. 2025",
    .chosen = chosen,
    .refuse = refuse,
    .forward = {[SA_PLACE_WEIGHTS] = weights_forward},
    .rare = SA_RARE(.lacks = "at most 1: the rest is on the words written before"),
};
