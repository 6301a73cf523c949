/* The toy corpora in which words depend on distant words: agreement, translations of several words,
 * ambiguous words, answers that stand in the source. */
#include "support/suite.h"
#include "synth/scfg.h"
#include "synth/synth.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 4000 };

static void draw(sa_draft *draft, const char *name, sa_rng *rng) {
    static sa_grammar *grammars[32]; /* by task; read once */
    const sa_task *task = sa_tasks;
    while (strcmp(task->name, name) != 0) task++;
    sa_grammar **grammar = &grammars[task - sa_tasks];
    sa_draft_clear(draft);
    draft->rng = rng;
    if (!task->draw && !*grammar)
        *grammar = sa_grammar_read(task->name, (const char *)task->grammar, NULL);
    if (task->draw)
        task->draw(draft, task->variant);
    else
        ck_assert(sa_grammar_draw(*grammar, draft));
}

/* Returns '-' if the words are linked surely, 'p' if possibly, or else 0. */
static char link_between(const sa_draft *draft, int source, int target) {
    return draft->link[source * SA_DRAFT_WORDS + target];
}

static bool hinted(const sa_draft *draft, int source, int target) {
    return link_between(draft, source, target) == 'p';
}

static int count_links(const sa_draft *draft) {
    int count = 0;
    for (size_t i = 0; i < sizeof draft->link; i++) count += draft->link[i] != 0;
    return count;
}

/* The count is that fraction of all draws, within a tenth. */
static void about(int count, int expected) {
    ck_assert_int_ge(count, expected - expected / 10);
    ck_assert_int_le(count, expected + expected / 10);
}

/* ---- All ------------------------------------------------------------------------------------- */

static const struct {
    const char *task, *line;
} sentences[] = {
    {"agree", "the boy that waits for the sisters is old.\t"
              "le garçon qui attend les sœurs est vieux.\t"
              "0-0 1p0 1-1 1p6 1p7 2-2 3-3 4-3 5-4 6p4 6-5 7-6 8-7 9-8\n"},
    {"agree", "the daughter is happy.\t"
              "la fille est heureuse.\t"
              "0-0 1p0 1-1 1p2 1p3 2-2 3-3 4-4\n"},
    {"fertility", "the uncle of the girls needs the phones.\t"
                  "l'oncle des filles a besoin des téléphones.\t"
                  "0-0 1p0 1-1 2-2 3-2 4p2 4-3 5-4 5-5 5-6 6-6 7p6 7-7 8-8\n"},
    {"fertility", "the students do not need fifty five handbags.\t"
                  "les étudiants n'ont pas besoin de cinquante-cinq sacs à main.\t"
                  "0-0 1p0 1-1 2-3 3-2 3-4 4-3 4-5 4-6 5-7 6-7 7p7 7-8 7-9 7-10 8-11\n"},
    {"fertility", "the father does not need a sailboat.\t"
                  "le père n'a pas besoin d'un bateau à voile.\t"
                  "0-0 1p0 1-1 2-3 3-2 3-4 4-3 4-5 4-6 5-7 6p7 6-8 6-9 6-10 7-11\n"},
    {"fertility", "the neighbour never buys a letter.\t"
                  "le voisin n'achète jamais de lettre.\t"
                  "0-0 1p0 1-1 2-2 2-4 3-3 4-5 5p5 5-6 6-7\n"},
    {"fertility", "the hero puts away the alarm clock of the daughters.\t"
                  "le héros range le réveil des filles.\t"
                  "0-0 1p0 1-1 2-2 3-2 4-3 5p3 5-4 6p3 6-4 7-5 8-5 9p5 9-6 10-7\n"},
    {"fertility", "the neighbours sell thirty two books.\t"
                  "les voisins vendent trente-deux livres.\t"
                  "0-0 1p0 1-1 2-2 3-3 4-3 5p3 5-4 6-5\n"},
    {"sense", "near the feather, the baker forgets her duck.\t"
              "près de la plume, le boulanger oublie son canard.\t"
              "0-0 0-1 1-2 2p2 2-3 2p9 3-4 4-5 5p5 5-6 6-7 7-8 8p8 8-9 9-10\n"},
    {"sense", "the friend sees the stick and the daughters see her duck.\t"
              "l'ami voit le bâton et les filles la voient se baisser.\t"
              "0-0 1p0 1-1 2-2 3-3 4p3 4-4 4p10 4p11 5-5 6-6 7p6 7-7 8-9 9-8 10-10 10-11 11-12\n"},
    {"sense", "without the reeds, the woman forgets the bank.\t"
              "sans les roseaux, la femme oublie la rive.\t"
              "0-0 1-1 2p1 2-2 2p8 3-3 4-4 5p4 5-5 6-6 7-7 8p7 8-8 9-9\n"},
    {"sense", "for the trees, the children see apple.\t"
              "pour les arbres, les enfants voient la pomme.\t"
              "0-0 1-1 2p1 2-2 2p8 3-3 4-4 5p4 5-5 6-6 7p7 7-8 8-9\n"},
    {"sense", "for the shares, the doctor looks for apple.\t"
              "pour les actions, le médecin cherche apple.\t"
              "0-0 1-1 2p1 2-2 2p7 3-3 4-4 5p4 5-5 6-6 7-6 8-7 9-8\n"},
    {"context", "i like to eat apple.\tj'aime manger de la pomme.\t"
                "0-0 1-1 2p1 3-2 3p5 4p3 4p4 4-5 5-6\n"},
    {"context", "the investor wants to buy apple.\tl'investisseur veut acheter apple.\t"
                "0-0 1p0 1-1 1p4 2-2 3p3 4-3 5-4 6-5\n"},
    {"context", "i must go to the bank because of the boat.\t"
                "je dois aller à la rive à cause du bateau.\t"
                "0-0 1-1 2-2 3-3 4-4 5-5 6-6 6-7 7-8 8-8 9p5 9p8 9-9 10-10\n"},
    {"context", "the monitor in the office is broken.\tl'écran au bureau est cassé.\t"
                "0-0 0p1 1-1 2-2 3-2 4-3 5-4 6-5 7-6\n"},
    {"context", "the doctor must monitor his diabetes.\tle médecin doit surveiller son diabète.\t"
                "0-0 1p0 1-1 2-2 2p3 3-3 4-4 5p4 5-5 6-6\n"},
    {"context", "the animal did not cross the street because it was too wide.\t"
                "l'animal n'a pas traversé la rue parce qu'elle était trop large.\t"
                "0-0 1p0 1-1 2p3 3-2 3-4 4-3 4-5 5-6 6p6 6-7 7-8 7-9 8-10 9-11 10-12 11p10 "
                "11-13 12-14\n"},
};
enum { SENTENCES = sizeof sentences / sizeof sentences[0] };

/* Sentences translated and aligned by hand: drawn until they occur. */
START_TEST(translates_sentences) {
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {0};
    sa_buffer out = {0};
    bool found = false;
    size_t source = strcspn(sentences[_i].line, "\t");
    for (int draws = 0; draws < 100000 && !found; draws++) {
        draw(&draft, sentences[_i].task, &rng);
        out.size = 0;
        sa_draft_write_side(&draft, &draft.source, &out);
        found = out.size == source && !strncmp(out.text, sentences[_i].line, source);
    }
    ck_assert_msg(found, "never said: %s", sentences[_i].line);
    out.size = 0;
    sa_draft_write(&draft, &out);
    ck_assert_str_eq(out.text, sentences[_i].line);
    sa_buffer_release(&out);
}
END_TEST

/* Every word has a link. */
START_TEST(links_every_word) {
    static const char *const tasks[] = {"agree", "fertility", "sense", "context"};
    sa_rng rng = sa_rng_seed(2, 0);
    sa_draft draft = {0};
    for (size_t task = 0; task < sizeof tasks / sizeof tasks[0]; task++)
        for (int i = 0; i < DRAWS; i++) {
            bool source[SA_DRAFT_WORDS] = {0}, target[SA_DRAFT_WORDS] = {0};
            draw(&draft, tasks[task], &rng);
            for (int k = 0; k < SA_DRAFT_WORDS * SA_DRAFT_WORDS; k++)
                if (draft.link[k]) source[k / SA_DRAFT_WORDS] = target[k % SA_DRAFT_WORDS] = true;
            for (int k = 0; k < draft.source.count; k++)
                ck_assert_msg(source[k], "%s", draft.source.words[k]);
            for (int k = 0; k < draft.target.count; k++)
                ck_assert_msg(target[k], "%s", draft.target.words[k]);
        }
}
END_TEST

/* ---- agree ----------------------------------------------------------------------------------- */

/* Nouns as they are written, with the other number: what is not here is masculine and adds s. */
static const struct noun {
    const char *one, *many;
    bool feminine;
} nouns[] = {
    {"man", "men", false},        {"woman", "women", true},        {"girl", "girls", true},
    {"child", "children", false}, {"nurse", "nurses", true},       {"hero", "heroes", false},
    {"sister", "sisters", true},  {"daughter", "daughters", true}, {"mouse", "mice", true},
};

static bool feminine_noun(const char *word, bool *plural) {
    *plural = word[strlen(word) - 1] == 's';
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++) {
        const bool many = !strcmp(word, nouns[i].many);
        if (!many && strcmp(word, nouns[i].one) != 0) continue;
        *plural = many;
        return nouns[i].feminine;
    }
    return false;
}

/* Adjectives that do not only add e and s. */
static const char *const adjectives[][5] = {
    {"beautiful", "beau", "belle", "beaux", "belles"},
    {"old", "vieux", "vieille", "vieux", "vieilles"},
    {"happy", "heureux", "heureuse", "heureux", "heureuses"},
    {"white", "blanc", "blanche", "blancs", "blanches"},
    {"kind", "gentil", "gentille", "gentils", "gentilles"},
    {"tired", "fatigué", "fatiguée", "fatigués", "fatiguées"},
    {"rich", "riche", "riche", "riches", "riches"},
};

START_TEST(the_end_agrees_with_the_first_noun) {
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {0};
    int feminines = 0, plurals = 0, led_astray = 0, known = 0, clauses[4] = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "agree", &rng);
        const sa_draft_side *source = &draft.source, *target = &draft.target;
        int be = source->count - 3, est = target->count - 3;
        bool plural, other_plural;
        const bool feminine = feminine_noun(source->words[1], &plural);
        const bool other = feminine_noun(source->words[be - 1], &other_plural);
        ck_assert_str_eq(source->words[be], plural ? "are" : "is");
        ck_assert_str_eq(target->words[est], plural ? "sont" : "est");
        for (size_t row = 0; row < sizeof adjectives / sizeof *adjectives; row++) {
            if (strcmp(source->words[be + 1], adjectives[row][0]) != 0) continue;
            ck_assert_str_eq(target->words[est + 1], adjectives[row][1 + feminine + 2 * plural]);
            known++;
        }
        ck_assert(hinted(&draft, 1, est) && hinted(&draft, 1, est + 1));
        feminines += feminine;
        plurals += plural;
        led_astray += feminine != other || other_plural != plural;
        int count = 0;
        for (int k = 0; k < source->count; k++) count += !strcmp(source->words[k], "that");
        clauses[count]++;
    }
    ck_assert_int_gt(known, DRAWS / 3);
    about(feminines, DRAWS / 2);
    about(plurals, DRAWS / 2);
    about(led_astray, 3 * 3 * DRAWS / 16); /* gender or number, of the 3 in 4 with a clause */
    for (int count = 0; count < 4; count++) about(clauses[count], DRAWS / 4);
}
END_TEST

/* ---- fertility ------------------------------------------------------------------------------- */

/* The number of words with a sure link to the word. */
static int fertility(const sa_draft *draft, int source) {
    int count = 0;
    for (int target = 0; target < draft->target.count; target++)
        count += link_between(draft, source, target) == '-';
    return count;
}

/* How many words the translation's word comes surely from; *first is the first of them. */
static int origins(const sa_draft *draft, int target, int *first) {
    int count = 0;
    for (int source = draft->source.count; source-- > 0;) {
        if (link_between(draft, source, target) != '-') continue;
        *first = source;
        count++;
    }
    return count;
}

START_TEST(words_have_their_fertility) {
    static const char *const threefold[] = {"potato", "potatoes", "typewriter", "needs",
                                            "fears",  "nowadays", "washing"};
    sa_rng rng = sa_rng_seed(3, 0);
    sa_draft draft = {0};
    int longer = 0, shorter = 0, two_clauses = 0, numbers = 0;
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "fertility", &rng);
        for (int k = 0; k < draft.source.count; k++) {
            const char *word = draft.source.words[k];
            for (size_t row = 0; row < sizeof threefold / sizeof threefold[0]; row++)
                if (!strcmp(word, threefold[row])) ck_assert_int_eq(fertility(&draft, k), 3);
            if (!strcmp(word, "not") || !strcmp(word, "never"))
                ck_assert_int_eq(fertility(&draft, k), 2);
            two_clauses += !strcmp(word, "and");
        }
        for (int k = 0, first; k < draft.target.count; k++) {
            const char *word = draft.target.words[k];
            bool du = !strcmp(word, "du") || !strcmp(word, "des");
            if (strchr(word, '-') && strcmp(word, "grand-mère")) {
                ck_assert_int_eq(origins(&draft, k, &first), 2);
                numbers++;
            } else if (du) {
                ck_assert_int_eq(origins(&draft, k, &first), 2);
                ck_assert_str_eq(draft.source.words[first + 1], "the");
            }
        }
        longer += draft.target.count > draft.source.count;
        shorter += draft.target.count < draft.source.count;
    }
    about(two_clauses, DRAWS / 2);
    ck_assert_int_gt(longer, DRAWS / 5);
    ck_assert_int_gt(shorter, DRAWS / 5);
    ck_assert_int_gt(numbers, DRAWS / 5);
}
END_TEST

/* ---- sense ----------------------------------------------------------------------------------- */

/* Each with the first word of its two translations. */
static const char *const senses[][3] = {
    {"bank", "banque", "rive"}, {"light", "lumière", "feu"},     {"monitor", "écran", "surveiller"},
    {"duck", "canard", "se"},   {"apple", "pomme", "apple"},     {"bat", "chauve-souris", "batte"},
    {"nail", "clou", "ongle"},  {"match", "allumette", "match"},
};
enum { WORDS = sizeof senses / sizeof senses[0], COMPANY = 64, SENSE_DRAWS = 10 * DRAWS };

/* The words that decide about one of the ambiguous words, and which of its senses. */
typedef struct company {
    char words[COMPANY][SA_DRAFT_LETTERS];
    int senses[COMPANY], count;
} company;

typedef struct reading { /* of one sentence */
    int word, sense;
    int at, meaning, reason; /* positions of the word, its translation and the deciding word */
} reading;

static reading read_senses(const sa_draft *draft) {
    reading read = {.at = -1, .reason = -1};
    for (int k = 0; k < draft->source.count; k++)
        for (int word = 0; word < WORDS; word++) {
            if (strcmp(draft->source.words[k], senses[word][0])) continue;
            ck_assert_int_lt(read.at, 0);
            read.at = k;
            read.word = word;
        }
    ck_assert_int_ge(read.at, 0);
    while (!link_between(draft, read.at, read.meaning) || hinted(draft, read.at, read.meaning))
        read.meaning++;
    const char *french = draft->target.words[read.meaning];
    read.sense = !strcmp(french, senses[read.word][2]);
    ck_assert_str_eq(french, senses[read.word][1 + read.sense]);
    for (int k = 0; k < draft->source.count; k++) {
        if (k == read.at || !link_between(draft, k, read.meaning)) continue;
        ck_assert(read.reason < 0 && hinted(draft, k, read.meaning));
        read.reason = k;
    }
    ck_assert_int_ge(read.reason, 0);
    return read;
}

static int find_company(const company *known, const char *word) {
    int row = 0;
    while (row < known->count && strcmp(known->words[row], word)) row++;
    return row;
}

/* A deciding word determines the same sense each time. */
static void meet(company *known, const char *word, int sense) {
    int row = find_company(known, word);
    if (row == known->count) {
        ck_assert_int_lt(known->count, COMPANY);
        strcpy(known->words[row], word);
        known->senses[known->count++] = sense;
    }
    ck_assert_int_eq(known->senses[row], sense);
}

START_TEST(one_word_decides_the_sense) {
    static company known[WORDS];
    sa_draft draft = {0};
    for (int pass = 0; pass < 2; pass++) { /* the second knows all words that decide */
        sa_rng rng = sa_rng_seed(4, 0);
        for (int i = 0; i < DRAWS; i++) {
            draw(&draft, "sense", &rng);
            reading read = read_senses(&draft);
            meet(&known[read.word], draft.source.words[read.reason], read.sense);
            for (int k = 0; pass && k < draft.source.count; k++) {
                int row = find_company(&known[read.word], draft.source.words[k]);
                ck_assert(k == read.reason || row == known[read.word].count);
            }
        }
    }
    for (int word = 0; word < WORDS; word++) {
        int second = 0;
        for (int row = 0; row < known[word].count; row++) second += known[word].senses[row];
        ck_assert_int_ge(second, 5);
        ck_assert_int_ge(known[word].count - second, 5);
    }
}
END_TEST

START_TEST(senses_are_balanced) {
    sa_rng rng = sa_rng_seed(5, 0);
    sa_draft draft = {0};
    int count[WORDS][2] = {0}, before = 0, distances[SA_DRAFT_WORDS] = {0}, far = 0;
    for (int i = 0; i < SENSE_DRAWS; i++) {
        draw(&draft, "sense", &rng);
        reading read = read_senses(&draft);
        count[read.word][read.sense]++;
        before += read.reason < read.at;
        distances[abs(read.reason - read.at)]++;
    }
    for (int word = 0; word < WORDS; word++)
        for (int sense = 0; sense < 2; sense++) about(count[word][sense], SENSE_DRAWS / WORDS / 2);
    about(before, SENSE_DRAWS / 2);
    for (int k = 0; k < SA_DRAFT_WORDS; k++) far += distances[k] > SENSE_DRAWS / 100;
    ck_assert_int_ge(far, 8);
}
END_TEST

/* ---- recall, assign, trigger, induction, sort, next-larger ------------------------------------
 */

/* The answers and links of these tests are found again from the words of the source alone. */

static int find_word(const sa_draft *draft, const char *word, int from) {
    while (from < draft->source.count && strcmp(draft->source.words[from], word)) from++;
    return from;
}

/* The pair has exactly one sure link, to that place, at that word of the target, which repeats the
 * source's word if it is `copied`. */
static void answered_at(const sa_draft *draft, int target, int place, bool copied) {
    int first = 0;
    ck_assert_int_eq(origins(draft, target, &first), 1);
    ck_assert_int_eq(first, place);
    if (copied) ck_assert_str_eq(draft->source.words[place], draft->target.words[target]);
}

START_TEST(values_are_recalled_by_their_keys) {
    sa_rng rng = sa_rng_seed(6, 0);
    sa_draft draft = {0};
    int of_count[4] = {0}, in_order = 0, first_keys[64] = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "recall", &rng);
        const int bar = find_word(&draft, "|", 0), count = bar / 2;
        int kind = 0;
        while (4 << kind < count) kind++;
        of_count[kind]++;
        ck_assert(kind < 4 && count == 4 << kind);
        ck_assert_int_eq(draft.source.count, 3 * count + 1);
        ck_assert_int_eq(draft.target.count, count);
        ck_assert_int_eq(count_links(&draft), 3 * count);
        for (int k = 0; k < bar; k++) { /* keys and values are different */
            ck_assert_int_eq(draft.source.words[k][0], k % 2 ? 'v' : 'k');
            ck_assert_int_ge(find_word(&draft, draft.source.words[k], k + 1), bar);
            ck_assert_int_lt(atoi(draft.source.words[k] + 1), 64);
        }
        for (int t = 0; t < count; t++) {
            const int query = bar + 1 + t, key = find_word(&draft, draft.source.words[query], 0);
            ck_assert_int_lt(key, bar);
            answered_at(&draft, t, key + 1, true);
            ck_assert(hinted(&draft, key, t) && hinted(&draft, query, t));
            in_order += key == 2 * t && count == 4;
        }
        first_keys[atoi(draft.source.words[0] + 1)]++;
    }
    for (int kind = 0; kind < 4; kind++) about(of_count[kind], DRAWS / 4);
    about(in_order, of_count[0]); /* one of four */
    for (int key = 0; key < 64; key++) ck_assert_int_gt(first_keys[key], DRAWS / 64 / 2);
}
END_TEST

START_TEST(the_last_assignment_counts) {
    sa_rng rng = sa_rng_seed(7, 0);
    sa_draft draft = {0};
    int of_count[32] = {0}, of_asked[5] = {0}, of_value[10] = {0}, distances[25] = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "assign", &rng);
        const int count = draft.source.count - 1;
        const char asked = draft.source.words[count][0];
        int values[10] = {0}, last = -1, times = 0;
        ck_assert_str_eq(draft.source.words[count] + 1, "?");
        for (int k = 0; k < count; k++) {
            const char *word = draft.source.words[k];
            ck_assert(word[0] >= 's' && word[0] <= 'z' && word[1] == '=' && !word[3]);
            if (word[0] != asked) continue;
            ck_assert_int_eq(values[word[2] - '0']++, 0); /* a new value */
            last = k;
            times++;
        }
        ck_assert(times >= 2 && times <= 4);
        ck_assert_int_eq(draft.target.count, 1);
        ck_assert_str_eq(draft.target.words[0], draft.source.words[last] + 2);
        answered_at(&draft, 0, last, false);
        ck_assert(hinted(&draft, count, 0) && count_links(&draft) == 2);
        of_count[count]++;
        of_asked[times]++;
        of_value[atoi(draft.target.words[0])]++;
        distances[count - last]++;
    }
    for (int count = 0; count < 32; count++)
        ck_assert_int_ge(of_count[count], count >= 6 && count <= 24 ? DRAWS / 19 / 2 : 0);
    for (int times = 2; times <= 4; times++) about(of_asked[times], DRAWS / 3);
    for (int value = 0; value < 10; value++) ck_assert_int_gt(of_value[value], DRAWS / 10 / 2);
    for (int away = 1; away <= 12; away++) ck_assert_int_gt(distances[away], DRAWS / 100);
}
END_TEST

START_TEST(the_trigger_asks_for_the_majority) {
    sa_rng rng = sa_rng_seed(8, 0);
    sa_draft draft = {0};
    int of_answer[3] = {0}, places[32] = {0}, lengths[33] = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "trigger", &rng);
        const int trigger = find_word(&draft, "!", 0), count = draft.source.count;
        int sum = 0, links = count;
        ck_assert(count >= 8 && count <= 32 && draft.target.count == count);
        ck_assert(trigger >= 3 && find_word(&draft, "!", trigger + 1) == count);
        for (int k = 0; k < count; k++) {
            const char *word = draft.source.words[k], *answer = draft.target.words[k];
            ck_assert(k == trigger || !strcmp(word, "p") || !strcmp(word, "n"));
            ck_assert(k == trigger || !strcmp(answer, "."));
            ck_assert(hinted(&draft, k, k));
            if (k >= trigger) continue;
            sum += *word == 'p' ? 1 : -1;
            ck_assert(link_between(&draft, k, trigger) == '-');
            links++;
        }
        ck_assert_int_eq(count_links(&draft), links);
        ck_assert_str_eq(draft.target.words[trigger], sum > 0 ? "P" : sum < 0 ? "N" : "0");
        of_answer[(sum > 0) - (sum < 0) + 1]++;
        places[trigger]++;
        lengths[count]++;
    }
    ck_assert_int_gt(of_answer[0], DRAWS / 3);
    ck_assert_int_gt(of_answer[1], DRAWS / 20);
    ck_assert_int_gt(of_answer[2], DRAWS / 3);
    for (int length = 8; length <= 32; length++) ck_assert_int_gt(lengths[length], DRAWS / 25 / 2);
    ck_assert(places[3] > DRAWS / 50 && places[28] > 0);
}
END_TEST

START_TEST(a_sequence_begins_again) {
    sa_rng rng = sa_rng_seed(9, 0);
    sa_draft draft = {0};
    int of_count[25] = {0}, of_noise[9] = {0}, of_given[5] = {0}, distances[64] = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "induction", &rng);
        const int bar = find_word(&draft, "|", 0);
        const int again = find_word(&draft, draft.source.words[0], 1), noise = again - bar - 1;
        const int given = draft.source.count - again;
        ck_assert(bar >= 8 && bar <= 24 && noise >= 0 && noise <= 8 && given >= 1 && given <= 4);
        for (int k = 0; k < again; k++) { /* all are different */
            ck_assert(k == bar || (unsigned)atoi(draft.source.words[k]) < 32);
            const int next = find_word(&draft, draft.source.words[k], k + 1);
            ck_assert_int_eq(next, k < given ? again + k : draft.source.count);
        }
        ck_assert_int_eq(draft.target.count, bar - given);
        ck_assert_int_eq(count_links(&draft), bar - given);
        for (int t = 0; t < draft.target.count; t++) answered_at(&draft, t, given + t, true);
        of_count[bar]++;
        of_noise[noise]++;
        of_given[given]++;
        distances[again]++;
    }
    for (int count = 8; count <= 24; count++) ck_assert_int_gt(of_count[count], DRAWS / 17 / 2);
    for (int noise = 0; noise <= 8; noise++) ck_assert_int_gt(of_noise[noise], DRAWS / 9 / 2);
    for (int given = 1; given <= 4; given++) about(of_given[given], DRAWS / 4);
    for (int away = 0; away < 64; away++) ck_assert_int_lt(distances[away], DRAWS / 12);
}
END_TEST

/* The source begins with that many different numbers. */
static void check_numbers(const sa_draft *draft, int count) {
    for (int k = 0; k < count; k++)
        ck_assert(atoi(draft->source.words[k]) < 100 &&
                  find_word(draft, draft->source.words[k], k + 1) >= count);
}

START_TEST(numbers_are_sorted) {
    sa_rng rng = sa_rng_seed(10, 0);
    sa_draft draft = {0};
    int of_count[16] = {0};
    draft.split = _i ? SA_TEST : SA_TRAIN;
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "sort", &rng);
        const int count = draft.source.count;
        check_numbers(&draft, count);
        ck_assert(draft.target.count == count && count_links(&draft) == count);
        for (int t = 0; t < count; t++) {
            answered_at(&draft, t, find_word(&draft, draft.target.words[t], 0), true);
            if (t) ck_assert_int_gt(atoi(draft.target.words[t]), atoi(draft.target.words[t - 1]));
        }
        of_count[count]++;
    }
    for (int count = 0; count < 16; count++) {
        const bool used = count >= 5 && count <= (_i ? 15 : 10);
        ck_assert(used ? of_count[count] > DRAWS / 11 / 2 : !of_count[count]);
    }
}
END_TEST

START_TEST(the_next_larger_number_is_found) {
    sa_rng rng = sa_rng_seed(11, 0);
    sa_draft draft = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, "next-larger", &rng);
        const int bar = find_word(&draft, "|", 0), asked = atoi(draft.source.words[bar + 1]),
                  answer = atoi(draft.target.words[0]);
        check_numbers(&draft, bar);
        ck_assert(bar >= 5 && bar <= 10 && draft.source.count == bar + 2);
        ck_assert(draft.target.count == 1 && count_links(&draft) == 1 && answer > asked);
        for (int k = 0; k < bar; k++) {
            const int number = atoi(draft.source.words[k]);
            ck_assert(number <= asked || number >= answer);
        }
        answered_at(&draft, 0, find_word(&draft, draft.target.words[0], 0), true);
    }
}
END_TEST

int main(void) {
    TCase *all;
    Suite *suite = suite_of("synth_tasks", &all);
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, translates_sentences, 0, SENTENCES);
    tcase_add_test(all, links_every_word);
    tcase_add_test(all, the_end_agrees_with_the_first_noun);
    tcase_add_test(all, words_have_their_fertility);
    tcase_add_test(all, one_word_decides_the_sense);
    tcase_add_test(all, senses_are_balanced);
    tcase_add_test(all, values_are_recalled_by_their_keys);
    tcase_add_test(all, the_last_assignment_counts);
    tcase_add_test(all, the_trigger_asks_for_the_majority);
    tcase_add_test(all, a_sequence_begins_again);
    tcase_add_loop_test(all, numbers_are_sorted, 0, 2);
    tcase_add_test(all, the_next_larger_number_is_found);
    return suite_run(suite);
}
