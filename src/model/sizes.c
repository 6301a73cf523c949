/* Computes the sizes of a model from its settings, and says which settings are incompatible. */
#include "layers/basic.h"
#include "model/decoder.h"

/* ---- Models ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *preset;
} models[] = {
    [SA_MODEL_RECURRENT] = {"recurrent", NULL},
    [SA_MODEL_TRANSFORMER] = {"transformer", "vaswani2017-toy"},
    [SA_MODEL_DECODER_ONLY] = {"decoder", "gpt-toy"},
};

const char *sa_model_name(size_t i) {
    return i < sizeof models / sizeof *models ? models[i].name : NULL;
}

const char *sa_model_preset(int model) {
    return models[model].preset;
}

bool sa_model_attends(const sa_settings *settings) {
    return settings->model != SA_MODEL_RECURRENT ||
           sa_decoder_kinds[settings->decoder].query_state != SA_QUERY_STATE_NONE;
}

/* ---- Recurrent ------------------------------------------------------------------------------- */

/* --decoder-init and --readout-state leave the choice to the decoder's own paper by default. */
static int initial_of(const sa_settings *settings, const sa_decoder_kind *kind) {
    const int initial =
        settings->decoder_init == SA_INITIAL_AUTO ? kind->initial : settings->decoder_init;
    const bool nothing_read = settings->encoder == SA_ENCODER_NONE;
    return nothing_read && initial != SA_INITIAL_CONTEXT ? SA_INITIAL_MEAN : initial;
}

static bool sees_previous(const sa_settings *settings, const sa_decoder_kind *kind) {
    return settings->readout_state == SA_READOUT_AUTO
               ? kind->sees_previous
               : settings->readout_state == SA_READOUT_PREVIOUS;
}

/* Returns whether embeddings, annotations or the readout have dropout. */
static bool drops_out(const sa_settings *settings) {
    return settings->dropout > 0 || settings->dropout_embeddings > 0 ||
           settings->dropout_annotations > 0 || settings->dropout_readout > 0;
}

static sa_sizes recurrent_sizes(const sa_settings *settings, int source_words, int target_words) {
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings->decoder];
    const bool old = settings->update == SA_UPDATE_OLD;
    const sa_cell *cell = sa_cell_find(settings->cell, old, settings->reset != SA_RESET_BEFORE);
    const sa_encoder_sizes encoder = {
        .cell = sa_cell_find(settings->cell, old, settings->reset == SA_RESET_AFTER),
        .kind = settings->encoder,
        .layers = settings->layers,
        .words = source_words,
        .m = settings->embed,
        .n = settings->hidden,
        .settings = *settings,
        .dropout = drops_out(settings),
        .copied = initial_of(settings, kind) == SA_INITIAL_COPY && settings->decoder_layers > 1,
    };
    const sa_decoder_sizes decoder = {
        .kind = kind,
        .cell = cell,
        .settings = *settings,
        .sees_previous = sees_previous(settings, kind),
        .dropout = drops_out(settings),
        .layers = settings->decoder_layers,
        .words = target_words,
        .m = settings->embed,
        .n = settings->hidden,
        .l = settings->maxout,
        .attention = sa_attention_sizes_of(settings, settings->hidden, sa_encoder_width(&encoder)),
        .source =
            {
                .encoder = encoder,
                .initial = initial_of(settings, kind),
                .fixed = kind->context_in_cell && !sa_model_attends(settings),
                .n = settings->hidden,
                .layers = settings->decoder_layers,
                .has_m = cell->has_m,
            },
    };
    return (sa_sizes){.recurrent = true, .encoder = encoder, .decoder = decoder};
}

/* Returns what the layers of the decoder lack, or NULL. */
static const char *refuse_layers(const sa_settings *settings, const sa_sizes *sizes) {
    if (sizes->encoder.copied && settings->layers != settings->decoder_layers)
        return "{decoder_layers:}: {decoder_init:copy} gives each layer of the decoder the last "
               "state of the encoder's layer of the same number, so {layers} must be "
               "{:decoder_layers} too, or {decoder_init:last}";
    if (settings->decoder_residual && settings->decoder_layers < SA_LEAST_RESIDUAL_LAYERS)
        return "{decoder_residual} adds to the states from the third layer on: it needs "
               "{decoder_layers:3} or more";
    return settings->decoder_residual && sizes->decoder.sees_previous
               ? "{decoder_residual} adds to what the last layer passes on at the same step, but "
                 "the read-out of the decoder '{:decoder}' sees the state before: it needs "
                 "{readout_state:current}"
               : NULL;
}

static const char *refuse_recurrent(const sa_settings *settings, const sa_sizes *sizes) {
    const char *reason = refuse_layers(settings, sizes);
    if (reason) return reason;
    if (sa_position_kinds[settings->positions].part)
        return "{positions:} is part of self-attention, which a recurrent model has none of: it "
               "needs {model:transformer}";
    if (settings->window == SA_WINDOW_SLIDING)
        return "{window:} is part of self-attention, which a recurrent model has none of: it needs "
               "{model:transformer}";
    if (settings->guided_at != SA_ALIGN_OUTPUT)
        return "{guided_at:} is of self-attention, which has a row for each word that was read: it "
               "needs {model:transformer}";
    if (sa_model_attends(settings))
        reason = sa_attention_refuse(&sizes->decoder.attention, NULL);
    else if (settings->guided_alignment > 0)
        reason = "{guided_alignment}: the decoder '{:decoder}' has no attention";
    else if (settings->copy)
        reason = "{copy} copies source words by their attention weights: the decoder "
                 "'{:decoder}' has no attention";
    if (reason || settings->tie == SA_TIE_NONE || settings->maxout == settings->embed)
        return reason;
    return "{tie:} makes the embeddings the readout's last matrix: {maxout:} must be {embed:}";
}

/* ---- Transformer ----------------------------------------------------------------------------- */

static sa_sizes transformer_sizes(const sa_settings *settings, int source_words, int target_words) {
    sa_attention_sizes attention =
        sa_attention_sizes_of(settings, settings->embed, settings->embed);
    attention.transformer = true;
    return (sa_sizes){
        .transformer =
            {
                .layers = settings->layers,
                .m = settings->embed,
                .max_positions = settings->max_len + 1,
                .settings = *settings,
                .source_words = source_words,
                .target_words = target_words,
                .attention = attention,
            },
    };
}

static const char *refuse_transformer(const sa_settings *settings, const sa_sizes *sizes) {
    return sa_attention_refuse(&sizes->transformer.attention,
                               &sa_position_kinds[settings->positions]);
}

/* ---- Decoder-only ---------------------------------------------------------------------------- */

static sa_sizes decoder_only_sizes(const sa_settings *settings, int source_words,
                                   int target_words) {
    sa_sizes sizes = transformer_sizes(settings, source_words, target_words);
    sa_transformer_sizes *own = &sizes.transformer;
    own->decoder_only = true;
    own->full_prefix = settings->prefix == SA_PREFIX_FULL;
    /* EOS of the source counts, but not that of the target, which nothing reads */
    own->max_positions = own->attention.max_positions = 2 * settings->max_len + 1;
    return sizes;
}

static const char *refuse_decoder_only(const sa_settings *settings, const sa_sizes *sizes) {
    if (settings->tie != SA_TIE_THREE)
        return "{model:} reads source and target with the same embeddings: it needs "
               "{tie:three-way}";
    if (settings->copy)
        return "{copy} points at source words with cross-attention, which {model:} has none of: it "
               "needs {model:transformer}";
    return refuse_transformer(settings, sizes);
}

/* ---- Any model ------------------------------------------------------------------------------- */

sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words) {
    sa_sizes sizes = settings->model == SA_MODEL_RECURRENT
                         ? recurrent_sizes(settings, source_words, target_words)
                     : settings->model == SA_MODEL_TRANSFORMER
                         ? transformer_sizes(settings, source_words, target_words)
                         : decoder_only_sizes(settings, source_words, target_words);
    sizes.precision = settings->precision;
    return sizes;
}

const char *sa_settings_refusal(const sa_settings *settings) {
    const sa_sizes sizes = sa_sizes_of(settings, SA_SPECIAL_TOKENS, SA_SPECIAL_TOKENS);
    return sizes.recurrent                  ? refuse_recurrent(settings, &sizes)
           : sizes.transformer.decoder_only ? refuse_decoder_only(settings, &sizes)
                                            : refuse_transformer(settings, &sizes);
}
