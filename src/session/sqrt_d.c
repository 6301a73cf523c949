/* sqrt_d: Vaswani et al. 2017, section 3.2.1. The components of q and k have variance 1, so q'k has
 * variance d: the softmax saturates and its gradient vanishes, unless q'k is divided by sqrt(d). */
#include "attention/score.h"
#include "base/memory.h"
#include "base/number.h"
#include "config/settings.h"
#include "lab/lab.h"
#include "session/experiment.h"

#include <stdlib.h>
#include <string.h>

enum { D_MIN = 4, D_MAX = 512 };

static const char *const scores[] = {"additive", "dot", "scaled-dot"};
enum { SCORES = sizeof scores / sizeof *scores };

static int attention_number(const char *name) {
    size_t row = 0;
    while (strcmp(sa_score_name(row), name) != 0) row++;
    return (int)row;
}

static sa_settings small_model(const sa_experiment *experiment, int attention, int d) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.attention = attention;
    settings.attn = d;
    settings.embed = settings.hidden = settings.maxout = 32;
    settings.lr = experiment->lr;
    settings.shards = 2;
    settings.steps = experiment->steps;
    settings.threads = experiment->threads;
    return settings;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The losses of all trainings, to be freed: losses[seeds], the least first. */
static double *train(const sa_experiment *experiment, const sa_toy_corpus *toy, int attention,
                     int d, sa_error *error) {
    const size_t count = (size_t)experiment->seeds;
    double *losses = sa_new(count, sizeof *losses, error);
    bool good = losses != NULL;
    for (size_t i = 0; good && i < count; i++) {
        sa_settings settings = small_model(experiment, attention, d);
        settings.seed = experiment->seed + (int64_t)i;
        good = sa_toy_train(toy, &settings, &losses[i], error);
    }
    if (good) {
        qsort(losses, count, sizeof *losses, ascending);
        return losses;
    }
    free(losses);
    return NULL;
}

static void add_number(double number, sa_buffer *line) {
    sa_buffer_adds(line, ",");
    sa_number_add(line, (double)(float)number);
}

/* The median, the least and the largest; nothing where nothing was trained. */
static void add_losses(const double *losses, size_t count, sa_buffer *line) {
    if (!losses) {
        sa_buffer_adds(line, ",,,");
        return;
    }
    add_number((losses[(count - 1) / 2] + losses[count / 2]) / 2, line);
    add_number(losses[0], line);
    add_number(losses[count - 1], line);
}

static bool measure(const sa_experiment *experiment, const sa_toy_corpus *toy, const char *score,
                    int d, sa_error *error) {
    const int attention = attention_number(score);
    sa_lab_score_statistics figures;
    double *losses = NULL;
    if (!sa_lab_random_scores(attention, d, (uint64_t)experiment->seed, &figures, error))
        return false;
    if (toy && !(losses = train(experiment, toy, attention, d, error))) return false;
    sa_buffer line = {0};
    sa_buffer_addf(&line, "%s,%d", score, d);
    add_number(figures.variance, &line);
    add_number(figures.entropy, &line);
    add_number(figures.gradient, &line);
    add_losses(losses, (size_t)experiment->seeds, &line);
    free(losses);
    return sa_experiment_write_row(experiment, &line, error);
}

bool sa_sqrt_d(const sa_experiment *experiment, sa_error *error) {
    const sa_settings settings = small_model(experiment, 0, D_MIN);
    const size_t pairs = (size_t)experiment->steps * (size_t)settings.batch;
    sa_toy_corpus toy = {0};
    sa_buffer line = {0};
    sa_buffer_adds(&line,
                   "attention,d,score_variance,entropy,gradient_norm,loss,loss_least,loss_most");
    if (!sa_experiment_write_row(experiment, &line, error)) return false;
    if (pairs && !sa_toy_corpus_open(&toy, "mono", pairs, (uint64_t)experiment->seed, error))
        return false;
    bool good = true;
    for (int i = 0; i < SCORES; i++)
        for (int d = D_MIN; good && d <= D_MAX; d *= 2) {
            sa_experiment_report(experiment, "%s, d = %d", scores[i], d);
            good = measure(experiment, pairs ? &toy : NULL, scores[i], d, error);
        }
    sa_toy_corpus_close(&toy);
    return good;
}
