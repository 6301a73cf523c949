#include "synth/words.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
const sa_adjective sa_adjectives[] = {
    {"big", "bigger", "grand", "grande", 0, SA_BEFORE, true, false, SA_SIZE},
    {"small", "smaller", "petit", "petite", 0, SA_BEFORE, true, false, SA_SIZE | SA_CHILD},
    {"beautiful", "more", "beau", "belle", "bel", SA_BEFORE, true, false, SA_FINE},
    {"new", 0, "nouveau", "nouvelle", "nouvel", SA_ONLY_BEFORE, false, false, SA_AGE},
    {"old", "older", "vieux", "vieille", "vieil", SA_BEFORE, true, false, SA_AGE | SA_ADULT},
    {"young", "younger", "jeune", "jeune", 0, SA_BEFORE, true, false, SA_ADULT},
    {"good", 0, "bon", "bonne", 0, SA_BEFORE, true, false, SA_QUALITY},
    {"bad", 0, "mauvais", "mauvaise", 0, SA_ONLY_ALONE, true, false, SA_QUALITY},
    {"red", 0, "rouge", "rouge", 0, SA_AFTER, false, false, SA_COLOR},
    {"green", 0, "vert", "verte", 0, SA_AFTER, false, false, SA_COLOR},
    {"white", 0, "blanc", "blanche", 0, SA_AFTER, false, false, SA_COLOR | SA_FUR},
    {"black", 0, "noir", "noire", 0, SA_AFTER, false, false, SA_COLOR | SA_FUR},
    {"expensive", "more", "cher", "chère", 0, SA_AFTER, true, false, SA_PRICE},
    {"modern", "more", "moderne", "moderne", 0, SA_AFTER, true, false, SA_STYLE},
    {"interesting", "more", "intéressant", "intéressante", 0, SA_AFTER, true, false, SA_CONTENT},
    {"difficult", "more", "difficile", "difficile", 0, SA_AFTER, true, false, SA_TASK},
    {"comfortable", "more", "confortable", "confortable", 0, SA_AFTER, true, false, SA_COMFORT},
    {"clean", 0, "propre", "propre", 0, SA_AFTER, true, false, SA_CLEAN},
    {"dirty", 0, "sale", "sale", 0, SA_AFTER, true, false, SA_CLEAN},
    {"hot", 0, "chaud", "chaude", 0, SA_AFTER, true, false, SA_HEAT},
    {"cold", 0, "froid", "froide", 0, SA_AFTER, true, false, SA_HEAT},
    {"quiet", "quieter", "calme", "calme", 0, SA_AFTER, true, false, SA_CALM},
    {"italian", 0, "italien", "italienne", 0, SA_AFTER, false, false, SA_ORIGIN},
    {"open", 0, "ouvert", "ouverte", 0, SA_ONLY_ALONE, false, true, SA_DOOR},
    {"closed", 0, "fermé", "fermée", 0, SA_ONLY_ALONE, false, true, SA_DOOR},
    {"rich", "richer", "riche", "riche", 0, SA_AFTER, true, false, SA_ADULT},
    {"tall", "taller", "grand", "grande", 0, SA_ONLY_ALONE, true, false, SA_MOOD},
    {"kind", "kinder", "gentil", "gentille", 0, SA_ONLY_ALONE, true, false, SA_MOOD},
    {"tired", 0, "fatigué", "fatiguée", 0, SA_ONLY_ALONE, true, true, SA_MOOD},
    {"happy", 0, "heureux", "heureuse", 0, SA_ONLY_ALONE, true, true, SA_MOOD},
    {"sad", 0, "triste", "triste", 0, SA_ONLY_ALONE, true, true, SA_MOOD},
    {"ill", 0, "malade", "malade", 0, SA_ONLY_ALONE, true, true, SA_MOOD},
    {"busy", 0, "occupé", "occupée", 0, SA_ONLY_ALONE, true, true, SA_MOOD},
    {0},
};
/* clang-format on */

const sa_adjective *sa_adjective_find(const char *english) {
    const sa_adjective *row = sa_adjectives;
    while (strcmp(row->english, english) != 0) row++;
    return row;
}
