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
    MAX_ROWS = 16,
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
    sa_explanation_column *column = &it->column[it->columns];
    const size_t rows = (size_t)line->rows, terms = rows * (size_t)line->terms;
    *column = (sa_explanation_column){.terms = line->terms, .divisor = line->divisor};
    snprintf(column->letters, sizeof column->letters, "%s", line->letters);
    column->numbers = sa_new(rows + terms, sizeof *column->numbers, NULL);
    if (!column->numbers) {
        it->out.failed = true;
        return;
    }
    memcpy(column->numbers, line->numbers, rows * sizeof *column->numbers);
    double most = 0;
    for (size_t k = 0; k < terms; k++) {
        column->numbers[rows + k] = line->term[k];
        most = fmax(most, fabs(line->term[k]));
    }
    const int letters = (int)strlen(column->letters);
    const int span = number_width(column->numbers, rows, it->digits);
    column->width = (span > letters ? span : letters) + GAP;
    column->term_width = number_width(&most, 1, it->digits) + 2;
    it->table = *line;
    it->columns++;
}

static bool is_shown(const sa_explanation *it, int row) {
    for (int w = 0; w < it->words; w++)
        if (it->word[w] == row) return true;
    return false;
}

/* Chooses the most probable words, and the chosen word if it is not among them. */
static void choose_words(sa_explanation *it) {
    const int rows = it->table.rows, chosen = it->table.chosen;
    const double *p = it->column[it->columns - 1].numbers;
    it->words = 0;
    while (it->words < SA_EXPLANATION_BEST && it->words < rows) {
        int best = -1;
        for (int i = 0; i < rows; i++)
            if (!is_shown(it, i) && (best < 0 || p[i] > p[best])) best = i;
        it->word[it->words++] = best;
    }
    if (chosen >= 0 && !is_shown(it, chosen)) it->word[it->words++] = chosen;
}

/* Returns the width of the sum " +0.1234 -0.2345 =" in front of `columns` columns; 0: there is
 * none, or it does not fit. */
static int sum_width(const sa_explanation *it, int columns) {
    const sa_explanation_column *column = &it->column[0];
    char divisor[TEXT];
    int width = column->term_width * column->terms + 2;
    if (column->divisor != 1)
        width += 3 + sa_explanation_format_number(column->divisor, it->digits, divisor);
    int others = LABEL + (columns > 1 ? GAP + BAR : 0);
    for (int c = 0; c < columns; c++) others += it->column[c].width;
    return column->terms && width + others <= WIDTH ? width : 0;
}

static void add_sum(sa_explanation *it, const sa_explanation_column *column, int i) {
    const double *term =
        column->numbers + (size_t)it->table.rows + (size_t)i * (size_t)column->terms;
    char text[TEXT];
    for (int d = 0; d < column->terms; d++) {
        const int size = sa_explanation_format_number(fabs(term[d]), it->digits, text);
        sa_buffer_pad(&it->out, column->term_width - 1 - size);
        sa_buffer_addf(&it->out, "%s%s", term[d] < 0 ? "-" : "+", text);
    }
    sa_explanation_format_number(column->divisor, it->digits, text);
    if (column->divisor != 1) sa_buffer_addf(&it->out, " / %s", text);
    sa_buffer_adds(&it->out, " =");
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

/* Adds the first `columns`, after a sum of this width. */
static void add_table(sa_explanation *it, int columns, int sum) {
    const bool some = it->table.about == SA_ROWS_VOCABULARY && it->words;
    sa_buffer_pad(&it->out, LABEL + sum);
    for (int c = 0; c < columns; c++)
        sa_buffer_addf(&it->out, "%*s", it->column[c].width, it->column[c].letters);
    sa_buffer_adds(&it->out, "\n");
    for (int k = 0; k < (some ? it->words : it->table.rows); k++) {
        const int i = some ? it->word[k] : k;
        add_row_label(&it->out, &it->table, i);
        if (sum) add_sum(it, &it->column[0], i);
        for (int c = 0; c < columns; c++)
            add_number(&it->out, it->column[c].numbers[i], it->digits, it->column[c].width);
        if (columns > 1) add_bar(it->column[it->columns - 1].numbers[i], &it->out);
        sa_buffer_adds(&it->out, "\n");
    }
}

static void release_table(sa_explanation *it) {
    for (int c = 0; c < it->columns; c++) free(it->column[c].numbers);
    it->columns = 0;
}

/* Adds the current table, if there is one, and releases it. */
static void end_table(sa_explanation *it) {
    if (it->columns && !it->out.failed) {
        const int beside = sum_width(it, it->columns), alone = sum_width(it, 1);
        if (it->table.about == SA_ROWS_VOCABULARY && it->columns > 1) choose_words(it);
        if (!beside && alone) add_table(it, 1, alone); /* the sums have a table of their own */
        add_table(it, it->columns, beside);
    }
    release_table(it);
}

/* ---- Vectors and matrices -------------------------------------------------------------------- */

/* Adds one row of numbers. If they do not fit, leaves out the middle ones or, if wide, continues
 * below. */
static void add_vector(sa_explanation *it, const sa_explain_value *line, int row) {
    const int count = line->cols, digits = line->whole ? 0 : it->digits;
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

static void add_row(sa_explanation *it, const sa_explain_value *line, int i) {
    add_row_label(&it->out, line, i);
    add_vector(it, line, i);
}

/* Adds the rows of a matrix: of a large one, the first and the last; of one with a row per word of
 * the vocabulary, those of the words in the last table. */
static void add_rows(sa_explanation *it, const sa_explain_value *line) {
    if (line->about == SA_ROWS_VOCABULARY && it->words && !it->wide) {
        for (int w = 0; w < it->words; w++) add_row(it, line, it->word[w]);
        return;
    }
    const bool cut = line->about == SA_ROWS_UNNAMED && line->rows > MAX_ROWS && !it->wide;
    for (int i = 0; i < line->rows; i++) {
        if (cut && i == MAX_ROWS / 2) {
            sa_buffer_pad(&it->out, INDENT);
            sa_buffer_adds(&it->out, "...\n");
            i = line->rows - MAX_ROWS / 2;
        }
        add_row(it, line, i);
    }
}

static void add_numbers(sa_explanation *it, const sa_explain_value *line) {
    if (line->shape == SA_SHAPE_NUMBER || line->shape == SA_SHAPE_VECTOR) {
        add_label(&it->out, line->letters, (int)strlen(line->letters));
        add_vector(it, line, 0);
        return;
    }
    if (line->parameter)
        sa_buffer_addf(&it->out, "  %s (%d x %d)\n", line->letters, line->rows, line->cols);
    else if (!line->equation)
        sa_buffer_addf(&it->out, "  %s\n", line->letters);
    add_rows(it, line);
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
        sa_buffer_addf(&it->out, "  -- head %d --\n", line->head);
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
    release_table(it);
    sa_buffer_release(&it->out);
}
