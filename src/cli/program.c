/* program: chooses the command, runs it and sets the exit code. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static bool asks_for_help(int count, char **arguments) {
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0) return true;
    return false;
}

/* Returns the command that the words name, or NULL if there is nothing left to do, or on error. */
static const cli_command *choose(int *count, char ***words, sa_error *error) {
    const char *name = *count ? **words : NULL;
    if (!name || asks_for_help(1, *words)) {
        *count = 0;
        return &cli_help;
    }
    if (strcmp(name, "--version") == 0) {
        sa_buffer out = {0};
        const char *file = sa_blas_library();
        sa_buffer_addf(&out, "%s %s\n%s\n", cli_name, sa_version(), sa_blas_version());
        if (file) sa_buffer_addf(&out, "products by %s\n", file);
        cli_print(&out, error);
    } else {
        const cli_command *command = cli_find(name, error);
        if (command && asks_for_help(*count - 1, *words + 1)) {
            *count = 1;
            return &cli_help;
        }
        --*count, ++*words;
        return command;
    }
    return NULL;
}

int cli_run(int argc, char **argv, bool (*agree)(bool good, sa_error *error)) {
    cli_output_init();
    signal(SIGPIPE, SIG_IGN); /* writing reports the error instead */
    signal(SIGXFSZ, SIG_IGN);
    sa_error error = {0};
    cli_call call = {.count = argc ? argc - 1 : 0, .arguments = argv + 1};
    const cli_command *command = call.command = choose(&call.count, &call.arguments, &error);
    bool good = error.code == SA_OK;
    if (command) {
        call.options = sa_new(command->size, 1, &error);
        if (call.options) cli_options_init(command, call.options);
        good = call.options && cli_read(&call, &error) && command->run(&call, &error);
        free(call.options);
    }
    if (agree) good = agree(good, &error);
    if (!good && error.text[0]) cli_note_error(&error);
    if (!good) return (int)error.code;
    const int caught = *cli_signals_stop();
    return caught ? 128 + caught : 0;
}
