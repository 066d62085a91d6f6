/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interval arithmetic and vectors of lanes beside the definition of the operators: bounds must
 * hold for all values within those of the operands, and a result must exist for all of them.
 */
#include "compiler/passes/arithmetic.h"
#include "compiler/passes/range.h"
#include "tests/unit/suite.h"

enum { LEAST = -5, MOST = 9, N_WIDE = 12 };

static bool is_function_of_operands(int kind)
{
    return kind != EXPR_INTEGER && kind != EXPR_VARIABLE && kind != EXPR_CHOICE && kind != EXPR_CALL &&
           kind != EXPR_ARGUMENT && kind != EXPR_GROUPS_BEFORE && kind != EXPR_REVERSE_DIGITS &&
           kind != EXPR_CIRCULANT_BLOCK && !is_neighbor_function((enum expr_kind)kind) &&
           !is_grid_function((enum expr_kind)kind);
}

/* True if all results exist and are within bounds. */
static bool holds(enum expr_kind kind, struct range a, struct range b, struct range bounds)
{
    const uint64_t n_a = (uint64_t)a.high - (uint64_t)a.low, n_b = (uint64_t)b.high - (uint64_t)b.low;
    int64_t result = 0;
    for (uint64_t i = 0; i <= n_a; i++)
        for (uint64_t k = 0; k <= n_b; k++)
            if (!arithmetic_apply(kind, (int64_t)((uint64_t)a.low + i), (int64_t)((uint64_t)b.low + k),
                                  &result) || result < bounds.low || result > bounds.high)
                return false;
    return true;
}

/* Every operator on every pair of ranges of small numbers. */
static void test_small(void)
{
    unsigned n_known = 0, n_wrong = 0;
    struct range a = range_of_one(0), b = a, bounds;
    for (int kind = 0; kind < N_EXPR_KINDS; kind++)
        for (a.low = LEAST; is_function_of_operands(kind) && a.low <= MOST; a.low++)
            for (a.high = a.low; a.high <= MOST; a.high++)
                for (b.low = LEAST; b.low <= MOST; b.low++)
                    for (b.high = b.low; b.high <= MOST; b.high++) {
                        if (!range_apply((enum expr_kind)kind, a, b, &bounds))
                            continue;
                        n_known++;
                        n_wrong += !holds((enum expr_kind)kind, a, b, bounds);
                    }
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT_TRUE(n_known > 200000);
}

static const int64_t wide[N_WIDE] = {INT64_MIN, INT64_MIN + 1, -(INT64_C(1) << 31) - 1, -(1 << 30), -2, 0,
                                     1, 63, 1 << 30, (INT64_C(1) << 32) + 1, INT64_MAX - 1, INT64_MAX};

/* Near the ends of 64 bits: no bounds where a corner has no value, and corners within. */
static void test_wide(void)
{
    unsigned n_wrong = 0;
    for (int kind = 0; kind < N_EXPR_KINDS; kind++)
        for (int i = 0; is_function_of_operands(kind) && i < N_WIDE * N_WIDE * N_WIDE * N_WIDE; i++) {
            const int low[2] = {i % N_WIDE, i / N_WIDE % N_WIDE};
            const int high[2] = {i / N_WIDE / N_WIDE % N_WIDE, i / N_WIDE / N_WIDE / N_WIDE};
            struct range bounds;
            if (low[0] > high[0] || low[1] > high[1] ||
                !range_apply((enum expr_kind)kind, range_between(wide[low[0]], wide[high[0]]),
                             range_between(wide[low[1]], wide[high[1]]), &bounds))
                continue;
            for (int x = low[0]; x <= high[0]; x++)
                for (int y = low[1]; y <= high[1]; y++) {
                    const struct range one = range_of_one(wide[x]), other = range_of_one(wide[y]);
                    n_wrong += !holds((enum expr_kind)kind, one, other, bounds);
                }
        }
    CU_ASSERT_EQUAL(n_wrong, 0);
}

/* Sums and differences have the slope that they are said to have, whichever operand had one. */
static void test_slopes(void)
{
    enum { N = 4 };
    unsigned n_wrong = 0;
    int n_known[2] = {0, 0};
    for (int kind = 0; kind < N_EXPR_KINDS; kind++)
        for (int i = 0; is_function_of_operands(kind) && i < 4 * 15 * 15; i++) {
            const int64_t low = LEAST + i / 4 % 15;
            struct range sloping = range_between(low, low + N - 1), bounds;
            const struct range one = range_of_one(LEAST + i / 60);
            sloping.slope = i % 4 < 2 ? 1 : -1;
            const bool known = i % 2 ? range_apply((enum expr_kind)kind, one, sloping, &bounds)
                                     : range_apply((enum expr_kind)kind, sloping, one, &bounds);
            if (!known || !bounds.slope)
                continue;
            n_known[i % 2] += 1;
            for (int64_t lane = 0; lane < N; lane++) {
                const int64_t own = sloping.slope > 0 ? sloping.low + lane : sloping.high - lane;
                int64_t result = 0;
                arithmetic_apply((enum expr_kind)kind, i % 2 ? one.low : own, i % 2 ? own : one.low, &result);
                n_wrong += result != (bounds.slope > 0 ? bounds.low + lane : bounds.high - lane);
            }
        }
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT_EQUAL(n_known[0], 2 * 2 * 15 * 15 + 2 * 15 * 15);
    CU_ASSERT_EQUAL(n_known[1], 2 * 2 * 15 * 15);
    const int64_t up[] = {3, 4, 5, 6}, other[] = {3, 5, 4, 6};
    CU_ASSERT_EQUAL(range_of_lanes(up, N).slope, 1);
    CU_ASSERT_EQUAL(range_of_lanes(other, N).slope, 0);
}

/* Returns the number of lanes that differ from the definition, whichever operand is a vector. */
static unsigned differences(enum expr_kind kind, const int64_t *a, const int64_t *b, uint32_t n)
{
    unsigned n_wrong = 0;
    for (int vectors = 1; vectors < 4; vectors++) {
        const struct value left = {vectors & 1 ? a : NULL, a[0]}, right = {vectors & 2 ? b : NULL, b[0]};
        int64_t out[BLOCK_LANES], expected[BLOCK_LANES];
        bool exists = true;
        for (uint32_t i = 0; i < n; i++)
            exists &= arithmetic_apply(kind, value_at(&left, i), value_at(&right, i), &expected[i]);
        n_wrong += arithmetic_lanes(kind, &left, &right, n, out) != exists;
        for (uint32_t i = 0; exists && i < n; i++)
            n_wrong += out[i] != expected[i];
    }
    return n_wrong;
}

/* Runs of numbers around each of the wide ones, by runs around small and wide ones. */
static void test_lanes(void)
{
    enum { N = 37 };
    unsigned n_wrong = 0;
    for (int kind = 0; kind < N_EXPR_KINDS; kind++)
        for (int i = 0; is_function_of_operands(kind) && i < N_WIDE * N_WIDE * 3; i++) {
            int64_t a[N], b[N];
            for (int k = 0; k < N; k++) {
                const uint64_t step = (uint64_t)(i % 3) * (uint64_t)k; /* 0: all the same */
                a[k] = (int64_t)((uint64_t)wide[i / 3 % N_WIDE] + step - 5 * (uint64_t)(i % 3));
                b[k] = (int64_t)((uint64_t)wide[i / 3 / N_WIDE] + step / 2);
            }
            if (kind == EXPR_NEGATE || kind == EXPR_NOT)
                for (int k = 0; k < N; k++)
                    b[k] = 0;
            n_wrong += differences((enum expr_kind)kind, a, b, N);
        }
    CU_ASSERT_EQUAL(n_wrong, 0);
}

UNIT_PROGRAM(test_range)
{
    CU_TestInfo tests[] = {{"small numbers", test_small},
                           {"the ends of 64 bits", test_wide},
                           {"slopes", test_slopes},
                           {"lanes", test_lanes},
                           CU_TEST_INFO_NULL};
    return run_suite("range", tests);
}
