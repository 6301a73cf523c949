#include "attention/heads.h"
#include "tensor/vec.h"

#include <string.h>

/* ---- Weights --------------------------------------------------------------------------------- */

static void list_parts(const sa_attention_sizes *sizes, sa_attention *w) {
    const sa_part *list[SA_PARTS_MAX];
    const int count = sa_parts_choose(sizes, list);
    for (int p = 0; p < count; p++) {
        sa_part_add(w, list[p], p);
        if (list[p]->normalizer) w->normalizer = list[p]->normalizer;
    }
}

/* How many numbers make a query of one head, where it is projected. */
static int projected_width(const sa_attention_sizes *sizes) {
    return sizes->score->query == SA_QUERY_POSITIONS ? sizes->max_positions
           : sizes->score->query == SA_QUERY_MIXTURE ? 3 * sizes->score->part->carry
                                                     : sizes->size / sizes->heads;
}

void sa_attention_bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                       sa_attention *w) {
    static const char *const names[2][4] = {{"W_a", "U_a", "W_v", "W_c"},
                                            {"W_q", "W_k", "W_v", "W_o"}};
    const char *const *own = names[sizes->transformer];
    const sa_score *score = sizes->score;
    const int H = sizes->heads, G = sizes->kv_heads ? sizes->kv_heads : H;
    const int n = sizes->state_width,
              A = sizes->annotation_width; /* in slices that are projected apart: */
    const int slices = sizes->settings.head_projection == SA_HEAD_PROJECTION_SPLIT ? H : 1;
    *w = (sa_attention){.score = score,
                        .normalizer = sizes->normalizer,
                        .exponent = (sa_real)sizes->settings.entmax_alpha,
                        .heads = H,
                        .kv_heads = G,
                        .query_width = n};
    list_parts(sizes, w);
    if (score->query != SA_QUERY_IDENTITY) {
        w->query_width = H * projected_width(sizes);
        w->W_a = sa_bind_matrix(binder, prefix, own[0], w->query_width, n / slices, SA_INIT_ALIGN);
    }
    if (sa_key_projected(score)) {
        w->key_width = sizes->size / H * G;
        w->U_a = sa_bind_matrix(binder, prefix, own[1], w->key_width, A / slices, SA_INIT_ALIGN);
    }
    if (score->key == SA_KEY_STATE_SIZED) {
        w->key_width = G * n;
        w->W_a =
            sa_bind_matrix(binder, prefix, own[sizes->transformer], w->key_width, A, SA_INIT_ALIGN);
    }
    if (score->key == SA_KEY_IDENTITY) {
        sa_require(H == 1 && A == n);
        w->key_width = A;
    }
    if (score->bind) w->v_a = score->bind(binder, prefix, sizes->size, H, sizes->max_positions);
    sa_parts_bind(binder, prefix, sizes, 0, 0, w);
    if (H > 1 || sizes->transformer) {
        w->value_width = G * sizes->value;
        w->output_width = H * sizes->value;
        w->W_v = sa_bind_matrix(binder, prefix, own[2], w->value_width, A / slices, SA_INIT_INPUT);
        w->W_c = sa_bind_matrix(binder, prefix, own[3], A, w->output_width, SA_INIT_INPUT);
    }
    sa_parts_bind(binder, prefix, sizes, 1, SA_PARTS_LATE - 1, w);
}

/* ---- Projections -----------------------------------------------------------------------------
 * y = W x: one product, or with split projections one for each head, of its columns of x and its
 * rows of W. */

static sa_weight rows_of(sa_weight W, int slices, int k) {
    const int rows = W.mat.rows / slices;
    return sa_weight_rows(W, k * rows, rows);
}

static void project(sa_weight W, sa_mat x, sa_mat y) {
    const int slices = x.cols / W.mat.cols;
    for (int k = 0; k < slices; k++)
        sa_weight_nt(sa_head_slice(x, slices, k), rows_of(W, slices, k), 0,
                     sa_head_slice(y, slices, k));
}

/* dx += W' dy */
static void project_backward(sa_weight W, sa_mat dy, sa_mat dx) {
    const int slices = dx.cols / W.mat.cols;
    for (int k = 0; k < slices; k++)
        sa_weight_nn(sa_head_slice(dy, slices, k), rows_of(W, slices, k), 1,
                     sa_head_slice(dx, slices, k));
}

/* dW += dy x' */
static void project_weights_backward(sa_mat dy, sa_mat x, sa_weight dW) {
    const int slices = x.cols / dW.mat.cols;
    for (int k = 0; k < slices; k++)
        sa_weight_tn(sa_head_slice(dy, slices, k), sa_head_slice(x, slices, k),
                     rows_of(dW, slices, k));
}

static void project_back(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW) {
    project_weights_backward(dy, x, dW);
    project_backward(W, dy, dx);
}

/* ---- Keys and values ------------------------------------------------------------------------- */

size_t sa_memory_width(const sa_attention *w, int A) {
    const bool raw = w->score->key == SA_KEY_IDENTITY;
    int width = raw && !w->value_width ? A : w->key_width + (w->value_width ? w->value_width : A);
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->memory_width) width += w->part[p].kind->memory_width(w, p);
    return (size_t)width;
}

void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory) {
    const int N = annotations.rows;
    *memory = (sa_memory){
        .first = first, .annotations = annotations, .keys = annotations, .values = annotations};
    if (w->score->key != SA_KEY_IDENTITY) memory->keys = sa_mat_alloc(arena, N, w->key_width);
    if (w->value_width) memory->values = sa_mat_alloc(arena, N, w->value_width);
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->memory_width)
            memory->part[p] = sa_mat_alloc(arena, N, w->part[p].kind->memory_width(w, p));
}

/* k_j = U_a h_j, W_a h_j or h_j itself; v_j = W_v h_j or h_j itself */
void sa_memory_forward(const sa_attention *w, sa_memory *memory) {
    const sa_mat h = memory->annotations;
    if (sa_key_projected(w->score)) project(w->U_a, h, memory->keys);
    if (w->score->key == SA_KEY_STATE_SIZED) project(w->W_a, h, memory->keys);
    if (w->value_width) project(w->W_v, h, memory->values);
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->memory_forward) w->part[p].kind->memory_forward(w, p, memory);
}

void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw) {
    const sa_mat h = memory->annotations, dh = d->annotations;
    for (int p = w->parts - 1; p >= 0; p--)
        if (w->part[p].kind->memory_backward) w->part[p].kind->memory_backward(w, p, memory, d, dw);
    if (w->value_width) project_back(w->W_v, h, d->values, dh, dw->W_v);
    if (sa_key_projected(w->score)) project_back(w->U_a, h, d->keys, dh, dw->U_a);
    if (w->score->key == SA_KEY_STATE_SIZED) project_back(w->W_a, h, d->keys, dh, dw->W_a);
}

void sa_memory_zero(const sa_attention *w, sa_memory *d) {
    if (d->keys.x != d->annotations.x) sa_zero(d->keys);
    if (d->values.x != d->annotations.x) sa_zero(d->values);
    for (int p = 0; p < w->parts; p++) sa_zero(d->part[p]);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S) {
    return sa_cols(sa_head_slice(sa_rows(alpha, row, 1), heads, k), 0, S);
}

bool sa_attention_lacks(const sa_attention *w) {
    bool lacks = w->normalizer->null_key;
    for (int p = 0; p < w->parts; p++) lacks = lacks || w->part[p].kind->lacks;
    return lacks;
}

int sa_attention_carry_width(const sa_attention *w, int steps) {
    int width = 0;
    for (int p = 0; p < w->parts; p++)
        width += w->part[p].kind->carry + w->part[p].kind->carry_words * steps;
    return w->heads * width;
}

int sa_attention_noise_width(const sa_attention *w, int steps) {
    int width = 0;
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->noise_width) width += w->part[p].kind->noise_width(w, steps);
    return width;
}

void sa_attention_draw_noise(const sa_attention *w, double amount, sa_rng *rng,
                             const sa_batch_side *side, sa_mat noise) {
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->draw_noise)
            w->part[p].kind->draw_noise(w, p, amount, rng, side, noise);
}

void sa_attention_carry_begin(const sa_attention *w, sa_mat carry) {
    sa_zero(carry);
    for (int p = 0; p < w->parts; p++)
        for (int l = 0; w->part[p].kind->carry_begin != 0 && l < carry.rows; l++)
            for (int k = 0; k < w->heads; k++)
                *sa_part_carry(w, p, sa_rows(carry, l, 1), k, 1).x =
                    (sa_real)w->part[p].kind->carry_begin;
}

int sa_attention_growth(const sa_attention *w) {
    int most = w->heads;
    for (int p = 0; p < w->parts; p++) {
        const sa_part *kind = w->part[p].kind;
        const int own =
            kind->row_width ? kind->row_width(w, p, 1, false) - kind->row_width(w, p, 0, false) : 0;
        if (own > most) most = own;
    }
    return most;
}

sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool derivative) {
    const int carry = sa_attention_carry_width(w, steps);
    sa_attention_rows all = {
        .q = sa_mat_alloc(arena, rows, w->query_width),
        .alpha = sa_mat_alloc(arena, rows, derivative ? 0 : w->heads * steps),
        .head_outputs = sa_mat_alloc(arena, rows, w->output_width),
        .previous_carry = sa_mat_alloc(arena, rows, carry),
        .carry = sa_mat_alloc(arena, rows, carry),
        .noise = sa_mat_alloc(arena, rows, 0),
    };
    for (int p = 0; p < w->parts; p++) {
        const sa_part *kind = w->part[p].kind;
        all.part[p] = sa_mat_alloc(arena, rows,
                                   kind->row_width ? kind->row_width(w, p, steps, derivative) : 0);
    }
    return all;
}

/* All its fields are matrices. */
sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count) {
    sa_mat *field = (sa_mat *)&all;
    for (size_t i = 0; i < sizeof all / sizeof *field; i++)
        field[i] = field[i].cols ? sa_rows(field[i], first, count) : (sa_mat){.rows = count};
    return all;
}

sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w,
                                                 int queries, int steps, bool training) {
    int own = 0;
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->own_keys) own = w->key_width / w->kv_heads;
    const bool again = training && w->heads && w->normalizer->scored_backward;
    sa_attention_scratch scratch = {
        .keys = sa_mat_alloc(arena, steps, w->key_width),
        .own_keys = sa_mat_alloc(arena, steps, own),
        .d_own_keys = sa_mat_alloc(arena, training ? steps : 0, own),
        .dalpha = sa_mat_alloc(arena, training ? queries : 0, steps),
        .soft = sa_mat_alloc(arena, queries, steps),
        .scores = sa_mat_alloc(arena, again ? queries : 0, steps),
        .spans = sa_arena_alloc(arena, (size_t)queries, sizeof(sa_span)),
    };
    const int width = sa_scratch_width(w, w->parts, queries, steps);
    scratch.parts = sa_mat_alloc(arena, 1, width);
    return scratch;
}

/* ---- From states to queries, from heads to contexts ------------------------------------------ */

void sa_attention_project_query(const sa_attention *w, sa_mat s, sa_attention_rows rows) {
    if (w->score->query == SA_QUERY_IDENTITY)
        sa_copy_mat(s, rows.q);
    else
        project(w->W_a, s, rows.q);
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->project_forward) w->part[p].kind->project_forward(w, p, s, rows);
}

static void project_query_backward(const sa_attention *w, const sa_attention_pass *pass,
                                   sa_mat ds) {
    for (int p = w->parts - 1; p >= 0; p--)
        if (w->part[p].kind->project_backward)
            w->part[p].kind->project_backward(w, p, pass->rows, pass->d, ds);
    if (w->score->query == SA_QUERY_IDENTITY)
        sa_add(pass->d.q, ds);
    else
        project_backward(w->W_a, pass->d.q, ds);
}

sa_mat sa_attention_head_output(const sa_attention *w, sa_attention_rows rows, sa_mat c) {
    return w->value_width ? rows.head_outputs : c;
}

void sa_attention_project_output(const sa_attention *w, sa_attention_rows rows, sa_mat c) {
    if (w->value_width) /* c = W_c [o^1 ; .. ; o^H] */
        project(w->W_c, rows.head_outputs, c);
}

/* Returns the derivative by the outputs of the heads. */
static sa_mat project_output_backward(const sa_attention *w, sa_mat dc, sa_attention_rows d) {
    if (!w->value_width) return dc;
    sa_zero(d.head_outputs);
    project_backward(w->W_c, dc, d.head_outputs); /* c = W_c o */
    return d.head_outputs;
}

void sa_attention_projections_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                       sa_attention_rows d, sa_attention *dw) {
    if (dw->score->query != SA_QUERY_IDENTITY) project_weights_backward(d.q, s, dw->W_a);
    if (dw->value_width) project_weights_backward(dc, rows.head_outputs, dw->W_c);
    for (int p = 0; p < dw->parts; p++)
        if (dw->part[p].kind->project_weights_backward)
            dw->part[p].kind->project_weights_backward(p, s, rows, d, dw);
}

/* ---- All heads of one block of queries ------------------------------------------------------- */

static sa_mat sentence(sa_mat all, const int *first, int b) {
    return sa_rows(all, first[b], first[b + 1] - first[b]);
}

/* What a block has for all heads, or the derivatives by it. */
static sa_head block_of(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                        sa_attention_rows rows, sa_mat o, const sa_attention_scratch *scratch) {
    const int b = block.sentence;
    sa_head all = {.i = block.i,
                   .sentence = b,
                   .causal = block.causal,
                   .v_a = w->v_a,
                   .k = sentence(memory->keys, memory->first, b),
                   .v = sentence(memory->values, memory->first, b),
                   .c = sa_rows(o, block.row, block.count),
                   .rows = sa_attention_rows_slice(rows, block.row, block.count),
                   .exponent = &w->exponent,
                   .memory = memory,
                   .scratch = scratch};
    all.q = all.rows.q;
    return all;
}

/* Head k's columns of it. A query that is the state itself serves all heads. */
static sa_head head_of(const sa_attention *w, const sa_head *all, int k) {
    const int H = w->heads;
    sa_head head = *all;
    head.index = k;
    head.v_a = sa_head_slice(all->v_a, H, k);
    head.q = w->score->query == SA_QUERY_IDENTITY ? all->q : sa_head_slice(all->q, H, k);
    head.k = sa_kv_head_slice(w, all->k, k);
    head.v = sa_kv_head_slice(w, all->v, k);
    head.c = sa_head_slice(all->c, H, k);
    return head;
}

/* The weights of head k in the block's rows. */
static sa_mat weights_of(const sa_attention *w, sa_mat alpha, int k, int S) {
    return sa_cols(sa_head_slice(alpha, w->heads, k), 0, S);
}

sa_head sa_head_view(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                     sa_attention_rows rows, const sa_attention_scratch *scratch, int k) {
    sa_head all = block_of(w, memory, block, rows, rows.q, scratch);
    all.c = (sa_mat){0};
    all.spans = sa_attention_spans(w, &all, scratch->spans);
    sa_head head = head_of(w, &all, k);
    head.alpha = weights_of(w, all.rows.alpha, k, all.v.rows);
    return head;
}

void sa_heads_forward(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                      sa_attention_rows rows, sa_mat o, const sa_attention_scratch *scratch) {
    sa_head all = block_of(w, memory, block, rows, o, scratch);
    all.spans = sa_attention_spans(w, &all, scratch->spans);
    sa_parts_forward(w, SA_PLACE_QUERY, &all);
    for (int k = 0; k < w->heads; k++) {
        sa_head head = head_of(w, &all, k);
        head.alpha = weights_of(w, all.rows.alpha, k, all.v.rows);
        sa_attend_forward(w, &head);
    }
}

/* The buffer in which the derivative by the weights of head k is made, with what their losses add.
 */
static sa_mat dalpha_of(const sa_attention *w, const sa_head *d, int k, int S) {
    if (d->rows.alpha.cols) return weights_of(w, d->rows.alpha, k, S);
    const sa_mat dalpha = sa_cols(sa_rows(d->scratch->dalpha, 0, d->c.rows), 0, S);
    sa_zero(dalpha);
    return dalpha;
}

/* From d_o and d.state: d.q, d.previous_carry, what dmemory has besides annotations, and what dw
 * has for the core are added to. */
static void heads_backward(const sa_attention *w, const sa_attention_pass *pass,
                           sa_query_block block, sa_mat d_o, sa_attention *dw) {
    const sa_attention_scratch *scratch = pass->scratch;
    sa_head all = block_of(w, pass->memory, block, pass->rows, d_o, scratch),
            dall = block_of(dw, pass->dmemory, block, pass->d, d_o, scratch);
    dall.dw = dw;
    all.c = (sa_mat){0}; /* nobody has kept it */
    all.spans = sa_attention_spans(w, &all, scratch->spans);
    for (int k = 0; k < w->heads; k++) {
        sa_head head = head_of(w, &all, k), d = head_of(w, &dall, k);
        const sa_mat dkeys = d.k;
        head.alpha = weights_of(w, all.rows.alpha, k, all.v.rows);
        d.alpha = dalpha_of(w, &dall, k, all.v.rows);
        head.derivative = &d;
        sa_attend_backward(w, &head, &d);
        if (d.k.x != dkeys.x) sa_add(d.k, dkeys); /* a part had put its own keys in their place */
    }
    sa_parts_backward(w, SA_PLACE_QUERY, &all, &dall);
}

int sa_running_width(const sa_attention *w) {
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->running_width) return w->part[p].kind->running_width(w);
    return 0;
}

void sa_running_step(const sa_attention *w, const sa_memory *words, int t, sa_mat q, sa_mat sums,
                     sa_mat o, sa_mat scratch) {
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->running_step)
            w->part[p].kind->running_step(w, p, words, t, q, sums, o, scratch);
}

/* ---- One query per sentence ------------------------------------------------------------------ */

/* An earlier row of the same sentence with the same query (hypotheses of a beam that continue the
 * same one), or l: without parts the weights depend on nothing else. */
static int same_query(const sa_attention *w, const int *which, sa_mat s, int l) {
    const size_t size = sizeof(sa_real) * (size_t)s.cols;
    for (int k = l - 1; which && !w->parts && k >= 0 && which[k] == which[l]; k--)
        if (memcmp(sa_row(s, k), sa_row(s, l), size) == 0) return k;
    return l;
}

/* A.1.2 (Bahdanau et al. 2015); Section 3.2.2 (Vaswani et al. 2017) */
void sa_attention_step_forward(const sa_attention *w, const sa_memory *memory, const int *which,
                               int i, sa_mat s, sa_attention_rows rows, sa_mat c,
                               const sa_attention_scratch *scratch) {
    const sa_mat o = sa_attention_head_output(w, rows, c);
    sa_attention_project_query(w, s, rows);
    for (int l = 0; l < s.rows; l++) {
        const int same = same_query(w, which, s, l);
        if (same < l) {
            sa_copy_mat(sa_rows(rows.alpha, same, 1), sa_rows(rows.alpha, l, 1));
            sa_copy_mat(sa_rows(o, same, 1), sa_rows(o, l, 1));
            continue;
        }
        const sa_query_block block = {l, 1, which ? which[l] : l, i};
        sa_heads_forward(w, memory, block, rows, o, scratch);
    }
    sa_attention_project_output(w, rows, c);
}

static void zero_derivatives(const sa_attention *w, sa_attention_rows d) {
    sa_zero(d.q), sa_zero(d.previous_carry);
    for (int p = 0; p < w->parts; p++)
        if (!w->part[p].kind->penalty && !w->part[p].kind->samples) sa_zero(d.part[p]);
}

void sa_attention_step_backward(const sa_attention *w, const sa_attention_pass *pass, int i,
                                sa_mat dc, sa_mat ds, sa_attention *dw) {
    const sa_mat d_o = project_output_backward(w, dc, pass->d);
    zero_derivatives(w, pass->d);
    for (int l = 0; l < dc.rows; l++)
        heads_backward(w, pass, (sa_query_block){l, 1, l, i}, d_o, dw);
    project_query_backward(w, pass, ds);
}

/* ---- All queries of all sentences ------------------------------------------------------------ */

sa_query_block sa_queries_of(const sa_queries *queries, int b) {
    const int first = queries->first[b];
    const int causal = queries->prefix ? queries->prefix[b] : queries->causal;
    return (sa_query_block){first, queries->first[b + 1] - first, b, 1, causal};
}

/* Section 3.2.2 (Vaswani et al. 2017): MultiHead(Q, K, V) */
void sa_attention_all_forward(const sa_attention *w, const sa_memory *memory,
                              const sa_queries *queries, sa_mat s, sa_attention_rows rows, sa_mat c,
                              const sa_attention_scratch *scratch) {
    const sa_mat o = sa_attention_head_output(w, rows, c);
    sa_attention_project_query(w, s, rows);
    for (int b = 0; b < queries->sentences; b++)
        sa_heads_forward(w, memory, sa_queries_of(queries, b), rows, o, scratch);
    sa_attention_project_output(w, rows, c);
}

void sa_attention_all_backward(const sa_attention *w, const sa_attention_pass *pass,
                               const sa_queries *queries, sa_mat s, sa_mat dc, sa_mat ds,
                               sa_attention *dw) {
    const sa_mat d_o = project_output_backward(w, dc, pass->d);
    zero_derivatives(w, pass->d);
    for (int b = 0; b < queries->sentences; b++)
        heads_backward(w, pass, sa_queries_of(queries, b), d_o, dw);
    project_query_backward(w, pass, ds);
    sa_attention_projections_backward(s, pass->rows, dc, pass->d, dw);
}
