/* compare: several models trained on the same batches, and one table of what came of them.
 *
 *   compare_list     the models and runs that LIST and --seeds ask for
 *   compare_record   what the disk knows of a run: DIR/<model>-s<seed>/run.json
 *   compare_run      trains a run, or goes on with it, and evaluates it
 *   compare_table    the figures of all runs and their medians, in four forms
 *   compare_files    learning curves, BLEU by length, matrices
 *   compare_page     all of it as one page */
#ifndef SA_CLI_COMPARE_H
#define SA_CLI_COMPARE_H

#include "base/memory.h"
#include "metrics/bootstrap.h"
#include "metrics/by_length.h"

#include <jansson.h>
#include <softalign.h>

/* ---- What is compared ------------------------------------------------------------------------ */

typedef struct compare_model {
    char *name;   /* as LIST has it: "luong:general:4" */
    char *folder; /* the same for file names: "luong-general-4" */
    sa_settings settings;
    bool attends;
} compare_model;

/* The pairs, by a hash of their texts: what is trained later must see the same. */
typedef struct compare_data {
    const char *train, *valid; /* PAIRS; valid may be NULL */
    uint64_t train_hash, valid_hash, test_hash;
    size_t train_shared, valid_shared; /* test pairs that stand there, too */
    sa_corpus test;
    sa_corpus snapshot_pairs; /* to be filmed; may be empty */
} compare_data;

/* The figures of a run: positions in compare_columns. */
enum {
    COMPARE_PARAMETERS,
    COMPARE_SECONDS,
    COMPARE_UPDATES,
    COMPARE_LOSS,
    COMPARE_PERPLEXITY,
    COMPARE_BLEU,
    COMPARE_EXACT,
    COMPARE_AER,
    COMPARE_ENTROPY,
    COMPARE_SPEED,
    COMPARE_SENTENCES,
    COMPARE_WORDS,
    COMPARE_FIGURES,
};

/* One training of a model and what came of it. */
typedef struct compare_run {
    const compare_model *model;
    sa_settings settings; /* the model's with this run's seed */
    char *folder;         /* DIR/<model>-s<seed> */
    sa_train_cost spent;  /* on its training */
    int64_t updates;
    bool recorded;                   /* there is a record of it */
    bool trained;                    /* nothing is left to train */
    bool diverged;                   /* and that is how it ended: there are no figures */
    uint64_t test;                   /* hash of the pairs behind the figures; 0: no figures yet */
    double figures[COMPARE_FIGURES]; /* NaN: there is none */
    sa_eval_result by_length[SA_LENGTH_BANDS];      /* only sentences and BLEU */
    sa_confidence_interval spread[SA_LENGTH_BANDS]; /* of that BLEU; NaN: unknown */
} compare_run;

typedef struct comparison {
    const char *out; /* DIR */
    compare_data data;
    compare_model *models;
    size_t model_count, seeds;
    compare_run *runs; /* [model_count * seeds] a model's runs stand together */
} comparison;

/* ---- compare_list ---------------------------------------------------------------------------- */

/* Reads LIST (decoder[:attention[:heads]][:option=value ...], or transformer in the decoder's
 * place, one after the other with commas); what an entry leaves out is as in `settings`, or in
 * `transformer`. SA_USAGE names the entry that is wrong or given twice. */
bool compare_models_read(comparison *all, const char *list, const sa_settings *settings,
                         const sa_settings *transformer, sa_error *error);
/* The runs of every model with `seeds` seeds, counted up from the settings' own. */
bool compare_runs_make(comparison *all, size_t seeds, sa_error *error);
void compare_release(comparison *all);

/* ---- compare_record -------------------------------------------------------------------------- */

/* Replaces run.json. */
bool compare_record_write(const compare_run *run, const compare_data *data, sa_error *error);
/* Takes up what run.json says, if there is one. SA_USAGE and SA_DATA: the run was made with other
 * settings or pairs, or by another command. */
bool compare_record_read(compare_run *run, const compare_data *data, sa_error *error);

/* ---- compare_run ----------------------------------------------------------------------------- */

/* Does what is left to do of a run; returns true early when *stop is raised. */
bool compare_run_finish(compare_run *run, const compare_data *data,
                        const volatile sig_atomic_t *stop, sa_error *error);
/* Whether nothing is left to do. */
bool compare_run_done(const compare_run *run, const compare_data *data);

/* ---- compare_table --------------------------------------------------------------------------- */

typedef struct compare_column {
    const char *key;   /* in CSV and JSON */
    const char *title; /* for people; NULL: only in JSON */
    int decimals;      /* for people */
    double scale;      /* likewise */
} compare_column;
extern const compare_column compare_columns[COMPARE_FIGURES];

/* The figures by their keys; the bands that have sentences by their names. */
json_t *compare_json_figures(const double *figures);
json_t *compare_json_bands(const compare_run *run);

/* A table for people on standard output, or one JSON object. */
bool compare_print(const comparison *all, bool json, sa_error *error);
/* DIR/table.csv with every run and the medians, DIR/table.md with the medians. */
bool compare_save_tables(const comparison *all, sa_error *error);

/* ---- compare_files --------------------------------------------------------------------------- */

/* Writes the text to folder/name and releases it. */
bool compare_save(const char *folder, const char *name, sa_buffer *text, sa_error *error);

/* DIR/curves.csv from the log.csv of every run. */
bool compare_save_curves(const comparison *all, sa_error *error);
/* DIR/bylength.csv */
bool compare_save_by_length(const comparison *all, sa_error *error);
/* DIR/matrices/<model>/0001.csv ... of the first `count` test pairs, by every model that attends,
 * with its first seed. */
bool compare_save_matrices(const comparison *all, size_t count, sa_error *error);
/* The best model of a run. */
sa_model *compare_open(const compare_run *run, sa_error *error);

/* ---- compare_page ---------------------------------------------------------------------------- */

/* Writes the HTML report; the other files are there already. */
bool compare_save_page(const comparison *all, const char *path, sa_error *error);

#endif
