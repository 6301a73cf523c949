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

typedef struct located_unit {
    sa_unit unit;
    size_t at; /* counted over all lines */
} located_unit;

typedef struct suffix {
    const uint32_t *number; /* ids of the units from here on */
    size_t left;            /* units to compare, at most the highest order */
    size_t line, shared;    /* shared: units in common with the preceding suffix */
} suffix;

static int by_text(const void *a, const void *b) {
    return compare_units(&((const located_unit *)a)->unit, &((const located_unit *)b)->unit);
}

static int by_numbers(const void *a, const void *b) {
    const suffix *x = a, *y = b;
    for (size_t i = 0; i < x->left && i < y->left; i++)
        if (x->number[i] != y->number[i]) return x->number[i] < y->number[i] ? -1 : 1;
    return (x->left > y->left) - (x->left < y->left);
}

/* Numbers the distinct units of all lines. */
static void number_units(located_unit *units, size_t count, uint32_t *numbers) {
    uint32_t number = 0;
    if (count) qsort(units, count, sizeof *units, by_text);
    for (size_t i = 0; i < count; i++) {
        number += i && !sa_unit_equal(&units[i - 1].unit, &units[i].unit);
        numbers[units[i].at] = number;
    }
}

static void sort_suffixes(suffix *all, size_t count) {
    if (count) qsort(all, count, sizeof *all, by_numbers);
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < all[i - 1].left && same < all[i].left &&
               all[i - 1].number[same] == all[i].number[same])
            same++;
        all[i].shared = same;
    }
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

static size_t list_line(const sa_units *line, size_t index, size_t at, size_t orders,
                        const uint32_t *numbers, located_unit *units, suffix *all) {
    for (size_t i = 0; i < line->count; i++, at++) {
        const size_t left = line->count - i;
        units[at] = (located_unit){line->unit[i], at};
        all[at] = (suffix){&numbers[at], left < orders ? left : orders, index, 0};
    }
    return at;
}

bool sa_ngrams_match(const sa_units *ours, const sa_units *others, size_t other_count, int orders,
                     int64_t *match, sa_error *error) {
    size_t count = ours->count;
    bool failed = ours->failed;
    for (size_t i = 0; i < other_count; i++) count += others[i].count, failed |= others[i].failed;
    if (failed) return sa_fail_memory(error, count * sizeof(sa_unit));
    located_unit *units = sa_new(count, sizeof *units, error);
    suffix *all = sa_new(count, sizeof *all, error);
    uint32_t *numbers = sa_new(count, sizeof *numbers, error);
    int64_t *counts = sa_new(other_count + 1, sizeof *counts, error);
    const bool good = units && all && numbers && counts;
    if (good) {
        size_t at = list_line(ours, 0, 0, (size_t)orders, numbers, units, all);
        for (size_t i = 0; i < other_count; i++)
            at = list_line(&others[i], i + 1, at, (size_t)orders, numbers, units, all);
        number_units(units, count, numbers);
        sort_suffixes(all, count);
        for (int n = 1; n <= orders; n++)
            match[n - 1] += count_matches(all, count, (size_t)n, counts, other_count + 1);
    }
    free(units), free(all), free(numbers), free(counts);
    return good;
}
