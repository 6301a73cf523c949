/* profile: where the time of the updates goes, part by part of the model.
 *
 * The model's code says at the end of a part which part that was. Without a profile such a line is
 * the test of a pointer, a few times an update. */
#ifndef SA_BASE_PROFILE_H
#define SA_BASE_PROFILE_H

#include <softalign.h>
#include <stddef.h>

/* Rows of the table, in its order; names in profile.c. */
typedef enum sa_profile_part {
    SA_PROFILE_BATCH,
    SA_PROFILE_ENCODER,
    SA_PROFILE_DECODER,
    SA_PROFILE_READOUT,
    SA_PROFILE_DECODER_BACKWARD,
    SA_PROFILE_ENCODER_BACKWARD,
    SA_PROFILE_UPDATE,
    SA_PROFILE_WAIT,
} sa_profile_part;

typedef struct sa_profile {
    double seconds[SA_PROFILE_ENTRIES];
    double last; /* when the running part began */
} sa_profile;

/* Seconds of a clock that never goes back. */
double sa_clock_seconds(void);

/* Now the first part begins; now one ends and the next begins. Without a profile: nothing. */
static inline void sa_profile_start(sa_profile *profile) {
    if (profile) profile->last = sa_clock_seconds();
}
void sa_profile_add(sa_profile *profile, sa_profile_part part);
static inline void sa_profile_end(sa_profile *profile, sa_profile_part part) {
    if (profile) sa_profile_add(profile, part);
}

/* The table: adds what one profile measured. */
void sa_profile_report(const sa_profile *profile, sa_profile_entry parts[SA_PROFILE_ENTRIES]);

#endif
