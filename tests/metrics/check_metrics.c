/* All metrics against the values of sacreBLEU 2.6: on tests/golden/own.*, and on real sentences
 * where the shared data is there. */
#include "metrics/metrics.h"
#include "support/pairs.h"
#include "support/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define TATOEBA METRICS "tatoeba1000"

/* The last digits of exp and log may differ between machines. */
#define CLOSE 1e-12

enum { LINES = 1000 };

typedef struct texts {
    char *hypothesis[LINES], *reference[LINES], *second[LINES];
    int count, references;
    sa_metrics settings; /* of the sum made last */
    sa_metric_stats sum;
} texts;

/* ---- Reading --------------------------------------------------------------------------------- */

static void keep(void *context, char *left, char *right) {
    texts *all = context;
    ck_assert_int_lt(all->count, LINES);
    all->hypothesis[all->count] = sa_copy(left, strlen(left), NULL);
    all->reference[all->count] = sa_copy(right, strlen(right), NULL);
    all->count++;
}

static texts *read_texts(const char *path) {
    texts *all = sa_new(1, sizeof *all, NULL);
    for_pairs(path, keep, all);
    all->references = 1;
    return all;
}

static void read_second(texts *all, const char *path) {
    sa_text_lines lines;
    ck_assert(sa_text_lines_open(&lines, path, NULL));
    for (size_t i = 0; sa_lines_next(&lines, NULL); i++)
        all->second[i] = sa_copy(lines.line, lines.size, NULL);
    ck_assert_int_eq((int)lines.number, all->count);
    all->references = 2;
    sa_text_lines_close(&lines);
}

static void release_texts(texts *all) {
    for (int i = 0; i < all->count; i++)
        free(all->hypothesis[i]), free(all->reference[i]), free(all->second[i]);
    free(all);
}

/* ---- Scoring --------------------------------------------------------------------------------- */

static void set(sa_metrics *metrics, const char *option, const char *value) {
    sa_error error;
    ck_assert_msg(sa_option_set(sa_option_find(sa_metrics_options, option), metrics, value, &error),
                  "%s", error.text);
}

static sa_metric_stats tally_of(const texts *all, int i, const sa_metrics *metrics) {
    const char *references[] = {all->reference[i], all->second[i]};
    sa_metric_stats tally;
    ck_assert(sa_metric_stats_compute(&tally, metrics, all->hypothesis[i], references,
                                      (size_t)all->references, NULL));
    return tally;
}

static bool same_counts(const sa_metrics *a, const sa_metrics *b) {
    return a->tokenize == b->tokenize && a->lowercase == b->lowercase &&
           a->chrf_order == b->chrf_order && a->chrf_word_order == b->chrf_word_order;
}

/* Smoothing changes no count: settings that differ only in it have equal sums. */
static sa_metric_stats tally_all(texts *all, const sa_metrics *metrics) {
    if (all->sum.sentences && same_counts(metrics, &all->settings)) return all->sum;
    all->settings = *metrics;
    all->sum = (sa_metric_stats){0};
    for (int i = 0; i < all->count; i++) {
        const sa_metric_stats one = tally_of(all, i, metrics);
        sa_metric_stats_add(&all->sum, &one);
    }
    return all->sum;
}

static void expect_close(double got, double wanted, const char *what) {
    ck_assert_msg(fabs(got - wanted) <= CLOSE * fabs(wanted), "%s: %.17g, not %.17g", what, got,
                  wanted);
}

/* ---- Whole corpora --------------------------------------------------------------------------- */

/* The value of a key in "a:1|b:2", without what a smoothing adds in brackets. */
static const char *setting(const char *signature, const char *key) {
    static char value[32];
    char look[32];
    snprintf(look, sizeof look, "|%s:", key);
    const char *at = strstr(signature, look);
    if (!at) return NULL;
    at += strlen(look);
    snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "|["), at);
    return value;
}

static sa_metrics settings_of(const char *signature, bool eps) {
    static const char *const options[][2] = {
        {"tok", "tokenize"}, {"smooth", "smooth"}, {"nc", "chrf-order"}, {"nw", "chrf-word-order"}};
    sa_metrics metrics;
    sa_metrics_init(&metrics);
    metrics.lowercase = strcmp(setting(signature, "case"), "lc") == 0;
    metrics.chrf_eps = eps;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (setting(signature, options[i][0]))
            set(&metrics, options[i][1], setting(signature, options[i][0]));
    return metrics;
}

static void expect_signature(int measure, const sa_metrics *metrics, const char *name,
                             const char *theirs) {
    sa_buffer ours = {0};
    char wanted[256];
    sa_metric_signature(measure, metrics, 1, "", &ours);
    snprintf(wanted, sizeof wanted, "%s|%.*ssoftalign:%s", name,
             (int)(strstr(theirs, "version:") - theirs), theirs, sa_version());
    ck_assert_str_eq(ours.text, wanted);
    sa_buffer_release(&ours);
}

static void expect_bleu(const sa_bleu *bleu, const sa_metrics *metrics, const json_t *row) {
    double precisions[SA_BLEU_ORDER], added = 0;
    if (strcmp(SA_NAME(sa_smoothings, (size_t)metrics->smooth), "add-k") == 0)
        added = sa_smoothing_value(metrics);
    ck_assert_int_eq(sa_bleu_precisions(bleu, metrics, precisions), SA_BLEU_ORDER);
    for (size_t n = 0; n < SA_BLEU_ORDER; n++) {
        const double more = n ? added : 0;
        const json_t *counts = json_object_get(row, "counts"), *totals;
        totals = json_object_get(row, "totals");
        ck_assert_double_eq((double)bleu->match[n] + more,
                            json_number_value(json_array_get(counts, n)));
        ck_assert_double_eq((double)bleu->total[n] + more,
                            json_number_value(json_array_get(totals, n)));
        ck_assert_double_eq(precisions[n], json_number_value(json_array_get(
                                               json_object_get(row, "precisions"), n)));
    }
    expect_close(sa_bleu_brevity(bleu), json_number_value(json_object_get(row, "bp")), "bp");
    ck_assert_int_eq(bleu->hypothesis, json_integer_value(json_object_get(row, "sys_len")));
    ck_assert_int_eq(bleu->reference, json_integer_value(json_object_get(row, "ref_len")));
}

static void expect_row(texts *all, const json_t *row) {
    const char *name = json_string_value(json_object_get(row, "metric"));
    const char *signature = json_string_value(json_object_get(row, "signature"));
    const sa_metrics metrics = settings_of(signature, json_is_true(json_object_get(row, "eps")));
    const bool bleu = strcmp(name, "BLEU") == 0;
    const int measure = bleu ? SA_METRIC_BLEU : SA_METRIC_CHRF;
    const sa_metric_stats sum = tally_all(all, &metrics);
    const sa_metric_values values = sa_metric_values_of(&sum, &metrics);
    const double score = bleu ? values.bleu : values.chrf;
    expect_close(score, json_number_value(json_object_get(row, "score")), signature);
    expect_signature(measure, &metrics, name, signature);
    if (bleu) /* chrF knows no more than + - * and /, so all its bits are the same everywhere */
        expect_bleu(&sum.bleu, &metrics, row);
    else
        ck_assert_double_eq(score, strtod(json_string_value(json_object_get(row, "hex")), NULL));
}

/* Calls `each` for the JSON object of every line. */
static int for_rows(const char *path, texts *all, void (*each)(texts *all, const json_t *row)) {
    sa_text_lines lines;
    ck_assert(sa_text_lines_open(&lines, path, NULL));
    while (sa_lines_next(&lines, NULL)) {
        json_t *row = json_loadb(lines.line, lines.size, 0, NULL);
        ck_assert_ptr_nonnull(row);
        each(all, row);
        json_decref(row);
    }
    sa_text_lines_close(&lines);
    return (int)lines.number;
}

START_TEST(scores_of_the_own_corpus) {
    texts *all = read_texts(OWN ".tsv");
    ck_assert_int_eq(for_rows(OWN ".corpus.jsonl", all, expect_row), 32);
    release_texts(all);
}
END_TEST

START_TEST(scores_of_real_sentences) {
    if (!pairs_there(TATOEBA ".hyp-ref.tsv.gz")) return;
    texts *all = read_texts(TATOEBA ".hyp-ref.tsv.gz");
    ck_assert_int_eq(for_rows(TATOEBA ".corpus.jsonl", all, expect_row), 32);
    release_texts(all);
}
END_TEST

/* ---- Several references ---------------------------------------------------------------------- */

static void expect_two(texts *all, const json_t *row) {
    static const char *const options[][2] = {
        {"tokenize", "tokenize"}, {"smooth_method", "smooth"}, {"word_order", "chrf-word-order"}};
    const json_t *wanted = json_object_get(row, "options");
    const char *name = json_string_value(json_object_get(row, "metric"));
    sa_metrics metrics;
    sa_metrics_init(&metrics);
    metrics.lowercase = json_is_true(json_object_get(wanted, "lowercase"));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const json_t *value = json_object_get(wanted, options[i][0]);
        if (json_is_string(value)) set(&metrics, options[i][1], json_string_value(value));
        if (json_is_integer(value)) metrics.chrf_word_order = (int)json_integer_value(value);
    }
    const sa_metric_stats sum = tally_all(all, &metrics);
    const int measure = strcmp(name, "BLEU") == 0 ? SA_METRIC_BLEU : SA_METRIC_CHRF;
    const sa_metric_values values = sa_metric_values_of(&sum, &metrics);
    const double score = sa_metric_value(&values, measure);
    expect_close(score, json_number_value(json_object_get(row, "score")), name);
    if (measure == SA_METRIC_CHRF)
        ck_assert_double_eq(score, strtod(json_string_value(json_object_get(row, "hex")), NULL));
}

START_TEST(scores_beside_two_references) {
    texts *all = read_texts(OWN ".tsv");
    read_second(all, OWN ".ref2.txt");
    ck_assert_int_eq(for_rows(OWN ".two-refs.jsonl", all, expect_two), 7);
    release_texts(all);
}
END_TEST

/* ---- Single sentences ------------------------------------------------------------------------ */

static void expect_sentences(const texts *all, const char *path) {
    sa_file file;
    sa_metrics metrics, words;
    sa_metrics_init(&metrics);
    metrics.effective_order = true;
    words = metrics;
    words.chrf_word_order = 2;
    ck_assert(sa_file_read(&file, path, 1 << 20, NULL));
    char *at = strchr(file.data, '\n');
    for (int i = 0; i < all->count; i++) {
        const sa_metric_stats plain = tally_of(all, i, &metrics), more = tally_of(all, i, &words);
        expect_close(sa_bleu_value(&plain.bleu, &metrics), strtod(at, &at), "BLEU");
        ck_assert_double_eq(sa_chrf_value(&plain.chrf, &metrics), strtod(at, &at));
        ck_assert_double_eq(sa_chrf_value(&more.chrf, &words), strtod(at, &at));
    }
    ck_assert_str_eq(at, "\n");
    sa_file_release(&file);
}

START_TEST(scores_of_single_sentences) {
    texts *all = read_texts(OWN ".tsv");
    expect_sentences(all, OWN ".sentence.tsv");
    release_texts(all);
}
END_TEST

START_TEST(scores_of_single_real_sentences) {
    if (!pairs_there(TATOEBA ".sentence.tsv")) return;
    texts *all = read_texts(TATOEBA ".hyp-ref.tsv.gz");
    expect_sentences(all, TATOEBA ".sentence.tsv");
    release_texts(all);
}
END_TEST

/* ---- Shares ---------------------------------------------------------------------------------- */

static const struct {
    const char *hypothesis, *references[2];
    int64_t exact, same, tokens, edits, edited;
} shares[] = {
    {"a b c", {"a b c", "x"}, 1, 3, 3, 0, 3},
    {"a  b c ", {"x", "a b\tc"}, 1, 3, 3, 0, 3},
    {"a b.", {"a b .", "x"}, 1, 3, 3, 0, 3},
    {"a bc d", {"ab c de", "a bc"}, 0, 2, 2, 1, 2},
    {"a bc d", {"ab cd", "x"}, 1, 0, 2, 3, 2}, /* equal edits: the first */
    {"b c", {"a b c", "x y z"}, 0, 0, 3, 1, 3},
    {"a x c d", {"a b c", "x y z"}, 0, 2, 3, 2, 3},
    {"a b", {"a b c d", "a c"}, 0, 2, 4, 1, 2}, /* equal fractions: the first */
    {"a b", {"a c d", "a b c"}, 0, 2, 3, 1, 3},
    {"", {"a", "b"}, 0, 0, 1, 1, 1},
    {"a", {"", "a b"}, 0, 1, 2, 1, 0},
    {"", {"", ""}, 1, 0, 0, 0, 0},
    {"a b c d e", {"b c x e f", "y"}, 0, 0, 5, 3, 5},
};

START_TEST(exact_sentences_and_tokens_in_place) {
    sa_metrics metrics;
    sa_metric_stats tally;
    sa_metrics_init(&metrics);
    ck_assert(sa_metric_stats_compute(&tally, &metrics, shares[_i].hypothesis,
                                      shares[_i].references, 2, NULL));
    ck_assert_int_eq(tally.exact, shares[_i].exact);
    ck_assert_int_eq(tally.same, shares[_i].same);
    ck_assert_int_eq(tally.tokens, shares[_i].tokens);
    ck_assert_int_eq(tally.edits, shares[_i].edits);
    ck_assert_int_eq(tally.edited, shares[_i].edited);
    ck_assert_int_eq(tally.sentences, 1);
}
END_TEST

/* ---- The public function --------------------------------------------------------------------- */

START_TEST(programs_get_the_same_figures) {
    texts *all = read_texts(OWN ".tsv");
    const char *const *references[] = {(const char *const *)all->reference};
    sa_metrics metrics;
    sa_metric_values figures;
    sa_error error;
    sa_metrics_init(&metrics);
    const sa_metric_stats sum = tally_all(all, &metrics);
    ck_assert(sa_compute_metrics(&metrics, (const char *const *)all->hypothesis, references, 1,
                                 (size_t)all->count, &figures, &error));
    expect_close(figures.bleu, 79.36691041737934, "BLEU");
    ck_assert_double_eq(figures.chrf, 78.08485449862208);
    ck_assert_double_eq(figures.exact, (double)sum.exact / 32);
    ck_assert_double_eq(figures.tokens, (double)sum.same / (double)sum.tokens);
    ck_assert_double_eq(figures.per, 100 * ((double)sum.edits / (double)sum.edited));
    metrics.lowercase = true;
    ck_assert(sa_compute_metrics(&metrics, (const char *const *)all->hypothesis, references, 1,
                                 (size_t)all->count, &figures, &error));
    expect_close(figures.bleu, 79.46743868778006, "BLEU in lower case");
    metrics.chrf_order = 99;
    ck_assert(!sa_compute_metrics(&metrics, (const char *const *)all->hypothesis, references, 1,
                                  (size_t)all->count, &figures, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    release_texts(all);
}
END_TEST

/* What sacreBLEU calls the settings; other metrics have none. */
START_TEST(signatures_say_what_was_set) {
    static const char *const titles[] = {"BLEU", "chrF", "exact", "tokens", "PER"};
    static const double scales[] = {1, 1, 100, 100, 1};
    sa_metrics metrics;
    char wanted[160];
    sa_metrics_init(&metrics);
    metrics.chrf_whitespace = metrics.lowercase = metrics.chrf_eps = true;
    metrics.chrf_beta = 3, metrics.chrf_word_order = 2, metrics.chrf_order = 5;
    metrics.smooth_value = 7; /* exp has none */
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        sa_buffer signature = {0};
        ck_assert_str_eq(sa_metric_list[m].title, titles[m]);
        ck_assert_double_eq(sa_metric_list[m].whole, scales[m]);
        sa_metric_signature(m, &metrics, 2, "bs:1000|", &signature);
        snprintf(wanted, sizeof wanted, "%s%s%s%s%s", titles[m], m == SA_METRIC_CHRF ? "3++" : "",
                 m > SA_METRIC_CHRF ? "" : "|nrefs:2|bs:1000|case:lc|",
                 m == SA_METRIC_CHRF   ? "eff:no|nc:5|nw:2|space:yes|softalign:"
                 : m == SA_METRIC_BLEU ? "eff:no|tok:13a|smooth:exp|softalign:"
                                       : "",
                 m > SA_METRIC_CHRF ? "" : sa_version());
        ck_assert_str_eq(signature.text, wanted);
        sa_buffer_release(&signature);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("metrics", &tests);
    tcase_set_timeout(tests, 60); /* the sanitizers take their time */
    tcase_add_test(tests, scores_of_the_own_corpus);
    tcase_add_test(tests, scores_of_real_sentences);
    tcase_add_test(tests, scores_beside_two_references);
    tcase_add_test(tests, scores_of_single_sentences);
    tcase_add_test(tests, scores_of_single_real_sentences);
    tcase_add_loop_test(tests, exact_sentences_and_tokens_in_place, 0,
                        sizeof shares / sizeof *shares);
    tcase_add_test(tests, programs_get_the_same_figures);
    tcase_add_test(tests, signatures_say_what_was_set);
    return suite_run(suite);
}
