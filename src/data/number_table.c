#include "data/number_table.h"
#include "base/csv_cell.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROWS = 1 << 24 }; /* the most rows */

typedef struct parse {
    sa_csv *csv;
    sa_lines *lines;
    const char **cell; /* of the line at hand */
    size_t cells, cell_room, row_room, number_room;
    size_t header_cells;
    bool cornered; /* the header begins with an empty cell: the rows begin with words */
    size_t worded; /* 1 when the rows begin with words, else 0 */
    sa_error *error;
} parse;

static bool fail(const parse *parser, const char *what) {
    return sa_fail(parser->error, SA_DATA, "%s:%zu: %s", parser->csv->reader.file.name,
                   parser->lines->number, what);
}

/* The table says `what` about a cell, counted from 0. */
static bool fail_cell(const parse *parser, size_t at, const char *what) {
    char shown[64];
    const char *text = parser->cell[at];
    const bool foreign = strpbrk(text, ";\t");
    return sa_fail(parser->error, SA_DATA, "%s:%zu:%zu: '%s' %s%s", parser->csv->reader.file.name,
                   parser->lines->number, at + 1,
                   sa_escape(shown, sizeof shown, text, strlen(text)), what,
                   foreign ? " (cells are separated by commas)" : "");
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static bool is_blank(char mark) {
    return mark == ' ' || mark == '\t';
}

/* The cell that begins at `at`, out of its quotes; *end is its comma or line end. NULL: its quotes
 * do not end, or something stands behind them. */
static char *take_quoted(char *at, char **end) {
    char *const text = ++at, *to = at;
    for (; *at != '"' || at[1] == '"'; at++) {
        if (!*at) return NULL;
        at += *at == '"';
        *to++ = *at;
    }
    for (at++; is_blank(*at);) at++;
    if (*at && *at != ',') return NULL;
    *end = at;
    *to = 0; /* behind what was read already */
    return text;
}

/* The same without quotes, blanks around it left out; its end is not yet marked by a zero. */
static char *take_plain(char *at, char **end, size_t *size) {
    *end = at + strcspn(at, ",");
    *size = (size_t)(*end - at);
    while (*size && is_blank(at[*size - 1])) --*size;
    return at;
}

static bool split(parse *parser, char *line) {
    parser->cells = 0;
    for (char *at = line, *end = line;; at = end + 1) {
        while (is_blank(*at)) at++;
        size_t size = 0;
        const bool quoted = *at == '"';
        char *cell = quoted ? take_quoted(at, &end) : take_plain(at, &end, &size);
        if (!cell) return fail(parser, "a quoted cell that does not end before a comma");
        const bool last = !*end;
        if (!quoted) cell[size] = 0;
        if (!sa_reserve(&parser->cell, &parser->cell_room, parser->cells + 1, sizeof *parser->cell,
                        parser->error))
            return false;
        parser->cell[parser->cells++] = cell;
        if (last) return true;
    }
}

/* Whether a cell is meant as a number, perhaps a wrong one: it is no word then. */
static bool like_number(const char *text) {
    text += *text == '-' || *text == '+';
    text += *text == '.';
    return (*text >= '0' && *text <= '9') || strcasecmp(text, "nan") == 0 ||
           strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_header(const parse *parser) {
    size_t words = 0, numbers = 0;
    for (size_t i = 0; i < parser->cells; i++) {
        if (like_number(parser->cell[i]))
            numbers++;
        else if (*parser->cell[i])
            words++;
    }
    return words && (!numbers || !*parser->cell[0]);
}

static bool take_header(parse *parser) {
    parser->csv->header = parser->cell;
    parser->header_cells = parser->cells;
    parser->cornered = parser->cells > 1 && !*parser->cell[0];
    parser->cell = NULL;
    parser->cell_room = 0;
    for (size_t i = 0; i < parser->cells; i++)
        parser->csv->header[i] = sa_cell_word(parser->csv->header[i]);
    return true;
}

static bool check_count(const parse *parser) {
    const sa_csv *csv = parser->csv;
    const size_t wanted = csv->header ? parser->header_cells
                          : csv->rows ? (size_t)csv->cols + parser->worded
                                      : parser->cells;
    return parser->cells == wanted ||
           sa_fail(parser->error, SA_DATA, "%s:%zu: %zu cell%s, the rows above have %zu",
                   csv->reader.file.name, parser->lines->number, parser->cells,
                   parser->cells == 1 ? "" : "s", wanted);
}

/* The first row of numbers tells how many there are and whether words stand before them. */
static bool settle(parse *parser) {
    sa_csv *csv = parser->csv;
    const char *first = parser->cell[0];
    parser->worded = parser->cornered || (*first && !like_number(first));
    if (parser->cells == parser->worded) return fail_cell(parser, 0, "is no number");
    csv->cols = (int)(parser->cells - parser->worded);
    if (csv->header) csv->column = csv->header + parser->worded;
    return true;
}

/* Below a word, a number or nothing at the head of a row is more likely a mistake. */
static bool check_word_tokenizer(const parse *parser) {
    const char *first = parser->cell[0];
    if (!parser->worded || parser->cornered || (*first && !like_number(first))) return true;
    return fail_cell(parser, 0,
                     "begins a row, others begin with a word (for words that are numbers, add a "
                     "header row with an empty first cell)");
}

static bool take_numbers(parse *parser, double *numbers) {
    for (size_t i = parser->worded; i < parser->cells; i++) {
        if (!*parser->cell[i])
            return sa_fail(parser->error, SA_DATA, "%s:%zu:%zu: a number is missing",
                           parser->csv->reader.file.name, parser->lines->number, i + 1);
        if (!sa_number_parse(parser->cell[i], numbers++))
            return fail_cell(parser, i, "is no finite number");
    }
    return true;
}

static bool take_row(parse *parser) {
    sa_csv *csv = parser->csv;
    if (!check_count(parser) || (!csv->rows && !settle(parser)) || !check_word_tokenizer(parser))
        return false;
    if (csv->rows == ROWS) return fail(parser, "too many rows");
    const size_t row = (size_t)csv->rows, at = row * (size_t)csv->cols;
    if (!sa_reserve(&csv->numbers, &parser->number_room, at + (size_t)csv->cols,
                    sizeof *csv->numbers, parser->error) ||
        (parser->worded &&
         !sa_reserve(&csv->row, &parser->row_room, row + 1, sizeof *csv->row, parser->error)))
        return false;
    if (parser->worded) csv->row[row] = sa_cell_word(parser->cell[0]);
    csv->rows++;
    return take_numbers(parser, csv->numbers + at);
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool read_rows(parse *parser) {
    sa_csv *csv = parser->csv;
    char *line;
    size_t size, empty = 0; /* the first empty line: only the last ones may be */
    bool failed = false;
    while (sa_reader_next(&csv->reader, &line, &size, &failed, parser->error)) {
        if (!line[strspn(line, " \t")]) {
            if (!empty) empty = parser->lines->number;
            continue;
        }
        if (empty)
            return sa_fail(parser->error, SA_DATA, "%s:%zu: an empty line", csv->reader.file.name,
                           empty);
        if (!split(parser, line)) return false;
        const bool header = !csv->rows && !csv->header && is_header(parser);
        if (!(header ? take_header : take_row)(parser)) return false;
    }
    return !failed && (csv->rows || sa_fail(parser->error, SA_DATA, "%s: no numbers in it",
                                            csv->reader.file.name));
}

bool sa_csv_open(sa_csv *csv, const char *path, sa_error *error) {
    *csv = (sa_csv){0};
    if (!sa_reader_open(&csv->reader, path, error)) return false;
    parse parser = {.csv = csv, .lines = &csv->reader.lines, .error = error};
    const bool good = read_rows(&parser);
    free(parser.cell);
    if (!good) sa_csv_close(csv);
    return good;
}

void sa_csv_close(sa_csv *csv) {
    sa_reader_close(&csv->reader);
    free(csv->numbers);
    free(csv->row);
    free(csv->header);
    *csv = (sa_csv){0};
}
