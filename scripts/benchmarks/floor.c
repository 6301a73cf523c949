/* The floor: RNNsearch with nothing around it, as fast as straightforward C over OpenBLAS gets: a
 * bound to measure the program by. It is the model of Bahdanau, Cho and Bengio (2015), with its
 * reset gate and without biases, which cost nothing; it does learn. Everything that does not wait
 * for the step before stands outside the loops over time; no work is done on padding.
 *
 *   floor BATCHES WARM THREADS additive|dot m n n' l
 *
 * BATCHES is what `batches` wrote; the first WARM of them are not timed. Each thread takes its
 * share of a batch, with one thread of OpenBLAS in it; then the gradients are added, clipped and
 * applied by Adam. Prints "WORDS SECONDS FLOP FIRST-LOSS LAST-LOSS": target words and seconds of
 * the timed batches, floating-point operations of their matrix products, losses per word. */
#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_THREADS = 64, START = 2, BLOCK = 256 }; /* BLOCK: rows of logits at a time */
#define MOST_MEMORY ((size_t)1 << 35)
/* Embedding, hidden, alignment (n'), maxout; the words of the vocabularies. */
static int m, n, p, l, vocabulary[2];
static bool dot; /* e = q'k / sqrt(n') in the place of v_a' tanh(q + k) */

/* Every matrix as [in x out], the three blocks of a cell side by side: z | r | candidate. */
enum { WEIGHTS = 17 };
typedef union weights {
    struct {
        float *Es, *Et;           /* embeddings */
        float *W[2], *U[2];       /* encoder, both ways: [m x 3n], [n x 3n] */
        float *Ua, *Wa, *va;      /* [2n x n'], [n x n'], [n'] */
        float *Ws, *Wd, *Ud, *C;  /* s_0 [n x n]; [m x 3n], [n x 3n], [2n x 3n] */
        float *Uo, *Vo, *Co, *Wo; /* [n x 2l], [m x 2l], [2n x 2l], [l x words] */
    };
    float *each[WEIGHTS];
} weights;

typedef struct pair {
    int len[2], *ids[2]; /* source, target */
} pair;

typedef struct batch {
    int count;
    pair *pairs;
} batch;

/* One side of a shard, by falling length; row start[t] + b is word t of sentence b. */
typedef struct side {
    int sentences, steps, words;
    int *len, *first, *active, *start; /* first: the row of word 0, sentence by sentence */
    int *order, *ids;                  /* which pair stands here; [words] step by step */
} side;

/* What a pass over a shard works in. gates, previous and reset: encoder, (encoder,) decoder. */
typedef struct pass {
    side in, out;
    int *source_of, *inputs; /* place in the source of the same pair; the word before each */
    float scale;             /* 1 / pairs of all shards */
    float *x[2], *gates[3], *previous[3], *reset[3], *dgates, *dreset, *H, *dH, *keys, *dkeys,
        *back;
    float *s0, *state, *dstate, *c, *dc, *alpha, *q, *dq, *dprevious, *dx;
    double loss;
} pass;

/* Memory of a thread, which the next pass takes again; only what is used becomes real. */
static _Thread_local char *arena;
static _Thread_local size_t taken;
static void *take(size_t count) { /* numbers of four bytes */
    taken += (4 * count + 63) / 64 * 64;
    if (taken > MOST_MEMORY) exit(7);
    return arena + taken - (4 * count + 63) / 64 * 64;
}

static float *matrix(int rows, int columns) {
    return take((size_t)rows * columns);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* C = A B + beta C, every matrix with its leading dimension; nt: B transposed; tn: A transposed. */
#define PRODUCT(name, a_is, b_is)                                                                  \
    static void name(int rows, int columns, int k, const float *a, int lda, const float *b,        \
                     int ldb, float beta, float *c, int ldc) {                                     \
        cblas_sgemm(CblasRowMajor, a_is, b_is, rows, columns, k, 1, a, lda, b, ldb, beta, c, ldc); \
    }
PRODUCT(nn, CblasNoTrans, CblasNoTrans)
PRODUCT(nt, CblasNoTrans, CblasTrans)
PRODUCT(tn, CblasTrans, CblasNoTrans)

/* e^x = 2^k e^r: k is added to the exponent's bits. */
static inline float exp_of(float x) {
    x = x < -87 ? -87 : x > 87 ? 87 : x;
    const float k = rintf(x * 1.44269504f), r = x - k * 0.693147181f;
    const float series =
        1 + r * (1 + r * (0.5f + r * (0.16666667f + r * (0.041666668f + r * 0.0083333338f))));
    const int32_t bits = ((int32_t)k + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return series * power;
}
#define sigmoid_of(x) (1 / (1 + exp_of(-(x))))
#define tanh_of(x) (1 - 2 / (1 + exp_of(2 * (x))))

#define copy(to, from, count) memcpy(to, from, (size_t)(count) * sizeof(float))
#define clear(x, count) memset(x, 0, (size_t)(count) * sizeof(float))

static float *gather(const float *E, const int *ids, int rows) {
    float *x = matrix(rows, m);
    for (int i = 0; i < rows; i++) copy(x + (size_t)i * m, E + (size_t)ids[i] * m, m);
    return x;
}

static void scatter(const float *dx, const int *ids, int rows, float *dE) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < m; k++) dE[(size_t)ids[i] * m + k] += dx[(size_t)i * m + k];
}

/* The cell: s = (1 - z) . s' + z . tanh(a + U [r . s']). */
static void cell(int rows, const float *U, float *gates, const float *previous, float *reset,
                 float *state) {
    nn(rows, 2 * n, n, previous, n, U, 3 * n, 1, gates, 3 * n);
    for (int i = 0; i < rows; i++) {
        float *a = gates + (size_t)i * 3 * n, *rs = reset + (size_t)i * n;
        const float *s_ = previous + (size_t)i * n;
        for (int k = 0; k < 2 * n; k++) a[k] = sigmoid_of(a[k]);
        for (int k = 0; k < n; k++) rs[k] = a[n + k] * s_[k];
    }
    nn(rows, n, n, reset, n, U + 2 * n, 3 * n, 1, gates + 2 * n, 3 * n);
    for (int i = 0; i < rows; i++) {
        float *z = gates + (size_t)i * 3 * n, *c = z + 2 * n, *s = state + (size_t)i * n;
        const float *s_ = previous + (size_t)i * n;
        for (int k = 0; k < n; k++) {
            c[k] = tanh_of(c[k]);
            s[k] = s_[k] + z[k] * (c[k] - s_[k]);
        }
    }
}

/* ds comes in as the derivative by s and goes out as that by s'. */
static void cell_back(int rows, const float *U, const float *gates, const float *previous,
                      float *ds, float *da, float *dreset) {
    for (int i = 0; i < rows; i++) {
        const float *z = gates + (size_t)i * 3 * n, *c = z + 2 * n, *s_ = previous + (size_t)i * n;
        float *d = ds + (size_t)i * n, *daz = da + (size_t)i * 3 * n, *dac = daz + 2 * n;
        for (int k = 0; k < n; k++) {
            daz[k] = d[k] * (c[k] - s_[k]) * z[k] * (1 - z[k]);
            dac[k] = d[k] * z[k] * (1 - c[k] * c[k]);
            d[k] *= 1 - z[k];
        }
    }
    nt(rows, n, n, da + 2 * n, 3 * n, U + 2 * n, 3 * n, 0, dreset, n);
    for (int i = 0; i < rows; i++) {
        const float *r = gates + (size_t)i * 3 * n + n, *s_ = previous + (size_t)i * n;
        const float *drs = dreset + (size_t)i * n;
        float *d = ds + (size_t)i * n, *dar = da + (size_t)i * 3 * n + n;
        for (int k = 0; k < n; k++) {
            d[k] += drs[k] * r[k];
            dar[k] = drs[k] * s_[k] * r[k] * (1 - r[k]);
        }
    }
    nt(rows, n, 2 * n, da, 3 * n, U, 3 * n, 1, ds, n);
}

static void cell_weights(int rows, const float *x, const float *da, const float *previous,
                         const float *reset, float *dU, float *dW) {
    tn(n, 2 * n, rows, previous, n, da, 3 * n, 0, dU, 3 * n);
    tn(n, n, rows, reset, n, da + 2 * n, 3 * n, 0, dU + 2 * n, 3 * n);
    tn(m, 3 * n, rows, x, m, da, 3 * n, 0, dW, 3 * n);
}

static void encode_one_way(const weights *w, pass *r, int way) {
    const side *in = &r->in;
    nn(in->words, 3 * n, m, r->x[0], m, w->W[way], 3 * n, 0, r->gates[way], 3 * n);
    clear(r->state, (size_t)in->sentences * n);
    for (int i = 0; i < in->steps; i++) {
        const int t = way ? in->steps - 1 - i : i, rows = in->active[t];
        const size_t at = (size_t)in->start[t] * n;
        copy(r->previous[way] + at, r->state, rows * n);
        cell(rows, w->U[way], r->gates[way] + 3 * at, r->previous[way] + at, r->reset[way] + at,
             r->state);
        for (int b = 0; b < rows; b++)
            copy(r->H + ((size_t)in->first[b] + t) * 2 * n + way * n, r->state + (size_t)b * n, n);
    }
    if (way) copy(r->back, r->state, in->sentences * n);
}

/* dstate holds what comes from behind the last step of this way. */
static void encode_one_way_back(const weights *w, pass *r, int way, weights *g) {
    const side *in = &r->in;
    for (int i = 0; i < in->steps; i++) {
        const int t = way ? i : in->steps - 1 - i, rows = in->active[t];
        const size_t at = (size_t)in->start[t] * n;
        for (int b = 0; b < rows; b++) {
            const float *dh = r->dH + ((size_t)in->first[b] + t) * 2 * n + way * n;
            for (int k = 0; k < n; k++) r->dstate[(size_t)b * n + k] += dh[k];
        }
        cell_back(rows, w->U[way], r->gates[way] + 3 * at, r->previous[way] + at, r->dstate,
                  r->dgates + 3 * at, r->dreset);
    }
    cell_weights(in->words, r->x[0], r->dgates, r->previous[way], r->reset[way], g->U[way],
                 g->W[way]);
    nt(in->words, m, 3 * n, r->dgates, 3 * n, w->W[way], 3 * n, 0, r->dx, m);
    scatter(r->dx, in->ids, in->words, g->Es);
}

/* Attention of one row: q over the S keys and annotations of its sentence. */
static void attend(const float *va, const float *q, const float *keys, const float *H, int S,
                   float *restrict alpha, float *restrict c) {
    const float scale = 1 / sqrtf((float)p);
    float sum = 0;
    for (int j = 0; j < S; j++) {
        const float *k = keys + (size_t)j * p;
        float e = 0;
        if (dot)
            for (int i = 0; i < p; i++) e += q[i] * k[i] * scale;
        else
            for (int i = 0; i < p; i++) e += va[i] * tanh_of(q[i] + k[i]);
        alpha[j] = exp_of(e);
        sum += alpha[j];
    }
    clear(c, 2 * (size_t)n);
    for (int j = 0; j < S; j++) {
        const float a = alpha[j] /= sum, *h = H + (size_t)j * 2 * n;
        for (int i = 0; i < 2 * n; i++) c[i] += a * h[i];
    }
}

static void attend_back(const float *va, const float *q, const float *keys, const float *H, int S,
                        const float *alpha, const float *dc, float *restrict dq, float *dkeys,
                        float *dH, float *restrict dva) {
    const float scale = 1 / sqrtf((float)p);
    float dalpha[1024], mean = 0;
    for (int j = 0; j < S; j++) {
        const float *h = H + (size_t)j * 2 * n;
        float *restrict dh = dH + (size_t)j * 2 * n, d = 0;
        for (int i = 0; i < 2 * n; i++) {
            d += dc[i] * h[i];
            dh[i] += alpha[j] * dc[i];
        }
        dalpha[j] = d;
        mean += alpha[j] * d;
    }
    clear(dq, (size_t)p);
    for (int j = 0; j < S; j++) {
        const float de = alpha[j] * (dalpha[j] - mean), *k = keys + (size_t)j * p;
        float *restrict dk = dkeys + (size_t)j * p;
        if (dot)
            for (int i = 0; i < p; i++) dq[i] += de * scale * k[i], dk[i] += de * scale * q[i];
        else
            for (int i = 0; i < p; i++) {
                const float th = tanh_of(q[i] + k[i]), d = de * va[i] * (1 - th * th);
                dva[i] += de * th, dq[i] += d, dk[i] += d;
            }
    }
}

static void decode(const weights *w, pass *r) {
    const side *in = &r->in, *out = &r->out;
    nn(out->words, 3 * n, m, r->x[1], m, w->Wd, 3 * n, 0, r->gates[2], 3 * n);
    for (int i = 0; i < out->sentences; i++)
        copy(r->state + (size_t)i * n, r->back + (size_t)r->source_of[i] * n, n);
    nn(out->sentences, n, n, r->state, n, w->Ws, n, 0, r->s0, n);
    for (int i = 0; i < out->sentences * n; i++) r->state[i] = r->s0[i] = tanh_of(r->s0[i]);
    for (int t = 0; t < out->steps; t++) {
        const int rows = out->active[t];
        const size_t at = (size_t)out->start[t];
        float *previous = r->previous[2] + at * n;
        copy(previous, r->state, rows * n);
        nn(rows, p, n, previous, n, w->Wa, p, 0, r->q + at * p, p);
        for (int i = 0; i < rows; i++) {
            const size_t first = (size_t)in->first[r->source_of[i]];
            attend(w->va, r->q + (at + i) * p, r->keys + first * p, r->H + first * 2 * n,
                   in->len[r->source_of[i]], r->alpha + (at + i) * in->steps,
                   r->c + (at + i) * 2 * n);
        }
        nn(rows, 3 * n, 2 * n, r->c + at * 2 * n, 2 * n, w->C, 3 * n, 1, r->gates[2] + at * 3 * n,
           3 * n);
        cell(rows, w->Ud, r->gates[2] + at * 3 * n, previous, r->reset[2] + at * n, r->state);
    }
}

/* From dprevious and dc, the read-out's; returns with dH, dkeys and, in dstate, the way to s_0. */
static void decode_back(const weights *w, pass *r, weights *g) {
    const side *in = &r->in, *out = &r->out;
    clear(r->dstate, (size_t)out->sentences * n);
    for (int t = out->steps - 1; t >= 0; t--) {
        const int rows = out->active[t];
        const size_t at = (size_t)out->start[t];
        float *dgates = r->dgates + at * 3 * n, *dc = r->dc + at * 2 * n;
        cell_back(rows, w->Ud, r->gates[2] + at * 3 * n, r->previous[2] + at * n, r->dstate, dgates,
                  r->dreset);
        nt(rows, 2 * n, 3 * n, dgates, 3 * n, w->C, 3 * n, 1, dc, 2 * n);
        for (int i = rows - 1; i >= 0; i--) {
            const size_t first = (size_t)in->first[r->source_of[i]];
            attend_back(w->va, r->q + (at + i) * p, r->keys + first * p, r->H + first * 2 * n,
                        in->len[r->source_of[i]], r->alpha + (at + i) * in->steps,
                        dc + (size_t)i * 2 * n, r->dq + (at + i) * p, r->dkeys + first * p,
                        r->dH + first * 2 * n, g->va);
        }
        nt(rows, n, p, r->dq + at * p, p, w->Wa, p, 1, r->dstate, n);
        for (size_t i = 0; i < (size_t)rows * n; i++) r->dstate[i] += r->dprevious[at * n + i];
    }
    cell_weights(out->words, r->x[1], r->dgates, r->previous[2], r->reset[2], g->Ud, g->Wd);
    tn(n, p, out->words, r->previous[2], n, r->dq, p, 0, g->Wa, p);
    tn(2 * n, 3 * n, out->words, r->c, 2 * n, r->dgates, 3 * n, 0, g->C, 3 * n);
    nt(out->words, m, 3 * n, r->dgates, 3 * n, w->Wd, 3 * n, 1, r->dx, m);
}

/* s_0 = tanh(W_s back_1): from dstate, in the target's order, to dstate in the source's. */
static void start_back(const weights *w, pass *r, weights *g) {
    const int count = r->out.sentences;
    float *from = r->dreset, *through = r->state; /* free by now */
    for (int i = 0; i < count * n; i++) r->dstate[i] *= 1 - r->s0[i] * r->s0[i];
    for (int i = 0; i < count; i++)
        copy(from + (size_t)i * n, r->back + (size_t)r->source_of[i] * n, n);
    tn(n, n, count, from, n, r->dstate, n, 0, g->Ws, n);
    nt(count, n, n, r->dstate, n, w->Ws, n, 0, through, n);
    for (int i = 0; i < count; i++)
        copy(r->dstate + (size_t)r->source_of[i] * n, through + (size_t)i * n, n);
}

/* Softmax of a row in place, then the derivative by the logits; returns - log p. */
static float row_loss(float *y, int right, float scale) {
    const int K = vocabulary[1];
    float most = y[0], sum = 0;
    for (int k = 1; k < K; k++) most = y[k] > most ? y[k] : most;
    const float wanted = y[right] - most;
    for (int k = 0; k < K; k++) sum += y[k] = exp_of(y[k] - most);
    const float share = scale / sum;
    for (int k = 0; k < K; k++) y[k] *= share;
    y[right] -= scale;
    return logf(sum) - wanted;
}

static void read_out(const weights *w, pass *r, weights *g) {
    const int rows = r->out.words, K = vocabulary[1];
    float *out = matrix(rows, 2 * l), *dout = matrix(rows, 2 * l), *logits = matrix(BLOCK, K);
    float *s = matrix(rows, l), *ds = matrix(rows, l);
    nn(rows, 2 * l, n, r->previous[2], n, w->Uo, 2 * l, 0, out, 2 * l);
    nn(rows, 2 * l, m, r->x[1], m, w->Vo, 2 * l, 1, out, 2 * l);
    nn(rows, 2 * l, 2 * n, r->c, 2 * n, w->Co, 2 * l, 1, out, 2 * l);
    for (size_t i = 0; i < (size_t)rows * l; i++)
        s[i] = out[2 * i] > out[2 * i + 1] ? out[2 * i] : out[2 * i + 1];
    r->loss = 0;
    for (int i = 0; i < rows; i += BLOCK) {
        const int part = rows - i < BLOCK ? rows - i : BLOCK;
        nn(part, K, l, s + (size_t)i * l, l, w->Wo, K, 0, logits, K);
        for (int k = 0; k < part; k++)
            r->loss += row_loss(logits + (size_t)k * K, r->out.ids[i + k], r->scale);
        tn(l, K, part, s + (size_t)i * l, l, logits, K, i > 0, g->Wo, K);
        nt(part, l, K, logits, K, w->Wo, K, 0, ds + (size_t)i * l, l);
    }
    for (size_t i = 0; i < (size_t)rows * l; i++) {
        const int second = !(out[2 * i] > out[2 * i + 1]);
        dout[2 * i + second] = ds[i];
        dout[2 * i + !second] = 0;
    }
    tn(n, 2 * l, rows, r->previous[2], n, dout, 2 * l, 0, g->Uo, 2 * l);
    tn(m, 2 * l, rows, r->x[1], m, dout, 2 * l, 0, g->Vo, 2 * l);
    tn(2 * n, 2 * l, rows, r->c, 2 * n, dout, 2 * l, 0, g->Co, 2 * l);
    nt(rows, n, 2 * l, dout, 2 * l, w->Uo, 2 * l, 0, r->dprevious, n);
    nt(rows, m, 2 * l, dout, 2 * l, w->Vo, 2 * l, 0, r->dx, m);
    nt(rows, 2 * n, 2 * l, dout, 2 * l, w->Co, 2 * l, 0, r->dc, 2 * n);
}

static side side_of(const pair *pairs, int count, int which) {
    side s = {count, 0, 0, take(count), take(count), NULL, NULL, take(count), NULL};
    for (int i = 0; i < count; i++) { /* by insertion: a stable order */
        int at = i;
        for (; at > 0 && pairs[s.order[at - 1]].len[which] < pairs[i].len[which]; at--)
            s.order[at] = s.order[at - 1];
        s.order[at] = i;
    }
    for (int i = 0; i < count; i++) {
        s.first[i] = s.words;
        s.words += s.len[i] = pairs[s.order[i]].len[which];
    }
    s.steps = s.len[0];
    s.active = take(s.steps), s.start = take(s.steps), s.ids = take(s.words);
    for (int t = 0, row = 0; t < s.steps; t++) {
        s.start[t] = row;
        for (s.active[t] = 0; s.active[t] < count && s.len[s.active[t]] > t; s.active[t]++)
            s.ids[row++] = pairs[s.order[s.active[t]]].ids[which][t];
    }
    return s;
}

/* The shard of a batch: every threads-th pair. */
static pass open_pass(const batch *b, int number, int threads) {
    pair *mine = take((size_t)b->count * sizeof *mine / 4);
    int count = 0, *place = take(b->count);
    for (int i = number; i < b->count; i += threads) mine[count++] = b->pairs[i];
    pass r = {.in = side_of(mine, count, 0), .out = side_of(mine, count, 1)};
    const int S = r.in.words, T = r.out.words, most = S > T ? S : T;
    r.source_of = take(count), r.inputs = take(T), r.scale = 1 / (float)b->count;
    for (int i = 0; i < count; i++) place[r.in.order[i]] = i;
    for (int i = 0; i < count; i++) r.source_of[i] = place[r.out.order[i]];
    for (int t = 0, row = 0; t < r.out.steps; t++)
        for (int i = 0; i < r.out.active[t]; i++)
            r.inputs[row++] = t ? r.out.ids[r.out.start[t - 1] + i] : START;
    for (int i = 0; i < 3; i++) {
        const int rows = i < 2 ? S : T;
        r.gates[i] = matrix(rows, 3 * n);
        r.previous[i] = matrix(rows, n), r.reset[i] = matrix(rows, n);
    }
    r.dgates = matrix(most, 3 * n), r.dx = matrix(most, m), r.dprevious = matrix(T, n);
    r.H = matrix(S, 2 * n), r.dH = matrix(S, 2 * n), r.keys = matrix(S, p), r.dkeys = matrix(S, p);
    r.back = matrix(count, n), r.s0 = matrix(count, n), r.state = matrix(count, n);
    r.dstate = matrix(count, n), r.dreset = matrix(count, n);
    r.c = matrix(T, 2 * n), r.dc = matrix(T, 2 * n), r.q = matrix(T, p), r.dq = matrix(T, p);
    r.alpha = matrix(T, r.in.steps);
    return r;
}

/* Forward and backward; g receives the gradients. */
static void run_pass(const weights *w, pass *r, weights *g) {
    r->x[0] = gather(w->Es, r->in.ids, r->in.words);
    r->x[1] = gather(w->Et, r->inputs, r->out.words);
    for (int way = 0; way < 2; way++) encode_one_way(w, r, way);
    nn(r->in.words, p, 2 * n, r->H, 2 * n, w->Ua, p, 0, r->keys, p);
    decode(w, r);
    read_out(w, r, g);
    clear(g->Es, (size_t)vocabulary[0] * m);
    clear(g->Et, (size_t)vocabulary[1] * m);
    clear(g->va, (size_t)p);
    clear(r->dH, (size_t)r->in.words * 2 * n);
    clear(r->dkeys, (size_t)r->in.words * p);
    decode_back(w, r, g);
    scatter(r->dx, r->inputs, r->out.words, g->Et);
    start_back(w, r, g);
    tn(2 * n, p, r->in.words, r->H, 2 * n, r->dkeys, p, 0, g->Ua, p);
    nt(r->in.words, 2 * n, p, r->dkeys, p, w->Ua, p, 1, r->dH, 2 * n);
    encode_one_way_back(w, r, 1, g); /* dstate: what s_0 asks of the backward layer */
    clear(r->dstate, (size_t)r->in.sentences * n);
    encode_one_way_back(w, r, 0, g);
}

typedef struct worker {
    int number, words;
    float *gradients;
    double loss, squares;
} worker;
static worker workers[MOST_THREADS];
static int threads;
static pthread_barrier_t all_there;
static weights w;
static size_t size;                    /* of all weights */
static float *values, *first, *second; /* of Adam */
static batch *batches;
static int batch_count, warm; /* batches that are not timed */
static double begin, timed_words, flop, first_loss, last_loss;

/* Points into a buffer and returns how many numbers it takes. */
static size_t weights_point(float *buffer, weights *to) {
    const int sizes[WEIGHTS][2] = {
        {vocabulary[0], m}, {vocabulary[1], m}, {m, 3 * n},     {m, 3 * n}, {n, 3 * n},
        {n, 3 * n},         {2 * n, p},         {n, p},         {1, p},     {n, n},
        {m, 3 * n},         {n, 3 * n},         {2 * n, 3 * n}, {n, 2 * l}, {m, 2 * l},
        {2 * n, 2 * l},     {l, vocabulary[1]},
    };
    size_t at = 0;
    for (int i = 0; i < WEIGHTS; i++) {
        to->each[i] = buffer + at;
        at += ((size_t)sizes[i][0] * sizes[i][1] + 15) / 16 * 16;
    }
    return at;
}

static void adam(size_t from, size_t to, const float *gradients, float scale, float rate) {
    for (size_t i = from; i < to; i++) {
        const float g = gradients[i] * scale;
        first[i] += 0.1f * (g - first[i]);
        second[i] += 0.001f * (g * g - second[i]);
        values[i] -= rate * first[i] / (sqrtf(second[i]) + 1e-8f);
    }
}

/* Operations of a batch's matrix products, forward and backward: 2 and 4 for each multiply-add. */
static double operations(const batch *b) {
    const double source = 2 * 3. * n * (m + n) + 2. * n * p;
    const double target = 3. * n * (m + n + 2 * n) + (double)n * p + 2. * l * (n + m + 2 * n) +
                          (double)l * vocabulary[1];
    double sum = 0;
    for (int i = 0; i < b->count; i++) {
        const double S = b->pairs[i].len[0], T = b->pairs[i].len[1];
        sum += S * source + T * target + S * T * (p + 2 * n) + (double)n * n;
    }
    return 6 * sum;
}

/* By one worker, while the others wait. */
static void note_loss(const batch *b, int step) {
    double loss = 0, words = 0;
    for (int k = 0; k < threads; k++) loss += workers[k].loss, words += workers[k].words;
    last_loss = loss / words;
    if (step == 1) first_loss = last_loss;
    if (step > warm) timed_words += words, flop += operations(b);
    if (step == warm) begin = now();
}

/* A worker's part of all updates: its shard, then its share of the sum and of the weights. */
static void *work(void *context) {
    worker *at = context;
    const size_t from = size * (size_t)at->number / (size_t)threads;
    const size_t to = size * (size_t)(at->number + 1) / (size_t)threads;
    float *sum = workers[0].gradients;
    weights g;
    weights_point(at->gradients, &g);
    arena = mmap(NULL, MOST_MEMORY, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) exit(7);
    for (int step = 1; step <= batch_count; step++) {
        taken = 0;
        pass r = open_pass(&batches[step - 1], at->number, threads);
        run_pass(&w, &r, &g);
        at->loss = r.loss, at->words = r.out.words;
        pthread_barrier_wait(&all_there);
        for (int k = 1; k < threads; k++)
            for (size_t i = from; i < to; i++) sum[i] += workers[k].gradients[i];
        double squares = 0;
        for (size_t i = from; i < to; i++) squares += sum[i] * sum[i];
        at->squares = squares;
        pthread_barrier_wait(&all_there);
        squares = 0;
        for (int k = 0; k < threads; k++) squares += workers[k].squares;
        if (at == workers) note_loss(&batches[step - 1], step);
        adam(from, to, sum, squares > 1 ? (float)(1 / sqrt(squares)) : 1,
             (float)(0.002 * sqrt(1 - pow(0.999, step)) / (1 - pow(0.9, step))));
        pthread_barrier_wait(&all_there);
    }
    return NULL;
}

static int number(void) {
    int found;
    if (scanf("%d", &found) == 1) return found;
    fprintf(stderr, "floor: the batches end too early\n");
    exit(3);
}

static void read_batches(const char *path) {
    if (!freopen(path, "r", stdin)) {
        perror(path);
        exit(4);
    }
    for (int which = 0; which < 2; which++) vocabulary[which] = number();
    batch_count = number();
    batches = calloc((size_t)batch_count, sizeof *batches);
    for (batch *to = batches; to < batches + batch_count; to++) {
        to->count = number();
        to->pairs = calloc((size_t)to->count, sizeof *to->pairs);
        for (pair *each = to->pairs; each < to->pairs + to->count; each++) {
            for (int which = 0; which < 2; which++) each->len[which] = number();
            for (int which = 0; which < 2; which++) {
                each->ids[which] = calloc((size_t)each->len[which], sizeof(int));
                for (int t = 0; t < each->len[which]; t++) each->ids[which][t] = number();
            }
        }
    }
}

int main(int count, char **arguments) {
    if (count != 9 || (threads = atoi(arguments[3])) < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "floor: expected BATCHES WARM THREADS additive|dot m n n' l\n");
        return 2;
    }
    warm = atoi(arguments[2]);
    dot = arguments[4][0] == 'd';
    int *sizes[] = {&m, &n, &p, &l};
    for (int i = 0; i < 4; i++) *sizes[i] = atoi(arguments[5 + i]);
    read_batches(arguments[1]);
    openblas_set_num_threads(1);
    pthread_barrier_init(&all_there, NULL, (unsigned)threads);
    size = weights_point(NULL, &w);
    values = calloc(3 * size, sizeof *values), first = values + size, second = first + size;
    weights_point(values, &w);
    unsigned long state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = 0.1f * ((float)(state >> 40 & 0xffff) / 65536 - 0.5f);
    }
    for (int i = 0; i < threads; i++)
        workers[i] = (worker){.number = i, .gradients = calloc(size, sizeof *values)};
    /* One thread of the process is a worker itself. */
    pthread_t others[MOST_THREADS];
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, work, &workers[i]) != 0) return 1;
    begin = now();
    work(&workers[0]);
    printf("%.0f %.5f %.0f %.4f %.4f\n", timed_words, now() - begin, flop, first_loss, last_loss);
    return 0;
}
