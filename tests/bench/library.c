/* SPDX-License-Identifier: BSD-3-Clause
 *
 * library BYTES TRIES: the time of an alltoall under a library that is preloaded, of the same algorithm
 * compiled into this program, and of the MPI's own, in turns; the least of each in microseconds, on one line.
 */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 50 };

typedef int alltoall(const void *from, int n_from, MPI_Datatype from_type, void *to, int n_to,
                     MPI_Datatype to_type, MPI_Comm comm);
alltoall collc_alltoall_spread; /* emitted */

/* Returns the MPI's own function, behind all that is preloaded. */
static alltoall *find_own(void)
{
    static const char *const names[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
    void *found = NULL;
    alltoall *own;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) {
        void *mpi = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
        found = mpi ? dlsym(mpi, "PMPI_Alltoall") : NULL;
    }
    if (!found)
        exit(2);
    *(void **)&own = found;
    return own;
}

int main(int argc, char **argv)
{
    alltoall *const all[] = {MPI_Alltoall, collc_alltoall_spread, find_own()};
    double least[] = {1e9, 1e9, 1e9};
    int p, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int n = argc > 2 ? atoi(argv[1]) : 8, tries = argc > 2 ? atoi(argv[2]) : 100;
    char *from = calloc((size_t)p, (size_t)n), *to = calloc((size_t)p, (size_t)n);
    for (int t = 0; t < tries; t++)
        for (int k = 0; k < 3; k++) {
            all[2](from, n, MPI_BYTE, to, n, MPI_BYTE, MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            for (int i = 0; i < CALLS; i++)
                all[k](from, n, MPI_BYTE, to, n, MPI_BYTE, MPI_COMM_WORLD);
            const double time = (MPI_Wtime() - begin) / CALLS * 1e6;
            least[k] = time < least[k] ? time : least[k];
        }
    if (rank == 0)
        printf("%.3f %.3f %.3f\n", least[0], least[1], least[2]);
    free(from);
    free(to);
    MPI_Finalize();
    return 0;
}
