#include "base/rng.h"
#include "compare/compare.h"
#include "config/settings.h"
#include "data/corpus.h"
#include "model/seq2seq.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- LIST ------------------------------------------------------------------------------------ */

/* Whether an entry begins with the Transformer instead of a decoder. */
static bool is_transformer(const char *entry) {
    const char *name = sa_model_name(SA_MODEL_TRANSFORMER);
    return strncmp(entry, name, strlen(name)) == 0 && strchr(":,", entry[strlen(name)]);
}

static bool set_option(const char *name, const char *value, sa_settings *settings,
                       sa_error *error) {
    const sa_option *option = sa_option_find(sa_settings_options, name);
    if (option && sa_settings_is_common(option))
        return sa_fail(error, SA_USAGE, "--%s applies to all models: give it once, as an option",
                       name);
    return sa_settings_set(settings, name, value, error);
}

/* Applies the parts of an entry from left to right, cutting the copy at their ends. */
static bool set_parts(char *parts, sa_settings *settings, sa_error *error) {
    const char *const options[] = {is_transformer(parts) ? "model" : "decoder", "attention",
                                   "heads"};
    for (size_t i = 0; parts; i++) {
        char *colon = strchr(parts, ':'), *sign = strchr(parts, '=');
        if (colon) *colon = 0;
        if (sign && (!colon || sign < colon)) {
            *sign = 0;
            if (!set_option(parts, sign + 1, settings, error)) return false;
            i = sizeof options / sizeof *options; /* only further options may follow */
        } else if (i >= sizeof options / sizeof *options) {
            return sa_fail(error, SA_USAGE,
                           "expected decoder[:attention[:heads]][:option=value ...], with "
                           "transformer as a decoder");
        } else if (i == 1 && !sa_settings_has_attention(settings)) {
            return sa_fail(error, SA_USAGE, "this decoder has no attention to choose");
        } else if (!sa_settings_set(settings, options[i], parts, error)) {
            return false;
        }
        parts = colon ? colon + 1 : NULL;
    }
    return true;
}

static bool read_entry(sa_comparison *all, const char *entry, size_t size,
                       const sa_settings *settings, sa_error *error) {
    sa_compare_model *model = &all->models[all->model_count++];
    char *parts = NULL;
    sa_error why = {0};
    *model = (sa_compare_model){.settings = *settings};
    model->name = sa_copy(entry, size, &why);
    model->folder = model->name ? sa_copy(entry, size, &why) : NULL;
    if (model->folder) parts = sa_copy(entry, size, &why);
    bool good = parts && set_parts(parts, &model->settings, &why) &&
                sa_settings_check(&model->settings, &why);
    free(parts);
    for (const sa_compare_model *earlier = all->models; good && earlier < model; earlier++)
        if (!sa_settings_find_difference(&earlier->settings, &model->settings))
            good = sa_fail(&why, SA_USAGE, "the same model as '%s'", earlier->name);
    if (!good)
        return sa_fail(error, why.code, "--models: '%s': %s", model->name ? model->name : "",
                       why.text);
    for (char *at = model->folder; (at = strchr(at, ':'));) *at = '-';
    model->attends = sa_settings_has_attention(&model->settings);
    return true;
}

static bool make_runs(sa_comparison *all, sa_error *error) {
    const size_t seeds = (size_t)all->options->seeds;
    const double last = (double)all->models->settings.seed + (double)(seeds - 1);
    if (last > sa_option_find(sa_settings_options, "seed")->max)
        return sa_fail(error, SA_USAGE, "--seeds %zu: too many from --seed %lld on", seeds,
                       (long long)all->models->settings.seed);
    all->seeds = seeds;
    all->runs = sa_new(all->model_count * seeds, sizeof *all->runs, error);
    for (size_t i = 0; all->runs && i < all->model_count * seeds; i++) {
        sa_compare_run *run = &all->runs[i];
        run->model = &all->models[i / seeds];
        run->settings = run->model->settings;
        run->settings.seed += (int64_t)(i % seeds);
        for (int k = 0; k < SA_COMPARE_COLUMNS; k++) run->scores[k] = NAN;
        run->folder = sa_format(error, "%s/%s-s%lld", all->options->out, run->model->folder,
                                (long long)run->settings.seed);
        if (!run->folder) return false;
    }
    return all->runs != NULL;
}

bool sa_compare_models_read(sa_comparison *all, const sa_settings *transformer, sa_error *error) {
    size_t count = 1;
    const char *list = all->options->models;
    for (const char *at = list; *at; at++) count += *at == ',';
    all->models = sa_new(count, sizeof *all->models, error);
    bool good = all->models;
    for (size_t i = 0; good && i < count; i++) {
        const size_t size = strcspn(list, ",");
        good = read_entry(all, list, size,
                          is_transformer(list) ? transformer : all->options->settings, error);
        list += size + 1;
    }
    return good && make_runs(all, error);
}

void sa_compare_release(sa_comparison *all) {
    for (size_t i = 0; all->runs && i < all->model_count * all->seeds; i++)
        free(all->runs[i].folder);
    for (size_t i = 0; i < all->model_count; i++)
        free(all->models[i].name), free(all->models[i].folder);
    free(all->runs), free(all->models), free(all->order);
    sa_corpus_close(&all->data.test);
    sa_corpus_close(&all->data.snapshot_pairs);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static uint64_t join(uint64_t hash, const char *text) {
    return sa_hash_mix(hash ^ (text ? sa_hash(text, strlen(text)) : 0));
}

/* Of all texts in order, and of the gold alignments where they matter. */
static uint64_t hash_of(const sa_corpus *corpus, bool gold) {
    uint64_t hash = corpus->count;
    for (size_t i = 0; i < corpus->count; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        hash = join(join(hash, pair->source), pair->target);
        if (gold) hash = join(hash, pair->gold);
    }
    return hash;
}

/* The hash of the pairs at `path`, and how many of the test pairs occur among them. */
static bool read_pairs(const char *path, const sa_corpus *test, uint64_t *hash, size_t *shared,
                       sa_error *error) {
    sa_corpus corpus;
    *hash = *shared = 0;
    if (!path) return true;
    if (!sa_corpus_open(&corpus, path, error)) return false;
    *hash = hash_of(&corpus, false);
    const bool good = sa_corpus_overlap(test, &corpus, NULL, shared, error);
    sa_corpus_close(&corpus);
    return good;
}

bool sa_compare_data_open(sa_comparison *all, sa_error *error) {
    const sa_compare_options *options = all->options;
    sa_compare_data *data = &all->data;
    if (!sa_corpus_open(&data->test, options->test, error) ||
        !read_pairs(options->train, &data->test, &data->train_hash, &data->train_shared, error) ||
        !read_pairs(options->valid, &data->test, &data->valid_hash, &data->valid_shared, error) ||
        (options->snapshots && !sa_corpus_open(&data->snapshot_pairs, options->snapshots, error)))
        return false;
    data->test_hash = hash_of(&data->test, true);
    return true;
}
