/* attention_sizes: the sizes of an attention, from the settings of its model. */
#ifndef SA_MODEL_ATTENTION_SIZES_H
#define SA_MODEL_ATTENTION_SIZES_H

#include "attention/multihead.h"

/* For queries of `state` numbers and annotations of `annotation` numbers. */
sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state, int annotation);

/* SA_USAGE when these positions do not belong to the self-attention of these sizes (NULL: there is
 * none). */
bool sa_positions_check(const sa_position_kind *kind, const sa_attention_sizes *sizes,
                        sa_error *error);

/* SA_USAGE when rows do not go together: with each other, with the sizes, or with what is trained.
 */
bool sa_attention_sizes_check(const sa_settings *settings, const sa_attention_sizes *sizes,
                              sa_error *error);

#endif
