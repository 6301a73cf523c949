#include "report/matrix.h"
#include "base/csv_cell.h"
#include "base/number.h"
#include "metrics/linking.h"
#include "report/grid.h"

#include <stdlib.h>

void sa_matrix_csv(const sa_alignment *alignment, sa_buffer *out) {
    sa_grid_csv(&(sa_grid){.rows = alignment->targets,
                           .cols = alignment->sources,
                           .numbers = alignment->weights,
                           .row = alignment->target,
                           .column = alignment->source},
                out);
}

static void add_head(const sa_alignment *alignment, size_t sentence, int head,
                     const double *weights, sa_buffer *out) {
    for (int t = 0; t < alignment->targets; t++)
        for (int s = 0; s < alignment->sources; s++) {
            sa_buffer_addf(out, "%zu,%d,%d,", sentence, head, t);
            sa_csv_cell_add(out, alignment->target[t]);
            sa_buffer_addf(out, ",%d,", s);
            sa_csv_cell_add(out, alignment->source[s]);
            sa_buffer_adds(out, ",");
            sa_number_add(out, *weights++);
            sa_buffer_adds(out, "\n");
        }
}

void sa_matrix_tidy(const sa_alignment *alignment, size_t sentence, sa_buffer *out) {
    if (sentence == 1) sa_buffer_adds(out, "sentence,head,t,target,s,source,weight\n");
    if (alignment->heads < 2) add_head(alignment, sentence, 0, alignment->weights, out);
    for (int k = 0; alignment->heads > 1 && k < alignment->heads; k++)
        add_head(alignment, sentence, k + 1, sa_alignment_weights(alignment, 0, k + 1), out);
}

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
