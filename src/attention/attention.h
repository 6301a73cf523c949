/* attention: e, alpha and c of one head over one sentence, the core that every attention here goes
 * through.
 *
 *   e_ij = f(q_i, k_j)            a row of score.h
 *   alpha_i = pi(e_i)             a row of normalizer.h, over the keys that query i may see
 *   c_i = sum_j alpha_ij v_j
 *
 * Bahdanau et al. 2015, A.1.2 (q from a decoder state, k and v from the annotations h_j); Vaswani
 * et al. 2017, equation 1. Whatever goes beyond that is a part (parts.h), which joins in between
 * the lines. heads.h makes the heads of a model. */
#pragma once

#include "attention/normalizer.h"
#include "attention/score.h"

/* Keys first .. first+count-1: what a query may see. Causal attention, a local window and the end
 * of the location score are all spans, so there is no mask. */
typedef struct sa_span {
    int first, count;
} sa_span;

enum { SA_PARTS_MAX = 8, SA_PART_BYTES = 160 };

/* A part of an attention: its row, and its weights (or their gradients) in a struct that only its
 * own file knows. */
typedef struct sa_bound_part {
    const sa_part *kind;
    _Alignas(sa_mat) unsigned char own[SA_PART_BYTES];
} sa_bound_part;

typedef struct sa_attention { /* weights, or their gradients */
    const sa_score *score;
    const sa_normalizer *normalizer;
    int heads, kv_heads;        /* H, and G <= H; H = 0: there is no attention */
    int query_width, key_width; /* numbers of q (H heads) and of k (G heads) */
    int value_width;            /* numbers of the values of G heads; 0: they are the annotations */
    int output_width;           /* numbers of the outputs of H heads; 0: one output, of no head */
    sa_weight W_a;      /* projects the query (or, for SA_KEY_STATE_SIZED, the annotations) */
    sa_weight U_a;      /* projects the annotations */
    sa_mat v_a;         /* [1 x n'], or what else the score binds */
    sa_weight W_v, W_c; /* [value_width x A], [A x output_width]; projected values only */
    sa_real exponent;   /* the normalizer's number, if it takes one */
    bool decoding;      /* some weights are others in decoding than in training */
    int parts;          /* what goes beyond; Bahdanau's attention has none */
    sa_bound_part part[SA_PARTS_MAX];
} sa_attention;

/* What is attended to: the annotations sentence by sentence, and their keys and values, made once
 * per sentence. Sentence b owns rows first[b] .. first[b+1]-1. Also the derivatives by it. */
typedef struct sa_memory {
    const int *first;          /* NULL: every row is a word by itself, ... */
    const int *positions;      /* [N] ... with this position, from 0 */
    sa_mat annotations;        /* [N x A] */
    sa_mat keys;               /* [N x key_width], or the annotations themselves */
    sa_mat values;             /* [N x value_width], or the annotations themselves */
    sa_mat part[SA_PARTS_MAX]; /* [N x ..] what parts know of each word */
} sa_memory;

/* What the forward pass of R queries leaves for the backward pass; also the derivatives. */
typedef struct sa_attention_rows {
    sa_mat q;            /* [R x query_width] */
    sa_mat alpha;        /* [R x heads S] head k's weights begin at column k S; as a derivative
                            what losses of the weights and copying add to theirs, or empty */
    sa_mat head_outputs; /* [R x output_width] o^1 .. o^H; projected values only */
    sa_mat previous_carry, carry; /* [R x heads ..] what a step reads of the step before and leaves
                                     to the next: sa_attention_carry_width */
    sa_mat noise;                 /* [R x ..] numbers drawn for the training; or empty */
    sa_mat part[SA_PARTS_MAX];    /* [R x ..] what parts keep of each query */
} sa_attention_rows;

typedef struct sa_attention_scratch {
    sa_mat keys;                 /* [S x key_width] */
    sa_mat own_keys, d_own_keys; /* [S x a head's] where a part changes the keys of a query;
                                    d_own_keys: backward only */
    sa_mat dalpha, soft;         /* [Q x S] dalpha: backward only */
    sa_mat scores;               /* [Q x S] backward only, where the normalizer needs them again */
    sa_mat parts;                /* [1 x ..] what parts need for a moment */
    sa_span *spans;              /* [Q] */
} sa_attention_scratch;

/* One head with Q queries, of positions i, i + 1, .. (from 1), over one sentence of S words; or the
 * derivatives by it. Parts may put other matrices in place of these. */
typedef struct sa_head {
    int index, unit; /* from 0; and the first of the head's units that q and k have */
    int i, sentence; /* sentence: of the memory */
    int causal; /* P > 0: the query of position i sees the first max(i, P) keys, as if there were no
                   others */
    sa_mat v_a, q, k, v;     /* the score's parameters [1 x ..], [Q x d], [S x d], [S x dv] */
    sa_mat alpha;            /* [Q x S] e, which becomes alpha */
    sa_mat c;                /* [Q x dv] */
    const sa_span *spans;    /* [Q]; NULL: every query sees all keys */
    const sa_real *exponent; /* the normalizer's number, ... */
    sa_real *dexponent;      /* ... and the derivative by it; NULL: it is not learned */
    sa_attention_rows rows;  /* those of the queries */
    const sa_memory *memory;
    const sa_attention_scratch *scratch;
    struct sa_head *derivative; /* in the backward pass, else NULL */
    sa_attention *dw;           /* of the derivatives: by the weights of the attention */
} sa_head;

/* From q, k, v: e, alpha and c. */
void sa_attend_forward(const sa_attention *w, sa_head *head);
/* From the derivative by c: those by q, k, v, what parts and the score have in d->dw, and by what
 * steps before have left are added to. d->alpha holds what the losses of the weights add, or 0, and
 * is overwritten. */
void sa_attend_backward(const sa_attention *w, sa_head *head, sa_head *d);

/* The line of e alone, for parts that compare other vectors: head->alpha from head->q and head->k.
 */
void sa_score_forward(const sa_attention *w, const sa_head *head);
void sa_score_backward(const sa_attention *w, const sa_head *head, const sa_head *d);

/* What the queries see: fills spans [Q], and returns them, or NULL where all of them see all S
 * keys. */
const sa_span *sa_attention_spans(const sa_attention *w, sa_head *head, sa_span *spans);
