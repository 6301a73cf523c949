/* length and reverse: lists of words without grammar, reversed. Only the order matters, so that a
 * model with a fixed context vector shows how many words the vector can represent. */
#include "synth/grammar.h"

#include <stdio.h>

/* Between 3 and `longest` of the words. */
static void write_list(sa_draft *draft, int longest, const sa_word *words, int kinds) {
    const int count = 3 + sa_draft_pick(draft, longest - 2);
    int list[SA_DRAFT_WORDS];
    for (int i = 0; i < count; i++) {
        list[i] = sa_draft_pick(draft, kinds);
        sa_draft_source(draft, words[list[i]].english);
    }
    for (int i = count; i-- > 0;)
        sa_draft_link(draft, (sa_word_span){i, 1}, sa_draft_target(draft, words[list[i]].french));
}

void sa_synth_length(sa_draft *draft) {
    const sa_word_list *words = sa_word_list_find("list");
    write_list(draft, draft->split == SA_TEST ? 40 : 20, words->words, words->count);
}

void sa_synth_reverse(sa_draft *draft) {
    enum { NUMBERS = 50 };
    char digits[NUMBERS][12];
    sa_word numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(digits[i], sizeof digits[i], "%d", i);
        numbers[i] = (sa_word){.english = digits[i], .french = digits[i]};
    }
    write_list(draft, draft->split == SA_TEST ? 30 : 25, numbers, NUMBERS);
}
