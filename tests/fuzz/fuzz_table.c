/* CSV. The input is two bytes for the size of a matrix, a byte for each number and a line for
 * each word around it, which is written and read again; or, if the first byte is one of a cell,
 * any CSV file. */
#include "data/csv.h"
#include "fuzz.h"
#include "report/matrix.h"
#include "support/csv_reader.h"

#include <math.h>

enum { SIDE = 6, ANYONE = 32, MOST = 4096 };

typedef struct table {
    int rows, cols;
    double numbers[SIDE * SIDE];
    char *row[SIDE], *column[SIDE];
} table;

/* A word that a matrix may have: a token of valid text in one line. */
static char *word_of(fuzz_input *input) {
    const fuzz_input part = fuzz_until(input, '\n');
    const bool good = part.size && fuzz_is_utf8(part.at, part.size) &&
                      !memchr(part.at, 0, part.size) && !memchr(part.at, '\r', part.size);
    return fuzz_copy(good ? part : (fuzz_input){"word", 4});
}

static table table_of(fuzz_input *input, int rows, int cols) {
    table made = {.rows = rows, .cols = cols};
    for (int i = 0; i < rows * cols; i++) {
        const unsigned byte = fuzz_byte(input);
        made.numbers[i] = byte < 128 ? byte / 127. : ldexp((double)byte - 190.7, (int)byte - 190);
    }
    for (int i = 0; i < rows; i++) made.row[i] = word_of(input);
    for (int i = 0; i < cols; i++) made.column[i] = word_of(input);
    return made;
}

static void release(table *made) {
    for (int i = 0; i < made->rows; i++) free(made->row[i]);
    for (int i = 0; i < made->cols; i++) free(made->column[i]);
}

/* A reader for RFC 4180. */
static void expect_heatmap(const table *made, const char *csv) {
    sa_buffer cell = {0};
    const char *at = csv;
    for (int s = 0; s < made->cols; s++) {
        ck_assert_int_eq(*at++, ',');
        at = cells_expect_word(at, made->column[s], &cell);
    }
    for (int t = 0; t < made->rows; t++) {
        ck_assert_int_eq(*at++, '\n');
        at = cells_expect_word(at, made->row[t], &cell);
        for (int s = 0; s < made->cols; s++) {
            ck_assert_int_eq(*at++, ',');
            const double number = made->numbers[t * made->cols + s];
            at = cells_expect_number(at, number, &cell);
        }
    }
    ck_assert_str_eq(at, "\n");
    sa_buffer_release(&cell);
}

/* Whether our reader takes all words for words: it strips blanks around an unquoted cell, and
 * takes the first row for a header because its first cell is empty and another is a word. */
static bool reads_back(const table *made) {
    bool word = false;
    for (int s = 0; s < made->cols; s++) {
        const char *text = made->column[s];
        const char *digits = text + strspn(text, "+-.");
        word |= !(*digits >= '0' && *digits <= '9') && !strcasestr(text, "nan") &&
                !strcasestr(text, "inf");
        if (strpbrk(text, " \t")) return false;
    }
    for (int t = 0; t < made->rows; t++)
        if (strpbrk(made->row[t], " \t")) return false;
    return word;
}

static void read_again(const table *made, const sa_buffer *text) {
    sa_number_table csv;
    sa_error error = {0};
    ck_assert_msg(sa_number_table_open(&csv, fuzz_file(0, text->text, text->size), false, &error),
                  "%s\n%s", error.text, text->text);
    ck_assert_int_eq(csv.rows, made->rows);
    ck_assert_int_eq(csv.cols, made->cols);
    for (int i = 0; i < made->rows * made->cols; i++)
        ck_assert_double_eq(csv.numbers[i], made->numbers[i]);
    for (int t = 0; t < made->rows; t++) ck_assert_str_eq(csv.row[t], made->row[t]);
    for (int s = 0; s < made->cols; s++) ck_assert_str_eq(csv.column[s], made->column[s]);
    sa_number_table_close(&csv);
}

static void write_table(fuzz_input input, int rows, int cols) {
    table made = table_of(&input, rows, cols);
    const sa_alignment alignment = {.targets = rows,
                                    .sources = cols,
                                    .target = (const char *const *)made.row,
                                    .source = (const char *const *)made.column,
                                    .heads = 1,
                                    .layers = 1,
                                    .weights = made.numbers};
    sa_buffer csv = {0}, tidy = {0};
    const sa_pair pair = {.line = 7, .row = 2};
    sa_matrix_csv(&alignment, false, &csv);
    sa_matrix_tidy(&alignment, &(sa_tidy){.head = SA_HEADS_ALL, .pair = &pair}, &tidy);
    expect_heatmap(&made, csv.text);
    cells_expect_tidy(tidy.text, &alignment, false);
    if (reads_back(&made)) read_again(&made, &csv);
    sa_buffer_release(&csv), sa_buffer_release(&tidy);
    release(&made);
}

/* A table that was read survives writing and reading. */
static void read_table(fuzz_input input) {
    sa_number_table csv, again;
    sa_error error = {0};
    if (!sa_number_table_open(&csv, fuzz_file(0, input.at, input.size), false, &error)) {
        fuzz_expect_error(&error, SA_DATA, SA_DATA);
        return;
    }
    ck_assert(csv.rows > 0 && csv.cols > 0);
    const size_t count = (size_t)csv.rows * (size_t)csv.cols;
    for (size_t i = 0; i < count; i++) ck_assert(isfinite(csv.numbers[i]));
    sa_buffer text = {0};
    sa_grid_csv(
        &(sa_grid){.rows = csv.rows, .cols = csv.cols, .numbers = csv.numbers, .exact = true},
        &text);
    ck_assert_msg(sa_number_table_open(&again, fuzz_file(1, text.text, text.size), false, &error),
                  "%s", error.text);
    ck_assert(again.rows == csv.rows && again.cols == csv.cols);
    for (size_t i = 0; i < count; i++) ck_assert_double_eq(again.numbers[i], csv.numbers[i]);
    for (int i = 0; csv.row && i < csv.rows; i++)
        ck_assert(fuzz_is_utf8(csv.row[i], strlen(csv.row[i])));
    for (int i = 0; csv.column && i < csv.cols; i++)
        ck_assert(fuzz_is_utf8(csv.column[i], strlen(csv.column[i])));
    sa_number_table_close(&csv), sa_number_table_close(&again);
    sa_buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    if (size > MOST) return 0;
    if (!size || *data >= ANYONE) {
        read_table(input);
        return 0;
    }
    const int rows = 1 + (int)(fuzz_byte(&input) % SIDE),
              cols = 1 + (int)(fuzz_byte(&input) % SIDE);
    write_table(input, rows, cols);
    return 0;
}
