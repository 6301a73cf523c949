#include "base/memory.h"
#include "tensor/blas.h"
#include "train/trainer.h"

#include <stdlib.h>

/* ---- Opening --------------------------------------------------------------------------------- */

/* Float weights are packed shard by shard, and only those of small products. */
static bool bind_weights(sa_trainer *trainer, sa_error *error) {
    sa_arena dry = {0};
    sa_seq2seq_bind_buffer(&trainer->sizes, trainer->values, &trainer->w);
    if (trainer->settings->precision != SA_PRECISION_BF16) return true;
    sa_trainer_pack(trainer, 0, 0, &dry, &trainer->w);
    if (!sa_arena_init(&trainer->packed, dry.used, error)) return false;
    sa_trainer_pack(trainer, 0, 0, &trainer->packed, &trainer->w);
    return true;
}

/* The arena for `count` pairs of the largest lengths; with --batch-tokens, which bounds the words
 * of a batch, for one such pair while the others have one word on each side. */
static size_t arena_size(const sa_trainer *trainer, int count, int longest_source,
                         int longest_target, sa_sentence *lengths) {
    sa_arena dry = {0};
    sa_pass pass;
    static const int32_t extended = SA_EOS; /* not read: only whether there is one */
    for (int i = 0; i < count; i++) {
        const bool longest = !i || !trainer->settings->batch_tokens;
        lengths[i] = (sa_sentence){.len = longest ? longest_source : 1};
        lengths[count + i] = (sa_sentence){.len = longest ? longest_target : 1};
        if (trainer->settings->copy) lengths[i].extended = lengths[count + i].extended = &extended;
    }
    sa_batch batch = sa_batch_build(&dry, lengths, lengths + count, count);
    batch.gold = trainer->links;
    sa_pass_layout(&dry, &trainer->w, &batch, true, &pass);
    return dry.used;
}

/* The most pairs of a shard. A small batch has fewer, larger shards, and one that is bounded by
 * --batch-tokens may be a single shard. */
static int largest_shard(const sa_trainer *trainer) {
    const int most = (trainer->most + trainer->shards - 1) / trainer->shards;
    if (trainer->settings->batch_tokens) return trainer->most + 1;
    return most < 2 * SA_SHARD_PAIRS ? 2 * SA_SHARD_PAIRS : most;
}

/* The sum's, one for each thread, and one more, so that a thread can go on while an earlier shard
 * still runs; of other processes that of the sum and one for each shard. */
static int gradients_for(const sa_exchange *exchange, int lanes, int own) {
    const int most = lanes > 1 ? lanes + 2 : 2;
    if (!sa_exchange_leads(exchange)) return 1 + own;
    return own < most ? own : most;
}

static bool open_gradient(const sa_trainer *trainer, sa_gradient *gradient, sa_error *error) {
    const size_t size = sa_params_room(&trainer->plan, trainer->sizes.precision);
    gradient->numbers = sa_new(trainer->plan.size, sizeof(sa_real), error);
    if (!gradient->numbers || !sa_arena_init(&gradient->memory, size * sizeof(sa_real), error))
        return false;
    gradient->room = sa_mat_alloc(&gradient->memory, 1, (int)size);
    sa_seq2seq_bind_gradients(&trainer->sizes, gradient->numbers, &gradient->room, &gradient->dw);
    return true;
}

static bool open_lanes(sa_trainer *trainer, int longest_source, int longest_target,
                       sa_error *error) {
    const int largest = largest_shard(trainer);
    sa_sentence *lengths = sa_new(2 * (size_t)largest, sizeof *lengths, error);
    if (!lengths) return false;
    const size_t size = arena_size(trainer, largest, longest_source, longest_target, lengths);
    free(lengths);
    for (int i = 0; i < trainer->lanes; i++)
        if (!sa_arena_init(&trainer->lane[i].arena, size, error)) return false;
    for (int i = 0; i < trainer->gradients; i++)
        if (!open_gradient(trainer, &trainer->gradient[i], error)) return false;
    return true;
}

bool sa_trainer_open(sa_trainer *trainer, const sa_settings *settings, const sa_sizes *sizes,
                     sa_real *values, int longest_source, int longest_target, sa_pool *pool,
                     const sa_exchange *exchange, sa_error *error) {
    *trainer = (sa_trainer){.settings = settings,
                            .pool = pool,
                            .exchange = exchange,
                            .values = values,
                            .sizes = *sizes,
                            .decay = 1};
    sa_require(settings->shards > 0);
    const sa_schedule *schedule = &sa_schedules[settings->schedule];
    if (schedule->needs_steps && settings->steps == 0)
        return sa_fail(error, SA_USAGE, "{schedule} %s needs {steps} N", schedule->name);
    trainer->most = settings->batch_tokens ? settings->batch_tokens : settings->batch;
    trainer->shards = sa_trainer_shards_for(trainer->most, settings->shards);
    const int threads = pool ? sa_pool_threads(pool) : 1;
    const int own = sa_exchange_first(exchange, trainer->shards, 1); /* shards at most */
    trainer->lanes = own < threads ? own : threads;
    trainer->gradients = gradients_for(exchange, trainer->lanes, own);
    sa_blas_init();
    trainer->optimizer = &sa_optimizers[settings->optimizer];
    trainer->update = (sa_update){.momentum = settings->momentum,
                                  .beta1 = settings->beta1,
                                  .beta2 = settings->beta2,
                                  .epsilon = settings->epsilon};
    sa_seq2seq_plan(sizes, &trainer->plan);
    const size_t size = trainer->plan.size, batch = (size_t)trainer->most;
    trainer->first = sa_new(size, sizeof(sa_real), error);
    trainer->second = sa_new(size, sizeof(sa_real), error);
    trainer->squares = sa_new(size / SA_CHUNK + 1, sizeof(double), error);
    trainer->source = sa_new(batch, sizeof(sa_sentence), error);
    trainer->target = sa_new(batch, sizeof(sa_sentence), error);
    if (settings->guided_alignment > 0 &&
        !(trainer->links = sa_new(batch, sizeof(sa_gold_alignment), error)))
        return false;
    trainer->shard = sa_new((size_t)trainer->shards, sizeof(sa_shard), error);
    trainer->lane = sa_new((size_t)trainer->lanes, sizeof(sa_lane), error);
    trainer->gradient = sa_new((size_t)trainer->gradients, sizeof(sa_gradient), error);
    return trainer->first && trainer->second && trainer->squares && trainer->source &&
           trainer->target && trainer->shard && trainer->lane && trainer->gradient &&
           bind_weights(trainer, error) &&
           open_lanes(trainer, longest_source, longest_target, error) &&
           sa_blas_check_memory(threads, error);
}

void sa_trainer_close(sa_trainer *trainer) {
    for (int i = 0; trainer->lane && i < trainer->lanes; i++)
        sa_arena_release(&trainer->lane[i].arena);
    for (int i = 0; trainer->gradient && i < trainer->gradients; i++) {
        free(trainer->gradient[i].numbers);
        sa_arena_release(&trainer->gradient[i].memory);
    }
    sa_arena_release(&trainer->packed);
    free(trainer->shard);
    free(trainer->lane);
    free(trainer->gradient);
    free(trainer->first);
    free(trainer->second);
    free(trainer->squares);
    free(trainer->source);
    free(trainer->target);
    free(trainer->links);
    *trainer = (sa_trainer){0};
}

void sa_trainer_lend_memory(sa_trainer *trainer) {
    for (int i = 0; i < trainer->lanes; i++) sa_arena_discard(&trainer->lane[i].arena);
    for (int i = 0; i < trainer->gradients; i++) sa_arena_discard(&trainer->gradient[i].memory);
    sa_arena_discard(&trainer->packed);
}
