/* dispatch: a function compiled for several instruction sets, of which the program chooses one when
 * it starts. Sanitizers do not support this. */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(undefined_behavior_sanitizer)
#define SA_SANITIZED
#endif
#endif

/* Selects processors with AVX2 and fused multiply-adds by their features: "arch=haswell" is chosen
 * by name, only on Intel's processor of 2013. clang 14 never chooses "arch=x86-64-v3". */
#ifdef __clang__
#define SA_FUSED "fma"
#else
#define SA_FUSED "arch=x86-64-v3"
#endif

#if defined(__x86_64__) && defined(__ELF__) && !defined(SA_SANITIZED) && !defined(SA_PLAIN_LOOPS)
#define SA_DISPATCHED __attribute__((target_clones("avx512f", SA_FUSED, "default")))
#else
#define SA_DISPATCHED
#endif
