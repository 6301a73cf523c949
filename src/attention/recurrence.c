#include "attention/recurrence.h"
#include "attention/multihead.h"
#include "attention/window.h"
#include "tensor/vec.h"

#include <float.h>

bool sa_recurrence_applies(const sa_attention *w) {
    const sa_position_kind *positions = w->positions.kind;
    return w->score->features && w->normalizer->exponential && w->window == SA_WINDOW_NONE &&
           !(positions && (positions->bias || positions->rotation || positions->vector));
}

int sa_recurrence_width(const sa_attention *w) {
    if (!sa_recurrence_applies(w)) return 0;
    const int d = w->key_width / w->kv_heads;
    return w->kv_heads * d + d * w->value_width;
}

/* S and z of a key/value head, in the state's numbers. */
typedef struct head_sums {
    sa_mat S, z; /* [d x dv], [1 x d] */
} head_sums;

static head_sums sums_of(const sa_attention *w, sa_mat state, int g) {
    const int d = w->key_width / w->kv_heads, dv = w->value_width / w->kv_heads;
    sa_real *x = state.x + (ptrdiff_t)g * d * (dv + 1);
    return (head_sums){.S = {x, d, dv, dv}, .z = {x + (ptrdiff_t)d * dv, 1, d, d}};
}

void sa_recurrence_step(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat state, sa_mat o,
                        sa_mat phi) {
    const int H = w->heads, G = w->kv_heads, d = w->key_width / G;
    const sa_mat own = sa_cols(phi, 0, d);
    for (int g = 0; g < G; g++) {
        const head_sums sums = sums_of(w, state, g);
        const sa_mat value = sa_head_part(v, G, g);
        w->score->features(sa_head_part(k, G, g), own);
        sa_add(own, sums.z);
        for (int l = 0; l < d; l++) sa_axpy(own.x[l], value.x, sa_row(sums.S, l), value.cols);
    }
    for (int h = 0; h < H; h++) {
        const head_sums sums = sums_of(w, state, h * G / H);
        const sa_mat out = sa_head_part(o, H, h);
        sa_real all = (sa_real)FLT_MIN; /* above 0 even where every feature underflows */
        w->score->features(sa_head_part(q, H, h), own);
        sa_zero(out);
        for (int l = 0; l < d; l++) {
            all += own.x[l] * sums.z.x[l];
            sa_axpy(own.x[l], sa_row(sums.S, l), out.x, out.cols);
        }
        sa_scale(1 / all, out);
    }
}
