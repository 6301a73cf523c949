/* normalizer: turns the scores e of the keys that a query sees into its weights alpha, for
 * sa_attend_forward, with the gradients; the table at the end has the choices of --normalizer. A
 * new normalizer is two functions and one entry: EXTENDING.md.
 *
 * Shapes: e, alpha [Q x S], or one row of them where a query does not see all keys */
#include "attention/parts.h"

#define LEAST 1e-25 /* smaller weights become 0, as in softmax: denormals are slow */

/* ---- Softmax, with and without a null key ---------------------------------------------------- */

/* alpha_j = exp(e_j) / sum_k exp(e_k)    e [Q x S] -> alpha, in place, as below */
void sa_softmax_forward(sa_real exponent, sa_mat e) {
    sa_softmax(e);
}

/* de_j = alpha_j (dalpha_j - sum_k alpha_k dalpha_k), also with a null key, of value 0 */
static void softmax_backward(sa_real exponent, sa_mat alpha, sa_mat dalpha, sa_real *dexponent) {
    sa_softmax_backward(alpha, dalpha, dalpha);
}

/* alpha_j = exp(e_j) / (exp(sink) + sum_k exp(e_k)): the softmax times the share of all words
 * against the sink, exp(L) / (exp(sink) + exp(L)) with L = log sum_k exp(e_k) */
static void sink_forward(sa_real sink, sa_mat e) {
    for (int i = 0; i < e.rows; i++) {
        const sa_real L = sa_softmax_row(sa_row(e, i), e.cols);
        sa_scale(sa_sigma(L - sink), sa_rows(e, i, 1));
    }
}

/* dsink = -alpha_0 sum_k alpha_k dalpha_k, alpha_0 = 1 - sum_k alpha_k: the value of the sink is 0
 */
static void sink_backward(sa_real sink, sa_mat alpha, sa_mat dalpha, sa_real *dsink) {
    for (int i = 0; i < alpha.rows; i++)
        *dsink -= (1 - sa_sum(sa_row(alpha, i), alpha.cols)) *
                  sa_dot(sa_row(alpha, i), sa_row(dalpha, i), alpha.cols);
    softmax_backward(sink, alpha, dalpha, NULL);
}

/* A null key is a sink of score 0.    e [Q x S] */
static void null_forward(sa_real exponent, sa_mat e) {
    sink_forward(0, e);
}

/* ---- Scalable softmax ------------------------------------------------------------------------ */

/* alpha_j = n^(scale e_j) / sum_k n^(scale e_k), n the number of words    e [Q x S] */
static void ssmax_forward(sa_real scale, sa_mat e) {
    sa_scale(scale * (sa_real)log(e.cols), e);
    sa_softmax(e);
}

/* With t_j the softmax: de_j = scale log(n) t_j, dscale = log(n) sum_j e_j t_j */
static void ssmax_backward(sa_real scale, sa_mat e, sa_mat alpha, sa_mat dalpha, sa_real *dscale) {
    const sa_real log_n = (sa_real)log(e.cols);
    sa_softmax_backward(alpha, dalpha, dalpha);
    *dscale += log_n * sa_dot(e.x, dalpha.x, e.cols);
    sa_scale(scale * log_n, dalpha);
}

/* ---- Stick-breaking -------------------------------------------------------------------------- */

/* Returns sa_sigma(e), but NaN where e is +infinity. */
static sa_real logistic(sa_real e) {
    return e > 0 ? sa_sigma(e) + (e - e) : sa_sigma(e);
}

/* The score of a key that a mask hides; only `attend` has masks. */
static const sa_real hidden = -(sa_real)INFINITY;

/* From the nearest word backwards, each word takes the share beta_j = sigma(e_j) of the rest:
 * alpha_j = beta_j prod_k (1 - beta_k), k = j + 1 .. i - 1. The last word is the query's own and
 * gets nothing. */
static void stick_forward(sa_real exponent, sa_mat e) {
    for (int i = 0; i < e.rows; i++) {
        sa_real *alpha = sa_row(e, i), left = 1;
        for (int j = e.cols - 2; j >= 0; j--) {
            const sa_real beta = logistic(alpha[j]), rest = left * sa_sigma(-alpha[j]);
            alpha[j] = left * beta < (sa_real)LEAST ? 0 : left * beta;
            left = rest < (sa_real)LEAST ? 0 : rest;
        }
        alpha[e.cols - 1] = 0;
    }
}

/* de_j = (1 - beta_j) alpha_j dalpha_j - beta_j sum_{k < j} alpha_k dalpha_k */
static void stick_backward(sa_real exponent, sa_mat e, sa_mat alpha, sa_mat dalpha,
                           sa_real *dexponent) {
    sa_real farther = 0;
    for (int j = 0; j < e.cols - 1; j++) {
        const sa_real own = alpha.x[j] * dalpha.x[j];
        dalpha.x[j] = sa_sigma(-e.x[j]) * own - sa_sigma(e.x[j]) * farther;
        farther += own;
    }
    dalpha.x[e.cols - 1] = 0;
}

/* ---- Softpick -------------------------------------------------------------------------------- */

/* Returns the sum of the absolute values of exp(e_j) - 1 in a row, all divided by exp(max(0, e));
 * the sum is above 0 even if all of them are 0. */
static double softpick_sum(const sa_real *e, int count, double *shift) {
    double sum = 0;
    *shift = 0;
    for (int j = 0; j < count; j++)
        if ((double)e[j] > *shift) *shift = (double)e[j];
    for (int j = 0; j < count; j++)
        if (e[j] != hidden) sum += fabs(exp((double)e[j] - *shift) - exp(-*shift));
    return sum + 1e-8 * exp(-*shift);
}

/* alpha_j = max(0, exp(e_j) - 1) / sum_k |exp(e_k) - 1|    e [Q x S] */
static void softpick_forward(sa_real exponent, sa_mat e) {
    for (int i = 0; i < e.rows; i++) {
        sa_real *alpha = sa_row(e, i);
        double shift;
        const double sum = softpick_sum(alpha, e.cols, &shift);
        for (int j = 0; j < e.cols; j++) {
            const double own = exp((double)alpha[j] - shift) - exp(-shift);
            alpha[j] = own < LEAST * sum ? 0 : (sa_real)(own / sum);
        }
    }
}

/* de_j = exp(e_j) ([e_j > 0] dalpha_j - sign(e_j) sum_k alpha_k dalpha_k) / sum_k |exp(e_k) - 1| */
static void softpick_backward(sa_real exponent, sa_mat e, sa_mat alpha, sa_mat dalpha,
                              sa_real *dexponent) {
    double shift;
    const double sum = softpick_sum(e.x, e.cols, &shift);
    const sa_real mean = sa_dot(alpha.x, dalpha.x, alpha.cols);
    for (int j = 0; j < e.cols; j++) {
        const sa_real slope = (sa_real)(exp((double)e.x[j] - shift) / sum);
        dalpha.x[j] = e.x[j] > 0 ? slope * (dalpha.x[j] - mean) : e.x[j] < 0 ? slope * mean : 0;
    }
}

/* ---- Sigmoid --------------------------------------------------------------------------------- */

/* alpha_j = sigma(e_j + shift - log n), n the number of words    e [Q x S] */
static void sigmoid_forward(sa_real shift, sa_mat e) {
    const sa_real bias = shift - (sa_real)log(e.cols);
    for (int i = 0; i < e.rows; i++)
        for (int j = 0; j < e.cols; j++) sa_row(e, i)[j] = logistic(sa_row(e, i)[j] + bias);
}

/* de_j = alpha_j (1 - alpha_j) dalpha_j, dshift = sum_j de_j */
static void sigmoid_backward(sa_real shift, sa_mat alpha, sa_mat dalpha, sa_real *dshift) {
    for (int i = 0; i < alpha.rows; i++)
        for (int j = 0; j < alpha.cols; j++) {
            sa_row(dalpha, i)[j] *= sa_row(alpha, i)[j] * (1 - sa_row(alpha, i)[j]);
            *dshift += sa_row(dalpha, i)[j];
        }
}

/* ---- Entmax ---------------------------------------------------------------------------------- */

static double power(double x, double exponent) {
    return exponent == 0 ? 1 : exponent == 1 ? x : exponent == 2 ? x * x : pow(x, exponent);
}

static double largest(sa_mat e) {
    double most = -INFINITY;
    for (int j = 0; j < e.cols; j++)
        if (e.x[j] > most) most = e.x[j]; /* fmax() would crash gcc 12 for arm64 here */
    return most;
}

/* Returns the tau for which sum_j [x_j - tau]_+^(1 / (a - 1)) = 1, x = (a - 1) (e - max), with the
 * exponent a. The sum falls with tau and is convex for a <= 2, so Newton's steps from the left
 * never pass the root: they end when they no longer move. */
static double threshold(double exponent, double max, sa_mat e) {
    const double inverse = 1 / (exponent - 1);
    double tau = -1; /* for this tau, the largest e makes the sum 1 */
    for (int step = 0; step < 100; step++) {
        double sum = 0, slope = 0;
        for (int j = 0; j < e.cols; j++) {
            const double above = (exponent - 1) * (e.x[j] - max) - tau;
            if (above <= 0) continue;
            const double steepness = power(above, inverse - 1);
            sum += above * steepness, slope += inverse * steepness;
        }
        const double next = tau + (sum - 1) / slope;
        if (!(next > tau)) break;
        tau = next;
    }
    return tau;
}

/* alpha_j = [x_j - tau]_+^(1 / (a - 1)); a NaN score makes the weights NaN    e [1 x S] */
static void entmax_row_forward(double exponent, sa_mat e) {
    const double max = largest(e), tau = threshold(exponent, max, e);
    for (int j = 0; j < e.cols; j++) {
        const double above = (exponent - 1) * (e.x[j] - max) - tau,
                     alpha = above <= 0 ? 0 : power(above, 1 / (exponent - 1));
        e.x[j] = alpha < LEAST ? 0 : (sa_real)alpha;
    }
}

static void entmax_forward(sa_real exponent, sa_mat e) {
    for (int i = 0; i < e.rows; i++) entmax_row_forward(exponent, sa_rows(e, i, 1));
}

/* Section 3.3 of Peters et al. 2019 gives de, Correia et al. 2019 the gradient of the exponent, a.
 * With g_j = alpha_j^(2 - a) where alpha_j > 0 and else 0, and g~ = g / sum g:
 *
 *   de_j = g_j (dalpha_j - sum_k g~_k dalpha_k)
 *   da = sum_j dalpha_j ((alpha_j - g~_j) / (a - 1)^2 - (h_j - g~_j sum_k h_k) / (a - 1)),
 *        h_j = alpha_j ln alpha_j */
static void entmax_row_backward(double exponent, sa_mat alpha, sa_mat dalpha, sa_real *dexponent) {
    double g_sum = 0, g_d = 0, alpha_d = 0, h_sum = 0, h_d = 0, first = 0;
    bool equal = true; /* equal weights stay equal for any exponent, and the sums below cancel */
    for (int j = 0; j < alpha.cols; j++) {
        if (alpha.x[j] == 0) continue;
        const double g = power(alpha.x[j], 2 - exponent);
        g_sum += g, g_d += g * dalpha.x[j];
        if (!dexponent) continue;
        if (first == 0) first = alpha.x[j];
        equal = equal && alpha.x[j] == first;
        const double h = alpha.x[j] * log(alpha.x[j]);
        alpha_d += alpha.x[j] * dalpha.x[j], h_sum += h, h_d += h * dalpha.x[j];
    }
    const double average = g_d / g_sum;
    for (int j = 0; j < alpha.cols; j++)
        dalpha.x[j] = alpha.x[j] == 0
                          ? 0
                          : (sa_real)(power(alpha.x[j], 2 - exponent) * (dalpha.x[j] - average));
    if (dexponent && !equal)
        *dexponent += (sa_real)((alpha_d - average) / ((exponent - 1) * (exponent - 1)) -
                                (h_d - average * h_sum) / (exponent - 1));
}

static void entmax_backward(sa_real exponent, sa_mat alpha, sa_mat dalpha, sa_real *dexponent) {
    for (int i = 0; i < alpha.rows; i++)
        entmax_row_backward(exponent, sa_rows(alpha, i, 1), sa_rows(dalpha, i, 1), dexponent);
}

/* Subtracts from each e_j the score above which its weight is positive. */
static void entmax_kinks(sa_real exponent, sa_mat e) {
    for (int i = 0; i < e.rows; i++) {
        const sa_mat own = sa_rows(e, i, 1);
        const double max = largest(own),
                     edge = max + threshold(exponent, max, own) / ((double)exponent - 1);
        for (int j = 0; j < e.cols; j++) own.x[j] -= (sa_real)edge;
    }
}

/* ---- Sparsemax: entmax with exponent 2 ------------------------------------------------------- */

/* alpha_j = [e_j - tau]_+, the distribution nearest to e    e [Q x S] */
static void sparsemax_forward(sa_real exponent, sa_mat e) {
    entmax_forward(2, e);
}

/* de_j = dalpha_j - the mean of dalpha over the words with alpha > 0 */
static void sparsemax_backward(sa_real exponent, sa_mat alpha, sa_mat dalpha, sa_real *dexponent) {
    entmax_backward(2, alpha, dalpha, NULL);
}

static void sparsemax_kinks(sa_real exponent, sa_mat e) {
    entmax_kinks(2, e);
}

/* ---- A learned parameter ----------------------------------------------------------------------
 * Each head learns the parameter of its normalizer:
 *
 *   entmax   its exponent, 1 + sigma(a)             Correia et al. 2019
 *   sink     the score of a key that is not a word  OpenAI 2025, gpt-oss
 *   ssmax    scale: scores times scale log n        Nakanishi 2025
 *   sigmoid  shift, added to the scores             Ramapuram et al. 2024 */

/* Binds the parameter; the part's own struct is only a [1 x heads]. Where a is 0, the exponent
 * is 1.5. */
static void bind_number(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                        const sa_attention *w, void *own) {
    const sa_normalizer *normalizer = w->normalizer;
    *(sa_mat *)own =
        sa_bind_constant(binder, prefix, normalizer->learned ? normalizer->learned : "a",
                         sizes->heads, normalizer->start);
}

static bool learns_number(const sa_attention_sizes *sizes) {
    const sa_normalizer *normalizer = sizes->normalizer;
    return normalizer->learned ||
           (normalizer->exponent && sizes->settings.entmax_alpha == SA_ENTMAX_ALPHA_LEARNED);
}

static sa_part_widths number_widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.scratch = 2}; /* the parameter of the current head, and its gradient */
}

static sa_real *number_of(const sa_attention *w, int part, const sa_head *head) {
    return &((const sa_mat *)sa_part_own(w, part))->x[head->index];
}

/* Sets the parameter: a itself, or 1 + sigma(a), which is bounded away from 1, where its
 * gradient is a small difference of large values. */
static void number_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_real a = *number_of(w, part, head), share = sa_sigma(a), least = (sa_real)1e-3;
    sa_real *numbers = sa_part_scratch(w, part, head).x;
    numbers[0] = w->normalizer->exponent ? 1 + (share > least ? share : least) : a;
    numbers[1] = 0;
    head->exponent = numbers, head->dexponent = numbers + 1;
}

static void number_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_real exponent = *head->exponent;
    *number_of(d->dw, part, head) +=
        *head->dexponent * (w->normalizer->exponent ? (exponent - 1) * (2 - exponent) : 1);
    *head->dexponent = 0; /* another map of the head may follow */
}

const sa_part sa_learned_number_part = {
    .name = "number",
    .formula = "a number learned for each head; alpha = 1 + sigma(a)",
    .citation = "of the normalizer; alpha: Correia et al. 2019",
    .chosen = learns_number,
    .bind = bind_number,
    .widths = number_widths,
    .forward = {[SA_PLACE_KEYS] = number_forward},
    .backward = {[SA_PLACE_SCORES] = number_backward},
};

/* ---- Incompatible choices ------------------------------------------------------------------- */

static const char *refuse_stick(const sa_attention_sizes *sizes) {
    if (sizes->settings.model != SA_MODEL_DECODER_ONLY || sizes->settings.prefix == SA_PREFIX_FULL)
        return "{normalizer:} attends to the words before, the nearest first: it needs "
               "{model:decoder} with {prefix:causal}, where all attention looks back";
    if (sizes->settings.window == SA_WINDOW_LOCAL_P)
        return "{normalizer:} gives the last word that a query sees, itself, no weight: a window "
               "of {window:local-p} may end before it";
    if (sizes->score->query == SA_QUERY_POSITIONS)
        return "{normalizer:} gives the last word that a query sees, itself, no weight: the "
               "positions of {attention:} may end before it";
    return sizes->score->part != &sa_two_maps_part
               ? NULL
               : "{attention:} normalizes what a head puts out, but {normalizer:} has nothing for "
                 "the first word, which has none before it";
}

static const char *refuse_softpick(const sa_attention_sizes *sizes) {
    const bool uniform =
        sizes->score->key == SA_KEY_NONE && sizes->score->query == SA_QUERY_IDENTITY;
    return uniform ? "{normalizer:} has no weight for scores of 0, and {attention:} has no others"
                   : NULL;
}

static const char *refuse_selective(const sa_attention_sizes *sizes) {
    const sa_position_kind *kind = sizes->positions ? sizes->positions->kind : NULL;
    const bool full =
        sizes->settings.model == SA_MODEL_DECODER_ONLY && sizes->settings.prefix == SA_PREFIX_FULL;
    if (!sizes->transformer || full)
        return "{normalizer:} hides words from those after them, in self-attention that looks "
               "back: it needs {model:transformer} or {prefix:causal}";
    if (sizes->score->part || sizes->score->query != SA_QUERY_PROJECTED ||
        sizes->score->key == SA_KEY_NONE)
        return "{normalizer:} sums scores of the first head's projected queries and keys, and "
               "{attention:} has none of them";
    if (kind && (kind->part == &sa_rotation_part || kind->part == &sa_relative_vectors_part))
        return "{normalizer:} reads queries and keys as they are projected, and {positions:} "
               "changes them";
    if (sizes->settings.smeared_keys)
        return "{normalizer:} reads keys as they are projected, and {smeared_keys} mixes them";
    return sizes->settings.head_projection == SA_HEAD_PROJECTION_SPLIT
               ? "{normalizer:} keeps the first head's queries of whole words: it needs "
                 "{head_projection:full}"
               : NULL;
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_normalizer sa_normalizers[] = {
    /* in the order of SA_NORMALIZER_... */
    {.name = "softmax",
     .formula = "alpha_j = exp(e_j) / sum_k exp(e_k)",
     .citation = "Bahdanau et al. 2015, equation 6",
     .exponential = true,
     .forward = sa_softmax_forward,
     .backward = softmax_backward},
    {.name = "null",
     .formula = "alpha_j = exp(e_j) / (1 + sum_k exp(e_k)): a null key of score 0 and value 0 may "
                "take weight",
     .citation = "Miller 2023; the NULL word of Brown et al. 1993",
     .null_key = true,
     .forward = null_forward,
     .backward = softmax_backward},
    {.name = "sparsemax",
     .formula = "alpha_j = max(0, e_j - tau), tau such that they sum to 1: exact zeros",
     .citation = "Martins and Astudillo 2016",
     .sparse = true,
     .forward = sparsemax_forward,
     .backward = sparsemax_backward,
     .kinks = sparsemax_kinks},
    {.name = "entmax",
     .formula = "alpha_j = max(0, (a - 1) e_j - tau)^(1 / (a - 1)), a = entmax-alpha: between "
                "softmax (1) and sparsemax (2)",
     .citation = "Peters et al. 2019; learned: Correia et al. 2019",
     .exponent = true,
     .sparse = true,
     .forward = entmax_forward,
     .backward = entmax_backward,
     .kinks = entmax_kinks},
    {.name = "null-key",
     .formula = "alpha_j = exp(e_j) / (exp(e_0) + sum_k exp(e_k)), e_0 the score of a learned null "
                "key, of value 0",
     .citation = "Xiao et al. 2023, section 3.1; the NULL word of Brown et al. 1993",
     .null_key = true,
     .forward = null_forward,
     .backward = softmax_backward,
     .part = &sa_null_key_part},
    {.name = "sink",
     .formula =
         "alpha_j = exp(e_j) / (exp(sink) + sum_k exp(e_k)), sink a number learned for each head",
     .citation = "OpenAI 2025, gpt-oss",
     .null_key = true,
     .forward = sink_forward,
     .backward = sink_backward,
     .learned = "sink"},
    {.name = "ssmax",
     .formula = "alpha_j = n^(scale e_j) / sum_k n^(scale e_k), n the number of words seen, scale "
                "learned for each head",
     .citation = "Nakanishi 2025",
     .forward = ssmax_forward,
     .scored_backward = ssmax_backward,
     .learned = "scale",
     .start = 0.43}, /* like softmax with ten words */
    {.name = "stick-breaking",
     .formula = "alpha_j = sigma(e_j) prod_k (1 - sigma(e_k)), k from j + 1 to i - 1",
     .citation = "Tan et al. 2024",
     .null_key = true,
     .forward = stick_forward,
     .scored_backward = stick_backward,
     .refuse = refuse_stick},
    {.name = "softpick",
     .formula = "alpha_j = max(0, exp(e_j) - 1) / sum_k |exp(e_k) - 1|",
     .citation = "Zuhri et al. 2025",
     .sparse = true,
     .null_key = true,
     .forward = softpick_forward,
     .scored_backward = softpick_backward,
     .kinks = sa_keep_scores, /* kinks at 0 */
     .refuse = refuse_softpick},
    {.name = "sigmoid",
     .formula = "alpha_j = sigma(e_j + shift - log n), n the number of words seen, shift learned "
                "for each head",
     .citation = "Ramapuram et al. 2024",
     .any_sum = "each word has a weight of its own, from 0 to 1",
     .forward = sigmoid_forward,
     .backward = sigmoid_backward,
     .learned = "shift"},
    {.name = "selective",
     .formula =
         "alpha_j = exp(e_j - F_j) / sum_k exp(e_k - F_k), F_j what the words since j looked for "
         "there in the first head; in self-attention that looks back, elsewhere softmax",
     .citation = "Leviathan et al. 2024",
     .exponential = true,
     .forward = sa_softmax_forward,
     .backward = softmax_backward,
     .part = &sa_selective_part,
     .refuse = refuse_selective},
    {.name = NULL},
};

void sa_keep_scores(sa_real exponent, sa_mat e) {}

void sa_keep_scores_backward(sa_real exponent, sa_mat alpha, sa_mat dalpha, sa_real *dexponent) {}

const sa_normalizer sa_no_normalizer = {.name = "none",
                                        .formula = "alpha_j = e_j",
                                        .citation = "the score is the weight",
                                        .forward = sa_keep_scores,
                                        .backward = sa_keep_scores_backward};
