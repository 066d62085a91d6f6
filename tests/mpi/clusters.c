/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A broadcast over clusters, emitted for a topology whose machines are a0 b0 a1 b1 ..., all a in
 * one cluster and all b in another: rank r is on machine r, which the MPI knows with its domain.
 * Just one message goes from cluster to cluster, in whatever communicator, as long as the
 * clusters are equal there; else the MPI does it alone. EMITTED is the emitted file, FUNCTION its
 * function; COLLC_SLOTS=1 makes each rank a server. Prints a line as the emitted main does.
 */
#include <mpi.h>
#include <stdio.h>

#include "expect.h"

static int world_rank, n_sent, n_crossing;
enum { MAX_RANKS = 16 };
static int world_rank_of[MAX_RANKS]; /* [rank] of the communicator of the call */

static int name_of_test(char *name, int *length)
{
    *length = sprintf(name, "%c%d.example.org", "ab"[world_rank % 2], world_rank / 2);
    return MPI_SUCCESS;
}

static void count_of_test(int peer)
{
    n_sent++;
    n_crossing += (world_rank_of[peer] - world_rank) % 2 != 0;
}

static int isend_of_test(const void *data, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm comm, MPI_Request *request)
{
    count_of_test(peer);
    return MPI_Isend(data, count, type, peer, tag, comm, request);
}

static int send_of_test(const void *data, int count, MPI_Datatype type, int peer, int tag,
                        MPI_Comm comm)
{
    count_of_test(peer);
    return MPI_Send(data, count, type, peer, tag, comm);
}

#define PMPI_Get_processor_name name_of_test
#define PMPI_Isend isend_of_test
#define PMPI_Send send_of_test
#include EMITTED
#undef PMPI_Isend
#undef PMPI_Send

/* Every root; `n_expected` messages between the clusters, and none at all if it is -1. */
static void try(MPI_Comm comm, int n_expected, const char *what)
{
    int rank, p, all[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    MPI_Allgather(&world_rank, 1, MPI_INT, world_rank_of, 1, MPI_INT, comm);
    for (int root = 0; root < p; root++) {
        int data = rank == root ? 1000 + root : -1, counts[2];
        n_sent = n_crossing = 0;
        expect(FUNCTION(&data, 1, MPI_INT, root, comm) == MPI_SUCCESS && data == 1000 + root, what);
        counts[0] = n_sent;
        counts[1] = n_crossing;
        MPI_Allreduce(counts, all, 2, MPI_INT, MPI_SUM, comm);
        expect(all[0] == (n_expected < 0 ? 0 : p - 1), what);
        expect(all[1] == (n_expected < 0 ? 0 : n_expected), what);
    }
}

/* The ranks of the first color only, in the order of the keys. */
static void try_part(int is_in, int key, int n_expected, const char *what)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, key, &comm);
    if (!is_in)
        return;
    try(comm, n_expected, what);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    try(MPI_COMM_WORLD, 1, "all ranks");
    try_part(1, -world_rank, 1, "backwards");
    try_part(world_rank < 4, world_rank * 3 % 4, 1, "four of them");
    try_part(world_rank % 2, 0, 0, "one cluster");
    try_part(world_rank != 1, 0, -1, "unequal clusters");
    return conclude("clusters");
}
