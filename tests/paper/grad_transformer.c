/* paper/transformer.c against the library. grad_transformer_float.c is the same with the file in
 * single precision. */
#include "support/numbers.h"
#include "support/suite.h"
#include "train/trainer.h"

int paper_main(int argc, char **argv);
#define main paper_main
#include "paper/transformer.c"
#undef main
#define MODEL_VECTORS                                                                              \
    { M.w, M.dw, M.mean_g, M.mean_g2 }
#define MOST_IN_FLOAT 1e-4 /* normalizing few numbers magnifies rounding */
#include "paper/against_library.h"

static void settle(void) {
    M = (model){.d = 12, .h = 3, .N = 2, .d_ff = 7, .words = {{.count = 10}, {.count = 10}}};
    settings.model = SA_MODEL_TRANSFORMER;
    settings.attention = SA_ATTENTION_SCALED_DOT;
    settings.embed = M.d, settings.attn = M.d, settings.ffn = M.d_ff;
    settings.heads = M.h, settings.layers = M.N;
    settings.positions = SA_POSITIONS_SINUSOIDAL;
    settings.norm = SA_NORM_POST;
    settings.tie = SA_TIE_THREE;
    settings.optimizer = SA_OPTIMIZER_ADAM;
    settings.beta1 = BETA_1, settings.beta2 = BETA_2, settings.epsilon = EPSILON;
    settings.lr = pow(M.d, -0.5) * pow(WARMUP, -0.5);
    settings.schedule = SA_SCHEDULE_INVERSE_SQRT;
    settings.warmup = WARMUP;
    settings.clip = 0;
    settings.label_smoothing = SMOOTHING;
}

static double smoothing(void) {
    return SMOOTHING;
}

static void learn(int i) {
    update(&M, PAIRS, i);
}
