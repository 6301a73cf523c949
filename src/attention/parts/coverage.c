/* coverage: gives the score one more input: how much of each source word the previous target words
 * have covered.
 *
 *   e_ij = f(q_i, k_j + w_c C_{i-1,j})           additive: v_a' tanh(q_i + k_j + w_c C_{i-1,j})
 *   C_ij = C_{i-1,j} + alpha_ij / Phi_j          C_0j = 0
 *   Phi_j = N sigma(U_f h_j)                     the fertility of word j, or 1
 *
 * Tu et al. 2016 ("Modeling coverage for neural machine translation"), section 3.1; See et al. 2017
 * ("Get to the point"), section 2.3, who also train a loss, sum_j min(alpha_ij, C_{i-1,j}). */
#include "attention/parts.h"

typedef struct coverage { /* weights, or their gradients */
    sa_mat w_c;           /* [1 x n_a] for all heads */
    sa_mat U_f;           /* [1 x A] for fertilities; without columns, all of them are 1 */
    sa_real N;            /* the largest fertility */
    bool penalized;       /* by sum_j min(alpha_ij, C_{i-1,j}) */
} coverage;

/* ---- Fertility ------------------------------------------------------------------------------- */

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    const coverage *own = sa_part_own(w, part);
    const int penalty = own->penalized; /* of a query, summed over heads */
    return (sa_part_widths){.memory = own->U_f.cols > 0, .row = penalty, .gradient = penalty};
}

/* Phi_j = N sigma(U_f h_j) */
static void fertility_forward(const sa_attention *w, int part, sa_memory *memory) {
    const coverage *own = sa_part_own(w, part);
    if (!own->U_f.cols) return;
    sa_gemm_nt(memory->annotations, own->U_f, 0, memory->part[part]);
    sa_sigmoid(memory->part[part]);
    sa_scale(own->N, memory->part[part]);
}

static void fertility_backward(const sa_attention *w, int part, const sa_memory *memory,
                               sa_memory *d, sa_attention *dw) {
    const coverage *own = sa_part_own(w, part), *d_own = sa_part_own(dw, part);
    const sa_mat h = memory->annotations, Phi = memory->part[part];
    for (int j = 0; own->U_f.cols && j < h.rows; j++) {
        const sa_real sigma = *sa_row(Phi, j) / own->N,
                      da = *sa_row(d->part[part], j) * own->N * sigma * (1 - sigma);
        sa_axpy(da, own->U_f.x, sa_row(d->annotations, j), h.cols);
        sa_axpy(da, sa_row(h, j), d_own->U_f.x, h.cols);
    }
}

/* Returns the fertility of word j; without fertility, Phi has no columns. */
static sa_real fertility_of(sa_mat Phi, int j) {
    return Phi.cols ? *sa_row(Phi, j) : 1;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Returns C_{i-1}, or its gradient. */
static sa_mat previous_of(const sa_attention *w, int part, const sa_head *head) {
    return sa_part_carry(w, part, head->rows.previous_carry, head->index, head->k.rows);
}

static sa_mat weights_of_head(const sa_attention *w, int part, int k) {
    return sa_head_slice(((const coverage *)sa_part_own(w, part))->w_c, w->heads, k);
}

/* k_j + w_c C_{i-1,j} */
static void keys_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat k = sa_own_keys(head), C = previous_of(w, part, head),
                 Phi = sa_part_memory(part, head);
    sa_gemm_tn(C, weights_of_head(w, part, head->index), 1, k);
    const bool learned = Phi.cols;
    sa_trace_all((sa_traced){
        "C", C, w, head, "C_{i-1,j}",
        learned ? "C_ij = sum of alpha_ij / Phi_j over the words before"
                : "C_ij = sum of alpha_ij over the words before",
        learned ? "Tu et al. 2016, section 3.1" : "See et al. 2017, section 2.3", SA_SHAPE_COLUMN});
    if (learned) sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, "Phi", "Phi_j", Phi);
}

static void keys_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat C = previous_of(w, part, head), dC = previous_of(w, part, d);
    sa_gemm_nn(C, d->k, 1, weights_of_head(d->dw, part, head->index));
    sa_gemm_nt(weights_of_head(w, part, head->index), d->k, 1, dC);
}

/* ---- The sum --------------------------------------------------------------------------------- */

static sa_mat penalty_of(sa_mat row) {
    return row;
}

static void query_forward(const sa_attention *w, int part, sa_head *head) {
    sa_zero(head->rows.part[part]);
}

/* C_ij = C_{i-1,j} + alpha_ij / Phi_j; the penalty is sum_j min(alpha_ij, C_{i-1,j})
 *
 *   alpha, C [1 x S], Phi [S x 1]: one query */
static void sum_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat previous = previous_of(w, part, head), alpha = head->alpha,
                 C = sa_part_carry(w, part, head->rows.carry, head->index, alpha.cols),
                 Phi = sa_part_memory(part, head);
    for (int j = 0; j < C.cols; j++) C.x[j] = previous.x[j] + alpha.x[j] / fertility_of(Phi, j);
    const sa_mat penalty = head->rows.part[part];
    for (int j = 0; penalty.cols && j < C.cols; j++)
        *penalty.x += alpha.x[j] < previous.x[j] ? alpha.x[j] : previous.x[j];
}

static void sum_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat previous = previous_of(w, part, head), dprevious = previous_of(w, part, d),
                 alpha = head->alpha, dalpha = d->alpha, Phi = sa_part_memory(part, head),
                 dPhi = sa_part_memory(part, d), dpenalty = d->rows.part[part],
                 dC = sa_part_carry(w, part, d->rows.carry, head->index, alpha.cols);
    sa_add(dC, dprevious);
    for (int j = 0; j < dC.cols; j++) {
        const sa_real dcovered = dC.x[j] / fertility_of(Phi, j); /* of alpha_ij / Phi_j */
        dalpha.x[j] += dcovered;
        if (Phi.cols) *sa_row(dPhi, j) -= dcovered * alpha.x[j] / *sa_row(Phi, j);
        if (dpenalty.cols) /* if both are equal, C counts as the smaller one */
            *(alpha.x[j] < previous.x[j] ? &dalpha.x[j] : &dprevious.x[j]) += *dpenalty.x;
    }
}

/* Adds the kinks of the coverage loss: which is smaller, weight or coverage. */
static void kinks(const sa_attention *w, int part, const sa_head *head, sa_kinks *found) {
    const sa_mat C = previous_of(w, part, head);
    for (int j = 0; head->rows.part[part].cols && j < C.cols; j++)
        if (C.x[j] != 0) sa_kinks_add(found, (double)(head->alpha.x[j] - C.x[j]), SA_KINK_MARGIN);
}

/* ---- The part -------------------------------------------------------------------------------- */

const sa_coverage sa_coverages[] = {
    /* in the order of SA_COVERAGE_... */
    {"none", "e_j = f(q, k_j)", "Bahdanau et al. 2015"},
    {"linguistic",
     "e_j = f(q, k_j + w_c C_j), C_j = sum of alpha_j / Phi_j over the words before, Phi_j = N "
     "sigma(U_f h_j), N = {max_fertility}",
     "Tu et al. 2016, section 3.1.1", .fertility = true},
    {"loss",
     "e_j = f(q, k_j + w_c C_j), C_j = sum of alpha_j over the words before; the loss sum_j "
     "min(alpha_j, C_j) is trained, too",
     "See et al. 2017, section 2.3", .loss = true},
    {.name = NULL},
};

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->settings.coverage != SA_COVERAGE_NONE;
}

static const char *refuse(const sa_attention_sizes *sizes) {
    return sizes->score->key == SA_KEY_NONE
               ? "{coverage:} is added to the keys, which {attention:} does not read"
               : NULL;
}

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    const sa_coverage *kind = &sa_coverages[sizes->settings.coverage];
    const int width = w->key_width / w->kv_heads * w->heads;
    coverage *covered = own;
    covered->w_c = sa_bind_vector(binder, prefix, "w_c", width, SA_INIT_INPUT);
    if (kind->fertility)
        covered->U_f =
            sa_bind_vector(binder, prefix, "U_f", sizes->annotation_width, SA_INIT_INPUT);
    covered->N = (sa_real)sizes->settings.max_fertility;
    covered->penalized = kind->loss;
}

const sa_part sa_coverage_part = {
    .name = "coverage",
    .formula = "e_j = f(q, k_j + w_c C_j)",
    .citation = "Tu et al. 2016, section 3.1; See et al. 2017, section 2.3",
    .chosen = chosen,
    .refuse = refuse,
    .bind = bind,
    .widths = widths,
    .memory = {fertility_forward, fertility_backward},
    .carry_words = 1,
    .own_keys = true,
    .forward = {[SA_PLACE_QUERY] = query_forward,
                [SA_PLACE_KEYS] = keys_forward,
                [SA_PLACE_WEIGHTS] = sum_forward},
    .backward = {[SA_PLACE_KEYS] = keys_backward, [SA_PLACE_WEIGHTS] = sum_backward},
    .rare = SA_RARE(.penalty = penalty_of, .kinks = kinks),
};

/* ---- Earlier weights ------------------------------------------------------------------------- *
 * Passes the weights, as they were used, on to the next target word: monotonic and location-aware
 * attention start from them. Before the first word alpha_0 = (1, 0, .., 0). */

sa_mat sa_earlier_weights(const sa_attention *w, const sa_head *head, const sa_head *from) {
    return sa_part_carry(w, sa_part_find(w, &sa_earlier_weights_part), from->rows.previous_carry,
                         head->index, head->k.rows);
}

static void carry_weights_forward(const sa_attention *w, int part, sa_head *head) {
    sa_copy_mat(head->alpha,
                sa_part_carry(w, part, head->rows.carry, head->index, head->alpha.cols));
}

static void carry_weights_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    sa_add(sa_part_carry(w, part, d->rows.carry, head->index, head->alpha.cols), d->alpha);
}

const sa_part sa_earlier_weights_part = {
    .name = "earlier weights",
    .formula = "alpha_{i-1}",
    .citation = "Chorowski et al. 2015, section 2.1",
    .carry_words = 1,
    .forward = {[SA_PLACE_WEIGHTS] = carry_weights_forward},
    .backward = {[SA_PLACE_WEIGHTS] = carry_weights_backward},
    .rare = SA_RARE(.carry_begin = 1),
};
