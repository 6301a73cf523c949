/* session: the state of a training. */
#ifndef SA_TRAIN_SESSION_H
#define SA_TRAIN_SESSION_H

#include "base/clock.h"
#include "base/file.h"
#include "data/batcher.h"
#include "inference/model.h"
#include "train/averaging.h"
#include "train/trainer.h"
#include "train/validation.h"

/* The state that a checkpoint stores, each struct as an array in this order. Nothing in it depends
 * on the clock, so equal trainings give equal files. */
typedef struct sa_state_counts {
    int64_t batches;     /* seen */
    int64_t updates;     /* made */
    int64_t bad_batches; /* in a row without a finite gradient */
    int64_t epoch;       /* from 0 */
    int64_t position;    /* pairs of the epoch seen */
    int64_t stale;       /* validations since the best one */
    int64_t validations; /* so far: rows of the log */
    int64_t words;       /* target tokens since the last validation */
    int64_t train_hash;  /* of the training pairs */
    int64_t valid_hash;  /* of the validation pairs */
} sa_state_counts;
typedef struct sa_state_figures {
    double best_loss, best_bleu, best_chrf; /* of the best validation */
    double loss;                            /* sum of the training loss since the last validation */
    double guided_loss;                     /* the same of the alignment loss */
    double lr_factor;                       /* the product of all --lr-decay so far */
} sa_state_figures;

enum {
    SA_STATE_COUNTS = sizeof(sa_state_counts) / sizeof(int64_t),
    SA_STATE_FIGURES = sizeof(sa_state_figures) / sizeof(double),
};

/* The index of a field in the saved array. */
#define SA_STATE_COUNT(field) ((int)(offsetof(sa_state_counts, field) / sizeof(int64_t)))
#define SA_STATE_FIGURE(field) ((int)(offsetof(sa_state_figures, field) / sizeof(double)))

/* With which a program lets its processes train one model; NULL: each trains its own. */
extern sa_exchange *sa_session_processes;

typedef struct sa_session sa_session;
struct sa_session {
    const sa_train_options *training;
    sa_exchange *exchange; /* sa_session_processes */
    sa_settings settings;  /* shards resolved */
    sa_directory_lock lock;
    sa_buffer best_path, last_path, average_path, log_path;
    sa_corpus train, valid;      /* train: see sa_session_release_texts */
    bool *trained_on;            /* [train.count] */
    sa_dataset data, valid_data; /* encoded */
    sa_model model;
    sa_trainer trainer;
    sa_gold_alignment *gold; /* [data.count] for guided alignment, or NULL */
    sa_batcher batcher;
    sa_averaging averaging;
    sa_state_counts counts;
    sa_state_figures figures;
    sa_buffer log; /* the content of log.csv */
    double begin;  /* monotonic time at which this run began, less the seconds spent before it */
    sa_train_cost spent;  /* without seconds: see sa_session_cost */
    int64_t first_step;   /* batches seen before this run */
    double gradient_norm; /* of the last update */
    double report_time;   /* when the last report was made */
    double report_loss;   /* training loss and words since then */
    int64_t report_words;
    double words_per_second;   /* target tokens, as last measured */
    double validation_seconds; /* of the last validation */
    sa_validation best;        /* including those at a stop */
    sa_real *unsaved;          /* weights of the best model, while it cannot be saved; or NULL */
    sa_error save_error;       /* of the last save; code 0: it succeeded */
    sa_error frame_error;      /* why the film lacks a frame; code 0: it has all */
    /* Before the first save, where a training is overwritten: removes that. NULL: there is none. */
    bool (*replace)(sa_session *session, sa_error *error);
};

void sa_session_close(sa_session *session);

/* Closes the training pairs, whose token ids are all that updates need. */
void sa_session_release_texts(sa_session *session);

/* Time and words so far. */
sa_train_cost sa_session_cost(const sa_session *session);

/* Reports a line for the user. */
void sa_session_note(const sa_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
