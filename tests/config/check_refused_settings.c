/* "Refused settings" in softalign-model(5) against the program: what is refused there is refused
 * here, and nothing else. */
#include "attention/attention.h"
#include "base/file.h"
#include "base/rng.h"
#include "config/settings.h"
#include "model/decoder.h"
#include "support/suite.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES = 100, TEXT = 200 };

/* A line of the list: conditions, of settings of a group of models. */
typedef struct rule {
    char group[TEXT], conditions[TEXT];
} rule;

static rule rules[RULES];
static int count;

/* ---- The manual ------------------------------------------------------------------------------ */

/* roff's escapes of the list undone, in place. */
static void unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != '\\')
            *to++ = *from;
        else if (strncmp(from, "\\(aq", 4) == 0)
            *to++ = '\'', from += 3;
    }
    *to = '\0';
}

/* A group begins in the first column, a rule in the third, and the rest of one further right. */
static void add_line(const char *line, const char **group) {
    static char last[TEXT];
    const size_t indent = strspn(line, " ");
    if (indent == 0) {
        snprintf(last, sizeof last, "%s", line);
        *group = last;
        return;
    }
    if (indent > 2) {
        strcat(rules[count - 1].conditions, line + indent - 1);
        return;
    }
    ck_assert_int_lt(count, RULES);
    snprintf(rules[count].group, TEXT, "%s", *group);
    snprintf(rules[count++].conditions, TEXT, "%s", line + indent);
}

static void read_manual(void) {
    count = 0;
    sa_file file;
    sa_error error;
    const char *group = "";
    ck_assert(sa_file_read(&file, TEST_ROOT "/scripts/dev/manual/softalign-model.5", SA_FILE_LIMIT,
                           &error));
    char *text = sa_copy(file.data, file.size, &error), *at = strstr(text, ".SS Refused settings");
    ck_assert_ptr_nonnull(at);
    at = strstr(at, ".EX\n") + 4;
    strstr(at, ".EE")[0] = '\0';
    unescape(at);
    for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n")) add_line(line, &group);
    free(text);
    sa_file_release(&file);
    ck_assert_int_ge(count, 30);
}

/* ---- What a rule says of settings ------------------------------------------------------------ */

static bool attends(const sa_settings *settings) {
    return settings->model != SA_MODEL_RECURRENT ||
           (settings->decoder != SA_DECODER_FIXED && settings->decoder != SA_DECODER_FIXED_INIT);
}

static bool is_in_group(const char *group, const sa_settings *settings) {
    const bool recurrent = settings->model == SA_MODEL_RECURRENT;
    if (strcmp(group, "All models") == 0) return true;
    if (strncmp(group, "Models with attention", 21) == 0) return attends(settings);
    if (strcmp(group, "Recurrent models with attention") == 0)
        return recurrent && attends(settings);
    if (strcmp(group, "Recurrent models") == 0) return recurrent;
    if (strcmp(group, "Decoder-only models") == 0) return settings->model == SA_MODEL_DECODER_ONLY;
    ck_assert_str_eq(group, "Transformers");
    return !recurrent;
}

/* A letter of the manual; NaN: it is none. */
static double letter(const char *name, const sa_settings *settings) {
    const int A = settings->model != SA_MODEL_RECURRENT || settings->encoder == SA_ENCODER_NONE
                      ? settings->embed
                      : settings->hidden * (settings->encoder == SA_ENCODER_BI ? 2 : 1);
    const int d = settings->value_size ? settings->value_size : A / settings->heads;
    const struct {
        const char *name;
        double value;
    } letters[] = {{"n'", settings->attn},
                   {"H", settings->heads},
                   {"G", settings->kv_heads ? settings->kv_heads : settings->heads},
                   {"d'", settings->attn / settings->heads},
                   {"d", d > 1 ? d : 1},
                   {"A", A},
                   {"n", settings->hidden},
                   {"m", settings->embed}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strcmp(letters[i].name, name) == 0) return letters[i].value;
    return NAN;
}

/* A letter, a setting, or a number. */
static double quantity(const char *name, const sa_settings *settings) {
    const double known = letter(name, settings);
    const sa_option *row = sa_option_find(sa_settings_options, name);
    if (!isnan(known)) return known;
    ck_assert_msg(row || isdigit(*name), "'%s'", name);
    return row ? sa_option_get(row, settings) : atof(name);
}

/* Whether the choice is one of these words, at least one. */
static bool is_one_of(const sa_option *row, double choice, char *words, char **rest) {
    bool found = false;
    for (char *word = words; word; word = strtok_r(NULL, " ", rest)) {
        const int at = sa_option_find_choice(row, word);
        ck_assert_msg(at >= 0, "%s '%s'", row->name, word);
        found = found || at == (int)choice;
    }
    return found;
}

/* Of the auto of two options, what it means. */
static sa_settings without_auto(const sa_settings *settings) {
    sa_settings explicit = *settings;
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings->decoder];
    if (settings->decoder_init == SA_INITIAL_AUTO && kind->initial != SA_INITIAL_CONTEXT)
        explicit.decoder_init = kind->initial;
    if (settings->readout_state == SA_READOUT_AUTO)
        explicit.readout_state = kind->sees_previous ? SA_READOUT_PREVIOUS : SA_READOUT_CURRENT;
    return explicit;
}

/* One condition, which is taken to pieces. */
static bool holds(char *condition, const sa_settings *settings) {
    char *rest, *name = strtok_r(condition, " ", &rest), *word = strtok_r(NULL, " ", &rest);
    const double value = quantity(name, settings);
    const sa_option *row = sa_option_find(sa_settings_options, name);
    if (!word) return value > 0;
    if (strcmp(word, "odd") == 0 || strcmp(word, "even") == 0)
        return fmod(value, 2) == (*word == 'o' ? 1 : 0);
    const bool not = strcmp(word, "not") == 0;
    if (row && sa_option_choice(row, 0))
        return is_one_of(row, value, not ? strtok_r(NULL, " ", &rest) : word, &rest) != not ;
    char *number = strtok_r(NULL, " ", &rest);
    const bool multiple = strcmp(number, "a") == 0; /* not a multiple of */
    for (int i = 0; multiple && i < 3; i++) number = strtok_r(NULL, " ", &rest);
    const double other = quantity(number, settings);
    if (multiple) return fmod(value, other) != 0;
    if (not ) return value != other;
    ck_assert_msg(strcmp(word, "above") == 0 || strcmp(word, "below") == 0, "'%s'", word);
    return *word == 'a' ? value > other : value < other;
}

static bool applies(const rule *one, const sa_settings *settings) {
    char text[TEXT], *rest;
    bool all = is_in_group(one->group, settings);
    snprintf(text, sizeof text, "%s", one->conditions);
    for (char *each = strtok_r(text, ";", &rest); all && each; each = strtok_r(NULL, ";", &rest))
        all = holds(each + strspn(each, " "), settings);
    return all;
}

/* ---- The program ----------------------------------------------------------------------------- */

/* What decides whether there is a model, with the largest number that is drawn of each. */
static const struct {
    const char *name;
    int most;
} drawn[] = {{"model", 0},
             {"decoder", 0},
             {"attention", 0},
             {"normalizer", 0},
             {"heads", 4},
             {"kv-heads", 4},
             {"value-size", 2},
             {"window", 0},
             {"coverage", 0},
             {"location-width", 4},
             {"encoder", 0},
             {"layers", 3},
             {"decoder-layers", 3},
             {"positions", 0},
             {"decoder-init", 0},
             {"readout-state", 0},
             {"embed", 5},
             {"hidden", 5},
             {"attn", 12},
             {"maxout", 5},
             {"tie", 0},
             {"copy", 1},
             {"guided-alignment", 1},
             {"guided-at", 0},
             {"input-feeding", 1},
             {"head-projection", 0},
             {"latent", 2},
             {"smeared-keys", 1},
             {"attention-gate", 0},
             {"exclusive", 1},
             {"merged", 1},
             {"hybrid", 3},
             {"prefix", 0}};

enum { DRAWN = sizeof drawn / sizeof *drawn, FAMILIES = 3 };

static sa_rng rng;

/* How many values of an option are drawn. */
static int values_of(size_t i) {
    const sa_option *row = sa_option_find(sa_settings_options, drawn[i].name);
    int most = drawn[i].most;
    while (sa_option_choice(row, 0) && sa_option_choice(row, (size_t)most + 1)) most++;
    return most - (int)row->min + 1;
}

static void set(sa_settings *settings, size_t i, int value) {
    const sa_option *row = sa_option_find(sa_settings_options, drawn[i].name);
    ck_assert(sa_option_set_number(row, settings, (int)row->min + value));
}

static void redraw(sa_settings *settings, size_t i) {
    set(settings, i, (int)sa_rng_below(&rng, (uint32_t)values_of(i)));
}

/* One option in so many is drawn, the others keep their defaults, with which most go. */
static void draw(sa_settings *settings, uint32_t share) {
    sa_settings_init(settings);
    for (size_t i = 0; i < DRAWN; i++) {
        const bool always =
            strcmp(drawn[i].name, "model") == 0 || strcmp(drawn[i].name, "attention") == 0;
        if (always || sa_rng_below(&rng, share) == 0) redraw(settings, i);
    }
    if (settings->model == SA_MODEL_DECODER_ONLY && sa_rng_below(&rng, 4))
        settings->tie = SA_TIE_THREE; /* or little else is seen */
    if (settings->decoder == SA_DECODER_POINTER && sa_rng_below(&rng, 4)) settings->copy = true;
}

/* Returns the rule that refuses these settings if it is the only one. */
static const rule *compare(const sa_settings *settings) {
    sa_error error = {0};
    const sa_settings explicit = without_auto(settings);
    const rule *last = NULL;
    int found = 0;
    for (int i = 0; i < count; i++)
        if (applies(&rules[i], &explicit)) found++, last = &rules[i];
    const bool good = sa_settings_check(settings, &error);
    if (good != (found == 0)) {
        char *text = sa_settings_write(settings, &error);
        ck_abort_msg("%s: the manual %s, the program: %s", text,
                     found ? last->conditions : "has no such line", good ? "accepts" : error.text);
    }
    return found == 1 ? last : NULL;
}

/* ---- Settings for each rule ------------------------------------------------------------------ */

/* Draws an option again, or for a letter all numbers, until the condition holds. */
static void meet(const char *condition, sa_settings *settings) {
    char text[TEXT], name[TEXT];
    sscanf(condition, "%199s", name);
    const bool number = !isnan(letter(name, settings));
    for (int tries = 0; tries < 1000; tries++) {
        const sa_settings explicit = without_auto(settings);
        snprintf(text, sizeof text, "%s", condition);
        if (holds(text, &explicit)) return;
        for (size_t i = 0; i < DRAWN; i++)
            if (number ? drawn[i].most > 1 : strcmp(drawn[i].name, name) == 0) redraw(settings, i);
    }
}

static void meet_all(const rule *one, sa_settings *settings) {
    char text[TEXT], *rest;
    for (int tries = 0; tries < 1000 && !is_in_group(one->group, settings); tries++)
        for (size_t i = 0; i < 2; i++) redraw(settings, i); /* model and decoder */
    snprintf(text, sizeof text, "%s", one->conditions);
    for (char *each = strtok_r(text, ";", &rest); each; each = strtok_r(NULL, ";", &rest))
        meet(each, settings);
}

/* Finds settings that the rule refuses and no other, of those that `narrow` refuses. */
static void show(const rule *one, const rule *narrow) {
    sa_settings settings;
    for (int tries = 0; tries < 2000; tries++) {
        draw(&settings, 12);
        meet_all(narrow, &settings);
        const sa_settings explicit = without_auto(&settings);
        if (compare(&settings) == one && applies(narrow, &explicit)) return;
    }
    ck_abort_msg("nothing shows '%s' of '%s'", narrow->conditions, one->conditions);
}

/* Each word of a condition alone, where it says of which. */
static void show_words(const rule *one, const char *condition) {
    char text[TEXT], *rest;
    const size_t size = strcspn(condition, ";");
    snprintf(text, sizeof text, "%.*s", (int)size, condition);
    const char *name = strtok_r(text, " ", &rest), *word = strtok_r(NULL, " ", &rest);
    const sa_option *row = sa_option_find(sa_settings_options, name);
    const bool listed = row && word && sa_option_choice(row, 0) && strcmp(word, "not") != 0;
    for (; listed && word; word = strtok_r(NULL, " ", &rest)) {
        rule narrow = *one;
        snprintf(narrow.conditions, TEXT, "%.*s%s %s%s", (int)(condition - one->conditions),
                 one->conditions, name, word, condition + size);
        show(one, &narrow);
    }
}

START_TEST(each_line_of_the_manual_and_each_of_its_words_refuses) {
    rng = sa_rng_seed(2, 1);
    read_manual();
    for (const rule *one = rules; one < rules + count; one++) {
        show(one, one);
        for (const char *at = one->conditions; at; at = strchr(at, ';')) {
            at += strspn(at, "; ");
            show_words(one, at);
        }
    }
}
END_TEST

/* Every two values together, in models of each family that are else as usual, and pointers. */
START_TEST(what_two_values_refuse_is_listed) {
    sa_settings usual, settings;
    int pairs = 0;
    read_manual();
    sa_settings_init(&usual);
    usual.model = _i % FAMILIES;
    if (usual.model == SA_MODEL_DECODER_ONLY) usual.tie = SA_TIE_THREE;
    if (_i >= FAMILIES) usual.decoder = SA_DECODER_POINTER, usual.copy = true;
    for (size_t i = 1; i < DRAWN; i++)
        for (size_t k = i + 1; k < DRAWN; k++)
            for (int both = 0; both < values_of(i) * values_of(k); both++) {
                if (TEST_SANITIZED && pairs++ % 8) continue;
                settings = usual;
                set(&settings, i, both / values_of(k)), set(&settings, k, both % values_of(k));
                compare(&settings);
            }
}
END_TEST

/* Under the sanitizers fewer. */
enum { DRAWS = TEST_SANITIZED ? 4000 : 20000 };

START_TEST(what_the_manual_does_not_list_is_accepted) {
    sa_settings settings;
    rng = sa_rng_seed(2, 1);
    read_manual();
    for (int i = 0; i < DRAWS; i++) {
        draw(&settings, 3);
        compare(&settings);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("refused settings", &tests);
    tcase_add_test(tests, each_line_of_the_manual_and_each_of_its_words_refuses);
    tcase_add_loop_test(tests, what_two_values_refuse_is_listed, 0, FAMILIES + 1);
    tcase_add_test(tests, what_the_manual_does_not_list_is_accepted);
    return suite_run(suite);
}
