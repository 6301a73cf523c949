/* Encoder, decoder and readout, each alone: the backward pass against finite differences. */
#include "model/decode.h"
#include "model/seq2seq.h"
#include "support/differences.h"
#include "support/suite.h"
#include "support/variants.h"
#include "tensor/vec.h"

enum { PAIRS = 3, K = 5, DROPOUTS = 3 };

static const sa_dropout dropouts[DROPOUTS] = {
    {0},
    {.all = 0.4},
    {.all = 0.3, .words = 0.2, .state = 0.3, .layers = 0.3},
};
static const int32_t words[] = {3, 0, 4, 3, SA_EOS};
static const sa_sentence source[PAIRS] = {{words + 2, 3}, {words, 5}, {words + 4, 1}};
static const sa_sentence target[PAIRS] = {{words + 1, 4}, {words + 3, 2}, {words + 3, 2}};

static sa_settings settings;
static sa_sizes sizes;
static sa_mat weights, dweights; /* of the whole model: other parts' must not change */
static sa_seq2seq w, dw;
static sa_batch batch;
static sa_pass pass;
static sa_dropout dropout;

static void model_open(sa_sizes asked) {
    static sa_params plan;
    sizes = asked;
    sa_seq2seq_plan(&sizes, &plan);
    weights = drawn(1, (int)plan.size);
    dweights = filled(1, (int)plan.size, BEFORE);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
    sa_seq2seq_bind_buffer(&sizes, dweights.x, &dw);
}

static void pass_open(int number) {
    settings = variant_settings(number);
    settings.dropout = settings.dropout_state = settings.dropout_layers = 0.4; /* for masks */
    model_open(sa_sizes_of(&settings, K, K));
    batch = sa_batch_build(&numbers, source, target, PAIRS);
    sa_pass_layout(&numbers, &w, &batch, true, &pass);
}

static sa_mat like(sa_mat x) {
    return drawn(x.rows, x.cols);
}

/* ---- Encoder --------------------------------------------------------------------------------- */

static sa_mat dannotations, dlast_m;

static double encoder(void) {
    sa_rng masks = sa_rng_seed(1, 2);
    sa_encoder_forward(&w.encoder, &batch, dropout, &masks, &pass.encoder);
    return weighted_sum(pass.encoder.annotations, dannotations) +
           weighted_sum(pass.encoder.last_m, dlast_m);
}

START_TEST(encoder_backward) {
    pass_open(_i / DROPOUTS);
    dropout = dropouts[_i % DROPOUTS];
    dannotations = like(pass.encoder.annotations), dlast_m = like(pass.encoder.last_m);
    encoder();
    sa_copy_mat(dannotations, pass.encoder.dannotations);
    sa_copy_mat(dlast_m, pass.encoder.dlast_m);
    sa_encoder_backward(&w.encoder, &batch, dropout, &pass.encoder, &dw.encoder);
    CHECK_ADDED(encoder, weights, dweights);
}
END_TEST

/* ---- Decoder --------------------------------------------------------------------------------- */

static double nearest_tie(void) {
    const sa_mat sums = pass.decoder.readout.sums;
    double nearest = INFINITY;
    if (w.decoder.readout.maxout)
        for (int i = 0; i < sums.rows; i++)
            for (int k = 0; k < sums.cols; k += 2)
                nearest = fmin(nearest, fabs(sa_row(sums, i)[k] - sa_row(sums, i)[k + 1]));
    return nearest;
}

/* The least distance of the attention from a kink or jump: an edge of a window, another draw. */
static double nearest_kink(void) {
    const sa_decoder_cache *cache = &pass.decoder;
    const sa_attention *attention = &w.decoder.attention;
    sa_kinks found = {0, INFINITY};
    for (int t = 0; t < batch.target.steps; t++)
        for (int b = 0; b < batch.target.active[t]; b++)
            for (int k = 0; k < attention->heads; k++) {
                const sa_query_block block = {batch.target.start[t] + b, 1, b, t + 1, false};
                const sa_head at = sa_head_view(attention, &cache->source.memory, block,
                                                cache->rows.attention, &cache->scratch, k);
                /* the weights of a single word do not move */
                sa_head again = at;
                sa_parts_forward(attention, SA_PLACE_KEYS, &again); /* as the score reads it */
                if (at.v.rows > 1) sa_parts_kinks(attention, &again, &found);
            }
    return found.nearest;
}

/* The last three are empty without copying and hard attention. */
static sa_mat dt, dgate, dalpha, ddraws;

/* What hard attention draws, or the loss of coverage, or nothing. */
static sa_mat draws_of(const sa_attention_rows *rows) {
    const sa_attention *attention = &w.decoder.attention;
    for (int p = 0; p < attention->parts; p++) {
        const sa_rare_hooks *rare = sa_rare_of(attention->part[p].kind);
        if (rare->samples || rare->penalty)
            return (rare->samples ? rare->samples : rare->penalty)(rows->part[p]);
    }
    return (sa_mat){0};
}

/* The weights that dalpha has derivatives for, sentence by sentence. */
static double alpha_sum(sa_mat alpha) {
    const sa_batch_side *side = &batch.target;
    double sum = 0;
    for (int b = 0; dalpha.cols && b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++)
            for (int k = 0; k < w.decoder.attention.heads; k++) {
                const int S = batch.source.len[batch.source_of[b]], row = side->start[t] + b;
                sum +=
                    weighted_sum(sa_attention_head(alpha, row, w.decoder.attention.heads, k, S),
                                 sa_attention_head(dalpha, row, w.decoder.attention.heads, k, S));
            }
    return sum;
}

static double decoder(void) {
    sa_rng masks = sa_rng_seed(3, 4);
    sa_recurrent_decoder_forward(&w.decoder, &batch, &pass.encoder, dropout, &masks, &pass.decoder);
    return weighted_sum(pass.decoder.readout.t, dt) +
           weighted_sum(sa_cols(pass.decoder.readout.copy_gate, 0, dgate.cols), dgate) +
           alpha_sum(pass.decoder.rows.attention.alpha) +
           weighted_sum(draws_of(&pass.decoder.rows.attention), ddraws);
}

START_TEST(decoder_backward) {
    pass_open(_i / DROPOUTS);
    dropout = dropouts[_i % DROPOUTS];
    dropout.noise = 2; /* draws of all: differences see no constant in their expectation */
    sa_decoder_cache *cache = &pass.decoder;
    dt = like(cache->readout.t), ddraws = like(draws_of(&cache->rows.attention));
    dgate = like(cache->readout.copy_gate), dalpha = like(cache->d.attention.alpha);
    do { /* differences mean nothing across a kink */
        draw(weights, 1);
        draw(pass.encoder.annotations, 1);
        draw(pass.encoder.last_m, 1);
        decoder();
    } while (nearest_tie() < 0.005 || nearest_kink() < 1);
    const sa_output_gradients d = sa_pass_gradients(&w, &pass);
    sa_copy_mat(dt, d.t);
    sa_copy_mat(dgate, d.copy_gate);
    if (dalpha.cols) sa_copy_mat(dalpha, d.alpha);
    if (ddraws.cols) sa_copy_mat(ddraws, draws_of(&cache->d.attention));
    sa_recurrent_decoder_backward(&w.decoder, &batch, dropout, cache, &d, &pass.encoder,
                                  &dw.decoder);
    CHECK_WRITTEN(decoder, pass.encoder.annotations, pass.encoder.dannotations);
    CHECK_WRITTEN(decoder, pass.encoder.last_m, pass.encoder.dlast_m);
    CHECK_ADDED(decoder, weights, dweights);
}
END_TEST

/* ---- Readout --------------------------------------------------------------------------------- */

static sa_mat s, x, c;

static double readout(void) {
    sa_rng masks = sa_rng_seed(5, 6);
    sa_readout_forward(&w.decoder.readout, s, x, c, dropout.all, &masks, &pass.decoder.readout);
    return weighted_sum(pass.decoder.readout.t, dt) +
           weighted_sum(pass.decoder.readout.copy_gate, dgate);
}

START_TEST(readout_backward) {
    pass_open(_i / DROPOUTS);
    dropout = dropouts[_i % DROPOUTS];
    sa_readout_cache *cache = &pass.decoder.readout;
    const sa_readout *o = &w.decoder.readout;
    const int rows = batch.target.words;
    s = drawn(rows, o->U_o.mat.cols),
    x = drawn(rows, o->V_o.mat.x ? o->V_o.mat.cols : settings.embed);
    c = drawn(rows, o->C_o.mat.cols);
    dt = like(cache->t), dgate = like(cache->copy_gate);
    do {
        draw(s, 1);
        readout();
    } while (nearest_tie() < 0.01);
    sa_copy_mat(dt, cache->dt);
    sa_copy_mat(dgate, cache->dcopy_gate);
    sa_mat ds = unset(rows, s.cols), dx = unset(rows, x.cols), dc = unset(rows, c.cols);
    sa_readout_backward(o, dropout.all, cache, cache->dt, cache->dcopy_gate, ds, dx, dc);
    sa_readout_weights_backward(s, x, c, cache, cache->dcopy_gate, &dw.decoder.readout);
    CHECK_WRITTEN(readout, s, ds);
    CHECK_WRITTEN(readout, x, dx);
    CHECK_WRITTEN(readout, c, dc);
    CHECK_ADDED(readout, weights, dweights);
}
END_TEST

/* ---- Masks ----------------------------------------------------------------------------------- */

/* The states that U multiplies: every step of a sentence has the same mask, and every cell its
 * own. */
static void check_states(const sa_batch_side *side, sa_state states, sa_mat mask) {
    ck_assert_int_eq(mask.rows, PAIRS);
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            for (int k = 0; k < mask.cols; k++) {
                const double d = sa_row(mask, b)[k];
                const int row = side->start[t] + b;
                ck_assert(d == 0 || d == 1 / (1 - dropout.state));
                ck_assert_double_eq(sa_row(states.masked, row)[k], d * sa_row(states.s, row)[k]);
            }
}

/* Every word is dropped whole or not at all. */
static void check_words(sa_mat read, sa_mat E, const int32_t *ids) {
    int silent = 0;
    for (int i = 0; i < read.rows; i++) {
        const bool none = *sa_row(read, i) == 0;
        for (int k = 0; k < read.cols; k++)
            ck_assert_double_eq(sa_row(read, i)[k],
                                none ? 0 : 1 / (1 - dropout.words) * sa_row(E, ids[i])[k]);
        silent += none;
    }
    ck_assert(silent > 0 && silent < read.rows);
}

START_TEST(masks_of_states_and_words) {
    pass_open(_i);
    dropout = (sa_dropout){.state = 0.4, .words = 0.4};
    dannotations = like(pass.encoder.annotations), dlast_m = like(pass.encoder.last_m);
    dt = like(pass.decoder.readout.t);
    dgate = dalpha = (sa_mat){0}, ddraws = like(draws_of(&pass.decoder.rows.attention));
    encoder();
    decoder();
    for (int layer = 0; layer < w.encoder.layers; layer++)
        for (int d = 0; d < w.encoder.directions; d++)
            check_states(&batch.source, pass.encoder.direction[layer][d].cell.previous,
                         pass.encoder.direction[layer][d].cell.dropout.mask);
    for (int k = 0; k < settings.decoder_layers; k++)
        check_states(&batch.target, pass.decoder.rows.layer[k].cell.previous,
                     pass.decoder.rows.layer[k].cell.dropout.mask);
    check_states(&batch.target, pass.decoder.rows.context_cell.previous,
                 pass.decoder.rows.context_cell.dropout.mask);
    if (!settings.positions) check_words(pass.encoder.x, w.encoder.E, pass.encoder.ids);
    check_words(sa_decoder_word_input(&w.decoder, pass.decoder.rows.input), w.decoder.E,
                pass.decoder.inputs);
}
END_TEST

static double smoothing;

static double vocabulary(void) {
    double sum = 0;
    sa_vocabulary_loss(&w.decoder.readout, batch.target.ids, smoothing, 0, &pass.decoder.readout,
                       (sa_word_objectives){pass.log_p, pass.objective}, (sa_mat){0}, NULL);
    for (int i = 0; i < batch.target.words; i++) sum -= 0.2 * pass.objective[i];
    return sum;
}

START_TEST(vocabulary_loss_and_its_backward) {
    smoothing = 0.1 * _i;
    pass_open(0);
    draw(pass.decoder.readout.t, 1);
    fill(pass.decoder.readout.dt, NAN);
    sa_vocabulary_loss(&w.decoder.readout, batch.target.ids, smoothing, 0.2, &pass.decoder.readout,
                       (sa_word_objectives){pass.log_p, pass.objective}, pass.decoder.readout.dt,
                       &dw.decoder.readout);
    CHECK_WRITTEN(vocabulary, pass.decoder.readout.t, pass.decoder.readout.dt);
    CHECK_ADDED(vocabulary, weights, dweights);
}
END_TEST

/* The logits of a large vocabulary are computed in blocks of 64 rows. */
START_TEST(blocks_of_logits_change_nothing) {
    enum { ROWS = 130, MANY = 4500 };
    settings = small_settings();
    model_open(sa_sizes_of(&settings, K, MANY));
    sa_readout_cache all, one;
    sa_readout_layout(&numbers, ROWS, &w.decoder.readout, true, &all);
    sa_vocabulary_layout(&numbers, ROWS, &w.decoder.readout, &all);
    sa_readout_layout(&numbers, 1, &w.decoder.readout, true, &one);
    sa_vocabulary_layout(&numbers, 1, &w.decoder.readout, &one);
    ck_assert_int_eq(all.logits.rows, 64);
    int32_t ids[ROWS];
    double log_p[ROWS], objective[ROWS], alone;
    for (int i = 0; i < ROWS; i++) ids[i] = (int32_t)sa_rng_below(&dice, MANY);
    draw(all.t, 1);
    sa_vocabulary_loss(&w.decoder.readout, ids, 0, 0.5, &all,
                       (sa_word_objectives){log_p, objective}, all.dt, &dw.decoder.readout);
    sa_mat together = dweights;
    dweights = filled(1, together.cols, BEFORE);
    sa_seq2seq_bind_buffer(&sizes, dweights.x, &dw);
    for (int i = 0; i < ROWS; i++) {
        sa_copy_mat(sa_rows(all.t, i, 1), one.t);
        sa_vocabulary_loss(&w.decoder.readout, ids + i, 0, 0.5, &one,
                           (sa_word_objectives){&alone, objective}, one.dt, &dw.decoder.readout);
        ck_assert_double_eq_tol(log_p[i], alone, 1e-12);
        ck_assert_double_le(farthest(sa_rows(all.dt, i, 1), one.dt), 1e-14);
    }
    ck_assert_double_le(farthest(together, dweights), 1e-13);
    ck_assert_double_ge(farthest(together, filled(1, together.cols, BEFORE)), 0.1);
}
END_TEST

/* Of 96 words, whose logits are made in blocks of 64; each pair alone is in one block. */
START_TEST(blocks_of_words_are_mixed_with_copies) {
    enum { MANY = 36, LARGE = 4096 };
    sa_sentence sources[MANY], targets[MANY];
    double sum = 0, alone = 0;
    settings = small_settings(), settings.copy = true;
    model_open(sa_sizes_of(&settings, LARGE, LARGE));
    for (int i = 0; i < MANY; i++) sources[i] = source[i % PAIRS], targets[i] = target[i % PAIRS];
    for (int i = 0; i <= PAIRS; i++) { /* the last is the batch of all */
        const bool all = i == PAIRS;
        batch = sa_batch_build(&numbers, all ? sources : source + i, all ? targets : target + i,
                               all ? MANY : 1);
        sa_pass_layout(&numbers, &w, &batch, false, &pass);
        sa_seq2seq_loss(&w, &batch, (sa_regularizer){0}, &pass, NULL);
        ck_assert_int_eq(sa_pass_readout(&w, &pass)->logits.rows < batch.target.words, all);
        for (int k = 0; k < batch.target.words; k++) *(all ? &sum : &alone) += pass.log_p[k];
    }
    ck_assert_double_eq_tol(sum, alone * MANY / PAIRS, 1e-9);
}
END_TEST

/* ---- Further terms of the objective ---------------------------------------------------------- */

/* A model of these settings and a pass over all pairs. */
static void terms_open(const sa_gold_alignment *alignments) {
    model_open(sa_sizes_of(&settings, K, K));
    batch = sa_batch_build(&numbers, source, target, PAIRS);
    batch.gold = alignments;
    sa_pass_layout(&numbers, &w, &batch, true, &pass);
}

START_TEST(a_penalty_is_the_mean_of_the_heads) {
    double most = 0;
    settings = small_settings(), settings.heads = 2, settings.coverage = SA_COVERAGE_LOSS;
    terms_open(NULL);
    sa_seq2seq_loss(&w, &batch, (sa_regularizer){.penalty_weight = 3}, &pass, NULL);
    const sa_mat sums = draws_of(&pass.decoder.rows.attention);
    for (int i = 0; i < batch.target.words; i++) {
        const double both = *sa_row(sums, i);
        ck_assert_double_eq_tol(pass.objective[i], pass.log_p[i] - 3 * both / 2, 1e-13);
        most = fmax(most, both);
    }
    ck_assert_double_gt(most, 0.01);
}
END_TEST

/* lambda_r (log p(y | s) - b) log p(s) + lambda_e H(p): the gradient checks take the factor with b
 * as it is. */
START_TEST(draws_are_weighed_by_what_they_gain) {
    settings = small_settings(), settings.attention = SA_ATTENTION_HARD;
    terms_open(NULL);
    const sa_regularizer regularizer = {.dropout = {.noise = 2},
                                        .rng = &dice,
                                        .reinforce_weight = 0.7,
                                        .entropy_weight = 0.3,
                                        .baseline = -2};
    sa_seq2seq_loss(&w, &batch, regularizer, &pass, &dw);
    const sa_mat draws = draws_of(&pass.decoder.rows.attention);
    for (int b = 0; b < PAIRS; b++) {
        double sum = 0;
        for (int t = 0; t < batch.target.len[b]; t++) sum += pass.log_p[batch.target.start[t] + b];
        ck_assert_double_eq_tol(pass.advantages[b], 0.7 * (sum + 2), 1e-13);
        for (int t = 0; t < batch.target.len[b]; t++) {
            const int i = batch.target.start[t] + b;
            const double *own = sa_row(draws, i), term = 0.7 * (sum + 2) * own[0] + 0.3 * own[1];
            ck_assert_double_eq_tol(pass.objective[i], pass.log_p[i] + term, 1e-13);
        }
    }
}
END_TEST

static const sa_link two_links[] = {{2, 0, false}, {0, 2, false}}, one_link[] = {{4, 0, false}};
static const sa_gold_alignment gold[PAIRS] = {{two_links, 2}, {one_link, 1}, {NULL, 0}};

/* The alignment loss of weights that learn the links of target word `word` of pair p. A null key
 * takes words without links, but EOS and what is before the first word may attend to anything. */
static double guided(int p, int word, sa_mat alpha) {
    double rest = 1;
    for (size_t k = 0; k < gold[p].count; k++)
        if (gold[p].links[k].target == word) return -log(alpha.x[gold[p].links[k].source]);
    for (int j = 0; j < alpha.cols; j++) rest -= alpha.x[j];
    return word >= 0 && word < target[p].len - 1 ? -log(rest) : 0;
}

/* The row that predicts a word learns its links, or the next one, which has read it. */
START_TEST(rows_learn_the_links_of_their_words) {
    double sum = 0;
    settings = small_settings(), settings.decoder = SA_DECODER_LUONG;
    settings.normalizer = SA_NORMALIZER_NULL;
    terms_open(gold);
    const sa_regularizer regularizer = {.alignment_weight = 0.7, .alignment_at = _i};
    sa_seq2seq_loss(&w, &batch, regularizer, &pass, NULL);
    for (int b = 0; b < PAIRS; b++)
        for (int t = 0; t < batch.target.len[b]; t++) {
            const int i = batch.target.start[t] + b, word = _i == SA_ALIGN_INPUT ? t - 1 : t;
            const sa_mat alpha = sa_pass_weights(&w, &pass, &batch, SA_SITE_CROSS, 0, 0, b, t);
            const double own = guided(batch.target.order[b], word, alpha);
            ck_assert_double_eq_tol(pass.objective[i], pass.log_p[i] - 0.7 * own, 1e-13);
            sum += own;
        }
    ck_assert_double_eq_tol(pass.alignment_loss, sum, 1e-12);
}
END_TEST

/* ---- Decoding -------------------------------------------------------------------------------- */

/* Source words that the vocabulary lacks have the numbers after its own. */
START_TEST(copied_words_extend_the_vocabulary) {
    static const int32_t extended[][3] = {{3, K - 1, SA_EOS}, {3, K, SA_EOS}, {K + 1, K, SA_EOS}};
    settings = small_settings(), settings.copy = _i;
    model_open(sa_sizes_of(&settings, K, K));
    ck_assert_int_eq(sa_extended_words(&w, &source[0]), K);
    for (int n = 0; n < 3; n++) {
        const sa_sentence words_of_it = {words, 3, extended[n]};
        ck_assert_int_eq(sa_extended_words(&w, &words_of_it), K + (_i ? n : 0));
    }
}
END_TEST

/* Of a hypothesis stay s and m of both layers of an LSTM; with input feeding, s and t. */
START_TEST(states_and_what_is_fed_are_kept) {
    settings = small_settings(), settings.hidden = 3;
    settings.cell = SA_CELL_LSTM, settings.decoder_layers = 2;
    ck_assert_uint_eq(sa_decode_cache_size(&settings).state, sizeof(sa_real) * 2 * (3 + 3));
    settings = small_settings(), settings.hidden = 3, settings.maxout = 5;
    settings.decoder = SA_DECODER_LUONG, settings.input_feeding = true;
    ck_assert_uint_eq(sa_decode_cache_size(&settings).state, sizeof(sa_real) * (3 + 5));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("parts in double", &tests);
    const int variants = count_variants() + 1;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, blocks_of_words_are_mixed_with_copies);
    tcase_add_loop_test(tests, encoder_backward, 0, variants * DROPOUTS);
    tcase_add_loop_test(tests, decoder_backward, 0, variants * DROPOUTS);
    tcase_add_loop_test(tests, readout_backward, 0, variants * DROPOUTS);
    tcase_add_loop_test(tests, masks_of_states_and_words, 0, variants);
    tcase_add_loop_test(tests, vocabulary_loss_and_its_backward, 0, 3);
    tcase_add_test(tests, blocks_of_logits_change_nothing);
    tcase_add_test(tests, a_penalty_is_the_mean_of_the_heads);
    tcase_add_test(tests, draws_are_weighed_by_what_they_gain);
    tcase_add_loop_test(tests, rows_learn_the_links_of_their_words, 0, 2);
    tcase_add_loop_test(tests, copied_words_extend_the_vocabulary, 0, 2);
    tcase_add_test(tests, states_and_what_is_fed_are_kept);
    return suite_run(suite);
}
