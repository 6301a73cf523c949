/* Computes the sizes of a model from its settings, and says which settings are incompatible. */
#include "model/decoder.h"

/* ---- Models ---------------------------------------------------------------------------------- */

const sa_model_kind sa_model_kinds[] = {
    [SA_MODEL_RECURRENT] = {"recurrent", NULL},
    [SA_MODEL_TRANSFORMER] = {"transformer", "vaswani2017-toy"},
    [SA_MODEL_DECODER_ONLY] = {"decoder", "gpt-toy"},
    {.name = NULL},
};

bool sa_model_attends(const sa_settings *settings) {
    return settings->model != SA_MODEL_RECURRENT ||
           sa_decoder_kinds[settings->decoder].query_state != SA_QUERY_STATE_NONE;
}

bool sa_model_reads_before(const sa_settings *settings) {
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings->decoder];
    return settings->model != SA_MODEL_RECURRENT ||
           (kind->query_state > SA_QUERY_STATE_PREVIOUS && !kind->points);
}

/* ---- Recurrent ------------------------------------------------------------------------------- */

/* --decoder-init leaves the choice to the decoder's own paper by default. */
static int initial_of(const sa_settings *settings, const sa_decoder_kind *kind) {
    const int initial =
        settings->decoder_init == SA_INITIAL_AUTO ? kind->initial : settings->decoder_init;
    const bool nothing_read = settings->encoder == SA_ENCODER_NONE;
    return nothing_read && initial != SA_INITIAL_CONTEXT ? SA_INITIAL_MEAN : initial;
}

/* Refuses what is of a readout, of a context or of weights that sum to less than 1. */
static const char *refuse_pointer(const sa_settings *settings, const sa_sizes *sizes) {
    if (!settings->copy) return "{decoder:} copies every word that it writes: it needs {copy}";
    if (settings->label_smoothing > 0 || settings->input_feeding || settings->tie == SA_TIE_TWO)
        return "{decoder:} has no readout, to which {label_smoothing}, {input_feeding} and "
               "{tie:two-way} belong";
    if (settings->heads > 1 || settings->attention_gate)
        return "{decoder:} writes by the weights of one head and reads no context: it needs "
               "{heads:1} and {attention_gate:none}";
    if (settings->attention == SA_ATTENTION_UNIFORM)
        return "{decoder:} learns where to point, but {attention:} points at all words alike";
    if (sizes->attention.normalizer->null_key || settings->window == SA_WINDOW_LOCAL_P)
        return "{decoder:} needs weights that sum to 1: those of {normalizer:} and {window:} may "
               "sum to less";
    return NULL;
}

static const char *refuse_recurrent(const sa_settings *settings, const sa_sizes *sizes) {
    const char *reason = NULL;
    if (sizes->copied && settings->layers != settings->decoder_layers)
        return "{decoder_layers:}: {decoder_init:copy} gives each layer of the decoder the last "
               "state of the encoder's layer of the same number, so {layers} must be "
               "{:decoder_layers} too, or {decoder_init:last}";
    if (sa_position_kinds[settings->positions].part)
        return "{positions:} is part of self-attention, which a recurrent model has none of: it "
               "needs {model:transformer}";
    if (settings->window == SA_WINDOW_SLIDING)
        return "{window:} is part of self-attention, which a recurrent model has none of: it needs "
               "{model:transformer}";
    if (settings->hybrid)
        return "{hybrid:} mixes layers of self-attention, which a recurrent model has none of: it "
               "needs {model:transformer}";
    if (settings->guided_at != SA_ALIGN_OUTPUT && !sa_model_reads_before(settings))
        return "{guided_at:} needs a query that has read the word before, unlike that of "
               "{decoder:}: {decoder:luong}, {decoder:cgru} or {model:transformer}";
    if (sa_model_attends(settings))
        reason = sa_attention_refuse(&sizes->attention, NULL);
    else if (settings->guided_alignment > 0)
        reason = "{guided_alignment}: the decoder '{:decoder}' has no attention";
    else if (settings->copy)
        reason = "{copy} copies source words by their attention weights: the decoder "
                 "'{:decoder}' has no attention";
    if (sizes->kind->points && !reason) return refuse_pointer(settings, sizes);
    if (reason || settings->tie == SA_TIE_NONE || settings->maxout == settings->embed)
        return reason;
    return "{tie:} makes the embeddings the readout's last matrix: {maxout:} must be {embed:}";
}

/* ---- Transformer ----------------------------------------------------------------------------- */

/* Refuses hybrid stacks whose layers are all alike, or of which either kind is refused. Copying and
 * guided alignment concern only the attention to the source, which is full if it is one of its own.
 */
static const char *refuse_hybrid(const sa_settings *settings, const sa_sizes *sizes) {
    const sa_position_kind *kind = &sa_position_kinds[settings->positions];
    const sa_attention_sizes full = sa_attention_sizes_at(sizes->attention, SA_SITE_CROSS, 1);
    sa_attention_sizes most = sizes->attention;
    if (settings->attention == SA_ATTENTION_SCALED_DOT && settings->window == SA_WINDOW_NONE)
        return "{hybrid:} puts {attention:scaled-dot} without a window among other layers, but all "
               "are like that: it needs another {attention}, or {window:sliding}";
    if (!sizes->decoder_only) most.settings.copy = false, most.settings.guided_alignment = 0;
    const char *reason = sa_attention_refuse(&most, kind);
    return reason ? reason : sa_attention_refuse(&full, kind);
}

static const char *refuse_transformer(const sa_settings *settings, const sa_sizes *sizes) {
    if (sizes->decoder_only && settings->tie != SA_TIE_THREE)
        return "{model:} reads source and target with the same embeddings: it needs "
               "{tie:three-way}";
    if (sizes->decoder_only && settings->copy)
        return "{copy} points at source words with cross-attention, which {model:} has none of: it "
               "needs {model:transformer}";
    return settings->hybrid
               ? refuse_hybrid(settings, sizes)
               : sa_attention_refuse(&sizes->attention, &sa_position_kinds[settings->positions]);
}

/* ---- Any model ------------------------------------------------------------------------------- */

sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words) {
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings->decoder];
    const bool recurrent = settings->model == SA_MODEL_RECURRENT;
    const bool decoder_only = settings->model == SA_MODEL_DECODER_ONLY;
    const bool old = settings->update == SA_UPDATE_OLD;
    sa_sizes sizes = {
        .settings = *settings,
        .source_words = source_words,
        .target_words = target_words,
        .precision = settings->precision,
        .recurrent = recurrent,
        .m = settings->embed,
        .n = settings->hidden,
        .l = settings->maxout,
        .layers = recurrent ? settings->decoder_layers : settings->layers,
        .decoder_only = decoder_only,
        .full_prefix = decoder_only && settings->prefix == SA_PREFIX_FULL,
        .encoder_cell = sa_cell_find(settings->cell, old, settings->reset == SA_RESET_AFTER),
        .cell = sa_cell_find(settings->cell, old, settings->reset != SA_RESET_BEFORE),
        .kind = kind,
        .initial = initial_of(settings, kind),
        .fixed = kind->context_in_cell && !sa_model_attends(settings),
        .sees_previous = settings->readout_state == SA_READOUT_AUTO
                             ? kind->sees_previous
                             : settings->readout_state == SA_READOUT_PREVIOUS,
    };
    sizes.copied = sizes.initial == SA_INITIAL_COPY && settings->decoder_layers > 1;
    sizes.attention = sa_attention_sizes_of(settings, recurrent ? sizes.n : sizes.m,
                                            recurrent ? sa_encoder_width(&sizes) : sizes.m);
    sizes.attention.transformer = !recurrent;
    /* EOS of the source counts, but not that of the target, which nothing reads */
    if (decoder_only) sizes.attention.max_positions = 2 * settings->max_len + 1;
    return sizes;
}

const char *sa_settings_refusal(const sa_settings *settings) {
    if (settings->attn % settings->heads != 0) return "{heads:} does not divide {attn:}";
    const sa_sizes sizes = sa_sizes_of(settings, SA_SPECIAL_TOKENS, SA_SPECIAL_TOKENS);
    return (sizes.recurrent ? refuse_recurrent : refuse_transformer)(settings, &sizes);
}
