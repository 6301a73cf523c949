#include "base/file.h"
#include "base/json.h"
#include "compare/compare.h"
#include "config/settings.h"
#include "train/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const sa_compare_column sa_compare_columns[SA_COMPARE_COLUMNS] = {
    [SA_COMPARE_PARAMETERS] = {"parameters", "parameters", 0, 1},
    [SA_COMPARE_SECONDS] = {"seconds", "seconds", 1, 1},
    [SA_COMPARE_UPDATES] = {"updates", "updates", 0, 1},
    [SA_COMPARE_LOSS] = {"loss", "loss", 4, 1},
    [SA_COMPARE_PERPLEXITY] = {"perplexity", "perplexity", 3, 1},
    [SA_COMPARE_BLEU] = {"bleu", "BLEU", 2, 1},
    [SA_COMPARE_EXACT] = {"exact", "exact %", 1, 100},
    [SA_COMPARE_AER] = {"aer", "AER", 3, 1},
    [SA_COMPARE_ENTROPY] = {"entropy", "entropy", 3, 1},
    [SA_COMPARE_ZEROS] = {"zeros", "zeros %", 1, 100},
    [SA_COMPARE_SPEED] = {"words_per_second", "words/s", 0, 1},
    [SA_COMPARE_CACHE] = {"cache_bytes_per_step", "cache B/step", 0, 1},
    [SA_COMPARE_SENTENCES] = {"sentences", NULL, 0, 1},
    [SA_COMPARE_WORDS] = {"target_words", NULL, 0, 1},
};

enum { HASH = 17 };        /* characters of a hash, the terminating zero included */
enum { RECORD_DEPTH = 3 }; /* by_length, a band, its values */

/* Limits change the result of a run, threads do not. */
static bool is_limit(const sa_option *row) {
    return row->scope == SA_SCOPE_RUN && strcmp(row->name, "threads") != 0;
}

static const char *show_hash(uint64_t hash, char text[HASH]) {
    snprintf(text, HASH, "%016llx", (unsigned long long)hash);
    return text;
}

/* ---- Writing -------------------------------------------------------------------------------- */

json_t *sa_compare_json_scores(const double *scores) {
    json_t *object = json_object();
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++) {
        const bool whole = !sa_compare_columns[k].decimals && scores[k] == trunc(scores[k]);
        json_object_set_new(object, sa_compare_columns[k].key,
                            whole ? json_integer((json_int_t)scores[k])
                                  : sa_json_number(scores[k]));
    }
    return object;
}

json_t *sa_compare_json_bands(const sa_compare_run *run) {
    json_t *bands = json_object();
    for (int i = 0; i < SA_LENGTH_BANDS; i++)
        if (run->by_length[i].sentences)
            json_object_set_new(bands, sa_length_bands[i].name,
                                json_pack("{s:I, s:o, s:o, s:o}", "sentences",
                                          (json_int_t)run->by_length[i].sentences, "bleu",
                                          sa_json_number(run->by_length[i].bleu), "low",
                                          sa_json_number(run->interval[i].low), "high",
                                          sa_json_number(run->interval[i].high)));
    return bands;
}

static json_t *json_limits(const sa_settings *settings) {
    json_t *limits = json_object();
    for (const sa_option *row = sa_settings_options; row->name; row++)
        if (is_limit(row))
            json_object_set_new(limits, row->name, json_real(sa_option_get(row, settings)));
    return limits;
}

/* NULL when memory runs out. */
static json_t *json_run(const sa_compare_run *run, const sa_compare_data *data) {
    char train[HASH], valid[HASH], test[HASH];
    char *settings = sa_settings_write(&run->settings, NULL);
    json_t *object = json_pack(
        "{s:o, s:o, s:s, s:s, s:f, s:f, s:I, s:I, s:b, s:b, s:s, s:o, s:o}", "settings",
        settings ? json_loads(settings, 0, NULL) : NULL, "limits", json_limits(&run->settings),
        "train", show_hash(data->train_hash, train), "valid", show_hash(data->valid_hash, valid),
        "seconds", run->spent.seconds, "updating", run->spent.updating, "words",
        (json_int_t)run->spent.words, "updates", (json_int_t)run->updates, "trained", run->trained,
        "diverged", run->diverged, "test", show_hash(run->test, test), "figures",
        sa_compare_json_scores(run->scores), "by_length", sa_compare_json_bands(run));
    free(settings);
    return object;
}

bool sa_compare_record_write(const sa_compare_run *run, const sa_compare_data *data,
                             sa_error *error) {
    sa_buffer text = {0};
    sa_json_add(json_run(run, data), &text);
    return sa_save_text_in(run->folder, "run.json", &text, error);
}

/* ---- Reading -------------------------------------------------------------------------------- */

#define OTHER "choose another --out, or --overwrite"

static bool fail_difference(const sa_option *row, const sa_settings *stored,
                            const sa_compare_run *run, sa_error *error) {
    sa_settings_fail_difference(row, stored, run->folder, OTHER, error);
    if (error) error->code = SA_BUSY;
    return false;
}

static bool check_settings(const sa_compare_run *run, const json_t *record, const char *path,
                           sa_error *error) {
    sa_settings stored = run->settings;
    const json_t *settings = json_object_get(record, "settings");
    if (!settings) return sa_fail(error, SA_DATA, "%s: no settings: " OTHER, path);
    char *text = json_dumps(settings, 0);
    if (!text) return sa_fail_memory(error, SA_LINE_LIMIT);
    const bool read = sa_settings_read(&stored, text, path, error);
    free(text);
    if (!read) return false;
    const sa_option *row = sa_settings_find_difference(&run->settings, &stored);
    return !row || fail_difference(row, &stored, run, error);
}

static bool check_limits(const sa_compare_run *run, const json_t *record, const char *path,
                         sa_error *error) {
    sa_settings stored = run->settings;
    const json_t *limits = json_object_get(record, "limits");
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        if (!is_limit(row)) continue;
        const json_t *value = json_object_get(limits, row->name);
        if (!json_is_number(value) || !sa_option_set_number(row, &stored, json_number_value(value)))
            return sa_fail(error, SA_DATA, "%s: limits: '%s' is missing or impossible", path,
                           row->name);
        if (sa_option_get(row, &stored) != sa_option_get(row, &run->settings))
            return fail_difference(row, &stored, run, error);
    }
    return true;
}

static bool check_pairs(const sa_compare_run *run, const json_t *record, const char *key,
                        uint64_t hash, sa_error *error) {
    char text[HASH];
    const char *stored = json_string_value(json_object_get(record, key));
    return (stored && strcmp(stored, show_hash(hash, text)) == 0) ||
           sa_fail(error, SA_BUSY, "--%s: '%s' was trained with other pairs, " OTHER, key,
                   run->folder);
}

static double number_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* False when something is missing or has the wrong type. */
static bool read_fields(sa_compare_run *run, json_t *record) {
    const char *test;
    json_t *figures, *bands;
    int trained, diverged;
    json_int_t words, updates;
    if (json_unpack(record, "{s:F, s:F, s:I, s:I, s:b, s:b, s:s, s:o, s:o}", "seconds",
                    &run->spent.seconds, "updating", &run->spent.updating, "words", &words,
                    "updates", &updates, "trained", &trained, "diverged", &diverged, "test", &test,
                    "figures", &figures, "by_length", &bands) != 0 ||
        !(run->spent.seconds >= 0) || !(run->spent.updating >= 0) || words < 0 || updates < 0)
        return false;
    run->recorded = true;
    run->trained = trained;
    run->diverged = diverged;
    run->spent.words = words;
    run->updates = updates;
    run->test = strtoull(test, NULL, 16);
    for (size_t i = 0; i < SA_COMPARE_COLUMNS; i++)
        run->scores[i] = number_of(json_object_get(figures, sa_compare_columns[i].key));
    for (size_t i = 0; i < SA_LENGTH_BANDS; i++) {
        const json_t *band = json_object_get(bands, sa_length_bands[i].name);
        run->by_length[i].sentences =
            (size_t)json_integer_value(json_object_get(band, "sentences"));
        run->by_length[i].bleu = number_of(json_object_get(band, "bleu"));
        run->interval[i].low = number_of(json_object_get(band, "low"));
        run->interval[i].high = number_of(json_object_get(band, "high"));
    }
    return true;
}

static bool read_record(sa_compare_run *run, const sa_compare_data *data, const char *path,
                        sa_error *error) {
    sa_file file;
    if (!sa_file_read(&file, path, SA_LINE_LIMIT, error)) return false;
    json_t *record = sa_json_parse(file.data, file.size, RECORD_DEPTH, path, "record", error);
    sa_file_release(&file);
    const bool good =
        record && check_settings(run, record, path, error) &&
        check_limits(run, record, path, error) &&
        check_pairs(run, record, "train", data->train_hash, error) &&
        check_pairs(run, record, "valid", data->valid_hash, error) &&
        (read_fields(run, record) || sa_fail(error, SA_DATA, "%s: not written by 'compare'", path));
    json_decref(record);
    return good;
}

bool sa_compare_record_read(sa_compare_run *run, const sa_compare_data *data, sa_error *error) {
    char *path = sa_path_join(run->folder, "run.json", error);
    if (!path) return false;
    const bool missing = sa_file_missing(path);
    bool good = missing || read_record(run, data, path, error);
    free(path);
    const char *found = NULL;
    if (missing) good = sa_training_find(run->folder, &found, error);
    if (good && found)
        return sa_fail(error, SA_BUSY,
                       "'%s' holds a training that was not made by 'compare' (no run.json): " OTHER,
                       run->folder);
    return good;
}

sa_model *sa_compare_model_open(const sa_compare_run *run, sa_error *error) {
    char *best = sa_path_join(run->folder, "best.safetensors", error);
    sa_model *model = best ? sa_model_open(best, run->settings.threads, error) : NULL;
    free(best);
    return model;
}
