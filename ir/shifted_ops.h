/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shifts the operations of a symmetric schedule, and checks those of the witnesses.
 */
#ifndef COLLC_IR_SHIFTED_OPS_H
#define COLLC_IR_SHIFTED_OPS_H

#include "ir/symmetry.h"

/* Ways in which a shift of the group takes a range of chunks to another: as a block of some size, or those of
 * a period, is moved; or the range stays, as it has chunks that stay and whole cells. *whole of a block:
 * number of coordinates of its zone that move only blocks within it, all of them. */
enum range_kind { RANGE_TORN, RANGE_OF_BLOCK, RANGE_SAME };
enum range_kind shifted_range_kind(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
                                   uint32_t n, uint32_t *whole);
/* True if a shift takes chunk k of one range and chunk k of the other to the same places in their shifted
 * ranges: a copy from one to the other is the same shifted. */
bool shifted_is_alike(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk, uint8_t to_buffer,
                      uint32_t to_chunk, uint32_t n);
/* True if the chunks of an operation are not torn by a shift, and a copy is the same shifted. */
bool shifted_is_whole(const struct symmetry *symmetry, const struct op *op);
/* True if a shift moves no blocks within the chunks of an operation: what they hold is shifted in its
 * order. The chunks of a set are shifted one by one, so it is true of them. ANY_SHIFT: true of every one. */
#define ANY_SHIFT UINT32_MAX
bool shifted_keeps_order(const struct symmetry *symmetry, const struct op *op, uint32_t by);
/* True if chunk k of a message lands in chunk k of the receive on all ranks of the receiver's orbit. */
bool shifted_is_paired(const struct symmetry *symmetry, const struct op *send, const struct op *receive);
/* Ranks of an orbit whose chunks of a message lie apart, so that it is packed (ir/counts.h); some of them: as
 * far as is known, and then the operations of one rank do not tell what the others copy. */
enum packed_on { PACKED_ON_NONE, PACKED_ON_SOME, PACKED_ON_ALL };
/* O(ranges of chunks up to two that lie apart on all ranks) */
enum packed_on shifted_packed_on(const struct symmetry *symmetry, const struct op *op);
/* Returns a message of a set whose chunks are those of another one, shifted. Valid as long as that one. */
struct op shifted_set(const struct symmetry *symmetry, const struct op *own, uint32_t by);

/* Returns the rotated loop that has the line of a copy; NULL: there is none. */
const struct rotated_loop *shifted_rotated_loop(const struct symmetry *symmetry, const struct op *op);

/* Shift of the group applied to many operations; those of a rank, and to a peer, are consecutive. */
struct shifter {
    struct shifts_digits by;
    uint32_t rank, to_rank, peer, to_peer; /* ranks to which it took these */
};
void shifter_init(struct shifter *shifter, const struct symmetry *symmetry, uint32_t by);
/* Returns what an operation becomes by the shift. */
struct op shifted_op(const struct symmetry *symmetry, const struct op *own, struct shifter *shifter);

/* Room to note which copy of a loop writes a chunk: all 0 at first, and between two loops. */
struct rotated_room {
    uint32_t *by[N_BUFFERS];    /* [chunk, above the first that is written] 1 + number of the copy, 0: none */
    size_t capacity[N_BUFFERS];
    uint64_t *seen;             /* [copy] the last round of questions in which it was found */
    size_t seen_capacity;
    uint64_t n_rounds;
};
void rotated_room_free(struct rotated_room *room);

/* Puts the operations of representatives, orbit by orbit, into `own`, with room for all n: begin[orbit] is
 * where they begin, with one more for the end; then, in the same places of as many more, those of the other
 * witnesses. False: their numbers differ. O(n) */
bool shifted_take(const struct symmetry *symmetry, const struct op *ops, size_t n, struct op *own,
                  size_t *begin);
/* True if the witnesses do the same, shifted, as the representatives, whose operations are in their planes
 * (planes.h). Since each operation is, as the text says, the same on all ranks of an orbit or shifted, one
 * witness tells which. O(chunks that are copied + n) */
bool shifted_is_witnessed(const struct symmetry *symmetry, const struct op *own, const size_t *begin,
                          struct rotated_room *room);

/* Answers the same for copies in loops whose rounds are rotated, in whatever order they come
 * (shifted_rotated.c). False also for loops whose copies write far apart, or nothing: not known. */
bool shifted_turns_alike(const struct symmetry *symmetry, const struct op *own, const size_t *begin,
                         struct rotated_room *room);
/* True if the copies of each of these loops in a step all have the same number of chunks, so that in whatever
 * order they come, each rank copies as much at each turn. O(n) */
bool shifted_turns_as_much(const struct symmetry *symmetry, const struct step *own);

#endif
