/* experimenting: sa_run_experiment of softalign.h, and the table of experiments. */
#include "base/nearest.h"
#include "session/experiment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const sa_experiment_entry trials[] = {
    {"sqrt-d",
     "why the dot product is divided by sqrt(d): Vaswani et al. 2017, section 3.2.1. "
     "For additive, dot and scaled-dot and d = 4, 8 ... 512. First at random: 2000 queries that "
     "meet 16 keys each, all of d independent N(0,1) numbers; additive sees them through W_a, U_a "
     "[d x d] and v_a as a model starts with (init xavier). score_variance: of all scores; "
     "entropy: of the softmax in nats, the mean of all queries, at most ln 16 = 2.77; "
     "gradient_norm: Frobenius norm of the softmax's Jacobian, the mean of all queries. Then in "
     "training: loss: per target word, of a small model (embed, hidden and maxout 32, attn d) on "
     "the task mono, in the last tenth of --steps updates of 32 pairs none of which it has seen "
     "before; the median of --seeds trainings, and the least and the largest of them. Every score "
     "gets the same batches. The smaller --lr, the more W_a and U_a make up for the missing "
     "division",
     sa_sqrt_d},
    {NULL, NULL, NULL},
};

const char *sa_experiment_name(size_t i, const char **about) {
    if (i >= sizeof trials / sizeof *trials) return NULL;
    if (about) *about = trials[i].about;
    return trials[i].name;
}

bool sa_run_experiment(const sa_experiment *experiment, sa_error *error) {
    sa_nearest nearest = {.wanted = experiment->name};
    for (const sa_experiment_entry *trial = trials; trial->name; trial++) {
        if (strcmp(trial->name, experiment->name) == 0) return trial->run(experiment, error);
        sa_nearest_consider(&nearest, trial->name);
    }
    char hint[128];
    return sa_fail(error, SA_USAGE, "unknown experiment '%s'%s", experiment->name,
                   sa_nearest_hint(&nearest, hint, sizeof hint));
}

bool sa_experiment_write_row(const sa_experiment *experiment, sa_buffer *line, sa_error *error) {
    const bool good = line->failed ? sa_fail_memory(error, line->size)
                                   : experiment->row(experiment->context, line->text, error);
    sa_buffer_release(line);
    return good;
}

void sa_experiment_report(const sa_experiment *experiment, const char *format, ...) {
    char text[256];
    if (!experiment->report) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    experiment->report(experiment->context, text);
}
