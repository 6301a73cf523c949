#include "cli/cli.h"

static bool run(cli_call *call, sa_error *error) {
    const bool *json = call->options;
    sa_buffer out = {0};
    sa_buffer_adds(&out, *json ? "{\"models\": [" : "");
    for (const sa_builtin *model = sa_builtins; model->name; model++) {
        if (!*json) {
            sa_buffer_addf(&out, SA_BUILTIN "%-18s %4zu kB  %-44s %s\n", model->name,
                           model->size / 1000, model->task, model->score);
            continue;
        }
        sa_buffer_addf(&out,
                       "%s\n  {\"name\": \"" SA_BUILTIN "%s\", \"bytes\": %zu, \"task\": \"%s\", "
                       "\"score\": \"%s\", \"made\": \"%s\"}",
                       model == sa_builtins ? "" : ",", model->name, model->size, model->task,
                       model->score, model->made);
    }
    sa_buffer_adds(&out, *json ? "\n]}\n" : "");
    return cli_print(&out, error);
}

const cli_command cli_models = {
    .name = "models",
    .words = "",
    .summary = "list the trained models that come with the program",
    .size = sizeof(bool),
    .sets = {{"Options", cli_json_rows}},
    .run = run,
};
