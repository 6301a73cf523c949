/* dispatch: one body of a loop, compiled for several instruction sets; the program chooses when it
 * starts. Sanitizers cannot follow that choice. */
#ifndef SA_MATH_DISPATCH_H
#define SA_MATH_DISPATCH_H

#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__) && !defined(SA_PLAIN_LOOPS)
#define SA_DISPATCHED __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define SA_DISPATCHED
#endif

#endif
