/* kinks: where the loss of a model has no derivative, or a jump: two equal inputs of a maxout unit,
 * a rectifier's input of 0, a weight of sparsemax that becomes 0, a position at a window's edge. */
#ifndef SA_LAB_KINKS_H
#define SA_LAB_KINKS_H

#include "lab/lab_model.h"

/* In the pass that was computed last. */
sa_kinks sa_kinks_find(const sa_lab_model *model);

#endif
