/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds by a cut. See bisection.h for the proof.
 */
#include "bound/bisection.h"

#include "base/integer.h"

#include <inttypes.h>
#include <stdlib.h>

/* Ranks on some machines. */
struct side {
    uint64_t n_ranks;
    uint64_t amount;  /* sum over them: ranks, or bytes */
    bool has_root;
    uint64_t out, in; /* alltoallv: what they have for the others, and the others for them */
};

/* A set of machines and the links out of it. */
struct cut {
    struct side inside;
    uint64_t n_links, bandwidth; /* together */
};

/* State shared by all cuts of a kind. */
struct cutting {
    const struct bound_request *request;
    struct side all;
    struct bound *bound; /* the tightest so far */
};

static bool is_paired(const struct bound_request *request)
{
    return request->counts && collective_has_pairs(request->collective);
}

/* ---- the two sides ---- */

static uint64_t bisection_amount_of(const struct bound_request *request, uint64_t datum)
{
    return request->counts ? request->counts->bytes(request->counts, datum) : 1;
}

static void add_rank(const struct bound_request *request, uint32_t rank, struct side *side)
{
    side->n_ranks++;
    side->amount += is_paired(request) ? 0 : bisection_amount_of(request, rank);
    side->has_root |= rank == request->root;
}

/* The ranks of each of many groups: 4 bytes for each if all blocks are equal. */
struct sides {
    uint32_t *n_ranks;  /* [group] */
    uint64_t *amount;   /* [group]; NULL: the number of ranks */
    uint64_t *out, *in; /* [group]; NULL: no alltoallv */
    uint32_t root;      /* the group that it is in; UINT32_MAX: none */
};

/* Groups the ranks by the number group[rank], below n. */
static struct sides make_sides(const struct bound_request *request, const uint32_t *group, uint64_t n)
{
    const uint32_t p = request->placement->n_ranks;
    struct sides sides = {mem_alloc(n, sizeof *sides.n_ranks), NULL, NULL, NULL, UINT32_MAX};
    if (request->root < p)
        sides.root = group[request->root];
    if (is_paired(request)) {
        sides.out = mem_alloc(n, sizeof *sides.out);
        sides.in = mem_alloc(n, sizeof *sides.in);
    } else if (request->counts) {
        sides.amount = mem_alloc(n, sizeof *sides.amount);
    }
    for (uint32_t rank = 0; rank < p; rank++) {
        sides.n_ranks[group[rank]]++;
        if (sides.amount)
            sides.amount[group[rank]] += bisection_amount_of(request, rank);
    }
    return sides;
}

static struct side bisection_side_of(const struct sides *sides, uint64_t group)
{
    const uint32_t n_ranks = sides->n_ranks[group];
    return (struct side){n_ranks,
                         sides->amount ? sides->amount[group]
                         : sides->out  ? 0
                                       : n_ranks,
                         sides->root == group, sides->out ? sides->out[group] : 0,
                         sides->in ? sides->in[group] : 0};
}

static void free_sides(struct sides *sides)
{
    free(sides->n_ranks);
    free(sides->amount);
    free(sides->out);
    free(sides->in);
}

/* Goes through what ranks of an alltoallv have for ranks of another group. */
static void each_pair(const struct bound_request *request, const uint32_t *group,
                      void visit(void *data, uint32_t from, uint32_t to, uint64_t bytes), void *data)
{
    const uint32_t p = request->placement->n_ranks;
    for (uint32_t i = 0; is_paired(request) && i < p; i++)
        for (uint32_t j = 0; j < p; j++)
            if (group[i] != group[j])
                visit(data, group[i], group[j], bisection_amount_of(request, (uint64_t)i * p + j));
}

static void add_to_sides(void *data, uint32_t from, uint32_t to, uint64_t bytes)
{
    const struct sides *sides = data;
    sides->out[from] += bytes;
    sides->in[to] += bytes;
}

static struct cutting bisection_begin(const struct bound_request *request, struct bound *bound)
{
    struct cutting cutting = {.request = request, .bound = bound};
    for (uint32_t rank = 0; rank < request->placement->n_ranks; rank++)
        add_rank(request, rank, &cutting.all);
    return cutting;
}

static struct side rest_of(const struct cutting *cutting, const struct side *side)
{
    return (struct side){cutting->all.n_ranks - side->n_ranks, cutting->all.amount - side->amount,
                         !side->has_root, side->in, side->out};
}

/* Returns the blocks that the ranks inside hold and those outside need; 0 of a scan, for which it matters
 * which ranks are inside. */
static uint64_t blocks_out(const struct bound_request *request, const struct side *inside,
                           const struct side *outside)
{
    const struct collective_info *info = &collective_table[request->collective];
    if (inside->n_ranks == 0 || outside->n_ranks == 0 || collective_is_scan(request->collective))
        return 0;
    if ((info->before == HELD_ROOT && !inside->has_root) || (info->after == HELD_ROOT && inside->has_root))
        return 0;
    switch (info->numbering) {
    case NUMBERED_PAIRS:
        return request->counts ? inside->out : inside->n_ranks * outside->n_ranks;
    case NUMBERED_RANKS:
        return info->before == HELD_EACH ? inside->amount : outside->amount;
    case NUMBERED_WHOLE:
        return 1;
    case NUMBERED_PLACES:
    case NUMBERED_NONE:
        break;
    }
    return 0;
}

bool bound_serves(enum collective collective)
{
    const struct bound_request request = {.collective = collective};
    const struct side with_root = {1, 1, true, 0, 0}, without = {1, 1, false, 0, 0};
    return blocks_out(&request, &with_root, &without) || blocks_out(&request, &without, &with_root);
}

/* True if the links of the cut need longer for their blocks than those of the bound. */
static bool bisection_takes_longer(uint64_t blocks, const struct cut *cut, const struct bound *bound)
{
    return (divider_product)blocks * bound->bandwidth > (divider_product)bound->blocks * cut->bandwidth;
}

/* Puts the cut into the bound if it is the tightest so far: by load, then by time. Links lead out
 * and in, as many of each. True if it is; its reason is empty then. */
static bool tighten(const struct cutting *cutting, const struct cut *cut)
{
    struct bound *bound = cutting->bound;
    const struct side rest = rest_of(cutting, &cut->inside);
    const uint64_t out = blocks_out(cutting->request, &cut->inside, &rest);
    const uint64_t in = blocks_out(cutting->request, &rest, &cut->inside);
    const uint64_t most = larger(out, in);
    if (most == 0 || cut->n_links == 0)
        return false;
    const struct fraction load = fraction_of(most, cut->n_links);
    if (fraction_is_above(bound->load, load) ||
        (!fraction_is_above(load, bound->load) && !bisection_takes_longer(most, cut, bound)))
        return false;
    bound->load = load;
    bound->blocks = most;
    bound->bandwidth = cut->bandwidth;
    text_free(&bound->reason);
    return true;
}

/* Appends the end of a reason. */
static void say_how_much(const struct cutting *cutting, const struct cut *cut)
{
    text_printf(&cutting->bound->reason, ": %" PRIu64 "; %s that must cross them: %" PRIu64,
                cut->n_links, bound_unit(cutting->request), cutting->bound->blocks);
}

/* --- rows and rings of groups ------------------------------------------- */

/* Ranks by their coordinate in one dimension. Slabs are numbered, on a ring by their first coordinate, on a
 * row by their length. */
struct slabs {
    struct topology_cut cut;
    bool wraps;
    uint32_t extent;
    struct sides at;    /* [coordinate] */
    uint64_t *out, *in; /* [slab] alltoallv: how much more than of the slab before; modulo 2^64 */
};

/* Adds bytes to `more` for n consecutive slabs, cyclic. */
static void add_to_slabs(const struct slabs *slabs, uint64_t *more, uint32_t first, uint32_t n,
                         uint64_t bytes)
{
    const uint32_t end = first + n;
    more[first] += bytes;
    more[end < slabs->extent ? end : slabs->extent] -= bytes;
    if (end > slabs->extent) {
        more[0] += bytes;
        more[end - slabs->extent] -= bytes;
    }
}

/* Adds bytes that cross the borders of all slabs that have the coordinate `inside`, not `outside`. On a
 * ring those with `inside` begin at the half of the coordinates that ends there. */
static void bisection_cross(const struct slabs *slabs, uint64_t *more, uint32_t inside, uint32_t outside,
                            uint64_t bytes)
{
    const uint32_t extent = slabs->extent, half = extent / 2;
    const uint32_t ahead = (outside + extent - inside) % extent, behind = extent - ahead;
    if (!slabs->wraps) {
        if (inside < outside)
            add_to_slabs(slabs, more, inside + 1, outside - inside, bytes);
    } else if (ahead <= half) {
        add_to_slabs(slabs, more, (inside + 1 + extent - half) % extent, ahead, bytes);
    } else {
        add_to_slabs(slabs, more, (inside + 1 + extent - behind) % extent, behind, bytes);
    }
}

static void add_to_borders(void *data, uint32_t from, uint32_t to, uint64_t bytes)
{
    const struct slabs *slabs = data;
    bisection_cross(slabs, slabs->out, from, to, bytes);
    bisection_cross(slabs, slabs->in, to, from, bytes);
}

/* Returns [rank] the group of the cut that its machine is in; release with free. */
static uint32_t *groups_of_ranks(const struct bound_request *request, const struct topology_cut *cut)
{
    const struct placement *placement = request->placement;
    uint32_t *group = mem_alloc(placement->n_ranks, sizeof *group);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        group[rank] = (uint32_t)(placement->machine[rank] / cut->stride % cut->n_groups);
    return group;
}

static struct slabs make_slabs(const struct bound_request *request, const struct topology_cut *cut)
{
    uint32_t *group = groups_of_ranks(request, cut);
    struct slabs slabs = {*cut, cut->shape == CUT_RING, cut->n_groups,
                          make_sides(request, group, cut->n_groups),
                          mem_alloc(cut->n_groups + 1u, sizeof *slabs.out),
                          mem_alloc(cut->n_groups + 1u, sizeof *slabs.in)};
    each_pair(request, group, add_to_borders, &slabs);
    free(group);
    return slabs;
}

static void free_slabs(struct slabs *slabs)
{
    free_sides(&slabs->at);
    free(slabs->out);
    free(slabs->in);
}

/* Tries the slab of `length` coordinates from `first` on, cyclic. Slabs are tried in the order of their
 * numbers. */
static void bisection_try_slab(const struct cutting *cutting, const struct slabs *slabs, uint32_t first,
                               uint32_t length, struct side *inside)
{
    const bool wraps = slabs->wraps;
    const uint64_t places = wraps ? 2 : 1;
    inside->out += slabs->out[wraps ? first : length];
    inside->in += slabs->in[wraps ? first : length];
    struct cut cut = {*inside, places * slabs->cut.n_links, 0};
    cut.bandwidth = cut.n_links * slabs->cut.bandwidth;
    if (!tighten(cutting, &cut))
        return;
    text_printf(&cutting->bound->reason,
                "links one way between coordinates %" PRIu32 " .. %" PRIu32 " of dimension %" PRIu32
                " and the others", first, (first + length - 1) % slabs->extent, slabs->cut.number);
    say_how_much(cutting, &cut);
}

static void add_slab(struct side *side, const struct slabs *slabs, uint32_t at)
{
    const struct side slab = bisection_side_of(&slabs->at, at);
    side->n_ranks += slab.n_ranks;
    side->amount += slab.amount;
    side->has_root |= slab.has_root;
}

static void remove_slab(struct side *side, const struct slabs *slabs, uint32_t at)
{
    const struct side slab = bisection_side_of(&slabs->at, at);
    side->n_ranks -= slab.n_ranks;
    side->amount -= slab.amount;
    side->has_root &= !slab.has_root;
}

static void try_dimension(const struct cutting *cutting, const struct slabs *slabs)
{
    const uint32_t extent = slabs->extent, half = extent / 2;
    struct side inside = {0};
    if (slabs->wraps) {
        for (uint32_t at = 0; at < half; at++)
            add_slab(&inside, slabs, at);
        for (uint32_t first = 0; half && first < extent; first++) {
            bisection_try_slab(cutting, slabs, first, half, &inside);
            remove_slab(&inside, slabs, first);
            add_slab(&inside, slabs, (first + half) % extent);
        }
        return;
    }
    for (uint32_t length = 1; length < extent; length++) {
        add_slab(&inside, slabs, length - 1);
        bisection_try_slab(cutting, slabs, 0, length, &inside);
    }
}

bool bound_bisection(const struct bound_request *request, struct bound *bound)
{
    const struct cutting cutting = bisection_begin(request, bound);
    struct topology_cut cut;
    bound->kind = "bisection";
    for (uint32_t i = 0; topology_find_cut(request->topology, i, &cut); i++) {
        if (cut.shape == CUT_TREE)
            continue;
        struct slabs slabs = make_slabs(request, &cut);
        try_dimension(&cutting, &slabs);
        free_slabs(&slabs);
    }
    return bound->load.bottom > 0;
}

/* --- trees -------------------------------------------------------------- */

/* Tries the groups of machines below common routers of some level. */
static void try_subtrees(const struct cutting *cutting, const struct topology_cut *above)
{
    uint32_t *group = groups_of_ranks(cutting->request, above);
    struct sides sides = make_sides(cutting->request, group, above->n_groups);
    each_pair(cutting->request, group, add_to_sides, &sides);
    for (uint64_t i = 0; i < above->n_groups; i++) {
        const struct cut cut = {bisection_side_of(&sides, i), above->n_links,
                                above->n_links * above->bandwidth};
        if (!tighten(cutting, &cut))
            continue;
        text_printf(&cutting->bound->reason,
                    "links one way above machines %" PRIu64 " .. %" PRIu64 ", level %" PRIu32
                    " of the tree", i * above->stride, (i + 1) * above->stride - 1, above->number);
        say_how_much(cutting, &cut);
    }
    free_sides(&sides);
    free(group);
}

bool bound_tree(const struct bound_request *request, struct bound *bound)
{
    const struct cutting cutting = bisection_begin(request, bound);
    struct topology_cut cut;
    bound->kind = "tree";
    for (uint32_t i = 0; topology_find_cut(request->topology, i, &cut); i++)
        if (cut.shape == CUT_TREE)
            try_subtrees(&cutting, &cut);
    return bound->load.bottom > 0;
}

/* --- machines ----------------------------------------------------------- */

/* Links out of the machines. */
struct ports {
    uint32_t *n_out, *n_in; /* [machine] */
    uint64_t *bandwidth;    /* [machine]; of both directions, the smaller */
    bool *is_open;          /* [machine] some link takes any number of messages */
};

static void bisection_count_ports(const struct topology *topology, struct ports *ports)
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

/* Tries a machine that has the same number of links out and in. */
static void try_machine(const struct cutting *cutting, const struct ports *ports, uint32_t machine,
                        const struct side *inside)
{
    const struct cut cut = {*inside, ports->n_out[machine], ports->bandwidth[machine]};
    struct text *reason = &cutting->bound->reason;
    char name[256];
    if (ports->is_open[machine] || ports->n_out[machine] != ports->n_in[machine] ||
        !tighten(cutting, &cut))
        return;
    topology_node_name(cutting->request->topology, machine, name, sizeof name);
    text_printf(reason, "links one way of machine ");
    text_append_safe(reason, name);
    say_how_much(cutting, &cut);
}

bool bound_machine(const struct bound_request *request, struct bound *bound)
{
    const struct topology *topology = request->topology;
    const struct placement *placement = request->placement;
    const struct cutting cutting = bisection_begin(request, bound);
    const uint32_t n = topology->n_machines;
    bound->kind = "machine";
    if (topology->n_networks > 1 || topology->has_loose_links)
        return false;
    struct ports ports = {mem_alloc(n, sizeof *ports.n_out), mem_alloc(n, sizeof *ports.n_in),
                          mem_alloc(n, sizeof *ports.bandwidth), mem_alloc(n, sizeof *ports.is_open)};
    struct sides sides = make_sides(request, placement->server, placement->n_servers);
    each_pair(request, placement->server, add_to_sides, &sides);
    bisection_count_ports(topology, &ports);
    for (uint32_t server = 0; server < placement->n_servers; server++) {
        const struct side inside = bisection_side_of(&sides, server);
        try_machine(&cutting, &ports, placement->server_machine[server], &inside);
    }
    free_sides(&sides);
    free(ports.n_out);
    free(ports.n_in);
    free(ports.bandwidth);
    free(ports.is_open);
    return bound->load.bottom > 0;
}
