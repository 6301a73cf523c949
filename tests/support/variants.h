/* variants: every kind of model, from the tables of options, so that a new row (a decoder, a cell,
 * a switch) is tested without writing a test. */
#ifndef TEST_VARIANTS_H
#define TEST_VARIANTS_H

#include "config/settings.h"
#include "model/seq2seq.h"

#include <string.h>

typedef struct variant {
    const sa_option *option;
    double value;
} variant;

enum { VARIANTS = 128 };

/* Settings of a model of that family small enough to check every number. */
static inline sa_settings small_of(int model) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.model = model;
    settings.embed = 2, settings.hidden = 3, settings.attn = 4, settings.maxout = 2;
    settings.ffn = 3;
    settings.max_len = 3; /* the longest source exceeds the location score */
    settings.window_size = settings.shaw_distance = 1;
    settings.location_filters = 2, settings.location_width = 3;
    if (model == SA_MODEL_RECURRENT) return settings;
    settings.embed = 4; /* of two numbers a layer norm leaves only the sign */
    settings.attention = 1, settings.positions = SA_POSITIONS_SINUSOIDAL;
    if (model == SA_MODEL_TRANSFORMER) return settings;
    settings.tie = SA_TIE_THREE, settings.prefix = SA_PREFIX_FULL;
    return settings;
}

static inline sa_settings small_settings(void) {
    return small_of(SA_MODEL_RECURRENT);
}

/* Whether an option changes what models of a family compute. */
static inline bool of_family(const char *option, int model) {
    static const char *const both[] = {
        "attention", "heads",       "value-size",   "window",        "layers",   "tie",
        "positions", "window-size", "normalizer",   "entmax-alpha",  "coverage", "kv-heads",
        "latent",    "copy",        "smeared-keys", "attention-gate"};
    const bool joined = strcmp(option, "prefix") == 0;
    const bool own = strcmp(option, "norm") == 0 || strcmp(option, "head-projection") == 0 ||
                     strcmp(option, "exclusive") == 0 || strcmp(option, "hybrid") == 0 ||
                     strcmp(option, "merged") == 0;
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (strcmp(option, both[i]) == 0) return true;
    if (model == SA_MODEL_RECURRENT) return !own && !joined && strcmp(option, "model") != 0;
    return own || (joined && model == SA_MODEL_DECODER_ONLY);
}

/* Sets what other options require: a score without projections needs annotations of the states'
 * size, a tied embedding the size of the readout layer, a
 * learned alpha entmax, a hybrid stack two layers and attention of two kinds, a pointer network
 * copying and labels as they are, shared keys and values several heads, split projections heads
 * that divide a word, a cosine more than one number, of which it is only the sign, and two maps two
 * halves, and values of two numbers for their norm. */
static inline void fit_together(sa_settings *settings) {
    if (sa_scores[settings->attention].key == SA_KEY_IDENTITY) settings->encoder = SA_ENCODER_UNI;
    if (settings->kv_heads) settings->heads = 4, settings->attn = 8;
    if (settings->latent) {
        settings->attention = SA_ATTENTION_SCALED_DOT;
        if (settings->heads == 1) settings->heads = 2;
    }
    if (settings->head_projection) settings->heads = 2, settings->embed = 8;
    if (settings->heads == 4 && (settings->attention == SA_ATTENTION_COSINE ||
                                 settings->attention == SA_ATTENTION_QK_NORM)) {
        settings->attn = 8;
        if (settings->model != SA_MODEL_RECURRENT) settings->embed = 8;
    }
    if (settings->heads == 4 && settings->attention >= SA_ATTENTION_RETNET) settings->attn = 8;
    if (settings->attention == SA_ATTENTION_DIFFERENTIAL) {
        settings->attn = 8;
        if (settings->heads == 4 && settings->value_size < 2) settings->embed = 8;
    }
    if (settings->hybrid) {
        settings->layers = 2;
        if (settings->attention == SA_ATTENTION_SCALED_DOT) settings->window = SA_WINDOW_SLIDING;
    }
    if (settings->model == SA_MODEL_RECURRENT && sa_decoder_kinds[settings->decoder].points)
        settings->copy = true, settings->label_smoothing = 0;
    if (settings->tie != SA_TIE_NONE) settings->maxout = settings->embed;
    if (settings->entmax_alpha == SA_ENTMAX_ALPHA_LEARNED)
        settings->normalizer = SA_NORMALIZER_ENTMAX;
}

static inline void apply_variant(const variant *one, sa_settings *settings) {
    sa_option_set_number(one->option, settings, one->value);
    fit_together(settings);
}

/* All models that differ from the small settings of a family in one option and are not refused;
 * returns their number.
 * Initialization makes no other model. Of the sizes that change what is computed some values stand
 * for all. */
static inline int all_variants(int model, variant *list) {
    static const struct {
        const char *name;
        double value;
    } counts[] = {{"heads", 2},          {"heads", 4},
                  {"kv-heads", 1},       {"kv-heads", 2},
                  {"latent", 3},         {"value-size", 3},
                  {"layers", 2},         {"decoder-layers", 2},
                  {"decoder-layers", 3}, {"entmax-alpha", SA_ENTMAX_ALPHA_LEARNED},
                  {"hybrid", 2}};
    const sa_settings plain = small_of(model);
    int count = 0;
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        if (row->scope != SA_SCOPE_MODEL || strcmp(row->name, "init") == 0) continue;
        if (!of_family(row->name, model)) continue;
        const variant on = {row, 1};
        sa_settings switched = plain;
        if (row->kind == SA_OPTION_SWITCH) apply_variant(&on, &switched);
        if (row->kind == SA_OPTION_SWITCH && sa_settings_check(&switched, NULL)) list[count++] = on;
        for (int i = 0; row->kind == SA_OPTION_CHOICE && sa_option_choice(row, i); i++) {
            const variant one = {row, i};
            sa_settings changed = plain;
            apply_variant(&one, &changed);
            if (i != (int)sa_option_get(row, &plain) && sa_settings_check(&changed, NULL))
                list[count++] = one;
        }
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            if (strcmp(row->name, counts[i].name) == 0)
                list[count++] = (variant){row, counts[i].value};
    }
    return count;
}

/* Recurrent models besides the plain one. */
static inline int count_variants(void) {
    variant list[VARIANTS];
    return all_variants(SA_MODEL_RECURRENT, list);
}

/* All models: numbers 0 .. count_variants() are recurrent, then come the other families. */
static inline int count_models(void) {
    variant list[VARIANTS];
    int count = 0;
    for (int model = 0; sa_model_kinds[model].name; model++) count += all_variants(model, list) + 1;
    return count;
}

/* Settings of the model of that number; 0: the plain recurrent one. */
static inline sa_settings variant_settings(int number) {
    variant list[VARIANTS];
    int model = 0;
    for (int rows; number >= (rows = all_variants(model, list) + 1); model++) number -= rows;
    sa_settings settings = small_of(model);
    if (number) apply_variant(&list[number - 1], &settings);
    return settings;
}

#endif
