/* variants: every way to build a model, from the tables of options: so that a new row, decoder,
 * cell or switch is tested without writing a test. */
#ifndef TEST_VARIANTS_H
#define TEST_VARIANTS_H

#include "base/settings.h"
#include "model/seq2seq.h"

#include <string.h>

typedef struct variant {
    const sa_option *option;
    double value;
} variant;

enum { VARIANTS = 128 };

/* Settings of a model small enough to check every number. */
static inline sa_settings small_settings(void) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = 2, settings.hidden = 3, settings.attn = 4, settings.maxout = 2;
    settings.max_len = 3; /* the location score sees less than the longest source */
    settings.window_size = 1;
    return settings;
}

/* All departures from the defaults, one option at a time: returns how many. The kinds of
 * initialisation make no other model, and sizes are numbers without end: of those that change what
 * is computed some values stand for all. */
static inline int all_variants(variant *list) {
    static const struct {
        const char *name;
        double value;
    } counts[] = {{"heads", 2}, {"heads", 4}, {"values", 3}, {"layers", 2}};
    int count = 0;
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        if (row->scope != SA_SCOPE_MODEL || strcmp(row->name, "init") == 0) continue;
        if (row->kind == SA_OPTION_SWITCH) list[count++] = (variant){row, 1};
        for (int i = 0; row->kind == SA_OPTION_CHOICE && row->choice(i); i++)
            if (i != (int)row->initial) list[count++] = (variant){row, i};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            if (strcmp(row->name, counts[i].name) == 0)
                list[count++] = (variant){row, counts[i].value};
    }
    return count;
}

static inline int count_variants(void) {
    variant list[VARIANTS];
    return all_variants(list);
}

/* Some fit only together with others: a score without maps wants annotations as wide as states. */
static inline void apply_variant(const variant *one, sa_settings *settings) {
    sa_option_assign(one->option, settings, one->value);
    if (sa_compats[settings->attention].key == SA_KEY_RAW) settings->encoder = SA_ENCODER_UNI;
}

/* Settings with the variant of that number; 0: none. */
static inline sa_settings variant_settings(int number) {
    variant list[VARIANTS];
    sa_settings settings = small_settings();
    all_variants(list);
    if (number) apply_variant(&list[number - 1], &settings);
    return settings;
}

#endif
