#include "train/trainer.h"
#include "attention/hard.h"
#include "tensor/denormal.h"
#include "tensor/vec.h"

#include <math.h>
#include <string.h>

enum {
    PACKING = 16,       /* jobs that pack the weights */
    MAX_NONFINITE = 10, /* batches in a row before training has diverged */
};

int sa_trainer_shards_for(int count, int shards) {
    const int most = count / SA_SHARD_PAIRS;
    return most < 1 ? 1 : most < shards ? most : shards;
}

/* ---- Packing --------------------------------------------------------------------------------- */

void sa_trainer_pack(sa_trainer *trainer, int part, int parts, sa_arena *arena, sa_seq2seq *w) {
    const sa_packing packing = {
        .rows = trainer->most, .backward = true, .part = part, .parts = parts};
    sa_seq2seq_pack(arena, &trainer->sizes, trainer->values, packing, w);
}

static void pack_part(void *context, int part) {
    sa_trainer *trainer = context;
    sa_arena same_place = trainer->packed;
    sa_seq2seq w;
    same_place.used = 0;
    sa_trainer_pack(trainer, part, PACKING, &same_place, &w);
}

/* ---- One batch ------------------------------------------------------------------------------- */

/* Pair k goes to shard k mod active_shards, so that every shard gets short and long sentences. */
static int shard_count(const sa_trainer *trainer, int i) {
    return (trainer->count - i + trainer->active_shards - 1) / trainer->active_shards;
}

static int shard_start(const sa_trainer *trainer, int i) {
    int start = 0;
    for (int k = 0; k < i; k++) start += shard_count(trainer, k);
    return start;
}

static void shard_batch(sa_trainer *trainer, const sa_sentence *source, const sa_sentence *target,
                        const size_t *pairs, int count) {
    trainer->active_shards = sa_trainer_shards_for(count, trainer->shards);
    trainer->count = count;
    const int rank = trainer->exchange ? trainer->exchange->rank : 0;
    trainer->first_shard = sa_exchange_first(trainer->exchange, trainer->active_shards, rank);
    trainer->end_shard = sa_exchange_first(trainer->exchange, trainer->active_shards, rank + 1);
    for (int i = 0, next = 0; i < trainer->active_shards; i++)
        for (int k = i; k < count; k += trainer->active_shards, next++) {
            const size_t pair = pairs ? pairs[k] : (size_t)k;
            trainer->source[next] = source[pair];
            trainer->target[next] = target[pair];
            if (trainer->links) trainer->links[next] = trainer->gold[pair];
        }
}

static void add_l2_gradient(const sa_trainer *trainer, sa_real *gradients) {
    const double l2 = trainer->settings->l2;
    for (int i = 0; l2 > 0 && i < trainer->plan.count; i++)
        sa_l2_backward(&trainer->plan.item[i], trainer->values, l2, gradients);
}

/* Beside the sum. */
static int spare_gradients(const sa_trainer *trainer) {
    return trainer->gradients > 1 ? trainer->gradients - 1 : 1;
}

/* The gradient of shard i. The first process' first one becomes the sum. */
static sa_gradient *gradient_of(const sa_trainer *trainer, int i) {
    const int k = i - trainer->first_shard - sa_exchange_leads(trainer->exchange);
    return &trainer->gradient[k < 0 ? 0 : 1 + k % spare_gradients(trainer)];
}

/* There are as many lanes as shards that can run at a time, so one is free or about to be. */
static sa_lane *take_lane(const sa_trainer *trainer) {
    int k = 0;
    while (atomic_exchange(&trainer->lane[k].taken, true)) k = (k + 1) % trainer->lanes;
    return &trainer->lane[k];
}

/* The gradient of the shard is zero at the start. */
static void run_shard(void *context, int task) {
    sa_trainer *trainer = context;
    const int i = trainer->first_shard + task;
    sa_shard *shard = &trainer->shard[i];
    sa_lane *lane = take_lane(trainer);
    sa_gradient *gradient = gradient_of(trainer, i);
    const int start = shard_start(trainer, i), count = shard_count(trainer, i);
    sa_rng rng = sa_rng_seed(
        (uint64_t)trainer->settings->seed + sa_hash_mix((uint64_t)trainer->step), (uint64_t)i);
    sa_pass pass;
    lane->arena.used = 0;
    sa_batch batch =
        sa_batch_build(&lane->arena, trainer->source + start, trainer->target + start, count);
    batch.whole = trainer->count;
    batch.gold = trainer->links ? trainer->links + start : NULL;
    sa_pass_layout(&lane->arena, &trainer->w, &batch, true, &pass);
    sa_regularizer regularizer = sa_regularizer_of(trainer->settings, &rng);
    regularizer.baseline = trainer->baseline;
    shard->loss = sa_seq2seq_loss(&trainer->w, &batch, regularizer, &pass, &gradient->dw);
    shard->alignment_loss = pass.alignment_loss;
    if (i == 0) add_l2_gradient(trainer, gradient->numbers);
    atomic_store(&lane->taken, false);
}

/* --weight-decay (Loshchilov and Hutter 2019): decoupled from the gradient. */
static void apply_weight_decay(const sa_trainer *trainer) {
    const sa_real decay = (sa_real)(trainer->update.lr * trainer->settings->weight_decay);
    for (int i = 0; decay > 0 && i < trainer->plan.count; i++) {
        const sa_param *param = &trainer->plan.item[i];
        if (sa_param_is_weight(param)) sa_scale(1 - decay, sa_param_mat(param, trainer->values));
    }
}

static int chunk_size(const sa_trainer *trainer, size_t at) {
    const size_t rest = trainer->plan.size - at;
    return (int)(rest < SA_CHUNK ? rest : SA_CHUNK);
}

/* Adds the gradients of shards k ... end-1, in this order, to the first one. They are zeroed for
 * the next shard that uses them. */
static void add_shards(const sa_trainer *trainer, int k, int end, size_t at, size_t size) {
    for (; k < end; k++)
        sa_move_sum(gradient_of(trainer, k)->numbers + at, trainer->gradient[0].numbers + at, size);
}

static void square_chunk(void *context, int i) {
    sa_trainer *trainer = context;
    const size_t at = (size_t)i * SA_CHUNK;
    const sa_real *sum = trainer->gradient[0].numbers + at;
    trainer->squares[i] = (double)sa_dot(sum, sum, chunk_size(trainer, at));
}

/* The first shard that is not added in its turn: no later one needs its gradient. */
static int late_shard(const sa_trainer *trainer) {
    const int late = trainer->end_shard - spare_gradients(trainer);
    return late > trainer->first_shard ? late : trainer->first_shard + 1;
}

static void add_in_turn(void *context, int task) {
    sa_trainer *trainer = context;
    const int i = trainer->first_shard + task;
    if (!task || i >= late_shard(trainer)) return;
    add_shards(trainer, i, i + 1, 0, trainer->plan.size);
}

/* Adds the gradients that are left and sums the squares. */
static void reduce_chunk(void *context, int i) {
    const sa_trainer *trainer = context;
    const size_t at = (size_t)i * SA_CHUNK;
    add_shards(trainer, late_shard(trainer), trainer->end_shard, at,
               (size_t)chunk_size(trainer, at));
    square_chunk(context, i);
}

/* Adds all shards of this process to the sum of those before. */
static void add_block(void *context, size_t at, size_t size) {
    const sa_trainer *trainer = context;
    add_shards(trainer, trainer->first_shard, trainer->end_shard, at, size);
}

/* The gradient of the whole batch. */
static void sum_gradients(sa_trainer *trainer, int chunks) {
    const sa_exchange *exchange = trainer->exchange;
    const bool leads = sa_exchange_leads(exchange);
    sa_pool_run_in_turn(trainer->pool, trainer->end_shard - trainer->first_shard,
                        spare_gradients(trainer), run_shard, leads ? add_in_turn : NULL, trainer);
    if (leads) sa_pool_run(trainer->pool, chunks, reduce_chunk, trainer);
    if (!exchange) return;
    exchange->sum(trainer->gradient[0].numbers, trainer->plan.size, add_block, trainer);
    exchange->gather(trainer->shard, sizeof *trainer->shard, trainer->active_shards);
    sa_pool_run(trainer->pool, chunks, square_chunk, trainer);
}

/* Where words are absent for a thousand updates, their moments have faded to denormal numbers. */
static void update_chunk(void *context, int i) {
    sa_trainer *trainer = context;
    const size_t at = (size_t)i * SA_CHUNK;
    const int size = chunk_size(trainer, at);
    sa_real *sum = trainer->gradient[0].numbers + at;
    const unsigned before = sa_denormals_off();
    trainer->optimizer->update(&trainer->update, sum, trainer->values + at, trainer->first + at,
                               trainer->second + at, size);
    sa_denormals_restore(before);
    sa_move_sum(sum, NULL, (size_t)size);
}

static double learning_rate(const sa_trainer *trainer) {
    const sa_settings *settings = trainer->settings;
    const sa_schedule *schedule = &sa_schedules[settings->schedule];
    const double lr = settings->lr > 0 ? settings->lr : trainer->optimizer->lr;
    return lr * sa_schedule_factor(schedule, trainer->applied, settings->warmup, settings->steps) *
           (schedule->decays ? trainer->decay : 1);
}

/* B.2 (Bahdanau et al. 2015): the gradient is scaled to an L2 norm of at most clip. */
bool sa_trainer_step(sa_trainer *trainer, const sa_sentence *source, const sa_sentence *target,
                     const size_t *pairs, int count, sa_step_result *result, sa_error *error) {
    const int chunks = (int)((trainer->plan.size + SA_CHUNK - 1) / SA_CHUNK);
    const double clip = trainer->settings->clip;
    double squares = 0;
    sa_require(count > 0 && count <= trainer->most);
    *result = (sa_step_result){0};
    trainer->step++;

    if (trainer->packed.base) sa_pool_run(trainer->pool, PACKING, pack_part, trainer);
    shard_batch(trainer, source, target, pairs, count);
    sum_gradients(trainer, chunks);
    for (int i = 0; i < trainer->active_shards; i++) {
        result->loss += trainer->shard[i].loss;
        result->alignment_loss += trainer->shard[i].alignment_loss;
    }
    for (int i = 0; i < count; i++) result->words += trainer->target[i].len;

    for (int i = 0; i < chunks; i++) squares += trainer->squares[i];
    result->l2_norm = sqrt(squares);
    result->applied = isfinite(result->l2_norm) && isfinite(result->loss);
    if (!result->applied) {
        memset(trainer->gradient[0].numbers, 0, trainer->plan.size * sizeof(sa_real));
        if (++trainer->nonfinite < MAX_NONFINITE) return true;
        return sa_fail(error, SA_DIVERGED,
                       "training diverged: %d batches in a row without a finite gradient "
                       "(a smaller {lr} or {clip} helps)",
                       MAX_NONFINITE);
    }
    trainer->nonfinite = 0;
    trainer->baseline = sa_hard_baseline(trainer->baseline, -result->loss / count);
    trainer->update.step = ++trainer->applied;
    trainer->update.lr = learning_rate(trainer);
    apply_weight_decay(trainer);
    trainer->update.scale =
        clip > 0 && result->l2_norm > clip ? (sa_real)(clip / result->l2_norm) : 1;
    sa_pool_run(trainer->pool, chunks, update_chunk, trainer);
    return true;
}
