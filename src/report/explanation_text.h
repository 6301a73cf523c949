/* explanation_text: an explanation as text: an equation on the left, its citation on the right, the
 * numbers below. */
#ifndef SA_REPORT_EXPLANATION_TEXT_H
#define SA_REPORT_EXPLANATION_TEXT_H

#include "report/explanation_layout.h"

/* The `each` of sa_explain_options. */
void sa_explanation_add(sa_explanation *explanation, const sa_explain_pair *pair,
                        const sa_explain_value *line);
void sa_explanation_release(sa_explanation *explanation);

#endif
