/* matrix: writes numbers as CSV, and attention weights as heatmap CSV, long table, links, NumPy
 * array and terminal picture. All functions append to `out`; out->failed: memory ran out. */
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
    bool exact;                /* write doubles; false: write floats, which have fewer digits */
    int stride;                /* numbers from one row to the next; 0: cols */
    bool quoted;               /* all labels have quotes */
} sa_grid;

/* Appends the matrix: RFC 4180 with LF, labels as sa_csv_cell_add writes them, numbers in the
 * shortest form that reads back exactly. With labels on both sides the first cell is empty. */
void sa_grid_csv(const sa_grid *grid, sa_buffer *out);

/* Appends a heatmap as sa_grid_csv does: an empty cell and the source tokens with </s>, then for
 * each target token a row with the token and one weight per source token. quoted: all words have
 * quotes. */
void sa_matrix_csv(const sa_alignment *alignment, bool quoted, sa_buffer *out);

/* Makes a table that a spreadsheet opens, with a byte order mark for UTF-8. semicolons: these
 * separate the cells, and numbers have decimal commas; all words must be quoted. */
void sa_csv_for_spreadsheets(sa_buffer *csv, bool semicolons);

/* Values that stand for the number of a head, from 1. */
enum { SA_HEADS_ALL = -1, SA_HEADS_MEAN };

/* A sentence in the long table. */
typedef struct sa_tidy {
    const sa_pair *pair; /* its row is written, and its id or else its line */
    bool linked;         /* the gold links between its rows and columns are known: */
    const sa_link *gold; /* [golds] */
    size_t golds;
    int layer; /* from 1; 0: all */
    int head;  /* or SA_HEADS_... */
    sa_csv_words words;
} sa_tidy;

/* Appends a row for each layer, head, target word and source word of a sentence; an empty buffer
 * first gets a header. Sentences, layers and heads count from 1, head 0 is the mean; t
 * and s count from 0. gold: 1 for a sure link, 0.5 for a possible one, 0 for none, empty if
 * unknown. probability: of the target word; empty within encoder or decoder. p_gen: only for models
 * with copying. */
void sa_matrix_tidy(const sa_alignment *alignment, const sa_tidy *tidy, sa_buffer *out);

/* Appends a line of links, ordered by target word, without </s>. */
void sa_matrix_pharaoh(const sa_alignment *alignment, const sa_link_options *linking,
                       sa_buffer *out);

/* Appends NumPy's .npy format 1.0: float64 [targets, sources], [heads, targets, sources] of several
 * heads or, if layers > 0, all heads of all layers: [layers, heads, targets, sources]. */
void sa_matrix_npy(const sa_alignment *alignment, int layers, sa_buffer *out);

typedef enum sa_color_mode {
    SA_COLOR_MODE_NONE,
    SA_COLOR_MODE_256,
    SA_COLOR_MODE_TRUE
} sa_color_mode;
typedef struct sa_terminal {
    sa_color_mode colors;
    int columns; /* of a line; 0: unlimited */
} sa_terminal;

/* Appends a picture: a row of cells for each target token, below the source tokens, which are
 * stairs down to their columns. A cell has the color of its weight or, without colors, a block that
 * gets denser at 0.05, 0.25, 0.5 and 0.75; of attributions relative to the largest, which a key
 * below names. Columns that do not fit continue below. */
void sa_matrix_terminal(const sa_alignment *alignment, const sa_terminal *terminal, sa_buffer *out);

/* The names of the files of pairs in a folder, 0001.ENDING ..., with wildcards. */
#define SA_NUMBERED(ending) "[0-9]*." ending
