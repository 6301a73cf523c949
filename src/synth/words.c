#include "synth/words.h"

#include <string.h>

const sa_word_list *sa_word_list_find(const char *name) {
    const sa_word_list *list = sa_word_lists;
    while (list->name && strcmp(list->name, name) != 0) list++;
    sa_require(list->name);
    return list;
}

const sa_word *sa_word_find(const char *list, const char *english) {
    const sa_word_list *words = sa_word_list_find(list);
    int row = 0;
    while (row < words->count && strcmp(words->words[row].english, english) != 0) row++;
    sa_require(row < words->count);
    return &words->words[row];
}
