/* transformer: neural machine translation by attention alone, complete in one file.
 *
 * The model of Vaswani et al., "Attention is all you need" (2017, arXiv 1706.03762), from text to
 * translation, with gradients by hand, in the order of section 3 and in its letters. It needs C11
 * and nothing else. What rnnsearch.c has, too, is the same here, line for line.
 *
 *     cc -O3 transformer.c -lm -o transformer
 *     ./transformer train PAIRS.tsv MODEL.safetensors [PAIRS_TO_VALIDATE.tsv]
 *     ./transformer translate MODEL.safetensors [BEAM] < sentences
 *     ./transformer align MODEL.safetensors PAIRS.tsv [--csv FOLDER]
 *     ./transformer check
 * A line of PAIRS is a source sentence x, a tab, and its translation y, with spaces between words.
 * softalign, the library around this file, opens its models and generalizes its functions. Comments
 * "solution: NAME" and "end" enclose what its homework, scripts/assignment, has students write.
 *
 *     q, k, v       query, key and value of a word; those of head i begin at i d_k
 *     e, alpha, o   scores, weights of the values, and the output, the sum that they weigh
 *     x, f, y       what a sublayer reads, what its function makes of it, and LayerNorm(x + f)
 *     d, d_k, d_ff  sizes of x (d_model in the paper), of a head's q, k, v, and of the inner layer
 *     h, N, S       heads; layers of the encoder, and of the decoder; words of the source
 *
 * A forward function stands above its backward function, which undoes its lines from the last to
 * the first; comments name the line. A leading d means "gradient of the loss with respect to"; what
 * is used twice gets two gradients, so backward functions accumulate. [S x d] is a shape.
 *
 * A sentence pair is computed alone, and a batch adds up the gradients of its pairs. So nothing has
 * to be filled up to the longest sentence, and no mask must hide such padding from the softmax. Nor
 * does one hide later target words: while a word is computed, they do not exist yet. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NAME "transformer"
#ifndef REAL
#define REAL double /* -DREAL=float trains faster; check needs double */
#endif
typedef REAL real;
#define exponential(x) _Generic((x), float : expf, double : exp)(x)
#define root(x) _Generic((x), float : sqrtf, double : sqrt)(x)
/* The paper has d = 512, h = 8, N = 6, d_ff = 2048, batches of 25,000 words, dropout and smoothing
 * 0.1, 4,000 updates of warm-up, and trains for half a day. This version trains in a minute. */
enum { SIZE_D = 32, SIZE_H = 4, SIZE_N = 2, SIZE_F = 64, BATCH = 16, UPDATES = 6000, WARMUP = 800 };
static const double DROPOUT = 0.1, SMOOTHING = 0.1, BETA_1 = 0.9, BETA_2 = 0.98, EPSILON = 1e-9;
enum { REPORT = 500, VALIDATED = 500 }; /* updates between reports; most pairs in one */
enum { LONGEST = 50, MOST_OUTPUT = 3 * LONGEST + 13 }; /* words of a sentence, of a translation */
enum { MOST_BEAM = 16, MOST_HEADER = 1 << 15, MOST_NUMBERS = 1 << 24, MOST_LAYERS = 6 };
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
static double uniform(void); /* in [0, 1) */
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
    double start, deviation; /* mean and deviation of the first weights */
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

/* ---- The model ------------------------------------------------------------------------------- */
typedef struct vocabulary {
    int count, bytes; /* of words, without the special ones; of their text, one word a line */
    char **word;      /* in byte order; word[i] has number SPECIAL + i */
} vocabulary;
typedef struct sublayer {
    matrix W_q, W_k, W_v, W_o; /* attention: 3.2.2 */
    matrix W_1, b_1, W_2, b_2; /* or the feed-forward network: 3.3 */
    matrix g, b;               /* its layer normalization: 3.1 */
} sublayer;
typedef struct layer {
    sublayer self, cross, feed; /* cross: in the decoder only */
} layer;
typedef struct model {
    vocabulary words[2];  /* of source and target: the same */
    int d, h, N, d_ff, K; /* K: words that have a number */
    matrix E, b_y;        /* 3.4: E embeds source and target, and gives the logits */
    layer encoder[MOST_LAYERS], decoder[MOST_LAYERS];
    matrix *all[256]; /* the same, one after another */
    int matrices;
    long long total;                 /* numbers in all of them, which lie in four long vectors: */
    real *w, *dw, *mean_g, *mean_g2; /* weights, gradient, and the means of Adam */
} model;
typedef struct sentence {
    int length;              /* with the end mark; 0: no words */
    char *word[LONGEST + 1]; /* as they are spelled */
    int id[LONGEST + 1];     /* as the model knows them */
} sentence;
typedef sentence pair[2]; /* x and y */
/* What a sublayer leaves for the backward pass, for one word. */
typedef struct trace {
    const real *x;
    real *q, *alpha, *o, *inner;      /* [d], [h x S], [d]; [d_ff] */
    real *mask, *normal, *y, inverse; /* [d] each; 1 / the standard deviation */
} trace;
typedef struct key_value {
    real *k, *v, *dk, *dv; /* [d] each */
} key_value;
typedef struct memory {
    int S;
    key_value word[MOST_OUTPUT];
} memory;
typedef struct step {
    const struct step *before;
    int y_prev, i;          /* i: how many steps were before */
    real *mask, *p, *alpha; /* [d], [K], [S]: the mean of the alpha of all layers and heads */
    key_value own[MOST_LAYERS];
    trace self[MOST_LAYERS], cross[MOST_LAYERS], feed[MOST_LAYERS];
} step;
typedef struct pass {
    double dropout;
    int S, steps;
    const int *x;
    real *mask[LONGEST + 1];                      /* [d] */
    memory own[MOST_LAYERS], source[MOST_LAYERS]; /* for the encoder's layers, the decoder's */
    trace self[MOST_LAYERS][LONGEST + 1], feed[MOST_LAYERS][LONGEST + 1];
    step step[MOST_BEAM * MOST_OUTPUT];
} pass;

/* ---- 3.1 Residual connections and layer normalization, 5.4 dropout --------------------------- */
/* Factors that set each number to 0 with probability p and keep the mean.    -> [count] */
static real *draw_mask(double p, int count) {
    real *mask = take(count);
    for (int k = 0; k < count; k++) mask[k] = p > 0 && uniform() < p ? 0 : (real)(1 / (1 - p));
    return mask;
}
/* y = LayerNorm(x + Dropout(f)), LayerNorm(a) = g . n + b, n = (a - mean a) / sqrt(var a + 1e-5),
 * where . multiplies number by number (Ba et al. 2016).    x, f [d] -> y [d] */
static void norm_forward(const sublayer *w, const real *f, double dropout, trace *u) {
    const int d = w->g.cols;
    real mean = 0, *n = u->normal = take(d);
    u->mask = draw_mask(dropout, d), u->y = take(d);
    for (int k = 0; k < d; k++) n[k] = u->x[k] + u->mask[k] * f[k], mean += n[k] / (real)d;
    for (int k = 0; k < d; k++) n[k] -= mean;
    u->inverse = 1 / root(dot(n, n, d) / (real)d + (real)1e-5);
    for (int k = 0; k < d; k++) n[k] *= u->inverse, u->y[k] = w->g.w[k] * n[k] + w->b.w[k];
}
/* Mean and variance depend on each number: da = (dn - mean(dn) - n mean(n . dn)) / sqrt(..). */
static void norm_backward(sublayer *w, const trace *u, const real *dy, real *dx, real *df) {
    const int d = w->g.cols;
    real *dn = take(d), mean = 0;
    for (int k = 0; k < d; k++) { /* y = g . n + b */
        w->b.dw[k] += dy[k];
        w->g.dw[k] += dy[k] * u->normal[k];
        dn[k] = dy[k] * w->g.w[k], mean += dn[k] / (real)d;
    }
    const real along = dot(u->normal, dn, d) / (real)d;
    for (int k = 0; k < d; k++) {
        const real da = u->inverse * (dn[k] - mean - u->normal[k] * along); /* n */
        dx[k] += da;                                                        /* a = x + mask . f */
        df[k] += u->mask[k] * da;
    }
}

/* ---- 3.2.1 Scaled dot-product attention ------------------------------------------------------ */
/* Equation (1), the heart of the paper, for one query of one head:
 *     e_j = q' k_j / sqrt(d_k),   alpha = softmax(e),   o = sum_j alpha_j v_j
 * q, k_j, v_j, o [d_k] begin at the head's place in vectors of all heads. -> alpha [S] */
static void attend_forward(const memory *m, int head, int d_k, trace *u) {
    const int S = m->S, at = head * d_k; /* solution: heads */
    real *e = take(S), *alpha = u->alpha + head * S;
    for (int j = 0; j < S; j++) e[j] = dot(u->q + at, m->word[j].k + at, d_k) / root((real)d_k);
    softmax(e, S, alpha);
    for (int j = 0; j < S; j++) add_scaled(alpha[j], m->word[j].v + at, u->o + at, d_k); /* end */
}
static void attend_backward(const memory *m, int head, int d_k, const trace *u, const real *d_o,
                            real *dq) {
    const int S = m->S, at = head * d_k; /* solution: heads */
    const real *alpha = u->alpha + head * S;
    real *dalpha = take(S), *de = take(S);
    for (int j = 0; j < S; j++) { /* o = sum_j alpha_j v_j */
        dalpha[j] = dot(d_o + at, m->word[j].v + at, d_k);
        add_scaled(alpha[j], d_o + at, m->word[j].dv + at, d_k);
    }
    softmax_backward(alpha, dalpha, S, de); /* alpha = softmax(e) */
    for (int j = 0; j < S; j++) {           /* e_j = q' k_j / sqrt(d_k) */
        add_scaled(de[j] / root((real)d_k), m->word[j].k + at, dq + at, d_k);
        add_scaled(de[j] / root((real)d_k), u->q + at, m->word[j].dk + at, d_k);
    } /* end */
}

/* ---- 3.2.2 Multi-head attention -------------------------------------------------------------- */
/* What a word shows to queries: k = W_k x, v = W_v x.    x [d] -> k, v [d] */
static key_value show_forward(const model *M, const sublayer *w, const real *x) {
    const key_value u = {take(M->d), take(M->d), take(M->d), take(M->d)};
    multiply_forward(&w->W_k, x, u.k);
    multiply_forward(&w->W_v, x, u.v);
    return u;
}
static void show_backward(sublayer *w, const real *x, const key_value *u, real *dx) {
    multiply_backward(&w->W_v, x, u->dv, dx);
    multiply_backward(&w->W_k, x, u->dk, dx);
}
/* f = MultiHead(x) = W_o [head_1 ; .. ; head_h], head_i = Attention(q, K, V) of head i, q = W_q x.
 * x [d] -> y = LayerNorm(x + f) [d] */
static trace look_forward(const model *M, const sublayer *w, const memory *m, const real *x,
                          double dropout) {
    trace u = {.x = x, .q = take(M->d), .alpha = take(M->h * m->S), .o = take(M->d)};
    real *f = take(M->d);
    multiply_forward(&w->W_q, x, u.q); /* solution: heads */
    for (int i = 0; i < M->h; i++) attend_forward(m, i, M->d / M->h, &u);
    multiply_forward(&w->W_o, u.o, f); /* end */
    norm_forward(w, f, dropout, &u);
    return u;
}
static void look_backward(const model *M, sublayer *w, const memory *m, const trace *u,
                          const real *dy, real *dx) {
    real *df = take(M->d), *d_o = take(M->d), *dq = take(M->d);
    norm_backward(w, u, dy, dx, df);
    multiply_backward(&w->W_o, u->o, df, d_o); /* solution: heads; f = W_o o */
    for (int i = 0; i < M->h; i++) attend_backward(m, i, M->d / M->h, u, d_o, dq);
    multiply_backward(&w->W_q, u->x, dq, dx); /* q = W_q x; end */
}

/* ---- 3.3 The feed-forward network ------------------------------------------------------------ */
/* Equation (2): FFN(x) = W_2 max(0, W_1 x + b_1) + b_2, and y = LayerNorm(x + FFN(x)). x, y [d] */
static trace feed_forward(const model *M, const sublayer *w, const real *x, double dropout) {
    trace u = {.x = x, .inner = take(M->d_ff)};
    real *f = take(M->d);
    add_scaled(1, w->b_1.w, u.inner, M->d_ff);
    multiply_forward(&w->W_1, x, u.inner);
    for (int k = 0; k < M->d_ff; k++) u.inner[k] = u.inner[k] > 0 ? u.inner[k] : 0;
    add_scaled(1, w->b_2.w, f, M->d);
    multiply_forward(&w->W_2, u.inner, f);
    norm_forward(w, f, dropout, &u);
    return u;
}
static void feed_backward(const model *M, sublayer *w, const trace *u, const real *dy, real *dx) {
    real *df = take(M->d), *dinner = take(M->d_ff);
    norm_backward(w, u, dy, dx, df);
    multiply_backward(&w->W_2, u->inner, df, dinner); /* f = W_2 inner + b_2 */
    add_scaled(1, df, w->b_2.dw, M->d);
    for (int k = 0; k < M->d_ff; k++) dinner[k] = u->inner[k] > 0 ? dinner[k] : 0; /* max(0, ..) */
    multiply_backward(&w->W_1, u->x, dinner, dx);                                  /* W_1 x + b_1 */
    add_scaled(1, dinner, w->b_1.dw, M->d_ff);
}

/* ---- 3.4 Embeddings, 3.5 positions ----------------------------------------------------------- */
/* Word y at position t: x = Dropout(sqrt(d) E_y + PE(t)).    -> x [d]
 *     PE(t, 2i) = sin(t / 10000^(2i/d)), PE(t, 2i + 1) = cos(t / 10000^(2i/d)) */
static real *embed_forward(const model *M, int y, int t, double dropout, real **mask) {
    real *x = take(M->d);
    *mask = draw_mask(dropout, M->d);
    for (int k = 0; k < M->d; k++) {
        const double angle = t / pow(10000, (double)(k - k % 2) / M->d);
        x[k] = root((real)M->d) * M->E.w[y * M->d + k] + (real)(k % 2 ? cos(angle) : sin(angle));
        x[k] *= (*mask)[k];
    }
    return x;
}
static void embed_backward(model *M, int y, const real *mask, const real *dx) {
    for (int k = 0; k < M->d; k++) M->E.dw[y * M->d + k] += root((real)M->d) * mask[k] * dx[k];
}

/* ---- 3.1 The encoder ------------------------------------------------------------------------- */
/* N layers: every word attends to all; then FFN. The last gives the decoder's keys and values. */
static void encode_forward(const model *M, const sentence *from, pass *P) {
    const int S = P->S = from->length, *id = P->x = from->id;
    const real *x[LONGEST + 1];
    P->steps = 0;
    for (int j = 0; j < S; j++) x[j] = embed_forward(M, id[j], j, P->dropout, &P->mask[j]);
    for (int l = 0; l < M->N; l++) {
        const layer *w = &M->encoder[l];
        P->own[l].S = P->source[l].S = S;
        for (int j = 0; j < S; j++) P->own[l].word[j] = show_forward(M, &w->self, x[j]);
        for (int j = 0; j < S; j++) {
            P->self[l][j] = look_forward(M, &w->self, &P->own[l], x[j], P->dropout);
            P->feed[l][j] = feed_forward(M, &w->feed, P->self[l][j].y, P->dropout);
            x[j] = P->feed[l][j].y;
        }
    }
    for (int l = 0; l < M->N; l++)
        for (int j = 0; j < S; j++)
            P->source[l].word[j] = show_forward(M, &M->decoder[l].cross, x[j]);
}
static void encode_backward(model *M, pass *P) {
    const int S = P->S, last = M->N - 1;
    real *dx[LONGEST + 1];
    for (int j = 0; j < S; j++) dx[j] = take(M->d);
    for (int l = 0; l < M->N; l++) /* keys and values for the decoder */
        for (int j = 0; j < S; j++)
            show_backward(&M->decoder[l].cross, P->feed[last][j].y, &P->source[l].word[j], dx[j]);
    for (int l = last; l >= 0; l--) {
        layer *w = &M->encoder[l];
        for (int j = 0; j < S; j++) { /* x + FFN(x), x + MultiHead(x) */
            real *d_self = take(M->d);
            feed_backward(M, &w->feed, &P->feed[l][j], dx[j], d_self);
            look_backward(M, &w->self, &P->own[l], &P->self[l][j], d_self, dx[j] = take(M->d));
        }
        for (int j = 0; j < S; j++) /* k_j, v_j, when all have attended to them */
            show_backward(&w->self, P->self[l][j].x, &P->own[l].word[j], dx[j]);
    }
    for (int j = 0; j < S; j++) embed_backward(M, P->x[j], P->mask[j], dx[j]);
}

/* ---- 3.1 The decoder ------------------------------------------------------------------------- */
static memory words_until(const step *k, int l) { /* what step k attends to in layer l */
    memory m = {.S = k->i + 1};
    for (; k; k = k->before) m.word[k->i] = k->own[l];
    return m;
}
/* One word of the translation: N layers, in which y_{i-1} attends to the words until itself, then
 * to the source, then FFN. From their t_i, p(y_i) = softmax(E t_i + b_y) (3.4). y_0 is BOS. */
static void step_forward(const model *M, const pass *P, int y_prev, const step *before, step *k) {
    *k = (step){.y_prev = y_prev, .before = before, .i = before ? before->i + 1 : 0};
    const real *x = embed_forward(M, y_prev, k->i, P->dropout, &k->mask);
    k->alpha = take(P->S), k->p = take(M->K);
    for (int l = 0; l < M->N; l++) {
        const layer *w = &M->decoder[l];
        k->own[l] = show_forward(M, &w->self, x);
        const memory words = words_until(k, l);
        k->self[l] = look_forward(M, &w->self, &words, x, P->dropout);
        k->cross[l] = look_forward(M, &w->cross, &P->source[l], k->self[l].y, P->dropout);
        k->feed[l] = feed_forward(M, &w->feed, k->cross[l].y, P->dropout);
        x = k->feed[l].y;
        for (int i = 0; i < M->h; i++)
            add_scaled(1 / (real)(M->h * M->N), k->cross[l].alpha + i * P->S, k->alpha, P->S);
    }
    add_scaled(1, M->b_y.w, k->p, M->K); /* logits first */
    multiply_forward(&M->E, x, k->p);
    softmax(k->p, M->K, k->p);
}
/* 5.4: the loss is -sum_i u_i log p_i; u is SMOOTHING / K, and the rest at y. dlogits = p - u */
static void step_backward(model *M, const pass *P, const step *k, int y) {
    real *dx = take(M->d), *dlogits = take(M->K);
    for (int i = 0; i < M->K; i++) dlogits[i] = k->p[i] - (real)(SMOOTHING / M->K);
    dlogits[y] -= (real)(1 - SMOOTHING);
    multiply_backward(&M->E, k->feed[M->N - 1].y, dlogits, dx); /* logits = E t + b_y */
    add_scaled(1, dlogits, M->b_y.dw, M->K);
    for (int l = M->N - 1; l >= 0; l--) {
        layer *w = &M->decoder[l];
        const memory words = words_until(k, l);
        real *d_cross = take(M->d), *d_self = take(M->d);
        feed_backward(M, &w->feed, &k->feed[l], dx, d_cross);
        look_backward(M, &w->cross, &P->source[l], &k->cross[l], d_cross, d_self);
        look_backward(M, &w->self, &words, &k->self[l], d_self, dx = take(M->d));
        show_backward(&w->self, k->self[l].x, &k->own[l], dx); /* later words have attended */
    }
    embed_backward(M, k->y_prev, k->mask, dx);
}
/* The loss of a pair: -log p(y | x) = -sum_i log p(y_i | y_1 ... y_{i-1}, x). While it learns, the
 * decoder reads the right words, not its own. */
static double pair_forward(const model *M, const sentence *from, const sentence *to, pass *P) {
    double loss = 0;
    encode_forward(M, from, P);
    for (int i = 0; i < to->length; i++) {
        step *k = &P->step[i];
        step_forward(M, P, i ? to->id[i - 1] : BOS, i ? k - 1 : NULL, k);
        for (int n = 0; n < M->K; n++) loss -= SMOOTHING / M->K * log((double)k->p[n]);
        loss -= (1 - SMOOTHING) * log((double)k->p[to->id[i]]);
    }
    return loss;
}
/* Accumulates into dw of every matrix. */
static void pair_backward(model *M, const sentence *to, pass *P) {
    for (int i = to->length - 1; i >= 0; i--) step_backward(M, P, &P->step[i], to->id[i]);
    encode_backward(M, P);
}

/* ---- The sizes of the model, initial weights ------------------------------------------------- */
/* Names a matrix and gives it its place in the long vectors, if they are there. */
static void shape(model *M, matrix *W, int rows, int cols, const char *prefix, const char *letter) {
    *W = (matrix){.rows = rows, .cols = cols, .start = !strcmp(letter, "norm.g")};
    if (rows > 1) W->deviation = *letter == 'E' ? 1 / sqrt(cols) : sqrt(2.0 / (rows + cols));
    snprintf(W->name, sizeof W->name, "%s.%s", prefix, letter);
    W->w = M->w ? M->w + M->total : NULL;
    W->dw = M->dw ? M->dw + M->total : NULL;
    M->all[M->matrices++] = W;
    M->total += (long long)rows * cols;
}
static void shape_sublayer(model *M, sublayer *w, const char *stack, int l, const char *name) {
    const int d = M->d, d_ff = M->d_ff, feed = !strcmp(name, "feedforward");
    matrix *const W[] = {&w->W_q, &w->W_k, &w->W_v, &w->W_o, &w->W_1, &w->b_1, &w->W_2, &w->b_2};
    static const char *const letter[] = {"W_q", "W_k", "W_v", "W_o", "W_1", "b_1", "W_2", "b_2"};
    const int rows[] = {d, d, d, d, d_ff, 1, d, 1}, cols[] = {d, d, d, d, d, d_ff, d_ff, d};
    char prefix[40];
    snprintf(prefix, sizeof prefix, "%s.%d.%s", stack, l + 1, name);
    for (int i = 4 * feed; i < 4 + 4 * feed; i++)
        shape(M, W[i], rows[i], cols[i], prefix, letter[i]);
    shape(M, &w->g, 1, d, prefix, "norm.g");
    shape(M, &w->b, 1, d, prefix, "norm.b");
}
static void shape_model(model *M) {
    M->matrices = 0, M->total = 0;
    M->K = SPECIAL + M->words[0].count;
    shape(M, &M->E, M->K, M->d, "target", "E");
    for (int l = 0; l < M->N; l++) {
        shape_sublayer(M, &M->encoder[l].self, "encoder", l, "self");
        shape_sublayer(M, &M->encoder[l].feed, "encoder", l, "feedforward");
    }
    for (int l = 0; l < M->N; l++) {
        shape_sublayer(M, &M->decoder[l].self, "decoder", l, "self");
        shape_sublayer(M, &M->decoder[l].cross, "decoder", l, "cross");
        shape_sublayer(M, &M->decoder[l].feed, "decoder", l, "feedforward");
    }
    shape(M, &M->b_y, 1, M->K, "readout", "b_y");
}
static void allocate_model(model *M, const char *path) {
    shape_model(M);
    if (M->total > MOST_NUMBERS) die(NO_MEMORY, path, 0, "too many different words");
    real **vectors[] = {&M->w, &M->dw, &M->mean_g, &M->mean_g2};
    for (int i = 0; i < 4; i++) *vectors[i] = allocate((size_t)M->total, sizeof(real));
    shape_model(M);
}
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
/* Normal, with the deviations of Glorot and Bengio 2010; the paper names none. */
static void start_model(model *M) {
    for (int i = 0; i < M->matrices; i++) {
        matrix *W = M->all[i];
        for (int k = 0; k < W->rows * W->cols; k++)
            W->w[k] = (real)(W->start + W->deviation * normal());
    }
}

/* ---- 5.3 Training ---------------------------------------------------------------------------- */
/* Equation (3): rate = d^-0.5 min(t^-0.5, t WARMUP^-1.5). Adam (Kingma and Ba 2015) divides the
 * mean of past gradients by the root of that of their squares; both begin at 0, and grow by 1 -
 * beta^t. */
static void update(model *M, int batch, int t) {
    const double rate = pow(M->d, -0.5) * fmin(pow(t, -0.5), t * pow(WARMUP, -1.5));
    const real first = (real)(rate / (1 - pow(BETA_1, t))), beta_1 = (real)BETA_1;
    const real second = (real)(1 / sqrt(1 - pow(BETA_2, t))), beta_2 = (real)BETA_2;
    for (int i = 0; i < M->total; i++) {
        const real g = M->dw[i] / (real)batch;
        M->mean_g[i] = beta_1 * M->mean_g[i] + (1 - beta_1) * g;
        M->mean_g2[i] = beta_2 * M->mean_g2[i] + (1 - beta_2) * g * g;
        M->w[i] -= first * M->mean_g[i] / (second * root(M->mean_g2[i]) + (real)EPSILON);
        M->dw[i] = 0;
    }
}

/* ---- Search ---------------------------------------------------------------------------------- */
typedef struct hypothesis {
    int length, word[MOST_OUTPUT];
    double log_p;
    const step *s; /* the step of its last word */
} hypothesis;
/* Keeps the best `most` hypotheses in their order. Returns how many there are now. */
static int insert(hypothesis *to, int count, int most, const hypothesis *h, int w, double log_p) {
    if (count == most && log_p <= to[count - 1].log_p) return count;
    int at = count < most ? count++ : count - 1;
    for (; at > 0 && log_p > to[at - 1].log_p; at--) to[at] = to[at - 1];
    to[at] = *h;
    to[at].word[to[at].length++] = w;
    to[at].log_p = log_p;
    return count;
}
/* Beam search: of all continuations by a word the best `beam` live on. An end makes the beam
 * narrower by one; the best log p / penalty (6.1) wins. With a beam of 1 this is greedy search. */
static hypothesis search(const model *M, pass *P, int beam) {
    hypothesis live[MOST_BEAM] = {{0}}, next[MOST_BEAM], best = {0};
    double best_score = -INFINITY;
    int count = 1;
    while (count > 0) {
        int found = 0;
        for (int i = 0; i < count; i++) {
            step *k = &P->step[P->steps++];
            hypothesis *h = &live[i];
            step_forward(M, P, h->length ? h->word[h->length - 1] : BOS, h->s, k);
            h->s = k;
            for (int word = 0; word < M->K; word++)
                if (word != BOS)
                    found = insert(next, found, beam, h, word, h->log_p + log((double)k->p[word]));
        }
        count = 0;
        for (int i = 0; i < found; i++) {
            const hypothesis *h = &next[i];
            const int ended = h->word[h->length - 1] == EOS;
            beam -= ended;
            const double score = h->log_p / pow((5 + h->length) / 6.0, 0.6);
            if (!ended && h->length < 3 * P->S + 10)
                live[count++] = *h;
            else if (score > best_score)
                best = *h, best_score = score;
        }
    }
    return best;
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
            "\"spaced_marks\":\"no\",\"" NAME "\":\"%d %d %d %d %d %d\","
            "\"settings\":\"{\\\"tokenizer\\\":\\\"space\\\",\\\"model\\\":\\\"transformer\\\","
            "\\\"attention\\\":\\\"scaled-dot\\\",\\\"positions\\\":\\\"sinusoidal\\\","
            "\\\"norm\\\":\\\"post\\\",\\\"tie\\\":\\\"three-way\\\",\\\"embed\\\":%d,"
            "\\\"attn\\\":%d,\\\"heads\\\":%d,\\\"layers\\\":%d,\\\"ffn\\\":%d}\"}",
            M->d, M->h, M->N, M->d_ff, x->count, x->bytes, M->d, M->d, M->h, M->N, M->d_ff);
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
    vocabulary *x = &M->words[0];
    int *const sizes[] = {&M->d, &M->h, &M->N, &M->d_ff, &x->count, &x->bytes};
    char *at = strstr(header, "\"" NAME "\":\"");
    at = at ? strchr(at, ':') + 2 : header;
    for (int i = 0; i < 6; i++) {
        const long size = strtol(at, &at, 10);
        if (size < 1 || size > MOST_NUMBERS) die(BAD_DATA, path, 0, "it is not a model of " NAME);
        *sizes[i] = (int)size;
    }
    if (M->N > MOST_LAYERS || M->d % M->h) die(BAD_DATA, path, 0, "it is not a model of " NAME);
    M->words[1] = *x;
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
 * need not align. Batches are random. */
static int train(const char *path, const char *model_path, const char *valid_path) {
    static model M = {.d = SIZE_D, .h = SIZE_H, .N = SIZE_N, .d_ff = SIZE_F};
    static pass P;
    int count, most;
    pair *pairs = read_pairs(path, &count), *valid = read_pairs(valid_path, &most);
    collect_words(pairs, count, 3, &M.words[0]);
    M.words[1] = M.words[0];
    if (most > VALIDATED) most = VALIDATED;
    number_words(&M, pairs, count);
    number_words(&M, valid, most);
    allocate_model(&M, path);
    start_model(&M), P.dropout = DROPOUT;
    double loss = 0, exact = 0;
    for (int i = 1; i <= UPDATES && (exact < 1 || valid_path == path); i++) {
        for (int k = 0; k < BATCH; k++) {
            const sentence *p = pairs[(int)(uniform() * count)];
            forget();
            loss += pair_forward(&M, &p[0], &p[1], &P);
            pair_backward(&M, &p[1], &P);
        }
        update(&M, BATCH, i);
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
    static model M = {.d = 6, .h = 2, .N = 2, .d_ff = 5, .words = {{.count = 5}, {.count = 5}}};
    static const sentence x = {.length = 5, .id = {3, 7, UNK, 3, EOS}},
                          y = {.length = 4, .id = {5, 3, 5, EOS}};
    static pass P = {.dropout = 0.3};
    const real h = (real)1e-5;
    int wrong = 0;
    allocate_model(&M, "check");
    start_model(&M);
    for (int i = 0; i < M.total; i++) M.w[i] += (real)(0.1 * normal());
    random_state = 2; /* the same dropout each time */
    pair_forward(&M, &x, &y, &P);
    pair_backward(&M, &y, &P);
    for (int k = 0; k < M.matrices; k++) {
        const matrix *W = M.all[k];
        double apart = 0, size = 0;
        for (int i = 0; i < W->rows * W->cols; i++) {
            double loss[2];
            for (int up = 0; up < 2; up++) {
                forget(), random_state = 2;
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
