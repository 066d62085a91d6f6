/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Grows trees one after another, several equal ones at once. An arc from x, in the tree, to y, outside,
 * may be taken by as many copies as leave room for all other trees: the largest flow from x to y, if each
 * other tree adds a path from x to all of its nodes, gives their number (Berczi & Frank 2010). Copies
 * that must do without the arc wait as a tree of their own, grown as far as it is. See packing.h.
 */
#include "synth/packing_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A tree that is not complete. */
struct bud {
    struct packed_tree tree;
    uint32_t n;     /* members in it */
    bool *is_in;    /* [member] */
};

struct growth {
    struct pack_network *network;
    struct packing *packing;
    struct bud *buds;
    size_t n_buds, buds_capacity;
    uint64_t n_waiting;   /* copies of all buds */
    struct max_flow flow; /* members, then a node for each bud that has more than one */
    uint32_t *arc;        /* [from * n_members + to] */
    uint32_t n_own_arcs;
};

static struct bud bud_new(uint32_t n_members, uint32_t copies)
{
    struct bud bud = {.tree = {.copies = copies}};
    bud.tree.order = mem_alloc(n_members, sizeof *bud.tree.order);
    bud.tree.from = mem_alloc(n_members, sizeof *bud.tree.from);
    bud.tree.depth = mem_alloc(n_members, sizeof *bud.tree.depth);
    bud.is_in = mem_alloc(n_members, sizeof *bud.is_in);
    return bud;
}

static void packing_grow_join(struct bud *bud, uint32_t member, uint32_t from, uint32_t depth)
{
    bud->tree.order[bud->n] = member;
    bud->tree.from[bud->n] = from;
    bud->tree.depth[bud->n++] = depth;
    bud->is_in[member] = true;
}

static void add_bud(struct growth *growth, const struct bud *bud)
{
    if (growth->n_buds == growth->buds_capacity)
        growth->buds = mem_grow(growth->buds, &growth->buds_capacity, growth->n_buds + 1,
                                sizeof *growth->buds);
    growth->buds[growth->n_buds++] = *bud;
    growth->n_waiting += bud->tree.copies;
}

/* Leaves behind the copies that do without the next arc. */
static void leave_behind(struct growth *growth, const struct bud *bud, uint32_t copies)
{
    const uint32_t n = growth->network->n_members;
    struct bud other = bud_new(n, copies);
    for (uint32_t i = 0; i < bud->n; i++)
        packing_grow_join(&other, bud->tree.order[i], bud->tree.from[i], bud->tree.depth[i]);
    add_bud(growth, &other);
}

/* ---- how many copies ---- */

/* Adds paths from x to all nodes of every waiting tree, except one that has x alone. */
static void add_waiting(struct growth *growth, uint32_t x)
{
    uint32_t node = growth->network->n_members;
    for (size_t i = 0; i < growth->n_buds; i++) {
        const struct bud *bud = &growth->buds[i];
        if (bud->n == 1) {
            if (bud->tree.order[0] != x)
                max_flow_add(&growth->flow, x, bud->tree.order[0], bud->tree.copies);
            continue;
        }
        max_flow_add(&growth->flow, x, node, bud->tree.copies);
        for (uint32_t j = 0; j < bud->n; j++)
            max_flow_add(&growth->flow, node, bud->tree.order[j], bud->tree.copies);
        node++;
    }
}

static void need_nodes(struct growth *growth)
{
    uint32_t n = growth->network->n_members;
    for (size_t i = 0; i < growth->n_buds; i++)
        n += growth->buds[i].n > 1;
    if (n <= growth->flow.n_nodes)
        return;
    struct max_flow larger = max_flow_new(n + 64);
    const struct pack_network *network = growth->network;
    for (uint32_t from = 0; from < network->n_members; from++)
        for (uint32_t to = 0; to < network->n_members; to++)
            if (*pack_capacity(network, from, to))
                growth->arc[(size_t)from * network->n_members + to] =
                    max_flow_add(&larger, from, to, *pack_capacity(network, from, to));
    max_flow_free(&growth->flow);
    growth->flow = larger;
    growth->n_own_arcs = larger.n_arcs;
}

/* Copies of the bud, which is none of those that wait, that may take the arc. */
static uint32_t copies_over(struct growth *growth, const struct bud *bud, uint32_t x, uint32_t y)
{
    const uint64_t own = *pack_capacity(growth->network, x, y);
    const uint64_t most = own < bud->tree.copies ? own : bud->tree.copies;
    need_nodes(growth);
    add_waiting(growth, x);
    const uint64_t flow = max_flow_run(&growth->flow, x, y, growth->n_waiting + most);
    max_flow_cut_back(&growth->flow, growth->n_own_arcs);
    return flow > growth->n_waiting ? (uint32_t)(flow - growth->n_waiting) : 0;
}

/* ---- growing ---- */

static void use_arc(struct growth *growth, uint32_t x, uint32_t y, uint32_t copies)
{
    uint64_t *capacity = pack_capacity(growth->network, x, y);
    *capacity -= copies;
    growth->flow.arcs[growth->arc[(size_t)x * growth->network->n_members + y]].capacity = *capacity;
}

/* Grows a tree from the root outwards, so that it stays flat. Returns false when time is up. */
static bool packing_grow(struct growth *growth, struct bud *bud)
{
    const uint32_t n = growth->network->n_members;
    for (uint32_t at = 0; at < bud->n && bud->n < n; at++)
        for (uint32_t y = 0; y < n && bud->n < n; y++) {
            const uint32_t x = bud->tree.order[at];
            if (bud->is_in[y] || !*pack_capacity(growth->network, x, y))
                continue;
            const uint32_t copies = copies_over(growth, bud, x, y);
            if (!pack_goes_on(growth->network))
                return false;
            if (copies == 0)
                continue;
            if (copies < bud->tree.copies)
                leave_behind(growth, bud, bud->tree.copies - copies);
            bud->tree.copies = copies;
            use_arc(growth, x, y, copies);
            packing_grow_join(bud, y, x, bud->tree.depth[at] + 1);
        }
    assert(bud->n == n && "every cut is wide enough");
    return true;
}

static void packing_grow_take_tree(struct growth *growth, struct bud *bud)
{
    struct packing *packing = growth->packing;
    if (packing->n_trees == packing->capacity)
        packing->trees = mem_grow(packing->trees, &packing->capacity, packing->n_trees + 1,
                                  sizeof *packing->trees);
    for (uint32_t i = 0; i < bud->n; i++)
        packing->depth = bud->tree.depth[i] > packing->depth ? bud->tree.depth[i] : packing->depth;
    packing->trees[packing->n_trees++] = bud->tree;
    free(bud->is_in);
}

static void bud_free(struct bud *bud)
{
    free(bud->tree.order);
    free(bud->tree.from);
    free(bud->tree.depth);
    free(bud->is_in);
}

bool pack_grow(struct pack_network *network, struct packing *packing)
{
    struct growth growth = {.network = network, .packing = packing};
    const uint32_t n = network->n_members;
    bool goes_on = true;
    growth.arc = mem_alloc((size_t)n * n, sizeof *growth.arc);
    for (uint32_t root = n; root-- > 0;) {
        const uint64_t copies = network->k * network->request->network->weight[root];
        if (copies == 0)
            continue;
        struct bud bud = bud_new(n, (uint32_t)copies);
        packing_grow_join(&bud, root, root, 0);
        add_bud(&growth, &bud);
    }
    while (goes_on && growth.n_buds) {
        struct bud bud = growth.buds[--growth.n_buds];
        growth.n_waiting -= bud.tree.copies;
        goes_on = packing_grow(&growth, &bud);
        if (goes_on)
            packing_grow_take_tree(&growth, &bud);
        else
            bud_free(&bud);
    }
    for (size_t i = 0; i < growth.n_buds; i++)
        bud_free(&growth.buds[i]);
    free(growth.buds);
    free(growth.arc);
    max_flow_free(&growth.flow);
    return goes_on;
}
