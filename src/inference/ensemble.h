/* ensemble: one or more models that translate together, word by word.
 *
 * Each model has its own state of every hypothesis. The probability of the next word is the mean of
 * the models' (Sutskever et al. 2014; Luong et al. 2015), and so are the attention weights. With
 * copying, the words are those of the extended vocabulary, to which models that do not copy give no
 * probability beyond their own. Compiled in double, too, for tests. */
#pragma once

#include "model/decode.h"

enum { SA_ENSEMBLE = 16 }; /* most models */

/* One of the models. If its weights serve many batches, they are best stored once
 * (sa_seq2seq_open_stored). */
typedef struct sa_decode_state {
    const sa_seq2seq *w;
    sa_seq2seq replaced;  /* w, where an override replaces its attention weights, ... */
    sa_override override; /* ... by this one */
    sa_batch batch;       /* the sources */
    sa_mat t;             /* [rows x l] of the current step */
    int logit_rows;       /* the most rows whose logits are made at once */
    sa_mat gathered_t;    /* [logit_rows x l] t of these rows */
    sa_mat logits;        /* [logit_rows x words]; log p(word) is logits - log_sum_exp */
    /* [logit_rows x stretches] the largest logit of each: sa_vocabulary_forward; not with
     * copying */
    sa_mat most;
    double *log_sum_exp; /* [logit_rows] */
    int *place; /* [B] where its batch has sentence b of the first model's, whose sources have other
                   lengths */
    int *which; /* [rows] sentences of the current step, in its own order */
    int *words; /* [B] how many words the translations of each source may have: with copying, those
                   of its extended vocabulary */
    sa_decode_cache cache;
} sa_decode_state;

typedef struct sa_ensemble {
    int count;
    sa_decode_state *states; /* [count] */
    int widest;              /* the first of the models with the most words */
    int logit_rows;          /* the most rows whose logits are computed at once */
    const int *words;        /* [B] how many words the translations of each sentence may have */
    bool bounded; /* every log p(word) is <= 0 even after rounding, as with one model that does not
                     copy; then states->most has the largest logits of rows, too */
    int32_t *ids; /* [rows] this and the next two belong to the current step */
    int *which, *from;         /* sentences of the first model's batch; rows of the step before */
    const double *log_sum_exp; /* of the rows whose logits were computed last */
} sa_ensemble;

/* A row of the next step. */
typedef struct sa_continuation {
    int sentence;
    int row;      /* the row of the step before; the sentence at the first step */
    int32_t word; /* y_{i-1} */
} sa_continuation;

/* An override (or NULL) replaces the attention weights; the ensemble sets an order of its own
 * instead of override->order. The caller releases the ensemble, even after a failure. */
bool sa_ensemble_open(sa_ensemble *ensemble, const sa_seq2seq *const *w, int count,
                      const sa_override *override, sa_error *error);
void sa_ensemble_release(sa_ensemble *ensemble);

/* Checks the length of outputs. SA_LIMIT: `steps` words are more than a decoder that attends to
 * them allows. */
bool sa_ensemble_check(const sa_ensemble *ensemble, int steps, sa_error *error);

/* Lays out `rows` hypotheses of at most `steps` words. sources[m]: the same `count` sentences as
 * token ids of model m. */
void sa_ensemble_layout(sa_arena *arena, sa_ensemble *ensemble, const sa_sentence *const *sources,
                        int count, int rows, int steps);

/* Encodes the sources. */
void sa_ensemble_begin(sa_ensemble *ensemble);

/* Sets row l of the next step. */
void sa_ensemble_set(sa_ensemble *ensemble, int l, sa_continuation row);
/* Runs step i (from 1) of L rows. */
bool sa_ensemble_step(sa_ensemble *ensemble, int i, int L, sa_error *error);

/* Returns the logits of rows[0 .. count-1] of the last step: log p(word) is row i minus
 * ensemble->log_sum_exp[i], for the words of the row's sentence. */
sa_mat sa_ensemble_logits(sa_ensemble *ensemble, const int *rows, int count);

/* Adds the attention weights of a row of the last step to alpha [S]: the mean over heads, layers,
 * and the models that have attention. */
void sa_ensemble_weights(const sa_ensemble *ensemble, int row, int S, sa_real *alpha);
