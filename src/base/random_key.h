/* random_key: a key for hashes, random in every process, against words constructed to collide. */
#ifndef SA_BASE_RANDOM_KEY_H
#define SA_BASE_RANDOM_KEY_H

#include <stdint.h>

/* [2] */
const uint64_t *sa_random_key(void);

#endif
