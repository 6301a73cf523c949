#include "synth/words.h"

#include <stddef.h>
#include <string.h>

#define ALWAYS (SA_HABIT | SA_NOW | SA_PAST | SA_PLAN | SA_REQUEST | SA_WARNING)
#define DEED (SA_NOW | SA_PAST | SA_PLAN) /* on one day, not every day */

/* clang-format off */
const sa_verb sa_transitive_verbs[] = {
    {"have", "has", "had", "having", {"ai", "a", "avons", "avez", "ont"}, "avoir", "eu", false,
     SA_STATE, SA_GOODS | SA_ANIMAL, SA_A | SA_SOME | SA_NUMBER},
    {"want", "wants", "wanted", "wanting", {"veux", "veut", "voulons", "voulez", "veulent"},
     "vouloir", "voulu", false, SA_STATE, SA_GOODS | SA_FOOD | SA_DRINK, SA_A | SA_SOME | SA_THIS},
    {"know", "knows", "knew", "knowing",
     {"connais", "connaît", "connaissons", "connaissez", "connaissent"}, "connaître", "connu", false,
     SA_STATE, SA_KNOWN | SA_SIGHT, SA_THE | SA_OWN | SA_THIS},
    {"like", "likes", "liked", "liking", {"aime", "aime", "aimons", "aimez", "aiment"}, "aimer",
     "aimé", false, SA_STATE, SA_FOOD | SA_DRINK | SA_ANIMAL | SA_SIGHT | SA_SHOW,
     SA_BARE | SA_THIS},
    {"see", "sees", "saw", "seeing", {"vois", "voit", "voyons", "voyez", "voient"}, "voir", "vu",
     false, SA_STATE | SA_PAST | SA_PLAN, SA_PERSON | SA_ANIMAL | SA_SIGHT,
     SA_THE | SA_A | SA_SOME | SA_OWN | SA_NUMBER},
    {"understand", "understands", "understood", "understanding",
     {"comprends", "comprend", "comprenons", "comprenez", "comprennent"}, "comprendre", "compris",
     false, SA_STATE | SA_PAST | SA_PLAN, SA_LESSON, SA_THE | SA_THIS},
    {"eat", "eats", "ate", "eating", {"mange", "mange", "mangeons", "mangez", "mangent"}, "manger",
     "mangé", false, ALWAYS, SA_FOOD, SA_THE | SA_A | SA_SOME | SA_NUMBER},
    {"drink", "drinks", "drank", "drinking", {"bois", "boit", "buvons", "buvez", "boivent"}, "boire",
     "bu", false, ALWAYS, SA_DRINK, SA_SOME},
    {"buy", "buys", "bought", "buying", {"achète", "achète", "achetons", "achetez", "achètent"},
     "acheter", "acheté", false, DEED | SA_RELATIVE, SA_GOODS | SA_FOOD,
     SA_THE | SA_A | SA_SOME | SA_NUMBER | SA_THIS},
    {"sell", "sells", "sold", "selling", {"vends", "vend", "vendons", "vendez", "vendent"}, "vendre",
     "vendu", false, DEED | SA_RELATIVE, SA_GOODS, SA_THE | SA_OWN | SA_THIS},
    /* never in the simple present: "they read the book" would be present and past at once */
    {"read", "reads", "read", "reading", {"lis", "lit", "lisons", "lisez", "lisent"}, "lire", "lu",
     false, DEED, SA_READING, SA_THE | SA_A | SA_THIS},
    {"write", "writes", "wrote", "writing", {"écris", "écrit", "écrivons", "écrivez", "écrivent"},
     "écrire", "écrit", false, DEED, SA_WRITING, SA_A | SA_SOME | SA_NUMBER | SA_THIS},
    {"find", "finds", "found", "finding", {"trouve", "trouve", "trouvons", "trouvez", "trouvent"},
     "trouver", "trouvé", false, SA_PAST | SA_PLAN | SA_RELATIVE, SA_POCKET, SA_THE | SA_OWN},
    {"lose", "loses", "lost", "losing", {"perds", "perd", "perdons", "perdez", "perdent"}, "perdre",
     "perdu", false, SA_PAST | SA_HABIT | SA_RELATIVE, SA_POCKET, SA_OWN},
    {"forget", "forgets", "forgot", "forgetting",
     {"oublie", "oublie", "oublions", "oubliez", "oublient"}, "oublier", "oublié", false,
     SA_PAST | SA_HABIT | SA_WARNING, SA_POCKET, SA_THE | SA_OWN},
    {"look for", "looks for", "looked for", "looking for",
     {"cherche", "cherche", "cherchons", "cherchez", "cherchent"}, "chercher", "cherché", false,
     DEED, SA_POCKET | SA_PERSON | SA_ANIMAL, SA_THE | SA_OWN},
    {"watch", "watches", "watched", "watching",
     {"regarde", "regarde", "regardons", "regardez", "regardent"}, "regarder", "regardé", false,
     DEED, SA_SHOW | SA_ANIMAL, SA_THE | SA_A | SA_THIS},
    {"listen to", "listens to", "listened to", "listening to",
     {"écoute", "écoute", "écoutons", "écoutez", "écoutent"}, "écouter", "écouté", false, ALWAYS,
     SA_SOUND, SA_THE | SA_THIS},
    {"take", "takes", "took", "taking", {"prends", "prend", "prenons", "prenez", "prennent"},
     "prendre", "pris", false, ALWAYS, SA_VEHICLE, SA_THE},
    {"wait for", "waits for", "waited for", "waiting for",
     {"attends", "attend", "attendons", "attendez", "attendent"}, "attendre", "attendu", false,
     ALWAYS, SA_VEHICLE | SA_PERSON, SA_THE | SA_OWN},
    {"open", "opens", "opened", "opening", {"ouvre", "ouvre", "ouvrons", "ouvrez", "ouvrent"},
     "ouvrir", "ouvert", false, ALWAYS, SA_OPENING, SA_THE},
    {"close", "closes", "closed", "closing", {"ferme", "ferme", "fermons", "fermez", "ferment"},
     "fermer", "fermé", false, ALWAYS, SA_OPENING, SA_THE},
    {"wash", "washes", "washed", "washing", {"lave", "lave", "lavons", "lavez", "lavent"}, "laver",
     "lavé", false, ALWAYS, SA_WASHABLE, SA_THE | SA_OWN},
    {"clean", "cleans", "cleaned", "cleaning",
     {"nettoie", "nettoie", "nettoyons", "nettoyez", "nettoient"}, "nettoyer", "nettoyé", false,
     ALWAYS, SA_ROOM, SA_THE | SA_OWN},
    {"wear", "wears", "wore", "wearing", {"porte", "porte", "portons", "portez", "portent"}, "porter",
     "porté", false, SA_HABIT | SA_NOW | SA_PLAN, SA_CLOTHES, SA_A | SA_OWN},
    {"visit", "visits", "visited", "visiting",
     {"visite", "visite", "visitons", "visitez", "visitent"}, "visiter", "visité", false, DEED,
     SA_SIGHT, SA_THE | SA_A | SA_THIS},
    {"help", "helps", "helped", "helping", {"aide", "aide", "aidons", "aidez", "aident"}, "aider",
     "aidé", false, ALWAYS, SA_PERSON, SA_THE | SA_OWN | SA_THIS},
    {"call", "calls", "called", "calling",
     {"appelle", "appelle", "appelons", "appelez", "appellent"}, "appeler", "appelé", false, ALWAYS,
     SA_PERSON, SA_THE | SA_OWN},
    {0},
};

const sa_verb sa_giving_verb = {
    "give", "gives", "gave", "giving", {"donne", "donne", "donnons", "donnez", "donnent"}, "donner",
     "donné", false, DEED, SA_GOODS | SA_POCKET | SA_FOOD,
     SA_THE | SA_A | SA_SOME | SA_OWN | SA_THIS};

const sa_verb sa_intransitive_verbs[] = {
    {"work", "works", "worked", "working",
     {"travaille", "travaille", "travaillons", "travaillez", "travaillent"}, "travailler",
     "travaillé", false, SA_HABIT | DEED, SA_WORKPLACE, 0},
    {"play", "plays", "played", "playing", {"joue", "joue", "jouons", "jouez", "jouent"}, "jouer",
     "joué", false, ALWAYS, SA_OUTDOORS, 0},
    {"walk", "walks", "walked", "walking",
     {"marche", "marche", "marchons", "marchez", "marchent"}, "marcher", "marché", false, ALWAYS,
     SA_OUTDOORS, 0},
    {"sleep", "sleeps", "slept", "sleeping", {"dors", "dort", "dormons", "dormez", "dorment"},
     "dormir", "dormi", false, ALWAYS, SA_LODGING, 0},
    {"live", "lives", "lived", "living",
     {"habite", "habite", "habitons", "habitez", "habitent"}, "habiter", "habité", false,
     SA_STATE, SA_HOME, 0},
    {"go", "goes", "went", "going", {"vais", "va", "allons", "allez", "vont"}, "aller", "allé", true,
     ALWAYS | SA_TOWARDS, SA_GOAL, 0},
    {"come", "comes", "came", "coming", {"viens", "vient", "venons", "venez", "viennent"}, "venir",
     "venu", true, ALWAYS | SA_TOWARDS, SA_GOAL, 0},
    {"arrive", "arrives", "arrived", "arriving",
     {"arrive", "arrive", "arrivons", "arrivez", "arrivent"}, "arriver", "arrivé", true,
     DEED | SA_TIMETABLE, SA_GOAL, 0},
    {"leave", "leaves", "left", "leaving", {"pars", "part", "partons", "partez", "partent"},
     "partir", "parti", true, DEED | SA_TIMETABLE, 0, 0},
    {0},
};
/* clang-format on */

const sa_verb *sa_verb_find(const char *base) {
    const sa_verb *verb = sa_transitive_verbs;
    while (verb->base && strcmp(verb->base, base) != 0) verb++;
    if (verb->base) return verb;
    for (verb = sa_intransitive_verbs; strcmp(verb->base, base) != 0;) verb++;
    return verb;
}
