/* paper/rnnsearch.c against the library. grad_rnnsearch_float.c is the same with the file in single
 * precision. */
#include "support/numbers.h"
#include "support/suite.h"
#include "train/trainer.h"

int paper_main(int argc, char **argv);
#define main paper_main
#include "paper/rnnsearch.c"
#undef main
#define MODEL_VECTORS                                                                              \
    { M.w, M.dw, M.mean_g2, M.mean_dx2 }
#define MOST_IN_FLOAT 1e-5
#include "paper/against_library.h"

static void settle(void) {
    M = (model){.m = 6, .n = 11, .n_a = 7, .l = 5, .words = {{.count = 10}, {.count = 7}}};
    settings.embed = M.m, settings.hidden = M.n, settings.attn = M.n_a, settings.maxout = M.l;
    settings.optimizer = SA_OPTIMIZER_ADADELTA;
    settings.lr = RATE;
    settings.clip = CLIP;
}

static double smoothing(void) {
    return 0;
}

static void learn(int i) {
    (void)i;
    update(&M, PAIRS, RATE);
}
