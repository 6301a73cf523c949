/* film: where a model looked in some pairs while it was trained, as `train --snapshots` recorded
 * it. */
#ifndef SA_CLI_FILM_H
#define SA_CLI_FILM_H

#include "cli/log.h"
#include "data/number_table.h"

#include <stdint.h>

typedef struct cli_frame {
    char *path;
    int64_t step;           /* updates before it */
    char *caption;          /* "update 120: validation loss 1.234, BLEU 45.67" */
    sa_number_table matrix; /* rows target words, columns source words, the same in every frame */
    int heads;              /* of several heads their number; else 0 */
    double *weights;        /* of several heads: [(1 + heads) * rows * cols], the mean first */
} cli_frame;

/* One pair. */
typedef struct cli_film_pair {
    cli_frame *frames; /* [count] in their order; at least one */
    size_t count, capacity;
    int heads; /* of several heads their number; else 0 */
} cli_film_pair;

typedef struct cli_film_frames {
    cli_film_pair *scenes; /* [count] */
    size_t count, capacity;
} cli_film_frames;

/* Reads DIR/film/0001 ..., of several heads DIR/film/0001/head-1 ..., and DIR/log.csv beside it, if
 * there is one. `out` is DIR; only the first `most` pairs are read. There may be no scene. SA_DATA:
 * a frame is damaged, or its words are not those of the others. */
bool cli_film_frames_read(cli_film_frames *film, const char *out, size_t most, sa_error *error);
void cli_film_frames_release(cli_film_frames *film);

/* The frame as an alignment; its words and weights are the frame's. */
sa_alignment cli_frame_alignment(const cli_frame *frame);

#endif
