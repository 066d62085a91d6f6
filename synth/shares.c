/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shares.h. Links have prices as in relay_ways.c, e to the power of a multiple of their load. Each
 * tree in turn is removed and replaced by the cheapest one (Prim 1957), and prices become steeper. A tree
 * has its root in its middle, so that it is flat. On links that lead both ways the least load is that of
 * the narrowest partition of the servers (Tutte 1961, Nash-Williams 1961), which is the bound `gossip` if
 * each server is a part of its own.
 */
#include "synth/shares.h"

#include "synth/arcs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SERVERS = 1024, TREES = 128, MOST_OF_BLOCK = 64, MOST_ROUNDS = 6, STALE_EDGES = 4 };
#define FIRST_STEEPNESS 16.0
#define STEEPER 1.5
#define PRICE_OF_DEPTH 0.2

struct shares {
    const struct synth_request *request;
    const struct topology *topology;
    uint32_t n;              /* servers */
    uint32_t n_trees, k;     /* trees; those of a block, 0: roots are not given */
    uint32_t *root;          /* [tree] */
    bool goes_in, goes_out;  /* directions of the data on an edge */
    struct arcs arcs;
    size_t *back;            /* [arc] the other way, or SEARCH_NONE */
    uint64_t slowest;        /* bandwidth */
    double *cost;            /* [link] of a tree: the slowest bandwidth over its own */
    double *load, *price;    /* [link] */
    double steepness, most;
    size_t *arc_of;          /* [tree * n + server] from the server towards the root */
    double *distance;        /* [server] */
    size_t *best;            /* [server] arc to it */
    uint32_t *depth;         /* [server] in the tree */
    bool *is_in;
    struct heap heap;        /* of struct priced_server */
};

/* ---- links ---- */

static void shares_find_back(struct shares *shares)
{
    for (uint32_t from = 0; from < shares->n; from++)
        for (size_t arc = shares->arcs.first[from]; arc < shares->arcs.first[from + 1]; arc++)
            shares->back[arc] = arcs_find(&shares->arcs, shares->arcs.all[arc].to, from);
}

static void shares_set_price(struct shares *shares, uint32_t link)
{
    const double y = shares->most > 0 ? shares->load[link] / shares->most - 1 : -1;
    shares->price[link] = exp(shares->steepness * y) * shares->cost[link];
}

static void set_prices(struct shares *shares)
{
    for (uint32_t link = 0; link < shares->topology->n_link_ids; link++)
        shares_set_price(shares, link);
}

static void shares_add_load(struct shares *shares, size_t arc, double trees)
{
    const struct arcs *arcs = &shares->arcs;
    for (size_t i = arcs->all[arc].links; i < arcs->all[arc + 1].links; i++) {
        shares->load[arcs->links[i]] += trees * shares->cost[arcs->links[i]];
        shares_set_price(shares, arcs->links[i]);
    }
}

static void shares_add_edge(struct shares *shares, size_t arc, double trees)
{
    if (shares->goes_in)
        shares_add_load(shares, arc, trees);
    if (shares->goes_out)
        shares_add_load(shares, shares->back[arc], trees);
}

static void take_away(struct shares *shares, uint32_t tree)
{
    for (uint32_t server = 0; server < shares->n; server++)
        if (server != shares->root[tree])
            shares_add_edge(shares, shares->arc_of[(size_t)tree * shares->n + server], -1);
}

static double most_load(const struct shares *shares)
{
    double most = 0;
    for (uint32_t link = 0; link < shares->topology->n_link_ids; link++)
        most = shares->load[link] > most ? shares->load[link] : most;
    return most;
}

/* ---- the cheapest tree ---- */

/* Returns the price of an edge between a server outside and one in the tree; far from the root it is
 * dearer. */
static double shares_price_of(const struct shares *shares, size_t arc, uint32_t inside)
{
    const double in = shares->goes_in ? arcs_price(&shares->arcs, arc, shares->price) : 0;
    const double out = shares->goes_out ? arcs_price(&shares->arcs, shares->back[arc], shares->price) : 0;
    return (in + out) * (1 + PRICE_OF_DEPTH * shares->depth[inside]);
}

/* Finds the cheapest edge into the tree, in both directions. */
static double find_best(struct shares *shares, uint32_t server)
{
    const struct arcs *arcs = &shares->arcs;
    double least = INFINITY;
    for (size_t arc = arcs->first[server]; arc < arcs->first[server + 1]; arc++) {
        if (!shares->is_in[arcs->all[arc].to] || shares->back[arc] == SEARCH_NONE)
            continue;
        const double price = shares_price_of(shares, arc, arcs->all[arc].to);
        if (price < least) {
            least = price;
            shares->best[server] = arc;
        }
    }
    return least;
}

/* Updates the neighbours of a server that has joined the tree. */
static void look_from(struct shares *shares, uint32_t server)
{
    const struct arcs *arcs = &shares->arcs;
    shares->is_in[server] = true;
    for (size_t arc = arcs->first[server]; arc < arcs->first[server + 1]; arc++) {
        const uint32_t to = arcs->all[arc].to;
        if (shares->is_in[to] || shares->back[arc] == SEARCH_NONE)
            continue;
        const double price = shares_price_of(shares, shares->back[arc], server);
        if (price >= shares->distance[to])
            continue;
        shares->distance[to] = price;
        arcs_push(&shares->heap, price, to);
    }
}

/* Finds a tree. Edges are counted as soon as they are taken, so that no server gets too many: an edge that
 * has become dearer than some edges meanwhile is put back. Returns false if some servers have no neighbours
 * in both directions. */
static bool find_tree(struct shares *shares, uint32_t tree)
{
    const double dearer = shares->most > 0 ? exp(shares->steepness * STALE_EDGES / shares->most) : 1;
    uint32_t n_in = 1;
    for (uint32_t server = 0; server < shares->n; server++) {
        shares->distance[server] = INFINITY;
        shares->is_in[server] = false;
    }
    shares->heap.n = 0;
    shares->depth[shares->root[tree]] = 0;
    look_from(shares, shares->root[tree]);
    while (n_in < shares->n && shares->heap.n) {
        const struct priced_server entry = arcs_pop(&shares->heap);
        const double price = shares->is_in[entry.server] ? 0 : find_best(shares, entry.server);
        if (shares->is_in[entry.server])
            continue;
        if (price > entry.price * dearer) {
            shares->distance[entry.server] = price;
            arcs_push(&shares->heap, price, entry.server);
            continue;
        }
        const size_t arc = shares->best[entry.server];
        shares->arc_of[(size_t)tree * shares->n + entry.server] = arc;
        shares_add_edge(shares, arc, 1);
        shares->depth[entry.server] = shares->depth[shares->arcs.all[arc].to] + 1;
        look_from(shares, entry.server);
        n_in++;
    }
    return n_in == shares->n;
}

static bool find_trees(struct shares *shares)
{
    shares->steepness = FIRST_STEEPNESS;
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        set_prices(shares);
        for (uint32_t tree = 0; tree < shares->n_trees; tree++) {
            const struct synth_progress progress = {"shares", (uint64_t)round * shares->n_trees + tree,
                                                    (uint64_t)MOST_ROUNDS * shares->n_trees};
            if (round > 0 && !synth_goes_on(shares->request, &progress))
                return true;
            if (round > 0) {
                take_away(shares, tree);
            } else {
                shares->most = tree ? most_load(shares) * shares->n_trees / tree : 0;
                set_prices(shares);
            }
            if (!find_tree(shares, tree))
                return false;
        }
        const double most = most_load(shares);
        if (round > 1 && most > shares->most * 0.99)
            break;
        shares->most = most;
        shares->steepness *= STEEPER;
    }
    return true;
}

/* ---- trees from their middle ---- */

/* Neighbours in a tree: ends[first[server]] up to those of the next server. */
struct edges {
    uint32_t *first, *ends;
};

static void shares_list_edges(const struct shares *shares, uint32_t tree, struct edges *edges)
{
    const size_t *arc_of = &shares->arc_of[(size_t)tree * shares->n];
    const uint32_t root = shares->root[tree];
    memset(edges->first, 0, ((size_t)shares->n + 1) * sizeof *edges->first);
    for (uint32_t server = 0; server < shares->n; server++) {
        if (server == root)
            continue;
        edges->first[server]++;
        edges->first[shares->arcs.all[arc_of[server]].to]++;
    }
    for (uint32_t server = 0; server < shares->n; server++)
        edges->first[server + 1] += edges->first[server];
    for (uint32_t server = 0; server < shares->n; server++) {
        if (server == root)
            continue;
        const uint32_t other = shares->arcs.all[arc_of[server]].to;
        edges->ends[--edges->first[server]] = other;
        edges->ends[--edges->first[other]] = server;
    }
}

/* Orders all servers from a root outwards. */
static void shares_order_from(uint32_t root, const struct edges *edges, struct packed_tree *tree)
{
    uint32_t n = 1;
    tree->order[0] = tree->from[0] = root;
    tree->depth[0] = 0;
    for (uint32_t at = 0; at < n; at++) {
        const uint32_t server = tree->order[at];
        for (uint32_t i = edges->first[server]; i < edges->first[server + 1]; i++)
            if (edges->ends[i] != tree->from[at]) {
                tree->order[n] = edges->ends[i];
                tree->from[n] = server;
                tree->depth[n++] = tree->depth[at] + 1;
            }
    }
}

/* Returns the middle of a longest path; the last server of an order is one of its ends. */
static uint32_t shares_find_middle(uint32_t n, const struct edges *edges, struct packed_tree *tree)
{
    shares_order_from(0, edges, tree);
    shares_order_from(tree->order[n - 1], edges, tree);
    uint32_t server = tree->order[n - 1], at = n - 1;
    for (uint32_t up = tree->depth[n - 1] / 2; up > 0; up--) {
        server = tree->from[at];
        while (tree->order[at] != server)
            at--;
    }
    return server;
}

static void shares_take_tree(const struct shares *shares, uint32_t number, struct edges *edges,
                             struct packing *packing)
{
    const uint32_t n = shares->n;
    struct packed_tree tree = {.copies = 1,
                               .order = mem_alloc(n, sizeof *tree.order),
                               .from = mem_alloc(n, sizeof *tree.from),
                               .depth = mem_alloc(n, sizeof *tree.depth)};
    shares_list_edges(shares, number, edges);
    shares_order_from(shares->k ? shares->root[number] : shares_find_middle(n, edges, &tree), edges, &tree);
    packing->depth = tree.depth[n - 1] > packing->depth ? tree.depth[n - 1] : packing->depth;
    packing->trees[packing->n_trees++] = tree;
}

static void take_trees(const struct shares *shares, struct packing *packing)
{
    struct edges edges = {mem_alloc((size_t)shares->n + 1, sizeof *edges.first),
                          mem_alloc(2 * (size_t)shares->n, sizeof *edges.ends)};
    *packing = (struct packing){.k = shares->k ? shares->k : 1};
    packing->trees = mem_alloc(shares->n_trees, sizeof *packing->trees);
    for (uint32_t tree = 0; tree < shares->n_trees; tree++)
        shares_take_tree(shares, tree, &edges, packing);
    free(edges.first);
    free(edges.ends);
}

/* ---- all ---- */

/* Chooses the roots: as many trees as for an allreduce, but at least one for each block. */
static void choose_roots(struct shares *shares, const uint64_t *weight)
{
    uint64_t n_blocks = 0, n = 0;
    for (uint32_t server = 0; server < shares->n; server++)
        n_blocks += weight[server];
    if (shares->goes_in && shares->goes_out) {
        shares->n_trees = TREES;
    } else {
        const uint64_t k = n_blocks ? TREES / n_blocks : 1;
        shares->k = k < 1 ? 1 : k > MOST_OF_BLOCK ? MOST_OF_BLOCK : (uint32_t)k;
        shares->n_trees = (uint32_t)(shares->k * n_blocks);
    }
    shares->root = mem_alloc(shares->n_trees, sizeof *shares->root);
    for (uint32_t server = 0; shares->k && server < shares->n; server++)
        for (uint64_t i = shares->k * weight[server]; i > 0; i--)
            shares->root[n++] = server;
}

static void shares_new(struct shares *shares)
{
    const uint32_t n_links = shares->topology->n_link_ids;
    shares->arcs = arcs_of(shares->topology, shares->request->what.placement);
    shares->back = mem_alloc(shares->arcs.n, sizeof *shares->back);
    shares->cost = mem_alloc(n_links, sizeof *shares->cost);
    shares->load = mem_alloc(n_links, sizeof *shares->load);
    shares->price = mem_alloc(n_links, sizeof *shares->price);
    shares->arc_of = mem_alloc((size_t)shares->n_trees * shares->n, sizeof *shares->arc_of);
    shares->distance = mem_alloc(shares->n, sizeof *shares->distance);
    shares->best = mem_alloc(shares->n, sizeof *shares->best);
    shares->depth = mem_alloc(shares->n, sizeof *shares->depth);
    shares->is_in = mem_alloc(shares->n, sizeof *shares->is_in);
    shares->slowest = arcs_link_costs(shares->topology, shares->cost);
    shares_find_back(shares);
}

static void shares_free(struct shares *shares)
{
    arcs_free(&shares->arcs);
    free(shares->root);
    free(shares->back);
    free(shares->cost);
    free(shares->load);
    free(shares->price);
    free(shares->arc_of);
    free(shares->distance);
    free(shares->best);
    free(shares->depth);
    free(shares->is_in);
    free(shares->heap.items);
}

bool shares_find(const struct synth_request *request, const uint64_t *weight, struct packing *packing,
                 double *ns_per_byte, struct text *problem)
{
    const enum collective collective = request->what.collective;
    struct shares shares = {.request = request, .topology = request->what.topology,
                            .n = request->what.placement->n_servers};
    *packing = (struct packing){0};
    if (shares.n > MOST_SERVERS || shares.topology->n_networks > 1) {
        text_printf(problem, "it finds trees of at most %d servers, on one network", MOST_SERVERS);
        return false;
    }
    shares.goes_in = !collective_spreads(collective);
    shares.goes_out = !collective_collects(collective);
    choose_roots(&shares, weight);
    shares_new(&shares);
    const bool is_found = find_trees(&shares);
    if (is_found) {
        take_trees(&shares, packing);
        *ns_per_byte = most_load(&shares) / (shares.k ? shares.k : TREES) * 1e9 / (double)shares.slowest;
    } else {
        text_printf(problem, "some servers have no neighbours that could answer on a way of their own");
    }
    shares_free(&shares);
    return is_found;
}
