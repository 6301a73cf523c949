#include "base/number.h"
#include "cli/output.h"
#include "cli/score_command.h"

/* " = 79.37", and its confidence interval. */
static void add_score(const score_work *work, int metric, sa_buffer *out) {
    const double whole = sa_metric_list[metric].whole;
    sa_buffer_addf(out, " = %.2f", whole * score_value(work, &work->ours.sum, metric));
    const sa_confidence_interval *interval = &work->ours.interval[metric];
    if (work->resampled)
        sa_buffer_addf(out, " (μ = %.2f ± %.2f)", whole * interval->mean,
                       whole * (interval->high - interval->low) / 2);
}

/* The parts of BLEU, as sacreBLEU shows them. */
static void add_parts(const score_work *work, sa_buffer *out) {
    const sa_bleu *bleu = &work->ours.sum.bleu;
    double precisions[SA_BLEU_ORDER];
    sa_bleu_precisions(bleu, &work->options->metrics, precisions);
    for (int n = 0; n < SA_BLEU_ORDER; n++)
        sa_buffer_addf(out, "%s%.1f", n ? "/" : " ", precisions[n]);
    sa_buffer_addf(out, " (BP = %.3f ratio = %.3f hyp_len = %lld ref_len = %lld)",
                   sa_bleu_brevity(bleu),
                   bleu->reference ? (double)bleu->hypothesis / (double)bleu->reference : 0,
                   (long long)bleu->hypothesis, (long long)bleu->reference);
}

static void add_lines(const score_work *work, sa_buffer *out) {
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        score_add_signature(work, m, out);
        add_score(work, m, out);
        if (m == SA_METRIC_BLEU) add_parts(work, out);
        sa_buffer_adds(out, sa_metric_list[m].whole > 1 ? " %\n" : "\n");
    }
}

static void add_against(const score_work *work, sa_buffer *out) {
    sa_buffer_addf(out, "\nagainst '%s':\n%-8s %8s %10s %18s %8s\n", work->theirs.name, "", "other",
                   "difference", "95 %", "p");
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        const double whole = sa_metric_list[m].whole,
                     other = score_value(work, &work->theirs.sum, m);
        const double difference = score_value(work, &work->ours.sum, m) - other;
        sa_buffer_addf(out, "%-8s %8.2f %+10.2f %+8.2f to %+6.2f %8.4f\n", sa_metric_list[m].title,
                       whole * other, whole * difference, whole * work->difference[m].low,
                       whole * work->difference[m].high, work->p_value[m]);
    }
}

static void add_band(const score_work *work, const char *name, const sa_metric_stats *sum,
                     const sa_confidence_interval *bleu, sa_buffer *out) {
    sa_buffer_addf(out, "%-12s %9lld %7.2f", name, (long long)sum->sentences,
                   score_value(work, sum, SA_METRIC_BLEU));
    if (bleu) sa_buffer_addf(out, " %7.2f to %6.2f", bleu->low, bleu->high);
    for (int m = SA_METRIC_BLEU + 1; m < SA_METRIC_COUNT; m++)
        sa_buffer_addf(out, " %7.2f", sa_metric_list[m].whole * score_value(work, sum, m));
    sa_buffer_adds(out, "\n");
}

static bool add_bands(const score_work *work, sa_buffer *out, sa_error *error) {
    const bool confidence = work->options->confidence;
    sa_metric_stats sum;
    sa_confidence_interval intervals[SA_METRIC_COUNT];
    sa_buffer_addf(out, "\n%-12s %9s %7s%s", "source words", "sentences", "BLEU",
                   confidence ? "     95 % between" : "");
    for (int m = SA_METRIC_BLEU + 1; m < SA_METRIC_COUNT; m++)
        sa_buffer_addf(out, " %5s%s", sa_metric_list[m].title,
                       sa_metric_list[m].whole > 1 ? " %" : "  ");
    sa_buffer_adds(out, "\n");
    for (const sa_length_band *band = sa_length_bands; band->name; band++) {
        if (!score_band(work, band, &sum, intervals, error)) return false;
        if (sum.sentences)
            add_band(work, band->name, &sum, confidence ? &intervals[SA_METRIC_BLEU] : NULL, out);
    }
    add_band(work, "all", &work->ours.sum, confidence ? &work->ours.interval[SA_METRIC_BLEU] : NULL,
             out);
    return true;
}

bool score_print_text(const score_work *work, sa_error *error) {
    sa_buffer out = {0};
    add_lines(work, &out);
    if (work->theirs.each) add_against(work, &out);
    const bool good =
        (!work->options->by_length || add_bands(work, &out, error)) && cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

bool score_print_sentences(const score_work *work, sa_error *error) {
    sa_buffer out = {0};
    for (size_t i = 0; i < work->count; i++) {
        sa_number_add(&out, score_value(work, &work->ours.each[i], SA_METRIC_BLEU));
        sa_buffer_adds(&out, "\t");
        sa_number_add(&out, score_value(work, &work->ours.each[i], SA_METRIC_CHRF));
        sa_buffer_adds(&out, "\n");
    }
    return cli_save("-", &out, error);
}
