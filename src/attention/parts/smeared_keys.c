/* smeared_keys: mixes every key with the key of the word before (Olsson et al. 2022), in a
 * proportion that each head learns:
 *
 *   k~_j = sigma(a) k_j + (1 - sigma(a)) k_{j-1}      k~_1 = k_1
 *
 * So a query finds the word after the one that it resembles: an induction head, which would
 * otherwise take two layers. Memories and caches hold k; k~ is made where it is compared. */
#include "attention/parts.h"

typedef struct smeared_keys { /* weights, or their gradients */
    sa_mat a;                 /* [1 x H] */
} smeared_keys;

static sa_real share_of(const sa_attention *w, int part, int k) {
    return sa_sigma(((const smeared_keys *)sa_part_own(w, part))->a.x[k]);
}

/* k~_j = s k_j + (1 - s) k_{j-1}, s = sigma(a) */
static void keys_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_real s = share_of(w, part, head->index);
    const sa_mat k = sa_own_keys(head);
    for (int j = k.rows - 1; j > 0; j--)
        for (int l = 0; l < k.cols; l++)
            sa_row(k, j)[l] = s * sa_row(k, j)[l] + (1 - s) * sa_row(k, j - 1)[l];
    sa_part_trace_number(w, part, head, w->part[part].kind->formula, "smear", "sigma(a)", s);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_MATRIX, "smeared", "k~_j", k);
}

/* Turns dk~ into dk, in place; for both maps if a head has two. */
static void keys_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_real s = share_of(w, part, head->index);
    const sa_memory *memory = head->memory;
    const int S = head->k.rows;
    const sa_mat k = sa_kv_head_slice(
        w, sa_sentence_rows(memory->keys, memory->first, head->sentence), head->index);
    sa_real ds = 0;
    d->k.cols = k.cols;
    for (int j = 0; j < S; j++) {
        sa_real *dk = sa_row(d->k, j);
        for (int l = 0; j && l < k.cols; l++) ds += dk[l] * (sa_row(k, j)[l] - sa_row(k, j - 1)[l]);
        if (j) sa_scale(s, sa_rows(d->k, j, 1));
        if (j + 1 < S) sa_axpy(1 - s, sa_row(d->k, j + 1), dk, k.cols);
    }
    ((const smeared_keys *)sa_part_own(d->dw, part))->a.x[head->index] += s * (1 - s) * ds;
}

/* ---- The part -------------------------------------------------------------------------------- */

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->settings.smeared_keys;
}

static const char *refuse(const sa_attention_sizes *sizes) {
    const sa_position_kind *kind = sizes->positions ? sizes->positions->kind : NULL;
    if (sizes->score->key == SA_KEY_NONE)
        return "{smeared_keys} mixes keys, which {attention:} does not read";
    return kind && kind->part == &sa_relative_vectors_part
               ? "{smeared_keys} mixes the keys of all queries alike, but {positions:} gives each "
                 "query keys of its own"
               : NULL;
}

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    /* sigma(a) = 1/2 */
    ((smeared_keys *)own)->a = sa_bind_vector(binder, prefix, "smear", sizes->heads, SA_INIT_ZERO);
}

const sa_part sa_smeared_keys_part = {
    .name = "smeared keys",
    .formula = "k~_j = sigma(a) k_j + (1 - sigma(a)) k_{j-1}, k~_1 = k_1",
    .citation = "Olsson et al. 2022",
    .chosen = chosen,
    .refuse = refuse,
    .bind = bind,
    .own_keys = true,
    .forward = {[SA_PLACE_KEYS] = keys_forward},
    .backward = {[SA_PLACE_KEYS] = keys_backward},
    .rare = SA_RARE(.ordered = "every key is mixed with that of the word before"),
};
