/* translation: what sa_translate and sa_evaluate share. */
#ifndef SA_INFERENCE_TRANSLATION_H
#define SA_INFERENCE_TRANSLATION_H

#include "inference/model.h"

/* As sa_translate_ensemble. gold [count]: the links of SA_OVERRIDE_GOLD, or NULL; lengths [count]:
 * the tokens of every translation, EOS included, or NULL. */
bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          const sa_gold_alignment *gold, const int *lengths, size_t count,
                          const sa_search *search, sa_translation *out, sa_error *error);

#endif
