/* masks: the dropout masks of a pass, so that another implementation can apply the same. */
#ifndef SA_LAB_MASKS_H
#define SA_LAB_MASKS_H

#include "lab/lab_model.h"

enum { SA_LAB_MASKS = 4 + 6 * SA_MAX_LAYERS, SA_LAB_MASK_NAME = 48 };

typedef struct sa_lab_mask {
    char name[SA_LAB_MASK_NAME]; /* "mask.source.E", "mask.encoder.2.backward" */
    sa_mat mask;                 /* as in the cache of the pass */
    bool target;                 /* of target words or sentences; false: of source ones */
    const int *first; /* rows sentence by sentence: first row of each; NULL: step by step */
    bool whole;       /* one row per sentence, not per word */
} sa_lab_mask;

/* Lists the masks of a pass; returns their number. */
int sa_lab_masks_list(const sa_lab_model *model, sa_lab_mask list[SA_LAB_MASKS]);

/* Copies a mask's rows in the order of the pairs, a pair's in the order of its words in the pass:
 * for a recurrent encoder the order in which it reads the source. */
void sa_lab_mask_write(const sa_lab_model *model, const sa_lab_mask *mask, sa_real *to);

#endif
