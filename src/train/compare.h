/* compare: sa_compare of softalign/report.h: trains several models on the same batches, and makes a
 * table of their scores.
 *
 *   comparison_models   reads the list of models and makes a run for each model and seed
 *   comparison_runs     trains or resumes the runs and evaluates them;
 *                       DIR/<model>-s<seed>/run.json has the state of a run
 *   comparison          writes the scores of all runs and their statistics: tables, CSV, JSON, page
 */
#pragma once

#include "base/file.h"
#include "metrics/metrics.h"
#include "report/html_report.h"
#include "report/table.h"
#include "train/trainer.h"

/* ---- What is compared ------------------------------------------------------------------------ */

/* The scores of a run: indices of sa_compare_columns. */
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
    SA_COMPARE_P,     /* only for models */
    SA_COMPARE_SHOWN, /* in tables; JSON also has: */
    SA_COMPARE_SENTENCES = SA_COMPARE_SHOWN,
    SA_COMPARE_WORDS,
    SA_COMPARE_COLUMNS,
};

/* The scores of a band of source lengths: sentences, BLEU, the bounds of its confidence interval.
 */
enum { SA_COMPARE_BAND_COLUMNS = 4 };

/* Statistics over the seeds; minimum and maximum come last. The deviation of one run is NaN. */
enum { SA_COMPARE_MEDIAN, SA_COMPARE_MEAN, SA_COMPARE_DEVIATION, SA_COMPARE_STATISTICS = 5 };
enum { SA_COMPARE_SAMPLES = 1000 };

typedef struct sa_compare_model {
    char *name; /* as in the list: "luong:general:4" */
    sa_settings settings;
    /* over the runs that have the score; NaN: none has it */
    double scores[SA_COMPARE_STATISTICS][SA_COMPARE_COLUMNS];
} sa_compare_model;

/* A run can be resumed only with the same pairs: the hashes cover their texts and the alignments
 * that matter. */
typedef struct sa_compare_data {
    uint64_t hash[2], test_hash; /* hash: of the training and validation pairs */
    size_t shared[2];            /* test pairs that also occur in these */
    sa_corpus test;
    sa_corpus snapshot_pairs; /* may be empty */
} sa_compare_data;

/* One training of a model and its scores. */
typedef struct sa_compare_run {
    const sa_compare_model *model;
    sa_settings settings; /* the model's with the seed of this run */
    char *folder;         /* DIR/<model>-s<seed>, with dashes for the model's colons */
    sa_train_cost spent;
    int64_t updates;
    bool recorded;                      /* run.json exists */
    bool trained;                       /* to the end */
    bool diverged;                      /* at the end: there are no scores */
    uint64_t test;                      /* hash of the scored pairs; 0: no scores yet */
    double scores[SA_COMPARE_COLUMNS];  /* NaN: none */
    double samples[SA_COMPARE_SAMPLES]; /* BLEU of bootstrap samples of the test pairs, or NaN */
    double bands[SA_LENGTH_BANDS][SA_COMPARE_BAND_COLUMNS];
} sa_compare_run;

typedef struct sa_comparison {
    const sa_compare_options *options;
    const volatile sig_atomic_t *stop;
    sa_directory_lock lock; /* of options->out */
    sa_compare_data data;
    sa_compare_model *models;
    size_t model_count, seeds;
    bool scored[SA_COMPARE_COLUMNS]; /* whether a model has the score */
    bool latex[SA_COMPARE_SHOWN];    /* columns that table.tex may have */
    sa_buffer notes;                 /* of the trainings so far, a line each */
    sa_compare_run *runs;            /* [model_count * seeds] the runs of a model are adjacent */
} sa_comparison;

extern const sa_column sa_compare_columns[], sa_compare_band_columns[]; /* keys of CSV and JSON */

/* Returns the bands that have sentences, by name. */
json_t *sa_compare_json_bands(const sa_compare_run *run);

/* Opens the best model of a run. */
sa_model *sa_compare_model_open(const sa_compare_run *run, sa_error *error);

/* ---- comparison_models ----------------------------------------------------------------------- */

/* Reads the list of models, separated by commas: decoder[:attention[:heads]][:option=value ...],
 * where a decoder is also "transformer" or "decoder" (decoder-only), and makes their runs. Settings
 * that an entry leaves out are given for its family, or come from its preset. SA_USAGE names
 * an entry that is wrong or occurs twice. */
bool sa_compare_read_models(sa_comparison *all, sa_error *error);

/* ---- comparison_runs ------------------------------------------------------------------------- */

/* Reads the records of all runs, then trains and evaluates those that are not done: all models with
 * the first seed, then with the next, so that an interrupted comparison has whole rounds. DIR must
 * exist. Returns true early when *all->stop is set. */
bool sa_compare_finish_runs(sa_comparison *all, sa_error *error);
