/* corpus: PAIRS as the command line gives them (sa_corpus_open of softalign.h). */
#include "data/corpus.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "data/links.h"
#include "data/text_lines.h"

#include <stdlib.h>
#include <string.h>

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* What sa_corpus.owned points to: the strings of the pairs, and the capacity of the list of pairs.
 */
typedef struct owned {
    char **text;
    size_t count, capacity, pair_capacity;
} owned;

/* A normalized copy that lives as long as the corpus. */
static const char *add_text(owned *all, const char *text, size_t size, sa_error *error) {
    if (!sa_reserve(&all->text, &all->capacity, all->count + 1, sizeof *all->text, error))
        return NULL;
    char *copy = sa_utf8_normalize(text, size, false, error);
    if (copy) all->text[all->count++] = copy;
    return copy;
}

static bool is_blank(const char *text) {
    const size_t size = strlen(text);
    for (size_t at = 0, length; at < size; at += length)
        if (sa_utf8_char_class(text + at, size - at, &length) != SA_CHAR_SPACE) return false;
    return true;
}

static bool copy_text(owned *all, const char *text, const char **copy, sa_error *error) {
    *copy = text ? add_text(all, text, strlen(text), error) : NULL;
    return !text || *copy;
}

/* Adds a copy of the pair, or only counts it when a side is empty. */
static bool add_pair(sa_corpus *corpus, sa_pair pair, sa_error *error) {
    owned *all = corpus->owned;
    corpus->lines++;
    if (is_blank(pair.source) || is_blank(pair.target)) {
        corpus->empty++;
        return true;
    }
    if (!sa_reserve(&corpus->pairs, &all->pair_capacity, corpus->count + 1, sizeof pair, error) ||
        !copy_text(all, pair.source, &pair.source, error) ||
        !copy_text(all, pair.target, &pair.target, error) ||
        !copy_text(all, pair.gold, &pair.gold, error) || !copy_text(all, pair.id, &pair.id, error))
        return false;
    corpus->pairs[corpus->count++] = pair;
    return true;
}

/* ---- One file, tab-separated ----------------------------------------------------------------- */

static bool reads_as_gold(const char *text, sa_error *error) {
    sa_link *links = NULL;
    size_t count;
    const bool good = sa_links_parse(text, &links, &count, error);
    free(links);
    return good;
}

/* Says why the alignments of the file are not read. */
static bool add_note(sa_corpus *corpus, const char *name, size_t number, const char *why,
                     sa_error *error) {
    sa_error text;
    sa_fail(&text, SA_DATA, "%s:%zu: no third column is read as an alignment: %s", name, number,
            why);
    corpus->note = add_text(corpus->owned, text.text, strlen(text.text), error);
    return corpus->note;
}

/* The third column of the first pair decides whether there is a gold column: it must not be blank
 * there. */
static bool find_gold_column(sa_corpus *corpus, const char *name, size_t number, const char *gold,
                             sa_error *error) {
    sa_error wrong = {0};
    corpus->note = NULL;
    corpus->gold = gold && !is_blank(gold) && reads_as_gold(gold, &wrong);
    if (wrong.code == SA_LIMIT) return sa_fail(error, SA_LIMIT, "%s", wrong.text);
    return !gold || corpus->gold ||
           add_note(corpus, name, number, is_blank(gold) ? "it is blank here" : wrong.text, error);
}

/* In later lines it may be blank: a pair without links. */
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

/* Ends a cell at its tab; the cell after it, or NULL. */
static char *cut_cell(char *cell) {
    char *tab = cell ? strchr(cell, '\t') : NULL;
    if (!tab) return NULL;
    *tab = 0;
    return tab + 1;
}

static bool add_line(sa_corpus *corpus, const char *name, size_t number, char *line,
                     sa_error *error) {
    char *target = cut_cell(line), *gold = cut_cell(target), *id = cut_cell(gold);
    if (!target && is_blank(line)) {
        corpus->lines++;
        corpus->empty++;
        return true;
    }
    if (!target)
        return sa_fail(error, SA_DATA, "%s:%zu: no tab; expected source TAB target", name, number);
    cut_cell(id);
    if (id && is_blank(id)) id = NULL;
    if (!check_gold(corpus, name, number, &gold, error)) return false;
    const sa_pair pair = {line, target, .gold = gold, .line = number, .id = id};
    return add_pair(corpus, pair, error);
}

static bool read_table(sa_corpus *corpus, const char *path, sa_error *error) {
    sa_text_lines reader;
    char *line;
    size_t size;
    bool failed = false;
    if (!sa_text_lines_open(&reader, path, error)) return false;
    corpus->name = strcmp(path, "-") == 0 ? "standard input" : path;
    while (!failed && sa_text_lines_next(&reader, &line, &size, &failed, error))
        failed = !add_line(corpus, corpus->name, reader.lines.number, line, error);
    sa_text_lines_close(&reader);
    return !failed;
}

/* ---- Two files, line by line ----------------------------------------------------------------- */

static bool read_lines(sa_corpus *corpus, sa_text_lines *source, sa_text_lines *target,
                       sa_error *error) {
    char *left, *right;
    size_t size;
    bool failed = false;
    for (;;) {
        const bool more_left = sa_text_lines_next(source, &left, &size, &failed, error);
        const bool more_right =
            !failed && sa_text_lines_next(target, &right, &size, &failed, error);
        if (failed) return false;
        if (!more_left && !more_right) return true;
        if (more_left != more_right) {
            const size_t line = corpus->lines + 1;
            sa_lines *longer = more_left ? &source->lines : &target->lines;
            size_t rest = 1;
            while (sa_lines_next(longer, &left, &size, &failed, NULL)) rest++;
            return sa_fail(error, SA_DATA,
                           "'%s' has %zu lines but '%s' has %zu: line %zu has no partner",
                           source->file.name, corpus->lines + (more_left ? rest : 0),
                           target->file.name, corpus->lines + (more_right ? rest : 0), line);
        }
        const sa_pair pair = {.source = left, .target = right, .line = source->lines.number};
        if (!add_pair(corpus, pair, error)) return false;
    }
}

static bool read_parallel(sa_corpus *corpus, const char *path, const char *comma, sa_error *error) {
    sa_text_lines source, target;
    owned *all = corpus->owned;
    char *name = sa_copy(path, (size_t)(comma - path), error);
    if (!name ||
        !sa_reserve(&all->text, &all->capacity, all->count + 1, sizeof *all->text, error)) {
        free(name);
        return false;
    }
    all->text[all->count++] = name;
    if (strcmp(name, comma + 1) == 0 || sa_file_same(name, comma + 1))
        return sa_fail(error, SA_USAGE, "source and target are the same file '%s'", name);
    corpus->name = path;
    if (!sa_text_lines_open(&source, name, error)) return false;
    bool good = sa_text_lines_open(&target, comma + 1, error);
    if (good) {
        good = read_lines(corpus, &source, &target, error);
        sa_text_lines_close(&target);
    }
    sa_text_lines_close(&source);
    return good;
}

/* ---- Opening --------------------------------------------------------------------------------- */

bool sa_corpus_open(sa_corpus *corpus, const char *path, sa_error *error) {
    if (!sa_given(corpus, "corpus", error) || !sa_given(path, "path", error)) return false;
    *corpus = (sa_corpus){.name = path, .owned = sa_new(1, sizeof(owned), error)};
    if (!corpus->owned) return false;
    const char *comma = strchr(path, ',');
    const bool two = comma && sa_file_missing(path);
    bool good = two ? read_parallel(corpus, path, comma, error) : read_table(corpus, path, error);
    if (good && !corpus->count)
        good = sa_fail(error, SA_DATA, "%s: no sentence pairs (%zu lines, %zu with an empty side)",
                       corpus->name, corpus->lines, corpus->empty);
    if (!good) sa_corpus_close(corpus);
    return good;
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

/* Line n of the file is the alignment of the pair on line n. */
static bool add_alignments(sa_corpus *corpus, sa_text_lines *reader, sa_error *error) {
    sa_error wrong = {0};
    char *line;
    size_t size, next = 0;
    bool failed = false;
    while (sa_text_lines_next(reader, &line, &size, &failed, error)) {
        const size_t number = reader->lines.number;
        if (!reads_as_gold(line, &wrong))
            return sa_fail(error, wrong.code, "%s:%zu: alignment: %s", reader->file.name, number,
                           wrong.text);
        if (next == corpus->count || corpus->pairs[next].line != number) continue;
        corpus->pairs[next].gold = add_text(corpus->owned, line, size, error);
        if (!corpus->pairs[next++].gold) return false;
    }
    if (failed || reader->lines.number == corpus->lines) return !failed;
    return sa_fail(error, SA_DATA, "'%s' has %zu lines but '%s' has %zu", reader->file.name,
                   reader->lines.number, corpus->name, corpus->lines);
}

bool sa_corpus_read_alignments(sa_corpus *corpus, const char *path, sa_error *error) {
    sa_text_lines reader;
    if (!sa_given(corpus, "corpus", error) || !sa_given(corpus->owned, "corpus->owned", error) ||
        !sa_given(path, "path", error) || !sa_text_lines_open(&reader, path, error))
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
