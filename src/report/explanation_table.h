/* explanation_table: columns of numbers about the same words, side by side; the last one has bars.
 */
#ifndef SA_REPORT_EXPLANATION_TABLE_H
#define SA_REPORT_EXPLANATION_TABLE_H

#include "report/explanation_layout.h"

/* Whether a value can be a column of the table under way, or of a new one. */
bool sa_explanation_fits_table(const sa_explanation *explanation, const sa_explain_value *line);
void sa_explanation_add_column(sa_explanation *explanation, const sa_explain_value *line);
/* Appends the table under way, if there is one, and releases it. */
void sa_explanation_table_flush(sa_explanation *explanation);
void sa_explanation_table_release(sa_explanation_table *table);

#endif
