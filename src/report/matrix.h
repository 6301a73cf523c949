/* matrix: where the model looked, as a heatmap CSV, a long table, links and a picture for the
 * terminal. All append to `out`; whoever uses it checks out->failed. */
#ifndef SA_REPORT_MATRIX_H
#define SA_REPORT_MATRIX_H

#include "base/memory.h"

/* A heatmap (RFC 4180, lines end in LF): an empty cell and the source words, end mark included;
 * then a row for every target word: the word and one weight per source word, in as few digits as
 * name it. Words are written as sa_csv_cell_add does. */
void sa_matrix_csv(const sa_alignment *alignment, sa_buffer *out);

/* The rows sentence,head,t,target,s,source,weight of one sentence (counted from 1; heads count from
 * 1, a single one is 0; t and s count from 0, as in Pharaoh's links). The header comes with
 * sentence 1. */
void sa_matrix_tidy(const sa_alignment *alignment, size_t sentence, sa_buffer *out);

/* One line of links, target word after target word, end marks left out. */
void sa_matrix_pharaoh(const sa_alignment *alignment, const sa_link_options *linking,
                       sa_buffer *out);

/* One line, as Marian writes soft alignments: for every target word, end mark included, its weights
 * over the source words with commas between them; words stand apart by spaces. */
void sa_matrix_soft(const sa_alignment *alignment, sa_buffer *out);

/* NumPy's .npy format 1.0: float64 [targets, sources], or of several heads [heads, targets,
 * sources]. */
void sa_matrix_npy(const sa_alignment *alignment, sa_buffer *out);
/* The same of each head of each layer: [layers, heads, rows, columns]. */
void sa_matrix_npy_all(const sa_alignment *alignment, sa_buffer *out);

/* What a terminal can show. */
typedef enum sa_color_mode {
    SA_COLOR_MODE_NONE,
    SA_COLOR_MODE_256,
    SA_COLOR_MODE_TRUE
} sa_color_mode;
typedef struct sa_terminal {
    sa_color_mode colors;
    int map;     /* of sa_colormaps, where there are colours */
    int columns; /* of a line; 0: as many as are needed */
} sa_terminal;

/* A picture: a row of cells per target word, the source words upright above. A cell has its
 * weight's colour; without colours it is a block, fuller from weights of 0.05, 0.25, 0.5 and 0.75
 * on. What is wider than the screen is continued below. */
void sa_matrix_terminal(const sa_alignment *alignment, const sa_terminal *terminal, sa_buffer *out);

#endif
