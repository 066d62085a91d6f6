/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One table of all built-in algorithms: how many cases of each kind were run and passed.
 */
#ifndef COLLC_TESTS_LIBRARY_TABLE_H
#define COLLC_TESTS_LIBRARY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COLUMN(name, heading, what it counts) */
#define LIBRARY_COLUMNS                                                                  \
    COLUMN(RANKS, "ranks", "1 to 64 ranks, one a server")                                \
    COLUMN(LARGE, "large", "72, 81, 96, 97, 100, 125, 128, 192 and 1,000 ranks")         \
    COLUMN(ROOTS, "roots", "other roots: all up to 16 ranks, then the middle one")       \
    COLUMN(VALUES, "values", "parameters, segments too, set to 1, 2, 3 and 7 in all combinations") \
    COLUMN(SERVERS, "servers", "servers of 2 to 5 ranks")                                \
    COLUMN(UNEQUAL, "unequal", "200 random shapes of servers of 1 to 5 ranks")           \
    COLUMN(CLUSTERS, "clusters", "clusters of servers on several networks, ranks in order and not") \
    COLUMN(GRIDS, "grids", "grids of one to seven dimensions")

enum library_column {
#define COLUMN(name, heading, meaning) COLUMN_##name,
    LIBRARY_COLUMNS
#undef COLUMN
    N_LIBRARY_COLUMNS
};

struct library_row {
    char name[64];
    unsigned passed[N_LIBRARY_COLUMNS], failed[N_LIBRARY_COLUMNS];
    unsigned n_by_reference;    /* passed cases that the reference verifier agreed to */
    uint32_t most_ranks;        /* of a case that passed */
    uint32_t typical_ranks;     /* the most that are not above 64, one a server, and there ... */
    uint64_t steps, messages;   /* ... steps, and messages of the busiest rank */
};

void library_count(struct library_row *row, enum library_column column, bool has_passed);
/* Prints the table, each line with a bar in front, and for each cell that is not empty
 *   counted N NAME: HEADING
 * so that the runner of the tests can count cases. */
void library_print(const struct library_row *rows, size_t n);

#endif
