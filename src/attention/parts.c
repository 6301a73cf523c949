/* parts: the list of all parts, which of them an attention has, the kinds of positions, the
 * functions that run hooks, and helpers for the files of parts/. */
#include "attention/parts.h"

#include <string.h>

/* ---- Hooks ----------------------------------------------------------------------------------- */

/* Traces what a part adds to the scores. */
static void trace_bias(const sa_attention *w, int part, const sa_head *head) {
    sa_head alone = *head;
    alone.alpha = sa_corner(head->scratch->soft, head->alpha.rows, head->alpha.cols);
    sa_zero(alone.alpha);
    w->part[part].kind->forward[SA_PLACE_SCORES](w, part, &alone);
    const sa_part *kind = w->part[part].kind;
    sa_part_trace(w, part, head, kind->formula, SA_SHAPE_COLUMN, kind->bias.name,
                  kind->bias.letters, alone.alpha);
}

void sa_parts_forward(const sa_attention *w, sa_place place, sa_head *head) {
    for (int p = 0; p < w->parts; p++) {
        const sa_part *kind = w->part[p].kind;
        if (sa_is_traced() && place == SA_PLACE_SCORES && kind->bias.name) trace_bias(w, p, head);
        if (kind->forward[place]) kind->forward[place](w, p, head);
    }
}

void sa_parts_backward(const sa_attention *w, sa_place place, sa_head *head, sa_head *d) {
    for (int p = w->parts - 1; p >= 0; p--) {
        sa_part_backward *hook = w->part[p].kind->backward[place];
        if (hook) hook(w, p, head, d);
    }
}

void sa_parts_span(const sa_attention *w, const sa_head *head, int query, sa_span *seen) {
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->span) w->part[p].kind->span(w, p, head, query, seen);
}

const sa_rare_hooks *sa_rare_of(const sa_part *part) {
    static const sa_rare_hooks none;
    return part && part->rare ? part->rare : &none;
}

void sa_attention_rows_zero(const sa_attention *w, sa_attention_rows d) {
    sa_zero(d.q), sa_zero(d.previous_carry);
    for (int p = 0; p < w->parts; p++) {
        const sa_rare_hooks *rare = sa_rare_of(w->part[p].kind);
        if (!rare->penalty && !rare->samples) sa_zero(d.part[p]);
    }
}

void sa_parts_kinks(const sa_attention *w, const sa_head *head, sa_kinks *found) {
    for (int p = 0; p < w->parts; p++) {
        const sa_rare_hooks *rare = sa_rare_of(w->part[p].kind);
        if (rare->kinks) rare->kinks(w, p, head, found);
    }
}

void sa_running_step(const sa_attention *w, const sa_memory *words, int t, sa_mat q, sa_mat sums,
                     sa_mat o, sa_mat scratch) {
    for (int p = 0; p < w->parts; p++) {
        const sa_rare_hooks *rare = sa_rare_of(w->part[p].kind);
        if (rare->running_step) rare->running_step(w, p, words, t, q, sums, o, scratch);
    }
}

/* ---- For the files of parts ------------------------------------------------------------------ */

int sa_part_find(const sa_attention *w, const sa_part *kind) {
    int p = w->parts - 1;
    while (p >= 0 && w->part[p].kind != kind) p--;
    return p;
}

sa_mat sa_part_row(const sa_attention *w, int part, const sa_head *head) {
    return sa_head_slice(head->rows.part[part], w->heads, head->index);
}

sa_mat sa_part_carry(const sa_attention *w, int part, sa_mat states, int k, int S) {
    const sa_part *kind = w->part[part].kind;
    const sa_mat head = sa_head_slice(states, w->heads, k);
    const int numbers = sa_carry_width(w, w->parts, 0),
              words = sa_carry_width(w, w->parts, 1) - numbers,
              first = sa_carry_width(w, part, words ? (head.cols - numbers) / words : 0);
    return sa_cols(head, first, kind->carry + kind->carry_words * S);
}

/* ---- Scratch --------------------------------------------------------------------------------- */

sa_mat sa_part_scratch(const sa_attention *w, int part, const sa_head *head) {
    const int queries = head->scratch->soft.rows, steps = head->scratch->score.rows;
    return sa_cols(head->scratch->parts, sa_parts_widths(w, part, queries, steps).scratch,
                   sa_part_widths_of(w, part, queries, steps).scratch);
}

sa_mat sa_part_memory(int part, const sa_head *head) {
    const sa_mat all = head->memory->part[part];
    return all.cols ? sa_sentence_rows(all, head->memory->first, head->sentence) : (sa_mat){0};
}

sa_mat sa_own_keys(sa_head *head) {
    const sa_mat own = sa_corner(head->scratch->own_keys, head->k.rows, head->k.cols);
    if (head->k.x == own.x) return own; /* another part made them */
    sa_copy_mat(head->k, own);
    head->k = own;
    if (head->gradient) {
        head->gradient->k = sa_corner(head->scratch->d_own_keys, own.rows, own.cols);
        sa_zero(head->gradient->k);
    }
    return own;
}

void sa_kinks_add(sa_kinks *found, double distance, double least) {
    found->pattern = sa_hash_mix(found->pattern ^ (distance > 0));
    found->nearest = fmin(found->nearest, fabs(distance) / least);
}

/* ---- The list -------------------------------------------------------------------------------- */

/* All parts, in the order in which they run. */
static const sa_part *const all_parts[] = {
    &sa_running_sums_part, /* one per line */
    &sa_delta_part,
    &sa_directions_part,
    &sa_graves_part,
    &sa_smeared_keys_part,
    &sa_two_maps_part,
    &sa_latent_part,
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
    &sa_merged_part,
    &sa_exclusive_part,
    &sa_head_norm_part,
    &sa_output_gate_part,
    NULL,
};

/* The order of parameters in model files, each group up to its NULL. Parts that are not listed
 * follow the second group. */
static const sa_part *const bind_order[] = {
    &sa_location_aware_part, /* one per line */
    NULL,
    &sa_predicted_window_part,
    &sa_coverage_part,
    &sa_learned_number_part,
    &sa_two_maps_part,
    &sa_latent_part,
    &sa_delta_part,
    &sa_head_norm_part,
    &sa_null_key_part,
    &sa_smeared_keys_part,
    &sa_forgetting_part,
    &sa_output_gate_part,
    NULL,
    &sa_relative_vectors_part,
    NULL,
};

bool sa_part_learns(const sa_part *kind) {
    for (size_t i = 0; i < sizeof bind_order / sizeof *bind_order; i++)
        if (bind_order[i] == kind) return true;
    return false;
}

static void bind_part(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes, int p,
                      sa_attention *w) {
    if (w->part[p].kind->bind) w->part[p].kind->bind(binder, prefix, sizes, w, w->part[p].own);
}

void sa_parts_bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                   sa_bind_group group, sa_attention *w) {
    const sa_part *const *kind = bind_order;
    for (int skipped = 0; skipped < (int)group; kind++) skipped += *kind == NULL;
    for (; *kind; kind++)
        if (sa_part_find(w, *kind) >= 0)
            bind_part(binder, prefix, sizes, sa_part_find(w, *kind), w);
    for (int p = 0; p < w->parts && group == SA_BIND_AFTER_VALUES; p++)
        if (!sa_part_learns(w->part[p].kind)) bind_part(binder, prefix, sizes, p, w);
}

void *sa_part_add(sa_attention *w, const sa_part *kind, int place) {
    sa_require(w->parts < SA_PARTS_MAX && place <= w->parts);
    memmove(&w->part[place + 1], &w->part[place], (size_t)(w->parts++ - place) * sizeof *w->part);
    memset(&w->part[place], 0, sizeof *w->part);
    w->part[place].kind = kind;
    return w->part[place].own;
}

static bool is_chosen(const sa_part *part, const sa_attention_sizes *sizes) {
    const sa_position_kind *kind = sizes->positions ? sizes->positions->kind : NULL;
    return part->chosen ? part->chosen(sizes)
                        : part == sizes->score->part || part == sizes->normalizer->part ||
                              (kind && part == kind->part);
}

int sa_parts_choose(const sa_attention_sizes *sizes, const sa_part *list[SA_PARTS_CHOSEN]) {
    int count = 0;
    for (int i = 0; all_parts[i]; i++) {
        bool wanted = is_chosen(all_parts[i], sizes);
        for (int j = 0; all_parts[j]; j++)
            wanted =
                wanted || (all_parts[j]->with == all_parts[i] && is_chosen(all_parts[j], sizes));
        if (!wanted) continue;
        sa_require(count < SA_PARTS_CHOSEN);
        list[count++] = all_parts[i];
    }
    return count;
}

/* Refuses copying and guided alignment with weights that are not probabilities, or that may be
 * exactly 0, where they have no gradient. */
static const char *refuse_weights(const sa_attention_sizes *sizes) {
    const sa_part *part = sizes->score->part;
    const bool copy = sizes->settings.copy, guided = sizes->settings.guided_alignment > 0;
    if (part && part->normalizer && sizes->settings.normalizer != SA_NORMALIZER_SOFTMAX)
        return "{attention:} makes weights itself, without {normalizer:}";
    if (sizes->normalizer->any_sum || sa_rare_of(part)->any_sum)
        return copy ? "{copy} copies by probabilities, but the weights of {weights:} may have any "
                      "sum"
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

/* Refuses, in a Transformer, parts with a state, which they pass on from one query to the next. */
static const char *refuse_state(const sa_attention_sizes *sizes, const sa_part *part) {
    if (!sizes->transformer || (!part->carry && !part->carry_words)) return NULL;
    return sizes->settings.coverage != SA_COVERAGE_NONE
               ? "{coverage:} adds up weights from target word to target word, but a Transformer "
                 "attends from all of them at once: it needs {model:recurrent}"
               : "{attention:} continues from target word to target word, but a Transformer "
                 "attends from all of them at once: it needs {model:recurrent}";
}

/* Refuses split projections that do not fit: they divide among the heads what a query, and what its
 * keys, are made from. */
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
    const sa_part *list[SA_PARTS_CHOSEN];
    if (kind) self.positions = &positions, self.site = SA_SITE_ENCODER;
    const int count = sa_parts_choose(&self, list);
    if (sizes->kv_heads && sizes->heads % sizes->kv_heads != 0)
        return "{kv_heads:}: each key/value head serves equally many heads, but {:kv_heads} does "
               "not divide {heads:}";
    const char *reason = refuse_split(sizes);
    if (!reason && sizes->settings.merged) reason = sa_merged_part.refuse(&self);
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

/* ---- Kinds of positions ---------------------------------------------------------------------- */

const sa_position_kind sa_position_kinds[] = {
    /* in the order of SA_POSITIONS_... */
    {.name = "none", .formula = "nothing", .citation = "the bare embeddings"},
    {.name = "sinusoidal",
     .formula = "x_t + PE_t: sin(t / 10000^(2i/m)) in number 2i, the cosine in number 2i + 1",
     .citation = "Vaswani et al. 2017, section 3.5",
     .encoding = sa_sinusoidal_encoding},
    {.name = "learned",
     .formula = "x_t + P_t, a vector learned for each position",
     .citation = "Vaswani et al. 2017, section 3.5",
     .bind = sa_learned_positions_bind,
     .encoding = sa_learned_encoding,
     .encoding_backward = sa_learned_encoding_backward},
    {.name = "t5",
     .formula = "e_ij + B[bucket(j - i)], a number learned for each head and range of distances, "
                "shared by all layers",
     .citation = "Raffel et al. 2020, section 2.1",
     .bind = sa_t5_bind,
     .part = &sa_t5_part},
    {.name = "alibi",
     .formula = "e_ij - 2^(-8 h / H) |i - j| in head h of H",
     .citation = "Press et al. 2022, section 3",
     .part = &sa_alibi_part},
    {.name = "rope",
     .formula = "q_i and k_j rotated by angles that grow with i and j: (R_i q_i)' (R_j k_j) / "
                "sqrt(n') depends on i - j alone",
     .citation = "Su et al. 2021, section 3.4.2",
     .part = &sa_rotation_part},
    {.name = "shaw",
     .formula = "e_ij = f(q_i, k_j + a^K_c), c_i = sum_j alpha_ij (v_j + a^V_c), c = j - i clipped "
                "to shaw-distance on both sides; vectors learned in each layer, for all its heads",
     .citation = "Shaw et al. 2018, section 3",
     .part = &sa_relative_vectors_part},
    {.name = "forgetting",
     .formula = "e_ij + sum_l log f_l, l from j + 1 to i, f_l = sigma(w_f' x_l + b_f): gates "
                "learned in each layer for each head",
     .citation = "Lin et al. 2025",
     .part = &sa_forgetting_part},
    {.name = NULL},
};
