/* layout: binds the parameters of an attention and lays out its buffers; no equations. */
#include "attention/parts.h"

sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state_width,
                                         int annotation_width) {
    const sa_score *score = &sa_scores[settings->attention];
    const sa_part *own = score->part;
    const int value =
        settings->value_size ? settings->value_size : annotation_width / settings->heads;
    return (sa_attention_sizes){
        .score = score,
        .normalizer =
            own && own->normalizer ? own->normalizer : &sa_normalizers[settings->normalizer],
        .settings = *settings,
        .state_width = state_width,
        .annotation_width = annotation_width,
        .size = settings->attn,
        .max_positions = settings->max_len + 1, /* EOS has a position, too */
        .heads = settings->heads,
        .kv_heads = settings->kv_heads,
        .value = value > 1 ? value : 1, /* there may be more heads than units */
    };
}

sa_attention_sizes sa_attention_sizes_at(sa_attention_sizes sizes, sa_attention_site site,
                                         int layer) {
    const int every = sizes.settings.hybrid;
    sizes.site = site, sizes.layer = layer;
    if (!every || (site != SA_SITE_CROSS && layer % every != 0)) return sizes;
    sizes.settings.attention = SA_ATTENTION_SCALED_DOT, sizes.settings.window = SA_WINDOW_NONE;
    sizes.score = &sa_scores[SA_ATTENTION_SCALED_DOT];
    sizes.normalizer = &sa_normalizers[sizes.settings.normalizer];
    return sizes;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

/* Returns the size of one head's projected query. */
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
    const int latent = sizes->settings.latent;
    const int H = sizes->heads, G = latent ? 1 : sizes->kv_heads ? sizes->kv_heads : H;
    const int n = sizes->state_width,
              A = sizes->annotation_width; /* in slices that are projected separately: */
    const int slices = sizes->settings.head_projection == SA_HEAD_PROJECTION_SPLIT ? H : 1;
    *w = (sa_attention){.score = score,
                        .normalizer = sizes->normalizer,
                        .exponent = (sa_real)sizes->settings.entmax_alpha,
                        .heads = H,
                        .kv_heads = G,
                        .query_width = n};
    const sa_part *list[SA_PARTS_CHOSEN];
    const int count = sa_parts_choose(sizes, list);
    for (int p = 0; p < count; p++) {
        sa_part_add(w, list[p], p);
        if (list[p]->normalizer) w->normalizer = list[p]->normalizer;
    }
    if (score->query != SA_QUERY_IDENTITY) {
        w->query_width = H * projected_width(sizes);
        w->W_a = sa_bind_matrix(binder, prefix, own[0], w->query_width, n / slices, SA_INIT_ALIGN);
    }
    if (sa_key_projected(score)) {
        w->key_width = latent ? latent : sizes->size / H * G;
        w->U_a = sa_bind_matrix(binder, prefix, latent ? "W_dkv" : own[1], w->key_width, A / slices,
                                latent ? SA_INIT_INPUT : SA_INIT_ALIGN);
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
    sa_parts_bind(binder, prefix, sizes, SA_BIND_BEFORE_VALUES, w);
    if (H > 1 || sizes->transformer) {
        w->value_width = latent ? 0 : G * sizes->value;
        w->output_width = H * sizes->value;
        w->W_v = sa_bind_matrix(binder, prefix, latent ? "W_uv" : own[2],
                                latent ? w->output_width : w->value_width,
                                latent ? latent : A / slices, SA_INIT_INPUT);
        w->W_c = sa_bind_matrix(binder, prefix, own[3], A, w->output_width, SA_INIT_INPUT);
    }
    sa_parts_bind(binder, prefix, sizes, SA_BIND_AFTER_VALUES, w);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

sa_part_widths sa_part_widths_of(const sa_attention *w, int part, int queries, int steps) {
    const sa_part *kind = w->part[part].kind;
    return kind->widths ? kind->widths(w, part, queries, steps) : (sa_part_widths){0};
}

sa_part_widths sa_parts_widths(const sa_attention *w, int count, int queries, int steps) {
    sa_part_widths sum = {0};
    for (int p = 0; p < count; p++) {
        const sa_part_widths own = sa_part_widths_of(w, p, queries, steps);
        sum.memory += own.memory, sum.noise += own.noise;
        sum.running += own.running, sum.scratch += own.scratch;
    }
    return sum;
}

int sa_carry_width(const sa_attention *w, int count, int steps) {
    int width = 0;
    for (int p = 0; p < count; p++)
        width += w->part[p].kind->carry + w->part[p].kind->carry_words * steps;
    return width;
}

/* ---- Keys and values ------------------------------------------------------------------------- */

size_t sa_memory_width(const sa_attention *w, int A) {
    const bool raw = w->score->key == SA_KEY_IDENTITY;
    const int keys = raw && !w->output_width ? 0 : w->key_width,
              values = w->output_width ? w->value_width : A;
    return (size_t)(keys + values + sa_parts_widths(w, w->parts, 0, 0).memory);
}

void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory) {
    const int N = annotations.rows;
    *memory = (sa_memory){
        .first = first, .annotations = annotations, .keys = annotations, .values = annotations};
    if (w->score->key != SA_KEY_IDENTITY) memory->keys = sa_mat_alloc(arena, N, w->key_width);
    if (w->output_width) memory->values = sa_mat_alloc(arena, N, w->value_width);
    for (int p = 0; p < w->parts; p++)
        memory->part[p] = sa_mat_alloc(arena, N, sa_part_widths_of(w, p, 0, 0).memory);
}

/* ---- Queries --------------------------------------------------------------------------------- */

bool sa_attention_lacks(const sa_attention *w) {
    bool lacks = w->normalizer->null_key;
    for (int p = 0; p < w->parts; p++) lacks = lacks || sa_rare_of(w->part[p].kind)->lacks;
    return lacks;
}

void sa_attention_draw_noise(const sa_attention *w, double amount, sa_rng *rng,
                             const sa_batch_side *side, sa_mat noise) {
    for (int p = 0; p < w->parts; p++)
        if (sa_rare_of(w->part[p].kind)->draw_noise)
            sa_rare_of(w->part[p].kind)->draw_noise(w, p, amount, rng, side, noise);
}

void sa_attention_carry_begin(const sa_attention *w, sa_mat carry) {
    sa_zero(carry);
    for (int p = 0; p < w->parts; p++)
        for (int l = 0; sa_rare_of(w->part[p].kind)->carry_begin != 0 && l < carry.rows; l++)
            for (int k = 0; k < w->heads; k++)
                *sa_part_carry(w, p, sa_rows(carry, l, 1), k, 1).x =
                    (sa_real)sa_rare_of(w->part[p].kind)->carry_begin;
}

int sa_attention_growth(const sa_attention *w) {
    int most = w->heads;
    for (int p = 0; p < w->parts; p++) {
        const int own = sa_part_widths_of(w, p, 0, 1).row - sa_part_widths_of(w, p, 0, 0).row;
        if (own > most) most = own;
    }
    return most;
}

sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool gradient) {
    const int carry = w->heads * sa_carry_width(w, w->parts, steps);
    sa_attention_rows all = {
        .q = sa_mat_alloc(arena, rows, w->query_width),
        .alpha = sa_mat_alloc(arena, rows, gradient ? 0 : w->heads * steps),
        .head_outputs = sa_mat_alloc(arena, rows, w->output_width),
        .previous_carry = sa_mat_alloc(arena, rows, carry),
        .carry = sa_mat_alloc(arena, rows, carry),
        .noise = sa_mat_alloc(arena, rows, 0),
    };
    for (int p = 0; p < w->parts; p++) {
        const sa_part_widths own = sa_part_widths_of(w, p, 0, steps);
        all.part[p] = sa_mat_alloc(arena, rows, gradient ? own.gradient : own.row);
    }
    return all;
}

sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count) {
    sa_slice_mats(&all, sizeof all, all.q.rows, first, count);
    return all;
}

sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w,
                                                 int queries, int steps, bool training) {
    int own = 0;
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->own_keys) own = w->key_width / w->kv_heads;
    const bool again = training && w->heads && w->normalizer->scored_backward;
    return (sa_attention_scratch){
        .score = sa_mat_alloc(arena, steps, w->key_width),
        .own_keys = sa_mat_alloc(arena, steps, own),
        .d_own_keys = sa_mat_alloc(arena, training ? steps : 0, own),
        .dalpha = sa_mat_alloc(arena, training ? queries : 0, steps),
        .soft = sa_mat_alloc(arena, queries, steps),
        .scores = sa_mat_alloc(arena, again ? queries : 0, steps),
        .spans = sa_arena_alloc(arena, (size_t)queries, sizeof(sa_span)),
        .parts = sa_mat_alloc(arena, 1, sa_parts_widths(w, w->parts, queries, steps).scratch),
    };
}
