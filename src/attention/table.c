/* table: which parts there are and which of them an attention has; kinds of positions. */
#include "attention/parts.h"

#include <stddef.h>

const sa_part *const sa_parts[] = {
    &sa_running_sums_part, /* one a line */
    &sa_delta_part,
    &sa_directions_part,
    &sa_graves_part,
    &sa_smeared_keys_part,
    &sa_two_maps_part,
    &sa_positions_end_part,
    &sa_rotation_part,
    &sa_t5_part,
    &sa_alibi_part,
    &sa_forgetting_part,
    &sa_relative_vectors_part,
    &sa_selective_part,
    &sa_null_key_part,
    &sa_learned_number_part,
    &sa_monotonic_part,
    &sa_hard_part,
    &sa_window_part,
    &sa_predicted_window_part,
    &sa_override_part,
    &sa_earlier_weights_part,
    &sa_coverage_part,
    &sa_location_aware_part,
    &sa_head_norm_part,
    &sa_output_gate_part,
    NULL,
};

/* ---- Kinds of positions ---------------------------------------------------------------------- */

const sa_position_kind sa_position_kinds[] = {
    [SA_POSITIONS_NONE] = {.name = "none", .formula = "nothing", .citation = "the bare embeddings"},
    [SA_POSITIONS_SINUSOIDAL] = {.name = "sinusoidal",
                                 .formula = "x_t + PE_t: sin(t / 10000^(2i/m)) in number 2i, the "
                                            "cosine in number 2i + 1",
                                 .citation = "Vaswani et al. 2017, section 3.5",
                                 .encoding = sa_sinusoidal_encoding},
    [SA_POSITIONS_LEARNED] = {.name = "learned",
                              .formula = "x_t + P_t, a vector learned for each position",
                              .citation = "Vaswani et al. 2017, section 3.5",
                              .bind = sa_learned_positions_bind,
                              .encoding = sa_learned_encoding,
                              .encoding_backward = sa_learned_encoding_backward},
    [SA_POSITIONS_T5] = {.name = "t5",
                         .formula = "e_ij + B[bucket(j - i)], a number learned for each head and "
                                    "range of distances, shared by all layers",
                         .citation = "Raffel et al. 2020, section 2.1",
                         .bind = sa_t5_bind,
                         .part = &sa_t5_part},
    [SA_POSITIONS_ALIBI] = {.name = "alibi",
                            .formula = "e_ij - 2^(-8 h / H) |i - j| in head h of H",
                            .citation = "Press et al. 2022, section 3",
                            .part = &sa_alibi_part},
    [SA_POSITIONS_ROPE] = {.name = "rope",
                           .formula = "q_i and k_j rotated by angles that grow with i and j: "
                                      "(R_i q_i)' (R_j k_j) / sqrt(n') depends on i - j alone",
                           .citation = "Su et al. 2021, section 3.4.2",
                           .part = &sa_rotation_part},
    [SA_POSITIONS_SHAW] = {.name = "shaw",
                           .formula = "e_ij = f(q_i, k_j + a^K_c), c_i = sum_j alpha_ij (v_j + "
                                      "a^V_c), c = j - i clipped to shaw-distance on both sides; "
                                      "vectors learned in each layer, for all its heads",
                           .citation = "Shaw et al. 2018, section 3",
                           .part = &sa_relative_vectors_part},
    [SA_POSITIONS_FORGETTING] = {.name = "forgetting",
                                 .formula = "e_ij + sum_l log f_l, l from j + 1 to i, f_l = "
                                            "sigma(w_f' x_l + b_f): gates learned in each layer "
                                            "for each head",
                                 .citation = "Lin et al. 2025",
                                 .part = &sa_forgetting_part},
    {.name = NULL},
};

/* ---- Choice ---------------------------------------------------------------------------------- */

static bool is_chosen(const sa_part *part, const sa_attention_sizes *sizes) {
    const sa_position_kind *kind = sizes->positions ? sizes->positions->kind : NULL;
    return part->chosen ? part->chosen(sizes)
                        : part == sizes->score->part || part == sizes->normalizer->part ||
                              (kind && part == kind->part);
}

int sa_parts_choose(const sa_attention_sizes *sizes, const sa_part *list[SA_PARTS_MAX]) {
    int count = 0;
    for (int i = 0; sa_parts[i]; i++) {
        bool wanted = is_chosen(sa_parts[i], sizes);
        for (int j = 0; sa_parts[j]; j++)
            wanted = wanted || (sa_parts[j]->with == sa_parts[i] && is_chosen(sa_parts[j], sizes));
        if (!wanted) continue;
        sa_require(count < SA_PARTS_MAX);
        list[count++] = sa_parts[i];
    }
    return count;
}

sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state_width,
                                         int annotation_width) {
    const sa_score *score = &sa_scores[settings->attention];
    const sa_part *own = score->part;
    const int value =
        settings->value_size ? settings->value_size : annotation_width / settings->heads;
    return (sa_attention_sizes){
        .score = score,
        .normalizer =
            own && own->normalizer ? own->normalizer : &sa_normalizers[settings->normalizer],
        .settings = *settings,
        .state_width = state_width,
        .annotation_width = annotation_width,
        .size = settings->attn,
        .max_positions = settings->max_len + 1, /* EOS has a position too */
        .heads = settings->heads,
        .kv_heads = settings->kv_heads,
        .value = value > 1 ? value : 1, /* there may be more heads than numbers */
    };
}

/* Weights that are no probabilities, or may be exactly 0, where they have no gradient. */
static const char *refuse_weights(const sa_attention_sizes *sizes) {
    const sa_part *part = sizes->score->part;
    const bool copy = sizes->settings.copy, guided = sizes->settings.guided_alignment > 0;
    if (part && part->normalizer && sizes->settings.normalizer != SA_NORMALIZER_SOFTMAX)
        return "{attention:} makes weights itself, without {normalizer:}";
    if (sizes->normalizer->any_sum || (part && part->any_sum))
        return copy     ? "{copy} copies by probabilities, but the weights of {weights:} may have "
                          "any sum"
               : guided ? "{guided_alignment} compares distributions: the weights of {weights:} "
                          "may have any sum, and it would only make them larger"
                        : NULL;
    if (!sizes->normalizer->sparse) return NULL;
    return guided ? "{guided_alignment} needs the logarithm of every weight: {weights:} makes "
                    "weights of 0, where it is infinite and has no gradient"
           : copy ? "{copy} needs a weight above 0 on the word to be copied: {weights:} makes "
                    "weights of 0, where the loss is infinite and has no gradient"
                  : NULL;
}

/* Parts with a state pass it on from one query to the next. */
static const char *refuse_state(const sa_attention_sizes *sizes, const sa_part *part) {
    if (!sizes->transformer || (!part->carry && !part->carry_words)) return NULL;
    return sizes->settings.coverage != SA_COVERAGE_NONE
               ? "{coverage:} adds up weights from target word to target word, but a Transformer "
                 "attends from all of them at once: it needs {model:recurrent}"
               : "{attention:} continues from target word to target word, but a Transformer "
                 "attends from all of them at once: it needs {model:recurrent}";
}

/* Split projections divide what a query is made of among the heads, and what its keys are. */
static const char *refuse_split(const sa_attention_sizes *sizes) {
    if (sizes->settings.head_projection != SA_HEAD_PROJECTION_SPLIT) return NULL;
    if (!sizes->transformer)
        return "{head_projection:} divides the numbers of a Transformer's words among the heads: "
               "it needs {model:transformer}";
    if (sizes->score->query != SA_QUERY_PROJECTED || !sa_key_projected(sizes->score))
        return "{head_projection:} projects queries and keys, but {attention:} does not project "
               "both";
    if (sizes->kv_heads && sizes->kv_heads != sizes->heads)
        return "{head_projection:} gives each head its own share of a word, but {kv_heads:} lets "
               "heads share keys and values";
    return sizes->annotation_width % sizes->heads == 0
               ? NULL
               : "{head_projection:} divides the {:embed} numbers of {embed} among the heads, but "
                 "{heads:} does not divide them";
}

const char *sa_attention_refuse(const sa_attention_sizes *sizes, const sa_position_kind *kind) {
    const sa_positions positions = {.kind = kind, .causal = true};
    sa_attention_sizes self = *sizes;
    const sa_part *list[SA_PARTS_MAX];
    if (kind) self.positions = &positions, self.site = SA_SITE_ENCODER;
    const int count = sa_parts_choose(&self, list);
    const char *reason = NULL;
    if (sizes->kv_heads && sizes->heads % sizes->kv_heads != 0)
        return "{kv_heads:}: each key/value head serves equally many heads, but {:kv_heads} does "
               "not divide {heads:}";
    if (!reason) reason = refuse_split(sizes);
    for (int p = 0; p < count && !reason; p++) reason = refuse_state(sizes, list[p]);
    for (int p = 0; p < count && !reason; p++)
        if (list[p]->refuse) reason = list[p]->refuse(&self);
    if (!reason && sizes->normalizer->refuse) reason = sizes->normalizer->refuse(&self);
    if (!reason) reason = refuse_weights(sizes);
    if (reason || sizes->score->key != SA_KEY_IDENTITY) return reason;
    if (sizes->heads > 1)
        return "{attention:} has no projections, so it cannot have {:heads} heads";
    return sizes->annotation_width == sizes->state_width
               ? NULL
               : "{attention:} compares annotations with states, which must be equally wide: it "
                 "needs {encoder:uni}";
}
