#include "mpi/mpi_exchange.h"
#include "mpi/node.h"

#include <mpi.h>

static const sa_exchange *world; /* its functions' */

static void gather(void *items, size_t size, int count) {
    int bytes[SA_MAX_PROCESSES], begin[SA_MAX_PROCESSES];
    for (int i = 0; i < world->size; i++) {
        const int first = sa_exchange_first(world, count, i);
        const int end = sa_exchange_first(world, count, i + 1);
        begin[i] = first * (int)size, bytes[i] = (end - first) * (int)size;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, items, bytes, begin, MPI_BYTE,
                   MPI_COMM_WORLD);
}

/* ---- Sums ------------------------------------------------------------------------------------
 * Partial sums go up the ranks and the result comes down again, block by block. All blocks are on
 * their way at once, so every link carries numbers in both directions, as in a ring; but the order
 * of addition is that of one process. */

enum {
    LEAST = 1 << 14, /* numbers of a block, unless there are */
    BLOCKS = 256,    /* more blocks than that */
};

typedef enum sum_stage { WAITING, FROM_BELOW, TO_ABOVE, FROM_ABOVE, TO_BELOW, DONE } sum_stage;

typedef struct running_sum {
    sa_real *numbers;
    size_t size, length; /* of all, of a block */
    void (*add)(void *context, size_t at, size_t size);
    void *context;
    sum_stage stage[BLOCKS];
    MPI_Request request[BLOCKS];
} running_sum;

static sum_stage next_stage(sum_stage stage) {
    const bool first = world->rank == 0, last = world->rank == world->size - 1;
    do stage++;
    while ((first && (stage == FROM_BELOW || stage == TO_BELOW)) ||
           (last && (stage == TO_ABOVE || stage == FROM_ABOVE)));
    return stage;
}

/* A stage of the block is over; the next one begins. */
static void advance(running_sum *sum, int block) {
    const size_t at = (size_t)block * sum->length, rest = sum->size - at;
    const size_t size = rest < sum->length ? rest : sum->length;
    sa_real *numbers = sum->numbers + at;
    MPI_Request *request = &sum->request[block];
    if (sum->stage[block] == FROM_BELOW) sum->add(sum->context, at, size);
    sum->stage[block] = next_stage(sum->stage[block]);
    switch (sum->stage[block]) {
    case FROM_BELOW:
    case FROM_ABOVE:
        MPI_Irecv(numbers, (int)size, MPI_FLOAT,
                  world->rank + (sum->stage[block] == FROM_ABOVE ? 1 : -1), block, MPI_COMM_WORLD,
                  request);
        break;
    case TO_ABOVE:
    case TO_BELOW:
        MPI_Isend(numbers, (int)size, MPI_FLOAT,
                  world->rank + (sum->stage[block] == TO_ABOVE ? 1 : -1), block, MPI_COMM_WORLD,
                  request);
        break;
    default:
        *request = MPI_REQUEST_NULL;
    }
}

static void sum_numbers(sa_real *numbers, size_t size,
                        void (*add)(void *context, size_t at, size_t size), void *context) {
    running_sum sum = {.numbers = numbers, .size = size, .add = add, .context = context};
    if (world->size == 1) return;
    sum.length = (size + BLOCKS - 1) / BLOCKS;
    if (sum.length < LEAST) sum.length = LEAST;
    const int blocks = (int)((size + sum.length - 1) / sum.length);
    for (int i = 0; i < blocks; i++) advance(&sum, i);
    for (int i = 0; MPI_Waitany(blocks, sum.request, &i, MPI_STATUS_IGNORE), i != MPI_UNDEFINED;)
        advance(&sum, i);
}

/* ---- Open ------------------------------------------------------------------------------------ */

bool sa_mpi_exchange_open(sa_exchange *exchange, sa_error *error) {
    static sa_node nodes[SA_MAX_PROCESSES];
    static const char *hosts[SA_MAX_PROCESSES];
    static char where[64];
    sa_node own;
    *exchange = (sa_exchange){.hosts = hosts, .where = where, .gather = gather, .sum = sum_numbers};
    MPI_Comm_rank(MPI_COMM_WORLD, &exchange->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &exchange->size);
    const int size = exchange->size;
    if (size > SA_MAX_PROCESSES)
        return sa_fail(error, SA_LIMIT, "at most %d processes train together", SA_MAX_PROCESSES);
    world = exchange;
    sa_node_find(&own);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, nodes, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    exchange->threads = sa_nodes_threads(nodes, size, exchange->rank);
    for (int i = 0; i < size; i++) {
        hosts[i] = nodes[i].host;
        exchange->cores += sa_nodes_threads(nodes, size, i);
    }
    sa_nodes_where(nodes, size, where, sizeof where);
    return sa_nodes_check(nodes, size, error);
}
