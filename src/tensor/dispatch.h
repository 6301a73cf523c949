/* dispatch: a function compiled for several instruction sets, of which the program chooses one when
 * it starts. Sanitizers do not support that. */
#ifndef SA_TENSOR_DISPATCH_H
#define SA_TENSOR_DISPATCH_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(undefined_behavior_sanitizer)
#define SA_SANITIZED
#endif
#endif

/* AVX2 by what processors have, not by what they are: "arch=haswell" is Intel's of 2013 alone.
 * clang 14 would never choose "arch=x86-64-v3", which has fused multiply-adds, too. */
#ifdef __clang__
#define SA_AVX2 "avx2"
#else
#define SA_AVX2 "arch=x86-64-v3"
#endif

#if defined(__x86_64__) && defined(__ELF__) && !defined(SA_SANITIZED) && !defined(SA_PLAIN_LOOPS)
#define SA_DISPATCHED __attribute__((target_clones("avx512f", SA_AVX2, "default")))
#else
#define SA_DISPATCHED
#endif

#endif
