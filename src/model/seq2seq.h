/* seq2seq: encoder and decoder as one function, the loss of a batch and its gradient. */
#ifndef SA_MODEL_SEQ2SEQ_H
#define SA_MODEL_SEQ2SEQ_H

#include "model/decoder.h"
#include "model/encoder.h"

typedef struct sa_sizes {
    sa_encoder_sizes encoder;
    sa_decoder_sizes decoder;
} sa_sizes;

typedef struct sa_seq2seq { /* weights, or their gradients */
    sa_encoder encoder;
    sa_decoder decoder;
} sa_seq2seq;

/* The activations of one batch or shard, and room for their gradients. */
typedef struct sa_pass {
    sa_encoder_cache encoder;
    sa_decoder_cache decoder;
    sa_real *log_p;      /* [M] log p(y_i), step by step */
    sa_profile *profile; /* NULL: no time is measured */
} sa_pass;

/* Those of a model with these settings and vocabularies (special symbols included). */
sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words);

/* SA_USAGE when a score without maps meets annotations of another width than the state's. */
bool sa_sizes_check(const sa_settings *settings, sa_error *error);

void sa_seq2seq_bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w);
void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan);
/* Points w into a buffer of plan.size numbers: values or gradients. */
void sa_seq2seq_point(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w);

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass);

/* Sum over target words, end marks included, of -log p. With dw, the gradient of that sum divided
 * by batch->whole is added to it. Dropout (0: none) draws its masks from rng. */
double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, double dropout, sa_rng *rng,
                       sa_pass *pass, sa_seq2seq *dw);

/* For the option rows: names of --readout, --update and --reset, NULL after the last. */
const char *sa_readout_name(size_t row);
const char *sa_update_name(size_t row);
const char *sa_reset_name(size_t row);

#endif
