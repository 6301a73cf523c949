#include "metrics/ngram.h"
#include "metrics/metric_tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Units ----------------------------------------------------------------------------------- */

void sa_units_push(sa_units *units, const char *text, size_t size) {
    if (units->failed ||
        !sa_reserve(&units->unit, &units->capacity, units->count + 1, sizeof *units->unit, NULL)) {
        units->failed = true;
        return;
    }
    units->unit[units->count++] = (sa_unit){text, size};
}

void sa_units_words(sa_units *units, const char *text) {
    size_t size;
    for (const char *word; (word = sa_metric_next_word(&text, &size));)
        sa_units_push(units, word, size);
}

void sa_units_characters(sa_units *units, const char *text, bool whitespace) {
    while (*text) {
        const size_t size = sa_metric_character_size(text);
        if (whitespace || !sa_metric_space_size(text)) sa_units_push(units, text, size);
        text += size;
    }
}

void sa_units_release(sa_units *units) {
    free(units->unit);
    *units = (sa_units){0};
}

static int compare_units(const sa_unit *a, const sa_unit *b) {
    const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

bool sa_unit_equal(const sa_unit *a, const sa_unit *b) {
    return compare_units(a, b) == 0;
}

int64_t sa_ngrams_total(const sa_units *line, int n) {
    return line->count < (size_t)n ? 0 : (int64_t)line->count - n + 1;
}

/* ---- Suffixes -----------------------------------------------------------------------------------
 *
 * Every n-gram is a prefix of a suffix of its line. When all suffixes of all lines are sorted,
 * equal n-grams are adjacent, for every n at once. */

typedef struct suffix {
    const sa_unit *unit; /* from here on */
    size_t left;         /* units to compare, at most the highest order */
    size_t line, shared; /* shared: units in common with the preceding suffix */
} suffix;

/* Units that the suffixes have in common at their beginning. */
static size_t count_shared(const suffix *x, const suffix *y) {
    size_t same = 0;
    while (same < x->left && same < y->left && sa_unit_equal(&x->unit[same], &y->unit[same]))
        same++;
    return same;
}

static int by_units(const void *a, const void *b) {
    const suffix *x = a, *y = b;
    const size_t same = count_shared(x, y);
    if (same < x->left && same < y->left) return compare_units(&x->unit[same], &y->unit[same]);
    return (x->left > y->left) - (x->left < y->left);
}

static suffix *list_line(const sa_units *line, size_t index, size_t orders, suffix *next) {
    for (size_t i = 0; i < line->count; i++) {
        const size_t left = line->count - i;
        *next++ = (suffix){&line->unit[i], left < orders ? left : orders, index, 0};
    }
    return next;
}

/* counts [lines]: scratch; line 0 is ours. */
static int64_t count_matches(const suffix *all, size_t count, size_t n, int64_t *counts,
                             size_t lines) {
    int64_t matches = 0;
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        if (all[i].left < n) continue;
        memset(counts, 0, lines * sizeof *counts);
        counts[all[i].line]++;
        for (; next < count && all[next].shared >= n; next++) counts[all[next].line]++;
        int64_t most = 0;
        for (size_t line = 1; line < lines; line++)
            if (counts[line] > most) most = counts[line];
        matches += counts[0] < most ? counts[0] : most;
    }
    return matches;
}

bool sa_ngrams_match(const sa_units *ours, const sa_units *others, size_t other_count, int orders,
                     int64_t *match, sa_error *error) {
    size_t count = ours->count;
    bool failed = ours->failed;
    for (size_t i = 0; i < other_count; i++) count += others[i].count, failed |= others[i].failed;
    if (failed) return sa_fail_memory(error, count * sizeof(sa_unit));
    suffix *all = sa_new(count, sizeof *all, error);
    int64_t *counts = sa_new(other_count + 1, sizeof *counts, error);
    if (all && counts) {
        suffix *next = list_line(ours, 0, (size_t)orders, all);
        for (size_t i = 0; i < other_count; i++)
            next = list_line(&others[i], i + 1, (size_t)orders, next);
        if (count) qsort(all, count, sizeof *all, by_units);
        for (size_t i = 1; i < count; i++) all[i].shared = count_shared(&all[i - 1], &all[i]);
        for (int n = 1; n <= orders; n++)
            match[n - 1] += count_matches(all, count, (size_t)n, counts, other_count + 1);
    }
    const bool good = all && counts;
    free(all), free(counts);
    return good;
}
