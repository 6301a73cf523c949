/* cell: the table of recurrent cells that --cell and the tests walk. */
#ifndef SA_LAYERS_CELL_H
#define SA_LAYERS_CELL_H

#include "layers/recurrent.h"

/* The cell of --cell (its position in sa_cell_name's list). For a GRU: whether z weights the old
 * state rather than the new one, and whether the reset gate acts after U. */
const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after);

extern const sa_cell sa_cells[]; /* ends with a NULL name */

/* For the option rows: the name of a kind of cell, NULL after the last. */
const char *sa_cell_name(size_t row);

#endif
