/* session: the state of a whole training, and what it leaves in its folder. */
#pragma once

#include "base/clock.h"
#include "base/container.h"
#include "base/file.h"
#include "base/thread.h"
#include "data/batcher.h"
#include "train/trainer.h"
#include "train/validation.h"

/* ---- The state of a training ----------------------------------------------------------------- */

/* What a checkpoint stores, each struct as an array, in this order. Nothing in it depends on the
 * clock, so equal trainings give equal files. */
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
    sa_validation best; /* of the scheduled validations */
    double loss;        /* sum of the training loss since the last validation */
    double guided_loss; /* the same for the alignment loss */
    double lr_factor;   /* the product of all decays of the learning rate so far */
} sa_state_figures;

enum {
    SA_STATE_COUNTS = sizeof(sa_state_counts) / sizeof(int64_t),
    SA_STATE_FIGURES = sizeof(sa_state_figures) / sizeof(double),
};

/* The index of a field in the saved array. */
#define SA_STATE_COUNT(field) ((int)(offsetof(sa_state_counts, field) / sizeof(int64_t)))
#define SA_STATE_FIGURE(field) ((int)(offsetof(sa_state_figures, field) / sizeof(double)))

/* The files of a training in its folder, then the folder of its film. */
enum { SA_LAST, SA_BEST, SA_AVERAGE, SA_LOG, SA_TRAINING_FILES, SA_FILM = SA_TRAINING_FILES };

/* Set by a program whose processes train one model together; NULL: each trains its own. */
extern sa_exchange *sa_session_processes;

typedef struct sa_session sa_session;
struct sa_session {
    const sa_train_options *training;
    sa_exchange *exchange; /* sa_session_processes */
    sa_settings settings;  /* shards resolved */
    sa_directory_lock lock;
    char *path[SA_TRAINING_FILES];
    sa_corpus train, valid;      /* train: only until the first update */
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
    double begin;  /* monotonic time at which this run began, minus the seconds spent before it */
    sa_train_cost spent;  /* without seconds */
    int64_t first_step;   /* batches seen before this run */
    uint32_t checksum;    /* of the file that the training continues; or 0 */
    double gradient_norm; /* of the last update */
    double report_time;   /* when the last report was made */
    double report_loss;   /* training loss and words since then */
    int64_t report_words;
    double words_per_second;   /* target tokens, as last measured */
    double validation_seconds; /* of the last validation; 0: there was none in this run */
    sa_watch watch;            /* ends jobs early when training should stop */
    double validating;         /* the progress of a validation, up to 2 */
    double shown;              /* when that was last reported */
    bool validated;            /* since the last batch */
    sa_validation best;        /* best of all, including those at a stop */
    sa_real *unsaved;          /* weights of the best model while it cannot be saved, or NULL */
    sa_error save_error;       /* of the last save; code 0: it succeeded */
    sa_error frame_error;      /* why the film lacks a frame; code 0: it has all */
    bool replaces;             /* the training to overwrite is still there */
};

/* Reports a line for the user. */
void sa_session_note(const sa_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void sa_session_close(sa_session *session);

/* ---- What a session does --------------------------------------------------------------------- */

/* Locks the output folder, reads the pairs, initializes the model or reads the checkpoint. SA_BUSY:
 * the folder holds a training that is neither to be resumed nor to be overwritten. The caller
 * closes the session with sa_session_close, even after a failure. start.c */
bool sa_session_open(sa_session *session, const sa_train_options *training, sa_error *error);

/* Checks, before anything is trained, that models of this training can read the pairs: the links of
 * guided alignment, the lengths of test and snapshot pairs and, with `gold`, the gold links of the
 * test pairs. Fails as the training or the evaluation would. */
bool sa_training_check(const sa_train_options *training, const sa_corpus *test, bool gold,
                       sa_error *error);
/* Returns whether everything that determines the updates is the same in all processes. */
bool sa_session_same(const sa_session *session, sa_error *error);

/* Sets *found to the name of a training's file in the folder, or to NULL. SA_OPEN: the folder
 * cannot be examined. */
bool sa_training_find(const char *folder, const char **found, sa_error *error);

/* Removes the files of a training from its folder; sa_snapshots_open removes its film and
 * checkpoints. */
bool sa_training_remove(const char *folder, sa_error *error);

/* Makes an update, or drops it when training should stop. training.c */
bool sa_session_step(sa_session *session, sa_error *error);

/* Returns whether a scheduled validation must precede the next update. */
bool sa_session_validation_due(const sa_session *session);

/* Validates the model and saves it if it is the best so far. A scheduled validation is part of the
 * training; one at the end does not change its state, so that resuming gives the bits of a training
 * that never stopped. If training should stop, or there is not enough time, drops the validation:
 * session->validated stays false. */
bool sa_session_validate(sa_session *session, bool scheduled, sa_error *error);

/* Returns why training ends now, or NULL. */
const char *sa_session_reason_to_stop(const sa_session *session);

/* The first line of log.csv. */
#define SA_LOG_HEADER                                                                              \
    "epoch,step,seconds,updating,words,words_per_second,train_loss,train_perplexity,"              \
    "gradient_norm,valid_loss,valid_perplexity,valid_bleu,valid_chrf,guided_loss,best\n"

/* Writes last.safetensors, which holds all that resuming needs, and log.csv. checkpoint.c */
bool sa_checkpoint_write(sa_session *session, sa_error *error);
/* Restores the state of the training from `file`, after the model has been read from it and the
 * pairs are encoded. */
bool sa_checkpoint_read(sa_session *session, const sa_container *file, sa_error *error);

/* Prepares the film, which shows the attention of the model at every validation. Removes the frames
 * and checkpoints of other trainings and, when resuming, those of updates that the log does not
 * have. snapshots.c */
bool sa_snapshots_open(const sa_session *session, sa_error *error);

/* After a validation, writes the model as checkpoints/UPDATES.safetensors and removes all but the
 * newest settings->keep. */
bool sa_checkpoints_keep(const sa_session *session, sa_error *error);

/* Writes the next frame of each pair. */
bool sa_snapshots_write(sa_session *session, sa_error *error);
