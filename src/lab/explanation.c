#include "lab/explanation.h"
#include "layers/linear.h"
#include "tensor/vec.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Room ------------------------------------------------------------------------------------ */

/* More than any section takes: a few numbers for every unit of a step, a few for every word, and
 * those of all keys and values. */
static size_t arena_size(const sa_lab_run *run) {
    if (run->w.model == SA_MODEL_TRANSFORMER) {
        const sa_transformer_sizes *sizes = &run->w.transformer.sizes;
        const sa_attention *w = &run->w.transformer.encoder.layer[0].self.attention;
        const size_t words = (size_t)run->batch.source.steps, H = (size_t)w->heads;
        const size_t row = (size_t)(2 * sizes->m + 2 * w->key_width + w->value_width) + 2 * H;
        return sizeof(sa_real) * ((words + 4) * row) + (H + 4) * 4096;
    }
    const sa_decoder *d = &run->w.decoder;
    const size_t S = (size_t)run->batch.source.steps, K = (size_t)d->sizes.words;
    const size_t keys = (size_t)(d->attention.key_width + d->attention.value_width);
    const size_t units = (size_t)(d->cell.U.mat.rows + d->cell.n + d->readout.U_o.mat.rows);
    const size_t heads = (size_t)(d->attention.heads + 1);
    return sizeof(sa_real) * (16 * units + 4 * K + S * (3 * keys + 8 * heads)) + heads * 4096;
}

bool sa_lab_explanation_open(sa_lab_explanation *out, const sa_lab_explain_job *job,
                             const sa_lab_run *run, sa_error *error) {
    *out = (sa_lab_explanation){.job = job, .run = run, .line.chosen = -1};
    return sa_arena_init(&out->arena, arena_size(run), error);
}

bool sa_lab_explanation_close(sa_lab_explanation *out, sa_error *error) {
    const bool good = !out->equation.failed || sa_fail_memory(error, out->equation.size);
    sa_arena_release(&out->arena);
    sa_buffer_release(&out->equation);
    return good;
}

sa_mat sa_lab_explanation_take(sa_lab_explanation *out, int rows, int cols) {
    return sa_mat_alloc(&out->arena, rows, cols);
}

sa_mat sa_lab_explanation_linear(sa_lab_explanation *out, sa_weight W, sa_mat b, sa_mat x) {
    sa_mat y = sa_lab_explanation_take(out, 1, W.mat.rows);
    sa_linear_forward(W, b, x, y);
    return y;
}

void sa_lab_explanation_section(sa_lab_explanation *out, const char *title) {
    out->line.section = title;
    out->arena.used = 0;
}

/* ---- Equations ------------------------------------------------------------------------------- */

void sa_lab_explanation_write(sa_lab_explanation *out, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sa_buffer_adds(&out->equation, text);
}

void sa_lab_explanation_cite(sa_lab_explanation *out, const char *citation) {
    out->line.citation = citation;
}

static bool in_letter(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '~';
}

void sa_lab_explanation_substitute(sa_lab_explanation *out, const char *text,
                                   const sa_lab_explanation_symbol *letters) {
    while (*text) {
        size_t size = 0;
        while (in_letter(text[size])) size++;
        const sa_lab_explanation_symbol *letter = letters;
        while (letter->from &&
               (strlen(letter->from) != size || strncmp(letter->from, text, size) != 0))
            letter++;
        if (size && letter->from)
            sa_buffer_adds(&out->equation, letter->to);
        else
            sa_buffer_add(&out->equation, text, size ? size : 1);
        text += size ? size : 1;
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* x as it may be handed out: rows without gaps between them. */
static const double *packed(sa_lab_explanation *out, sa_mat x) {
    if (x.rows <= 1 || x.ld == x.cols) return x.x;
    sa_mat copy = sa_lab_explanation_take(out, x.rows, x.cols);
    sa_copy_mat(x, copy);
    return copy.x;
}

static void hand_out(sa_lab_explanation *out, const char *name, const char *letters) {
    sa_explain_value *line = &out->line;
    line->name = name, line->letters = letters;
    line->step = line->part == SA_EXPLAIN_STEP ? out->i : 0;
    line->equation = out->equation.size ? out->equation.text : NULL;
    if (!line->equation) line->citation = NULL;
    if (!out->equation.failed) out->job->each(out->job->context, line);
    out->equation.size = 0;
    *line = (sa_explain_value){.part = line->part, .head = line->head, .chosen = -1};
}

static void set_numbers(sa_lab_explanation *out, sa_explain_shape shape, int rows, int cols,
                        const double *numbers) {
    out->line.shape = shape;
    out->line.rows = rows, out->line.cols = cols;
    out->line.numbers = numbers;
}

void sa_lab_explanation_number(sa_lab_explanation *out, const char *name, const char *letters,
                               double x) {
    set_numbers(out, SA_SHAPE_NUMBER, 1, 1, &x);
    hand_out(out, name, letters);
}

void sa_lab_explanation_vector(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x) {
    sa_require(x.rows == 1);
    set_numbers(out, SA_SHAPE_VECTOR, 1, x.cols, x.x);
    hand_out(out, name, letters);
}

void sa_lab_explanation_counts(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x) {
    out->line.whole = true;
    sa_lab_explanation_vector(out, name, letters, x);
}

void sa_lab_explanation_matrix(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x, sa_explain_rows about) {
    set_numbers(out, SA_SHAPE_MATRIX, x.rows, x.cols, packed(out, x));
    out->line.about = about;
    hand_out(out, name, letters);
}

void sa_lab_explanation_column(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x, sa_explain_rows about, int chosen) {
    sa_require(x.rows == 1);
    set_numbers(out, SA_SHAPE_COLUMN, x.cols, 1, x.x);
    out->line.about = about;
    out->line.chosen = chosen;
    hand_out(out, name, letters);
}

void sa_lab_explanation_sums(sa_lab_explanation *out, const char *name, const char *letters,
                             sa_mat x, sa_mat terms, double divisor) {
    out->line.terms = terms.cols;
    out->line.term = packed(out, terms);
    out->line.divisor = divisor;
    sa_lab_explanation_column(out, name, letters, x, SA_ROWS_SOURCE, -1);
}

double sa_lab_explanation_exp(sa_mat e, sa_mat out, double *shift) {
    enum { UNWIELDY = 20 };
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < e.cols; j++)
        if (e.x[j] > most) most = e.x[j];
    *shift = fabs(most) > UNWIELDY ? most : 0;
    for (int j = 0; j < e.cols; j++) sum += out.x[j] = exp(e.x[j] - *shift);
    return sum;
}
