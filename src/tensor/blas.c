/* blas: matrix products by OpenBLAS. */
#include "tensor/blas.h"
#include "tensor/vec.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#ifdef SA_DOUBLE
#define gemm cblas_dgemm
#define gemv cblas_dgemv
#define ger cblas_dger
#else
#define gemm cblas_sgemm
#define gemv cblas_sgemv
#define ger cblas_sger
#endif

/* ---- Tiles -----------------------------------------------------------------------------------
 * OpenBLAS packs both factors before it multiplies, which costs a thin product more than it gains.
 * For AVX-512 it also has kernels for factors that are not packed, which it uses up to a million
 * multiply-adds (but not for a b'); a product cut into such tiles runs up to twice as fast. */

enum {
    WORK = 1000000,  /* most multiply-adds of a tile */
    FACE = 1 << 13,  /* size of a tile of the second factor */
    DEEP = 128,      /* its rows, unless it is narrow */
    THIN = 96,       /* rows of a first factor for which packing does not pay */
    LARGE = 1 << 19, /* numbers of a second factor that is better packed anyway */
};

static bool tiles_supported;

typedef struct tile {
    int rows, cols, inner;
} tile;

/* Returns the tile for a product [rows x inner] [inner x cols]: its piece of the second factor
 * stays in the first-level cache and is used for as many rows as WORK allows. */
static tile tile_of(int rows, int cols, int inner) {
    tile t = {.inner = sa_least(inner, DEEP)};
    t.cols = sa_least(cols, FACE / t.inner);
    t.inner = sa_least(inner, FACE / t.cols);
    t.rows = sa_least(rows, WORK / (t.cols * t.inner));
    return t;
}

/* Computes c = beta c + a b, or a' b, tile by tile. */
static void tiled(bool transposed, sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    const tile t = tile_of(c.rows, c.cols, b.rows);
    for (int k = 0; k < b.rows; k += t.inner, beta = 1) {
        const sa_mat bk = sa_rows(b, k, sa_least(t.inner, b.rows - k));
        for (int j = 0; j < c.cols; j += t.cols)
            for (int i = 0; i < c.rows; i += t.rows) {
                const int rows = sa_least(t.rows, c.rows - i), cols = sa_least(t.cols, c.cols - j);
                const sa_real *aik = transposed ? sa_row(a, k) + i : sa_row(a, i) + k;
                gemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, rows,
                     cols, bk.rows, 1, aik, a.ld, bk.x + j, bk.ld, beta, sa_row(c, i) + j, c.ld);
            }
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Returns whether a product [rows x inner] [inner x cols] should be cut into tiles. */
static bool tiles_suit(int rows, int cols, int inner) {
    const size_t size = (size_t)cols * (size_t)inner;
    return tiles_supported && (size <= 4 * FACE || (rows <= THIN && size <= LARGE));
}

void sa_gemm(bool a_transposed, sa_mat a, bool b_transposed, sa_mat b, sa_real beta, sa_mat c) {
    const int rows = a_transposed ? a.cols : a.rows, inner = a_transposed ? a.rows : a.cols;
    const int cols = b_transposed ? b.rows : b.cols;
    sa_require(inner == (b_transposed ? b.cols : b.rows) && c.rows == rows && c.cols == cols);
    if (!rows || !cols) return;
    if (!inner || (a_transposed && inner == 1)) {
        if (beta == 0) sa_zero(c); /* which OpenBLAS does not do here */
        if (inner) ger(CblasRowMajor, rows, cols, 1, a.x, 1, b.x, 1, c.x, c.ld);
    } else if (rows == 1 && !a_transposed) {
        gemv(CblasRowMajor, b_transposed ? CblasNoTrans : CblasTrans, b.rows, b.cols, 1, b.x, b.ld,
             a.x, 1, beta, c.x, 1);
    } else if (!b_transposed && tiles_suit(a.rows, cols, a.cols)) {
        tiled(a_transposed, a, b, beta, c);
    } else {
        gemm(CblasRowMajor, a_transposed ? CblasTrans : CblasNoTrans,
             b_transposed ? CblasTrans : CblasNoTrans, rows, cols, inner, 1, a.x, a.ld, b.x, b.ld,
             beta, c.x, c.ld);
    }
}

/* ---- The library ------------------------------------------------------------------------------
 */

#ifdef SOFTALIGN_OPENBLAS

static void prepare(void) {
    const char *core = openblas_get_corename();
    tiles_supported =
        !strcmp(core, "SkylakeX") || !strcmp(core, "Cooperlake") || !strcmp(core, "SapphireRapids");
}

void sa_blas_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* two threads may open models */
    if (openblas_get_num_threads() != 1)            /* setting it starts threads that were ended */
        openblas_set_num_threads(1);
    pthread_once(&once, prepare);
}

const char *sa_blas_one_thread(void) {
    switch (openblas_get_parallel()) {
    case OPENBLAS_SEQUENTIAL:
        return "one thread is used: this OpenBLAS is built without threads, and two that call it "
               "at once get wrong products";
    case OPENBLAS_OPENMP:
        return "one thread is used: this OpenBLAS is built with OpenMP, and two that call it at "
               "once get other bits in every run";
    default:
        return NULL;
    }
}

/* Checks with a probe that is writable, as the buffers will be: only such memory counts for
 * RLIMIT_DATA. */
bool sa_blas_check_memory(int threads, sa_error *error) {
    const size_t buffer = (size_t)128 << 20, all = buffer * (size_t)threads;
    void *probe =
        mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED)
        return sa_fail(
            error, SA_LIMIT,
            "no memory for the products of %d thread%s: OpenBLAS maps %zu bytes for each "
            "(see ulimit -v, ulimit -d, --threads)",
            threads, threads == 1 ? "" : "s", buffer);
    munmap(probe, all);
    return true;
}

const char *sa_blas_core(void) {
    return openblas_get_corename();
}

const char *sa_blas_version(void) {
    return openblas_get_config();
}

#else /* any other CBLAS, which tells nothing about itself */

enum { TRIAL_SIZE = 48, TRIALS = 200 };
typedef sa_real trial_matrix[TRIAL_SIZE * TRIAL_SIZE];
static bool threads_agree;

/* Multiplies a matrix by itself repeatedly. Returns whether all products are equal. */
static void *multiply(void *numbers) {
    trial_matrix first, product;
    const sa_mat a = {numbers, TRIAL_SIZE, TRIAL_SIZE, TRIAL_SIZE};
    bool equal = true;
    for (int i = 0; i < TRIALS; i++) {
        sa_real *out = i ? product : first;
        sa_gemm_nt(a, a, 0, (sa_mat){out, TRIAL_SIZE, TRIAL_SIZE, TRIAL_SIZE});
        equal = equal && (!i || memcmp(first, product, sizeof first) == 0);
    }
    return equal ? numbers : NULL;
}

/* Finds out whether two threads that call the library at once get the same products as each gets
 * alone. */
static void prepare(void) {
    trial_matrix numbers[2];
    pthread_t other;
    void *result = NULL;
    for (int i = 0; i < TRIAL_SIZE * TRIAL_SIZE; i++)
        numbers[0][i] = (sa_real)(i % 17 - 8) / 3, numbers[1][i] = (sa_real)(i % 23 - 11) / 7;
    if (pthread_create(&other, NULL, multiply, numbers[1]) != 0) return;
    const bool own = multiply(numbers[0]) != NULL;
    threads_agree = pthread_join(other, &result) == 0 && result && own;
}

void sa_blas_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
}

const char *sa_blas_one_thread(void) {
    sa_blas_init();
    return threads_agree ? NULL
                         : "one thread is used: two that call this BLAS library at once get wrong "
                           "products";
}

bool sa_blas_check_memory(int threads, sa_error *error) {
    return true;
}

const char *sa_blas_core(void) {
    return "CBLAS";
}

const char *sa_blas_version(void) {
    return "a CBLAS library";
}

#endif

/* Finds the library by the address of a product: another library may have been preloaded to replace
 * it. */
const char *sa_blas_library(void) {
    const union {
        __typeof__(gemm) *product;
        const void *address;
    } own = {.product = gemm};
    Dl_info found;
    return dladdr(own.address, &found) ? found.dli_fname : NULL;
}
