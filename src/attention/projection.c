#include "attention/projection.h"
#include "attention/window.h"
#include "layers/linear.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

static const sa_mat no_bias = {0};

static void bind_maps(sa_binder *binder, const char *part, const sa_attention_sizes *sizes,
                      sa_differential *w) {
    const int maps = sizes->score->maps;
    if (maps)
        sa_differential_bind(binder, part, sizes->size / sizes->heads / maps, sizes->value,
                             sizes->layer, w);
}

void sa_attention_bind(sa_binder *binder, const char *part, sa_attention_sizes sizes,
                       sa_attention *w) {
    const sa_score *score = sizes.score;
    static const char *const names[2][4] = {{"W_a", "U_a", "W_v", "W_c"},
                                            {"W_q", "W_k", "W_v", "W_o"}};
    const char *const *name = names[sizes.transformer];
    const int H = sizes.heads, G = sizes.kv_heads ? sizes.kv_heads : H;
    const int n = sizes.state, A = sizes.annotation;
    *w = (sa_attention){.score = score,
                        .normalizer = sizes.normalizer,
                        .exponent = (sa_real)sizes.exponent,
                        .heads = H,
                        .kv_heads = G,
                        .query_width = n,
                        .coverage_loss = sizes.coverage_loss,
                        .max_fertility = (sa_real)sizes.max_fertility,
                        .window = sizes.window,
                        .window_size = sizes.window_size};
    if (score->query != SA_QUERY_IDENTITY) {
        w->query_width = score->query == SA_QUERY_POSITIONS ? H * sizes.max_positions
                         : score->query == SA_QUERY_MIXTURE ? H * 3 * score->state
                                                            : sizes.size;
        w->W_a = sa_bind_matrix(binder, part, name[0], w->query_width, n, SA_INIT_ALIGN);
    }
    if (score->key == SA_KEY_PROJECTED) {
        w->key_width = sizes.size / H * G;
        w->U_a = sa_bind_matrix(binder, part, name[1], w->key_width, A, SA_INIT_ALIGN);
    }
    if (score->key == SA_KEY_STATE_SIZED) {
        w->key_width = G * n;
        w->W_a =
            sa_bind_matrix(binder, part, name[sizes.transformer], w->key_width, A, SA_INIT_ALIGN);
    }
    if (score->key == SA_KEY_IDENTITY) {
        sa_require(H == 1 && A == n);
        w->key_width = A;
    }
    if (score->bind) w->v_a = score->bind(binder, part, sizes.size, H, sizes.max_positions);
    if (score->location_aware)
        w->location =
            sa_location_aware_bind(binder, part, sizes.size, sizes.filters, sizes.filter_width);
    if (H > 1 || sizes.transformer) {
        w->value_width = G * sizes.value;
        w->output_width = H * sizes.value;
        w->W_v = sa_bind_matrix(binder, part, name[2], w->value_width, A, SA_INIT_INPUT);
        w->W_c = sa_bind_matrix(binder, part, name[3], A, w->output_width, SA_INIT_INPUT);
    }
    if (w->window == SA_WINDOW_LOCAL_P) {
        w->W_p = sa_bind_matrix(binder, part, "W_p", sizes.size, n, SA_INIT_INPUT);
        w->v_p = sa_bind_vector(binder, part, "v_p", sizes.size, SA_INIT_ALIGN_LAST);
    }
    if (sizes.coverage)
        w->w_c = sa_bind_vector(binder, part, "w_c", w->key_width / G * H, SA_INIT_INPUT);
    if (sizes.fertility) w->U_f = sa_bind_vector(binder, part, "U_f", A, SA_INIT_INPUT);
    if (w->normalizer->exponent && sizes.exponent == SA_ENTMAX_ALPHA_LEARNED)
        w->a = sa_bind_vector(binder, part, "a", H, SA_INIT_ZERO); /* alpha = 1.5 */
    bind_maps(binder, part, &sizes, &w->differential);
    if (w->normalizer->learned_key)
        w->k_0 = sa_bind_vector(binder, part, "k_0", w->key_width / G * H, SA_INIT_ALIGN);
}

/* ---- Keys and values ------------------------------------------------------------------------- */

size_t sa_memory_width(const sa_attention *w, int A) {
    const bool raw = w->score->key == SA_KEY_IDENTITY;
    return (size_t)(raw && !w->value_width ? A
                                           : w->key_width + (w->value_width ? w->value_width : A));
}

void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory) {
    const int N = annotations.rows;
    const bool raw = w->score->key == SA_KEY_IDENTITY;
    *memory = (sa_memory){first,       0,           annotations,
                          annotations, annotations, sa_mat_alloc(arena, N, w->U_f.cols ? 1 : 0)};
    if (!raw) memory->keys = sa_mat_alloc(arena, N, w->key_width);
    if (w->value_width) memory->values = sa_mat_alloc(arena, N, w->value_width);
}

static void rotate_keys(const sa_attention *w, const sa_memory *memory, bool back, sa_mat keys) {
    const int *first = memory->first;
    for (int row = 0, b = 0; row < keys.rows; b++) {
        const int words = first ? first[b + 1] - first[b] : 1;
        sa_positions_rotate(&w->positions, w->kv_heads * sa_attention_maps(w),
                            first ? 0 : memory->position, back, sa_rows(keys, row, words));
        row += words;
    }
}

/* k_j = U_a h_j, W_a h_j or h_j itself; v_j = W_v h_j or h_j itself */
void sa_memory_forward(const sa_attention *w, sa_memory *memory) {
    const sa_mat h = memory->annotations;
    if (w->score->key == SA_KEY_PROJECTED) sa_linear_forward(w->U_a, no_bias, h, memory->keys);
    if (w->score->key == SA_KEY_STATE_SIZED) sa_linear_forward(w->W_a, no_bias, h, memory->keys);
    if (w->value_width) sa_linear_forward(w->W_v, no_bias, h, memory->values);
    if (w->positions.kind) rotate_keys(w, memory, false, memory->keys);
    if (w->U_f.cols) sa_fertility_forward(w->max_fertility, w->U_f, h, memory->fertility);
}

void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw) {
    const sa_mat h = memory->annotations, dh = d->annotations;
    if (w->U_f.cols)
        sa_fertility_backward(w->max_fertility, w->U_f, h, memory->fertility, d->fertility, dh,
                              dw->U_f);
    if (w->value_width && sa_gradient_intact("attention.value-projection"))
        sa_linear_backward(w->W_v, h, d->values, dh, dw->W_v, no_bias);
    if (!sa_gradient_intact("attention.keys")) return;
    if (w->positions.kind && sa_gradient_intact("rope.key")) rotate_keys(w, memory, true, d->keys);
    if (w->score->key == SA_KEY_PROJECTED)
        sa_linear_backward(w->U_a, h, d->keys, dh, dw->U_a, no_bias);
    if (w->score->key == SA_KEY_STATE_SIZED)
        sa_linear_backward(w->W_a, h, d->keys, dh, dw->W_a, no_bias);
}

void sa_memory_zero(sa_memory *d) {
    if (d->keys.x != d->annotations.x) sa_zero(d->keys);
    if (d->values.x != d->annotations.x) sa_zero(d->values);
    sa_zero(d->fertility);
}

/* ---- Heads ----------------------------------------------------------------------------------- */

sa_mat sa_head_part(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S) {
    return sa_cols(sa_head_part(sa_rows(alpha, row, 1), heads, k), 0, S);
}

sa_real sa_attention_exponent(const sa_attention *w, int k) {
    return w->a.cols ? sa_entmax_alpha(w->a.x[k]) : w->exponent;
}

/* ---- Queries and contexts -------------------------------------------------------------------- */

/* Whether the weights depend on those of the step before. */
static bool is_recurrent(const sa_attention *w) {
    return w->heads && w->normalizer->step_forward;
}

bool sa_attention_passes_weights(const sa_attention *w) {
    return is_recurrent(w) || w->location.F.cols;
}

bool sa_attention_draws(const sa_attention *w) {
    return w->heads && w->normalizer->draw;
}

int sa_attention_noise_width(const sa_attention *w, int steps) {
    return sa_attention_draws(w) ? w->heads : is_recurrent(w) ? w->heads * steps : 0;
}

int sa_attention_state_width(const sa_attention *w, int steps) {
    const int numbers = (w->w_c.cols > 0) + sa_attention_passes_weights(w); /* of a word */
    return w->heads ? w->heads * (w->score->state + numbers * steps) : 0;
}

sa_mat sa_state_score(const sa_attention *w, sa_mat states, int row, int k) {
    return sa_attention_head(states, row, w->heads, k, w->score->state);
}

sa_mat sa_state_coverage(const sa_attention *w, sa_mat states, int row, int k, int S) {
    return sa_cols(sa_head_part(sa_rows(states, row, 1), w->heads, k), w->score->state, S);
}

sa_mat sa_state_weights(const sa_attention *w, sa_mat states, int row, int k, int S) {
    const int own = w->score->state, words = states.cols / w->heads - own;
    const int coverage = w->w_c.cols ? words / 2 : 0;
    return sa_cols(sa_head_part(sa_rows(states, row, 1), w->heads, k), own + coverage, S);
}

void sa_attention_state_begin(const sa_attention *w, sa_mat state) {
    sa_zero(state); /* kappa_0 = 0, C_0j = 0 */
    for (int l = 0; sa_attention_passes_weights(w) && l < state.rows; l++)
        for (int k = 0; k < w->heads; k++) /* alpha_0 = (1, 0, .., 0) */
            *sa_state_weights(w, state, l, k, 1).x = 1;
}

sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool alpha) {
    const int state = sa_attention_state_width(w, steps), maps = w->heads ? w->score->maps : 0;
    const bool draws = sa_attention_draws(w), selects = alpha && (draws || is_recurrent(w));
    return (sa_attention_rows){
        .q = sa_mat_alloc(arena, rows, w->query_width),
        .alpha = sa_mat_alloc(arena, rows, alpha ? w->heads * steps : 0),
        .head_outputs = sa_mat_alloc(arena, rows, w->output_width),
        .maps = sa_mat_alloc(arena, rows, alpha ? w->heads * maps * steps : 0),
        .sums = sa_mat_alloc(arena, rows, maps ? w->output_width : 0),
        .hidden = sa_mat_alloc(arena, rows, w->v_p.cols),
        .relative_center = sa_mat_alloc(arena, rows, w->v_p.cols ? 1 : 0),
        .noise = sa_mat_alloc(arena, rows, 0),
        .selection = sa_mat_alloc(arena, rows, selects ? w->heads * steps : 0),
        .previous_state = sa_mat_alloc(arena, rows, state),
        .state = sa_mat_alloc(arena, rows, state),
        .coverage_loss = sa_mat_alloc(arena, rows, w->coverage_loss ? 1 : 0),
        .draws = sa_mat_alloc(arena, rows, draws ? 2 : 0),
    };
}

sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count) {
    return (sa_attention_rows){
        .q = sa_rows(all.q, first, count),
        .alpha = sa_rows(all.alpha, first, count),
        .head_outputs = sa_rows(all.head_outputs, first, count),
        .maps = sa_rows(all.maps, first, count),
        .sums = sa_rows(all.sums, first, count),
        .hidden = sa_rows(all.hidden, first, count),
        .relative_center = sa_rows(all.relative_center, first, count),
        .selection = sa_rows(all.selection, first, count),
        .noise = sa_rows(all.noise, first, count),
        .previous_state = sa_rows(all.previous_state, first, count),
        .state = sa_rows(all.state, first, count),
        .coverage_loss = sa_rows(all.coverage_loss, first, count),
        .draws = sa_rows(all.draws, first, count),
    };
}

void sa_attention_project_query(const sa_attention *w, sa_mat s, sa_attention_rows rows) {
    if (w->score->query == SA_QUERY_IDENTITY)
        sa_copy_mat(s, rows.q);
    else
        sa_linear_forward(w->W_a, no_bias, s, rows.q);
    if (w->window == SA_WINDOW_LOCAL_P)
        sa_window_center_forward(w->W_p, w->v_p, s, rows.hidden, rows.relative_center);
}

void sa_attention_project_query_backward(const sa_attention *w, sa_attention_rows rows,
                                         sa_attention_rows d, sa_mat ds) {
    if (w->window == SA_WINDOW_LOCAL_P)
        sa_window_center_backward(w->W_p, w->v_p, rows.hidden, rows.relative_center,
                                  d.relative_center, d.hidden, ds);
    if (!sa_gradient_intact("attention.query")) return;
    if (w->score->query == SA_QUERY_IDENTITY)
        sa_add(d.q, ds);
    else
        sa_weight_nn(d.q, w->W_a, 1, ds);
}

sa_mat sa_attention_head_output(const sa_attention *w, sa_attention_rows rows, sa_mat c) {
    return w->value_width ? rows.head_outputs : c;
}

void sa_attention_project_output(const sa_attention *w, sa_attention_rows rows, sa_mat c) {
    if (w->value_width) /* c = W_c [o^1 ; .. ; o^H] */
        sa_linear_forward(w->W_c, no_bias, rows.head_outputs, c);
}

sa_mat sa_attention_project_output_backward(const sa_attention *w, sa_mat dc, sa_attention_rows d) {
    if (!w->value_width) return dc;
    sa_zero(d.head_outputs);
    if (sa_gradient_intact("attention.output"))
        sa_weight_nn(dc, w->W_c, 1, d.head_outputs); /* c = W_c o */
    return d.head_outputs;
}

void sa_attention_projections_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                       sa_attention_rows d, sa_attention *dw) {
    if (dw->score->query != SA_QUERY_IDENTITY) sa_weight_tn(d.q, s, dw->W_a);
    if (dw->value_width) sa_weight_tn(dc, rows.head_outputs, dw->W_c);
    if (dw->window == SA_WINDOW_LOCAL_P)
        sa_window_weights_backward(s, rows.hidden, d.relative_center, d.hidden, dw->W_p, dw->v_p);
}
