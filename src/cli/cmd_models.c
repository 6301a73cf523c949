#include "cli/cli.h"

static bool run(cli_call *call, sa_error *error) {
    const bool *json = call->options;
    json_t *list = *json ? json_array() : NULL;
    sa_buffer out = {0};
    for (const sa_builtin *model = sa_builtins; model->name; model++)
        if (list)
            json_array_append_new(list, json_pack("{s:s+, s:I, s:s, s:s, s:s}", "name", SA_BUILTIN,
                                                  model->name, "bytes", (json_int_t)model->size,
                                                  "task", model->task, "score", model->score,
                                                  "made", model->made));
        else
            sa_buffer_addf(&out, SA_BUILTIN "%-18s %4zu kB  %-44s %s\n", model->name,
                           model->size / 1000, model->task, model->score);
    return list ? cli_print_json(json_pack("{s:o}", "models", list), error)
                : cli_print(&out, error);
}

const cli_command cli_models = {
    .name = "models",
    .words = "",
    .summary = "list the trained models that come with the program",
    .size = sizeof(bool),
    .sets = {{"Options", cli_json_rows}},
    .run = run,
};
