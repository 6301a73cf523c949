/* Encoder, decoder and read-out each alone: the backward pass by differences of the forward. */
#include "math/vec.h"
#include "model/seq2seq.h"
#include "support/slopes.h"
#include "support/suite.h"

enum { PAIRS = 3, K = 5, DROPOUTS = 2 };

static const double dropouts[DROPOUTS] = {0, 0.4};
static const int32_t words[] = {3, 0, 4, 3, SA_END};
static const sa_sentence source[PAIRS] = {{words + 2, 3}, {words, 5}, {words + 4, 1}};
static const sa_sentence target[PAIRS] = {{words + 1, 4}, {words + 3, 2}, {words + 3, 2}};

static sa_sizes sizes;
static sa_mat weights, dweights; /* those of the whole model: other parts' must stay as they are */
static sa_seq2seq w, dw;
static sa_batch batch;
static sa_pass pass;
static double dropout;

static void model_open(sa_sizes asked) {
    static sa_params plan;
    sizes = asked;
    sa_seq2seq_plan(&sizes, &plan);
    weights = drawn(1, (int)plan.size);
    dweights = filled(1, (int)plan.size, BEFORE);
    sa_seq2seq_point(&sizes, weights.x, &w);
    sa_seq2seq_point(&sizes, dweights.x, &dw);
}

static void pass_open(int attention) {
    model_open((sa_sizes){.source_words = K,
                          .target_words = K,
                          .m = 2,
                          .n = 3,
                          .size = 4,
                          .l = 2,
                          .places = 4, /* fewer than the longest source has */
                          .compat = &sa_compats[attention]});
    batch = sa_batch_make(&numbers, source, target, PAIRS);
    sa_pass_layout(&numbers, &w, &batch, true, &pass);
}

static sa_mat like(sa_mat x) {
    return drawn(x.rows, x.cols);
}

/* ---- Encoder --------------------------------------------------------------------------------- */

static sa_mat dannotations;

static double encoder(void) {
    sa_rng masks = sa_rng_seed(1, 2);
    sa_encoder_forward(&w.encoder, &batch, dropout, &masks, &pass.encoder);
    return weighted(pass.encoder.annotations, dannotations);
}

START_TEST(encoder_backward) {
    pass_open(0);
    dropout = dropouts[_i];
    dannotations = like(pass.encoder.annotations);
    encoder();
    sa_copy_mat(dannotations, pass.encoder.dannotations);
    sa_encoder_backward(&w.encoder, &batch, dropout, &pass.encoder, &dw.encoder);
    CHECK_ADDED(encoder, weights, dweights);
}
END_TEST

/* ---- Decoder --------------------------------------------------------------------------------- */

static sa_mat ds, dx, dc; /* what the read-out would send back */

static double decoder(void) {
    const sa_decoder_rows *rows = &pass.decoder.rows;
    sa_rng masks = sa_rng_seed(3, 4);
    sa_decoder_forward(&w.decoder, &batch, dropout, &masks, &pass.decoder);
    return weighted(rows->previous, ds) + weighted(rows->x, dx) + weighted(rows->c, dc);
}

START_TEST(decoder_backward) {
    pass_open(_i / DROPOUTS);
    dropout = dropouts[_i % DROPOUTS];
    sa_decoder_cache *cache = &pass.decoder;
    ds = like(cache->rows.previous), dx = like(cache->rows.x), dc = like(cache->rows.c);
    draw(cache->memory.annotations, 1);
    decoder();
    sa_copy_mat(ds, cache->dprevious);
    sa_copy_mat(dx, cache->dx);
    sa_copy_mat(dc, cache->dc);
    dannotations = unset(cache->memory.annotations.rows, 2 * sizes.n);
    sa_decoder_backward(&w.decoder, &batch, dropout, cache, dannotations, &dw.decoder);
    CHECK_WRITTEN(decoder, cache->memory.annotations, dannotations);
    CHECK_ADDED(decoder, weights, dweights);
}
END_TEST

/* ---- Read-out -------------------------------------------------------------------------------- */

static sa_mat s, x, c, dt;

static double nearest_tie(sa_mat pairs) {
    double nearest = INFINITY;
    for (int i = 0; i < pairs.rows; i++)
        for (int k = 0; k < pairs.cols; k += 2)
            nearest = fmin(nearest, fabs(sa_row(pairs, i)[k] - sa_row(pairs, i)[k + 1]));
    return nearest;
}

static double readout(void) {
    sa_rng masks = sa_rng_seed(5, 6);
    sa_readout_forward(&w.readout, s, x, c, dropout, &masks, &pass.readout);
    return weighted(pass.readout.t, dt);
}

START_TEST(readout_backward) {
    pass_open(0);
    dropout = dropouts[_i];
    const int rows = batch.target.words;
    s = drawn(rows, sizes.n), x = drawn(rows, sizes.m), c = drawn(rows, 2 * sizes.n);
    dt = like(pass.readout.t);
    do { /* differences mean nothing across a tie */
        draw(s, 1);
        readout();
    } while (nearest_tie(pass.readout.pairs) < 0.01);
    sa_copy_mat(dt, pass.readout.dt);
    ds = unset(rows, sizes.n), dx = unset(rows, sizes.m), dc = unset(rows, 2 * sizes.n);
    sa_readout_backward(&w.readout, s, x, c, dropout, &pass.readout, ds, dx, dc, &dw.readout);
    CHECK_WRITTEN(readout, s, ds);
    CHECK_WRITTEN(readout, x, dx);
    CHECK_WRITTEN(readout, c, dc);
    CHECK_ADDED(readout, weights, dweights);
}
END_TEST

static double vocabulary(void) {
    double sum = 0;
    sa_vocabulary_loss(&w.readout, batch.target.ids, 0, &pass.readout, pass.log_p, NULL);
    for (int i = 0; i < batch.target.words; i++) sum -= 0.2 * pass.log_p[i];
    return sum;
}

START_TEST(vocabulary_loss_and_its_backward) {
    pass_open(0);
    draw(pass.readout.t, 1);
    fill(pass.readout.dt, NAN);
    sa_vocabulary_loss(&w.readout, batch.target.ids, 0.2, &pass.readout, pass.log_p, &dw.readout);
    CHECK_WRITTEN(vocabulary, pass.readout.t, pass.readout.dt);
    CHECK_ADDED(vocabulary, weights, dweights);
}
END_TEST

/* A large vocabulary is worked on in blocks of 64 rows; nobody may notice. */
START_TEST(blocks_of_logits_are_invisible) {
    enum { ROWS = 130, MANY = 4500 };
    model_open((sa_sizes){.source_words = K,
                          .target_words = MANY,
                          .m = 1,
                          .n = 1,
                          .size = 1,
                          .l = 2,
                          .compat = &sa_compats[0]});
    sa_readout_cache all, one;
    sa_readout_layout(&numbers, ROWS, &w.readout, true, &all);
    sa_readout_layout(&numbers, 1, &w.readout, true, &one);
    ck_assert_int_eq(all.logits.rows, 64);
    int32_t ids[ROWS];
    double log_p[ROWS], alone;
    for (int i = 0; i < ROWS; i++) ids[i] = (int32_t)sa_rng_below(&dice, MANY);
    draw(all.t, 1);
    sa_vocabulary_loss(&w.readout, ids, 0.5, &all, log_p, &dw.readout);
    sa_mat together = dweights;
    dweights = filled(1, together.cols, BEFORE);
    sa_seq2seq_point(&sizes, dweights.x, &dw);
    for (int i = 0; i < ROWS; i++) {
        sa_copy_mat(sa_rows(all.t, i, 1), one.t);
        sa_vocabulary_loss(&w.readout, ids + i, 0.5, &one, &alone, &dw.readout);
        ck_assert_double_eq_tol(log_p[i], alone, 1e-12);
        ck_assert_double_le(farthest(sa_rows(all.dt, i, 1), one.dt), 1e-14);
    }
    ck_assert_double_le(farthest(together, dweights), 1e-13);
    ck_assert_double_ge(farthest(together, filled(1, together.cols, BEFORE)), 0.1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("parts in double", &tests);
    int attentions = 0;
    while (sa_compats[attentions].name) attentions++;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, encoder_backward, 0, DROPOUTS);
    tcase_add_loop_test(tests, decoder_backward, 0, attentions * DROPOUTS);
    tcase_add_loop_test(tests, readout_backward, 0, DROPOUTS);
    tcase_add_test(tests, vocabulary_loss_and_its_backward);
    tcase_add_test(tests, blocks_of_logits_are_invisible);
    return suite_run(suite);
}
