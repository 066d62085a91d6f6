/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule that looks the same from many ranks. The ranks are the points of a box of coordinates, each of
 * them cyclic; a *shift* adds a fixed amount to each coordinate, and has the number of the rank to which it
 * takes rank 0. The *group* is the set of shifts by multiples of a period in each coordinate: all shifts if
 * the period is 1, none if it is the extent. Or all coordinates are *mirrored*: a shift by an even number of
 * places adds it, x to x + g, and one by an odd number reflects them, x to g - x. The ranks to which the
 * group takes a rank are its *orbit*; the lowest of them, whose coordinates are below the periods,
 * represents it. The schedule is symmetric if each shift of the group takes the operations of a rank to
 * those of another, chunks included:
 *
 *   chunks that stay    chunk c is chunk c everywhere
 *   zones               their blocks are shifted as ranks are: in[j] of r is in[j + g] of r + g; or as
 *                       some coordinates of the ranks are: as many blocks as the first has are one block
 *                       for the next, those of the last make a cell, and a zone is one cell or several in
 *                       a row, each shifted in itself
 *
 * Scratch may be used under several zones, one after the other, or under none. An *area* of tmp has a plane
 * for each of its zones, and a last one without a zone: chunk c of plane k has the number c + k * plane, and
 * so do zones. An operation uses the plane with which its line is labelled. A line without a label for an
 * area uses the same chunks of it on all ranks, in any plane. Only the plane of an area that was written
 * last counts: the contents of the others are lost.
 *
 * Then the operations of the representatives describe the schedule: those of rank 0 if there is one orbit.
 * The maker of such a schedule has proved it (compiler/passes/symmetry/symmetry.h); docs/symmetry.md has the
 * argument.
 */
#ifndef COLLC_IR_SYMMETRY_H
#define COLLC_IR_SYMMETRY_H

#include "ir/schedule.h"

enum {
    SHIFTS_MAX = 26, /* digits of SCHEDULE_MAX_RANKS */
    ORBITS_MAX = 128,
    WITNESSES_MAX = 11, /* of an orbit */
    ZONES_MAX = 16,   /* of a buffer */
    PLANES_MAX = 8,   /* of an area of scratch */
    LABELS_MAX = 256,
    ROTATED_MAX = 16
};

struct shifts {
    uint32_t n_ranks;
    uint32_t n;                  /* coordinates */
    uint32_t extent[SHIFTS_MAX]; /* their product is n_ranks */
    uint32_t stride[SHIFTS_MAX]; /* rank = sum of coordinate * stride */
    bool is_xor;                 /* all extents are 2: a shift by g takes r to r xor g */
    bool is_mirrored;            /* all extents are even, or 1: a shift by an odd number of places mirrors the
                                    coordinate, x to g - x */
};

struct zone {
    uint32_t first, end; /* chunks */
    uint32_t block;      /* chunks of the smallest block */
    uint32_t cell;       /* chunks of a cell */
    uint32_t n;
    uint8_t coordinate[SHIFTS_MAX]; /* [n] coordinates whose shifts move blocks, the one with the smallest
                                       blocks first */
};

struct symmetry {
    struct shifts shifts;
    uint32_t period[SHIFTS_MAX]; /* of the group, in each coordinate: divides its extent */
    uint32_t n_orbits;           /* their product */
    struct zone zones[N_BUFFERS][ZONES_MAX]; /* ascending */
    uint32_t n_zones[N_BUFFERS];
    struct area {
        uint32_t first, end, n_planes;
    } areas[ZONES_MAX];          /* ascending, apart */
    uint32_t n_areas;
    uint32_t plane;              /* chunks of tmp; 0: there are no areas */
    struct label {
        uint32_t line, area, plane;
    } labels[LABELS_MAX];
    uint32_t n_labels;
    struct rotated_loop {
        uint32_t line, end;      /* lines of its operations, which are all inside of ranks; no others are in
                                    it */
    } rotated[ROTATED_MAX];        /* loops whose rounds come in another order on other ranks of an orbit */
    uint32_t n_rotated;
    uint32_t by[WITNESSES_MAX];  /* shifts of the group, the first 0: the schedule has the operations of */
    uint32_t n_by;               /* representatives and, to check the proof once more, of those so shifted */
    uint32_t witness[ORBITS_MAX * WITNESSES_MAX]; /* these ranks, ascending */
    uint32_t n_witnesses;
    uint16_t place[ORBITS_MAX * WITNESSES_MAX]; /* [witness] i * n_orbits + its orbit, shifted by by[i] */
    struct schedule *schedule;   /* schedule, owned by its maker */
    const struct source *source; /* of the program */
    const char *coordinate[SHIFTS_MAX]; /* their names; of is_xor none */
    uint32_t n_statements;       /* of the program, that were looked at; calls count each time */
};

static inline uint32_t shifts_digit(const struct shifts *shifts, uint32_t i, uint32_t rank)
{
    if (shifts->is_xor) /* bits */
        return (rank & shifts->stride[i]) != 0;
    return shifts->n == 1 ? rank : rank / shifts->stride[i] % shifts->extent[i];
}
/* Returns the place to which a shift by so many places takes a place of coordinate i. */
static inline uint32_t shifts_place(const struct shifts *shifts, uint32_t i, uint32_t place, uint32_t digit)
{
    const uint32_t extent = shifts->extent[i];
    const bool is_turned = shifts->is_mirrored && digit & 1;
    const uint32_t to = is_turned ? digit + extent - place : place + digit;
    return to < extent ? to : to - extent;
}
/* Returns the rank to which a shift takes a rank. */
static inline uint32_t shifts_add(const struct shifts *shifts, uint32_t rank, uint32_t by)
{
    uint32_t sum = rank + by;
    if (shifts->is_xor)
        return rank ^ by;
    if (shifts->is_mirrored) {
        sum = 0;
        for (uint32_t i = 0; i < shifts->n; i++)
            sum += shifts_place(shifts, i, shifts_digit(shifts, i, rank), shifts_digit(shifts, i, by)) *
                   shifts->stride[i];
        return sum;
    }
    if (shifts->n == 1)
        return sum < shifts->n_ranks ? sum : sum - shifts->n_ranks;
    for (uint32_t i = 0; i < shifts->n; i++)
        if (shifts_digit(shifts, i, rank) + shifts_digit(shifts, i, by) >= shifts->extent[i])
            sum -= shifts->extent[i] * shifts->stride[i];
    return sum;
}
/* Returns the shift that undoes a shift. */
static inline uint32_t shifts_back(const struct shifts *shifts, uint32_t by)
{
    uint32_t back = 0;
    if (shifts->is_xor)
        return by;
    for (uint32_t i = 0; i < shifts->n; i++) {
        const uint32_t digit = shifts_digit(shifts, i, by);
        const bool is_own = shifts->is_mirrored && digit & 1; /* twice it is none */
        back += (is_own ? digit : digit ? shifts->extent[i] - digit : 0) * shifts->stride[i];
    }
    return back;
}
/* True if a shift mirrors some coordinate. */
static inline bool shifts_turns(const struct shifts *shifts, uint32_t by)
{
    bool turns = false;
    for (uint32_t i = 0; shifts->is_mirrored && i < shifts->n; i++)
        turns = turns || shifts_digit(shifts, i, by) & 1;
    return turns;
}

/* Rank or shift taken apart once for many uses; without digits where its number is enough. */
struct shifts_digits {
    uint32_t number, of[SHIFTS_MAX];
};
static inline bool shifts_have_digits(const struct shifts *shifts)
{
    return shifts->n > 1 && !shifts->is_xor;
}
static inline void shifts_split(const struct shifts *shifts, uint32_t number, struct shifts_digits *digits)
{
    digits->number = number;
    for (uint32_t i = 0; shifts_have_digits(shifts) && i < shifts->n; i++)
        digits->of[i] = shifts_digit(shifts, i, number);
}
/* Same as shifts_add, on digits. */
static inline uint32_t shifts_join(const struct shifts *shifts, const struct shifts_digits *rank,
                                   const struct shifts_digits *by)
{
    uint32_t sum = 0;
    if (!shifts_have_digits(shifts))
        return shifts_add(shifts, rank->number, by->number);
    for (uint32_t i = 0; i < shifts->n; i++)
        sum += shifts_place(shifts, i, rank->of[i], by->of[i]) * shifts->stride[i];
    return sum;
}

/* Returns the shift of the group that takes the representative of a rank there: the difference of their
 * numbers. */
static inline uint32_t symmetry_shift_to(const struct symmetry *symmetry, uint32_t rank)
{
    const struct shifts *shifts = &symmetry->shifts;
    uint32_t by = rank;
    for (uint32_t i = 0; symmetry->n_orbits > 1 && i < shifts->n; i++)
        by -= shifts_digit(shifts, i, rank) % symmetry->period[i] * shifts->stride[i];
    return by;
}
/* Returns the number of the orbit of a rank, below n_orbits; and the rank that represents it. */
static inline uint32_t symmetry_orbit(const struct symmetry *symmetry, uint32_t rank)
{
    uint32_t orbit = 0;
    for (uint32_t i = 0; symmetry->n_orbits > 1 && i < symmetry->shifts.n; i++)
        orbit = orbit * symmetry->period[i] +
                shifts_digit(&symmetry->shifts, i, rank) % symmetry->period[i];
    return orbit;
}
static inline uint32_t symmetry_representative(const struct symmetry *symmetry, uint32_t orbit)
{
    uint32_t rank = 0;
    for (uint32_t i = symmetry->shifts.n; symmetry->n_orbits > 1 && i-- > 0; orbit /= symmetry->period[i])
        rank += orbit % symmetry->period[i] * symmetry->shifts.stride[i];
    return rank;
}

/* Returns the zone of a chunk; NULL: it stays. */
static inline const struct zone *symmetry_zone(const struct symmetry *symmetry, uint8_t buffer,
                                               uint32_t chunk)
{
    for (uint32_t i = 0; i < symmetry->n_zones[buffer]; i++)
        if (symmetry->zones[buffer][i].first <= chunk && chunk < symmetry->zones[buffer][i].end)
            return &symmetry->zones[buffer][i];
    return NULL;
}
/* Returns the number of a chunk minus that of the same chunk in plane 0. */
static inline uint32_t symmetry_plane(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk)
{
    const bool is_first = buffer != BUFFER_TMP || !symmetry->plane || chunk < symmetry->plane;
    return is_first ? 0 : chunk - chunk % symmetry->plane;
}
/* Returns the area of a chunk of tmp, in whatever plane; n_areas: none. */
static inline uint32_t symmetry_area(const struct symmetry *symmetry, uint32_t chunk)
{
    const uint32_t place = chunk - symmetry_plane(symmetry, BUFFER_TMP, chunk);
    uint32_t i = 0;
    while (i < symmetry->n_areas && (place < symmetry->areas[i].first || place >= symmetry->areas[i].end))
        i++;
    return i;
}
/* Returns the chunk to which a shift takes a chunk of a zone, if it moves blocks by the coordinates from the
 * `from`-th on. */
static inline uint32_t symmetry_in_zone(const struct symmetry *symmetry, const struct zone *zone,
                                        uint32_t chunk, const struct shifts_digits *by, uint32_t from)
{
    const struct shifts *shifts = &symmetry->shifts;
    const bool have_digits = shifts_have_digits(shifts);
    const uint32_t place = chunk - zone->first;
    uint32_t size = zone->block;
    for (uint32_t i = 0; i < zone->n; i++) {
        const uint32_t c = zone->coordinate[i], extent = shifts->extent[c];
        const uint32_t places = have_digits ? by->of[c] : shifts_digit(shifts, c, by->number);
        if (i >= from && places) {
            const uint32_t above = size == 1 ? place : place / size; /* divisions take long */
            const uint32_t digit = above < extent ? above : above % extent;
            chunk += (shifts_place(shifts, c, digit, places) - digit) * size;
        }
        size *= extent;
    }
    return chunk;
}
/* Returns the chunk to which a shift takes a chunk of a buffer. */
static inline uint32_t symmetry_chunk(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
                                      uint32_t by)
{
    const struct zone *zone = symmetry_zone(symmetry, buffer, chunk);
    struct shifts_digits digits;
    if (!zone || !by)
        return chunk;
    shifts_split(&symmetry->shifts, by, &digits);
    return symmetry_in_zone(symmetry, zone, chunk, &digits, 0);
}

#endif
