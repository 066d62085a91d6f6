/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Extended generalised fat trees XGFT(h; m_1..m_h; w_1..w_h) (Oehring et al.
 * 1995) under D-mod-k routing (Zahavi 2010). With M_i = m_1 * ... * m_i and
 * W_i = w_1 * ... * w_i a node of level i is a pair (a, b), a < n / M_i and
 * b < W_i, at place a * W_i + b of its level; level 0 are the machines.
 *
 * The port up from level i-1 is (d / W_{i-1}) mod w_i. Read as a mixed-radix
 * number, least significant digit first, the ports of levels 1 to i are the
 * number d mod W_i, so a route to d is at level i in a node with b = d mod W_i,
 * both on the way up and down, and no digit has to be taken apart:
 *
 *   up   to level i:    up_base[i]   + (s / M_{i-1}) * W_i + d mod W_i
 *   down from level i:  down_base[i] + (d / M_{i-1}) * W_i + d mod W_i
 */
#include "network/topology_kinds.h"

static const char *tree_check(uint32_t n_levels, const uint32_t *down, const uint32_t *up)
{
    if (n_levels < 1 || n_levels > TOPOLOGY_MAX_DIMENSIONS)
        return "a tree has 1 to 8 levels";
    uint64_t machines = 1, width = 1, links = 0, nodes = 0;
    for (uint32_t i = 0; i < n_levels; i++) {
        if (!down[i] || !up[i])
            return "the number of children or parents is 0";
        machines *= down[i];
        if (machines > TOPOLOGY_MAX_MACHINES)
            return "more than 1073741824 machines";
    }
    for (uint32_t i = 0, below = (uint32_t)machines; i < n_levels; i++) {
        width *= up[i];
        if (width > UINT32_MAX)
            return "more than 4294967294 links";
        links += 2 * width * below;
        below /= down[i];
        nodes += width * below;
        if (links >= UINT32_MAX || nodes + machines >= UINT32_MAX)
            return "more than 4294967294 links";
    }
    return NULL;
}

static void tree_lay_out(struct topology *topology)
{
    uint32_t below = topology->n_machines;
    for (uint32_t i = 0; i < topology->n_levels; i++) {
        uint32_t width = topology->width[i].value, links = below * width;
        topology->up_base[i] = topology->n_links;
        topology->down_base[i] = topology->n_links + links;
        topology->n_links += 2 * links;
        below /= topology->down[i].value;
        topology->router_base[i] = topology->n_routers;
        topology->n_routers += below * width;
    }
    topology->n_link_ids = topology->n_links;
}

/* Levels with one child need no climbing: the ancestor lies below them. */
static uint32_t tree_height(const struct topology *topology)
{
    uint32_t height = topology->n_levels;
    while (height && topology->down[height - 1].value == 1)
        height--;
    return height;
}

struct topology *topology_new_tree(const struct topology_settings *settings, uint32_t n_levels,
                                   const uint32_t *down, const uint32_t *up,
                                   const char **problem)
{
    *problem = tree_check(n_levels, down, up);
    if (*problem)
        return NULL;
    struct topology *topology = topology_allocate(TOPOLOGY_TREE, &tree_methods, settings);
    topology->n_levels = n_levels;
    topology->n_machines = 1;
    for (uint32_t i = 0, width = 1; i < n_levels; i++) {
        width *= up[i];
        topology->n_machines *= down[i];
        topology->down[i] = divider_of(down[i]);
        topology->up[i] = divider_of(up[i]);
        topology->width[i] = divider_of(width);
    }
    topology_set_classes(topology, settings, n_levels);
    tree_lay_out(topology);
    topology->max_hops = 2 * tree_height(topology);
    return topology_finish(topology);
}

/* The way up is that of the destination `spread`, which may be another. */
static uint32_t climb(const struct topology *topology, const uint32_t ends[2], uint32_t spread,
                      struct hop *hops)
{
    uint32_t down_link[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t s = ends[0], d = ends[1], height = 0;
    for (; s != d; height++) {
        const struct divider *width = &topology->width[height];
        uint32_t b = spread - divide(spread, width) * width->value;
        hops[height] = (struct hop){topology->up_base[height] + s * width->value + b, 0};
        down_link[height] = topology->down_base[height] + d * width->value + b;
        s = divide(s, &topology->down[height]);
        d = divide(d, &topology->down[height]);
    }
    for (uint32_t i = 0; i < height; i++)
        hops[2 * height - 1 - i] = (struct hop){down_link[i], 0};
    return 2 * height;
}

static uint32_t tree_route(const struct topology *topology, uint32_t source, uint32_t destination,
                           struct hop *hops)
{
    return climb(topology, (uint32_t[]){source, destination}, destination, hops);
}

/* The next ways up and down again, one after the other: all of them, as a way is
 * decided by its root. */
static uint32_t tree_alternative(const struct topology *topology, uint32_t source,
                                 uint32_t destination, uint32_t number, struct hop *hops)
{
    uint32_t n_roots = topology->width[topology->n_levels - 1].value;
    if (number + 1 >= n_roots)
        return NO_ALTERNATIVE;
    uint32_t spread = destination % n_roots + number + 1;
    return climb(topology, (uint32_t[]){source, destination}, spread % n_roots, hops);
}

/* The node (a, b) of a level, level 0 being the machines. */
static uint32_t tree_node(const struct topology *topology, uint32_t level, uint32_t a, uint32_t b)
{
    if (level == 0)
        return a;
    return topology->n_machines + topology->router_base[level - 1] +
           a * topology->width[level - 1].value + b;
}

/* Of the links between levels i and i + 1, level 0 being the machines: i. */
static uint32_t tree_level(const struct topology *topology, uint32_t link)
{
    uint32_t i = topology->n_levels - 1;
    while (link < topology->up_base[i])
        i--;
    return i;
}

static uint64_t tree_link_bandwidth(const struct topology *topology, uint32_t link)
{
    return class_of(topology, tree_level(topology, link))->bandwidth;
}

static uint64_t tree_link_latency(const struct topology *topology, uint32_t link)
{
    return class_of(topology, tree_level(topology, link))->latency;
}

static void tree_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    uint32_t i = tree_level(topology, link);
    bool goes_down = link >= topology->down_base[i];
    uint32_t offset = link - (goes_down ? topology->down_base[i] : topology->up_base[i]);
    uint32_t a = offset / topology->width[i].value, b = offset % topology->width[i].value;
    uint32_t lower_b = i ? b % topology->width[i - 1].value : 0;
    uint32_t lower = tree_node(topology, i, a, lower_b);
    uint32_t upper = tree_node(topology, i + 1, a / topology->down[i].value, b);
    *from = goes_down ? upper : lower;
    *to = goes_down ? lower : upper;
}

/* Full bisection, what `fattree` means without `up`: as many parents as
 * children, and one cable per machine. */
static bool is_full_bisection(const struct topology *topology)
{
    bool full = topology->up[0].value == 1;
    for (uint32_t i = 1; i < topology->n_levels; i++)
        full = full && topology->up[i].value == topology->down[i - 1].value;
    return full;
}

static void print_product(const struct divider *factors, uint32_t n, struct text *out)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%u", i ? "x" : "", factors[i].value);
}

static void tree_shape(const struct topology *topology, struct text *out)
{
    bool full = is_full_bisection(topology);
    text_printf(out, "%s:", topology->n_levels == 1 && full ? "star" : "fattree");
    print_product(topology->down, topology->n_levels, out);
    if (!full) {
        text_printf(out, ",up=");
        print_product(topology->up, topology->n_levels, out);
    }
    print_settings(topology, out);
}

static const char *tree_routing_rule(const struct topology *topology)
{
    (void)topology;
    return "up to the nearest common ancestor by D-mod-k, then down";
}

const struct topology_methods tree_methods = {
    .route = tree_route,
    .alternative = tree_alternative,
    .link_ends = tree_link_ends,
    .link_bandwidth = tree_link_bandwidth,
    .link_latency = tree_link_latency,
    .node_name = numbered_node_name,
    .find_machine = numbered_find_machine,
    .routing_rule = tree_routing_rule,
    .shape = tree_shape,
    .fingerprint = implicit_fingerprint,
};
