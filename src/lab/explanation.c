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
static size_t enough(const sa_lab_run *run) {
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
    const size_t units = (size_t)(d->cell.U.rows + d->cell.U.cols + d->readout.U_o.rows);
    const size_t heads = (size_t)(d->attention.heads + 1);
    return sizeof(sa_real) * (16 * units + 4 * K + S * (3 * keys + 8 * heads)) + heads * 4096;
}

bool sa_page_open(sa_page *page, const sa_lab_explaining *job, const sa_lab_run *run,
                  sa_error *error) {
    *page = (sa_page){.job = job, .run = run, .line.chosen = -1};
    return sa_arena_init(&page->room, enough(run), error);
}

bool sa_page_close(sa_page *page, sa_error *error) {
    const bool good = !page->equation.failed || sa_fail_memory(error, page->equation.size);
    sa_arena_release(&page->room);
    sa_buffer_release(&page->equation);
    return good;
}

sa_mat sa_page_take(sa_page *page, int rows, int cols) {
    return sa_mat_take(&page->room, rows, cols);
}

sa_mat sa_page_linear(sa_page *page, sa_mat W, sa_mat b, sa_mat x) {
    sa_mat y = sa_page_take(page, 1, W.rows);
    sa_linear_forward(W, b, x, y);
    return y;
}

void sa_page_section(sa_page *page, const char *title) {
    page->line.section = title;
    page->room.used = 0;
}

/* ---- Equations ------------------------------------------------------------------------------- */

void sa_page_write(sa_page *page, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sa_buffer_adds(&page->equation, text);
}

void sa_page_cite(sa_page *page, const char *citation) {
    page->line.citation = citation;
}

static bool in_letter(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '~';
}

void sa_page_fill(sa_page *page, const char *text, const sa_page_letter *letters) {
    while (*text) {
        size_t size = 0;
        while (in_letter(text[size])) size++;
        const sa_page_letter *letter = letters;
        while (letter->from &&
               (strlen(letter->from) != size || strncmp(letter->from, text, size) != 0))
            letter++;
        if (size && letter->from)
            sa_buffer_adds(&page->equation, letter->to);
        else
            sa_buffer_add(&page->equation, text, size ? size : 1);
        text += size ? size : 1;
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* x as it may be handed out: rows without gaps between them. */
static const double *packed(sa_page *page, sa_mat x) {
    if (x.rows <= 1 || x.ld == x.cols) return x.x;
    sa_mat copy = sa_page_take(page, x.rows, x.cols);
    sa_copy_mat(x, copy);
    return copy.x;
}

static void hand_out(sa_page *page, const char *name, const char *letters) {
    sa_explained *line = &page->line;
    line->name = name, line->letters = letters;
    line->step = line->part == SA_EXPLAINED_STEP ? page->i : 0;
    line->equation = page->equation.size ? page->equation.text : NULL;
    if (!line->equation) line->citation = NULL;
    if (!page->equation.failed) page->job->each(page->job->context, line);
    page->equation.size = 0;
    *line = (sa_explained){.part = line->part, .head = line->head, .chosen = -1};
}

static void set_numbers(sa_page *page, sa_explained_shape shape, int rows, int cols,
                        const double *numbers) {
    page->line.shape = shape;
    page->line.rows = rows, page->line.cols = cols;
    page->line.numbers = numbers;
}

void sa_page_number(sa_page *page, const char *name, const char *letters, double x) {
    set_numbers(page, SA_SHAPE_NUMBER, 1, 1, &x);
    hand_out(page, name, letters);
}

void sa_page_vector(sa_page *page, const char *name, const char *letters, sa_mat x) {
    sa_require(x.rows == 1);
    set_numbers(page, SA_SHAPE_VECTOR, 1, x.cols, x.x);
    hand_out(page, name, letters);
}

void sa_page_counts(sa_page *page, const char *name, const char *letters, sa_mat x) {
    page->line.whole = true;
    sa_page_vector(page, name, letters, x);
}

void sa_page_matrix(sa_page *page, const char *name, const char *letters, sa_mat x,
                    sa_explained_about about) {
    set_numbers(page, SA_SHAPE_MATRIX, x.rows, x.cols, packed(page, x));
    page->line.about = about;
    hand_out(page, name, letters);
}

void sa_page_column(sa_page *page, const char *name, const char *letters, sa_mat x,
                    sa_explained_about about, int chosen) {
    sa_require(x.rows == 1);
    set_numbers(page, SA_SHAPE_COLUMN, x.cols, 1, x.x);
    page->line.about = about;
    page->line.chosen = chosen;
    hand_out(page, name, letters);
}

void sa_page_sums(sa_page *page, const char *name, const char *letters, sa_mat x, sa_mat terms,
                  double divisor) {
    page->line.terms = terms.cols;
    page->line.term = packed(page, terms);
    page->line.divisor = divisor;
    sa_page_column(page, name, letters, x, SA_ABOUT_SOURCE, -1);
}

double sa_page_exp(sa_mat e, sa_mat out, double *shift) {
    enum { UNWIELDY = 20 };
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < e.cols; j++)
        if (e.x[j] > most) most = e.x[j];
    *shift = fabs(most) > UNWIELDY ? most : 0;
    for (int j = 0; j < e.cols; j++) sum += out.x[j] = exp(e.x[j] - *shift);
    return sum;
}
