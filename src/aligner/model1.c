/* Model 1 (Brown et al. 1993, section 4.1): no positions at all. Its posteriors are a softmax over
 * log t. */
#include "aligner/aligner_kind.h"

void sa_aligner_uniform(const sa_aligner_model *model, int I, int J, double *table) {
    for (int k = 0; k < J * (I + 1); k++) table[k] = 1.0 / (I + 1);
}

const sa_aligner_kind sa_aligner_model1 = {
    .title = "Model 1",
    .prior = sa_aligner_uniform,
};
