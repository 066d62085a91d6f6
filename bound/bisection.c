/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds by a cut. See bisection.h for what is proved.
 */
#include "bound/bisection.h"

#include <inttypes.h>
#include <stdlib.h>

/* A set of machines: its ranks, whether the root is one of them, and the links out of it. */
struct cut {
    uint64_t n_ranks;
    bool has_root;
    uint64_t n_links, bandwidth; /* together */
};

/* Blocks that `inside` ranks hold and the others need. */
static uint64_t blocks_out(enum collective collective, uint64_t inside, uint64_t outside,
                           bool has_root)
{
    if (inside == 0 || outside == 0)
        return 0;
    switch (collective) {
    case COLLECTIVE_alltoall: return inside * outside;
    case COLLECTIVE_allgather: return inside;
    case COLLECTIVE_gather: return has_root ? 0 : inside;
    case COLLECTIVE_scatter: return has_root ? outside : 0;
    case COLLECTIVE_bcast: return has_root;
    case COLLECTIVE_reduce: return !has_root;
    case COLLECTIVE_allreduce: return 1;
    case COLLECTIVE_reduce_scatter_block: return outside;
    case COLLECTIVE_scan: /* depends on which ranks are inside */
    case COLLECTIVE_exscan:
    case COLLECTIVE_barrier:
    case N_COLLECTIVES: break;
    }
    return 0;
}

bool bound_serves(enum collective collective)
{
    return blocks_out(collective, 1, 1, true) || blocks_out(collective, 1, 1, false);
}

static uint64_t load_of(uint64_t blocks, uint64_t n_links)
{
    return n_links ? (blocks + n_links - 1) / n_links : 0;
}

/* Whether the links of the cut need longer for their blocks than those of the bound. */
static bool takes_longer(uint64_t blocks, const struct cut *cut, const struct bound *bound)
{
    return (divider_product)blocks * bound->bandwidth > (divider_product)bound->blocks * cut->bandwidth;
}

/* Puts the cut into the bound if it is the tightest so far: by load, then by time. Links lead out
 * and in, as many of each. True if it is. */
static bool tighten(const struct bound_request *request, const struct cut *cut, struct bound *bound)
{
    const uint64_t rest = request->placement->n_ranks - cut->n_ranks;
    const uint64_t out = blocks_out(request->collective, cut->n_ranks, rest, cut->has_root);
    const uint64_t in = blocks_out(request->collective, rest, cut->n_ranks, !cut->has_root);
    const uint64_t most = out > in ? out : in, load = load_of(most, cut->n_links);
    if (load < bound->load || (load == bound->load && !takes_longer(most, cut, bound)))
        return false;
    bound->load = load;
    bound->blocks = most;
    bound->bandwidth = cut->bandwidth;
    return true;
}

static uint64_t class_bandwidth(const struct topology *topology, uint32_t i)
{
    return topology->classes[topology->n_classes > 1 ? i : 0].bandwidth;
}

/* --- grids -------------------------------------------------------------- */

/* Ranks by their coordinate in one dimension of a grid. */
struct slabs {
    const struct topology *grid;
    uint32_t dimension, extent, root_at;
    uint64_t *n_ranks; /* [coordinate] */
};

static uint32_t coordinate_of(const struct topology *grid, uint32_t machine, uint32_t dimension)
{
    for (uint32_t d = 0; d < dimension; d++)
        machine /= grid->extent[d].value;
    return machine % grid->extent[dimension].value;
}

static struct slabs slabs_of(const struct bound_request *request, const struct topology *grid,
                             uint32_t dimension)
{
    const struct placement *placement = request->placement;
    const uint32_t extent = grid->extent[dimension].value;
    struct slabs slabs = {grid, dimension, extent, 0, mem_alloc(extent, sizeof *slabs.n_ranks)};
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        slabs.n_ranks[coordinate_of(grid, placement->machine[rank], dimension)]++;
    slabs.root_at = coordinate_of(grid, placement->machine[request->root], dimension);
    return slabs;
}

/* The slab of `length` coordinates from `first` on, cyclic. */
static bool try_slab(const struct bound_request *request, const struct slabs *slabs,
                     uint32_t first, uint32_t length, uint64_t n_ranks, struct bound *bound)
{
    const struct topology *grid = slabs->grid;
    const bool wraps = grid->wraps[slabs->dimension];
    const uint64_t places = wraps ? 2 : 1, across = grid->n_machines / slabs->extent;
    const uint32_t from_first = (slabs->root_at + slabs->extent - first) % slabs->extent;
    struct cut cut = {n_ranks, from_first < length, places * across, 0};
    cut.bandwidth = cut.n_links * class_bandwidth(grid, slabs->dimension);
    if (!tighten(request, &cut, bound))
        return false;
    text_free(&bound->reason);
    text_printf(&bound->reason,
                "links one way between coordinates %" PRIu32 " .. %" PRIu32
                " of dimension %" PRIu32 " and the others: %" PRIu64
                "; blocks that must cross them: %" PRIu64,
                first, (first + length - 1) % slabs->extent, slabs->dimension, cut.n_links,
                bound->blocks);
    return true;
}

static void try_dimension(const struct bound_request *request, const struct slabs *slabs,
                          struct bound *bound)
{
    const bool wraps = slabs->grid->wraps[slabs->dimension];
    const uint32_t extent = slabs->extent, half = extent / 2;
    uint64_t n_ranks = 0;
    if (wraps) {
        for (uint32_t at = 0; at < half; at++)
            n_ranks += slabs->n_ranks[at];
        for (uint32_t first = 0; half && first < extent; first++) {
            try_slab(request, slabs, first, half, n_ranks, bound);
            n_ranks += slabs->n_ranks[(first + half) % extent];
            n_ranks -= slabs->n_ranks[first];
        }
        return;
    }
    for (uint32_t length = 1; length < extent; length++) {
        n_ranks += slabs->n_ranks[length - 1];
        try_slab(request, slabs, 0, length, n_ranks, bound);
    }
}

bool bound_bisection(const struct bound_request *request, struct bound *bound)
{
    const struct topology *grid = topology_grid(request->topology);
    bound->kind = "bisection";
    for (uint32_t d = 0; grid && d < grid->n_dimensions; d++) {
        struct slabs slabs = slabs_of(request, grid, d);
        try_dimension(request, &slabs, bound);
        free(slabs.n_ranks);
    }
    return bound->load > 0;
}

/* --- trees -------------------------------------------------------------- */

/* Below one router of `level`: `below` machines from number `index` * below on; n_links lead
 * up from there. */
static void try_subtrees(const struct bound_request *request, uint32_t level, uint64_t below,
                         uint64_t n_links, struct bound *bound)
{
    const struct placement *placement = request->placement;
    const uint64_t n = request->topology->n_machines / below;
    const uint64_t root_at = placement->machine[request->root] / below;
    uint64_t *n_ranks = mem_alloc(n, sizeof *n_ranks);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        n_ranks[placement->machine[rank] / below]++;
    for (uint64_t i = 0; i < n; i++) {
        const struct cut cut = {n_ranks[i], i == root_at, n_links,
                                n_links * class_bandwidth(request->topology, level)};
        if (!tighten(request, &cut, bound))
            continue;
        text_free(&bound->reason);
        text_printf(&bound->reason,
                    "links one way above machines %" PRIu64 " .. %" PRIu64
                    ", level %" PRIu32 " of the tree: %" PRIu64
                    "; blocks that must cross them: %" PRIu64,
                    i * below, (i + 1) * below - 1, level, n_links, bound->blocks);
    }
    free(n_ranks);
}

bool bound_tree(const struct bound_request *request, struct bound *bound)
{
    const struct topology *tree = request->topology;
    uint64_t below = 1;
    bound->kind = "tree";
    if (tree->kind != TOPOLOGY_TREE)
        return false;
    for (uint32_t level = 0; level + 1 < tree->n_levels; level++) {
        /* above each machine are width[level] routers of this level, each with up[level + 1]
         * links to the next one */
        below *= tree->down[level].value;
        try_subtrees(request, level + 1, below,
                     (uint64_t)tree->width[level].value * tree->up[level + 1].value, bound);
    }
    return bound->load > 0;
}

/* --- machines ----------------------------------------------------------- */

/* Links out of the machines. */
struct ports {
    uint64_t *n_out, *n_in, *bandwidth; /* [machine]; of both directions, the smaller */
    bool *is_open;                      /* [machine] some link takes any number of messages */
};

static void count_ports(const struct topology *topology, struct ports *ports)
{
    const uint32_t n = topology->n_machines;
    uint32_t from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        const uint64_t bandwidth = topology_link_bandwidth(topology, link);
        const bool contends = topology_link_contends(topology, link);
        topology_link_ends(topology, link, &from, &to);
        if (from < n) {
            ports->n_out[from]++;
            ports->bandwidth[from] += bandwidth;
            ports->is_open[from] |= !contends;
        }
        if (to < n) {
            ports->n_in[to]++;
            ports->is_open[to] |= !contends;
        }
    }
}

/* A machine that has the same number of links out and in. */
static void try_machine(const struct bound_request *request, const struct ports *ports,
                        uint32_t server, struct bound *bound)
{
    const struct placement *placement = request->placement;
    const uint32_t machine = placement->server_machine[server];
    const struct cut cut = {placement->first[server + 1] - placement->first[server],
                            placement->server[request->root] == server, ports->n_out[machine],
                            ports->bandwidth[machine]};
    char name[256];
    if (ports->is_open[machine] || ports->n_out[machine] != ports->n_in[machine] ||
        !tighten(request, &cut, bound))
        return;
    topology_node_name(request->topology, machine, name, sizeof name);
    text_free(&bound->reason);
    text_printf(&bound->reason, "links one way of machine ");
    text_append_safe(&bound->reason, name);
    text_printf(&bound->reason, ": %" PRIu64 "; blocks that must cross them: %" PRIu64,
                cut.n_links, bound->blocks);
}

bool bound_machine(const struct bound_request *request, struct bound *bound)
{
    const struct topology *topology = request->topology;
    const uint32_t n = topology->n_machines;
    bound->kind = "machine";
    if (topology->kind == TOPOLOGY_COMPOSITE || topology->kind == TOPOLOGY_ZONES)
        return false;
    struct ports ports = {mem_alloc(n, sizeof(uint64_t)), mem_alloc(n, sizeof(uint64_t)),
                          mem_alloc(n, sizeof(uint64_t)), mem_alloc(n, sizeof(bool))};
    count_ports(topology, &ports);
    for (uint32_t server = 0; server < request->placement->n_servers; server++)
        try_machine(request, &ports, server, bound);
    free(ports.n_out);
    free(ports.n_in);
    free(ports.bandwidth);
    free(ports.is_open);
    return bound->load > 0;
}
