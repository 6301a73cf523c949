/* node: finds out what each process runs on, and checks whether all compute the same bits. */
#pragma once

#include <softalign/lab.h>

/* Describes a process; it is sent as it is, so it holds no pointers. */
typedef struct sa_node {
    char host[64], processor[96];
    char kernels[128];             /* of OpenBLAS and softalign, and whatever else rounds */
    char chosen[32];               /* OPENBLAS_CORETYPE; empty: not set */
    uint64_t cores;                /* hash of the set of cores that it may use */
    int core_count, asked_threads; /* asked_threads: by Slurm; 0: it did not ask */
} sa_node;

void sa_node_find(sa_node *node);

/* Checks that all processes compute the same bits. SA_USAGE names two hosts whose kernels
 * differ. */
bool sa_nodes_check(const sa_node *nodes, int count, sa_error *error);

/* Returns the number of threads of a process: what Slurm says, otherwise its share of the cores. */
int sa_nodes_threads(const sa_node *nodes, int count, int rank);

/* Writes "4 processes on 2 hosts" to `text`. */
void sa_nodes_where(const sa_node *nodes, int count, char *text, size_t size);

/* Fails with SA_USAGE if Slurm started several processes without connecting them, as a bare `srun`
 * does if Open MPI lacks its PMI. To be called before MPI_Init, which would complain at length. */
bool sa_node_check_slurm(sa_error *error);
/* Returns whether this process reports that error: only the first process that Slurm started
 * does. */
bool sa_node_reports(void);
