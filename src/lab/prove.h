/* prove: measures, in double, properties that every model must have whatever its weights
 * are. */
#pragma once

#include "lab/lab_model.h"

/* A model and the pairs that it is tested on. */
typedef struct sa_proof_setup {
    sa_lab_model model; /* its batch is the first pair alone */
    sa_lab_pairs pairs;
    sa_lab_pass all;         /* over all pairs in one batch */
    double largest_gradient; /* of all pairs */
    sa_rng rng;              /* for replacing words and annotations */
    const char *note;        /* a remark on what is measured, or NULL */
} sa_proof_setup;

/* Returns the attention between decoder and encoder (of a Transformer's first layer), or NULL. */
const sa_attention *sa_lab_attention(const sa_proof_setup *setup);

/* Raises *worst to what it measures for pair p, or leaves it alone if it does not apply to the
 * pair; fails only when memory runs out. alone: a pass over the pair by itself. */
typedef bool sa_measure(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                        sa_error *error);

/* A property, and the models for which it must hold. */
typedef struct sa_invariance {
    const char *name, *meaning;
    double allowed;
    bool (*above)(const sa_proof_setup *); /* whether the result must be above `least` instead, */
    double least;                          /* with random weights: trained ones may hide it */
    const char *(*excuse)(const sa_proof_setup *); /* why it need not hold */
    bool shown;                                    /* it is measured nevertheless */
    sa_measure *measure;
} sa_invariance;

/* The rounding of doubles after a recurrence; the weights of the model may allow more. */
#define SA_LAB_ROUNDING 1e-8

/* Opens a proof, measures one invariance, and closes it (even after a failure). */
bool sa_proof_open(sa_proof_setup *setup, const sa_lab_prove_job *proof, sa_error *error);
bool sa_proof_measure(sa_proof_setup *setup, const sa_lab_prove_job *proof,
                      const sa_invariance *invariance, sa_proof_check *check, sa_error *error);
void sa_proof_close(sa_proof_setup *setup);
