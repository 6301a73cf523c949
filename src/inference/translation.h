/* translating: what sa_translate and sa_evaluate share. */
#ifndef SA_TRANSLATING_H
#define SA_TRANSLATING_H

#include "inference/model.h"

/* See sa_translate_ensemble; gold: the links of every source, for models told to look there, or
 * NULL. */
bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          const sa_gold_alignment *gold, size_t count, const sa_search *search,
                          sa_translation *out, sa_error *error);

#endif
