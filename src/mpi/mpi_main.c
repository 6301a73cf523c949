/* Runs the command line in several processes at once, which exchange sums over MPI. */
#include "cli/cli.h"
#include "mpi/node.h"
#include "train/session.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {&cli_train, &cli_help, NULL};

static sa_exchange exchange; /* see train/trainer.h */

static void gather(void *items, size_t size, int count) {
    int bytes[SA_MAX_PROCESSES], begin[SA_MAX_PROCESSES];
    for (int i = 0; i < exchange.size; i++) {
        const int first = sa_exchange_first(&exchange, count, i);
        const int end = sa_exchange_first(&exchange, count, i + 1);
        begin[i] = first * (int)size, bytes[i] = (end - first) * (int)size;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, items, bytes, begin, MPI_BYTE,
                   MPI_COMM_WORLD);
}

/* ---- Sums ------------------------------------------------------------------------------------
 * Partial sums go up the ranks and the result comes down again, block by block, so every link
 * carries numbers in both directions, as in a ring; but the order of addition is that of one
 * process. A process waits for the result of a block `lag` blocks after it has sent its partial
 * sum, which is about when it arrives. Without that limit the first process would send all its
 * blocks at once; MPI shares a link among all messages under way, so they would all arrive at the
 * end. */

/* A block has size / PARTS numbers, but at least LEAST and at most MOST. */
enum { PARTS = 64, LEAST = 1 << 14, MOST = 1 << 16, WINDOW = 4 /* blocks on a link at once */ };
enum { UP, DOWN }; /* tags of messages */

static void sum_numbers(sa_real *numbers, size_t size,
                        void (*add)(void *context, size_t at, size_t size), void *context) {
    const int rank = exchange.rank, last = exchange.size - 1;
    const int lag = rank == last ? 1 : 2 * (last - rank) + WINDOW;
    const size_t part = size / PARTS, length = part < LEAST ? LEAST : part < MOST ? part : MOST;
    const int blocks = (int)((size + length - 1) / length);
    MPI_Request up[2 * SA_MAX_PROCESSES + WINDOW], down[WINDOW];
    for (int i = 0; i < WINDOW; i++) down[i] = MPI_REQUEST_NULL;
    for (int step = 0; last > 0 && step < blocks + lag; step++) {
        const int done = step - lag;
        const size_t from = (size_t)done * length, at = (size_t)step * length;
        if (done >= 0) {
            const int count = (int)(size - from < length ? size - from : length);
            if (rank < last) {
                MPI_Wait(&up[done % lag], MPI_STATUS_IGNORE);
                MPI_Recv(numbers + from, count, MPI_FLOAT, rank + 1, DOWN, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            }
            MPI_Wait(&down[done % WINDOW], MPI_STATUS_IGNORE);
            if (rank > 0)
                MPI_Isend(numbers + from, count, MPI_FLOAT, rank - 1, DOWN, MPI_COMM_WORLD,
                          &down[done % WINDOW]);
        }
        if (step < blocks) {
            const int count = (int)(size - at < length ? size - at : length);
            if (rank > 0) {
                MPI_Recv(numbers + at, count, MPI_FLOAT, rank - 1, UP, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                add(context, at, (size_t)count);
            }
            if (rank < last)
                MPI_Isend(numbers + at, count, MPI_FLOAT, rank + 1, UP, MPI_COMM_WORLD,
                          &up[step % lag]);
        }
    }
    MPI_Waitall(WINDOW, down, MPI_STATUSES_IGNORE);
}

/* ---- Open ------------------------------------------------------------------------------------ */

/* Opens the exchange, after MPI_Init. Fails in all processes alike: SA_USAGE if their kernels
 * differ, SA_LIMIT if there are too many. */
static bool open_exchange(sa_error *error) {
    static sa_node nodes[SA_MAX_PROCESSES];
    static const char *hosts[SA_MAX_PROCESSES];
    static char where[64];
    sa_node own;
    exchange = (sa_exchange){.hosts = hosts, .where = where, .gather = gather, .sum = sum_numbers};
    MPI_Comm_rank(MPI_COMM_WORLD, &exchange.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &exchange.size);
    const int size = exchange.size;
    if (size > SA_MAX_PROCESSES)
        return sa_fail(error, SA_LIMIT, "at most %d processes train together", SA_MAX_PROCESSES);
    sa_node_find(&own);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, nodes, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    exchange.threads = sa_nodes_threads(nodes, size, exchange.rank);
    for (int i = 0; i < size; i++) {
        hosts[i] = nodes[i].host;
        exchange.cores += sa_nodes_threads(nodes, size, i);
    }
    sa_nodes_where(nodes, size, where, sizeof where);
    return sa_nodes_check(nodes, size, error);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool agree(bool good, sa_error *error) {
    return sa_exchange_agree(&exchange, good, error);
}

/* Refuses standard input, which mpirun passes only to the first process. */
static bool check_arguments(int count, char **arguments, sa_error *error) {
    if (count > 1 && strcmp(arguments[1], "compare") == 0)
        return sa_fail(error, SA_USAGE,
                       "there is no 'softalign-mpi compare' any more: "
                       "'softalign compare' joins runs that several machines have trained");
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
    const char *command = argc > 1 ? argv[1] : "";
    const uint64_t word = sa_hash(command, strlen(command));
    const bool good = open_exchange(&error) && agree(check_arguments(argc, argv, &error), &error) &&
                      sa_exchange_same(&exchange, word, "another command", &error);
    cli_follows = exchange.rank > 0;
    sa_session_processes = &exchange;
    if (good) return cli_run(argc, argv, agree);
    if (exchange.ended ? error.text[0] != 0 : !cli_follows) cli_note_error(&error);
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
    /* A waiting process yields its core to other users or, if there are more processes than cores,
     * to the processes that it waits for. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    MPI_Init(&argc, &argv);
    const int code = run(argc, argv);
    MPI_Finalize();
    return code;
}
