/* SPDX-License-Identifier: BSD-3-Clause
 *
 * circulant_block: the conditions under which a schedule is a broadcast of any number of
 * blocks (Traeff 2025), for each number of ranks up to some hundreds and some large ones, all
 * ranks of them. The first two, that both ends of a message speak of one block, hold because
 * the block to send is defined as the receiver's.
 */
#include "compiler/passes/circulant.h"
#include "tests/unit/suite.h"

#include <stdio.h>

enum { MAX_ROUNDS = 32 };

static int64_t rounds_of(int64_t p)
{
    int64_t q = 0;
    for (int64_t n = 1; n < p; n *= 2)
        q++;
    return q;
}

/* Rounded up, halved q - k times. */
static int64_t skip_of(int64_t p, int64_t k)
{
    for (int64_t i = rounds_of(p); i > k; i--)
        p = (p + 1) / 2;
    return p;
}

static int64_t block_of(int64_t p, int64_t r, int64_t k)
{
    int64_t block = INT64_MIN;
    CU_ASSERT_TRUE(circulant_block(p, r, k, &block));
    return block;
}

/* Condition 3: one of the values is not negative, b, unless the rank is the root; with b - q
 * instead of it all of -1 .. -q are there. Gives b, or q. */
static bool has_every_block(int64_t p, int64_t r, int64_t q, int64_t *base)
{
    uint64_t seen = 0;
    *base = q;
    for (int64_t k = 0; k < q; k++) {
        int64_t block = block_of(p, r, k);
        if (block < -q || block >= q || (block >= 0 && *base < q))
            return false;
        if (block >= 0) {
            *base = block;
            block -= q;
        }
        seen |= UINT64_C(1) << -block;
    }
    return seen == (UINT64_C(1) << (q + 1)) - 2 && (*base == q) == (r == 0);
}

/* Condition 4: what a rank sends it has, its base block from the phase before; the root sends a
 * block of its own in each round, the next one. */
static bool sends_what_it_has(int64_t p, int64_t r, int64_t q, int64_t base)
{
    uint64_t has = UINT64_C(1) << MAX_ROUNDS >> q << base;
    for (int64_t k = 0; k < q; k++) {
        const int64_t block = block_of(p, r + skip_of(p, k), k);
        if (r == 0 ? block != k : !(has >> (MAX_ROUNDS + block) & 1))
            return false;
        has |= UINT64_C(1) << (MAX_ROUNDS + block_of(p, r, k));
    }
    return true;
}

static void check(int64_t p)
{
    const int64_t q = rounds_of(p);
    int64_t r = 0, base, ignored;
    while (r < p && has_every_block(p, r, q, &base) && sends_what_it_has(p, r, q, base))
        r++;
    CU_ASSERT_EQUAL(r, p);
    if (r < p)
        fprintf(stderr, "p = %lld: the schedule of rank %lld is wrong\n", (long long)p, (long long)r);
    CU_ASSERT_FALSE(circulant_block(p, 0, q, &ignored));
    CU_ASSERT_FALSE(circulant_block(p, 0, -1, &ignored));
}

static void test_each(void)
{
    for (int64_t p = 1; p <= 700; p += IS_SHORT && p > 70 ? 31 : 1)
        check(p);
}

static void test_large(void)
{
    static const int64_t sizes[] = {1023, 1024, 1025, 1536, 2730, 4095, 5461, 9999, 65536, 65537};
    for (size_t i = 0; i < (IS_SHORT ? 5 : sizeof sizes / sizeof *sizes); i++)
        check(sizes[i]);
}

/* The ranks near both ends and the middle of numbers that are too large for all of them. */
static void test_huge(void)
{
    static const int64_t sizes[] = {1000003, 715827882, INT64_C(2147483647), UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int64_t j = -300; j <= 300; j += IS_SHORT ? 7 : 1)
            for (int64_t from = 0; from < sizes[i]; from += sizes[i] / 2) {
                const int64_t p = sizes[i], q = rounds_of(p), r = ((from + j) % p + p) % p;
                int64_t base;
                CU_ASSERT_TRUE(has_every_block(p, r, q, &base) && sends_what_it_has(p, r, q, base));
            }
}

/* Traeff 2025: the skips of 17 ranks are 1, 2, 3, 5, 9; the root's successor in each round gets
 * a new block, rank 1 the first one in round 0. Ranks are taken modulo their number. */
static void test_values(void)
{
    int64_t ignored;
    static const int64_t skips[] = {1, 2, 3, 5, 9, 17};
    for (int64_t k = 0; k < 5; k++) {
        CU_ASSERT_EQUAL(skip_of(17, k), skips[k]);
        CU_ASSERT_EQUAL(block_of(17, skips[k], k), k);
        CU_ASSERT_EQUAL(block_of(17, 11 - 34, k), block_of(17, 11, k));
    }
    CU_ASSERT_FALSE(circulant_block(0, 0, 0, &ignored));
    CU_ASSERT_FALSE(circulant_block(-4, 0, 0, &ignored));
    CU_ASSERT_FALSE(circulant_block(INT64_C(1) << 32, 0, 0, &ignored));
}

/* True if the values of several ranks at once are those of each, whatever else was kept before. */
static bool agree(struct circulant *kept, int64_t p, int64_t k)
{
    enum { N = 9 };
    const int64_t rank[N] = {0, p - 1, p / 2, 1, -1, 2 * p + 1, p / 2, -5 * p, p / 3};
    int64_t several[N], one;
    const bool done = circulant_blocks(kept, p, &(struct value){rank, 0}, k, N, several);
    for (int i = 0; i < N; i++)
        if (circulant_block(p, rank[i], k, &one) != done || (done && one != several[i]))
            return false;
    return true;
}

static void test_several(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 17, 1000, 1 << 20, (1 << 20) + 1, UINT32_MAX};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    for (size_t i = 0; i < N_SIZES; i++) {
        struct circulant kept = {0};
        for (int64_t k = -1; k <= 32; k++)
            CU_ASSERT_TRUE(agree(&kept, sizes[i], k) && agree(&kept, sizes[(i + 1) % N_SIZES], k));
        circulant_free(&kept);
    }
}

UNIT_PROGRAM(test_circulant)
{
    CU_TestInfo tests[] = {{"each number of ranks up to 700", test_each},
                           {"large numbers, all ranks", test_large},
                           {"huge numbers, some ranks", test_huge},
                           {"values", test_values},
                           {"several ranks at once", test_several},
                           CU_TEST_INFO_NULL};
    return run_suite("circulant", tests);
}
