/* Tables of numbers from CSV files: values, labels, and the messages for bad files. */
#include "data/csv.h"
#include "report/matrix.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <locale.h>
#include <math.h>

static sa_error error;
static sa_number_table csv;
static const char *path;

static void set_up(void) {
    scratch_make();
    path = scratch_path("x.csv");
}

static bool open_text(const char *text) {
    scratch_write(path, text, strlen(text));
    return sa_number_table_open(&csv, path, false, &error);
}

static void read_text(const char *text, int rows, int cols) {
    ck_assert_msg(open_text(text), "%s: %s", text, error.text);
    ck_assert_int_eq(csv.rows, rows);
    ck_assert_int_eq(csv.cols, cols);
}

static void words_are(const char *const *words, int count, const char *wanted) {
    char all[256] = "";
    for (int i = 0; words && i < count; i++) strcat(strcat(all, words[i]), "|");
    ck_assert_str_eq(all, wanted);
}

START_TEST(reads_numbers) {
    static const char *const same[] = {
        "1,-2.5,3e2\n.5,0,+7\n", "1,-2.5,3e2\r\n.5,0,+7", " 1 ,\t-2.5, 3e2\n.5 ,0,+7\n\n \n",
        "\"1\",\"-2.5\",3e2\n.5, \"0\" ,+7\n", "\uFEFF1,-2.5,3e2\n.5,0,+7\n"};
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it exists */
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        read_text(same[i], 2, 3);
        ck_assert_mem_eq(csv.numbers, ((const double[]){1, -2.5, 300, 0.5, 0, 7}),
                         6 * sizeof(double));
        ck_assert_ptr_null(csv.row);
        ck_assert_ptr_null(csv.column);
        sa_number_table_close(&csv);
    }
}
END_TEST

START_TEST(keeps_words) {
    static const struct {
        const char *text, *row, *column;
    } rows[] = {
        {"1,2\n3,4\n", "", ""},
        {"+1,2\n3,4\n", "", ""},
        {"x,y\n1,2\n3,4\n", "", "x|y|"},
        {"the,1,2\ncat,3,4\n", "the|cat|", ""},
        {",x,y\nthe,1,2\ncat,3,4\n", "the|cat|", "x|y|"},
        {"word,x,y\nthe,1,2\ncat,3,4\n", "the|cat|", "x|y|"},
        {",2,</s>\n7,1,2\n,3,4\n", "7||", "2|</s>|"},
        {"\"a,b\",\"say \"\"so\"\"\"\n1,2\n3,4\n", "", "a,b|say \"so\"|"},
        {"'=x,''-,it's\n1,2,3\n3,4,5\n", "", "=x|'-|it's|"},
        {"d'eau,-\n1,2\n3,4\n", "", "d'eau|-|"},
        /* words that are numbers, below an empty first cell; pandas' columns without names */
        {",1,2\n3,1,2\n4,3,4\n", "3|4|", "1|2|"},
        {",0,1\n0,1.0,2.0\n1,3.0,4.0\n", "0|1|", "0|1|"},
        {"0,1,2\n1.0,0.5,2.0\n3.0,4.0,1e-5\n", "", "0|1|2|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(open_text(rows[i].text), "%s: %s", rows[i].text, error.text);
        ck_assert_int_eq(csv.rows, 2);
        ck_assert(csv.numbers[0] == 1 && csv.numbers[csv.cols] == 3);
        words_are(csv.row, csv.rows, rows[i].row);
        words_are(csv.column, csv.cols, rows[i].column);
        sa_number_table_close(&csv);
    }
}
END_TEST

START_TEST(refuses) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", ": no numbers in it"},
        {"\n \n", ": no numbers in it"},
        {"a,b\n", ": no numbers in it"},
        {"1,2\n3\n", ":2: 1 cell, the rows above have 2"},
        {"1,2\n3,4,5\n", ":2: 3 cells, the rows above have 2"},
        {"x,y\n1,2,3\n", ":2: 3 cells, the rows above have 2"},
        {"1,2\n3,\n", ":2:2: a number is missing"},
        {",2\n3,\n", ":2:2: a number is missing"},
        {"1,2\n3,x\n", ":2:2: 'x' is not a finite number"},
        {"1,2\nx,4\n", ":2:1: 'x' is not a finite number"},
        {"1,x\n3,4\n", ":1:2: 'x' is not a finite number"},
        {"1,nan\n3,4\n", ":1:2: 'nan' is not a finite number"},
        {"Infinity,1\n3,4\n", ":1:1: 'Infinity' is not a finite number"},
        {"-inf,1\n3,4\n", ":1:1: '-inf' is not a finite number"},
        {"1,1e999\n", ":1:2: '1e999' is not a finite number"},
        {"1,0x10\n", ":1:2: '0x10' is not a finite number"},
        {"1,2\n\n3,4\n", ":2: an empty line"},
        {"a,1\n2,3\n", ":2:1: '2' begins a row, others begin with a word (for words that are "
                       "numbers, add a header row with an empty first cell)"},
        {"a,1\n,3\n", ":2:1: '' begins a row, others begin with a word (for words that are "
                      "numbers, add a header row with an empty first cell)"},
        {"x\na\n", ":2:1: 'a' is not a number"},
        {"1;2\n", ":1:1: '1;2' is not a finite number (cells are separated by commas)"},
        {"1,5;2,5\n", ":1:2: '5;2' is not a finite number (cells are separated by commas)"},
        {"1\t2\n", ":1:1: '1\\x092' is not a finite number (cells are separated by commas)"},
        {"\"1,2\n", ":1: a quoted cell that does not end before a comma"},
        {"\"1\"x,2\n", ":1: a quoted cell that does not end before a comma"},
        {"1,2\n\x1b[2J,1\n", ":2:1: '\\x1B[2J' is not a finite number"},
        {"1,2\n\xff,1\n", ":2: not UTF-8 at byte 1: 0xFF (perhaps an 8-bit code like Latin-1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(!open_text(rows[i].text), "accepted: %s", rows[i].text);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_str_eq(error.text + strlen(path), rows[i].message);
        ck_assert_ptr_null(csv.numbers);
    }
    ck_assert(!sa_number_table_open(&csv, scratch_path("nothing.csv"), false, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
}
END_TEST

/* Lines of a quoted cell, which together may have as many bytes as a line. */
START_TEST(bounds_cells) {
    enum { LINE = 1 << 16 };
    for (int lines = 15; lines <= 16; lines++) {
        sa_buffer text = {0};
        sa_buffer_adds(&text, "\"");
        for (int i = 0; i < lines; i++) sa_buffer_addf(&text, "x%0*d\n", LINE - 2, 0);
        sa_buffer_adds(&text, "x\"\n1\n");
        const bool good = open_text(text.text);
        ck_assert_int_eq(good, lines == 15);
        if (good)
            ck_assert_uint_eq(strlen(csv.column[0]), (size_t)lines * LINE + 1);
        else
            ck_assert_str_eq(error.text + strlen(path),
                             ":1: a quoted cell that does not end before a comma");
        if (good) sa_number_table_close(&csv);
        sa_buffer_release(&text);
    }
}
END_TEST

/* Of a table that has almost all rows already. */
START_TEST(bounds_rows) {
    enum { MOST = 1 << 24 };
    char text[] = "1\n2\n";
    csv = (sa_number_table){.rows = MOST - 1, .cols = 1};
    csv.source.text.file = (sa_file){sa_copy(text, 4, &error), 4, "x.csv"};
    ck_assert(!sa_number_table_read(&csv, false, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_str_eq(error.text, "x.csv:2: too many rows");
    ck_assert_int_eq(csv.rows, MOST);
    ck_assert(csv.numbers[MOST - 1] == 1);
    sa_number_table_close(&csv);
}
END_TEST

START_TEST(writes_cells) {
    static const struct {
        const char *word;
        sa_csv_words words;
        const char *cell;
    } rows[] = {{"", SA_CSV_PLAIN, ""},         {"", SA_CSV_ESCAPED, ""},
                {"", SA_CSV_QUOTED, "\"\""},    {"a", SA_CSV_PLAIN, "a"},
                {" a", SA_CSV_PLAIN, "\" a\""}, {"a\t", SA_CSV_PLAIN, "\"a\t\""},
                {"=a", SA_CSV_PLAIN, "=a"},     {"=a", SA_CSV_ESCAPED, "'=a"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_buffer out = {0};
        sa_csv_cell_add(&out, rows[i].word, rows[i].words);
        ck_assert_str_eq(out.text ? out.text : "", rows[i].cell);
        sa_buffer_release(&out);
    }
}
END_TEST

/* A first row 0, 1, 2 stays where other numbers are whole, too, or may be weights. */
START_TEST(keeps_rows_that_count) {
    read_text("0,1,2\n1,0,0.5\n", 2, 3);
    ck_assert_ptr_null(csv.column);
    ck_assert(csv.numbers[2] == 2 && csv.numbers[3] == 1);
    sa_number_table_close(&csv);
    read_text("0,1\n0.5,0.5\n", 2, 2);
    sa_number_table_close(&csv);
    read_text("0,1,2\n", 1, 3);
    sa_number_table_close(&csv);
    read_text("9,8\n0,7\n", 2, 2); /* nor is the first cell of a row a word */
    ck_assert(!csv.row && csv.numbers[0] == 9);
    sa_number_table_close(&csv);
}
END_TEST

START_TEST(reads_truths) {
    read_text("True,False\nFALSE,true\n", 2, 2);
    ck_assert_mem_eq(csv.numbers, ((const double[]){1, 0, 0, 1}), 4 * sizeof(double));
    sa_number_table_close(&csv);
    read_text("true\nFALSE\n", 2, 1);
    ck_assert(csv.numbers[0] == 1 && csv.numbers[1] == 0);
    sa_number_table_close(&csv);
    read_text(",True,x\nTrue,0.5,True\n", 1, 2);
    words_are(csv.row, 1, "True|");
    words_are(csv.column, 2, "True|x|");
    sa_number_table_close(&csv);
}
END_TEST

/* Only scores may be -inf. */
START_TEST(reads_scores) {
    scratch_write(path, "-inf,1\n-INF,2\n", 14);
    ck_assert_msg(sa_number_table_open(&csv, path, true, &error), "%s", error.text);
    ck_assert(csv.numbers[0] == -INFINITY && csv.numbers[2] == -INFINITY && csv.numbers[3] == 2);
    sa_number_table_close(&csv);
    scratch_write(path, "inf,1\n", 6);
    ck_assert(!sa_number_table_open(&csv, path, true, &error));
    ck_assert(!open_text("1,-inf\n"));
}
END_TEST

/* A written grid is read back, every bit of the numbers and every label. */
START_TEST(reads_grids_back) {
    static const double numbers[] = {1.0 / 3, 0.1f, -1e-300, 1e15, 5e-324, 1.7976931348623157e308};
    static const char *const row[] = {"the, cat", "'=1"}, *const column[] = {"\"", "2", "-"};
    for (int form = 0; form < 4; form++) {
        const sa_grid grid = {2, 3, numbers, form & 1 ? row : NULL, form & 2 ? column : NULL, true};
        sa_buffer out = {0};
        sa_grid_csv(&grid, &out);
        if (form == 2) out.text[strcspn(out.text, "2")] = 'b'; /* a number is not a label there */
        read_text(out.text, 2, 3);
        ck_assert_mem_eq(csv.numbers, numbers, sizeof numbers);
        words_are(csv.row, 2, form & 1 ? "the, cat|'=1|" : "");
        words_are(csv.column, 3, form == 3 ? "\"|2|-|" : form == 2 ? "\"|b|-|" : "");
        sa_number_table_close(&csv);
        sa_buffer_release(&out);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("csv", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, reads_numbers);
    tcase_add_test(tests, keeps_words);
    tcase_add_test(tests, keeps_rows_that_count);
    tcase_add_test(tests, reads_truths);
    tcase_add_test(tests, refuses);
    tcase_add_test(tests, bounds_cells);
    tcase_add_test(tests, bounds_rows);
    tcase_add_test(tests, writes_cells);
    tcase_add_test(tests, reads_scores);
    tcase_add_test(tests, reads_grids_back);
    return suite_run(suite);
}
