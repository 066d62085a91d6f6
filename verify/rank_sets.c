/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of ranks as numbers. See values.h. A set that is one cyclic interval is
 * always encoded as such, the full set as the interval that starts at 0, so that
 * equal sets are equal numbers; on a grid what is a box, but not the full set, is encoded as that.
 */
#include "verify/values.h"

#include <stdlib.h>
#include <string.h>

#define GENERAL_SET (UINT64_C(1) << 63)

static uint64_t interval_set(uint32_t first, uint32_t length)
{
    return (uint64_t)length << 32 | first;
}

/* Places along the chain that starts with `rank`, from `place` on; the next place. */
static uint32_t place_chain(struct rank_sets *sets, const uint32_t *next, uint32_t rank,
                            uint32_t place)
{
    for (; rank < sets->n_ranks && sets->place[rank] == UINT32_MAX; rank = next[rank]) {
        sets->place[rank] = place;
        sets->rank_at[place++] = rank;
    }
    return place;
}

void rank_sets_order(struct rank_sets *sets, const uint32_t *next)
{
    uint32_t n = sets->n_ranks, place = 0;
    bool *follows = mem_alloc(n, sizeof *follows);
    sets->place = mem_resize(sets->place, n, sizeof *sets->place);
    sets->rank_at = mem_resize(sets->rank_at, n, sizeof *sets->rank_at);
    memset(sets->place, 0xff, n * sizeof *sets->place);
    for (uint32_t rank = 0; rank < n; rank++)
        if (next[rank] < n)
            follows[next[rank]] = true;
    for (uint32_t rank = 0; rank < n; rank++)
        if (!follows[rank])
            place = place_chain(sets, next, rank, place);
    for (uint32_t rank = 0; rank < n; rank++) /* what is left is cycles */
        place = place_chain(sets, next, rank, place);
    free(follows);
}

static uint32_t rank_sets_rank_at(const struct rank_sets *sets, uint32_t place)
{
    return sets->rank_at ? sets->rank_at[place] : place;
}

/* Returns the lowest rank at the places lo .. hi-1, or `lowest` if that is lower. */
static uint32_t rank_sets_lowest_rank(const struct rank_sets *sets, uint32_t lo, uint32_t hi, uint32_t lowest)
{
    if (!sets->rank_at)
        return lo < hi && lo < lowest ? lo : lowest;
    for (uint32_t place = lo; place < hi; place++)
        if (rank_sets_rank_at(sets, place) < lowest)
            lowest = rank_sets_rank_at(sets, place);
    return lowest;
}

void rank_sets_grid(struct rank_sets *sets, const uint32_t *extent, uint32_t n)
{
    (void)rank_boxes_make(&sets->boxes, extent, n);
}

uint64_t rank_set_of(const struct rank_sets *sets, uint32_t rank)
{
    if (sets->boxes.n)
        return rank_box_of(&sets->boxes, rank);
    return interval_set(sets->place ? sets->place[rank] : rank, 1);
}

uint64_t rank_set_below(uint32_t n)
{
    return interval_set(0, n);
}

/* Returns the set, no box, as sorted intervals: at most two in `two`, or those in the table. */
static const struct rank_interval *intervals_of(const struct rank_sets *sets, uint64_t set,
                                                struct rank_interval two[2], size_t *n)
{
    if (set & GENERAL_SET) {
        size_t index = (size_t)(set & ~GENERAL_SET);
        *n = sets->start[index + 1] - sets->start[index];
        return sets->intervals + sets->start[index];
    }
    uint32_t first = (uint32_t)set, length = (uint32_t)(set >> 32);
    if ((uint64_t)first + length <= sets->n_ranks) {
        two[0] = (struct rank_interval){first, first + length};
        *n = length ? 1 : 0;
    } else {
        two[0] = (struct rank_interval){0, first + length - sets->n_ranks};
        two[1] = (struct rank_interval){first, sets->n_ranks};
        *n = 2;
    }
    return two;
}

/* The same of any set. */
struct listed {
    struct rank_interval two[2], *own; /* own: of a box */
    const struct rank_interval *at;
    size_t n;
};

/* Release with unlist. */
static void rank_sets_list(const struct rank_sets *sets, uint64_t set, struct listed *listed)
{
    listed->own = NULL;
    if (set & BOX_SET && !(set & GENERAL_SET))
        listed->at = listed->own = rank_box_intervals(&sets->boxes, set, &listed->n);
    else
        listed->at = intervals_of(sets, set, listed->two, &listed->n);
}

static void unlist(struct listed *a, struct listed *b)
{
    free(a->own);
    free(b->own);
}

static size_t hash_intervals(const struct rank_interval *intervals, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ ((uint64_t)intervals[i].lo << 32 | intervals[i].hi)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (size_t)hash;
}

static void rank_sets_rebuild_table(struct rank_sets *sets)
{
    sets->table_size = sets->table_size ? sets->table_size * 2 : 64;
    free(sets->table);
    sets->table = mem_alloc(sets->table_size, sizeof *sets->table);
    for (size_t k = 0; k < sets->n_sets; k++) {
        size_t n = sets->start[k + 1] - sets->start[k];
        size_t at = hash_intervals(sets->intervals + sets->start[k], n) & (sets->table_size - 1);
        while (sets->table[at])
            at = (at + 1) & (sets->table_size - 1);
        sets->table[at] = (uint32_t)k + 1;
    }
}

static uint64_t append_set(struct rank_sets *sets, const struct rank_interval *intervals, size_t n)
{
    size_t k = sets->n_sets++;
    if (k >= UINT32_MAX - 1)
        fatal("more than %u different sets of contributions", UINT32_MAX - 1);
    sets->start = mem_grow(sets->start, &sets->set_capacity, k + 2, sizeof *sets->start);
    sets->start[k] = sets->n_intervals;
    sets->intervals = mem_grow(sets->intervals, &sets->interval_capacity, sets->n_intervals + n,
                               sizeof *sets->intervals);
    memcpy(sets->intervals + sets->n_intervals, intervals, n * sizeof *intervals);
    sets->n_intervals += n;
    sets->start[k + 1] = sets->n_intervals;
    return GENERAL_SET | k;
}

/* Returns the number of the set of these sorted, disjoint, not touching intervals. */
static uint64_t rank_sets_intern(struct rank_sets *sets, const struct rank_interval *intervals, size_t n)
{
    const bool is_full = n == 1 && intervals[0].hi - intervals[0].lo == sets->n_ranks;
    const uint64_t box =
        sets->boxes.n && n && !is_full ? rank_box_find(&sets->boxes, intervals, n) : 0;
    if (box)
        return box;
    if (n == 0)
        return 0;
    if (n == 1)
        return interval_set(intervals[0].lo, intervals[0].hi - intervals[0].lo);
    if (n == 2 && intervals[0].lo == 0 && intervals[1].hi == sets->n_ranks)
        return interval_set(intervals[1].lo, intervals[0].hi + sets->n_ranks - intervals[1].lo);
    if ((sets->n_sets + 1) * 2 > sets->table_size)
        rank_sets_rebuild_table(sets);
    size_t at = hash_intervals(intervals, n) & (sets->table_size - 1);
    for (; sets->table[at]; at = (at + 1) & (sets->table_size - 1)) {
        size_t k = sets->table[at] - 1, m = sets->start[k + 1] - sets->start[k];
        if (m == n && memcmp(sets->intervals + sets->start[k], intervals, n * sizeof *intervals) == 0)
            return GENERAL_SET | k;
    }
    uint64_t set = append_set(sets, intervals, n);
    sets->table[at] = (uint32_t)sets->n_sets;
    return set;
}

static uint64_t merge_general(struct rank_sets *sets, uint64_t a, uint64_t b, bool *overlap)
{
    struct listed of_a, of_b;
    rank_sets_list(sets, a, &of_a);
    rank_sets_list(sets, b, &of_b);
    const struct rank_interval *x = of_a.at, *y = of_b.at;
    const size_t n_a = of_a.n, n_b = of_b.n;
    size_t n = 0, i = 0, k = 0;
    struct rank_interval *merged = mem_alloc(n_a + n_b, sizeof *merged);
    *overlap = false;
    while (i < n_a || k < n_b) {
        bool take_x = k == n_b || (i < n_a && x[i].lo <= y[k].lo);
        struct rank_interval next = take_x ? x[i++] : y[k++];
        if (n && next.lo <= merged[n - 1].hi) {
            *overlap = *overlap || next.lo < merged[n - 1].hi;
            if (next.hi > merged[n - 1].hi)
                merged[n - 1].hi = next.hi;
        } else {
            merged[n++] = next;
        }
    }
    uint64_t set = rank_sets_intern(sets, merged, n);
    free(merged);
    unlist(&of_a, &of_b);
    return set;
}

uint64_t rank_set_union(struct rank_sets *sets, uint64_t a, uint64_t b, bool *overlap)
{
    uint32_t p = sets->n_ranks;
    if (sets->boxes.n) {
        const bool are_boxes = (a & b & BOX_SET) && !((a | b) & GENERAL_SET);
        const uint64_t box = are_boxes ? rank_box_union(&sets->boxes, a, b) : 0;
        *overlap = false;
        return !box                       ? merge_general(sets, a, b, overlap)
               : box == sets->boxes.full ? rank_set_below(p)
                                          : box;
    }
    if (!((a | b) & GENERAL_SET)) { /* two cyclic intervals that follow one another */
        uint32_t first_a = (uint32_t)a, n_a = (uint32_t)(a >> 32);
        uint32_t first_b = (uint32_t)b, n_b = (uint32_t)(b >> 32);
        bool fits = (uint64_t)n_a + n_b < p;
        *overlap = false;
        if (fits && (first_a + n_a == first_b || first_a + n_a == (uint64_t)first_b + p))
            return interval_set(first_a, n_a + n_b);
        if (fits && (first_b + n_b == first_a || first_b + n_b == (uint64_t)first_a + p))
            return interval_set(first_b, n_a + n_b);
    }
    return merge_general(sets, a, b, overlap);
}

static int compare_intervals(const void *a, const void *b)
{
    const uint32_t x = ((const struct rank_interval *)a)->lo, y = ((const struct rank_interval *)b)->lo;
    return (x > y) - (x < y);
}

/* Returns how many ranks from `rank` on a shift takes to consecutive ranks: up to where some coordinate goes
 * round. */
static uint32_t shifted_in_row(const struct shifts *shifts, uint32_t rank, uint32_t by)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < shifts->n; i++) {
        const uint32_t cell = shifts->stride[i] * shifts->extent[i], place = rank % cell;
        const uint32_t digit = shifts_digit(shifts, i, by),
                       turn = (shifts->extent[i] - digit) * shifts->stride[i];
        const uint32_t left = place < turn ? turn - place : cell - place;
        least = digit && left < least ? left : least;
    }
    return least;
}

/* Returns where a shift takes ranks from lo on, below hi: as many as it takes to consecutive ranks. A
 * mirrored shift takes them there in the opposite order, at most a row of the fastest coordinate. */
static struct rank_interval shifted_from(const struct shifts *shifts, uint32_t lo, uint32_t hi, uint32_t by)
{
    const uint32_t to = shifts_add(shifts, lo, by);
    uint32_t fastest = 0, n;
    if (!shifts_turns(shifts, by)) {
        n = shifted_in_row(shifts, lo, by);
        return (struct rank_interval){to, to + (n < hi - lo ? n : hi - lo)};
    }
    while (shifts->stride[fastest] != 1 || shifts->extent[fastest] == 1)
        fastest++;
    const uint32_t extent = shifts->extent[fastest], place = shifts_digit(shifts, fastest, lo);
    const uint32_t digit = shifts_digit(shifts, fastest, by), turn = digit & 1 ? digit + 1 : extent - digit;
    n = place < turn ? turn - place : extent - place;
    n = n < hi - lo ? n : hi - lo;
    return digit & 1 ? (struct rank_interval){to + 1 - n, to + 1} : (struct rank_interval){to, to + n};
}

bool rank_set_shift(struct rank_sets *sets, uint64_t set, const struct shifts *shifts, uint32_t by,
                    uint64_t *result)
{
    enum { MORE_PARTS = 1 << 14 }; /* than twice the intervals there were */
    const uint32_t length = (uint32_t)(set >> 32);
    *result = set;
    if (!set || !by || (!(set & GENERAL_SET) && length == sets->n_ranks))
        return true;
    if (set & BOX_SET && !(set & GENERAL_SET) &&
        (*result = rank_box_shift(&sets->boxes, set, by, shifts->is_mirrored)))
        return true;
    struct listed listed;
    struct rank_interval *shifted = mem_alloc(2, sizeof *shifted);
    rank_sets_list(sets, set, &listed);
    const struct rank_interval *from = listed.at;
    const size_t n = listed.n, most = 2 * n + MORE_PARTS;
    size_t n_shifted = 0, n_joined = 0, capacity = 2;
    for (size_t i = 0; i < n && n_shifted < most; i++)
        for (uint32_t lo = from[i].lo, part; lo < from[i].hi && n_shifted < most; lo += part) {
            const struct rank_interval to = shifted_from(shifts, lo, from[i].hi, by);
            part = to.hi - to.lo;
            shifted = mem_grow(shifted, &capacity, n_shifted + 1, sizeof *shifted);
            shifted[n_shifted++] = to;
        }
    qsort(shifted, n_shifted, sizeof *shifted, compare_intervals);
    for (size_t i = 0; i < n_shifted; i++) /* some touch now */
        if (n_joined && shifted[n_joined - 1].hi == shifted[i].lo)
            shifted[n_joined - 1].hi = shifted[i].hi;
        else
            shifted[n_joined++] = shifted[i];
    if (n_shifted < most)
        *result = rank_sets_intern(sets, shifted, n_joined);
    free(shifted);
    free(listed.own);
    return n_shifted < most;
}

uint32_t rank_set_common(const struct rank_sets *sets, uint64_t a, uint64_t b)
{
    struct listed of_a, of_b;
    uint32_t lowest = sets->n_ranks;
    rank_sets_list(sets, a, &of_a);
    rank_sets_list(sets, b, &of_b);
    const struct rank_interval *x = of_a.at, *y = of_b.at;
    const size_t n_a = of_a.n, n_b = of_b.n;
    for (size_t i = 0, k = 0; i < n_a && k < n_b;) {
        uint32_t lo = x[i].lo > y[k].lo ? x[i].lo : y[k].lo;
        uint32_t hi = x[i].hi < y[k].hi ? x[i].hi : y[k].hi;
        lowest = rank_sets_lowest_rank(sets, lo, hi, lowest);
        if (x[i].hi < y[k].hi)
            i++;
        else
            k++;
    }
    unlist(&of_a, &of_b);
    return lowest;
}

/* Goes through the places that are in a but not in b: their number, and, unless NULL, the lowest
 * rank there. */
static uint32_t subtract(const struct rank_sets *sets, uint64_t a, uint64_t b, uint32_t *lowest)
{
    struct listed of_a, of_b;
    size_t k = 0;
    uint32_t n = 0;
    rank_sets_list(sets, a, &of_a);
    rank_sets_list(sets, b, &of_b);
    const struct rank_interval *x = of_a.at, *y = of_b.at;
    const size_t n_a = of_a.n, n_b = of_b.n;
    for (size_t i = 0; i < n_a; i++)
        for (uint32_t place = x[i].lo; place < x[i].hi;) {
            while (k < n_b && y[k].hi <= place)
                k++;
            uint32_t until = k < n_b && y[k].lo < x[i].hi ? y[k].lo : x[i].hi;
            if (until > place) {
                if (lowest)
                    *lowest = rank_sets_lowest_rank(sets, place, until, *lowest);
                n += until - place;
            }
            place = until < x[i].hi ? y[k].hi : until;
        }
    unlist(&of_a, &of_b);
    return n;
}

uint32_t rank_set_n_missing(const struct rank_sets *sets, uint64_t a, uint64_t b)
{
    return subtract(sets, a, b, NULL);
}

uint32_t rank_set_missing(const struct rank_sets *sets, uint64_t a, uint64_t b)
{
    uint32_t lowest = sets->n_ranks;
    subtract(sets, a, b, &lowest);
    return lowest;
}

bool rank_set_is_out_of_order(const struct rank_sets *sets, uint64_t a, uint64_t b)
{
    struct rank_interval two_a[2], two_b[2];
    size_t n_a, n_b;
    const struct rank_interval *x = intervals_of(sets, a, two_a, &n_a);
    const struct rank_interval *y = intervals_of(sets, b, two_b, &n_b);
    return n_a == 1 && n_b == 1 && x->hi != y->lo;
}

void rank_sets_free(struct rank_sets *sets)
{
    free(sets->place);
    free(sets->rank_at);
    free(sets->intervals);
    free(sets->start);
    free(sets->table);
    rank_boxes_free(&sets->boxes);
    *sets = (struct rank_sets){.n_ranks = sets->n_ranks};
}
