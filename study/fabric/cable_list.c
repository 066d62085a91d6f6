/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cable_list.h.
 */
#include "study/fabric/cable_list.h"

#include <stdlib.h>

/* A link between two nodes: the lower one in the upper half of the pair. */
struct tie {
    uint64_t pair;
    uint32_t link;
    bool goes_down; /* from the higher node */
};

static int cable_list_compare_ties(const void *a, const void *b)
{
    const struct tie *x = a, *y = b;
    if (x->pair != y->pair)
        return x->pair < y->pair ? -1 : 1;
    if (x->goes_down != y->goes_down)
        return x->goes_down ? 1 : -1;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* Adds the cables between two nodes. */
static size_t cables_between(const struct tie *ties, size_t n, struct cable *cables)
{
    size_t n_up = 0;
    while (n_up < n && !ties[n_up].goes_down)
        n_up++;
    const size_t n_down = n - n_up, n_cables = n_up > n_down ? n_up : n_down;
    for (size_t i = 0; i < n_cables; i++) {
        const uint32_t first = ties[i < n_up ? i : n_up + i].link;
        cables[i] = (struct cable){first, i < n_up && i < n_down ? ties[n_up + i].link : first, n_cables > 1};
    }
    return n_cables;
}

struct cable *cables_of(const struct topology *topology, size_t *n)
{
    struct tie *ties = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *ties);
    struct cable *cables = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *cables);
    size_t n_ties = 0;
    uint32_t from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        const uint64_t pair = from < to ? (uint64_t)from << 32 | to : (uint64_t)to << 32 | from;
        ties[n_ties++] = (struct tie){pair, link, from > to};
    }
    if (n_ties)
        qsort(ties, n_ties, sizeof *ties, cable_list_compare_ties);
    *n = 0;
    for (size_t first = 0, end; first < n_ties; first = end) {
        for (end = first; end < n_ties && ties[end].pair == ties[first].pair;)
            end++;
        *n += cables_between(ties + first, end - first, cables + *n);
    }
    free(ties);
    return cables;
}
