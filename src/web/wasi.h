/* wasi: what wasi-libc does not declare; plain_system.c defines it. Read before every file. */
#ifndef SA_WEB_WASI_H
#define SA_WEB_WASI_H

#include <stddef.h>

int madvise(void *memory, size_t size, int advice);

#endif
