/* corpus: PAIRS as the command line gives them (sa_corpus_open in softalign.h). */
#include "data/corpus.h"
#include "base/file.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "data/pair_reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* sa_corpus.owned points to this: the strings of the corpus, and the capacity of its pairs. */
typedef struct owned {
    char **text;
    size_t count, capacity, pair_capacity;
} owned;

/* Returns the text, which lives as long as the corpus from now on; NULL: out of memory. */
static const char *own(owned *all, char *text, sa_error *error) {
    if (text && sa_append(&all->text, &all->count, &all->capacity, &text, sizeof text, error))
        return text;
    free(text);
    return NULL;
}

static bool is_blank(const char *text) {
    const size_t size = strlen(text);
    for (size_t at = 0, length; at < size; at += length)
        if (sa_utf8_char_class(text + at, size - at, &length) != SA_CHAR_SPACE) return false;
    return true;
}

/* Sets *copy to a normalized copy of a text, or to NULL if there is none. */
static bool copy_text(owned *all, const char *text, const char **copy, sa_error *error) {
    *copy = text ? own(all, sa_utf8_normalize(text, strlen(text), false, error), error) : NULL;
    return !text || *copy;
}

/* Adds a copy of the pair, or only counts the pair if a side is empty. */
static bool add_pair(sa_corpus *corpus, sa_pair pair, sa_error *error) {
    owned *all = corpus->owned;
    corpus->lines++;
    if (is_blank(pair.source) || (pair.target && is_blank(pair.target))) {
        corpus->empty++;
        return true;
    }
    return copy_text(all, pair.source, &pair.source, error) &&
           copy_text(all, pair.target ? pair.target : "", &pair.target, error) &&
           copy_text(all, pair.gold, &pair.gold, error) &&
           copy_text(all, pair.id, &pair.id, error) &&
           sa_append(&corpus->pairs, &corpus->count, &all->pair_capacity, &pair, sizeof pair,
                     error);
}

/* ---- One file -------------------------------------------------------------------------------- */

size_t sa_line_number_size(const char *line) {
    const size_t digits = strspn(line, "0123456789");
    return digits && line[digits] == '\t' ? digits + 1 : 0;
}

static bool reads_as_gold(const char *text, sa_error *error) {
    sa_link *links = NULL;
    size_t count;
    const bool good = sa_links_parse(text, &links, &count, error);
    free(links);
    return good;
}

/* Notes why the alignments in the file are not read. */
static bool add_note(sa_corpus *corpus, const char *name, size_t number, const char *why,
                     sa_error *error) {
    sa_error text;
    sa_fail(&text, SA_DATA, "%s:%zu: no third column is read as an alignment: %s", name, number,
            why);
    return copy_text(corpus->owned, text.text, &corpus->note, error);
}

/* Decides by the third column of the first pair whether there is a gold column: it must not be
 * blank there. */
static bool find_gold_column(sa_corpus *corpus, const char *name, size_t number, const char *gold,
                             sa_error *error) {
    sa_error wrong = {0};
    corpus->note = NULL;
    corpus->gold = gold && !is_blank(gold) && reads_as_gold(gold, &wrong);
    if (wrong.code == SA_LIMIT) return sa_fail(error, SA_LIMIT, "%s", wrong.text);
    return !gold || corpus->gold ||
           add_note(corpus, name, number, is_blank(gold) ? "it is blank here" : wrong.text, error);
}

/* Checks the column in later lines, where it may be blank: a pair without links. */
static bool check_gold(sa_corpus *corpus, const char *name, size_t number, char **gold,
                       sa_error *error) {
    sa_error wrong = {0};
    if (!corpus->count && !find_gold_column(corpus, name, number, *gold, error)) return false;
    if (!corpus->gold) {
        const bool late = corpus->count && *gold && !corpus->note && !is_blank(*gold);
        *gold = NULL;
        return !late || add_note(corpus, name, corpus->pairs[0].line, "this line has none", error);
    }
    if (!*gold)
        return sa_fail(error, SA_DATA, "%s:%zu: no third column; line %zu has an alignment there",
                       name, number, corpus->pairs[0].line);
    return reads_as_gold(*gold, &wrong) ||
           sa_fail(error, wrong.code, "%s:%zu: alignment: %s", name, number, wrong.text);
}

static bool add_row(sa_corpus *corpus, const sa_pair_reader *reader, bool sources,
                    sa_error *error) {
    char *const *text = reader->text;
    const char *id = text[SA_PAIR_ID], *name = corpus->name;
    const size_t line = reader->records.line;
    const bool plain = sa_pair_reader_is_plain(reader);
    const sa_file *file = &reader->records.text.file;
    char *gold = text[SA_PAIR_GOLD];
    if (!text[SA_PAIR_TARGET] && is_blank(text[SA_PAIR_SOURCE])) {
        corpus->lines++;
        corpus->empty++;
        return true;
    }
    if (!text[SA_PAIR_TARGET] && !sources)
        return sa_fail(error, SA_DATA, "%s:%zu: no %s%s", name, line,
                       plain ? "tab; expected source TAB target" : "second column",
                       !plain ? ""
                       : strpbrk(text[SA_PAIR_SOURCE], ",;")
                           ? " (or, for CSV, a name that ends in .csv or a header)"
                       : !corpus->lines && !memchr(file->data, '\t', file->size)
                           ? " ('paste SOURCES TARGETS' makes such lines; texts alone, for a "
                             "decoder-only model, have the source '-')"
                           : "");
    if (id && is_blank(id)) id = NULL;
    if (!check_gold(corpus, name, line, &gold, error)) return false;
    const sa_pair pair = {text[SA_PAIR_SOURCE], text[SA_PAIR_TARGET], .gold = gold,
                          .line = line,         .row = reader->count, .id = id};
    return add_pair(corpus, pair, error);
}

static bool read_rows(sa_corpus *corpus, const char *path, const char *columns, bool sources,
                      sa_error *error) {
    sa_pair_reader reader;
    if (!sa_pair_reader_open(&reader, path, columns, error)) return false;
    bool good = true;
    corpus->name = reader.name;
    while (good && sa_pair_reader_next(&reader, error))
        good = add_row(corpus, &reader, sources, error);
    good = good && !reader.records.text.failed &&
           (!reader.note.failed || sa_fail_memory(error, reader.note.size)) &&
           copy_text(corpus->owned, reader.note.text, &corpus->remarks, error);
    sa_pair_reader_close(&reader);
    return good;
}

/* ---- Opening --------------------------------------------------------------------------------- */

bool sa_corpus_open_any(sa_corpus *corpus, const char *path, const char *columns, bool sources,
                        sa_error *error) {
    if (!sa_given(corpus, "corpus", error) || !sa_given(path, "path", error)) return false;
    *corpus = (sa_corpus){.name = path, .owned = sa_new(1, sizeof(owned), error)};
    if (!corpus->owned) return false;
    bool good = read_rows(corpus, path, columns, sources, error);
    if (good && !corpus->count)
        good = sa_fail(error, SA_DATA, "%s: no sentence pairs (%zu lines, %zu with an empty side)",
                       corpus->name, corpus->lines, corpus->empty);
    if (!good) sa_corpus_close(corpus);
    return good;
}

bool sa_corpus_open_columns(sa_corpus *corpus, const char *path, const char *columns,
                            sa_error *error) {
    return sa_corpus_open_any(corpus, path, columns, false, error);
}

bool sa_corpus_open(sa_corpus *corpus, const char *path, sa_error *error) {
    return sa_corpus_open_columns(corpus, path, NULL, error);
}

bool sa_corpus_select(sa_corpus *part, const sa_corpus *corpus, const bool *use, sa_error *error) {
    *part = (sa_corpus){.name = corpus->name, .owned = sa_new(1, sizeof(owned), error)};
    bool good = part->owned && copy_text(part->owned, corpus->note, &part->note, error);
    for (size_t i = 0; good && i < corpus->count; i++)
        if (use[i]) good = add_pair(part, corpus->pairs[i], error);
    part->lines = corpus->lines, part->empty = corpus->empty, part->gold = corpus->gold;
    if (!good) sa_corpus_close(part);
    return good;
}

/* Adds the alignments: line n of the file belongs to the pair on line n. */
static bool add_alignments(sa_corpus *corpus, sa_text_lines *reader, sa_error *error) {
    sa_error wrong = {0};
    size_t next = 0;
    while (sa_text_lines_next(reader, error)) {
        const size_t number = reader->number;
        const char *links = reader->line + sa_line_number_size(reader->line);
        if (!reads_as_gold(links, &wrong))
            return sa_fail(error, wrong.code, "%s:%zu: alignment: %s", reader->file.name, number,
                           wrong.text);
        if (next == corpus->count || corpus->pairs[next].row != number) continue;
        if (!copy_text(corpus->owned, links, &corpus->pairs[next++].gold, error)) return false;
    }
    if (reader->failed || reader->number == corpus->lines) return !reader->failed;
    return sa_fail(error, SA_DATA, "'%s' has %zu lines but '%s' has %zu", reader->file.name,
                   reader->number, corpus->name, corpus->lines);
}

bool sa_corpus_read_alignments(sa_corpus *corpus, const char *path, sa_error *error) {
    sa_text_lines reader;
    if (!sa_given(corpus, "corpus", error) || !sa_given(corpus->owned, "corpus->owned", error) ||
        !sa_given(path, "path", error) ||
        !sa_link_file_open(&reader, path, corpus->lines, 0, NULL, error))
        return false;
    corpus->gold = add_alignments(corpus, &reader, error);
    if (corpus->gold) corpus->note = NULL;
    sa_text_lines_close(&reader);
    return corpus->gold;
}

void sa_corpus_close(sa_corpus *corpus) {
    if (!corpus) return;
    owned *all = corpus->owned;
    for (size_t i = 0; all && i < all->count; i++) free(all->text[i]);
    if (all) free(all->text);
    free(all);
    free(corpus->pairs);
    *corpus = (sa_corpus){0};
}

static uint64_t join(uint64_t hash, const char *text) {
    return sa_hash_mix(hash ^ (text ? sa_hash(text, strlen(text)) : 0));
}

uint64_t sa_corpus_hash(const sa_corpus *corpus, bool gold) {
    uint64_t hash = corpus->count;
    for (size_t i = 0; i < corpus->count; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        hash = join(join(hash, pair->source), pair->target);
        if (gold) hash = join(hash, pair->gold);
    }
    return hash;
}

/* ---- Word alignments ------------------------------------------------------------------------- */

/* Parses the digits at *text and moves *text past them. INT_MAX is refused: the number of words up
 * to that position would overflow. */
static bool read_position(const char **text, int *position) {
    const char *start = *text;
    *position = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        if (__builtin_mul_overflow(*position, 10, position) ||
            __builtin_add_overflow(*position, **text - '0', position))
            return false;
    return *text > start && *position < INT_MAX;
}

static bool read_link(const char *text, const char *end, sa_link *link) {
    if (!read_position(&text, &link->source)) return false;
    link->possible = *text == 'p';
    if (*text != '-' && *text != 'p') return false;
    text++;
    return read_position(&text, &link->target) && text == end;
}

/* Frees the links, because one of them is wrong, and returns false. */
static bool fail_links(sa_link **links) {
    free(*links);
    *links = NULL;
    return false;
}

bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error) {
    static const char blanks[] = " \t";
    size_t capacity = 0;
    bool good = true;
    *links = NULL, *count = 0;
    for (text += strspn(text, blanks); good && *text; text += strspn(text, blanks)) {
        const size_t size = strcspn(text, blanks);
        good = sa_reserve(links, &capacity, *count + 1, sizeof **links, error);
        if (good && !read_link(text, text + size, &(*links)[(*count)++]))
            good = sa_fail(error, SA_DATA,
                           "'%.*s' is not a link; expected source-target as in 0-0 or 2p1",
                           size < 40 ? (int)size : 40, text);
        text += size;
    }
    return good || fail_links(links);
}

bool sa_links_parse_line(const char *line, int base, sa_link **links, size_t *count,
                         sa_error *error) {
    if (!sa_links_parse(line + sa_line_number_size(line), links, count, error)) return false;
    for (size_t i = 0; i < *count; i++) {
        sa_link *link = &(*links)[i];
        if (link->source < base || link->target < base) {
            sa_fail(error, SA_DATA, "link %d%c%d: positions count from %d", link->source,
                    link->possible ? 'p' : '-', link->target, base);
            return fail_links(links);
        }
        link->source -= base, link->target -= base;
    }
    return true;
}

bool sa_links_parse_gold(const sa_corpus *corpus, const sa_pair *pair, int sources, int targets,
                         sa_link **gold, size_t *count, sa_error *error) {
    if (!sa_links_parse(pair->gold, gold, count, error)) return false;
    for (size_t i = 0; i < *count; i++) {
        const sa_link *link = &(*gold)[i];
        if (link->source < sources && link->target < targets) continue;
        sa_fail(error, SA_DATA, "%s:%zu: link %d-%d is beyond the sentence (%d and %d tokens)",
                corpus->name, pair->line, link->source, link->target, sources, targets);
        return fail_links(gold);
    }
    return true;
}

/* ---- Files of links ---------------------------------------------------------------------------
 */

/* Reads three numbers (sentence, source and target) of up to nine digits, and the blanks after
 * each. */
static bool read_numbers(const char **text, int *number) {
    for (int i = 0; i < 3; i++) {
        const size_t digits = strspn(*text, "0123456789");
        if (!digits || digits > 9) return false;
        number[i] = atoi(*text);
        *text += digits;
        *text += strspn(*text, " \t");
    }
    return true;
}

static bool read_naacl_link(const char *line, int *number, bool *possible) {
    double confidence;
    if (!read_numbers(&line, number)) return false;
    *possible = *line == 'P';
    if (*line == 'S' || *line == 'P') line++;
    line += strspn(line, " \t");
    return !*line || sa_number_parse(line, &confidence);
}

/* Rewrites the file as lines of links. */
static bool add_lines(sa_text_lines *reader, size_t lines, int base, sa_buffer *out,
                      sa_error *error) {
    enum { MOST = 1 << 24 };
    size_t sentence = 1;
    while (sa_text_lines_next(reader, error)) {
        int number[3];
        bool possible;
        if (!reader->size) continue;
        if (!read_naacl_link(reader->line, number, &possible) || (size_t)*number < sentence ||
            (size_t)*number > (lines ? lines : MOST))
            return sa_fail(error, SA_DATA,
                           "%s:%zu: expected a sentence from %zu to %zu, source and target, "
                           "counted from 1, then perhaps S or P and a confidence",
                           reader->file.name, reader->number, sentence, lines ? lines : MOST);
        for (; sentence < (size_t)*number; sentence++) sa_buffer_adds(out, "\n");
        if (number[1] && number[2])
            sa_buffer_addf(out, "%d%c%d ", number[1] - 1 + base, possible ? 'p' : '-',
                           number[2] - 1 + base);
    }
    do sa_buffer_adds(out, "\n");
    while (sentence++ < lines);
    return !reader->failed;
}

bool sa_link_file_open(sa_text_lines *reader, const char *path, size_t lines, int base,
                       bool *open_end, sa_error *error) {
    int number[3];
    if (!sa_text_lines_open(reader, path, error)) return false;
    const char *start = reader->file.data + reader->at;
    if (!read_numbers(&start, number)) return true;
    if (open_end) *open_end = !lines;
    sa_buffer text = {0};
    const bool good = add_lines(reader, lines, base, &text, error);
    const size_t size = text.size;
    sa_file_release(&reader->file);
    reader->at = reader->number = 0;
    reader->file.data = good ? sa_buffer_take(&text, error) : NULL;
    reader->file.size = size;
    if (!good) sa_buffer_release(&text);
    return reader->file.data;
}
