/* length and reverse: lists of words without grammar. Only the order matters, so that a model with
 * a fixed context vector shows how many words the vector can represent. */
#include "synth/tasks.h"

#include <stdio.h>

static const sa_phrase words[] = {
    {"apple", "pomme", NULL},     {"bag", "sac", NULL},        {"ball", "balle", NULL},
    {"bed", "lit", NULL},         {"bird", "oiseau", NULL},    {"boat", "bateau", NULL},
    {"book", "livre", NULL},      {"bread", "pain", NULL},     {"bridge", "pont", NULL},
    {"butter", "beurre", NULL},   {"car", "voiture", NULL},    {"cat", "chat", NULL},
    {"chair", "chaise", NULL},    {"cheese", "fromage", NULL}, {"church", "église", NULL},
    {"cloud", "nuage", NULL},     {"coat", "manteau", NULL},   {"cow", "vache", NULL},
    {"cup", "tasse", NULL},       {"dog", "chien", NULL},      {"door", "porte", NULL},
    {"egg", "œuf", NULL},         {"fish", "poisson", NULL},   {"flower", "fleur", NULL},
    {"fork", "fourchette", NULL}, {"garden", "jardin", NULL},  {"hand", "main", NULL},
    {"hat", "chapeau", NULL},     {"horse", "cheval", NULL},   {"house", "maison", NULL},
    {"key", "clé", NULL},         {"knife", "couteau", NULL},  {"lamp", "lampe", NULL},
    {"letter", "lettre", NULL},   {"milk", "lait", NULL},      {"moon", "lune", NULL},
    {"rain", "pluie", NULL},      {"ring", "bague", NULL},     {"river", "rivière", NULL},
    {"road", "route", NULL},      {"salt", "sel", NULL},       {"shoe", "chaussure", NULL},
    {"snow", "neige", NULL},      {"star", "étoile", NULL},    {"sun", "soleil", NULL},
    {"table", "table", NULL},     {"tree", "arbre", NULL},     {"wall", "mur", NULL},
    {"water", "eau", NULL},       {"wind", "vent", NULL},
};
enum { WORDS = sizeof words / sizeof words[0], LONGEST = 40 };

/* Draws a length uniformly between the bounds, then as many of the `kinds`. */
static int draw_list(sa_draft *draft, int shortest, int longest, int kinds, int list[LONGEST]) {
    int count = shortest + sa_draft_pick(draft, longest - shortest + 1);
    for (int i = 0; i < count; i++) list[i] = sa_draft_pick(draft, kinds);
    return count;
}

static void link_reversed(sa_draft *draft, int count) {
    for (int i = 0; i < count; i++)
        sa_draft_link(draft, (sa_word_span){i, 1}, (sa_word_span){count - 1 - i, 1});
}

void sa_synth_length(sa_draft *draft, sa_split split) {
    int list[LONGEST];
    int count = draw_list(draft, 3, split == SA_TEST ? LONGEST : 20, WORDS, list);
    for (int i = 0; i < count; i++) sa_draft_source(draft, words[list[i]].source);
    for (int i = count; i-- > 0;) sa_draft_target(draft, words[list[i]].target);
    link_reversed(draft, count);
}

void sa_synth_reverse(sa_draft *draft, sa_split split) {
    int list[LONGEST];
    char number[12];
    int count = draw_list(draft, 3, split == SA_TEST ? 30 : 25, 50, list);
    for (int i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%d", list[i]);
        sa_draft_source(draft, number);
    }
    for (int i = count; i-- > 0;) {
        snprintf(number, sizeof number, "%d", list[i]);
        sa_draft_target(draft, number);
    }
    link_reversed(draft, count);
}
