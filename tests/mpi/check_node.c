/* Who may train together, and with how many threads. */
#include "mpi/node.h"
#include "support/suite.h"
#include "train/session.h"

#include <stdlib.h>
#include <string.h>

static sa_node node_of(const char *host, const char *processor, const char *kernels,
                       const char *chosen, int cores, int mask) {
    sa_node node = {.cores = (uint64_t)mask, .core_count = cores};
    strcpy(node.host, host);
    strcpy(node.processor, processor);
    strcpy(node.kernels, kernels);
    strcpy(node.chosen, chosen);
    return node;
}

START_TEST(processors_must_be_equal_or_their_kernels_chosen) {
    sa_error error;
    sa_node nodes[] = {node_of("a", "Xeon", "SkylakeX, fused", "", 4, 1),
                       node_of("a", "Xeon", "SkylakeX, fused", "", 4, 1),
                       node_of("b", "Xeon", "SkylakeX, fused", "", 4, 1)};
    ck_assert(sa_nodes_check(nodes, 3, &error));
    strcpy(nodes[2].processor, "EPYC");
    ck_assert(!sa_nodes_check(nodes, 3, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "process 0 on 'a' (Xeon; SkylakeX, fused) and process "
                                             "2 on 'b' (EPYC; SkylakeX, fused)"));
    ck_assert_ptr_nonnull(strstr(error.text, "nodes of one kind, or set OPENBLAS_CORETYPE"));
    for (int i = 0; i < 3; i++) strcpy(nodes[i].chosen, "Haswell");
    ck_assert(sa_nodes_check(nodes, 3, &error));
    strcpy(nodes[1].chosen, "Zen");
    ck_assert(!sa_nodes_check(nodes, 3, &error));
    strcpy(nodes[1].chosen, "Haswell");
    strcpy(nodes[1].kernels, "SkylakeX, unfused");
    ck_assert(!sa_nodes_check(nodes, 3, &error));
}
END_TEST

START_TEST(processes_share_the_cores_that_they_may_use) {
    sa_node nodes[] = {
        node_of("a", "", "", "", 8, 1), /* these three may use the same eight cores */
        node_of("a", "", "", "", 8, 1), node_of("a", "", "", "", 8, 1),
        node_of("a", "", "", "", 4, 2), /* bound to four of its own */
        node_of("b", "", "", "", 8, 1), /* the same mask on another host */
        node_of("b", "", "", "", 1, 3), node_of("b", "", "", "", 1, 3),
    };
    const int threads[] = {2, 2, 2, 4, 8, 1, 1};
    char where[64];
    for (int i = 0; i < 7; i++) ck_assert_int_eq(sa_nodes_threads(nodes, 7, i), threads[i]);
    nodes[1].asked_threads = 5;
    ck_assert_int_eq(sa_nodes_threads(nodes, 7, 1), 5);
    sa_nodes_where(nodes, 7, where, sizeof where);
    ck_assert_str_eq(where, "7 processes on 2 hosts");
    sa_nodes_where(nodes, 1, where, sizeof where);
    ck_assert_str_eq(where, "1 process on 1 host");
}
END_TEST

START_TEST(this_process_is_found) {
    sa_node node;
    setenv("SLURM_CPUS_PER_TASK", "3", 1);
    sa_node_find(&node);
    ck_assert_int_eq(node.asked_threads, 3);
    ck_assert_int_ge(node.core_count, 1);
    ck_assert(node.host[0] && node.processor[0]);
    ck_assert_ptr_nonnull(strstr(node.kernels, sa_version()));
    setenv("SLURM_CPUS_PER_TASK", "all", 1);
    sa_node_find(&node);
    ck_assert_int_eq(node.asked_threads, 0);
}
END_TEST

START_TEST(a_bare_srun_is_recognized) {
    static const char *const started[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"};
    sa_error error;
    ck_assert(sa_node_check_slurm(&error));
    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_NTASKS", "4", 1);
    ck_assert(!sa_node_check_slurm(&error));
    ck_assert_ptr_nonnull(strstr(error.text, "mpirun"));
    ck_assert_ptr_nonnull(strstr(error.text, "srun --mpi=pmix"));
    for (int i = 0; i < 2; i++) {
        setenv(started[i], "0", 1);
        ck_assert(sa_node_check_slurm(&error));
        unsetenv(started[i]);
    }
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    ck_assert(sa_node_check_slurm(&error));
}
END_TEST

START_TEST(the_odd_one_is_not_what_most_are) {
    ck_assert_int_eq(sa_exchange_odd((uint64_t[]){7}, 1), -1);
    ck_assert_int_eq(sa_exchange_odd((uint64_t[]){7, 7, 7}, 3), -1);
    ck_assert_int_eq(sa_exchange_odd((uint64_t[]){7, 7, 8}, 3), 2);
    ck_assert_int_eq(sa_exchange_odd((uint64_t[]){8, 7, 7}, 3), 0);
    ck_assert_int_eq(sa_exchange_odd((uint64_t[]){7, 8}, 2), 1);
}
END_TEST

START_TEST(every_item_belongs_to_one_process) {
    for (int size = 1; size < 9; size++)
        for (int count = 1; count < 20; count++) {
            const sa_exchange exchange = {.size = size};
            ck_assert_int_eq(sa_exchange_first(&exchange, count, 0), 0);
            ck_assert_int_gt(sa_exchange_first(&exchange, count, 1), 0);
            ck_assert_int_eq(sa_exchange_first(&exchange, count, size), count);
            for (int i = 0; i < size; i++) {
                const int own = sa_exchange_first(&exchange, count, i + 1) -
                                sa_exchange_first(&exchange, count, i);
                ck_assert(own >= count / size - 1 && own <= (count + size - 1) / size);
            }
        }
    ck_assert_int_eq(sa_exchange_first(NULL, 5, 0), 0);
    ck_assert_int_eq(sa_exchange_first(NULL, 5, 1), 5);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("node", &tests);
    tcase_add_test(tests, processors_must_be_equal_or_their_kernels_chosen);
    tcase_add_test(tests, processes_share_the_cores_that_they_may_use);
    tcase_add_test(tests, this_process_is_found);
    tcase_add_test(tests, a_bare_srun_is_recognized);
    tcase_add_test(tests, the_odd_one_is_not_what_most_are);
    tcase_add_test(tests, every_item_belongs_to_one_process);
    return suite_run(suite);
}
