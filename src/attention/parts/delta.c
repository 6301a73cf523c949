/* delta: a memory of one matrix for each key/value head, which every word of the source rewrites
 * (fast weights; Schlag et al. 2021). A word keeps the share D of the memory, corrects what it
 * reads at its key, and writes with strength beta; the query reads what the last word left:
 *
 *   S_j = (I - beta_j k_j k_j') D_j S_{j-1} + beta_j k_j v_j'        o_i = S_n' q_i
 *
 *   retnet          D a constant of each head, beta = 1, no correction   (Sun et al. 2023)
 *   gla             D = sigma(W x)^(1/16) for each number of a key, the rest as retnet
 *   deltanet        D = 1, beta = sigma(w' x)
 *   gated-deltanet  D = sigma(w' x) for each head, beta as deltanet
 *   kda             D = sigma(W x) for each number of a key, beta as deltanet (Kimi Team 2025)
 *
 * Keys and queries are unit vectors, x / |x| of their SiLU, so that beta = 1 overwrites: what k_j
 * reads is then exactly v_j. Read back from the last word, the output is a sum of values
 *
 *   alpha_ij = beta_j k_j' x_j, x_n = q_i, x_{j-1} = D_j (x_j - beta_j k_j (k_j' x_j))
 *
 * whose weights may be negative. */
#include "attention/parts.h"

typedef struct rule {
    bool corrects; /* whether it reads before it writes, and learns beta, how strongly it writes */
    bool wide;     /* learns D for each unit of a key, not for each head */
    double root;   /* D = sigma(..)^root; 0: it is not learned */
    double begin;  /* the biases of D and beta */
} rule;

typedef struct delta { /* weights, or their gradients */
    sa_weight W;       /* [betas + decays G x m] */
    sa_mat b;
    const rule *rule;
    int betas, decays; /* columns: beta of all heads; then D, this many for each head */
} delta;

static int key_size(const sa_attention *w) {
    return w->key_width / w->kv_heads;
}

/* ---- Gates of every word --------------------------------------------------------------------- */

/* Leaves scratch for x_0 .. x_n of one query, then two vectors. */
static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.memory = ((const delta *)sa_part_own(w, part))->b.cols,
                            .scratch = (steps + 3) * key_size(w),
                            .running = w->parts == 1 ? key_size(w) * w->value_width : 0};
}

/* y = sigma(u)^root, u = W x + b; the root of beta is 1 */
static void memory_forward(const sa_attention *w, int part, sa_memory *memory) {
    const delta *own = sa_part_own(w, part);
    const sa_mat y = memory->part[part];
    if (y.cols) sa_linear_forward(own->W, own->b, memory->annotations, y);
    for (int j = 0; j < y.rows; j++)
        for (int n = 0; n < y.cols; n++) {
            const double root = n < own->betas ? 1 : own->rule->root;
            sa_row(y, j)[n] = (sa_real)exp(root * sa_log_sigmoid((double)sa_row(y, j)[n]));
        }
}

/* Computes du = root y (1 - sigma(u)) dy. */
static void memory_backward(const sa_attention *w, int part, const sa_memory *memory, sa_memory *d,
                            sa_attention *dw) {
    const delta *own = sa_part_own(w, part), *d_own = sa_part_own(dw, part);
    const sa_mat y = memory->part[part], du = d->part[part];
    for (int j = 0; j < y.rows; j++)
        for (int n = 0; n < y.cols; n++) {
            const double root = n < own->betas ? 1 : own->rule->root,
                         value = (double)sa_row(y, j)[n];
            sa_row(du, j)[n] *= (sa_real)(root * value * (1 - pow(value, 1 / root)));
        }
    if (y.cols)
        sa_linear_backward(own->W, memory->annotations, du, d->annotations, d_own->W, d_own->b);
}

/* What key/value head g has learned, and its input. */
typedef struct reading {
    const delta *own;
    int g;
    sa_real D;       /* where it is not learned: retnet's, or 1 */
    sa_mat gates, k; /* [S x ..] or empty; [S x d] */
    sa_mat x;        /* [S + 3 x d] of a head */
} reading;

static reading reading_of(const sa_attention *w, int part, sa_mat gates, sa_mat keys, int g) {
    const delta *own = sa_part_own(w, part);
    return (reading){.own = own,
                     .g = g,
                     .D = own->betas ? 1 : 1 - (sa_real)exp2(-5 - g),
                     .gates = gates,
                     .k = keys};
}

static reading head_reading(const sa_attention *w, int part, const sa_head *head) {
    reading from = reading_of(w, part, sa_part_memory(part, head), head->k,
                              head->index * w->kv_heads / w->heads);
    from.x = sa_part_scratch(w, part, head);
    from.x.rows = head->k.rows + 3, from.x.cols = from.x.ld = head->k.cols;
    return from;
}

/* The beta of a word, and its D, whose values are `step` apart. */
typedef struct word {
    sa_real beta;
    const sa_real *D;
    int step;
} word;

static word word_of(const reading *from, int key) {
    const delta *own = from->own;
    const sa_real *gates = from->gates.cols ? sa_row(from->gates, key) : &from->D;
    return (word){own->betas ? gates[from->g] : 1,
                  own->decays ? gates + own->betas + from->g * own->decays : &from->D,
                  own->decays > 1};
}

/* ---- Unit vectors ---------------------------------------------------------------------------- */

/* Computes y = s / |s|, s = x sigma(x); returns |s|. y may be x. */
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

/* Turns dy into dx, with ds = (dy - y (y' dy)) / |s|. */
static void unit_backward(const sa_real *x, int size, sa_real *y, sa_real *dy) {
    const sa_real norm = unit_forward(x, size, y), along = sa_dot(y, dy, size);
    for (int l = 0; l < size; l++) {
        const sa_real open = sa_sigma(x[l]);
        dy[l] = (dy[l] - y[l] * along) / norm * (open + x[l] * open * (1 - open));
    }
}

static void keys_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat k = sa_own_keys(head);
    for (int j = 0; j < k.rows; j++) unit_forward(sa_row(k, j), k.cols, sa_row(k, j));
}

static void keys_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const int first = head->memory->first[head->sentence], S = head->k.rows;
    const sa_mat k = sa_kv_head_slice(w, sa_rows(head->memory->keys, first, S), head->index);
    for (int j = 0; j < S; j++)
        unit_backward(sa_row(k, j), k.cols, sa_row(head->k, j), sa_row(d->k, j));
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* alpha_ij = beta_j k_j' x_j, x_{j-1} = D_j (x_j - beta_j k_j (k_j' x_j)) */
static void read_back(const reading *from, sa_span seen, const sa_real *q, sa_real *alpha) {
    const int d = from->k.cols;
    unit_forward(q, d, sa_row(from->x, seen.count));
    for (int j = seen.count; j > 0; j--) {
        const int key = seen.first + j - 1;
        const sa_real *k = sa_row(from->k, key), *x = sa_row(from->x, j);
        const word now = word_of(from, key);
        alpha[key] = now.beta * sa_dot(k, x, d);
        const sa_real corrected = from->own->betas ? alpha[key] : 0;
        for (int l = 0; l < d; l++)
            sa_row(from->x, j - 1)[l] = now.D[l * now.step] * (x[l] - corrected * k[l]);
    }
}

static void scores_forward(const sa_attention *w, int part, sa_head *head) {
    const reading from = head_reading(w, part, head);
    if (from.own->betas)
        sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, "beta", "beta_j",
                      sa_cols(from.gates, from.g, 1));
    for (int i = 0; i < head->alpha.rows; i++) {
        const sa_span seen = head->spans ? head->spans[i] : (sa_span){0, head->alpha.cols};
        read_back(&from, seen, sa_row(head->q, i), sa_row(head->alpha, i));
    }
}

/* Turns dx_{j-1} into dx_j; g = dalpha_ij. z_j = x_j - beta_j k_j
 * (k_j' x_j). */
static void word_backward(const reading *from, int key, const sa_real *x, sa_real g, sa_real *dx,
                          sa_real *dk, sa_real *dgates) {
    const delta *own = from->own;
    const int d = from->k.cols;
    const sa_real *k = sa_row(from->k, key);
    const word now = word_of(from, key);
    const sa_real product = sa_dot(k, x, d), corrected = own->betas ? now.beta * product : 0;
    for (int l = 0; l < d; l++) {
        if (own->decays)
            dgates[own->betas + from->g * own->decays + l * now.step] +=
                dx[l] * (x[l] - corrected * k[l]);
        dx[l] *= now.D[l * now.step]; /* dz */
    }
    const sa_real rest = g - (own->betas ? sa_dot(k, dx, d) : 0), dproduct = now.beta * rest;
    if (own->betas) dgates[from->g] += product * rest;
    for (int l = 0; l < d; l++) {
        dk[l] += dproduct * x[l] - corrected * dx[l];
        dx[l] += dproduct * k[l];
    }
}

static void scores_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const reading from = head_reading(w, part, head), d_own = head_reading(d->dw, part, d);
    const int S = head->k.rows, size = head->k.cols;
    sa_real *dx = sa_row(from.x, S + 1), *y = sa_row(from.x, S + 2);
    for (int i = 0; i < d->alpha.rows; i++) {
        const sa_span seen = head->spans ? head->spans[i] : (sa_span){0, head->alpha.cols};
        const sa_real *q = sa_row(head->q, i);
        read_back(&from, seen, q, sa_row(head->alpha, i));
        sa_zero(sa_rows(from.x, S + 1, 1));
        for (int j = 1; j <= seen.count; j++) {
            const int key = seen.first + j - 1;
            word_backward(&from, key, sa_row(from.x, j), sa_row(d->alpha, i)[key], dx,
                          sa_row(d->k, key), d_own.gates.cols ? sa_row(d_own.gates, key) : NULL);
        }
        unit_backward(q, size, y, dx);
        sa_axpy(1, dx, sa_row(d->q, i), size);
    }
}

/* ---- The memory itself ----------------------------------------------------------------------- */

/* Computes S = D S + beta k (v - (D S)' k)', o = S' q. */
static void running_step(const sa_attention *w, int part, const sa_memory *words, int t, sa_mat q,
                         sa_mat memory, sa_mat o, sa_mat scratch) {
    const int H = w->heads, G = w->kv_heads, d = key_size(w), dv = w->value_width / G;
    sa_real *x = scratch.x;
    for (int h = 0; h < H; h++) {
        const int g = h * G / H;
        const sa_mat S = {memory.x + (ptrdiff_t)g * d * dv, d, dv, dv}, r = sa_head_slice(o, H, h);
        if (h * G % H == 0) { /* the first head that reads these keys: the word is written */
            const reading from = reading_of(w, part, words->part[part], words->keys, g);
            const word now = word_of(&from, t);
            unit_forward(sa_row(sa_head_slice(words->keys, G, g), t), d, x);
            sa_copy_mat(sa_rows(sa_head_slice(words->values, G, g), t, 1), r);
            for (int n = 0; n < d; n++) sa_scale(now.D[n * now.step], sa_rows(S, n, 1));
            for (int n = 0; n < d && from.own->betas; n++) sa_axpy(-x[n], sa_row(S, n), r.x, dv);
            for (int n = 0; n < d; n++) sa_axpy(now.beta * x[n], r.x, sa_row(S, n), dv);
        }
        unit_forward(sa_head_slice(q, H, h).x, d, x);
        sa_zero(r);
        for (int n = 0; n < d; n++) sa_axpy(x[n], sa_row(S, n), r.x, dv);
    }
}

/* ---- The part -------------------------------------------------------------------------------- */

static const rule rules[] = {/* in the order of the scores */
                             {.root = 0},
                             {.wide = true, .root = 1.0 / 16},
                             {.corrects = true},
                             {.corrects = true, .root = 1, .begin = 3},
                             {.corrects = true, .wide = true, .root = 1, .begin = 3}};

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    const rule *chosen = &rules[sizes->settings.attention - SA_ATTENTION_RETNET];
    delta *gates = own;
    *gates = (delta){.rule = chosen,
                     .betas = chosen->corrects ? w->kv_heads : 0,
                     .decays = chosen->wide ? key_size(w) : chosen->root > 0};
    const int numbers = gates->betas + gates->decays * w->kv_heads;
    if (!numbers) return;
    gates->W =
        sa_bind_matrix(binder, prefix, "W_d", numbers, sizes->annotation_width, SA_INIT_INPUT);
    gates->b = sa_bind_constant(binder, prefix, "b_d", numbers, chosen->begin);
}

static const char *refuse(const sa_attention_sizes *sizes) {
    const sa_position_kind *kind = sizes->positions ? sizes->positions->kind : NULL;
    if (kind && kind->part)
        return "{positions:} changes scores, and {attention:} makes weights: the order of the "
               "words is in its memory";
    if (sizes->settings.smeared_keys)
        return "{smeared_keys} mixes keys, and {attention:} needs unit vectors";
    if (sizes->settings.coverage != SA_COVERAGE_NONE)
        return "{coverage:} adds to keys, and {attention:} needs unit vectors";
    return sa_directions_part.refuse(sizes);
}

const sa_part sa_delta_part = {
    .name = "delta",
    .formula = "o_i = S_n' q_i, S_j = (I - beta_j k_j k_j') D_j S_{j-1} + beta_j k_j v_j'",
    .citation = "Yang et al. 2025, equation 10",
    .refuse = refuse,
    .bind = bind,
    .normalizer = &sa_no_normalizer,
    .widths = widths,
    .memory = {memory_forward, memory_backward},
    .own_keys = true,
    .forward = {[SA_PLACE_KEYS] = keys_forward, [SA_PLACE_SCORES] = scores_forward},
    .backward = {[SA_PLACE_KEYS] = keys_backward, [SA_PLACE_SCORES] = scores_backward},
    .rare =
        SA_RARE(.any_sum =
                    "weights are what a memory that is overwritten gives back, and may be negative",
                .ordered = "words are written into the memory one after another",
                .running_step = running_step),
};
