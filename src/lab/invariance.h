/* invariance: measures, in double, properties that every model must have whatever its weights
 * are. */
#pragma once

#include "lab/lab_model.h"
#include "lab/lab_pass.h"

/* A model and the pairs that it is tested on. */
typedef struct sa_proof_setup {
    sa_lab_model model; /* its batch is the first pair alone */
    sa_lab_pairs pairs;
    sa_lab_pass all;         /* over all pairs in one batch */
    double largest_gradient; /* of all pairs */
    sa_rng rng;              /* for replacing words and annotations */
} sa_proof_setup;

/* Returns the attention between decoder and encoder (of a Transformer's first layer), or NULL. */
const sa_attention *sa_lab_attention(const sa_proof_setup *setup);

/* Raises *worst to what it measures for pair p, or leaves it alone if it does not apply to the
 * pair; fails only when memory runs out. alone: a pass over the pair by itself. */
typedef bool sa_measure(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                        sa_error *error);

/* Measures all pairs. */
bool sa_lab_measure(sa_proof_setup *setup, sa_measure *measure, double *worst, sa_error *error);

/* A property, and the models for which it must hold. */
typedef struct sa_invariance {
    const char *name, *meaning;
    double allowed;
    bool (*above)(const sa_proof_setup *); /* whether the result must be above `least` instead, */
    double least;                          /* with random weights: trained ones may hide it */
    const char *(*excuse)(const sa_proof_setup *); /* why it need not hold */
    bool shown;                                    /* it is measured nevertheless */
    const char *(*note)(const sa_proof_setup *);   /* a remark */
    sa_measure *measure;
} sa_invariance;

/* The rounding of doubles after a recurrence; sa_measure_conditioning may allow more. */
#define SA_LAB_ROUNDING 1e-8

/* Opens a proof, measures one invariance, and closes it (even after a failure). */
bool sa_proof_open(sa_proof_setup *setup, const sa_lab_prove_job *proof, sa_error *error);
bool sa_proof_measure(sa_proof_setup *setup, const sa_lab_prove_job *proof,
                      const sa_invariance *invariance, sa_proof_check *check, sa_error *error);
void sa_proof_close(sa_proof_setup *setup);

/* Measures how far attention weights are from distributions, which are not negative and have a sum
 * of 1. The Gaussian of a local-p window may make the sum smaller, down to exp(-2); a null key,
 * down to any sum. */
sa_measure sa_measure_row_sums;

/* Compares weights, log p and gradient of all pairs in one batch with those of the pairs one at a
 * time. */
sa_measure sa_measure_batching;

/* Measures what rounding may do to weights, log p and the gradient, relative to the largest: a lot
 * if large weights make a recurrence chaotic. */
sa_measure sa_measure_conditioning;

/* Measures how the weights of the same queries change with other annotations. */
sa_measure sa_measure_annotations;

/* Measures how log p and each word's weights change if the source words are permuted. */
sa_measure sa_measure_permutation;

/* Measures how the results up to a target position change with other target words from there on. */
sa_measure sa_measure_causality;
