#include "metrics/metrics.h"
#include "base/number.h"
#include "metrics/metric_tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(field) offsetof(sa_metrics, field)

const sa_option sa_metrics_options[] = {
    {"tokenize", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(tokenize), 0, 0, 0, sa_cut_name, "NAME",
     "how BLEU and token accuracy cut a line into tokens"},
    {"smooth", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(smooth), 0, 0, 0, sa_smoothing_name, "NAME",
     "what BLEU does with orders of which no n-gram matches"},
    {"smooth-value", SA_OPTION_REAL, SA_SCOPE_RUN, AT(smooth_value), 0, 0, 1000, NULL, "X",
     "what floor counts as met and add-k adds; 0: their own, 0.1 and 1"},
    {"effective-order", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(effective_order), 0, 0, 1, NULL, NULL,
     "BLEU of as many orders as there are n-grams of, for single sentences"},
    {"lowercase", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(lowercase), 0, 0, 1, NULL, NULL,
     "compare in lower case"},
    {"chrf-order", SA_OPTION_INT, SA_SCOPE_RUN, AT(chrf_order), 6, 1, SA_CHRF_CHARACTERS, NULL, "N",
     "longest n-grams of characters for chrF"},
    {"chrf-word-order", SA_OPTION_INT, SA_SCOPE_RUN, AT(chrf_word_order), 0, 0, SA_CHRF_WORDS, NULL,
     "N", "longest n-grams of words for chrF; 2: chrF++"},
    {"chrf-beta", SA_OPTION_INT, SA_SCOPE_RUN, AT(chrf_beta), 2, 1, 100, NULL, "N",
     "chrF counts recall so many times as much as precision"},
    {"chrf-whitespace", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(chrf_whitespace), 0, 0, 1, NULL, NULL,
     "chrF counts white space as characters"},
    {"chrf-eps", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(chrf_eps), 0, 0, 1, NULL, NULL,
     "chrF as the mean over all orders, those without n-grams included (chrF++.py, NLTK)"},
    {0},
};

#undef AT

void sa_metrics_init(sa_metrics *metrics) {
    sa_options_init(sa_metrics_options, metrics);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* A line and its tokens. */
typedef struct line {
    sa_buffer text;
    sa_units tokens;
} line;

static bool cut_line(line *out, const char *text, int tokenizer, sa_error *error) {
    sa_buffer_add(&out->text, "", 0);
    sa_cuts[tokenizer].cut(text, &out->text);
    if (out->text.failed) return sa_fail_memory(error, out->text.size);
    sa_units_words(&out->tokens, out->text.text);
    return !out->tokens.failed || sa_fail_memory(error, out->text.size);
}

static void release_line(line *one) {
    sa_buffer_release(&one->text);
    sa_units_release(&one->tokens);
}

/* Whether two lines are equal but for white space. */
static bool same_words(const char *a, const char *b) {
    for (;;) {
        size_t a_size, b_size;
        const char *one = sa_cut_word(&a, &a_size), *other = sa_cut_word(&b, &b_size);
        if (!one || !other) return one == other;
        if (a_size != b_size || memcmp(one, other, a_size) != 0) return false;
    }
}

static int64_t count_same(const sa_units *a, const sa_units *b) {
    int64_t same = 0;
    for (size_t i = 0; i < a->count && i < b->count; i++)
        same += sa_unit_equal(&a->unit[i], &b->unit[i]);
    return same;
}

/* The reference of whose tokens the largest share stands at the same place. */
static void add_same(sa_tally *tally, const sa_units *ours, const sa_units *theirs, size_t count) {
    int64_t same = 0, tokens = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t now = count_same(ours, &theirs[i]), of = (int64_t)theirs[i].count;
        if (i == 0 || now * tokens > same * of || (now && !tokens)) same = now, tokens = of;
    }
    tally->same += same, tally->tokens += tokens;
}

static bool count_line(sa_tally *tally, const sa_metrics *metrics, const char *hypothesis,
                       const char *const *references, size_t count, sa_error *error) {
    line ours = {0}, *theirs = sa_new(count, sizeof *theirs, error);
    sa_units *tokens = theirs ? sa_new(count, sizeof *tokens, error) : NULL;
    bool good = tokens && cut_line(&ours, hypothesis, metrics->tokenize, error);
    for (size_t i = 0; good && i < count; i++) {
        good = cut_line(&theirs[i], references[i], metrics->tokenize, error);
        tokens[i] = theirs[i].tokens;
        tally->exact |= same_words(hypothesis, references[i]);
    }
    good = good && sa_bleu_add(&tally->bleu, &ours.tokens, tokens, count, error) &&
           sa_chrf_add(&tally->chrf, metrics, hypothesis, references, count, error);
    if (good) add_same(tally, &ours.tokens, tokens, count);
    for (size_t i = 0; theirs && i < count; i++) release_line(&theirs[i]);
    release_line(&ours);
    free(theirs), free(tokens);
    return good;
}

bool sa_tally_make(sa_tally *tally, const sa_metrics *metrics, sa_lower lower,
                   const char *hypothesis, const char *const *references, size_t count,
                   sa_error *error) {
    *tally = (sa_tally){.sentences = 1};
    if (!metrics->lowercase)
        return count_line(tally, metrics, hypothesis, references, count, error);
    char *ours = lower(hypothesis, strlen(hypothesis), error);
    char **theirs = ours ? sa_new(count, sizeof *theirs, error) : NULL;
    bool good = theirs != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = (theirs[i] = lower(references[i], strlen(references[i]), error)) != NULL;
    good = good && count_line(tally, metrics, ours, (const char *const *)theirs, count, error);
    for (size_t i = 0; theirs && i < count; i++) free(theirs[i]);
    free(theirs), free(ours);
    return good;
}

void sa_tally_add(sa_tally *sum, const sa_tally *one) {
    _Static_assert(sizeof *sum % sizeof(int64_t) == 0, "a tally holds int64_t only");
    int64_t *to = (int64_t *)sum;
    const int64_t *from = (const int64_t *)one;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) to[i] += from[i];
}

/* ---- Figures --------------------------------------------------------------------------------- */

static double bleu(const sa_tally *tally, const sa_metrics *metrics) {
    return sa_bleu_score(&tally->bleu, metrics);
}

static double chrf(const sa_tally *tally, const sa_metrics *metrics) {
    return sa_chrf_score(&tally->chrf, metrics);
}

static double share(int64_t part, int64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static double exact(const sa_tally *tally, const sa_metrics *metrics) {
    (void)metrics;
    return share(tally->exact, tally->sentences);
}

static double same(const sa_tally *tally, const sa_metrics *metrics) {
    (void)metrics;
    return share(tally->same, tally->tokens);
}

static const char *yes(bool value) {
    return value ? "yes" : "no";
}

static void name_bleu(const sa_metrics *metrics, sa_buffer *out) {
    (void)metrics;
    sa_buffer_adds(out, "BLEU");
}

static void bleu_settings(const sa_metrics *metrics, sa_buffer *out) {
    const double value = sa_smoothing_value(metrics);
    sa_buffer_addf(out, "eff:%s|tok:%s|smooth:%s", yes(metrics->effective_order),
                   sa_cuts[metrics->tokenize].name, sa_smoothings[metrics->smooth].name);
    if (value > 0) {
        sa_buffer_adds(out, "[");
        sa_number_add_fixed(out, value, 2);
        sa_buffer_adds(out, "]");
    }
    sa_buffer_adds(out, "|");
}

/* chrF2, with a plus for every order of words. */
static void name_chrf(const sa_metrics *metrics, sa_buffer *out) {
    sa_buffer_addf(out, "chrF%d", metrics->chrf_beta);
    for (int n = 0; n < metrics->chrf_word_order; n++) sa_buffer_adds(out, "+");
}

static void chrf_settings(const sa_metrics *metrics, sa_buffer *out) {
    sa_buffer_addf(out, "eff:%s|nc:%d|nw:%d|space:%s|", yes(!metrics->chrf_eps),
                   metrics->chrf_order, metrics->chrf_word_order, yes(metrics->chrf_whitespace));
}

const sa_measure sa_measures[SA_MEASURES] = {
    [SA_BLEU] = {"bleu", "BLEU", 1, bleu, name_bleu, bleu_settings},
    [SA_CHRF] = {"chrf", "chrF", 1, chrf, name_chrf, chrf_settings},
    [SA_EXACT] = {"exact", "exact", 100, exact, NULL, NULL},
    [SA_SAME] = {"tokens", "tokens", 100, same, NULL, NULL},
};

void sa_measure_sign(const sa_measure *measure, const sa_metrics *metrics, size_t references,
                     const char *drawn, sa_buffer *out) {
    if (!measure->name) {
        sa_buffer_adds(out, measure->title);
        return;
    }
    measure->name(metrics, out);
    sa_buffer_addf(out, "|nrefs:%zu|%scase:%s|", references, drawn,
                   metrics->lowercase ? "lc" : "mixed");
    measure->settings(metrics, out);
    sa_buffer_addf(out, "softalign:%s", sa_version());
}
