/* session: a training as it stands, and how it is saved and taken up again. */
#ifndef SA_SESSION_H
#define SA_SESSION_H

#include "base/profile.h"
#include "data/batcher.h"
#include "inference/model.h"
#include "session/averaging.h"
#include "session/validation.h"
#include "train/trainer.h"

/* Where a training stands. Whole numbers and figures are saved as they lie here; nothing of them
 * depends on the clock, so equal trainings give equal files. */
enum {
    SA_AT_STEP,     /* batches seen */
    SA_AT_APPLIED,  /* updates made */
    SA_AT_BAD,      /* batches in a row without a finite gradient */
    SA_AT_EPOCH,    /* from 0 */
    SA_AT_POSITION, /* pairs of the epoch served */
    SA_AT_STALE,    /* validations since the best one */
    SA_AT_ROWS,     /* validations so far: rows of the log */
    SA_AT_WORDS,    /* target words since the last validation */
    SA_AT_TRAIN,    /* hash of the training pairs */
    SA_AT_VALID,    /* hash of the validation pairs */
    SA_AT_COUNT,
};
enum {
    SA_FIGURE_BEST, /* loss, BLEU and chrF of the best validation: */
    SA_FIGURE_BLEU,
    SA_FIGURE_CHRF,
    SA_FIGURE_LOSS,   /* sum of the training loss since the last validation */
    SA_FIGURE_GUIDED, /* the same of guided alignment */
    SA_FIGURE_RATE,   /* what --lr-decay has made of the learning rate, as a factor */
    SA_FIGURE_COUNT,
};

typedef struct sa_session {
    const sa_training *training;
    sa_settings settings; /* shards resolved */
    int lock;
    sa_buffer best_path, last_path, average_path, log_path;
    sa_corpus train, valid;        /* valid is empty when pairs were held out of train */
    bool *held, *kept;             /* [train.count] for validation; for training */
    sa_dataset data, check;        /* encoded */
    const sa_corpus *check_corpus; /* what check.pair counts in */
    sa_model model;
    sa_trainer trainer;
    sa_gold *gold; /* [data.count] what attention is guided by, or NULL */
    sa_batcher batcher;
    sa_kept average;
    int64_t at[SA_AT_COUNT];
    double figure[SA_FIGURE_COUNT];
    sa_buffer log;   /* log.csv as it stands on the disk */
    double begin;    /* of this run, less what was spent before it; a clock that never goes back */
    sa_effort spent; /* its seconds are told only by sa_session_spent */
    int64_t first_step; /* batches seen before this run */
    double norm;        /* the last gradient's */
    double since;       /* when the last report was made */
    double since_loss;  /* training loss and words since then */
    int64_t since_words;
    double speed;       /* target words per second, as last measured */
    double pause;       /* seconds the last validation took */
    sa_validation best; /* those at a stop included */
} sa_session;

/* Everything up to the first update: locks the folder, reads the pairs, builds or reads the model.
 */
bool sa_session_open(sa_session *session, const sa_training *training, sa_error *error);
void sa_session_close(sa_session *session);

/* What the training has taken up to now. */
sa_effort sa_session_spent(const sa_session *session);

/* Writes log.csv and last.safetensors with all that resuming needs. */
bool sa_session_save(sa_session *session, sa_error *error);
/* Takes up what was saved there; the model has been read from `file`, the pairs are encoded. */
bool sa_session_read(sa_session *session, const sa_container *file, sa_error *error);

/* Hands a line to the user. */
void sa_session_note(const sa_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
