#include "attention/score.h"
#include "attention/additive.h"
#include "attention/content_free.h"
#include "attention/product.h"

const sa_score sa_scores[] = {
    [SA_ATTENTION_ADDITIVE] = {"additive", "e_j = v_a' tanh(W_a s + U_a h_j)",
                               "Bahdanau et al. 2015, A.1.2", SA_QUERY_PROJECTED, SA_KEY_PROJECTED,
                               true, sa_additive_forward, sa_additive_backward},
    [SA_ATTENTION_SCALED_DOT] = {"scaled-dot", "e_j = (W_a s)' (U_a h_j) / sqrt(n')",
                                 "Vaswani et al. 2017, section 3.2.1", SA_QUERY_PROJECTED,
                                 SA_KEY_PROJECTED, false, sa_scaled_dot_forward,
                                 sa_scaled_dot_backward},
    [SA_ATTENTION_DOT] = {"dot", "e_j = (W_a s)' (U_a h_j)", "Luong et al. 2015, section 3.1",
                          SA_QUERY_PROJECTED, SA_KEY_PROJECTED, false, sa_dot_forward,
                          sa_dot_backward},
    [SA_ATTENTION_GENERAL] = {"general", "e_j = s' W_a h_j", "Luong et al. 2015, section 3.1",
                              SA_QUERY_IDENTITY, SA_KEY_STATE_SIZED, false, sa_dot_forward,
                              sa_dot_backward},
    [SA_ATTENTION_RAW_DOT] = {"raw-dot", "e_j = s' h_j, without any map: h_j must be as wide as s",
                              "Luong et al. 2015, section 3.1", SA_QUERY_IDENTITY, SA_KEY_IDENTITY,
                              false, sa_dot_forward, sa_dot_backward},
    [SA_ATTENTION_CONCAT] = {"concat",
                             "e_j = v_a' tanh([W_a U_a] [s ; h_j]): additive by another name",
                             "Luong et al. 2015, section 3.1", SA_QUERY_PROJECTED, SA_KEY_PROJECTED,
                             true, sa_additive_forward, sa_additive_backward},
    [SA_ATTENTION_LOCATION] = {"location", "e = W_a s, blind to the source",
                               "Luong et al. 2015, section 3.1", SA_QUERY_POSITIONS, SA_KEY_NONE,
                               false, sa_location_forward, sa_location_backward},
    [SA_ATTENTION_UNIFORM] = {"uniform", "e_j = 0: the mean of the annotations",
                              "the state at which A.1.2 starts", SA_QUERY_IDENTITY, SA_KEY_NONE,
                              false, sa_uniform_forward, sa_uniform_backward},
    {.name = NULL},
};

const char *sa_score_name(size_t row) {
    return row < sizeof sa_scores / sizeof *sa_scores ? sa_scores[row].name : NULL;
}
