/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run time of emitted C (emitters/mpi_c/runtime) as it stands, around a schedule that does
 * nothing: for compilers and linters, with features and the words of a collective given as macros
 * (tests/lint/runtime.sh).
 */
#if MAIN && !DATA
#define _POSIX_C_SOURCE 199309L /* as the heading of an emitted barrier */
#endif
#define ANY(condition) (condition)
#define COLLC_ALLREDUCE PMPI_Allreduce
#define COLLC_BCAST PMPI_Bcast
#define COLLC_ALLGATHER PMPI_Allgather
#define COLLC_FITS collc_fits
#define COLLC_STEPS collc_steps
#define COLLC_LIKE collc_like
#define COLLC_LIKE_BUFFER collc_like_buffer
#include "emitters/mpi_c/runtime/types.c"

#if CLUSTERS
#if MACHINES
static const struct {
    const char *name;
    int cluster;
} collc_machines[] = {
    {"node", 0},
};

#endif
#include "emitters/mpi_c/runtime/clusters.c"
#endif
#include "emitters/mpi_c/runtime/communicator.c"
#include "emitters/mpi_c/runtime/neighbors.c"
#if MAP
static const int collc_map[] = {1, 0};
#define COLLC_MAP_RANKS 2
#define COLLC_LEAD 0
#define COLLC_LEAD_RANK 1
#include "emitters/mpi_c/runtime/map.c"
#endif
#if PLACE
#define COLLC_CHUNKS collc_placed
#else
#define COLLC_CHUNKS collc_chunks
#endif
#include "emitters/mpi_c/runtime/buffers.c"
#include "emitters/mpi_c/runtime/messages.c"
#include "emitters/mpi_c/runtime/sets.c"
#include "emitters/mpi_c/runtime/sized.c"
#include "emitters/mpi_c/runtime/step.c"

#if KNOWN
enum { collc_known_ranks = 1 };

static const int collc_bytes[] = {1}, collc_tmp_bytes[] = {0};
static const int64_t collc_tmp_first[] = {0, 0};
#elif UNEQUAL && TMP
#if COLLC_BUF
enum { collc_like_buffer = buf };
#else
enum { collc_like_buffer = out };
#endif

static int64_t collc_like(const struct collc_run *run, int64_t chunk)
{
    return chunk % run->buffer[collc_like_buffer].chunks;
}
#endif

static int collc_fits(struct collc_run *run)
{
    return run->p > 1;
}

#if COORDINATES
#include "emitters/mpi_c/runtime/arithmetic.c"

static void collc_steps(struct collc_run *run)
{
    collc_end_step(run);
}
#else
static const struct collc_op {
    char kind, ends_step, buffer;
    int chunk, n_chunks, peer;
    char to_buffer;
} collc_ops[] = {{0, 0, 0, 0, 0, 0, 0}};
static const int64_t collc_first[] = {0, 0};

#include "emitters/mpi_c/runtime/table.c"
#endif
#if PATTERN && MAIN
static void collc_need(struct collc_run *run, int64_t chunk, int64_t n, int64_t from, int rank);

static void collc_say_needs(struct collc_run *run)
{
    collc_need(run, 0, 1, 0, run->rank);
}
#endif
#include "emitters/mpi_c/runtime/operation.c"
#include "emitters/mpi_c/runtime/open.c"
#include "emitters/mpi_c/runtime/layout.c"
#include "emitters/mpi_c/runtime/entry.c"
#if MAIN
#define COLLC_NAME "lint"
#if DATA
#include "emitters/mpi_c/runtime/test.c"
#include "emitters/mpi_c/runtime/test_call.c"
#include "emitters/mpi_c/runtime/test_try.c"
#else
#include "emitters/mpi_c/runtime/test_barrier.c"
#endif
#include "emitters/mpi_c/runtime/test_main.c"
#endif
