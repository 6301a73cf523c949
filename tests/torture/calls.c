/* calls: the public functions as a user calls them. One that fails for lack of memory is called
 * again with the same objects, which must be unchanged. */
#include "torture/torture.h"

#include <softalign/lab.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MODEL "m/best.safetensors"
#define OTHER "m/last.safetensors"

/* ---- What a task says ------------------------------------------------------------------------ */

static char said[1 << 16];
static size_t saying;

static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(said + saying, sizeof said - saying, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size < sizeof said - saying) saying += (size_t)size;
}

static void say_numbers(const char *name, const double *x, size_t count) {
    say("%s", name);
    for (size_t i = 0; i < count; i++) say(" %.9g", x[i]);
    say("\n");
}

/* Prints the result of a call. The C library's own output is not faulted. */
static int ended(bool good, const sa_error *error) {
    if (good)
        fputs(said, stdout);
    else if (error->code && *error->text)
        fprintf(stderr, "softalign: %s\n", error->text);
    return good ? 0 : (int)error->code;
}

/* Calls, and calls again after a failure, without the first message. */
#define TWICE(call) (forget(), (call) || (forget_again(), (call)))

static size_t remembered;
static void forget(void) {
    remembered = saying;
}
static void forget_again(void) {
    said[saying = remembered] = 0;
}

/* ---- What most tasks begin with -------------------------------------------------------------- */

typedef struct work {
    sa_model *model;
    sa_corpus pairs;
    sa_search search;
    sa_error error;
} work;

static bool open_model(work *it) {
    it->model = sa_model_open(MODEL, 1, &it->error);
    return it->model;
}

/* A model and pairs; close_work releases what has been opened. */
static bool open_work(work *it) {
    *it = (work){.model = NULL};
    sa_search_init(&it->search);
    it->search.max_ratio = 1;
    return TWICE(sa_corpus_open(&it->pairs, "u.tsv", &it->error)) && TWICE(open_model(it));
}

static int close_work(work *it, bool good) {
    sa_model_close(it->model);
    sa_corpus_close(&it->pairs);
    return ended(good, &it->error);
}

static sa_settings tiny_settings(void) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = settings.hidden = settings.attn = settings.maxout = 2;
    settings.shards = settings.threads = 1;
    settings.batch = 4;
    settings.max_time = 0;
    return settings;
}

/* ---- Settings and pairs ---------------------------------------------------------------------- */

static int set_settings(void) {
    sa_error error = {0};
    sa_settings settings;
    sa_search search;
    sa_metrics metrics;
    sa_link_options linking;
    sa_settings_init(&settings);
    sa_search_init(&search);
    sa_metrics_init(&metrics);
    sa_link_options_init(&linking);
    const bool good = TWICE(sa_settings_preset(&settings, "bahdanau2015", &error)) &&
                      TWICE(sa_settings_set(&settings, "hidden", "7", &error)) &&
                      TWICE(sa_settings_set(&settings, "lr", "0.25", &error)) &&
                      TWICE(sa_search_set(&search, "beam", "5", &error)) &&
                      TWICE(sa_metrics_set(&metrics, "smooth", "add-k", &error)) &&
                      TWICE(sa_link_options_set(&linking, "links", "threshold", &error));
    if (good && (sa_settings_set(&settings, "hidden", "many", &error) || error.code != SA_USAGE))
        return SA_CHECK;
    say("%d %d %g %d %d %d %s %d\n", settings.hidden, settings.embed, settings.lr, search.beam,
        metrics.smooth, linking.links, sa_version(), sa_settings_has_attention(&settings));
    return ended(good, &error);
}

static int read_pairs(void) {
    sa_error error = {0};
    sa_corpus pairs = {0}, columns = {0};
    const bool good = TWICE(sa_corpus_open(&pairs, "p.tsv.gz", &error)) &&
                      TWICE(sa_corpus_open(&columns, "src.txt,three.txt", &error)) &&
                      TWICE(sa_corpus_read_alignments(&columns, "three.links", &error));
    for (size_t i = 0; good && i < columns.count; i++)
        say("%s|%s|%s\n", columns.pairs[i].source, columns.pairs[i].target, columns.pairs[i].gold);
    say("%zu\n", pairs.count);
    sa_corpus_close(&pairs);
    sa_corpus_close(&columns);
    return ended(good, &error);
}

/* ---- Training -------------------------------------------------------------------------------- */

static void hear(void *context, const sa_progress *progress) {
    (void)context;
    if (progress->kind == SA_PROGRESS_VALIDATION) say("%.9g\n", progress->valid_loss);
}

/* Trains and resumes. A failed training is not started again: it may have saved a model. */
static int train(void) {
    sa_error error = {0};
    sa_settings settings = tiny_settings();
    sa_corpus snapshot_pairs = {0};
    sa_train_result outcome = {0};
    sa_train_options training = {
        .settings = &settings, .train = "p.tsv", .valid = "u.tsv", .out = "o", .report = hear};
    settings.steps = 1, settings.average = 1;
    bool good = TWICE(sa_corpus_open(&snapshot_pairs, "u.tsv", &error));
    training.snapshot_pairs = snapshot_pairs.pairs, training.snapshot_count = snapshot_pairs.count;
    good = good && sa_train(&training, &outcome, &error);
    settings.steps = 2, training.resume = true;
    good = good && sa_train(&training, &outcome, &error);
    say("%lld %.9g\n", (long long)outcome.steps, outcome.best_loss);
    sa_corpus_close(&snapshot_pairs);
    return ended(good, &error);
}

/* ---- Models ---------------------------------------------------------------------------------- */

static int look_at_model(void) {
    work it;
    const bool good = open_work(&it) && sa_model_set_max_len(it.model, 2 * SA_MAX_LEN, NULL);
    if (good)
        say("%zu %zu %d\n", sa_model_parameters(it.model), sa_model_denormals(it.model),
            sa_model_settings(it.model)->hidden);
    return close_work(&it, good);
}

static int average_models(void) {
    sa_error error = {0};
    const char *const models[] = {MODEL, OTHER};
    return ended(TWICE(sa_average_models(models, 2, "mean", &error)), &error);
}

/* ---- Translating ----------------------------------------------------------------------------- */

static const char *const sentences[] = {"the wise princess", "", "the purple soldier"};

static void say_translations(sa_translation *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const sa_translation *it = &all[i];
        say("%s %.9g %.9g\n", it->text ? it->text : "-", it->log_probability, it->score);
        if (it->weights) say_numbers("looked", it->weights, (size_t)(it->words * it->sources));
    }
    sa_translations_release(all, count);
}

static int translate(void) {
    work it;
    sa_translation out[6];
    bool good = open_work(&it);
    it.search.beam = 2, it.search.nbest = 2, it.search.coverage = 0.1;
    it.search.weights = it.search.replace_unknown = true;
    it.search.dictionary = &it.pairs;
    good = good && TWICE(sa_translate(it.model, sentences, 3, &it.search, out, &it.error));
    if (good) say_translations(out, 6);
    it.search.nbest = it.search.beam = 1, it.search.sample = true, it.search.top_p = 0.9;
    good = good && TWICE(sa_translate(it.model, sentences, 3, &it.search, out, &it.error));
    if (good) say_translations(out, 3);
    return close_work(&it, good);
}

static bool open_other(sa_model **model, sa_error *error) {
    return (*model = sa_model_open(OTHER, 1, error));
}

static int translate_together(void) {
    work it;
    sa_translation out[3];
    sa_model *models[2] = {NULL};
    bool good = open_work(&it) && TWICE(open_other(&models[1], &it.error));
    models[0] = it.model;
    good =
        good && TWICE(sa_translate_ensemble(models, 2, sentences, 3, &it.search, out, &it.error));
    if (good) say_translations(out, 3);
    sa_model_close(models[1]);
    return close_work(&it, good);
}

/* ---- Aligning -------------------------------------------------------------------------------- */

static bool take_alignment(void *context, size_t index, const sa_alignment *subwords,
                           sa_error *error) {
    sa_alignment words;
    (void)context;
    if (!sa_alignment_merge(subwords, &words, error)) return false;
    say("%zu %.9g\n", index, words.log_probability);
    say_numbers("log_p", words.token_log_probabilities, (size_t)words.targets);
    say_numbers("alpha", words.weights, (size_t)(words.targets * words.sources));
    sa_alignment_release(&words);
    return true;
}

static int align(void) {
    work it;
    sa_align_options view = {.layer = 1};
    bool good = open_work(&it) &&
                TWICE(sa_attention_override_parse(&view.override, "shift:1", &it.error)) &&
                TWICE(sa_align(it.model, &view, it.pairs.pairs, it.pairs.count, take_alignment,
                               NULL, &it.error));
    return close_work(&it, good);
}

static bool add_to_page(void *context, size_t index, const sa_alignment *alignment,
                        sa_error *error) {
    sa_alignment copy;
    if (!TWICE(sa_alignment_copy(alignment, &copy, error))) return false;
    (void)index;
    const bool good = sa_page_add_alignment(context, &copy, SA_SITE_CROSS, "0-0", error);
    sa_alignment_release(&copy);
    return good;
}

static int show(void) {
    work it;
    bool good = open_work(&it);
    sa_page *page =
        good ? sa_page_open("title", "model", sa_model_settings(it.model), &it.error) : NULL;
    good = page && sa_align(it.model, NULL, it.pairs.pairs, 2, add_to_page, page, &it.error) &&
           sa_page_add_training(page, "m", &it.error);
    const char *html = good ? sa_page_html(page, &it.error) : NULL;
    if (html) say("%zu\n", strlen(html));
    sa_page_close(page);
    return close_work(&it, html);
}

/* ---- Judging --------------------------------------------------------------------------------- */

static int score(void) {
    static const char *const ours[] = {"la sage princesse", "le brave soldat"};
    static const char *const theirs[] = {"la brave princesse", "le brave soldat"};
    static const char *const *const references[] = {theirs, ours};
    sa_error error = {0};
    sa_metrics metrics;
    sa_metric_values figures = {0};
    sa_metrics_init(&metrics);
    const bool good = TWICE(sa_compute_metrics(&metrics, ours, references, 1, 2, &figures, &error));
    say("%.9g %.9g %.9g %.9g\n", figures.bleu, figures.chrf, figures.exact, figures.tokens);
    return ended(good, &error);
}

static void say_scores(const sa_eval_result *scores) {
    say("%zu %.9g %.9g %.9g %.9g %.9g\n", scores->sentences, scores->loss, scores->bleu,
        scores->chrf, scores->aer, scores->entropy);
}

static void say_findings(sa_diagnosis *diagnosis) {
    for (size_t i = 0; i < diagnosis->count; i++)
        say("%s %.9g\n", diagnosis->findings[i].name, diagnosis->findings[i].figure);
    sa_diagnosis_release(diagnosis);
}

static int evaluate(void) {
    work it;
    sa_sentence_result each[2];
    sa_eval_result scores, by;
    sa_link_options linking;
    sa_metrics metrics;
    sa_diagnosis diagnosis;
    sa_link_options_init(&linking);
    sa_metrics_init(&metrics);
    linking.links = 1, metrics.lowercase = true;
    bool good = open_work(&it);
    if (good && it.pairs.count != 2) return SA_CHECK;
    const bool judged =
        good && TWICE(sa_evaluate(it.model, &it.pairs, &it.search, &linking, each, &it.error));
    good = judged && TWICE(sa_eval_summarize(NULL, &it.pairs, each, NULL, 2, &scores, &it.error)) &&
           TWICE(sa_eval_summarize(&metrics, &it.pairs, each, (size_t[]){1}, 1, &by, &it.error)) &&
           TWICE(sa_diagnose(it.model, &it.pairs, each, &it.pairs, &diagnosis, &it.error));
    if (good) say_scores(&scores), say_scores(&by), say_findings(&diagnosis);
    if (judged) sa_sentence_results_release(each, 2);
    return close_work(&it, good);
}

/* ---- The laboratory -------------------------------------------------------------------------- */

static void take_line(void *context, const sa_explain_pair *pair, const sa_explain_value *line) {
    (void)context;
    (void)pair;
    if (line) say_numbers(line->name, line->numbers, (size_t)(line->rows * line->cols));
}

static int explain(void) {
    work it;
    const sa_explain_options job = {.source = "wise sage", .step = 1, .each = take_line};
    bool good = open_work(&it) && TWICE(sa_explain(it.model, &job, &it.error));
    return close_work(&it, good);
}

static int attend(void) {
    static const double x[] = {1, 0, 0, 2, 1, 1};
    const sa_table table = {"x", 3, 2, x};
    sa_error error = {0};
    sa_attend_result out;
    sa_attend_options job = {
        .heads = 2, .causal = true, .query = table, .keys = table, .values = table};
    for (const char *name; (name = sa_attention_info((size_t)job.attention, NULL, NULL));
         job.attention++)
        if (strcmp(name, "scaled-dot") == 0) break;
    const bool good = TWICE(sa_attend(&job, &out, &error));
    if (good) {
        say_numbers("alpha", out.weights, 2 * 3 * 3);
        say_numbers("output", out.outputs, 3 * 2);
        sa_attend_result_release(&out);
    }
    return ended(good, &error);
}

static void take_gradient(void *context, const sa_gradient_result *gradient) {
    (void)context;
    say("%s %d %d\n", gradient->name, gradient->rows, gradient->ok);
}

static int check_gradients(void) {
    sa_error error = {0};
    const sa_settings settings = tiny_settings();
    const sa_gradcheck_options job = {.settings = &settings, .dump = "dump", .each = take_gradient};
    return ended(TWICE(sa_check_gradients(&job, &error)), &error);
}

static void take_check(void *context, const sa_proof_check *check) {
    (void)context;
    say("%s %d\n", check->name, check->ok);
}

static int prove(void) {
    work it;
    const sa_prove_options job = {.corpus = &it.pairs, .limit = 1, .seed = 1, .each = take_check};
    bool good = open_work(&it) && TWICE(sa_prove(it.model, &job, &it.error));
    return close_work(&it, good);
}

const task task_calls[] = {
    {"sa_settings_set", NULL, set_settings},
    {"sa_corpus_open", NULL, read_pairs},
    {"sa_train", NULL, train},
    {"sa_model_open", NULL, look_at_model},
    {"sa_average_models", NULL, average_models},
    {"sa_translate", NULL, translate},
    {"sa_translate_ensemble", NULL, translate_together},
    {"sa_align", NULL, align},
    {"sa_page_open", NULL, show},
    {"sa_compute_metrics", NULL, score},
    {"sa_evaluate", NULL, evaluate},
    {"sa_explain", NULL, explain},
    {"sa_attend", NULL, attend},
    {"sa_check_gradients", NULL, check_gradients},
    {"sa_prove", NULL, prove},
    {0},
};
