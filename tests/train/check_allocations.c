/* Updates allocate nothing for any model and batch: the linker (--wrap) redirects every call of
 * malloc and its relatives in the program's own code to the counters here. */
#include "base/option.h"
#include "data/batcher.h"
#include "support/suite.h"
#include "train/trainer.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_long taken;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    atomic_fetch_add(&taken, 1);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    atomic_fetch_add(&taken, 1);
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    atomic_fetch_add(&taken, 1);
    return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    atomic_fetch_add(&taken, 1);
    return __real_aligned_alloc(alignment, size);
}

enum { BATCH = 32, PAIRS = (TEST_SANITIZED ? 3 : 20) * BATCH, LONGEST = 40, WORDS = 40 };

static int32_t ids[2 * PAIRS][LONGEST];
static sa_sentence source[PAIRS], target[PAIRS];

static void draw(sa_rng *rng, int32_t *word, sa_sentence *sentence) {
    sentence->ids = word;
    sentence->len = 2 + (int)sa_rng_below(rng, LONGEST - 1);
    for (int i = 0; i < sentence->len; i++)
        word[i] = SA_SPECIAL_TOKENS + (int32_t)sa_rng_below(rng, WORDS - SA_SPECIAL_TOKENS);
    word[sentence->len - 1] = SA_EOS;
}

static void draw_all(void) {
    sa_rng rng = sa_rng_seed(4, 0);
    for (int i = 0; i < PAIRS; i++) {
        draw(&rng, ids[2 * i], &source[i]);
        draw(&rng, ids[2 * i + 1], &target[i]);
    }
}

/* The recurrent models by their decoders, the Transformer with either norm; all again in bf16. */
static int decoders(void) {
    int count = 0;
    while (SA_NAME(sa_decoder_kinds, (size_t)count)) count++;
    return count;
}

static int models(void) {
    return decoders() + 2;
}

static sa_settings settings_of(int number) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.precision = number < models() ? SA_PRECISION_FLOAT32 : SA_PRECISION_BF16;
    number %= models();
    settings.embed = settings.hidden = settings.attn = settings.maxout = 24;
    settings.batch = BATCH, settings.shards = 2, settings.dropout = 0.1;
    settings.decoder = number % decoders();
    if (number >= decoders()) {
        settings.model = SA_MODEL_TRANSFORMER;
        settings.norm = number - decoders();
        settings.heads = settings.layers = 2;
    }
    return settings;
}

static const sa_dataset longest = {.longest_source = LONGEST, .longest_target = LONGEST};

static void expect_no_allocation(const sa_settings *settings, int batches, bool packs) {
    const sa_real unused = 12345;
    sa_error error;
    sa_params plan;
    sa_trainer trainer;
    sa_batcher batcher;
    const sa_sizes sizes = sa_sizes_of(settings, WORDS, WORDS);
    sa_seq2seq_plan(&sizes, &plan);
    float *values = calloc(plan.size, sizeof *values);
    sa_pool *pool = sa_pool_open(2, &error);
    ck_assert(sa_params_init(&plan, values, 0, 7, &error));
    ck_assert(sa_trainer_open(&trainer, settings, &sizes, values, &longest, pool, NULL, &error));
    ck_assert(sa_batcher_open(&batcher, source, target, PAIRS, BATCH, 0, 1, &error));
    if (packs) trainer.gradient[0].store.packing.x[0] = unused;
    for (int i = 0; i < batches; i++) {
        sa_step_result result;
        int count;
        const long before = taken;
        const size_t *pairs = sa_batcher_next(&batcher, &count);
        const bool good = sa_trainer_step(&trainer, source, target, pairs, count, &result, &error);
        const long more = taken - before;
        ck_assert(good && result.applied);
        ck_assert_int_eq(more, 0);
    }
    ck_assert_int_gt(taken, 5); /* opening was counted */
    if (packs) ck_assert(trainer.gradient[0].store.packing.x[0] != unused);
    sa_batcher_close(&batcher);
    sa_trainer_close(&trainer);
    sa_pool_close(pool);
    free(values);
}

START_TEST(updates_allocate_nothing) {
    const sa_settings settings = settings_of(_i);
    expect_no_allocation(&settings, PAIRS / BATCH, false);
}
END_TEST

/* As many words and units as it takes before gradients' second factors are packed. */
START_TEST(packing_for_gradients_allocates_nothing) {
    sa_settings settings = settings_of(models() + _i * decoders());
    settings.embed = settings.hidden = settings.attn = settings.maxout = 128;
    expect_no_allocation(&settings, TEST_SANITIZED ? 1 : 6, true);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("allocations", &tests);
    draw_all();
    tcase_set_timeout(tests, 60); /* wide models, under the sanitizers */
    tcase_add_loop_test(tests, updates_allocate_nothing, 0, 2 * models());
    tcase_add_loop_test(tests, packing_for_gradients_allocates_nothing, 0, 2);
    return suite_run(suite);
}
