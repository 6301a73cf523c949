#include "report/matrix.h"
#include "base/number.h"
#include "eval/aer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Whether a spreadsheet would run a cell that begins like this. */
static bool runs(const char *text) {
    static const char *const wide[] = {"＝", "＋", "－", "＠"};
    if (*text && strchr("=+-@\t\r\n", *text)) return true;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0) return true;
    return false;
}

/* Whether a reader that strips one ' would strip too much or too little without one more. */
static bool needs_quote(const char *text) {
    while (*text == '\'') text++;
    return runs(text);
}

static void add_word(const char *text, sa_buffer *out) {
    const bool quoted = strpbrk(text, ",\"\n\r");
    if (quoted) sa_buffer_adds(out, "\"");
    if (needs_quote(text)) sa_buffer_adds(out, "'");
    for (; *text; text++) sa_buffer_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    if (quoted) sa_buffer_adds(out, "\"");
}

static const double *row_of(const sa_alignment *alignment, int t) {
    return alignment->weights + (size_t)t * (size_t)alignment->sources;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

void sa_matrix_csv(const sa_alignment *alignment, sa_buffer *out) {
    for (int s = 0; s < alignment->sources; s++) {
        sa_buffer_adds(out, ",");
        add_word(alignment->source[s], out);
    }
    sa_buffer_adds(out, "\n");
    for (int t = 0; t < alignment->targets; t++) {
        add_word(alignment->target[t], out);
        for (int s = 0; s < alignment->sources; s++) {
            sa_buffer_adds(out, ",");
            sa_number_add(out, row_of(alignment, t)[s]);
        }
        sa_buffer_adds(out, "\n");
    }
}

static void add_head(const sa_alignment *alignment, size_t sentence, int head,
                     const double *weights, sa_buffer *out) {
    for (int t = 0; t < alignment->targets; t++)
        for (int s = 0; s < alignment->sources; s++) {
            sa_buffer_addf(out, "%zu,%d,%d,", sentence, head, t);
            add_word(alignment->target[t], out);
            sa_buffer_addf(out, ",%d,", s);
            add_word(alignment->source[s], out);
            sa_buffer_adds(out, ",");
            sa_number_add(out, *weights++);
            sa_buffer_adds(out, "\n");
        }
}

void sa_matrix_tidy(const sa_alignment *alignment, size_t sentence, sa_buffer *out) {
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    if (sentence == 1) sa_buffer_adds(out, "sentence,head,t,target,s,source,weight\n");
    if (alignment->heads < 2) add_head(alignment, sentence, 0, alignment->weights, out);
    for (int k = 0; alignment->heads > 1 && k < alignment->heads; k++)
        add_head(alignment, sentence, k + 1, alignment->head_weights + (size_t)k * size, out);
}

void sa_matrix_pharaoh(const sa_alignment *alignment, sa_buffer *out) {
    sa_link *links = sa_new((size_t)alignment->targets, sizeof *links, NULL);
    const size_t count =
        links ? sa_aer_argmax(alignment->weights, alignment->targets, alignment->sources, links)
              : 0;
    for (size_t i = 0; i < count; i++)
        sa_buffer_addf(out, "%s%d-%d", i ? " " : "", links[i].source, links[i].target);
    sa_buffer_adds(out, "\n");
    out->failed |= !links;
    free(links);
}
