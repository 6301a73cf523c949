/* masks: what dropout silenced in a run, place by place, so that others can do the same. */
#ifndef SA_LAB_MASKS_H
#define SA_LAB_MASKS_H

#include "lab/run.h"

enum { SA_LAB_MASKS = 4 + 5 * SA_MAX_LAYERS, SA_LAB_MASK_NAME = 48 };

typedef struct sa_lab_mask {
    char name[SA_LAB_MASK_NAME]; /* "mask.source.E", "mask.encoder.2.backward" */
    sa_mat mask;                 /* as the pass has it */
    bool target;                 /* of the target's words or sentences, not the source's */
    const int *first;            /* sentence by sentence: first row of each; NULL: step by step */
    bool whole;                  /* one row for all of a sentence */
} sa_lab_mask;

/* Those of all places where the run drops something; returns how many. */
int sa_lab_masks_list(const sa_lab_run *run, sa_lab_mask list[SA_LAB_MASKS]);

/* Copies a mask's rows in the order of the pairs, a pair's in the order in which its words stand in
 * the pass: the source's of a recurrent encoder as they are read. */
void sa_lab_mask_write(const sa_lab_run *run, const sa_lab_mask *mask, sa_real *to);

#endif
