#include "base/random_key.h"

#include <pthread.h>
#include <sys/random.h>

static uint64_t key[2];

static void draw(void) {
    (void)!getrandom(key, sizeof key, GRND_NONBLOCK); /* on failure 0: slow at worst */
}

const uint64_t *sa_random_key(void) {
    static pthread_once_t drawn = PTHREAD_ONCE_INIT;
    pthread_once(&drawn, draw);
    return key;
}
