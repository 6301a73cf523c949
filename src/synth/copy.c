/* copy: sentences about people, many of whose names a model sees once or never. No vocabulary can
 * contain them; a model must know which source word a target word corresponds to. */
#include "synth/tasks.h"

#include <stdio.h>
#include <string.h>

static const char *const known[] = {
    "Abel",    "Ada",     "Adam",    "Agnes",   "Alan",    "Alba",    "Albert",   "Alice",
    "Alma",    "Amelia",  "Amir",    "Anders",  "Andrew",  "Anita",   "Anna",     "Anton",
    "Arthur",  "Astrid",  "Aurora",  "Axel",    "Barbara", "Basil",   "Beatrice", "Ben",
    "Bernard", "Bertha",  "Bianca",  "Boris",   "Brenda",  "Bruno",   "Camille",  "Carla",
    "Carlos",  "Cecilia", "Charles", "Chloe",   "Clara",   "Claude",  "Colin",    "Conrad",
    "Cora",    "Cyril",   "Daisy",   "Daniel",  "Daphne",  "David",   "Denis",    "Diana",
    "Diego",   "Dora",    "Doris",   "Dylan",   "Edgar",   "Edith",   "Edmund",   "Elena",
    "Eli",     "Elisa",   "Ella",    "Elliot",  "Elsa",    "Emil",    "Emma",     "Enzo",
    "Eric",    "Ernest",  "Esther",  "Ethan",   "Eva",     "Fabian",  "Fanny",    "Felix",
    "Fiona",   "Flora",   "Florian", "Frances", "Frank",   "Frida",   "Gabriel",  "George",
    "Gerda",   "Gilbert", "Gloria",  "Grace",   "Greta",   "Gustav",  "Hanna",    "Harold",
    "Harriet", "Harry",   "Hector",  "Heidi",   "Helen",   "Henry",   "Hilda",    "Hugo",
    "Ida",     "Igor",    "Ines",    "Ingrid",  "Irene",   "Iris",    "Irma",     "Isaac",
    "Ivan",    "Ivy",     "Jack",    "Jacob",   "James",   "Jane",    "Jasper",   "Joan",
    "Joel",    "Johanna", "John",    "Joseph",  "Judith",  "Julia",   "Karen",    "Karl",
    "Kevin",   "Kira",    "Klaus",   "Kurt",    "Lars",    "Laura",   "Lea",      "Leo",
    "Leonard", "Lewis",   "Lilian",  "Linda",   "Linus",   "Lisa",    "Lola",     "Louis",
    "Lucas",   "Lucy",    "Luis",    "Lydia",   "Magnus",  "Marco",   "Margaret", "Marie",
    "Mark",    "Marta",   "Martin",  "Mary",    "Matilda", "Maurice", "Max",      "Mia",
    "Michael", "Milan",   "Mona",    "Monica",  "Nadia",   "Nathan",  "Nelson",   "Nicolas",
    "Nina",    "Noah",    "Nora",    "Oliver",  "Olga",    "Oscar",   "Otto",     "Patrick",
    "Paul",    "Peter",   "Philip",  "Pierre",  "Rachel",  "Ralph",   "Raymond",  "Rebecca",
    "Richard", "Rita",    "Robert",  "Roger",   "Rosa",    "Ruben",   "Ruth",     "Samuel",
    "Sandra",  "Sarah",   "Simon",   "Sophie",  "Stella",  "Sven",    "Teresa",   "Thomas",
    "Tim",     "Tina",    "Ursula",  "Vera",    "Victor",  "Walter",  "Wanda",    "Yvonne",
};
enum { KNOWN = sizeof known / sizeof known[0], NAME = SA_DRAFT_LETTERS };

static const sa_phrase verbs[] = {
    {"called", "appelé", NULL},  {"found", "trouvé", NULL}, {"helped", "aidé", NULL},
    {"invited", "invité", NULL}, {"seen", "vu", NULL},      {"thanked", "remercié", NULL},
};
static const sa_phrase times[] = {
    {"today", "aujourd'hui", NULL},
    {"yesterday", "hier", NULL},
    {"monday", "lundi", NULL},
    {"saturday", "samedi", NULL},
};
static const sa_phrase things[] = {
    {"book", "livre", NULL},
    {"bag", "sac", NULL},
    {"pen", "stylo", NULL},
    {"hat", "chapeau", NULL},
};
static const sa_phrase colors[] = {
    {"red", "rouge", NULL},
    {"black", "noir", NULL},
    {"blue", "bleu", NULL},
    {"white", "blanc", NULL},
};

/* Three or four open syllables: too many names to list. */
static void invent(sa_draft *draft, char name[NAME]) {
    static const char consonants[] = "bdfgklmnprstvz", vowels[] = "aeiou";
    int syllables = 3 + sa_draft_pick(draft, 2);
    for (int i = 0; i < syllables; i++) {
        const char consonant = consonants[sa_draft_pick(draft, sizeof consonants - 1)];
        name[2 * i] = (char)(i ? consonant : consonant - 'a' + 'A');
        name[2 * i + 1] = vowels[sa_draft_pick(draft, sizeof vowels - 1)];
    }
    name[2 * syllables] = 0;
}

/* In training one name in ten is invented, in tests one in two. A known one differs from `other`.
 */
static void draw_name(sa_draft *draft, sa_split split, const char *other, char name[NAME]) {
    if (sa_draft_chance(draft, split == SA_TEST ? 2 : 10)) {
        invent(draft, name);
        return;
    }
    int row = sa_draft_pick(draft, KNOWN);
    if (!strcmp(known[row], other)) row = (row + 1) % KNOWN;
    snprintf(name, NAME, "%s", known[row]);
}

static void write_phrase(sa_draft *draft, const char *source, const char *target,
                         const char *links) {
    sa_draft_phrase(draft, &(sa_phrase){source, target, links});
}

/* "today Ada has helped Ivan." -> "Ada a aidé Ivan aujourd'hui." */
static void write_deed(sa_draft *draft, const char *first, const char *second) {
    const sa_phrase *time = SA_DRAW(draft, times);
    sa_word_span time_at = sa_draft_source(draft, time->source);
    write_phrase(draft, first, first, NULL);
    write_phrase(draft, "has", "a", NULL);
    sa_draft_phrase(draft, SA_DRAW(draft, verbs));
    write_phrase(draft, second, second, NULL);
    sa_draft_link(draft, time_at, sa_draft_target(draft, time->target));
}

/* "Ada gave Ivan the red book." -> "Ada a donné le livre rouge à Ivan." */
static void write_gift(sa_draft *draft, const char *first, const char *second) {
    write_phrase(draft, first, first, NULL);
    write_phrase(draft, "gave", "a donné", NULL);
    sa_word_span second_at = sa_draft_source(draft, second);
    write_phrase(draft, "the", "le", NULL);
    const sa_phrase *color = SA_DRAW(draft, colors);
    sa_word_span color_at = sa_draft_source(draft, color->source);
    sa_draft_phrase(draft, SA_DRAW(draft, things));
    sa_draft_link(draft, color_at, sa_draft_target(draft, color->target));
    sa_draft_link_possible(draft, second_at, sa_draft_target(draft, "à"));
    sa_draft_link(draft, second_at, sa_draft_target(draft, second));
}

/* "Ada was helped by Ivan." -> "Ivan a aidé Ada." */
static void write_passive(sa_draft *draft, const char *first, const char *second) {
    const sa_phrase *verb = SA_DRAW(draft, verbs);
    sa_word_span first_at = sa_draft_source(draft, first);
    sa_word_span was_at = sa_draft_source(draft, "was");
    sa_word_span verb_at = sa_draft_source(draft, verb->source);
    sa_word_span by_at = sa_draft_source(draft, "by");
    write_phrase(draft, second, second, NULL);
    sa_word_span has_at = sa_draft_target(draft, "a");
    sa_draft_link(draft, was_at, has_at);
    sa_draft_link_possible(draft, by_at, has_at);
    sa_draft_link(draft, verb_at, sa_draft_target(draft, verb->target));
    sa_draft_link(draft, first_at, sa_draft_target(draft, first));
}

void sa_synth_copy(sa_draft *draft, sa_split split) {
    static void (*const frames[])(sa_draft *, const char *, const char *) = {write_deed, write_gift,
                                                                             write_passive};
    char first[NAME], second[NAME];
    draw_name(draft, split, "", first);
    draw_name(draft, split, first, second);
    (*SA_DRAW(draft, frames))(draft, first, second);
    write_phrase(draft, ".", ".", NULL);
}
