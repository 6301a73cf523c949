#include "lab/explainer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The trace ------------------------------------------------------------------------------- */

static void take(sa_tracer *tracer, const sa_traced *one) {
    sa_explainer *out = (sa_explainer *)tracer;
    const sa_mat x = one->x;
    sa_shown own = {*one, {NULL, x.rows, x.cols, x.cols}};
    own.copy.x = sa_new((size_t)x.rows * (size_t)x.cols + 1, sizeof *x.x, NULL);
    if (own.copy.x) sa_copy_mat(x, own.copy);
    if (one->head) own.head = *(const sa_head *)one->head;
    if (own.head.exponent) own.exponent = *own.head.exponent;
    if (!own.copy.x ||
        !sa_append(&out->shown, &out->count, &out->capacity, &own, sizeof own, NULL)) {
        free(own.copy.x);
        out->equation.failed = true;
    }
}

sa_mat sa_explainer_traced(const sa_explainer *out, const char *name, sa_mat x) {
    for (const sa_shown *one = out->shown + out->count; one-- > out->shown;) {
        const sa_mat whole = one->traced.x;
        const ptrdiff_t distance = x.x - whole.x, row = whole.ld ? distance / whole.ld : 0;
        if (!one->traced.citation && strcmp(one->traced.name, name) == 0 && distance >= 0 &&
            row * whole.ld == distance && row < whole.rows)
            return sa_rows(one->copy, (int)row, 1);
    }
    sa_require(false);
    return x;
}

/* ---- From open to close ---------------------------------------------------------------------- */

bool sa_explainer_open(sa_explainer *out, const sa_lab_explain_job *job, const sa_lab_model *model,
                       sa_error *error) {
    *out = (sa_explainer){.tracer = {take},
                          .job = job,
                          .model = model,
                          .pass = &model->pass.cache,
                          .line.chosen = -1,
                          .words = SA_ROWS_SOURCE};
    return sa_arena_init(&out->arena, 4 * model->pass.arena.size + 8192, error);
}

bool sa_explainer_check(const sa_explainer *out, sa_error *error) {
    return !(out->equation.failed || out->letters.failed) ||
           sa_fail_memory(error, out->equation.size);
}

void sa_explainer_close(sa_explainer *out) {
    for (size_t i = 0; i < out->count; i++) free(out->shown[i].copy.x);
    free(out->shown);
    sa_arena_release(&out->arena);
    sa_buffer_release(&out->equation);
    sa_buffer_release(&out->letters);
}

void sa_explainer_section(sa_explainer *out, const char *title) {
    out->line.section = title;
    sa_arena_rewind(&out->arena, 0);
}

/* ---- Equations ------------------------------------------------------------------------------- */

/* Appends the text with every symbol replaced. */
static void substitute(const sa_explainer_symbol *symbols, const char *text, sa_buffer *out) {
    while (*text) {
        size_t size = 0;
        while (isalnum((unsigned char)text[size]) || text[size] == '_' || text[size] == '~') size++;
        const sa_explainer_symbol *symbol = symbols;
        while (symbol && symbol->from &&
               (strlen(symbol->from) != size || strncmp(symbol->from, text, size) != 0))
            symbol++;
        if (size && symbol && symbol->from)
            sa_buffer_adds(out, symbol->to);
        else
            sa_buffer_add(out, text, size ? size : 1);
        text += size ? size : 1;
    }
}

void sa_explainer_write(sa_explainer *out, const char *place, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    substitute(out->symbols, text, &out->equation);
    if (place) out->line.citation = place;
}

/* ---- Values ---------------------------------------------------------------------------------- */

void sa_explainer_value(sa_explainer *out, sa_explain_shape shape, const char *name,
                        const char *letters, sa_mat x) {
    const sa_explain_options *options = out->job->options;
    sa_explain_value *line = &out->line;
    const bool column = shape == SA_SHAPE_COLUMN;
    const size_t used = out->arena.used;
    sa_mat whole = x;
    out->letters.size = 0;
    substitute(out->symbols, letters, &out->letters);
    if (!line->about && (column || shape == SA_SHAPE_MATRIX)) line->about = out->words;
    if (x.rows > 1 && x.ld != x.cols) { /* there are gaps between rows */
        whole = sa_mat_alloc(&out->arena, x.rows, x.cols);
        sa_copy_mat(x, whole);
    }
    line->name = name, line->letters = out->letters.text;
    line->step = out->i;
    line->equation = out->equation.size ? out->equation.text : NULL;
    if (!line->equation) line->citation = NULL;
    line->shape = shape;
    line->rows = column ? x.rows * x.cols : shape == SA_SHAPE_VECTOR ? 1 : x.rows;
    line->cols = column ? 1 : x.rows * x.cols / line->rows;
    line->numbers = whole.x;
    line->row = out->job->row[line->about];
    if (line->row && line->about == SA_ROWS_TARGET) line->row += out->job->read - line->rows;
    if (sa_explainer_check(out, NULL)) options->each(options->context, out->job->shown, line);
    out->equation.size = 0, out->arena.used = used;
    *line = (sa_explain_value){.head = line->head, .chosen = -1};
}

void sa_explainer_number(sa_explainer *out, const char *name, const char *letters, double x) {
    sa_explainer_value(out, SA_SHAPE_NUMBER, name, letters, (sa_mat){&x, 1, 1, 1});
}

void sa_explainer_vector(sa_explainer *out, const char *name, const char *letters, sa_mat x) {
    sa_explainer_value(out, SA_SHAPE_VECTOR, name, letters, x);
}

double sa_explainer_exp(sa_mat x, double *shift) {
    enum { READABLE = 20 };
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < x.cols; j++) most = fmax(most, x.x[j]);
    *shift = fabs(most) > READABLE ? most : 0;
    for (int j = 0; j < x.cols; j++) sum += x.x[j] = exp(x.x[j] - *shift);
    return sum;
}
