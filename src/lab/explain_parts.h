/* explain_parts: the parts of an explanation, one explain_*.c each; explain.c puts them in order.
 */
#ifndef SA_LAB_EXPLAIN_PARTS_H
#define SA_LAB_EXPLAIN_PARTS_H

#include "lab/explainer.h"

#include <stdio.h>

/* Whether one context vector serves all steps (Cho et al. 2014). */
static inline bool sa_explain_fixed(const sa_decoder *w) {
    return w->source.b_V.cols > 0;
}

enum { SA_STATE_NAME = 40 };

/* "s_i", or "s^2_i" in the second layer of a decoder. */
static inline const char *sa_explain_state(char name[SA_STATE_NAME], const char *letter, int layer,
                                           const char *index) {
    if (layer > 1)
        snprintf(name, SA_STATE_NAME, "%s^%d%s", letter, layer, index);
    else
        snprintf(name, SA_STATE_NAME, "%s%s", letter, index);
    return name;
}

/* What a layer of a decoder passes on: its state, or with a residual connection the sum y. */
static inline const char *sa_explain_output(char name[SA_STATE_NAME], const sa_decoder *w,
                                            int layer) {
    const bool adds = layer > 1 && sa_upper_adds(&w->upper, layer - 2);
    return sa_explain_state(name, adds ? "y" : "s", layer, "_i");
}

/* One step of a cell: weights, inputs and results. */
typedef struct sa_cell_step {
    const char *title;
    const sa_recurrent *w;
    sa_mat x, c;              /* input and context; no columns where the cell has none */
    const char *input;        /* "E y_{i-1}" */
    const char *context;      /* "c_i" */
    sa_state previous, state; /* the states before and after */
    const char *before;       /* "s_{i-1}" */
    const char *memory;       /* "m_{i-1}" */
    const char *prime;        /* behind the letters of the results: "'", "^2" or "" */
    sa_mat gates, cell_cache;
    const char *citation; /* of the decoder's equations */
} sa_cell_step;

/* Annotations, their keys and values, and the fixed context. */
void sa_explain_source(sa_explainer *out);
/* The previous word and the previous state. */
void sa_explain_previous_state(sa_explainer *out, sa_decoder_rows rows);

/* Gates, candidate and new state. */
void sa_explain_cell(sa_explainer *out, const sa_cell_step *step);

/* Keys and values, which all steps share. */
void sa_explain_memory(sa_explainer *out);
/* Scores, weights and context of a step; letter: the state that makes the query. */
void sa_explain_attention(sa_explainer *out, sa_decoder_rows rows, const char *letter);

/* The score of head k's learned null key for its query q; 0, and nothing is written, without one.
 */
double sa_explain_null_score(sa_explainer *out, const sa_attention *w, int k, sa_mat q);

/* p_i of target position i (from 1), and what it is made of; of a window only. row: the
 * attention's, one; state: the letters of what makes the query. */
double sa_explain_center(sa_explainer *out, const sa_attention *w, int i, sa_attention_rows row,
                         int S, const char *state);
/* Writes which of S keys the weights are spread over, unless it is all of them. */
void sa_explain_span(sa_explainer *out, const sa_attention *w, int S);
/* A row for all source words, of which those outside a span stay NaN. */
sa_mat sa_explain_blank(sa_explainer *out, int S);
/* The weights that the normalizer of head k makes of the scores e and e_0 in the span. */
sa_mat sa_explain_normalized(sa_explainer *out, const sa_attention *w, int k, sa_mat e, double e_0,
                             sa_span span);

enum { SA_WEIGHT_NAME = 40 };

/* What the normalizer's equation defines: "alpha_ij", or "softmax_j(e_ij)" where a Gaussian makes
 * alpha of it. */
const char *sa_explain_weight(char name[SA_WEIGHT_NAME], const sa_attention *w);
/* The Gaussian around the center, and the equation in which it multiplies what `weight` names. */
void sa_explain_gauss(sa_explainer *out, const sa_attention *w, double center, sa_span span, int S,
                      const char *weight);

/* A source word (from 0) in a layer (from 0) of a transformer's encoder. */
void sa_explain_layer(sa_explainer *out, int layer, int word);

/* From the decoder's state to the probabilities of the next word. */
void sa_explain_readout(sa_explainer *out, sa_decoder_rows rows);

#endif
