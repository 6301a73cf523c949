/* mono and reorder: one English grammar, translated into French words either in the same order or
 * with adjectives after their noun, the verb last and the adverb first.
 *
 *   S -> NP V NP (Prep NP){0,2} (Adv) .        NP -> Det Adj{0,2} N
 *
 * No word is elided, and the adjectives have one form for both genders: the noun determines only
 * its article, whose link to the noun is therefore a possible one. */
#include "synth/tasks.h"

static const sa_phrase nouns[] = {
    /* the masculine ones first */
    {"cat", "chat", NULL},        {"dog", "chien", NULL},      {"horse", "cheval", NULL},
    {"king", "roi", NULL},        {"prince", "prince", NULL},  {"farmer", "fermier", NULL},
    {"baker", "boulanger", NULL}, {"soldier", "soldat", NULL}, {"postman", "facteur", NULL},
    {"brother", "frère", NULL},   {"queen", "reine", NULL},    {"princess", "princesse", NULL},
    {"girl", "fille", NULL},      {"mother", "mère", NULL},    {"sister", "sœur", NULL},
    {"witch", "sorcière", NULL},  {"cow", "vache", NULL},      {"goat", "chèvre", NULL},
    {"hen", "poule", NULL},       {"mouse", "souris", NULL},
};
static const sa_phrase adjectives[] = {
    {"young", "jeune", NULL}, {"poor", "pauvre", NULL},     {"brave", "brave", NULL},
    {"sad", "triste", NULL},  {"faithful", "fidèle", NULL}, {"famous", "célèbre", NULL},
    {"rich", "riche", NULL},  {"wise", "sage", NULL},       {"calm", "calme", NULL},
    {"shy", "timide", NULL},
};
static const sa_phrase verbs[] = {
    {"sees", "voit", NULL},     {"follows", "suit", NULL}, {"loves", "aime", NULL},
    {"calls", "appelle", NULL}, {"helps", "aide", NULL},   {"watches", "regarde", NULL},
    {"finds", "trouve", NULL},  {"greets", "salue", NULL}, {"hides", "cache", NULL},
    {"pushes", "pousse", NULL},
};
static const sa_phrase prepositions[] = {
    {"with", "avec", NULL},
    {"behind", "derrière", NULL},
    {"for", "pour", NULL},
    {"without", "sans", NULL},
};
static const sa_phrase adverbs[] = {
    {"today", "aujourd'hui", NULL},
    {"often", "souvent", NULL},
    {"here", "ici", NULL},
    {"slowly", "lentement", NULL},
};
static const struct {
    const char *english, *french[2]; /* masculine, feminine */
} articles[] = {{"the", {"le", "la"}}, {"a", {"un", "une"}}, {"this", {"ce", "cette"}}};

typedef struct noun_group { /* a noun with its article and adjectives */
    int article, noun, count, adjectives[2];
    sa_word_span article_at, noun_at, adjectives_at[2];
} noun_group;

enum {
    NOUNS = sizeof nouns / sizeof nouns[0],
    ADJECTIVES = sizeof adjectives / sizeof adjectives[0]
};

static noun_group write_source_group(sa_draft *draft) {
    noun_group group = {.article = sa_draft_pick(draft, 3), .count = sa_draft_pick(draft, 3)};
    group.article_at = sa_draft_source(draft, articles[group.article].english);
    for (int i = 0; i < group.count; i++) { /* the second of two is another adjective */
        int pick = sa_draft_pick(draft, ADJECTIVES - i);
        group.adjectives[i] = pick + (i > 0 && pick >= group.adjectives[0]);
        group.adjectives_at[i] = sa_draft_source(draft, adjectives[group.adjectives[i]].source);
    }
    group.noun = sa_draft_pick(draft, NOUNS);
    group.noun_at = sa_draft_source(draft, nouns[group.noun].source);
    return group;
}

static void write_target_adjectives(sa_draft *draft, const noun_group *group) {
    for (int i = 0; i < group->count; i++)
        sa_draft_link(draft, group->adjectives_at[i],
                      sa_draft_target(draft, adjectives[group->adjectives[i]].target));
}

static void write_target_group(sa_draft *draft, const noun_group *group, bool reorder) {
    bool feminine = group->noun >= NOUNS / 2;
    sa_word_span article = sa_draft_target(draft, articles[group->article].french[feminine]);
    sa_draft_link(draft, group->article_at, article);
    sa_draft_link_possible(draft, group->noun_at, article);
    if (!reorder) write_target_adjectives(draft, group);
    sa_draft_link(draft, group->noun_at, sa_draft_target(draft, nouns[group->noun].target));
    if (reorder) write_target_adjectives(draft, group);
}

typedef struct open_word { /* of the source, still to be translated */
    const sa_phrase *row;
    sa_word_span at;
} open_word;

static open_word write_source_word(sa_draft *draft, const sa_phrase *row) {
    return (open_word){row, sa_draft_source(draft, row->source)};
}

static void write_target_word(sa_draft *draft, open_word word) {
    if (word.row) sa_draft_link(draft, word.at, sa_draft_target(draft, word.row->target));
}

static void write_sentence(sa_draft *draft, bool reorder) {
    noun_group subject = write_source_group(draft);
    open_word verb = write_source_word(draft, SA_DRAW(draft, verbs));
    noun_group object = write_source_group(draft);
    int count = sa_draft_pick(draft, 3);
    open_word preposition[2], adverb = {0};
    noun_group with[2];
    for (int i = 0; i < count; i++) {
        preposition[i] = write_source_word(draft, SA_DRAW(draft, prepositions));
        with[i] = write_source_group(draft);
    }
    if (sa_draft_chance(draft, 2)) adverb = write_source_word(draft, SA_DRAW(draft, adverbs));

    if (reorder) write_target_word(draft, adverb);
    write_target_group(draft, &subject, reorder);
    if (!reorder) {
        write_target_word(draft, verb);
        write_target_group(draft, &object, reorder);
    }
    for (int i = 0; i < count; i++) {
        write_target_word(draft, preposition[i]);
        write_target_group(draft, &with[i], reorder);
    }
    if (reorder) {
        write_target_group(draft, &object, reorder);
        write_target_word(draft, verb);
    } else {
        write_target_word(draft, adverb);
    }
    sa_draft_phrase(draft, &(sa_phrase){".", ".", NULL});
}

void sa_synth_mono(sa_draft *draft, sa_split split) {
    (void)split;
    write_sentence(draft, false);
}

void sa_synth_reorder(sa_draft *draft, sa_split split) {
    (void)split;
    write_sentence(draft, true);
}
