/* Lists and what computes with them: length and reverse, whose words only change places; recall,
 * assign, trigger and induction, whose answers are in the source itself, so that a model must find
 * them there and cannot know them. The words have no meaning.
 *
 * A word stands between spaces: a token of the tokenizer `space`, and of `word` except in assign.
 */
#include "synth/tasks.h"

#include <stdio.h>

/* Writes at least 3 and at most `longest` words, reversed: 50 words with their translations, or the
 * numbers below 50 if they are NULL. A model with a fixed context vector shows how many words the
 * vector can represent. */
static void write_reversed(sa_draft *draft, int longest, const char *const (*words)[2]) {
    const int count = 3 + sa_draft_pick(draft, longest - 2);
    int row[SA_DRAFT_WORDS];
    char number[50][4];
    for (int i = 0; i < 50; i++) snprintf(number[i], sizeof number[i], "%d", i);
    for (int i = 0; i < count; i++) {
        row[i] = sa_draft_pick(draft, 50);
        sa_draft_add(draft, &draft->source, "%s", words ? words[row[i]][0] : number[row[i]]);
    }
    for (int i = count; i-- > 0;) {
        const char *word = words ? words[row[i]][1] : number[row[i]];
        sa_draft_link(draft, (sa_word_span){i, 1}, sa_draft_add(draft, &draft->target, "%s", word),
                      false);
    }
}

void sa_synth_length(sa_draft *draft) {
    static const char *const words[50][2] = {
        {"apple", "pomme"},     {"bag", "sac"},        {"ball", "balle"},    {"bed", "lit"},
        {"bird", "oiseau"},     {"boat", "bateau"},    {"book", "livre"},    {"bread", "pain"},
        {"bridge", "pont"},     {"butter", "beurre"},  {"car", "voiture"},   {"cat", "chat"},
        {"chair", "chaise"},    {"cheese", "fromage"}, {"church", "église"}, {"cloud", "nuage"},
        {"coat", "manteau"},    {"cow", "vache"},      {"cup", "tasse"},     {"dog", "chien"},
        {"door", "porte"},      {"egg", "œuf"},        {"fish", "poisson"},  {"flower", "fleur"},
        {"fork", "fourchette"}, {"garden", "jardin"},  {"hand", "main"},     {"hat", "chapeau"},
        {"horse", "cheval"},    {"house", "maison"},   {"key", "clé"},       {"knife", "couteau"},
        {"lamp", "lampe"},      {"letter", "lettre"},  {"milk", "lait"},     {"moon", "lune"},
        {"rain", "pluie"},      {"ring", "bague"},     {"river", "rivière"}, {"road", "route"},
        {"salt", "sel"},        {"shoe", "chaussure"}, {"snow", "neige"},    {"star", "étoile"},
        {"sun", "soleil"},      {"table", "table"},    {"tree", "arbre"},    {"wall", "mur"},
        {"water", "eau"},       {"wind", "vent"}};
    write_reversed(draft, draft->split == SA_TEST ? 40 : 20, words);
}

void sa_synth_reverse(sa_draft *draft) {
    write_reversed(draft, draft->split == SA_TEST ? 30 : 25, NULL);
}

/* Moves `count` different numbers from 0 .. below-1 to the front of `numbers`, in random order. */
static void draw_different(sa_draft *draft, int *numbers, int count, int below) {
    for (int i = 0; i < below; i++) numbers[i] = i;
    for (int i = 0; i < count; i++) {
        const int other = i + sa_draft_pick(draft, below - i), drawn = numbers[other];
        numbers[other] = numbers[i];
        numbers[i] = drawn;
    }
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
        sa_draft_add(draft, &draft->source, "k%d", keys[i]);
        sa_draft_add(draft, &draft->source, "v%d", values[i]);
    }
    sa_draft_add(draft, &draft->source, "|");
    for (int i = 0; i < count; i++) {
        const sa_word_span key = {2 * asked[i], 1}, value = {2 * asked[i] + 1, 1};
        const sa_word_span query = sa_draft_add(draft, &draft->source, "k%d", keys[asked[i]]);
        const sa_word_span answer = sa_draft_add(draft, &draft->target, "v%d", values[asked[i]]);
        sa_draft_link(draft, value, answer, false);
        sa_draft_link(draft, key, answer, true);
        sa_draft_link(draft, query, answer, true);
    }
}

/* Writes assignments to eight variables, and asks for one of them, which was assigned two to four
 * different values; the last one counts.
 *
 * "y=3 x=7 z=0 x=2 y=9 z=4 x?" -> "2" */
void sa_synth_assign(sa_draft *draft) {
    enum { VARIABLES = 8, VALUES = 10 }; /* s, t, u, v, w, x, y, z */
    const int count = 6 + sa_draft_pick(draft, 19), asked = sa_draft_pick(draft, VARIABLES);
    int values[VALUES], left = 2 + sa_draft_pick(draft, 3);
    sa_word_span last = {0};
    draft->apart = true;
    draw_different(draft, values, left, VALUES);
    for (int i = 0; i < count; i++) {
        const bool own = sa_draft_pick(draft, count - i) < left;
        const int other =
            own ? asked : (asked + 1 + sa_draft_pick(draft, VARIABLES - 1)) % VARIABLES;
        const int value = own ? values[--left] : sa_draft_pick(draft, VALUES);
        const sa_word_span at = sa_draft_add(draft, &draft->source, "%c=%d", 's' + other, value);
        if (own) last = at;
    }
    const sa_word_span question = sa_draft_add(draft, &draft->source, "%c?", 's' + asked);
    const sa_word_span answer = sa_draft_add(draft, &draft->target, "%d", values[0]);
    sa_draft_link(draft, last, answer, false);
    sa_draft_link(draft, question, answer, true);
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
        const char *sign = i == trigger ? "!" : positive ? "p" : "n";
        sa_draft_link(draft, sa_draft_add(draft, &draft->source, "%s", sign),
                      sa_draft_add(draft, &draft->target, "%s", i == trigger ? answer : "."), true);
        if (i < trigger) sum += positive ? 1 : -1;
    }
    sa_draft_link(draft, (sa_word_span){0, trigger}, (sa_word_span){trigger, 1}, false);
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
    for (int i = 0; i < count; i++) sa_draft_add(draft, &draft->source, "%d", words[i]);
    sa_draft_add(draft, &draft->source, "|");
    for (int i = 0; i < noise; i++) sa_draft_add(draft, &draft->source, "%d", words[count + i]);
    for (int i = 0; i < given; i++) sa_draft_add(draft, &draft->source, "%d", words[i]);
    for (int i = given; i < count; i++)
        sa_draft_link(draft, (sa_word_span){i, 1},
                      sa_draft_add(draft, &draft->target, "%d", words[i]), false);
}
