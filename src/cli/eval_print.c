#include "cli/eval.h"
#include "cli/output.h"
#include "metrics/aer.h"
#include "report/pair_scores.h"

#include <math.h>

typedef struct row {
    const char *name;
    sa_eval_result scores;
    bool drawn; /* with confidence intervals of BLEU and chrF */
    sa_confidence_interval interval[SA_METRIC_COUNT];
} row;

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Without a band, of all pairs. */
static bool fill(const evaluation *work, const sa_length_band *band, row *out, sa_error *error) {
    const sa_metrics *metrics = &work->options->metrics;
    *out = (row){.name = band ? band->name : "all"};
    const bool good =
        band ? sa_pair_scores_band(metrics, &work->corpus, work->each, band, &out->scores, error)
             : sa_eval_summarize(metrics, &work->corpus, work->each, NULL, work->corpus.count,
                                 &out->scores, error);
    out->drawn = good && work->stats && out->scores.sentences;
    return good && (!out->drawn || sa_pair_scores_intervals(
                                       metrics, &work->options->resampling, work->stats, work->each,
                                       work->corpus.count, band, out->interval, error));
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void add_rate(double rate, sa_buffer *out) {
    if (isnan(rate))
        sa_buffer_adds(out, "      -");
    else
        sa_buffer_addf(out, "  %.3f", rate);
}

static void add_row(const row *one, sa_buffer *out) {
    const sa_eval_result *scores = &one->scores;
    sa_buffer_addf(out, "%-12s %9zu %8lld  %.4f %10.3f  %6.2f  %5.1f %%", one->name,
                   scores->sentences, (long long)scores->target_words, scores->loss,
                   scores->perplexity, scores->bleu, 100 * scores->exact);
    add_rate(scores->aer, out);
    if (one->drawn)
        sa_buffer_addf(out, "  %6.2f to %6.2f", one->interval[SA_METRIC_BLEU].low,
                       one->interval[SA_METRIC_BLEU].high);
    sa_buffer_adds(out, "\n");
}

static void add_links(const sa_eval_result *all, sa_buffer *out) {
    const double rates[] = {all->precision, all->recall, all->aer_before, all->aer_after};
    static const char *const names[] = {"links: precision", ", recall", "; AER a word earlier",
                                        ", a word later"};
    if (isnan(all->aer)) return;
    for (int i = 0; i < 4; i++)
        sa_buffer_addf(out, isnan(rates[i]) ? "%s -" : "%s %.3f", names[i], rates[i]);
    sa_buffer_adds(out, "\n");
    const bool before = sa_aer_is_off_by_one(all->aer, all->aer_before);
    if (before || sa_aer_is_off_by_one(all->aer, all->aer_after))
        sa_buffer_addf(out, "The attention seems off by one: its rows fit the target word %s.\n",
                       before ? "before" : "after");
}

static void add_adequacy(const sa_eval_result *all, sa_buffer *out) {
    if (isnan(all->rep)) return;
    sa_buffer_addf(out, "repetitions (REP) %.2f", all->rep);
    if (!isnan(all->drop)) sa_buffer_addf(out, ", dropped source words (DROP) %.2f", all->drop);
    sa_buffer_adds(out, "\n");
}

static void add_attention(const sa_eval_result *all, sa_buffer *out) {
    if (isnan(all->entropy)) return;
    sa_buffer_addf(out, "attention: entropy %.3f, coverage %.1f %%, on </s> %.1f %%", all->entropy,
                   100 * all->coverage, 100 * all->end_weight);
    if (fabs(all->row_sum - 1) > 0.0005) sa_buffer_addf(out, ", rows sum to %.3f", all->row_sum);
    if (all->zeros >= 0.0005) sa_buffer_addf(out, ", exact zeros %.1f %%", 100 * all->zeros);
    if (!isnan(all->monotonicity))
        sa_buffer_addf(out, ", monotone %.1f %%", 100 * all->monotonicity);
    sa_buffer_adds(out, "\n");
    if (!isnan(all->latency))
        sa_buffer_addf(out,
                       "latency: %.1f of %.1f source words are read before a target word (%.1f "
                       "%%)\n",
                       all->latency, all->source_length, 100 * all->latency / all->source_length);
}

bool eval_print_text(const evaluation *work, sa_error *error) {
    sa_buffer out = {0};
    row all, one;
    bool good = fill(work, NULL, &all, error);
    sa_buffer_addf(&out, "%-12s %9s %8s  %6s %10s  %6s  %7s  %5s%s\n", "source words", "sentences",
                   "words", "loss", "perplexity", "BLEU", "exact", "AER",
                   work->stats ? "  95 % of BLEU in" : "");
    for (const sa_length_band *band = sa_length_bands;
         work->options->by_length && good && band->name; band++) {
        good = fill(work, band, &one, error);
        if (good && one.scores.sentences) add_row(&one, &out);
    }
    if (good) {
        add_row(&all, &out);
        sa_buffer_addf(&out, "chrF %.2f", all.scores.chrf);
        if (all.drawn)
            sa_buffer_addf(&out, " (95 %% in %.2f to %.2f)", all.interval[SA_METRIC_CHRF].low,
                           all.interval[SA_METRIC_CHRF].high);
        sa_buffer_addf(&out, ", tokens in place %.1f %%, free-running perplexity %.3f\n",
                       100 * all.scores.tokens, all.scores.free_perplexity);
        add_adequacy(&all.scores, &out);
        add_attention(&all.scores, &out);
        add_links(&all.scores, &out);
        if (work->options->diagnose) eval_add_diagnosis(work, &out);
        good = cli_print(&out, error);
    }
    sa_buffer_release(&out);
    return good;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_row(const row *one) {
    static const struct {
        const char *key;
        size_t at;
    } figures[] = {
        {"loss", offsetof(sa_eval_result, loss)},
        {"perplexity", offsetof(sa_eval_result, perplexity)},
        {"free_running_perplexity", offsetof(sa_eval_result, free_perplexity)},
        {"bleu", offsetof(sa_eval_result, bleu)},
        {"chrf", offsetof(sa_eval_result, chrf)},
        {"exact", offsetof(sa_eval_result, exact)},
        {"tokens", offsetof(sa_eval_result, tokens)},
        {"aer", offsetof(sa_eval_result, aer)},
        {"precision", offsetof(sa_eval_result, precision)},
        {"recall", offsetof(sa_eval_result, recall)},
        {"aer_before", offsetof(sa_eval_result, aer_before)},
        {"aer_after", offsetof(sa_eval_result, aer_after)},
        {"entropy", offsetof(sa_eval_result, entropy)},
        {"coverage", offsetof(sa_eval_result, coverage)},
        {"end_weight", offsetof(sa_eval_result, end_weight)},
        {"row_sum", offsetof(sa_eval_result, row_sum)},
        {"zeros", offsetof(sa_eval_result, zeros)},
        {"latency", offsetof(sa_eval_result, latency)},
        {"source_length", offsetof(sa_eval_result, source_length)},
        {"monotonicity", offsetof(sa_eval_result, monotonicity)},
        {"rep", offsetof(sa_eval_result, rep)},
        {"drop", offsetof(sa_eval_result, drop)},
    };
    json_t *object = json_pack("{s:I, s:I}", "sentences", (json_int_t)one->scores.sentences,
                               "target_words", (json_int_t)one->scores.target_words);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const void *figure = (const char *)&one->scores + figures[i].at;
        json_object_set_new(object, figures[i].key, sa_json_number(*(const double *)figure));
    }
    json_t *intervals = one->drawn ? json_object() : NULL;
    for (int m = SA_METRIC_BLEU; intervals && m <= SA_METRIC_CHRF; m++)
        json_object_set_new(intervals, sa_metric_list[m].key, cli_json_interval(&one->interval[m]));
    if (intervals) json_object_set_new(object, "intervals", intervals);
    return object;
}

bool eval_print_json(const evaluation *work, sa_error *error) {
    row all, one;
    if (!fill(work, NULL, &all, error)) return false;
    json_t *object = json_row(&all), *bands = work->options->by_length ? json_object() : NULL;
    bool good = true;
    for (const sa_length_band *band = sa_length_bands; bands && good && band->name; band++) {
        good = fill(work, band, &one, error);
        if (good && one.scores.sentences) json_object_set_new(bands, band->name, json_row(&one));
    }
    if (bands) json_object_set_new(object, "by_length", bands);
    json_object_set_new(object, "diagnosis", eval_json_diagnosis(work));
    if (good) return cli_print_json(object, error);
    json_decref(object);
    return false;
}
