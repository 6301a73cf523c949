/* Two threads of the host use the library at the same time, each with objects of its own. What they
 * share is set up once; `cmake --preset tsan` looks for races here. */
#include "base/memory.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { HOSTS = 2 };

typedef struct host {
    char out[128], model[160];
    pthread_barrier_t *start;
    bool good;
    sa_error error;
    sa_train_result result;
    char *text;
    double log_probability;
} host;

/* Trains with two threads of the library, opens what was saved and translates. */
static void *work(void *context) {
    host *own = context;
    sa_settings settings = small_settings();
    settings.threads = settings.shards = 2;
    const sa_train_options training = {.settings = &settings, .train = train_path, .out = own->out};
    const char *const source = "w1 w0";
    sa_translation found = {0};
    sa_search search;
    sa_search_init(&search);
    pthread_barrier_wait(own->start);
    own->good = sa_train(&training, &own->result, &own->error);
    sa_model *model = own->good ? sa_model_open(own->model, 2, &own->error) : NULL;
    own->good = model && sa_translate(model, &source, 1, &search, &found, &own->error);
    own->text = found.text ? strdup(found.text) : NULL;
    own->log_probability = found.log_probability;
    if (own->good) sa_translations_release(&found, 1);
    sa_model_close(model);
    return NULL;
}

START_TEST(two_hosts_train_and_translate_at_once) {
    host all[HOSTS] = {0};
    pthread_t threads[HOSTS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, HOSTS);
    for (int i = 0; i < HOSTS; i++) {
        snprintf(all[i].out, sizeof all[i].out, "%.60s/%d", scratch, i);
        snprintf(all[i].model, sizeof all[i].model, "%.60s/%d/best.safetensors", scratch, i);
        all[i].start = &start;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &all[i]), 0);
    }
    for (int i = 0; i < HOSTS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < HOSTS; i++) {
        ck_assert_msg(all[i].good, "%s", all[i].error.text);
        ck_assert_str_eq(all[i].text, all[0].text);
        ck_assert(all[i].log_probability == all[0].log_probability);
        ck_assert(all[i].result.best_loss == all[0].result.best_loss);
    }
    for (int i = 0; i < HOSTS; i++) free(all[i].text);
}
END_TEST

static atomic_int waiting;

static void *return_memory(void *unused) {
    (void)unused;
    atomic_fetch_sub(&waiting, 1);
    while (atomic_load(&waiting)) sched_yield(); /* closer together than a barrier wakes them */
    sa_return_memory();
    return NULL;
}

/* Each round runs in a new process. Under a sanitizer, it has not used glibc's allocator yet. */
START_TEST(two_hosts_return_memory_at_once) {
    pthread_t threads[HOSTS];
    atomic_store(&waiting, HOSTS);
    for (int i = 0; i < HOSTS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, return_memory, NULL), 0);
    for (int i = 0; i < HOSTS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("threads", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, two_hosts_train_and_translate_at_once);
    tcase_add_loop_test(tests, two_hosts_return_memory_at_once, 0, 40);
    return suite_run(suite);
}
