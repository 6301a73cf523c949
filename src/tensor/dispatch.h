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

#if defined(__x86_64__) && defined(__ELF__) && !defined(SA_SANITIZED) && !defined(SA_PLAIN_LOOPS)
#define SA_DISPATCHED __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define SA_DISPATCHED
#endif

#endif
