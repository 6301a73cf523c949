/* The core and every entry of sa_scores: values by formulas; and the gradients of every attention
 * that tables can make, by differences. */
#include "support/attending.h"
#include "support/suite.h"
#include "tensor/vec.h"

#include <string.h>

/* ---- One head: Q queries over the S words of one sentence ------------------------------------ */

static const struct shape {
    int Q, S, units, max_positions;
} shapes[] = {{1, 1, 1, 1}, {1, 5, 3, 5}, {4, 7, 5, 3 /* S > S_max */}, {3, 2, 2, 9}, {1, 3, 4, 4}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static sa_head at;
static sa_span spans[8]; /* of every query */
static sa_mat dy;

static int row_of(const char *name) {
    int row = 0;
    while (sa_scores[row].name && strcmp(sa_scores[row].name, name) != 0) row++;
    ck_assert_ptr_nonnull(sa_scores[row].name);
    return row;
}

/* A score without the parts that come with it. */
static void open_row(int row, int number) {
    const struct shape shape = shapes[number];
    const sa_score *score = &sa_scores[row];
    sa_binder counting = {0};
    w = dw = (sa_attention){.score = score,
                            .normalizer = &sa_normalizers[SA_NORMALIZER_SOFTMAX],
                            .heads = 1,
                            .kv_heads = 1};
    const int width = score->query == SA_QUERY_POSITIONS ? shape.max_positions
                      : score->query == SA_QUERY_MIXTURE ? 3 * score->part->carry
                                                         : shape.units;
    const int keys = score->key == SA_KEY_NONE ? 0 : shape.units;
    w.key_width = keys;
    if (score->bind) score->bind(&counting, "attention", keys, 1, shape.max_positions);
    weights = drawn(1, (int)counting.offset), dweights = filled(1, weights.cols, BEFORE);
    sa_binder own = {.buffer = weights.x}, down = {.buffer = dweights.x};
    if (score->bind) {
        w.v_a = score->bind(&own, "attention", keys, 1, shape.max_positions);
        dw.v_a = score->bind(&down, "attention", keys, 1, shape.max_positions);
    }
    scratch = sa_attention_scratch_layout(&numbers, &w, shape.Q, shape.S, true);
    at = (sa_head){.i = 1,
                   .v_a = w.v_a,
                   .q = drawn(shape.Q, width),
                   .k = drawn(shape.S, keys),
                   .v = drawn(shape.S, 2),
                   .alpha = unset(shape.Q, shape.S),
                   .c = unset(shape.Q, 2),
                   .spans = spans,
                   .exponent = &w.exponent,
                   .scratch = &scratch};
    const bool bounded = score->query == SA_QUERY_POSITIONS && shape.max_positions < shape.S;
    for (int i = 0; i < shape.Q; i++)
        spans[i] = (sa_span){0, bounded ? shape.max_positions : shape.S};
}

/* Query i sees positions i .. i+2, as far as they exist. */
static void narrow_spans(void) {
    const int seen = spans[0].count;
    for (int i = 0; i < at.q.rows; i++) {
        const int first = i < seen ? i : seen - 1;
        spans[i] = (sa_span){first, seen - first < 3 ? seen - first : 3};
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

static double by_perceptron(int i, int j) {
    double sum = 0;
    for (int l = 0; l < at.k.cols; l++)
        sum += w.v_a.x[l] * tanh(sa_row(at.q, i)[l] + sa_row(at.k, j)[l]);
    return sum;
}

static double by_product(int i, int j) {
    double sum = 0;
    for (int l = 0; l < at.k.cols; l++) sum += sa_row(at.q, i)[l] * sa_row(at.k, j)[l];
    return sum;
}

static double by_scaled_product(int i, int j) {
    return by_product(i, j) / sqrt(at.k.cols);
}

static double by_position(int i, int j) {
    return sa_row(at.q, i)[j];
}

static double by_distance(int i, int j) {
    double sum = 0;
    for (int l = 0; l < at.k.cols; l++) sum += pow(sa_row(at.q, i)[l] - sa_row(at.k, j)[l], 2);
    return -sum / (2 * exp(2 * w.v_a.x[0]));
}

static double by_angle(int i, int j) {
    double of_q = 0, of_k = 0;
    for (int l = 0; l < at.k.cols; l++)
        of_q += pow(sa_row(at.q, i)[l], 2), of_k += pow(sa_row(at.k, j)[l], 2);
    return by_product(i, j) / sqrt(of_q * of_k);
}

static double by_sharp_angle(int i, int j) {
    const double own = w.v_a.x[0];
    return (strcmp(w.score->name, "cosine") == 0 ? log(1 + exp(own)) : own) * by_angle(i, j);
}

static double by_nothing(int i, int j) {
    (void)i, (void)j;
    return 0;
}

static const struct {
    const char *name;
    double (*score)(int i, int j); /* e_ij */
} formulas[] = {
    {"additive", by_perceptron}, {"concat", by_perceptron},   {"scaled-dot", by_scaled_product},
    {"dot", by_product},         {"general", by_product},     {"raw-dot", by_product},
    {"location", by_position},   {"uniform", by_nothing},     {"gaussian", by_distance},
    {"cosine", by_sharp_angle},  {"qk-norm", by_sharp_angle},
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

/* alpha and c by their definition, a query at a time, inside whole and narrow spans. */
START_TEST(core_follows_its_equations) {
    double (*score)(int i, int j) = formulas[_i / 2 / SHAPES].score;
    open_row(row_of(formulas[_i / 2 / SHAPES].name), _i / 2 % SHAPES);
    if (_i % 2) narrow_spans();
    sa_attend_forward(&w, &at);
    sa_mat alpha = filled(at.q.rows, at.k.rows, 0), context = filled(at.q.rows, 2, 0);
    for (int i = 0; i < at.q.rows; i++) {
        const int first = spans[i].first, behind = first + spans[i].count;
        double sum = 0;
        for (int j = first; j < behind; j++) sum += exp(score(i, j));
        for (int j = first; j < behind; j++) {
            sa_row(alpha, i)[j] = exp(score(i, j)) / sum;
            sa_axpy(sa_row(alpha, i)[j], sa_row(at.v, j), sa_row(context, i), 2);
        }
        for (int j = 0; j < at.k.rows; j++)
            if (j < first || j >= behind) ck_assert_double_eq(sa_row(at.alpha, i)[j], 0);
        ck_assert_double_eq_tol(sa_sum(sa_row(at.alpha, i), at.k.rows), 1, 1e-15);
    }
    ck_assert_double_le(farthest(at.alpha, alpha), 1e-15);
    ck_assert_double_le(farthest(at.c, context), 2e-15);
}
END_TEST

START_TEST(query_is_one_row_or_many) {
    open_row(_i / SHAPES, _i % SHAPES);
    sa_attend_forward(&w, &at);
    sa_head alone = at;
    alone.alpha = unset(1, at.k.rows), alone.c = unset(1, 2);
    for (int i = 0; i < at.q.rows; i++) {
        alone.q = sa_rows(at.q, i, 1), alone.spans = spans + i;
        sa_attend_forward(&w, &alone);
        ck_assert_double_le(farthest(alone.alpha, sa_rows(at.alpha, i, 1)), 1e-15);
        ck_assert_double_le(farthest(alone.c, sa_rows(at.c, i, 1)), 1e-15);
    }
}
END_TEST

/* As --positions rope rotates them. */
START_TEST(rotations_leave_scores_that_say_so) {
    open_row(_i, SHAPES - 1);
    if (w.score->forward == sa_scores[SA_ATTENTION_UNIFORM].forward) return; /* a part reads keys */
    if (w.score->key == SA_KEY_NONE) return;
    const sa_mat e = unset(1, at.k.rows), again = unset(1, at.k.rows);
    w.score->forward(w.v_a, at.q, at.k, e, scratch.score);
    for (int j = -1; j < at.k.rows; j++) {
        sa_real *x = j < 0 ? at.q.x : sa_row(at.k, j);
        const sa_real y[] = {0.6 * x[0] - 0.8 * x[1], 0.8 * x[0] + 0.6 * x[1],
                             0.6 * x[2] - 0.8 * x[3], 0.8 * x[2] + 0.6 * x[3]};
        memcpy(x, y, sizeof y);
    }
    w.score->forward(w.v_a, at.q, at.k, again, scratch.score);
    ck_assert_msg((w.score->key != SA_KEY_UNITS) == (farthest(e, again) < 1e-14),
                  "%s: turning q and k together moves e by %g, which its key does not say",
                  w.score->name, farthest(e, again));
}
END_TEST

START_TEST(kernel_of_unit_keys_is_a_scaled_product) {
    open_row(row_of("gaussian"), 1);
    for (int j = 0; j < at.k.rows; j++)
        sa_scale(1 / sa_sqrt(sa_dot(sa_row(at.k, j), sa_row(at.k, j), at.k.cols)),
                 sa_rows(at.k, j, 1));
    sa_attend_forward(&w, &at);
    sa_mat product = unset(1, at.k.rows);
    for (int j = 0; j < at.k.rows; j++) product.x[j] = by_product(0, j) / exp(2 * w.v_a.x[0]);
    sa_softmax(product);
    ck_assert_double_le(farthest(at.alpha, product), 1e-14);
}
END_TEST

START_TEST(narrow_and_wide_kernels) {
    open_row(row_of("gaussian"), 1);
    fill(w.v_a, 20), sa_attend_forward(&w, &at);
    ck_assert_double_le(farthest(at.alpha, filled(1, at.k.rows, 1.0 / at.k.rows)), 1e-14);
    fill(w.v_a, -20), sa_copy_mat(sa_rows(at.k, 2, 1), at.q);
    sa_attend_forward(&w, &at);
    for (int j = 0; j < at.k.rows; j++) ck_assert_double_eq(at.alpha.x[j], j == 2);
}
END_TEST

START_TEST(attention_without_v_a_is_uniform) {
    open_row(row_of("additive"), _i);
    fill(w.v_a, 0);
    sa_attend_forward(&w, &at);
    const sa_mat equal = filled(at.alpha.rows, at.alpha.cols, 1.0 / at.alpha.cols);
    ck_assert_double_eq(farthest(at.alpha, equal), 0);
}
END_TEST

static double core(void) {
    sa_attend_forward(&w, &at);
    return weighted_sum(at.c, dy);
}

START_TEST(core_backward) {
    open_row(_i / 2 / SHAPES, _i / 2 % SHAPES);
    if (_i % 2) narrow_spans();
    dy = drawn(at.q.rows, 2);
    sa_head d = {.v_a = dw.v_a,
                 .q = filled(at.q.rows, at.q.cols, BEFORE),
                 .k = filled(at.k.rows, at.k.cols, BEFORE),
                 .v = filled(at.v.rows, 2, BEFORE),
                 .alpha = filled(at.q.rows, at.k.rows, 0),
                 .c = unset(at.q.rows, 2),
                 .scratch = &scratch,
                 .dw = &dw};
    sa_copy_mat(dy, d.c);
    core();
    sa_attend_backward(&w, &at, &d);
    CHECK_ADDED(core, at.q, d.q);
    CHECK_ADDED(core, at.k, d.k);
    CHECK_ADDED(core, at.v, d.v);
    CHECK_ADDED(core, weights, dweights);
}
END_TEST

/* ---- Every attention of the tables ----------------------------------------------------------- */

/* What losses add to the weights, to what a part penalizes or draws, and to the last state. */
static sa_mat dalpha, dextra, dcarry;

static sa_mat extra_of(sa_attention_rows of) {
    for (int p = 0; p < w.parts; p++) {
        const sa_rare_hooks *row = sa_rare_of(w.part[p].kind);
        if (row->penalty && of.part[p].cols) return row->penalty(of.part[p]);
        if (row->samples) return row->samples(of.part[p]);
    }
    return (sa_mat){0};
}

/* What losses give is 0 until it is drawn; all else is overwritten by the backward pass. */
static void fill_given(const sa_part *part, sa_mat d) {
    const sa_rare_hooks *rare = sa_rare_of(part);
    if (d.cols) fill(d, rare->penalty || rare->samples ? 0 : NAN);
}

static double objective(void) {
    attend();
    return weighted_sum(c, dy) + weighted_sum(rows.alpha, dalpha) +
           weighted_sum(extra_of(rows), dextra) +
           weighted_sum(step_of(rows, STEPS - 1).carry, dcarry);
}

static void steps_backward(sa_attention_pass all, sa_mat ds) {
    const sa_mat dc = unset(dy.rows, dy.cols);
    sa_copy_mat(dy, dc); /* which may be overwritten */
    for (int t = STEPS - 1; t >= 0; t--) {
        const sa_attention_pass one = {all.memory, step_of(all.rows, t), step_of(all.d, t),
                                       all.dmemory, all.scratch};
        const sa_queries step = {.blocks = SENTENCES, .i = t + 1};
        sa_attention_backward(&w, &one, &step, step_rows(dc, t), step_rows(ds, t), &dw);
        if (t) sa_copy_mat(one.d.previous_carry, step_of(all.d, t - 1).carry);
    }
}

static void check_gradients(void) {
    const double margin = settings.attention == SA_ATTENTION_LINEAR ? 8 : 3;
    const int R = states.rows, A = sizes.annotation_width;
    sa_attention_rows d = sa_attention_rows_layout(&numbers, &w, R, LONGEST, true);
    sa_memory dmemory;
    do {
        draw(weights, 1), draw(states, 1), draw(memory.annotations, 1);
        draw_above_0(rows.previous_carry), draw_above_0(rows.noise);
        attend();
    } while (met.nearest < margin);
    d.alpha = drawn(R, rows.alpha.cols), fill(d.q, NAN), fill(d.previous_carry, NAN);
    for (int p = 0; p < w.parts; p++) fill_given(w.part[p].kind, d.part[p]);
    draw(d.carry, 1), draw(extra_of(d), 1);
    dy = drawn(R, A), dalpha = unset(R, d.alpha.cols), sa_copy_mat(d.alpha, dalpha);
    dextra = unset(extra_of(d).rows, extra_of(d).cols), sa_copy_mat(extra_of(d), dextra);
    dcarry = unset(SENTENCES, d.carry.cols);
    if (d.carry.cols) sa_copy_mat(step_of(d, STEPS - 1).carry, dcarry);
    const sa_mat ds = filled(R, sizes.state_width, BEFORE),
                 dh = filled(memory.annotations.rows, A, BEFORE);
    sa_memory_layout(&numbers, &w, words_before, dh, &dmemory);
    sa_memory_zero(&w, &dmemory);
    const sa_attention_pass all = {&memory, rows, d, &dmemory, &scratch};
    objective();
    if (sizes.transformer)
        sa_attention_backward(&w, &all, &asked, dy, ds, &dw);
    else
        steps_backward(all, ds);
    sa_attention_projections_backward(states, rows, dy, d, &dw);
    sa_memory_backward(&w, &memory, &dmemory, &dw);
    CHECK_ADDED(objective, states, ds);
    CHECK_ADDED(objective, memory.annotations, dh);
    CHECK_ADDED(objective, weights, dweights);
    if (!sizes.transformer && d.carry.cols)
        check_slope("previous_carry", objective, step_of(rows, 0).previous_carry,
                    step_of(d, 0).previous_carry, 0);
}

static const struct variant {
    int heads, kv_heads, value, normalizer;
    double alpha; /* of entmax */
    int window, window_size, coverage, projection, gate, latent;
} variants[] = {
    {.heads = 1},
    {.heads = 2, .value = 3, .coverage = SA_COVERAGE_LINGUISTIC},
    {.heads = 4, .kv_heads = 2, .value = 2, .window = SA_WINDOW_LOCAL_M},
    {.heads = 1, .window = SA_WINDOW_LOCAL_M, .window_size = 2, .coverage = SA_COVERAGE_LOSS},
    {.heads = 2, .window = SA_WINDOW_LOCAL_P, .window_size = 2},
    {.heads = 1, .window = SA_WINDOW_LOCAL_P, .normalizer = SA_NORMALIZER_NULL},
    {.heads = 2, .normalizer = SA_NORMALIZER_NULL_KEY, .coverage = SA_COVERAGE_LOSS},
    {.heads = 1, .normalizer = SA_NORMALIZER_SPARSEMAX},
    {.heads = 1, .normalizer = SA_NORMALIZER_ENTMAX, .alpha = 1.5},
    {.heads = 2, .normalizer = SA_NORMALIZER_ENTMAX, .alpha = SA_ENTMAX_ALPHA_LEARNED},
    {.heads = 2, .normalizer = SA_NORMALIZER_SINK, .coverage = SA_COVERAGE_LOSS},
    {.heads = 2, .normalizer = SA_NORMALIZER_SSMAX, .window = SA_WINDOW_LOCAL_M},
    {.heads = 1, .normalizer = SA_NORMALIZER_SOFTPICK, .gate = SA_GATE_ELEMENTWISE},
    {.heads = 4, .kv_heads = 2, .value = 2, .gate = SA_GATE_HEADWISE},
    {.heads = 2, .normalizer = SA_NORMALIZER_SIGMOID, .coverage = SA_COVERAGE_LOSS},
    {.heads = 2, .value = 2, .latent = 3, .window = SA_WINDOW_LOCAL_P},
    {.heads = 4, .latent = 2, .coverage = SA_COVERAGE_LINGUISTIC, .gate = SA_GATE_ELEMENTWISE},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void set_variant(struct variant variant) {
    settings.heads = variant.heads, settings.kv_heads = variant.kv_heads;
    settings.value_size = variant.value, settings.normalizer = variant.normalizer;
    if (variant.normalizer == SA_NORMALIZER_ENTMAX) settings.entmax_alpha = variant.alpha;
    settings.window = variant.window, settings.coverage = variant.coverage;
    settings.latent = variant.latent;
    settings.head_projection = variant.projection, settings.attention_gate = variant.gate;
    if (variant.normalizer == SA_NORMALIZER_STICK_BREAKING) settings.model = SA_MODEL_DECODER_ONLY;
    if (variant.window_size) settings.window_size = variant.window_size;
}

START_TEST(steps_of_a_decoder) {
    attention_settings(_i / VARIANTS);
    set_variant(variants[_i % VARIANTS]);
    if (decoder_open()) check_gradients();
}
END_TEST

static const struct {
    sa_attention_site site;
    int positions;
    struct variant variant;
} layers[] = {
    {SA_SITE_CROSS, 0, {.heads = 2, .kv_heads = 1, .value = 3}},
    {SA_SITE_CROSS, 0, {.heads = 1, .window = SA_WINDOW_LOCAL_P}},
    {SA_SITE_CROSS, 0, {.heads = 2, .value = 3, .projection = SA_HEAD_PROJECTION_SPLIT}},
    {SA_SITE_DECODER, SA_POSITIONS_SHAW, {.heads = 2, .projection = SA_HEAD_PROJECTION_SPLIT}},
    {SA_SITE_ENCODER, SA_POSITIONS_T5, {.heads = 2, .value = 2}},
    {SA_SITE_DECODER, SA_POSITIONS_T5, {.heads = 1, .normalizer = SA_NORMALIZER_NULL_KEY}},
    {SA_SITE_ENCODER, SA_POSITIONS_ALIBI, {.heads = 2, .value = 2, .window = SA_WINDOW_SLIDING}},
    {SA_SITE_ENCODER, SA_POSITIONS_ROPE, {.heads = 2, .kv_heads = 1, .value = 2}},
    {SA_SITE_DECODER, SA_POSITIONS_ROPE, {.heads = 1, .window = SA_WINDOW_SLIDING}},
    {SA_SITE_ENCODER, SA_POSITIONS_SHAW, {.heads = 2, .value = 2}},
    {SA_SITE_DECODER,
     SA_POSITIONS_SHAW,
     {.heads = 2, .kv_heads = 1, .value = 3, .normalizer = SA_NORMALIZER_NULL_KEY}},
    {SA_SITE_DECODER,
     0,
     {.heads = 2,
      .value = 2,
      .normalizer = SA_NORMALIZER_ENTMAX,
      .alpha = SA_ENTMAX_ALPHA_LEARNED}},
    {SA_SITE_ENCODER, SA_POSITIONS_FORGETTING, {.heads = 2, .gate = SA_GATE_HEADWISE}},
    {SA_SITE_DECODER,
     SA_POSITIONS_FORGETTING,
     {.heads = 2, .value = 2, .normalizer = SA_NORMALIZER_SINK, .gate = SA_GATE_ELEMENTWISE}},
    {SA_SITE_DECODER, SA_POSITIONS_ALIBI, {.heads = 2, .normalizer = SA_NORMALIZER_SSMAX}},
    {SA_SITE_DECODER, SA_POSITIONS_FORGETTING, {.heads = 1, .normalizer = SA_NORMALIZER_SOFTPICK}},
    {SA_SITE_DECODER, 0, {.heads = 2, .normalizer = SA_NORMALIZER_STICK_BREAKING}},
    {SA_SITE_DECODER, SA_POSITIONS_FORGETTING, {.heads = 2, .normalizer = SA_NORMALIZER_SIGMOID}},
    {SA_SITE_DECODER,
     SA_POSITIONS_ALIBI,
     {.heads = 2, .kv_heads = 1, .normalizer = SA_NORMALIZER_SELECTIVE}},
    {SA_SITE_DECODER, SA_POSITIONS_T5, {.heads = 2, .value = 3, .latent = 2}},
    {SA_SITE_CROSS, 0, {.heads = 1, .latent = 5, .normalizer = SA_NORMALIZER_SINK}},
    {SA_SITE_DECODER,
     SA_POSITIONS_FORGETTING,
     {.heads = 2, .latent = 3, .window = SA_WINDOW_SLIDING, .gate = SA_GATE_HEADWISE}},
};
enum { LAYERS = sizeof layers / sizeof *layers };

START_TEST(layers_of_a_transformer) {
    const int positions = layers[_i % LAYERS].positions;
    attention_settings(_i / LAYERS);
    set_variant(layers[_i % LAYERS].variant);
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.layer = 2, sizes.site = layers[_i % LAYERS].site;
    if (attention_open(positions ? &sa_position_kinds[positions] : NULL,
                       sizes.site == SA_SITE_DECODER))
        check_gradients();
}
END_TEST

/* The whole matrix of split projections: 0 outside of the heads' blocks. */
static void make_whole(sa_mat blocks, sa_mat whole) {
    const int heads = whole.cols / blocks.cols, rows_of_one = whole.rows / heads;
    fill(whole, 0);
    for (int k = 0; k < heads; k++)
        sa_copy_mat(sa_rows(blocks, k * rows_of_one, rows_of_one),
                    sa_head_slice(sa_rows(whole, k * rows_of_one, rows_of_one), heads, k));
}

static void open_projection(int projection) {
    attention_settings(SA_ATTENTION_SCALED_DOT);
    settings.heads = 2, settings.head_projection = projection;
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.site = SA_SITE_ENCODER;
    ck_assert(attention_open(NULL, false));
}

START_TEST(split_projections_are_whole_ones_with_zeros) {
    open_projection(SA_HEAD_PROJECTION_SPLIT);
    attend();
    const sa_attention split = w;
    const sa_mat of_split = c, queries = states, words = memory.annotations;
    ck_assert_int_eq(weights.cols,
                     (8 * 4 + 8 * 4 + 4 * 4) / 2 + 4 * 4); /* a 1/H of W_q, W_k, W_v */
    open_projection(SA_HEAD_PROJECTION_FULL);
    make_whole(split.W_a.mat, w.W_a.mat), make_whole(split.U_a.mat, w.U_a.mat);
    make_whole(split.W_v.mat, w.W_v.mat), sa_copy_mat(split.W_c.mat, w.W_c.mat);
    sa_copy_mat(queries, states), sa_copy_mat(words, memory.annotations);
    attend();
    ck_assert_double_le(farthest(c, of_split), 1e-15);
}
END_TEST

/* The first head's scores are the rows below, the second's are 0. Row 3 hides word 2 from row 4:
 * weights computed by numpy from the equations of Leviathan et al. (2024). */
START_TEST(words_that_were_looked_for_are_hidden) {
    static const double e[4][4] = {{.5}, {1, -.5}, {.2, .8, -.3}, {-1, .6, .1, .4}},
                        alpha[2][4] = {{.097230, .216389, .292095, .394287},
                                       {.289911, .130266, .289911, .289911}};
    attention_settings(SA_ATTENTION_DOT);
    settings.heads = 2, settings.normalizer = SA_NORMALIZER_SELECTIVE;
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.site = SA_SITE_DECODER;
    ck_assert(attention_open(&sa_position_kinds[SA_POSITIONS_NONE], true));
    fill(weights, 0), fill(states, 0), fill(memory.annotations, 0);
    for (int i = 0; i < 4; i++) {
        sa_row(states, i)[i] = sa_row(memory.annotations, i)[i] = sa_row(w.U_a.mat, i)[i] = 1;
        for (int j = 0; j < 4; j++) sa_row(w.W_a.mat, j)[i] = e[i][j];
    }
    attend();
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 4; j++)
            ck_assert_double_eq_tol(sa_attention_head(rows.alpha, 3, 2, k, LONGEST).x[j],
                                    alpha[k][j], 5e-7);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attention in double", &tests);
    int scores = 0;
    while (sa_scores[scores].name) scores++;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, core_follows_its_equations, 0, 2 * FORMULAS * SHAPES);
    tcase_add_loop_test(tests, query_is_one_row_or_many, 0, scores * SHAPES);
    tcase_add_loop_test(tests, rotations_leave_scores_that_say_so, 0, scores);
    tcase_add_test(tests, kernel_of_unit_keys_is_a_scaled_product);
    tcase_add_test(tests, narrow_and_wide_kernels);
    tcase_add_loop_test(tests, attention_without_v_a_is_uniform, 0, SHAPES);
    tcase_add_loop_test(tests, core_backward, 0, 2 * scores * SHAPES);
    tcase_add_loop_test(tests, steps_of_a_decoder, 0, scores * VARIANTS);
    tcase_add_loop_test(tests, layers_of_a_transformer, 0, scores * LAYERS);
    tcase_add_test(tests, split_projections_are_whole_ones_with_zeros);
    tcase_add_test(tests, words_that_were_looked_for_are_hidden);
    return suite_run(suite);
}
