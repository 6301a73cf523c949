/* loss: cross-entropy of the softmax with label smoothing (Szegedy et al. 2016, section 7; Vaswani
 * et al. 2017, section 5.4): the target distribution gives the reference token 1 - epsilon and
 * divides epsilon evenly among all K words.
 *
 *   objective_i = (1 - epsilon) log p(y_i) + epsilon / K sum_k log p(k)      to be maximized */
#ifndef SA_LAYERS_LOSS_H
#define SA_LAYERS_LOSS_H

#include "layers/pointer_generator.h"
#include "tensor/vec.h"
#include <stdint.h>

/* What is known of one row of logits. They come in parts, each of some words' columns, so that one
 * part at a time is in the processor's cache. */
typedef struct sa_loss_row {
    sa_softmax_sums softmax;
    double total;      /* of the logits; with smoothing only */
    sa_real reference; /* the logit of the reference token */
} sa_loss_row;

sa_loss_row *sa_loss_layout(sa_arena *arena, int rows);

/* The words first, first+1 .. of R rows: logits [R x some words], without b [1 x K]. With b they
 * become exp(logit - max), where max [R] is the greatest so far. The first part, with first = 0,
 * begins the rows [R]. */
void sa_loss_read(sa_mat logits, sa_mat b, int first, const int32_t *ids, double smoothing,
                  sa_loss_row *rows, sa_real *max);

/* p = softmax of all K words. log_p[i] = log p(ids[i]), exact even where p is too small for a
 * float. Without smoothing objective[i] is log_p[i]. */
void sa_loss_forward(const sa_loss_row *rows, int count, int words, double smoothing,
                     sa_real *log_p, sa_real *objective);

/* What the words of a part and their max became -> scale p. */
void sa_loss_probabilities(const sa_loss_row *rows, const sa_real *max, sa_real scale, sa_mat x);

/* scale d(-objective[i]) / dlogits = scale (p - (1 - epsilon) onehot(ids[i]) - epsilon / K), in
 * place over scale p of the words first, first+1 .. of all K. mixtures (NULL: all words are
 * generated): of a word that may be copied, the factor of 1 - epsilon is how much of its
 * probability is generated. */
void sa_loss_backward(sa_mat p, int words, int first, const int32_t *ids, double smoothing,
                      sa_real scale, const sa_mixture *mixtures);

/* With copying, between the two: log_p becomes log P, and so it does in the objective, where it has
 * the factor 1 - epsilon; what is smoothed is the vocabulary's softmax. */
void sa_loss_mix(sa_mixture *mixtures, int count, double smoothing, sa_real *log_p,
                 sa_real *objective);

#endif
