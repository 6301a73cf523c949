#include "cli/command.h"
#include "cli/output.h"

#include <stdio.h>

typedef struct experiment_options {
    int64_t seed;
    int seeds, steps, threads;
    double lr;
} experiment_options;

#define AT(field) offsetof(experiment_options, field)

static const sa_option rows[] = {
    {"steps", SA_OPTION_INT, SA_SCOPE_RUN, AT(steps), 300, 0, 1000, NULL, "N",
     "updates per training; 0: no training, the column stays empty"},
    {"seeds", SA_OPTION_INT, SA_SCOPE_RUN, AT(seeds), 3, 1, 100, NULL, "N",
     "trainings per model, with consecutive seeds from --seed"},
    {"seed", SA_OPTION_INT64, SA_SCOPE_RUN, AT(seed), 1, 0, 9007199254740991.0, NULL, "N",
     "random seed"},
    {"lr", SA_OPTION_REAL, SA_SCOPE_RUN, AT(lr), 0.01, 1e-6, 1, NULL, "X", "learning rate (Adam)"},
    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, 256, NULL, "N",
     "number of threads; 0: one per core; does not change results"},
    {0},
};
static const cli_option_set sets[] = {{"Options", rows, 0}, {0}};

static bool print_row(void *context, const char *csv, sa_error *error) {
    (void)context;
    sa_buffer line = {0};
    sa_buffer_addf(&line, "%s\n", csv);
    const bool good = cli_print(&line, error);
    sa_buffer_release(&line);
    return good;
}

static void report(void *context, const char *what) {
    (void)context;
    fprintf(stderr, "%s\n", what);
}

static bool run(int count, char **arguments, sa_error *error) {
    experiment_options options;
    sa_options_init(rows, &options);
    const char *word;
    if (!cli_read(&cli_experiment, count, arguments, &options, &word, error)) return false;
    const sa_experiment experiment = {
        .name = word,
        .seed = options.seed,
        .seeds = options.seeds,
        .steps = options.steps,
        .lr = options.lr,
        .threads = options.threads,
        .row = print_row,
        .report = report,
    };
    return sa_run_experiment(&experiment, error);
}

const cli_command cli_experiment = {
    .name = "experiment",
    .words = "NAME",
    .least = 1,
    .most = 1,
    .summary = "a claim of the literature tried out, as a CSV",
    .details = "Tries out a claim and writes what came of it to standard output, a row at a time. "
               "The same options give the same numbers, whatever the threads.\n",
    .example = "  softalign experiment sqrt-d --steps 0\n",
    .sets = sets,
    .run = run,
    .items = "Experiments",
    .item = sa_experiment_name,
};
