/* recurrent_family: encoder-decoder models whose parts are recurrent, as a row of sa_families. */
#ifndef SA_MODEL_RECURRENT_FAMILY_H
#define SA_MODEL_RECURRENT_FAMILY_H

#include "model/family.h"

extern const sa_family sa_recurrent_family;

/* For the option rows: names of --readout-state, --update and --reset, NULL after the last. */
const char *sa_readout_name(size_t row);
const char *sa_update_name(size_t row);
const char *sa_reset_name(size_t row);

#endif
