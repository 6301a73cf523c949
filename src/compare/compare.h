/* compare: several models trained on the same batches, and one table of their scores.
 *
 *   compare_list     the models and runs named by --models and --seeds
 *   compare_data     the pairs that they train and are tested on
 *   compare_record   the state of a run on the disk: DIR/<model>-s<seed>/run.json
 *   compare_run      trains or resumes a run, and evaluates it
 *   compare_share    divides the runs among processes
 *   compare_worker   keeps a process alive when its training is killed
 *   compare_table    the scores of all runs and their medians, in four formats
 *   compare_files    learning curves, BLEU by length, matrices
 *   compare_page     the HTML report */
#ifndef SA_COMPARE_COMPARE_H
#define SA_COMPARE_COMPARE_H

#include "base/json_values.h"
#include "metrics/bootstrap.h"
#include "metrics/by_length.h"
#include "report/page_text.h"
#include "train/exchange.h"

/* ---- What is compared ------------------------------------------------------------------------ */

typedef struct sa_compare_model {
    char *name;   /* as in the list: "luong:general:4" */
    char *folder; /* the same as a file name: "luong-general-4" */
    sa_settings settings;
    bool attends;
} sa_compare_model;

/* The hashes are over the texts of the pairs: a run that is resumed must see the same ones. */
typedef struct sa_compare_data {
    const char *train, *valid; /* PAIRS; valid may be NULL */
    uint64_t train_hash, valid_hash, test_hash;
    size_t train_shared, valid_shared; /* test pairs that occur in these, too */
    sa_corpus test;
    sa_corpus snapshot_pairs; /* may be empty */
} sa_compare_data;

/* The columns of the table: indices of sa_compare_columns. */
enum {
    SA_COMPARE_PARAMETERS,
    SA_COMPARE_SECONDS,
    SA_COMPARE_UPDATES,
    SA_COMPARE_LOSS,
    SA_COMPARE_PERPLEXITY,
    SA_COMPARE_BLEU,
    SA_COMPARE_EXACT,
    SA_COMPARE_AER,
    SA_COMPARE_ENTROPY,
    SA_COMPARE_ZEROS,
    SA_COMPARE_SPEED,
    SA_COMPARE_CACHE,
    SA_COMPARE_SENTENCES,
    SA_COMPARE_WORDS,
    SA_COMPARE_COLUMNS,
};

/* One training of a model and its scores. */
typedef struct sa_compare_run {
    const sa_compare_model *model;
    sa_settings settings; /* the model's with the seed of this run */
    char *folder;         /* DIR/<model>-s<seed> */
    sa_train_cost spent;
    int64_t updates;
    bool recorded;                     /* run.json exists */
    bool trained;                      /* to its end, */
    bool diverged;                     /* which was a divergence: there are no scores */
    uint64_t test;                     /* hash of the pairs behind the scores; 0: no scores yet */
    double scores[SA_COMPARE_COLUMNS]; /* NaN: none */
    sa_eval_result by_length[SA_LENGTH_BANDS];        /* only sentences and BLEU */
    sa_confidence_interval interval[SA_LENGTH_BANDS]; /* of that BLEU; NaN: unknown */
} sa_compare_run;

typedef struct sa_comparison {
    const char *out; /* DIR */
    bool overwrite;  /* runs of other settings or pairs are trained again */
    sa_compare_data data;
    sa_compare_model *models;
    size_t model_count, seeds;
    sa_compare_run *runs; /* [model_count * seeds] the runs of a model are adjacent */
    void (*note)(void *context, const char *line); /* a line for the user */
    /* Of the training under way; NULL: it has ended. */
    void (*progress)(void *context, const sa_progress *progress);
    void *context;

    /* of several processes */
    sa_exchange *processes; /* NULL: this process does all */
    sa_compare_run **order; /* [model_count * seeds] the longest first */
    int claims;             /* DIR/.claims: who trains run i locks byte i */
    size_t told;            /* bytes of that file that the user has seen */
    int shards;             /* of models whose settings do not say */
} sa_comparison;

/* ---- compare_list ---------------------------------------------------------------------------- */

/* Reads a list of models, separated by commas: decoder[:attention[:heads]][:option=value ...], with
 * "transformer" as a decoder. Settings that an entry leaves out are those of `settings`, or of
 * `transformer`. SA_USAGE names an entry that is wrong or occurs twice. */
bool sa_compare_models_read(sa_comparison *all, const char *list, const sa_settings *settings,
                            const sa_settings *transformer, sa_error *error);
/* Makes the runs of every model, with `seeds` consecutive seeds from that of its settings. */
bool sa_compare_runs_make(sa_comparison *all, size_t seeds, sa_error *error);
void sa_compare_release(sa_comparison *all);

/* ---- compare_data ---------------------------------------------------------------------------- */

/* Reads the pairs; valid and snapshot_pairs may be NULL. */
bool sa_compare_data_open(sa_compare_data *data, const char *train, const char *valid,
                          const char *test, const char *snapshot_pairs, sa_error *error);

/* ---- compare_record -------------------------------------------------------------------------- */

/* Replaces run.json. */
bool sa_compare_record_write(const sa_compare_run *run, const sa_compare_data *data,
                             sa_error *error);
/* Restores the run from run.json, if that exists. SA_BUSY: the folder holds a training with other
 * settings or pairs, or of another command. SA_DATA: run.json is damaged. */
bool sa_compare_record_read(sa_compare_run *run, const sa_compare_data *data, sa_error *error);
/* The best model of a run. */
sa_model *sa_compare_model_open(const sa_compare_run *run, sa_error *error);

/* ---- compare_run ----------------------------------------------------------------------------- */

/* Reads the records of all runs, then trains and evaluates those that are not done: all models with
 * the first seed, then with the next, so that an interrupted comparison can be compared. Returns
 * true early when *stop is set. */
bool sa_compare_finish_runs(sa_comparison *all, const volatile sig_atomic_t *stop, sa_error *error);

/* ---- compare_share ---------------------------------------------------------------------------
 * Who has nothing to do takes the longest run that is neither done nor taken. Nobody waits for
 * another process: the system returns what a dead one had taken, and its training is resumed. */

/* With which a program divides comparisons among its processes; NULL: each does its own. */
extern sa_exchange *sa_compare_processes;

/* DIR exists. All processes call it. */
bool sa_compare_share_open(sa_comparison *all, sa_error *error);
void sa_compare_share_close(sa_comparison *all);
/* In a child, whose locks shall be its own. */
bool sa_compare_share_reopen(sa_comparison *all, sa_error *error);

/* Takes a run, unless another process has. */
bool sa_compare_claim(const sa_comparison *all, const sa_compare_run *run, bool *claimed,
                      sa_error *error);
void sa_compare_release_claim(const sa_comparison *all, const sa_compare_run *run);

/* A line for the user, appended to DIR/.claims by any process; sa_compare_note_told shows the new
 * ones, in the first process only. */
void sa_compare_tell(const sa_comparison *all, const char *line);
void sa_compare_note_told(sa_comparison *all);

/* ---- compare_worker --------------------------------------------------------------------------
 * With several processes, each trains in a child. When a process that MPI knows dies, MPI ends all;
 * a child that trains may be killed, for example for lack of memory, without that. Its claim is
 * then free at once, and another process or the next child goes on from the last validation. */

typedef bool sa_compare_work(sa_comparison *all, const volatile sig_atomic_t *stop,
                             sa_error *error);
/* SA_LIMIT: no child can be started, or those of the first process died three times; otherwise the
 * error of `work`. */
bool sa_compare_work_in_child(sa_comparison *all, sa_compare_work *work,
                              const volatile sig_atomic_t *stop, sa_error *error);

/* ---- compare_table --------------------------------------------------------------------------- */

typedef struct sa_compare_column {
    const char *key;   /* in CSV and JSON */
    const char *title; /* in tables; NULL: only in JSON */
    int decimals;      /* in tables, */
    double scale;      /* after this factor */
} sa_compare_column;
extern const sa_compare_column sa_compare_columns[SA_COMPARE_COLUMNS];

/* The scores by their keys; the bands that have sentences by their names. */
json_t *sa_compare_json_scores(const double *scores);
json_t *sa_compare_json_bands(const sa_compare_run *run);

/* Appends the medians of every model as a table, or all runs and medians as one JSON object. */
bool sa_compare_add_table(const sa_comparison *all, bool json, sa_buffer *out, sa_error *error);
/* Appends how many updates each model got, "fixed 1200, transformer 430", if that differs by more
 * than a tenth. */
bool sa_compare_add_unequal_updates(const sa_comparison *all, sa_buffer *out, sa_error *error);
/* Writes DIR/table.csv with every run and the medians, and DIR/table.md with the medians. */
bool sa_compare_save_tables(const sa_comparison *all, sa_error *error);

/* ---- compare_files --------------------------------------------------------------------------- */

/* Writes DIR/curves.csv from the log.csv of every run. */
bool sa_compare_save_curves(const sa_comparison *all, sa_error *error);
/* Writes DIR/bylength.csv. */
bool sa_compare_save_by_length(const sa_comparison *all, sa_error *error);
/* Writes DIR/matrices/<model>/0001.csv ... of the first `count` test pairs, by every model with
 * attention, with its first seed. */
bool sa_compare_save_matrices(const sa_comparison *all, size_t count, sa_error *error);

/* ---- compare_page ---------------------------------------------------------------------------- */

/* Writes the HTML report; it holds the CSV files, which must exist. */
bool sa_compare_save_page(const sa_comparison *all, const sa_page_text *text, const char *path,
                          sa_error *error);

#endif
