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
    int alone; /* how often no other rule would have refused */
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

/* A third of the options are drawn, the others keep their defaults, with which most go. */
static void draw(sa_rng *rng, sa_settings *settings) {
    sa_settings_init(settings);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        const sa_option *row = sa_option_find(sa_settings_options, drawn[i].name);
        const uint32_t choice = sa_rng_below(rng, 1000);
        int most = drawn[i].most;
        while (sa_option_choice(row, 0) && sa_option_choice(row, (size_t)most + 1)) most++;
        const int least = (int)row->min, number = least + (int)choice % (most - least + 1);
        const bool always = strcmp(row->name, "model") == 0 || strcmp(row->name, "attention") == 0;
        if (always || sa_rng_below(rng, 3) == 0)
            ck_assert(sa_option_set_number(row, settings, number));
    }
    if (settings->model == SA_MODEL_DECODER_ONLY && sa_rng_below(rng, 4))
        settings->tie = SA_TIE_THREE; /* or little else is seen */
    if (settings->decoder == SA_DECODER_POINTER && sa_rng_below(rng, 4)) settings->copy = true;
}

static void compare(const sa_settings *settings) {
    sa_error error = {0};
    const sa_settings explicit = without_auto(settings);
    int found = 0, last = 0;
    for (int i = 0; i < count; i++)
        if (applies(&rules[i], &explicit)) found++, last = i;
    const bool good = sa_settings_check(settings, &error);
    if (found == 1) rules[last].alone++;
    if (good == (found == 0)) return;
    char *text = sa_settings_write(settings, &error);
    ck_abort_msg("%s: the manual %s, the program: %s", text,
                 found ? rules[last].conditions : "has no such line",
                 good ? "accepts" : error.text);
}

/* Under the sanitizers too few to show every rule. */
enum { DRAWS = TEST_SANITIZED ? 8000 : 160000 };

START_TEST(the_manual_lists_what_is_refused) {
    sa_rng rng = sa_rng_seed(2, 1);
    sa_settings settings;
    read_manual();
    for (int i = 0; i < DRAWS; i++) {
        draw(&rng, &settings);
        compare(&settings);
    }
    for (int i = 0; i < count && !TEST_SANITIZED; i++)
        ck_assert_msg(rules[i].alone, "nothing shows '%s'", rules[i].conditions);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("refused settings", &tests);
    tcase_add_test(tests, the_manual_lists_what_is_refused);
    return suite_run(suite);
}
