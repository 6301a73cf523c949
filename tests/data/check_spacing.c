/* Spaces between tokens: texts of many scripts and customs come back from their tokens. */
#include "data/text_codec.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void learn(sa_spacing *spacing, char *const *lines, int count) {
    sa_strings counts = {0};
    sa_tokens tokens = {0};
    for (int i = 0; i < count; i++) {
        tokens.count = 0;
        ck_assert(sa_word_tokenizer_split(lines[i], strlen(lines[i]), &tokens, NULL));
        ck_assert(sa_spacing_count(&counts, &tokens, NULL));
    }
    sa_vocab rows = {0};
    ck_assert(sa_strings_count(&counts, (sa_token){"word word ▁", strlen("word word ▁")}, 1, NULL));
    ck_assert(sa_vocab_build(&rows, &counts, 1, 0, NULL));
    ck_assert(sa_spacing_read(spacing, &rows, "m", "t", NULL));
    sa_strings_release(&rows);
    sa_strings_release(&counts);
    sa_tokens_release(&tokens);
}

/* The tokens of a text with their marks, and " | " between them. */
static char *cut(const sa_spacing *spacing, const char *text, sa_tokens *tokens) {
    sa_buffer shown = {0};
    ck_assert(sa_word_tokenizer_split(text, strlen(text), tokens, NULL));
    ck_assert(sa_spacing_mark(spacing, tokens, NULL));
    sa_buffer_adds(&shown, "");
    for (size_t i = 0; i < tokens->count; i++) {
        if (i) sa_buffer_adds(&shown, " | ");
        sa_buffer_add(&shown, tokens->token[i].text, tokens->token[i].size);
    }
    return shown.text;
}

/* Whether the text comes back; `marked` counts its tokens with marks. */
static bool comes_back(const sa_spacing *spacing, const char *text, const char *tokens_of,
                       int *marked, int *all) {
    sa_tokens tokens = {0}, plain = {0};
    sa_buffer joined = {0};
    char *shown = cut(spacing, text, &tokens);
    ck_assert(sa_word_tokenizer_split(text, strlen(text), &plain, NULL));
    ck_assert_uint_eq(tokens.count, plain.count);
    for (size_t i = 0; i < plain.count; i++) *marked += tokens.token[i].size > plain.token[i].size;
    *all += (int)plain.count;
    sa_buffer_adds(&joined, "");
    sa_spacing_join(tokens.token, tokens.count, spacing, &joined);
    const bool same = strcmp(joined.text, text) == 0;
    if (!same)
        printf("%s: '%s' is '%s' and comes back as '%s'\n", tokens_of, text, shown, joined.text);
    sa_buffer_release(&joined);
    sa_tokens_release(&tokens), sa_tokens_release(&plain);
    free(shown);
    return same;
}

enum { MOST = 20 };

/* ---- Customs --------------------------------------------------------------------------------- */

/* A custom of customs.txt: its name, lines to learn from, and as many others after "--". */
typedef struct custom {
    char *name, *line[MOST];
    int learned, lines;
} custom;

static bool read_custom(char **text, custom *out) {
    *out = (custom){.name = strsep(text, "\n")};
    if (!out->name || strncmp(out->name, "# ", 2) != 0) return false;
    while (*text && **text && strncmp(*text, "# ", 2) != 0) {
        char *line = strsep(text, "\n");
        if (strcmp(line, "--") == 0)
            out->learned = out->lines;
        else
            out->line[out->lines++] = line;
        ck_assert_int_lt(out->lines, MOST);
    }
    return true;
}

static char *read_customs(void) {
    FILE *file = fopen(TEST_ROOT "/tests/data/customs.txt", "r");
    char *text = NULL;
    size_t capacity = 0;
    ck_assert(file && getdelim(&text, &capacity, 0, file) > 0);
    fclose(file);
    return text;
}

START_TEST(texts_of_all_customs_come_back) {
    char *text = read_customs(), *rest = text;
    custom each;
    int customs = 0, wrong = 0, marked[2] = {0}, tokens[2] = {0};
    for (; read_custom(&rest, &each); customs++) {
        sa_spacing spacing = {0};
        learn(&spacing, each.line, each.learned);
        for (int i = 0; i < each.lines; i++) {
            const int held_out = i >= each.learned;
            wrong += !comes_back(&spacing, each.line[i], each.name, &marked[held_out],
                                 &tokens[held_out]);
        }
        sa_strings_release(&spacing);
    }
    free(text);
    printf("%d customs, marks on %d of %d and %d of %d tokens\n", customs, marked[0], tokens[0],
           marked[1], tokens[1]);
    ck_assert_int_ge(customs, 30);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* ---- Marks ----------------------------------------------------------------------------------- */

/* What is learned from some lines, and the tokens of another. */
static const struct {
    const char *lines, *text, *tokens, *joined; /* joined NULL: as the text */
} marks[] = {
    {"a, b", "a, b", "a | , | b", NULL},
    {"a, b", "a ,b", "a | ▁,￭ | b", NULL},
    {"a, b|c, d", "a , b", "a | ▁, | b", NULL},
    {"a b", "l' homme l'homme", "l'▁ | homme | l' | homme", NULL},
    {"a b", "x\"y\" \"z\"", "x | ￭\" | y | \" | \" | z | \"", NULL}, /* as usual */
    {"a b", "私 は", "私 | ▁は", NULL},
    {"私 は で", "私は で", "私 | ￭は | で", NULL},
    {"a\u200bb\u200bc", "a\u200bb c", "a | b | ▁c", NULL},
    {"a b", "a\u200bb", "a | \u200bb", NULL},
    {"a\u202f!|b\u202f!|c !", "d !", "d | !", "d\u202f!"}, /* the most frequent kind of blank */
    {"a!", "d\u202f!", "d | \u202f!", NULL},
    {"a b", "  a \t b\u2028c ", "a | b | c", "a b c"}, /* white space at the ends, and several */
    {"a!", "b\u2029! c\u2028! d\302\205! e\t!", "b | ▁! | c | ▁! | d | ▁! | e | ▁!",
     "b ! c ! d ! e !"}, /* what ends lines or columns is a space */
    {"a b", "￭ ▁ ￭▁￭a▁", "￭ | ▁ | ￭ | ￭▁ | ￭￭ | ￭a | ￭▁", NULL},
    {"a b", "", "", NULL},
};

START_TEST(marks_stand_where_a_text_deviates) {
    char lines[64], *rest = lines, *line[MOST];
    int count = 0, marked = 0, all = 0;
    sa_spacing spacing = {0};
    sa_tokens tokens = {0};
    sa_buffer joined = {0};
    strcpy(lines, marks[_i].lines);
    while (rest) line[count++] = strsep(&rest, "|");
    learn(&spacing, line, count);
    char *shown = cut(&spacing, marks[_i].text, &tokens);
    ck_assert_str_eq(shown, marks[_i].tokens);
    sa_buffer_adds(&joined, "");
    sa_spacing_join(tokens.token, tokens.count, &spacing, &joined);
    ck_assert_str_eq(joined.text, marks[_i].joined ? marks[_i].joined : marks[_i].text);
    if (!marks[_i].joined) ck_assert(comes_back(&spacing, marks[_i].text, "marks", &marked, &all));
    sa_buffer_release(&joined);
    sa_tokens_release(&tokens);
    sa_strings_release(&spacing);
    free(shown);
}
END_TEST

START_TEST(rows_are_two_keys_and_a_mark) {
    static const char *const wrong[] = {"word",     "word ▁",  " word ▁",   "word  ▁",
                                        "word , x", "word , ", "word , ￭￭", "word , \t"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sa_strings rows = {0};
        sa_spacing spacing = {0};
        sa_error error;
        ck_assert(sa_strings_add(&rows, "word , ￭", strlen("word , ￭"), NULL) >= 0);
        ck_assert(sa_strings_add(&rows, "word , ▁", strlen("word , ▁"), NULL) >= 0); /* too late */
        ck_assert(sa_spacing_read(&spacing, &rows, "m", "source.spaces", &error));
        sa_strings_release(&spacing);
        ck_assert(sa_strings_add(&rows, wrong[i], strlen(wrong[i]), NULL) >= 0);
        ck_assert(!sa_spacing_read(&spacing, &rows, "m", "source.spaces", &error));
        ck_assert_str_eq(error.text,
                         "m: tensor 'source.spaces': word 3 is not two keys and a mark");
        sa_strings_release(&spacing);
        sa_strings_release(&rows);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("spacing", &tests);
    tcase_add_loop_test(tests, marks_stand_where_a_text_deviates, 0, sizeof marks / sizeof *marks);
    tcase_add_test(tests, rows_are_two_keys_and_a_mark);
    tcase_add_test(tests, texts_of_all_customs_come_back);
    return suite_run(suite);
}
