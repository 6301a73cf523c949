/* shape: the sizes that a model is built from, as its settings say (sizes.c). */
#pragma once

#include "attention/layout.h"

typedef struct sa_cell sa_cell;
typedef struct sa_decoder_kind sa_decoder_kind;

typedef struct sa_encoder_sizes {
    const sa_cell *cell;
    int kind, layers;
    int words, m, n;
    sa_settings settings; /* of the model */
    bool dropout;         /* training needs masks for embeddings and annotations */
    bool copied; /* a decoder begins with the last state of every layer, not only the last */
} sa_encoder_sizes;

/* Not a choice of --decoder-init: s_0 comes from the context vector of a fixed decoder. */
enum { SA_INITIAL_CONTEXT = SA_INITIAL_COPY + 1 };

typedef struct sa_source_sizes {
    sa_encoder_sizes encoder;
    int initial;   /* how s_0 is made */
    bool fixed;    /* one context vector for all steps, from the encoder's last states */
    int n, layers; /* of the decoder */
    int has_m;     /* 1: the decoder's state has a memory cell m */
} sa_source_sizes;

enum { SA_LEAST_RESIDUAL_LAYERS = 3 }; /* the first layer with a residual connection */

typedef struct sa_decoder_sizes {
    const sa_decoder_kind *kind;
    const sa_cell *cell;
    sa_settings settings; /* of the model */
    bool sees_previous;   /* the readout sees s_{i-1} */
    bool dropout;         /* training needs masks for embeddings and the readout */
    int words, m, n, l, layers;
    sa_attention_sizes attention;
    sa_source_sizes source;
} sa_decoder_sizes;

typedef struct sa_transformer_sizes {
    int layers, m;
    int max_positions;              /* how many can be learned */
    sa_settings settings;           /* of the model */
    bool decoder_only, full_prefix; /* model/transformer.h */
    int source_words, target_words;
    sa_attention_sizes attention; /* at all three sites */
} sa_transformer_sizes;

/* Returns the size of an annotation. */
int sa_encoder_width(const sa_encoder_sizes *sizes);

/* ---- A model --------------------------------------------------------------------------------- */

/* Returns the name of a model (SA_MODEL_...), for the option rows; NULL after the last. */
const char *sa_model_name(size_t i);
/* Returns the preset from which training starts when none is named; NULL: from the defaults. */
const char *sa_model_preset(int model);
/* Returns whether the decoder has cross-attention. */
bool sa_model_attends(const sa_settings *settings);

typedef struct sa_sizes {
    bool recurrent; /* with encoder and decoder; else with a Transformer */
    sa_encoder_sizes encoder;
    sa_decoder_sizes decoder;
    sa_transformer_sizes transformer;
    int precision; /* SA_PRECISION_... of products with weights */
} sa_sizes;

/* Returns the sizes of a model with these settings and vocabularies (special symbols included). */
sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words);

/* Returns why the settings are incompatible, as when vectors that are compared or shared differ in
 * size, worded as in config/settings.h; NULL: they are compatible. */
const char *sa_settings_refusal(const sa_settings *settings);
