#include "train/trainer.h"
#include "tensor/blas.h"
#include "tensor/denormal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Processes ------------------------------------------------------------------------------- */

int sa_exchange_first(const sa_exchange *exchange, int count, int rank) {
    const int64_t size = exchange ? exchange->size : 1;
    return (int)(((int64_t)count * rank + size - 1) / size);
}

bool sa_exchange_leads(const sa_exchange *exchange) {
    return !exchange || exchange->rank == 0;
}

void sa_exchange_words(const sa_exchange *exchange, uint64_t word, uint64_t words[]) {
    words[exchange ? exchange->rank : 0] = word;
    if (exchange) exchange->gather(words, sizeof *words, exchange->size);
}

bool sa_exchange_agree(sa_exchange *exchange, bool good, sa_error *error) {
    uint64_t codes[SA_MAX_PROCESSES];
    if (!exchange || exchange->ended) return good;
    sa_exchange_words(exchange, good ? 0 : (uint64_t)error->code, codes);
    int first = 0;
    while (first < exchange->size && !codes[first]) first++;
    if (first == exchange->size) return true;
    exchange->ended = true;
    if (first != exchange->rank) *error = (sa_error){.code = (sa_code)codes[first]};
    return false;
}

int sa_exchange_odd(const uint64_t words[], int count) {
    int usual = 0;
    for (int i = 0, most = 0; i < count; i++) {
        int equal = 0;
        for (int k = 0; k < count; k++) equal += words[k] == words[i];
        if (equal > most) most = equal, usual = i;
    }
    for (int i = 0; i < count; i++)
        if (words[i] != words[usual]) return i;
    return -1;
}

bool sa_exchange_same(const sa_exchange *exchange, uint64_t word, const char *what,
                      sa_error *error) {
    uint64_t words[SA_MAX_PROCESSES];
    sa_exchange_words(exchange, word, words);
    const int odd = sa_exchange_odd(words, exchange->size);
    return odd < 0 || sa_fail(error, SA_USAGE, "process %d on '%s' has %s than the rest", odd,
                              exchange->hosts[odd], what);
}

/* ---- Shards ---------------------------------------------------------------------------------- */

enum {
    SHARD_PAIRS = 8,    /* fewer do not repay a gradient of their own */
    CHUNK = 1 << 14,    /* numbers of the gradient that one job sums and updates */
    JOBS = 16,          /* that store the weights */
    MAX_NONFINITE = 10, /* batches in a row before training has diverged */
};

/* Returns the number of shards of a batch of `count` pairs. */
static int shards_for(int count, int shards) {
    const int most = count / SHARD_PAIRS;
    return most < 1 ? 1 : most < shards ? most : shards;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Opens the lanes' arenas, each for a shard of the most pairs, all of the largest lengths; where
 * tokens bound a batch, for one such pair while the others have one word on each side. A small
 * batch has fewer, larger shards, and a batch bounded by tokens may be a single shard. */
static bool open_lanes(sa_trainer *trainer, const sa_dataset *data, sa_error *error) {
    static const int32_t extended = SA_EOS; /* only its presence matters, not its value */
    const sa_settings *settings = trainer->settings;
    const int even = (trainer->most + trainer->shards - 1) / trainer->shards;
    const int count = settings->batch_tokens   ? trainer->most + 1
                      : even < 2 * SHARD_PAIRS ? 2 * SHARD_PAIRS
                                               : even;
    sa_sentence *source = sa_new(2 * (size_t)count, sizeof *source, error);
    if (!source) return false;
    sa_sentence *target = source + count;
    for (int i = 0; i < count; i++) {
        const bool longest = !i || !settings->batch_tokens;
        source[i].len = longest ? data->longest_source : 1;
        target[i].len = longest ? data->longest_target : 1;
        if (settings->copy) source[i].extended = target[i].extended = &extended;
    }
    sa_arena dry = {0};
    sa_pass pass;
    sa_batch batch = sa_batch_build(&dry, source, target, count);
    batch.gold = trainer->links;
    sa_pass_layout(&dry, &trainer->w, &batch, true, &pass);
    free(source);
    bool good = true;
    for (int i = 0; good && i < trainer->lanes; i++)
        good = sa_arena_init(&trainer->lane[i].arena, dry.used, error);
    return good;
}

static bool open_gradients(sa_trainer *trainer, sa_error *error) {
    for (int i = 0; i < trainer->gradients; i++) {
        sa_gradient *one = &trainer->gradient[i];
        one->numbers = sa_new(trainer->plan.size, sizeof(sa_real), error);
        one->store = (sa_store){.use = SA_STORE_GRADIENTS};
        if (!one->numbers ||
            !sa_seq2seq_open_stored(&trainer->sizes, one->numbers, &one->store, &one->dw, error))
            return false;
    }
    return true;
}

bool sa_trainer_open(sa_trainer *trainer, const sa_settings *settings, const sa_sizes *sizes,
                     sa_real *values, const sa_dataset *data, sa_pool *pool,
                     const sa_exchange *exchange, sa_error *error) {
    sa_require(settings->shards > 0 && settings->shards <= SA_MAX_THREADS);
    const sa_schedule *schedule = &sa_schedules[settings->schedule];
    const int most = settings->batch_tokens ? settings->batch_tokens : settings->batch;
    const int shards = shards_for(most, settings->shards);
    const int threads = pool ? sa_pool_threads(pool) : 1;
    const int own = sa_exchange_first(exchange, shards, 1); /* at most this many shards */
    const int lanes = own < threads ? own : threads;
    *trainer = (sa_trainer){.settings = settings,
                            .optimizer = &sa_optimizers[settings->optimizer],
                            .pool = pool,
                            .exchange = exchange,
                            .values = values,
                            .sizes = *sizes,
                            .store = {.use = SA_STORE_TRAINING, .rows = most},
                            .decay = 1,
                            .most = most,
                            .shards = shards,
                            .lanes = lanes,
                            .gradients = own + !sa_exchange_leads(exchange),
                            .update = {.momentum = settings->momentum,
                                       .beta1 = settings->beta1,
                                       .beta2 = settings->beta2,
                                       .epsilon = settings->epsilon}};
    if (schedule->needs_steps && settings->steps == 0)
        return sa_fail(error, SA_USAGE, "--schedule %s needs --steps N", schedule->name);
    sa_blas_init();
    sa_seq2seq_plan(sizes, &trainer->plan);
    for (int side = 0; side < 2; side++)
        if (settings->freeze_embeddings & 1 << side)
            trainer->frozen[side] = sa_seq2seq_embedding(&trainer->plan, side);
    const size_t size = trainer->plan.size, batch = (size_t)most;
    return (trainer->first = sa_new(size, sizeof(sa_real), error)) &&
           (trainer->second = sa_new(size, sizeof(sa_real), error)) &&
           (trainer->squares = sa_new(size / CHUNK + 1, sizeof(double), error)) &&
           (trainer->source = sa_new(batch, sizeof(sa_sentence), error)) &&
           (trainer->target = sa_new(batch, sizeof(sa_sentence), error)) &&
           (settings->guided_alignment <= 0 ||
            (trainer->links = sa_new(batch, sizeof(sa_gold_alignment), error))) &&
           (trainer->gradient = sa_new((size_t)trainer->gradients, sizeof(sa_gradient), error)) &&
           sa_seq2seq_open_stored(sizes, values, &trainer->store, &trainer->w, error) &&
           open_lanes(trainer, data, error) && open_gradients(trainer, error) &&
           sa_blas_check_memory(threads, error);
}

void sa_trainer_close(sa_trainer *trainer) {
    for (int i = 0; i < trainer->lanes; i++) sa_arena_release(&trainer->lane[i].arena);
    for (int i = 0; trainer->gradient && i < trainer->gradients; i++) {
        free(trainer->gradient[i].numbers);
        sa_store_release(&trainer->gradient[i].store);
    }
    sa_store_release(&trainer->store);
    free(trainer->gradient);
    free(trainer->first), free(trainer->second);
    free(trainer->squares);
    free(trainer->source), free(trainer->target), free(trainer->links);
    *trainer = (sa_trainer){0};
}

void sa_trainer_lend_memory(sa_trainer *trainer) {
    for (int i = 0; i < trainer->lanes; i++) sa_arena_discard(&trainer->lane[i].arena);
    for (int i = 0; i < trainer->gradients; i++)
        sa_arena_discard(&trainer->gradient[i].store.memory);
    sa_arena_discard(&trainer->store.memory);
}

/* ---- One shard ------------------------------------------------------------------------------- */

/* Returns the number of pairs of shard i. Pair k goes to shard k mod active_shards, so that every
 * shard gets short and long sentences. */
static int shard_count(const sa_trainer *trainer, int i) {
    return (trainer->count - i + trainer->active_shards - 1) / trainer->active_shards;
}

static void shard_batch(sa_trainer *trainer, const sa_sentence *source, const sa_sentence *target,
                        const size_t *pairs, int count) {
    const int shards = shards_for(count, trainer->shards);
    const int rank = trainer->exchange ? trainer->exchange->rank : 0;
    trainer->active_shards = shards;
    trainer->count = count;
    trainer->first_shard = sa_exchange_first(trainer->exchange, shards, rank);
    trainer->end_shard = sa_exchange_first(trainer->exchange, shards, rank + 1);
    for (int i = 0, next = 0; i < shards; i++)
        for (int k = i; k < count; k += shards, next++) {
            const size_t pair = pairs ? pairs[k] : (size_t)k;
            trainer->source[next] = source[pair];
            trainer->target[next] = target[pair];
            if (trainer->links) trainer->links[next] = trainer->gold[pair];
        }
}

/* Returns the gradient of shard i. That of the first shard of the first process becomes the sum. */
static sa_gradient *gradient_of(const sa_trainer *trainer, int i) {
    return &trainer->gradient[i - trainer->first_shard + !sa_exchange_leads(trainer->exchange)];
}

/* Runs forward and backward, into a gradient that is zero at the start. There are as many lanes as
 * shards that can run at a time, so one is free or about to be. */
static void run_shard(void *context, int task) {
    sa_trainer *trainer = context;
    const sa_settings *settings = trainer->settings;
    const int i = trainer->first_shard + task;
    const int count = shard_count(trainer, i);
    int start = 0;
    for (int before = 0; before < i; before++) start += shard_count(trainer, before);
    sa_gradient *gradient = gradient_of(trainer, i);
    int k = 0;
    while (atomic_exchange(&trainer->lane[k].taken, true)) k = (k + 1) % trainer->lanes;
    sa_arena *arena = &trainer->lane[k].arena;
    sa_arena_rewind(arena, 0);
    sa_batch batch = sa_batch_build(arena, trainer->source + start, trainer->target + start, count);
    batch.whole = trainer->count;
    batch.gold = trainer->links ? trainer->links + start : NULL;
    sa_pass pass;
    sa_pass_layout(arena, &trainer->w, &batch, true, &pass);
    sa_rng rng =
        sa_rng_seed((uint64_t)settings->seed + sa_hash_mix((uint64_t)trainer->step), (uint64_t)i);
    sa_regularizer regularizer = sa_regularizer_of(settings, &rng);
    regularizer.baseline = trainer->baseline;
    trainer->shard[i].loss =
        sa_seq2seq_loss(&trainer->w, &batch, regularizer, &pass, &gradient->dw);
    trainer->shard[i].alignment_loss = pass.alignment_loss;
    trainer->shard[i].dropped = sa_stopping();
    for (int side = 0; side < 2; side++)
        if (trainer->frozen[side]) sa_zero(sa_param_mat(trainer->frozen[side], gradient->numbers));
    atomic_store(&trainer->lane[k].taken, false);
}

/* ---- Sums over shards, chunk by chunk -------------------------------------------------------- */

static int chunk_size(const sa_trainer *trainer, size_t at) {
    const size_t rest = trainer->plan.size - at;
    return (int)(rest < CHUNK ? rest : CHUNK);
}

/* Adds the gradients of shards k ... end-1, in this order, to the first one, and zeroes them for
 * the next shard that uses them. */
static void add_shards(const sa_trainer *trainer, int k, int end, size_t at, size_t size) {
    for (; k < end; k++)
        sa_move_sum(gradient_of(trainer, k)->numbers + at, trainer->gradient[0].numbers + at, size);
}

static void square_chunk(void *context, int i) {
    sa_trainer *trainer = context;
    const size_t at = (size_t)i * CHUNK;
    const sa_real *sum = trainer->gradient[0].numbers + at;
    trainer->squares[i] = (double)sa_dot(sum, sum, chunk_size(trainer, at));
}

/* Adds the gradients and sums the squares. */
static void reduce_chunk(void *context, int i) {
    const sa_trainer *trainer = context;
    const size_t at = (size_t)i * CHUNK;
    add_shards(trainer, trainer->first_shard + 1, trainer->end_shard, at,
               (size_t)chunk_size(trainer, at));
    square_chunk(context, i);
}

/* Adds all shards of this process to the sum of the processes before. */
static void add_block(void *context, size_t at, size_t size) {
    const sa_trainer *trainer = context;
    add_shards(trainer, trainer->first_shard, trainer->end_shard, at, size);
}

/* ---- One step -------------------------------------------------------------------------------- */

static void store_job(void *context, int job) {
    const sa_trainer *trainer = context;
    sa_store same_place = trainer->store;
    sa_seq2seq w;
    same_place.job = job, same_place.jobs = JOBS;
    sa_seq2seq_bind_stored(&trainer->sizes, trainer->values, &same_place, &w);
}

static double learning_rate(const sa_trainer *trainer) {
    const sa_settings *settings = trainer->settings;
    const sa_schedule *schedule = &sa_schedules[settings->schedule];
    const double lr = settings->lr > 0 ? settings->lr : trainer->optimizer->lr;
    return lr * sa_schedule_factor(schedule, trainer->applied, settings->warmup, settings->steps) *
           (schedule->decays ? trainer->decay : 1);
}

/* Applies weight decay, decoupled from the gradient (Loshchilov and Hutter 2019). */
static void decay_weights(const sa_trainer *trainer) {
    const sa_real decay = (sa_real)(trainer->update.lr * trainer->settings->weight_decay);
    for (int i = 0; decay > 0 && i < trainer->plan.count; i++) {
        const sa_param *param = &trainer->plan.item[i];
        const bool frozen = param == trainer->frozen[0] || param == trainer->frozen[1];
        if (sa_param_is_weight(param) && !frozen)
            sa_scale(1 - decay, sa_param_mat(param, trainer->values));
    }
}

/* Updates a chunk with denormals off: where words are absent for a thousand updates, their moments
 * have faded to denormal numbers. */
static void update_chunk(void *context, int i) {
    sa_trainer *trainer = context;
    const size_t at = (size_t)i * CHUNK;
    const int size = chunk_size(trainer, at);
    sa_real *sum = trainer->gradient[0].numbers + at;
    const unsigned before = sa_denormals_off();
    trainer->optimizer->update(&trainer->update, sum, trainer->values + at, trainer->first + at,
                               trainer->second + at, size);
    sa_denormals_restore(before);
    sa_move_sum(sum, NULL, (size_t)size);
}

/* update of paper/rnnsearch.c, generalized */
bool sa_trainer_step(sa_trainer *trainer, const sa_sentence *source, const sa_sentence *target,
                     const size_t *pairs, int count, sa_step_result *result, sa_error *error) {
    const int chunks = (int)((trainer->plan.size + CHUNK - 1) / CHUNK);
    const double clip = trainer->settings->clip;
    const sa_exchange *exchange = trainer->exchange;
    double squares = 0;
    sa_require(count > 0 && count <= trainer->most);
    *result = (sa_step_result){0};
    trainer->step++;

    /* the gradient of every shard, and their sum */
    if (trainer->store.memory.used) sa_pool_run(trainer->pool, JOBS, store_job, trainer);
    shard_batch(trainer, source, target, pairs, count);
    sa_pool_run(trainer->pool, trainer->end_shard - trainer->first_shard, run_shard, trainer);
    if (sa_exchange_leads(exchange)) sa_pool_run(trainer->pool, chunks, reduce_chunk, trainer);
    if (exchange) {
        exchange->sum(trainer->gradient[0].numbers, trainer->plan.size, add_block, trainer);
        exchange->gather(trainer->shard, sizeof *trainer->shard, trainer->active_shards);
        sa_pool_run(trainer->pool, chunks, square_chunk, trainer);
    }
    for (int i = 0; i < trainer->active_shards; i++) {
        result->dropped |= trainer->shard[i].dropped;
        result->loss += trainer->shard[i].loss;
        result->alignment_loss += trainer->shard[i].alignment_loss;
    }
    if (result->dropped) {
        trainer->step--;
        return true;
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
                       "(a smaller --lr or --clip helps)",
                       MAX_NONFINITE);
    }

    /* the update. B.2 (Bahdanau et al. 2015): the gradient is scaled to an L2 norm of at most clip
     */
    trainer->nonfinite = 0;
    /* of hard attention: b_k = 0.9 b_{k-1} + 0.1 log p(y | s), the mean over the batch's sentences
     */
    trainer->baseline = 0.9 * trainer->baseline + 0.1 * (-result->loss / count);
    trainer->update.step = ++trainer->applied;
    trainer->update.lr = learning_rate(trainer);
    trainer->update.scale =
        clip > 0 && result->l2_norm > clip ? (sa_real)(clip / result->l2_norm) : 1;
    decay_weights(trainer);
    sa_pool_run(trainer->pool, chunks, update_chunk, trainer);
    return true;
}
