/* context: the sentences of introductory articles, in which one word reveals the sense of another.
 *
 * "i want to buy apple for the pie.", "i want to buy apple for the fund."
 *
 * A sentence is a frame of words.tsv: phrases and lists of phrases, one after the other, in both
 * English and French. */
#include "synth/grammar.h"

void sa_synth_context(sa_draft *draft) {
    const sa_word_list *frame = sa_word_list_find(sa_draft_draw(draft, "context", 0)->english);
    sa_word_span meaning = {0}, reason = {0}; /* spans in the target and in the source */
    for (const sa_word *part = frame->words; part < frame->words + frame->count; part++) {
        if (part->uses & SA_OPTIONAL && !sa_draft_chance(draft, 2)) continue;
        sa_draft_phrase(draft, part->french ? part : sa_draft_draw(draft, part->english, 0));
        if (part->uses & SA_AMBIGUOUS) meaning = sa_draft_last(&draft->target);
        if (part->uses & SA_DECIDING) reason = sa_draft_last(&draft->source);
    }
    sa_draft_link_possible(draft, reason, meaning);
    sa_french_finish(draft, ".");
}
