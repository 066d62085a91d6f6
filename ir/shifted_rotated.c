/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies in loops whose rounds come in another order on other ranks of an orbit (shifted_ops.h): the same
 * copies, shifted, whose order does not matter.
 */
#include "ir/shifted_ops.h"

#include <stdlib.h>
#include <string.h>

/* `in` and `out` are perhaps the same in place. */
static bool may_be_in_place(const struct op *copies, size_t n)
{
    bool reads_in = false, writes_out = false;
    for (size_t i = 0; i < n; i++) {
        reads_in = reads_in || copies[i].buffer == BUFFER_IN;
        writes_out = writes_out || copies[i].to_buffer == BUFFER_OUT;
    }
    return reads_in && writes_out;
}

static bool shifted_rotated_is_same(const struct op *x, const struct op *y)
{
    return x->rank == y->rank && x->line == y->line && x->kind == y->kind && x->buffer == y->buffer &&
           x->to_buffer == y->to_buffer && x->to_chunk == y->to_chunk && x->chunk == y->chunk &&
           x->n_chunks == y->n_chunks;
}

/* The planes that copies of a loop use, of each area one. */
static void find_planes(const struct symmetry *symmetry, const struct op *own, size_t n, uint32_t *plane)
{
    memset(plane, 0, ZONES_MAX * sizeof *plane);
    for (size_t i = 0; i < n; i++) {
        const uint32_t from = symmetry_plane(symmetry, own[i].buffer, own[i].chunk);
        const uint32_t to = symmetry_plane(symmetry, own[i].to_buffer, own[i].to_chunk);
        if (from && own[i].n_chunks)
            plane[symmetry_area(symmetry, own[i].chunk)] = from;
        if (to && own[i].n_chunks)
            plane[symmetry_area(symmetry, own[i].to_chunk)] = to;
    }
}

/* The copies of a witness in planes. */
static struct op op_in_planes(const struct symmetry *symmetry, const struct op *op, const uint32_t *plane)
{
    struct op named = *op;
    const uint32_t from = symmetry_area(symmetry, op->chunk), to = symmetry_area(symmetry, op->to_chunk);
    if (op->buffer == BUFFER_TMP && from < symmetry->n_areas)
        named.chunk += plane[from];
    if (op->to_buffer == BUFFER_TMP && to < symmetry->n_areas)
        named.to_chunk += plane[to];
    return named;
}

/* Chunks that the copies of a loop write. */
struct written {
    uint64_t first[N_BUFFERS], end[N_BUFFERS]; /* chunks */
    struct rotated_room *room;
};

/* Returns room for n elements, all 0, as those that there are must be: they are lost. */
static void *grow_zeros(void *zeros, size_t *capacity, size_t n, size_t size)
{
    if (n <= *capacity)
        return zeros;
    *capacity = n + n / 2;
    free(zeros);
    return mem_alloc(*capacity, size);
}

/* Makes room for the chunks that copies write; false: they are too far apart, or a copy is of none. */
static bool written_init(struct written *written, const struct op *copies, size_t n,
                         struct rotated_room *room)
{
    enum { APART = 64, SOME = 1 << 16 };
    uint64_t n_chunks = 0;
    bool is_dense = n < UINT32_MAX;
    *written = (struct written){.room = room};
    for (size_t i = 0; i < n; i++) {
        const struct op *copy = &copies[i];
        const uint64_t end = (uint64_t)copy->to_chunk + copy->n_chunks;
        uint64_t *first = &written->first[copy->to_buffer], *last = &written->end[copy->to_buffer];
        *first = !*last || copy->to_chunk < *first ? copy->to_chunk : *first;
        *last = end > *last ? end : *last;
        is_dense = is_dense && copy->n_chunks;
    }
    for (uint32_t buffer = 0; buffer < N_BUFFERS; buffer++)
        n_chunks += written->end[buffer] - written->first[buffer];
    is_dense = is_dense && n_chunks <= APART * (uint64_t)n + SOME;
    for (uint32_t buffer = 0; is_dense && buffer < N_BUFFERS; buffer++)
        room->by[buffer] = grow_zeros(room->by[buffer], &room->capacity[buffer],
                                      (size_t)(written->end[buffer] - written->first[buffer]),
                                      sizeof *room->by[buffer]);
    if (is_dense)
        room->seen = grow_zeros(room->seen, &room->seen_capacity, n, sizeof *room->seen);
    return is_dense;
}

static uint32_t *shifted_rotated_place_of(const struct written *written, uint8_t buffer, uint64_t chunk)
{
    return &written->room->by[buffer][chunk - written->first[buffer]];
}

static uint32_t written_by(const struct written *written, uint8_t buffer, uint64_t chunk)
{
    const bool is_within = written->first[buffer] <= chunk && chunk < written->end[buffer];
    return is_within ? *shifted_rotated_place_of(written, buffer, chunk) : 0;
}

/* Leaves the room as it was. */
static void written_clear(struct written *written, const struct op *copies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memset(shifted_rotated_place_of(written, copies[i].to_buffer, copies[i].to_chunk), 0,
               copies[i].n_chunks * sizeof(uint32_t));
}

/* Notes which copy writes what; false: one copy writes what another one writes or reads. */
static bool written_find(struct written *written, const struct op *copies, size_t n)
{
    bool are_apart = true;
    for (size_t i = 0; are_apart && i < n; i++) {
        uint32_t *by = shifted_rotated_place_of(written, copies[i].to_buffer, copies[i].to_chunk);
        for (uint32_t k = 0; k < copies[i].n_chunks; k++) {
            are_apart = are_apart && !by[k];
            by[k] = (uint32_t)(i + 1);
        }
    }
    for (size_t i = 0; are_apart && i < n; i++)
        for (uint32_t k = 0; are_apart && k < copies[i].n_chunks; k++)
            are_apart = !written_by(written, copies[i].buffer, (uint64_t)copies[i].chunk + k);
    return are_apart;
}

/* True if the copies of a witness, shifted back, are those of its representative: each is the copy that
 * writes the same chunks. */
static bool are_found(const struct symmetry *symmetry, const struct written *written, const struct op *own,
                      const struct op *theirs, size_t n, const uint32_t *plane, uint32_t by)
{
    uint64_t *seen = written->room->seen;
    const uint64_t round = ++written->room->n_rounds;
    struct shifter back;
    bool are = true;
    shifter_init(&back, symmetry, shifts_back(&symmetry->shifts, by));
    for (size_t i = 0; are && i < n; i++) {
        const struct op named = op_in_planes(symmetry, &theirs[i], plane);
        const struct op op = shifted_op(symmetry, &named, &back);
        const uint32_t found = written_by(written, op.to_buffer, op.to_chunk);
        are = found && seen[found - 1] != round && shifted_rotated_is_same(&own[found - 1], &op);
        if (are)
            seen[found - 1] = round;
    }
    return are;
}

/* Copies of a representative in a loop, and those of the other witnesses of its orbit, each `next`
 * operations behind those of the one before: equal after the shift but for their order, which must not
 * matter. */
static bool is_loop_alike(const struct symmetry *symmetry, const struct op *own, size_t n, size_t next,
                          struct rotated_room *room)
{
    struct written written;
    uint32_t plane[ZONES_MAX];
    if (may_be_in_place(own, n) || !written_init(&written, own, n, room))
        return false;
    find_planes(symmetry, own, n, plane);
    bool are = written_find(&written, own, n);
    for (uint32_t witness = 1; are && witness < symmetry->n_by; witness++)
        are = are_found(symmetry, &written, own, own + witness * next, n, plane, symmetry->by[witness]);
    written_clear(&written, own, n);
    return are;
}

/* From rank to rank the text moves what each line copies by some coordinates, all rounds by the same; so if
 * the rounds of some witnesses are those of the representative, shifted, and their shifts generate the
 * group, so are those of any rank. */
bool shifted_turns_alike(const struct symmetry *symmetry, const struct op *own, const size_t *begin,
                         struct rotated_room *room)
{
    const size_t n = begin[symmetry->n_orbits];
    bool are = true;
    for (uint32_t orbit = 0; are && symmetry->n_rotated && orbit < symmetry->n_orbits; orbit++)
        for (size_t i = begin[orbit], end; are && i < begin[orbit + 1]; i = end) {
            const struct rotated_loop *loop = shifted_rotated_loop(symmetry, &own[i]);
            for (end = i; end < begin[orbit + 1] && shifted_rotated_loop(symmetry, &own[end]) == loop;)
                end++;
            are = !loop || is_loop_alike(symmetry, own + i, end - i, n, room);
        }
    return are;
}

void rotated_room_free(struct rotated_room *room)
{
    for (uint32_t buffer = 0; buffer < N_BUFFERS; buffer++)
        free(room->by[buffer]);
    free(room->seen);
}

bool shifted_turns_as_much(const struct symmetry *symmetry, const struct step *own)
{
    const struct rotated_loop *last = NULL;
    for (size_t i = 0; symmetry->n_rotated && i < own->n_copies; i++) {
        const struct op *copy = &own->copies[i];
        const struct rotated_loop *loop = shifted_rotated_loop(symmetry, copy);
        if (loop && loop == last && (copy->kind != copy[-1].kind || copy->n_chunks != copy[-1].n_chunks))
            return false;
        last = loop;
    }
    return true;
}
