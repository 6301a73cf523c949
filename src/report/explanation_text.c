#include "report/explanation_text.h"
#include "base/number.h"
#include "report/fit_width.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 4, TALL = 16, ROOM = 512 };

/* ---- Numbers --------------------------------------------------------------------------------- */

int sa_paper_number(double value, int digits, char *out, size_t room) {
    char figure[ROOM] = ""; /* longer than any number is: nothing is allocated that could fail */
    sa_buffer text = {.text = figure, .capacity = sizeof figure};
    if (!isnan(value)) sa_number_add_fixed(&text, value, digits);
    const char *from = figure;
    if (*from == '-' && strspn(from, "-0.") == text.size) from++; /* no minus before zero */
    snprintf(out, room, "%s", from);
    return (int)strlen(out);
}

int sa_paper_span(const double *numbers, size_t count, int digits) {
    char text[ROOM];
    double least = 0, most = 0; /* the widest is one of the two */
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] < least) least = numbers[i];
        if (numbers[i] > most) most = numbers[i];
    }
    const int low = sa_paper_number(least, digits, text, sizeof text);
    const int high = sa_paper_number(most, digits, text, sizeof text);
    return low > high ? low : high;
}

void sa_paper_spaces(sa_paper *paper, int count) {
    while (count-- > 0) sa_buffer_adds(&paper->out, " ");
}

static void add_number(sa_paper *paper, double value, int digits, int width) {
    char text[ROOM];
    sa_paper_spaces(paper, width - sa_paper_number(value, digits, text, sizeof text));
    sa_buffer_adds(&paper->out, text);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static void pad_label(sa_paper *paper, const char *label, int columns) {
    sa_paper_spaces(paper, INDENT);
    sa_buffer_adds(&paper->out, label);
    if (columns + INDENT < SA_PAPER_LABEL) {
        sa_paper_spaces(paper, SA_PAPER_LABEL - INDENT - columns);
        return;
    }
    sa_buffer_adds(&paper->out, "\n");
    sa_paper_spaces(paper, SA_PAPER_LABEL);
}

void sa_paper_label(sa_paper *paper, const sa_explained *line, int i) {
    char word[ROOM], label[2 * ROOM];
    int columns = 0;
    word[0] = 0;
    if (line->row) columns = sa_fit(line->row[i], SA_PAPER_LABEL - INDENT - 4, word, sizeof word);
    if (line->about != SA_ABOUT_WORDS) {
        columns += snprintf(label, sizeof label, "%2d ", i + 1);
        snprintf(label + strlen(label), sizeof label - strlen(label), "%s", word);
    } else {
        columns += snprintf(label, sizeof label, "%s ", i == line->chosen ? ">" : " ");
        snprintf(label + strlen(label), sizeof label - strlen(label), "%s", word);
    }
    pad_label(paper, label, columns);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* One row of numbers: what does not fit is left out in the middle or, if wanted, goes on below. */
static void add_vector(sa_paper *paper, const double *x, int count, int digits, int span) {
    const int cell = span + 1 > 8 ? span + 1 : 8;
    const int fit = (SA_PAPER_WIDTH - SA_PAPER_LABEL) / cell;
    const bool cut = !paper->wide && count > fit;
    const int front = cut ? fit / 2 : count, behind = cut ? count - (fit - 1 - front) : count;
    for (int k = 0; k < count; k++) {
        if (k == front) {
            sa_paper_spaces(paper, cell - 3);
            sa_buffer_adds(&paper->out, "...");
            k = behind;
        }
        if (paper->wide && k && k % fit == 0) {
            sa_buffer_adds(&paper->out, "\n");
            sa_paper_spaces(paper, SA_PAPER_LABEL);
        }
        add_number(paper, x[k], digits, cell);
    }
    sa_buffer_adds(&paper->out, "\n");
}

static void add_row(sa_paper *paper, const sa_explained *line, int i) {
    const size_t size = (size_t)line->rows * (size_t)line->cols;
    sa_paper_label(paper, line, i);
    add_vector(paper, line->numbers + (size_t)i * (size_t)line->cols, line->cols, paper->digits,
               sa_paper_span(line->numbers, size, paper->digits));
}

/* The rows of a matrix; of one with many rows those at both ends, of one with a row for every word
 * of the vocabulary those of the words shown last. */
static void add_rows(sa_paper *paper, const sa_explained *line) {
    if (line->about == SA_ABOUT_WORDS && paper->words && !paper->wide) {
        for (int w = 0; w < paper->words; w++) add_row(paper, line, paper->word[w]);
        return;
    }
    const bool cut = line->about == SA_ABOUT_NOTHING && line->rows > TALL && !paper->wide;
    for (int i = 0; i < line->rows; i++) {
        if (cut && i == TALL / 2) {
            sa_paper_spaces(paper, INDENT);
            sa_buffer_adds(&paper->out, "...\n");
            i = line->rows - TALL / 2;
        }
        add_row(paper, line, i);
    }
}

static void add_numbers(sa_paper *paper, const sa_explained *line) {
    const int digits = line->whole ? 0 : paper->digits;
    if (line->shape == SA_SHAPE_NUMBER || line->shape == SA_SHAPE_VECTOR) {
        pad_label(paper, line->letters, (int)strlen(line->letters));
        add_vector(paper, line->numbers, line->cols, digits,
                   sa_paper_span(line->numbers, (size_t)line->cols, digits));
        return;
    }
    if (line->part == SA_EXPLAINED_WEIGHTS)
        sa_buffer_addf(&paper->out, "  %s (%d x %d)\n", line->letters, line->rows, line->cols);
    else if (!line->equation)
        sa_buffer_addf(&paper->out, "  %s\n", line->letters);
    add_rows(paper, line);
}

/* ---- Around them ----------------------------------------------------------------------------- */

/* "Source: the (4) cat (7)", broken before the right margin. */
static void add_sentence(sa_paper *paper, const char *what, const char *const *word,
                         const int *number, int count) {
    char text[ROOM];
    int at = (int)strlen(what);
    sa_buffer_adds(&paper->out, what);
    for (int i = 0; i < count; i++) {
        int columns = 1 + sa_fit(word[i], SA_PAPER_WIDTH / 2, text, sizeof text - 32);
        columns +=
            snprintf(text + strlen(text), 32, " (%d%s)", number[i], number[i] ? "" : ", unknown");
        if (at + columns > SA_PAPER_WIDTH) {
            sa_buffer_adds(&paper->out, "\n       ");
            at = 7;
        }
        sa_buffer_addf(&paper->out, " %s", text);
        at += columns;
    }
    sa_buffer_adds(&paper->out, "\n");
}

static void add_title(sa_paper *paper, const sa_explained_pair *pair) {
    paper->titled = true;
    add_sentence(paper, "Source:", pair->source, pair->source_number, pair->sources);
    add_sentence(paper,
                 pair->forced ? "Target, given:" : "Target, as the model translates:", pair->target,
                 pair->target_number, pair->targets);
}

static void add_step(sa_paper *paper, const sa_explained_pair *pair, int step) {
    char before[ROOM] = "<s>", word[ROOM];
    if (step > 1)
        sa_escape(before, sizeof before, pair->target[step - 2], strlen(pair->target[step - 2]));
    sa_escape(word, sizeof word, pair->target[step - 1], strlen(pair->target[step - 1]));
    sa_buffer_addf(&paper->out, "\n== Step %d of %d: y_%d = %s, y_%d = %s ==\n", step,
                   pair->targets, step - 1, before, step, word);
    paper->step = step;
}

static void add_equation(sa_paper *paper, const sa_explained *line) {
    const char *citation = line->citation ? line->citation : "";
    const int used = 2 + (int)strlen(line->equation), size = (int)strlen(citation);
    const bool fits = used + 2 + size <= SA_PAPER_WIDTH;
    const bool again = strcmp(citation, paper->citation) == 0;
    sa_buffer_addf(&paper->out, "  %s", line->equation);
    if (size && (fits || !again)) {
        if (!fits) sa_buffer_adds(&paper->out, "\n");
        sa_paper_spaces(paper, SA_PAPER_WIDTH - size - (fits ? used : 0));
        sa_buffer_adds(&paper->out, citation);
    }
    sa_buffer_adds(&paper->out, "\n");
    snprintf(paper->citation, sizeof paper->citation, "%s", citation);
}

static void add_heading(sa_paper *paper, const sa_explained_pair *pair, const sa_explained *line) {
    if (!paper->titled) add_title(paper, pair);
    if (line->step && line->step != paper->step) add_step(paper, pair, line->step);
    if (line->section) {
        sa_buffer_addf(&paper->out, "\n%s\n", line->section);
        paper->head = 0;
    }
    if (line->head && line->head != paper->head) {
        sa_buffer_addf(&paper->out, "  -- head %d --\n", line->head);
        paper->head = line->head;
    }
}

void sa_paper_add(sa_paper *paper, const sa_explained_pair *pair, const sa_explained *line) {
    if (!line || !sa_paper_beside(paper, line)) sa_paper_table_end(paper);
    if (!line) return;
    add_heading(paper, pair, line);
    if (line->equation) add_equation(paper, line);
    if (sa_paper_beside(paper, line))
        sa_paper_hold(paper, line);
    else
        add_numbers(paper, line);
}

void sa_paper_release(sa_paper *paper) {
    sa_paper_table_release(&paper->table);
    sa_buffer_release(&paper->out);
}
