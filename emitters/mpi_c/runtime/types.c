/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The structs of a call: buffers cut in chunks, messages collected into a step, and the data kept with a
 * communicator.
 */
#if RANGE || SETS || SIZED || LIBRARY || (SEGMENTS && !REDUCTION)
#include <limits.h>
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#if CLUSTERS || LIBRARY || SETS || SIZED || MOVE
#include <string.h>
#endif
#if LIBRARY
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
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

#if COUNTS
/* Blocks of the caller's, one for each rank. */
struct collc_blocks {
    char *start;
    const int *counts;
#if !REDUCE_SCATTER
#if NEIGHBOR_ALLTOALLW
    const MPI_Aint *places; /* in bytes */
#else
    const int *places; /* in elements, or if each block has a type in bytes; else end to end */
#endif
#endif
#if TYPES
    const MPI_Datatype *types;
#endif
#if !TYPES
    MPI_Datatype type;
#endif
};

#endif
#endif
enum { collc_n_few = 8 }; /* messages of a step without memory of their own */
enum collc_kind { collc_is_send, collc_is_recv, collc_is_reduce };

struct collc_message {
    enum collc_kind kind;
    int peer;
    MPI_Request request;
#if DATA
    struct collc_data data;
    int is_skipped; /* there is no place for what comes */
#if RANGE || SETS
    int has_own_type; /* made for this message */
#endif
#if SETS
    int first_piece, n_pieces; /* if there are several */
    char *packed;              /* where they are end to end; NULL: nowhere */
    MPI_Aint packed_extent;    /* of an element */
#endif
#if HELD
    int64_t tmp_chunk; /* or -1 */
#endif
#if SIZED
    int first_part, n_parts;
    int64_t n_chunks; /* of the parts */
    char *sized;      /* where they are packed behind their sizes, to be sent */
#endif
#if REDUCTION
    int64_t aside; /* element from which on it is received aside */
#if RANGE || SETS
    int64_t elements; /* to be combined */
#endif
#endif
#endif
};

#if SIZED
/* Chunks of a message. */
struct collc_part {
    int which;
    int64_t chunk, n;
};

/* Memory in front of data that are kept to the end of the call. */
struct collc_room {
    struct collc_room *next;
};

#endif
#if SETS
/* A message of several pieces that is being described. */
struct collc_set {
    enum collc_kind kind;
    int which, peer, first; /* first: its first piece */
};

#endif
/* What a file has found out about a communicator, in front of it. */
struct collc_found {
    struct collc_found *next;
    const void *owner; /* an address that only this file has */
    void (*empty)(struct collc_found *found); /* called before it is freed, or NULL */
};

/* The attribute of a caller's communicator. */
struct collc_kept {
    MPI_Comm comm; /* the private one; MPI_COMM_NULL: there is none */
    struct collc_found *found;
    int is_used;
};

#if SETS
/* A datatype of pieces of a predefined one. */
struct collc_set_type {
    MPI_Datatype of, type;
    int n, *counts;
    MPI_Aint *from;
};

enum { collc_most_set_types = 64, collc_most_kept_pieces = 1 << 14 };

/* The datatypes of sets that calls on a communicator have left to later ones. */
struct collc_set_types {
    struct collc_found head;
    int n, n_pieces, is_used, is_short; /* is_short: one was not kept, as there were too many */
    struct collc_set_type items[collc_most_set_types];
};

#endif
#if SERVERS || LIBRARY
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
#if NEIGHBORS
/* The neighbours of this rank. */
struct collc_neighbors {
    struct collc_found head;
    int is_cartesian;
    int n_out, n_in, most_out, most_in; /* most: of all ranks */
    int *out, *in;                      /* ranks; MPI_PROC_NULL: none */
    int *weight;                        /* of sources, then of destinations */
#if GRID
    int is_isomorphic; /* those of all ranks lie alike on this grid, x fastest */
    int grid[8], dimensions;
    int *hop;   /* [k * dimensions + d] places to where block k goes */
    int *place; /* [k] the block here that block k of another rank is */
#endif
};

#endif
/* One call. */
struct collc_run {
    MPI_Comm comm;
#if LIBRARY
    const struct collc_traits *has; /* of the algorithm, before it is chosen of the collective */
    const struct collc_algorithm *algorithm;
    const struct collc_rule *rule;
    int collective, reason; /* reason: why it is left to the MPI */
    int is_stranger;        /* the lowest rank, which counts for all, is another one */
    struct collc_trial *trial; /* of which the call is a turn, or NULL */
    int64_t begin;          /* ns; 0: nobody asks for the time */
    int is_sized;           /* the bytes of a block are known */
    uint64_t bytes;         /* of a block */
#endif
#if SERVERS || LIBRARY
    struct collc_comm *own;
#endif
    int p, rank;
#if ROOT
    int root;
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
#if !ROOT && !PATTERN && !NEIGHBORS
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
#if PATTERN || NEIGHBORS
    int64_t n_in, n_out; /* chunks of the buffers */
#endif
#if NEIGHBORS
    struct collc_neighbors *neighbors;
#endif
#if COORDINATES
    int64_t extent[4], stride[4], coordinate[4];
#endif
#if ORIGIN
    int64_t origin[4]; /* the root's coordinates */
#endif
#if DATA && !BCAST
    struct collc_data from; /* what the caller gives; of blocks the place alone */
#endif
#if DATA
    struct collc_data to; /* what the caller gives or wants; of blocks the place alone */
#endif
#if GATHERV || ALLGATHERV || ALLTOALLV || ALLTOALLW || (NEIGHBORS && COUNTS)
    struct collc_blocks to_blocks;
#endif
#if SCATTERV || REDUCE_SCATTER || ALLTOALLV || ALLTOALLW || NEIGHBOR_ALLTOALLV || NEIGHBOR_ALLTOALLW
    struct collc_blocks from_blocks;
#endif
#if DATA
    struct collc_buffer buffer[n_buffers];
#if ALLOC
    void *block[n_buffers]; /* memory of our own behind a buffer */
#endif
#if MOVE
    MPI_Datatype dense_type;  /* of the last copy */
    MPI_Aint dense, dense_lb; /* bytes of an element without holes, or 0; where they begin */
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
    int *tmp_counts; /* under SIZED of bytes */
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
#if SIZED
    struct collc_part *parts; /* of the messages of this step */
    int n_parts, most_parts;
    int is_open; /* the last message may have more parts */
    struct collc_room *rooms;
    char **places; /* of the chunks of tmp */
#endif
#if WINDOW
    int64_t window, n_steps; /* steps per wait, and since the last */
#endif
#if SETS
    struct collc_set set;
    struct collc_data *pieces; /* of the messages of this step */
    int n_pieces, most_pieces;
    struct collc_kept *kept;
    struct collc_set_types *set_types; /* NULL: none have been asked for */
#endif
    struct collc_message *messages; /* of this step: `few`, or memory of our own */
    int n_messages, capacity;
    struct collc_message *few; /* [collc_n_few] */
};

#if LIBRARY
/* An algorithm. */
struct collc_algorithm {
    int collective;
    const char *name;
    int (*fits)(struct collc_run *run);
    void (*steps)(struct collc_run *run);
    int64_t (*like)(const struct collc_run *run, int64_t chunk); /* or NULL */
    int like_buffer;
    const char *parameter[collc_most_parameters]; /* names; NULL behind the last */
    const struct collc_traits *has;
};

/* The value that the rule gives a parameter, or another one. */
static inline int64_t collc_parameter(const struct collc_run *run, int parameter, int64_t other)
{
    return run->rule->is_set >> parameter & 1 ? run->rule->value[parameter] : other;
}

#endif
