#include "report/table.h"
#include "base/number.h"

#include <math.h>

void sa_table_titles(const char *label, int width, const sa_column *columns, sa_buffer *out) {
    sa_buffer_addf(out, "%-*s", width, label);
    for (; columns->width; columns++)
        if (columns->title) sa_buffer_addf(out, "%*s", columns->width, columns->title);
    sa_buffer_adds(out, "\n");
}

void sa_table_cell(const sa_column *column, double value, sa_buffer *out) {
    if (isnan(value))
        sa_buffer_adds(out, "-");
    else
        sa_number_add_fixed(out, column->scale > 0 ? value * column->scale : value,
                            column->decimals);
}

void sa_table_row(const char *label, int width, const sa_column *columns, const double *values,
                  sa_buffer *out) {
    sa_buffer_addf(out, "%-*s", width, label);
    for (; columns->width; columns++, values++) {
        if (columns->width < 0) continue;
        sa_buffer cell = {0};
        sa_table_cell(columns, *values, &cell);
        if (columns->unit && !isnan(*values)) sa_buffer_adds(&cell, columns->unit);
        sa_buffer_addf(out, "%*s", columns->width, cell.failed ? "" : cell.text);
        out->failed |= cell.failed;
        sa_buffer_release(&cell);
    }
    sa_buffer_adds(out, "\n");
}

json_t *sa_table_json(json_t *object, const sa_column *columns, const double *values) {
    for (; columns->width; columns++, values++) {
        const bool whole = !columns->decimals && *values == trunc(*values);
        if (columns->key)
            json_object_set_new(object, columns->key,
                                whole ? json_integer((json_int_t)*values)
                                      : sa_json_number(*values));
    }
    return object;
}
