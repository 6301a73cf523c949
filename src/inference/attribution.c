#include "inference/attribution.h"
#include "base/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Copies of a pair ------------------------------------------------------------------------
 * A batch of copies of the pair. Each reads the words that may be causes, the columns, from rows of
 * its own after those of E, so that a vector can be changed, and has a gradient, in one place. */

enum { COPIES = 32 };

typedef struct copies {
    const sa_attributed *job;
    int count, columns;
    double scale[COPIES]; /* of the vectors of all columns */
    int hidden[COPIES];   /* the column that is <unk>, from 0; negative: none */
    int zeroed;           /* or the attention (see view_of) in which it has no value; or negative */
    sa_arena arena;       /* empty before the run */
    sa_seq2seq w, dw;
    sa_mat x[2], dx[2]; /* [count columns x m] of source and target words; one if they share E */
    sa_batch batch;
    sa_pass pass;
    sa_mat derivative[3], kept[3]; /* of what predicts: for the current target word, and for all */
    int rows, cols;                /* set before the run: */
    sa_mat work[2];                /* [rows x cols] */
} copies;

static int columns_of(const sa_attributed *job) {
    return job->source->len + (job->options->target_prefix ? job->target->len - 1 : 0);
}

/* Returns which of the two embeddings column j is read from. */
static int side_of(const sa_attributed *job, int j) {
    return j >= job->source->len && !job->w->transformer.sizes.decoder_only;
}

static sa_mat *vectors(sa_seq2seq *w, int side) {
    if (w->recurrent) return side ? &w->decoder.E : &w->encoder.E;
    return side || w->transformer.sizes.decoder_only ? &w->transformer.target_E
                                                     : &w->transformer.source_E;
}

/* Lays out the embeddings that columns read, each followed by the vectors of all copies. */
static void layout_vectors(copies *all) {
    const int rows = all->count * all->columns;
    for (int side = 0; side <= side_of(all->job, all->columns - 1); side++) {
        const sa_mat E = *vectors(&all->w, side),
                     table = sa_mat_alloc(&all->arena, E.rows + rows, E.cols),
                     dtable = sa_mat_alloc(&all->arena, E.rows + rows, E.cols);
        all->x[side] = sa_rows(table, E.rows, rows), all->dx[side] = sa_rows(dtable, E.rows, rows);
        if (!all->arena.base) continue;
        sa_copy_mat(E, sa_rows(table, 0, E.rows));
        sa_zero(dtable);
        *vectors(&all->w, side) = table, *vectors(&all->dw, side) = dtable;
    }
}

static void fill(const copies *all, int32_t *ids, int32_t *extended) {
    const sa_sentence *source = all->job->source, *target = all->job->target;
    sa_seq2seq w = *all->job->w;
    for (int c = 0; c < all->count; c++)
        for (int j = 0; j < all->columns; j++) {
            const int side = side_of(all->job, j), S = source->len;
            const bool hidden = j == all->hidden[c] && all->zeroed < 0;
            const int32_t word = j < S ? source->ids[j] : target->ids[j - S];
            const sa_mat E = *vectors(&w, side), x = sa_rows(all->x[side], c * all->columns + j, 1);
            sa_copy_mat(sa_rows(E, hidden ? SA_UNK : word, 1), x);
            sa_scale((sa_real)all->scale[c], x);
            if (j >= S) continue;
            ids[c * S + j] = E.rows + c * all->columns + j;
            extended[c * S + j] = hidden ? SA_UNK : sa_sentence_extended(source)[j];
        }
}

/* Lets the decoder read the target words from their own rows; it still predicts the words. */
static void read_prefix(copies *all) {
    const int S = all->job->source->len, joined = all->w.transformer.sizes.decoder_only;
    const int words = sa_seq2seq_words(&all->w);
    sa_stack_cache *stack = &all->pass.transformer.decoder;
    for (int c = 0; c < all->count; c++)
        for (int j = S; j < all->columns; j++) {
            const int t = j - S + 1;
            int32_t *read = all->w.recurrent
                                ? &all->pass.decoder.inputs[all->batch.target.start[t] + c]
                                : &stack->ids[stack->self.first[c] + (joined ? j : t)];
            *read = words + c * all->columns + j;
        }
}

static void layout_derivatives(copies *all) {
    const sa_seq2seq *w = &all->w;
    const sa_readout_cache *readout = sa_pass_readout(w, &all->pass);
    all->derivative[0] = readout->dt;
    if (sa_seq2seq_readout(w)->copies) {
        all->derivative[1] = readout->dcopy_gate;
        all->derivative[2] = sa_pass_gradients(w, &all->pass).alpha;
    }
    for (int k = 0; k < 3; k++)
        all->kept[k] = sa_mat_alloc(&all->arena, all->derivative[k].rows, all->derivative[k].cols);
}

/* An attention of a Transformer, and what it left in a pass. */
typedef struct view {
    sa_attention *w;
    const sa_attention_sublayer_cache *cache;
    sa_mat out; /* of its layer, copy c from row first[c] on */
    const int *first;
    bool cross;
} view;

static view view_at(copies *all, bool encoder, int layer, bool cross) {
    sa_transformer *w = &all->w.transformer;
    sa_transformer_layer *own = &(encoder ? &w->encoder : &w->decoder)->layer[layer];
    const sa_transformer_cache *cache = &all->pass.transformer;
    const sa_stack_cache *stack = encoder ? &cache->encoder : &cache->decoder;
    const sa_layer_cache *left = &stack->layer[layer];
    return (view){&(cross ? &own->cross : &own->self)->attention,
                  cross ? &left->cross : &left->self, left->feed.residual.y, stack->self.first,
                  cross};
}

/* Returns attention k, from below, of those that rollout multiplies: the layers of the encoder, the
 * top cross-attention and the layers of the decoder, or the layers of a joint stack. */
static view view_of(copies *all, int k) {
    const int layers = all->w.transformer.sizes.layers;
    if (all->w.transformer.sizes.decoder_only) return view_at(all, false, k, false);
    if (k < layers) return view_at(all, true, k, false);
    return view_at(all, false, k == layers ? layers - 1 : k - layers - 1, k == layers);
}

/* Zeroes the weights of column hidden[c]: value zeroing takes sum_j alpha_ij v_j without them. */
static void zero_value(const sa_attention *w, int part, sa_head *at) {
    const int j = (*(const copies *const *)sa_part_own(w, part))->hidden[at->sentence];
    for (int l = 0; j >= 0 && l < at->alpha.rows; l++) sa_row(at->alpha, l)[j] = 0;
}

static const sa_part zeroing = {.name = "value zeroing",
                                .formula = "v_j = 0",
                                .citation = "Mohebbi et al. 2023",
                                .forward = {[SA_PLACE_WEIGHTS] = zero_value}};

static void layout(copies *all) {
    const sa_sentence *from = all->job->source;
    sa_arena *arena = &all->arena;
    sa_sentence source[COPIES], target[COPIES];
    all->w = *all->job->w;
    const size_t rows = (size_t)all->count * (size_t)from->len;
    int32_t *ids = sa_arena_alloc(arena, rows, sizeof *ids),
            *extended = sa_arena_alloc(arena, rows, sizeof *ids);
    sa_real *gradients = sa_arena_alloc(arena, all->job->parameters, sizeof *gradients);
    if (arena->base) {
        memset(gradients, 0, all->job->parameters * sizeof *gradients);
        sa_seq2seq_bind_buffer(all->job->sizes, gradients, &all->dw);
    }
    layout_vectors(all);
    for (int c = 0; c < all->count; c++) {
        source[c] = (sa_sentence){from->ids, from->len, from->ids}; /* while sizes are counted */
        if (arena->base) source[c].ids = ids + c * from->len;
        if (arena->base) source[c].extended = extended + c * from->len;
        target[c] = *all->job->target;
    }
    if (arena->base) fill(all, ids, extended);
    if (all->zeroed >= 0) {
        sa_attention *zeroed = view_of(all, all->zeroed).w;
        *(const copies **)sa_part_add(zeroed, &zeroing, zeroed->parts) = all;
    }
    all->batch = sa_batch_build(arena, source, target, all->count);
    sa_pass_layout(arena, &all->w, &all->batch, true, &all->pass);
    if (arena->base) read_prefix(all);
    layout_derivatives(all);
    for (int k = 0; k < 2; k++) all->work[k] = sa_mat_alloc(arena, all->rows, all->cols);
}

/* Makes copies of the pair as it is. NULL: no memory. */
static copies *copies_new(const sa_attributed *job, int count, sa_error *error) {
    copies *all = sa_new(1, sizeof *all, error);
    if (!all) return NULL;
    all->job = job, all->count = count, all->columns = columns_of(job), all->zeroed = -1;
    for (int c = 0; c < count; c++) all->scale[c] = 1, all->hidden[c] = -1;
    return all;
}

/* Makes copies: the pair as it is, and further ones that each hide one column, from `first` on. */
static copies *hiding_copies(const sa_attributed *job, int first, int columns, sa_error *error) {
    const int rest = columns - first;
    copies *all = copies_new(job, 1 + (rest < COPIES - 1 ? rest : COPIES - 1), error);
    for (int c = 1; all && c < all->count; c++) all->hidden[c] = first + c - 1;
    return all;
}

/* Runs the model on the copies, as they were changed, and takes derivatives with respect to what
 * predicts. */
static bool copies_run(copies *all, sa_error *error) {
    layout(all); /* the dry run */
    if (!sa_arena_init(&all->arena, all->arena.used, error)) return false;
    layout(all);
    sa_pass_forward(&all->w, &all->batch, (sa_dropout){0}, NULL, &all->pass);
    const sa_output_gradients d = sa_pass_gradients(&all->w, &all->pass);
    sa_pass_losses(&all->w, &all->batch, (sa_regularizer){0}, -1, &all->pass, &d, &all->dw);
    for (int k = 0; k < 3; k++) sa_copy_mat(all->derivative[k], all->kept[k]);
    return true;
}

static void copies_free(copies *all) {
    if (all) sa_arena_release(&all->arena);
    free(all);
}

/* Returns F of copy c, target word t. */
static double log_p(const copies *all, int c, int t) {
    return (double)all->pass.log_p[all->batch.target.start[t] + c];
}

/* Computes dx = dF/dx of target word t. Each backward pass needs a forward pass of its own. */
static void derive(copies *all, int t) {
    const sa_seq2seq *w = &all->w;
    sa_pass_forward(w, &all->batch, (sa_dropout){0}, NULL, &all->pass);
    for (int k = 0; k < 3; k++) {
        sa_zero(all->derivative[k]);
        for (int c = 0; c < all->count && all->kept[k].cols; c++) {
            const int row = sa_seq2seq_target_row(w, &all->batch, c, t);
            sa_copy_mat(sa_rows(all->kept[k], row, 1), sa_rows(all->derivative[k], row, 1));
        }
    }
    for (int side = 0; side < 2; side++) sa_zero(all->dx[side]);
    const sa_output_gradients d = sa_pass_gradients(w, &all->pass);
    for (int p = 0; p < SA_PARTS_MAX; p++) sa_zero(d.part[p]); /* F has no penalties */
    sa_pass_backward(w, &all->batch, (sa_dropout){0}, &all->pass, &d, &all->dw);
}

/* ---- Gradients and occlusion ----------------------------------------------------------------- */

/* Adds the mean over steps of x . dF/dx, or with `norm` |dF/dx|, at (step + offset) / steps x. */
static bool add_gradients(const sa_attributed *job, int steps, double offset, bool norm,
                          double *scores, sa_error *error) {
    const int T = job->target->len, columns = columns_of(job);
    bool good = true;
    for (int first = 0; good && first < steps; first += COPIES) {
        const int count = steps - first < COPIES ? steps - first : COPIES;
        copies *all = copies_new(job, count, error);
        for (int c = 0; all && c < count; c++) all->scale[c] = (first + c + offset) / steps;
        good = all && copies_run(all, error);
        for (int t = 0; good && t < T; t++) {
            derive(all, t);
            for (int row = 0; row < count * columns; row++) {
                const int side = side_of(job, row % columns);
                const sa_real *dx = sa_row(all->dx[side], row),
                              *x = norm ? dx : sa_row(all->x[side], row);
                const double product = (double)sa_dot(x, dx, all->x[side].cols);
                scores[t * columns + row % columns] +=
                    norm ? sqrt(product) : product / all->scale[row / columns] / steps;
            }
        }
        copies_free(all);
    }
    return good;
}

static bool gradient(const sa_attributed *job, double *scores, sa_error *error) {
    return add_gradients(job, 1, 1, job->method->norm, scores, error); /* at x itself */
}

/* Also measures how far the sums of rows are from F(x) - F(0), which they should be. */
static bool integrated_gradients(const sa_attributed *job, double *scores, sa_error *error) {
    const int columns = columns_of(job), steps = job->options->steps;
    copies *ends = copies_new(job, 2, error);
    double apart = 0, whole = 0;
    if (ends) ends->scale[1] = 0;
    const bool good = ends &&
                      add_gradients(job, steps > 0 ? steps : 50, 0.5, false, scores, error) &&
                      copies_run(ends, error);
    for (int t = 0; good && t < job->target->len; t++) {
        const double total = log_p(ends, 0, t) - log_p(ends, 1, t);
        double sum = 0;
        for (int j = 0; j < columns; j++) sum += scores[t * columns + j];
        apart += fabs(sum - total), whole += fabs(total);
    }
    *job->gap = whole > 0 ? apart / whole : 0;
    copies_free(ends);
    return good;
}

/* Hides one column in every copy but the first of each batch. A target word is predicted without
 * those after it. */
static bool occlusion(const sa_attributed *job, double *scores, sa_error *error) {
    const int T = job->target->len, S = job->source->len, columns = columns_of(job);
    bool good = true;
    for (int first = 0; good && first < columns; first += COPIES - 1) {
        copies *all = hiding_copies(job, first, columns, error);
        good = all && copies_run(all, error);
        for (int t = 0; good && t < T; t++)
            for (int c = 1; c < all->count; c++) {
                const int j = all->hidden[c];
                scores[t * columns + j] = j - S < t ? log_p(all, 0, t) - log_p(all, c, t) : 0;
            }
        copies_free(all);
    }
    return good;
}

/* ---- Layers of a Transformer ----------------------------------------------------------------- */

/* Adds 1/shown times the norms of one layer. */
static void add_norms(copies *all, int layer, int shown, double *scores) {
    const int T = all->job->target->len, S = all->job->source->len;
    const bool joined = all->w.transformer.sizes.decoder_only;
    const int first = joined ? S - 1 : 0, after = all->job->options->at == SA_ALIGN_INPUT;
    const view at = view_at(all, false, layer, all->w.transformer.decoder.cross);
    const sa_attention *w = at.w;
    const sa_mat u = sa_cols(all->work[0], 0, w->output_width), /* alpha^h_tj v^h_j of all heads */
        z = sa_cols(all->work[1], 0, all->w.transformer.sizes.m);
    for (int t = 0; t < T; t++) {
        const int row = first + (t + after < T ? t + after : t);
        for (int k = 0; k < w->heads; k++) {
            const sa_mat alpha = sa_attention_head(at.cache->rows.alpha, row, w->heads, k, S),
                         v = sa_kv_head_slice(w, at.cache->memory.values, k),
                         own = sa_head_slice(u, w->heads, k);
            sa_copy_mat(sa_rows(v, 0, S), own);
            for (int j = 0; j < S; j++) sa_scale(alpha.x[j], sa_rows(own, j, 1));
        }
        sa_weight_nt(u, w->W_c, 0, z);
        for (int j = 0; j < S; j++)
            scores[t * S + j] += sqrt((double)sa_dot(sa_row(z, j), sa_row(z, j), z.cols)) / shown;
    }
}

static bool norms(const sa_attributed *job, double *scores, sa_error *error) {
    const int S = job->source->len, layer = job->options->layer;
    const sa_sizes *sizes = &job->w->transformer.sizes;
    const int width = sa_seq2seq_attention(job->w)->output_width;
    copies *all = copies_new(job, 1, error);
    if (all) all->rows = S, all->cols = width > sizes->m ? width : sizes->m;
    const bool good = all && copies_run(all, error);
    for (int k = 0; good && k < sizes->layers; k++)
        if (!layer || k == layer - 1) add_norms(all, k, layer ? 1 : sizes->layers, scores);
    copies_free(all);
    return good;
}

/* ---- From layer to layer --------------------------------------------------------------------- */

/* How much each query takes from each key, for every attention of view_of. */
struct sa_attention_chain {
    const sa_attributed *job;
    sa_arena arena;
    int count;
    sa_mat A[2 * SA_MAX_LAYERS + 1]; /* [queries x keys] */
    sa_mat product[2];               /* [words of both x words of both] */
};

static void layout_chain(sa_attention_chain *all) {
    const int T = all->job->target->len, S = all->job->source->len;
    const sa_sizes *sizes = &all->job->w->transformer.sizes;
    const bool joined = sizes->decoder_only;
    const int layers = sizes->layers, width = S + T - 1;
    all->count = joined ? layers : 2 * layers + 1;
    for (int k = 0; k < all->count; k++) {
        const int queries = joined ? width : k < layers ? S : T;
        const int keys = joined ? width : k <= layers ? S : T;
        all->A[k] = sa_mat_alloc(&all->arena, queries, keys);
    }
    for (int k = 0; k < 2; k++) all->product[k] = sa_mat_alloc(&all->arena, width, width);
}

static void share(sa_mat row) {
    sa_real sum = 0;
    for (int j = 0; j < row.cols; j++) sum += row.x[j];
    if (sum != 0) sa_scale(1 / sum, row);
}

/* Averages the heads, divides rows by their sums; with residual connections, (A + I) / 2. */
static bool mean_weights(sa_attention_chain *all, sa_error *error) {
    copies *one = copies_new(all->job, 1, error);
    const bool good = one && copies_run(one, error);
    for (int k = 0; good && k < all->count; k++) {
        const view at = view_of(one, k);
        const sa_mat A = all->A[k];
        sa_zero(A);
        for (int i = 0; i < A.rows; i++) {
            const sa_mat own = sa_rows(A, i, 1);
            for (int head = 0; head < at.w->heads; head++)
                sa_add(sa_attention_head(at.cache->rows.alpha, i, at.w->heads, head, A.cols), own);
            share(own);
            if (at.cross) continue;
            sa_scale((sa_real)0.5, own);
            own.x[i] += (sa_real)0.5;
        }
    }
    copies_free(one);
    return good;
}

/* Returns 1 - cos(out_i, out_i without v_j), or 0 where both are nearly the same. */
static sa_real change(sa_mat a, sa_mat b) {
    const double squares = (double)sa_dot(a.x, a.x, a.cols) * (double)sa_dot(b.x, b.x, b.cols),
                 apart = 1 - (double)sa_dot(a.x, b.x, a.cols) / sqrt(squares);
    return (sa_real)(apart < 1e-5 ? 0 : apart);
}

/* Measures how every key j changes the output of the layer at query i; divides a row by its sum. */
static bool zeroed_values(sa_attention_chain *all, sa_error *error) {
    bool good = true;
    for (int k = 0; good && k < all->count; k++) {
        const sa_mat A = all->A[k];
        for (int first = 0; good && first < A.cols; first += COPIES - 1) {
            copies *own = hiding_copies(all->job, first, A.cols, error);
            if (own) own->zeroed = k;
            good = own && copies_run(own, error);
            const view at = own ? view_of(own, k) : (view){0};
            for (int c = 1; good && c < own->count; c++)
                for (int i = 0; i < A.rows; i++)
                    sa_row(A, i)[own->hidden[c]] = change(sa_rows(at.out, at.first[0] + i, 1),
                                                          sa_rows(at.out, at.first[c] + i, 1));
            copies_free(own);
        }
        for (int i = 0; good && i < A.rows; i++) share(sa_rows(A, i, 1));
    }
    return good;
}

/* Multiplies A_count .. A_1, and keeps the rows that predict. */
static void multiply(sa_attention_chain *all, double *scores) {
    const int T = all->job->target->len, columns = columns_of(all->job);
    sa_mat x = all->A[0];
    for (int k = 1; k < all->count; k++) {
        const sa_mat y = sa_cols(sa_rows(all->product[k % 2], 0, all->A[k].rows), 0, x.cols);
        sa_gemm_nn(all->A[k], x, 0, y);
        x = y;
    }
    for (int t = 0; t < T; t++)
        for (int j = 0; j < columns; j++)
            scores[t * columns + j] = (double)sa_row(x, x.rows - T + t)[j];
}

static bool chained(const sa_attributed *job, double *scores, sa_error *error) {
    sa_attention_chain all = {.job = job};
    layout_chain(&all); /* the dry run */
    if (!sa_arena_init(&all.arena, all.arena.used, error)) return false;
    layout_chain(&all);
    const bool good = job->method->make(&all, error);
    if (good) multiply(&all, scores);
    sa_arena_release(&all.arena);
    return good;
}

const sa_attribution sa_attributions[] = {
    {"attention"},
    {"gradient", .prefix = true, .norm = true, .score = gradient},
    {"input-x-gradient", .prefix = true, .score = gradient},
    {"integrated-gradients", .prefix = true, .score = integrated_gradients},
    {"occlusion", .prefix = true, .score = occlusion},
    {"norms", .layers = true, .sums = true, .score = norms},
    {"rollout", .layers = true, .joint = true, .shares = true, .score = chained,
     .make = mean_weights},
    {"value-zeroing", .layers = true, .joint = true, .score = chained, .make = zeroed_values},
    {0},
};

const char *sa_attribution_name(size_t i) {
    return i < SA_ATTRIBUTIONS ? sa_attributions[i].name : NULL;
}

int sa_attributions_read(const char *names, const sa_attribution *list[SA_ATTRIBUTIONS],
                         sa_error *error) {
    char name[64];
    int count = 0;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const sa_attribution *row = sa_attributions;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        while (row->name && strcmp(row->name, name) != 0) row++;
        if (strcmp(name, "flow") == 0 || strcmp(name, "adversarial") == 0)
            return sa_fail(error, SA_USAGE, "method '%s' was removed", name);
        if (!row->name)
            return sa_fail(error, SA_USAGE, "unknown method '%s'%s", name,
                           sa_nearest_hint_in(&(sa_nearest){.wanted = name}, sa_attribution_name));
        for (int k = 0; k < count; k++)
            if (list[k] == row) return sa_fail(error, SA_USAGE, "--method %s: named twice", name);
        list[count++] = row;
    }
    return count;
}
