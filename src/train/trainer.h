/* trainer: one update after another.
 *
 * A batch is cut into shards, whatever the number of threads; each shard runs forward and backward
 * in its own arena into its own gradient; the gradients are added in the order of the shards, the
 * norm is summed in pieces of fixed size. So the same seed gives the same bits on any number of
 * threads. After sa_trainer_open nothing is allocated. */
#ifndef SA_TRAIN_TRAINER_H
#define SA_TRAIN_TRAINER_H

#include "base/profile.h"
#include "base/thread.h"
#include "model/seq2seq.h"
#include "train/optimizer.h"
#include "train/schedule.h"

typedef struct sa_shard {
    sa_arena arena;
    sa_real *gradients; /* zero between two batches */
    sa_seq2seq dw;
    double loss, alignment_loss; /* of the last batch's piece */
    sa_profile profile;
} sa_shard;

typedef struct sa_trainer {
    const sa_settings *settings;
    const sa_optimizer *optimizer;
    sa_pool *pool;
    sa_params plan;
    sa_real *values; /* [plan.size] the model's own */
    sa_seq2seq w;
    sa_real *first, *second; /* [plan.size] the optimiser's memories */
    double decay;            /* multiplies the learning rate: 1 until the caller lowers it */
    int most;                /* pairs of a batch */
    int shards;              /* that are of use: no batch is cut into more */
    sa_shard *shard;
    sa_sentence *source, *target;  /* [most] the pieces, one shard after another */
    sa_gold_alignment *links;      /* [most] theirs; NULL: attention is not guided */
    const sa_gold_alignment *gold; /* set by the caller, with --guided-alignment: of all pairs */
    double *squares;               /* sums of squares of the gradient's pieces */
    int64_t step;                  /* batches seen */
    int64_t applied;               /* updates made: batches with a finite gradient */
    int nonfinite;                 /* batches in a row without one */
    bool profiled;                 /* set by the caller: time is measured */
    sa_profile profile;            /* of the thread that asks for the updates */

    /* what the pieces of the running job share */
    int count, active_shards;
    sa_update update;
} sa_trainer;

/* What one batch gave. */
typedef struct sa_step_result {
    double loss;           /* sum over target words of -log p, before the update */
    double alignment_loss; /* sum over them of the loss of looking elsewhere: guided alignment */
    int words;             /* target words, end marks included */
    double l2_norm;        /* L2 norm of the gradient, before clipping */
    bool applied;          /* false: the gradient was not finite, and nothing was changed */
} sa_step_result;

/* `values` [plan.size] are the weights to be trained; settings, values and pool must outlive the
 * trainer. longest_source and longest_target (in words, end mark included) bound every batch. */
bool sa_trainer_open(sa_trainer *trainer, const sa_settings *settings, const sa_sizes *sizes,
                     sa_real *values, int longest_source, int longest_target, sa_pool *pool,
                     sa_error *error);
void sa_trainer_close(sa_trainer *trainer);

/* Lends the rooms of updates to others, until the next one. */
void sa_trainer_lend_memory(sa_trainer *trainer);

/* One update on `count` pairs (at most settings->batch, or, with batch_tokens, as many as have so
 * many words on either side; or a single pair): those whose indices `pairs` lists (NULL:
 * the first). SA_DIVERGED after ten batches in a row whose gradient is not finite. */
bool sa_trainer_step(sa_trainer *trainer, const sa_sentence *source, const sa_sentence *target,
                     const size_t *pairs, int count, sa_step_result *result, sa_error *error);

/* Where the time of all updates went, if it was measured. */
void sa_trainer_profile(const sa_trainer *trainer, sa_profile_entry parts[SA_PROFILE_ENTRIES]);

#endif
