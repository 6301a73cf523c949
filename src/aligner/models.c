/* Model 1 (Brown et al. 1993, section 4.1): no positions at all; its posteriors are a softmax over
 * log t. Model 2 (section 4.2): weights that depend only on positions, learned without assuming any
 * form. */
#include "aligner/aligner_kind.h"

static void uniform(const sa_aligner_model *model, int I, int J, double *table) {
    for (int k = 0; k < J * (I + 1); k++) table[k] = 1.0 / (I + 1);
}

const sa_aligner_kind sa_aligner_model1 = {
    .title = "Model 1",
    .prior = uniform,
};

void sa_aligner_fill_tables(sa_aligner_model *model) {
    for (size_t s = 0; s < model->shape_count; s++)
        model->kind->prior(model, (int)(model->shapes[s] >> 32), (int)(uint32_t)model->shapes[s],
                           model->parameters + model->table[s]);
}

/* p(a_j = i) = (1 - w) a(i | j, I, J) + w / (I + 1), where the counts are divided between the two
 * terms, and a(i | j, I, J) = c(i | j, I, J) / sum_i' c(i' | j, I, J). */
static void maximize(sa_aligner_model *model) {
    const double w = model->smoothing;
    for (size_t s = 0, k = 0; s < model->shape_count; s++) {
        const int I = (int)(model->shapes[s] >> 32), J = (int)(uint32_t)model->shapes[s];
        for (int j = 0; j < J; j++, k += (size_t)I + 1) {
            double *count = model->counts + k, *p = model->parameters + k, total = 0;
            for (int i = 0; i <= I; i++) total += count[i] *= 1 - w / (I + 1) / p[i];
            for (int i = 0; i <= I; i++) p[i] = (1 - w) * count[i] / total + w / (I + 1);
        }
    }
}

const sa_aligner_kind sa_aligner_model2 = {
    .title = "Model 2",
    .smoothing = 0.2,
    .after = &sa_aligner_model1,
    .prior = uniform,
    .tables = true,
    .maximize = maximize,
};
