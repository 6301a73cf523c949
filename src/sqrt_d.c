/* sqrt_d: Vaswani et al. 2017, section 3.2.1. The components of q and k have variance 1, so q'k has
 * variance d: the softmax saturates and its gradient vanishes, unless q'k is divided by sqrt(d). */
#include "base/number.h"
#include "base/settings.h"
#include "experiment.h"
#include "lab/lab.h"

#include <string.h>

enum { LEAST = 4, MOST = 512 };

static const char *const scores[] = {"additive", "dot", "scaled-dot"};
enum { SCORES = sizeof scores / sizeof *scores };

static int attention_number(const char *name) {
    size_t row = 0;
    while (strcmp(sa_compat_name(row), name) != 0) row++;
    return (int)row;
}

static sa_settings small_model(const sa_experiment *experiment, int attention, int d) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.attention = attention;
    settings.attn = d;
    settings.embed = settings.hidden = settings.maxout = 32;
    settings.lr = 0.008;
    settings.shards = 2;
    settings.steps = experiment->steps;
    settings.threads = experiment->threads;
    return settings;
}

/* The mean loss of all trainings. */
static bool train(const sa_experiment *experiment, const sa_toy *toy, int attention, int d,
                  double *mean, sa_error *error) {
    *mean = 0;
    for (int i = 0; i < experiment->seeds; i++) {
        sa_settings settings = small_model(experiment, attention, d);
        double loss;
        settings.seed = experiment->seed + i;
        if (!sa_toy_train(toy, &settings, &loss, error)) return false;
        *mean += loss / experiment->seeds;
    }
    return true;
}

static bool try_one(const sa_experiment *experiment, const sa_toy *toy, const char *score, int d,
                    sa_error *error) {
    const int attention = attention_number(score);
    sa_lab_figures figures;
    double loss;
    if (!sa_lab_scores(attention, d, (uint64_t)experiment->seed, &figures, error)) return false;
    if (toy && !train(experiment, toy, attention, d, &loss, error)) return false;
    const double numbers[] = {figures.variance, figures.entropy, figures.gradient};
    sa_buffer line = {0};
    sa_buffer_addf(&line, "%s,%d", score, d);
    for (int i = 0; i < 3; i++) {
        sa_buffer_adds(&line, ",");
        sa_number_add(&line, (double)(float)numbers[i]);
    }
    sa_buffer_adds(&line, ",");
    if (toy) sa_number_add(&line, (double)(float)loss);
    return sa_trial_row(experiment, &line, error);
}

bool sa_sqrt_d(const sa_experiment *experiment, sa_error *error) {
    const sa_settings settings = small_model(experiment, 0, LEAST);
    const size_t pairs = (size_t)experiment->steps * (size_t)settings.batch;
    sa_toy toy = {0};
    sa_buffer line = {0};
    sa_buffer_adds(&line, "attention,d,score_variance,entropy,gradient_norm,loss");
    if (!sa_trial_row(experiment, &line, error)) return false;
    if (pairs && !sa_toy_open(&toy, "mono", pairs, (uint64_t)experiment->seed, error)) return false;
    bool good = true;
    for (int i = 0; i < SCORES; i++)
        for (int d = LEAST; good && d <= MOST; d *= 2) {
            sa_trial_report(experiment, "%s, d = %d", scores[i], d);
            good = try_one(experiment, pairs ? &toy : NULL, scores[i], d, error);
        }
    sa_toy_close(&toy);
    return good;
}
