/* The header as C++ reads it: every option by its name, a training whose reports are switched by
 * their kind, and the model that it wrote.  usage: consumer PAIRS FOLDER */
#include <softalign/lab.h>

#include <cstdio>
#include <initializer_list>

static int validations;

static void hear(void *, const sa_progress *progress) {
    switch (progress->kind) {
    case SA_PROGRESS_VALIDATION:
        validations++;
        break;
    case SA_PROGRESS_STEP:
    case SA_PROGRESS_NOTE:
    case SA_PROGRESS_VALIDATING:
        break;
    }
}

static int fail(const sa_error &error) {
    std::fprintf(stderr, "%s\n", error.text);
    return error.code;
}

int main(int argc, char **argv) {
    if (argc != 3) return SA_USAGE;
    sa_error error;
    sa_settings settings;
    sa_search search;
    sa_metrics metrics;
    sa_settings_init(&settings);
    sa_search_init(&search);
    sa_metrics_init(&metrics);
    for (const char *name : {"embed", "hidden", "attn", "maxout", "steps", "shards"})
        if (!sa_settings_set(&settings, name, "4", &error)) return fail(error);
    if (!sa_search_set(&search, "beam", "2", &error) ||
        !sa_metrics_set(&metrics, "smooth", "floor", &error))
        return fail(error);
    sa_train_options training = {};
    training.settings = &settings;
    training.train = argv[1];
    training.out = argv[2];
    training.report = hear;
    sa_train_result result;
    if (!sa_train(&training, &result, &error)) return fail(error);
    std::printf("%d updates, %d validation%s, beam %d\n", static_cast<int>(result.steps),
                validations, validations == 1 ? "" : "s", search.beam);
    return result.steps == 4 && validations > 0 && search.beam == 2 &&
                   metrics.smooth == SA_SMOOTHING_FLOOR
               ? SA_OK
               : SA_CHECK;
}
