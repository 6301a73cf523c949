/* The arithmetic of floor.h: s, h, c, e, alpha as in the paper, d in front for the derivative. */
#include "floor.h"

#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Helpers --------------------------------------------------------------------------------- */

/* C = A B + beta C, every matrix with its leading dimension; nt: B transposed; tn: A transposed. */
static void nn(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float beta,
               float *c, int ldc) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, lda, b, ldb, beta, c,
                ldc);
}
static void nt(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float beta,
               float *c, int ldc) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, lda, b, ldb, beta, c, ldc);
}
static void tn(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float beta,
               float *c, int ldc) {
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1, a, lda, b, ldb, beta, c, ldc);
}

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
static inline float sigmoid_of(float x) {
    return 1 / (1 + exp_of(-x));
}
static inline float tanh_of(float x) {
    return 1 - 2 / (1 + exp_of(2 * x));
}

static void gather(const float *E, int m, const int *ids, int rows, float *x) {
    for (int i = 0; i < rows; i++)
        memcpy(x + (size_t)i * m, E + (size_t)ids[i] * m, (size_t)m * sizeof *x);
}
static void scatter(const float *dx, int m, const int *ids, int rows, float *dE) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < m; k++) dE[(size_t)ids[i] * m + k] += dx[(size_t)i * m + k];
}

/* ---- The cell: s = (1 - z) . s' + z . tanh(a + U [r . s']) ------------------------------------
 */

static void cell(int rows, int n, const float *U, float *gates, const float *previous, float *reset,
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
static void cell_back(int rows, int n, const float *U, const float *gates, const float *previous,
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

static void cell_weights(int rows, int n, const float *da, const float *previous,
                         const float *reset, float *dU) {
    tn(n, 2 * n, rows, previous, n, da, 3 * n, 0, dU, 3 * n);
    tn(n, n, rows, reset, n, da + 2 * n, 3 * n, 0, dU + 2 * n, 3 * n);
}

/* ---- The encoder ----------------------------------------------------------------------------- */

static void encode_one_way(const sizes *s, const weights *w, const side *in, workspace *r,
                           int way) {
    const int n = s->n;
    nn(in->words, 3 * n, s->m, r->x[0], s->m, w->W[way], 3 * n, 0, r->gates[way], 3 * n);
    memset(r->state, 0, (size_t)in->sentences * n * sizeof(float));
    for (int i = 0; i < in->steps; i++) {
        const int t = way ? in->steps - 1 - i : i, rows = in->active[t];
        const size_t at = (size_t)in->start[t] * n;
        memcpy(r->previous[way] + at, r->state, (size_t)rows * n * sizeof(float));
        cell(rows, n, w->U[way], r->gates[way] + 3 * at, r->previous[way] + at, r->reset[way] + at,
             r->state);
        for (int b = 0; b < rows; b++)
            memcpy(r->H + ((size_t)in->first[b] + t) * 2 * n + way * n, r->state + (size_t)b * n,
                   (size_t)n * sizeof(float));
    }
    if (way) memcpy(r->back, r->state, (size_t)in->sentences * n * sizeof(float));
}

/* dstate holds what comes from behind the last step of this way. */
static void encode_one_way_back(const sizes *s, const weights *w, const side *in, workspace *r,
                                int way, weights *g) {
    const int n = s->n, m = s->m;
    for (int i = 0; i < in->steps; i++) {
        const int t = way ? i : in->steps - 1 - i, rows = in->active[t];
        const size_t at = (size_t)in->start[t] * n;
        for (int b = 0; b < rows; b++) {
            const float *dh = r->dH + ((size_t)in->first[b] + t) * 2 * n + way * n;
            for (int k = 0; k < n; k++) r->dstate[(size_t)b * n + k] += dh[k];
        }
        cell_back(rows, n, w->U[way], r->gates[way] + 3 * at, r->previous[way] + at, r->dstate,
                  r->dgates + 3 * at, r->dreset);
    }
    cell_weights(in->words, n, r->dgates, r->previous[way], r->reset[way], g->U[way]);
    tn(m, 3 * n, in->words, r->x[0], m, r->dgates, 3 * n, 0, g->W[way], 3 * n);
    nt(in->words, m, 3 * n, r->dgates, 3 * n, w->W[way], 3 * n, 0, r->dx, m);
    scatter(r->dx, m, in->ids, in->words, g->Es);
}

/* ---- Attention of one row: q over the S keys and annotations of its sentence -------------------
 */

static void attend(const sizes *s, const float *va, const float *q, const float *keys,
                   const float *H, int S, float *restrict alpha, float *restrict c) {
    const int p = s->p, n2 = 2 * s->n;
    const float scale = 1 / sqrtf((float)p);
    float sum = 0;
    for (int j = 0; j < S; j++) {
        const float *k = keys + (size_t)j * p;
        float e = 0;
        if (s->dot)
            for (int i = 0; i < p; i++) e += q[i] * k[i] * scale;
        else
            for (int i = 0; i < p; i++) e += va[i] * tanh_of(q[i] + k[i]);
        alpha[j] = exp_of(e);
        sum += alpha[j];
    }
    memset(c, 0, (size_t)n2 * sizeof *c);
    for (int j = 0; j < S; j++) {
        const float a = alpha[j] /= sum, *h = H + (size_t)j * n2;
        for (int i = 0; i < n2; i++) c[i] += a * h[i];
    }
}

static void attend_back(const sizes *s, const weights *w, const float *q, const float *keys,
                        const float *H, int S, const float *alpha, const float *dc,
                        float *restrict dq, float *dkeys, float *dH, float *restrict dva) {
    const int p = s->p, n2 = 2 * s->n;
    const float scale = 1 / sqrtf((float)p);
    float dalpha[1024], mean = 0;
    for (int j = 0; j < S; j++) {
        const float *h = H + (size_t)j * n2;
        float *restrict dh = dH + (size_t)j * n2, d = 0;
        for (int i = 0; i < n2; i++) {
            d += dc[i] * h[i];
            dh[i] += alpha[j] * dc[i];
        }
        dalpha[j] = d;
        mean += alpha[j] * d;
    }
    memset(dq, 0, (size_t)p * sizeof *dq);
    for (int j = 0; j < S; j++) {
        const float de = alpha[j] * (dalpha[j] - mean), *k = keys + (size_t)j * p;
        float *restrict dk = dkeys + (size_t)j * p;
        if (s->dot)
            for (int i = 0; i < p; i++) dq[i] += de * scale * k[i], dk[i] += de * scale * q[i];
        else
            for (int i = 0; i < p; i++) {
                const float th = tanh_of(q[i] + k[i]), d = de * w->va[i] * (1 - th * th);
                dva[i] += de * th, dq[i] += d, dk[i] += d;
            }
    }
}

/* ---- The decoder ----------------------------------------------------------------------------- */

/* alpha: a row's weights, one row after the other. */
static void decode(const sizes *s, const weights *w, const shard *b, workspace *r) {
    const side *in = &b->source, *out = &b->target;
    const int n = s->n, p = s->p;
    float *alpha = r->alpha;
    nn(out->words, 3 * n, s->m, r->x[1], s->m, w->Wd, 3 * n, 0, r->gates[2], 3 * n);
    for (int i = 0; i < out->sentences; i++)
        memcpy(r->state + (size_t)i * n, r->back + (size_t)b->source_of[i] * n,
               (size_t)n * sizeof(float));
    nn(out->sentences, n, n, r->state, n, w->Ws, n, 0, r->s0, n);
    for (int i = 0; i < out->sentences * n; i++) r->state[i] = r->s0[i] = tanh_of(r->s0[i]);

    for (int t = 0; t < out->steps; t++) {
        const int rows = out->active[t];
        const size_t at = (size_t)out->start[t];
        float *previous = r->previous[2] + at * n;
        memcpy(previous, r->state, (size_t)rows * n * sizeof(float));
        nn(rows, p, n, previous, n, w->Wa, p, 0, r->q + at * p, p);
        for (int i = 0; i < rows; i++) {
            const int source = b->source_of[i], S = in->len[source];
            const size_t first = (size_t)in->first[source];
            attend(s, w->va, r->q + (at + i) * p, r->keys + first * p, r->H + first * 2 * n, S,
                   alpha, r->c + (at + i) * 2 * n);
            alpha += S;
        }
        nn(rows, 3 * n, 2 * n, r->c + at * 2 * n, 2 * n, w->C, 3 * n, 1, r->gates[2] + at * 3 * n,
           3 * n);
        cell(rows, n, w->Ud, r->gates[2] + at * 3 * n, previous, r->reset[2] + at * n, r->state);
    }
}

/* From dprevious and dc, the read-out's; returns with dH, dkeys and, in dstate, the way to s_0. */
static void decode_back(const sizes *s, const weights *w, const shard *b, workspace *r,
                        weights *g) {
    const side *in = &b->source, *out = &b->target;
    const int n = s->n, p = s->p, rows_all = out->words;
    const float *alpha = r->alpha;
    for (int t = 0; t < out->steps; t++)
        for (int i = 0; i < out->active[t]; i++) alpha += in->len[b->source_of[i]];
    memset(r->dstate, 0, (size_t)out->sentences * n * sizeof(float));
    for (int t = out->steps - 1; t >= 0; t--) {
        const int rows = out->active[t];
        const size_t at = (size_t)out->start[t];
        float *dgates = r->dgates + at * 3 * n, *dc = r->dc + at * 2 * n;
        cell_back(rows, n, w->Ud, r->gates[2] + at * 3 * n, r->previous[2] + at * n, r->dstate,
                  dgates, r->dreset);
        nt(rows, 2 * n, 3 * n, dgates, 3 * n, w->C, 3 * n, 1, dc, 2 * n);
        for (int i = rows - 1; i >= 0; i--) {
            const int source = b->source_of[i], S = in->len[source];
            const size_t first = (size_t)in->first[source];
            alpha -= S;
            attend_back(s, w, r->q + (at + i) * p, r->keys + first * p, r->H + first * 2 * n, S,
                        alpha, dc + (size_t)i * 2 * n, r->dq + (at + i) * p, r->dkeys + first * p,
                        r->dH + first * 2 * n, g->va);
        }
        nt(rows, n, p, r->dq + at * p, p, w->Wa, p, 1, r->dstate, n);
        for (size_t i = 0; i < (size_t)rows * n; i++) r->dstate[i] += r->dprevious[at * n + i];
    }
    cell_weights(rows_all, n, r->dgates, r->previous[2], r->reset[2], g->Ud);
    tn(n, p, rows_all, r->previous[2], n, r->dq, p, 0, g->Wa, p);
    tn(2 * n, 3 * n, rows_all, r->c, 2 * n, r->dgates, 3 * n, 0, g->C, 3 * n);
    tn(s->m, 3 * n, rows_all, r->x[1], s->m, r->dgates, 3 * n, 0, g->Wd, 3 * n);
    nt(rows_all, s->m, 3 * n, r->dgates, 3 * n, w->Wd, 3 * n, 1, r->dx, s->m);
}

/* s_0 = tanh(W_s back_1): from dstate, in the target's order, to dstate in the source's. */
static void start_back(const sizes *s, const weights *w, const shard *b, workspace *r, weights *g) {
    const int n = s->n, count = b->target.sentences;
    float *from = r->dreset, *through = r->state;
    for (int i = 0; i < count * n; i++) r->dstate[i] *= 1 - r->s0[i] * r->s0[i];
    for (int i = 0; i < count; i++)
        memcpy(from + (size_t)i * n, r->back + (size_t)b->source_of[i] * n,
               (size_t)n * sizeof *from);
    tn(n, n, count, from, n, r->dstate, n, 0, g->Ws, n);
    nt(count, n, n, r->dstate, n, w->Ws, n, 0, through, n);
    for (int i = 0; i < count; i++)
        memcpy(r->dstate + (size_t)b->source_of[i] * n, through + (size_t)i * n,
               (size_t)n * sizeof *through);
}

/* ---- Read-out and loss, both ways ------------------------------------------------------------ */

/* Softmax of a row in place, then the derivative by the logits; returns - log p. */
static float row_loss(float *y, int words, int right, float scale) {
    float most = y[0], sum = 0;
    for (int k = 1; k < words; k++) most = y[k] > most ? y[k] : most;
    const float wanted = y[right] - most;
    for (int k = 0; k < words; k++) sum += y[k] = exp_of(y[k] - most);
    const float share = scale / sum;
    for (int k = 0; k < words; k++) y[k] *= share;
    y[right] -= scale;
    return logf(sum) - wanted;
}

static void read_out(const sizes *s, const weights *w, shard *b, workspace *r, weights *g) {
    const side *out = &b->target;
    const int rows = out->words, n = s->n, m = s->m, l = s->l, K = s->target;
    nn(rows, 2 * l, n, r->previous[2], n, w->Uo, 2 * l, 0, r->out, 2 * l);
    nn(rows, 2 * l, m, r->x[1], m, w->Vo, 2 * l, 1, r->out, 2 * l);
    nn(rows, 2 * l, 2 * n, r->c, 2 * n, w->Co, 2 * l, 1, r->out, 2 * l);
    for (size_t i = 0; i < (size_t)rows * l; i++)
        r->t[i] = r->out[2 * i] > r->out[2 * i + 1] ? r->out[2 * i] : r->out[2 * i + 1];
    b->loss = 0;
    for (int i = 0; i < rows; i += BLOCK) {
        const int part = rows - i < BLOCK ? rows - i : BLOCK;
        nn(part, K, l, r->t + (size_t)i * l, l, w->Wo, K, 0, r->logits, K);
        for (int k = 0; k < part; k++)
            b->loss += row_loss(r->logits + (size_t)k * K, K, out->ids[i + k], 1 / (float)b->whole);
        tn(l, K, part, r->t + (size_t)i * l, l, r->logits, K, i > 0, g->Wo, K);
        nt(part, l, K, r->logits, K, w->Wo, K, 0, r->dt + (size_t)i * l, l);
    }
    for (size_t i = 0; i < (size_t)rows * l; i++) {
        const int second = !(r->out[2 * i] > r->out[2 * i + 1]);
        r->dout[2 * i + second] = r->dt[i];
        r->dout[2 * i + !second] = 0;
    }
    tn(n, 2 * l, rows, r->previous[2], n, r->dout, 2 * l, 0, g->Uo, 2 * l);
    tn(m, 2 * l, rows, r->x[1], m, r->dout, 2 * l, 0, g->Vo, 2 * l);
    tn(2 * n, 2 * l, rows, r->c, 2 * n, r->dout, 2 * l, 0, g->Co, 2 * l);
    nt(rows, n, 2 * l, r->dout, 2 * l, w->Uo, 2 * l, 0, r->dprevious, n);
    nt(rows, m, 2 * l, r->dout, 2 * l, w->Vo, 2 * l, 0, r->dx, m);
    nt(rows, 2 * n, 2 * l, r->dout, 2 * l, w->Co, 2 * l, 0, r->dc, 2 * n);
}

/* ---- All of it ------------------------------------------------------------------------------- */

void floor_pass(const sizes *s, const weights *w, shard *b, workspace *r, weights *g) {
    const side *in = &b->source, *out = &b->target;
    const int n2 = 2 * s->n;
    gather(w->Es, s->m, in->ids, in->words, r->x[0]);
    gather(w->Et, s->m, b->inputs, out->words, r->x[1]);
    for (int way = 0; way < 2; way++) encode_one_way(s, w, in, r, way);
    nn(in->words, s->p, n2, r->H, n2, w->Ua, s->p, 0, r->keys, s->p);
    decode(s, w, b, r);
    read_out(s, w, b, r, g);

    memset(g->Es, 0, (size_t)s->source * s->m * sizeof(float));
    memset(g->Et, 0, (size_t)s->target * s->m * sizeof(float));
    memset(g->va, 0, (size_t)s->p * sizeof(float));
    memset(r->dH, 0, (size_t)in->words * n2 * sizeof(float));
    memset(r->dkeys, 0, (size_t)in->words * s->p * sizeof(float));
    decode_back(s, w, b, r, g);
    scatter(r->dx, s->m, b->inputs, out->words, g->Et);
    start_back(s, w, b, r, g);
    tn(n2, s->p, in->words, r->H, n2, r->dkeys, s->p, 0, g->Ua, s->p);
    nt(in->words, n2, s->p, r->dkeys, s->p, w->Ua, s->p, 1, r->dH, n2);
    encode_one_way_back(s, w, in, r, 1, g); /* dstate: what s_0 asks of the backward layer */
    memset(r->dstate, 0, (size_t)in->sentences * s->n * sizeof(float));
    encode_one_way_back(s, w, in, r, 0, g);
}
