/* mpi_exchange: the exchange of train/trainer.h over MPI. */
#ifndef SA_MPI_EXCHANGE_H
#define SA_MPI_EXCHANGE_H

#include "train/trainer.h"

/* Fills in the exchange of all processes of the program; MPI_Init has been called. The same on all:
 * SA_USAGE when their kernels differ, SA_LIMIT when there are too many. */
bool sa_mpi_exchange_open(sa_exchange *exchange, sa_error *error);

#endif
