/* attribution: which source word, and which earlier target word, made each target word, by other
 * measures than the attention weights. F = log p(y_t | y_<t, x) for every target word t;
 * x_j, the embedding of word j, comes without its position. Rows are target words; columns are
 * source words and, with `prefix`, after them the target words y_1 .. y_{T-1} that the decoder
 * reads after BOS; those that follow a row's word have scores of 0.
 *
 *   gradient              |dF/dx_j|
 *   input-x-gradient      sum_k x_jk dF/dx_jk
 *   integrated-gradients  sum_k x_jk int_0^1 dF/dx_jk (a x) da, of all columns at once, by m
 *                         midpoints (Sundararajan et al. 2017); a row sums to F(x) - F(0)
 *   occlusion             F(x) - F(x with <unk> in place of word j)
 *   norms                 | sum_h alpha^h_tj W_o^h v^h_j | of a layer, or the mean over layers
 *                         (Kobayashi et al. 2020, section 3)
 *   rollout               products of (A + I) / 2 over the layers of a stack (Abnar and Zuidema
 *                         2020, section 3): decoder, top cross-attention (A alone) and encoder, or
 *                         the joint stack of a decoder-only model; A: the mean of the heads, each
 *                         row divided by its sum
 *   value-zeroing         products of C_ij = 1 - cos(out_i, out_i without v_j), rows divided by
 *                         their sums, in place of (A + I) / 2; out: the output of a layer
 *                         (Mohebbi et al. 2023)
 */
#pragma once

#include "model/seq2seq.h"

typedef struct sa_attribution sa_attribution;
typedef struct sa_attention_chain sa_attention_chain;

/* A model, a pair and how it is attributed. */
typedef struct sa_attributed {
    const sa_attribution *method;
    const sa_seq2seq *w;
    const sa_sizes *sizes;
    size_t parameters; /* the size of all weights */
    const sa_sentence *source, *target;
    const sa_align_options *options; /* target_prefix, steps; layer and at: of norms */
    double *gap; /* receives the gap of integrated gradients: sa_alignment.gap */
} sa_attributed;

struct sa_attribution {
    const char *name;
    bool prefix; /* it has columns of earlier target words, ... */
    bool joint;  /* ... or has them if one stack reads both sides */
    bool layers; /* it looks into the layers of a Transformer, */
    bool sums;   /* whose heads put out sums of weighted values, which no part changes, */
    bool shares; /* or whose weights are not negative: rows are divided by their sums */
    /* Fills scores [T x columns], which are 0 before. SA_LIMIT: memory. NULL: uses the weights of
     * attention, which a pass leaves. */
    bool (*score)(const sa_attributed *job, double *scores, sa_error *error);
    bool norm; /* gradient: |x| rather than x . dF/dx */
    /* rollout, value zeroing: makes the matrices of the layers, whose product they are. */
    bool (*make)(sa_attention_chain *all, sa_error *error);
};

extern const sa_attribution sa_attributions[]; /* ends with a NULL name; the first is attention */

/* Reads a list of names, each at most once, into `list`; returns their number, or 0 and
 * SA_USAGE. */
int sa_attributions_read(const char *names, const sa_attribution *list[SA_ATTRIBUTIONS],
                         sa_error *error);
