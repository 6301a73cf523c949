#include "cli/cli.h"

enum { MODELS = 100 };

static const sa_option table[] = {
    {"out", CLI_TEXT(OUTPUT, ONLY, NULL, "FILE"), "output model file"},
    {0},
};

static bool run(cli_call *call, sa_error *error) {
    const char *const *out = call->options;
    int number = 0;
    while (call->words[number]) number++;
    if (!cli_check_needed(call, error) || !sa_average_models(call->words, number, *out, error))
        return false;
    cli_note("wrote %s", *out);
    return true;
}

const cli_command cli_average = {
    .name = "average",
    .words = "MODEL MODEL ... --out FILE",
    .most = MODELS,
    .summary = "average the weights of several models",
    .size = sizeof(const char *),
    .sets = {{"Options", table, 0}},
    .prints = cli_prints_nothing,
    .run = run,
};
