/* profile: where the time of the updates goes, part by part of the model.
 *
 * The model's code says at the end of a part which part that was. Without a profile such a line is
 * the test of a pointer, a few times an update. */
#ifndef SA_BASE_PROFILE_H
#define SA_BASE_PROFILE_H

#include <softalign.h>
#include <stddef.h>

/* Rows of the table, in its order; names in profile.c. */
typedef enum sa_part {
    SA_PART_BATCH,
    SA_PART_ENCODER,
    SA_PART_DECODER,
    SA_PART_READOUT,
    SA_PART_DECODER_BACK,
    SA_PART_ENCODER_BACK,
    SA_PART_UPDATE,
    SA_PART_WAITING,
} sa_part;

typedef struct sa_profile {
    double seconds[SA_PARTS];
    double last; /* when the running part began */
} sa_profile;

/* Seconds of a clock that never goes back. */
double sa_now(void);

/* Now the first part begins; now one ends and the next begins. Without a profile: nothing. */
static inline void sa_profile_start(sa_profile *profile) {
    if (profile) profile->last = sa_now();
}
void sa_profile_add(sa_profile *profile, sa_part part);
static inline void sa_profile_end(sa_profile *profile, sa_part part) {
    if (profile) sa_profile_add(profile, part);
}

/* The table: adds what one profile measured. */
void sa_profile_tell(const sa_profile *profile, sa_part_time parts[SA_PARTS]);

#endif
