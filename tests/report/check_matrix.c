/* Heatmap CSV, long table and links: what is written exactly, and that a strict reader gets back
 * every word and weight. */
#include "data/csv.h"
#include "report/matrix.h"
#include "support/suite.h"

#include <math.h>
#include <softalign/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4000 };

/* ---- A strict CSV reader (RFC 4180, lines end in LF) ------------------------------------------
 */

typedef struct table {
    char *cell[CELLS]; /* [rows * columns] */
    int rows, columns;
} table;

/* One cell, unquoted; leaves *text at the comma or line end behind it. */
static char *read_cell(const char **text) {
    sa_buffer cell = {0};
    sa_buffer_adds(&cell, "");
    const char *at = *text;
    if (*at != '"') {
        const size_t size = strcspn(at, ",\n");
        sa_buffer_add(&cell, at, size);
        ck_assert_msg(!strpbrk(cell.text, "\"\r"), "needs quotes: %s", cell.text);
        *text = at + size;
        return cell.text;
    }
    for (at++; *at != '"' || at[1] == '"'; at++) {
        ck_assert_msg(*at, "a quoted cell does not end");
        at += *at == '"';
        sa_buffer_add(&cell, at, 1);
    }
    *text = at + 1;
    return cell.text;
}

static table read_table(const char *text) {
    table read = {0};
    while (*text) {
        int columns = 0;
        for (bool more = true; more; columns++) {
            ck_assert_int_lt(read.rows * read.columns + columns, CELLS);
            read.cell[read.rows * read.columns + columns] = read_cell(&text);
            more = *text == ',';
            ck_assert_msg(more || *text == '\n', "behind a cell: '%s'", text);
            text++;
        }
        if (!read.rows) read.columns = columns;
        ck_assert_int_eq(columns, read.columns);
        read.rows++;
    }
    return read;
}

static void release(table *read) {
    for (int i = 0; i < read->rows * read->columns; i++) free(read->cell[i]);
}

/* Whether spreadsheets take a cell for a formula. */
static bool is_formula(const char *cell) {
    static const char *const starts[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                         "\n", "＝", "＋", "－", "＠"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(cell, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

/* The word behind a cell: one ' less when it stands before what would be a formula. */
static const char *word_of(const char *cell) {
    ck_assert_msg(!is_formula(cell), "a spreadsheet would run '%s'", cell);
    return *cell == '\'' && is_formula(cell + strspn(cell, "'")) ? cell + 1 : cell;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *const hard[] = {
    "=1+1",    "+1",          "-1",   "@SUM(1)", "=cmd|'/c calc'!A1",
    "\t=1",    "\r=1",        "\n=1", "＝1",     "＋1",
    "－1",     "＠1",         "'=1",  "''=1",    "'",
    "'tis",    "''",          "'\"",  "\"",      "\"\"",
    "\"=1",    ",",           "a,b",  ",=",      "=\"a\",\"b\"",
    "a\nb",    "a\r\nb",      "\r",   "a\"b",    ";",
    "a;b",     " ",           " a ",  "été",     "日本",
    "أين",     "👩‍🚀", "%s%n", "</s>",    "<script>",
    "\x1b[2J", "\xc2\xa0",    "1.5",  "\\",      "NA",
};
enum { HARD = sizeof hard / sizeof *hard };

/* Every hard word on both sides, each weight its own. */
static sa_alignment hard_alignment(void) {
    static double weights[HARD * HARD];
    for (int i = 0; i < HARD * HARD; i++) weights[i] = (double)(float)(1 / (i + 1.));
    return (sa_alignment){.targets = HARD,
                          .sources = HARD,
                          .target = hard,
                          .source = hard,
                          .heads = 1,
                          .layers = 1,
                          .weights = weights};
}

static void expect_weight(const char *cell, double weight) {
    char *end;
    ck_assert_float_eq(strtof(cell, &end), (float)weight);
    ck_assert_msg(end > cell && !*end, "no number: '%s'", cell);
}

START_TEST(a_reader_gets_every_word_and_weight_of_a_heatmap) {
    const sa_alignment alignment = hard_alignment();
    sa_buffer out = {0};
    sa_matrix_csv(&alignment, false, &out);
    table read = read_table(out.text);
    ck_assert_int_eq(read.rows, HARD + 1);
    ck_assert_int_eq(read.columns, HARD + 1);
    ck_assert_str_eq(read.cell[0], "");
    for (int s = 0; s < HARD; s++) ck_assert_str_eq(word_of(read.cell[s + 1]), hard[s]);
    for (int t = 0; t < HARD; t++) {
        char **row = &read.cell[(t + 1) * read.columns];
        ck_assert_str_eq(word_of(row[0]), hard[t]);
        for (int s = 0; s < HARD; s++) expect_weight(row[s + 1], alignment.weights[t * HARD + s]);
    }
    release(&read);
    sa_buffer_release(&out);
}
END_TEST

/* As they are, and as spreadsheets may have them. */
START_TEST(a_reader_gets_every_word_of_the_long_table) {
    const bool spreadsheet = _i;
    sa_alignment alignment = hard_alignment();
    alignment.targets = 1;
    for (alignment.target = hard; alignment.target < hard + HARD; alignment.target++) {
        sa_buffer out = {0};
        const sa_tidy tidy = {.pair = &(sa_pair){.id = *alignment.target, .row = 1},
                              .words = spreadsheet};
        sa_matrix_tidy(&alignment, &tidy, &out);
        table read = read_table(out.text);
        ck_assert_int_eq(read.rows, HARD + 1);
        ck_assert_int_eq(read.columns, 13);
        for (int s = 0; s < HARD; s++) {
            char **row = &read.cell[(s + 1) * 13];
            ck_assert_str_eq(spreadsheet ? word_of(row[3]) : row[3], *alignment.target);
            ck_assert_int_eq(atoi(row[4]), s);
            ck_assert_str_eq(spreadsheet ? word_of(row[5]) : row[5], hard[s]);
            expect_weight(row[6], alignment.weights[s]);
            ck_assert_str_eq(spreadsheet ? word_of(row[8]) : row[8], *alignment.target);
        }
        release(&read);
        sa_buffer_release(&out);
    }
}
END_TEST

static const struct {
    const char *word, *cell;
} cells[] = {
    {"chat", "chat"},     {"l'", "l'"},    {"'tis", "'tis"}, {"a,b", "\"a,b\""}, {"\"", "\"\"\"\""},
    {"a\nb", "\"a\nb\""}, {"=1", "'=1"},   {"-", "'-"},      {"-,", "\"'-,\""},  {"\t", "\"'\t\""},
    {"＝1", "'＝1"},      {"'=1", "''=1"}, {"''@", "'''@"},  {"\r", "\"'\r\""},  {"a=1", "a=1"},
    {"'", "'"},           {"–", "–"},      {" ", "\" \""},   {"a ", "\"a \""},   {"a b", "a b"},
};

START_TEST(cells_are_quoted_only_when_they_must_be) {
    const sa_alignment alignment = {.targets = 1,
                                    .sources = 1,
                                    .target = &cells[_i].word,
                                    .source = (const char *const[]){"</s>"},
                                    .weights = (double[]){1}};
    sa_buffer out = {0}, wanted = {0};
    sa_matrix_csv(&alignment, false, &out);
    sa_buffer_addf(&wanted, ",</s>\n%s,1\n", cells[_i].cell);
    ck_assert_str_eq(out.text, wanted.text);
    if (*cells[_i].cell != '"')
        ck_assert_str_eq(sa_csv_cell_unescape(cells[_i].cell), cells[_i].word);
    sa_buffer_release(&out);
    sa_buffer_release(&wanted);
}
END_TEST

/* ---- Whole outputs --------------------------------------------------------------------------- */

static const sa_alignment cat = {
    .targets = 3,
    .sources = 4,
    .target = (const char *const[]){"le", "chat", "</s>"},
    .source = (const char *const[]){"the", "black", "cat", "</s>"},
    .weights = (double[]){.75, .125, .0625, .0625, /* */
                          0, .25, .5, .25,         /* */
                          1e-9, 0, 0, 1},
    .heads = 1,
    .layers = 1,
};

START_TEST(a_heatmap_as_it_is_written) {
    sa_buffer out = {0};
    sa_matrix_csv(&cat, false, &out);
    ck_assert_str_eq(out.text, ",the,black,cat,</s>\n"
                               "le,0.75,0.125,0.0625,0.0625\n"
                               "chat,0,0.25,0.5,0.25\n"
                               "</s>,1e-09,0,0,1\n");
    out.size = 0;
    sa_matrix_csv(&cat, true, &out); /* words alone */
    ck_assert_str_eq(out.text, ",\"the\",\"black\",\"cat\",\"</s>\"\n"
                               "\"le\",0.75,0.125,0.0625,0.0625\n"
                               "\"chat\",0,0.25,0.5,0.25\n"
                               "\"</s>\",1e-09,0,0,1\n");
    ck_assert(!out.failed);
    sa_buffer_release(&out);
}
END_TEST

/* A byte order mark, as spreadsheets expect it; cells with quotes stay as they are. */
START_TEST(tables_for_spreadsheets) {
    static const char *const wanted[] = {"\xef\xbb\xbf\"a;,.\"\"b\",0.5,1.25\nx.y\n",
                                         "\xef\xbb\xbf\"a;,.\"\"b\";0,5;1,25\nx,y\n"};
    for (int semicolons = 0; semicolons < 2; semicolons++) {
        sa_buffer csv = {0};
        sa_buffer_adds(&csv, "\"a;,.\"\"b\",0.5,1.25\nx.y\n");
        sa_csv_for_spreadsheets(&csv, semicolons);
        ck_assert_str_eq(csv.text, wanted[semicolons]);
        sa_buffer_release(&csv);
    }
}
END_TEST

/* Rows may be part of longer ones; what is not a number leaves its cell empty. */
START_TEST(a_grid_may_be_part_of_another) {
    const double numbers[] = {1, .1, NAN, 7, 8, NAN, 1 / 3., 7, 9};
    sa_grid grid = {.rows = 2, .cols = 3, .numbers = numbers, .exact = true, .stride = 4};
    sa_buffer out = {0};
    sa_grid_csv(&grid, &out);
    ck_assert_str_eq(out.text, "1,0.1,\n8,,0.3333333333333333\n");
    sa_buffer_release(&out);
    grid.stride = 0; /* as many as there are columns */
    sa_grid_csv(&grid, &out);
    ck_assert_str_eq(out.text, "1,0.1,\n7,8,\n");
    sa_buffer_release(&out);
}
END_TEST

START_TEST(weights_have_the_digits_of_their_precision) {
    const sa_alignment thirds = {.targets = 1,
                                 .sources = 2,
                                 .target = (const char *const[]){"</s>"},
                                 .source = (const char *const[]){"a", "</s>"},
                                 .weights = (double[]){(double)(1 / 3.f), 1 / 3.}};
    sa_buffer out = {0};
    sa_matrix_csv(&thirds, false, &out);
    ck_assert_str_eq(out.text, ",a,</s>\n</s>,0.33333334,0.3333333333333333\n");
    sa_buffer_release(&out);
}
END_TEST

#define HEADER                                                                                     \
    "sentence,head,t,target,s,source,weight,layer,id,gold,probability,target_unknown,"             \
    "source_unknown\n"

START_TEST(a_long_table_as_it_is_written) {
    static const sa_link gold[] = {{0, 0, false}, {1, 0, true}, {1, 1, false}, {1, 1, true}};
    sa_buffer out = {0};
    sa_alignment first = cat;
    first.targets = 2;
    first.token_log_probabilities = (double[]){log(0.5), 0};
    first.source_unknown = (bool[]){false, true, false, false};
    first.target_unknown = (bool[]){true, false};
    sa_matrix_tidy(&first,
                   &(sa_tidy){.head = SA_HEADS_ALL,
                              .pair = &(sa_pair){.id = "a,b", .line = 4, .row = 1},
                              .linked = true,
                              .gold = gold,
                              .golds = 4},
                   &out);
    first = cat;
    first.targets = 1;
    first.sources = 2;
    sa_matrix_tidy(&first,
                   &(sa_tidy){.head = SA_HEADS_ALL, .pair = &(sa_pair){.line = 7, .row = 2}}, &out);
    sa_matrix_tidy(
        &first,
        &(sa_tidy){.head = SA_HEADS_ALL, .pair = &(sa_pair){.line = 7, .row = 3}, .linked = true},
        &out);
    ck_assert_str_eq(out.text, HEADER "1,1,0,le,0,the,0.75,1,\"a,b\",1,0.5,1,0\n"
                                      "1,1,0,le,1,black,0.125,1,\"a,b\",0.5,0.5,1,1\n"
                                      "1,1,0,le,2,cat,0.0625,1,\"a,b\",0,0.5,1,0\n"
                                      "1,1,0,le,3,</s>,0.0625,1,\"a,b\",0,0.5,1,0\n"
                                      "1,1,1,chat,0,the,0,1,\"a,b\",0,1,0,0\n"
                                      "1,1,1,chat,1,black,0.25,1,\"a,b\",1,1,0,1\n"
                                      "1,1,1,chat,2,cat,0.5,1,\"a,b\",0,1,0,0\n"
                                      "1,1,1,chat,3,</s>,0.25,1,\"a,b\",0,1,0,0\n"
                                      "2,1,0,le,0,the,0.75,1,7,,,0,0\n"
                                      "2,1,0,le,1,black,0.125,1,7,,,0,0\n"
                                      "3,1,0,le,0,the,0.75,1,7,0,,0,0\n"
                                      "3,1,0,le,1,black,0.125,1,7,0,,0,0\n");
    sa_buffer_release(&out);
}
END_TEST

START_TEST(a_long_table_of_a_model_that_copies) {
    sa_buffer out = {0};
    sa_alignment first = cat;
    first.targets = 2, first.sources = 1;
    first.generation_probabilities = (double[]){0.25, 1};
    sa_matrix_tidy(&first,
                   &(sa_tidy){.head = SA_HEADS_ALL, .pair = &(sa_pair){.line = 7, .row = 1}}, &out);
    ck_assert_str_eq(out.text, "sentence,head,t,target,s,source,weight,layer,id,gold,probability,"
                               "target_unknown,source_unknown,p_gen\n"
                               "1,1,0,le,0,the,0.75,1,7,,,0,0,0.25\n"
                               "1,1,1,chat,0,the,0.125,1,7,,,0,0,1\n");
    sa_buffer_release(&out);
}
END_TEST

/* A model of two layers of two heads; what lies before them are means. */
static const struct {
    int layer, head;
    const char *rows;
} selections[] = {
    {0, SA_HEADS_ALL, "1,1 0.25\n2,1 0.75\n1,2 -0.125\n2,2 -0.5\n"},
    {2, SA_HEADS_ALL, "1,2 -0.125\n2,2 -0.5\n"},
    {0, 2, "2,1 0.75\n2,2 -0.5\n"},
    {1, 1, "1,1 0.25\n"},
    {0, SA_HEADS_MEAN, "0,1 0.5\n0,2 -0.3125\n"},
};

START_TEST(a_long_table_has_the_heads_and_layers_that_are_wanted) {
    static const char *const words[] = {"</s>"};
    const sa_alignment deep = {.targets = 1,
                               .sources = 1,
                               .heads = 2,
                               .layers = 2,
                               .target = words,
                               .source = words,
                               .weights = (double[]){1, 1, 1, 0.25, 0.75, -0.125, -0.5}};
    const sa_tidy tidy = {.pair = &(sa_pair){.line = 7, .row = 3},
                          .layer = selections[_i].layer,
                          .head = selections[_i].head};
    sa_buffer out = {0}, rows = {0};
    sa_matrix_tidy(&deep, &tidy, &out);
    for (const char *at = out.text; *(at = strchr(at, '\n') + 1);) {
        int head, layer;
        double weight;
        ck_assert_int_eq(sscanf(at, "3,%d,0,</s>,0,</s>,%lf,%d,7,,,0,0", &head, &weight, &layer),
                         3);
        sa_buffer_addf(&rows, "%d,%d %g\n", head, layer, weight);
    }
    ck_assert_str_eq(rows.text, selections[_i].rows);
    sa_buffer_release(&out), sa_buffer_release(&rows);
}
END_TEST

/* Attributions have their method in place of a head's number; their mean is head 0. */
START_TEST(a_long_table_names_methods) {
    static const char *const words[] = {"</s>"};
    const sa_alignment scores = {.targets = 1,
                                 .sources = 1,
                                 .heads = 2,
                                 .layers = 1,
                                 .target = words,
                                 .source = words,
                                 .method = {"norms", "occlusion"},
                                 .weights = (double[]){-1, 2, -4}};
    sa_tidy tidy = {.pair = &(sa_pair){.line = 7, .row = 1}, .head = SA_HEADS_ALL};
    sa_buffer out = {0};
    sa_matrix_tidy(&scores, &tidy, &out);
    tidy.head = SA_HEADS_MEAN;
    sa_matrix_tidy(&scores, &tidy, &out);
    ck_assert_str_eq(out.text, HEADER "1,norms,0,</s>,0,</s>,2,1,7,,,0,0\n"
                                      "1,occlusion,0,</s>,0,</s>,-4,1,7,,,0,0\n"
                                      "1,0,0,</s>,0,</s>,-1,1,7,,,0,0\n");
    sa_buffer_release(&out);
}
END_TEST

START_TEST(links_leave_the_end_marks_out) {
    sa_alignment alignment = cat;
    sa_link_options linking;
    sa_buffer out = {0};
    sa_link_options_init(&linking);
    sa_matrix_pharaoh(&alignment, &linking, &out);
    alignment.sources = 3; /* now "cat" stands where EOS does, and the weights are cut anew */
    sa_matrix_pharaoh(&alignment, &linking, &out);
    alignment.sources = 1; /* EOS alone on one side, then on both */
    sa_matrix_pharaoh(&alignment, &linking, &out);
    alignment.targets = 1;
    sa_matrix_pharaoh(&alignment, &linking, &out);
    ck_assert_str_eq(out.text, "0-0 2-1\n0-0 0-1\n\n\n");
    ck_assert(!out.failed);
    sa_buffer_release(&out);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("matrix");
    TCase *words = tcase_create("words");
    tcase_add_test(words, a_reader_gets_every_word_and_weight_of_a_heatmap);
    tcase_add_loop_test(words, a_reader_gets_every_word_of_the_long_table, 0, 2);
    tcase_add_loop_test(words, cells_are_quoted_only_when_they_must_be, 0,
                        sizeof cells / sizeof *cells);
    suite_add_tcase(suite, words);
    TCase *whole = tcase_create("whole outputs");
    tcase_add_test(whole, a_heatmap_as_it_is_written);
    tcase_add_test(whole, tables_for_spreadsheets);
    tcase_add_test(whole, a_grid_may_be_part_of_another);
    tcase_add_test(whole, weights_have_the_digits_of_their_precision);
    tcase_add_test(whole, a_long_table_as_it_is_written);
    tcase_add_test(whole, a_long_table_of_a_model_that_copies);
    tcase_add_loop_test(whole, a_long_table_has_the_heads_and_layers_that_are_wanted, 0,
                        sizeof selections / sizeof *selections);
    tcase_add_test(whole, a_long_table_names_methods);
    tcase_add_test(whole, links_leave_the_end_marks_out);
    suite_add_tcase(suite, whole);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
