/* rnnsearch: neural machine translation with attention, complete in one file.
 *
 * The model of Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align
 * and translate" (2015, arXiv 1409.0473), from text to translation, with gradients by hand, in the
 * order of the paper's appendix and in its letters. It needs C11 and nothing else:
 *
 *     cc -O3 rnnsearch.c -lm -o rnnsearch
 *     ./rnnsearch train PAIRS.tsv MODEL.safetensors [PAIRS_TO_VALIDATE.tsv]
 *     ./rnnsearch translate MODEL.safetensors [BEAM] < sentences
 *     ./rnnsearch align MODEL.safetensors PAIRS.tsv [--csv FOLDER]
 *     ./rnnsearch check
 * A line of PAIRS is a source sentence x, a tab, and its translation y, with spaces between words.
 * softalign, the library around this file, opens its models and generalizes its functions. Comments
 * "solution: NAME" and "end" enclose what its homework, scripts/assignment, has students write.
 *
 *     h_j, s_i      annotation of source word j of S; state of the decoder after target word i
 *     e, alpha, c   scores, weights of the annotations, and the context, the sum that they weigh
 *     z, r, s~      update gate, reset gate and new candidate of a gated hidden unit
 *     t~, t         the output layer before and after maxout
 *     m, n, n_a, l  sizes of embeddings, of states, of the alignment model and of maxout
 *
 * A forward function stands above its backward function, which undoes its lines from the last to
 * the first; comments name the line. A leading d means "gradient of the loss with respect to"; what
 * is used twice gets two gradients, so backward functions accumulate. [S x n_a] is a shape.
 *
 * A sentence pair is computed alone, and a batch adds up the gradients of its pairs. So nothing has
 * to be filled up to the longest sentence, and no mask must hide such padding from the softmax. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NAME "rnnsearch"
#ifndef REAL
#define REAL double /* -DREAL=float trains faster; check needs double */
#endif
typedef REAL real;
#define exponential(x) _Generic((x), float : expf, double : exp)(x)
/* The paper has m = 620, n = n_a = 1000, l = 500, batches of 80 pairs and Adadelta's rate 1, and
 * trains for days. This version trains in a minute: it is small, its rate larger, falling to 0. */
enum { SIZE_M = 24, SIZE_N = 48, SIZE_A = 24, SIZE_L = 24, BATCH = 8, UPDATES = 6000 };
static const double RATE = 8, RHO = 0.95, EPSILON = 1e-6, CLIP = 1;
enum { REPORT = 500, VALIDATED = 500 }; /* updates between reports; most pairs in one */
enum { LONGEST = 50, MOST_OUTPUT = 3 * LONGEST + 13 }; /* words of a sentence, of a translation */
enum { MOST_BEAM = 16, MOST_HEADER = 1 << 15, MOST_NUMBERS = 1 << 24 };
/* Words without a spelling: one that the vocabulary lacks, the end of a sentence, and y_0. */
enum { UNK, EOS, BOS, SPECIAL };
/* Ends the program with a sentence about a file, and about a line of it unless that is 0. */
enum { CHECK_FAILED = 1, USAGE, BAD_DATA, CANNOT_OPEN, CANNOT_WRITE, NO_MEMORY = 7, DIVERGED };
static _Noreturn void die(int code, const char *file, int line, const char *what) {
    fprintf(stderr, line ? NAME ": %s:%d: " : NAME ": %s: ", file, line);
    fprintf(stderr, "%s\n", what);
    exit(code);
}
static void *allocate(size_t count, size_t size) {
    void *new = calloc(count ? count : 1, size);
    if (!new) die(NO_MEMORY, "memory", 0, "there is not enough");
    return new;
}
/* Memory for the numbers of a sentence: take() returns zeros, forget() takes all of them back. */
static real taken[MOST_NUMBERS];
static int taken_count;
static real *take(int count) {
    if (count > MOST_NUMBERS - taken_count) die(NO_MEMORY, "memory", 0, "a sentence is too long");
    taken_count += count;
    return taken + taken_count - count;
}
static void forget(void) {
    memset(taken, 0, (size_t)taken_count * sizeof *taken);
    taken_count = 0;
}

/* ---- Vectors and matrices ------------------------------------------------------------------- */
static real sigma(real x) {
    return 1 / (1 + exponential(-x));
}
static real tangent(real x) {
    return 2 * sigma(2 * x) - 1; /* tanh x */
}

/* x'y, both [count], as eight sums side by side, which the processor's vectors can hold */
static real dot(const real *x, const real *y, int count) {
    real sum[8] = {0};
    int i = 0;
    for (; i + 8 <= count; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < count; i++) sum[0] += x[i] * y[i];
    return (sum[0] + sum[4]) + (sum[1] + sum[5]) + (sum[2] + sum[6]) + (sum[3] + sum[7]);
}
/* y += a x    x, y [count] */
static void add_scaled(real a, const real *restrict x, real *restrict y, int count) {
    for (int i = 0; i < count; i++) y[i] += a * x[i];
}
/* Weights and their gradients, [rows x cols]. A vector is a matrix of one row. */
typedef struct matrix {
    char name[48];
    int rows, cols;
    double deviation; /* of the first weights; 1: orthogonal (B.1) */
    real *w, *dw;
} matrix;
/* y += W x    x [cols], y [rows] */
static void multiply_forward(const matrix *W, const real *x, real *y) {
    for (int i = 0; i < W->rows; i++) y[i] += dot(W->w + i * W->cols, x, W->cols);
}
/* y_i += sum_k W_ik x_k, so dW_ik += dy_i x_k and dx_k += dy_i W_ik. */
static void multiply_backward(matrix *W, const real *x, const real *dy, real *dx) {
    for (int i = 0; i < W->rows; i++) {
        add_scaled(dy[i], x, W->dw + i * W->cols, W->cols);
        add_scaled(dy[i], W->w + i * W->cols, dx, W->cols);
    }
}
/* y_i = exp x_i / sum_k exp x_k, x, y [count]. The largest x cancels, so nothing overflows. */
static void softmax(const real *x, int count, real *y) {
    real largest = x[0], sum = 0; /* solution: softmax */
    for (int i = 1; i < count; i++) largest = x[i] > largest ? x[i] : largest;
    for (int i = 0; i < count; i++) y[i] = exponential(x[i] - largest);
    for (int i = 0; i < count; i++) sum += y[i];
    for (int i = 0; i < count; i++) y[i] /= sum; /* end */
}
static void softmax_backward(const real *y, const real *dy, int count, real *dx) {
    const real mean = dot(y, dy, count); /* solution: softmax; sum_k y_k dy_k */
    for (int i = 0; i < count; i++) dx[i] += y[i] * (dy[i] - mean); /* end */
}

/* The sum in a gate [n] or the output layer [2l]: a = W x + U s + C c + b; encoders have no C. */
typedef struct affine {
    matrix W, U, C, b;
} affine;
static void affine_forward(const affine *w, const real *x, const real *s, const real *c, real *a) {
    add_scaled(1, w->b.w, a, w->b.cols);
    multiply_forward(&w->W, x, a);
    multiply_forward(&w->U, s, a);
    multiply_forward(&w->C, c, a);
}
static void affine_backward(affine *w, const real *x, const real *s, const real *c, const real *da,
                            real *dx, real *ds, real *dc) {
    multiply_backward(&w->C, c, da, dc);
    multiply_backward(&w->U, s, da, ds);
    multiply_backward(&w->W, x, da, dx);
    add_scaled(1, da, w->b.dw, w->b.cols);
}

/* ---- A.1.1 The gated hidden unit ------------------------------------------------------------- */
typedef struct gru {
    affine z, r, s;
} gru;
/* What a unit has read and computed in one step; until forget(). */
typedef struct unit {
    const real *x, *c, *s_prev; /* [m], [2n] or NULL, [n] */
    real *z, *r, *rs, *s_tilde; /* [n] each */
} unit;

/* A.1.1, with the context of A.2.2 and with biases; . multiplies number by number:
 *     z_i = sigma(W_z x_i + U_z s_{i-1} + C_z c_i + b_z)
 *     r_i = sigma(W_r x_i + U_r s_{i-1} + C_r c_i + b_r)
 *     s~_i = tanh(W x_i + U [r_i . s_{i-1}] + C c_i + b)
 *     s_i = (1 - z_i) . s_{i-1} + z_i . s~_i        x [m], c [2n] or NULL, s_prev [n] -> s [n] */
static unit gru_forward(const gru *w, const real *x, const real *c, const real *s_prev, real *s) {
    const int n = w->s.U.rows;
    unit u = {x, c, s_prev, take(n), take(n), take(n), take(n)};
    affine_forward(&w->z, x, s_prev, c, u.z);
    affine_forward(&w->r, x, s_prev, c, u.r);
    for (int k = 0; k < n; k++) u.z[k] = sigma(u.z[k]), u.r[k] = sigma(u.r[k]);
    for (int k = 0; k < n; k++) u.rs[k] = u.r[k] * s_prev[k];
    affine_forward(&w->s, x, u.rs, c, u.s_tilde);
    for (int k = 0; k < n; k++) u.s_tilde[k] = tangent(u.s_tilde[k]);
    for (int k = 0; k < n; k++) s[k] = (1 - u.z[k]) * s_prev[k] + u.z[k] * u.s_tilde[k];
    return u;
}
/* sigma' = sigma (1 - sigma), tanh' = 1 - tanh^2: both follow from what forward has kept. */
static void gru_backward(gru *w, const unit *u, const real *ds, real *dx, real *dc, real *ds_prev) {
    const int n = w->s.U.rows; /* solution: gru */
    real *da_z = take(n), *da_r = take(n), *da_s = take(n), *drs = take(n);
    for (int k = 0; k < n; k++) {
        const real z = u->z[k], s_tilde = u->s_tilde[k], s_prev = u->s_prev[k];
        ds_prev[k] += ds[k] * (1 - z);                      /* s = (1 - z) . s_prev + z . s~ */
        da_z[k] = ds[k] * (s_tilde - s_prev) * z * (1 - z); /* the same; z = sigma(a_z) */
        da_s[k] = ds[k] * z * (1 - s_tilde * s_tilde);      /* the same; s~ = tanh(a_s) */
    }
    affine_backward(&w->s, u->x, u->rs, u->c, da_s, dx, drs, dc); /* a_s */
    for (int k = 0; k < n; k++) {
        const real r = u->r[k];
        ds_prev[k] += drs[k] * r;                      /* rs = r . s_prev */
        da_r[k] = drs[k] * u->s_prev[k] * r * (1 - r); /* the same; r = sigma(a_r) */
    }
    affine_backward(&w->r, u->x, u->s_prev, u->c, da_r, dx, ds_prev, dc); /* a_r */
    affine_backward(&w->z, u->x, u->s_prev, u->c, da_z, dx, ds_prev, dc); /* a_z; end */
}

/* ---- The model ------------------------------------------------------------------------------- */
typedef struct vocabulary {
    int count, bytes; /* of words, without the special ones; of their text, one word a line */
    char **word;      /* in byte order; word[i] has number SPECIAL + i */
} vocabulary;

typedef struct model {
    vocabulary words[2];        /* of the source and of the target */
    int m, n, n_a, l, K_x, K_y; /* K: words that have a number */
    matrix E_x;                 /* A.2.1 */
    gru forward, backward;      /* A.2.1 */
    matrix W_a, U_a, v_a;       /* A.1.2 */
    matrix W_s, b_s;            /* A.2.2: s_0 */
    matrix E_y;                 /* A.2.2 */
    gru decoder;                /* A.2.2 */
    affine output;              /* A.2.2: t~, with V_o as its W, U_o, C_o and b_o */
    matrix W_o, b_y;            /* A.2.2: the softmax */
    matrix *all[64];            /* the same, one after another */
    int matrices;
    long long total;                   /* numbers in all of them, which lie in four long vectors: */
    real *w, *dw, *mean_g2, *mean_dx2; /* weights, gradient, and the means of Adadelta */
} model;
typedef struct sentence {
    int length;              /* with the end mark; 0: no words */
    char *word[LONGEST + 1]; /* as they are spelled */
    int id[LONGEST + 1];     /* as the model knows them */
} sentence;
typedef sentence pair[2]; /* x and y */
/* What a pair leaves for the backward pass. */
typedef struct step {
    int y_prev;
    const real *s_prev;        /* [n] */
    real *hidden, *alpha, *c;  /* [S x n_a], [S], [2n] */
    real *t_tilde, *t, *p, *s; /* [2l], [l], [K_y], [n] */
    unit u;
} step;
typedef struct pass {
    int S;
    const int *x;
    unit forward[LONGEST + 1], backward[LONGEST + 1];
    real *h[LONGEST + 1], *dh[LONGEST + 1];         /* [2n] annotations */
    real *U_a_h[LONGEST + 1], *dU_a_h[LONGEST + 1]; /* [n_a] U_a h_j */
    real *s_0, *ds_0;                               /* [n] */
    step step[LONGEST + 1];
} pass;

/* ---- A.1.2 The alignment model: attention ---------------------------------------------------- */
/* A.1.2: e_ij = v_a' tanh(W_a s_{i-1} + U_a h_j).    W_a_s, U_a_h, hidden [n_a] */
static real score_forward(const model *M, const real *W_a_s, const real *U_a_h, real *hidden) {
    for (int k = 0; k < M->n_a; k++) hidden[k] = tangent(W_a_s[k] + U_a_h[k]); /* solution: score */
    return dot(M->v_a.w, hidden, M->n_a);                                      /* end */
}
static void score_backward(model *M, const real *hidden, real de, real *dW_a_s, real *dU_a_h) {
    add_scaled(de, hidden, M->v_a.dw, M->n_a); /* solution: score; e = v_a' hidden */
    for (int k = 0; k < M->n_a; k++) {
        const real da = de * M->v_a.w[k] * (1 - hidden[k] * hidden[k]); /* hidden = tanh(a) */
        dW_a_s[k] += da;                                                /* a = W_a_s + U_a_h */
        dU_a_h[k] += da;
    } /* end */
}

/* Equations (6) and (5), the heart of the paper. W_a s_{i-1} is the same for all j, and U_a h_j for
 * all i, so the encoder has computed it. s_prev [n], h_j [2n] -> alpha [S], c [2n] */
static void attend_forward(const model *M, const pass *P, step *k) {
    const int S = P->S, n_a = M->n_a;
    real *W_a_s = take(n_a), *e = take(S), *alpha = k->alpha = take(S), *c = k->c = take(2 * M->n);
    k->hidden = take(S * n_a);
    multiply_forward(&M->W_a, k->s_prev, W_a_s);
    for (int j = 0; j < S; j++) e[j] = score_forward(M, W_a_s, P->U_a_h[j], k->hidden + j * n_a);
    softmax(e, S, alpha);                                                   /* equation (6) */
    for (int j = 0; j < S; j++) add_scaled(alpha[j], P->h[j], c, 2 * M->n); /* equation (5) */
}
static void attend_backward(model *M, pass *P, const step *k, const real *dc, real *ds_prev) {
    const int S = P->S, n_a = M->n_a;
    real *dW_a_s = take(n_a), *dalpha = take(S), *de = take(S);
    for (int j = 0; j < S; j++) { /* c = sum_j alpha_j h_j */
        dalpha[j] = dot(dc, P->h[j], 2 * M->n);
        add_scaled(k->alpha[j], dc, P->dh[j], 2 * M->n);
    }
    softmax_backward(k->alpha, dalpha, S, de); /* alpha = softmax(e) */
    for (int j = 0; j < S; j++)                /* e_j */
        score_backward(M, k->hidden + j * n_a, de[j], dW_a_s, P->dU_a_h[j]);
    multiply_backward(&M->W_a, k->s_prev, dW_a_s, ds_prev); /* W_a s_prev */
}

/* ---- A.2.1 The encoder ----------------------------------------------------------------------- */
/* Equation (7): a unit reads the sentence forward, another backward, both from a state of 0, and
 * h_j = [forward_j ; backward_j]. A.2.2: s_0 = tanh(W_s backward_1 + b_s). */
static void encode_forward(const model *M, const sentence *from, pass *P) {
    const int n = M->n, S = P->S = from->length, *x = P->x = from->id;
    const real *zero = take(n);
    for (int j = 0; j < S; j++) P->h[j] = take(2 * n), P->dh[j] = take(2 * n);
    for (int j = 0; j < S; j++) P->U_a_h[j] = take(M->n_a), P->dU_a_h[j] = take(M->n_a);
    for (int j = 0; j < S; j++)
        P->forward[j] = gru_forward(&M->forward, M->E_x.w + x[j] * M->m, NULL,
                                    j > 0 ? P->h[j - 1] : zero, P->h[j]);
    for (int j = S - 1; j >= 0; j--)
        P->backward[j] = gru_forward(&M->backward, M->E_x.w + x[j] * M->m, NULL,
                                     j + 1 < S ? P->h[j + 1] + n : zero, P->h[j] + n);
    for (int j = 0; j < S; j++) multiply_forward(&M->U_a, P->h[j], P->U_a_h[j]);
    P->s_0 = take(n);
    add_scaled(1, M->b_s.w, P->s_0, n);
    multiply_forward(&M->W_s, P->h[0] + n, P->s_0);
    for (int k = 0; k < n; k++) P->s_0[k] = tangent(P->s_0[k]);
}
/* Both halves of dh_j go through forward_j and backward_j to the states before them. */
static void encode_backward(model *M, pass *P) {
    const int n = M->n;
    real *da = take(n), *dzero = take(n);
    for (int k = 0; k < n; k++) da[k] = P->ds_0[k] * (1 - P->s_0[k] * P->s_0[k]); /* tanh(a) */
    multiply_backward(&M->W_s, P->h[0] + n, da, P->dh[0] + n); /* a = W_s backward_1 + b_s */
    add_scaled(1, da, M->b_s.dw, n);
    for (int j = 0; j < P->S; j++) /* U_a h_j */
        multiply_backward(&M->U_a, P->h[j], P->dU_a_h[j], P->dh[j]);
    for (int j = 0; j < P->S; j++) /* backward_j from backward_{j+1} */
        gru_backward(&M->backward, &P->backward[j], P->dh[j] + n, M->E_x.dw + P->x[j] * M->m, NULL,
                     j + 1 < P->S ? P->dh[j + 1] + n : dzero);
    for (int j = P->S - 1; j >= 0; j--) /* forward_j from forward_{j-1} */
        gru_backward(&M->forward, &P->forward[j], P->dh[j], M->E_x.dw + P->x[j] * M->m, NULL,
                     j > 0 ? P->dh[j - 1] : dzero);
}

/* ---- A.2.2 The decoder ----------------------------------------------------------------------- */
/* The output layer, equation (4): what the next word may be, given s_{i-1}, y_{i-1} and c_i.
 *     t~_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i + b_o
 *     t_i = [max(t~_i1, t~_i2), max(t~_i3, t~_i4), ...]      (maxout)
 *     p(y_i | y_1 ... y_{i-1}, x) = softmax(W_o t_i + b_y)        t~ [2l], t [l], p [K_y] */
static void output_forward(const model *M, step *k) {
    k->t_tilde = take(2 * M->l), k->t = take(M->l), k->p = take(M->K_y);
    affine_forward(&M->output, M->E_y.w + k->y_prev * M->m, k->s_prev, k->c, k->t_tilde);
    for (int i = 0; i < M->l; i++)
        k->t[i] = k->t_tilde[2 * i + (k->t_tilde[2 * i] < k->t_tilde[2 * i + 1])];
    real *logits = take(M->K_y);
    add_scaled(1, M->b_y.w, logits, M->K_y);
    multiply_forward(&M->W_o, k->t, logits);
    softmax(logits, M->K_y, k->p);
}
/* The gradient of -log p(y) with respect to the logits is p - 1{y}: softmax and log cancel. */
static void output_backward(model *M, const step *k, int y, real *dE_y, real *dc, real *ds_prev) {
    real *dlogits = take(M->K_y), *dt = take(M->l), *dt_tilde = take(2 * M->l);
    memcpy(dlogits, k->p, sizeof(real) * (size_t)M->K_y); /* -log softmax(logits)_y */
    dlogits[y] -= 1;
    multiply_backward(&M->W_o, k->t, dlogits, dt); /* logits = W_o t + b_y */
    add_scaled(1, dlogits, M->b_y.dw, M->K_y);
    for (int i = 0; i < M->l; i++) /* t = max: to the one that was taken */
        dt_tilde[2 * i + (k->t_tilde[2 * i] < k->t_tilde[2 * i + 1])] = dt[i];
    const real *E_y = M->E_y.w + k->y_prev * M->m;
    affine_backward(&M->output, E_y, k->s_prev, k->c, dt_tilde, dE_y, ds_prev, dc);
}

/* One word of the translation: c_i from s_{i-1}; p(y_i) from s_{i-1}, y_{i-1} and c_i; s_i from the
 * same three. In the first step y_0 is BOS, which has a row of E_y. s_prev [n] -> k->s [n] */
static void step_forward(const model *M, const pass *P, int y_prev, const real *s_prev, step *k) {
    *k = (step){.y_prev = y_prev, .s_prev = s_prev, .s = take(M->n)};
    attend_forward(M, P, k); /* solution: gru */
    output_forward(M, k);
    k->u = gru_forward(&M->decoder, M->E_y.w + y_prev * M->m, k->c, s_prev, k->s); /* end */
}
static void step_backward(model *M, pass *P, const step *k, int y, const real *ds, real *ds_prev) {
    real *dc = take(2 * M->n), *dE_y = M->E_y.dw + k->y_prev * M->m; /* solution: gru */
    gru_backward(&M->decoder, &k->u, ds, dE_y, dc, ds_prev);
    output_backward(M, k, y, dE_y, dc, ds_prev);
    attend_backward(M, P, k, dc, ds_prev); /* end */
}

/* The loss of a pair: -log p(y | x) = -sum_i log p(y_i | y_1 ... y_{i-1}, x). While it learns, the
 * decoder reads the right words, not its own. */
static double pair_forward(const model *M, const sentence *from, const sentence *to, pass *P) {
    double loss = 0;
    encode_forward(M, from, P);
    for (int i = 0; i < to->length; i++) {
        step *k = &P->step[i];
        step_forward(M, P, i ? to->id[i - 1] : BOS, i ? k[-1].s : P->s_0, k);
        loss -= log((double)k->p[to->id[i]]);
    }
    return loss;
}
/* Accumulates into dw of every matrix. Nothing reads the last state, so its ds is 0. */
static void pair_backward(model *M, const sentence *to, pass *P) {
    real *ds = take(M->n);
    for (int i = to->length - 1; i >= 0; i--) {
        real *ds_prev = take(M->n);
        step_backward(M, P, &P->step[i], to->id[i], ds, ds_prev);
        ds = ds_prev;
    }
    P->ds_0 = ds;
    encode_backward(M, P);
}

/* ---- A.2.3 The sizes of the model ------------------------------------------------------------ */
/* Names a matrix and gives it its place in the long vectors, if they are there. */
static void shape(model *M, matrix *W, double deviation, int rows, int cols, const char *prefix,
                  const char *letter, const char *suffix) {
    *W = (matrix){.rows = rows, .cols = cols, .deviation = deviation};
    snprintf(W->name, sizeof W->name, "%s.%s%s", prefix, letter, suffix);
    W->w = M->w ? M->w + M->total : NULL;
    W->dw = M->dw ? M->dw + M->total : NULL;
    M->all[M->matrices++] = W;
    M->total += (long long)rows * cols;
}
static void shape_gru(model *M, gru *w, int context, const char *prefix) {
    affine *gate[] = {&w->z, &w->r, &w->s};
    static const char *const suffix[] = {"_z", "_r", ""};
    for (int g = 0; g < 3; g++) {
        shape(M, &gate[g]->W, 0.01, M->n, M->m, prefix, "W", suffix[g]);
        shape(M, &gate[g]->U, 1, M->n, M->n, prefix, "U", suffix[g]);
        shape(M, &gate[g]->b, 0, 1, M->n, prefix, "b", suffix[g]);
        if (context) shape(M, &gate[g]->C, 0.01, M->n, context, prefix, "C", suffix[g]);
    }
}
static void shape_model(model *M) {
    M->matrices = 0, M->total = 0;
    const int m = M->m, n = M->n, n_a = M->n_a, l = M->l;
    M->K_x = SPECIAL + M->words[0].count;
    M->K_y = SPECIAL + M->words[1].count;
    shape(M, &M->E_x, 0.01, M->K_x, m, "source", "E", "");
    shape_gru(M, &M->forward, 0, "encoder.forward");
    shape_gru(M, &M->backward, 0, "encoder.backward");
    shape(M, &M->W_a, 0.001, n_a, n, "attention", "W_a", "");
    shape(M, &M->U_a, 0.001, n_a, 2 * n, "attention", "U_a", "");
    shape(M, &M->v_a, 0, 1, n_a, "attention", "v_a", "");
    shape(M, &M->W_s, 0.01, n, n, "decoder", "W_s", "");
    shape(M, &M->b_s, 0, 1, n, "decoder", "b_s", "");
    shape(M, &M->E_y, 0.01, M->K_y, m, "target", "E", "");
    shape_gru(M, &M->decoder, 2 * n, "decoder");
    shape(M, &M->output.U, 0.01, 2 * l, n, "readout", "U_o", "");
    shape(M, &M->output.W, 0.01, 2 * l, m, "readout", "V_o", "");
    shape(M, &M->output.C, 0.01, 2 * l, 2 * n, "readout", "C_o", "");
    shape(M, &M->output.b, 0, 1, 2 * l, "readout", "b_o", "");
    shape(M, &M->W_o, 0.01, M->K_y, l, "readout", "W_o", "");
    shape(M, &M->b_y, 0, 1, M->K_y, "readout", "b_y", "");
}
static void allocate_model(model *M, const char *path) {
    shape_model(M);
    if (M->total > MOST_NUMBERS) die(NO_MEMORY, path, 0, "too many different words");
    real **vectors[] = {&M->w, &M->dw, &M->mean_g2, &M->mean_dx2};
    for (int i = 0; i < 4; i++) *vectors[i] = allocate((size_t)M->total, sizeof(real));
    shape_model(M);
}

/* ---- B.1 Initial weights --------------------------------------------------------------------- */
/* Uniform in [0, 1), by Knuth's linear congruential generator (MMIX). */
static uint64_t random_state = 1;
static double uniform(void) {
    random_state = random_state * 6364136223846793005 + 1442695040888963407;
    return (double)(random_state >> 11) / 9007199254740992.0; /* 2^53 */
}
/* Standard normal (Box and Muller 1958). */
static double normal(void) {
    const double radius = sqrt(-2 * log(1 - uniform()));
    return radius * cos(2 * acos(-1) * uniform());
}
/* Makes the rows orthonormal (Gram and Schmidt): W turns a state and does not shrink it. */
static void orthogonalize(matrix *W) {
    const int n = W->cols;
    for (int i = 0; i < n; i++) {
        real *row = W->w + i * n;
        for (int k = 0; k < i; k++) add_scaled(-dot(row, W->w + k * n, n), W->w + k * n, row, n);
        const double length = sqrt((double)dot(row, row, n));
        for (int k = 0; k < n; k++) row[k] = (real)((double)row[k] / length);
    }
}
/* B.1: recurrent matrices orthogonal, W_a and U_a from N(0, 0.001^2), v_a and biases 0, all others
 * from N(0, 0.01^2). With v_a = 0 all words have the same alpha at first. */
static void start_model(model *M) {
    for (int i = 0; i < M->matrices; i++) {
        matrix *W = M->all[i];
        for (int k = 0; k < W->rows * W->cols; k++) W->w[k] = (real)(W->deviation * normal());
        if (W->deviation == 1) orthogonalize(W);
    }
}

/* ---- B.2 Training ---------------------------------------------------------------------------- */
/* The mean gradient of a batch is clipped to the length 1. Adadelta (Zeiler 2012) multiplies it,
 * for each weight, by a ratio of root mean squares: of its past steps to its past gradients. */
static void update(model *M, int batch, double rate) {
    const real rho = (real)RHO, epsilon = (real)EPSILON;
    double squares = 0;
    for (int i = 0; i < M->total; i++) squares += (double)M->dw[i] * (double)M->dw[i];
    const double length = sqrt(squares) / batch;
    const real scale = (real)((length > CLIP ? CLIP / length : 1) / batch);
    for (int i = 0; i < M->total; i++) {
        const real g = scale * M->dw[i];
        M->mean_g2[i] = rho * M->mean_g2[i] + (1 - rho) * g * g;
        const real ratio = (M->mean_dx2[i] + epsilon) / (M->mean_g2[i] + epsilon);
        const real dx = -(real)sqrt((double)ratio) * g;
        M->mean_dx2[i] = rho * M->mean_dx2[i] + (1 - rho) * dx * dx;
        M->w[i] += (real)rate * dx;
        M->dw[i] = 0;
    }
}

/* ---- Search ---------------------------------------------------------------------------------- */
typedef struct hypothesis {
    int length, word[MOST_OUTPUT];
    double log_p;
    const real *s; /* the state after its last word */
} hypothesis;
/* Keeps the best `most` hypotheses in their order. Returns how many there are now. */
static int insert(hypothesis *to, int count, int most, const hypothesis *h, int w, double log_p) {
    if (count == most && log_p <= to[count - 1].log_p) return count; /* solution: beam */
    int at = count < most ? count++ : count - 1;
    for (; at > 0 && log_p > to[at - 1].log_p; at--) to[at] = to[at - 1];
    to[at] = *h;
    to[at].word[to[at].length++] = w;
    to[at].log_p = log_p;
    return count; /* end */
}
/* Beam search: of all continuations by a word the best `beam` live on. An end makes the beam
 * narrower by one; the best by log p per word wins. With a beam of 1 this is greedy search. */
static hypothesis search(const model *M, const pass *P, int beam) {
    hypothesis live[MOST_BEAM] = {{.s = P->s_0}}, next[MOST_BEAM], best = {0}; /* solution: beam */
    int count = 1;
    while (count > 0) {
        int found = 0;
        for (int i = 0; i < count; i++) {
            step k;
            hypothesis *h = &live[i];
            step_forward(M, P, h->length ? h->word[h->length - 1] : BOS, h->s, &k);
            h->s = k.s;
            for (int word = 0; word < M->K_y; word++)
                if (word != BOS)
                    found = insert(next, found, beam, h, word, h->log_p + log((double)k.p[word]));
        }
        count = 0;
        for (int i = 0; i < found; i++) {
            const hypothesis *h = &next[i];
            const int ended = h->word[h->length - 1] == EOS;
            beam -= ended;
            if (!ended && h->length < 3 * P->S + 10)
                live[count++] = *h;
            else if (!best.length || h->log_p / h->length > best.log_p / best.length)
                best = *h;
        }
    }
    return best; /* end */
}

/* ---- Text ------------------------------------------------------------------------------------ */
/* Returns the next line of a file, without its end; NULL after the last. */
static char *read_line(FILE *file, const char *name, int number) {
    static char line[1 << 20];
    int c, length = 0;
    while ((c = getc(file)) != EOF && c != '\n') {
        line[length++] = (char)c;
        if (!c || length == sizeof line) die(BAD_DATA, name, number, "a NUL, or more than 1 MiB");
    }
    line[length] = 0;
    return c == EOF && !length ? NULL : line;
}
/* Cuts a copy of a text into words, and returns how many; 0 if they are too many. A carriage return
 * is a space, so files from Windows are fine. */
static int split(const char *text, sentence *to) {
    char *copy = strcpy(allocate(strlen(text) + 1, 1), text);
    to->length = 0;
    for (char *word = strtok(copy, " \r"); word; word = strtok(NULL, " \r")) {
        if (to->length == LONGEST) return 0;
        to->word[to->length++] = word;
    }
    if (to->length) to->word[to->length++] = "</s>";
    return to->length;
}
/* Reads the pairs of a file, without those that have an empty side or too many words. */
static pair *read_pairs(const char *path, int *count) {
    FILE *file = fopen(path, "rb");
    if (!file) die(CANNOT_OPEN, path, 0, "it cannot be opened");
    pair *all = NULL;
    int lines = *count = 0;
    for (char *line; (line = read_line(file, path, lines + 1)); lines++) {
        char *tab = strchr(line, '\t');
        if (!tab) die(BAD_DATA, path, lines + 1, "no tab between source and target");
        *tab = 0;
        tab[1 + strcspn(tab + 1, "\t")] = 0; /* further columns are ignored */
        all = realloc(all, (size_t)(*count + 1) * sizeof *all);
        if (!all) die(NO_MEMORY, path, 0, "too many pairs");
        *count += split(line, &all[*count][0]) && split(tab + 1, &all[*count][1]);
    }
    fclose(file);
    if (!*count) die(BAD_DATA, path, 0, "no sentence pairs");
    if (*count < lines) fprintf(stderr, "%s: skipped %d empty/long pairs\n", path, lines - *count);
    return all;
}
static int by_bytes(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}
/* Collects the different words of the sources (sides 1), of the targets (2) or of both (3). */
static void collect_words(pair *pairs, int count, int sides, vocabulary *v) {
    size_t words = 0;
    v->word = allocate((size_t)count * 2 * LONGEST, sizeof *v->word);
    for (int i = 0; i < 2 * count; i++)
        for (int k = 0; k + 1 < pairs[i / 2][i % 2].length; k++)
            if (sides >> i % 2 & 1) v->word[words++] = pairs[i / 2][i % 2].word[k];
    qsort(v->word, words, sizeof *v->word, by_bytes);
    for (size_t i = 0; i < words; i++) {
        if (i && strcmp(v->word[i], v->word[v->count - 1]) == 0) continue;
        v->bytes += (int)strlen(v->word[i]) + 1;
        v->word[v->count++] = v->word[i];
    }
}
/* Numbers the words of pairs; the last of a sentence is its end mark. */
static void number_words(const model *M, pair *pairs, int count) {
    for (int i = 0; i < 2 * count; i++) {
        const vocabulary *v = &M->words[i % 2];
        sentence *s = &pairs[i / 2][i % 2];
        for (int k = 0; k < s->length; k++) {
            char **at = bsearch(&s->word[k], v->word, (size_t)v->count, sizeof *v->word, by_bytes);
            s->id[k] = k == s->length - 1 ? EOS : at ? SPECIAL + (int)(at - v->word) : UNK;
        }
    }
}

/* ---- The file of a model --------------------------------------------------------------------- */
/* A safetensors file: the length of its header, the header, JSON with the place of each tensor, and
 * the tensors, the last one the CRC-32 of all bytes before it; all little-endian. */
static uint32_t crc; /* of the bytes so far */
static void transfer(FILE *file, int save, void *bytes, size_t count) {
    if (save) fwrite(bytes, 1, count, file);
    if (!save && fread(bytes, 1, count, file) < count) memset(bytes, 0, count);
    for (size_t i = 0; i < count; i++) {
        crc ^= ((unsigned char *)bytes)[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
}
/* Adds a tensor to the header, and returns where its data ends. */
static long add_tensor(char *to, const char *name, const char *type, int rows, int cols, long at) {
    const long end = at + (*type == 'F' ? 4L : 1L) * rows * cols;
    to += strlen(to);
    to += sprintf(to, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", name, type);
    if (rows > 1) to += sprintf(to, "%d,", rows);
    sprintf(to, "%d],\"data_offsets\":[%ld,%ld]}", cols, at, end);
    return end;
}
/* The settings are for softalign, whose other defaults are this model. */
static void make_header(const model *M, char *header) {
    const vocabulary *x = &M->words[0], *y = &M->words[1];
    long end = 0;
    sprintf(header,
            "{\"__metadata__\":{\"format\":\"softalign\",\"version\":\"1\","
            "\"spaced_marks\":\"no\",\"" NAME "\":\"%d %d %d %d %d %d %d %d\","
            "\"settings\":\"{\\\"tokenizer\\\":\\\"space\\\",\\\"embed\\\":%d,"
            "\\\"hidden\\\":%d,\\\"attn\\\":%d,\\\"maxout\\\":%d}\"}",
            M->m, M->n, M->n_a, M->l, x->count, y->count, x->bytes, y->bytes, M->m, M->n, M->n_a,
            M->l);
    for (int i = 0; i < M->matrices; i++)
        end = add_tensor(header, M->all[i]->name, "F32", M->all[i]->rows, M->all[i]->cols, end);
    end = add_tensor(header, "source.words", "U8", 1, x->bytes, end);
    end = add_tensor(header, "target.words", "U8", 1, y->bytes, end);
    add_tensor(header, "checksum", "U8", 1, 4, end);
    strcat(header, "}");
    while (strlen(header) % 8) strcat(header, " ");
}
/* Reads only sizes: they give the order of all bytes, so no damaged offset can mislead it. */
static void read_header(model *M, char *header, const char *path) {
    vocabulary *x = &M->words[0], *y = &M->words[1];
    int *const sizes[] = {&M->m, &M->n, &M->n_a, &M->l, &x->count, &y->count, &x->bytes, &y->bytes};
    char *at = strstr(header, "\"" NAME "\":\"");
    at = at ? strchr(at, ':') + 2 : header;
    for (int i = 0; i < 8; i++) {
        const long size = strtol(at, &at, 10);
        if (size < 1 || size > MOST_NUMBERS) die(BAD_DATA, path, 0, "it is not a model of " NAME);
        *sizes[i] = (int)size;
    }
    allocate_model(M, path);
}
/* Saves a model or loads it: both are one walk through the file. */
static void model_file(model *M, const char *path, int save) {
    FILE *file = fopen(path, save ? "wb" : "rb");
    if (!file) die(CANNOT_OPEN, path, 0, "it cannot be opened");
    char header[MOST_HEADER] = "";
    if (save) make_header(M, header);
    uint64_t length = strlen(header);
    crc = 0xffffffff;
    transfer(file, save, &length, 8);
    transfer(file, save, header, length < MOST_HEADER ? length : 0);
    if (!save) read_header(M, header, path);
    for (int i = 0; i < M->total; i++) {
        float number = (float)M->w[i];
        transfer(file, save, &number, 4);
        if (!isfinite(number)) die(BAD_DATA, path, 0, "a weight is not finite");
        if (!save) M->w[i] = (real)number;
    }
    for (vocabulary *v = M->words; v < M->words + 2; v++) {
        char *text = allocate((size_t)v->bytes + 1, 1), *to = text;
        for (int i = 0; save && i < v->count; i++) to += sprintf(to, "%s\n", v->word[i]);
        transfer(file, save, text, (size_t)v->bytes);
        if (!save) v->word = allocate((size_t)v->count, sizeof *v->word);
        for (int i = 0; !save && i < v->count; i++) {
            v->word[i] = strtok(i ? NULL : text, "\n");
            if (!v->word[i]) die(BAD_DATA, path, 0, "it is damaged");
        }
        if (save) free(text);
    }
    uint32_t wanted = ~crc, found = wanted;
    transfer(file, save, &found, 4);
    if (found != wanted || (!save && getc(file) != EOF)) die(BAD_DATA, path, 0, "it is damaged");
    if (ferror(file) | fclose(file)) die(CANNOT_WRITE, path, 0, "it cannot be written");
}
/* Saves beside the old file and then takes its place, so that a full disk spares the old one.
 * Windows does not rename to a name that exists. */
static void save_model(model *M, const char *path) {
    char beside[FILENAME_MAX];
    const int device = !strncmp(path, "/dev/", 5);
    snprintf(beside, sizeof beside, device ? "%s" : "%s.new", path);
    model_file(M, beside, 1);
    if (!device && rename(beside, path) && (remove(path), rename(beside, path)))
        die(CANNOT_WRITE, path, 0, "it cannot be written");
}

/* ---- Train ----------------------------------------------------------------------------------- */
/* Measures the loss per pair, and the share of sentences that greedy search translates exactly. */
static double validate(const model *M, pair *pairs, int count, double *exact) {
    static pass P;
    double loss = 0;
    int right = 0;
    for (int i = 0; i < count; i++) {
        const sentence *y = &pairs[i][1];
        forget();
        loss += pair_forward(M, &pairs[i][0], y, &P);
        const hypothesis found = search(M, &P, 1);
        right += !memcmp(found.word, y->id, sizeof *y->id * (size_t)y->length); /* to its EOS */
    }
    *exact = (double)right / count;
    return loss / count;
}
/* Ends when all validation pairs are right, if there are any: who knows the training pairs by heart
 * need not align. The paper sorts the pairs of 20 batches by length; here batches are random. */
static int train(const char *path, const char *model_path, const char *valid_path) {
    static model M = {.m = SIZE_M, .n = SIZE_N, .n_a = SIZE_A, .l = SIZE_L};
    static pass P;
    int count, most;
    pair *pairs = read_pairs(path, &count), *valid = read_pairs(valid_path, &most);
    for (int side = 0; side < 2; side++) collect_words(pairs, count, 1 << side, &M.words[side]);
    if (most > VALIDATED) most = VALIDATED;
    number_words(&M, pairs, count);
    number_words(&M, valid, most);
    allocate_model(&M, path);
    start_model(&M);
    double loss = 0, exact = 0;
    for (int i = 1; i <= UPDATES && (exact < 1 || valid_path == path); i++) {
        for (int k = 0; k < BATCH; k++) {
            const sentence *p = pairs[(int)(uniform() * count)];
            forget();
            loss += pair_forward(&M, &p[0], &p[1], &P);
            pair_backward(&M, &p[1], &P);
        }
        update(&M, BATCH, RATE * (1 - (double)i / UPDATES));
        if (i % REPORT != 0) continue;
        if (!(loss < INFINITY)) die(DIVERGED, path, 0, "the training has diverged");
        const double valid_loss = validate(&M, valid, most, &exact);
        fprintf(stderr, "%d updates: loss per pair %.4f; validation: loss %.4f, %.1f %% exact\n", i,
                loss / (REPORT * BATCH), valid_loss, 100 * exact);
        save_model(&M, model_path);
        loss = 0;
    }
    return 0;
}

/* ---- Translate, align ------------------------------------------------------------------------ */
/* Returns 0 if all that was printed has arrived. */
static int finish_output(const char *path) {
    if (ferror(stdout) | fflush(stdout)) die(CANNOT_WRITE, path, 0, "it cannot be written");
    return 0;
}
static int translate(const char *path, int beam) {
    static model M;
    static pass P;
    model_file(&M, path, 0);
    pair p = {{0}};
    char *line;
    for (int number = 1; (line = read_line(stdin, "stdin", number)); number++) {
        hypothesis found = {0};
        if (!split(line, p) && p->length) die(BAD_DATA, "stdin", number, "too many words");
        number_words(&M, &p, 1);
        forget();
        if (p->length) encode_forward(&M, p, &P), found = search(&M, &P, beam);
        for (int i = 0; i < found.length && found.word[i] != EOS; i++)
            printf("%s%s", i ? " " : "",
                   found.word[i] == UNK ? "<unk>" : M.words[1].word[found.word[i] - SPECIAL]);
        puts("");
    }
    return finish_output("stdout");
}
/* Words stand in quotes, so that they may be commas; a quote in them is doubled. */
static void print_cell(const char *before, const char *word) {
    printf("%s\"", before);
    for (; *word; word++) printf(*word == '"' ? "\"\"" : "%c", *word);
    printf("\"");
}
static void print_csv(const sentence *x, const sentence *y, const pass *P) {
    for (int j = 0; j < x->length; j++) print_cell(",", x->word[j]);
    for (int i = 0; i < y->length; i++) {
        print_cell("\n", y->word[i]);
        for (int j = 0; j < x->length; j++) printf(",%.9g", (double)P->step[i].alpha[j]);
    }
}
/* A row for each target word, the darker below a source word the more the model attends to it; from
 * half of 1/S on it is not blank. Bytes of UTF-8 that continue a character take no place. */
static void print_heatmap(const sentence *x, const sentence *y, const pass *P) {
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    for (int j = 0; j < x->length; j++) printf("%s ", x->word[j]);
    for (int i = 0; i < y->length; i++) {
        for (int j = 0; j < x->length; j++) {
            const double alpha = (double)P->step[i].alpha[j];
            const int shade = alpha * x->length >= 0.5 ? 1 + (int)(3.99 * alpha) : 0;
            printf(j ? " " : "\n");
            for (const char *c = x->word[j]; *c; c++)
                if ((*c & 0xc0) != 0x80) printf("%s", shades[shade]);
        }
        printf("  %s", y->word[i]);
    }
}
static int align(const char *path, const char *pairs_path, const char *folder) {
    static model M;
    static pass P;
    int count;
    model_file(&M, path, 0);
    pair *pairs = read_pairs(pairs_path, &count);
    number_words(&M, pairs, count);
    for (int i = 0; i < count; i++) {
        char file[FILENAME_MAX] = "stdout";
        if (folder) snprintf(file, sizeof file, "%s/%04d.csv", folder, i + 1);
        if (folder && !freopen(file, "w", stdout)) die(CANNOT_OPEN, file, 0, "it cannot be opened");
        forget();
        pair_forward(&M, &pairs[i][0], &pairs[i][1], &P);
        (folder ? print_csv : print_heatmap)(&pairs[i][0], &pairs[i][1], &P);
        puts(folder ? "" : "\n");
        finish_output(file);
    }
    return 0;
}

/* ---- Check ----------------------------------------------------------------------------------- */
/* Compares every derivative with the central difference of the loss, (L(w + h) - L(w - h)) / 2h,
 * with random weights. A wrong line of a backward function leaves them hardly a digit in common. */
static int check(void) {
    static model M = {.m = 3, .n = 4, .n_a = 3, .l = 2, .words = {{.count = 5}, {.count = 4}}};
    static const sentence x = {.length = 5, .id = {3, 7, UNK, 3, EOS}},
                          y = {.length = 4, .id = {5, 3, 5, EOS}};
    static pass P;
    const real h = (real)1e-5;
    int wrong = 0;
    allocate_model(&M, "check");
    for (int i = 0; i < M.total; i++) M.w[i] = (real)(0.5 * normal());
    pair_forward(&M, &x, &y, &P);
    pair_backward(&M, &y, &P);
    for (int k = 0; k < M.matrices; k++) {
        const matrix *W = M.all[k];
        double apart = 0, size = 0;
        for (int i = 0; i < W->rows * W->cols; i++) {
            double loss[2];
            for (int up = 0; up < 2; up++) {
                forget();
                W->w[i] += up ? 2 * h : -h;
                loss[up] = pair_forward(&M, &x, &y, &P);
            }
            W->w[i] -= h;
            const double difference = (loss[1] - loss[0]) / (2 * (double)h);
            apart += pow((double)W->dw[i] - difference, 2);
            size += pow(difference, 2);
        }
        printf("%-22s %.1e\n", W->name, sqrt(apart / size));
        wrong |= !(sqrt(apart / size) <= 1e-6);
    }
    puts(wrong ? "a gradient is wrong" : "all gradients are right");
    return finish_output("stdout") || wrong ? CHECK_FAILED : 0;
}

int main(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : "";
    const int beam = argc == 4 ? atoi(argv[3]) : 1;
    const char *folder = argc == 6 && !strcmp(argv[4], "--csv") ? argv[5] : NULL;
    if (!strcmp(command, "train") && (argc == 4 || argc == 5))
        return train(argv[2], argv[3], argv[argc == 5 ? 4 : 2]);
    if (!strcmp(command, "translate") && (argc == 3 || argc == 4) && beam > 0 && beam <= MOST_BEAM)
        return translate(argv[2], beam);
    if (!strcmp(command, "align") && (argc == 4 || folder)) return align(argv[2], argv[3], folder);
    if (!strcmp(command, "check") && argc == 2) return check();
    fputs("usage: " NAME " train PAIRS.tsv MODEL.safetensors [PAIRS_TO_VALIDATE.tsv]\n"
          "       " NAME " translate MODEL.safetensors [BEAM, at most 16] < sentences\n"
          "       " NAME " align MODEL.safetensors PAIRS.tsv [--csv FOLDER] | " NAME " check\n",
          stderr);
    return USAGE;
}
