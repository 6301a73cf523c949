/* attending: an attention with random weights that attends to random sentences, step by step as a
 * recurrent decoder does or all at once as a Transformer does. */
#ifndef TEST_ATTENDING_H
#define TEST_ATTENDING_H

#include "attention/heads.h"
#include "attention/parts.h"
#include "support/differences.h"
#include "tensor/vec.h"

enum { SENTENCES = 3, STEPS = 2, LONGEST = 5 };
static const int words_before[SENTENCES + 1] = {0, LONGEST, LONGEST + 1, LONGEST + 4};
static const int queries_before[SENTENCES + 1] = {0, 2, 3, 6}; /* of cross-attention at once */

static sa_settings settings; /* what a test sets before it opens the attention */
static sa_attention_sizes sizes;
static sa_attention w, dw;
static sa_mat weights, dweights; /* all of w and dw as one row */
static sa_memory memory;
static sa_queries asked; /* where all queries are asked at once */
static sa_attention_rows rows;
static sa_attention_scratch scratch;
static sa_mat states, c;

static inline void attention_settings(int score) {
    sa_settings_init(&settings);
    settings.attention = score;
    settings.attn = 8, settings.heads = 1, settings.max_len = 2;
    settings.window_size = settings.shaw_distance = 1;
    settings.location_filters = 2, settings.location_width = 3;
}

/* Kinks of the last pass: a part behind all others looks at what each head has computed. */
static sa_kinks met;

static inline void meet_scores(const sa_attention *own, int part, sa_head *at) {
    const double least = own->normalizer->exponent ? 0.04 : 0.01;
    (void)part;
    for (int i = 0; own->normalizer->kinks && i < at->alpha.rows; i++) {
        const sa_span seen = at->spans ? at->spans[i] : (sa_span){0, at->alpha.cols};
        const sa_mat z = unset(1, seen.count);
        sa_copy_mat(sa_cols(sa_rows(at->alpha, i, 1), seen.first, seen.count), z);
        own->normalizer->kinks(*at->exponent, z);
        for (int j = 0; j < z.cols; j++) sa_kinks_add(&met, z.x[j], least);
    }
}

static inline void meet_parts(const sa_attention *own, int part, sa_head *at) {
    (void)part;
    sa_parts_kinks(own, at, &met);
}

static const sa_part watcher = {
    .name = "watcher",
    .forward = {[SA_PLACE_SCORES] = meet_scores, [SA_PLACE_OUTPUT] = meet_parts},
};

/* ---- Opening --------------------------------------------------------------------------------- */

static inline size_t attention_bind(sa_real *buffer, const sa_position_kind *kind, bool causal,
                                    sa_attention *own) {
    sa_binder binder = {.buffer = buffer};
    sa_positions positions;
    sa_attention_sizes bound = sizes;
    if (kind) {
        const sa_position_sizes of = {.kind = kind, .heads = sizes.heads, .causal = causal};
        sa_positions_bind(&binder, "positions", &of, &positions);
        positions.kind = kind, positions.causal = causal;
        bound.positions = &positions;
    }
    sa_attention_bind(&binder, "attention", &bound, own);
    sa_parts_bind(&binder, "attention", &bound, SA_BIND_AFTER_NORM, own);
    sa_part_add(own, &watcher, own->parts);
    return binder.offset;
}

static inline void draw_above_0(sa_mat x) {
    draw(x, 1);
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) sa_row(x, i)[k] = fabs(sa_row(x, i)[k]);
}

/* Of the sizes, which the settings have made and the test may have changed; false: they do not go
 * together. kind: of positions, or NULL. */
static inline bool attention_open(const sa_position_kind *kind, bool causal) {
    if (sa_attention_refuse(&sizes, kind)) return false;
    const int size = (int)attention_bind(NULL, kind, causal, &w);
    weights = drawn(1, size), dweights = filled(1, size, BEFORE);
    attention_bind(weights.x, kind, causal, &w);
    attention_bind(dweights.x, kind, causal, &dw);
    sa_memory_layout(&numbers, &w, words_before,
                     drawn(words_before[SENTENCES], sizes.annotation_width), &memory);
    const bool self = sizes.site != SA_SITE_CROSS;
    asked = (sa_queries){SENTENCES, self ? words_before : queries_before, causal};
    const int R = sizes.transformer ? asked.first[SENTENCES] : STEPS * SENTENCES;
    rows = sa_attention_rows_layout(&numbers, &w, R, LONGEST, false);
    scratch = sa_attention_scratch_layout(&numbers, &w, LONGEST, LONGEST, true);
    rows.noise = unset(R, sa_parts_widths(&w, w.parts, 0, LONGEST).noise);
    fill(rows.alpha, 0), fill(rows.carry, 0);
    draw_above_0(rows.noise), draw_above_0(rows.previous_carry);
    states = drawn(R, sizes.state_width), c = unset(R, sizes.annotation_width);
    return true;
}

/* Of a recurrent decoder; scores that compare states with annotations themselves need the same
 * size. */
static inline bool decoder_open(void) {
    const bool raw = sa_scores[settings.attention].key == SA_KEY_IDENTITY;
    sizes = sa_attention_sizes_of(&settings, 3, raw ? 3 : 5);
    return attention_open(NULL, false);
}

/* ---- Passes ---------------------------------------------------------------------------------- */

static inline sa_attention_rows step_of(sa_attention_rows all, int t) {
    return sa_attention_rows_slice(all, t * SENTENCES, SENTENCES);
}

static inline sa_mat step_rows(sa_mat all, int t) {
    return sa_rows(all, t * SENTENCES, SENTENCES);
}

/* The first step begins with the previous states that its rows have. */
static inline void attend(void) {
    const size_t used = numbers.used;
    met = (sa_kinks){0, INFINITY};
    sa_memory_forward(&w, &memory);
    if (sizes.transformer) sa_attention_forward(&w, &memory, &asked, states, rows, c, &scratch);
    for (int t = 0; !sizes.transformer && t < STEPS; t++) {
        if (t) sa_copy_mat(step_of(rows, t - 1).carry, step_of(rows, t).previous_carry);
        const sa_queries step = {.blocks = SENTENCES, .i = t + 1};
        sa_attention_forward(&w, &memory, &step, step_rows(states, t), step_of(rows, t),
                             step_rows(c, t), &scratch);
    }
    numbers.used = used;
}

/* Head k of step t (from 0) over sentence b, after the pass. */
static inline sa_head head_at(int t, int b, int k) {
    return sa_head_view(&w, &memory, (sa_query_block){t * SENTENCES + b, 1, b, t + 1, false}, rows,
                        &scratch, k);
}

/* A head over `words` words by itself, with nothing in it but the rows of the first query. */
static inline sa_head bare_head(int words) {
    sa_head at = head_at(0, 0, 0);
    at.spans = NULL;
    at.k = sa_rows(at.k, 0, words), at.v = sa_rows(at.v, 0, words);
    at.alpha = unset(1, words), at.c = unset(1, at.v.cols);
    return at;
}

static inline void set_row(sa_mat x, const double *numbers_of_it) {
    for (int j = 0; j < x.cols; j++) x.x[j] = numbers_of_it[j];
}

#endif
