/* recall, assign, trigger and induction: tasks whose answers are in the source itself, so that a
 * model must find them there and cannot know them. The words have no meaning.
 *
 * A word stands between spaces: a token of the tokenizer `space`, and of `word` except in assign.
 */
#include "synth/grammar.h"

#include <stdio.h>

/* Moves `count` different numbers from 0 .. below-1 to the front of `numbers`, in random order. */
static void draw_different(sa_draft *draft, int *numbers, int count, int below) {
    for (int i = 0; i < below; i++) numbers[i] = i;
    for (int i = 0; i < count; i++) {
        const int other = i + sa_draft_pick(draft, below - i), drawn = numbers[other];
        numbers[other] = numbers[i];
        numbers[i] = drawn;
    }
}

/* Appends "k7" to a side: sa_draft_source or sa_draft_target. */
static sa_word_span write_number(sa_draft *draft, sa_word_span side(sa_draft *, const char *),
                                 const char *before, int number) {
    char word[SA_DRAFT_LETTERS];
    snprintf(word, sizeof word, "%s%d", before, number);
    return side(draft, word);
}

/* Writes associative recall of several queries (Arora et al. 2023): pairs of a key and its value,
 * then the keys in another order.
 *
 * "k3 v8 k1 v0 k7 v5 k2 v2 | k1 k2 k3 k7" -> "v0 v2 v8 v5" */
void sa_synth_recall(sa_draft *draft) {
    enum { WORDS = 64, MOST = 32 };
    int keys[WORDS], values[WORDS], asked[MOST];
    const int count = 4 << sa_draft_pick(draft, 4); /* 4, 8, 16, 32 */
    draft->apart = true;
    draw_different(draft, keys, count, WORDS);
    draw_different(draft, values, count, WORDS);
    draw_different(draft, asked, count, count);
    for (int i = 0; i < count; i++) {
        write_number(draft, sa_draft_source, "k", keys[i]);
        write_number(draft, sa_draft_source, "v", values[i]);
    }
    sa_draft_source(draft, "|");
    for (int i = 0; i < count; i++) {
        const sa_word_span key = {2 * asked[i], 1}, value = {2 * asked[i] + 1, 1};
        const sa_word_span query = write_number(draft, sa_draft_source, "k", keys[asked[i]]);
        const sa_word_span answer = write_number(draft, sa_draft_target, "v", values[asked[i]]);
        sa_draft_link(draft, value, answer);
        sa_draft_link_possible(draft, key, answer);
        sa_draft_link_possible(draft, query, answer);
    }
}

/* Writes assignments to eight variables, and asks for one of them, which was assigned two to four
 * different values; the last one counts.
 *
 * "y=3 x=7 z=0 x=2 y=9 z=4 x?" -> "2" */
void sa_synth_assign(sa_draft *draft) {
    static const char *const variables[] = {"s", "t", "u", "v", "w", "x", "y", "z"};
    enum { VARIABLES = sizeof variables / sizeof variables[0], VALUES = 10 };
    const int count = 6 + sa_draft_pick(draft, 19), asked = sa_draft_pick(draft, VARIABLES);
    int values[VALUES], left = 2 + sa_draft_pick(draft, 3);
    char word[SA_DRAFT_LETTERS];
    sa_word_span last = {0};
    draft->apart = true;
    draw_different(draft, values, left, VALUES);
    for (int i = 0; i < count; i++) {
        const bool own = sa_draft_pick(draft, count - i) < left;
        const int other =
            own ? asked : (asked + 1 + sa_draft_pick(draft, VARIABLES - 1)) % VARIABLES;
        const int value = own ? values[--left] : sa_draft_pick(draft, VALUES);
        snprintf(word, sizeof word, "%s=%d", variables[other], value);
        const sa_word_span at = sa_draft_source(draft, word);
        if (own) last = at;
    }
    snprintf(word, sizeof word, "%s?", variables[asked]);
    const sa_word_span question = sa_draft_source(draft, word);
    const sa_word_span answer = write_number(draft, sa_draft_target, "", values[0]);
    sa_draft_link(draft, last, answer);
    sa_draft_link_possible(draft, question, answer);
}

/* Writes positive and negative signs with one trigger, `!`, at the fourth place or later. There the
 * answer is which signs were more frequent before it, P, N or 0 for equally many; everywhere else
 * there is nothing to say, and attention has nowhere to go (Ran-Milo 2026).
 *
 * "p n p p ! n n p" -> ". . . . P . . ." */
void sa_synth_trigger(sa_draft *draft) {
    const int count = 8 + sa_draft_pick(draft, 25), trigger = 3 + sa_draft_pick(draft, count - 3);
    int sum = 0; /* sum of the signs before the trigger */
    draft->apart = true;
    for (int i = 0; i < count; i++) {
        const bool positive = i != trigger && sa_draft_pick(draft, 2);
        const char *answer = sum > 0 ? "P" : sum < 0 ? "N" : "0";
        const sa_word_span word = sa_draft_source(draft, i == trigger ? "!" : positive ? "p" : "n");
        sa_draft_link_possible(draft, word, sa_draft_target(draft, i == trigger ? answer : "."));
        if (i < trigger) sum += positive ? 1 : -1;
    }
    sa_draft_link(draft, (sa_word_span){0, trigger}, (sa_word_span){trigger, 1});
}

/* Writes different random words, then others from which nothing follows, and then the beginning of
 * the first ones again, to be continued (Olsson et al. 2022). Both counts vary: at a fixed
 * distance, a head would not have to look at the words.
 *
 * "9 4 27 0 13 8 30 2 | 5 11 9 4" -> "27 0 13 8 30 2" */
void sa_synth_induction(sa_draft *draft) {
    enum { WORDS = 32, NOISE = 8 };
    int words[WORDS];
    const int count = 8 + sa_draft_pick(draft, WORDS - NOISE - 7);
    const int noise = sa_draft_pick(draft, NOISE + 1), given = 1 + sa_draft_pick(draft, 4);
    draft->apart = true;
    draw_different(draft, words, count + noise, WORDS);
    for (int i = 0; i < count; i++) write_number(draft, sa_draft_source, "", words[i]);
    sa_draft_source(draft, "|");
    for (int i = 0; i < noise; i++) write_number(draft, sa_draft_source, "", words[count + i]);
    for (int i = 0; i < given; i++) write_number(draft, sa_draft_source, "", words[i]);
    for (int i = given; i < count; i++)
        sa_draft_link(draft, (sa_word_span){i, 1},
                      write_number(draft, sa_draft_target, "", words[i]));
}
