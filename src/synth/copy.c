/* copy: sentences about people, with many names that a model sees once or never. No vocabulary can
 * contain them; a model must know which source word a target word corresponds to. */
#include "synth/grammar.h"

#include <stdio.h>
#include <string.h>

/* Invents a name of three or four open syllables: there are too many such names to list. */
static void invent(sa_draft *draft, char name[SA_DRAFT_LETTERS]) {
    static const char consonants[] = "bdfgklmnprstvz", vowels[] = "aeiou";
    int syllables = 3 + sa_draft_pick(draft, 2);
    for (int i = 0; i < syllables; i++) {
        const char consonant = consonants[sa_draft_pick(draft, sizeof consonants - 1)];
        name[2 * i] = (char)(i ? consonant : consonant - 'a' + 'A');
        name[2 * i + 1] = vowels[sa_draft_pick(draft, sizeof vowels - 1)];
    }
    name[2 * syllables] = 0;
}

/* Draws a name: in training one in ten is invented, in tests one in two. A known one differs from
 * `other`. */
static void draw_name(sa_draft *draft, const char *other, char name[SA_DRAFT_LETTERS]) {
    if (sa_draft_chance(draft, draft->split == SA_TEST ? 2 : 10)) {
        invent(draft, name);
        return;
    }
    const sa_word_list *known = sa_word_list_find("name");
    int row = sa_draft_pick(draft, known->count);
    if (!strcmp(known->words[row].english, other)) row = (row + 1) % known->count;
    snprintf(name, SA_DRAFT_LETTERS, "%s", known->words[row].english);
}

/* Writes "today Ada has helped Ivan." -> "Ada a aidé Ivan aujourd'hui." */
static void write_deed(sa_draft *draft, const char *first, const char *second) {
    sa_draft_phrase(draft, sa_draft_draw(draft, "copy time", 0));
    sa_draft_pair(draft, first, first);
    sa_draft_pair(draft, "has", "a");
    sa_draft_phrase(draft, sa_draft_draw(draft, "copy verb", 0));
    sa_draft_pair(draft, second, second);
    sa_draft_move(draft, (sa_word_span){0, 1}); /* the time */
}

/* Writes "Ada gave Ivan the red book." -> "Ada a donné le livre rouge à Ivan." */
static void write_gift(sa_draft *draft, const char *first, const char *second) {
    sa_draft_pair(draft, first, first);
    sa_draft_pair(draft, "gave", "a donné");
    sa_word_span to = sa_draft_target(draft, "à");
    sa_draft_pair(draft, second, second);
    sa_draft_link_possible(draft, sa_draft_last(&draft->source), to);
    sa_draft_pair(draft, "the", "le");
    sa_draft_phrase(draft, sa_draft_draw(draft, "copy color", 0));
    sa_word_span color = sa_draft_last(&draft->target);
    sa_draft_phrase(draft, sa_draft_draw(draft, "copy thing", 0));
    sa_draft_move(draft, color);
    sa_draft_move(draft, (sa_word_span){to.first, 2}); /* à Ivan */
}

/* Writes "Ada was helped by Ivan." -> "Ivan a aidé Ada." */
static void write_passive(sa_draft *draft, const char *first, const char *second) {
    sa_draft_pair(draft, first, first);
    sa_draft_pair(draft, "was", "a");
    sa_word_span has = sa_draft_last(&draft->target);
    sa_draft_phrase(draft, sa_draft_draw(draft, "copy verb", 0));
    sa_draft_link_possible(draft, sa_draft_source(draft, "by"), has);
    sa_draft_pair(draft, second, second);
    sa_draft_move(draft, (sa_word_span){0, 3}); /* Ivan | Ada a aidé */
    sa_draft_move(draft, (sa_word_span){1, 1});
}

void sa_synth_copy(sa_draft *draft) {
    static void (*const frames[])(sa_draft *, const char *, const char *) = {write_deed, write_gift,
                                                                             write_passive};
    char first[SA_DRAFT_LETTERS], second[SA_DRAFT_LETTERS];
    draw_name(draft, "", first);
    draw_name(draft, first, second);
    (*SA_DRAW(draft, frames))(draft, first, second);
    sa_draft_pair(draft, ".", ".");
}
