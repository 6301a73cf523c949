#include "cli/score_links.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "data/corpus.h"
#include "data/link_file.h"
#include "metrics/linking.h"
#include "metrics/ngram.h"
#include "report/table.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS, GOLD, REVERSE, SOURCE, TARGET, FILES };

/* ---- Files ----------------------------------------------------------------------------------- */

static bool add_line(void *context, const char *line, size_t size, const sa_text_lines *from,
                     sa_error *error) {
    score_file *file = context;
    char *copy = sa_copy(line, size, error);
    if (copy && sa_append(&file->line, &file->count, &file->capacity, &copy, sizeof copy, error))
        return true;
    free(copy);
    return false;
}

bool score_files_read(score_file *files, const char *const *paths, size_t count, const int *base,
                      sa_error *error) {
    size_t lines = 0, most = 0; /* of a file with a line for each sentence; of any */
    for (size_t i = 0; i < count; i++) {
        if (!paths[i]) continue;
        files[i].name = strcmp(paths[i], "-") == 0 ? "standard input" : paths[i];
        sa_text_lines reader;
        if (!(base && i < SOURCE
                  ? sa_link_file_open(&reader, paths[i], lines, base[i], &files[i].open_end, error)
                  : sa_text_lines_open(&reader, paths[i], error)) ||
            !cli_lines_each(&reader, add_line, &files[i], error))
            return false;
        if (!files[i].count) return sa_fail(error, SA_DATA, "%s: no lines", files[i].name);
        if (!lines && !files[i].open_end) lines = files[i].count;
        if (most < files[i].count) most = files[i].count;
    }
    for (size_t i = 0; i < count; i++) {
        if (!paths[i]) continue;
        while (files[i].open_end && files[i].count < most)
            if (!add_line(&files[i], "", 0, NULL, error)) return false;
        if (files[i].count != files->count)
            return sa_fail(error, SA_DATA,
                           "'%s' has %zu lines, '%s' has %zu: they must have one line per sentence",
                           files->name, files->count, files[i].name, files[i].count);
    }
    return true;
}

void score_files_release(score_file *files, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < files[i].count; k++) free(files[i].line[k]);
        free(files[i].line);
    }
}

/* ---- Links ----------------------------------------------------------------------------------- */

typedef struct line_links {
    sa_link *link;
    size_t count;
} line_links;

/* Returns the number of words of a line, which may begin with its number and a tab, or INT_MAX
 * without a file. */
static int words_of(const score_file *file, size_t i) {
    if (!file->count) return INT_MAX;
    const char *text = file->line[i] + sa_line_number_size(file->line[i]);
    int words = 0;
    for (size_t size; sa_metric_next_word(&text, &size);) words++;
    return words;
}

/* Parses a line of links. SA_DATA names file and line if they are invalid. */
static bool read_links(line_links *links, const score_file *file, size_t i, int base, int sources,
                       int targets, sa_error *error) {
    sa_error inner = {0};
    if (!sa_links_parse_line(file->line[i], base, &links->link, &links->count, &inner))
        return sa_fail(error, inner.code, "%s:%zu: %s", file->name, i + 1, inner.text);
    for (size_t k = 0; k < links->count; k++) {
        const sa_link *link = &links->link[k];
        if (link->source >= sources || link->target >= targets)
            return sa_fail(error, SA_DATA, "%s:%zu: link %d%c%d is beyond the sentence", file->name,
                           i + 1, link->source + base, link->possible ? 'p' : '-',
                           link->target + base);
    }
    return true;
}

/* ---- Counting -------------------------------------------------------------------------------- */

typedef struct totals {
    size_t sentences;
    sa_aer aer[3];   /* with the links moved by -1, 0, 1 */
    bool zero_based; /* a gold link has a position 0 */
} totals;

/* Returns the number of words up to the last link, but at least `words`. */
static int linked_words(const line_links *links, int words) {
    for (size_t i = 0; i < links->count; i++)
        if (links->link[i].target >= words) words = links->link[i].target + 1;
    return words;
}

/* Replaces the links with the combination of both directions. */
static bool combine(line_links *links, const score_file *reverse, size_t i,
                    const score_options *options, int sources, int targets, sa_error *error) {
    line_links back = {0}, both = {0};
    sa_error inner = {0};
    bool good = read_links(&back, reverse, i, options->links_base, targets, sources, error);
    for (size_t k = 0; good && k < back.count; k++)
        back.link[k] = (sa_link){back.link[k].target, back.link[k].source, false};
    if (good && !sa_symmetrize(options->combine, links->link, links->count, back.link, back.count,
                               &both.link, &both.count, &inner))
        good = sa_fail(error, inner.code, "%s:%zu: %s", reverse->name, i + 1, inner.text);
    free(back.link);
    if (!good) return false;
    free(links->link);
    *links = both;
    return true;
}

static bool count_line(const score_file *file, size_t i, const score_options *options, totals *sum,
                       sa_error *error) {
    const int sources = words_of(&file[SOURCE], i), targets = words_of(&file[TARGET], i);
    line_links links = {0}, gold = {0};
    const bool good =
        read_links(&links, &file[LINKS], i, options->links_base, sources, targets, error) &&
        read_links(&gold, &file[GOLD], i, options->gold_base, sources, targets, error) &&
        (!options->reverse ||
         combine(&links, &file[REVERSE], i, options, sources, targets, error)) &&
        sa_aer_add_shifted(sum->aer, links.link, links.count,
                           targets < INT_MAX ? targets
                                             : linked_words(&links, linked_words(&gold, 0)),
                           gold.link, gold.count, error);
    for (size_t k = 0; good && k < gold.count; k++)
        sum->zero_based |= !gold.link[k].source || !gold.link[k].target;
    sum->sentences++;
    free(links.link), free(gold.link);
    return good;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static const sa_column columns[] = {
    {"sentences", "sentences", 10},
    {"links", "links", 9},
    {"sure", "sure", 9},
    {"aer", "AER", 11, 7},
    {"precision", "precision", 11, 7},
    {"recall", "recall", 11, 7},
    {0},
};

/* Adds the scores of the links moved by -1, 0 or 1 words: as a row of text or, if object is not
 * NULL, as members. */
static void add_row(const totals *sum, int shift, sa_buffer *out, json_t *object) {
    const sa_aer *one = &sum->aer[shift + 1];
    const double values[] = {(double)sum->sentences, (double)one->links,    (double)one->sure,
                             sa_aer_rate(one),       sa_aer_precision(one), sa_aer_recall(one)};
    char label[16];
    snprintf(label, sizeof label, shift ? "%+5d" : "%5d", shift);
    if (object)
        sa_table_json(object, columns, values);
    else
        sa_table_row(label, 5, columns, values, out);
}

static void add_notes(const totals *sum, int gold_base, sa_buffer *out) {
    const double rate = sa_aer_rate(&sum->aer[1]);
    for (int shift = -1; shift <= 1; shift += 2) {
        const double moved = sa_aer_rate(&sum->aer[shift + 1]);
        if (sa_aer_is_off_by_one(rate, moved))
            sa_buffer_addf(out,
                           "The links look off by one: moved by %+d target words they have an AER "
                           "of %.7f.\n",
                           shift, moved);
    }
    if (!sum->zero_based && gold_base == 0 && sum->aer[1].sure)
        sa_buffer_adds(out, "No position in the gold alignment is 0: does it count from 1 "
                            "(--gold-base 1)?\n");
}

static bool print_text(const totals *sum, const score_options *options, sa_error *error) {
    sa_buffer out = {0};
    sa_table_titles("shift", 5, columns, &out);
    for (int shift = -1; shift <= 1; shift++)
        if (!shift || options->shift) add_row(sum, shift, &out, NULL);
    add_notes(sum, options->gold_base, &out);
    return cli_print(&out, error);
}

static bool print_json(const totals *sum, sa_error *error) {
    json_t *object = json_object();
    add_row(sum, 0, NULL, object);
    json_object_set_new(object, "aer_before", sa_json_number(sa_aer_rate(&sum->aer[0])));
    json_object_set_new(object, "aer_after", sa_json_number(sa_aer_rate(&sum->aer[2])));
    return cli_print_json(object, error);
}

bool score_links(const score_options *options, const char *const *words, sa_error *error) {
    const char *const path[] = {words[0], words[1], options->reverse, options->source,
                                options->target};
    score_file file[FILES] = {{0}};
    totals sum = {0};
    const int base[] = {options->links_base, options->gold_base, options->links_base};
    bool good = score_files_read(file, path, FILES, base, error);
    for (size_t i = 0; good && i < file->count; i++)
        good = count_line(file, i, options, &sum, error);
    good = good && (options->json ? print_json(&sum, error) : print_text(&sum, options, error));
    score_files_release(file, FILES);
    return good;
}
