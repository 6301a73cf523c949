#include "lab/gradient_faults.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *dropped;
    const char *options; /* of a model that has the term; empty: the default model */
} faults[] = {
    {"additive.key", "dk_j += da_j", ""},
    {"additive.query", "dq_i += da_j", ""},
    {"additive.tanh", "the factor 1 - tanh^2 in da_j", ""},
    {"additive.v_a", "dv_a += de_ij t_j", ""},
    {"attention.keys", "dh_j += U_a' dk_j, dU_a", ""},
    {"attention.normalizer", "de = alpha . (dalpha - sum alpha dalpha), or as --normalizer", ""},
    {"attention.output", "do += W_c' dc_i (several heads)", "--heads 2"},
    {"attention.query", "ds_{i-1} += W_a' dq_i", ""},
    {"attention.value-projection", "dh_j += W_v' dv_j, dW_v (several heads)", "--heads 2"},
    {"attention.state", "dalpha_ij of the step after", "--attention monotonic"},
    {"attention.values", "dh_j += alpha_ij dc_i", ""},
    {"cell.bias", "db += sum da", ""},
    {"cell.input", "dx += da W", ""},
    {"cell.norm", "the gradient through the normalization of a product, or of m", "--cell-norm"},
    {"cell.norm-memory", "the gradient through LN(m)", "--cell-norm --cell lstm"},
    {"copy.alpha", "dalpha_ij -= (1 - p_gen) / P(y_i) where x_j = y_i", "--copy"},
    {"copy.gate", "dz of the gate, all of it", "--copy"},
    {"copy.generated", "the factor p_gen p(y_i) / P(y_i) of the softmax's gradient", "--copy"},
    {"copy.inputs", "dc_i += w_h dz, ds_i += w_s dz, dx += w_x dz", "--copy"},
    {"copy.rest", "dalpha_ij += (1 - p_gen) p(y_i) / P(y_i) (rows that sum to less than 1)",
     "--copy --normalizer null"},
    {"cosine.key", "dk_j += de_ij (q^ - c k^) / |k_j| (in qk-norm too)", "--attention cosine"},
    {"cosine.query", "dq_i += de_ij (k^ - c q^) / |q_i| (in qk-norm too)", "--attention qk-norm"},
    {"cosine.sharpness", "dbeta or dg, all of it", "--attention qk-norm"},
    {"coverage.carry", "dC_{i-1} += dC_i, and dC_{i-1} of the coverage loss", "--coverage loss"},
    {"coverage.fertility", "dPhi_j, all of it", "--coverage linguistic"},
    {"coverage.score", "dC_{i-1,j} += w_c' dk_ij", "--coverage linguistic"},
    {"coverage.sum", "dalpha_ij += dC_ij / Phi_j, and dalpha_ij of the coverage loss",
     "--coverage linguistic"},
    {"coverage.weights", "dw_c += sum_j C_{i-1,j} dk_ij", "--coverage linguistic"},
    {"decoder.context", "dc_i += C' da_i", ""},
    {"decoder.init", "dh_1 += W_s' ds_0", ""},
    {"decoder.init-below", "dforward_S += ds_0, of the layers below the last one",
     "--cell lstm --layers 2 --decoder-layers 2 --decoder-init copy"},
    {"differential.gain", "dg of the norm of heads",
     "--model transformer --attention differential --heads 2"},
    {"differential.lambda", "dlambda, all of it",
     "--model transformer --attention differential --heads 2"},
    {"differential.norm", "the gradient through the norm of heads",
     "--model transformer --attention differential --heads 2"},
    {"differential.second", "dA2 = -lambda dalpha",
     "--model transformer --attention differential --heads 2"},
    {"dot.key", "dk += de' q (in scaled-dot and general too)", "--attention dot"},
    {"dot.query", "dq += de k (in scaled-dot and general too)", "--attention dot"},
    {"dropout.mask", "dx = dx . mask", "--dropout 0.3"},
    {"dropout.state", "ds' = ds' . d", "--dropout-state 0.3"},
    {"dropout.words", "dx_t = mask_t dx_t", "--word-dropout 0.3"},
    {"embedding.words", "dE_y += dx", ""},
    {"encoder.carry", "dh_{j-1} += the gradient through h_j", ""},
    {"entmax.alpha", "dalpha, all of it (of the normalizer)",
     "--normalizer entmax --entmax-alpha learned"},
    {"entmax.mean", "- the weighted mean of dalpha (sparsemax and entmax)",
     "--normalizer sparsemax"},
    {"features.key", "dphi(k_j) += g_ij phi(q_i), with g_ij = de_ij / (phi(q_i)' phi(k_j))",
     "--attention linear"},
    {"features.query", "dphi(q_i) += g_ij phi(k_j)", "--attention linear"},
    {"feedforward.relu", "the factor of the rectifier, 0 or 1", "--model transformer"},
    {"fixed.context", "dc += dc_i (one context vector for all steps)", "--decoder fixed"},
    {"fixed.summary", "dh_S += V' dc (one context vector)", "--decoder fixed"},
    {"gaussian.key", "dk_j += de_ij (q_i - k_j) / h^2", "--attention gaussian"},
    {"gaussian.query", "dq_i += de_ij (k_j - q_i) / h^2", "--attention gaussian"},
    {"gaussian.width", "dlog h += de_ij |q_i - k_j|^2 / h^2", "--attention gaussian"},
    {"graves.bias", "db_a += dq_i", "--attention graves"},
    {"graves.carry", "dkappa_{i-1} += dkappa_i", "--attention graves"},
    {"graves.center", "dkappa += -2 de_ij a b (kappa - j) E_ij", "--attention graves"},
    {"graves.height", "dlog a += de_ij a E_ij", "--attention graves"},
    {"graves.step", "the factor kappa_i - kappa_{i-1} in dlog step, and dkappa_{i-1}",
     "--attention graves"},
    {"graves.width", "dlog b += -de_ij a b (kappa - j)^2 E_ij", "--attention graves"},
    {"gru.candidate", "ds' and da_r through s~ = tanh(a + U [r . s'])", ""},
    {"gru.carry", "ds' += ds . (1 - z)", ""},
    {"gru.gates", "ds' += U_z' da_z + U_r' da_r", ""},
    {"gru.reset", "da_r, all of it", ""},
    {"gru.update", "da_z, all of it", ""},
    {"guided.alpha", "dalpha_ts -= A_ts / alpha_ts (guided alignment)", "--guided-alignment 1"},
    {"hard.entropy", "de_ij -= lambda_e p_ij (log p_ij + H(p_i))", "--attention hard"},
    {"hard.estimate", "de_ij += lambda_r (log p(y | s) - b) (1[j = s_i] - p_ij)",
     "--attention hard"},
    {"layernorm.gain", "dg += dy . normal", "--model transformer"},
    {"layernorm.input", "the gradient through the normalization", "--model transformer"},
    {"linear.bias", "db += sum dy", ""},
    {"linear.input", "dx += dy W", ""},
    {"linear.weight", "dW += dy' x", ""},
    {"location-aware.bias", "db_a += sum_j dk_ij", "--attention location-aware"},
    {"location-aware.filters", "dF_o += sum_j alpha_{i-1,j-o} df_ij", "--attention location-aware"},
    {"location-aware.previous", "dalpha_{i-1,j-o} += F_o' df_ij", "--attention location-aware"},
    {"location-aware.weights", "dW_f += sum_j f_ij dk_ij", "--attention location-aware"},
    {"location.query", "dq_ij += de_ij", "--attention location"},
    {"loss.smoothing", "- epsilon / K at every word", "--label-smoothing 0.1"},
    {"loss.target", "- 1 at the reference token", ""},
    {"lstm.carry", "dm' += dm . f", "--cell lstm"},
    {"lstm.forget", "da_f, all of it", "--cell lstm"},
    {"lstm.input", "da_i, all of it", "--cell lstm"},
    {"lstm.output", "da_o, all of it", "--cell lstm"},
    {"lstm.state", "ds' += U' da", "--cell lstm"},
    {"monotonic.gain", "dg += de_ij v_a' tanh(..) / |v_a|", "--attention monotonic"},
    {"monotonic.key", "dk_j += da_ij", "--attention monotonic"},
    {"monotonic.offset", "dr += de_ij", "--attention monotonic"},
    {"monotonic.previous", "dalpha_i-1,j += dq_ij", "--attention monotonic"},
    {"monotonic.query", "dq_i += da_ij", "--attention monotonic"},
    {"null-key.score", "de_i0 = -sum_j de_ij", "--normalizer null-key"},
    {"params.l2", "dw += 2 R w (--l2)", "--l2 0.1"},
    {"position.learned", "dP_t += dx_t", "--positions learned"},
    {"readout.maxout", "dt~, all of it", ""},
    {"readout.state", "ds += U_o' dt~", ""},
    {"residual.skip", "dx += dy past the sublayer", "--model transformer"},
    {"rnn.state", "ds' += U' da", "--cell rnn"},
    {"rope.key", "the rotation back of dk", "--model transformer --positions rope --heads 2"},
    {"rope.query", "the rotation back of dq", "--model transformer --positions rope --heads 2"},
    {"scaled-dot.scale", "the factor 1 / sqrt(n')", "--attention scaled-dot"},
    {"shaw.keys", "da^K_c += the sum of dk_ij with clip(j - i) = c, k_ij = k_j + a^K_c",
     "--model transformer --positions shaw"},
    {"shaw.values", "da^V_c += the sum of alpha_ij do_i with clip(j - i) = c",
     "--model transformer --positions shaw"},
    {"shaw.weights", "dalpha_ij += do_i' a^V_c", "--model transformer --positions shaw"},
    {"t5.bias", "dB_r += the sum of de_ij with j - i in bucket r",
     "--model transformer --positions t5"},
    {"transformer.scale", "the factor sqrt(m) of the embeddings", "--model transformer"},
    {"upper.below", "dy^{l-1} += dx^l (a decoder of several layers)", "--decoder-layers 2"},
    {"window.center", "dp_i, all of it", "--window local-p"},
    {"window.gauss", "the gradient through the Gaussian", "--window local-p"},
};

enum { FAULTS = sizeof faults / sizeof *faults };

/* Terms that others take the place of. */
static const struct {
    const char *before, *now;
} renamed[] = {
    {"cosine.length", "cosine.key"},        {"coverage.again", "coverage.sum"},
    {"coverage.covered", "coverage.carry"}, {"coverage.divisor", "coverage.fertility"},
    {"decoder.feeding", "cell.input"},      {"entmax.slope", "entmax.mean"},
    {"features.slope", "features.key"},     {"gru.through-reset", "gru.candidate"},
    {"layernorm.mean", "layernorm.input"},  {"layernorm.variance", "layernorm.input"},
    {"monotonic.length", "monotonic.gain"}, {"monotonic.next", "monotonic.previous"},
    {"readout.tanh", "readout.state"},      {"rnn.tanh", "rnn.state"},
    {"upper.residual", "upper.below"},      {"window.query", "window.center"},
    {"window.tanh", "window.center"},
};

/* Per thread: two gradient checks may run at once. */
static _Thread_local const char *injected;
static _Thread_local bool hit;
static _Thread_local void *unread; /* results that are dropped */

bool sa_broken(const char *term) {
    if (!injected || strcmp(injected, term) != 0) return false;
    return hit = true;
}

bool sa_any_broken(void) {
    return injected != NULL;
}

sa_mat sa_unless_broken(const char *term, sa_mat result) {
    const size_t size = (size_t)result.rows * (size_t)result.ld;
    if (!result.x || !size || !result.cols || !sa_broken(term)) return result;
    free(unread);
    unread = result.x = sa_new(size, sizeof *result.x, NULL);
    sa_require(unread);
    return result;
}

bool sa_gradient_fault_hit(void) {
    return hit;
}

bool sa_gradient_fault_inject(const char *name) {
    free(unread);
    injected = unread = NULL;
    hit = false;
    for (size_t i = 0; name && i < FAULTS; i++)
        if (strcmp(faults[i].name, name) == 0) injected = faults[i].name;
    return !name || injected;
}

const char *sa_gradient_fault_renamed(const char *before) {
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].before, before) == 0) return renamed[i].now;
    return NULL;
}

const char *sa_gradient_fault(size_t i, const char **dropped, const char **options) {
    if (i >= FAULTS) return NULL;
    if (dropped) *dropped = faults[i].dropped;
    if (options) *options = faults[i].options;
    return faults[i].name;
}
