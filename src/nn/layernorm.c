#include "nn/layernorm.h"
#include "math/term.h"
#include "math/vec.h"

#define EPSILON 1e-5

void sa_layernorm_bind(sa_binder *binder, const char *part, int m, sa_layernorm *w) {
    w->g = sa_bind_vector(binder, part, "g", m, SA_START_ONE);
    w->b = sa_bind_vector(binder, part, "b", m, SA_START_ZERO);
}

sa_layernorm_cache sa_layernorm_layout(sa_arena *arena, int rows, int m) {
    return (sa_layernorm_cache){sa_mat_take(arena, rows, m), sa_mat_take(arena, rows, 1)};
}

sa_layernorm_cache sa_layernorm_slice(const sa_layernorm_cache *all, int count) {
    return (sa_layernorm_cache){sa_rows(all->normal, 0, count), sa_rows(all->inverse, 0, count)};
}

static sa_real mean_of(const sa_real *x, int m) {
    sa_real sum = 0;
    for (int k = 0; k < m; k++) sum += x[k];
    return sum / (sa_real)m;
}

/* Equation 4 (Ba et al. 2016) */
void sa_layernorm_forward(const sa_layernorm *w, sa_mat x, const sa_layernorm_cache *cache,
                          sa_mat y) {
    const int m = x.cols;
    const sa_real *g = w->g.x, *b = w->b.x;
    for (int i = 0; i < x.rows; i++) {
        const sa_real *xi = sa_row(x, i);
        sa_real *normal = sa_row(cache->normal, i), *yi = sa_row(y, i);
        const sa_real mean = mean_of(xi, m);
        for (int k = 0; k < m; k++) normal[k] = xi[k] - mean;
        const sa_real variance = sa_dot(normal, normal, m) / (sa_real)m;
        const sa_real inverse = 1 / sa_sqrt(variance + (sa_real)EPSILON);
        *sa_row(cache->inverse, i) = inverse;
        for (int k = 0; k < m; k++) normal[k] *= inverse; /* (x - mean) / sqrt(variance) */
        for (int k = 0; k < m; k++) yi[k] = g[k] * normal[k] + b[k];
    }
}

/* With d = g . dy: dx = inverse (d - mean(d) - normal mean(d . normal)); the second term is what
 * the mean sends back, the third the variance. */
void sa_layernorm_backward(const sa_layernorm *w, const sa_layernorm_cache *cache, sa_mat dy,
                           sa_layernorm *dw) {
    const int m = dy.cols;
    const sa_real *g = w->g.x;
    const bool centred = sa_term("layernorm.mean"), scaled = sa_term("layernorm.variance");
    const bool gain = sa_term("layernorm.gain");
    sa_sum_rows(dy, dw->b.x); /* y = .. + b */
    for (int i = 0; i < dy.rows; i++) {
        const sa_real *normal = sa_row(cache->normal, i), inverse = *sa_row(cache->inverse, i);
        sa_real *d = sa_row(dy, i);
        for (int k = 0; k < m && gain; k++) dw->g.x[k] += d[k] * normal[k]; /* y = g . normal */
        for (int k = 0; k < m; k++) d[k] *= g[k];
        const sa_real mean = centred ? mean_of(d, m) : 0;
        const sa_real along = scaled ? sa_dot(d, normal, m) / (sa_real)m : 0;
        for (int k = 0; k < m; k++) d[k] = inverse * (d[k] - mean - normal[k] * along);
    }
}
