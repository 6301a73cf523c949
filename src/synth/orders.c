/* mono and reorder: one English grammar, translated into French words either in the same order or
 * with adjectives after their noun, the verb last and the adverb first.
 *
 *   S -> NP V NP (Prep NP){0,2} (Adv) .        NP -> Det Adj{0,2} N
 *
 * No word is elided, and the adjectives have one form for both genders: the noun determines only
 * its article, so its link to the noun is only a possible one. */
#include "synth/grammar.h"

/* Writes a word of the list and returns where its translation is. */
static sa_word_span write_word(sa_draft *draft, const char *list) {
    sa_draft_phrase(draft, sa_draft_draw(draft, list, 0));
    return sa_draft_last(&draft->target);
}

static void write_group(sa_draft *draft, bool reorder) {
    const sa_word *article = sa_draft_draw(draft, "plain article", 0), *first = NULL;
    sa_word_span article_at = sa_draft_source(draft, article->english);
    sa_word_span group = {draft->target.count, sa_draft_pick(draft, 3)};
    for (int i = 0; i < group.count; i++) { /* the second of two is another adjective */
        const sa_word *word = sa_draft_draw(draft, "plain adjective", i);
        if (first && word >= first) word++;
        first = word;
        sa_draft_phrase(draft, word);
    }
    const sa_word *noun = sa_draft_draw(draft, "plain noun", 0);
    sa_draft_phrase(draft, noun);
    if (reorder) sa_draft_move(draft, group);
    group.count = draft->target.count - group.first;
    sa_word_span french =
        sa_draft_target(draft, noun->uses & SA_FEMININE ? article->feminine : article->french);
    sa_draft_link(draft, article_at, french);
    sa_draft_link_possible(draft, sa_draft_last(&draft->source), french);
    sa_draft_move(draft, group); /* after the article */
}

static void write_sentence(sa_draft *draft, bool reorder) {
    write_group(draft, reorder);
    sa_word_span verb = write_word(draft, "plain verb");
    write_group(draft, reorder);
    sa_word_span object = {verb.first + 1, draft->target.count - verb.first - 1};
    for (int count = sa_draft_pick(draft, 3); count > 0; count--) {
        write_word(draft, "plain preposition");
        write_group(draft, reorder);
    }
    sa_word_span all = {0, draft->target.count};
    bool adverb = sa_draft_chance(draft, 2);
    if (reorder) { /* the object and the verb come last */
        sa_draft_move(draft, object);
        sa_draft_move(draft, verb);
    }
    if (adverb) write_word(draft, "plain adverb");
    if (adverb && reorder) sa_draft_move(draft, all);
    sa_draft_pair(draft, ".", ".");
}

void sa_synth_mono(sa_draft *draft) {
    write_sentence(draft, false);
}

void sa_synth_reorder(sa_draft *draft) {
    write_sentence(draft, true);
}

/* ---- length and reverse -----------------------------------------------------------------------
 */

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
