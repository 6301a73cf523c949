/* explain: a decoder step as equations and numbers, part by part. */
#ifndef SA_LAB_EXPLAIN_H
#define SA_LAB_EXPLAIN_H

#include "lab/explanation.h"

/* Whether one context vector serves all words. */
static inline bool sa_explain_fixed(const sa_decoder *w) {
    return w->b_V.cols > 0;
}

/* One step of a cell: its weights, what came in, what it left behind. */
typedef struct sa_cell_step {
    const char *title;
    const sa_recurrent *w;
    sa_mat x, c;              /* input and context, where it has them */
    const char *input;        /* their letters */
    const char *context;      /* ... */
    sa_state previous, state; /* the states before and after */
    const char *before;       /* "s_{i-1}" */
    const char *memory;       /* "m_{i-1}" */
    const char *prime;        /* of the letters made here: "'" or "" */
    sa_mat gates, cell_cache;
    const char *citation; /* of the decoder */
} sa_cell_step;

/* Annotations, what attention makes of them once, and the fixed context. */
void sa_explain_source(sa_lab_explanation *out);
/* The word and the state that a step begins with. */
void sa_explain_previous_state(sa_lab_explanation *out, sa_decoder_rows rows);

/* Gates, candidate and new state, as the form of the cell has them. */
void sa_explain_cell(sa_lab_explanation *out, const sa_cell_step *step);

/* What is made of the annotations once: keys and values. */
void sa_explain_memory(sa_lab_explanation *out);
/* Scores, weights and context of the step with the query `letter`. */
void sa_explain_attention(sa_lab_explanation *out, sa_decoder_rows rows, const char *letter);

/* A word (from 0) in a layer (from 0) of a transformer's encoder. */
void sa_explain_layer(sa_lab_explanation *out, int layer, int word);

/* From the state that the read-out sees to the probabilities of the words. */
void sa_explain_readout(sa_lab_explanation *out, sa_decoder_rows rows);

#endif
