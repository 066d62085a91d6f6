/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Put before an emitted file: the messages that it sends are counted, and the keyvals that it makes
 * and frees (manners.c).
 */
#ifndef COLLC_TESTS_MPI_COUNTED_H
#define COLLC_TESTS_MPI_COUNTED_H

#include <mpi.h>

int counted_isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);
#define PMPI_Isend counted_isend
int counted_send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
#define PMPI_Send counted_send
int counted_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *forget,
                          int *keyval, void *extra);
int counted_free_keyval(int *keyval);
#define PMPI_Comm_create_keyval counted_create_keyval
#define PMPI_Comm_free_keyval counted_free_keyval

#endif
