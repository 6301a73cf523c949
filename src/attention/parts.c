#include "attention/parts.h"
#include "tensor/vec.h"

#include <math.h>
#include <string.h>

const sa_part *const sa_parts[] = {
    &sa_running_sums_part,
    &sa_directions_part,
    &sa_graves_part,
    &sa_two_maps_part,
    &sa_positions_end_part,
    &sa_rotation_part,
    &sa_t5_part,
    &sa_alibi_part,
    &sa_relative_vectors_part,
    &sa_null_key_part,
    &sa_entmax_alpha_part,
    &sa_monotonic_part,
    &sa_hard_part,
    &sa_window_part,
    &sa_predicted_window_part,
    &sa_override_part,
    &sa_earlier_weights_part,
    &sa_coverage_part,
    &sa_location_aware_part,
    &sa_head_norm_part,
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
                           .formula =
                               "q_i and k_j rotated by angles that grow with i and j, so that "
                               "q_i' k_j depends on i - j",
                           .citation = "Su et al. 2021, section 3.4.2",
                           .part = &sa_rotation_part},
    [SA_POSITIONS_SHAW] = {.name = "shaw",
                           .formula = "e_ij = f(q_i, k_j + a^K_c), c_i = sum_j alpha_ij (v_j + "
                                      "a^V_c), c = j - i clipped to shaw-distance on both sides; "
                                      "vectors learned in each layer, for all its heads",
                           .citation = "Shaw et al. 2018, section 3",
                           .part = &sa_relative_vectors_part},
    {.name = NULL},
};

const char *sa_position_name(size_t row) {
    return row < sizeof sa_position_kinds / sizeof *sa_position_kinds ? sa_position_kinds[row].name
                                                                      : NULL;
}

/* ---- Choice ---------------------------------------------------------------------------------- */

static bool is_chosen(const sa_part *row, const sa_attention_sizes *sizes) {
    const sa_position_kind *kind = sizes->positions ? sizes->positions->kind : NULL;
    return row == sizes->score->part || row == sizes->normalizer->part ||
           (kind && row == kind->part) || (row->chosen && row->chosen(sizes));
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

sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state, int annotation) {
    const sa_score *score = &sa_scores[settings->attention];
    const sa_part *own = score->part;
    const int value = settings->value_size ? settings->value_size : annotation / settings->heads;
    return (sa_attention_sizes){
        .score = score,
        .normalizer =
            own && own->normalizer ? own->normalizer : &sa_normalizers[settings->normalizer],
        .settings = *settings,
        .state = state,
        .annotation = annotation,
        .size = settings->attn,
        .max_positions = settings->max_len + 1, /* EOS has a position too */
        .heads = settings->heads,
        .kv_heads = settings->kv_heads,
        .value = value > 1 ? value : 1, /* there may be more heads than numbers */
    };
}

/* Weights that may be exactly 0, where they have no gradient. */
static const char *refuse_zeros(const sa_attention_sizes *sizes) {
    const sa_settings *settings = &sizes->settings;
    const bool own = sizes->score->part && sizes->score->part->normalizer;
    if (!sizes->normalizer->sparse) return NULL;
    if (settings->guided_alignment > 0)
        return own ? "{guided_alignment} needs the logarithm of every weight: {attention:} makes "
                     "weights of 0, where it is infinite and has no gradient"
                   : "{guided_alignment} needs the logarithm of every weight: {normalizer:} makes "
                     "weights of 0, where it is infinite and has no gradient";
    if (!settings->copy) return NULL;
    return own ? "{copy} needs a weight above 0 on the word to be copied: {attention:} makes "
                 "weights of 0, where the loss is infinite and has no gradient"
               : "{copy} needs a weight above 0 on the word to be copied: {normalizer:} makes "
                 "weights of 0, where the loss is infinite and has no gradient";
}

const char *sa_attention_refuse(const sa_attention_sizes *sizes, const sa_position_kind *kind) {
    const sa_positions positions = {.kind = kind};
    sa_attention_sizes self = *sizes;
    const sa_part *list[SA_PARTS_MAX];
    if (kind) self.positions = &positions, self.site = SA_SITE_ENCODER;
    const int count = sa_parts_choose(&self, list);
    const char *reason = NULL;
    if (sizes->kv_heads && sizes->heads % sizes->kv_heads != 0)
        return "{kv_heads:}: each key/value head serves equally many heads, but {:kv_heads} does "
               "not divide {heads:}";
    for (int p = 0; p < count && !reason; p++)
        if (list[p]->refuse) reason = list[p]->refuse(&self);
    if (!reason) reason = refuse_zeros(sizes);
    if (reason || sizes->score->key != SA_KEY_IDENTITY) return reason;
    if (sizes->heads > 1)
        return "{attention:} has no projections, so it cannot have {:heads} heads";
    return sizes->annotation == sizes->state
               ? NULL
               : "{attention:} compares annotations of twice {:hidden} numbers with states of "
                 "{:hidden}: it needs {encoder:uni}";
}

/* ---- Binding --------------------------------------------------------------------------------- */

void sa_parts_bind(sa_binder *binder, const char *name, const sa_attention_sizes *sizes, int from,
                   int to, sa_attention *w) {
    for (int order = from; order <= to; order++)
        for (int p = 0; p < w->parts; p++) {
            const sa_part *row = w->part[p].row;
            if (row->bind && row->order == order) row->bind(binder, name, sizes, w, w->part[p].own);
        }
}

static int number_of(const sa_part *row) {
    int number = 0;
    while (sa_parts[number] && sa_parts[number] != row) number++;
    return number;
}

void *sa_part_add(sa_attention *w, const sa_part *row) {
    int p = w->parts++;
    sa_require(w->parts <= SA_PARTS_MAX);
    for (; p && number_of(w->part[p - 1].row) > number_of(row); p--) w->part[p] = w->part[p - 1];
    w->part[p] = (sa_bound_part){.row = row};
    return w->part[p].own;
}

int sa_part_find(const sa_attention *w, const sa_part *row) {
    int p = w->parts - 1;
    while (p >= 0 && w->part[p].row != row) p--;
    return p;
}

/* ---- State ----------------------------------------------------------------------------------- */

sa_mat sa_head_part(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

/* Numbers of the first `count` parts, and of them those for each word. */
static int state_of(const sa_attention *w, int count, int *words) {
    int numbers = 0;
    *words = 0;
    for (int p = 0; p < count; p++)
        numbers += w->part[p].row->state, *words += w->part[p].row->state_words;
    return numbers;
}

sa_mat sa_part_state(const sa_attention *w, int part, sa_mat states, int k, int S) {
    const sa_part *row = w->part[part].row;
    const sa_mat head = sa_head_part(states, w->heads, k);
    int words, before;
    const int numbers = state_of(w, w->parts, &words),
              steps = words ? (head.cols - numbers) / words : 0;
    const int first = state_of(w, part, &before) + before * steps;
    return sa_cols(head, first, row->state + row->state_words * S);
}

/* ---- Scratch --------------------------------------------------------------------------------- */

int sa_scratch_width(const sa_attention *w, int count, int queries, int steps) {
    int width = 0;
    for (int p = 0; p < count; p++)
        if (w->part[p].row->scratch_width)
            width += w->part[p].row->scratch_width(w, p, queries, steps);
    return width;
}

sa_mat sa_part_scratch(const sa_attention *w, int part, const sa_head *at) {
    const int queries = at->scratch->soft.rows, steps = at->scratch->keys.rows,
              first = sa_scratch_width(w, part, queries, steps);
    return sa_cols(at->scratch->parts, first,
                   sa_scratch_width(w, part + 1, queries, steps) - first);
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

void sa_parts_forward(const sa_attention *w, sa_place place, sa_head *at) {
    for (int p = 0; p < w->parts; p++) {
        sa_part_forward *hook = w->part[p].row->forward[place];
        if (hook) hook(w, p, at);
    }
}

void sa_parts_backward(const sa_attention *w, sa_place place, sa_head *at, sa_head *d,
                       sa_attention *dw) {
    for (int p = w->parts - 1; p >= 0; p--) {
        sa_part_backward *hook = w->part[p].row->backward[place];
        if (hook) hook(w, p, at, d, dw);
    }
}

void sa_parts_span(const sa_attention *w, const sa_head *at, int query, sa_span *seen) {
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].row->span) w->part[p].row->span(w, p, at, query, seen);
}

sa_mat sa_own_keys(sa_head *at) {
    const sa_mat own = sa_cols(sa_rows(at->scratch->own_keys, 0, at->k.rows), 0, at->k.cols);
    if (at->k.x == own.x) return own; /* another part's */
    sa_copy_mat(at->k, own);
    at->k = own;
    if (at->derivative) {
        at->derivative->k = sa_cols(sa_rows(at->scratch->d_own_keys, 0, own.rows), 0, own.cols);
        sa_zero(at->derivative->k);
    }
    return own;
}

void sa_kinks_add(sa_kinks *found, double distance, double least) {
    found->pattern = sa_hash_mix(found->pattern ^ (distance > 0));
    found->nearest = fmin(found->nearest, fabs(distance) / least);
}

sa_mat sa_part_show(const sa_attention *w, const sa_part *row, const sa_head *at,
                    const char *name) {
    const int part = sa_part_find(w, row);
    sa_shown shown[SA_SHOWN_MAX];
    const int count = part < 0 || !row->show ? 0 : row->show(w, part, at, shown);
    for (int i = 0; i < count; i++)
        if (shown[i].name && strcmp(shown[i].name, name) == 0) return shown[i].value;
    return (sa_mat){0};
}
