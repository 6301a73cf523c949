/* bylength: sentences in bands of source length, for scores that fall or stay flat with it
 * (Bahdanau et al. 2015, figure 2). */
#ifndef SA_EVAL_BYLENGTH_H
#define SA_EVAL_BYLENGTH_H

#include <stddef.h>

typedef struct sa_band {
    int least, most;  /* source words, the end mark not counted */
    const char *name; /* "6-10" */
} sa_band;

enum { SA_BANDS = 8 };
/* Without gaps, the last without end; a NULL name ends the list. */
extern const sa_band sa_bands[SA_BANDS + 1];

/* Whether a sentence of so many source words belongs to the band. */
int sa_band_holds(const sa_band *band, int words);

#endif
