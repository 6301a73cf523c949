/* params: binds, finds and initializes the parameters of a model, which share one buffer. */
#include "layers/params.h"
#include "base/memory.h"
#include "tensor/weight.h"

#include <math.h>
#include <softalign/lab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sa_mat bind_param(sa_binder *binder, const char *prefix, const char *name, int rows,
                         int cols, sa_init_kind init) {
    size_t offset = binder->offset;
    binder->offset += (size_t)(rows ? rows : 1) * (size_t)cols;
    if (binder->plan) {
        sa_params *plan = binder->plan;
        sa_require(plan->count < SA_PARAMS_MAX);
        sa_param *param = &plan->item[plan->count++];
        *param = (sa_param){.rows = rows, .cols = cols, .offset = offset, .init = init};
        param->start = init == SA_INIT_ONE;
        int length = snprintf(param->name, sizeof param->name, "%s.%s", prefix, name);
        sa_require(length > 0 && (size_t)length < sizeof param->name);
        plan->size = binder->offset;
    }
    return (sa_mat){binder->buffer ? binder->buffer + offset : NULL, rows ? rows : 1, cols, cols};
}

sa_mat sa_bind_table(sa_binder *binder, const char *prefix, const char *name, int rows, int cols,
                     sa_init_kind init) {
    sa_require(rows > 0 && cols > 0);
    return bind_param(binder, prefix, name, rows, cols, init);
}

sa_weight sa_bind_tied(sa_binder *binder, sa_mat table) {
    const sa_weight W = {.mat = table, .as.precision = binder->precision};
    return binder->store ? sa_weight_stored(W, binder->store) : W;
}

sa_weight sa_bind_matrix(sa_binder *binder, const char *prefix, const char *name, int rows,
                         int cols, sa_init_kind init) {
    return sa_bind_tied(binder, sa_bind_table(binder, prefix, name, rows, cols, init));
}

sa_mat sa_bind_vector(sa_binder *binder, const char *prefix, const char *name, int cols,
                      sa_init_kind init) {
    return bind_param(binder, prefix, name, 0, cols, init);
}

sa_mat sa_bind_constant(sa_binder *binder, const char *prefix, const char *name, int cols,
                        double start) {
    const sa_mat constant = bind_param(binder, prefix, name, 0, cols, SA_INIT_CONSTANT);
    if (binder->plan) binder->plan->item[binder->plan->count - 1].start = start;
    return constant;
}

const sa_param *sa_params_find(const sa_params *plan, const char *name) {
    for (int i = 0; i < plan->count; i++)
        if (strcmp(plan->item[i].name, name) == 0) return &plan->item[i];
    return NULL;
}

size_t sa_param_size(const sa_param *param) {
    return (size_t)(param->rows ? param->rows : 1) * (size_t)param->cols;
}

sa_mat sa_param_mat(const sa_param *param, sa_real *buffer) {
    return (sa_mat){buffer + param->offset, param->rows ? param->rows : 1, param->cols,
                    param->cols};
}

bool sa_param_is_weight(const sa_param *param) {
    return param->init != SA_INIT_ZERO && param->init != SA_INIT_ONE &&
           param->init != SA_INIT_CONSTANT;
}

/* ---- Initialization -------------------------------------------------------------------------- */

static void normal(sa_mat w, double deviation, sa_rng *rng) {
    for (int i = 0; i < w.rows; i++)
        for (int j = 0; j < w.cols; j++)
            sa_row(w, i)[j] = (sa_real)(deviation * sa_rng_normal(rng));
}

static void uniform(sa_mat w, double bound, sa_rng *rng) {
    for (int i = 0; i < w.rows; i++)
        for (int j = 0; j < w.cols; j++)
            sa_row(w, i)[j] = (sa_real)(bound * (2 * sa_rng_uniform(rng) - 1));
}

/* Draws a random normal matrix and makes its rows orthonormal by Gram-Schmidt: in blocks of rows,
 * so that matrix products do the work, and twice, because of rounding errors. */
static bool orthogonal(sa_mat w, sa_rng *rng, sa_error *error) {
    enum { BLOCK = 64 };
    const int n = w.cols;
    sa_require(w.rows == n);
    sa_real *memory = sa_new((size_t)BLOCK * (size_t)n, sizeof *memory, error);
    if (!memory) return false;
    normal(w, 1, rng);
    for (int first = 0; first < n; first += BLOCK) {
        sa_mat done = sa_rows(w, 0, first);
        sa_mat block = sa_rows(w, first, n - first < BLOCK ? n - first : BLOCK);
        sa_mat along = {memory, block.rows, first, n};
        for (int pass = 0; pass < 2; pass++) {
            sa_gemm_nt(block, done, 0, along);
            sa_scale(-1, along);
            sa_gemm_nn(along, done, 1, block); /* minus the projection onto the rows done */
            for (int i = 0; i < block.rows; i++) {
                sa_real *row = sa_row(block, i);
                for (int j = 0; j < i; j++)
                    sa_axpy(-sa_dot(row, sa_row(block, j), n), sa_row(block, j), row, n);
                const sa_real length = (sa_real)sqrt((double)sa_dot(row, row, n));
                for (int k = 0; k < n; k++) row[k] /= length;
            }
        }
    }
    free(memory);
    return true;
}

/* Initializes by B.1 (2015) for init paper; Glorot and Bengio 2010 for xavier; section 4.1 of Luong
 * et al. 2015 for uniform: see params.h. start_model of paper/rnnsearch.c, generalized. */
bool sa_params_init(const sa_params *plan, sa_real *values, int init, uint64_t seed,
                    sa_error *error) {
    const bool paper = init == SA_INIT_PAPER;
    for (int i = 0; i < plan->count; i++) {
        const sa_param *param = &plan->item[i];
        sa_mat w = sa_param_mat(param, values);
        sa_rng rng = sa_rng_seed(seed, sa_hash(param->name, strlen(param->name)));
        if (init == SA_INIT_UNIFORM && param->init != SA_INIT_ONE &&
            param->init != SA_INIT_CONSTANT) {
            uniform(w, 0.1, &rng);
            continue;
        }
        double xavier = sqrt(6.0 / (w.rows + w.cols));
        const char *own = strchr(param->name, '.');
        bool embedding = own && strcmp(own, ".E") == 0;
        switch (param->init) {
        case SA_INIT_ONE:
        case SA_INIT_CONSTANT:
            for (int k = 0; k < w.cols; k++) w.x[k] = (sa_real)param->start;
            break;
        case SA_INIT_ZERO:
            sa_zero(w);
            break;
        case SA_INIT_RECURRENT:
            if (!orthogonal(w, &rng, error)) return false;
            break;
        case SA_INIT_ALIGN:
            paper ? normal(w, 0.001, &rng) : uniform(w, xavier, &rng);
            break;
        case SA_INIT_ALIGN_LAST:
            paper ? sa_zero(w) : uniform(w, xavier, &rng);
            break;
        case SA_INIT_INPUT:
            if (paper)
                normal(w, 0.01, &rng);
            else if (embedding) /* one row is read at a time, whatever the size of the vocabulary */
                uniform(w, sqrt(3.0 / w.cols), &rng);
            else
                uniform(w, xavier, &rng);
            break;
        }
    }
    return true;
}
