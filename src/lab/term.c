#include "lab/term.h"
#include "lab/lab.h"

#include <string.h>

static const struct {
    const char *name, *dropped;
} terms[] = {
    {"additive.key", "dk_j += da_j"},
    {"additive.query", "dq_i += da_j"},
    {"additive.tanh", "the factor 1 - tanh^2 in da_j"},
    {"additive.v_a", "dv_a += de_ij t_j"},
    {"attention.keys", "dh_j += U_a' dk_j, dU_a"},
    {"attention.query", "ds_{i-1} += W_a' dq_i"},
    {"attention.softmax", "de = alpha . (dalpha - sum alpha dalpha)"},
    {"attention.values", "dh_j += alpha_ij dc_i"},
    {"decoder.context", "dc_i += C' da_i"},
    {"decoder.start", "dh_1 += W_s' ds_0"},
    {"dot.key", "dk += de' q (in scaled-dot and general too)"},
    {"dot.query", "dq += de k (in scaled-dot and general too)"},
    {"dropout.mask", "dx = dx . mask"},
    {"encoder.carry", "dh_{j-1} += what h_j sends back"},
    {"gru.carry", "ds' += ds . (1 - z)"},
    {"gru.gates", "ds' += U_z' da_z + U_r' da_r"},
    {"gru.reset", "da_r, all of it"},
    {"gru.through-reset", "ds' += r . U' da"},
    {"gru.update", "da_z, all of it"},
    {"linear.bias", "db += sum dy"},
    {"linear.input", "dx += dy W"},
    {"linear.weight", "dW += dy' x"},
    {"location.query", "dq_ij += de_ij"},
    {"loss.target", "- 1 at the right word"},
    {"scaled-dot.scale", "the factor 1 / sqrt(n')"},
};

enum { TERMS = sizeof terms / sizeof *terms };

/* Of the thread that checks: two may look for different faults at once. */
static _Thread_local const char *broken;

bool sa_term(const char *name) {
    return !broken || strcmp(broken, name) != 0;
}

bool sa_term_break(const char *name) {
    broken = NULL;
    for (size_t i = 0; name && i < TERMS; i++)
        if (strcmp(terms[i].name, name) == 0) broken = terms[i].name;
    return !name || broken;
}

const char *sa_lab_term(size_t i, const char **dropped) {
    if (i >= TERMS) return NULL;
    if (dropped) *dropped = terms[i].dropped;
    return terms[i].name;
}
