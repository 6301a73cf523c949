#include "model/seq2seq.h"
#include "base/error.h"

/* Where z's share, the reset gate and the context stand in each cell. */
enum { RESET_BEFORE, RESET_AFTER, RESET_SUM, RESETS };
enum { UPDATE_NEW, UPDATE_OLD, UPDATES };

const char *sa_reset_name(size_t row) {
    static const char *const names[] = {"before", "after", "sum"};
    return row < RESETS ? names[row] : NULL;
}

const char *sa_update_name(size_t row) {
    static const char *const names[] = {"new", "old"};
    return row < UPDATES ? names[row] : NULL;
}

enum { READOUT_AUTO, READOUT_PREVIOUS, READOUT_CURRENT, READOUTS };

const char *sa_readout_name(size_t row) {
    static const char *const names[] = {"auto", "previous", "current"};
    return row < READOUTS ? names[row] : NULL;
}

static sa_encoder_sizes encoder_sizes(const sa_settings *settings, int words) {
    const bool old = settings->update == UPDATE_OLD, after = settings->reset == RESET_AFTER;
    return (sa_encoder_sizes){
        .cell = sa_cell_find(settings->cell, old, after),
        .kind = settings->encoder,
        .layers = settings->layers,
        .words = words,
        .m = settings->embed,
        .n = settings->hidden,
        .positions = settings->positions,
        .reversed = settings->reverse_source,
    };
}

static sa_attention_sizes attention_sizes(const sa_settings *settings, int annotation) {
    const int heads = settings->heads, shared = annotation / heads;
    return (sa_attention_sizes){
        .compat = &sa_compats[settings->attention],
        .state = settings->hidden,
        .annotation = annotation,
        .size = settings->attn,
        .places = settings->max_len + 1, /* the end mark is a position too */
        .heads = heads,
        .value = settings->values ? settings->values
                 : shared         ? shared
                                  : 1,
        .window = settings->window,
        .reach = settings->window_size,
    };
}

/* The choices that --start and --readout leave to the decoder's own paper. */
static int initial_of(const sa_settings *settings, const sa_decoder_kind *kind) {
    const int initial = settings->start == SA_INITIAL_AUTO ? kind->initial : settings->start;
    const bool nothing_read = settings->encoder == SA_ENCODER_NONE;
    return nothing_read && initial != SA_INITIAL_CONTEXT ? SA_INITIAL_MEAN : initial;
}

static bool sees_previous(const sa_settings *settings, const sa_decoder_kind *kind) {
    return settings->readout == READOUT_AUTO ? kind->sees_previous
                                             : settings->readout == READOUT_PREVIOUS;
}

sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words) {
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings->decoder];
    const bool old = settings->update == UPDATE_OLD;
    sa_sizes sizes = {.encoder = encoder_sizes(settings, source_words)};
    sizes.decoder = (sa_decoder_sizes){
        .kind = kind,
        .cell = sa_cell_find(settings->cell, old, settings->reset != RESET_BEFORE),
        .context_inside = settings->reset == RESET_SUM,
        .sees_previous = sees_previous(settings, kind),
        .feeding = settings->input_feeding,
        .initial = initial_of(settings, kind),
        .words = target_words,
        .m = settings->embed,
        .n = settings->hidden,
        .l = settings->maxout,
        .attention = attention_sizes(settings, sa_encoder_width(&sizes.encoder)),
        .encoder = sizes.encoder,
    };
    return sizes;
}

bool sa_sizes_check(const sa_settings *settings, sa_error *error) {
    const sa_sizes sizes = sa_sizes_of(settings, SA_SPECIALS, SA_SPECIALS);
    const sa_attention_sizes *attention = &sizes.decoder.attention;
    if (sizes.decoder.kind->asker == SA_ASKS_NOBODY || attention->compat->key != SA_KEY_RAW)
        return true;
    if (attention->heads > 1)
        return sa_fail(error, SA_USAGE, "--attention %s has no maps, so it cannot have %d heads",
                       attention->compat->name, attention->heads);
    return attention->annotation == attention->state ||
           sa_fail(error, SA_USAGE,
                   "--attention %s compares annotations of %d numbers with states of %d: it wants "
                   "--encoder uni",
                   attention->compat->name, attention->annotation, attention->state);
}

void sa_seq2seq_bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w) {
    sa_encoder_bind(binder, &sizes->encoder, &w->encoder);
    sa_decoder_bind(binder, &sizes->decoder, &w->decoder);
}

void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan) {
    sa_seq2seq shape;
    *plan = (sa_params){0};
    sa_seq2seq_bind(&(sa_binder){.plan = plan}, sizes, &shape);
}

void sa_seq2seq_point(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w) {
    sa_seq2seq_bind(&(sa_binder){.buffer = buffer}, sizes, w);
}

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass) {
    sa_encoder_layout(arena, batch, &w->encoder, training, &pass->encoder);
    sa_decoder_layout(arena, batch, &w->decoder, &pass->encoder, training, &pass->decoder);
    pass->log_p = sa_arena_take(arena, (size_t)batch->target.words, sizeof *pass->log_p);
    pass->profile = NULL;
}

double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, double dropout, sa_rng *rng,
                       sa_pass *pass, sa_seq2seq *dw) {
    sa_encoder_cache *encoder = &pass->encoder;
    sa_decoder_cache *decoder = &pass->decoder;
    const sa_real scale = 1 / (sa_real)batch->whole;
    decoder->profile = pass->profile;

    sa_encoder_forward(&w->encoder, batch, dropout, rng, encoder); /* h_j: A.2.1 */
    sa_profile_end(pass->profile, SA_PART_ENCODER);
    sa_decoder_forward(&w->decoder, batch, encoder, dropout, rng, decoder); /* s_i, c_i, t_i */
    sa_vocabulary_loss(&w->decoder.readout, batch->target.ids, scale, &decoder->readout,
                       pass->log_p, /* p(y_i), and its backward */
                       dw ? &dw->decoder.readout : NULL);

    sa_profile_end(pass->profile, SA_PART_READOUT);

    double loss = 0;
    for (int i = 0; i < batch->target.words; i++) loss -= (double)pass->log_p[i];
    if (!dw) return loss;

    sa_decoder_backward(&w->decoder, batch, dropout, decoder, encoder, &dw->decoder);
    sa_profile_end(pass->profile, SA_PART_DECODER_BACK);
    sa_encoder_backward(&w->encoder, batch, dropout, encoder, &dw->encoder);
    sa_profile_end(pass->profile, SA_PART_ENCODER_BACK);
    return loss;
}
