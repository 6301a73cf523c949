/* profile: the time that each part of the model takes in an update.
 *
 * The model's code calls sa_profile_end after each part. Without a profile that only tests a
 * pointer. */
#ifndef SA_BASE_PROFILE_H
#define SA_BASE_PROFILE_H

#include <softalign.h>
#include <stddef.h>

/* The rows of the table in order; their names are in profile.c. */
typedef enum sa_profile_part {
    SA_PROFILE_BATCH,
    SA_PROFILE_ENCODER,
    SA_PROFILE_DECODER,
    SA_PROFILE_READOUT,
    SA_PROFILE_DECODER_BACKWARD,
    SA_PROFILE_ENCODER_BACKWARD,
    SA_PROFILE_SUM,
    SA_PROFILE_UPDATE,
    SA_PROFILE_WAIT,
} sa_profile_part;

typedef struct sa_profile {
    double seconds[SA_PROFILE_ENTRIES];
    double last; /* start of the current part */
} sa_profile;

/* Seconds of a monotonic clock. */
double sa_clock_seconds(void);

/* Start the first part; end a part and start the next. Do nothing without a profile. */
static inline void sa_profile_start(sa_profile *profile) {
    if (profile) profile->last = sa_clock_seconds();
}
void sa_profile_add(sa_profile *profile, sa_profile_part part);
static inline void sa_profile_end(sa_profile *profile, sa_profile_part part) {
    if (profile) sa_profile_add(profile, part);
}

/* Adds the times of a profile to the table. */
void sa_profile_report(const sa_profile *profile, sa_profile_entry parts[SA_PROFILE_ENTRIES]);

#endif
