/* translation: what sa_translate and sa_evaluate share. */
#pragma once

#include "inference/model.h"

/* What is known of the translations in advance. */
typedef struct sa_references {
    const sa_gold_alignment *gold; /* [count] the links of SA_OVERRIDE_GOLD, or NULL */
    const int *lengths;            /* [count] their tokens, EOS included, or NULL */
} sa_references;

/* Translates like sa_translate_ensemble. */
bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          sa_references references, size_t count, const sa_search *search,
                          sa_translation *out, sa_error *error);
