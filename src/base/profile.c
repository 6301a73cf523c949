#include "base/profile.h"

#include <time.h>

double sa_clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void sa_profile_add(sa_profile *profile, sa_profile_part part) {
    const double now = sa_clock_seconds();
    profile->seconds[part] += now - profile->last;
    profile->last = now;
}

void sa_profile_report(const sa_profile *profile, sa_profile_entry parts[SA_PROFILE_ENTRIES]) {
    static const char *const names[] = {
        [SA_PROFILE_BATCH] = "building the batch",
        [SA_PROFILE_ENCODER] = "encoder forward",
        [SA_PROFILE_DECODER] = "decoder forward",
        [SA_PROFILE_READOUT] = "read-out and loss, forward and backward",
        [SA_PROFILE_DECODER_BACKWARD] = "decoder backward",
        [SA_PROFILE_ENCODER_BACKWARD] = "encoder backward",
        [SA_PROFILE_SUM] = "adding up the gradients",
        [SA_PROFILE_UPDATE] = "clip and optimizer",
        [SA_PROFILE_WAIT] = "waiting for other threads",
    };
    for (int i = 0; i < SA_PROFILE_ENTRIES; i++) {
        parts[i].name = names[i];
        parts[i].seconds += profile->seconds[i];
    }
}
