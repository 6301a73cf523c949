#include "report/explanation_text.h"
#include "report/explanation_table.h"
#include "report/fit_width.h"

#include <stdio.h>
#include <string.h>

enum {
    INDENT = SA_EXPLANATION_INDENT,
    MAX_ROWS = 16,
    LEAST = 3, /* numbers in a row: the first, an ellipsis and the last */
    TEXT = SA_EXPLANATION_TEXT_CAPACITY,
};

/* ---- Vectors --------------------------------------------------------------------------------- */

static void add_number(sa_explanation *explanation, double value, int digits, int width) {
    char text[TEXT];
    sa_explanation_pad(explanation,
                       width - sa_explanation_format_number(value, digits, text, sizeof text));
    sa_buffer_adds(&explanation->out, text);
}

/* One row of numbers. If they do not fit, those in the middle are left out or, when wide, continue
 * below. */
static void add_vector(sa_explanation *explanation, const double *x, int count, int digits,
                       int span) {
    const int cell = span + 1 > 8 ? span + 1 : 8;
    const int room = (SA_EXPLANATION_WIDTH - SA_EXPLANATION_LABEL) / cell;
    const int fit = room > LEAST ? room : LEAST; /* wider numbers make the lines longer */
    const bool cut = !explanation->wide && count > fit;
    const int front = cut ? fit / 2 : count, behind = cut ? count - (fit - 1 - front) : count;
    for (int k = 0; k < count; k++) {
        if (k == front) {
            sa_explanation_pad(explanation, cell - 3);
            sa_buffer_adds(&explanation->out, "...");
            k = behind;
        }
        if (explanation->wide && k && k % fit == 0) {
            sa_buffer_adds(&explanation->out, "\n");
            sa_explanation_pad(explanation, SA_EXPLANATION_LABEL);
        }
        add_number(explanation, x[k], digits, cell);
    }
    sa_buffer_adds(&explanation->out, "\n");
}

static void add_row(sa_explanation *explanation, const sa_explain_value *line, int i) {
    const size_t size = (size_t)line->rows * (size_t)line->cols;
    sa_explanation_add_row_label(explanation, line, i);
    add_vector(explanation, line->numbers + (size_t)i * (size_t)line->cols, line->cols,
               explanation->digits,
               sa_explanation_number_width(line->numbers, size, explanation->digits));
}

/* The rows of a matrix: of a large one the first and the last, of one with a row per word of the
 * vocabulary those of the words in the last table. */
static void add_rows(sa_explanation *explanation, const sa_explain_value *line) {
    if (line->about == SA_ROWS_VOCABULARY && explanation->words && !explanation->wide) {
        for (int w = 0; w < explanation->words; w++)
            add_row(explanation, line, explanation->word[w]);
        return;
    }
    const bool cut = line->about == SA_ROWS_UNNAMED && line->rows > MAX_ROWS && !explanation->wide;
    for (int i = 0; i < line->rows; i++) {
        if (cut && i == MAX_ROWS / 2) {
            sa_explanation_pad(explanation, INDENT);
            sa_buffer_adds(&explanation->out, "...\n");
            i = line->rows - MAX_ROWS / 2;
        }
        add_row(explanation, line, i);
    }
}

static void add_numbers(sa_explanation *explanation, const sa_explain_value *line) {
    const int digits = line->whole ? 0 : explanation->digits;
    if (line->shape == SA_SHAPE_NUMBER || line->shape == SA_SHAPE_VECTOR) {
        sa_explanation_add_label(explanation, line->letters, (int)strlen(line->letters));
        add_vector(explanation, line->numbers, line->cols, digits,
                   sa_explanation_number_width(line->numbers, (size_t)line->cols, digits));
        return;
    }
    if (line->part == SA_EXPLAIN_WEIGHTS)
        sa_buffer_addf(&explanation->out, "  %s (%d x %d)\n", line->letters, line->rows,
                       line->cols);
    else if (!line->equation)
        sa_buffer_addf(&explanation->out, "  %s\n", line->letters);
    add_rows(explanation, line);
}

/* ---- Headings -------------------------------------------------------------------------------- */

/* "Source: the (4) cat (7)", broken before the right margin. */
static void add_sentence(sa_explanation *explanation, const char *what, const char *const *word,
                         const int *number, int count) {
    char text[TEXT];
    int at = (int)strlen(what);
    sa_buffer_adds(&explanation->out, what);
    for (int i = 0; i < count; i++) {
        int columns = 1 + sa_fit_width(word[i], SA_EXPLANATION_WIDTH / 2, text, sizeof text - 32);
        columns +=
            snprintf(text + strlen(text), 32, " (%d%s)", number[i], number[i] ? "" : ", unknown");
        if (at + columns > SA_EXPLANATION_WIDTH) {
            sa_buffer_adds(&explanation->out, "\n       ");
            at = 7;
        }
        sa_buffer_addf(&explanation->out, " %s", text);
        at += columns;
    }
    sa_buffer_adds(&explanation->out, "\n");
}

static void add_title(sa_explanation *explanation, const sa_explain_pair *pair) {
    explanation->titled = true;
    add_sentence(explanation, "Source:", pair->source, pair->source_token_ids, pair->sources);
    add_sentence(explanation,
                 pair->forced ? "Target, given:" : "Target, as the model translates:", pair->target,
                 pair->target_token_ids, pair->targets);
}

static void add_step(sa_explanation *explanation, const sa_explain_pair *pair, int step) {
    char before[TEXT] = "<s>", word[TEXT];
    if (step > 1)
        sa_escape(before, sizeof before, pair->target[step - 2], strlen(pair->target[step - 2]));
    sa_escape(word, sizeof word, pair->target[step - 1], strlen(pair->target[step - 1]));
    sa_buffer_addf(&explanation->out, "\n== Step %d of %d: y_%d = %s, y_%d = %s ==\n", step,
                   pair->targets, step - 1, before, step, word);
    explanation->step = step;
}

static void add_equation(sa_explanation *explanation, const sa_explain_value *line) {
    const char *citation = line->citation ? line->citation : "";
    const int used = 2 + (int)strlen(line->equation), size = (int)strlen(citation);
    const bool fits = used + 2 + size <= SA_EXPLANATION_WIDTH;
    const bool again = strcmp(citation, explanation->citation) == 0;
    sa_buffer_addf(&explanation->out, "  %s", line->equation);
    if (size && (fits || !again)) {
        if (!fits) sa_buffer_adds(&explanation->out, "\n");
        sa_explanation_pad(explanation, SA_EXPLANATION_WIDTH - size - (fits ? used : 0));
        sa_buffer_adds(&explanation->out, citation);
    }
    sa_buffer_adds(&explanation->out, "\n");
    snprintf(explanation->citation, sizeof explanation->citation, "%s", citation);
}

static void add_heading(sa_explanation *explanation, const sa_explain_pair *pair,
                        const sa_explain_value *line) {
    if (!explanation->titled) add_title(explanation, pair);
    if (line->step && line->step != explanation->step) add_step(explanation, pair, line->step);
    if (line->section) {
        sa_buffer_addf(&explanation->out, "\n%s\n", line->section);
        explanation->head = 0;
    }
    if (line->head && line->head != explanation->head) {
        sa_buffer_addf(&explanation->out, "  -- head %d --\n", line->head);
        explanation->head = line->head;
    }
}

void sa_explanation_add(sa_explanation *explanation, const sa_explain_pair *pair,
                        const sa_explain_value *line) {
    if (!line || !sa_explanation_fits_table(explanation, line))
        sa_explanation_table_flush(explanation);
    if (!line) return;
    add_heading(explanation, pair, line);
    if (line->equation) add_equation(explanation, line);
    if (sa_explanation_fits_table(explanation, line))
        sa_explanation_add_column(explanation, line);
    else
        add_numbers(explanation, line);
}

void sa_explanation_release(sa_explanation *explanation) {
    sa_explanation_table_release(&explanation->table);
    sa_buffer_release(&explanation->out);
}
