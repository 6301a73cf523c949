/* grad_transformer.c with the file in single precision. */
#define REAL float
#include "paper/grad_transformer.c"
