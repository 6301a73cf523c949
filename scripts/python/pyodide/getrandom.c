/* getrandom: which the C library of Pyodide lacks. */
#include <sys/random.h>
#include <unistd.h>

ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
    (void)flags;
    return getentropy(buffer, size) == 0 ? (ssize_t)size : -1;
}
