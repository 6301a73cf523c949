/* comparison_models: the list of `compare --models`, and a run for each model and seed. */
#include "config/settings.h"
#include "train/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the family that an entry names in place of a recurrent decoder, or SA_MODEL_RECURRENT. */
static size_t family_of(const char *entry) {
    const char *name;
    for (size_t family = SA_MODEL_RECURRENT + 1; (name = sa_model_kinds[family].name); family++)
        if (strncmp(entry, name, strlen(name)) == 0 && strchr(":,", entry[strlen(name)]))
            return family;
    return SA_MODEL_RECURRENT;
}

/* Applies the words of an entry from left to right, and cuts the copy at the colons. */
static bool set_words(char *words, sa_settings *settings, sa_error *error) {
    const char *const options[] = {family_of(words) ? "model" : "decoder", "attention", "heads"};
    for (size_t i = 0; words; i++) {
        char *colon = strchr(words, ':'), *sign = strchr(words, '=');
        if (colon) *colon = 0;
        if (sign && (!colon || sign < colon)) {
            *sign = 0;
            const sa_option *option = sa_option_find(sa_settings_options, words);
            if (option && sa_settings_is_common(option))
                return sa_fail(error, SA_USAGE,
                               "--%s applies to all models: give it once, as an option", words);
            if (!sa_settings_set(settings, words, sign + 1, error)) return false;
            i = sizeof options / sizeof *options; /* only further options may follow */
        } else if (i >= sizeof options / sizeof *options) {
            return sa_fail(error, SA_USAGE,
                           "expected decoder[:attention[:heads]][:option=value ...], with "
                           "transformer or decoder as a decoder");
        } else if (i == 1 && !sa_settings_has_attention(settings)) {
            return sa_fail(error, SA_USAGE, "this decoder has no attention to choose");
        } else if (!sa_settings_set(settings, options[i], words, error)) {
            return false;
        }
        words = colon ? colon + 1 : NULL;
    }
    return true;
}

/* Sets what an entry starts from. */
static bool begin_settings(const sa_compare_options *options, const char *entry, sa_settings *own,
                           sa_error *error) {
    const size_t family = family_of(entry);
    const sa_settings *all = options->settings;
    const sa_settings *given = family == SA_MODEL_TRANSFORMER    ? options->transformer
                               : family == SA_MODEL_DECODER_ONLY ? options->decoder_only
                                                                 : NULL;
    *own = given ? *given : *all;
    if (given || family == SA_MODEL_RECURRENT) return true;
    sa_settings_init(own);
    if (!sa_settings_preset(own, sa_preset_default((int)family), error)) return false;
    own->seed = all->seed, own->patience = all->patience;
    for (const sa_option *option = sa_settings_options; option->name; option++)
        if (option->scope == SA_SCOPE_RUN) /* trained as long as the others */
            sa_option_set_number(option, own, sa_option_get(option, all));
    return true;
}

static bool read_entry(sa_comparison *all, const char *entry, size_t size, sa_error *error) {
    sa_compare_model *model = &all->models[all->model_count++];
    sa_error why = {0};
    model->name = sa_copy(entry, size, &why);
    char *words = model->name ? sa_copy(entry, size, &why) : NULL;
    bool good = words && begin_settings(all->options, entry, &model->settings, &why) &&
                set_words(words, &model->settings, &why) &&
                sa_settings_check(&model->settings, &why);
    free(words);
    for (const sa_compare_model *earlier = all->models; good && earlier < model; earlier++)
        if (!sa_settings_find_difference(&earlier->settings, &model->settings))
            good = sa_fail(&why, SA_USAGE, "the same model as '%s'", earlier->name);
    if (!good)
        return sa_fail(error, why.code, "--models: '%s': %s", model->name ? model->name : "",
                       why.text);
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
        for (int k = 0; k < SA_COMPARE_SAMPLES; k++) run->samples[k] = NAN;
        run->folder = sa_format(error, "%s/%s-s%lld", all->options->out, run->model->name,
                                (long long)run->settings.seed);
        if (!run->folder) return false;
        for (char *at = run->folder + strlen(all->options->out); (at = strchr(at, ':'));) *at = '-';
    }
    return all->runs != NULL;
}

bool sa_compare_read_models(sa_comparison *all, sa_error *error) {
    size_t count = 1;
    const char *list = all->options->models;
    for (const char *at = list; *at; at++) count += *at == ',';
    all->models = sa_new(count, sizeof *all->models, error);
    bool good = all->models;
    for (size_t i = 0; good && i < count; i++) {
        const size_t size = strcspn(list, ",");
        good = read_entry(all, list, size, error);
        list += size + 1;
    }
    return good && make_runs(all, error);
}
