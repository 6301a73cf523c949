/* attention: e, alpha and c of one head over one sentence, and the heads of a model around them.
 *
 *   e_ij = f(q_i, k_j)             an entry of sa_scores
 *   alpha_i = pi(e_i)              an entry of sa_normalizers, over the keys that query i sees
 *   c_i = sum_j alpha_ij v_j
 *
 * (Bahdanau et al. 2015, A.1.2; Vaswani et al. 2017, equation 1.) attention.c computes them.
 * heads.c makes q, k and v, and contexts from all heads. What goes beyond these lines is a part
 * (parts.h), which runs between them. */
#pragma once

#include "attention/score.h"

/* ---- The structs of an attention ------------------------------------------------------------- */

enum { SA_PARTS_MAX = 8, SA_PARTS_CHOSEN = 16, SA_PART_BYTES = 160 };

typedef struct sa_attention { /* weights, or their gradients */
    const sa_score *score;
    const sa_normalizer *normalizer;
    int heads, kv_heads;        /* H, and G <= H; H = 0: there is no attention */
    int query_width, key_width; /* of q (for H heads) and of k (for G heads) */
    int value_width;            /* of the values (for G heads); 0: they are not projected by W_v */
    int output_width;   /* of [o^1 .. o^H]; 0: the values are the annotations, c their sum */
    sa_weight W_a;      /* projects the query (or, for SA_KEY_STATE_SIZED, the annotations) */
    sa_weight U_a;      /* projects the annotations */
    sa_mat v_a;         /* [1 x n_a], or whatever the score binds */
    sa_weight W_v, W_c; /* [value_width x A], [A x output_width]; only with projected values */
    sa_real exponent;   /* the normalizer's */
    bool decoding;      /* some parts compute other weights when decoding than in training */
    int parts;          /* number of parts; Bahdanau's attention has none */
    struct {
        const sa_part *kind;
        _Alignas(sa_mat) unsigned char own[SA_PART_BYTES]; /* a struct that only its file knows */
    } part[SA_PARTS_MAX];
} sa_attention;

/* What queries attend to: annotations, with their keys and values, made once per sentence. Sentence
 * b has rows first[b] .. first[b+1]-1. The same struct also holds the gradients of these fields. */
typedef struct sa_memory {
    const int *first;          /* NULL: each row is a word of its own, ... */
    const int *positions;      /* [N] ... at this position, from 0 */
    sa_mat annotations;        /* [N x A] h */
    sa_mat keys;               /* [N x key_width], or the annotations themselves */
    sa_mat values;             /* [N x value_width], or the annotations themselves */
    sa_mat part[SA_PARTS_MAX]; /* [N x ..] what parts compute for each word */
} sa_memory;

/* What the forward pass of R queries keeps for the backward pass. The same struct also holds the
 * gradients of these fields. */
typedef struct sa_attention_rows {
    sa_mat q;     /* [R x query_width] */
    sa_mat alpha; /* [R x H S] the weights of head k begin at column k S; as a gradient: what losses
                     on the weights and copying contribute, or empty */
    sa_mat head_outputs;          /* [R x output_width] o^1 .. o^H; only with projected values */
    sa_mat previous_carry, carry; /* [R x ..] what parts got from the step before, and pass on */
    sa_mat noise;                 /* [R x ..] drawn for training, or empty */
    sa_mat part[SA_PARTS_MAX];    /* [R x ..] what parts keep for each query */
} sa_attention_rows;

/* Buffers that every call overwrites. */
typedef struct sa_attention_scratch {
    sa_mat score;                /* [S x key_width] for the score */
    sa_mat own_keys, d_own_keys; /* [S x a head's] where a part changes keys; d..: backward only */
    sa_mat dalpha, soft;         /* [Q x S] dalpha: backward only */
    sa_mat scores;               /* [Q x S] backward only, for scored_backward */
    sa_mat parts;                /* [1 x ..] for the parts */
    struct sa_span *spans;       /* [Q] */
} sa_attention_scratch;

/* A step, or all queries of a pass, and its gradients. */
typedef struct sa_attention_pass {
    const sa_memory *memory;
    sa_attention_rows rows, d;
    sa_memory *dmemory;
    const sa_attention_scratch *scratch;
} sa_attention_pass;

/* ---- One head over one sentence: attention.c ------------------------------------------------- */

/* Keys first .. first+count-1, which a query sees. Causality and windows are spans, so there is no
 * mask. */
typedef struct sa_span {
    int first, count;
} sa_span;

/* Q queries at positions i, i + 1, .. (from 1) of one head over one sentence of S words. The same
 * struct also holds the gradients of these fields. Parts may replace its matrices by others. */
typedef struct sa_head {
    int index, unit;      /* of the head, from 0; its first unit in q and k (not 0: a second map) */
    int i, sentence;      /* sentence: index in the memory */
    int prefix;           /* 0: every query sees all keys; P: at i, the first max(i, P) */
    sa_mat v_a, q, k, v;  /* the score's parameters [1 x ..], [Q x d_k], [S x d_k], [S x d_v] */
    sa_mat alpha;         /* [Q x S] e, which becomes alpha */
    sa_mat c;             /* [Q x d_v] */
    const sa_span *spans; /* [Q]; NULL: every query sees all keys */
    const sa_real *exponent; /* the normalizer's, ... */
    sa_real *dexponent;      /* ... and its gradient; NULL: it is not learned */
    sa_attention_rows rows;  /* rows of the queries */
    const sa_memory *memory;
    const sa_attention_scratch *scratch;
    struct sa_head *gradient; /* in the backward pass, else NULL */
    sa_attention *dw;         /* in a gradient: the gradient of the weights */
} sa_head;

/* Computes e, alpha and c from q, k and v. */
void sa_attend_forward(const sa_attention *w, sa_head *head);
/* Starts from d->c; accumulates into d->q, d->k, d->v, the gradients of the score's and the parts'
 * weights and d->rows.previous_carry. d->alpha holds the gradient of the losses on the weights, or
 * 0, and is overwritten. */
void sa_attend_backward(const sa_attention *w, sa_head *head, sa_head *d);

/* Computes only e, from head->q and head->k, for parts that compare other vectors. */
void sa_score_forward(const sa_attention *w, const sa_head *head);
void sa_score_backward(const sa_attention *w, const sa_head *head, const sa_head *d);

/* Fills spans [Q] with what the queries see and returns them, or returns NULL if all queries see
 * all S keys. */
const sa_span *sa_attention_spans(const sa_attention *w, sa_head *head, sa_span *spans);

/* ---- All heads: heads.c ---------------------------------------------------------------------- */

/* Fills the keys, the values and what parts compute for each word, from the annotations. */
void sa_memory_forward(const sa_attention *w, sa_memory *memory);
/* Accumulates into d->annotations and dw; reads the other fields of d. */
void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw);
/* Zeroes d, except d->annotations. */
void sa_memory_zero(const sa_attention *w, sa_memory *d);

/* The queries of a step or of a whole batch, in blocks. A block attends to one sentence, from
 * target positions i, i + 1, .. (from 1). */
typedef struct sa_queries {
    int blocks;
    const int *first;  /* [blocks + 1] block b is rows first[b] .. first[b+1]-1; NULL, in steps: row
                          b, at position i */
    bool causal;       /* queries are of the last words and see only the keys up to their own */
    const int *prefix; /* [blocks] P: the query at i sees the first max(i, P) keys; NULL: 1 */
    const int *which;  /* [blocks] the sentence of each block; NULL: b */
    int i;
} sa_queries;

/* Queries at positions i, i + 1, .. (from 1) over one sentence, in rows row, row + 1, .. */
typedef struct sa_query_block {
    int row, count;
    int sentence, i;
    int prefix; /* 0: every query sees all keys; otherwise P, see sa_queries */
} sa_query_block;

/* Attends with the states s [R x n]: reads rows.previous_carry, fills the other rows and c
 * [R x A]. */
void sa_attention_forward(const sa_attention *w, const sa_memory *memory, const sa_queries *queries,
                          sa_mat s, sa_attention_rows rows, sa_mat c,
                          const sa_attention_scratch *scratch);
/* Starts from dc [R x A] and d.carry; accumulates into ds [R x n], the keys and values of dmemory,
 * and the score's and parts' weights in dw; overwrites the rest of d, and dc if parts change the
 * output of a head without projections. */
void sa_attention_backward(const sa_attention *w, const sa_attention_pass *pass,
                           const sa_queries *queries, sa_mat dc, sa_mat ds, sa_attention *dw);
/* Accumulates the gradients of W_a, W_c and of the parts' projections, of R rows of any steps:
 * s [R x n], dc [R x A]. */
void sa_attention_projections_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                       sa_attention_rows d, sa_attention *dw);

/* ---- Running the parts: parts.c -------------------------------------------------------------- */

/* Where the parts of a head run: before all heads, before and after e, after alpha, after c. */
typedef enum sa_place {
    SA_PLACE_QUERY,
    SA_PLACE_KEYS,
    SA_PLACE_SCORES,
    SA_PLACE_WEIGHTS,
    SA_PLACE_OUTPUT,
    SA_PLACES
} sa_place;

/* Run a hook of all parts in their order, backward functions in reverse: parts.h. */
void sa_parts_forward(const sa_attention *w, sa_place place, sa_head *head);
void sa_parts_backward(const sa_attention *w, sa_place place, sa_head *head, sa_head *d);
void sa_parts_span(const sa_attention *w, const sa_head *head, int query, sa_span *seen);
