/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The collectives and what MPI says about their data. A *datum* is a chunk of
 * user data before the collective, named by a number; the table below says
 * which datum lies where before (initial) and after (final) for p ranks and
 * data in one segment, but for `buf`:
 *
 *   collective  buffers            initial                     final
 *   alltoall    in[p], out[p]      in[j] at r is datum r*p+j   out[j] at r is datum j*p+r
 *   allgather   in[1], out[p]      in[0] at r is datum r       out[j] at r is datum j
 *   bcast       buf[segments]      buf[g] at root is datum g   buf[g] at r is datum g
 *   gather      in[1], out[p]*     in[0] at r is datum r       out[j] at root is datum j
 *   scatter     in[p]*, out[1]     in[j] at root is datum j    out[0] at r is datum r
 *   reduce      buf[segments]      buf[g] at r is {r} of g     buf[g] at root is {0..p-1} of g
 *   allreduce   buf[segments]      buf[g] at r is {r} of g     buf[g] at r is {0..p-1} of g
 *   reduce_scatter_block
 *               in[p], out[1]      in[j] at r is {r} of j      out[0] at r is {0..p-1} of r
 *   scan        buf[segments]      buf[g] at r is {r} of g     buf[g] at r is {0..r} of g
 *   exscan      buf[segments]      buf[g] at r is {r} of g     buf[g] at r > 0 is {0..r-1} of g
 *   barrier     none               every rank knows {r}        every rank knows {0..p-1}
 *
 * `in` and `out` are made of blocks, one for each rank or one, and `segments` cuts each block
 * as it cuts `buf`: segment k of block j is chunk j * segments + k, and segment k of datum d
 * of the table is datum d * segments + k.
 *
 * A buffer with * is at the root only. Where the collective reduces a value is a pair
 * (datum g, set of ranks whose contribution it holds). What `buf` holds after a reduce
 * elsewhere than at the root, or after an exscan at rank 0, does not matter. `tmp` is
 * scratch and starts undefined in every collective.
 *
 * MPI's collectives with unequal counts move the same data: they are *forms* of the one
 * above, in which each datum has a size of its own (ir/counts.h).
 */
#ifndef COLLC_IR_COLLECTIVE_H
#define COLLC_IR_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

enum buffer { BUFFER_IN, BUFFER_OUT, BUFFER_BUF, BUFFER_TMP, N_BUFFERS };

/* COLLECTIVE(name, rooted, reduces, in, out, buf): in, out and buf give the
 * number of blocks: 0 none, 1 one, P one per rank, R that at the root only. */
#define COLLECTIVES(X)                            \
    X(alltoall, false, false, P, P, 0)            \
    X(bcast, true, false, 0, 0, 1)                \
    X(allgather, false, false, 1, P, 0)           \
    X(reduce, true, true, 0, 0, 1)                \
    X(allreduce, false, true, 0, 0, 1)            \
    X(gather, true, false, 1, R, 0)               \
    X(scatter, true, false, R, 1, 0)              \
    X(reduce_scatter_block, false, true, P, 1, 0) \
    X(scan, false, true, 0, 0, 1)                 \
    X(exscan, false, true, 0, 0, 1)               \
    X(barrier, false, false, 0, 0, 0)

enum collective {
#define X(name, rooted, reduces, in, out, buf) COLLECTIVE_##name,
    COLLECTIVES(X)
#undef X
    N_COLLECTIVES
};

struct collective_info {
    const char *name;
    bool rooted, reduces;
};
extern const struct collective_info collective_table[N_COLLECTIVES];
enum collective collective_find(const char *name, uint64_t length); /* N_COLLECTIVES: none */

/* FORM(name, base): the collective with unequal counts. */
#define COLLECTIVE_FORMS(X)  \
    X(gatherv, gather)       \
    X(scatterv, scatter)     \
    X(allgatherv, allgather) \
    X(alltoallv, alltoall)   \
    X(alltoallw, alltoall)   \
    X(reduce_scatter, reduce_scatter_block)

enum collective_form {
    FORM_EQUAL, /* the collective itself */
#define X(name, base) FORM_##name,
    COLLECTIVE_FORMS(X)
#undef X
    N_FORMS
};
/* "alltoallv"; of FORM_EQUAL the name of the collective. */
const char *collective_name(enum collective collective, enum collective_form form);
/* The collective and form of that name; N_COLLECTIVES: none. */
enum collective collective_find_form(const char *name, uint64_t length, enum collective_form *form);
/* The name of a collective or form that was probably meant, also by a usual longer name such as
 * "broadcast" or MPI's own, "MPI_Bcast"; or NULL. */
const char *collective_nearest(const char *name, uint64_t length);
/* The collective that a form other than FORM_EQUAL is of. */
enum collective collective_of_form(enum collective_form form);
extern const char *const buffer_name[N_BUFFERS];                   /* "in", "out", "buf", "tmp" */

/* True if the buffer has a block for each rank, so that chunks are named by ranks. */
bool collective_is_by_rank(enum collective collective, enum buffer buffer);
/* True if the collective has the buffer, or, of BUFFER_TMP, never. */
bool collective_has(enum collective collective, enum buffer buffer);
/* Chunks of `buffer` at each rank that has it; 0 if the collective has no such buffer.
 * For BUFFER_TMP the caller's own number. */
uint64_t collective_chunks(enum collective collective, enum buffer buffer, uint32_t n_ranks,
                           uint32_t segments);
/* True if only the root has the buffer. */
bool collective_at_root(enum collective collective, enum buffer buffer);

/* True if the collective combines data and all ranks get the result: MPI requires that they get the same. */
bool collective_agrees(enum collective collective);

/* Bytes of a chunk when a user says `bytes`: what goes to a pair or comes from a rank, or
 * all of `buf`, either cut into equal segments, rounded up. */
uint64_t collective_chunk_bytes(enum collective collective, uint32_t segments, uint64_t bytes);

#endif
