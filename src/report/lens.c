#include "report/lens.h"
#include "base/json.h"
#include "base/utf8.h"

/* Adds a text that is cut or padded to this many columns. */
static void add_text(sa_buffer *out, const char *text, int columns) {
    char fit[256];
    const int used = sa_utf8_fit(text, columns, fit, sizeof fit);
    sa_buffer_adds(out, fit);
    sa_buffer_pad(out, columns - used);
}

void sa_lens_add(void *lens, const sa_explain_pair *pair, const sa_explain_value *line) {
    enum { LABEL = 14, WORD = 7, NUMBER = 5 };
    sa_lens *it = lens;
    int best = 0, rank = 1;
    if (!line) return;
    if (line->shape == SA_SHAPE_NUMBER) {
        json_array_append_new(json_array_get(it->cells, json_array_size(it->cells) - 1),
                              sa_json_number(*line->numbers));
        return;
    }
    if (line->step != it->step) {
        sa_buffer_addf(&it->rows, "\n%2d ", it->step = line->step);
        add_text(&it->rows, pair->target[it->step - 1], LABEL - 4);
        sa_buffer_adds(&it->rows, " ");
        json_array_append_new(it->words, json_string(pair->target[it->step - 1]));
    }
    if (!it->titles.size) sa_buffer_pad(&it->titles, LABEL);
    if (it->step == 1) add_text(&it->titles, line->letters, WORD + NUMBER);
    if (it->step == 1) json_array_append_new(it->sublayers, json_string(line->letters));
    for (int i = 0; i < line->rows; i++) {
        if (line->numbers[i] > line->numbers[best]) best = i;
        rank += line->numbers[i] > line->numbers[line->chosen];
    }
    add_text(&it->rows, line->row[best], WORD);
    sa_buffer_addf(&it->rows, "%3.0f  ", 100 * line->numbers[best]);
    json_array_append_new(it->cells, json_pack("[s, o, i]", line->row[best],
                                               sa_json_number(line->numbers[best]), rank));
}
