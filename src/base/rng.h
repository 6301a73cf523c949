/* rng: PCG32 (O'Neill 2014, XSH-RR 64/32), seeded through SplitMix64 (Steele et al. 2014). Integers
 * only, so the same seed gives the same numbers on every machine; only normal and gamma
 * numbers use libm. A generator is 16 bytes of plain data: copy it to save it. */
#pragma once

#include <stdint.h>

typedef struct sa_rng {
    uint64_t state, stream; /* stream is odd */
} sa_rng;

/* Returns a generator for (seed, stream); the streams of a seed are independent of each other. */
sa_rng sa_rng_seed(uint64_t seed, uint64_t stream);

uint32_t sa_rng_next(sa_rng *rng);
/* Returns a uniform number in 0 .. bound-1, without bias; bound > 0. */
uint32_t sa_rng_below(sa_rng *rng, uint32_t bound);
/* Returns a uniform number in [0, 1) with 24 bits: exact in float and in double. */
double sa_rng_uniform(sa_rng *rng);
/* Returns a standard normal number, by Box and Muller. */
double sa_rng_normal(sa_rng *rng);
/* Returns a number from the gamma distribution of shape a > 0 and scale 1, by Marsaglia and Tsang
 * (2000); may round to 0 if a is small. */
double sa_rng_gamma(sa_rng *rng, double a);

/* Applies SplitMix64's finalizer: a good 64-bit hash of one number. */
uint64_t sa_hash_mix(uint64_t value);
/* Compares two hashes or other keys, or structs that begin with one, for qsort and bsearch. */
int sa_keys_compare(const void *a, const void *b);
/* Adds bytes to a 64-bit FNV-1a hash, which begins with SA_HASH_START. */
#define SA_HASH_START 0xcbf29ce484222325u
uint64_t sa_hash_add(uint64_t hash, const void *bytes, uint64_t size);
/* Returns the 64-bit FNV-1a hash, mixed: by it, sentences are split into train, valid and test. */
uint64_t sa_hash(const char *text, uint64_t size);
/* Returns SipHash-1-3 (Aumasson and Bernstein 2012): collisions cannot be constructed without the
 * key. */
uint64_t sa_hash_siphash(const uint64_t key[2], const char *text, uint64_t size);
