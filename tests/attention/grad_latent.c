/* Latent attention: numbers of an independent implementation, and the attentions that it equals. */
#include "support/attending.h"
#include "support/suite.h"

static const sa_part *part_of(void) {
    return w.part[0].kind;
}

static sa_mat W_uk(const sa_attention *own) {
    return ((const sa_weight *)sa_part_own(own, 0))->mat;
}

static void open_latent(int heads, int value, int latent) {
    attention_settings(SA_ATTENTION_SCALED_DOT);
    settings.heads = heads, settings.value_size = value, settings.latent = latent;
    settings.attn = 4;
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.site = SA_SITE_CROSS;
    ck_assert(attention_open(NULL, false));
    if (latent) ck_assert_ptr_eq(part_of(), &sa_latent_part);
}

static void unit(sa_mat x) {
    fill(x, 0);
    for (int i = 0; i < x.rows && i < x.cols; i++) sa_row(x, i)[i] = 1;
}

static void same_numbers(const char *what, const sa_real *x, const double *wanted, int size,
                         double tolerance) {
    for (int k = 0; k < size; k++)
        ck_assert_msg(fabs(x[k] - wanted[k]) <= tolerance, "%s[%d]: %.7f, not %.7f", what, k, x[k],
                      wanted[k]);
}

/* PyTorch's in double. Behind the two numbers of each c_j, two more stand for the rotated key of
 * position j, which W_uk hands on; the query at position 4 has its rotation in the same place. */
START_TEST(numbers_of_autograd) {
    static const double K[4][2] = {{1, 0}, {0, 1}, {.5, -.5}, {-1, .5}}, s[] = {.5, 1};
    static const double up[2][2] = {{1, .5}, {-.5, 1}}, out[2][2] = {{.2, 1}, {1, -.3}};
    static const double alpha[] = {.114175, .284194, .179537, .422094};
    static const double found[] = {.361842, -.339793}, dq[] = {-.200977, .403760};
    static const double dqR[] = {.122466, .067098};
    static const double dup[2][2] = {{-.161143, .121308}, {-.322286, .242617}};
    static const double dout[2][2] = {{-.218151, .405472}, {.218151, -.405472}};
    static const double dlatent[4][2] = {
        {-.091340, .041272}, {-.227355, .475734}, {-.143629, .036846}, {-.337676, .746148}};
    static const int first[] = {0, 4}, one[] = {0, 1};
    open_latent(1, 2, 4);
    unit(w.W_a.mat), unit(w.U_a.mat), unit(W_uk(&w)), unit(w.W_c.mat), fill(w.W_v.mat, 0);
    sa_memory dmemory;
    sa_memory_layout(&numbers, &w, first, unset(4, 4), &memory);
    sa_memory_layout(&numbers, &w, first, filled(4, 4, 0), &dmemory);
    for (int j = 0; j < 4; j++)
        set_row(sa_rows(memory.annotations, j, 1),
                (double[]){K[j][0], K[j][1], cos(j + 1), sin(j + 1)});
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            sa_row(W_uk(&w), i)[k] = up[i][k], sa_row(w.W_v.mat, i)[k] = out[i][k];
    set_row(sa_rows(states, 0, 1), (double[]){s[0], s[1], cos(4), sin(4)});
    const sa_queries queries = {1, one};
    const sa_mat query = sa_rows(states, 0, 1), context = unset(1, 4), ds = filled(1, 4, 0);
    const sa_mat dcontext = filled(1, 4, 0);
    rows = sa_attention_rows_layout(&numbers, &w, 1, 4, false);
    const sa_attention_rows d = sa_attention_rows_layout(&numbers, &w, 1, 4, true);
    sa_memory_forward(&w, &memory);
    sa_attention_forward(&w, &memory, &queries, query, rows, context, &scratch);
    same_numbers("alpha", rows.alpha.x, alpha, 4, 1e-6);
    same_numbers("c", context.x, found, 2, 1e-6);
    dcontext.x[0] = 1, dcontext.x[1] = -1;
    fill(dweights, 0);
    sa_memory_zero(&w, &dmemory);
    sa_attention_backward(&w, &(sa_attention_pass){&memory, rows, d, &dmemory, &scratch}, &queries,
                          dcontext, ds, &dw);
    sa_attention_projections_backward(query, rows, dcontext, d, &dw);
    sa_memory_backward(&w, &memory, &dmemory, &dw);
    same_numbers("dq", ds.x, dq, 2, 1e-6);
    sa_rotate(4, true, 1, sa_cols(ds, 2, 2));
    same_numbers("dq^R", ds.x + 2, dqR, 2, 1e-6);
    for (int i = 0; i < 2; i++) {
        same_numbers("dW_uk", sa_row(W_uk(&dw), i), dup[i], 2, 1e-6);
        same_numbers("dW_uv", sa_row(dw.W_v.mat, i), dout[i], 2, 1e-6);
    }
    for (int j = 0; j < 4; j++)
        same_numbers("dc", sa_row(dmemory.annotations, j), dlatent[j], 2, 1e-6);
}
END_TEST

static void same_rows(const char *what, sa_mat x, sa_mat wanted) {
    for (int i = 0; i < x.rows; i++)
        same_numbers(what, sa_row(x, i), sa_row(wanted, i), x.cols, 1e-12);
}

/* y = W x of all rows and columns. */
static void product(sa_mat W, sa_mat x, double factor, sa_mat y) {
    for (int i = 0; i < y.rows; i++)
        for (int k = 0; k < y.cols; k++) {
            sa_row(y, i)[k] = 0;
            for (int l = 0; l < W.cols; l++)
                sa_row(y, i)[k] += factor * sa_row(W, i)[l] * sa_row(x, l)[k];
        }
}

/* The keys and values that no head makes are W_uk W_dkv h and W_uv W_dkv h. */
START_TEST(a_plain_attention_of_low_rank) {
    open_latent(2, 3, 3);
    attend();
    const sa_attention latent = w;
    const sa_mat contexts = c, queries = states, words = memory.annotations, shown = rows.alpha;
    open_latent(2, 3, 0);
    sa_copy_mat(latent.W_a.mat, w.W_a.mat), sa_copy_mat(latent.W_c.mat, w.W_c.mat);
    product(W_uk(&latent), latent.U_a.mat, 1, w.U_a.mat);
    product(latent.W_v.mat, latent.U_a.mat, 1, w.W_v.mat);
    sa_copy_mat(queries, states), sa_copy_mat(words, memory.annotations);
    attend();
    same_rows("c", c, contexts);
    same_rows("alpha", rows.alpha, shown);
}
END_TEST

/* With c_j = h_j the score is s' W h with W = W_q' W_uk / sqrt(n'): general (Luong et al. 2015). */
START_TEST(luongs_general_score) {
    open_latent(1, 4, 4);
    unit(w.U_a.mat);
    attend();
    const sa_attention latent = w;
    const sa_mat queries = states, words = memory.annotations, shown = rows.alpha;
    attention_settings(SA_ATTENTION_GENERAL);
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.site = SA_SITE_CROSS;
    ck_assert(attention_open(NULL, false));
    const sa_mat turned = unset(4, 4);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) sa_row(turned, i)[k] = sa_row(latent.W_a.mat, k)[i];
    product(turned, W_uk(&latent), .5, w.W_a.mat);
    sa_copy_mat(queries, states), sa_copy_mat(words, memory.annotations);
    attend();
    same_rows("alpha", rows.alpha, shown);
}
END_TEST

/* A word is kept as its c_j alone. */
START_TEST(only_the_latent_vector_is_kept) {
    open_latent(2, 3, 3);
    ck_assert_uint_eq(sa_memory_width(&w, 4), 3);
    open_latent(2, 3, 0);
    ck_assert_uint_eq(sa_memory_width(&w, 4), 4 + 2 * 3);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("latent", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, numbers_of_autograd);
    tcase_add_test(tests, a_plain_attention_of_low_rank);
    tcase_add_test(tests, luongs_general_score);
    tcase_add_test(tests, only_the_latent_vector_is_kept);
    return suite_run(suite);
}
