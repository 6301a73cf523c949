#include "lab/gradient_faults.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Per thread: two gradient checks may run at once. */
static _Thread_local const sa_gradient_fault *injected;
static _Thread_local bool hit;
static _Thread_local void *unread; /* results that are dropped */

bool sa_broken(const char *term) {
    if (!injected || strcmp(injected->name, term) != 0) return false;
    return hit = true;
}

const sa_gradient_fault *sa_injected_fault(void) {
    return injected;
}

sa_mat sa_unless_broken(const char *term, sa_mat result) {
    const size_t size = (size_t)result.rows * (size_t)result.ld;
    if (!result.x || !size || !result.cols || !sa_broken(term)) return result;
    free(unread);
    unread = result.x = sa_new(size, sizeof *result.x, NULL);
    sa_require(unread);
    return result;
}

bool sa_gradient_fault_hit(void) {
    return hit;
}

const sa_gradient_fault *sa_gradient_fault_find(const char *name) {
    const sa_gradient_fault *fault = sa_gradient_faults;
    while (fault->name && strcmp(fault->name, name) != 0) fault++;
    return fault->name ? fault : NULL;
}

bool sa_gradient_fault_inject(const char *name) {
    free(unread);
    injected = name ? sa_gradient_fault_find(name) : NULL;
    unread = NULL;
    hit = false;
    return !name || injected;
}
