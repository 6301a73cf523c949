/* attention_sizes: the sizes of an attention, from the settings of its model. */
#ifndef SA_MODEL_ATTENTION_SIZES_H
#define SA_MODEL_ATTENTION_SIZES_H

#include "attention/multihead.h"

/* For queries of `state` numbers and annotations of `annotation` numbers. */
sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state, int annotation);

/* SA_USAGE when the score compares vectors without a projection and their sizes differ. */
bool sa_attention_sizes_check(const sa_attention_sizes *sizes, sa_error *error);

#endif
