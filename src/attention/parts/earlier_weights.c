/* earlier_weights: passes the weights, as they were used, on to the next target word: monotonic and
 * location-aware attention start from them. Before the first word alpha_0 = (1, 0, .., 0). */
#include "attention/parts.h"
#include "tensor/vec.h"

sa_mat sa_earlier_weights(const sa_attention *w, const sa_head *head, const sa_head *of) {
    return sa_part_carry(w, sa_part_find(w, &sa_earlier_weights_part), of->rows.previous_carry,
                         head->index, head->k.rows);
}

static void weights_forward(const sa_attention *w, int part, sa_head *head) {
    sa_copy_mat(head->alpha,
                sa_part_carry(w, part, head->rows.carry, head->index, head->alpha.cols));
}

static void weights_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    sa_add(sa_part_carry(w, part, d->rows.carry, head->index, head->alpha.cols), d->alpha);
}

const sa_part sa_earlier_weights_part = {
    .name = "earlier weights",
    .formula = "alpha_{i-1}",
    .citation = "Chorowski et al. 2015, section 2.1",
    .carry_words = 1,
    .carry_begin = 1,
    .forward = {[SA_PLACE_WEIGHTS] = weights_forward},
    .backward = {[SA_PLACE_WEIGHTS] = weights_backward},
};
