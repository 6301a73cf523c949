#include "report/matrix.h"
#include "base/csv_cell.h"
#include "base/number.h"
#include "metrics/linking.h"
#include "report/grid.h"

#include <math.h>
#include <stdlib.h>

void sa_matrix_csv(const sa_alignment *alignment, sa_buffer *out) {
    sa_grid_csv(&(sa_grid){.rows = alignment->targets,
                           .cols = alignment->sources,
                           .numbers = alignment->weights,
                           .row = alignment->target,
                           .column = alignment->source},
                out);
}

/* ---- The long table -------------------------------------------------------------------------- */

static double weight_of(const sa_alignment *alignment, int layer, int head, size_t at) {
    const int heads = alignment->heads;
    double mean = 0, most = -INFINITY; /* weights may be negative: differential attention */
    if (head > 0) return sa_alignment_weights(alignment, layer, head)[at];
    for (int k = 1; k <= heads; k++) {
        const double weight = sa_alignment_weights(alignment, layer, k)[at];
        mean += 1.0 / heads * weight;
        most = fmax(most, weight);
    }
    return head == SA_HEADS_MAX ? most : mean;
}

/* What the alignment and the gold links say of a cell: 1 for a sure link, 0.5 for a possible one.
 */
static double *gold_cells(const sa_alignment *alignment, const sa_tidy *tidy) {
    const size_t sources = (size_t)alignment->sources;
    double *cells = sa_new((size_t)alignment->targets * sources, sizeof *cells, NULL);
    for (size_t i = 0; cells && i < tidy->golds; i++) {
        const sa_link *link = &tidy->gold[i];
        double *cell = &cells[(size_t)link->target * sources + (size_t)link->source];
        *cell = fmax(*cell, link->possible ? 0.5 : 1);
    }
    return cells;
}

static void add_word(const sa_tidy *tidy, const char *word, sa_buffer *out) {
    (tidy->spreadsheet ? sa_csv_cell_add : sa_csv_cell_add_plain)(out, word);
}

/* The cells after the layer. */
static void add_facts(const sa_alignment *alignment, const sa_tidy *tidy, const double *gold, int t,
                      int s, sa_buffer *out) {
    const size_t cell = (size_t)t * (size_t)alignment->sources + (size_t)s;
    if (tidy->pair->id)
        add_word(tidy, tidy->pair->id, out);
    else
        sa_buffer_addf(out, "%zu", tidy->pair->line);
    sa_buffer_adds(out, ",");
    if (gold) sa_number_add(out, gold[cell]);
    sa_buffer_adds(out, ",");
    if (alignment->token_log_probabilities)
        sa_number_add(out, (double)(float)exp(alignment->token_log_probabilities[t]));
    sa_buffer_addf(out, ",%d,%d", alignment->target_unknown && alignment->target_unknown[t],
                   alignment->source_unknown && alignment->source_unknown[s]);
    if (alignment->generation_probabilities) {
        sa_buffer_adds(out, ",");
        sa_number_add(out, (double)(float)alignment->generation_probabilities[t]);
    }
    sa_buffer_adds(out, "\n");
}

static void add_head(const sa_alignment *alignment, const sa_tidy *tidy, const double *gold,
                     int layer, int head, sa_buffer *out) {
    size_t at = 0;
    for (int t = 0; t < alignment->targets; t++)
        for (int s = 0; s < alignment->sources; s++) {
            sa_buffer_addf(out, "%zu,%d,%d,", tidy->sentence, head > 0 ? head : 0, t);
            add_word(tidy, alignment->target[t], out);
            sa_buffer_addf(out, ",%d,", s);
            add_word(tidy, alignment->source[s], out);
            sa_buffer_adds(out, ",");
            sa_number_add(out, weight_of(alignment, layer, head, at++));
            sa_buffer_addf(out, ",%d,", layer);
            add_facts(alignment, tidy, gold, t, s, out);
        }
}

void sa_matrix_tidy(const sa_alignment *alignment, const sa_tidy *tidy, sa_buffer *out) {
    double *gold = tidy->linked ? gold_cells(alignment, tidy) : NULL;
    out->failed |= tidy->linked && !gold;
    if (tidy->sentence == 1)
        sa_buffer_adds(out, "sentence,head,t,target,s,source,weight,layer,id,gold,probability,"
                            "target_unknown,source_unknown"),
            sa_buffer_adds(out, alignment->generation_probabilities ? ",p_gen\n" : "\n");
    for (int layer = 1; layer <= alignment->layers; layer++) {
        if (tidy->layer && layer != tidy->layer) continue;
        if (tidy->head != SA_HEADS_ALL)
            add_head(alignment, tidy, gold, layer, tidy->head, out);
        else
            for (int head = 1; head <= alignment->heads; head++)
                add_head(alignment, tidy, gold, layer, head, out);
    }
    free(gold);
}

/* ---- Links ----------------------------------------------------------------------------------- */

void sa_matrix_soft(const sa_alignment *alignment, sa_buffer *out) {
    const double *weight = alignment->weights;
    for (int t = 0; t < alignment->targets; t++)
        for (int s = 0; s < alignment->sources; s++) {
            sa_buffer_adds(out, s ? "," : t ? " " : "");
            sa_number_add(out, *weight++);
        }
    sa_buffer_adds(out, "\n");
}

void sa_matrix_pharaoh(const sa_alignment *alignment, const sa_link_options *linking,
                       sa_buffer *out) {
    const int targets = alignment->targets, sources = alignment->sources;
    sa_link *links = sa_new(sa_linking_capacity(targets, sources), sizeof *links, NULL);
    const size_t count =
        links ? sa_linking_extract(linking, alignment->weights, targets, sources, 0, links) : 0;
    for (size_t i = 0; i < count; i++)
        sa_buffer_addf(out, "%s%d-%d", i ? " " : "", links[i].source, links[i].target);
    sa_buffer_adds(out, "\n");
    out->failed |= !links;
    free(links);
}
