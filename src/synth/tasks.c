/* The toy corpora: grammars, and tasks whose answer is computed: lists that only change their order
 * (length, reverse, sort), lists with the answer in the source, so that a model must find it there
 * and cannot know it (recall, assign, trigger, induction, next-larger), and dates.
 *
 * A word of a list stands between spaces: a token of the tokenizer `space`, and of `word` except in
 * assign. */
#include "synth/scfg.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SOURCE(draft, ...) sa_draft_add(draft, &(draft)->source, __VA_ARGS__)
#define TARGET(draft, ...) sa_draft_add(draft, &(draft)->target, __VA_ARGS__)
#define PICK(draft, count) ((int)sa_rng_below((draft)->rng, (uint32_t)(count)))
#define WORD_AT(place) ((sa_word_span){place, 1})

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Writes at least 3 words, reversed: the numbers below 50, or 50 words before their translations. A
 * model with a fixed context vector shows how many words the vector can represent. */
static void draw_reversed(sa_draft *draft, bool words) {
    static const char *const pairs[50] = {
        "apple pomme",   "bag sac",        "ball balle",   "bed lit",        "bird oiseau",
        "boat bateau",   "book livre",     "bread pain",   "bridge pont",    "butter beurre",
        "car voiture",   "cat chat",       "chair chaise", "cheese fromage", "church église",
        "cloud nuage",   "coat manteau",   "cow vache",    "cup tasse",      "dog chien",
        "door porte",    "egg œuf",        "fish poisson", "flower fleur",   "fork fourchette",
        "garden jardin", "hand main",      "hat chapeau",  "horse cheval",   "house maison",
        "key clé",       "knife couteau",  "lamp lampe",   "letter lettre",  "milk lait",
        "moon lune",     "rain pluie",     "ring bague",   "river rivière",  "road route",
        "salt sel",      "shoe chaussure", "snow neige",   "star étoile",    "sun soleil",
        "table table",   "tree arbre",     "wall mur",     "water eau",      "wind vent"};
    const bool test = draft->split == SA_TEST;
    const int longest = words ? test ? 40 : 20 : test ? 30 : 25;
    const int count = 3 + PICK(draft, longest - 2);
    char target[SA_DRAFT_WORDS][16];
    for (int i = 0; i < count; i++) {
        char source[16];
        const int drawn = PICK(draft, 50);
        if (!words || sscanf(pairs[drawn], "%15s %15s", source, target[i]) != 2)
            snprintf(target[i], sizeof source, "%d", drawn);
        SOURCE(draft, "%s", words ? source : target[i]);
    }
    for (int i = count; i-- > 0;)
        sa_draft_link(draft, WORD_AT(i), TARGET(draft, "%s", target[i]), false);
}

/* Moves `count` different numbers from 0 .. below-1 to the front of `numbers`, in random order. */
static void draw_different(sa_draft *draft, int *numbers, int count, int below) {
    for (int i = 0; i < below; i++) numbers[i] = i;
    for (int i = 0; i < count; i++) {
        const int other = i + PICK(draft, below - i), drawn = numbers[other];
        numbers[other] = numbers[i];
        numbers[i] = drawn;
    }
}

/* Writes associative recall of several queries (Arora et al. 2023): pairs of a key and its value,
 * then the keys in another order.
 *
 * "k3 v8 k1 v0 k7 v5 k2 v2 | k1 k2 k3 k7" -> "v0 v2 v8 v5" */
static void draw_recall(sa_draft *draft, bool variant) {
    enum { WORDS = 64, MOST = 32 };
    int keys[WORDS], values[WORDS], asked[MOST];
    const int count = 4 << PICK(draft, 4); /* 4, 8, 16, 32 */
    draft->apart = true;
    draw_different(draft, keys, count, WORDS);
    draw_different(draft, values, count, WORDS);
    draw_different(draft, asked, count, count);
    for (int i = 0; i < count; i++) {
        SOURCE(draft, "k%d", keys[i]);
        SOURCE(draft, "v%d", values[i]);
    }
    SOURCE(draft, "|");
    for (int i = 0; i < count; i++) {
        const sa_word_span query = SOURCE(draft, "k%d", keys[asked[i]]);
        const sa_word_span answer = TARGET(draft, "v%d", values[asked[i]]);
        sa_draft_link(draft, WORD_AT(2 * asked[i] + 1), answer, false);
        sa_draft_link(draft, WORD_AT(2 * asked[i]), answer, true);
        sa_draft_link(draft, query, answer, true);
    }
}

/* Writes assignments to eight variables, and asks for one of them, which was assigned two to four
 * different values; the last one counts.
 *
 * "y=3 x=7 z=0 x=2 y=9 z=4 x?" -> "2" */
static void draw_assign(sa_draft *draft, bool variant) {
    enum { VARIABLES = 8, VALUES = 10 }; /* s, t, u, v, w, x, y, z */
    const int count = 6 + PICK(draft, 19), asked = PICK(draft, VARIABLES);
    int values[VALUES], left = 2 + PICK(draft, 3), last = 0;
    draft->apart = true;
    draw_different(draft, values, left, VALUES);
    for (int i = 0; i < count; i++) {
        const bool own = PICK(draft, count - i) < left;
        const int step = own ? 0 : 1 + PICK(draft, VARIABLES - 1);
        const int value = own ? values[--left] : PICK(draft, VALUES);
        SOURCE(draft, "%c=%d", 's' + (asked + step) % VARIABLES, value);
        if (own) last = i;
    }
    const sa_word_span answer = TARGET(draft, "%d", values[0]);
    sa_draft_link(draft, WORD_AT(last), answer, false);
    sa_draft_link(draft, SOURCE(draft, "%c?", 's' + asked), answer, true);
}

/* Writes positive and negative signs with one trigger, `!`, at the fourth place or later. There the
 * answer is which signs were more frequent before it, P, N or 0 for equally many; everywhere else
 * there is nothing to say, and attention has nowhere to go (Ran-Milo 2026).
 *
 * "p n p p ! n n p" -> ". . . . P . . ." */
static void draw_trigger(sa_draft *draft, bool variant) {
    const int count = 8 + PICK(draft, 25), trigger = 3 + PICK(draft, count - 3);
    int sum = 0; /* sum of the signs before this one */
    draft->apart = true;
    for (int i = 0; i < count; i++) {
        const bool here = i == trigger, positive = !here && PICK(draft, 2);
        SOURCE(draft, "%c", here ? '!' : positive ? 'p' : 'n');
        TARGET(draft, "%c", !here ? '.' : sum > 0 ? 'P' : sum < 0 ? 'N' : '0');
        sa_draft_link(draft, WORD_AT(i), WORD_AT(i), true);
        sum += positive ? 1 : -1;
    }
    sa_draft_link(draft, (sa_word_span){0, trigger}, WORD_AT(trigger), false);
}

/* Writes different random words, then others from which nothing follows, and then the beginning of
 * the first ones again, to be continued (Olsson et al. 2022). Both counts vary: at a fixed
 * distance, a head would not have to look at the words.
 *
 * "9 4 27 0 13 8 30 2 | 5 11 9 4" -> "27 0 13 8 30 2" */
static void draw_induction(sa_draft *draft, bool variant) {
    enum { WORDS = 32, NOISE = 8 };
    int words[WORDS];
    const int count = 8 + PICK(draft, WORDS - NOISE - 7);
    const int noise = PICK(draft, NOISE + 1), given = 1 + PICK(draft, 4);
    draft->apart = true;
    draw_different(draft, words, count + noise, WORDS);
    for (int i = 0; i < count; i++) SOURCE(draft, "%d", words[i]);
    SOURCE(draft, "|");
    for (int i = 0; i < noise; i++) SOURCE(draft, "%d", words[count + i]);
    for (int i = 0; i < given; i++) SOURCE(draft, "%d", words[i]);
    for (int i = given; i < count; i++)
        sa_draft_link(draft, WORD_AT(i), TARGET(draft, "%d", words[i]), false);
}

/* Writes 5 to 10 different numbers, in tests up to 15, and as the target all of them in ascending
 * order or, with `one`, only the smallest above the number behind a bar.
 *
 * "31 4 96 58 23" -> "4 23 31 58 96", "31 4 96 58 23 | 40" -> "58" */
static void draw_larger(sa_draft *draft, bool one) {
    enum { NUMBERS = 100 };
    int numbers[NUMBERS], most = 0, than = -1;
    const int count = 5 + PICK(draft, draft->split == SA_TEST ? 11 : 6);
    draw_different(draft, numbers, count, NUMBERS);
    for (int i = 0; i < count; i++) {
        SOURCE(draft, "%d", numbers[i]);
        if (numbers[i] > most) most = numbers[i];
    }
    if (one) SOURCE(draft, "|"), than = PICK(draft, most), SOURCE(draft, "%d", than);
    while (++than <= most && !(one && draft->target.count))
        for (int i = 0; i < count; i++)
            if (numbers[i] == than)
                sa_draft_link(draft, WORD_AT(i), TARGET(draft, "%d", than), false);
}

/* ---- Dates ----------------------------------------------------------------------------------- */

/* A letter after % is a field, in lower case its short form: A weekday, D day with two digits (d:
 * as few as needed), o th, st, nd, rd, B month (n: its name in lower case), M its number, as the
 * day, Y year (y: its last two digits). */
static const char *const formats[] = {"%A, %d %B %Y", "%a %d %b %Y", "%d %B %Y", "%b %d, %Y",
                                      "%B %d%o, %Y",  "%n %d %Y",    "%D.%M.%y", "%D.%M.%Y",
                                      "%m/%d/%y",     "%Y/%M/%D",    "%d-%b-%y", "%Y%M%D"};

/* Positions of the fields in the target. */
static const sa_word_span year_at = {0, 4}, month_at = {5, 2}, day_at = {8, 2};

/* Writes a number with at least `digits` digits and links it with its place in the target: the last
 * digits one by one, while additional digits of the target depend on all digits of the source. */
static void write_number(sa_draft *draft, int digits, int number, sa_word_span place) {
    const sa_word_span span = SOURCE(draft, "%0*d", digits, number);
    const int more = place.count - span.count;
    for (int i = 0; i < span.count; i++)
        sa_draft_link(draft, WORD_AT(span.first + i), WORD_AT(place.first + more + i), false);
    sa_draft_link(draft, span, (sa_word_span){place.first, more}, true);
}

static void write_field(sa_draft *draft, const struct tm *date, char letter) {
    static const char *const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                           "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    static const char *const ordinals[] = {"th", "st", "nd", "rd"};
    const char *name = months[date->tm_mon];
    const int day = date->tm_mday, digits = strchr("MDy", letter) ? 2 : 1;
    const int rest = strchr("ab", letter) ? 2 : 8, first = *name + (letter == 'n' ? 'a' - 'A' : 0);
    if (strchr("Aa", letter))
        SOURCE(draft, "%.*s", 1 + rest, weekdays[date->tm_wday]);
    else if (strchr("Bbn", letter)) /* any letter of a month's name may determine its number */
        sa_draft_link(draft, SOURCE(draft, "%c%.*s", first, rest, name + 1), month_at, true);
    else if (strchr("Mm", letter))
        write_number(draft, digits, 1 + date->tm_mon, month_at);
    else if (strchr("Dd", letter))
        write_number(draft, digits, day, day_at);
    else if (letter == 'o')
        SOURCE(draft, "%s", ordinals[day / 10 == 1 || day % 10 > 3 ? 0 : day % 10]);
    else
        write_number(draft, digits, letter == 'y' ? date->tm_year % 100 : 1900 + date->tm_year,
                     year_at);
}

/* Writes a day between 1970 and 2069 in one of twelve formats, and in the form 1997-03-04. Tokens
 * are characters, so the matrix shows where a model reads each digit. */
static void draw_dates(sa_draft *draft, bool variant) {
    const time_t seconds = (time_t)86400 * PICK(draft, 36525);
    struct tm date;
    draft->characters = true;
    sa_require(gmtime_r(&seconds, &date));
    TARGET(draft, "%d-%02d-%02d", 1900 + date.tm_year, 1 + date.tm_mon, date.tm_mday);
    for (const char *at = formats[PICK(draft, 12)]; *at; at++)
        if (*at == '%')
            write_field(draft, &date, *++at);
        else
            SOURCE(draft, "%c", *at);
}

/* ---- All ------------------------------------------------------------------------------------- */

const sa_task sa_tasks[] = {
    {"phrases", "everyday English-French sentences, the demo's corpus", sa_grammar_phrases},
    {"mono", "English-French word for word, in the same order", sa_grammar_mono},
    {"reorder", "as mono, but with adjectives after nouns and the verb last", sa_grammar_reorder},
    {"length", "a list of words in reverse; tests are longer than training", NULL, draw_reversed,
     true},
    {"dates", "dates in 12 formats to 1997-03-04, character by character", NULL, draw_dates},
    {"reverse", "a list of numbers from 0 to 49 reversed", NULL, draw_reversed},
    {"copy", "sentences with names never seen before, to be copied", sa_grammar_copy},
    {"fertility", "one word to many, many to one: potato, pomme de terre", sa_grammar_fertility},
    {"agree", "verb and adjective agree with a noun far before them", sa_grammar_agree},
    {"sense", "ambiguous words, decided by another word of the sentence", sa_grammar_sense},
    {"context", "sentences of introductory articles: bank, apple, it", sa_grammar_context},
    {"recall", "keys and values, then keys: the values that belong to them", NULL, draw_recall},
    {"assign", "assignments: a variable's last value (--tokenizer space)", NULL, draw_assign},
    {"trigger", "the more frequent sign before a trigger; elsewhere nothing", NULL, draw_trigger},
    {"induction", "random words that begin again, to be continued", NULL, draw_induction},
    {"sort", "different numbers in ascending order; tests are longer", NULL, draw_larger},
    {"next-larger", "the next larger number of a list; tests are longer", NULL, draw_larger, true},
    {0},
};

const char *sa_task_info(size_t i, const char **summary, const char **none) {
    *summary = sa_tasks[i].summary;
    return sa_tasks[i].name;
}
