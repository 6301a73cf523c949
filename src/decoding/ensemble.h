/* ensemble: one model or several that translate together, a word at a time.
 *
 * Each model reads the source and keeps a state of its own for every hypothesis; the probability of
 * the next word is the mean of theirs (Sutskever et al. 2014; Luong et al. 2015), and so is the
 * attention. */
#ifndef SA_MODEL_ENSEMBLE_H
#define SA_MODEL_ENSEMBLE_H

#include "decoding/decode_state.h"

enum { SA_ENSEMBLE = 16 }; /* models at most */

typedef struct sa_ensemble {
    int count;
    sa_decode_state *states;     /* [count] */
    const sa_override *override; /* what replaces the weights, or NULL; its order is set by each */
    int32_t *ids;                /* [rows] of the running step, all of these */
    int *which, *from;
    const double *log_sum_exp;
} sa_ensemble;

/* What a row of the next step continues. */
typedef struct sa_continuation {
    int sentence;
    int row;      /* its row in the step before; its sentence at the start */
    int32_t word; /* y_{i-1} */
} sa_continuation;

/* So many models, each with a voice of its own. Whatever comes of it, it is to be released. */
bool sa_ensemble_open(sa_ensemble *ensemble, const sa_seq2seq *const *w, int count,
                      const sa_override *override, sa_error *error);
void sa_ensemble_release(sa_ensemble *ensemble);

/* sources[m]: the same `count` sentences in the numbers of model m. Room for `rows` hypotheses of
 * at most `steps` words. */
void sa_ensemble_layout(sa_arena *arena, sa_ensemble *ensemble, const sa_sentence *const *sources,
                        int count, int rows, int steps);

/* Encodes the sources. */
void sa_ensemble_begin(sa_ensemble *ensemble);

/* Step i (from 1) of L rows: afterwards log p(word) = logits - norm[row], logits [L x Ky]. */
bool sa_ensemble_step(sa_ensemble *ensemble, int i, const sa_continuation *rows, int L,
                      sa_mat *logits, sa_error *error);

/* Where row l of the last step looked: adds to alpha [S], which the caller zeroes, the mean over
 * the models and their heads. Models without attention have no say. */
void sa_ensemble_weights(const sa_ensemble *ensemble, int row, int S, sa_real *alpha);

#endif
