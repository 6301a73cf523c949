/* trainer: makes one update after another.
 *
 * A batch is sharded independently of the number of threads. Each shard runs forward and backward
 * in an arena, into a gradient of its own; the gradients are added in the order of the shards, and
 * their norm is summed in chunks of fixed size. So the same seed gives the same bits on any number
 * of threads, and of processes that share the shards. Each thread takes the next shard when it is
 * done with one. Nothing is allocated after sa_trainer_open. */
#pragma once

#include "base/thread.h"
#include "data/dataset.h"
#include "layers/optimizer.h"
#include "model/seq2seq.h"
#include "tensor/mat.h"

#include <stdatomic.h>

/* ---- Processes -------------------------------------------------------------------------------
 * How the processes that train one model, each on a range of the shards, exchange data: by the
 * functions in the struct (src/mpi). NULL stands for a single process. */

enum { SA_MAX_PROCESSES = 1024 };

typedef struct sa_exchange sa_exchange;
struct sa_exchange {
    int rank, size;
    int threads;              /* of this process, unless the settings say otherwise */
    int cores;                /* of all processes */
    const char *where;        /* "4 processes on 2 hosts" */
    const char *const *hosts; /* [size] */
    bool ended;               /* nothing more is exchanged, as after an error that all know of */
    /* Completes `count` items, of which each process has set those from sa_exchange_first on, in
     * every process. */
    void (*gather)(void *items, size_t size, int count);
    /* Adds up numbers[size], which hold the sum of the first process. Block by block, in the order
     * of the ranks, the other processes add theirs with add(context, at, size); then all get the
     * result. */
    void (*sum)(sa_real *numbers, size_t size, void (*add)(void *context, size_t at, size_t size),
                void *context);
};

/* Returns the first of `count` items that belongs to the process; its items end where the next
 * one's begin. The first process always has an item. */
int sa_exchange_first(const sa_exchange *exchange, int count, int rank);

/* Returns whether this process prints and writes. */
bool sa_exchange_leads(const sa_exchange *exchange);

/* Collects one word from every process. */
void sa_exchange_words(const sa_exchange *exchange, uint64_t word, uint64_t words[]);

/* Returns whether all processes succeeded. If not, the first one that failed keeps its error, and
 * the others get its code without a text. */
bool sa_exchange_agree(sa_exchange *exchange, bool good, sa_error *error);

/* Returns whether all processes have the same word. SA_USAGE, in all of them, names one that has
 * "another --seed". */
bool sa_exchange_same(const sa_exchange *exchange, uint64_t word, const char *what,
                      sa_error *error);

/* Returns the first process whose word differs from most of the others; -1: all are equal. */
int sa_exchange_odd(const uint64_t words[], int count);

/* The place where one shard at a time runs. */
typedef struct sa_lane {
    atomic_bool taken;
    sa_arena arena;
} sa_lane;

/* The gradient of one shard or, in the first place, of all shards so far. */
typedef struct sa_gradient {
    sa_real *numbers; /* [plan.size], zero between two batches */
    sa_seq2seq dw;    /* the same, parameter by parameter */
    sa_store store;   /* holds one shard's at a time */
} sa_gradient;

typedef struct sa_shard {
    double loss, alignment_loss; /* of the shard of the last batch */
    bool dropped;                /* it ended early: sa_stopping */
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
    const sa_param *frozen[2];      /* embeddings that stay as they are, or NULL */
    sa_store store;                 /* of w, filled for all shards of an update */
    sa_real *first, *second;        /* [plan.size] the optimizer state */
    double decay;                   /* multiplies the learning rate: 1 until the caller lowers it */
    double baseline;                /* of sampled weights: attention/parts/hard.c */
    int most;                       /* pairs in a batch */
    int shards;                     /* of the largest batch */
    sa_shard shard[SA_MAX_THREADS]; /* [shards] */
    int lanes;                      /* shards that run at a time: at most the threads */
    sa_lane lane[SA_MAX_THREADS];   /* [lanes] */
    int gradients; /* one for each shard of this process, the first of which becomes the sum; where
                      other processes come first, one more for the sum */
    sa_gradient *gradient;         /* [gradients] */
    sa_sentence *source, *target;  /* [most] the batch, one shard after another */
    sa_gold_alignment *links;      /* [most] its gold alignments; NULL without guided alignment */
    const sa_gold_alignment *gold; /* of all pairs; set by the caller with guided alignment */
    double *squares;               /* sum of squares of each chunk of the gradient */
    int64_t step;                  /* batches seen */
    int64_t applied;               /* updates made: batches with a finite gradient */
    int nonfinite;                 /* batches in a row with a gradient that is not finite */

    /* of the current batch */
    int count, active_shards;
    int first_shard, end_shard; /* of this process */
    sa_update update;
} sa_trainer;

typedef struct sa_step_result {
    double loss;           /* sum over target words of -log p, before the update */
    double alignment_loss; /* the same sum of the alignment loss */
    int words;             /* target words, EOS included */
    double l2_norm;        /* of the gradient, before clipping */
    bool applied;          /* false: the gradient was not finite and the weights are unchanged */
    bool dropped;          /* the pool's watch ended it early, as if it had not begun */
} sa_step_result;

/* Opens a trainer of `values` [plan.size]; everything that is pointed to must outlive it. The
 * longest source and target of the data bound every batch. */
bool sa_trainer_open(sa_trainer *trainer, const sa_settings *settings, const sa_sizes *sizes,
                     sa_real *values, const sa_dataset *data, sa_pool *pool,
                     const sa_exchange *exchange, sa_error *error);
void sa_trainer_close(sa_trainer *trainer);

/* Gives the pages of the arenas back to the system until the next update. */
void sa_trainer_lend_memory(sa_trainer *trainer);

/* Makes one update on `count` pairs, whose indices are in `pairs` (NULL: the first ones). There are
 * at most settings->batch of them or, with batch_tokens, as many pairs as have at most that many
 * words on each side, or one longer pair. After a dropped update there must be no other.
 * SA_DIVERGED after ten batches in a row whose gradient is not finite. */
bool sa_trainer_step(sa_trainer *trainer, const sa_sentence *source, const sa_sentence *target,
                     const size_t *pairs, int count, sa_step_result *result, sa_error *error);
