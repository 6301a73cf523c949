/* A program that translates, evaluates and trains on, and says what it found and how large the
 * structs are that it allocated.  usage: growth PAIRS MODEL FOLDER */
#include <softalign/lab.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 2, BEST = 2 };

/* The results lie between bytes that no call may change. */
typedef struct guarded {
    char before[64];
    sa_translation translations[PAIRS * BEST];
    char between[64];
    sa_sentence_result results[PAIRS];
    sa_train_result trained;
    char after[64];
} guarded;

static int fail(const sa_error *error) {
    fprintf(stderr, "%s\n", error->text);
    return error->code;
}

int main(int argc, char **argv) {
    if (argc != 4) return SA_USAGE;
    static guarded all;
    static const char untouched[64] = "untouched";
    memcpy(all.before, untouched, 64), memcpy(all.between, untouched, 64);
    memcpy(all.after, untouched, 64);
    sa_error error = {0};
    sa_corpus corpus;
    sa_search search;
    sa_settings settings;
    sa_eval_result summary;
    sa_search_init(&search), sa_settings_init(&settings);
    search.beam = search.nbest = BEST;
    if (!sa_corpus_open(&corpus, argv[1], &error)) return fail(&error);
    const char *const sources[PAIRS] = {corpus.pairs[0].source, corpus.pairs[1].source};
    sa_corpus some = corpus;
    some.count = PAIRS;
    sa_model *model = sa_model_open(argv[2], 1, &error);
    if (!model || !sa_translate(model, sources, PAIRS, &search, all.translations, &error) ||
        !sa_evaluate(model, &some, &search, NULL, all.results, &error) ||
        !sa_eval_summarize(NULL, &some, all.results, NULL, PAIRS, &summary, &error))
        return fail(&error);
    sa_settings_take_shape(&settings, sa_model_settings(model));
    settings.steps = 2, settings.threads = 1;
    const sa_train_options training = {.settings = &settings, .train = argv[1], .out = argv[3]};
    if (!sa_train(&training, &all.trained, &error)) return fail(&error);
    for (int i = 0; i < PAIRS * BEST; i++)
        printf("%s (%.6g)\n", all.translations[i].text, all.translations[i].log_probability);
    for (int i = 0; i < PAIRS; i++) printf("%.6g\n", all.results[i].log_probability);
    printf("%.6g %.6g, %d updates: %s\n", summary.loss, summary.chrf, (int)all.trained.steps,
           all.trained.reason);
    printf("%zu %zu %zu %zu %zu\n", sizeof search, sizeof settings, sizeof *all.translations,
           sizeof *all.results, sizeof all.trained);
    const bool same = !memcmp(all.before, untouched, 64) && !memcmp(all.between, untouched, 64) &&
                      !memcmp(all.after, untouched, 64);
    sa_translations_release(all.translations, PAIRS * BEST);
    sa_sentence_results_release(all.results, PAIRS);
    sa_corpus_close(&corpus);
    sa_model_close(model);
    return same ? SA_OK : SA_CHECK;
}
