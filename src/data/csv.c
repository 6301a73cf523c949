#include "data/csv.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Returns whether a spreadsheet would run the word as a formula, or would if all ' before it were
 * stripped: a reader that strips one ' needs an additional one. */
static bool needs_escape(const char *word) {
    static const char *const signs[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                        "\n", "＝", "＋", "－", "＠"};
    const char *first = word + strspn(word, "'");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(first, signs[i], strlen(signs[i])) == 0) return true;
    return false;
}

void sa_csv_cell_add(sa_buffer *out, const char *word, sa_csv_words words) {
    /* A reader may trim a cell without quotes; a space is a token of its own among characters. */
    const size_t size = strlen(word);
    const bool blank = size && (strchr(" \t", *word) || strchr(" \t", word[size - 1]));
    const bool quoted = words == SA_CSV_QUOTED || blank || strpbrk(word, ",\"\n\r");
    if (quoted) sa_buffer_adds(out, "\"");
    if (words && needs_escape(word)) sa_buffer_adds(out, "'");
    for (; *word; word++) sa_buffer_add(out, *word == '"' ? "\"\"" : word, *word == '"' ? 2 : 1);
    if (quoted) sa_buffer_adds(out, "\"");
}

const char *sa_csv_cell_unescape(const char *text) {
    return *text == '\'' && needs_escape(text) ? text + 1 : text;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_blank(const sa_records *rows, char mark) {
    return mark == ' ' || (mark == '\t' && rows->separator != '\t');
}

/* Unquotes the cell at `at` in place; *end is its separator or the end of its row. Further lines
 * of the cell follow after a space. NULL: the quotes are not closed, or something else follows
 * them. */
static char *parse_quoted(sa_records *rows, char *at, char **end, sa_error *error) {
    char *const text = ++at, *to = at;
    for (; *at != '"' || at[1] == '"'; at++) {
        rows->special |= *at == '"';
        rows->spans |= !*at || *at == rows->separator;
        if (*at) {
            at += *at == '"';
            *to++ = *at;
        } else if (sa_text_lines_next(&rows->text, error) &&
                   rows->text.line + rows->text.size < text + SA_LINE_LIMIT) {
            *to++ = ' ';
            at = rows->text.line - 1;
        } else {
            return NULL;
        }
    }
    for (at++; is_blank(rows, *at);) at++;
    if (*at && *at != rows->separator) return NULL;
    *end = at;
    *to = 0;
    rows->quoted = true;
    return text;
}

/* Returns the cell at `at`, which has no quotes. */
static char *parse_bare(sa_records *rows, char *at, char **end) {
    const char ends[] = {rows->separator, 0};
    while (rows->trims && is_blank(rows, *at)) at++;
    *end = at + strcspn(at, ends);
    if (*end > at && strspn(at, "0123456789.-") < (size_t)(*end - at)) rows->bare = true;
    if (!rows->trims) return at;
    char *trimmed = *end;
    while (trimmed > at && is_blank(rows, trimmed[-1])) trimmed--;
    if (trimmed < *end) *trimmed = 0;
    return at;
}

bool sa_csv_next(sa_records *rows, sa_error *error) {
    char *end = NULL;
    rows->cells = 0;
    if (!sa_text_lines_next(&rows->text, error)) return false;
    rows->line = rows->text.number;
    bool last = false;
    for (char *at = rows->text.line; !last; at = end + 1) {
        char *quote = at;
        while (is_blank(rows, *quote)) quote++;
        char *cell =
            *quote == '"' ? parse_quoted(rows, quote, &end, error) : parse_bare(rows, at, &end);
        if (!cell && !rows->text.failed)
            rows->text.failed =
                !sa_fail(error, SA_DATA, "%s:%zu: a quoted cell that does not end before a %s",
                         rows->text.file.name, rows->line,
                         rows->separator == ','   ? "comma"
                         : rows->separator == ';' ? "semicolon"
                                                  : "tab");
        if (!cell) return false;
        last = !*end;
        *end = 0;
        if (!sa_records_add(rows, cell, error)) return false;
    }
    return true;
}

/* ---- Tables of numbers ----------------------------------------------------------------------- */

enum { MAX_ROWS = 1 << 24 };

typedef struct table_parser {
    sa_number_table *table;
    sa_records *rows; /* its source */
    size_t row_capacity, number_capacity;
    size_t header_cells;
    bool has_corner;        /* the header begins with an empty cell, so rows begin with words */
    bool counts, fractions; /* the first row is 0, 1, 2 ..., and no other cell has only digits */
    size_t label_columns;   /* 1 when the rows begin with words, else 0 */
    bool scores;
    sa_error *error;
} table_parser;

/* Fails with `what` about cell `at`, counted from 0. */
static bool fail_cell(const table_parser *parser, size_t at, const char *what) {
    char shown[64];
    const char *text = parser->rows->cell[at];
    const bool foreign = strpbrk(text, ";\t");
    return sa_fail(parser->error, SA_DATA, "%s:%zu:%zu: '%s' %s%s", parser->rows->text.file.name,
                   parser->rows->line, at + 1, sa_escape(shown, sizeof shown, text, strlen(text)),
                   what, foreign ? " (cells are separated by commas)" : "");
}

/* Returns whether a cell is meant to be a number, perhaps an invalid one, and not a word. */
static bool looks_numeric(const char *text) {
    text += *text == '-' || *text == '+';
    text += *text == '.';
    return (*text >= '0' && *text <= '9') || strcasecmp(text, "nan") == 0 ||
           strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0;
}

static bool is_truth(const char *text) {
    return strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0;
}

static bool is_whole(const char *text) {
    return *text && !text[strspn(text, "0123456789")];
}

/* ---- Rows of numbers ------------------------------------------------------------------------- */

static bool is_header(const table_parser *parser) {
    const sa_records *rows = parser->rows;
    size_t words = 0, numbers = 0;
    for (size_t i = 0; i < rows->cells; i++) {
        numbers += looks_numeric(rows->cell[i]);
        words += *rows->cell[i] && !looks_numeric(rows->cell[i]) && !is_truth(rows->cell[i]);
    }
    return (words && !numbers) || (rows->cells > 1 && !*rows->cell[0] && words + numbers);
}

/* Returns whether the row is 0, 1, 2 ..., as pandas calls columns without names. */
static bool is_count(const sa_records *rows) {
    size_t i = 0;
    while (i < rows->cells && is_whole(rows->cell[i]) && strtoul(rows->cell[i], NULL, 10) == i) i++;
    return rows->cells > 2 && i == rows->cells;
}

static bool parse_header(table_parser *parser) {
    const sa_records *rows = parser->rows;
    parser->header_cells = rows->cells;
    parser->has_corner = rows->cells > 1 && !*rows->cell[0];
    parser->table->header = sa_new(rows->cells, sizeof(char *), parser->error);
    for (size_t i = 0; parser->table->header && i < rows->cells; i++)
        parser->table->header[i] = sa_csv_cell_unescape(rows->cell[i]);
    return parser->table->header;
}

static bool check_count(const table_parser *parser) {
    const sa_records *rows = parser->rows;
    const sa_number_table *table = parser->table;
    const size_t wanted = table->header ? parser->header_cells
                          : table->rows ? (size_t)table->cols + parser->label_columns
                                        : rows->cells;
    return rows->cells == wanted ||
           sa_fail(parser->error, SA_DATA, "%s:%zu: %zu cell%s, the rows above have %zu",
                   rows->text.file.name, rows->line, rows->cells, rows->cells == 1 ? "" : "s",
                   wanted);
}

/* Determines the columns, and whether rows begin with words, from the first row of numbers. */
static bool set_layout(table_parser *parser) {
    sa_number_table *table = parser->table;
    const char *first = parser->rows->cell[0];
    const size_t cells = parser->rows->cells;
    const bool truths = is_truth(first) && (cells < 2 || is_truth(parser->rows->cell[1]));
    parser->label_columns = parser->has_corner || (*first && !looks_numeric(first) && !truths);
    if (parser->rows->cells == parser->label_columns)
        return fail_cell(parser, 0, "is not a number");
    table->cols = (int)(parser->rows->cells - parser->label_columns);
    if (table->header) table->column = table->header + parser->label_columns;
    return true;
}

/* Checks the beginning of the row: when other rows begin with a word, a number or nothing there is
 * an error. */
static bool check_row_label(const table_parser *parser) {
    const char *first = parser->rows->cell[0];
    if (!parser->label_columns || parser->has_corner || (*first && !looks_numeric(first)))
        return true;
    return fail_cell(parser, 0,
                     "begins a row, others begin with a word (for words that are numbers, add a "
                     "header row with an empty first cell)");
}

static bool parse_numbers(table_parser *parser, double *numbers) {
    for (size_t i = parser->label_columns; i < parser->rows->cells; i++, numbers++) {
        const char *text = parser->rows->cell[i];
        if (!*text)
            return sa_fail(parser->error, SA_DATA, "%s:%zu:%zu: a number is missing",
                           parser->rows->text.file.name, parser->rows->line, i + 1);
        if (parser->scores && strcasecmp(text, "-inf") == 0)
            *numbers = -INFINITY;
        else if (is_truth(text))
            *numbers = strcasecmp(text, "true") == 0;
        else if (!sa_number_parse(text, numbers))
            return fail_cell(parser, i, "is not a finite number");
        parser->fractions = parser->fractions && (parser->table->rows == 1 || !is_whole(text));
    }
    return true;
}

static bool parse_row(table_parser *parser) {
    sa_number_table *table = parser->table;
    if (!check_count(parser) || (!table->rows && !set_layout(parser)) || !check_row_label(parser))
        return false;
    if (table->rows == MAX_ROWS)
        return sa_fail(parser->error, SA_DATA, "%s:%zu: too many rows",
                       parser->rows->text.file.name, parser->rows->line);
    const size_t row = (size_t)table->rows, at = row * (size_t)table->cols;
    if (!sa_reserve(&table->numbers, &parser->number_capacity, at + (size_t)table->cols,
                    sizeof *table->numbers, parser->error) ||
        (parser->label_columns && !sa_reserve(&table->row, &parser->row_capacity, row + 1,
                                              sizeof *table->row, parser->error)))
        return false;
    if (parser->label_columns) table->row[row] = sa_csv_cell_unescape(parser->rows->cell[0]);
    table->rows++;
    return parse_numbers(parser, table->numbers + at);
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Decides whether a first row 0, 1, 2 ... is a header: it is if all other rows have fractions. */
static void settle_count(sa_number_table *table, bool is_header) {
    const size_t cols = (size_t)table->cols;
    if (is_header) {
        table->rows--;
        memmove(table->numbers, table->numbers + cols,
                (size_t)table->rows * cols * sizeof *table->numbers);
        return;
    }
    free(table->header);
    table->header = table->column = NULL;
}

static bool read_rows(table_parser *parser) {
    sa_number_table *table = parser->table;
    sa_records *rows = parser->rows;
    size_t empty = 0; /* the first empty line; only trailing ones are allowed */
    while (sa_csv_next(rows, parser->error)) {
        if (rows->cells == 1 && !*rows->cell[0]) {
            if (!empty) empty = rows->line;
            continue;
        }
        if (empty)
            return sa_fail(parser->error, SA_DATA, "%s:%zu: an empty line", rows->text.file.name,
                           empty);
        const bool begins = !table->rows && !table->header, counts = begins && is_count(rows);
        const bool names = begins && (counts || is_header(parser));
        if (counts) parser->counts = parser->fractions = true;
        if ((names && !parse_header(parser)) || ((!names || counts) && !parse_row(parser)))
            return false;
    }
    if (parser->counts) settle_count(table, parser->fractions && table->rows > 1);
    return !rows->text.failed &&
           (table->rows ||
            sa_fail(parser->error, SA_DATA, "%s: no numbers in it", rows->text.file.name));
}

bool sa_number_table_read(sa_number_table *table, bool scores, sa_error *error) {
    table->source.separator = ',', table->source.trims = true;
    return read_rows(
        &(table_parser){.table = table, .rows = &table->source, .scores = scores, .error = error});
}

bool sa_number_table_open(sa_number_table *table, const char *path, bool scores, sa_error *error) {
    *table = (sa_number_table){0};
    if (!sa_text_lines_open(&table->source.text, path, error)) return false;
    const bool good = sa_number_table_read(table, scores, error);
    if (!good) sa_number_table_close(table);
    return good;
}

void sa_number_table_close(sa_number_table *table) {
    sa_records_close(&table->source);
    free(table->numbers);
    free(table->row);
    free(table->header);
    *table = (sa_number_table){0};
}
