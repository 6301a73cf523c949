#include "model/attribution.h"
#include "base/memory.h"
#include "base/option.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 32 }; /* of the pair, in a batch */

/* ---- Copies of a pair ------------------------------------------------------------------------
 * A batch of copies of the pair. Each reads the source from rows of its own behind those of E, so
 * that a vector can be changed, and has a gradient, in one place. */

typedef struct copies {
    const sa_attributed *job;
    int count;
    double scale[COPIES]; /* of all source vectors */
    int hidden[COPIES];   /* the source word that is <unk>, from 0; negative: none */
    sa_arena arena;       /* empty before the run */
    sa_seq2seq w, dw;
    sa_mat x, dx; /* [count S x m] the source vectors, and derivatives by them */
    sa_batch batch;
    sa_pass pass;
    sa_mat derivative[3], kept[3]; /* by what predicts: of the running target word, and of all */
    int rows, cols;                /* wanted before the run: */
    sa_mat work[2];                /* [rows x cols] */
} copies;

static sa_mat *source_vectors(sa_seq2seq *w) {
    if (w->family->recurrent) return &w->encoder.E;
    return w->transformer.sizes.decoder_only ? &w->transformer.target_E : &w->transformer.source_E;
}

static int rows_of_copies(const copies *all) {
    return all->count * all->job->source->len;
}

/* E, followed by the source vectors of all copies. */
static sa_mat layout_vectors(copies *all, sa_mat E, sa_mat *own) {
    const sa_mat table = sa_mat_alloc(&all->arena, E.rows + rows_of_copies(all), E.cols);
    *own = sa_rows(table, E.rows, rows_of_copies(all));
    return table;
}

static void fill(const copies *all, sa_mat E, int32_t *ids, int32_t *extended) {
    const sa_sentence *source = all->job->source;
    for (int c = 0; c < all->count; c++)
        for (int j = 0; j < source->len; j++) {
            const int row = c * source->len + j;
            const bool hidden = j == all->hidden[c];
            const sa_mat x = sa_rows(all->x, row, 1);
            sa_copy_mat(sa_rows(E, hidden ? SA_UNK : source->ids[j], 1), x);
            sa_scale((sa_real)all->scale[c], x);
            ids[row] = E.rows + row;
            extended[row] = hidden ? SA_UNK : sa_sentence_extended(source)[j];
        }
}

static void layout_derivatives(copies *all) {
    const sa_seq2seq *w = &all->w;
    const sa_readout_cache *readout = w->family->read_out(&all->pass);
    all->derivative[0] = readout->dt;
    if (sa_copies(w)) {
        all->derivative[1] = readout->dgate;
        all->derivative[2] = w->family->dalpha(&all->pass, sa_seq2seq_layers(w, SA_SITE_CROSS) - 1);
    }
    for (int k = 0; k < 3; k++)
        all->kept[k] = sa_mat_alloc(&all->arena, all->derivative[k].rows, all->derivative[k].cols);
}

static void layout(copies *all) {
    const sa_sentence *from = all->job->source;
    sa_arena *arena = &all->arena;
    sa_sentence source[COPIES], target[COPIES];
    all->w = *all->job->w;
    const sa_mat E = *source_vectors(&all->w);
    const size_t rows = (size_t)rows_of_copies(all);
    int32_t *ids = sa_arena_alloc(arena, 2 * rows, sizeof *ids);
    int32_t *extended = ids + rows;
    sa_real *gradients = sa_arena_alloc(arena, all->job->parameters, sizeof *gradients);
    const sa_mat table = layout_vectors(all, E, &all->x), dtable = layout_vectors(all, E, &all->dx);
    for (int c = 0; c < all->count; c++) {
        source[c] = (sa_sentence){ids + c * from->len, from->len, extended + c * from->len};
        target[c] = *all->job->target;
    }
    if (arena->base) {
        sa_copy_mat(E, sa_rows(table, 0, E.rows));
        fill(all, E, ids, extended);
        sa_zero(dtable);
        memset(gradients, 0, all->job->parameters * sizeof *gradients);
        sa_seq2seq_bind_buffer(all->job->sizes, gradients, &all->dw);
        *source_vectors(&all->w) = table, *source_vectors(&all->dw) = dtable;
    }
    all->batch = sa_batch_build(arena, source, target, all->count);
    sa_pass_layout(arena, &all->w, &all->batch, true, &all->pass);
    layout_derivatives(all);
    for (int k = 0; k < 2; k++) all->work[k] = sa_mat_alloc(arena, all->rows, all->cols);
}

/* Copies of the pair as it is. NULL: no memory. */
static copies *copies_new(const sa_attributed *job, int count, sa_error *error) {
    copies *all = sa_new(1, sizeof *all, error);
    if (!all) return NULL;
    all->job = job, all->count = count;
    for (int c = 0; c < count; c++) all->scale[c] = 1, all->hidden[c] = -1;
    return all;
}

/* Runs the model on them, with the changes that were made, and derives by what predicts. */
static bool copies_run(copies *all, sa_error *error) {
    layout(all); /* the dry run */
    const size_t size = all->arena.used;
    all->arena = (sa_arena){0};
    if (!sa_arena_init(&all->arena, size, error)) return false;
    layout(all);
    all->w.family->forward(&all->w, &all->batch, (sa_dropout){0}, NULL, &all->pass);
    sa_pass_predict(&all->w, &all->batch, (sa_regularizer){0}, -1, &all->pass, &all->dw);
    for (int k = 0; k < 3; k++) sa_copy_mat(all->derivative[k], all->kept[k]);
    return true;
}

static void copies_free(copies *all) {
    if (all) sa_arena_release(&all->arena);
    free(all);
}

/* F of copy c, target word t. */
static double log_p(const copies *all, int c, int t) {
    return (double)all->pass.log_p[all->batch.target.start[t] + c];
}

/* dx = dF/dx of target word t, for all copies. A backward pass may write over the gates of the
 * forward pass, so that each has its own. */
static void derive(copies *all, int t) {
    const sa_seq2seq *w = &all->w;
    w->family->forward(w, &all->batch, (sa_dropout){0}, NULL, &all->pass);
    for (int k = 0; k < 3; k++) {
        sa_zero(all->derivative[k]);
        for (int c = 0; c < all->count && all->kept[k].cols; c++) {
            const int row = sa_seq2seq_target_row(w, &all->batch, c, t);
            sa_copy_mat(sa_rows(all->kept[k], row, 1), sa_rows(all->derivative[k], row, 1));
        }
    }
    sa_zero(all->dx);
    w->family->backward(w, &all->batch, (sa_dropout){0}, &all->pass, &all->dw);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

/* Adds 1/steps of a x . dF/dx or, with `norm`, |dF/dx| at the midpoints of the steps; of one step
 * at x itself. */
static bool add_gradients(const sa_attributed *job, int steps, bool norm, double *scores,
                          sa_error *error) {
    const int T = job->target->len, S = job->source->len;
    memset(scores, 0, sizeof *scores * (size_t)T * (size_t)S);
    bool good = true;
    for (int first = 0; good && first < steps; first += COPIES) {
        const int count = steps - first < COPIES ? steps - first : COPIES;
        copies *all = copies_new(job, count, error);
        for (int c = 0; all && steps > 1 && c < count; c++)
            all->scale[c] = (first + c + 0.5) / steps;
        good = all && copies_run(all, error);
        for (int t = 0; good && t < T; t++) {
            derive(all, t);
            for (int row = 0; row < all->x.rows; row++) {
                const sa_real *dx = sa_row(all->dx, row), *x = norm ? dx : sa_row(all->x, row);
                const double product = (double)sa_dot(x, dx, all->x.cols);
                scores[t * S + row % S] +=
                    norm ? sqrt(product) : product / all->scale[row / S] / steps;
            }
        }
        copies_free(all);
    }
    return good;
}

static bool gradient(const sa_attributed *job, double *scores, sa_error *error) {
    return add_gradients(job, 1, true, scores, error);
}

static bool input_x_gradient(const sa_attributed *job, double *scores, sa_error *error) {
    return add_gradients(job, 1, false, scores, error);
}

/* Compared with F(x) - F(0), which the scores of a row should sum to. */
static bool integrated_gradients(const sa_attributed *job, double *scores, sa_error *error) {
    const int S = job->source->len;
    copies *ends = copies_new(job, 2, error);
    double apart = 0, whole = 0;
    if (ends) ends->scale[1] = 0;
    const bool good =
        ends && add_gradients(job, job->steps, false, scores, error) && copies_run(ends, error);
    for (int t = 0; good && t < job->target->len; t++) {
        const double total = log_p(ends, 0, t) - log_p(ends, 1, t);
        double sum = 0;
        for (int j = 0; j < S; j++) sum += scores[t * S + j];
        apart += fabs(sum - total), whole += fabs(total);
    }
    *job->gap = whole > 0 ? apart / whole : 0;
    copies_free(ends);
    return good;
}

/* ---- Occlusion ------------------------------------------------------------------------------- */

/* The first copy of every batch is whole. */
static bool occlusion(const sa_attributed *job, double *scores, sa_error *error) {
    const int T = job->target->len, S = job->source->len;
    bool good = true;
    for (int first = 0; good && first < S; first += COPIES - 1) {
        const int count = 1 + (S - first < COPIES - 1 ? S - first : COPIES - 1);
        copies *all = copies_new(job, count, error);
        for (int c = 1; all && c < count; c++) all->hidden[c] = first + c - 1;
        good = all && copies_run(all, error);
        for (int t = 0; good && t < T; t++)
            for (int c = 1; c < count; c++)
                scores[t * S + all->hidden[c]] = log_p(all, 0, t) - log_p(all, c, t);
        copies_free(all);
    }
    return good;
}

/* ---- Layers of a Transformer ----------------------------------------------------------------- */

/* Layer `layer` from which target words look at the source, and the row of the first of them. */
static const sa_attention_sublayer_cache *cross_cache(const copies *all, int layer,
                                                      const sa_attention **w, int *row) {
    const sa_transformer *own = &all->w.transformer;
    const sa_transformer_layer *at = &own->decoder.layer[layer];
    const sa_layer_cache *cache = &all->pass.transformer.decoder.layer[layer];
    const bool joined = own->sizes.decoder_only;
    *w = &(joined ? &at->self : &at->cross)->attention;
    *row = joined ? all->job->source->len - 1 : 0;
    return joined ? &cache->self : &cache->cross;
}

/* Adds 1/layers of the norms of one layer. */
static void add_norms(const copies *all, int layer, double *scores) {
    const int T = all->job->target->len, S = all->job->source->len;
    const sa_transformer_sizes *sizes = &all->w.transformer.sizes;
    const sa_attention *w;
    int first;
    const sa_attention_sublayer_cache *cache = cross_cache(all, layer, &w, &first);
    const sa_mat u = sa_cols(all->work[0], 0, w->output_width), /* alpha^h_tj v^h_j of all heads */
        z = sa_cols(all->work[1], 0, sizes->m);
    for (int t = 0; t < T; t++) {
        for (int k = 0; k < w->heads; k++) {
            const sa_mat alpha = sa_attention_head(cache->rows.alpha, first + t, w->heads, k, S),
                         v = sa_kv_head_part(w, cache->memory.values, k),
                         own = sa_head_part(u, w->heads, k);
            sa_copy_mat(sa_rows(v, 0, S), own);
            for (int j = 0; j < S; j++) sa_scale(alpha.x[j], sa_rows(own, j, 1));
        }
        sa_weight_nt(u, w->W_c, 0, z);
        for (int j = 0; j < S; j++)
            scores[t * S + j] +=
                sqrt((double)sa_dot(sa_row(z, j), sa_row(z, j), z.cols)) / sizes->layers;
    }
}

static bool norms(const sa_attributed *job, double *scores, sa_error *error) {
    const int T = job->target->len, S = job->source->len;
    const sa_transformer_sizes *sizes = &job->w->transformer.sizes;
    const int width = job->w->family->attention(job->w)->output_width;
    copies *all = copies_new(job, 1, error);
    if (all) all->rows = S, all->cols = width > sizes->m ? width : sizes->m;
    const bool good = all && copies_run(all, error);
    memset(scores, 0, sizeof *scores * (size_t)T * (size_t)S);
    for (int layer = 0; good && layer < sizes->layers; layer++) add_norms(all, layer, scores);
    copies_free(all);
    return good;
}

/* out = A in, where A is the mean over heads, a row divided by its sum; with residual connections
 * (A + I)/2. */
static void mix(const sa_attention *w, sa_mat alpha, bool residual, sa_mat in, sa_mat out) {
    for (int i = 0; i < out.rows; i++) {
        const sa_mat own = sa_rows(out, i, 1);
        sa_real sum = 0;
        sa_zero(own);
        for (int k = 0; k < w->heads; k++) {
            const sa_mat a = sa_attention_head(alpha, i, w->heads, k, in.rows);
            for (int j = 0; j < in.rows; j++)
                sum += a.x[j], sa_axpy(a.x[j], sa_row(in, j), own.x, own.cols);
        }
        if (sum != 0) sa_scale(1 / sum, own);
        if (!residual) continue;
        sa_add(sa_rows(in, i, 1), own);
        sa_scale((sa_real)0.5, own);
    }
}

/* x = (A_L + I)/2 .. (A_1 + I)/2 x, of the self-attention of a stack; y as large. */
static void roll(const sa_stack *w, const sa_stack_cache *cache, sa_mat x, sa_mat y) {
    for (int layer = 0; layer < w->layers; layer++) {
        mix(&w->layer[layer].self.attention, cache->layer[layer].self.rows.alpha, true, x, y);
        sa_copy_mat(y, x);
    }
}

static bool rollout(const sa_attributed *job, double *scores, sa_error *error) {
    const int T = job->target->len, S = job->source->len;
    const sa_transformer *w = &job->w->transformer;
    const bool joined = w->sizes.decoder_only;
    const int n = joined ? S + T - 1 : S, last = w->sizes.layers - 1;
    copies *all = copies_new(job, 1, error);
    if (all) all->rows = S + T, all->cols = n;
    const bool good = all && copies_run(all, error);
    if (good) {
        const sa_transformer_cache *cache = &all->pass.transformer;
        sa_mat x = sa_rows(all->work[0], 0, n), y = sa_rows(all->work[1], 0, n);
        sa_zero(x);
        for (int i = 0; i < n; i++) sa_row(x, i)[i] = 1;
        roll(joined ? &w->decoder : &w->encoder, joined ? &cache->decoder : &cache->encoder, x, y);
        if (joined) {
            x = sa_rows(x, S - 1, T);
        } else {
            y = sa_rows(all->work[1], 0, T);
            mix(&w->decoder.layer[last].cross.attention,
                cache->decoder.layer[last].cross.rows.alpha, false, x, y);
            x = sa_rows(all->work[0], 0, T);
            roll(&w->decoder, &cache->decoder, y, x);
            x = y;
        }
        for (int t = 0; t < T; t++)
            for (int j = 0; j < S; j++) scores[t * S + j] = (double)sa_row(x, t)[j];
    }
    copies_free(all);
    return good;
}

const sa_attribution sa_attributions[] = {
    {"attention"},
    {"gradient", .score = gradient},
    {"input-x-gradient", .score = input_x_gradient},
    {"integrated-gradients", .score = integrated_gradients},
    {"occlusion", .score = occlusion},
    {"norms", .layers = true, .sums = true, .score = norms},
    {"rollout", .layers = true, .score = rollout},
    {0},
};

const char *sa_attribution_name(size_t i) {
    return i < SA_ATTRIBUTIONS ? sa_attributions[i].name : NULL;
}

int sa_attributions_read(const char *names, const sa_attribution *list[SA_ATTRIBUTIONS],
                         sa_error *error) {
    char name[64], hint[128];
    int count = 0;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const sa_attribution *row = sa_attributions;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        while (row->name && strcmp(row->name, name) != 0) row++;
        if (!row->name)
            return sa_fail(error, SA_USAGE, "unknown method '%s'%s", name,
                           sa_nearest_hint_in(name, sa_attribution_name, hint, sizeof hint));
        for (int k = 0; k < count; k++)
            if (list[k] == row) return sa_fail(error, SA_USAGE, "{method} %s: named twice", name);
        list[count++] = row;
    }
    return count;
}
