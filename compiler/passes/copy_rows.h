/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Equal copies of many ranks, found once. A loop of copies does at a rank what the values of the variables
 * that it reads from outside make it do, and nothing else tells ranks apart. So it is carried out for one
 * rank of all those where they have the same values, and what that copies is put together in rows (struct
 * copy_row). Only for who takes rows; what is in doubt, or wrong, is left to the ordinary way.
 */
#ifndef COLLC_COMPILER_PASSES_COPY_ROWS_H
#define COLLC_COMPILER_PASSES_COPY_ROWS_H

#include "ir/program.h"
#include "ir/schedule.h"

struct expansion;
struct lanes;

enum { MAX_COPY_READS = 16, N_COPY_MEMOS = 16 };

/* Copies of a loop for these values of its variables: `n` rows from `first` on. */
struct copy_memo {
    const struct statement *loop;
    uint32_t n_values;
    int64_t values[MAX_COPY_READS];
    uint32_t first, n;
};

/* Rows of copies of a step. */
struct copy_rows {
    struct copy_row *rows;
    size_t n, capacity;
    struct copy_memo memos[N_COPY_MEMOS]; /* the last ones */
    uint32_t n_memos;                     /* memos made so far */
    bool is_walking;
};

/* True if a loop of so many iterations has only copies and is long enough to be worth it. O(its text) */
bool copy_rows_are_for(const struct expansion *expansion, const struct statement *loop, uint64_t n);
/* Posts the copies of the loop at lanes of the current block, or at all ranks. False, with nothing done: it
 * is to be carried out as it is. O(a rank's operations * ranks that are unlike, a few in a block at most, +
 * ranks * variables). */
bool copy_rows_post(struct expansion *expansion, const struct statement *loop, const struct lanes *lanes);
bool copy_rows_post_all(struct expansion *expansion, const struct statement *loop);
void copy_rows_clear(struct copy_rows *rows);
void copy_rows_free(struct copy_rows *rows);

#endif
