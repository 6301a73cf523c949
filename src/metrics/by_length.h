/* by_length: bands of source length, for scores by sentence length (Bahdanau et al. 2015, figure
 * 2). */
#ifndef SA_METRICS_BY_LENGTH_H
#define SA_METRICS_BY_LENGTH_H

#include <stddef.h>

typedef struct sa_length_band {
    int min, max;     /* source words, without EOS */
    const char *name; /* "6-10" */
} sa_length_band;

enum { SA_LENGTH_BANDS = 8 };
/* Without gaps, the last one unlimited; ends with a NULL name. */
extern const sa_length_band sa_length_bands[SA_LENGTH_BANDS + 1];

/* Whether a sentence of `words` source words belongs to the band. */
int sa_length_band_contains(const sa_length_band *band, int words);

#endif
