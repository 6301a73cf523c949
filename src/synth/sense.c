/* sense: an ambiguous word, and elsewhere in the sentence one word that determines its meaning.
 *
 *   S -> C A L P D .      P D L , C A .      C A L and C D .      C D L and C A .
 *
 * C is somebody who sees something, A the ambiguous word, D the deciding one, P a preposition, L
 * what may come between. All except D is the same for both senses, so that only D tells them apart.
 */
#include "synth/frames.h"
#include "synth/french.h"
#include "synth/tasks.h"

#include <stddef.h>

/* ---- Words ----------------------------------------------------------------------------------- */

typedef enum sense_kind { NOUN, NAME, VERB } sense_kind; /* a name has no article */

enum { SENSES = 2, DECIDERS = 5 };

typedef struct sense_row {
    const char *french;
    bool feminine;
    sense_kind kind;
    sa_noun deciders[DECIDERS];
} sense_row;

typedef struct word_row {
    const char *english;
    unsigned determiner; /* SA_OWN: "her duck" can be an animal or what she does */
    sense_row senses[SENSES];
} word_row;

#define M false, 0, 0, 0, 0
#define F true, 0, 0, 0, 0

/* clang-format off */
static const word_row words[] = {
    {"bank", SA_THE, {
        {"banque", true, NOUN, {
            {"money", 0, "argent", M}, {"loan", "loans", "prêt", M}, {"coin", "coins", "pièce", F},
            {"cheque", "cheques", "chèque", M}, {"invoice", "invoices", "facture", F}}},
        {"rive", true, NOUN, {
            {"river", "rivers", "rivière", F}, {"boat", "boats", "bateau", M},
            {"bridge", "bridges", "pont", M}, {"fisherman", "fishermen", "pêcheur", M},
            {"reed", "reeds", "roseau", M}}}}},
    {"light", SA_THE, {
        {"lumière", true, NOUN, {
            {"candle", "candles", "bougie", F}, {"sun", 0, "soleil", M},
            {"shadow", "shadows", "ombre", F}, {"curtain", "curtains", "rideau", M},
            {"mirror", "mirrors", "miroir", M}}},
        {"feu", false, NOUN, {
            {"lorry", "lorries", "camion", M}, {"driver", "drivers", "conducteur", M},
            {"pedestrian", "pedestrians", "piéton", M}, {"motorbike", "motorbikes", "moto", F},
            {"junction", "junctions", "carrefour", M}}}}},
    {"monitor", SA_OWN, {
        {"écran", false, NOUN, {
            {"keyboard", "keyboards", "clavier", M}, {"cable", "cables", "câble", M},
            {"computer", "computers", "ordinateur", M}, {"plug", "plugs", "prise", F},
            {"printer", "printers", "imprimante", F}}},
        {"surveiller", false, VERB, {
            {"patient", "patients", "patient", M}, {"prisoner", "prisoners", "prisonnier", M},
            {"baby", "babies", "bébé", M}, {"pupil", "pupils", "élève", M},
            {"exam", "exams", "examen", M}}}}},
    {"duck", SA_OWN, {
        {"canard", false, NOUN, {
            {"pond", "ponds", "étang", M}, {"feather", "feathers", "plume", F},
            {"lake", "lakes", "lac", M}, {"nest", "nests", "nid", M}, {"beak", "beaks", "bec", M}}},
        {"se baisser", false, VERB, {
            {"branch", "branches", "branche", F}, {"stone", "stones", "pierre", F},
            {"arrow", "arrows", "flèche", F}, {"stick", "sticks", "bâton", M},
            {"snowball", "snowballs", "boule de neige", F}}}}},
    {"apple", SA_BARE, {
        {"pomme", true, NOUN, {
            {"pear", "pears", "poire", F}, {"pie", "pies", "tarte", F}, {"tree", "trees", "arbre", M},
            {"basket", "baskets", "panier", M}, {"cinnamon", 0, "cannelle", F}}},
        {"apple", false, NAME, {
            {"share", "shares", "action", F}, {"investor", "investors", "investisseur", M},
            {"phone", "phones", "téléphone", M}, {"patent", "patents", "brevet", M},
            {"programmer", "programmers", "programmeur", M}}}}},
    {"bat", SA_THE, {
        {"chauve-souris", true, NOUN, {
            {"cave", "caves", "grotte", F}, {"wing", "wings", "aile", F}, {"moon", 0, "lune", F},
            {"attic", "attics", "grenier", M}, {"insect", "insects", "insecte", M}}},
        {"batte", true, NOUN, {
            {"ball", "balls", "balle", F}, {"player", "players", "joueur", M},
            {"team", "teams", "équipe", F}, {"helmet", "helmets", "casque", M},
            {"stadium", "stadiums", "stade", M}}}}},
    {"nail", SA_THE, {
        {"clou", false, NOUN, {
            {"hammer", "hammers", "marteau", M}, {"board", "boards", "planche", F},
            {"carpenter", "carpenters", "menuisier", M}, {"ladder", "ladders", "échelle", F},
            {"picture", "pictures", "tableau", M}}},
        {"ongle", false, NOUN, {
            {"finger", "fingers", "doigt", M}, {"thumb", "thumbs", "pouce", M},
            {"glove", "gloves", "gant", M}, {"toe", "toes", "orteil", M},
            {"varnish", 0, "vernis", M}}}}},
    {"match", SA_THE, {
        {"allumette", true, NOUN, {
            {"cigar", "cigars", "cigare", M}, {"smoke", 0, "fumée", F}, {"log", "logs", "bûche", F},
            {"fireplace", "fireplaces", "cheminée", F}, {"lantern", "lanterns", "lanterne", F}}},
        {"match", false, NOUN, {
            {"referee", "referees", "arbitre", M}, {"trophy", "trophies", "coupe", F},
            {"captain", "captains", "capitaine", M}, {"goalkeeper", "goalkeepers", "gardien", M},
            {"spectator", "spectators", "spectateur", M}}}}},
};
/* clang-format on */

static const sa_phrase prepositions[] = {
    {"near", "près de", NULL},   {"because of", "à cause de", "0-0 0-1 1-2"},
    {"for", "pour", NULL},       {"without", "sans", NULL},
    {"despite", "malgré", NULL},
};

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The ambiguous word, the deciding word, and their positions. */
typedef struct word_pair {
    const word_row *word;
    const sense_row *sense;
    const sa_noun *decider;
    sa_word_span meaning, reason; /* of the target and of the source */
} word_pair;

static sa_noun_phrase draw_person(sa_draft *draft) {
    return sa_noun_phrase_draw_definite(draft, sa_noun_draw(draft, SA_PERSON, 0, NULL));
}

/* "the girl sees"; only the first verbs can be followed by what somebody does. */
static void write_seeing(sa_draft *draft, bool doing, const sa_phrase *object) {
    static const char *const verbs[] = {"see", "watch", "look for", "find", "forget"};
    sa_noun_phrase person = draw_person(draft);
    sa_clause clause = {.subject = sa_subject_of(&person), .object = object};
    int row = sa_draft_pick(draft, doing ? 2 : (int)(sizeof verbs / sizeof verbs[0]));
    sa_clause_conjugate(&clause, sa_verb_find(verbs[row]), SA_SIMPLE);
    sa_clause_write(draft, &clause);
}

/* "the girl sees her duck": voit son canard, la voit se baisser */
static void write_ambiguous(sa_draft *draft, word_pair *pair) {
    static const sa_phrase her = {"her", "la", NULL};
    const word_row *word = pair->word;
    const sense_row *sense = pair->sense;
    write_seeing(draft, word->determiner == SA_OWN, sense->kind == VERB ? &her : NULL);
    if (sense->kind == NOUN) {
        sa_noun noun = {.english = word->english, .french = sense->french};
        noun.feminine = sense->feminine;
        sa_noun_phrase group = {.noun = &noun, .determiner = word->determiner, .owner = SA_HER};
        sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
        pair->meaning = sa_draft_last(&draft->target);
    } else {
        pair->meaning = sa_draft_target(draft, sense->french);
        sa_draft_link(draft, sa_draft_source(draft, word->english), pair->meaning);
    }
}

static void write_decider(sa_draft *draft, word_pair *pair) {
    sa_noun_phrase group = sa_noun_phrase_draw_definite(draft, pair->decider);
    sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
    pair->reason = sa_draft_last(&draft->source);
}

/* "with the baker in the morning", or half of it, or nothing */
static void write_filler(sa_draft *draft) {
    if (sa_draft_chance(draft, 2)) {
        sa_noun_phrase person = draw_person(draft);
        sa_phrase_write(draft, "with", "avec", NULL);
        sa_noun_phrase_write(draft, &person, SA_AFFIRMATIVE);
    }
    if (sa_draft_chance(draft, 2)) sa_time_write(draft, SA_TIME_HABIT, false);
}

/* ---- Sentences ------------------------------------------------------------------------------- */

/* Both words in the given order, and the filler after the first. */
static void write_one_clause(sa_draft *draft, word_pair *pair, bool decided) {
    if (!decided) {
        write_ambiguous(draft, pair);
        write_filler(draft);
    }
    sa_draft_phrase(draft, SA_DRAW(draft, prepositions));
    write_decider(draft, pair);
    if (decided) {
        write_filler(draft);
        sa_phrase_write(draft, ",", ",", NULL);
        write_ambiguous(draft, pair);
    }
}

static void write_two_clauses(sa_draft *draft, word_pair *pair, bool decided) {
    for (int i = 0; i < 2; i++) {
        if (decided == (i == 0)) {
            write_seeing(draft, false, NULL);
            write_decider(draft, pair);
        } else {
            write_ambiguous(draft, pair);
        }
        if (i) continue;
        write_filler(draft);
        sa_phrase_write(draft, "and", "et", NULL);
    }
}

void sa_synth_sense(sa_draft *draft, sa_split split) {
    (void)split;
    word_pair pair = {.word = SA_DRAW(draft, words)};
    pair.sense = SA_DRAW(draft, pair.word->senses);
    pair.decider = SA_DRAW(draft, pair.sense->deciders);
    bool decided = sa_draft_chance(draft, 2);
    if (sa_draft_chance(draft, 2))
        write_one_clause(draft, &pair, decided);
    else
        write_two_clauses(draft, &pair, decided);
    sa_draft_link_possible(draft, pair.reason, pair.meaning);
    sa_phrase_write(draft, ".", ".", NULL);
    sa_french_finish(draft);
}
