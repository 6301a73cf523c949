/* trainer: one update after another.
 *
 * A batch is sharded independently of the number of threads. Each shard runs forward and backward
 * in an arena, into a gradient of its own; the gradients are added in the order of the shards, and
 * their norm is summed in chunks of fixed size. So the same seed gives the same bits on any number
 * of threads, and of processes that share the shards. Each thread takes the next shard when it is
 * done with one. A gradient that a later shard needs is added as soon as its turn comes; the last
 * ones are added by all threads together. So memory grows with the threads, not with the shards.
 * Nothing is allocated after sa_trainer_open. */
#ifndef SA_TRAIN_TRAINER_H
#define SA_TRAIN_TRAINER_H

#include "base/thread.h"
#include "model/seq2seq.h"
#include "train/exchange.h"
#include "train/optimizer.h"

#include <stdatomic.h>

/* Where one shard at a time runs. */
typedef struct sa_lane {
    atomic_bool taken;
    sa_arena arena;
} sa_lane;

/* The gradient of one shard or, in the first place, of all shards so far. */
typedef struct sa_gradient {
    sa_real *numbers; /* [plan.size], zero between two batches */
    sa_seq2seq dw;    /* the same, parameter by parameter */
    sa_store store;   /* one shard's at a time */
} sa_gradient;

typedef struct sa_shard {
    double loss, alignment_loss; /* of the shard of the last batch */
} sa_shard;

typedef struct sa_trainer {
    const sa_settings *settings;
    const sa_optimizer *optimizer;
    sa_pool *pool;
    const sa_exchange *exchange; /* NULL: this process has all shards */
    sa_params plan;
    sa_real *values; /* [plan.size] the model's weights */
    sa_sizes sizes;
    sa_seq2seq w;
    sa_store store;                 /* of w, filled for all shards of an update */
    sa_real *first, *second;        /* [plan.size] the optimizer state */
    double decay;                   /* multiplies the learning rate: 1 until the caller lowers it */
    double baseline;                /* of sampled weights: attention/parts/hard.c */
    int most;                       /* pairs in a batch */
    int shards;                     /* of the largest batch */
    sa_shard shard[SA_MAX_THREADS]; /* [shards] */
    int lanes;                      /* shards that run at a time: at most the threads */
    sa_lane lane[SA_MAX_THREADS];   /* [lanes] */
    int gradients;                  /* the sum's, which the first shard begins, and those that the
                                       other shards use by turns; where other processes come first,
                                       one more than shards of this one */
    sa_gradient *gradient;          /* [gradients] */
    sa_sentence *source, *target;   /* [most] the batch, one shard after another */
    sa_gold_alignment *links;       /* [most] its gold alignments; NULL without guided alignment */
    const sa_gold_alignment *gold;  /* of all pairs; set by the caller with guided alignment */
    double *squares;                /* sum of squares of each chunk of the gradient */
    int64_t step;                   /* batches seen */
    int64_t applied;                /* updates made: batches with a finite gradient */
    int nonfinite;                  /* batches in a row with a gradient that is not finite */

    /* of the running batch */
    int count, active_shards;
    int first_shard, end_shard; /* of this process */
    sa_update update;
} sa_trainer;

typedef struct sa_step_result {
    double loss;           /* sum over target words of -log p, before the update */
    double alignment_loss; /* sum over target words */
    int words;             /* target words, EOS included */
    double l2_norm;        /* of the gradient, before clipping */
    bool applied;          /* false: the gradient was not finite and the weights are unchanged */
} sa_step_result;

/* Trains `values` [plan.size]; all that is pointed to must outlive the trainer. longest_source
 * and longest_target, in words with EOS, bound every batch. */
bool sa_trainer_open(sa_trainer *trainer, const sa_settings *settings, const sa_sizes *sizes,
                     sa_real *values, int longest_source, int longest_target, sa_pool *pool,
                     const sa_exchange *exchange, sa_error *error);
void sa_trainer_close(sa_trainer *trainer);

/* Returns the pages of the arenas to the system until the next update. */
void sa_trainer_lend_memory(sa_trainer *trainer);

/* One update on `count` pairs, whose indices are in `pairs` (NULL: the first ones). There are at
 * most settings->batch of them, or with batch_tokens as many as have at most that many words on
 * each side, or one longer pair. SA_DIVERGED after ten batches in a row whose gradient is not
 * finite. */
bool sa_trainer_step(sa_trainer *trainer, const sa_sentence *source, const sa_sentence *target,
                     const size_t *pairs, int count, sa_step_result *result, sa_error *error);

#endif
