/* decode_state: one model of any family while it generates word by word. Weights that are used for
 * many batches are best stored once (sa_seq2seq_open_stored). */
#ifndef SA_INFERENCE_DECODE_STATE_H
#define SA_INFERENCE_DECODE_STATE_H

#include "model/seq2seq.h"

typedef struct sa_decode_state {
    const sa_seq2seq *w;
    sa_seq2seq replaced;  /* w where an override replaces its attention weights, ... */
    sa_override override; /* ... which this one is */
    sa_batch batch;       /* the sources */
    sa_mat t;             /* [rows x l] of the running step */
    int logit_rows;       /* the most rows whose logits are made at once */
    sa_mat gathered_t;    /* [logit_rows x l] their t */
    sa_mat logits;        /* [logit_rows x words]; log p(word) is logits - log_sum_exp */
    /* [logit_rows x stretches] the largest of them: sa_vocabulary_forward; not with copying */
    sa_mat most;
    double *log_sum_exp; /* [logit_rows] */
    int *words;          /* [B] how many of them each source's translations may have: with copying,
                            those of its extended vocabulary */
    sa_decode_cache cache;
} sa_decode_state;

/* From now on, before the layout: w's attention weights are replaced. The order is not read. */
void sa_decode_state_override(sa_decode_state *state, const sa_override *override);

/* For `rows` hypotheses of at most `steps` words about `count` sources; state->w is set already. */
void sa_decode_state_layout(sa_arena *arena, sa_decode_state *state, const sa_sentence *sources,
                            int count, int rows, int steps);
void sa_decode_state_release(sa_decode_state *state);

/* Encodes the sources. */
void sa_decode_state_begin(sa_decode_state *state);

/* Up to the state before the words, t. SA_LIMIT when memory runs out. */
bool sa_decode_state_step(sa_decode_state *state, const sa_decode_step *step, sa_error *error);

/* Of the last step's rows rows[i], about sentences which[rows[i]]: row i of logits, which the
 * caller may overwrite, and of log_sum_exp. At most state->logit_rows. */
void sa_decode_state_logits(sa_decode_state *state, const int *which, const int *rows, int count);

/* Adds `weight` times the attention weights of a row of the last step, the mean over heads and
 * layers, to alpha [S]. */
void sa_decode_state_weights(const sa_decode_state *state, int row, int S, sa_real weight,
                             sa_real *alpha);

#endif
