/* parts: mechanisms that go beyond score, normalizer and sum. A part is one file of parts/ and one
 * line of the list in parts.c, and runs at the places for which it has hooks:
 *
 *   memory    once per sentence: computes values for each word; may change the keys
 *   project   once per step or pass: computes values from the states that make the queries
 *   query     before the heads: may change the queries of all of them
 *   keys      of a head: may change q_i and k_j, and pass on its carry
 *   scores    of a head, after e_ij = f(q_i, k_j): may add to e
 *   span      narrows which keys a query sees
 *   weights   of a head, after alpha_i = pi(e_i): may change alpha and pass on its carry
 *   output    of a head, after c_i = sum_j alpha_ij v_j: may change c
 *
 * Every forward function has its backward function, and all are optional. In a place the parts run
 * in the order of the list, and backward in reverse. A hook gets the attention, its own number in
 * the attention's list, and the head, in which it may read and change everything. No file outside
 * parts/ knows its struct. EXTENDING.md adds one step by step. */
#pragma once

#include "attention/layout.h"
#include "tensor/trace.h"
#include "tensor/vec.h"

typedef void sa_part_forward(const sa_attention *w, int part, sa_head *head);
/* Accumulates into d and d->dw, unless the part says otherwise. */
typedef void sa_part_backward(const sa_attention *w, int part, sa_head *head, sa_head *d);

typedef struct sa_rare_hooks sa_rare_hooks;

struct sa_part {
    const char *name, *formula, *citation;
    /* Returns whether an attention of these sizes has the part; NULL: it does if its score,
     * normalizer or kind of positions names it. */
    bool (*chosen)(const sa_attention_sizes *sizes);
    const sa_part *with; /* another part that comes with it */
    /* Returns why it refuses these sizes, worded as in config/settings.h, or NULL. */
    const char *(*refuse)(const sa_attention_sizes *sizes);
    /* Initializes `own` (zeroed) and binds its parameters "PREFIX.NAME". */
    void (*bind)(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own);
    const sa_normalizer *normalizer; /* replaces the chosen one */

    /* ---- Sizes: see sa_part_widths; and of a head's carry, for itself and for each word */
    sa_part_widths (*widths)(const sa_attention *w, int part, int queries, int steps);
    int carry, carry_words;
    bool own_keys; /* it calls sa_own_keys */

    /* ---- Hooks */
    struct {
        void (*forward)(const sa_attention *w, int part, sa_memory *memory);
        void (*backward)(const sa_attention *w, int part, const sa_memory *memory, sa_memory *d,
                         sa_attention *dw);
    } memory;
    struct { /* from the states s, for all queries at once */
        void (*forward)(const sa_attention *w, int part, sa_mat s, sa_attention_rows rows);
        void (*backward)(const sa_attention *w, int part, sa_attention_rows rows,
                         sa_attention_rows d, sa_mat ds);
        void (*weights_backward)(int part, sa_mat s, sa_attention_rows rows, sa_attention_rows d,
                                 sa_attention *dw);
    } project;
    void (*span)(const sa_attention *w, int part, const sa_head *head, int query, sa_span *seen);
    sa_part_forward *forward[SA_PLACES];
    sa_part_backward *backward[SA_PLACES];
    struct { /* what explanations call what the hook of the scores adds to e_ij */
        const char *name, *letters;
    } bias;
    const sa_rare_hooks *rare; /* or NULL */
};

/* ---- For the file of a part ------------------------------------------------------------------ */

/* Returns the part's own struct, in the weights or in their gradients. */
static inline const void *sa_part_own(const sa_attention *w, int part) {
    return w->part[part].own;
}

/* Returns the part's number in the attention's list; -1: the attention has no such part. */
int sa_part_find(const sa_attention *w, const sa_part *kind);

/* Returns what the part keeps for the head's queries, with equally many columns for each head. */
sa_mat sa_part_row(const sa_attention *w, int part, const sa_head *head);
/* Returns the part's carry for head k in a row of carries (or of their gradients), for S words. */
sa_mat sa_part_carry(const sa_attention *w, int part, sa_mat carries, int k, int S);
/* Returns the part's slice of the scratch. */
sa_mat sa_part_scratch(const sa_attention *w, int part, const sa_head *head);
/* Returns what the part keeps for the words of the head's sentence, or the gradients; empty without
 * sa_part_widths.memory. */
sa_mat sa_part_memory(int part, const sa_head *head);

/* Replaces, in a hook of the keys, the head's keys by a copy, and in the backward pass their
 * gradient by zeros, which the caller of sa_attend_backward adds to it. */
sa_mat sa_own_keys(sa_head *head);

/* ---- What explanations read ------------------------------------------------------------------ */

enum { SA_SHAPE_TABLE = SA_SHAPE_MATRIX + 1 }; /* a matrix whose rows are not words */

/* Traces a quantity of the head's queries (index -1: of all heads): a row for each query, or one
 * row or column for all of them, or a matrix. formula: a new equation, or NULL. Without a name
 * there is only the equation, of what follows. */
static inline void sa_part_trace(const sa_attention *w, int part, const sa_head *head,
                                 const char *formula, int shape, const char *name,
                                 const char *letters, sa_mat x) {
    sa_trace_all(
        (sa_traced){name, x, w, head, letters, formula, w->part[part].kind->citation, shape});
}

static inline void sa_part_trace_number(const sa_attention *w, int part, const sa_head *head,
                                        const char *formula, const char *name, const char *letters,
                                        sa_real number) {
    sa_part_trace(w, part, head, formula, SA_SHAPE_NUMBER, name, letters,
                  (sa_mat){&number, 1, 1, 1});
}

/* ---- What few parts have --------------------------------------------------------------------- */

/* The non-differentiable points of a pass: on which side each value is, and the distance to the
 * nearest. */
typedef struct sa_kinks {
    uint64_t pattern;
    double nearest; /* in units of the least allowed distance; INFINITY: there is none */
} sa_kinks;
#define SA_KINK_MARGIN 8e-3 /* least distance of a drawn weight */
void sa_kinks_add(sa_kinks *found, double distance, double least);

struct sa_rare_hooks {
    /* Claims for the proof: why the weights of a query may sum to less than 1, why they may have
     * any sum, and why they depend on the order of the words; NULL: they do not. */
    const char *lacks, *any_sum, *ordered;
    void (*kinks)(const sa_attention *w, int part, const sa_head *head, sa_kinks *found);
    double carry_begin; /* the carry of the first word before the first step; the rest is 0 */

    /* Draws the noise of training for a batch, step by step, as much as training has (amount 1),
     * more, or none (0). */
    void (*draw_noise)(const sa_attention *w, int part, double amount, sa_rng *rng,
                       const sa_batch_side *side, sa_mat noise);
    /* In the row of a query: what it adds to the loss [R x 1], and what it has of words that it
     * sampled [R x 2]. */
    sa_mat (*penalty)(sa_mat row);
    sa_mat (*samples)(sa_mat row);

    /* The sums that replace keys and values in causal attention: parts/running_sums.c. */
    void (*running_step)(const sa_attention *w, int part, const sa_memory *words, int t, sa_mat q,
                         sa_mat sums, sa_mat o, sa_mat scratch);
};

#define SA_RARE(...) (&(const sa_rare_hooks){__VA_ARGS__})

/* Returns a part's rare hooks, or none of them; part may be NULL. */
const sa_rare_hooks *sa_rare_of(const sa_part *part);

/* Adds the kinks of all parts of a head. */
void sa_parts_kinks(const sa_attention *w, const sa_head *head, sa_kinks *found);

/* ---- Running the parts ----------------------------------------------------------------------- */

/* Zeroes the gradients into which a backward pass accumulates, except the ones that the loss
 * fills. */
void sa_attention_rows_zero(const sa_attention *w, sa_attention_rows d);

/* Runs causal attention as a recurrence (parts/running_sums.c), where sa_part_widths.running is not
 * 0: adds word t of `words` to the sums of all key/value heads [1 x running]; q [1 x query_width]
 * -> o [1 x output_width]. scratch [1 x key_width]. */
void sa_running_step(const sa_attention *w, const sa_memory *words, int t, sa_mat q, sa_mat sums,
                     sa_mat o, sa_mat scratch);

/* ---- The parts of an attention --------------------------------------------------------------- */

/* Settings choose these. */
extern const sa_part sa_smeared_keys_part, sa_output_gate_part, sa_learned_number_part,
    sa_exclusive_part, sa_latent_part, sa_merged_part;
/* Scores, normalizers and kinds of positions name these. */
extern const sa_part sa_running_sums_part, sa_delta_part, sa_directions_part, sa_graves_part,
    sa_two_maps_part, sa_head_norm_part, sa_positions_end_part, sa_rotation_part, sa_t5_part,
    sa_alibi_part, sa_relative_vectors_part, sa_null_key_part, sa_selective_part,
    sa_forgetting_part, sa_monotonic_part, sa_hard_part, sa_window_part, sa_predicted_window_part,
    sa_override_part, sa_earlier_weights_part, sa_coverage_part, sa_location_aware_part;

/* Returns how many parts are chosen; by settings that are refused, even more than SA_PARTS_MAX. */
int sa_parts_choose(const sa_attention_sizes *sizes, const sa_part *list[SA_PARTS_CHOSEN]);

/* Adds one more part without parameters, as number `place` of the list, before anything is laid out
 * for this attention. Returns its own struct. */
void *sa_part_add(sa_attention *w, const sa_part *kind, int place);

/* The place of parameters in model files: before W_v, after W_c, or after the norm of a sublayer.
 */
typedef enum sa_bind_group {
    SA_BIND_BEFORE_VALUES,
    SA_BIND_AFTER_VALUES,
    SA_BIND_AFTER_NORM,
    SA_BIND_GROUPS
} sa_bind_group;
/* Returns whether the order of model files lists the part, as it does each of our parts with
 * parameters. */
bool sa_part_learns(const sa_part *kind);
void sa_parts_bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                   sa_bind_group group, sa_attention *w);

/* ---- What tables and proofs need of single parts --------------------------------------------- */

/* Scores that score.c has, and that parts/ computes for its table. */
sa_score_parameters sa_monotonic_bind, sa_graves_bind;
sa_score_function sa_additive_forward, sa_linear_score_forward, sa_monotonic_score_forward,
    sa_graves_forward;
sa_score_derivative sa_additive_backward, sa_linear_score_backward, sa_monotonic_score_backward,
    sa_graves_backward;

/* Computes alpha_j = exp(e_j) / sum_k exp(e_k), for parts with a normalizer of their own. */
void sa_softmax_forward(sa_real exponent, sa_mat e);
extern const sa_normalizer sa_no_normalizer; /* for a part that makes the weights itself: */
/* Leave alpha = e and de = dalpha. */
void sa_keep_scores(sa_real exponent, sa_mat e);
void sa_keep_scores_backward(sa_real exponent, sa_mat alpha, sa_mat dalpha, sa_real *dexponent);

/* Return lambda_init of a layer, from 1 (head_norm.c), and lambda (two_maps.c). */
double sa_lambda_init(int layer);
sa_real sa_lambda_forward(const sa_attention *w);

typedef struct sa_coverage {
    const char *name, *formula, *citation;
    bool fertility; /* Phi_j is learned; else it is 1 */
    bool loss;      /* the coverage loss is trained, too */
} sa_coverage;
extern const sa_coverage sa_coverages[]; /* ends with a NULL name */

/* Returns alpha_{i-1} of a head; from: the head or its gradient (coverage.c). */
sa_mat sa_earlier_weights(const sa_attention *w, const sa_head *head, const sa_head *from);

sa_mat sa_t5_bind(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes);
/* Returns T5's bucket for a key that stands `distance` words after the query: one of 32. */
int sa_t5_bucket(int distance, bool causal);
/* Returns ALiBi's slope for head k (from 0) of several. */
double sa_alibi_slope(int k, int heads);
/* Rotates row r of x [R x vectors d] by first + r, or back. */
void sa_rotate(int first, bool back, int vectors, sa_mat x);

/* override.c: weights replaced by others while the model decodes, to measure how much the
 * translation depends on them (Jain and Wallace 2019, "Attention is not explanation"; Wiegreffe and
 * Pinter 2019). */
typedef struct sa_override {
    sa_attention_override chosen;
    uint64_t seed;                 /* of the permutation */
    const sa_gold_alignment *gold; /* of every pair of the batch, or NULL */
    const int *order;              /* [B] the pair that is sentence b of the decoder */
} sa_override;

/* Replaces w's weights in every pass that follows. Call it before any layout for w. */
void sa_override_install(sa_attention *w, const sa_override *override);

/* Checks the override. SA_USAGE: there is no such kind. */
bool sa_override_check(sa_attention_override override, sa_error *error);
