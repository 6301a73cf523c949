/* lab_model: a model in double with one batch: weights, gradients and everything that a pass needs;
 * and forward passes over some pairs with given weights. */
#pragma once

#include "lab/lab.h"
#include "model/seq2seq.h"

/* A forward pass over some pairs. */
typedef struct sa_lab_pass {
    const sa_seq2seq *w;
    sa_arena arena;
    sa_batch batch;
    sa_pass cache;
    sa_mat watched; /* [1 x words of the longest source and target] for readers of the trace */
} sa_lab_pass;

typedef struct sa_lab_model {
    sa_sizes sizes;
    sa_params *plan;
    sa_real *values, *gradients;
    sa_seq2seq w, dw;
    sa_lab_pass pass;
    sa_regularizer regularizer; /* without its own random generator: see rng */
    sa_rng rng;                 /* the state from which every pass draws its dropout masks */
} sa_lab_model;

/* Allocates everything, with weights and gradients of zero. The caller closes it, even after a
 * failure. */
bool sa_lab_model_open(sa_lab_model *model, const sa_settings *settings, const sa_lab_pairs *pairs,
                       sa_error *error);
void sa_lab_model_close(sa_lab_model *model);

/* Copies the weights of a float model, in the order of the plan. */
void sa_lab_model_load(sa_lab_model *model, const float *values);

/* Draws weights under which every unit matters: v_a and the biases are not zero, words differ, and
 * gradients stay well above the rounding of the loss. */
void sa_lab_model_draw(sa_lab_model *model, uint64_t seed);

/* Returns the training objective (the loss, with label smoothing and the other terms in use)
 * divided by the number of sentences, with the same dropout masks in every call. With `backward`,
 * accumulates its gradient into model->gradients. */
double sa_lab_model_loss(sa_lab_model *model, bool backward);

/* Returns term i of the last objective, that of the target token i. */
double sa_lab_model_term(const sa_lab_model *model, int i);

/* Writes a container (base/container.h): every parameter under its name and every gradient as
 * gradient.NAME in F64; loss F64[1], as sa_lab_model_loss returns it; the batch as source.len,
 * source.ids, target.len, target.ids in I32, sentence after sentence; the dropout masks as
 * mask.PLACE in F64, one row per word or sentence; and the gold alignment as links I32[links, 4]:
 * pair, target word, source word, 1 if it is a possible link. dump.c */
bool sa_lab_dump(const char *path, const sa_lab_model *model, const sa_lab_job *job, double loss,
                 sa_error *error);

/* ---- A pass ---------------------------------------------------------------------------------- */

/* Returns the index in the batch of sentence `number` of the given list. */
static inline int sa_batch_index(const sa_batch_side *side, int number) {
    int b = 0;
    while (side->order[b] != number) b++;
    return b;
}

/* Allocates and runs a forward pass without dropout. The caller closes it, even after a failure. */
bool sa_lab_pass_open(sa_lab_pass *pass, const sa_seq2seq *w, const sa_sentence *source,
                      const sa_sentence *target, int count, sa_error *error);
void sa_lab_pass_close(sa_lab_pass *pass);
