/* transformer_family: the Transformer as a row of sa_families. */
#ifndef SA_MODEL_TRANSFORMER_FAMILY_H
#define SA_MODEL_TRANSFORMER_FAMILY_H

#include "model/family.h"

extern const sa_family sa_transformer_family;

#endif
