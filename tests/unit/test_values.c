/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the structures in which the verifier keeps data (verify/values.h) with arrays and
 * bitmaps:
 *
 *   chunk maps   random writes of progressions; every chunk holds what was last
 *                written, runs are sorted and do not overlap; also in many blocks
 *   run_meets    against a walk over the chunks
 *   rank sets    random unions in random orders of the ranks; equal sets are
 *                equal numbers
 */
#include "tests/unit/oplist.h"
#include "tests/unit/suite.h"
#include "verify/values.h"

#include <stdlib.h>
#include <string.h>

/* ---- chunk maps ---- */

enum { N_CHUNKS = 24, N_WRITES = 40, N_MANY = 6000 };

struct cell {
    uint64_t datum, set, expr;
    bool is_held, is_damaged;
};

static struct run random_run(uint64_t *random, bool combines)
{
    static const uint64_t strides[] = {0, 1, 2, UINT64_MAX, UINT64_C(1) << 32};
    uint32_t first = (uint32_t)random_below(random, N_CHUNKS);
    uint32_t n = 1 + (uint32_t)random_below(random, N_CHUNKS - first);
    struct run run = {.first = first, .n = n, .datum = (1 + random_below(random, 4)) * N_CHUNKS};
    run.datum_stride = (int32_t)strides[random_below(random, 4)];
    run.datum = run_datum(&run, first); /* so that neighbours often fit */
    run.set_stride = strides[random_below(random, 5)];
    run.set = (UINT64_C(9) << 32) + first * run.set_stride;
    run.expr_stride = (int32_t)strides[random_below(random, 4)];
    run.expr = UINT64_C(7) << 32;
    run.expr = run_expr(&run, first);
    if (!combines)
        run.set = run.set_stride = run.expr = (uint64_t)(run.expr_stride = 0);
    if (random_below(random, 8) == 0)
        run = run_poison(first, n);
    return run;
}

static void fill_cells(struct cell cells[N_CHUNKS], const struct run *run)
{
    for (uint32_t k = 0; k < run->n; k++)
        cells[run->first + k] = (struct cell){run_datum(run, k),
                                              run_set(run, k),
                                              run_expr(run, k), true,
                                              run_is_poison(run)};
}

static bool is_sorted(const struct chunk_map *map)
{
    struct run_at at = {0, 0};
    uint64_t end = 0;
    bool is_right = true;
    for (const struct run *run = chunk_map_run(map, at); run; run = chunk_map_next(map, &at)) {
        is_right = is_right && run->n > 0 && run->first >= end;
        end = (uint64_t)run->first + run->n;
    }
    return is_right;
}

static bool is_same(const struct chunk_map *map, const struct cell *cells, uint32_t n)
{
    bool same = is_sorted(map);
    for (uint32_t chunk = 0; chunk < n; chunk++) {
        const struct run *run = chunk_map_run(map, chunk_map_find(map, chunk));
        bool is_held = run && run->first <= chunk;
        same = same && is_held == cells[chunk].is_held;
        if (!same || !is_held)
            continue;
        struct run one = run_cut(run, chunk, 1);
        same = one.n == 1 && one.datum == cells[chunk].datum && one.set == cells[chunk].set &&
               one.expr == cells[chunk].expr && run_is_poison(&one) == cells[chunk].is_damaged;
    }
    return same;
}

/* A run without a set is in a map without sets: random_run. */
static bool extend_by_one(struct chunk_map *map, const struct run *run)
{
    const struct chunk_value value = {run->datum, run->set, run->expr};
    return run->n == 1 && !run_is_poison(run) &&
           chunk_map_extend_by_one(map, run->first, run->datum, run->set ? &value : NULL);
}

static void write(struct chunk_map *map, struct cell *cells, const struct run *run)
{
    const bool is_done = run->datum % 3 == 0 && extend_by_one(map, run);
    if (!is_done && (run->datum % 2 == 0 || !chunk_map_extend(map, run)))
        chunk_map_write(map, chunk_map_find(map, run->first), run);
    fill_cells(cells, run);
}

static void test_chunk_maps(void)
{
    uint64_t random = 7;
    for (int round = 0; round < 2000; round++) {
        struct chunk_map map = {0};
        struct cell cells[N_CHUNKS] = {{0}};
        bool same = true;
        for (int i = 0; i < N_WRITES && same; i++) {
            struct run run = random_run(&random, round % 3 > 0);
            write(&map, cells, &run);
            same = is_same(&map, cells, N_CHUNKS);
        }
        CU_ASSERT(same);
        chunk_map_free(&map);
    }
}

/* One chunk, or now and then many at once. */
static struct run random_write(uint64_t *random)
{
    const bool is_wide = random_below(random, 400) == 0;
    uint32_t first = (uint32_t)random_below(random, N_MANY);
    uint32_t n = is_wide ? 1 + (uint32_t)random_below(random, N_MANY - first) : 1;
    return (struct run){
        .first = first, .n = n, .datum = random_below(random, 1u << 30), .datum_stride = 3};
}

/* Data without any regularity, of many blocks of runs, of which some go at once. */
static void test_many_runs(void)
{
    uint64_t random = 11;
    static struct cell cells[N_MANY];
    for (int round = 0; round < 4; round++) {
        struct chunk_map map = {0};
        uint32_t most = 0;
        memset(cells, 0, sizeof cells);
        for (int i = 1; i <= 30000; i++) {
            struct run run = random_write(&random);
            write(&map, cells, &run);
            most = map.n_blocks > most ? map.n_blocks : most;
            CU_ASSERT_FATAL(i % 1000 > 0 || is_same(&map, cells, N_MANY));
        }
        CU_ASSERT(most > 8);
        struct run all = {.n = N_MANY, .datum = 5, .datum_stride = 1};
        write(&map, cells, &all);
        CU_ASSERT(is_same(&map, cells, N_MANY));
        chunk_map_free(&map);
    }
}

/* Chunks written one by one in any order end as one run. */
static void test_regular_data_is_one_run(void)
{
    enum { N = 64 };
    for (uint32_t step = 1; step < N; step += 2) {
        struct chunk_map map = {0};
        for (uint32_t i = 0; i < N; i++) {
            uint32_t chunk = i * step % N;
            struct run run = {
                .first = chunk, .n = 1, .datum = chunk * (uint64_t)N + 5, .datum_stride = 1};
            const bool is_done = step % 8 > 3 && extend_by_one(&map, &run);
            if (!is_done && (step % 4 == 1 || !chunk_map_extend(&map, &run)))
                chunk_map_write(&map, chunk_map_find(&map, chunk), &run);
        }
        const struct run *run = chunk_map_run(&map, (struct run_at){0, 0});
        CU_ASSERT(map.one.n == 1 && run->n == N && run->datum_stride == N);
        chunk_map_free(&map);
    }
}

/* ---- run_meets ---- */

static bool walk_meets(const struct run *a, const struct run *b, uint32_t *chunk)
{
    for (uint32_t k = 0; k < a->n; k++) {
        struct run x = run_cut(a, a->first + k, 1), y = run_cut(b, b->first + k, 1);
        *chunk = x.first;
        if (x.datum == y.datum && x.set == y.set)
            return true;
    }
    return false;
}

static uint64_t small_stride(uint64_t *random)
{
    return random_below(random, 7) - 3; /* wraps below 0 */
}

static void test_run_meets(void)
{
    uint64_t random = 11;
    unsigned n_met = 0;
    for (int round = 0; round < 100000; round++) {
        uint32_t n = 1 + (uint32_t)random_below(&random, 9), found = 0, expected = 0;
        struct run a = {3, n, 40 + random_below(&random, 9), UINT64_C(5) << 32, 0,
                        small_stride(&random) << 32, (int32_t)small_stride(&random), 0};
        struct run b = {3, n, 40 + random_below(&random, 9), UINT64_C(5) << 32, 0,
                        a.set_stride, (int32_t)small_stride(&random), 0};
        if (random_below(&random, 2)) {
            b.set += small_stride(&random) << 32;
            b.set_stride = small_stride(&random) << 32;
        }
        bool meets = walk_meets(&a, &b, &expected);
        CU_ASSERT(run_meets(&a, &b, &found) == meets);
        CU_ASSERT(!meets || found == expected);
        n_met += meets;
    }
    CU_ASSERT(n_met > 5000 && n_met < 95000);
}

/* ---- rank sets ---- */

enum { MAX_RANKS = 13 };

/* A random set of disjoint chains: next[rank], or n. */
static void random_chains(uint32_t next[MAX_RANKS], uint32_t n, uint64_t *random)
{
    bool follows[MAX_RANKS] = {false};
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t to = (uint32_t)random_below(random, n + 1);
        next[rank] = to < n && !follows[to] ? to : n;
        if (next[rank] < n)
            follows[to] = true;
    }
}

/* Factors of the number of ranks, in any order. */
static void random_grid(struct rank_sets *sets, uint64_t *random)
{
    uint32_t extent[4], n = 0, left = sets->n_ranks;
    while (left > 1 && n < 3) {
        uint32_t factor = 1 + (uint32_t)random_below(random, left);
        while (left % factor)
            factor--;
        extent[n++] = factor;
        left /= factor;
    }
    extent[n++] = left;
    rank_sets_grid(sets, extent, n);
}

static uint64_t set_of_bits(struct rank_sets *sets, uint32_t bits)
{
    uint64_t set = 0;
    bool overlap = false;
    for (uint32_t rank = 0; rank < sets->n_ranks; rank++)
        if (bits >> rank & 1)
            set = set ? rank_set_union(sets, set, rank_set_of(sets, rank), &overlap)
                      : rank_set_of(sets, rank);
    CU_ASSERT(!overlap);
    return set;
}

static uint32_t lowest_bit(uint32_t bits, uint32_t n)
{
    uint32_t rank = 0;
    while (rank < n && !(bits >> rank & 1))
        rank++;
    return rank;
}

/* The rank above the highest. */
static uint32_t top_of(uint32_t bits)
{
    return 32 - (uint32_t)__builtin_clz(bits);
}

static bool is_row(uint32_t bits)
{
    return top_of(bits) - lowest_bit(bits, 32) == (uint32_t)__builtin_popcount(bits);
}

static void check_pair(struct rank_sets *sets, uint32_t a, uint32_t b)
{
    const uint32_t n = sets->n_ranks, all = (UINT32_C(1) << n) - 1;
    uint64_t set_a = set_of_bits(sets, a), set_b = set_of_bits(sets, b);
    bool overlap;
    uint64_t set = rank_set_union(sets, set_a, set_b, &overlap);
    CU_ASSERT(overlap == ((a & b) != 0));
    CU_ASSERT(set == set_of_bits(sets, a | b));
    CU_ASSERT((set == rank_set_below(n)) == ((a | b) == all));
    CU_ASSERT((set_a == set_b) == (a == b));
    CU_ASSERT(rank_set_common(sets, set_a, set_b) == lowest_bit(a & b, n));
    CU_ASSERT(rank_set_missing(sets, rank_set_below(n), set) == lowest_bit(~(a | b) & all, n));
    CU_ASSERT(rank_set_n_missing(sets, rank_set_below(n), set) ==
              (uint32_t)__builtin_popcount(~(a | b) & all));
    CU_ASSERT(rank_set_missing(sets, set_a, set_b) == lowest_bit(a & ~b, n));
    CU_ASSERT(rank_set_n_missing(sets, set_a, set_b) == (uint32_t)__builtin_popcount(a & ~b));
    if (!sets->place && !sets->boxes.n)
        CU_ASSERT(rank_set_is_out_of_order(sets, set_a, set_b) ==
                  (is_row(a) && is_row(b) && top_of(a) != lowest_bit(b, n)));
}

static void test_rank_sets(void)
{
    uint64_t random = 5;
    for (int round = 0; round < 400; round++) {
        struct rank_sets sets = {.n_ranks = 1 + (uint32_t)random_below(&random, MAX_RANKS)};
        uint32_t next[MAX_RANKS];
        random_chains(next, sets.n_ranks, &random);
        if (round % 4 > 1)
            rank_sets_order(&sets, next);
        else if (round % 4)
            random_grid(&sets, &random);
        for (int i = 0; i < 50; i++) {
            uint32_t most = UINT32_C(1) << sets.n_ranks;
            uint32_t a = 1 + (uint32_t)random_below(&random, most - 1);
            uint32_t b = 1 + (uint32_t)random_below(&random, most - 1);
            check_pair(&sets, a, random_below(&random, 4) ? b : a);
        }
        rank_sets_free(&sets);
    }
}

/* Whatever goes along the dimensions of a grid, or leaves out some of their places, is a box. */
static void test_boxes(void)
{
    enum { X = 6, Y = 5 };
    struct rank_sets sets = {.n_ranks = X * Y};
    bool overlap = true;
    rank_sets_grid(&sets, (const uint32_t[]){X, Y}, 2);
    uint64_t lines = 0;
    for (uint32_t y = 0; y < Y; y++) {
        uint64_t line = rank_set_of(&sets, y * X + 4);
        for (uint32_t i = 1; i < 4; i++) {
            line = rank_set_union(&sets, line, rank_set_of(&sets, y * X + (4 + 3 * i) % X + i / 2), &overlap);
            CU_ASSERT(!overlap && sets.n_sets == 0);
        }
        lines = y ? rank_set_union(&sets, lines, line, &overlap) : line;
        CU_ASSERT(!overlap && sets.n_sets == 0);
    }
    CU_ASSERT(rank_set_n_missing(&sets, rank_set_below(X * Y), lines) == 2 * Y);
    rank_sets_free(&sets);
}

/* More sets of places than there are numbers for: the others have general ones. */
static void test_all_sets(void)
{
    struct rank_sets sets = {.n_ranks = MAX_RANKS};
    rank_sets_grid(&sets, (const uint32_t[]){MAX_RANKS}, 1);
    for (int again = 0; again < 2; again++)
        for (uint32_t bits = 1; bits < UINT32_C(1) << MAX_RANKS; bits += 3) {
            const uint64_t set = set_of_bits(&sets, bits);
            CU_ASSERT(set == set_of_bits(&sets, bits));
            CU_ASSERT(rank_set_n_missing(&sets, set, 0) == (uint32_t)__builtin_popcount(bits));
        }
    CU_ASSERT(sets.n_sets > 0);
    rank_sets_free(&sets);
}

/* Partial sums along a ring that does not go by rank numbers stay intervals:
 * nothing enters the table of general sets. */
static void test_ring_order(void)
{
    enum { N = 50, STRIDE = 23 };
    uint32_t next[N], rank = 31;
    struct rank_sets sets = {.n_ranks = N};
    for (uint32_t i = 0; i < N; i++)
        next[i] = (i + STRIDE) % N;
    rank_sets_order(&sets, next);
    uint64_t set = rank_set_of(&sets, rank);
    for (uint32_t i = 1; i < N; i++) {
        bool overlap = true;
        rank = next[rank];
        set = rank_set_union(&sets, set, rank_set_of(&sets, rank), &overlap);
        CU_ASSERT(!overlap && set >> 32 == i + 1);
    }
    CU_ASSERT(set == rank_set_below(N) && sets.n_sets == 0);
    rank_sets_free(&sets);
}

UNIT_PROGRAM(test_values)
{
    CU_TestInfo tests[] = {{"chunk maps", test_chunk_maps},
                           {"many runs", test_many_runs},
                           {"regular data is one run", test_regular_data_is_one_run},
                           {"run_meets", test_run_meets},
                           {"rank sets", test_rank_sets},
                           {"boxes", test_boxes},
                           {"all sets", test_all_sets},
                           {"ring order", test_ring_order},
                           CU_TEST_INFO_NULL};
    return run_suite("values", tests);
}
