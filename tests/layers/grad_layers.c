/* The backward pass of every layer alone, against differences of its forward pass. */
#include "layers/basic.h"
#include "layers/bindings.h"
#include "layers/loss.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

static sa_mat W, b, x, y, dy;

/* ---- linear ---------------------------------------------------------------------------------- */

static const struct shape {
    int rows, in, out;
} shapes[] = {{1, 1, 1}, {1, 5, 3}, {7, 1, 4}, {6, 4, 1}, {5, 17, 9}};

static double linear(void) {
    sa_linear_forward((sa_weight){.mat = W}, b, x, y);
    return weighted_sum(y, dy);
}

START_TEST(linear_with_a_bias) {
    const struct shape s = shapes[_i];
    W = drawn(s.out, s.in), x = drawn(s.rows, s.in), b = drawn(1, s.out);
    y = unset(s.rows, s.out), dy = drawn(s.rows, s.out);
    sa_mat dW = filled(s.out, s.in, BEFORE), dx = filled(s.rows, s.in, BEFORE);
    sa_mat db = filled(1, s.out, BEFORE);
    linear();
    sa_linear_backward((sa_weight){.mat = W}, x, dy, dx, (sa_weight){.mat = dW}, db);
    CHECK_ADDED(linear, W, dW);
    CHECK_ADDED(linear, x, dx);
    CHECK_ADDED(linear, b, db);
}
END_TEST

START_TEST(linear_without_bias_or_input_gradient) {
    const struct shape s = shapes[_i];
    const sa_mat none = {0};
    W = drawn(s.out, s.in), x = drawn(s.rows, s.in), b = none;
    y = unset(s.rows, s.out), dy = drawn(s.rows, s.out);
    sa_mat dW = filled(s.out, s.in, BEFORE);
    linear();
    sa_linear_backward((sa_weight){.mat = W}, x, dy, none, (sa_weight){.mat = dW}, none);
    CHECK_ADDED(linear, W, dW);
}
END_TEST

/* ---- embedding ------------------------------------------------------------------------------- */

static const int32_t words[] = {3, 0, 3, 5, 3};

static double embedding(void) {
    sa_embedding_forward(x, words, y);
    return weighted_sum(y, dy);
}

START_TEST(embedding_adds_up_repeated_words) {
    x = drawn(6, 4), y = unset(5, 4), dy = drawn(5, 4);
    sa_mat dx = filled(6, 4, BEFORE);
    embedding();
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq(farthest(sa_rows(y, i, 1), sa_rows(x, words[i], 1)), 0);
    sa_embedding_backward(words, dy, dx);
    CHECK_ADDED(embedding, x, dx);
    for (int word = 0; word < 6; word++) {
        const bool occurs = word == 0 || word == 3 || word == 5;
        const double moved = farthest(sa_rows(dx, word, 1), filled(1, 4, BEFORE));
        ck_assert_int_eq(moved != 0, occurs);
    }
}
END_TEST

/* ---- cells ----------------------------------------------------------------------------------- */

static sa_recurrent cell;
static sa_mat a, gates, cell_cache, context;
static sa_state before, after, dafter;

static const struct cell_shape {
    int L, n, in, context;
    bool inner_bias, inner_context, normed;
} cell_shapes[] = {
    {1, 1, 2, 0, false, false, false}, {1, 6, 3, 2, false, true, false},
    {5, 1, 0, 3, true, false, false},  {4, 5, 2, 4, true, true, false},
    {1, 5, 3, 2, false, true, true},   {3, 6, 0, 4, true, true, true},
    {4, 7, 3, 4, false, false, true},
};
enum { CELL_SHAPES = sizeof cell_shapes / sizeof *cell_shapes };

static sa_mat cell_weights, dcell_weights;

static sa_recurrent bound(sa_mat buffer, const sa_cell *kind, struct cell_shape shape) {
    sa_recurrent w;
    sa_recurrent_bind(&(sa_binder){.buffer = buffer.x}, "cell", kind,
                      (sa_recurrent_sizes){shape.in, shape.n, shape.context, shape.inner_bias,
                                           shape.inner_context, shape.normed},
                      &w);
    return w;
}

static sa_state state_of(int L, int n, const sa_cell *kind, sa_mat (*make)(int, int)) {
    const sa_mat s = make(L, n);
    return sa_state_of(s, make(L, kind->has_m * n));
}

/* A whole step: the products that do not depend on the state, then the cell. */
static double cell_step(void) {
    sa_recurrent_input_forward(&cell, x, gates, cell_cache);
    if (cell.C.mat.x) sa_product_forward(sa_C_of(&cell), context, gates, cell_cache);
    cell.cell->forward(&cell, before, gates, cell_cache, after);
    return weighted_sum(after.s, dafter.s) + weighted_sum(after.m, dafter.m);
}

static sa_mat at_the_start(int rows, int cols) {
    return filled(rows, cols, BEFORE);
}

static struct cell_shape cell_open(const sa_cell *kind, struct cell_shape shape) {
    sa_recurrent counted;
    sa_binder counting = {0};
    sa_recurrent_bind(
        &counting, "cell", kind,
        (sa_recurrent_sizes){shape.in, shape.n, shape.context, false, false, shape.normed},
        &counted);
    cell_weights = drawn(1, (int)counting.offset);
    dcell_weights = at_the_start(1, (int)counting.offset);
    cell = bound(cell_weights, kind, shape);
    x = drawn(shape.L, shape.in), context = drawn(shape.L, shape.context);
    before = state_of(shape.L, shape.n, kind, drawn),
    after = state_of(shape.L, shape.n, kind, unset);
    dafter = state_of(shape.L, shape.n, kind, drawn);
    gates = unset(shape.L, kind->blocks * shape.n),
    cell_cache = unset(shape.L, sa_recurrent_cache_width(&cell));
    return shape;
}

START_TEST(cell_one_step_and_its_weights) {
    const sa_cell *kind = &sa_cells[_i / CELL_SHAPES];
    const struct cell_shape shape = cell_open(kind, cell_shapes[_i % CELL_SHAPES]);
    sa_mat da = unset(shape.L, sa_recurrent_da_width(&cell)), dx = at_the_start(shape.L, shape.in);
    sa_mat dc = at_the_start(shape.L, shape.context);
    sa_state dbefore = state_of(shape.L, shape.n, kind, at_the_start);
    sa_recurrent dcell = bound(dcell_weights, kind, shape);
    cell_step();
    kind->backward(&cell, before, gates, cell_cache, dafter, da, dbefore, unset(shape.L, shape.n),
                   &dcell);
    if (cell.W.mat.x) sa_product_backward(sa_W_of(&cell), cell_cache, da, 1, dx, &dcell);
    if (cell.C.mat.x) sa_product_backward(sa_C_of(&cell), cell_cache, da, 1, dc, &dcell);
    sa_recurrent_weights_backward(&cell,
                                  (sa_recurrent_rows){.previous = before, .cache = cell_cache}, x,
                                  context, da, &dcell);
    CHECK_ADDED(cell_step, before.s, dbefore.s);
    CHECK_ADDED(cell_step, before.m, dbefore.m);
    CHECK_ADDED(cell_step, cell_weights, dcell_weights);
    CHECK_ADDED(cell_step, x, dx);
    CHECK_ADDED(cell_step, context, dc);
}
END_TEST

/* A GRU with saturated z and r; returns its row. */
static const sa_cell *pushed_gru(int form, double z, double r) {
    const int n = 3, first_gate = sa_cells[form].first_gate;
    cell_open(&sa_cells[form], (struct cell_shape){2, n, 2, 0, false, false, false});
    fill(sa_cols(cell.b, 0, n), 0), fill(sa_cols(cell.b, n, n), 0);
    sa_recurrent_input_forward(&cell, x, gates, cell_cache);
    fill(sa_cols(gates, first_gate * n, n), z);
    if (r != 0) fill(sa_cols(gates, (first_gate + 1) * n, n), r);
    a = unset(2, n);
    sa_copy_mat(sa_cols(gates, (first_gate + 2) * n, n), a); /* W x + b of the candidate */
    cell.cell->forward(&cell, before, gates, cell_cache, after);
    sa_tanh(a);
    return cell.cell;
}

/* With z shut for the new state the cell keeps the old one to the bit; with z open, and the reset
 * gate shut, the state is the candidate. */
START_TEST(gru_gates_shut_and_open) {
    const bool weights_old = _i % 2;
    pushed_gru(_i, weights_old ? 1e3 : -1e3, 0);
    ck_assert_double_eq(farthest(after.s, before.s), 0);
    pushed_gru(_i, weights_old ? -1e3 : 1e3, -1e3);
    ck_assert_double_le(farthest(after.s, a), 1e-16);
}
END_TEST

START_TEST(cells_are_found_by_their_switches) {
    for (int old = 0; old < 2; old++)
        for (int late = 0; late < 2; late++) {
            ck_assert_ptr_eq(sa_cell_find(0, old, late), &sa_cells[2 * late + old]);
            ck_assert_str_eq(sa_cell_find(SA_CELL_LSTM, old, late)->name, "lstm");
            ck_assert_str_eq(sa_cell_find(SA_CELL_RNN, old, late)->name, "rnn");
        }
}
END_TEST

/* ---- maxout ---------------------------------------------------------------------------------- */

static double maxout(void) {
    sa_maxout_forward(x, y);
    return weighted_sum(y, dy);
}

START_TEST(maxout_sends_back_to_the_larger) {
    x = drawn(6, 10), y = unset(6, 5), dy = drawn(6, 5);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 5; k++) { /* away from ties: differences reach 3e-3 */
            double *pair = sa_row(x, i) + 2 * k;
            if (fabs(pair[0] - pair[1]) < 0.01) pair[0] += 0.1;
        }
    sa_mat dx = unset(6, 10);
    maxout();
    sa_maxout_backward(x, dy, dx);
    CHECK_WRITTEN(maxout, x, dx);
}
END_TEST

START_TEST(maxout_gives_a_tie_to_the_first) {
    x = filled(1, 2, 0.5), y = unset(1, 1), dy = filled(1, 1, 3);
    sa_mat dx = unset(1, 2);
    maxout();
    ck_assert_double_eq(y.x[0], 0.5);
    sa_maxout_backward(x, dy, dx);
    ck_assert_double_eq(dx.x[0], 3);
    ck_assert_double_eq(dx.x[1], 0);
}
END_TEST

/* ---- dropout --------------------------------------------------------------------------------- */

static sa_mat mask;

static double dropout(void) {
    sa_rng rng = sa_rng_seed(5, 5);
    sa_copy_mat(x, y);
    sa_dropout_forward(0.4, &rng, mask, y);
    return weighted_sum(y, dy);
}

START_TEST(dropout_with_a_fixed_mask) {
    x = drawn(20, 30), y = unset(20, 30), dy = drawn(20, 30), mask = unset(20, 30);
    sa_mat dx = unset(20, 30);
    dropout();
    sa_copy_mat(dy, dx);
    sa_dropout_backward(0.4, mask, dx); /* in place */
    CHECK_WRITTEN(dropout, x, dx);
    int dropped = 0;
    for (int i = 0; i < 600; i++) {
        const double factor = sa_row(mask, i / 30)[i % 30];
        ck_assert(factor == 0 || factor == 1 / (1 - 0.4));
        dropped += factor == 0;
    }
    ck_assert_int_ge(dropped, 190); /* 240 expected, deviation 12 */
    ck_assert_int_le(dropped, 290);
}
END_TEST

START_TEST(dropout_draws_the_numbers_of_the_generator) {
    const int cols = _i;
    sa_rng drawn_from = sa_rng_seed(7, (uint64_t)cols), expected = drawn_from;
    mask = sa_cols(unset(5, cols + _i % 2), 0, cols), y = filled(5, cols, 1);
    sa_dropout_forward(0.4, &drawn_from, mask, y);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < cols; k++)
            ck_assert_double_eq(sa_row(mask, i)[k],
                                sa_rng_uniform(&expected) < 0.4 ? 0 : 1 / (1 - 0.4));
    ck_assert_uint_eq(drawn_from.state, expected.state);
}
END_TEST

START_TEST(no_dropout_touches_nothing) {
    const sa_rng before_drawing = dice;
    y = filled(2, 3, 7), mask = filled(2, 3, 9);
    sa_dropout_forward(0, &dice, mask, y);
    sa_dropout_backward(0, mask, y);
    ck_assert_double_eq(farthest(y, filled(2, 3, 7)), 0);
    ck_assert_double_eq(farthest(mask, filled(2, 3, 9)), 0);
    ck_assert_uint_eq(dice.state, before_drawing.state);
}
END_TEST

/* ---- loss and softmax ------------------------------------------------------------------------ */

static const int32_t reference[] = {2, 0, 6, 2};
static double log_p[4], objective[4], smoothing;
static sa_mat biases;
static sa_loss_row rows[4];
enum { PART = 3 };       /* words of a part; the last one has one */
static double max[3][4]; /* of each part */

static sa_mat part_of(sa_mat all, int first) {
    const int left = all.cols - first;
    return sa_cols(all, first, left < PART ? left : PART);
}

static double loss(void) {
    double sum = 0;
    sa_copy_mat(x, y);
    for (int k = 0; k < 7; k += PART)
        sa_loss_read(part_of(y, k), biases, k, reference, smoothing, rows, max[k / PART]);
    sa_loss_forward(rows, 4, 7, smoothing, log_p, objective);
    for (int i = 0; i < 4; i++) sum -= 0.3 * objective[i];
    return sum;
}

START_TEST(loss_from_logits) {
    smoothing = 0.1 * _i;
    x = drawn(4, 7), y = unset(4, 7), biases = drawn(1, 7);
    draw(x, 3);
    loss();
    for (int i = 0; i < 4; i++) {
        double logit[7], sum = 0, all = 0; /* all: of log p, over the words */
        for (int k = 0; k < 7; k++) logit[k] = sa_row(x, i)[k] + biases.x[k];
        for (int k = 0; k < 7; k++) sum += exp(logit[k]);
        for (int k = 0; k < 7; k++) all += logit[k] - log(sum);
        ck_assert_double_eq_tol(log_p[i], logit[reference[i]] - log(sum), 1e-13);
        ck_assert_double_eq_tol(objective[i], (1 - smoothing) * log_p[i] + smoothing * all / 7,
                                1e-13);
    }
    sa_mat dx = unset(4, 7);
    sa_copy_mat(y, dx);
    for (int k = 0; k < 7; k += PART) {
        const sa_mat p = part_of(dx, k);
        sa_loss_probabilities(rows, max[k / PART], 0.3, p);
        sa_loss_backward(p, 7, k, reference, smoothing, 0.3, NULL);
    }
    CHECK_WRITTEN(loss, x, dx);
}
END_TEST

static double softmax(void) {
    sa_copy_mat(x, y);
    sa_softmax(y);
    return weighted_sum(y, dy);
}

START_TEST(softmax_backward) {
    const int cols = (int[]){1, 2, 37}[_i];
    x = drawn(3, cols), y = unset(3, cols), dy = drawn(3, cols);
    sa_mat dx = unset(3, cols);
    softmax();
    sa_softmax_backward(y, dy, dx);
    CHECK_WRITTEN(softmax, x, dx);
    softmax();
    sa_mat same = drawn(3, cols);
    sa_copy_mat(dy, same);
    sa_softmax_backward(y, same, same); /* in place */
    ck_assert_double_eq(farthest(same, dx), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("layers in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, linear_with_a_bias, 0, 5);
    tcase_add_loop_test(tests, linear_without_bias_or_input_gradient, 0, 5);
    tcase_add_test(tests, embedding_adds_up_repeated_words);
    int cells = 0;
    while (sa_cells[cells].name) cells++;
    tcase_add_loop_test(tests, cell_one_step_and_its_weights, 0, cells * CELL_SHAPES);
    tcase_add_loop_test(tests, gru_gates_shut_and_open, 0, 4);
    tcase_add_test(tests, cells_are_found_by_their_switches);
    tcase_add_test(tests, maxout_sends_back_to_the_larger);
    tcase_add_test(tests, maxout_gives_a_tie_to_the_first);
    tcase_add_test(tests, dropout_with_a_fixed_mask);
    tcase_add_loop_test(tests, dropout_draws_the_numbers_of_the_generator, 1, 150);
    tcase_add_test(tests, no_dropout_touches_nothing);
    tcase_add_loop_test(tests, loss_from_logits, 0, 3);
    tcase_add_loop_test(tests, softmax_backward, 0, 3);
    return suite_run(suite);
}
