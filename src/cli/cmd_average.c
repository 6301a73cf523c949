#include "cli/command.h"
#include "cli/output.h"

enum { MODELS = 100 };

typedef struct average_options {
    const char *out;
} average_options;

#define AT(field) offsetof(average_options, field)

static const sa_option table[] = {
    {"out", CLI_TEXT(OUTPUT, RUN(out), NULL, "FILE"), "output model file"},
    {0},
};

static bool run(cli_call *call, sa_error *error) {
    const average_options *options = call->options;
    int number = 0;
    while (call->words[number]) number++;
    if (!cli_check_needed(call, error) ||
        !sa_average_models(call->words, number, options->out, error))
        return false;
    cli_note("wrote %s", options->out);
    return true;
}

const cli_command cli_average = {
    .name = "average",
    .words = "MODEL MODEL ... --out FILE",
    .most = MODELS,
    .summary = "average the weights of several models",
    .size = sizeof(average_options),
    .sets = {{"Options", table, 0}},
    .prints = cli_prints_nothing,
    .run = run,
};
