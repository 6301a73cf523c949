/* api_compare: sa_compare of softalign.h. */
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "compare/compare.h"
#include "config/preset.h"
#include "config/settings.h"

#include <stdlib.h>
#include <string.h>

static bool check_options(const sa_compare_options *options, sa_error *error) {
    if (!sa_given(options, "options", error) || !sa_given(options->train, "train", error) ||
        !sa_given(options->test, "test", error) || !sa_given(options->models, "models", error) ||
        !sa_given(options->out, "out", error) || !sa_given(options->settings, "settings", error) ||
        !sa_within(options->seeds, 1, INT32_MAX, "seeds", error) ||
        !sa_within(options->matrices, 0, INT32_MAX, "matrices", error) ||
        !sa_page_text_check(&(sa_page_text){options->title, options->notes, options->open_at},
                            options->html, error))
        return false;
    const bool again =
        strcmp(options->train, "-") == 0 || (options->valid && strcmp(options->valid, "-") == 0);
    return !again || sa_fail(error, SA_USAGE,
                             "compare: every run reads the pairs again, which standard input "
                             "cannot give: write them to a file");
}

/* The preset of Transformers, trained as long as the other models. */
static bool preset_transformer(const sa_settings *settings, sa_settings *transformer,
                               sa_error *error) {
    if (!sa_settings_preset(transformer, sa_preset_default(SA_MODEL_TRANSFORMER), error))
        return false;
    transformer->seed = settings->seed;
    transformer->threads = settings->threads;
    transformer->epochs = settings->epochs;
    transformer->steps = settings->steps;
    transformer->max_time = settings->max_time;
    transformer->patience = settings->patience;
    return true;
}

static bool write_results(sa_comparison *all, sa_compare_result *result, sa_error *error) {
    const sa_compare_options *options = all->options;
    const sa_page_text text = {options->title, options->notes, options->open_at};
    sa_buffer table = {0}, json = {0};
    if (!sa_compare_find_medians(all, error) ||
        !sa_compare_save_files(all, (size_t)options->matrices, error) ||
        (options->html && !sa_compare_save_page(all, &text, options->html, error)))
        return false;
    sa_compare_add_table(all, false, &table);
    sa_compare_add_table(all, true, &json);
    result->table = table.text, result->json = json.text;
    return (!table.failed && !json.failed) || sa_fail_memory(error, 0);
}

static bool compare(sa_comparison *all, sa_compare_result *result, sa_error *error) {
    static const volatile sig_atomic_t never;
    const volatile sig_atomic_t *stop = all->options->stop ? all->options->stop : &never;
    if (!sa_compare_finish_runs(all, stop, error)) return false;
    result->stopped = *stop;
    if (result->stopped || !sa_exchange_leads(all->processes)) return true;
    if (!write_results(all, result, error)) {
        sa_compare_result_release(result);
        return false;
    }
    for (size_t i = 0; i < all->model_count * all->seeds; i++)
        if (all->runs[i].diverged)
            return sa_fail(error, SA_DIVERGED,
                           "'%s' diverged: it has no scores (a smaller --lr or --clip helps)",
                           all->runs[i].folder);
    return true;
}

bool sa_compare(const sa_compare_options *options, sa_compare_result *result, sa_error *error) {
    if (!check_options(options, error) || !sa_given(result, "result", error)) return false;
    *result = (sa_compare_result){0};
    sa_json_watch();
    sa_comparison all = {.options = options};
    sa_directory_lock lock = SA_UNLOCKED;
    sa_settings preset;
    const sa_settings *transformer = options->transformer ? options->transformer : &preset;
    sa_settings_init(&preset);
    bool good = (options->transformer || preset_transformer(options->settings, &preset, error)) &&
                sa_compare_models_read(&all, transformer, error) &&
                sa_compare_data_open(&all, error) &&
                (!sa_exchange_leads(sa_compare_processes) ||
                 sa_directory_lock_open(&lock, options->out, error));
    good = sa_exchange_agree(sa_compare_processes, good, error);
    if (good) {
        good = compare(&all, result, error);
        sa_compare_end(&all);
    }
    sa_directory_lock_close(&lock);
    sa_compare_release(&all);
    return good || !sa_json_short() ? good : sa_fail_memory(error, 0);
}

void sa_compare_result_release(sa_compare_result *result) {
    if (!result) return;
    free(result->table);
    free(result->json);
    *result = (sa_compare_result){0};
}
