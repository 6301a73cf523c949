/* gradient_faults: plants faults in models: the backward pass lacks one term, which a gradient
 * check must notice.
 *
 * No equation knows of it. The loss runs a planted fault in place of the backward pass: the same
 * pass with a copy of the weights in which some tensors are zero; afterwards some gradients are
 * cleared. A term such as dx += W' dy is missing where W is zero. */
#pragma once

#include "model/seq2seq.h"

typedef struct sa_gradient_fault {
    const char *name, *dropped;
    const char *options; /* of a model that has the term; empty: the default model */
    /* Names of tensors, or their ends after a dot, separated by spaces: zero in the backward pass,
     * and with a gradient of zero. */
    const char *weights, *gradients;
    bool target, carry; /* -1 at the reference word is lost; what a state of the encoder gets */
} sa_gradient_fault;

extern const sa_gradient_fault sa_gradient_faults[]; /* ends with a NULL name */

const sa_gradient_fault *sa_gradient_fault_find(const char *name); /* NULL: there is none */

typedef struct sa_planted_fault {
    sa_backward_fault instead; /* of the model's backward pass; must be the first member */
    const sa_gradient_fault *fault;
    sa_sizes sizes;
    sa_params plan;
    sa_real *values; /* [plan.size] the weights of the backward pass */
    sa_seq2seq w;    /* the same, bound */
    sa_cell cell;    /* of its encoder, without the carry */
} sa_planted_fault;

/* Plants a fault for models of these sizes: &planted->instead goes into their w->fault. SA_USAGE:
 * they have no such term. The caller frees it with sa_planted_fault_free. */
sa_planted_fault *sa_gradient_fault_plant(const sa_gradient_fault *fault, const sa_sizes *sizes,
                                          sa_error *error);
void sa_planted_fault_free(sa_planted_fault *planted);
