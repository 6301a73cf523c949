/* grad_rnnsearch.c with the file in single precision. */
#define REAL float
#include "paper/grad_rnnsearch.c"
