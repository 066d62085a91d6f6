/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds perfect matchings, one after another, on the entries that are not below a limit, and halves the
 * limit when there is none. With the limit 1 there always is one, as all rows and columns have the same
 * sum (Koenig 1916). A matched entry stays matched while it is large enough, so a matching costs only its
 * changes. See decompose.h.
 */
#include "synth/decompose.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FREE UINT32_MAX

struct matching {
    const uint64_t *matrix;
    uint32_t n;
    uint64_t limit;
    uint32_t *to, *from; /* [row] column, [column] row; FREE */
    uint32_t *queue, *back; /* state of the search: rows, and the row by which a column was reached */
};

static uint64_t entry(const struct matching *matching, uint32_t row, uint32_t column)
{
    return matching->matrix[(size_t)row * matching->n + column];
}

/* Flips the matching along the path by which a free column was reached. */
static void flip(struct matching *matching, uint32_t column)
{
    while (column != FREE) {
        const uint32_t row = matching->back[column], next = matching->to[row];
        matching->to[row] = column;
        matching->from[column] = row;
        column = next;
    }
}

/* Finds a column for a free row; others may change theirs. */
static bool augment(struct matching *matching, uint32_t row)
{
    const uint32_t n = matching->n;
    uint32_t n_queued = 0;
    memset(matching->back, 0xff, n * sizeof *matching->back);
    matching->queue[n_queued++] = row;
    for (uint32_t at = 0; at < n_queued; at++)
        for (uint32_t column = 0; column < n; column++) {
            if (matching->back[column] != FREE ||
                entry(matching, matching->queue[at], column) < matching->limit)
                continue;
            matching->back[column] = matching->queue[at];
            if (matching->from[column] == FREE) {
                flip(matching, column);
                return true;
            }
            matching->queue[n_queued++] = matching->from[column];
        }
    return false;
}

/* Halves the limit until every row has a column. */
static void decompose_complete(struct matching *matching)
{
    for (uint32_t row = 0; row < matching->n;) {
        if (matching->to[row] != FREE || augment(matching, row)) {
            row++;
            continue;
        }
        assert(matching->limit > 1 && "rows and columns have the same sum");
        matching->limit /= 2;
    }
}

/* Fills all rows and columns up to the largest sum, which is returned: entries that are there
 * first, so that few become more. */
static uint64_t fill_up(uint64_t *matrix, uint32_t n)
{
    uint64_t *lacks_row = mem_alloc(n, sizeof *lacks_row), *lacks_column = mem_alloc(n, sizeof *lacks_column);
    uint64_t most = 0;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            lacks_row[row] += matrix[(size_t)row * n + column];
            lacks_column[column] += matrix[(size_t)row * n + column];
        }
    for (uint32_t i = 0; i < n; i++) {
        most = lacks_row[i] > most ? lacks_row[i] : most;
        most = lacks_column[i] > most ? lacks_column[i] : most;
    }
    for (uint32_t i = 0; i < n; i++) {
        lacks_row[i] = most - lacks_row[i];
        lacks_column[i] = most - lacks_column[i];
    }
    for (int takes_new = 0; takes_new < 2; takes_new++)
        for (uint32_t row = 0; row < n; row++)
            for (uint32_t column = 0; column < n && lacks_row[row]; column++) {
                uint64_t *at = &matrix[(size_t)row * n + column];
                const uint64_t more =
                    lacks_row[row] < lacks_column[column] ? lacks_row[row] : lacks_column[column];
                if (!*at && !takes_new)
                    continue;
                *at += more;
                lacks_row[row] -= more;
                lacks_column[column] -= more;
            }
    free(lacks_row);
    free(lacks_column);
    return most;
}

/* Takes the permutation off; what falls below the limit is free again. */
static void take_off(struct matching *matching, uint64_t *matrix, uint64_t weight)
{
    for (uint32_t row = 0; row < matching->n; row++) {
        uint64_t *at = &matrix[(size_t)row * matching->n + matching->to[row]];
        *at -= weight;
        if (*at >= matching->limit)
            continue;
        matching->from[matching->to[row]] = FREE;
        matching->to[row] = FREE;
    }
}

uint64_t decompose(uint64_t *matrix, uint32_t n, decompose_found *found, void *data)
{
    const uint64_t sum = fill_up(matrix, n);
    struct matching matching = {.matrix = matrix, .n = n, .limit = 1};
    matching.to = mem_alloc(n, sizeof *matching.to);
    matching.from = mem_alloc(n, sizeof *matching.from);
    matching.queue = mem_alloc(n, sizeof *matching.queue);
    matching.back = mem_alloc(n, sizeof *matching.back);
    memset(matching.to, 0xff, n * sizeof *matching.to);
    memset(matching.from, 0xff, n * sizeof *matching.from);
    while (matching.limit <= sum / 2)
        matching.limit *= 2;
    for (uint64_t left = sum; left;) {
        uint64_t weight = UINT64_MAX;
        decompose_complete(&matching);
        for (uint32_t row = 0; row < n; row++)
            weight = entry(&matching, row, matching.to[row]) < weight
                         ? entry(&matching, row, matching.to[row]) : weight;
        found(data, matching.to, weight);
        take_off(&matching, matrix, weight);
        left -= weight;
    }
    free(matching.to);
    free(matching.from);
    free(matching.queue);
    free(matching.back);
    return sum;
}
