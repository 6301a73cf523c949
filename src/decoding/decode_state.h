/* voice: one model that writes word by word, recurrent or not: what a search needs of it. Weights
 * that many batches are written with are best laid down once (sa_seq2seq_pack). */
#ifndef SA_MODEL_VOICE_H
#define SA_MODEL_VOICE_H

#include "model/seq2seq.h"
#include "model/transformer_step.h"

/* A recurrent model's source, and its decoder at the running step. */
typedef struct sa_recurrent_decode_state {
    sa_encoder_cache encoder;
    sa_source source;
    sa_attention_scratch scratch;
    sa_decoder_rows rows; /* the running step */
    sa_state state;       /* s of the step before */
    sa_mat t;             /* t of the step before; input feeding only */
    sa_readout_cache readout;
} sa_recurrent_decode_state;

typedef struct sa_decode_state {
    const sa_seq2seq *w;
    sa_batch batch;
    sa_mat logits;       /* [rows x Ky] of the running step's rows: log p(word) is logits - norm */
    double *log_sum_exp; /* [rows] */
    union {              /* by w->model */
        sa_recurrent_decode_state recurrent;
        sa_transformer_decode_state transformer;
    };
} sa_decode_state;

/* Room for `rows` hypotheses of at most `steps` words about `count` sources. voice->w is set. */
void sa_decode_state_layout(sa_arena *arena, sa_decode_state *state, const sa_sentence *sources,
                            int count, int rows, int steps);
void sa_decode_state_release(sa_decode_state *state);

/* Reads the sources. */
void sa_decode_state_start(sa_decode_state *state);

/* Word i (from 1) of L hypotheses: row l, about sentence which[l], goes on from row from[l] of the
 * step before (its sentence at the start) with the word ids[l]. Fills logits, which the caller may
 * overwrite, and norm. */
bool sa_decode_state_step(sa_decode_state *state, const sa_override *override, int i, int L,
                          const int *which, const int *from, const int32_t *ids, sa_error *error);

/* Adds `weight` times the attention weights of a row of the last step, the mean over heads and
 * layers, to alpha [S]. */
void sa_decode_state_weights(const sa_decode_state *state, int row, int S, sa_real weight,
                             sa_real *alpha);

#endif
