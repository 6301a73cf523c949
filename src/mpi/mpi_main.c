/* The command line, run by several processes at once, which exchange sums over MPI. */
#include "cli/command.h"
#include "cli/output.h"
#include "compare/compare.h"
#include "mpi/node.h"
#include "train/session.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {&cli_train, &cli_compare, &cli_help, NULL};

static sa_exchange exchange; /* of all processes: train/trainer.h */

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
 * process. Only a few blocks are on their way at once. MPI shares a link among all messages under
 * way: if all blocks were sent at once, the first would arrive only with the last, and no process
 * could begin before the one before it ends. */

/* A block has size / PARTS numbers, but at least LEAST and at most MOST. */
enum { PARTS = 64, LEAST = 1 << 14, MOST = 1 << 16, WINDOW = 4 /* blocks on their way at once */ };

typedef enum sum_way { UP_IN, UP_OUT, DOWN_IN, DOWN_OUT, WAYS } sum_way;

typedef struct running_sum {
    sa_real *numbers;
    size_t size, length; /* of all, of a block */
    int blocks;
    void (*add)(void *context, size_t at, size_t size);
    void *context;
    int begun[WAYS], over[WAYS]; /* blocks; those over are the first ones */
    bool early[WAYS][WINDOW];    /* over, but not the one before */
    MPI_Request request[WAYS * WINDOW];
} running_sum;

/* A process at either end has no neighbor there: nothing goes that way. */
static bool is_open(sum_way way) {
    return way == UP_IN || way == DOWN_OUT ? exchange.rank > 0 : exchange.rank < exchange.size - 1;
}

/* How many blocks may have begun on their way. */
static int ready(const running_sum *sum, sum_way way) {
    const bool first = exchange.rank == 0, last = exchange.rank == exchange.size - 1;
    const int here = first ? sum->blocks : sum->over[UP_IN]; /* the sum up to this process */
    switch (way) {
    case UP_IN:
        return sum->blocks;
    case UP_OUT:
        return here;
    case DOWN_IN:
        return sum->over[UP_OUT]; /* the same numbers */
    default:
        return last ? here : sum->over[DOWN_IN];
    }
}

static size_t block_size(const running_sum *sum, int block) {
    const size_t rest = sum->size - (size_t)block * sum->length;
    return rest < sum->length ? rest : sum->length;
}

static void begin_block(running_sum *sum, sum_way way) {
    const int block = sum->begun[way]++, size = (int)block_size(sum, block);
    sa_real *numbers = sum->numbers + (size_t)block * sum->length;
    MPI_Request *request = &sum->request[way * WINDOW + block % WINDOW];
    const int up = way == UP_IN || way == UP_OUT;
    const int other = exchange.rank + (way == UP_OUT || way == DOWN_IN ? 1 : -1);
    if (way == UP_IN || way == DOWN_IN)
        MPI_Irecv(numbers, size, MPI_FLOAT, other, up, MPI_COMM_WORLD, request);
    else
        MPI_Isend(numbers, size, MPI_FLOAT, other, up, MPI_COMM_WORLD, request);
}

static void end_block(running_sum *sum, sum_way way, int slot) {
    int *over = &sum->over[way];
    const int block = *over + (slot - *over % WINDOW + WINDOW) % WINDOW;
    if (way == UP_IN) sum->add(sum->context, (size_t)block * sum->length, block_size(sum, block));
    for (sum->early[way][slot] = true; sum->early[way][*over % WINDOW]; ++*over)
        sum->early[way][*over % WINDOW] = false;
}

static void begin_blocks(running_sum *sum) {
    for (int way = 0; way < WAYS; way++)
        while (is_open(way) && sum->begun[way] < ready(sum, way) &&
               sum->begun[way] < sum->over[way] + WINDOW)
            begin_block(sum, way);
}

static void sum_numbers(sa_real *numbers, size_t size,
                        void (*add)(void *context, size_t at, size_t size), void *context) {
    running_sum sum = {.numbers = numbers, .size = size, .add = add, .context = context};
    if (exchange.size == 1) return;
    sum.length = size / PARTS;
    if (sum.length < LEAST) sum.length = LEAST;
    if (sum.length > MOST) sum.length = MOST;
    sum.blocks = (int)((size + sum.length - 1) / sum.length);
    for (int i = 0; i < WAYS * WINDOW; i++) sum.request[i] = MPI_REQUEST_NULL;
    begin_blocks(&sum);
    for (int i = 0;
         MPI_Waitany(WAYS * WINDOW, sum.request, &i, MPI_STATUS_IGNORE), i != MPI_UNDEFINED;
         begin_blocks(&sum))
        end_block(&sum, (sum_way)(i / WINDOW), i % WINDOW);
}

/* ---- Open ------------------------------------------------------------------------------------ */

/* MPI_Init has been called. The same on all: SA_USAGE when their kernels differ, SA_LIMIT when
 * there are too many. */
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
    const char *command = argc > 1 ? argv[1] : "";
    const uint64_t word = sa_hash(command, strlen(command));
    const bool good = open_exchange(&error) && agree(check_arguments(argc, argv, &error), &error) &&
                      sa_exchange_same(&exchange, word, "another command", &error);
    cli_follows = exchange.rank > 0;
    if (strcmp(command, cli_compare.name) == 0) {
        sa_compare_processes = &exchange;
        cli_signals_keep(); /* mpirun ends the others when one ends by a signal */
    } else {
        sa_session_processes = &exchange;
    }
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
    /* A waiting process yields its core to others: those of other users, or those that it waits
     * for, where there are more processes than cores. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    MPI_Init(&argc, &argv);
    const int code = run(argc, argv);
    if (!exchange.incomplete) MPI_Finalize();
    return code;
}
