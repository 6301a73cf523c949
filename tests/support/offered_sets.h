/* Instruction sets: the test says which ones the included source is offered, by
 *
 *   #define __builtin_cpu_supports is_offered */
#ifndef TEST_OFFERED_SETS_H
#define TEST_OFFERED_SETS_H

#include <stdbool.h>
#include <string.h>

static const char *const *offered; /* their names, then NULL */

__attribute__((unused)) /* by the kernel for short vectors */
static bool
is_offered(const char *set) {
    for (const char *const *own = offered; *own; own++)
        if (strcmp(*own, set) == 0) return true;
    return false;
}

#endif
