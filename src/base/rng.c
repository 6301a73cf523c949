#include "base/rng.h"

#include <math.h>
#include <string.h>

#define FACTOR 6364136223846793005u /* of the generator */

uint64_t sa_hash_mix(uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

int sa_keys_compare(const void *a, const void *b) {
    const uint64_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

uint64_t sa_hash_add(uint64_t hash, const void *bytes, uint64_t size) {
    const unsigned char *byte = bytes;
    for (uint64_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

uint64_t sa_hash(const char *text, uint64_t size) {
    return sa_hash_mix(sa_hash_add(SA_HASH_START, text, size));
}

static uint64_t rotate_left(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1], v[1] = rotate_left(v[1], 13) ^ v[0], v[0] = rotate_left(v[0], 32);
    v[2] += v[3], v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = rotate_left(v[1], 17) ^ v[2], v[2] = rotate_left(v[2], 32);
}

uint64_t sa_hash_siphash(const uint64_t key[2], const char *text, uint64_t size) {
    uint64_t v[] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                    key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    for (uint64_t at = 0; at <= size; at += 8) {
        uint64_t block = size << 56; /* of the last block, which is not full */
        if (size - at >= 8)
            memcpy(&block, text + at, 8);
        else
            for (uint64_t i = at; i < size; i++)
                block |= (uint64_t)(unsigned char)text[i] << 8 * (i - at);
        v[3] ^= block;
        sip_round(v);
        v[0] ^= block;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

sa_rng sa_rng_seed(uint64_t seed, uint64_t stream) {
    const uint64_t both = sa_hash_mix(sa_hash_mix(seed) ^ stream);
    return (sa_rng){.state = both, .stream = sa_hash_mix(both) | 1};
}

uint32_t sa_rng_next(sa_rng *rng) {
    uint64_t old = rng->state;
    rng->state = old * FACTOR + rng->stream;
    uint32_t shifted = (uint32_t)((old >> 18 ^ old) >> 27);
    uint32_t rotation = (uint32_t)(old >> 59);
    return shifted >> rotation | shifted << (-rotation & 31);
}

uint32_t sa_rng_below(sa_rng *rng, uint32_t bound) {
    /* Smaller numbers are rejected: they would bias the result. */
    uint32_t threshold = -bound % bound;
    for (;;) {
        uint32_t number = sa_rng_next(rng);
        if (number >= threshold) return number % bound;
    }
}

double sa_rng_uniform(sa_rng *rng) {
    return (double)(sa_rng_next(rng) >> 8) * 0x1p-24;
}

double sa_rng_normal(sa_rng *rng) {
    double radius = sqrt(-2 * log(1 - sa_rng_uniform(rng)));
    return radius * cos(6.283185307179586 * sa_rng_uniform(rng));
}

double sa_rng_gamma(sa_rng *rng, double a) {
    if (a < 1) return sa_rng_gamma(rng, a + 1) * pow(sa_rng_uniform(rng), 1 / a);
    const double d = a - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = sa_rng_normal(rng), root = 1 + c * x, v = root * root * root;
        if (v > 0 && log(sa_rng_uniform(rng)) < x * x / 2 + d * (1 - v + log(v))) return d * v;
    }
}
