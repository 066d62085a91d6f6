/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loads of the links of a tree from many routes. Where machines in a row send to machines in a row, as
 * ranks do that do alike, so are the links that they take at a level, from one subtree to another: these are
 * loaded one after the other, without a route for each pair.
 */
#include "network/tree_loads.h"

#include "base/vectorised.h"
#include "network/tree.h"

enum {
    SHORT = 16, /* rows that are shorter are routed pair by pair */
    PAIRS = 32  /* so many at once */
};

/* Pairs, each of machines that come behind those of the pair before it. */
struct row {
    uint32_t source, destination, n;
};

/* Returns how many pairs, of at most n, are a row. */
static inline uint32_t row_length(const struct topology_pair *pairs, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && pairs[i].source - pairs[0].source == i &&
           pairs[i].destination - pairs[0].destination == i)
        i++;
    return i;
}

static inline void add_to_links(uint64_t *load, uint32_t n, uint64_t *most)
{
    int64_t highest = (int64_t)*most; /* signed: vectors have no other comparison */
    for (uint32_t i = 0; i < n; i++) {
        const int64_t sum = (int64_t)++load[i];
        highest = sum > highest ? sum : highest;
    }
    *most = (uint64_t)highest;
}

/* A machine that goes through a row: which of the subtrees of so many machines has it, at which place. */
struct walker {
    uint32_t subtree, place;
};

static inline struct walker walker_at(uint32_t machine, uint32_t machines)
{
    return (struct walker){machine / machines, machine % machines};
}

static inline void tree_loads_walk(struct walker *walker, uint32_t n, uint32_t machines)
{
    walker->place += n;
    if (walker->place == machines)
        *walker = (struct walker){walker->subtree + 1, 0};
}

static inline uint32_t tree_loads_least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Loads the links between subtrees of so many machines and the level above. Whether some are crossed. */
static inline bool tree_loads_add_level(const struct tree *tree, uint32_t level, uint32_t machines,
                                        const struct row *row, uint64_t *load, uint64_t *most)
{
    const uint32_t width = tree->links[level].value;
    uint64_t *const up = load + tree->up_base[level], *const down = load + tree->down_base[level];
    struct walker from = walker_at(row->source, machines), to = walker_at(row->destination, machines);
    uint32_t port = row->destination % width;
    bool is_crossed = false;
    if (machines == 1 && width == 1) { /* a link for each machine */
        add_to_links(up + row->source, row->n, most);
        add_to_links(down + row->destination, row->n, most);
        return true;
    }
    for (uint32_t left = row->n, n; left; left -= n) {
        n = tree_loads_least_of(tree_loads_least_of(machines - from.place, machines - to.place),
                                tree_loads_least_of(width - port, left));
        if (from.subtree != to.subtree) {
            add_to_links(up + (size_t)from.subtree * width + port, n, most);
            add_to_links(down + (size_t)to.subtree * width + port, n, most);
            is_crossed = true;
        }
        tree_loads_walk(&from, n, machines);
        tree_loads_walk(&to, n, machines);
        port = port + n == width ? 0 : port + n;
    }
    return is_crossed;
}

/* Adds a row level by level; one that crosses no link of a level crosses none above it. */
VECTORISED static void add_row(const struct tree *tree, const struct row *row, uint64_t *load, uint64_t *most)
{
    bool is_crossed = row->source != row->destination;
    for (uint32_t level = 0, machines = 1; level < tree->n_levels && is_crossed; level++) {
        is_crossed = tree_loads_add_level(tree, level, machines, row, load, most);
        machines *= tree->down[level].value;
    }
}

/* At most PAIRS. */
static void tree_loads_add_pairs(const struct topology *topology, const struct topology_pair *pairs,
                                 uint32_t n, uint64_t *load, uint64_t *most)
{
    uint32_t links[PAIRS * 2 * TOPOLOGY_MAX_DIMENSIONS], n_links[PAIRS], n_all = 0;
    topology_route_pairs(topology, pairs, n, links, n_links);
    for (uint32_t i = 0; i < n; i++)
        n_all += n_links[i];
    for (uint32_t i = 0; i < n_all; i++) {
        const uint64_t sum = ++load[links[i]];
        *most = sum > *most ? sum : *most;
    }
}

/* Returns the number of pairs before the next row that is not short; fewer than PAIRS, of at most n. */
static uint32_t until_row(const struct topology_pair *pairs, uint32_t n)
{
    uint32_t i = 0, length = 0;
    while (i < n && i <= PAIRS - SHORT && length < SHORT) {
        length = row_length(pairs + i, tree_loads_least_of(n - i, SHORT));
        i += length < SHORT ? length : 0;
    }
    return i;
}

void tree_add_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                    uint64_t *load, uint64_t *most)
{
    for (uint32_t i = 0; i < n;) {
        const uint32_t n_short = until_row(pairs + i, n - i);
        if (n_short)
            tree_loads_add_pairs(topology, pairs + i, n_short, load, most);
        i += n_short;
        const uint32_t length = i < n ? row_length(pairs + i, n - i) : 0;
        if (length < SHORT)
            continue;
        add_row(topology->self, &(struct row){pairs[i].source, pairs[i].destination, length}, load, most);
        i += length;
    }
}
