/* length and reverse: lists of words without grammar, reversed. Only the order matters. */
#include "synth/grammar.h"

/* Writes words of a list without grammar, reversed. Only the order matters, so a model with a fixed
 * context vector shows how many words the vector can represent: between 3 and `longest`. */
static void write_list(sa_draft *draft, int longest, const char *list) {
    const int count = 3 + sa_draft_pick(draft, longest - 2);
    const sa_word *words[SA_DRAFT_WORDS];
    for (int i = 0; i < count; i++) {
        words[i] = sa_draft_draw(draft, list, 0);
        sa_draft_source(draft, words[i]->english);
    }
    for (int i = count; i-- > 0;)
        sa_draft_link(draft, (sa_word_span){i, 1}, sa_draft_target(draft, words[i]->french));
}

void sa_synth_length(sa_draft *draft) {
    write_list(draft, draft->split == SA_TEST ? 40 : 20, "list");
}

void sa_synth_reverse(sa_draft *draft) {
    write_list(draft, draft->split == SA_TEST ? 30 : 25, "list of numbers");
}
