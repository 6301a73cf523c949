/* What a training reports, writes into log.csv and returns: counts that follow from the number of
 * pairs, and one set of figures in all three. */
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>

/* Of 60 pairs some are held out; each target has 2 words and its end. */
enum { PAIRS = 60, TOKENS = 3, BATCH = 7, MOST = 64 };

static sa_progress rows[MOST];
static int row_count, stop_after; /* validations; or 0 */
static sig_atomic_t stop;
static sa_train_result outcome;

static void keep_rows(void *context, const sa_progress *progress) {
    take_note(context, progress);
    if (progress->kind == SA_PROGRESS_VALIDATION && row_count < MOST) rows[row_count++] = *progress;
    stop = stop_after && row_count == stop_after;
}

static void train_all(sa_settings settings, sa_train_options training) {
    row_count = 0;
    *notes = 0;
    training.settings = &settings;
    training.train = train_path, training.out = out_path, training.report = keep_rows;
    training.overwrite = !training.resume;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
}

static sa_settings settings_of_log(void) {
    sa_settings settings = small_settings();
    settings.batch = BATCH, settings.steps = 20, settings.lr = 0.05;
    return settings;
}

/* Compares a number of the log, written as a float, or nothing for NaN. */
static void cell_is(const char *cell, double value) {
    if (isnan(value))
        ck_assert_str_eq(cell, "");
    else
        ck_assert_msg(strtof(cell, NULL) == (float)value, "%s, not %.9g", cell, value);
}

static void row_is(char *line, const sa_progress *row) {
    const double figures[] = {row->loss,       exp(row->loss),        row->gradient_norm,
                              row->valid_loss, row->valid_perplexity, row->valid_bleu,
                              row->valid_chrf, row->guided_loss};
    char start[128];
    snprintf(start, sizeof start, "%d,%lld,%.2f,%.4f,%lld,%.0f", row->epoch, (long long)row->step,
             row->spent.seconds, row->spent.updating, (long long)row->spent.words,
             row->words_per_second);
    ck_assert_int_eq(strncmp(line, start, strlen(start)), 0);
    line += strlen(start) + 1;
    for (int i = 0; i < 8; i++) cell_is(strsep(&line, ","), figures[i]);
    ck_assert_str_eq(line, row->best ? "1" : "0");
}

/* The header, then a row for each report. */
START_TEST(the_log_is_what_was_reported) {
    size_t size;
    train_all(settings_of_log(), (sa_train_options){0});
    char *log = scratch_read(scratch_path("out/log.csv"), &size), *rest = log;
    ck_assert_str_eq(strsep(&rest, "\n"),
                     "epoch,step,seconds,updating,words,words_per_second,train_loss,"
                     "train_perplexity,gradient_norm,valid_loss,valid_perplexity,valid_bleu,"
                     "valid_chrf,guided_loss,best");
    ck_assert_int_eq(row_count, 7); /* after 3, 6 .. 18 updates and at the end */
    for (int i = 0; i < row_count; i++) row_is(strsep(&rest, "\n"), &rows[i]);
    ck_assert_str_eq(rest, "");
    free(log);
}
END_TEST

/* Returns the pairs of updates up to `step`: an epoch's last batch may be smaller. */
static int64_t pairs_seen(int64_t step, int64_t pairs) {
    const int64_t batches = (pairs + BATCH - 1) / BATCH, rest = step % batches * BATCH;
    return step / batches * pairs + rest;
}

START_TEST(counts_follow_from_the_pairs) {
    double lowest = INFINITY, before = 0;
    train_all(settings_of_log(), (sa_train_options){0});
    const int64_t pairs = PAIRS - (int64_t)outcome.valid_pairs,
                  batches = (pairs + BATCH - 1) / BATCH;
    for (int i = 0; i < row_count; i++) {
        const sa_progress *row = &rows[i];
        const int64_t step = i < 6 ? 3 * (i + 1) : 20, seen = pairs_seen(step, pairs);
        ck_assert_int_eq(row->step, step);
        ck_assert_int_eq(row->spent.words, TOKENS * seen);
        ck_assert_int_eq(row->epoch, (step - 1) / batches + 1);
        ck_assert_double_eq_tol(row->epoch_part,
                                (double)(seen - (row->epoch - 1) * pairs) / (double)pairs, 1e-12);
        ck_assert_double_eq(row->valid_perplexity, exp(row->valid_loss));
        ck_assert_int_eq(row->best, row->valid_loss < lowest);
        ck_assert(isnan(row->guided_loss));
        ck_assert_double_ge(row->spent.seconds, row->spent.updating);
        ck_assert_double_gt(row->spent.updating, before);
        lowest = fmin(lowest, row->valid_loss), before = row->spent.updating;
    }
    ck_assert_str_eq(outcome.reason, "steps");
    ck_assert_int_eq(outcome.steps, 20);
    ck_assert_int_eq(outcome.epochs, 20 / batches + 1);
    ck_assert_double_eq(outcome.best_loss, lowest);
    ck_assert_int_eq(outcome.spent.words, TOKENS * pairs_seen(20, pairs));
    ck_assert_double_ge(outcome.spent.seconds, before);
}
END_TEST

/* In a batch of all pairs the loss of a row is that of the last updates: about that of chance at
 * first, and it falls. */
START_TEST(the_loss_is_a_mean_over_tokens) {
    sa_settings settings = settings_of_log();
    settings.lr = 1e-9, settings.batch = PAIRS, settings.valid_every = 2, settings.steps = 4;
    ck_assert(sa_settings_set(&settings, "optimizer", "sgd", &error));
    train_all(settings, (sa_train_options){0});
    ck_assert_int_eq(row_count, 2);
    ck_assert_double_gt(rows[0].loss, log(20));
    ck_assert_double_lt(rows[0].loss, log(180));
    ck_assert_double_eq_tol(rows[1].loss, rows[0].loss, 1e-5);
    ck_assert_double_eq_tol(rows[0].valid_loss, rows[0].loss, 1);
}
END_TEST

START_TEST(every_limit_ends_a_training) {
    sa_settings settings = settings_of_log();
    train_all(settings, (sa_train_options){0});
    const int64_t batches = (PAIRS - (int64_t)outcome.valid_pairs + BATCH - 1) / BATCH;
    settings.steps = 0, settings.epochs = 2;
    train_all(settings, (sa_train_options){0});
    ck_assert_str_eq(outcome.reason, "epochs");
    ck_assert_int_eq(outcome.steps, 2 * batches);
    ck_assert_int_eq(outcome.epochs, 2);
    settings.epochs = 0, settings.patience = 2, settings.lr = 0.9; /* soon worse */
    train_all(settings, (sa_train_options){0});
    ck_assert_str_eq(outcome.reason, "patience");
    ck_assert(!rows[row_count - 1].best && !rows[row_count - 2].best && rows[row_count - 3].best);
    ck_assert_int_eq(outcome.steps, 3 * row_count);
    settings.patience = 0, settings.max_time = 0.1, settings.valid_every = 0;
    train_all(settings, (sa_train_options){0});
    ck_assert_str_eq(outcome.reason, "time");
    settings.max_time = 0, settings.steps = 2 * (int)batches + 1;
    train_all(settings, (sa_train_options){0}); /* validates after each epoch, and at the end */
    ck_assert_int_eq(row_count, 3);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(rows[i].step, (i + 1) * batches);
}
END_TEST

/* The figures of the best validation by the criterion that is asked for. */
START_TEST(the_best_is_the_best_by_the_criterion) {
    sa_settings settings = settings_of_log();
    settings.steps = 90, settings.valid_every = 5, settings.hidden = settings.embed = 16;
    ck_assert(sa_settings_set(&settings, "criterion", _i ? "chrf" : "bleu", &error));
    train_all(settings, (sa_train_options){0});
    int best = 0;
    for (int i = 1; i < row_count; i++)
        if (_i ? rows[i].valid_chrf > rows[best].valid_chrf
               : rows[i].valid_bleu > rows[best].valid_bleu)
            best = i;
    ck_assert(rows[0].best); /* also with a score of 0 */
    ck_assert_double_eq(outcome.best_bleu, rows[best].valid_bleu);
    ck_assert_double_eq(outcome.best_loss, rows[best].valid_loss);
    ck_assert_double_eq(outcome.best_chrf, rows[best].valid_chrf);
}
END_TEST

/* Evaluates greedy translations of the training pairs. */
static sa_eval_result evaluate(sa_model *model) {
    sa_eval_result found;
    sa_search search;
    sa_corpus pairs;
    sa_search_init(&search);
    search.beam = 1;
    ck_assert(model && sa_corpus_open(&pairs, train_path, &error));
    sa_sentence_result *each = calloc(pairs.count, sizeof *each);
    ck_assert(sa_evaluate(model, &pairs, &search, NULL, each, &error));
    ck_assert(sa_eval_summarize(NULL, &pairs, each, NULL, pairs.count, &found, &error));
    sa_sentence_results_release(each, pairs.count);
    free(each);
    sa_corpus_close(&pairs);
    return found;
}

/* What a validation finds is what the best model gives, word by word, on the same pairs. */
START_TEST(figures_are_those_of_an_evaluation) {
    char path[160];
    sa_settings settings = settings_of_log();
    settings.steps = 40, settings.valid_every = 40, settings.hidden = settings.embed = 16;
    train_all(settings, (sa_train_options){.valid = train_path});
    snprintf(path, sizeof path, "%s/best.safetensors", out_path);
    sa_model *model = sa_model_open(path, 1, &error);
    const sa_eval_result found = evaluate(model);
    ck_assert_int_eq(row_count, 1);
    ck_assert_double_gt(found.chrf, 0);
    ck_assert_double_eq_tol(rows[0].valid_chrf, found.chrf, 1e-9);
    ck_assert_double_eq_tol(rows[0].valid_bleu, found.bleu, 1e-9);
    ck_assert_double_eq_tol(rows[0].valid_loss, found.loss, 1e-6);
    ck_assert_double_eq(outcome.best_chrf, rows[0].valid_chrf);
    sa_model_close(model);
}
END_TEST

/* The loss of guided alignment is told per token: that of uniform weights is log 3, for two words
 * and the end of the source. */
START_TEST(the_alignment_loss_is_a_mean_over_tokens) {
    sa_settings settings = settings_of_log();
    sa_buffer links = {0};
    for (int i = 0; i < PAIRS; i++) sa_buffer_adds(&links, "0-1 1-0\n");
    scratch_write(scratch_path("links"), links.text, links.size);
    sa_buffer_release(&links);
    settings.guided_alignment = 0.5, settings.lr = 1e-9, settings.steps = 6;
    ck_assert(sa_settings_set(&settings, "optimizer", "sgd", &error));
    train_all(settings, (sa_train_options){.alignments = scratch_path("links")});
    ck_assert_int_eq(row_count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_gt(rows[i].guided_loss, 0.5 * log(3));
        ck_assert_double_lt(rows[i].guided_loss, 1.5 * log(3));
    }
}
END_TEST

/* Without an update since the last row there is none: here only the best model is to be found, and
 * the state stays as it is. */
START_TEST(a_row_without_updates_has_no_training_loss) {
    sa_settings settings = settings_of_log();
    sa_buffer links = {0};
    char path[128];
    size_t size;
    strcpy(path, scratch_path("links"));
    for (int i = 0; i < PAIRS; i++) sa_buffer_adds(&links, "0-1 1-0\n");
    scratch_write(path, links.text, links.size);
    sa_buffer_release(&links);
    settings.guided_alignment = 0.5, settings.steps = 6;
    train_all(settings, (sa_train_options){.alignments = path});
    ck_assert(isfinite(rows[1].loss) && isfinite(rows[1].guided_loss));
    const double loss = rows[1].valid_loss;
    size_t before_size;
    char *before = scratch_read(scratch_path("out/last.safetensors"), &before_size);
    ck_assert_int_eq(unlink(scratch_path("out/best.safetensors")), 0);
    train_all(settings, (sa_train_options){.alignments = path, .resume = true});
    ck_assert_int_eq(row_count, 1);
    ck_assert(isnan(rows[0].loss) && isnan(rows[0].guided_loss));
    ck_assert_double_eq(rows[0].valid_loss, loss);
    ck_assert_int_eq(access(scratch_path("out/best.safetensors"), F_OK), 0);
    char *after = scratch_read(scratch_path("out/last.safetensors"), &size);
    ck_assert_uint_eq(size, before_size);
    ck_assert_mem_eq(after, before, size);
    free(before), free(after);
    char *log = scratch_read(scratch_path("out/log.csv"), &size), *line = log;
    for (int i = 0; i < 3; i++) line = strchr(line, '\n') + 1;
    row_is(strtok(line, "\n"), &rows[0]);
    free(log);
}
END_TEST

/* ---- Mean weights ---------------------------------------------------------------------------- */

START_TEST(mean_weights_are_told_of) {
    sa_settings settings = settings_of_log();
    char path[192], wanted[256];
    snprintf(path, sizeof path, "%s/average.safetensors", out_path);
    settings.average = 3;
    train_all(settings, (sa_train_options){0});
    ck_assert_ptr_nonnull(strstr(notes, "mean weights of the last 3 validations: loss "));
    snprintf(wanted, sizeof wanted, ": %s", path);
    ck_assert_ptr_nonnull(strstr(notes, wanted));
    ck_assert_int_eq(access(path, R_OK), 0);
    settings.steps = 7, settings.average_of = 1; /* two validations are due */
    train_all(settings, (sa_train_options){0});
    ck_assert_ptr_nonnull(strstr(notes, "mean weights of the best 2 validations: loss "));
    settings.steps = 2;
    train_all(settings, (sa_train_options){0});
    ck_assert_ptr_nonnull(
        strstr(notes, "note: no mean weights: no validation was due (--valid-every)"));
    ck_assert_int_eq(access(path, F_OK), -1);
    settings.average = 0;
    train_all(settings, (sa_train_options){0});
    ck_assert_ptr_null(strstr(notes, "mean weights"));
}
END_TEST

/* Another run of a comparison resumes what was paused, so that its mean is not known yet. */
START_TEST(a_pause_writes_no_mean_weights) {
    sa_settings settings = settings_of_log();
    char path[192];
    snprintf(path, sizeof path, "%s/average.safetensors", out_path);
    settings.average = 3, stop_after = 4;
    for (int pausing = 1; pausing >= 0; pausing--) {
        train_all(settings, (sa_train_options){.pausing = pausing, .stop = &stop});
        ck_assert_str_eq(outcome.reason, "stopped");
        ck_assert_int_eq(access(path, F_OK), pausing ? -1 : 0);
    }
    stop_after = 0;
}
END_TEST

/* The mean of one validation's weights is those weights. */
START_TEST(a_mean_of_one_is_the_model) {
    sa_settings settings = settings_of_log();
    char path[192];
    size_t size[2];
    settings.average = 1, settings.steps = 3;
    train_all(settings, (sa_train_options){0});
    snprintf(path, sizeof path, "%s/average.safetensors", out_path);
    char *mean = scratch_read(path, &size[0]);
    snprintf(path, sizeof path, "%s/best.safetensors", out_path);
    char *best = scratch_read(path, &size[1]);
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(mean, best, size[0]);
    snprintf(path, sizeof path, "loss %.4f, BLEU %.2f", rows[0].valid_loss, rows[0].valid_bleu);
    ck_assert_ptr_nonnull(strstr(notes, path));
    free(mean), free(best);
}
END_TEST

/* The loss that is reported is that of the mean, too. */
START_TEST(mean_weights_are_those_of_the_last_models) {
    static const char *const names[] = {"checkpoints/00000012", "checkpoints/00000015",
                                        "checkpoints/00000018", "average"};
    static const char told[] = "mean weights of the last 3 validations: loss ";
    sa_settings settings = settings_of_log();
    sa_model *model[4];
    const float *x[4];
    const char *name;
    int height, width;
    settings.average = settings.keep = 3, settings.steps = 18;
    train_all(settings, (sa_train_options){.valid = train_path});
    for (int k = 0; k < 4; k++) {
        char path[192];
        snprintf(path, sizeof path, "%s/%s.safetensors", out_path, names[k]);
        model[k] = sa_model_open(path, 1, &error);
        ck_assert_msg(model[k] != NULL, "%s", error.text);
    }
    for (size_t i = 0; (x[3] = sa_model_tensor(model[3], i, &name, &height, &width)); i++) {
        for (int k = 0; k < 3; k++) x[k] = sa_model_tensor(model[k], i, &name, &height, &width);
        for (int at = 0; at < (height ? height : 1) * width; at++) {
            const double sum = (double)x[0][at] + (double)x[1][at] + (double)x[2][at];
            ck_assert_double_eq_tol((double)x[3][at], sum / 3, 1e-6);
        }
    }
    const char *note = strstr(notes, told);
    ck_assert_msg(note != NULL, "%s", notes);
    ck_assert_double_eq_tol(strtod(note + strlen(told), NULL), evaluate(model[3]).loss, 6e-5);
    for (int k = 0; k < 4; k++) sa_model_close(model[k]);
}
END_TEST

/* ---- Notes ----------------------------------------------------------------------------------- */

static const struct {
    const char *pairs, *options, *told[5];
    bool valid;
} counted[] = {
    {"a b\tx y\nc d\tz u\nb a\ty x\nd c\tu z v\n",
     "",
     {"training: 4 pairs (left out: 0 with an empty side, 0 above 50 tokens)",
      "validation: 60 pairs (", "vocabulary: 4 source and 5 target words", "1 shard, 1 thread",
      "note: with so few pairs"},
     true},
    {"a b\tx y\n\tz u\nb a c d\ty x\nd c\t\na\tx y z w\n",
     "max-len=3 hidden=8",
     {"training: 1 pair (left out: 2 with an empty side, 2 above 3 tokens)",
      "vocabulary: 2 source and 2 target words", "1 shard,"},
     true},
    {"a b\tx y\nc d\tz u\n",
     "",
     {"training: 1 pair (", "validation: 1 pair (held out of the training pairs)"},
     false},
    {"a <unk>\tx y\nc d\tz </s>\n",
     "tokenizer=space",
     {"note: the text contains '<unk>', which is read as an ordinary word",
      "note: the text contains '</s>', which is read as an ordinary word",
      "vocabulary: 4 source and 4 target words"},
     true},
    {"abab ab\txyxy\nab\txy\n",
     "tokenizer=bpe bpe-merges=2",
     {"sub-words: 2 source and 2 target merges (joint)"},
     true},
    {"abab ab\txyxy\nab\txy\n",
     "tokenizer=bpe bpe-merges=1 bpe=separate",
     {"sub-words: 1 source and 1 target merges (separate)"},
     true},
    {"abab ab\txyxy\nab\txy\n",
     "source-tokenizer=bpe target-tokenizer=word bpe-merges=1",
     {"sub-words: 1 source and 0 target merges (separate)"},
     true},
    {"a b\tx y\nc d\tz u\n",
     "threads=2 shards=1",
     {"1 shard, 2 threads (updates use 1: see --shards)"},
     true},
};

START_TEST(pairs_and_words_are_counted) {
    char valid[128];
    snprintf(valid, sizeof valid, "%s", train_path);
    strcpy(train_path, scratch_path("own.tsv"));
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        sa_settings settings = small_settings();
        settings.steps = 1, settings.hidden = 65;
        set_all(&settings, counted[i].options);
        scratch_write(train_path, counted[i].pairs, strlen(counted[i].pairs));
        train_all(settings, (sa_train_options){.valid = counted[i].valid ? valid : NULL});
        for (int k = 0; k < 5 && counted[i].told[k]; k++)
            ck_assert_msg(strstr(notes, counted[i].told[k]) != NULL, "%zu: no '%s' in %s", i,
                          counted[i].told[k], notes);
        if (i == 3) ck_assert_ptr_null(strstr(notes, "'<s>'"));
    }
}
END_TEST

START_TEST(pairs_of_both_sets_are_told_of) {
    static const char valid[] = "w1 w0\tv0 v1\nw9 w9\tv8 v7\nw2 w1\tv1 v2\n";
    char path[128], wanted[256];
    sa_settings settings = small_settings();
    settings.steps = 1;
    snprintf(path, sizeof path, "%s", scratch_path("valid.tsv"));
    scratch_write(path, valid, sizeof valid - 1);
    train_all(settings, (sa_train_options){.valid = path});
    snprintf(wanted, sizeof wanted,
             "note: 2 of the 3 pairs in '%s' are also among the training pairs", path);
    ck_assert_msg(strstr(notes, wanted) != NULL, "%s", notes);
    ck_assert_uint_eq(outcome.valid_pairs, 3);
    scratch_write(path, valid + 12, 12);
    train_all(settings, (sa_train_options){.valid = path});
    ck_assert_ptr_null(strstr(notes, "are also among"));
}
END_TEST

START_TEST(what_is_not_given_is_named) {
    const sa_settings settings = small_settings();
    static const char *const names[] = {"options->settings", "options->train", "options->out",
                                        "options->snapshot_pairs"};
    for (int i = 0; i < 4; i++) {
        const sa_train_options training = {.settings = i == 0 ? NULL : &settings,
                                           .train = i == 1 ? NULL : train_path,
                                           .out = i == 2 ? NULL : out_path,
                                           .snapshot_count = i == 3};
        outcome.steps = 1;
        ck_assert(!sa_train(&training, &outcome, &error));
        ck_assert_ptr_nonnull(strstr(error.text, names[i]));
        ck_assert_int_eq(outcome.steps, 0);
    }
    ck_assert(!sa_train(NULL, &outcome, &error));
    const sa_train_options training = {.settings = &settings, .train = train_path, .out = out_path};
    ck_assert(!sa_train(&training, NULL, &error));
    ck_assert_int_eq(access(out_path, F_OK), -1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("training_log", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, the_log_is_what_was_reported);
    tcase_add_test(tests, counts_follow_from_the_pairs);
    tcase_add_test(tests, the_loss_is_a_mean_over_tokens);
    tcase_add_test(tests, every_limit_ends_a_training);
    tcase_add_loop_test(tests, the_best_is_the_best_by_the_criterion, 0, 2);
    tcase_add_test(tests, figures_are_those_of_an_evaluation);
    tcase_add_test(tests, the_alignment_loss_is_a_mean_over_tokens);
    tcase_add_test(tests, a_row_without_updates_has_no_training_loss);
    tcase_add_test(tests, mean_weights_are_told_of);
    tcase_add_test(tests, a_pause_writes_no_mean_weights);
    tcase_add_test(tests, a_mean_of_one_is_the_model);
    tcase_add_test(tests, mean_weights_are_those_of_the_last_models);
    tcase_add_test(tests, pairs_and_words_are_counted);
    tcase_add_test(tests, pairs_of_both_sets_are_told_of);
    tcase_add_test(tests, what_is_not_given_is_named);
    return suite_run(suite);
}
