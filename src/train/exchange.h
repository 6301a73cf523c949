/* exchange: what processes tell each other that train one model, each on a range of the shards. The
 * functions in the struct carry it (src/mpi). NULL stands for a single process. */
#ifndef SA_TRAIN_EXCHANGE_H
#define SA_TRAIN_EXCHANGE_H

#include "base/error.h"
#include "tensor/mat.h"

enum { SA_MAX_PROCESSES = 1024 };

typedef struct sa_exchange sa_exchange;
struct sa_exchange {
    int rank, size;
    int threads;              /* of this process, unless the settings say */
    int cores;                /* of all processes */
    const char *where;        /* "4 processes on 2 hosts" */
    const char *const *hosts; /* [size] */
    bool ended;               /* nothing more is exchanged, as after an error agreed on */
    bool incomplete;          /* a process has died, and MPI would wait for it */
    /* Of `count` items each process has set those from sa_exchange_first on; now all get all. */
    void (*gather)(void *items, size_t size, int count);
    /* numbers[size] holds the sum of the first process. Block by block, in the order of the ranks,
     * the others add theirs with add(context, at, size); now all get the result. */
    void (*sum)(sa_real *numbers, size_t size, void (*add)(void *context, size_t at, size_t size),
                void *context);
};

/* The first of `count` items that belongs to the process; the next one's is the end. The first
 * process always has an item. */
int sa_exchange_first(const sa_exchange *exchange, int count, int rank);

/* Whether this process prints and writes. */
bool sa_exchange_leads(const sa_exchange *exchange);

/* Collects a word of every process. */
void sa_exchange_words(const sa_exchange *exchange, uint64_t word, uint64_t words[]);

/* Whether all are good. Otherwise the error of the first process that is not remains, and the
 * others get its code without a text. */
bool sa_exchange_agree(sa_exchange *exchange, bool good, sa_error *error);

/* Of the words of all processes, the first that is not the one most have; -1: all are equal. */
int sa_exchange_odd(const uint64_t words[], int count);

#endif
