/* search_model: a small model with random weights, and teacher forcing to compare its searches
 * with. */
#ifndef TEST_SEARCH_MODEL_H
#define TEST_SEARCH_MODEL_H

#include "inference/search.h"
#include "model/seq2seq.h"
#include "support/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { K = 5, A = SA_SPECIAL_TOKENS, B, SHORTEST = 10, SOURCES = 7, MOST = 2047 };

static sa_sizes sizes;
static sa_params plan;
static sa_mat weights;
static sa_seq2seq w;
static sa_search search;
static sa_sentence sources[SOURCES];

/* Returns the number of the decoders that choose from a vocabulary. */
static inline int decoders(void) {
    int count = 0;
    while (sa_decoder_kinds[count].name && !sa_decoder_kinds[count].points) count++;
    return count;
}

/* Weights that make some words much likelier than others; `bias` is added for one word. */
static inline void model_open(int seed, int32_t favorite, double bias) {
    static const int32_t words[] = {A, B, B, A, SA_UNK, B, SA_EOS};
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = 4, settings.hidden = 6, settings.attn = 4, settings.maxout = 4;
    settings.attention = seed % 2;
    settings.decoder = seed % decoders();
    settings.cell = seed % 3;
    settings.input_feeding = seed % 4 == 3;
    settings.layers = settings.decoder_layers = 2 - seed % 2;
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    weights = sa_mat_alloc(&numbers, 1, (int)plan.size);
    dice = sa_rng_seed((uint64_t)seed, 1);
    draw(weights, 1.5);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
    w.decoder.readout.b_y.x[favorite] += (float)bias;
    for (int i = 0; i < SOURCES; i++) sources[i] = (sa_sentence){words + 6 - i, i + 1};
    sources[2] = (sa_sentence){words, SOURCES}; /* not in the order of lengths */
    sa_search_init(&search);
    search.max_ratio = 0;
}

/* log p of every target after the same source, teacher-forced. */
static inline void force(sa_sentence source, const sa_sentence *targets, int count, double *log_p) {
    sa_sentence *same = calloc((size_t)count, sizeof *same);
    sa_arena arena = {0};
    sa_batch batch;
    sa_pass pass;
    for (int i = 0; i < count; i++) same[i] = source, log_p[i] = 0;
    for (int dry = 1; dry >= 0; dry--) {
        batch = sa_batch_build(&arena, same, targets, count);
        sa_pass_layout(&arena, &w, &batch, false, &pass);
        if (dry) ck_assert(sa_arena_init(&arena, arena.used, NULL));
    }
    sa_seq2seq_loss(&w, &batch, (sa_regularizer){0}, &pass, NULL);
    for (int t = 0; t < batch.target.steps; t++)
        for (int b = 0; b < batch.target.active[t]; b++)
            log_p[batch.target.order[b]] += (double)pass.log_p[batch.target.start[t] + b];
    sa_arena_release(&arena);
    free(same);
}

/* With these models. */
static inline bool search_batch(const sa_seq2seq *const *models, int number,
                                const sa_sentence *const *views, sa_outlines outlines, int count,
                                sa_hypothesis *found, sa_error *error) {
    sa_ensemble ensemble;
    const bool good = sa_ensemble_open(&ensemble, models, number, NULL, error) &&
                      sa_search_batch(&ensemble, views, outlines, count, &search, found, error);
    sa_ensemble_release(&ensemble);
    return good;
}

static inline sa_hypothesis *find(const sa_sentence *from, int count) {
    sa_hypothesis *found = calloc((size_t)(count * search.nbest), sizeof *found);
    const sa_seq2seq *one = &w;
    sa_error error;
    ck_assert_msg(search_batch(&one, 1, &from, (sa_outlines){0}, count, found, &error), "%s",
                  error.text);
    return found;
}

static inline void release(sa_hypothesis *found, int count) {
    for (int i = 0; i < count * search.nbest; i++) free(found[i].ids), free(found[i].weights);
    free(found);
}

#endif
