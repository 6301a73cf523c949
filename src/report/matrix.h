/* matrix: numbers as CSV, and attention weights as heatmap CSV, long table, links, NumPy array and
 * terminal picture; one file per pair in a folder. All append to `out`; out->failed: memory ran
 * out. */
#pragma once

#include "base/batch.h"
#include "base/memory.h"
#include "data/csv.h"

/* A matrix of numbers with optional labels. */
typedef struct sa_grid {
    int rows, cols;
    const double *numbers;     /* [rows * cols]; NaN leaves the cell empty */
    const char *const *row;    /* [rows] labels, or NULL */
    const char *const *column; /* [cols] labels, or NULL */
    bool exact;  /* numbers are doubles; else floats are written as such, with fewer digits */
    int stride;  /* numbers from one row to the next; 0: cols */
    bool quoted; /* all labels are */
} sa_grid;

/* Appends it: RFC 4180 with LF, labels as of sa_csv_cell_add, numbers in the shortest form that is
 * read back exactly. With labels on both sides the first cell is empty. out->failed: memory. */
void sa_grid_csv(const sa_grid *grid, sa_buffer *out);

/* A heatmap: an empty cell and the source tokens with </s>, then a row per target token: the token
 * and one weight per source token. The format is that of sa_grid_csv. */
void sa_matrix_csv(const sa_alignment *alignment, sa_buffer *out);
/* The same, with all words in quotes if `quoted`. */
void sa_matrix_heatmap(const sa_alignment *alignment, bool quoted, sa_buffer *out);

/* Makes the table one that a spreadsheet opens: with a byte order mark, by which it knows UTF-8;
 * semicolons: between its cells, whose numbers get decimal commas. Then all words must be quoted.
 */
void sa_csv_for_spreadsheets(sa_buffer *csv, bool semicolons);

/* Instead of the number of a head, from 1. */
enum { SA_HEADS_ALL = 0, SA_HEADS_MEAN = -1, SA_HEADS_MAX = -2 };

/* Number `at` of that head's matrix, or of the mean or maximum over the heads of a layer. */
double sa_alignment_weight(const sa_alignment *alignment, int layer, int head, size_t at);

/* A sentence in the long table. */
typedef struct sa_tidy {
    size_t sentence;     /* its number, from 1 */
    const sa_pair *pair; /* whose id is written, or else its line */
    bool linked;         /* the gold links between its rows and columns are known: */
    const sa_link *gold; /* [golds] */
    size_t golds;
    int layer; /* from 1; 0: all */
    int head;  /* or SA_HEADS_... */
    sa_csv_words words;
} sa_tidy;

/* The rows of one sentence, a row for each head of each layer, target word and source word; in an
 * empty buffer first the header, which names the columns. Sentences, layers and heads count from 1,
 * head 0 is their mean or maximum; t and s count from 0. gold: 1 for a sure link, 0.5 for a
 * possible one, else 0; empty if not known. probability: of the target word; empty within encoder
 * or decoder. p_gen: a column of models with copying alone. */
void sa_matrix_tidy(const sa_alignment *alignment, const sa_tidy *tidy, sa_buffer *out);

/* A line of links by target word, without </s>. */
void sa_matrix_pharaoh(const sa_alignment *alignment, const sa_link_options *linking,
                       sa_buffer *out);

/* NumPy's .npy format 1.0: float64 [targets, sources], or [heads, targets, sources] of several. */
void sa_matrix_npy(const sa_alignment *alignment, sa_buffer *out);
/* All heads of all layers: [layers, heads, rows, columns]. */
void sa_matrix_npy_all(const sa_alignment *alignment, sa_buffer *out);

typedef enum sa_color_mode {
    SA_COLOR_MODE_NONE,
    SA_COLOR_MODE_256,
    SA_COLOR_MODE_TRUE
} sa_color_mode;
typedef struct sa_terminal {
    sa_color_mode colors;
    int map;     /* index of sa_colormaps */
    int columns; /* of a line; 0: unlimited */
} sa_terminal;

/* A picture: a row of cells per target token, the source tokens upright above. A cell has the color
 * of its weight, or without colors a denser block from weights of 0.05, 0.25, 0.5 and 0.75 on.
 * Columns that do not fit continue below. */
void sa_matrix_terminal(const sa_alignment *alignment, const sa_terminal *terminal, sa_buffer *out);

/* The names of such files, with wildcards. */
#define SA_NUMBERED(ending) "[0-9]*." ending

/* Writes the file of pair `index` (from 0) to folder/0001.ENDING ... and releases its content. */
bool sa_save_numbered(const char *folder, size_t index, const char *ending, sa_buffer *content,
                      sa_error *error);
/* The same with what `add` appends for the pair's alignment. */
bool sa_save_matrix(const char *folder, size_t index, const char *ending,
                    void (*add)(const sa_alignment *, sa_buffer *), const sa_alignment *alignment,
                    sa_error *error);
