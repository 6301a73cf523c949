/* parts: mechanisms that go beyond score, normalizer and sum. A part is one file of parts/ and one
 * line of the table in table.c, and joins in where its hooks say:
 *
 *   memory    once per sentence: what it computes for each word; it may change the keys
 *   project   once per step or pass: what it computes from the states that make the queries
 *   query     before the heads: it may change the queries of all of them
 *   keys      of a head: it may change q_i and k_j, and pass on state
 *   scores    of a head, after e_ij = f(q_i, k_j): it may add to e
 *   span      which keys a query sees
 *   weights   of a head, after alpha_i = pi(e_i): it may change alpha and pass on state
 *   output    of a head, after c_i = sum_j alpha_ij v_j: it may change c
 *
 * Every forward function has its backward one, and all are optional. In a place the parts follow
 * each other in the order of the table, and backward in reverse. A hook gets the attention, its own
 * number in the attention's list, and the head, in which it may read and change everything. No file
 * outside parts/ knows its struct. */
#pragma once

#include "attention/attention.h"
#include "base/batch.h"
#include "base/rng.h"
#include "layers/basic.h"

/* What an attention is made of; also what a part reads when it is chosen, refused and bound. */
typedef struct sa_attention_sizes {
    const sa_score *score;
    const sa_normalizer *normalizer;
    sa_settings settings;          /* of the model: each part reads its own */
    sa_attention_site site;        /* of a Transformer; recurrent decoders have cross-attention */
    const sa_positions *positions; /* of self-attention, else NULL */
    int state_width, annotation_width; /* numbers of s and of h */
    int size;                          /* n', divided among the heads */
    int max_positions;                 /* the longest sentence, EOS included */
    int heads, kv_heads;               /* H, and G; 0: H */
    int value;                         /* numbers of a head's value */
    int layer;                         /* of a Transformer, from 1 */
    bool transformer; /* values are always projected, and tensors have the names of 2017 */
} sa_attention_sizes;

typedef enum sa_place {
    SA_PLACE_QUERY,
    SA_PLACE_KEYS,
    SA_PLACE_SCORES,
    SA_PLACE_WEIGHTS,
    SA_PLACE_OUTPUT,
    SA_PLACES
} sa_place;

typedef void sa_part_forward(const sa_attention *w, int part, sa_head *head);
/* d and d->dw are added to unless the part says otherwise. */
typedef void sa_part_backward(const sa_attention *w, int part, sa_head *head, sa_head *d);

/* The kinks of a pass: on which side of them its numbers are, and how near the nearest is. */
typedef struct sa_kinks {
    uint64_t pattern;
    double nearest; /* distance from a kink in units of the least allowed; INFINITY: none */
} sa_kinks;
#define SA_KINK_MARGIN 8e-3 /* least distance of a drawn weight */
void sa_kinks_add(sa_kinks *found, double distance, double least);

/* A quantity that explanations and proofs look at. An explanation shows it behind the line of the
 * column that `place` names. Without a value there is only an equation, of what follows. */
typedef struct sa_shown {
    const char *name;
    sa_mat value;
    const char *letters; /* what its equation calls it; NULL: it is not explained */
    sa_place place;
    sa_explain_shape shape;
    sa_explain_rows about;
    const char *formula, *citation; /* the equation that begins here; NULL citation: the row's */
    sa_real number;                 /* of the shape of a number, where no matrix holds it */
} sa_shown;
enum { SA_SHOWN_MAX = 8 };
/* For `show` of a part that adds to scores: what it adds, b_ij, for the head's first query. */
int sa_part_show_added(const sa_attention *w, int part, const sa_head *head,
                       sa_shown shown[SA_SHOWN_MAX]);

struct sa_part {
    const char *name, *formula, *citation;
    /* Whether an attention of these sizes has it; NULL: if its score, normalizer or position names
     * it. */
    bool (*chosen)(const sa_attention_sizes *sizes);
    const sa_part *with; /* another part that comes with it */
    /* Why it refuses an attention of these sizes, in the words of config/settings.h, or NULL. */
    const char *(*refuse)(const sa_attention_sizes *sizes);
    /* Fills own, which is zero, and asks for its parameters. Those of low order come first in the
     * model file: 0 stands right behind the score's. */
    void (*bind)(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own);
    int order;
    const sa_normalizer *normalizer; /* its own, in place of the chosen one */

    /* The first word gets this position, in a proof that only distances matter. */
    void (*begin_at)(void *own, int first);

    /* ---- Sizes: numbers of each query (derivative: of those by it), word of the memory, query in
     * the noise of training, of the scratch; and of a head's state: for itself, for each word */
    int (*row_width)(const sa_attention *w, int part, int steps, bool derivative);
    int (*memory_width)(const sa_attention *w, int part);
    int (*noise_width)(const sa_attention *w, int steps);
    int (*scratch_width)(const sa_attention *w, int part, int queries, int steps);
    int carry, carry_words;
    double carry_begin; /* the state of the first word before the first step; the rest is 0 */
    bool own_keys;      /* it needs scratch->own_keys */

    /* ---- Claims, for the proof: why the weights of a query may sum to less than 1, why they may
     * have any sum, and why they depend on the order of the words; NULL: they do not */
    const char *lacks, *any_sum, *ordered;

    /* ---- Hooks */
    void (*memory_forward)(const sa_attention *w, int part, sa_memory *memory);
    void (*memory_backward)(const sa_attention *w, int part, const sa_memory *memory, sa_memory *d,
                            sa_attention *dw);
    void (*project_forward)(const sa_attention *w, int part, sa_mat s, sa_attention_rows rows);
    void (*project_backward)(const sa_attention *w, int part, sa_attention_rows rows,
                             sa_attention_rows d, sa_mat ds);
    void (*project_weights_backward)(int part, sa_mat s, sa_attention_rows rows,
                                     sa_attention_rows d, sa_attention *dw);
    void (*span)(const sa_attention *w, int part, const sa_head *head, int query, sa_span *seen);
    sa_part_forward *forward[SA_PLACES];
    sa_part_backward *backward[SA_PLACES];

    /* ---- Beyond the head */
    /* Draws the noise of a batch, step by step: as much as training has (1), more, or none (0). */
    void (*draw_noise)(const sa_attention *w, int part, double amount, sa_rng *rng,
                       const sa_batch_side *side, sa_mat noise);
    /* What it adds to the loss of each query, in its rows [R x 1], and hard draws [R x 2]. */
    sa_mat (*penalty)(sa_mat row);
    sa_mat (*samples)(sa_mat row);
    /* In place of keys and values, causal attention needs sums alone: numbers of a state, and a
     * step of it: see parts/running_sums.c. */
    int (*running_width)(const sa_attention *w);
    void (*running_step)(const sa_attention *w, int part, const sa_memory *words, int t, sa_mat q,
                         sa_mat state, sa_mat o, sa_mat scratch);
    void (*kinks)(const sa_attention *w, int part, const sa_head *head, sa_kinks *found);
    /* What it has computed for the head's queries, or computes for the first of them, by name;
     * returns how many. It may use the scratch. */
    int (*show)(const sa_attention *w, int part, const sa_head *head, sa_shown shown[SA_SHOWN_MAX]);
};

extern const sa_part *const sa_parts[]; /* in the order of hooks; ends with NULL */

/* Settings choose these. */
extern const sa_part sa_smeared_keys_part, sa_output_gate_part, sa_learned_number_part;
/* Rows of scores, normalizers and positions name these. */
extern const sa_part sa_running_sums_part, sa_delta_part, sa_directions_part, sa_graves_part,
    sa_two_maps_part, sa_head_norm_part, sa_positions_end_part, sa_rotation_part, sa_t5_part,
    sa_alibi_part, sa_relative_vectors_part, sa_null_key_part, sa_selective_part,
    sa_forgetting_part, sa_monotonic_part, sa_hard_part, sa_window_part, sa_predicted_window_part,
    sa_override_part, sa_earlier_weights_part, sa_coverage_part, sa_location_aware_part;

/* For queries of `state` numbers and annotations of `annotation` numbers. */
sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state_width,
                                         int annotation_width);

/* The parts of an attention. */
int sa_parts_choose(const sa_attention_sizes *sizes, const sa_part *list[SA_PARTS_MAX]);

/* Why rows do not go together, with each other, with the sizes or with what is trained, in the
 * words of config/settings.h; NULL: they do. kind: positions of self-attention, or NULL. */
const char *sa_attention_refuse(const sa_attention_sizes *sizes, const sa_position_kind *kind);

/* Its number in the attention's list; -1: the attention has no such part. */
int sa_part_find(const sa_attention *w, const sa_part *kind);

static inline const void *sa_part_own(const sa_attention *w, int part) {
    return w->part[part].own;
}

/* Head k's part of the state in a row of such states (or of their derivatives), for S words. */
sa_mat sa_part_carry(const sa_attention *w, int part, sa_mat states, int k, int S);

/* A part's own numbers of the scratch, and those of the first `count` parts together. */
sa_mat sa_part_scratch(const sa_attention *w, int part, const sa_head *head);
int sa_scratch_width(const sa_attention *w, int count, int queries, int steps);

/* A part's own numbers of the memory for the words of the head's sentence, or the derivatives by
 * them; empty where it has none. */
sa_mat sa_part_memory(int part, const sa_head *head);

/* The columns of a head in a matrix that has those of all heads side by side. */
sa_mat sa_head_slice(sa_mat all, int heads, int k);
/* The keys or values that head k attends with, of all key/value heads. */
sa_mat sa_kv_head_slice(const sa_attention *w, sa_mat all, int k);

/* Runs the hooks of a place. */
void sa_parts_forward(const sa_attention *w, sa_place place, sa_head *head);
void sa_parts_backward(const sa_attention *w, sa_place place, sa_head *head, sa_head *d);
void sa_parts_span(const sa_attention *w, const sa_head *head, int query, sa_span *seen);

/* In a hook of the keys: puts a copy in place of the head's keys, and in the backward pass zeroes
 * in place of their derivative, which the caller of sa_attend_backward adds to it. */
sa_mat sa_own_keys(sa_head *head);

/* What a part shows under this name; empty without the part or the name. */
sa_mat sa_part_show(const sa_attention *w, const sa_part *kind, const sa_head *head,
                    const char *name);

/* Asks for the parameters of the parts from order `from` to `to`. */
void sa_parts_bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes, int from,
                   int to, sa_attention *w);
/* One more part without parameters, as number `at` of the list. Returns what it owns. Only before
 * anything is laid out for this attention. */
void *sa_part_add(sa_attention *w, const sa_part *kind, int at);

/* Of head_norm.c: lambda_init of a layer, from 1; of two_maps.c: lambda. */
double sa_lambda_init(int layer);
sa_real sa_lambda_forward(const sa_attention *w);

/* ---- What rows and proofs need of single parts ----------------------------------------------- */

typedef struct sa_coverage {
    const char *name, *formula, *citation;
    bool fertility; /* Phi_j is learned; else it is 1 */
    bool loss;      /* the coverage loss is trained, too */
} sa_coverage;
extern const sa_coverage sa_coverages[]; /* ends with a NULL name */

/* alpha_{i-1} of a head, which the part of earlier weights has; state: the head or its derivative.
 */
sa_mat sa_earlier_weights(const sa_attention *w, const sa_head *head, const sa_head *of);

sa_mat sa_t5_bind(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes);
/* T5's bucket of a key that stands `distance` words after the query: one of 32. */
int sa_t5_bucket(int distance, bool causal);
/* ALiBi's slope of head k (from 0) of several. */
double sa_alibi_slope(int k, int heads);
/* Row r of x [R x vectors d] is rotated by first + r, or back. */
void sa_rotate(int first, bool back, int vectors, sa_mat x);

/* Of override.c: weights replaced by others while the model decodes, to measure how much the
 * translation depends on them (Jain and Wallace 2019, "Attention is not explanation"; Wiegreffe and
 * Pinter 2019). */
typedef struct sa_override {
    sa_attention_override chosen;
    uint64_t seed;                 /* of the permutation */
    const sa_gold_alignment *gold; /* of every pair of the batch, or NULL */
    const int *order;              /* [B] the pair that is sentence b of the decoder */
    /* Not NULL: replaces those of position i (from 1) of sentence b, whatever is chosen. */
    void (*replace)(const struct sa_override *own, int b, int i, sa_mat alpha, sa_mat scratch);
} sa_override;

/* A permutation that depends on the seed and on the number of weights. */
void sa_override_shuffle(uint64_t seed, sa_mat alpha);

/* Replaces w's weights in every pass that follows. Call it before any layout for w. */
void sa_override_install(sa_attention *w, const sa_override *override);

/* SA_USAGE: there is no such kind. */
bool sa_override_check(sa_attention_override override, sa_error *error);
