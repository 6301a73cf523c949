/* Updates: clipping, gradients that are not finite, small batches, the same bits at any number of
 * threads. */
#include "support/suite.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 40, LONGEST = 9, WORDS = 12 };

static const sa_dataset longest = {.longest_source = LONGEST, .longest_target = LONGEST};

typedef struct training {
    sa_settings settings;
    sa_sizes sizes;
    sa_params plan;
    float *values;
    sa_pool *pool;
    sa_trainer trainer;
    sa_sentence source[BATCH], target[BATCH];
    int32_t ids[2 * BATCH][LONGEST];
} training;

static void draw_sentence(sa_rng *rng, int32_t *ids, sa_sentence *sentence) {
    sentence->len = 1 + (int)sa_rng_below(rng, LONGEST);
    for (int i = 0; i < sentence->len - 1; i++)
        ids[i] = SA_SPECIAL_TOKENS + (int32_t)sa_rng_below(rng, WORDS - SA_SPECIAL_TOKENS);
    ids[sentence->len - 1] = SA_EOS;
    sentence->ids = ids;
}

static int family;    /* of the models that begin() makes */
static int units = 9; /* of their layers */
static bool hard;     /* whether they draw the words to attend to */

static training *begin(int threads, int shards) {
    training *c = calloc(1, sizeof *c);
    sa_error error;
    sa_settings_init(&c->settings);
    c->settings.model = family;
    if (hard) c->settings.attention = SA_ATTENTION_HARD;
    c->settings.embed = c->settings.attn = 7;
    c->settings.hidden = units;
    c->settings.maxout = 5;
    c->settings.batch = BATCH;
    c->settings.shards = shards;
    c->settings.dropout = 0.2;
    c->settings.clip = 0.5;
    c->sizes = sa_sizes_of(&c->settings, WORDS, WORDS);
    sa_seq2seq_plan(&c->sizes, &c->plan);
    c->values = calloc(c->plan.size, sizeof *c->values);
    ck_assert(sa_params_init(&c->plan, c->values, 0, 7, &error));
    c->pool = sa_pool_open(threads, &error);
    ck_assert(sa_trainer_open(&c->trainer, &c->settings, &c->sizes, c->values, &longest, c->pool,
                              NULL, &error));
    sa_rng rng = sa_rng_seed(11, 0);
    for (int i = 0; i < BATCH; i++) {
        draw_sentence(&rng, c->ids[2 * i], &c->source[i]);
        draw_sentence(&rng, c->ids[2 * i + 1], &c->target[i]);
    }
    return c;
}

static void end(training *c) {
    sa_trainer_close(&c->trainer);
    sa_pool_close(c->pool);
    free(c->values);
    free(c);
}

static sa_step_result update(training *c, int count) {
    sa_step_result result;
    sa_error error;
    ck_assert_msg(sa_trainer_step(&c->trainer, c->source, c->target, NULL, count, &result, &error),
                  "%s", error.text);
    return result;
}

START_TEST(the_loss_falls_and_counts_are_right) {
    training *c = begin(2, 2);
    c->settings.lr = 0.02;
    const sa_step_result first = update(c, BATCH);
    int words = 0;
    for (int i = 0; i < BATCH; i++) words += c->target[i].len;
    ck_assert_int_eq(first.words, words);
    ck_assert(first.applied);
    sa_step_result last = first;
    for (int i = 0; i < 60; i++) last = update(c, BATCH);
    ck_assert_double_lt(last.loss, 0.8 * first.loss);
    ck_assert_int_eq(c->trainer.step, 61);
    ck_assert_int_eq(c->trainer.applied, 61);
    end(c);
}
END_TEST

START_TEST(threads_change_no_bit) {
    family = _i;
    for (int shards = 1; shards <= 5; shards++) {
        training *one = begin(1, shards);
        for (int i = 0; i < 10; i++) update(one, BATCH - i);
        for (int threads = 2; threads <= 4; threads++) {
            training *many = begin(threads, shards);
            ck_assert_int_eq(many->trainer.gradients, shards);
            ck_assert_int_le(many->trainer.lanes, threads);
            for (int i = 0; i < 10; i++) update(many, BATCH - i);
            ck_assert_mem_eq(one->values, many->values, one->plan.size * sizeof *one->values);
            end(many);
        }
        end(one);
    }
}
END_TEST

START_TEST(shards_give_the_gradient_of_the_whole_batch) {
    training *whole = begin(1, 1), *cut = begin(1, 4);
    whole->settings.dropout = cut->settings.dropout = 0; /* every shard has masks of its own */
    const sa_step_result one = update(whole, BATCH), other = update(cut, BATCH);
    ck_assert_double_eq_tol(one.l2_norm, other.l2_norm, 1e-5 * one.l2_norm);
    ck_assert_double_eq_tol(one.loss, other.loss, 1e-5 * one.loss);
    ck_assert_double_eq_tol(update(whole, 3).loss, update(cut, 3).loss,
                            1e-3); /* fewer pairs than make a shard */
    end(whole);
    end(cut);
}
END_TEST

/* A training on copies of one pair: its shards differ in nothing but their masks. */
static training *begin_equal(int64_t seed) {
    family = SA_MODEL_RECURRENT;
    training *c = begin(1, 2);
    c->settings.seed = seed;
    c->trainer.decay = 0; /* the rate is 0: nothing moves */
    for (int i = 1; i < BATCH; i++) c->source[i] = c->source[0], c->target[i] = c->target[0];
    return c;
}

START_TEST(every_shard_update_and_seed_has_its_own_masks) {
    training *c = begin_equal(1), *other = begin_equal(2), *plain = begin_equal(1);
    const sa_step_result one = update(c, 16);
    ck_assert_int_eq(c->trainer.active_shards, 2);
    ck_assert_double_ne(c->trainer.shard[0].loss, c->trainer.shard[1].loss);
    ck_assert_double_ne(update(other, 16).loss, one.loss);
    ck_assert_double_ne(update(c, 16).loss, one.loss);
    plain->settings.dropout = 0;
    const double loss = update(plain, 16).loss;
    ck_assert_double_eq(plain->trainer.shard[0].loss, plain->trainer.shard[1].loss);
    ck_assert_double_eq(update(plain, 16).loss, loss);
    end(c), end(other), end(plain);
}
END_TEST

/* ---- Two processes --------------------------------------------------------------------------- */

static float *sent;                 /* the sum of the gradients of the first process */
static sa_shard sent_shards[BATCH]; /* what it found */
static bool second;                 /* which of them makes its update now */

static void add_in_turn(sa_real *numbers, size_t size,
                        void (*add)(void *context, size_t at, size_t size), void *context) {
    memcpy(second ? numbers : sent, second ? sent : numbers, size * sizeof *numbers);
    if (!second) return;
    add(context, 0, size / 3);
    add(context, size / 3, size - size / 3);
}

/* The first process has one shard more if their number is odd. */
static void gather_in_turn(void *items, size_t size, int count) {
    const size_t bytes = size * (size_t)((count + 1) / 2);
    ck_assert_uint_eq(size, sizeof *sent_shards);
    memcpy(second ? items : sent_shards, second ? sent_shards : items, bytes);
}

static training *begin_process(int shards, const sa_exchange *exchange) {
    training *c = begin(1, shards);
    sa_trainer_close(&c->trainer);
    ck_assert(sa_trainer_open(&c->trainer, &c->settings, &c->sizes, c->values, &longest, c->pool,
                              exchange, NULL));
    return c;
}

/* Each makes some of five shards, then of three. The second one, which sees all of them, ends with
 * the bits of a single process. */
START_TEST(processes_share_the_shards) {
    const sa_exchange first = {.size = 2, .sum = add_in_turn, .gather = gather_in_turn};
    sa_exchange last = first;
    last.rank = 1;
    family = SA_MODEL_RECURRENT;
    training *whole = begin(1, 5), *one = begin_process(5, &first),
             *other = begin_process(5, &last);
    const size_t bytes = whole->plan.size * sizeof *whole->values;
    sent = malloc(bytes);
    for (int count = BATCH; count > 16; count -= 15) {
        const sa_step_result wanted = update(whole, count);
        second = false;
        update(one, count);
        second = true;
        const sa_step_result found = update(other, count);
        ck_assert_double_eq(found.loss, wanted.loss);
        ck_assert_double_eq(found.l2_norm, wanted.l2_norm);
        ck_assert_int_eq(found.words, wanted.words);
        ck_assert_mem_eq(other->values, whole->values, bytes);
        memcpy(one->values, whole->values, bytes); /* which it would have, too */
    }
    free(sent);
    end(whole), end(one), end(other);
}
END_TEST

/* ---- One update ------------------------------------------------------------------------------ */

/* Plain gradient descent, whose updates are easy to predict. */
static training *descent(void) {
    training *c = begin(1, 2);
    c->trainer.optimizer = &sa_optimizers[2];
    ck_assert_str_eq(c->trainer.optimizer->name, "sgd");
    c->settings.momentum = c->trainer.update.momentum = 0;
    c->settings.lr = 0.125, c->settings.clip = 0, c->settings.dropout = 0;
    return c;
}

/* A penalty makes weights smaller than `plain` by a fraction of their value before. */
static void expect_smaller(const training *plain, const training *other, const float *before,
                           double fraction) {
    for (int i = 0; i < plain->plan.count; i++) {
        const sa_param *param = &plain->plan.item[i];
        const char *own = strrchr(param->name, '.');
        const bool weight = own[1] != 'b' && own[1] != 'g'; /* v_a is one, too */
        for (size_t k = 0; k < sa_param_size(param); k++) {
            const size_t at = param->offset + k;
            const double less = (double)plain->values[at] - (double)other->values[at];
            const double wanted = weight ? fraction * (double)before[at] : 0;
            ck_assert_double_eq_tol(less, wanted, 1e-6);
        }
    }
}

START_TEST(weight_decay_shrinks_weights) {
    training *plain = descent(), *decayed = descent();
    float *before = malloc(plain->plan.size * sizeof *before);
    memcpy(before, plain->values, plain->plan.size * sizeof *before);
    decayed->settings.weight_decay = 0.08;
    const sa_step_result one = update(plain, BATCH), other = update(decayed, BATCH);
    ck_assert_double_eq(one.loss, other.loss);
    expect_smaller(plain, decayed, before, 0.125 * 0.08);
    free(before);
    end(plain), end(decayed);
}
END_TEST

START_TEST(a_gradient_that_is_not_finite_changes_nothing) {
    training *c = begin(2, 2);
    sa_step_result result;
    sa_error error = {0};
    update(c, BATCH);
    const size_t bytes = c->plan.size * sizeof *c->values;
    float *saved = malloc(bytes);
    c->values[c->plan.size - 1] = NAN; /* in b_y, which every logit contains */
    memcpy(saved, c->values, bytes);
    for (int i = 1; i < 10; i++) {
        result = update(c, BATCH);
        ck_assert(!result.applied);
        ck_assert_int_eq(c->trainer.nonfinite, i);
    }
    ck_assert(!sa_trainer_step(&c->trainer, c->source, c->target, NULL, BATCH, &result, &error));
    ck_assert_int_eq(error.code, SA_DIVERGED);
    ck_assert_mem_eq(saved, c->values, bytes);
    ck_assert_int_eq(c->trainer.applied, 1);
    free(saved);
    end(c);
}
END_TEST

/* Its numbers are finite, the sum of their squares is not. */
START_TEST(a_gradient_too_long_for_its_norm_is_left_out) {
    family = SA_MODEL_RECURRENT;
    training *c = begin(1, 1);
    int found = 0;
    for (int p = 0; p < c->plan.count; p++) {
        const sa_param *param = &c->plan.item[p];
        if (strcmp(param->name, "readout.W_o") != 0) continue;
        found++;
        for (size_t k = 0; k < sa_param_size(param); k++)
            c->values[param->offset + k] = k % 2 ? 1e25f : -1e25f;
    }
    ck_assert_int_eq(found, 1);
    const sa_step_result result = update(c, BATCH);
    ck_assert(isfinite(result.loss) && !isfinite(result.l2_norm));
    ck_assert(!result.applied && c->trainer.applied == 0 && c->trainer.nonfinite == 1);
    end(c);
}
END_TEST

/* A batch with a finite gradient resets the count of those without. */
START_TEST(a_finite_gradient_resets_the_count) {
    training *c = begin(1, 1);
    sa_step_result result;
    sa_error error = {0};
    float *last = &c->values[c->plan.size - 1];
    for (int round = 0; round < 3; round++) {
        const float saved = *last;
        *last = NAN;
        for (int i = 0; i < 9; i++) ck_assert(!update(c, BATCH).applied);
        *last = saved;
        ck_assert(update(c, BATCH).applied);
        ck_assert_int_eq(c->trainer.nonfinite, 0);
    }
    *last = INFINITY;
    for (int i = 0; i < 9; i++) ck_assert(!update(c, BATCH).applied);
    ck_assert(!sa_trainer_step(&c->trainer, c->source, c->target, NULL, BATCH, &result, &error));
    ck_assert_int_eq(error.code, SA_DIVERGED);
    end(c);
}
END_TEST

/* Plain gradient descent moves the weights by lr times the gradient, whose norm is at most clip,
 * also where it is summed in several pieces. */
START_TEST(clipping_bounds_the_length_of_an_update) {
    const double clip = (const double[]){0, 1e9, 0.25}[_i % 3];
    units = _i < 3 ? 9 : 90, family = SA_MODEL_RECURRENT;
    training *c = begin(1, 1);
    units = 9;
    ck_assert_msg((c->plan.size > 3 << 14) == (_i >= 3), "%zu", c->plan.size);
    c->settings.clip = clip;
    c->trainer.optimizer = &sa_optimizers[2];
    ck_assert_str_eq(c->trainer.optimizer->name, "sgd");
    c->settings.lr = 0.5;
    float *before = malloc(c->plan.size * sizeof *before);
    memcpy(before, c->values, c->plan.size * sizeof *before);
    const sa_step_result result = update(c, BATCH);
    double squares = 0;
    for (size_t i = 0; i < c->plan.size; i++)
        squares += pow((double)c->values[i] - (double)before[i], 2);
    ck_assert_double_gt(result.l2_norm, 0.26);
    const double length = clip == 0.25 ? 0.25 : result.l2_norm;
    ck_assert_double_eq_tol(sqrt(squares), 0.5 * length, 1e-4 * length);
    free(before);
    end(c);
}
END_TEST

/* With a rate that moves nothing the next update has the same gradient. */
START_TEST(no_gradient_is_left_behind) {
    for (int shards = 1; shards <= 3; shards++) {
        training *c = begin(2, shards);
        c->trainer.optimizer = &sa_optimizers[2];
        c->settings.lr = 1e-12, c->settings.dropout = 0;
        const sa_step_result first = update(c, BATCH);
        for (int i = 0; i < 3; i++) {
            const sa_step_result next = update(c, BATCH);
            ck_assert_double_eq_tol(next.l2_norm, first.l2_norm, 1e-5 * first.l2_norm);
            ck_assert_double_eq_tol(next.loss, first.loss, 1e-5 * first.loss);
        }
        end(c);
    }
}
END_TEST

/* The rate that is given, or the optimizer's own, by the schedule; some schedules decay by
 * themselves. */
START_TEST(the_rate_follows_its_schedule) {
    enum { WARMUP = 3, STEPS = 10 };
    sa_error error;
    for (int k = 0; sa_schedules[k].name; k++)
        for (int way = 0; way < 4; way++) {
            const sa_optimizer *optimizer = &sa_optimizers[way / 2];
            const double lr = way % 2 ? 0.125 : 0;
            training *c = begin(1, 1);
            sa_trainer_close(&c->trainer);
            c->settings.schedule = k, c->settings.optimizer = way / 2, c->settings.lr = lr;
            c->settings.warmup = WARMUP;
            const bool opened = sa_trainer_open(&c->trainer, &c->settings, &c->sizes, c->values,
                                                &longest, c->pool, NULL, &error);
            ck_assert_int_eq(opened, !sa_schedules[k].needs_steps);
            if (!opened) {
                char wanted[64];
                snprintf(wanted, sizeof wanted, "--schedule %s needs --steps N",
                         sa_schedules[k].name);
                ck_assert_str_eq(error.text, wanted);
                ck_assert_int_eq(error.code, SA_USAGE);
                sa_trainer_close(&c->trainer);
            }
            c->settings.steps = STEPS;
            if (!opened)
                ck_assert(sa_trainer_open(&c->trainer, &c->settings, &c->sizes, c->values, &longest,
                                          c->pool, NULL, &error));
            c->trainer.decay = 0.5;
            for (int step = 1; step <= 5; step++) {
                update(c, 4);
                const double factor = sa_schedule_factor(&sa_schedules[k], step, WARMUP, STEPS) *
                                      (sa_schedules[k].decays ? 0.5 : 1);
                ck_assert_double_eq(c->trainer.update.lr, (lr > 0 ? lr : optimizer->lr) * factor);
                ck_assert_int_eq(c->trainer.update.step, step);
            }
            end(c);
        }
}
END_TEST

/* b = 0.9 b + 0.1 log p, the mean over the sentences of a batch. */
START_TEST(the_baseline_is_a_running_mean) {
    training *c = begin(1, 2);
    double wanted = 0;
    for (int i = 0; i < 4; i++) {
        const sa_step_result result = update(c, BATCH - i);
        wanted = 0.9 * wanted + 0.1 * (-result.loss / (BATCH - i));
        ck_assert_double_eq_tol(c->trainer.baseline, wanted, 1e-12 * -wanted);
    }
    end(c);
}
END_TEST

/* With the same draws, and so the same loss, the baseline changes the gradient of the draws. */
START_TEST(the_baseline_is_taken_from_the_reward) {
    hard = true, family = SA_MODEL_RECURRENT;
    training *zero = descent(), *other = descent();
    hard = false;
    other->trainer.baseline = -5;
    ck_assert_double_eq(update(zero, BATCH).loss, update(other, BATCH).loss);
    ck_assert(memcmp(zero->values, other->values, zero->plan.size * sizeof *zero->values) != 0);
    end(zero), end(other);
}
END_TEST

/* An arena traps when it is exhausted. */
START_TEST(no_batch_needs_more_than_was_planned) {
    family = _i;
    for (int shards = 1; shards <= 4; shards++) {
        training *c = begin(1, shards);
        sa_rng rng = sa_rng_seed(5, (uint64_t)shards);
        for (int count = 1; count <= BATCH; count++) {
            for (int i = 0; i < count; i++) {
                draw_sentence(&rng, c->ids[2 * i], &c->source[i]);
                draw_sentence(&rng, c->ids[2 * i + 1], &c->target[i]);
            }
            update(c, count);
            ck_assert_uint_le(c->trainer.lane[0].arena.used, c->trainer.lane[0].arena.size);
        }
        end(c);
    }
}
END_TEST

static void open_again(training *c, int tokens) {
    sa_trainer_close(&c->trainer);
    c->settings.batch_tokens = tokens;
    ck_assert(sa_trainer_open(&c->trainer, &c->settings, &c->sizes, c->values, &longest, c->pool,
                              NULL, NULL));
}

/* Sentences of any lengths within --batch-tokens, in one shard and in several; also the largest
 * number of pairs, of one word on each side, and a single longer pair. */
START_TEST(no_batch_of_words_needs_more_than_was_planned) {
    enum { TOKENS = 34 };
    static const int32_t end_mark = SA_EOS;
    family = _i;
    for (int shards = 1; shards <= 3; shards++) {
        training *c = begin(1, shards);
        open_again(c, TOKENS);
        sa_rng rng = sa_rng_seed(5, (uint64_t)shards);
        for (int round = 0; round < 60; round++) {
            int count = 0, words[2] = {0, 0};
            for (; count < TOKENS; count++) {
                sa_sentence *source = &c->source[count], *target = &c->target[count];
                draw_sentence(&rng, c->ids[2 * count], source);
                draw_sentence(&rng, c->ids[2 * count + 1], target);
                if (round % 3 == 0) *source = *target = (sa_sentence){&end_mark, 1};
                words[0] += source->len, words[1] += target->len;
                if (words[0] > TOKENS || words[1] > TOKENS) break;
            }
            update(c, count);
        }
        open_again(c, 2);
        c->source[0].len = c->target[0].len = LONGEST;
        update(c, 1);
        end(c);
    }
}
END_TEST

/* Batches of every size with the longest sentences nearly fill the arenas. */
START_TEST(little_more_is_planned_than_the_longest_need) {
    for (int shards = 1; shards <= 4; shards++) {
        training *c = begin(1, shards);
        for (int i = 0; i < BATCH; i++) c->source[i].len = c->target[i].len = LONGEST;
        size_t most = 0;
        for (int count = 1; count <= BATCH; count++) {
            update(c, count);
            const size_t used = c->trainer.lane[0].arena.used;
            most = used > most ? used : most;
        }
        ck_assert_uint_le(most, c->trainer.lane[0].arena.size);
        ck_assert_uint_ge(most, c->trainer.lane[0].arena.size / 16 * 15);
        end(c);
    }
}
END_TEST

/* Whatever else moves weights. */
START_TEST(frozen_embeddings_keep_their_bits) {
    family = _i & 1;
    training *c = begin(2, 3);
    c->settings.freeze_embeddings = 1 + _i / 2;
    c->settings.weight_decay = 0.1;
    sa_trainer_close(&c->trainer);
    ck_assert(sa_trainer_open(&c->trainer, &c->settings, &c->sizes, c->values, &longest, c->pool,
                              NULL, NULL));
    float *before = calloc(c->plan.size, sizeof *before);
    memcpy(before, c->values, c->plan.size * sizeof *before);
    for (int i = 0; i < 5; i++) update(c, BATCH);
    for (int p = 0; p < c->plan.count; p++) {
        const sa_param *param = &c->plan.item[p];
        const bool source = strcmp(param->name, "source.E") == 0;
        const bool target = strcmp(param->name, "target.E") == 0;
        const int bits = source ? SA_FREEZE_SOURCE : target ? SA_FREEZE_TARGET : 0;
        const bool same = memcmp(before + param->offset, c->values + param->offset,
                                 sa_param_size(param) * sizeof *before) == 0;
        if (source || target)
            ck_assert_msg(same == ((c->settings.freeze_embeddings & bits) != 0), "%s", param->name);
    }
    free(before);
    end(c);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("trainer", &tests);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_loss_falls_and_counts_are_right);
    tcase_add_loop_test(tests, threads_change_no_bit, 0, 2);
    tcase_add_test(tests, shards_give_the_gradient_of_the_whole_batch);
    tcase_add_test(tests, every_shard_update_and_seed_has_its_own_masks);
    tcase_add_test(tests, processes_share_the_shards);
    tcase_add_loop_test(tests, frozen_embeddings_keep_their_bits, 0, 6);
    tcase_add_test(tests, weight_decay_shrinks_weights);
    tcase_add_test(tests, a_gradient_that_is_not_finite_changes_nothing);
    tcase_add_test(tests, a_gradient_too_long_for_its_norm_is_left_out);
    tcase_add_test(tests, a_finite_gradient_resets_the_count);
    tcase_add_loop_test(tests, clipping_bounds_the_length_of_an_update, 0, 6);
    tcase_add_test(tests, no_gradient_is_left_behind);
    tcase_add_test(tests, the_rate_follows_its_schedule);
    tcase_add_test(tests, the_baseline_is_a_running_mean);
    tcase_add_test(tests, the_baseline_is_taken_from_the_reward);
    tcase_add_loop_test(tests, no_batch_needs_more_than_was_planned, 0, 2);
    tcase_add_loop_test(tests, no_batch_of_words_needs_more_than_was_planned, 0, 2);
    tcase_add_test(tests, little_more_is_planned_than_the_longest_need);
    return suite_run(suite);
}
