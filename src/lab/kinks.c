#include "lab/kinks.h"
#include "layers/linear.h"

#include <math.h>

/* Least distances of drawn weights from a kink; of the features of linear attention, where only the
 * slope has one; of a window's edges from a position, relative to the source; of what a head's norm
 * normalizes from 0, around which it turns about. */
#define MARGIN 8e-3
#define FEATURE_MARGIN 5e-4
#define WINDOW_MARGIN 1e-3
#define NORM_MARGIN 5e-2

/* Which input of every maxout unit is the larger. */
static void add_maxout(const sa_lab_model *model, sa_kinks *found) {
    if (model->w.decoder.readout.output != &sa_output_maxout) return;
    const sa_mat sums = model->pass.decoder.readout.sums;
    for (int i = 0; i < sums.rows; i++)
        for (int k = 0; k < sums.cols; k += 2) {
            const double gap = sa_row(sums, i)[k] - sa_row(sums, i)[k + 1];
            found->pattern = sa_hash_mix(found->pattern ^ (gap >= 0));
            found->nearest = fmin(found->nearest, fabs(gap) / MARGIN);
        }
}

/* One attention of a pass. */
typedef struct attending {
    const sa_attention *w;
    const sa_memory *memory;
    sa_attention_rows rows;
    sa_attention_scratch scratch;
    bool causal;
} attending;

/* Which positions a window covers: that of target position i in row l over S words. */
static void add_window(const attending *at, int l, int i, int S, sa_kinks *found) {
    const double p = sa_attention_center(at->w, i, at->rows, l, S);
    const sa_span span = sa_window_span(p, at->w->window_size, S);
    found->pattern = sa_hash_mix(found->pattern ^ (uint64_t)(span.first * 65536 + span.count));
    found->nearest = fmin(found->nearest, fabs(p - round(p)) / (WINDOW_MARGIN * S));
}

/* On which side of its kink the weight of every key is, as 0 or above. */
static void add_normalizer(const attending *at, int b, int l, int i, sa_kinks *found) {
    const int S = at->memory->first[b + 1] - at->memory->first[b];
    const sa_mat e = sa_cols(sa_rows(at->scratch.soft, 0, 1), 0, S);
    const int maps = sa_attention_maps(at->w);
    for (int map = 0; map < at->w->heads * maps; map++) {
        const int k = map / maps;
        const sa_span span = sa_attention_scores(at->w, at->memory, b, i, at->causal, at->rows, l,
                                                 k, map % maps, e, at->scratch);
        const sa_mat seen = sa_cols(e, span.first, span.count);
        at->w->normalizer->kinks(sa_attention_exponent(at->w, k), seen);
        for (int j = 0; j < seen.cols; j++) {
            found->pattern = sa_hash_mix(found->pattern ^ (seen.x[j] > 0));
            found->nearest = fmin(found->nearest, fabs(seen.x[j]) / MARGIN);
        }
    }
}

/* Which is the smaller in the coverage loss, weight or coverage, where there is coverage. */
static void add_coverage(const attending *at, int b, int l, sa_kinks *found) {
    const int H = at->w->heads, S = at->memory->first[b + 1] - at->memory->first[b];
    for (int k = 0; k < H; k++) {
        const sa_mat alpha = sa_attention_head(at->rows.alpha, l, H, k, S),
                     C = sa_state_coverage(at->w, at->rows.previous_state, l, k, S);
        for (int j = 0; j < S; j++) {
            const double gap = alpha.x[j] - C.x[j];
            if (C.x[j] == 0) continue;
            found->pattern = sa_hash_mix(found->pattern ^ (gap > 0));
            found->nearest = fmin(found->nearest, fabs(gap) / MARGIN);
        }
    }
}

/* Which words hard attention draws. */
static void add_draws(const attending *at, int b, int l, sa_kinks *found) {
    const int H = at->w->heads, S = at->memory->first[b + 1] - at->memory->first[b];
    for (int k = 0; k < H && at->rows.noise.cols; k++) {
        const sa_mat p = sa_attention_head(at->rows.selection, l, H, k, S);
        const double u = sa_row(at->rows.noise, l)[k];
        double sum = 0;
        for (int j = 0; j < S - 1; j++) {
            sum += p.x[j];
            found->pattern = sa_hash_mix(found->pattern ^ (sum > u));
            found->nearest = fmin(found->nearest, fabs(sum - u) / MARGIN);
        }
    }
}

/* On which side of 0 the numbers of a query or key are. */
static void add_features(sa_mat x, sa_kinks *found) {
    for (int i = 0; i < x.rows; i++)
        for (int l = 0; l < x.cols; l++) {
            found->pattern = sa_hash_mix(found->pattern ^ (sa_row(x, i)[l] > 0));
            found->nearest = fmin(found->nearest, fabs(sa_row(x, i)[l]) / FEATURE_MARGIN);
        }
}

static void add_keys(const attending *at, sa_kinks *found) {
    if (!at->w->score->features) return;
    add_features(at->w->k_0, found);
    if (!sa_attention_has_own_keys(at->w)) add_features(at->memory->keys, found);
}

static void add_own_keys(const attending *at, int b, int l, int i, sa_kinks *found) {
    const sa_query_block block = {l, 1, b, i, at->causal};
    for (int k = 0; k < at->w->heads && sa_attention_has_own_keys(at->w); k++) {
        const sa_head_slice head =
            sa_slice_head(at->w, at->memory, &block, at->rows.q, at->rows.head_outputs, k);
        add_features(sa_head_keys(at->w, &block, 0, at->rows, k, &head, at->scratch), found);
    }
}

/* How large the outputs of the heads are before their norm, where they have one. */
static void add_sums(const attending *at, int l, sa_kinks *found) {
    const sa_mat sums = sa_rows(at->rows.sums, l, 1);
    for (int k = 0; k < at->w->heads && sums.cols; k++) {
        const sa_mat own = sa_head_part(sums, at->w->heads, k);
        double size = 0;
        for (int d = 0; d < own.cols; d++) size += own.x[d] * own.x[d];
        found->nearest = fmin(found->nearest, sqrt(size / own.cols) / NORM_MARGIN);
    }
}

/* Of the query of position i in row l over sentence b. */
static void add_query(const attending *at, int b, int l, int i, sa_kinks *found) {
    const int S = at->memory->first[b + 1] - at->memory->first[b];
    if (at->w->window == SA_WINDOW_LOCAL_P)
        add_window(at, l, i, at->causal && i < S ? i : S, found);
    if (at->w->normalizer->kinks) add_normalizer(at, b, l, i, found);
    if (at->w->coverage_loss) add_coverage(at, b, l, found);
    if (at->w->normalizer->draw) add_draws(at, b, l, found);
    add_sums(at, l, found);
    if (!at->w->score->features) return;
    add_features(sa_rows(at->rows.q, l, 1), found);
    add_own_keys(at, b, l, i, found);
}

static void add_decoder_attention(const sa_lab_model *model, sa_kinks *found) {
    const sa_decoder_cache *cache = &model->pass.decoder;
    const sa_batch_side *side = &model->batch.target;
    const attending at = {&model->w.decoder.attention, &cache->source.memory, cache->rows.attention,
                          cache->scratch, false};
    if (at.w->heads) add_keys(&at, found);
    for (int t = 0; at.w->heads && t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            add_query(&at, b, side->start[t] + b, t + 1, found);
}

static void add_sublayer(const sa_attention_sublayer *w, const sa_queries *queries,
                         const sa_attention_sublayer_cache *cache, const sa_stack_cache *stack,
                         sa_kinks *found) {
    const attending at = {&w->attention, &cache->memory, cache->rows, stack->scratch,
                          queries->causal};
    add_keys(&at, found);
    for (int b = 0; b < queries->sentences; b++)
        for (int row = queries->first[b]; row < queries->first[b + 1]; row++)
            add_query(&at, b, row, row - queries->first[b] + 1, found);
}

/* Which units of a feed-forward network are on. The cache has no pre-activations, so they are
 * computed again. */
static void add_rectifiers(const sa_feedforward_sublayer *w,
                           const sa_feedforward_sublayer_cache *cache, sa_mat sums,
                           sa_kinks *found) {
    sums = sa_rows(sums, 0, cache->inner.rows);
    sa_linear_forward(w->network.W_1, w->network.b_1, cache->residual.in, sums);
    for (int i = 0; i < sums.rows; i++)
        for (int k = 0; k < sums.cols; k++) {
            const double sum = sa_row(sums, i)[k];
            found->pattern = sa_hash_mix(found->pattern ^ (sum > 0));
            found->nearest = fmin(found->nearest, fabs(sum) / MARGIN);
        }
}

static void add_stack(const sa_stack *w, const sa_stack_cache *cache, sa_kinks *found) {
    for (int i = 0; i < w->layers; i++) {
        const sa_transformer_layer *layer = &w->layer[i];
        const sa_layer_cache *own = &cache->layer[i];
        add_sublayer(&layer->self, &cache->self, &own->self, cache, found);
        if (w->cross) add_sublayer(&layer->cross, &cache->cross, &own->cross, cache, found);
        add_rectifiers(&layer->feed, &own->feed, cache->workspace.dinner, found);
    }
}

sa_kinks sa_kinks_find(const sa_lab_model *model) {
    sa_kinks found = {0, INFINITY};
    if (model->w.family->recurrent) {
        add_maxout(model, &found);
        add_decoder_attention(model, &found);
    } else {
        add_stack(&model->w.transformer.encoder, &model->pass.transformer.encoder, &found);
        add_stack(&model->w.transformer.decoder, &model->pass.transformer.decoder, &found);
    }
    return found;
}
