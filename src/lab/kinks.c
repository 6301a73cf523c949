#include "lab/kinks.h"
#include "lab/watch.h"
#include "layers/linear.h"

#include <math.h>

/* Which input of every maxout unit is the larger. */
static void add_maxout(const sa_lab_model *model, sa_kinks *found) {
    if (model->w.decoder.readout.output != &sa_output_maxout) return;
    const sa_mat sums = model->pass.decoder.readout.sums;
    for (int i = 0; i < sums.rows; i++)
        for (int k = 0; k < sums.cols; k += 2) {
            const double gap = sa_row(sums, i)[k] - sa_row(sums, i)[k + 1];
            sa_kinks_add(found, gap, SA_KINK_MARGIN);
        }
}

/* One attention of a pass. */
typedef struct attending {
    const sa_attention *w;
    const sa_memory *memory;
    sa_attention_rows rows;
    const sa_attention_scratch *scratch;
    bool causal;
    sa_mat watched;
} attending;

/* On which side of its kink the weight of every key is, as 0 or above. */
static void add_normalizer(const attending *all, const sa_head *at, sa_kinks *found) {
    const sa_mat e = sa_cols(all->watched, 0, at->v.rows);
    const sa_span span = at->spans ? *at->spans : (sa_span){0, e.cols};
    const sa_mat seen = sa_cols(e, span.first, span.count);
    for (int m = 0; m < sa_lab_maps(all->w); m++) {
        sa_lab_watch(all->w, at, m, e);
        all->w->normalizer->kinks(sa_lab_exponent(all->w, at), seen);
        for (int j = 0; j < seen.cols; j++) sa_kinks_add(found, (double)seen.x[j], SA_KINK_MARGIN);
    }
}

/* Of the query of position i in row l over sentence b: those of the normalizer and of parts. */
static void add_query(const attending *all, int b, int l, int i, sa_kinks *found) {
    const sa_attention *w = all->w;
    for (int k = 0; k < w->heads; k++) {
        const sa_head at = sa_head_view(w, all->memory, (sa_query_block){l, 1, b, i, all->causal},
                                        all->rows, all->scratch, k);
        if (w->normalizer->kinks) add_normalizer(all, &at, found);
        for (int p = 0; p < w->parts; p++) {
            sa_head again = at;
            sa_parts_forward(w, SA_PLACE_KEYS, &again); /* which the score has read */
            if (w->part[p].row->kinks) w->part[p].row->kinks(w, p, &again, found);
        }
    }
}

static void add_decoder_attention(const sa_lab_model *model, sa_kinks *found) {
    const sa_decoder_cache *cache = &model->pass.decoder;
    const sa_batch_side *side = &model->batch.target;
    const attending all = {&model->w.decoder.attention,
                           &cache->source.memory,
                           cache->rows.attention,
                           &cache->scratch,
                           false,
                           model->watched};
    for (int t = 0; all.w->heads && t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            add_query(&all, b, side->start[t] + b, t + 1, found);
}

static void add_sublayer(const sa_attention_sublayer *w, const sa_queries *queries,
                         const sa_attention_sublayer_cache *cache, const sa_stack_cache *stack,
                         sa_mat watched, sa_kinks *found) {
    const attending all = {&w->attention,   &cache->memory,  cache->rows,
                           &stack->scratch, queries->causal, watched};
    for (int b = 0; b < queries->sentences; b++)
        for (int row = queries->first[b]; row < queries->first[b + 1]; row++)
            add_query(&all, b, row, row - queries->first[b] + 1, found);
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
            sa_kinks_add(found, sum, SA_KINK_MARGIN);
        }
}

static void add_stack(const sa_stack *w, const sa_stack_cache *cache, sa_mat watched,
                      sa_kinks *found) {
    for (int i = 0; i < w->layers; i++) {
        const sa_transformer_layer *layer = &w->layer[i];
        const sa_layer_cache *own = &cache->layer[i];
        add_sublayer(&layer->self, &cache->self, &own->self, cache, watched, found);
        if (w->cross)
            add_sublayer(&layer->cross, &cache->cross, &own->cross, cache, watched, found);
        add_rectifiers(&layer->feed, &own->feed, cache->workspace.dinner, found);
    }
}

sa_kinks sa_kinks_find(const sa_lab_model *model) {
    sa_kinks found = {0, INFINITY};
    if (model->w.family->recurrent) {
        add_maxout(model, &found);
        add_decoder_attention(model, &found);
    } else {
        add_stack(&model->w.transformer.encoder, &model->pass.transformer.encoder, model->watched,
                  &found);
        add_stack(&model->w.transformer.decoder, &model->pass.transformer.decoder, model->watched,
                  &found);
    }
    return found;
}
