/* The public functions from end to end: train on a toy corpus, open the model, translate, align,
 * evaluate. A translation's log-probability is compared with teacher forcing, batches with single
 * sentences, a stopped training with one that was not. */
#include "base/container.h"
#include "base/memory.h"
#include "config/settings.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "synth/synth.h"

#include <math.h>
#include <softalign/lab.h>

enum { PAIRS = 300, UNSEEN = 40 };

static sa_error error;
static char train_path[128], unseen_path[128], out_path[128], model_path[160];
static sa_corpus unseen;
static const char *sources[UNSEEN];
static sa_model *model;

/* ---- A model to work with ---------------------------------------------------------------------
 */

static void write_task(const char *path, const char *task, size_t pairs, sa_split split) {
    sa_buffer text = {0};
    ck_assert(sa_synth_write(&(sa_toy){task, NULL, pairs, 3, split, 0, 0}, NULL, &text, &error));
    scratch_write(path, text.text, text.size);
    sa_buffer_release(&text);
}

static sa_settings small_settings(void) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = settings.attn = settings.maxout = 16;
    settings.hidden = 24;
    settings.shards = 2;
    settings.dropout = 0.1;
    settings.epochs = 0;
    settings.max_time = 0;
    settings.steps = 60;
    return settings;
}

static sa_train_result train(const sa_settings *settings, const char *out, bool resume) {
    sa_train_result outcome;
    const sa_train_options training = {.settings = settings,
                                       .train = train_path,
                                       .out = out,
                                       .resume = resume,
                                       .overwrite = !resume};
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    return outcome;
}

/* Once, for all tests. */
static void train_once(void) {
    scratch_make();
    strcpy(train_path, scratch_path("train.tsv"));
    strcpy(unseen_path, scratch_path("unseen.tsv"));
    strcpy(out_path, scratch_path("out"));
    snprintf(model_path, sizeof model_path, "%s/best.safetensors", out_path);
    write_task(train_path, "mono", PAIRS, SA_TRAIN);
    write_task(unseen_path, "mono", UNSEEN, SA_TEST);
    const sa_settings settings = small_settings();
    ck_assert_int_eq(train(&settings, out_path, false).steps, 60);
}

static void set_up(void) {
    model = sa_model_open(model_path, 2, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    ck_assert(sa_corpus_open(&unseen, unseen_path, &error));
    for (size_t i = 0; i < UNSEEN; i++) sources[i] = unseen.pairs[i].source;
}

static void tear_down(void) {
    sa_corpus_close(&unseen);
    sa_model_close(model);
}

/* ---- Translation ------------------------------------------------------------------------------
 */

static sa_translation *translate(int beam, int nbest, int batch) {
    static sa_translation out[UNSEEN * 8];
    sa_search search;
    sa_search_init(&search);
    search.beam = beam;
    search.nbest = nbest;
    search.batch = batch;
    ck_assert_msg(sa_translate(model, sources, UNSEEN, &search, out, &error), "%s", error.text);
    return out;
}

/* Texts may differ only where two translations are as probable as each other. */
static void check_same(const sa_translation *one, const sa_translation *other) {
    ck_assert_double_eq_tol(one->score, other->score, 1e-5 * (1 + fabs(one->score)));
    if (strcmp(one->text, other->text) != 0)
        ck_assert_double_eq_tol(one->log_probability, other->log_probability, 1e-4);
}

START_TEST(a_sentence_is_translated_the_same_in_any_batch) {
    for (int beam = 1; beam <= 4; beam += 3) {
        sa_translation alone[UNSEEN];
        memcpy(alone, translate(beam, 1, 1), sizeof alone);
        for (int batch = 7; batch <= 64; batch += 57) {
            sa_translation *together = translate(beam, 1, batch);
            for (size_t i = 0; i < UNSEEN; i++) check_same(&alone[i], &together[i]);
            sa_translations_release(together, UNSEEN);
        }
        sa_translations_release(alone, UNSEEN);
    }
}
END_TEST

START_TEST(n_best_lists_are_sorted_and_begin_with_the_best) {
    sa_translation single[UNSEEN];
    memcpy(single, translate(5, 1, 16), sizeof single);
    sa_translation *lists = translate(5, 4, 16);
    for (size_t i = 0; i < UNSEEN; i++) {
        check_same(&single[i], &lists[4 * i]);
        for (size_t k = 1; k < 4 && lists[4 * i + k].text; k++) {
            ck_assert_double_le(lists[4 * i + k].score, lists[4 * i + k - 1].score);
            ck_assert_str_ne(lists[4 * i + k].text, lists[4 * i + k - 1].text);
        }
    }
    sa_translations_release(lists, 4 * UNSEEN);
    sa_translations_release(single, UNSEEN);
}
END_TEST

START_TEST(a_wrong_search_and_an_empty_sentence) {
    const char *texts[] = {"", "  ", "the cat"};
    sa_translation out[3];
    sa_search search;
    sa_search_init(&search);
    search.nbest = 2;
    ck_assert(!sa_translate(model, texts, 3, &search, out, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    search.nbest = 1;
    ck_assert(sa_translate(model, texts, 3, &search, out, &error));
    ck_assert_str_eq(out[0].text, "");
    ck_assert_str_eq(out[1].text, "");
    sa_translations_release(out, 3);
}
END_TEST

/* ---- Search against forced decoding ------------------------------------------------------------
 */

static bool compare_log_probability(void *context, size_t i, const sa_alignment *alignment,
                                    sa_error *failure) {
    const sa_translation *found = context;
    (void)failure;
    if (alignment->targets == found[i].words) /* else the words do not split as they were joined */
        ck_assert_double_eq_tol(alignment->log_probability, found[i].log_probability,
                                1e-4 * (1 + fabs(found[i].log_probability)));
    double log_p = 0;
    for (int t = 0; t < alignment->targets; t++) {
        double sum = 0;
        log_p += alignment->token_log_probabilities[t];
        for (int s = 0; s < alignment->sources; s++)
            sum += alignment->weights[t * alignment->sources + s];
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    ck_assert_double_eq_tol(log_p, alignment->log_probability, 1e-9);
    ck_assert_str_eq(alignment->source[alignment->sources - 1], "</s>");
    ck_assert_str_eq(alignment->target[alignment->targets - 1], "</s>");
    return true;
}

START_TEST(what_search_found_is_as_probable_as_forced_decoding_says) {
    sa_translation *found = translate(4, 1, 16);
    sa_pair pairs[UNSEEN];
    int complete = 0;
    for (size_t i = 0; i < UNSEEN; i++) {
        pairs[i] = (sa_pair){.source = sources[i], .target = found[i].text};
        complete += found[i].complete;
        ck_assert_double_eq_tol(found[i].score, found[i].log_probability / found[i].words, 1e-9);
    }
    ck_assert_int_gt(complete, UNSEEN / 2);
    for (size_t i = 0; i < UNSEEN; i++)
        if (found[i].complete && *found[i].text)
            ck_assert_msg(
                sa_align(model, NULL, &pairs[i], 1, compare_log_probability, &found[i], &error),
                "%s", error.text);
    sa_translations_release(found, UNSEEN);
}
END_TEST

static bool stop_at_three(void *context, size_t i, const sa_alignment *alignment,
                          sa_error *failure) {
    (void)alignment;
    *(size_t *)context = i;
    if (i < 3) return true;
    failure->code = SA_IO;
    strcpy(failure->text, "enough");
    return false;
}

START_TEST(an_alignment_that_cannot_be_used_ends_the_work) {
    size_t last = 0;
    ck_assert(!sa_align(model, NULL, unseen.pairs, UNSEEN, stop_at_three, &last, &error));
    ck_assert_uint_eq(last, 3);
    ck_assert_int_eq(error.code, SA_IO);
}
END_TEST

/* ---- Evaluation --------------------------------------------------------------------------------
 */

START_TEST(the_whole_is_the_sum_of_its_parts) {
    static sa_sentence_result each[UNSEEN];
    sa_search search;
    sa_eval_result all, part;
    size_t odd[UNSEEN / 2], count = 0;
    double log_p = 0;
    sa_search_init(&search);
    ck_assert_msg(sa_evaluate(model, &unseen, &search, NULL, each, &error), "%s", error.text);
    ck_assert(sa_eval_summarize(NULL, &unseen, each, NULL, UNSEEN, &all, &error));
    int64_t words = 0;
    for (size_t i = 0; i < UNSEEN; i++) {
        log_p += each[i].log_probability, words += each[i].words;
        if (i % 2) odd[count++] = i;
    }
    ck_assert_int_eq(all.target_words, words);
    ck_assert_double_eq_tol(all.loss, -log_p / (double)words, 1e-12);
    ck_assert_double_eq_tol(all.perplexity, exp(all.loss), 1e-9);
    ck_assert(all.aer >= 0 && all.aer <= 1);
    ck_assert(sa_eval_summarize(NULL, &unseen, each, odd, count, &part, &error));
    ck_assert_uint_eq(part.sentences, UNSEEN / 2);
    ck_assert_int_lt(part.target_words, all.target_words);
    sa_sentence_results_release(each, UNSEEN);
}
END_TEST

/* ---- Training ----------------------------------------------------------------------------------
 */

static char *read_bytes(const char *folder, const char *name, size_t *size) {
    char path[192];
    static char bytes[1 << 20];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    *size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    char *copy = malloc(*size);
    memcpy(copy, bytes, *size);
    return copy;
}

static void check_same_file(const char *one, const char *other, const char *name) {
    size_t one_size, other_size;
    char *left = read_bytes(one, name, &one_size), *right = read_bytes(other, name, &other_size);
    ck_assert_uint_eq(one_size, other_size);
    ck_assert_msg(memcmp(left, right, one_size) == 0, "%s differs", name);
    free(left);
    free(right);
}

START_TEST(stopping_and_threads_change_no_bit) {
    char other[128];
    strcpy(other, scratch_path("other"));
    sa_settings settings = small_settings();
    settings.threads = 1;
    settings.steps = 17; /* in the middle of an epoch */
    ck_assert_str_eq(train(&settings, other, false).reason, "steps");
    settings.threads = 3;
    settings.steps = 60;
    ck_assert_int_eq(train(&settings, other, true).steps, 60);
    check_same_file(out_path, other, "last.safetensors");
    check_same_file(out_path, other, "best.safetensors");
}
END_TEST

START_TEST(a_raised_flag_stops_the_training_at_once) {
    const volatile sig_atomic_t stop = 1;
    sa_settings settings = small_settings();
    sa_train_result outcome;
    const sa_train_options training = {
        .settings = &settings, .train = train_path, .out = scratch_path("stopped"), .stop = &stop};
    ck_assert(sa_train(&training, &outcome, &error));
    ck_assert_str_eq(outcome.reason, "stopped");
    ck_assert_int_eq(outcome.steps, 0);
    ck_assert(isinf(outcome.best_loss)); /* and the weights are the best model all the same */
}
END_TEST

/* Stops when it hears of the validation wanted. */
typedef struct stopper {
    volatile sig_atomic_t stop;
    int validations;
} stopper;

static void stop_later(void *context, const sa_progress *progress) {
    stopper *when = context;
    if (progress->kind == SA_PROGRESS_VALIDATION && --when->validations == 0) when->stop = 1;
}

/* The best model is the one thing that a validation at a stop could leave behind. */
START_TEST(a_pause_leaves_no_trace) {
    const char *whole = scratch_path("whole"), *parts = scratch_path("parts");
    sa_settings settings = small_settings();
    sa_train_result outcome;
    settings.steps = 20;
    settings.valid_every = 6;
    train(&settings, whole, false);
    stopper when = {.validations = 1};
    sa_train_options training = {.settings = &settings,
                                 .train = train_path,
                                 .out = parts,
                                 .pausing = true,
                                 .report = stop_later,
                                 .context = &when,
                                 .stop = &when.stop};
    const volatile sig_atomic_t at_once = 1;
    training.stop = &at_once;
    ck_assert(sa_train(&training, &outcome, &error));
    ck_assert(isinf(outcome.best_loss));
    training.resume = true;
    training.stop = &when.stop;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_str_eq(outcome.reason, "stopped");
    ck_assert_int_eq(outcome.steps, 6);
    training.stop = NULL;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_int_eq(outcome.steps, 20);
    check_same_file(whole, parts, "last.safetensors");
    check_same_file(whole, parts, "best.safetensors");
}
END_TEST

START_TEST(what_was_spent_before_counts) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    settings.max_time = 50;
    settings.steps = 0;
    sa_train_options training = {.settings = &settings,
                                 .train = train_path,
                                 .out = scratch_path("spent"),
                                 .spent = {.seconds = 100, .updating = 60, .words = 7}};
    ck_assert(sa_train(&training, &outcome, &error));
    ck_assert_str_eq(outcome.reason, "time");
    ck_assert_int_eq(outcome.steps, 0);
    ck_assert_double_ge(outcome.spent.seconds, 100);
    ck_assert_double_eq(outcome.spent.updating, 60);
    settings.max_time = 0;
    settings.steps = 2;
    training.overwrite = true;
    ck_assert(sa_train(&training, &outcome, &error));
    ck_assert_int_gt(outcome.spent.words, 7);
    ck_assert_double_gt(outcome.spent.updating, 60);
}
END_TEST

START_TEST(what_cannot_be_trained_or_opened) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    sa_train_options training = {.settings = &settings, .train = "no such file", .out = out_path};
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    training.train = train_path;
    training.out = train_path;
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_null(sa_model_open(train_path, 1, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    training.out = out_path;
    training.train = unseen_path;
    training.resume = true;
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_nonnull(strstr(error.text, "have changed"));
}
END_TEST

/* ---- What a model was trained with reaches nothing that uses it -------------------------------
 */

/* Copies a model file with other settings. */
static void copy_with(const sa_settings *settings, const char *from, const char *to) {
    static const char *const keys[] = {"settings", "spaced_marks", "core", "program"};
    sa_metadata texts[4];
    sa_container file;
    char *text = sa_settings_write(settings, &error);
    ck_assert(text && sa_container_open(&file, from, 1, NULL, &error));
    for (int i = 0; i < 4; i++)
        texts[i] = (sa_metadata){keys[i], i ? sa_container_metadata(&file, keys[i]) : text};
    ck_assert_msg(sa_container_write(to, file.tensors, file.count, texts, 4, &error), "%s",
                  error.text);
    sa_container_close(&file);
    free(text);
}

static void add_numbers(sa_buffer *out, const double *numbers, size_t count) {
    if (count) sa_buffer_add(out, (const char *)numbers, count * sizeof *numbers);
}

static bool add_alignment(void *context, size_t i, const sa_alignment *alignment,
                          sa_error *failure) {
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    (void)i, (void)failure;
    for (int layer = 1; alignment->weights && layer <= alignment->layers; layer++)
        for (int head = 1; head <= alignment->heads; head++)
            add_numbers(context, sa_alignment_weights(alignment, layer, head), size);
    add_numbers(context, &alignment->log_probability, 1);
    return true;
}

static void add_value(void *context, const sa_explain_pair *pair, const sa_explain_value *value) {
    (void)pair;
    if (value) add_numbers(context, value->numbers, (size_t)value->rows * (size_t)value->cols);
}

static void add_check(void *context, const sa_proof_check *check) {
    add_numbers(context, &check->worst, 1);
}

/* What translate, align, eval, explain and prove make of two pairs. */
static sa_buffer use(const char *path) {
    sa_buffer out = {0};
    sa_search search;
    sa_translation found[2];
    sa_sentence_result each[2];
    sa_corpus pairs = unseen;
    pairs.count = 2;
    sa_model *used = sa_model_open(path, 1, &error);
    ck_assert_msg(used != NULL, "%s", error.text);
    const sa_align_options view = {.site = SA_SITE_CROSS};
    const sa_explain_options explaining = {
        .source = sources[0], .step = 1, .layer = 1, .each = add_value, .context = &out};
    const sa_prove_options proving = {
        .corpus = &pairs, .limit = 1, .each = add_check, .context = &out};
    sa_search_init(&search);
    search.beam = 2;
    ck_assert(sa_translate(used, sources, 2, &search, found, &error));
    for (int i = 0; i < 2; i++)
        sa_buffer_adds(&out, found[i].text), add_numbers(&out, &found[i].log_probability, 1);
    ck_assert(sa_align(used, &view, pairs.pairs, 2, add_alignment, &out, &error));
    ck_assert(sa_evaluate(used, &pairs, &search, NULL, each, &error));
    for (int i = 0; i < 2; i++)
        add_numbers(&out, &each[i].log_probability, 1),
            add_numbers(&out, &each[i].details->attention.entropy, 1);
    ck_assert_msg(sa_explain(used, &explaining, &error), "%s", error.text);
    sa_prove(used, &proving, NULL);
    sa_translations_release(found, 2);
    sa_sentence_results_release(each, 2);
    sa_model_close(used);
    return out;
}

static const char *const used_kinds[] = {
    "--attention hard --dropout 0.2",
    "--attention monotonic --encoder uni",
    "--coverage loss --decoder luong --input-feeding yes --decoder-init last --decoder-layers 2",
    "--model transformer --heads 2 --copy yes --norm pre",
};

START_TEST(training_settings_reach_no_inference) {
    sa_settings settings = small_settings();
    char option[32], value[32], model_file[160];
    int changed = 0;
    settings.embed = settings.hidden = settings.attn = settings.maxout = 8;
    settings.steps = 2;
    settings.shards = 1;
    for (const char *text = used_kinds[_i]; text; text = strstr(text + 1, "--"))
        if (sscanf(text, "--%31s %31s", option, value) == 2)
            ck_assert(sa_settings_set(&settings, option, value, &error));
    train(&settings, scratch_path("used"), false);
    snprintf(model_file, sizeof model_file, "%s/last.safetensors", scratch_path("used"));
    sa_settings all = settings;
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        sa_settings one = all;
        const bool choice = row->kind == SA_OPTION_CHOICE;
        if (row->scope != SA_SCOPE_TRAINING) continue;
        ck_assert(sa_option_set_number(row, &one, choice ? row->default_value < 1 : row->max));
        const bool fits = sa_settings_check(&one, &error);
        if (fits) all = one;
        changed += fits;
    }
    ck_assert_int_ge(changed, 30);
    copy_with(&all, model_file, scratch_path("changed.safetensors"));
    sa_buffer before = use(model_file), after = use(scratch_path("changed.safetensors"));
    ck_assert(before.size == after.size && memcmp(before.text, after.text, before.size) == 0);
    sa_buffer_release(&after);
    sa_buffer_release(&before);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("softalign", &tests);
    tcase_add_unchecked_fixture(tests, train_once, scratch_remove);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_sentence_is_translated_the_same_in_any_batch);
    tcase_add_test(tests, n_best_lists_are_sorted_and_begin_with_the_best);
    tcase_add_test(tests, a_wrong_search_and_an_empty_sentence);
    tcase_add_test(tests, what_search_found_is_as_probable_as_forced_decoding_says);
    tcase_add_test(tests, an_alignment_that_cannot_be_used_ends_the_work);
    tcase_add_test(tests, the_whole_is_the_sum_of_its_parts);
    tcase_add_test(tests, stopping_and_threads_change_no_bit);
    tcase_add_test(tests, a_raised_flag_stops_the_training_at_once);
    tcase_add_test(tests, a_pause_leaves_no_trace);
    tcase_add_test(tests, what_was_spent_before_counts);
    tcase_add_test(tests, what_cannot_be_trained_or_opened);
    tcase_add_loop_test(tests, training_settings_reach_no_inference, 0,
                        sizeof used_kinds / sizeof *used_kinds);
    return suite_run(suite);
}
