/* rotation: rotates queries and keys of self-attention by their positions (Su et al. 2021, section
 * 3.4.2, equation 34): each pair of neighbors (x_{2i-1}, x_{2i}) by position theta_i,
 * theta_i = 10000^(-2(i-1)/d). So q'k depends only on the distance between the two. */
#include "attention/parts.h"

#include <math.h>

typedef struct rotation {
    int first;      /* the position of the first word */
    bool one_query; /* one query serves all heads */
} rotation;

/* Rotates row r of x [R x vectors d] by first + r, or back. */
void sa_rotate(int first, bool back, int vectors, sa_mat x) {
    const int d = x.cols / vectors;
    for (int l = 0; l + 1 < d; l += 2) {
        const double theta = pow(10000, -(double)l / d);
        for (int r = 0; r < x.rows; r++) {
            const double angle = (back ? -theta : theta) * (first + r);
            const sa_real c = (sa_real)cos(angle), s = (sa_real)sin(angle);
            for (int k = 0; k < vectors; k++) {
                sa_real *pair = sa_row(x, r) + k * d + l;
                const sa_real even = pair[0], odd = pair[1];
                pair[0] = even * c - odd * s;
                pair[1] = even * s + odd * c;
            }
        }
    }
}

/* Returns the number of maps of each head; with two, what is compared is half as wide. */
static int maps(const sa_attention *w) {
    return sa_part_find(w, &sa_two_maps_part) < 0 ? 1 : 2;
}

static void rotate_keys(const sa_attention *w, int part, const sa_memory *memory, bool back,
                        sa_mat keys) {
    const rotation *own = sa_part_own(w, part);
    const int *first = memory->first;
    for (int row = 0, b = 0; row < keys.rows; b++) {
        const int words = first ? first[b + 1] - first[b] : 1;
        sa_rotate(own->first + (first ? 0 : memory->positions[b]), back, w->kv_heads * maps(w),
                  sa_rows(keys, row, words));
        row += words;
    }
}

static void memory_forward(const sa_attention *w, int part, sa_memory *memory) {
    rotate_keys(w, part, memory, false, memory->keys);
}

static void memory_backward(const sa_attention *w, int part, const sa_memory *memory, sa_memory *d,
                            sa_attention *dw) {
    rotate_keys(w, part, memory, true, d->keys);
}

static void rotate_queries(const sa_attention *w, int part, int i, bool back, sa_mat q) {
    const rotation *own = sa_part_own(w, part);
    sa_rotate(own->first + i - 1, back, own->one_query ? 1 : w->heads * maps(w), q);
}

static void query_forward(const sa_attention *w, int part, sa_head *head) {
    rotate_queries(w, part, head->i, false, head->q);
}

static void query_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    rotate_queries(w, part, head->i, true, d->q);
}

/* ---- The part -------------------------------------------------------------------------------- */

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    *(rotation *)own =
        (rotation){sizes->positions->first, sizes->score->query == SA_QUERY_IDENTITY};
}

static const char *refuse(const sa_attention_sizes *sizes) {
    const sa_score *score = sizes->score;
    if (sizes->normalizer->part == &sa_null_key_part)
        return "{positions:} rotates keys by their positions, and the key that {normalizer:} "
               "learns has none";
    if (!sa_score_rotates(score))
        return "{positions:} rotates projected queries and keys whose product is the score, which "
               "{attention:} is not";
    if (score->key == SA_KEY_STATE_SIZED && sizes->state_width % 2 != 0)
        return "{positions:} rotates pairs of numbers, but a head compares {:embed}: {embed} must "
               "be even";
    if (score->part == &sa_two_maps_part && sizes->size / sizes->heads % 4 != 0)
        return "{positions:} rotates pairs of numbers, but {attention:} compares halves of a "
               "head: {attn:} / {heads:} must be divisible by 4";
    return sa_key_projected(score) && sizes->size / sizes->heads % 2 != 0
               ? "{positions:} rotates pairs of numbers: {attn:} / {heads:} must be even"
               : NULL;
}

const sa_part sa_rotation_part = {
    .name = "rotation",
    .formula = "q_i and k_j rotated by i theta and j theta",
    .citation = "Su et al. 2021, section 3.4.2",
    .refuse = refuse,
    .bind = bind,
    .memory = {.forward = memory_forward, .backward = memory_backward},
    .forward = {[SA_PLACE_QUERY] = query_forward},
    .backward = {[SA_PLACE_QUERY] = query_backward},
};
