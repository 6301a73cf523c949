/* two_maps: the difference of two maps of weights, which cancels what they have in common (Ye et
 * al. 2024, "Differential Transformer", section 2.1). Query and key of a head have two halves:
 *
 *   A1 = pi(q1' k1 / sqrt(d)), A2 = pi(q2' k2 / sqrt(d)), alpha = A1 - lambda A2
 *   lambda = exp(lambda_q1' lambda_k1) - exp(lambda_q2' lambda_k2) + lambda_init
 *
 * The heads of a layer share lambda. The weights of a row sum to 1 - lambda, and some of them are
 * negative. The norm of the head (head_norm.c) follows. */
#include "attention/parts.h"

typedef struct two_maps { /* weights, or their gradients */
    sa_mat lambda;        /* [4 x d] lambda_q1, lambda_k1, lambda_q2, lambda_k2 */
    sa_real init;         /* lambda_init */
} two_maps;

/* ---- Lambda ---------------------------------------------------------------------------------- */

/* Returns exp(lambda_q' lambda_k) of rows i and i + 1. */
static sa_real exp_product(const two_maps *w, int i) {
    const sa_mat both = sa_rows(w->lambda, i, 2);
    return (sa_real)exp((double)sa_dot(sa_row(both, 0), sa_row(both, 1), both.cols));
}

/* Equation 2: lambda = exp(lambda_q1' lambda_k1) - exp(lambda_q2' lambda_k2) + lambda_init */
sa_real sa_lambda_forward(const sa_attention *w) {
    const two_maps *own = sa_part_own(w, sa_part_find(w, &sa_two_maps_part));
    return exp_product(own, 0) - exp_product(own, 2) + own->init;
}

/* Computes the gradients of the vectors; the gradient of lambda, for all heads, has been summed in
 * the gradient of the first row. */
static void lambda_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const two_maps *own = sa_part_own(w, part);
    const two_maps *d_own = sa_part_own(d->dw, part);
    const sa_real dlambda = *d->rows.part[part].x;
    for (int i = 0; i < 4; i += 2) {
        const sa_real dproduct = (i ? -dlambda : dlambda) * exp_product(own, i);
        sa_axpy(dproduct, sa_row(own->lambda, i + 1), sa_row(d_own->lambda, i), own->lambda.cols);
        sa_axpy(dproduct, sa_row(own->lambda, i), sa_row(d_own->lambda, i + 1), own->lambda.cols);
    }
}

/* ---- The maps -------------------------------------------------------------------------------- */

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.row = w->heads * 2 * steps, .gradient = 1};
}

/* Returns map 0 or 1 of the head [Q x S]. */
static sa_mat map_of(const sa_attention *w, int part, const sa_head *head, int map) {
    const sa_mat both = sa_part_row(w, part, head);
    return sa_cols(sa_head_slice(both, 2, map), 0, head->v.rows);
}

/* Returns w without the two maps and without parts that only follow the normalizer. */
static sa_attention weights_alone(const sa_attention *w) {
    static const sa_part nothing = {.name = "nothing"};
    sa_attention alone = *w;
    for (int p = 0; p < w->parts; p++) {
        sa_part_forward *const *hook = w->part[p].kind->forward;
        const bool made = w->part[p].kind->own_keys && hook[SA_PLACE_KEYS]; /* made for both maps */
        const bool before = !made && (hook[SA_PLACE_KEYS] || hook[SA_PLACE_SCORES]);
        if (!before || hook[SA_PLACE_WEIGHTS]) alone.part[p].kind = &nothing;
    }
    return alone;
}

/* Returns a head of the second half without values, for an attention without the two maps. */
static sa_head second_head(const sa_head *head, sa_mat alpha) {
    sa_head second = *head;
    second.unit += head->q.cols;
    second.q.x += head->q.cols, second.k.x += head->k.cols;
    second.v.cols = second.c.cols = 0;
    second.alpha = alpha;
    return second;
}

/* Takes the first half of the query and keys. */
static void keys_forward(const sa_attention *w, int part, sa_head *head) {
    sa_head *both[] = {head, head->gradient};
    for (int i = 0; i < 2 && both[i]; i++) {
        both[i]->q = sa_head_slice(both[i]->q, 2, 0);
        both[i]->k = sa_head_slice(both[i]->k, 2, 0);
    }
}

/* Equation 1: alpha = A1 - lambda A2 */
static void weights_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat A1 = map_of(w, part, head, 0), A2 = map_of(w, part, head, 1);
    const sa_attention second = weights_alone(w);
    sa_head other = second_head(head, A2);
    const sa_real lambda = sa_lambda_forward(w);
    sa_copy_mat(head->alpha, A1);
    sa_attend_forward(&second, &other);
    for (int i = 0; i < A1.rows; i++)
        for (int j = 0; j < A1.cols; j++)
            sa_row(head->alpha, i)[j] = sa_row(A1, i)[j] - lambda * sa_row(A2, i)[j];
    sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, "A_1", "A1_ij", A1);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, "A_2", "A2_ij", A2);
    sa_part_trace_number(
        w, part, head,
        "lambda = exp(lambda_q1' lambda_k1) - exp(lambda_q2' lambda_k2) + lambda_init", "lambda",
        "lambda", lambda);
    sa_part_trace_number(w, part, head, NULL, "lambda_init", "lambda_init",
                         ((const two_maps *)sa_part_own(w, part))->init);
    sa_part_trace(w, part, head, "pi_j = A1_ij - lambda A2_ij", 0, NULL, NULL, (sa_mat){0});
}

/* Computes dA1 = dalpha, dA2 = -lambda dalpha; returns dlambda. */
static sa_real difference_backward(sa_real lambda, sa_mat A2, sa_mat dalpha, sa_mat dA2) {
    sa_real dlambda = 0;
    for (int i = 0; i < dalpha.rows; i++)
        for (int j = 0; j < dalpha.cols; j++) {
            dlambda -= sa_row(dalpha, i)[j] * sa_row(A2, i)[j];
            sa_row(dA2, i)[j] = -lambda * sa_row(dalpha, i)[j];
        }
    return dlambda;
}

static void weights_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat A2 = map_of(w, part, head, 1),
                 dA2 = sa_corner(head->scratch->soft, A2.rows, A2.cols);
    const sa_attention second = weights_alone(w);
    sa_head other = second_head(head, A2), dother = second_head(d, dA2);
    *d->rows.part[part].x += difference_backward(sa_lambda_forward(w), A2, d->alpha, dA2);
    other.gradient = &dother;
    sa_attend_backward(&second, &other, &dother);
    head->alpha = map_of(w, part, head, 0);
}

/* ---- The part -------------------------------------------------------------------------------- */

/* Binds the vectors; d: half of a head's units. */
static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    static const char *const names[] = {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"};
    const int d = sizes->size / sizes->heads / 2;
    two_maps *maps = own;
    for (int i = 0; i < 4; i++) { /* all equal, so that lambda is lambda_init at first */
        const sa_mat vector = sa_bind_constant(binder, prefix, names[i], d, 0.1);
        if (!i) maps->lambda = (sa_mat){vector.x, 4, d, d};
    }
    maps->init = (sa_real)sa_lambda_init(sizes->layer);
}

static const char *refuse(const sa_attention_sizes *sizes) {
    if (!sizes->transformer)
        return "{attention:} learns one lambda for each layer of a Transformer and normalizes what "
               "its heads sum up: it needs {model:transformer}";
    if (sizes->size / sizes->heads % 2 != 0)
        return "{attention:} compares the two halves of a query and key: {attn:} / {heads:} must "
               "be even";
    return sizes->value >= 2
               ? NULL
               : "{attention:} normalizes the output of each head, and of one number that leaves "
                 "the sign: {value_size}, or {embed} / {heads}, must be at least 2";
}

const sa_part sa_two_maps_part = {
    .name = "two maps",
    .formula = "alpha_j = A1_j - lambda A2_j",
    .citation = "Ye et al. 2024, section 2.1",
    .with = &sa_head_norm_part,
    .refuse = refuse,
    .bind = bind,
    .widths = widths,
    .forward = {[SA_PLACE_KEYS] = keys_forward, [SA_PLACE_WEIGHTS] = weights_forward},
    .backward = {[SA_PLACE_QUERY] = lambda_backward, [SA_PLACE_WEIGHTS] = weights_backward},
    .rare = SA_RARE(.any_sum = "weights are the difference of two maps, which sums to 1 - lambda"),
};
