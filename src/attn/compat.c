#include "attn/compat.h"
#include "attn/additive.h"
#include "attn/product.h"

const sa_compat sa_compats[] = {
    {"additive", "e = v_a' tanh(W_a s + U_a h)", "Bahdanau et al. 2015, A.1.2", true,
     sa_additive_forward, sa_additive_backward},
    {"scaled-dot", "e = (W_a s)' (U_a h) / sqrt(n')", "Vaswani et al. 2017, 3.2.1", false,
     sa_scaled_dot_forward, sa_scaled_dot_backward},
    {.name = NULL},
};

const char *sa_compat_name(size_t row) {
    return row < sizeof sa_compats / sizeof *sa_compats ? sa_compats[row].name : NULL;
}
