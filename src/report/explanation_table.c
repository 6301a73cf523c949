/* paper_table: columns of numbers about the same words, side by side, the last one with bars. */
#include "report/explanation_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, BAR = 8, ROOM = 512 };

/* ---- Waiting --------------------------------------------------------------------------------- */

bool sa_paper_beside(const sa_paper *paper, const sa_explained *line) {
    const sa_paper_table *table = &paper->table;
    if (line->shape != SA_SHAPE_COLUMN) return false;
    return !table->columns ||
           (table->columns < SA_PAPER_COLUMNS && table->about == line->about &&
            table->rows == line->rows && !line->section && line->head == paper->head);
}

void sa_paper_hold(sa_paper *paper, const sa_explained *line) {
    sa_paper_table *table = &paper->table;
    sa_paper_column *column = &table->column[table->columns];
    const size_t rows = (size_t)line->rows, terms = rows * (size_t)line->terms;
    *column = (sa_paper_column){.terms = line->terms, .divisor = line->divisor};
    snprintf(column->letters, sizeof column->letters, "%s", line->letters);
    column->numbers = sa_new(rows + terms, sizeof *column->numbers, NULL);
    if (!column->numbers) {
        paper->out.failed = true;
        return;
    }
    memcpy(column->numbers, line->numbers, rows * sizeof *column->numbers);
    if (terms) memcpy(column->numbers + rows, line->term, terms * sizeof *column->numbers);
    table->about = line->about;
    table->row = line->row, table->rows = line->rows;
    table->chosen = line->chosen;
    table->columns++;
}

static const double *last_column(const sa_paper_table *table) {
    return table->column[table->columns - 1].numbers;
}

/* ---- Which rows ------------------------------------------------------------------------------ */

static bool is_shown(const sa_paper *paper, int row) {
    for (int w = 0; w < paper->words; w++)
        if (paper->word[w] == row) return true;
    return false;
}

/* The most probable words, and the one that is written if it is none of them. */
static void choose_words(sa_paper *paper) {
    const sa_paper_table *table = &paper->table;
    const double *p = last_column(table);
    paper->words = 0;
    while (paper->words < SA_PAPER_BEST && paper->words < table->rows) {
        int best = -1;
        for (int i = 0; i < table->rows; i++)
            if (!is_shown(paper, i) && (best < 0 || p[i] > p[best])) best = i;
        paper->word[paper->words++] = best;
    }
    if (table->chosen >= 0 && !is_shown(paper, table->chosen))
        paper->word[paper->words++] = table->chosen;
}

/* ---- One row --------------------------------------------------------------------------------- */

/* Columns of a column of numbers. */
static int width_of(const sa_paper *paper, const sa_paper_column *column) {
    const int rows = paper->table.rows, letters = (int)strlen(column->letters);
    const int span = sa_paper_span(column->numbers, (size_t)rows, paper->digits);
    return (span > letters ? span : letters) + GAP;
}

/* Columns of " +0.1234", the widest term. */
static int term_width(const sa_paper *paper, const sa_paper_column *column) {
    const size_t rows = (size_t)paper->table.rows;
    double most = 0;
    for (size_t k = 0; k < rows * (size_t)column->terms; k++)
        most = fmax(most, fabs(column->numbers[rows + k]));
    return sa_paper_span(&most, 1, paper->digits) + 2;
}

/* Columns of " +0.1234 -0.2345 =" in front of the first `columns` columns; 0: there is no sum, or
 * no room for it. */
static int sum_width(const sa_paper *paper, int columns) {
    const sa_paper_column *column = &paper->table.column[0];
    char divisor[ROOM];
    int width = term_width(paper, column) * column->terms + 2;
    if (column->divisor != 1)
        width += 3 + sa_paper_number(column->divisor, paper->digits, divisor, sizeof divisor);
    int others = SA_PAPER_LABEL + (columns > 1 ? GAP + BAR : 0);
    for (int c = 0; c < columns; c++) others += width_of(paper, &paper->table.column[c]);
    return column->terms && width + others <= SA_PAPER_WIDTH ? width : 0;
}

static void add_sum(sa_paper *paper, const sa_paper_column *column, int i) {
    const size_t rows = (size_t)paper->table.rows, terms = (size_t)column->terms;
    const double *term = column->numbers + rows + (size_t)i * terms;
    const int width = term_width(paper, column);
    char text[ROOM];
    for (size_t d = 0; d < terms; d++) {
        sa_paper_spaces(
            paper, width - 1 - sa_paper_number(fabs(term[d]), paper->digits, text, sizeof text));
        sa_buffer_addf(&paper->out, "%s%s", term[d] < 0 ? "-" : "+", text);
    }
    sa_paper_number(column->divisor, paper->digits, text, sizeof text);
    if (column->divisor != 1) sa_buffer_addf(&paper->out, " / %s", text);
    sa_buffer_adds(&paper->out, " =");
}

/* A share as a bar, in eighths of a column. */
static void add_bar(sa_paper *paper, double share) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(share >= 0 && share <= 1)) return;
    const int size = (int)lround(share * BAR * 8);
    sa_buffer_adds(&paper->out, size ? "  " : "");
    for (int i = 0; i < size / 8; i++) sa_buffer_adds(&paper->out, "█");
    sa_buffer_adds(&paper->out, eighths[size % 8]);
}

static void add_table_row(sa_paper *paper, int i, int columns, int sum) {
    const sa_paper_table *table = &paper->table;
    const sa_explained row = {.about = table->about, .row = table->row, .chosen = table->chosen};
    char text[ROOM];
    sa_paper_label(paper, &row, i);
    if (sum) add_sum(paper, &table->column[0], i);
    for (int c = 0; c < columns; c++) {
        const sa_paper_column *column = &table->column[c];
        sa_paper_spaces(paper,
                        width_of(paper, column) -
                            sa_paper_number(column->numbers[i], paper->digits, text, sizeof text));
        sa_buffer_adds(&paper->out, text);
    }
    if (columns > 1) add_bar(paper, last_column(table)[i]);
    sa_buffer_adds(&paper->out, "\n");
}

/* ---- The table ------------------------------------------------------------------------------- */

static void add_table(sa_paper *paper, int columns, int sum) {
    const sa_paper_table *table = &paper->table;
    const bool some = table->about == SA_ABOUT_WORDS && paper->words;
    sa_paper_spaces(paper, SA_PAPER_LABEL + sum);
    for (int c = 0; c < columns; c++) {
        const sa_paper_column *column = &table->column[c];
        sa_paper_spaces(paper, width_of(paper, column) - (int)strlen(column->letters));
        sa_buffer_adds(&paper->out, column->letters);
    }
    sa_buffer_adds(&paper->out, "\n");
    for (int i = 0; i < (some ? paper->words : table->rows); i++)
        add_table_row(paper, some ? paper->word[i] : i, columns, sum);
}

void sa_paper_table_end(sa_paper *paper) {
    sa_paper_table *table = &paper->table;
    if (table->columns && !paper->out.failed) {
        const int beside = sum_width(paper, table->columns), alone = sum_width(paper, 1);
        if (table->about == SA_ABOUT_WORDS && table->columns > 1) choose_words(paper);
        if (!beside && alone) add_table(paper, 1, alone); /* the sums have a table of their own */
        add_table(paper, table->columns, beside);
    }
    sa_paper_table_release(table);
}

void sa_paper_table_release(sa_paper_table *table) {
    for (int c = 0; c < table->columns; c++) free(table->column[c].numbers);
    *table = (sa_paper_table){0};
}
