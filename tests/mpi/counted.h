/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Put before an emitted file: the messages that it sends are counted (manners.c).
 */
#ifndef COLLC_TESTS_MPI_COUNTED_H
#define COLLC_TESTS_MPI_COUNTED_H

#include <mpi.h>

int counted_isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);
#define PMPI_Isend counted_isend

#endif
