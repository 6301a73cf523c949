#include "report/explanation_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, BAR = 8, TEXT = SA_EXPLANATION_TEXT_CAPACITY };

/* ---- Collecting ------------------------------------------------------------------------------ */

bool sa_explanation_fits_table(const sa_explanation *explanation, const sa_explain_value *line) {
    const sa_explanation_table *table = &explanation->table;
    if (line->shape != SA_SHAPE_COLUMN) return false;
    return !table->columns ||
           (table->columns < SA_EXPLANATION_COLUMNS && table->about == line->about &&
            table->rows == line->rows && !line->section && line->head == explanation->head);
}

void sa_explanation_add_column(sa_explanation *explanation, const sa_explain_value *line) {
    sa_explanation_table *table = &explanation->table;
    sa_explanation_column *column = &table->column[table->columns];
    const size_t rows = (size_t)line->rows, terms = rows * (size_t)line->terms;
    *column = (sa_explanation_column){.terms = line->terms, .divisor = line->divisor};
    snprintf(column->letters, sizeof column->letters, "%s", line->letters);
    column->numbers = sa_new(rows + terms, sizeof *column->numbers, NULL);
    if (!column->numbers) {
        explanation->out.failed = true;
        return;
    }
    memcpy(column->numbers, line->numbers, rows * sizeof *column->numbers);
    if (terms) memcpy(column->numbers + rows, line->term, terms * sizeof *column->numbers);
    table->about = line->about;
    table->row = line->row, table->rows = line->rows;
    table->chosen = line->chosen;
    table->columns++;
}

static const double *last_column(const sa_explanation_table *table) {
    return table->column[table->columns - 1].numbers;
}

/* ---- Which rows ------------------------------------------------------------------------------ */

static bool is_shown(const sa_explanation *explanation, int row) {
    for (int w = 0; w < explanation->words; w++)
        if (explanation->word[w] == row) return true;
    return false;
}

/* The most probable words, and the chosen word if it is not among them. */
static void choose_words(sa_explanation *explanation) {
    const sa_explanation_table *table = &explanation->table;
    const double *p = last_column(table);
    explanation->words = 0;
    while (explanation->words < SA_EXPLANATION_BEST && explanation->words < table->rows) {
        int best = -1;
        for (int i = 0; i < table->rows; i++)
            if (!is_shown(explanation, i) && (best < 0 || p[i] > p[best])) best = i;
        explanation->word[explanation->words++] = best;
    }
    if (table->chosen >= 0 && !is_shown(explanation, table->chosen))
        explanation->word[explanation->words++] = table->chosen;
}

/* ---- One row --------------------------------------------------------------------------------- */

/* Columns of a column of numbers. */
static int width_of(const sa_explanation *explanation, const sa_explanation_column *column) {
    const int rows = explanation->table.rows, letters = (int)strlen(column->letters);
    const int span =
        sa_explanation_number_width(column->numbers, (size_t)rows, explanation->digits);
    return (span > letters ? span : letters) + GAP;
}

/* Columns of " +0.1234", the widest term. */
static int term_width(const sa_explanation *explanation, const sa_explanation_column *column) {
    const size_t rows = (size_t)explanation->table.rows;
    double most = 0;
    for (size_t k = 0; k < rows * (size_t)column->terms; k++)
        most = fmax(most, fabs(column->numbers[rows + k]));
    return sa_explanation_number_width(&most, 1, explanation->digits) + 2;
}

/* Columns of the sum " +0.1234 -0.2345 =" in front of `columns` columns; 0: there is none, or it
 * does not fit. */
static int sum_width(const sa_explanation *explanation, int columns) {
    const sa_explanation_column *column = &explanation->table.column[0];
    char divisor[TEXT];
    int width = term_width(explanation, column) * column->terms + 2;
    if (column->divisor != 1)
        width += 3 + sa_explanation_format_number(column->divisor, explanation->digits, divisor,
                                                  sizeof divisor);
    int others = SA_EXPLANATION_LABEL + (columns > 1 ? GAP + BAR : 0);
    for (int c = 0; c < columns; c++)
        others += width_of(explanation, &explanation->table.column[c]);
    return column->terms && width + others <= SA_EXPLANATION_WIDTH ? width : 0;
}

static void add_sum(sa_explanation *explanation, const sa_explanation_column *column, int i) {
    const size_t rows = (size_t)explanation->table.rows, terms = (size_t)column->terms;
    const double *term = column->numbers + rows + (size_t)i * terms;
    const int width = term_width(explanation, column);
    char text[TEXT];
    for (size_t d = 0; d < terms; d++) {
        sa_explanation_pad(explanation,
                           width - 1 -
                               sa_explanation_format_number(fabs(term[d]), explanation->digits,
                                                            text, sizeof text));
        sa_buffer_addf(&explanation->out, "%s%s", term[d] < 0 ? "-" : "+", text);
    }
    sa_explanation_format_number(column->divisor, explanation->digits, text, sizeof text);
    if (column->divisor != 1) sa_buffer_addf(&explanation->out, " / %s", text);
    sa_buffer_adds(&explanation->out, " =");
}

/* A probability as a bar, in eighths of a column. */
static void add_bar(sa_explanation *explanation, double probability) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(probability >= 0 && probability <= 1)) return;
    const int size = (int)lround(probability * BAR * 8);
    sa_buffer_adds(&explanation->out, size ? "  " : "");
    for (int i = 0; i < size / 8; i++) sa_buffer_adds(&explanation->out, "█");
    sa_buffer_adds(&explanation->out, eighths[size % 8]);
}

static void add_table_row(sa_explanation *explanation, int i, int columns, int sum) {
    const sa_explanation_table *table = &explanation->table;
    const sa_explain_value row = {
        .about = table->about, .row = table->row, .chosen = table->chosen};
    char text[TEXT];
    sa_explanation_add_row_label(explanation, &row, i);
    if (sum) add_sum(explanation, &table->column[0], i);
    for (int c = 0; c < columns; c++) {
        const sa_explanation_column *column = &table->column[c];
        sa_explanation_pad(explanation,
                           width_of(explanation, column) -
                               sa_explanation_format_number(column->numbers[i], explanation->digits,
                                                            text, sizeof text));
        sa_buffer_adds(&explanation->out, text);
    }
    if (columns > 1) add_bar(explanation, last_column(table)[i]);
    sa_buffer_adds(&explanation->out, "\n");
}

/* ---- The table ------------------------------------------------------------------------------- */

static void add_table(sa_explanation *explanation, int columns, int sum) {
    const sa_explanation_table *table = &explanation->table;
    const bool some = table->about == SA_ROWS_VOCABULARY && explanation->words;
    sa_explanation_pad(explanation, SA_EXPLANATION_LABEL + sum);
    for (int c = 0; c < columns; c++) {
        const sa_explanation_column *column = &table->column[c];
        sa_explanation_pad(explanation,
                           width_of(explanation, column) - (int)strlen(column->letters));
        sa_buffer_adds(&explanation->out, column->letters);
    }
    sa_buffer_adds(&explanation->out, "\n");
    for (int i = 0; i < (some ? explanation->words : table->rows); i++)
        add_table_row(explanation, some ? explanation->word[i] : i, columns, sum);
}

void sa_explanation_table_flush(sa_explanation *explanation) {
    sa_explanation_table *table = &explanation->table;
    if (table->columns && !explanation->out.failed) {
        const int beside = sum_width(explanation, table->columns),
                  alone = sum_width(explanation, 1);
        if (table->about == SA_ROWS_VOCABULARY && table->columns > 1) choose_words(explanation);
        if (!beside && alone)
            add_table(explanation, 1, alone); /* the sums have a table of their own */
        add_table(explanation, table->columns, beside);
    }
    sa_explanation_table_release(table);
}

void sa_explanation_table_release(sa_explanation_table *table) {
    for (int c = 0; c < table->columns; c++) free(table->column[c].numbers);
    *table = (sa_explanation_table){0};
}
