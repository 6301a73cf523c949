#include "model/seq2seq.h"
#include "attention/alignment_loss.h"
#include "base/thread.h"
#include "model/copying.h"
#include "tensor/vec.h"

const sa_family *const sa_families[] = {
    [SA_MODEL_RECURRENT] = &sa_recurrent_family,
    [SA_MODEL_TRANSFORMER] = &sa_transformer_family,
    [SA_MODEL_DECODER] = &sa_decoder_family,
    NULL,
};

const char *sa_model_name(size_t row) {
    const size_t count = sizeof sa_families / sizeof *sa_families - 1;
    return row < count ? sa_families[row]->name : NULL;
}

sa_regularizer sa_regularizer_of(const sa_settings *settings, sa_rng *rng) {
    const double all = settings->dropout, embeddings = settings->dropout_embeddings;
    const double annotations = settings->dropout_annotations, readout = settings->dropout_readout;
    return (sa_regularizer){
        .dropout = {.words = settings->word_dropout,
                    .embeddings = embeddings < 0 ? all : embeddings,
                    .annotations = annotations < 0 ? all : annotations,
                    .readout = readout < 0 ? all : readout,
                    .state = settings->dropout_state,
                    .layers = settings->dropout_layers,
                    .sublayers = all,
                    .noise = 1},
        .smoothing = settings->label_smoothing,
        .alignment_weight = settings->guided_alignment,
        .alignment_at = settings->guided_at,
        .penalty_weight = settings->coverage_weight,
        .reinforce_weight = settings->reinforce_weight,
        .entropy_weight = settings->entropy_weight,
        .l2 = settings->l2,
        .rng = rng,
    };
}

/* ---- Weights --------------------------------------------------------------------------------- */

sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words) {
    sa_sizes sizes = sa_families[settings->model]->sizes(settings, source_words, target_words);
    sizes.precision = settings->precision;
    return sizes;
}

const char *sa_settings_refusal(const sa_settings *settings) {
    const sa_sizes sizes = sa_sizes_of(settings, SA_SPECIAL_TOKENS, SA_SPECIAL_TOKENS);
    return sizes.family->refuse(settings, &sizes);
}

static void bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w) {
    *w = (sa_seq2seq){.family = sizes->family};
    binder->precision = sizes->precision;
    sizes->family->bind(binder, sizes, w);
}

void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan) {
    sa_seq2seq shape;
    *plan = (sa_params){0};
    bind(&(sa_binder){.plan = plan}, sizes, &shape);
}

const sa_param *sa_seq2seq_embedding(const sa_params *plan, int side) {
    const sa_param *source = sa_params_find(plan, "source.E");
    return side || !source ? sa_params_find(plan, "target.E") : source;
}

void sa_seq2seq_bind_buffer(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w) {
    bind(&(sa_binder){.buffer = buffer}, sizes, w);
}

void sa_seq2seq_bind_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store,
                            sa_seq2seq *w) {
    store->memory.used = 0;
    bind(&(sa_binder){.buffer = buffer, .store = store}, sizes, w);
}

bool sa_seq2seq_open_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store, sa_seq2seq *w,
                            sa_error *error) {
    sa_seq2seq_bind_stored(sizes, buffer, store, w); /* counts */
    if (!sa_store_open(store, error)) return false;
    sa_seq2seq_bind_stored(sizes, buffer, store, w);
    return true;
}

sa_cache_size sa_seq2seq_cache_size(const sa_settings *settings) {
    enum { WORDS = 4 }; /* of any vocabulary: it does not matter */
    const sa_sizes sizes = sa_sizes_of(settings, WORDS, WORDS);
    sa_seq2seq shape;
    bind(&(sa_binder){0}, &sizes, &shape);
    return sizes.family->cache_size(&shape);
}

void sa_seq2seq_set_decoding(sa_seq2seq *w, bool decoding) {
    w->decoder.attention.decoding = decoding;
}

void sa_seq2seq_override(sa_seq2seq *w, const sa_override *override) {
    if (!override->chosen.kind && !override->replace) return;
    if (w->decoder.attention.heads) sa_override_install(&w->decoder.attention, override);
    for (int k = 0; k < w->transformer.decoder.layers; k++)
        sa_override_install(&w->transformer.decoder.layer[k].cross.attention, override);
}

/* ---- The loss -------------------------------------------------------------------------------- */

/* The part that draws words, if there is one. */
static int drawing_part(const sa_seq2seq *w) {
    const sa_attention *attention = w->family->attention(w);
    int p = attention->parts - 1;
    while (p >= 0 && !sa_rare_of(attention->part[p].kind)->samples) p--;
    return p;
}

bool sa_seq2seq_draws(const sa_seq2seq *w) {
    return drawing_part(w) >= 0;
}

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass) {
    const size_t words = (size_t)batch->target.words;
    w->family->layout(arena, w, batch, training, pass);
    pass->log_p = sa_arena_alloc(arena, words, sizeof *pass->log_p);
    pass->objective = sa_arena_alloc(arena, words, sizeof *pass->objective);
    const size_t draws = drawing_part(w) < 0 ? 0 : batch->target.sentences;
    pass->advantages = draws ? sa_arena_alloc(arena, draws, sizeof *pass->advantages) : NULL;
    for (size_t b = 0; pass->advantages && b < draws; b++) pass->advantages[b] = 0;
}

/* The alignment loss of the first head in the last layer with cross-attention: one of several heads
 * is enough to learn the alignment (Garg et al. 2019, "Jointly learning to align and translate with
 * Transformer models"). Leaves the gradient by its weights for the backward pass. */
static void alignment_loss(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                           sa_pass *pass) {
    const sa_batch_side *side = &batch->target;
    const sa_real weight = (sa_real)regularizer.alignment_weight;
    const int after = regularizer.alignment_at == SA_ALIGN_INPUT; /* rows behind that of a word */
    pass->alignment_loss = 0;
    if (!batch->gold) return;
    const int layer = sa_seq2seq_layers(w, SA_SITE_CROSS) - 1;
    const bool no_word = w->family->attention(w)->normalizer->null_key;
    const sa_mat dalpha = sa_head_slice(w->family->dalpha(w, pass), sa_seq2seq_heads(w), 0);
    for (int b = 0; b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++) {
            const sa_gold_alignment *gold = &batch->gold[side->order[b]];
            sa_mat alpha = sa_pass_weights(w, pass, batch, SA_SITE_CROSS, layer, 0, b, t);
            sa_mat A =
                sa_cols(sa_rows(dalpha, sa_seq2seq_target_row(w, batch, b, t), 1), 0, alpha.cols);
            const int word = t - after;
            const bool real = word >= 0 && word < side->len[b] - 1;
            const sa_real loss = sa_alignment_loss_forward(gold, word, no_word && real, alpha, A);
            sa_alignment_loss_backward(alpha, weight / (sa_real)batch->whole, A);
            pass->objective[side->start[t] + b] -= weight * loss;
            pass->alignment_loss += (double)loss;
        }
}

/* The same for what parts of the attention add to the loss, the mean over heads. */
static void penalties(const sa_seq2seq *w, double weight, sa_real scale, sa_pass *pass,
                      bool backward) {
    const sa_attention *attention = w->family->attention(w);
    const sa_attention_rows *d;
    if (!w->family->attention_rows) return;
    const sa_attention_rows *rows = w->family->attention_rows(pass, &d);
    for (int p = 0; p < attention->parts; p++) {
        const sa_part *row = attention->part[p].kind;
        const sa_mat loss = sa_rare_of(row)->penalty ? sa_rare_of(row)->penalty(rows->part[p])
                                                     : (sa_mat){0},
                     derivative = sa_rare_of(row)->penalty ? sa_rare_of(row)->penalty(d->part[p])
                                                           : (sa_mat){0};
        const sa_real each = (sa_real)weight / (sa_real)attention->heads;
        for (int i = 0; loss.cols && i < loss.rows; i++) {
            pass->objective[i] -= each * *sa_row(loss, i);
            if (backward) *sa_row(derivative, i) = scale * each;
        }
    }
}

/* What its draws add: sum_i (A log p_i(s_i) + lambda_e H(p_i)), with the advantage A = lambda_r
 * (log p(y | s) - b). Without a backward pass the advantages, constants of the gradient, stay what
 * they were, so that differences can check it. */
static void draws(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                  sa_real scale, sa_pass *pass, bool backward) {
    const sa_batch_side *side = &batch->target;
    const sa_real lambda_e = (sa_real)regularizer.entropy_weight;
    const sa_attention_rows *d;
    if (!pass->advantages) return;
    const int part = drawing_part(w);
    const sa_part *row = w->family->attention(w)->part[part].kind;
    const sa_mat draws = sa_rare_of(row)->samples(w->family->attention_rows(pass, &d)->part[part]),
                 derivative = backward ? sa_rare_of(row)->samples(d->part[part]) : draws;
    for (int b = 0; b < side->sentences; b++) {
        double R = 0;
        for (int t = 0; t < side->len[b]; t++) R += (double)pass->log_p[side->start[t] + b];
        sa_real *A = &pass->advantages[b];
        if (backward) *A = (sa_real)(regularizer.reinforce_weight * (R - regularizer.baseline));
        for (int t = 0; t < side->len[b]; t++) {
            const int i = side->start[t] + b;
            pass->objective[i] += *A * sa_row(draws, i)[0] + lambda_e * sa_row(draws, i)[1];
            if (!backward) continue;
            sa_row(derivative, i)[0] = -scale * *A;
            sa_row(derivative, i)[1] = -scale * lambda_e;
        }
    }
}

void sa_pass_predict(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                     sa_real scale, sa_pass *pass, sa_seq2seq *dw) {
    const bool copies = sa_copies(w);
    if (copies) sa_copying_forward(w, batch, pass);
    w->family->predict(w, batch, regularizer.smoothing, scale, pass, dw); /* p(y_i) */
    const sa_mat dalpha = w->family->dalpha(w, pass);
    if (dalpha.cols) sa_zero(dalpha); /* to which alignments, penalties and copying add */
    alignment_loss(w, batch, regularizer, pass);
    penalties(w, regularizer.penalty_weight, scale, pass, dw);
    draws(w, batch, regularizer, scale, pass, dw);
    if (copies && dw)
        sa_copying_backward(w, batch, (1 - regularizer.smoothing) * (double)scale, pass);
}

/* pair_forward and pair_backward of paper/rnnsearch.c, generalized */
double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, sa_seq2seq *dw) {
    const sa_family *family = w->family;
    const sa_real scale = 1 / (sa_real)batch->whole;
    double loss = 0;
    family->forward(w, batch, regularizer.dropout, regularizer.rng, pass); /* h_j, c_i, t_i */
    if (sa_stopping()) return loss;
    sa_pass_predict(w, batch, regularizer, scale, pass, dw); /* p(y_i) */
    for (int i = 0; i < batch->target.words; i++) loss -= (double)pass->log_p[i];
    if (dw && !sa_stopping()) family->backward(w, batch, regularizer.dropout, pass, dw);
    return loss;
}

/* ---- Attention weights ----------------------------------------------------------------------- */

bool sa_seq2seq_attends(const sa_seq2seq *w) {
    return sa_seq2seq_layers(w, SA_SITE_CROSS) > 0;
}

int sa_seq2seq_layers(const sa_seq2seq *w, sa_attention_site site) {
    return w->family->layers(w, site);
}

int sa_seq2seq_heads(const sa_seq2seq *w) {
    return w->family->attention(w)->heads;
}

sa_mat sa_pass_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                       sa_attention_site site, int layer, int head, int b, int t) {
    const int S = batch->source.len[sa_batch_source_index(batch, b)], T = batch->target.len[b];
    return sa_attention_head(w->family->weights(pass, batch, site, layer, b, t), 0,
                             sa_seq2seq_heads(w), head, site == SA_SITE_DECODER ? T : S);
}
