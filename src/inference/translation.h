/* translation: what sa_translate and sa_evaluate share. */
#ifndef SA_INFERENCE_TRANSLATION_H
#define SA_INFERENCE_TRANSLATION_H

#include "inference/model.h"

/* What is known of the translations beforehand. */
typedef struct sa_foreknown {
    const sa_gold_alignment *gold; /* [count] the links of SA_OVERRIDE_GOLD, or NULL */
    const int *lengths;            /* [count] their tokens, EOS included, or NULL */
} sa_foreknown;

/* As sa_translate_ensemble. */
bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          sa_foreknown known, size_t count, const sa_search *search,
                          sa_translation *out, sa_error *error);

#endif
