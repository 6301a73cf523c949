#include "report/explanation_layout.h"
#include "base/number.h"
#include "report/fit_width.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = SA_EXPLANATION_INDENT, TEXT = SA_EXPLANATION_TEXT_CAPACITY };

/* ---- Numbers --------------------------------------------------------------------------------- */

int sa_explanation_format_number(double value, int digits, char *out, size_t capacity) {
    char number[TEXT] = ""; /* longer than any number, so the buffer never grows */
    sa_buffer text = {.text = number, .capacity = sizeof number};
    if (!isnan(value)) sa_number_add_fixed(&text, value, digits);
    const char *from = number;
    if (*from == '-' && strspn(from, "-0.") == text.size) from++; /* no minus before zero */
    snprintf(out, capacity, "%s", from);
    return (int)strlen(out);
}

int sa_explanation_number_width(const double *numbers, size_t count, int digits) {
    char text[TEXT];
    double least = 0, most = 0; /* the widest is one of the two */
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] < least) least = numbers[i];
        if (numbers[i] > most) most = numbers[i];
    }
    const int low = sa_explanation_format_number(least, digits, text, sizeof text);
    const int high = sa_explanation_format_number(most, digits, text, sizeof text);
    return low > high ? low : high;
}

void sa_explanation_pad(sa_explanation *explanation, int count) {
    while (count-- > 0) sa_buffer_adds(&explanation->out, " ");
}

/* ---- Labels ---------------------------------------------------------------------------------- */

void sa_explanation_add_label(sa_explanation *explanation, const char *label, int columns) {
    sa_explanation_pad(explanation, INDENT);
    sa_buffer_adds(&explanation->out, label);
    if (columns + INDENT < SA_EXPLANATION_LABEL) {
        sa_explanation_pad(explanation, SA_EXPLANATION_LABEL - INDENT - columns);
        return;
    }
    sa_buffer_adds(&explanation->out, "\n");
    sa_explanation_pad(explanation, SA_EXPLANATION_LABEL);
}

void sa_explanation_add_row_label(sa_explanation *explanation, const sa_explain_value *line,
                                  int i) {
    char word[TEXT] = "", label[TEXT + 16], mark[16];
    int columns = 0;
    if (line->row)
        columns = sa_fit_width(line->row[i], SA_EXPLANATION_LABEL - INDENT - 4, word, sizeof word);
    if (line->about == SA_ROWS_VOCABULARY)
        columns += snprintf(mark, sizeof mark, "%s ", i == line->chosen ? ">" : " ");
    else
        columns += snprintf(mark, sizeof mark, "%2d ", i + 1);
    snprintf(label, sizeof label, "%s%s", mark, word);
    sa_explanation_add_label(explanation, label, columns);
}
