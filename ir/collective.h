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
 *   neighbor_alltoall
 *               in[n], out[m]      in[c] at r is datum r*n+c   as the neighbours of r say
 *   neighbor_allgather
 *               in[1], out[m]      in[0] at r is datum r       as the neighbours of r say
 *   pattern     in[n], out[m]      in[c] at r is datum r*n+c   nothing is promised
 *
 * The words for data, from the largest to the smallest:
 *
 *   block    what MPI's count is of: data between two ranks, of one rank, or all of `buf`; `in`
 *            and `out` have one block or one for each rank
 *   segment  one of the equal parts, `segments` in number, that each block is cut into
 *   chunk    a segment by its place in a buffer, what operations name: segment k of block j is
 *            chunk j * segments + k
 *   datum    a segment by what it is, wherever it lies: segment k of datum d of the table is
 *            datum d * segments + k
 *   unit     in emitted C, one count of a block: a user's `count` of elements of a datatype
 *   element  a value of an MPI datatype: what a reduction combines, and never cuts
 *
 * A buffer with * is at the root only. Where the collective reduces a value is a pair
 * (datum g, set of ranks whose contribution it holds). What `buf` holds after a reduce
 * elsewhere than at the root, or after an exscan at rank 0, does not matter. `tmp` is
 * scratch and starts undefined in every collective.
 *
 * The neighbours of a rank are those of its communicator (MPI 4.0 section 8.6). n and m are the most that a
 * rank has; it may have fewer.
 *
 * A *pattern* is none of MPI's collectives but any other pattern of messages, such as the exchange of
 * halos. Its author says how many chunks `in` and `out` have (schedule_chunks).
 *
 * MPI's collectives with unequal counts move the same data: they are *forms* of the one
 * above, in which each datum has a size of its own (ir/counts.h).
 */
#ifndef COLLC_IR_COLLECTIVE_H
#define COLLC_IR_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

enum buffer { BUFFER_IN, BUFFER_OUT, BUFFER_BUF, BUFFER_TMP, N_BUFFERS };

/* The meaning of a block's number. Blocks that have one are in `in` and `out`. */
enum numbering {
    NUMBERED_NONE,  /* there is no data */
    NUMBERED_WHOLE, /* one block, in `buf` */
    NUMBERED_RANKS, /* block r belongs to rank r */
    NUMBERED_PAIRS, /* block a * p + b goes from rank a to rank b */
    NUMBERED_PLACES /* block r * n + c is at place c of the n places of rank r, before */
};

/* The ranks that have a block before the collective, or need it after. */
enum holder {
    HELD_ROOT, /* the root has all blocks */
    HELD_EACH, /* each block is at one rank: its own, before first of its pair, after second of it */
    HELD_ALL,  /* every rank has all blocks: before, a contribution to each */
    HELD_SAID  /* as neighbours or the author of a pattern say; before, each block is at the rank of its place
                */
};

/* The ranks whose contributions a result holds. */
enum combining {
    COMBINES_NONE,    /* nothing is combined */
    COMBINES_ALL,     /* all ranks */
    COMBINES_THROUGH, /* the rank and those below */
    COMBINES_BELOW,   /* those below the rank; rank 0 has no result */
    COMBINES_SAID     /* as the author of a pattern says */
};

/* COLLECTIVE(name, numbering, before, after, combines). All else follows from these. */
#define COLLECTIVES(X)                                                                                       \
    X(alltoall, PAIRS, EACH, EACH, NONE)                                                                     \
    X(bcast, WHOLE, ROOT, ALL, NONE)                                                                         \
    X(allgather, RANKS, EACH, ALL, NONE)                                                                     \
    X(reduce, WHOLE, ALL, ROOT, ALL)                                                                         \
    X(allreduce, WHOLE, ALL, ALL, ALL)                                                                       \
    X(gather, RANKS, EACH, ROOT, NONE)                                                                       \
    X(scatter, RANKS, ROOT, EACH, NONE)                                                                      \
    X(reduce_scatter_block, RANKS, ALL, EACH, ALL)                                                           \
    X(scan, WHOLE, ALL, ALL, THROUGH)                                                                        \
    X(exscan, WHOLE, ALL, ALL, BELOW)                                                                        \
    X(barrier, NONE, ALL, ALL, ALL)                                                                          \
    X(neighbor_alltoall, PLACES, SAID, SAID, NONE)                                                           \
    X(neighbor_allgather, PLACES, SAID, SAID, NONE)                                                          \
    X(pattern, PLACES, SAID, SAID, SAID)

enum collective {
#define X(name, numbering, before, after, combines) COLLECTIVE_##name,
    COLLECTIVES(X)
#undef X
    N_COLLECTIVES
};
#define N_MPI_COLLECTIVES COLLECTIVE_pattern /* those before it are MPI's */

struct collective_info {
    const char *name;
    enum numbering numbering;
    enum holder before, after;
    enum combining combines;
    bool rooted;  /* the root is all that has the data before, or after */
    bool reduces; /* it combines data: no barrier does */
};
extern const struct collective_info collective_table[N_COLLECTIVES];
/* Returns MPI's collective of that name; N_COLLECTIVES: none. */
enum collective collective_find(const char *name, uint64_t length);

/* FORM(name, base): the collective with unequal counts. */
#define COLLECTIVE_FORMS(X)                                                                                  \
    X(gatherv, gather)                                                                                       \
    X(scatterv, scatter)                                                                                     \
    X(allgatherv, allgather)                                                                                 \
    X(alltoallv, alltoall)                                                                                   \
    X(alltoallw, alltoall)                                                                                   \
    X(reduce_scatter, reduce_scatter_block)                                                                  \
    X(neighbor_alltoallv, neighbor_alltoall)                                                                 \
    X(neighbor_alltoallw, neighbor_alltoall)                                                                 \
    X(neighbor_allgatherv, neighbor_allgather)

enum collective_form {
    FORM_EQUAL, /* the collective itself */
#define X(name, base) FORM_##name,
    COLLECTIVE_FORMS(X)
#undef X
    N_FORMS
};
/* "alltoallv"; of FORM_EQUAL the name of the collective. */
const char *collective_name(enum collective collective, enum collective_form form);
/* Returns MPI's collective and form of that name; N_COLLECTIVES: none. */
enum collective collective_find_form(const char *name, uint64_t length, enum collective_form *form);
/* Does the same where a pattern may stand, too. */
enum collective collective_find_any(const char *name, uint64_t length, enum collective_form *form);
/* The name of a collective or form that was probably meant, also by a usual longer name such as
 * "broadcast" or MPI's own, "MPI_Bcast"; or NULL. */
const char *collective_nearest(const char *name, uint64_t length);
/* The collective that a form other than FORM_EQUAL is of. */
enum collective collective_of_form(enum collective_form form);
extern const char *const buffer_name[N_BUFFERS];                   /* "in", "out", "buf", "tmp" */

/* True if its author says how many chunks `in` and `out` have. */
static inline bool collective_is_pattern(enum collective collective)
{
    return collective == COLLECTIVE_pattern;
}
/* True if blocks go between the neighbours of a communicator. */
static inline bool collective_is_of_neighbors(enum collective collective)
{
    return collective == COLLECTIVE_neighbor_alltoall || collective == COLLECTIVE_neighbor_allgather;
}
/* True of these two kinds, whose numbers of chunks are in the header of a schedule. */
static inline bool collective_is_said(enum collective collective)
{
    return collective_is_pattern(collective) || collective_is_of_neighbors(collective);
}
/* True if the buffer has a block for each rank, so that chunks are named by ranks. */
bool collective_is_by_rank(enum collective collective, enum buffer buffer);
/* True if the collective has the buffer; of BUFFER_TMP, and of a pattern, never. */
bool collective_has(enum collective collective, enum buffer buffer);
/* Chunks of `buffer` at each rank that has it; 0 if the collective has no such buffer.
 * For BUFFER_TMP, and of a pattern, the caller's own number. */
uint64_t collective_chunks(enum collective collective, enum buffer buffer, uint32_t n_ranks,
                           uint32_t segments);
/* True if only the root has the buffer. */
bool collective_at_root(enum collective collective, enum buffer buffer);

/* True if ranks have data: of all collectives but a barrier. */
bool collective_has_data(enum collective collective);
/* True if each block goes from one rank to another one. */
bool collective_has_pairs(enum collective collective);
/* True if a rank of the forms with unequal counts knows no more counts than those of its own data. */
bool collective_hides_counts(enum collective collective);
/* True if results depend on which ranks are below. */
bool collective_is_scan(enum collective collective);
/* True if every rank gets data that one rank has: bcast, allgather. */
bool collective_spreads(enum collective collective);
/* True if one rank gets what every rank has contributed to: reduce, reduce_scatter_block. */
bool collective_collects(enum collective collective);
/* True if the collective combines data and all ranks get the result: MPI requires that they get the same. */
bool collective_agrees(enum collective collective);

/* Bytes of a chunk when a user says `bytes`: what goes to a pair or comes from a rank, or
 * all of `buf`, either cut into equal segments, rounded up. */
uint64_t collective_chunk_bytes(enum collective collective, uint32_t segments, uint64_t bytes);

#endif
