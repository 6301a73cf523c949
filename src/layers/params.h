/* params: all parameters of a model in one buffer.
 *
 * Every module has a bind function that asks for its tensors by name and shape. One walk through
 * them plans (names, shapes, offsets); a second points the module's struct into the values; a third
 * points a second struct of the same type into the gradients. So the optimizer, the clipping, the
 * model file, the sum over shards and the gradient check are each one loop over one buffer. */
#pragma once

#include "base/rng.h"
#include "tensor/mat.h"

/* How a tensor is initialized; what each kind means depends on --init (params.c). */
typedef enum sa_init_kind {
    SA_INIT_ZERO,       /* biases */
    SA_INIT_ONE,        /* gains */
    SA_INIT_INPUT,      /* weights that multiply inputs, and embeddings */
    SA_INIT_RECURRENT,  /* square weights that multiply the previous state */
    SA_INIT_ALIGN,      /* W_a, U_a */
    SA_INIT_ALIGN_LAST, /* v_a */
    SA_INIT_CONSTANT,   /* as sa_bind_constant says */
} sa_init_kind;

typedef struct sa_param {
    char name[40];
    int rows, cols; /* a vector has rows 0 */
    size_t offset;
    sa_init_kind init;
    double start; /* value for SA_INIT_ONE and SA_INIT_CONSTANT */
} sa_param;

enum { SA_PARAMS_MAX = 1024 };

typedef struct sa_params {
    int count;
    size_t size; /* total number of parameters */
    sa_param item[SA_PARAMS_MAX];
} sa_params;

/* One walk; with a plan it plans, with a buffer it binds. */
typedef struct sa_binder {
    sa_params *plan;
    sa_real *buffer;
    size_t offset;
    int precision;   /* SA_PRECISION_... for products with the weights */
    sa_store *store; /* store of the weights (tensor/weight.h), or NULL */
} sa_binder;

/* Binds the matrix "PREFIX.name" [rows x cols]. */
sa_weight sa_bind_matrix(sa_binder *binder, const char *prefix, const char *name, int rows,
                         int cols, sa_init_kind init);
/* Does the same for a matrix whose rows are looked up by index. */
sa_mat sa_bind_table(sa_binder *binder, const char *prefix, const char *name, int rows, int cols,
                     sa_init_kind init);
/* Makes a table the weights of a product, too: a tied embedding, or several tensors in one. */
sa_weight sa_bind_tied(sa_binder *binder, sa_mat table);
/* Binds the vector "PREFIX.name" [cols], as a matrix of one row. */
sa_mat sa_bind_vector(sa_binder *binder, const char *prefix, const char *name, int cols,
                      sa_init_kind init);
/* Binds a vector that is a scale rather than a weight, and starts at the given number. */
sa_mat sa_bind_constant(sa_binder *binder, const char *prefix, const char *name, int cols,
                        double start);
/* Returns the tensor with this name, or NULL. */
const sa_param *sa_params_find(const sa_params *plan, const char *name);

size_t sa_param_size(const sa_param *param);
sa_mat sa_param_mat(const sa_param *param, sa_real *buffer);

/* Returns whether --weight-decay shrinks the tensor: it leaves biases and gains alone, but
 * not the vectors v_a and v_p. */
bool sa_param_is_weight(const sa_param *param);

/* Fills the values. init: SA_INIT_... The paper (B.1): recurrent matrices orthogonal, W_a and U_a
 * N(0, 0.001^2), v_a and biases 0, the rest N(0, 0.01^2). Xavier (Glorot and Bengio 2010): uniform
 * in +-sqrt(6 / (rows + cols)), recurrent matrices orthogonal, embeddings in +-sqrt(3 / m), biases
 * 0. Uniform (Luong et al. 2015): in +-0.1. Gains and constants start at their own values.
 */
bool sa_params_init(const sa_params *plan, sa_real *values, int init, uint64_t seed,
                    sa_error *error);
