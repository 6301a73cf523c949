#include "mpi/node.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/thread.h"
#include "tensor/blas.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- This process ---------------------------------------------------------------------------- */

static void find_processor(char *name, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(name, size, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || !colon) continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file) fclose(file);
}

/* Returns how the loops of softalign itself round: alike wherever multiply-adds are fused. */
static const char *loops(void) {
#ifdef __x86_64__
    const bool fuses = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return fuses ? "fused" : "unfused"; /* see tensor/dispatch.h */
#else
    return "fused";
#endif
}

/* Returns a hash of the program and OpenBLAS: two builds of one version may round differently, and
 * so may two versions of OpenBLAS. */
static unsigned hash_program(void) {
    uint64_t hash = sa_hash(sa_blas_version(), strlen(sa_blas_version()));
    sa_file file = {0};
    if (sa_file_read(&file, "/proc/self/exe", SA_FILE_LIMIT, NULL))
        hash ^= sa_hash(file.data, file.size);
    sa_file_release(&file);
    return (unsigned)hash;
}

static int number_of(const char *variable) {
    const char *value = getenv(variable);
    const int number = value ? atoi(value) : 0;
    return number > 0 && number <= SA_MAX_THREADS ? number : 0;
}

void sa_node_find(sa_node *node) {
    const char *chosen = getenv("OPENBLAS_CORETYPE");
    char library[64] = "";
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    *node = (sa_node){.cores = sa_hash((const char *)&cores, sizeof cores),
                      .core_count = sa_cpu_count(),
                      .asked_threads = number_of("SLURM_CPUS_PER_TASK")};
    gethostname(node->host, sizeof node->host - 1);
    find_processor(node->processor, sizeof node->processor);
    confstr(_CS_GNU_LIBC_VERSION, library, sizeof library);
    snprintf(node->kernels, sizeof node->kernels, "%s, %s, softalign %s (%08x), %s", sa_blas_core(),
             loops(), sa_version(), hash_program(), library);
    if (chosen) snprintf(node->chosen, sizeof node->chosen, "%s", chosen);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool all_chosen(const sa_node *nodes, int count) {
    for (int i = 0; i < count; i++)
        if (!nodes[i].chosen[0] || strcmp(nodes[i].chosen, nodes[0].chosen) != 0) return false;
    return true;
}

bool sa_nodes_check(const sa_node *nodes, int count, sa_error *error) {
    const bool chosen = all_chosen(nodes, count);
    for (int i = 1; i < count; i++) {
        const sa_node *one = &nodes[0], *other = &nodes[i];
        if (strcmp(one->kernels, other->kernels) == 0 &&
            (chosen || strcmp(one->processor, other->processor) == 0))
            continue;
        return sa_fail(
            error, SA_USAGE,
            "process 0 on '%s' (%s; %s) and process %d on '%s' (%s; %s) would not compute "
            "the same bits: use nodes of one kind, or set OPENBLAS_CORETYPE alike "
            "everywhere (mpirun -x OPENBLAS_CORETYPE=Haswell)",
            one->host, one->processor, one->kernels, i, other->host, other->processor,
            other->kernels);
    }
    return true;
}

int sa_nodes_threads(const sa_node *nodes, int count, int rank) {
    const sa_node *own = &nodes[rank];
    int sharing = 0;
    for (int i = 0; i < count; i++)
        sharing += nodes[i].cores == own->cores && strcmp(nodes[i].host, own->host) == 0;
    const int part = own->core_count / sharing;
    return own->asked_threads ? own->asked_threads : part > 1 ? part : 1;
}

void sa_nodes_where(const sa_node *nodes, int count, char *text, size_t size) {
    int hosts = 0;
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (strcmp(nodes[k].host, nodes[i].host) != 0) k++;
        hosts += k == i;
    }
    snprintf(text, size, "%d process%s on %d host%s", count, count == 1 ? "" : "es", hosts,
             hosts == 1 ? "" : "s");
}

/* ---- Slurm ----------------------------------------------------------------------------------- */

bool sa_node_check_slurm(sa_error *error) {
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (!tasks) tasks = getenv("SLURM_NTASKS");
    if (!getenv("SLURM_PROCID") || !tasks || atoi(tasks) < 2 || getenv("OMPI_COMM_WORLD_SIZE") ||
        getenv("PMIX_RANK"))
        return true;
    return sa_fail(
        error, SA_USAGE,
        "Slurm has %s tasks here, but this process is not connected to the others: start "
        "it by 'mpirun softalign-mpi ...' or 'srun --mpi=pmix softalign-mpi ...'",
        tasks);
}

bool sa_node_reports(void) {
    const char *process = getenv("SLURM_PROCID");
    return !process || atoi(process) == 0;
}
