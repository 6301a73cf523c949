#include "report/explanation.h"
#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 100,
    INDENT = 4,
    LABEL = SA_EXPLANATION_LABEL,
    GAP = 2,
    BAR = 8,
    LEAST = 3, /* numbers in a row: the first, an ellipsis and the last */
    TEXT = SA_EXPLANATION_TEXT_CAPACITY,
};

/* ---- Numbers and labels ---------------------------------------------------------------------- */

int sa_explanation_format_number(double value, int digits, char out[TEXT]) {
    sa_buffer text = {.text = out, .capacity = TEXT}; /* longer than any number: it never grows */
    *out = 0;
    if (!isnan(value)) sa_number_add_fixed(&text, value, digits);
    if (*out == '-' && strspn(out, "-0.") == text.size)
        memmove(out, out + 1, text.size); /* no minus before zero */
    return (int)strlen(out);
}

/* Returns the columns of the widest number. */
static int number_width(const double *numbers, size_t count, int digits) {
    char text[TEXT];
    int width = 0;
    for (size_t i = 0; i < count; i++) {
        const int own = sa_explanation_format_number(numbers[i], digits, text);
        if (own > width) width = own;
    }
    return width;
}

static void add_number(sa_buffer *out, double value, int digits, int width) {
    char text[TEXT];
    sa_explanation_format_number(value, digits, text);
    sa_buffer_addf(out, "%*s", width, text);
}

/* Adds a label of this many columns, and spaces up to the numbers. */
static void add_label(sa_buffer *out, const char *label, int columns) {
    sa_buffer_pad(out, INDENT);
    sa_buffer_adds(out, label);
    if (columns + INDENT >= LABEL) {
        sa_buffer_adds(out, "\n");
        columns = -INDENT;
    }
    sa_buffer_pad(out, LABEL - INDENT - columns);
}

/* Adds the label of row i: "  3 word     ". */
static void add_row_label(sa_buffer *out, const sa_explain_value *line, int i) {
    char word[TEXT] = "", label[TEXT + 16], mark[16];
    int columns = 0;
    if (line->row) columns = sa_utf8_fit(line->row[i], LABEL - INDENT - 4, word, sizeof word);
    if (line->about == SA_ROWS_VOCABULARY)
        columns += snprintf(mark, sizeof mark, "%s ", i == line->chosen ? ">" : " ");
    else
        columns += snprintf(mark, sizeof mark, "%2d ", i + 1);
    snprintf(label, sizeof label, "%s%s", mark, word);
    add_label(out, label, columns);
}

/* ---- The current table ----------------------------------------------------------------------- */

static void add_column(sa_explanation *it, const sa_explain_value *line) {
    sa_explanation_column *column = &it->column[it->columns++];
    const size_t rows = (size_t)line->rows;
    const int letters = snprintf(column->letters, sizeof column->letters, "%s", line->letters);
    const int span = number_width(line->numbers, rows, it->digits);
    column->width = (span > letters ? span : letters) + GAP;
    column->numbers = sa_new(rows, sizeof *column->numbers, NULL);
    it->out.failed |= !column->numbers;
    if (column->numbers) memcpy(column->numbers, line->numbers, rows * sizeof *column->numbers);
    it->table = *line;
}

/* Adds a probability as a bar, in eighths of a column. */
static void add_bar(double probability, sa_buffer *out) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(probability >= 0 && probability <= 1)) return;
    const int size = (int)lround(probability * BAR * 8);
    sa_buffer_adds(out, size ? "  " : "");
    for (int i = 0; i < size / 8; i++) sa_buffer_adds(out, "█");
    sa_buffer_adds(out, eighths[size % 8]);
}

static void add_table_row(sa_explanation *it, int i) {
    add_row_label(&it->out, &it->table, i);
    for (int c = 0; c < it->columns; c++)
        add_number(&it->out, it->column[c].numbers[i], it->digits, it->column[c].width);
    if (it->columns > 1) add_bar(it->column[it->columns - 1].numbers[i], &it->out);
    sa_buffer_adds(&it->out, "\n");
}

/* Adds the rows of the most probable words, and of the chosen word if it is not among them. */
static void add_best_words(sa_explanation *it) {
    enum { BEST = 5 };
    const int rows = it->table.rows, chosen = it->table.chosen;
    const double *p = it->column[it->columns - 1].numbers;
    int last = -1;
    bool written = chosen < 0;
    for (int k = 0; k < BEST && k < rows; k++) {
        int best = -1;
        for (int i = 0; i < rows; i++) {
            const bool after = last < 0 || p[i] < p[last] || (p[i] == p[last] && i > last);
            if (after && (best < 0 || p[i] > p[best])) best = i;
        }
        add_table_row(it, last = best);
        written = written || best == chosen;
    }
    if (!written) add_table_row(it, chosen);
}

/* Adds the current table, if there is one, and releases it. */
static void end_table(sa_explanation *it) {
    const bool whole = it->table.about != SA_ROWS_VOCABULARY || it->columns == 1;
    if (it->columns && !it->out.failed) {
        sa_buffer_pad(&it->out, LABEL);
        for (int c = 0; c < it->columns; c++)
            sa_buffer_addf(&it->out, "%*s", it->column[c].width, it->column[c].letters);
        sa_buffer_adds(&it->out, "\n");
        for (int i = 0; whole && i < it->table.rows; i++) add_table_row(it, i);
        if (!whole) add_best_words(it);
    }
    while (it->columns) free(it->column[--it->columns].numbers);
}

/* ---- Vectors and matrices -------------------------------------------------------------------- */

/* Adds one row of numbers. If they do not fit, leaves out the middle ones or, if wide, continues
 * below. */
static void add_vector(sa_explanation *it, const sa_explain_value *line, int row) {
    const int count = line->cols, digits = it->digits;
    const double *x = line->numbers + (size_t)row * (size_t)count;
    const int span = number_width(line->numbers, (size_t)line->rows * (size_t)count, digits);
    const int cell = span + 1 > 8 ? span + 1 : 8;
    const int room = (WIDTH - LABEL) / cell;
    const int fit = room > LEAST ? room : LEAST; /* wider numbers make the lines longer */
    const bool cut = !it->wide && count > fit;
    const int front = cut ? fit / 2 : count, behind = cut ? count - (fit - 1 - front) : count;
    for (int k = 0; k < count; k++) {
        if (k == front) {
            sa_buffer_pad(&it->out, cell - 3);
            sa_buffer_adds(&it->out, "...");
            k = behind;
        }
        if (it->wide && k && k % fit == 0) {
            sa_buffer_adds(&it->out, "\n");
            sa_buffer_pad(&it->out, LABEL);
        }
        add_number(&it->out, x[k], digits, cell);
    }
    sa_buffer_adds(&it->out, "\n");
}

static void add_numbers(sa_explanation *it, const sa_explain_value *line) {
    const bool matrix = line->shape == SA_SHAPE_MATRIX;
    if (!matrix) add_label(&it->out, line->letters, (int)strlen(line->letters));
    if (matrix && !line->equation) sa_buffer_addf(&it->out, "  %s\n", line->letters);
    for (int i = 0; i < line->rows; i++) {
        if (matrix) add_row_label(&it->out, line, i);
        add_vector(it, line, i);
    }
}

/* ---- Headings -------------------------------------------------------------------------------- */

/* Adds "Source: the (4) cat (7)", broken before the right margin. */
static void add_sentence(sa_explanation *it, const char *what, const char *const *word,
                         const int *number, int count) {
    char text[TEXT];
    int at = (int)strlen(what);
    sa_buffer_adds(&it->out, what);
    for (int i = 0; i < count; i++) {
        int columns = 1 + sa_utf8_fit(word[i], WIDTH / 2, text, sizeof text - 32);
        columns +=
            snprintf(text + strlen(text), 32, " (%d%s)", number[i], number[i] ? "" : ", unknown");
        if (at + columns > WIDTH) {
            sa_buffer_adds(&it->out, "\n       ");
            at = 7;
        }
        sa_buffer_addf(&it->out, " %s", text);
        at += columns;
    }
    sa_buffer_adds(&it->out, "\n");
}

static void add_step(sa_explanation *it, const sa_explain_pair *pair, int step) {
    char before[TEXT] = "<s>", word[TEXT];
    if (step > 1)
        sa_escape(before, sizeof before, pair->target[step - 2], strlen(pair->target[step - 2]));
    sa_escape(word, sizeof word, pair->target[step - 1], strlen(pair->target[step - 1]));
    sa_buffer_addf(&it->out, "\n== Step %d of %d: y_%d = %s, y_%d = %s ==\n", step, pair->targets,
                   step - 1, before, step, word);
    it->step = step;
}

static void add_equation(sa_explanation *it, const sa_explain_value *line) {
    const char *citation = line->citation ? line->citation : "";
    const int used = 2 + (int)strlen(line->equation), size = (int)strlen(citation);
    const bool fits = used + 2 + size <= WIDTH;
    const bool again = strcmp(citation, it->citation) == 0;
    sa_buffer_addf(&it->out, "  %s", line->equation);
    if (size && (fits || !again)) {
        if (!fits) sa_buffer_adds(&it->out, "\n");
        sa_buffer_pad(&it->out, WIDTH - size - (fits ? used : 0));
        sa_buffer_adds(&it->out, citation);
    }
    sa_buffer_adds(&it->out, "\n");
    snprintf(it->citation, sizeof it->citation, "%s", citation);
}

static void add_heading(sa_explanation *it, const sa_explain_pair *pair,
                        const sa_explain_value *line) {
    if (!it->titled) {
        add_sentence(it, "Source:", pair->source, pair->source_token_ids, pair->sources);
        add_sentence(it, pair->forced ? "Target, given:" : "Target, as the model translates:",
                     pair->target, pair->target_token_ids, pair->targets);
        it->titled = true;
    }
    if (line->step && line->step != it->step) add_step(it, pair, line->step);
    if (line->section) {
        sa_buffer_addf(&it->out, "\n%s\n", line->section);
        it->head = 0;
    }
    if (line->head && line->head != it->head) {
        const char *role = json_string_value(json_array_get(it->roles, (size_t)line->head - 1));
        sa_buffer_addf(&it->out, role && *role ? "  -- head %d: %s --\n" : "  -- head %d --\n",
                       line->head, role);
        it->head = line->head;
    }
}

void sa_explanation_add(void *explanation, const sa_explain_pair *pair,
                        const sa_explain_value *line) {
    sa_explanation *it = explanation;
    if (!line || line->shape != SA_SHAPE_COLUMN || it->columns == SA_EXPLANATION_COLUMNS ||
        it->table.about != line->about || it->table.rows != line->rows || line->section ||
        line->head != it->head)
        end_table(it);
    if (!line) return;
    add_heading(it, pair, line);
    if (line->equation) add_equation(it, line);
    if (line->shape == SA_SHAPE_COLUMN)
        add_column(it, line);
    else
        add_numbers(it, line);
}

void sa_explanation_release(sa_explanation *it) {
    it->out.failed = true; /* the table is no longer shown */
    end_table(it);
    sa_buffer_release(&it->out);
}
