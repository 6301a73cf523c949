/* delta: a memory of one matrix for each key/value head, which every word of the source rewrites
 * (fast weights; Schlag et al. 2021). A word forgets a part D of the memory, corrects what it reads
 * at its key, and writes with strength beta; the query reads what the last word has left:
 *
 *   S_j = (I - beta_j k_j k_j') D_j S_{j-1} + beta_j k_j v_j'        o_i = S_n' q_i
 *
 *   retnet          D a constant of each head, beta = 1, no correction   (Sun et al. 2023)
 *   gla             D = sigma(W x)^(1/16) for each number of a key, the rest as retnet
 *   deltanet        D = 1, beta = sigma(w' x)
 *   gated-deltanet  D = sigma(w' x + 3) for each head, beta = sigma(w' x)
 *
 * Keys and queries are unit vectors, x / |x| of their SiLU, so that beta = 1 overwrites: what k_j
 * reads is then exactly v_j. Read back from the last word, the output is a sum of values
 *
 *   alpha_ij = beta_j k_j' x_j, x_n = q_i, x_{j-1} = D_j (x_j - beta_j k_j (k_j' x_j))
 *
 * whose weights may be negative. */
#include "attention/parts.h"
#include "tensor/vec.h"

#include <string.h>

typedef struct rule {
    bool corrects, writes; /* reads before it writes; learns how strongly */
    bool gated, wide; /* learns D: one number for each head, or for each of its keys' numbers */
    double root;      /* D = sigma(..)^root */
    double begin;     /* the biases of D */
} rule;

static const rule rules[] =
    {/* in the order of the scores */
     {.root = 1},
     {.gated = true, .wide = true, .root = 1.0 / 16},
     {.corrects = true, .writes = true, .root = 1},
     {.corrects = true, .writes = true, .gated = true, .root = 1, .begin = 3}};

typedef struct delta { /* weights, or their gradients */
    sa_weight W;       /* [(writes + decays) G x m] beta of all heads, then D of all heads */
    sa_mat b;
    const rule *rule;
} delta;

static const rule *rule_of(const sa_attention *w, int part) {
    return ((const delta *)sa_part_own(w, part))->rule;
}

/* How many numbers are a key, and D of a head. */
static int key_size(const sa_attention *w) {
    return w->key_width / w->kv_heads;
}

static int decays(const sa_attention *w, const rule *own) {
    return own->gated ? (own->wide ? key_size(w) : 1) : 0;
}

static int gate_count(const sa_attention *w, const rule *own) {
    return w->kv_heads * (own->writes + decays(w, own));
}

static int memory_width(const sa_attention *w, int part) {
    return gate_count(w, rule_of(w, part));
}

static void bind(sa_binder *binder, const char *name, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    delta *gates = own;
    gates->rule = &rules[sizes->settings.attention - SA_ATTENTION_RETNET];
    const int numbers = gate_count(w, gates->rule);
    if (!numbers) return;
    gates->W = sa_bind_matrix(binder, name, "W_d", numbers, sizes->annotation, SA_INIT_INPUT);
    gates->b = sa_bind_constant(binder, name, "b_d", numbers, gates->rule->begin);
}

/* ---- Gates of every word --------------------------------------------------------------------- */

/* The power of number n of a word's gates. */
static double root_of(const sa_attention *w, const rule *own, int n) {
    return n < own->writes * w->kv_heads ? 1 : own->root;
}

static void memory_forward(const sa_attention *w, int part, sa_memory *memory) {
    const delta *own = sa_part_own(w, part);
    const sa_mat y = memory->part[part];
    if (!y.cols) return;
    sa_linear_forward(own->W, own->b, memory->annotations, y);
    for (int j = 0; j < y.rows; j++)
        for (int n = 0; n < y.cols; n++)
            sa_row(y, j)[n] =
                (sa_real)exp(root_of(w, own->rule, n) * sa_log_sigmoid((double)sa_row(y, j)[n]));
}

/* y = sigma(u)^root: du = root y (1 - sigma(u)) dy */
static void memory_backward(const sa_attention *w, int part, const sa_memory *memory, sa_memory *d,
                            sa_attention *dw) {
    const delta *own = sa_part_own(w, part), *down = sa_part_own(dw, part);
    const sa_mat y = memory->part[part], du = d->part[part];
    if (!y.cols) return;
    for (int j = 0; j < y.rows; j++)
        for (int n = 0; n < y.cols; n++) {
            const double value = (double)sa_row(y, j)[n], root = root_of(w, own->rule, n);
            sa_row(du, j)[n] *= (sa_real)(root * value * (1 - pow(value, 1 / root)));
        }
    sa_linear_backward(own->W, memory->annotations, du, d->annotations, down->W, down->b);
}

/* beta and D of a word for key/value head g: a pointer into its gates, or to what is constant. */
typedef struct word {
    const sa_real *beta, *D;
    int step; /* from one number of D to the next */
} word;

static word word_of(const sa_attention *w, const rule *own, const sa_real *gates, int g,
                    sa_real constants[2]) {
    const int some = decays(w, own), first = own->writes * w->kv_heads + g * some;
    constants[0] = 1;
    constants[1] = own->writes ? 1 : 1 - (sa_real)exp2(-5 - g); /* retnet's */
    return (word){own->writes ? gates + g : &constants[0], some ? gates + first : &constants[1],
                  some > 1};
}

/* ---- Unit vectors ---------------------------------------------------------------------------- */

/* y = s / |s|, s = x sigma(x); returns |s|. They may be one. */
static sa_real unit_forward(const sa_real *x, int size, sa_real *y) {
    sa_real sum = (sa_real)1e-6;
    for (int l = 0; l < size; l++) {
        y[l] = x[l] * sa_sigma(x[l]);
        sum += y[l] * y[l];
    }
    const sa_real norm = sa_sqrt(sum);
    for (int l = 0; l < size; l++) y[l] /= norm;
    return norm;
}

/* In place: dy becomes dx. ds = (dy - y (y' dy)) / |s| */
static void unit_backward(const sa_real *x, int size, sa_real *y, sa_real *dy) {
    const sa_real norm = unit_forward(x, size, y), along = sa_dot(y, dy, size);
    for (int l = 0; l < size; l++) {
        const sa_real open = sa_sigma(x[l]);
        dy[l] = (dy[l] - y[l] * along) / norm * (open + x[l] * open * (1 - open));
    }
}

static void keys_forward(const sa_attention *w, int part, sa_head *at) {
    const sa_mat k = sa_own_keys(at);
    for (int j = 0; j < k.rows; j++) unit_forward(sa_row(k, j), k.cols, sa_row(k, j));
}

static void keys_backward(const sa_attention *w, int part, sa_head *at, sa_head *d) {
    const int first = at->memory->first[at->sentence], S = at->k.rows, G = w->kv_heads;
    const sa_mat k = sa_head_part(sa_rows(at->memory->keys, first, S), G, at->head * G / w->heads);
    for (int j = 0; j < S; j++)
        unit_backward(sa_row(k, j), k.cols, sa_row(at->k, j), sa_row(d->k, j));
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* x_0 .. x_n of one query, then two vectors. */
static int scratch_width(const sa_attention *w, int part, int queries, int steps) {
    return (steps + 3) * key_size(w);
}

/* What reading back needs. */
typedef struct reading {
    const rule *rule;
    sa_mat k, gates; /* [S x d] unit vectors; [S x ..] or empty */
    sa_mat x;        /* [S + 3 x d] */
    int g;
} reading;

static reading reading_of(const sa_attention *w, int part, const sa_head *at) {
    const int d = at->k.cols, S = at->k.rows, first = at->memory->first[at->sentence];
    const sa_mat all = at->memory->part[part];
    return (reading){.rule = rule_of(w, part),
                     .k = at->k,
                     .gates = sa_rows(all, all.cols ? first : 0, all.cols ? S : 0),
                     .x = {sa_part_scratch(w, part, at).x, S + 3, d, d},
                     .g = at->head * w->kv_heads / w->heads};
}

/* Those of a word, or NULL. */
static const sa_real *gates_of(const reading *own, int key) {
    return own->gates.cols ? sa_row(own->gates, key) : NULL;
}

static sa_span span_of(const sa_head *at, int query) {
    return at->spans ? at->spans[query] : (sa_span){0, at->alpha.cols};
}

/* alpha_ij = beta_j k_j' x_j, x_{j-1} = D_j (x_j - beta_j k_j (k_j' x_j)) */
static void read_back(const sa_attention *w, const reading *own, sa_span seen, const sa_real *q,
                      sa_real *alpha) {
    const int d = own->k.cols;
    unit_forward(q, d, sa_row(own->x, seen.count));
    for (int j = seen.count; j > 0; j--) {
        const int key = seen.first + j - 1;
        const sa_real *k = sa_row(own->k, key), *x = sa_row(own->x, j);
        sa_real constants[2], *before = sa_row(own->x, j - 1);
        const word now = word_of(w, own->rule, gates_of(own, key), own->g, constants);
        alpha[key] = *now.beta * sa_dot(k, x, d);
        const sa_real corrected = own->rule->corrects ? alpha[key] : 0;
        for (int l = 0; l < d; l++) before[l] = now.D[l * now.step] * (x[l] - corrected * k[l]);
    }
}

static void scores_forward(const sa_attention *w, int part, sa_head *at) {
    const reading own = reading_of(w, part, at);
    for (int i = 0; i < at->alpha.rows; i++)
        read_back(w, &own, span_of(at, i), sa_row(at->q, i), sa_row(at->alpha, i));
}

/* The word before it has got dx_{j-1}, which becomes dx_j; g = dalpha_ij. z_j = x_j - beta_j k_j
 * (k_j' x_j). */
static void word_backward(const sa_attention *w, const reading *own, int key, const sa_real *x,
                          sa_real g, sa_real *dx, sa_mat dk, sa_real *dgates) {
    const int d = own->k.cols, some = decays(w, own->rule);
    const bool corrects = own->rule->corrects;
    const sa_real *k = sa_row(own->k, key);
    sa_real constants[2];
    const word now = word_of(w, own->rule, gates_of(own, key), own->g, constants);
    const sa_real product = sa_dot(k, x, d), corrected = corrects ? *now.beta * product : 0;
    sa_real *dD = some ? dgates + (now.D - sa_row(own->gates, key)) : NULL;
    for (int l = 0; l < d; l++) {
        if (dD) dD[l * now.step] += dx[l] * (x[l] - corrected * k[l]);
        dx[l] *= now.D[l * now.step]; /* dz */
    }
    const sa_real rest = g - (corrects ? sa_dot(k, dx, d) : 0), dproduct = *now.beta * rest;
    if (own->rule->writes) dgates[own->g] += product * rest;
    for (int l = 0; l < d; l++) {
        sa_row(dk, key)[l] += dproduct * x[l] - corrected * dx[l];
        dx[l] += dproduct * k[l];
    }
}

static void scores_backward(const sa_attention *w, int part, sa_head *at, sa_head *d) {
    const reading own = reading_of(w, part, at);
    const int S = at->k.rows, size = at->k.cols, first = at->memory->first[at->sentence];
    const sa_mat dgates = d->memory->part[part];
    sa_real *dx = sa_row(own.x, S + 1), *y = sa_row(own.x, S + 2);
    for (int i = 0; i < d->alpha.rows; i++) {
        const sa_span seen = span_of(at, i);
        const sa_real *q = sa_row(at->q, i);
        read_back(w, &own, seen, q, sa_row(at->alpha, i));
        sa_zero(sa_rows(own.x, S + 1, 1));
        for (int j = 1; j <= seen.count; j++) {
            const int key = seen.first + j - 1;
            word_backward(w, &own, key, sa_row(own.x, j), sa_row(d->alpha, i)[key], dx, d->k,
                          dgates.cols ? sa_row(dgates, first + key) : NULL);
        }
        unit_backward(q, size, y, dx);
        sa_axpy(1, dx, sa_row(d->q, i), size);
    }
}

/* ---- The memory itself ----------------------------------------------------------------------- */

static int running_width(const sa_attention *w) {
    return w->parts == 1 ? key_size(w) * w->value_width : 0;
}

/* S = D S + beta k (v - (D S)' k)', o = S' q */
static void running_step(const sa_attention *w, int part, const sa_memory *words, int t, sa_mat q,
                         sa_mat state, sa_mat o, sa_mat scratch) {
    const int H = w->heads, G = w->kv_heads, d = key_size(w), dv = w->value_width / G;
    const sa_mat gates = words->part[part];
    const rule *own = rule_of(w, part);
    for (int h = 0; h < H; h++) {
        const int g = h * G / H;
        const sa_mat S = {state.x + (ptrdiff_t)g * d * dv, d, dv, dv}, r = sa_head_part(o, H, h);
        if (h * G % H == 0) { /* the first of its head of keys: the word is written */
            sa_real constants[2], *k = scratch.x;
            const word now = word_of(w, own, gates.cols ? sa_row(gates, t) : NULL, g, constants);
            unit_forward(sa_row(sa_head_part(words->keys, G, g), t), d, k);
            sa_copy_mat(sa_rows(sa_head_part(words->values, G, g), t, 1), r);
            for (int n = 0; n < d; n++) sa_scale(now.D[n * now.step], sa_rows(S, n, 1));
            for (int n = 0; n < d && own->corrects; n++) sa_axpy(-k[n], sa_row(S, n), r.x, dv);
            for (int n = 0; n < d; n++) sa_axpy(*now.beta * k[n], r.x, sa_row(S, n), dv);
        }
        unit_forward(sa_head_part(q, H, h).x, d, scratch.x);
        sa_zero(r);
        for (int n = 0; n < d; n++) sa_axpy(scratch.x[n], sa_row(S, n), r.x, dv);
    }
}

/* ---- The part -------------------------------------------------------------------------------- */

static int show(const sa_attention *w, int part, const sa_head *at, sa_shown shown[SA_SHOWN_MAX]) {
    const reading own = reading_of(w, part, at);
    int count = 0;
    if (own.rule->writes)
        shown[count++] = (sa_shown){"beta",          sa_cols(own.gates, own.g, 1),
                                    "beta_j",        SA_PLACE_KEYS,
                                    SA_SHAPE_VECTOR, SA_ROWS_SOURCE};
    return count;
}

static const char *refuse(const sa_attention_sizes *sizes) {
    const sa_position_kind *kind = sizes->positions ? sizes->positions->kind : NULL;
    if (sizes->settings.normalizer != SA_NORMALIZER_SOFTMAX)
        return "{normalizer:} has no scores to normalize: {attention:} makes weights that may have "
               "any sum";
    if (kind && kind->part)
        return "{positions:} changes scores, and {attention:} makes weights: the order of the "
               "words is in its memory";
    if (sizes->settings.smeared_keys)
        return "{smeared_keys} mixes keys, and {attention:} needs unit vectors";
    if (sizes->settings.coverage != SA_COVERAGE_NONE)
        return "{coverage:} adds to keys, and {attention:} needs unit vectors";
    if (sizes->size / sizes->heads < 2)
        return "{attention:} compares directions, and one number has only its sign: {attn} / "
               "{heads} must be at least 2";
    return sa_refuse_negative(&sizes->settings);
}

const sa_part sa_delta_part = {
    .name = "delta",
    .formula = "o_i = S_n' q_i, S_j = (I - beta_j k_j k_j') D_j S_{j-1} + beta_j k_j v_j'",
    .citation = "Yang et al. 2025, equation 10",
    .refuse = refuse,
    .bind = bind,
    .order = 4,
    .normalizer = &sa_no_normalizer,
    .any_sum = "weights are what a memory that is overwritten gives back, and may be negative",
    .ordered = "words are written into the memory one after another",
    .memory_width = memory_width,
    .scratch_width = scratch_width,
    .own_keys = true,
    .memory_forward = memory_forward,
    .memory_backward = memory_backward,
    .running_width = running_width,
    .running_step = running_step,
    .forward = {[SA_PLACE_KEYS] = keys_forward, [SA_PLACE_SCORES] = scores_forward},
    .backward = {[SA_PLACE_KEYS] = keys_backward, [SA_PLACE_SCORES] = scores_backward},
    .show = show,
};
