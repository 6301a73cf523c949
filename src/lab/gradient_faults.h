/* gradient_faults: plants faults in models: the backward pass lacks one term, which a gradient
 * check must notice.
 *
 * No equation knows of it. The loss runs a planted fault in place of the backward pass: the same
 * pass with a copy of the weights in which some tensors are zero, or some entries (the score, the
 * normalizer, the cell) lose a result, which clears some gradients afterwards. A term such as dx +=
 * W' dy is missing where W is zero. */
#pragma once

#include "model/seq2seq.h"

/* What a fault changes beyond tensors. */
typedef enum sa_fault_change {
    SA_FAULT_TENSORS, /* nothing */
    SA_FAULT_QUERY,   /* the score's dq_i are lost, */
    SA_FAULT_KEY,     /* its dk_j, */
    SA_FAULT_V_A,     /* or its dv_a */
    SA_FAULT_NORMALIZER,
    SA_FAULT_VALUES, /* what the values get from the context */
    SA_FAULT_CARRY,  /* what a cell's state gets past its products */
    SA_FAULT_ENCODER_CARRY,
    SA_FAULT_TARGET,  /* -1 at the reference word */
    SA_FAULT_READOUT, /* what t_i gets */
    SA_FAULT_MASK,    /* dropout of units in the backward pass, */
    SA_FAULT_WORD_MASK,
} sa_fault_change;

typedef struct sa_gradient_fault {
    const char *name, *dropped;
    const char *options; /* of a model that has the term; empty: the default model */
    /* Names of tensors, or their ends after a dot, separated by spaces: zero in the backward pass,
     * and with a gradient of zero. */
    const char *weights, *gradients;
    const char *cell; /* only models with this cell have the term; NULL: any */
    sa_fault_change change;
    const sa_score *score, *other; /* if the score changes: only this one, or this */
} sa_gradient_fault;

extern const sa_gradient_fault sa_gradient_faults[]; /* ends with a NULL name */

const sa_gradient_fault *sa_gradient_fault_find(const char *name); /* NULL: there is none */

typedef struct sa_planted_fault {
    sa_backward_fault instead; /* of the model's backward pass; must be the first member */
    const sa_gradient_fault *fault;
    sa_sizes sizes;
    sa_params plan;
    sa_real *values; /* [plan.size] the weights of the backward pass */
    sa_seq2seq w;    /* the same, bound, with the changed entries: */
    sa_score score;
    sa_normalizer normalizer;
    sa_cell cell;
} sa_planted_fault;

/* Plants a fault for models of these sizes: &planted->instead goes into their w->fault. SA_USAGE:
 * they have no such term. The caller frees it with sa_planted_fault_free. */
sa_planted_fault *sa_gradient_fault_plant(const sa_gradient_fault *fault, const sa_sizes *sizes,
                                          sa_error *error);
void sa_planted_fault_free(sa_planted_fault *planted);
