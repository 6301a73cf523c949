/* softalign-mpi on a machine whose memory fails: after update 7, a weight of process 2 has another
 * last bit. (No validation is due then: the next one, or the hundredth update, finds it.) */
#include "train/trainer.h"

#include <string.h>

bool __real_sa_trainer_step(sa_trainer *trainer, const sa_sentence *source,
                            const sa_sentence *target, const size_t *pairs, int count,
                            sa_step_result *result, sa_error *error);
bool __wrap_sa_trainer_step(sa_trainer *trainer, const sa_sentence *source,
                            const sa_sentence *target, const size_t *pairs, int count,
                            sa_step_result *result, sa_error *error);

bool __wrap_sa_trainer_step(sa_trainer *trainer, const sa_sentence *source,
                            const sa_sentence *target, const size_t *pairs, int count,
                            sa_step_result *result, sa_error *error) {
    uint32_t bits;
    const bool good = __real_sa_trainer_step(trainer, source, target, pairs, count, result, error);
    if (trainer->exchange->rank != 2 || trainer->step != 7) return good;
    memcpy(&bits, &trainer->values[99], sizeof bits);
    bits ^= 1;
    memcpy(&trainer->values[99], &bits, sizeof bits);
    return good;
}
