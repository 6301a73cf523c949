#include "cli/program.h"
#include "base/profile.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/signals.h"

#include <signal.h>
#include <string.h>

static bool asks_for_help(int count, char **arguments) {
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0) return true;
    return false;
}

static bool print_version(sa_error *error) {
    sa_buffer out = {0};
    const char *file = sa_blas_library();
    sa_buffer_addf(&out, "%s %s\n%s\n", cli_name, sa_version(), sa_blas_version());
    if (file) sa_buffer_addf(&out, "products by %s\n", file);
    bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

static bool dispatch(int count, char **arguments, sa_error *error) {
    if (count == 0)
        return sa_fail(error, SA_USAGE, "a command is missing; '%s help' lists all", cli_name);
    if (strcmp(arguments[0], "--version") == 0) return print_version(error);
    if (strcmp(arguments[0], "--complete") == 0)
        return cli_complete(count - 1, arguments + 1, error);
    if (strcmp(arguments[0], "--help") == 0) return cli_help.run(0, NULL, error);
    const cli_command *command = cli_find(arguments[0], error);
    if (!command) return false;
    if (asks_for_help(count - 1, arguments + 1)) return cli_help.run(1, arguments, error);
    return command->run(count - 1, arguments + 1, error);
}

int cli_program_run(int argc, char **argv, bool (*agree)(bool good, sa_error *error)) {
    cli_output_init();
    signal(SIGPIPE, SIG_IGN); /* write reports the error instead */
    signal(SIGXFSZ, SIG_IGN);
    sa_error error = {0};
    const double begin = sa_clock_seconds();
    bool good = dispatch(argc ? argc - 1 : 0, argv + 1, &error);
    if (agree) good = agree(good, &error);
    cli_note_cost(begin);
    if (!good && error.text[0]) cli_note_error(&error);
    if (!good) return (int)error.code;
    return cli_signals_caught() ? 128 + cli_signals_caught() : 0;
}
