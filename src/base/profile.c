#include "base/profile.h"

#include <time.h>

double sa_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void sa_profile_add(sa_profile *profile, sa_part part) {
    const double now = sa_now();
    profile->seconds[part] += now - profile->last;
    profile->last = now;
}

void sa_profile_tell(const sa_profile *profile, sa_part_time parts[SA_PARTS]) {
    static const char *const names[] = {
        [SA_PART_BATCH] = "laying out the batch",
        [SA_PART_ENCODER] = "encoder forward",
        [SA_PART_DECODER] = "decoder forward",
        [SA_PART_READOUT] = "read-out and loss, both ways",
        [SA_PART_DECODER_BACK] = "decoder backward",
        [SA_PART_ENCODER_BACK] = "encoder backward",
        [SA_PART_UPDATE] = "clip and optimizer",
        [SA_PART_WAITING] = "waiting for other threads",
    };
    for (int i = 0; i < SA_PARTS; i++) {
        parts[i].name = names[i];
        parts[i].seconds += profile->seconds[i];
    }
}
