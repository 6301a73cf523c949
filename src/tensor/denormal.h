/* denormal: numbers below 1.2e-38 (2.3e-308 in double), with which arithmetic is up to a hundred
 * times slower. */
#pragma once

#ifdef __x86_64__
#include <xmmintrin.h>

/* Treats denormal numbers as 0 in this thread until sa_denormals_restore(the returned value); it
 * rounds to nearest and traps nothing. Between the two calls, call a function that is not inlined:
 * the compiler may move arithmetic of the same function across them. */
static inline unsigned sa_denormals_off(void) {
    enum { NEAREST_WITHOUT_DENORMALS = 0x9fc0 };
    const unsigned before = _mm_getcsr();
    _mm_setcsr(NEAREST_WITHOUT_DENORMALS);
    return before;
}

static inline void sa_denormals_restore(unsigned before) {
    _mm_setcsr(before);
}

#else /* they remain */

static inline unsigned sa_denormals_off(void) {
    return 0;
}

static inline void sa_denormals_restore(unsigned before) {
    (void)before;
}

#endif
