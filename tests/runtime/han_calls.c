/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls collectives on communicators of several machines, each announced on standard error in a line
 *
 *   CALL COLLECTIVE RANKS BYTES
 *
 * by rank 0, so that what coll/han says of its choice stands behind it. The world is 6 ranks, three on each
 * of two machines; the communicators are all of it and two ranks of each. (Where each machine has one rank,
 * or one has more than another, coll/han gives up when it is called, and is not asked any more.) Arguments:
 * sizes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_BYTES = 1 << 20, LEAST_RANKS = 4, MAX_RANKS = 6 };
static char in[MAX_RANKS * MAX_BYTES], out[MAX_RANKS * MAX_BYTES];

static void announce(const char *collective, int n, int bytes)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "CALL %s %d %d\n", collective, n, bytes);
}

static void call_all(MPI_Comm comm, int n, int bytes)
{
    int counts[MAX_RANKS], starts[MAX_RANKS];
    for (int i = 0; i < n; i++) {
        counts[i] = bytes;
        starts[i] = i * bytes;
    }
    announce("bcast", n, bytes);
    MPI_Bcast(out, bytes, MPI_CHAR, 0, comm);
    announce("allreduce", n, bytes);
    MPI_Allreduce(in, out, bytes, MPI_CHAR, MPI_BOR, comm);
    announce("reduce", n, bytes);
    MPI_Reduce(in, out, bytes, MPI_CHAR, MPI_BOR, 0, comm);
    announce("allgather", n, bytes);
    MPI_Allgather(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, comm);
    announce("gather", n, bytes);
    MPI_Gather(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, 0, comm);
    announce("scatter", n, bytes);
    MPI_Scatter(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, 0, comm);
    announce("allgatherv", n, bytes);
    MPI_Allgatherv(in, bytes, MPI_CHAR, out, counts, starts, MPI_CHAR, comm);
    announce("barrier", n, bytes);
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int n = MAX_RANKS; n >= LEAST_RANKS; n -= 2) {
        const int is_in = rank % (MAX_RANKS / 2) < n / 2;
        MPI_Comm comm;
        announce("none", 0, 0);
        MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, rank, &comm);
        for (int i = 1; i < argc && is_in; i++)
            call_all(comm, n, atoi(argv[i]));
        announce("none", 0, 0);
        if (is_in)
            MPI_Comm_free(&comm);
    }
    announce("none", 0, 0);
    MPI_Finalize();
    return 0;
}
