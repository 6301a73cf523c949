#include "data/word_vectors.h"
#include "base/file.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text, const char *end) {
    bool digits = false;
    for (; text < end && strchr("0123456789+-.eE", *text); text++)
        digits |= *text >= '0' && *text <= '9';
    return text == end && digits;
}

/* Cuts a line "WORD X1 ... Xm" after the word, which may contain spaces. Returns the start of the
 * numbers. */
static char *cut_word(const sa_text_lines *file, int *count) {
    char *line = file->line, *end = line + file->size, *space;
    for (char *tab = line; (tab = strchr(tab, '\t'));) *tab = ' ';
    while (end > line && end[-1] == ' ') *--end = 0;
    for (*count = 0;
         (space = memrchr(line, ' ', (size_t)(end - line))) && is_number(space + 1, end); ++*count)
        end = space;
    if (!*count) return end;
    *end = 0;
    return end + 1;
}

static bool read_vector(char *numbers, float *row, int m) {
    for (int k = 0; k < m; k++) {
        double number;
        numbers[strcspn(numbers, " ")] = 0;
        if (!sa_number_parse(numbers, &number) || !isfinite((float)number)) return false;
        row[k] = (float)number;
        numbers += strlen(numbers) + 1;
    }
    return true;
}

/* How the vector of a token was found. */
enum { BY_WORD = 1, BY_TOKEN };

/* Sets the rows of the token with this spelling, and of tokens that are this word with marks of
 * spaces. The first line for a word counts. */
static bool set_rows(const sa_vocab *vocab, const char *word, char *numbers, int m, float *rows,
                     char *found) {
    static const char *const marks[] = {"", SA_JOINED, SA_SPACED};
    char token[SA_SUBWORD_MAX + 8];
    for (int i = 0; i < 9; i++) {
        const char by = i ? BY_WORD : BY_TOKEN;
        const size_t size =
            (size_t)snprintf(token, sizeof token, "%s%s%s", marks[i / 3], word, marks[i % 3]);
        const int32_t id = size < sizeof token ? sa_vocab_find(vocab, token, size) : SA_UNK;
        if (id == SA_UNK || found[id] >= by) continue;
        if (!read_vector(numbers, rows + (size_t)id * (size_t)m, m)) return false;
        found[id] = by;
    }
    return true;
}

/* Reads the lines; a first line "WORDS m" is the header of word2vec and fastText. */
static bool read_lines(sa_text_lines *file, const sa_vocab *vocab, int m, float *rows, char *found,
                       sa_error *error) {
    const char *name = file->file.name;
    while (sa_lines_next(file, error)) {
        const size_t number = file->number;
        const char *line = file->line;
        long long all, width;
        int count;
        char more;
        if (number == 1 && sscanf(line, "%lld %lld %c", &all, &width, &more) == 2) {
            if (width == m) continue;
            return sa_fail(error, SA_DATA, "%s:1: its vectors have %lld numbers, --embed is %d",
                           name, width, m);
        }
        char *numbers = cut_word(file, &count);
        const char *last = strrchr(line, ' ');
        if (count != m)
            return sa_fail(error, SA_DATA,
                           "%s:%zu: expected a word and %d finite numbers (--embed); there are %d "
                           "after '%.40s'",
                           name, number, m, count, last ? last + 1 : line);
        if (!set_rows(vocab, line, numbers, m, rows, found))
            return sa_fail(error, SA_DATA, "%s:%zu: a number of '%.40s' is not finite", name,
                           number, line);
    }
    return !file->failed;
}

bool sa_word_vectors_read(const char *path, const sa_vocab *vocab, int m, float *rows,
                          size_t *found, sa_error *error) {
    const size_t size = (size_t)sa_vocab_size(vocab);
    sa_text_lines file;
    *found = 0;
    if (!sa_text_lines_open(&file, path, error)) return false;
    char *ways = sa_new(size, 1, error);
    const bool good = ways && read_lines(&file, vocab, m, rows, ways, error);
    for (size_t id = 0; good && id < size; id++) *found += ways[id] > 0;
    free(ways);
    sa_text_lines_close(&file);
    return good;
}
