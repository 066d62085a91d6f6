/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every emitted program that runs in a batch (batch.c) is compiled after this: calls that
 * the batch carries out, or changes, instead of the MPI. Nothing but mpi.h is included, so
 * that a program which forgets another header is found out.
 */
#ifndef COLLC_TESTS_MPI_BATCH_H
#define COLLC_TESTS_MPI_BATCH_H

#include <mpi.h>

int collc_batch_Init(int *argc, char ***argv);
int collc_batch_Finalize(void);
int collc_batch_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag,
                      MPI_Comm comm, MPI_Request *request);
int collc_batch_Send(const void *data, int count, MPI_Datatype type, int peer, int tag,
                     MPI_Comm comm);
int collc_batch_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *server);

#define MPI_Init collc_batch_Init
#define MPI_Finalize collc_batch_Finalize
#define PMPI_Isend collc_batch_Isend
#define PMPI_Send collc_batch_Send
#define PMPI_Comm_split_type collc_batch_Comm_split_type

#endif
