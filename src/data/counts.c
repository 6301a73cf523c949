#include "data/counts.h"

#include <stdlib.h>

bool sa_word_counts_add(sa_word_counts *counts, const char *word, size_t size, sa_error *error) {
    const size_t before = counts->words.count;
    const int32_t number = sa_strings_add(&counts->words, word, size, error);
    if (number < 0 || !sa_reserve(&counts->times, &counts->capacity, counts->words.count,
                                  sizeof *counts->times, error))
        return false;
    if (counts->words.count > before) counts->times[number] = 0;
    counts->times[number]++;
    return true;
}

void sa_word_counts_release(sa_word_counts *counts) {
    sa_strings_release(&counts->words);
    free(counts->times);
    *counts = (sa_word_counts){0};
}
