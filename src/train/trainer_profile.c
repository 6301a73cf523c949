#include "train/trainer.h"

/* All threads are busy or waiting while the caller waits, sums and updates. Of its waiting, what
 * the shards and the sums in turn took was work. */
void sa_trainer_profile(const sa_trainer *trainer, sa_profile_entry parts[SA_PROFILE_ENTRIES]) {
    const int threads = trainer->pool ? sa_pool_threads(trainer->pool) : 0;
    sa_profile rest = trainer->profile;
    rest.seconds[SA_PROFILE_WAIT] *= threads;
    rest.seconds[SA_PROFILE_SUM] *= threads;
    rest.seconds[SA_PROFILE_UPDATE] *= threads;
    for (int i = 0; i < SA_PROFILE_ENTRIES; i++) parts[i] = (sa_profile_entry){0};
    const int lanes = trainer->lane ? trainer->lanes : 0; /* it may not have been opened */
    for (int k = 0; k < lanes; k++) {
        sa_profile_report(&trainer->lane[k].profile, parts);
        for (int i = 0; i < SA_PROFILE_SUM; i++)
            rest.seconds[SA_PROFILE_WAIT] -= trainer->lane[k].profile.seconds[i];
    }
    rest.seconds[SA_PROFILE_WAIT] -= trainer->turns.seconds[SA_PROFILE_SUM];
    sa_profile_report(&trainer->turns, parts);
    sa_profile_report(&rest, parts);
}
