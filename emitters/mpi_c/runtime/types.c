/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The structs of a call: buffers cut in chunks, messages collected into a step, and the data kept with a
 * communicator.
 */
#if RANGE || (SEGMENTS && !REDUCTION)
#include <limits.h>
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#if CLUSTERS
#include <string.h>
#endif

#include <mpi.h>

#if LEAST
#ifndef COLLC_LEAST_SEGMENT
#define COLLC_LEAST_SEGMENT 4096 /* bytes worth a message: data are cut in no smaller segments */
#endif

#endif
#if DATA
enum { in, out, buf, tmp, collc_aside, n_buffers };

/* A buffer, cut in chunks that differ by at most one element. */
struct collc_buffer {
    char *base;
    MPI_Datatype type;
    MPI_Aint extent;  /* bytes from one element to the next */
    int64_t elements; /* of all chunks together */
    int64_t chunks;
#if LEAST
    int64_t least, segments; /* of a block: elements of each segment until they end, or 0 */
#endif
#if UNEQUAL
    const int *counts; /* elements of each chunk; NULL: cut as above */
    const MPI_Aint *at; /* bytes from `base` to each chunk */
#if TYPES
    const MPI_Datatype *types; /* of each chunk; NULL: all of one */
#endif
#endif
};

struct collc_data {
    char *start;
    int count;
    MPI_Datatype type;
};

#if TYPES
/* Blocks of the caller's, one for each rank: places in bytes. */
struct collc_blocks {
    char *start;
    const int *counts, *places;
    const MPI_Datatype *types;
};

#elif REDUCE_SCATTER
/* Blocks of the caller's, one for each rank, end to end. */
struct collc_blocks {
    char *start;
    const int *counts;
    MPI_Datatype type;
};

#elif COUNTS
/* Blocks of the caller's, one for each rank: places in elements. */
struct collc_blocks {
    char *start;
    const int *counts, *places;
    MPI_Datatype type;
};

#endif
#endif
#if REDUCTION
enum collc_kind { collc_is_send, collc_is_recv, collc_is_reduce };
#else
enum collc_kind { collc_is_send, collc_is_recv };
#endif

struct collc_message {
    enum collc_kind kind;
    int peer;
    MPI_Request request;
#if DATA
    struct collc_data data;
    int is_skipped; /* there is no place for what comes */
#if RANGE
    int has_own_type; /* made for this message */
#endif
#if HELD
    int64_t tmp_chunk; /* or -1 */
#endif
#if REDUCTION
    int64_t aside; /* element from which on it is received aside */
#if RANGE
    int64_t elements; /* to be combined */
#endif
#endif
#endif
};

/* What a file has found out about a communicator, in front of it. */
struct collc_found {
    struct collc_found *next;
    const void *owner; /* an address that only this file has */
};

/* The attribute of a caller's communicator. */
struct collc_kept {
    MPI_Comm comm; /* the private one; MPI_COMM_NULL: there is none */
    struct collc_found *found;
    int is_used;
};

#if SERVERS
/* The servers of a communicator. */
struct collc_comm {
    struct collc_found head;
    int servers, slots;   /* slots: 0 if the servers differ */
    int max_slots;        /* of the server with most ranks */
    int *server, *slot;   /* of each rank */
    int *n_slots, *first; /* of each server: its ranks, and where they begin below */
    int *rank_at;         /* by server, then slot */
#if CLUSTERS
    int clusters, cluster_servers, cluster_ranks; /* of each: 0 if the clusters differ */
    int *place, *at_place; /* of each rank by cluster, server and slot; the rank there */
#endif
};

#endif
/* One call. */
struct collc_run {
    MPI_Comm comm;
#if SERVERS
    struct collc_comm *own;
#endif
#if ROOT
    int p, rank, root;
#else
    int p, rank;
#endif
#if MAP && ROOT
    int number, lead, stand_in, is_mapped; /* collc_renumber */
#elif MAP
    int number, is_mapped; /* collc_renumber */
#endif
    int error; /* the first one */
#if DATA
    int is_lost; /* data cannot be used: messages go on, empty */
#if SEGMENTS && COUNTS
    int is_unsized; /* is_lost, and nobody knows here how large the blocks of others are */
#endif
#if !ROOT
    int is_aliased; /* the rank's data lie where the result is to be */
#endif
#endif
#if DIMENSIONS
    int grid[8], dimensions, first; /* first: what rank numbers count from */
#elif GRID
    int grid[3];
#endif
#if SEGMENTS
    int64_t segments;
#endif
#if TMP && !KNOWN
    int64_t n_tmp;
#endif
#if COORDINATES
    int64_t extent[4], stride[4], coordinate[4];
#endif
#if ORIGIN
    int64_t origin[4]; /* the root's coordinates */
#endif
#if BCAST
    struct collc_data to; /* what the caller gives */
#elif GATHERV || ALLGATHERV
    struct collc_data from; /* what the caller gives */
    struct collc_blocks to;
#elif SCATTERV || REDUCE_SCATTER
    struct collc_blocks from; /* what the caller gives */
    struct collc_data to;
#elif COUNTS
    struct collc_blocks from, to; /* what the caller gives */
#elif DATA
    struct collc_data from, to; /* what the caller gives */
#endif
#if DATA
    struct collc_buffer buffer[n_buffers];
#if ALLOC
    void *block[n_buffers]; /* memory of our own behind a buffer */
#endif
#if HELD
    int *held;              /* elements in each chunk of tmp */
#endif
#if UNEQUAL
    MPI_Aint *at[n_buffers]; /* places of the chunks of each buffer */
#if SEGMENTS
    int *cut[n_buffers];    /* counts of their segments */
#endif
#if TMP && !KNOWN
    int *tmp_counts;
#if TYPES
    MPI_Datatype *tmp_types;
#endif
#endif
#endif
#if REDUCTION
    MPI_Op op;
    MPI_Datatype type; /* of what is combined */
    int64_t n_aside; /* elements this step receives aside */
#endif
#endif
#if WINDOW
    int64_t window, n_steps; /* steps per wait, and since the last */
#endif
    struct collc_message *messages; /* of this step: `few`, or memory of our own */
    int n_messages, capacity;
    struct collc_message few[8];
};

