/* html_translations: what a model makes of the sentences of a page. */
#ifndef SA_REPORT_HTML_TRANSLATIONS_H
#define SA_REPORT_HTML_TRANSLATIONS_H

#include "base/json_values.h"

/* Adds "translation", by greedy search, and its "bleu" to the object of each of the first pairs. */
bool sa_html_translations_add(sa_model *model, const sa_pair *pairs, json_t *entries,
                              sa_error *error);

#endif
