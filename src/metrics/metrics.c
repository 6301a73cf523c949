#include "metrics/metrics.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/utf8.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(field) SA_SCOPE_RUN, offsetof(sa_metrics, field)

const sa_option sa_metrics_options[] = {
    SA_METRICS_ROWS(AT),
    {"lowercase", SA_SWITCH(AT(lowercase)), "case-insensitive scores"},
    {0},
};

const sa_option *sa_metrics_option(size_t i) {
    return sa_option_at(sa_metrics_options, i);
}

void sa_metrics_init(sa_metrics *metrics) {
    if (metrics) *metrics = (sa_metrics){0};
    sa_options_init(sa_metrics_options, metrics);
}

bool sa_metrics_set(sa_metrics *metrics, const char *name, const char *value, sa_error *error) {
    return sa_given(metrics, "metrics", error) &&
           sa_options_set(sa_metrics_options, metrics, name, value, error);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static bool tokenize_line(sa_units *out, const char *text, int tokenizer, sa_error *error) {
    sa_buffer_add(&out->text, "", 0);
    sa_metric_tokenizers[tokenizer].tokenize(text, &out->text);
    if (out->text.failed) return sa_fail_memory(error, out->text.size);
    sa_units_words(out, out->text.text);
    return !out->failed || sa_fail_memory(error, out->text.size);
}

/* Returns whether two lines are equal, ignoring white space. */
static bool same_text(const char *a, const char *b) {
    const char *one = "", *other = "";
    for (size_t left = 0, right = 0;;) {
        if (!left) one = sa_metric_next_word(&a, &left);
        if (!right) other = sa_metric_next_word(&b, &right);
        if (!one || !other) return one == other;
        const size_t size = left < right ? left : right;
        if (memcmp(one, other, size) != 0) return false;
        one += size, other += size;
        left -= size, right -= size;
    }
}

/* Adds the counts for the reference with the largest fraction of equal tokens at equal positions.
 */
static void add_same(sa_metric_stats *stats, const sa_units *ours, const sa_units *theirs,
                     size_t count) {
    int64_t same = 0, tokens = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t of = (int64_t)theirs[i].count;
        int64_t now = 0;
        for (size_t k = 0; k < ours->count && k < theirs[i].count; k++)
            now += sa_token_compare(ours->unit[k], theirs[i].unit[k]) == 0;
        if (i == 0 || now * tokens > same * of || (now && !tokens)) same = now, tokens = of;
    }
    stats->same += same, stats->tokens += tokens;
}

/* Adds the edits to the reference that needs the fewest. Tokens with equal hashes count as equal.
 */
static bool add_edits(sa_metric_stats *stats, const sa_units *ours, const sa_units *theirs,
                      size_t count, sa_error *error) {
    const sa_metric_stats before = *stats;
    for (size_t i = 0; i < count; i++) {
        const size_t n = ours->count, m = theirs[i].count;
        uint64_t *hash = sa_new(n + 2 * m + 1, sizeof *hash, error);
        if (!hash) return false;
        for (size_t k = 0; k < n + m; k++) {
            const sa_token token = k < n ? ours->unit[k] : theirs[i].unit[k - n];
            hash[k] = sa_hash(token.text, token.size);
        }
        const int64_t edits = (int64_t)sa_edit_distance(hash, n, hash + n, m, hash + n + m);
        free(hash);
        if (i && before.edits + edits >= stats->edits) continue;
        stats->edits = before.edits + edits;
        stats->edited = before.edited + (int64_t)m;
    }
    return true;
}

static bool count_line(sa_metric_stats *stats, const sa_metrics *metrics, const char *hypothesis,
                       const char *const *references, size_t count, sa_error *error) {
    sa_units ours = {0}, *theirs = sa_new(count, sizeof *theirs, error);
    bool good = theirs && tokenize_line(&ours, hypothesis, metrics->tokenize, error);
    for (size_t i = 0; good && i < count; i++) {
        good = tokenize_line(&theirs[i], references[i], metrics->tokenize, error);
        stats->exact |= same_text(hypothesis, references[i]);
    }
    good = good && sa_bleu_add(&stats->bleu, &ours, theirs, count, error) &&
           sa_chrf_add(&stats->chrf, metrics, hypothesis, references, count, error) &&
           add_edits(stats, &ours, theirs, count, error);
    if (good) add_same(stats, &ours, theirs, count);
    for (size_t i = 0; theirs && i < count; i++) sa_units_release(&theirs[i]);
    sa_units_release(&ours);
    free(theirs);
    return good;
}

bool sa_metric_stats_compute(sa_metric_stats *stats, const sa_metrics *metrics,
                             const char *hypothesis, const char *const *references, size_t count,
                             sa_error *error) {
    *stats = (sa_metric_stats){.sentences = 1};
    if (!metrics->lowercase)
        return count_line(stats, metrics, hypothesis, references, count, error);
    char *ours = sa_utf8_lower(hypothesis, strlen(hypothesis), error);
    char **theirs = ours ? sa_new(count, sizeof *theirs, error) : NULL;
    bool good = theirs != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = (theirs[i] = sa_utf8_lower(references[i], strlen(references[i]), error)) != NULL;
    good = good && count_line(stats, metrics, ours, (const char *const *)theirs, count, error);
    for (size_t i = 0; theirs && i < count; i++) free(theirs[i]);
    free(theirs), free(ours);
    return good;
}

void sa_metric_stats_add(sa_metric_stats *sum, const sa_metric_stats *one) {
    _Static_assert(sizeof *sum % sizeof(int64_t) == 0, "sa_metric_stats consists of int64_t only");
    int64_t *to = (int64_t *)sum;
    const int64_t *from = (const int64_t *)one;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) to[i] += from[i];
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static double fraction(int64_t part, int64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

sa_metric_values sa_metric_values_of(const sa_metric_stats *sum, const sa_metrics *metrics) {
    return (sa_metric_values){.bleu = sa_bleu_value(&sum->bleu, metrics),
                              .chrf = sa_chrf_value(&sum->chrf, metrics),
                              .exact = fraction(sum->exact, sum->sentences),
                              .tokens = fraction(sum->same, sum->tokens),
                              .per = 100 * fraction(sum->edits, sum->edited)};
}

double sa_metric_value(const sa_metric_values *values, int metric) {
    double value;
    memcpy(&value, (const char *)values + sa_metric_list[metric].offset, sizeof value);
    return value;
}

#define VALUE(field) offsetof(sa_metric_values, field)

const sa_metric sa_metric_list[SA_METRIC_COUNT] = {
    [SA_METRIC_BLEU] = {"bleu", "BLEU", 1, VALUE(bleu)},
    [SA_METRIC_CHRF] = {"chrf", "chrF", 1, VALUE(chrf)},
    [SA_METRIC_EXACT] = {"exact", "exact", 100, VALUE(exact)},
    [SA_METRIC_TOKENS] = {"tokens", "tokens", 100, VALUE(tokens)},
    [SA_METRIC_PER] = {"per", "PER", 1, VALUE(per)},
};

static const char *yes(bool value) {
    return value ? "yes" : "no";
}

void sa_metric_signature(int metric, const sa_metrics *metrics, size_t references,
                         const char *drawn, sa_buffer *out) {
    const double smoothing = sa_smoothing_value(metrics);
    sa_buffer_adds(out, sa_metric_list[metric].title);
    if (metric > SA_METRIC_CHRF) return;
    if (metric == SA_METRIC_CHRF) /* "chrF2", with a plus for every word order */
        sa_buffer_addf(out, "%d%.*s", metrics->chrf_beta, metrics->chrf_word_order, "++++");
    sa_buffer_addf(out, "|nrefs:%zu|%scase:%s|", references, drawn,
                   metrics->lowercase ? "lc" : "mixed");
    if (metric == SA_METRIC_BLEU)
        sa_buffer_addf(out, "eff:%s|tok:%s|smooth:%s", yes(metrics->effective_order),
                       sa_metric_tokenizers[metrics->tokenize].name,
                       sa_smoothings[metrics->smooth].name);
    else
        sa_buffer_addf(out, "eff:%s|nc:%d|nw:%d|space:%s", yes(!metrics->chrf_eps),
                       metrics->chrf_order, metrics->chrf_word_order,
                       yes(metrics->chrf_whitespace));
    if (metric == SA_METRIC_BLEU && smoothing > 0) {
        sa_buffer_adds(out, "[");
        sa_number_add_fixed(out, smoothing, 2);
        sa_buffer_adds(out, "]");
    }
    sa_buffer_addf(out, "|softalign:%s", SOFTALIGN_VERSION);
}

bool sa_compute_metrics(const sa_metrics *metrics, const char *const *hypotheses,
                        const char *const *const *references, size_t reference_count, size_t count,
                        sa_metric_values *values, sa_error *error) {
    if (!sa_given(metrics, "metrics", error) ||
        !sa_options_check(sa_metrics_options, metrics, error) ||
        !sa_given_texts(hypotheses, count, "hypotheses", error) ||
        !sa_within((int64_t)reference_count, 1, INT_MAX, "reference_count", error) ||
        !sa_given(references, "references", error) || !sa_given(values, "values", error))
        return false;
    for (size_t r = 0; r < reference_count; r++)
        if (!sa_given_texts(references[r], count, "references", error)) return false;
    sa_metric_stats sum = {0}, one;
    const char **of_one = sa_new(reference_count, sizeof *of_one, error);
    bool good = of_one != NULL;
    for (size_t i = 0; good && i < count; i++) {
        for (size_t r = 0; r < reference_count; r++) of_one[r] = references[r][i];
        good =
            sa_metric_stats_compute(&one, metrics, hypotheses[i], of_one, reference_count, error);
        if (good) sa_metric_stats_add(&sum, &one);
    }
    free(of_one);
    *values = sa_metric_values_of(&sum, metrics);
    return good;
}

bool sa_targets_lack_spaces(const sa_corpus *corpus) {
    enum { PAIRS = 1000, WORD = 5 }; /* letters of segmented words, on average, at most */
    size_t letters = 0, unspaced = 0, spaces = 0;
    for (size_t i = 0; i < corpus->count && i < PAIRS; i++, spaces++) {
        const char *text = corpus->pairs[i].target;
        for (size_t size = strlen(text), length; size; text += length, size -= length) {
            const sa_char_class kind = sa_utf8_char_class(text, size, &length);
            const uint32_t code = sa_utf8_codepoint(text, size, &length);
            spaces += kind == SA_CHAR_SPACE;
            if (!sa_utf8_is_letter(code)) continue;
            letters++;
            unspaced += kind == SA_CHAR_HAN ||
                        (code >= 0xe00 && code <= 0x109f) || /* Thai, Lao .. */
                        (code >= 0x1780 && code <= 0x17ff);  /* Khmer */
        }
    }
    return 2 * unspaced > letters && letters > WORD * spaces;
}

/* ---- By length ------------------------------------------------------------------------------- */

const sa_length_band sa_length_bands[SA_LENGTH_BANDS + 1] = {
    {0, 2, "1-2"},     {3, 5, "3-5"},        {6, 10, "6-10"},
    {11, 15, "11-15"}, {16, 20, "16-20"},    {21, 30, "21-30"},
    {31, 40, "31-40"}, {41, INT_MAX, "41+"}, {0, 0, NULL},
};

int sa_length_band_contains(const sa_length_band *band, int words) {
    return words >= band->min && words <= band->max;
}

/* ---- Bootstrap ------------------------------------------------------------------------------- */

#define DRAWN(field) SA_SCOPE_RUN, offsetof(sa_resampling, field)

const sa_option sa_resampling_options[] = {
    {"samples", SA_INT(DRAWN(samples), 1000, 1, 1000000, "N"), "number of bootstrap samples"},
    {"seed", SA_INT64(DRAWN(seed), 1, 0, 9007199254740991, "N"), "random seed of the bootstrap"},
    {0},
};

double *sa_bootstrap_values(const sa_metric_stats *each, size_t count, const sa_metrics *metrics,
                            const sa_resampling *resampling, sa_error *error) {
    enum { STREAM = 0x626f6f74 };
    const size_t samples = (size_t)resampling->samples;
    double *values = sa_new(SA_METRIC_COUNT * samples, sizeof *values, error);
    sa_rng rng = sa_rng_seed((uint64_t)resampling->seed, STREAM);
    for (size_t i = 0; values && i < samples; i++) {
        sa_metric_stats sum = {0};
        for (size_t k = 0; k < count; k++)
            sa_metric_stats_add(&sum, &each[sa_rng_below(&rng, (uint32_t)count)]);
        const sa_metric_values drawn = sa_metric_values_of(&sum, metrics);
        for (int m = 0; m < SA_METRIC_COUNT; m++)
            values[(size_t)m * samples + i] = sa_metric_value(&drawn, m);
    }
    return values;
}

sa_confidence_interval sa_confidence_interval_of(double *values, int samples) {
    const int cut = samples / 40;
    double sum = 0;
    qsort(values, (size_t)samples, sizeof *values, sa_number_compare);
    for (int i = 0; i < samples; i++) sum += values[i];
    return (sa_confidence_interval){sum / samples, values[cut], values[samples - cut - 1]};
}

double sa_bootstrap_p_value(const double *differences, int samples, double difference) {
    double mean = 0;
    int far = 0;
    for (int i = 0; i < samples; i++) mean += differences[i] / samples;
    for (int i = 0; i < samples; i++) far += fabs(differences[i] - mean) >= fabs(difference);
    return isnan(mean) ? NAN : (double)(far + 1) / (samples + 1);
}

double sa_sacrebleu_p_value(const double *differences, int samples, double difference) {
    double mean = 0;
    int far = 0;
    for (int i = 0; i < samples; i++) mean += fabs(differences[i]);
    mean /= samples;
    for (int i = 0; i < samples; i++) far += fabs(differences[i]) - mean > fabs(difference);
    return isnan(mean) ? NAN : (double)(far + 1) / (samples + 1);
}

double sa_holm_p_value(const double *p, size_t count, size_t i) {
    double most = p[i]; /* NaN stays */
    for (size_t j = 0; j < count; j++) {
        int larger = 0;
        for (size_t k = 0; k < count; k++) larger += p[k] >= p[j];
        if (p[j] <= p[i]) most = fmax(most, fmin(1, p[j] * larger));
    }
    return most;
}
