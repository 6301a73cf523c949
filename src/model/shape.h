/* shape: the sizes that a model is built from, as its settings say (sizes.c). */
#pragma once

#include "attention/layout.h"

typedef struct sa_cell sa_cell;
typedef struct sa_decoder_kind sa_decoder_kind;

/* Not a choice of --decoder-init: s_0 comes from the context vector of a fixed decoder. */
enum { SA_INITIAL_CONTEXT = SA_INITIAL_COPY + 1 };

/* ---- A model --------------------------------------------------------------------------------- */

typedef struct sa_model_kind {
    const char *name;
    const char *preset; /* from which training starts when none is named; NULL: the defaults */
} sa_model_kind;
extern const sa_model_kind sa_model_kinds[]; /* SA_MODEL_...; ends with a NULL name */

/* Returns whether the decoder has cross-attention. */
bool sa_model_attends(const sa_settings *settings);

/* Returns whether its query i has read y_{i-1}, so that row i + 1 can show what y_i translates. */
bool sa_model_reads_before(const sa_settings *settings);

typedef struct sa_sizes {
    sa_settings settings; /* of the model */
    int source_words, target_words;
    int precision;                /* SA_PRECISION_... of products with weights */
    bool recurrent;               /* with encoder and decoder; else with a Transformer */
    int m, n, l;                  /* of an embedding, of a state, of t in a recurrent model */
    int layers;                   /* of the recurrent decoder, or of a stack of the Transformer */
    sa_attention_sizes attention; /* of the recurrent decoder, or of the Transformer at all sites */
    /* a Transformer: model/transformer.h */
    bool decoder_only, full_prefix;
    /* a recurrent model */
    const sa_cell *encoder_cell, *cell; /* cell: of the decoder */
    const sa_decoder_kind *kind;
    int initial;        /* how s_0 is made */
    bool copied;        /* s_0 of every layer is the last state of the encoder's layer */
    bool fixed;         /* one context vector for all steps, from the encoder's last states */
    bool sees_previous; /* the readout sees s_{i-1} */
} sa_sizes;

/* Return the sizes of an annotation, and of the summary of the source for SA_INITIAL_... */
int sa_encoder_width(const sa_sizes *sizes);
int sa_summary_width(int initial, const sa_sizes *sizes);

/* Returns the sizes of a model with these settings and vocabularies (special symbols included). */
sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words);

/* Returns why the settings are incompatible, as when vectors that are compared or shared differ in
 * size, worded as in config/settings.h; NULL: they are compatible. */
const char *sa_settings_refusal(const sa_settings *settings);
