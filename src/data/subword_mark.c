#include "data/subword_mark.h"

#include <string.h>

bool sa_subword_continues(const char *text, size_t size) {
    const size_t mark = sizeof SA_SUBWORD_MARK - 1;
    return size > mark && memcmp(text + size - mark, SA_SUBWORD_MARK, mark) == 0;
}

int sa_subword_word_indices(const char *const *token, int count, int *word) {
    int words = 0;
    for (int i = 0; i < count; i++) {
        const bool part = i && sa_subword_continues(token[i - 1], strlen(token[i - 1]));
        const bool end = i == count - 1 && strcmp(token[i], "</s>") == 0;
        words += !part || end;
        word[i] = words - 1;
    }
    return words;
}
