#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "compare/compare.h"
#include "mpi/mpi_exchange.h"
#include "mpi/node.h"
#include "train/session.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {&cli_train, &cli_compare, &cli_help, NULL};

static sa_exchange exchange;

static bool agree(bool good, sa_error *error) {
    return sa_exchange_agree(&exchange, good, error);
}

/* mpirun gives standard input to the first process only. */
static bool check_arguments(int count, char **arguments, sa_error *error) {
    for (int i = 0; i < count; i++) {
        const char *value = strchr(arguments[i], '=');
        if (strcmp(value ? value + 1 : arguments[i], "-") == 0)
            return sa_fail(error, SA_USAGE,
                           "'%s': standard input does not reach all processes: write it to a file",
                           arguments[i]);
    }
    return true;
}

static int run(int argc, char **argv) {
    sa_error error = {0};
    const bool good =
        sa_mpi_exchange_open(&exchange, &error) && check_arguments(argc, argv, &error);
    cli_follows = exchange.rank > 0;
    if (argc > 1 && strcmp(argv[1], cli_compare.name) == 0) {
        sa_compare_processes = &exchange;
        cli_signals_keep(); /* mpirun ends the others when one ends by a signal */
    } else {
        sa_session_processes = &exchange;
    }
    if (good) return cli_run(argc, argv, agree);
    if (!cli_follows) cli_note_error(&error);
    return (int)error.code;
}

int main(int argc, char **argv) {
    sa_error error = {0};
    cli_name = "softalign-mpi";
    cli_commands = commands;
    if (!sa_node_check_slurm(&error)) {
        if (sa_node_reports()) cli_note_error(&error);
        return (int)error.code;
    }
    /* A waiting process yields its core to others: those of other users, or those that it waits
     * for, where there are more processes than cores. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    MPI_Init(&argc, &argv);
    const int code = run(argc, argv);
    if (!exchange.incomplete) MPI_Finalize();
    return code;
}
