/* layernorm: layer normalization of the rows of a matrix, and its gradient. */
#include "layers/layernorm.h"
#include "tensor/dispatch.h"

#define EPSILON 1e-5

static sa_real mean_of(const sa_real *x, int m) {
    return sa_sum(x, m) / (sa_real)m;
}

SA_DISPATCHED static void center(const sa_real *x, sa_real mean, sa_real *normal, int m) {
    for (int k = 0; k < m; k++) normal[k] = x[k] - mean;
}

SA_DISPATCHED static void scale_and_shift(const sa_real *g, const sa_real *b, sa_real inverse,
                                          bool add, sa_real *normal, sa_real *y, int m) {
    for (int k = 0; k < m; k++) {
        normal[k] *= inverse;
        const sa_real own = g[k] * normal[k] + b[k];
        y[k] = add ? y[k] + own : own;
    }
}

/* Equation 4 (Ba et al. 2016)    x, y [R x m] */
void sa_layernorm_forward(const sa_layernorm *w, sa_mat x, const sa_layernorm_cache *cache,
                          sa_real beta, sa_mat y) {
    const int m = x.cols;
    for (int i = 0; i < x.rows; i++) {
        const sa_real *xi = sa_row(x, i);
        sa_real *normal = sa_row(cache->normal, i), *inverse = sa_row(cache->inverse, i);
        center(xi, mean_of(xi, m), normal, m); /* x - mean */
        const sa_real variance = sa_dot(normal, normal, m) / (sa_real)m;
        *inverse = 1 / sa_sqrt(variance + (sa_real)EPSILON);
        scale_and_shift(w->g.x, w->b.x, *inverse, beta != 0, normal, sa_row(y, i), m);
    }
}

/* y += x . factor */
SA_DISPATCHED static void add_product(const sa_real *x, const sa_real *factor, sa_real *y, int m) {
    for (int k = 0; k < m; k++) y[k] += x[k] * factor[k];
}

SA_DISPATCHED static void multiply(const sa_real *factor, sa_real *x, int m) {
    for (int k = 0; k < m; k++) x[k] *= factor[k];
}

SA_DISPATCHED static void uncenter(sa_real inverse, sa_real mean, sa_real along,
                                   const sa_real *normal, sa_real *d, int m) {
    for (int k = 0; k < m; k++) d[k] = inverse * (d[k] - mean - normal[k] * along);
}

/* Computes, with d = g . dy, dx = inverse (d - mean(d) - normal mean(d . normal)). The second term
 * comes from the mean, the third from the variance. */
void sa_layernorm_backward(const sa_layernorm *w, const sa_layernorm_cache *cache, sa_mat dy,
                           sa_layernorm *dw) {
    const int m = dy.cols;
    sa_sum_rows(dy, dw->b.x); /* y = .. + b */
    for (int i = 0; i < dy.rows; i++) {
        const sa_real *normal = sa_row(cache->normal, i), inverse = *sa_row(cache->inverse, i);
        sa_real *d = sa_row(dy, i);
        add_product(d, normal, dw->g.x, m); /* y = g . normal */
        multiply(w->g.x, d, m);
        uncenter(inverse, mean_of(d, m), sa_dot(d, normal, m) / (sa_real)m, normal, d, m);
    }
}

/* ---- Binding and layout ---------------------------------------------------------------------- */

void sa_layernorm_bind(sa_binder *binder, const char *prefix, int m, sa_layernorm *w) {
    w->g = sa_bind_vector(binder, prefix, "g", m, SA_INIT_ONE);
    w->b = sa_bind_vector(binder, prefix, "b", m, SA_INIT_ZERO);
}

sa_layernorm_cache sa_layernorm_layout(sa_arena *arena, int rows, int m) {
    return (sa_layernorm_cache){sa_mat_alloc(arena, rows, m), sa_mat_alloc(arena, rows, 1)};
}
