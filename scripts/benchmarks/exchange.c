/* What the processes of softalign-mpi tell each other in one update, and nothing else: the sum of
 * their gradients along the ranks and back, the losses of their shards, whether to stop.
 *
 *   mpirun -n P exchange BYTES SECONDS
 *
 * Repeats it for that many seconds and prints the processes, the bytes, the median and the 90th
 * percentile of the seconds of one exchange at the first process, and how many there were. */
#include "base/clock.h"
#include "mpi/mpi_exchange.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, LEAST = 3 };

typedef struct own_part {
    float *sum, *part;
} own_part;

static void add_own(void *context, size_t at, size_t size) {
    const own_part *own = context;
    for (size_t i = at; i < at + size; i++) own->sum[i] += own->part[i];
    memset(own->part + at, 0, size * sizeof *own->part);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void one_update(const sa_exchange *exchange, own_part *own, size_t size) {
    static struct { double loss, alignment_loss; } shards[SA_MAX_PROCESSES];
    uint64_t words[SA_MAX_PROCESSES];
    exchange->sum(own->sum, size, add_own, own);
    exchange->gather(shards, sizeof *shards, exchange->size);
    sa_exchange_words(exchange, 0, words);
}

int main(int argc, char **argv) {
    static double seconds[MOST];
    sa_exchange exchange;
    sa_error error;
    if (argc != 3) return 2;
    const size_t size = strtoull(argv[1], NULL, 10) / sizeof(float);
    const double limit = strtod(argv[2], NULL);
    MPI_Init(&argc, &argv);
    own_part own = {calloc(size, sizeof(float)), calloc(size, sizeof(float))};
    if (!own.sum || !own.part || !sa_mpi_exchange_open(&exchange, &error)) return 1;
    one_update(&exchange, &own, size);
    int count = 0;
    uint64_t again = 1, all[SA_MAX_PROCESSES];
    for (double begin = sa_clock_seconds(); again; count++) {
        const double start = sa_clock_seconds();
        one_update(&exchange, &own, size);
        seconds[count] = sa_clock_seconds() - start;
        again = count + 1 < MOST && (count + 1 < LEAST || sa_clock_seconds() - begin < limit);
        sa_exchange_words(&exchange, again, all);
        again = all[0];
    }
    qsort(seconds, (size_t)count, sizeof *seconds, ascending);
    if (exchange.rank == 0)
        printf("%d\t%zu\t%.6f\t%.6f\t%d\n", exchange.size, size * sizeof(float), seconds[count / 2],
               seconds[count * 9 / 10], count);
    free(own.sum);
    free(own.part);
    MPI_Finalize();
    return 0;
}
