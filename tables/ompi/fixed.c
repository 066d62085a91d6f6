/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up fixed.def.
 */
#include "tables/ompi/ompi.h"

enum operation { ANY, COMMUTES, ORDERED };

struct pair {
    uint64_t key;
    int64_t algorithm;
};

static const struct fixed {
    enum ompi_collective collective;
    enum operation operation;
    uint64_t ranks;
    const struct pair *pairs; /* up to one with algorithm 0 */
} fixed_table[] = {
#define FIXED(collective, operation, ranks, ...)                                                             \
    {OMPI_##collective, operation, ranks, (const struct pair[]){__VA_ARGS__, {0, 0}}},
#include "tables/ompi/fixed.def"
};

/* Returns the line for these ranks, the first if they are fewer than in any line. */
static const struct fixed *fixed_find_line(uint32_t collective, bool is_ordered, uint64_t n_ranks)
{
    const struct fixed *found = NULL;
    for (size_t i = 0; i < sizeof fixed_table / sizeof *fixed_table; i++) {
        const struct fixed *line = &fixed_table[i];
        if (line->collective == collective && line->operation != (is_ordered ? COMMUTES : ORDERED) &&
            (!found || line->ranks <= n_ranks))
            found = line;
    }
    return found;
}

int64_t ompi_fixed(uint32_t collective, bool is_ordered, uint64_t n_ranks, uint64_t key)
{
    enum { LINEAR = 1 };
    if (collective == OMPI_scan || collective == OMPI_exscan)
        return LINEAR;
    const struct fixed *line = fixed_find_line(collective, is_ordered, n_ranks);
    int64_t algorithm = 0;
    for (const struct pair *pair = line ? line->pairs : NULL; pair && pair->algorithm; pair++)
        if (pair->key <= key)
            algorithm = pair->algorithm;
    return algorithm;
}

void ompi_fixed_changes(uint32_t collective, uint64_t n_ranks, void (*note)(void *context, uint64_t key),
                        void *context)
{
    for (int is_ordered = 0; is_ordered <= 1; is_ordered++) {
        const struct fixed *line = fixed_find_line(collective, is_ordered, n_ranks);
        for (const struct pair *pair = line ? line->pairs : NULL; pair && pair->algorithm; pair++)
            note(context, pair->key);
    }
}
