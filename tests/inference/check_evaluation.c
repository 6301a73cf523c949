/* Evaluations: what stands in the result of each pair, against the alignment and the translation of
 * that pair, and summaries of results written by hand. */
#include "metrics/length_balance.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS = 6, MOST = 16 };
static sa_pair pairs[PAIRS] = {
    {.source = "w1 w0", .target = "v0 v1", .gold = "0-1 1-0"},
    {.source = "w3 zork w0 w9", .target = "v1 v3", .gold = "0-1 2-0"},
    {.source = "w4", .target = "v2 zork zork v4 v9", .gold = "0-0 0p4"},
    {.source = "w8 w4", .target = "v4 v8", .gold = "1-0 0-1"},
    {.source = "same w2 w5", .target = "v2 same v5", .gold = ""},
    {.source = "w6 w3", .target = "quux", .gold = "0-0"},
};
static const sa_corpus corpus = {.pairs = pairs, .count = PAIRS, .name = "pairs", .gold = true};
static sa_model *model;
static sa_search search;
static sa_sentence_result results[PAIRS];

static void open_model(const char *options) {
    sa_settings settings = small_settings();
    settings.steps = 60, settings.lr = 0.02;
    set_all(&settings, options);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_search_init(&search);
}

static void evaluate(void) {
    ck_assert_msg(sa_evaluate(model, &corpus, &search, NULL, results, &error), "%s", error.text);
}

static void close_model(void) {
    sa_sentence_results_release(results, PAIRS);
    sa_model_close(model);
}

/* ---- Each pair ------------------------------------------------------------------------------- */

static int words_of(const char *text) {
    int words = 1;
    for (; *text; text++) words += *text == ' ';
    return words;
}

/* Returns the source word that a row attends to most, of all but EOS. */
static int most(const double *row, int sources) {
    int best = 0;
    for (int j = 1; j < sources - 1; j++)
        if (row[j] > row[best]) best = j;
    return best;
}

/* Counts links as argmax of rows, moved by `shift` rows, against the sure and possible ones. */
static void links_are(const sa_link_counts *counted, const sa_pair *pair, const double *weights,
                      int targets, int sources, int shift) {
    bool sure[MOST][MOST] = {0}, possible[MOST][MOST] = {0};
    size_t links = 0, in_sure = 0, in_possible = 0, all_sure = 0;
    int s, t, used;
    char kind;
    for (const char *at = pair->gold; sscanf(at, "%d%c%d%n", &s, &kind, &t, &used) == 3;
         at += used) {
        sure[t][s] = kind == '-', possible[t][s] = true;
        all_sure += kind == '-';
    }
    for (int row = 0; row < targets - 1; row++) {
        const int to = row + shift, j = most(weights + row * sources, sources);
        if (to < 0 || to >= targets - 1) continue;
        links++, in_sure += sure[to][j], in_possible += possible[to][j];
    }
    ck_assert_uint_eq(counted->links, links);
    ck_assert_uint_eq(counted->sure, all_sure);
    ck_assert_uint_eq(counted->links_sure, in_sure);
    ck_assert_uint_eq(counted->links_possible, in_possible);
}

static double entropy_of(const double *weights, int count) {
    double entropy = 0;
    for (int i = 0; i < count; i++)
        if (weights[i] > 0) entropy -= weights[i] * log(weights[i]);
    return entropy;
}

static double column(const double *weights, int rows, int sources, int j) {
    double sum = 0;
    for (int t = 0; t < rows; t++) sum += weights[t * sources + j];
    return sum;
}

/* The same from the alignment, whose last row and column are of EOS. */
static bool expect_alignment(void *context, size_t index, const sa_alignment *alignment,
                             sa_error *why) {
    const sa_sentence_result *own = &results[index];
    const sa_sentence_details *details = own->details;
    const int T = alignment->targets, S = alignment->sources;
    const sa_source_coverage ends[] = {details->balance.over, details->balance.under};
    int unknown[2] = {0};
    double heads = 0;
    (void)context, (void)why;
    for (int j = 0; j < S; j++) unknown[0] += alignment->source_unknown[j];
    for (int t = 0; t < T; t++) unknown[1] += alignment->target_unknown[t];
    ck_assert_double_eq(own->log_probability, alignment->log_probability);
    ck_assert_int_eq(own->words, words_of(pairs[index].target) + 1);
    ck_assert_int_eq(own->source_words, words_of(pairs[index].source));
    ck_assert_int_eq(own->unknown_source, unknown[0]);
    ck_assert_int_eq(own->unknown_target, unknown[1]);
    if (!alignment->weights) return true;
    for (int k = 1; k <= alignment->heads; k++)
        heads += entropy_of(sa_alignment_weights(alignment, 0, k), T * S) / alignment->heads;
    ck_assert_double_eq_tol(details->attention.head_entropy, heads, 1e-5);
    ck_assert_double_eq_tol(details->attention.entropy, entropy_of(alignment->weights, T * S),
                            1e-5);
    for (int k = 0; k < 2; k++)
        ck_assert_double_eq_tol(ends[k].expected,
                                column(alignment->weights, T, S, ends[k].position), 1e-9);
    ck_assert_uint_eq(details->attention.rows, T);
    links_are(&details->before, &pairs[index], alignment->weights, T, S, -1);
    links_are(&details->links, &pairs[index], alignment->weights, T, S, 0);
    links_are(&details->after, &pairs[index], alignment->weights, T, S, 1);
    return true;
}

START_TEST(results_are_those_of_the_alignments) {
    open_model(_i ? "heads=2" : "");
    evaluate();
    ck_assert(sa_align(model, NULL, pairs, PAIRS, expect_alignment, NULL, &error));
    ck_assert_int_eq(results[1].unknown_source, 1);
    ck_assert_int_eq(results[2].unknown_target, 2);
    ck_assert_int_eq(results[5].unknown_target, 1);
    ck_assert_uint_eq(results[4].details->attention.identical, 1); /* "same" */
    ck_assert_uint_eq(results[0].details->attention.identical, 0);
    close_model();
}
END_TEST

static bool expect_words(void *context, size_t index, const sa_alignment *alignment,
                         sa_error *why) {
    sa_alignment words;
    const sa_sentence_details *details = results[index].details;
    const int sources = words_of(pairs[index].source) + 1,
              targets = words_of(pairs[index].target) + 1;
    *(int *)context += alignment->sources > sources || alignment->targets > targets;
    ck_assert(sa_alignment_merge(alignment, &words, why));
    ck_assert(words.sources == sources && words.targets == targets);
    links_are(&details->before, &pairs[index], words.weights, words.targets, words.sources, -1);
    links_are(&details->links, &pairs[index], words.weights, words.targets, words.sources, 0);
    links_are(&details->after, &pairs[index], words.weights, words.targets, words.sources, 1);
    sa_alignment_release(&words);
    return true;
}

/* Links are between words, even if the model reads or writes pieces of them. */
START_TEST(links_of_subwords_are_between_words) {
    static const char *const sides[] = {"tokenizer=bpe bpe-merges=5",
                                        "source-tokenizer=bpe bpe-merges=5",
                                        "target-tokenizer=bpe bpe-merges=5"};
    int split = 0;
    open_model(sides[_i]);
    evaluate();
    ck_assert(sa_align(model, NULL, pairs, PAIRS, expect_words, &split, &error));
    ck_assert_int_gt(split, 0);
    close_model();
}
END_TEST

/* Greedy and by a beam, of which only the best counts, with the reference's words or not. */
START_TEST(translations_are_those_of_the_search) {
    static const int beams[] = {1, 3};
    const char *sources[PAIRS];
    sa_translation found[PAIRS];
    open_model("hidden=24 embed=24 attn=24 maxout=24 steps=200 valid-every=200");
    int exact = 0;
    for (int b = 0; b < 2; b++) {
        search.beam = search.nbest = beams[b];
        search.weights = true;
        evaluate();
        search.nbest = 1;
        for (int i = 0; i < PAIRS; i++) sources[i] = pairs[i].source;
        ck_assert(sa_translate(model, sources, PAIRS, &search, found, &error));
        for (int i = 0; i < PAIRS; i++) {
            const sa_length_balance *balance = &results[i].details->balance;
            ck_assert_str_eq(results[i].translation, found[i].text);
            ck_assert_str_eq(results[i].reference, pairs[i].target);
            ck_assert_int_eq(results[i].complete, found[i].complete);
            ck_assert_int_eq(results[i].exact, strcmp(found[i].text, pairs[i].target) == 0);
            ck_assert_int_eq(balance->words, found[i].words - found[i].complete);
            ck_assert_int_eq(balance->reference, words_of(pairs[i].target));
            ck_assert_double_eq_tol(
                balance->over.weight,
                column(found[i].weights, found[i].words, found[i].sources, balance->over.position),
                1e-6);
            ck_assert_double_eq_tol(
                balance->under.weight,
                column(found[i].weights, found[i].words, found[i].sources, balance->under.position),
                1e-6);
            exact += results[i].exact;
        }
        sa_translations_release(found, PAIRS);
        for (int i = 0; i < PAIRS; i++) ck_assert(!found[i].text && !found[i].weights);
        sa_sentence_results_release(results, PAIRS);
    }
    ck_assert_int_gt(exact, 0);
    ck_assert_int_lt(exact, 2 * PAIRS);
    sa_model_close(model);
}
END_TEST

/* Translations of the length of the reference, by request; those of another length are shown, too.
 */
START_TEST(lengths_may_be_those_of_the_references) {
    open_model("");
    search.reference_length = true;
    search.batch = 2;
    evaluate();
    for (int i = 0; i < PAIRS; i++)
        ck_assert_int_eq(results[i].details->balance.words, words_of(pairs[i].target));
    close_model();
}
END_TEST

/* Links replace the weights of translations, too: those of a linked source word sum to at least 1.
 */
START_TEST(translations_may_follow_the_links) {
    open_model("");
    search.reference_length = true;
    search.batch = 2;
    search.override = (sa_attention_override){.kind = SA_OVERRIDE_GOLD};
    evaluate();
    for (int i = 0; i < PAIRS; i++) {
        const sa_length_balance *balance = &results[i].details->balance;
        const sa_source_coverage ends[] = {balance->over, balance->under};
        int s, t, used;
        char kind;
        for (const char *at = pairs[i].gold; sscanf(at, "%d%c%d%n", &s, &kind, &t, &used) == 3;
             at += used)
            for (int k = 0; k < 2; k++)
                if (ends[k].position == s) ck_assert_double_ge(ends[k].weight, 1 - 1e-5);
    }
    close_model();
}
END_TEST

/* Any other attention has read the whole source before. */
START_TEST(monotonic_attention_reads_while_it_writes) {
    for (int monotonic = 0; monotonic < 2; monotonic++) {
        open_model(monotonic ? "attention=monotonic" : "");
        evaluate();
        for (int i = 0; i < PAIRS; i++)
            ck_assert_uint_eq(results[i].details->attention.online,
                              monotonic ? words_of(pairs[i].target) : 0);
        close_model();
    }
}
END_TEST

START_TEST(a_model_without_attention_has_no_links) {
    open_model("decoder=fixed");
    evaluate();
    for (int i = 0; i < PAIRS; i++) {
        ck_assert_uint_eq(results[i].details->attention.rows, 0);
        ck_assert_uint_eq(results[i].details->links.links, 0);
        ck_assert_int_eq(results[i].details->balance.over.position, -1);
    }
    close_model();
}
END_TEST

/* A model that has learned nothing goes on until it is cut off. */
START_TEST(translations_may_have_no_end) {
    const char *sources[PAIRS];
    sa_translation found[PAIRS];
    int cut = 0;
    open_model("steps=3");
    evaluate();
    for (int i = 0; i < PAIRS; i++) sources[i] = pairs[i].source;
    ck_assert(sa_translate(model, sources, PAIRS, &search, found, &error));
    for (int i = 0; i < PAIRS; i++) {
        ck_assert_int_eq(results[i].complete, found[i].complete);
        ck_assert_int_eq(results[i].details->balance.words, found[i].words - found[i].complete);
        cut += !found[i].complete;
    }
    ck_assert_int_gt(cut, 0);
    sa_translations_release(found, PAIRS);
    close_model();
}
END_TEST

/* Rows that an override makes uniform have the entropy log S, end of sentence included. */
START_TEST(weights_may_be_overridden) {
    open_model("");
    search.override = (sa_attention_override){.kind = SA_OVERRIDE_UNIFORM};
    evaluate();
    for (int i = 0; i < PAIRS; i++)
        ck_assert_double_eq_tol(
            results[i].details->attention.entropy,
            (words_of(pairs[i].target) + 1) * log(words_of(pairs[i].source) + 1), 1e-5);
    close_model();
}
END_TEST

static bool expect_read_rows(void *context, size_t index, const sa_alignment *alignment,
                             sa_error *why) {
    (void)context, (void)why;
    links_are(&results[index].details->links, &pairs[index], alignment->weights, alignment->targets,
              alignment->sources, 0);
    return true;
}

/* Links of the rows that have read a word, in place of those that predict it. */
START_TEST(links_may_be_of_words_that_are_read) {
    const sa_align_options input = {.at = SA_ALIGN_INPUT};
    sa_link_options linking;
    open_model("model=transformer attention=scaled-dot");
    sa_link_options_init(&linking);
    linking.at = SA_ALIGN_INPUT;
    ck_assert(sa_evaluate(model, &corpus, &search, &linking, results, &error));
    ck_assert(sa_align(model, &input, pairs, PAIRS, expect_read_rows, NULL, &error));
    close_model();
}
END_TEST

/* More pairs than are in memory together, each with a prefix of its own. */
START_TEST(many_pairs_have_their_own_results) {
    enum { MANY = 2060 };
    static sa_pair many[MANY];
    static sa_sentence_result each[MANY];
    static const char *begun[MANY], *const first[] = {"v0", "v1", "v2 v3", "v4", "", "v5"};
    const sa_corpus all = {.pairs = many, .count = MANY, .name = "many", .gold = true};
    for (int i = 0; i < MANY; i++) many[i] = pairs[i % PAIRS], begun[i] = first[i % PAIRS];
    begun[MANY - 1] = "v6";
    open_model("");
    search.target_prefix = first;
    evaluate();
    search.target_prefix = begun;
    ck_assert(sa_evaluate(model, &all, &search, NULL, each, &error));
    for (int i = 0; i < MANY - 1; i++) {
        const sa_sentence_result *own = &results[i % PAIRS];
        ck_assert_str_eq(each[i].translation, own->translation);
        ck_assert_str_eq(each[i].reference, own->reference);
        ck_assert_double_eq_tol(each[i].log_probability, own->log_probability, 1e-5);
        ck_assert_mem_eq(each[i].translation, begun[i], strlen(begun[i]));
    }
    ck_assert_mem_eq(each[MANY - 1].translation, "v6", 2);
    sa_sentence_results_release(each, MANY);
    ck_assert_ptr_null(each[MANY - 1].details);
    close_model();
}
END_TEST

/* ---- Summaries ------------------------------------------------------------------------------- */

static sa_sentence_details details[3];
static sa_sentence_result written[3];
static const sa_corpus three = {.pairs = pairs, .count = 3, .name = "pairs", .gold = true};

static void write_results(void) {
    static char text[3][16] = {"a b c", "a x", "c d"}, reference[3][16] = {"a b c", "a b", "x d"};
    for (int i = 0; i < 3; i++) {
        details[i] = (sa_sentence_details){
            .links = {.links = 2, .sure = 2, .links_sure = (size_t)i, .links_possible = 2},
            .before = {.links = 1, .sure = 2, .links_sure = 1, .links_possible = 1},
            .after = {.links = 4, .sure = 4, .links_sure = 0, .links_possible = 1},
            .balance = {.words = 3, .reference = 4, .repetitions = i, .dropped = 1},
            .attention = {.rows = 2,
                          .words = 4,
                          .cells = 20,
                          .zeros = 5,
                          .entropy = i,
                          .weight = 3,
                          .eos_weight = 0.75,
                          .sources = 5,
                          .covered = (size_t)i,
                          .steps = 2,
                          .monotone = 1,
                          .online = 2,
                          .read = 3,
                          .available = 8}};
        written[i] = (sa_sentence_result){.details = &details[i],
                                          .translation = text[i],
                                          .reference = reference[i],
                                          .exact = i == 0,
                                          .complete = true,
                                          .log_probability = -(i + 1),
                                          .words = i + 2};
    }
}

/* Each figure from the sums over all three, or over the last and the first. */
START_TEST(figures_are_quotients_of_sums) {
    static const size_t chosen[] = {2, 0};
    sa_eval_result all, some;
    write_results();
    ck_assert(sa_eval_summarize(NULL, &three, written, NULL, 3, &all, &error));
    ck_assert(sa_eval_summarize(NULL, &three, written, chosen, 2, &some, &error));
    const struct {
        double found, wanted;
    } cases[] = {
        {(double)all.sentences, 3},
        {(double)some.sentences, 2},
        {(double)all.target_words, 2 + 3 + 4},
        {(double)some.target_words, 4 + 2},
        {all.loss, 6. / 9},
        {some.loss, 4. / 6},
        {all.perplexity, exp(6. / 9)},
        {some.perplexity, exp(4. / 6)},
        {all.exact, 1. / 3},
        {some.exact, 1. / 2},
        {all.wer, 100 - 100. / 3},
        {some.wer, 50},
        {all.tokens, 5. / 7},
        {some.tokens, 4. / 5},
        {all.per, 100 * 2. / 7},
        {some.per, 100 * 1. / 5},
        {all.precision, 6. / 6},
        {all.recall, 3. / 6},
        {some.recall, 2. / 4},
        {all.aer, 1 - (3. + 6) / (6 + 6)},
        {some.aer, 1 - (2. + 4) / (4 + 4)},
        {all.aer_before, 1 - (3. + 3) / (3 + 6)},
        {all.aer_after, 1 - (0. + 3) / (12 + 12)},
        {all.entropy, 3. / 6},
        {some.entropy, 2. / 4},
        {all.coverage, 3. / 15},
        {some.coverage, 2. / 10},
        {all.end_weight, 0.25},
        {all.row_sum, 9. / 12},
        {all.zeros, 0.25},
        {all.monotonicity, 0.5},
        {all.latency, 1.5},
        {all.source_length, 4},
        {all.rep, 100 * 3. / 12},
        {some.rep, 100 * 2. / 8},
        {all.drop, 100 * 3. / 15},
        {some.drop, 100 * 2. / 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(fabs(cases[i].found - cases[i].wanted) < 1e-12, "%zu: %.9g, not %.9g", i,
                      cases[i].found, cases[i].wanted);
}
END_TEST

/* What cannot be counted is NaN. */
START_TEST(what_is_missing_has_no_figure) {
    sa_corpus without = three;
    sa_eval_result found;
    write_results();
    without.gold = false;
    ck_assert(sa_eval_summarize(NULL, &without, written, NULL, 3, &found, &error));
    ck_assert(isnan(found.aer) && isnan(found.precision) && isnan(found.recall));
    ck_assert(isnan(found.aer_before) && isnan(found.aer_after));
    for (int i = 0; i < 3; i++) details[i] = (sa_sentence_details){0};
    ck_assert(sa_eval_summarize(NULL, &three, written, NULL, 3, &found, &error));
    const double none[] = {found.aer,     found.entropy,      found.coverage, found.end_weight,
                           found.row_sum, found.zeros,        found.latency,  found.source_length,
                           found.rep,     found.monotonicity, found.drop,     found.precision};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(isnan(none[i]), "%zu: %g", i, none[i]);
    ck_assert(sa_eval_summarize(NULL, &three, written, NULL, 0, &found, &error));
    ck_assert(isnan(found.exact) && isnan(found.loss));
}
END_TEST

START_TEST(what_is_no_result_is_refused) {
    static const size_t chosen[] = {0, 3};
    sa_eval_result found;
    write_results();
    ck_assert(!sa_eval_summarize(NULL, &three, written, chosen, 2, &found, &error));
    ck_assert_str_eq(error.text, "'chosen': there is no pair 3, only 3");
    for (int i = 0; i < 3; i++) {
        write_results();
        if (i == 0) written[2].translation = NULL;
        if (i == 1) written[2].reference = NULL;
        if (i == 2) written[2].details = NULL;
        ck_assert(!sa_eval_summarize(NULL, &three, written, NULL, 3, &found, &error));
        ck_assert_str_eq(error.text, "'results[2]' is empty: sa_evaluate fills it in");
        ck_assert(sa_eval_summarize(NULL, &three, written, NULL, 2, &found, &error));
    }
    write_results();
    written[1].log_probability = -1e9;
    ck_assert(!sa_eval_summarize(NULL, &three, written, NULL, 3, &found, &error));
    ck_assert_int_eq(error.code, SA_DIVERGED);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("evaluation", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_loop_test(tests, results_are_those_of_the_alignments, 0, 2);
    tcase_add_loop_test(tests, links_of_subwords_are_between_words, 0, 3);
    tcase_add_test(tests, translations_are_those_of_the_search);
    tcase_add_test(tests, lengths_may_be_those_of_the_references);
    tcase_add_test(tests, translations_may_follow_the_links);
    tcase_add_test(tests, monotonic_attention_reads_while_it_writes);
    tcase_add_test(tests, translations_may_have_no_end);
    tcase_add_test(tests, weights_may_be_overridden);
    tcase_add_test(tests, links_may_be_of_words_that_are_read);
    tcase_add_test(tests, many_pairs_have_their_own_results);
    tcase_add_test(tests, a_model_without_attention_has_no_links);
    tcase_add_test(tests, figures_are_quotients_of_sums);
    tcase_add_test(tests, what_is_missing_has_no_figure);
    tcase_add_test(tests, what_is_no_result_is_refused);
    return suite_run(suite);
}
