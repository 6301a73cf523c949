#include "report/table.h"

#include <math.h>
#include <string.h>

void sa_table_titles(const char *label, int width, const sa_column *columns, sa_buffer *out) {
    sa_buffer_addf(out, "%-*s", width, label);
    for (; columns->width; columns++)
        if (columns->title) sa_buffer_addf(out, "%*s", columns->width, columns->title);
    sa_buffer_adds(out, "\n");
}

void sa_table_row(const char *label, int width, const sa_column *columns, const double *values,
                  sa_buffer *out) {
    sa_buffer_addf(out, "%-*s", width, label);
    for (; columns->width; columns++, values++) {
        const char *unit = columns->unit ? columns->unit : "";
        const int space = columns->width - (int)strlen(unit), decimals = columns->decimals;
        if (isnan(*values))
            sa_buffer_addf(out, "%*s", columns->width, "-");
        else
            sa_buffer_addf(out, *values > 1e15 ? "%*.*e%s" : "%*.*f%s", space, decimals, *values,
                           unit);
    }
    sa_buffer_adds(out, "\n");
}

json_t *sa_table_json(json_t *object, const sa_column *columns, const double *values) {
    for (; columns->width; columns++, values++)
        if (columns->key)
            json_object_set_new(object, columns->key,
                                columns->decimals ? sa_json_number(*values)
                                                  : json_integer((json_int_t)*values));
    return object;
}
