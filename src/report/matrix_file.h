/* matrix_file: reads the attention weights of any program as alignments. */
#pragma once

#include "base/json.h"
#include "data/csv.h"

typedef struct sa_matrix_file {
    /* The caller sets these: words, separated by spaces, and links in Pharaoh format that replace
     * the file's, or NULL; the layer to read, from 1, or 0: all layers. */
    const char *source, *target, *gold;
    int layer;

    sa_corpus
        corpus; /* the sentences, as pairs without text; the last one read has its gold links */
    sa_alignment alignment; /* of the sentence read last */

    sa_buffer note; /* for the user, about that sentence; may be empty */
    bool weighs;    /* every row of it has weights, which sum to 1 */

    char *archive;      /* its name, or NULL */
    const char *inside; /* which of its arrays; NULL: the only one */
    sa_text_lines text; /* of any format */
    sa_number_table table;
    json_t *record; /* of the sentence */
    char *place;    /* file and line */
    double *numbers;
    size_t dim[4], size; /* [layer, head, target, source] */
    size_t read;         /* sentences */
} sa_matrix_file;

/* Opens a NumPy array, an archive of arrays (FILE.npz, or FILE.npz:NAME if it has several), a file
 * of tensors (FILE.safetensors, or FILE.safetensors:NAME if it has several) or a heatmap CSV, each
 * of which is one sentence, or JSON lines ("-": standard input). */
bool sa_matrix_file_open(sa_matrix_file *file, const char *path, sa_error *error);

/* Reads the next sentence. A line of JSON is {"weights": ..., "source": [words], "target": [words],
 * "gold": "0-0 1p1"}. Weights are [target, source], [head, target, source] or [layer, head, target,
 * source], and more axes may have one element; "heads", as `align --jsonl` writes them, take
 * precedence, and of what `translate --jsonl` writes, the best translation is read. Without words,
 * shows their positions from 0. SA_DATA names file and line. */
bool sa_matrix_file_next(sa_matrix_file *file, sa_error *error);
void sa_matrix_file_close(sa_matrix_file *file);
