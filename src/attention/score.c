#include "attention/score.h"
#include "attention/additive.h"
#include "attention/content_free.h"
#include "attention/hard.h"
#include "attention/monotonic.h"
#include "attention/product.h"
#include "attention/similarity.h"

const sa_score sa_scores[] = {
    [SA_ATTENTION_ADDITIVE] = {"additive", "e_j = v_a' tanh(W_a s + U_a h_j)",
                               "Bahdanau et al. 2015, A.1.2", SA_QUERY_PROJECTED, SA_KEY_PROJECTED,
                               false, sa_additive_bind, sa_additive_forward, sa_additive_backward},
    [SA_ATTENTION_SCALED_DOT] = {"scaled-dot", "e_j = (W_a s)' (U_a h_j) / sqrt(n')",
                                 "Vaswani et al. 2017, section 3.2.1", SA_QUERY_PROJECTED,
                                 SA_KEY_PROJECTED, true, NULL, sa_scaled_dot_forward,
                                 sa_scaled_dot_backward},
    [SA_ATTENTION_DOT] = {"dot", "e_j = (W_a s)' (U_a h_j)", "Luong et al. 2015, section 3.1",
                          SA_QUERY_PROJECTED, SA_KEY_PROJECTED, true, NULL, sa_dot_forward,
                          sa_dot_backward},
    [SA_ATTENTION_GENERAL] = {"general", "e_j = s' W_a h_j", "Luong et al. 2015, section 3.1",
                              SA_QUERY_IDENTITY, SA_KEY_STATE_SIZED, true, NULL, sa_dot_forward,
                              sa_dot_backward},
    [SA_ATTENTION_RAW_DOT] = {"raw-dot", "e_j = s' h_j, without any map: h_j must be as wide as s",
                              "Luong et al. 2015, section 3.1", SA_QUERY_IDENTITY, SA_KEY_IDENTITY,
                              true, NULL, sa_dot_forward, sa_dot_backward},
    [SA_ATTENTION_CONCAT] = {"concat",
                             "e_j = v_a' tanh([W_a U_a] [s ; h_j]): additive by another name",
                             "Luong et al. 2015, section 3.1", SA_QUERY_PROJECTED, SA_KEY_PROJECTED,
                             false, sa_additive_bind, sa_additive_forward, sa_additive_backward},
    [SA_ATTENTION_LOCATION] = {"location", "e = W_a s, blind to the source",
                               "Luong et al. 2015, section 3.1", SA_QUERY_POSITIONS, SA_KEY_NONE,
                               false, NULL, sa_location_forward, sa_location_backward},
    [SA_ATTENTION_UNIFORM] = {"uniform", "e_j = 0: the mean of the annotations",
                              "the state at which A.1.2 starts", SA_QUERY_IDENTITY, SA_KEY_NONE,
                              false, NULL, sa_uniform_forward, sa_uniform_backward},
    [SA_ATTENTION_GAUSSIAN] = {"gaussian", "e_j = -|W_a s - U_a h_j|^2 / (2 h^2), h learned",
                               "kernel regression: Nadaraya 1964, Watson 1964", SA_QUERY_PROJECTED,
                               SA_KEY_PROJECTED, true, sa_gaussian_bind, sa_gaussian_forward,
                               sa_gaussian_backward, .kernel = true},
    [SA_ATTENTION_COSINE] = {"cosine", "e_j = beta cos(W_a s, U_a h_j), beta > 0 learned",
                             "Graves et al. 2014, equations 5 and 6", SA_QUERY_PROJECTED,
                             SA_KEY_PROJECTED, true, sa_cosine_bind, sa_cosine_forward,
                             sa_cosine_backward, .directions = true},
    [SA_ATTENTION_QK_NORM] = {"qk-norm",
                              "e_j = g cos(W_a s, U_a h_j), g learned from log2(L^2 - L) on",
                              "Henry et al. 2020, section 3", SA_QUERY_PROJECTED, SA_KEY_PROJECTED,
                              true, sa_qk_norm_bind, sa_qk_norm_forward, sa_qk_norm_backward,
                              .directions = true},
    [SA_ATTENTION_LINEAR] = {.name = "linear",
                             .formula = "e_j = log(phi(W_a s)' phi(U_a h_j)), phi(x) = elu(x) + 1",
                             .citation = "Katharopoulos et al. 2020, section 3.2",
                             .query = SA_QUERY_PROJECTED,
                             .key = SA_KEY_PROJECTED,
                             .forward = sa_feature_dot_forward,
                             .backward = sa_feature_dot_backward,
                             .features = sa_elu_features},
    [SA_ATTENTION_MONOTONIC] = {.name = "monotonic",
                                .formula = "e_j = g v_a' / |v_a| tanh(W_a s + U_a h_j + b_a) + r; "
                                           "from left to right, word j is selected with "
                                           "probability sigma(e_j)",
                                .citation = "Raffel et al. 2017, section 2",
                                .query = SA_QUERY_PROJECTED,
                                .key = SA_KEY_PROJECTED,
                                .bind = sa_monotonic_bind,
                                .forward = sa_monotonic_score_forward,
                                .backward = sa_monotonic_score_backward,
                                .normalizer = &sa_monotonic_normalizer},
    [SA_ATTENTION_GRAVES] = {"graves",
                             "alpha_j = sum_k a_k exp(-b_k (kappa_k - j)^2), no softmax; log a, "
                             "log b and log (kappa_k - kappa_k before) = W_a s + b_a, k = 1 .. 3",
                             "Graves 2013, section 5.1", SA_QUERY_MIXTURE, SA_KEY_NONE, false,
                             sa_graves_bind, sa_graves_forward, sa_graves_backward, .weights = true,
                             .state = SA_GRAVES_COMPONENTS, .carry = sa_graves_carry,
                             .carry_backward = sa_graves_carry_backward},
    [SA_ATTENTION_LOCATION_AWARE] = {.name = "location-aware",
                                     .formula = "e_j = v_a' tanh(W_a s + U_a h_j + W_f f_j + b_a), "
                                                "f_j = sum_o F_o alpha_{i-1,j-o}",
                                     .citation = "Chorowski et al. 2015, equations 8 and 9",
                                     .query = SA_QUERY_PROJECTED,
                                     .key = SA_KEY_PROJECTED,
                                     .bind = sa_additive_bind,
                                     .forward = sa_additive_forward,
                                     .backward = sa_additive_backward,
                                     .location_aware = true},
    [SA_ATTENTION_DIFFERENTIAL] = {"differential",
                                   "alpha_j = softmax_j(q_1' k_1j / sqrt(d)) - lambda "
                                   "softmax_j(q_2' k_2j / sqrt(d)) with the halves of W_a s and "
                                   "U_a h_j, lambda learned in each layer",
                                   "Ye et al. 2024, section 2.1", SA_QUERY_PROJECTED,
                                   SA_KEY_PROJECTED, true, NULL, sa_scaled_dot_forward,
                                   sa_scaled_dot_backward, .maps = 2},
    [SA_ATTENTION_HARD] = {.name = "hard",
                           .formula = "e_j = v_a' tanh(W_a s + U_a h_j); one word is drawn with "
                                      "probability softmax_j(e_j), decoding takes the most "
                                      "probable",
                           .citation = "Xu et al. 2015, section 4.1",
                           .query = SA_QUERY_PROJECTED,
                           .key = SA_KEY_PROJECTED,
                           .bind = sa_additive_bind,
                           .forward = sa_additive_forward,
                           .backward = sa_additive_backward,
                           .normalizer = &sa_hard_normalizer},
    {.name = NULL},
};

const char *sa_score_name(size_t row) {
    return row < sizeof sa_scores / sizeof *sa_scores ? sa_scores[row].name : NULL;
}
