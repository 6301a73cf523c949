#include "cli/command.h"
#include "cli/output.h"

#include <softalign.h>

enum { MODELS = 100 };

typedef struct average_options {
    const char *out;
} average_options;

static const sa_option rows[] = {
    {"out", SA_OPTION_OUTPUT, SA_SCOPE_RUN, offsetof(average_options, out), 0, 0, 0, NULL, "FILE",
     "output model file"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    {0},
};

static bool run(int count, char **arguments, sa_error *error) {
    average_options options;
    const char *models[MODELS];
    int number = 0;
    sa_options_init(rows, &options);
    if (!cli_read(&cli_average, count, arguments, &options, models, error)) return false;
    if (!options.out) return cli_fail_missing(&cli_average, "--out FILE", error);
    while (number < MODELS && models[number]) number++;
    if (!sa_average_models(models, number, options.out, error)) return false;
    cli_note("wrote %s", options.out);
    return true;
}

const cli_command cli_average = {
    .name = "average",
    .words = "MODEL MODEL ... --out FILE",
    .least = 2,
    .most = MODELS,
    .summary = "average the weights of several models",
    .details = "The models are checkpoints of one training, or trained from one: their model and "
               "text settings and their vocabularies must be equal. 'train --average' keeps the "
               "weights of its validations and averages them.\n",
    .example = "  softalign average mono/best.safetensors mono/last.safetensors \\\n"
               "      --out mean.safetensors\n"
               "  softalign eval mean.safetensors mono.tsv\n",
    .sets = sets,
    .prints = cli_prints_nothing,
    .run = run,
};
