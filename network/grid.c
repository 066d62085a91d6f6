/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mesh, torus and mixtures. Nothing is stored per node: coordinates, links and
 * routes are computed. Node (x, y, z) of extents (X, Y, Z) has the index
 * x + X * (y + Y * z); its links are node * 2D + 2 * dimension + sign.
 */
#include "network/grid.h"

#include "network/grid_loads.h"
#include "network/grid_shifts.h"
#include "network/kind.h"
#include "network/view.h"

static const struct topology_methods grid_methods;

const struct grid *topology_as_grid(const struct topology *topology)
{
    return topology->methods == &grid_methods ? topology->self : NULL;
}

static const char *grid_check(uint32_t n_dimensions, const uint32_t *extent, uint64_t *machines)
{
    if (n_dimensions < 1 || n_dimensions > TOPOLOGY_MAX_DIMENSIONS)
        return "a grid has 1 to 8 dimensions";
    *machines = 1;
    for (uint32_t i = 0; i < n_dimensions; i++) {
        if (extent[i] < 1 || extent[i] > TOPOLOGY_MAX_EXTENT)
            return "an extent of a grid is between 1 and 1048576";
        *machines *= extent[i];
        if (*machines > TOPOLOGY_MAX_MACHINES)
            return "more than 1073741824 machines";
    }
    if (*machines * 2 * n_dimensions >= UINT32_MAX)
        return "more than 4294967294 links";
    return NULL;
}

static void grid_count(struct topology *topology)
{
    const struct grid *grid = topology->self;
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        uint32_t extent = grid->extent[i].value;
        uint32_t gaps = grid->wraps[i] && extent > 1 ? extent : extent - 1;
        topology->n_links += topology->n_machines / extent * 2 * gaps;
        topology->max_hops += grid->wraps[i] ? extent / 2 : extent - 1;
    }
    topology->n_link_ids = topology->n_machines * 2 * grid->n_dimensions;
}

struct topology *topology_new_grid(const struct topology_settings *settings, uint32_t n_dimensions,
                                   const uint32_t *extent, const bool *wraps,
                                   const char **problem)
{
    uint64_t machines = 0;
    *problem = grid_check(n_dimensions, extent, &machines);
    if (*problem)
        return NULL;
    struct topology *topology = topology_allocate(&grid_methods, sizeof(struct grid), settings);
    struct grid *grid = topology->self;
    topology->n_machines = topology->n_routers = topology->n_nodes = (uint32_t)machines;
    topology->machines_forward = true;
    topology->has_machine_ports = false;
    grid->n_dimensions = n_dimensions;
    for (uint32_t i = 0; i < n_dimensions; i++) {
        grid->extent[i] = divider_of(extent[i]);
        grid->wraps[i] = wraps[i];
    }
    topology_set_classes(topology, settings, n_dimensions);
    grid_count(topology);
    return topology_finish(topology);
}

struct topology *topology_new_tofu(const struct topology_settings *settings,
                                   const uint32_t *extent, const char **problem)
{
    /* X, Y, Z, A, B, C; each ring of the view goes over one of the first and one of the last */
    static const bool wraps[] = {true, true, true, false, true, false};
    static const struct view view = {3, {{0, 3}, {1, 4}, {2, 5}}};
    const uint32_t extents[] = {extent[0], extent[1], extent[2], 2, 3, 2};
    struct topology *topology = topology_new_grid(settings, 6, extents, wraps, problem);
    if (!topology)
        return NULL;
    struct grid *grid = topology->self;
    grid->view = &view;
    topology->name = settings->name ? topology->name : NULL;
    return topology_finish(topology);
}

/* Writes the leg's links, from a node on. The dateline is the wrap link: lane 0 before it, lane 1 from it
 * on. */
static struct hop *leg_walk(const struct grid_leg *leg, uint32_t links_per_node, uint32_t node,
                            struct hop *hops)
{
    uint32_t at = leg->from, lane = 0;
    uint32_t border = leg->sign == GRID_PLUS ? leg->extent - 1 : 0;
    uint32_t back = leg->stride * (leg->extent - 1);
    for (uint32_t i = 0; i < leg->length; i++) {
        bool wrap = at == border;
        lane |= wrap;
        *hops++ = (struct hop){node * links_per_node + 2 * leg->dimension + leg->sign, lane};
        if (leg->sign == GRID_PLUS) {
            at = wrap ? 0 : at + 1;
            node = wrap ? node - back : node + leg->stride;
        } else {
            at = wrap ? leg->extent - 1 : at - 1;
            node = wrap ? node + back : node - leg->stride;
        }
    }
    return hops;
}

static uint32_t grid_walk(const struct grid *grid, const uint32_t ends[2], uint32_t turned, struct hop *hops)
{
    struct hop *end = hops;
    for (struct grid_legs legs = grid_legs_of(ends[0], ends[1], turned); grid_next_leg(grid, &legs);)
        end = leg_walk(&legs.leg, 2 * grid->n_dimensions, legs.row + legs.leg.from * legs.leg.stride, end);
    return (uint32_t)(end - hops);
}

static uint32_t grid_route(const struct topology *topology, uint32_t source, uint32_t destination,
                           struct hop *hops)
{
    return grid_walk(topology->self, (uint32_t[]){source, destination}, 0, hops);
}

/* Writes n links, each so far behind the one before. */
static inline uint32_t *lay_links(uint32_t *links, uint32_t first, uint32_t n, uint32_t apart)
{
    for (uint32_t i = 0; i < n; i++)
        links[i] = first + i * apart;
    return links + n;
}

/* Writes the links of a leg: up to the border of the row, and on from the other one. `row` is the first link
 * of the leg's port in the row, `apart` what the next one is further on. */
static inline uint32_t *grid_lay_leg(const struct grid_leg *leg, uint32_t row, uint32_t apart,
                                     uint32_t *links)
{
    const bool is_plus = leg->sign == GRID_PLUS;
    const uint32_t before = is_plus ? leg->extent - leg->from : leg->from + 1; /* with that over the border */
    const uint32_t n = leg->length < before ? leg->length : before;
    const uint32_t other = is_plus ? 0 : leg->extent - 1, step = is_plus ? apart : 0 - apart;
    links = lay_links(links, row + leg->from * apart, n, step);
    return lay_links(links, row + other * apart, leg->length - n, step);
}

/* Writes the links of one pair, as of `walk`; their end. */
static inline uint32_t *grid_lay_route(const struct grid *grid, const struct topology_pair *pair,
                                       uint32_t *links)
{
    const uint32_t links_per_node = 2 * grid->n_dimensions;
    struct grid_legs legs = grid_legs_of(pair->source, pair->destination, 0);
    while (grid_next_leg(grid, &legs))
        links = grid_lay_leg(&legs.leg, legs.row * links_per_node + 2 * legs.leg.dimension + legs.leg.sign,
                             legs.leg.stride * links_per_node, links);
    return links;
}

static void grid_route_pairs(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                             uint32_t *links, uint32_t *n_links)
{
    const struct grid grid = *(const struct grid *)topology->self; /* a copy, which `links` is no part of */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *const end = grid_lay_route(&grid, &pairs[i], links);
        n_links[i] = (uint32_t)(end - links);
        links = end;
    }
}

/* Writes the ways nearer along one dimension: both where they are equally long. Whoever has yet to cross the
 * dateline is on lane 0, all others on lane 1, so that lanes depend on nothing but where a message is and
 * where it goes (Dally and Seitz 1987). */
static uint32_t grid_ways_along(const struct grid_leg *leg, uint32_t to, bool wraps, uint32_t link,
                                struct hop *choices)
{
    const bool goes_up = to > leg->from;
    const uint32_t direct = goes_up ? to - leg->from : leg->from - to, round = leg->extent - direct;
    uint32_t n = 0;
    for (uint32_t sign = GRID_PLUS; sign <= GRID_MINUS; sign++) {
        const bool is_direct = (sign == GRID_PLUS) == goes_up;
        if (is_direct ? !wraps || direct <= round : wraps && round <= direct)
            choices[n++] = (struct hop){link + sign, wraps && is_direct};
    }
    return n;
}

/* The lowest dimension comes first, and + before -, as by the rule. */
static uint32_t grid_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                                  struct hop *choices)
{
    const struct grid *grid = topology->self;
    uint32_t from = node, to = destination, n = 0;
    for (uint32_t i = 0; from != to; i++) {
        const struct divider *extent = &grid->extent[i];
        const uint32_t next_from = divide(from, extent), next_to = divide(to, extent);
        const struct grid_leg leg = {.extent = extent->value, .from = from - next_from * extent->value};
        const uint32_t place = to - next_to * extent->value;
        if (leg.from != place)
            n += grid_ways_along(&leg, place, grid->wraps[i], node * 2 * grid->n_dimensions + 2 * i,
                                 choices + n);
        from = next_from;
        to = next_to;
    }
    for (uint32_t i = 1; i < n; i++)
        choices[i].lane = 0;
    return n;
}

/* ---- round failed links ---- */

/* Returns the coordinate `offset` steps from `at` in one dimension, or `extent`: none. */
static uint32_t step_along(uint32_t at, uint32_t extent, uint32_t offset, bool wraps)
{
    if (offset >= extent)
        return extent;
    uint32_t to = at + offset;
    return to < extent ? to : wraps ? to - extent : extent;
}

/* A node on an axis of another, nearest first, in each distance dimension by dimension,
 * + before -. That node itself: there is none. */
static uint32_t on_axis(const struct grid *grid, uint32_t source, uint32_t number)
{
    uint32_t dimension = number / 2 % grid->n_dimensions, stride = 1;
    uint32_t offset = 1 + number / 2 / grid->n_dimensions;
    for (uint32_t i = 0; i < dimension; i++)
        stride *= grid->extent[i].value;
    uint32_t extent = grid->extent[dimension].value, at = source / stride % extent;
    uint32_t from = number % 2 ? extent - 1 - at : at; /* - is + in the mirror */
    uint32_t to = step_along(from, extent, offset, grid->wraps[dimension]);
    if (to == extent)
        return source;
    return source - at * stride + (number % 2 ? extent - 1 - to : to) * stride;
}

/* Dimension order to the waypoint, then from there, on lanes 2 and 3 (Valiant and Brebner 1981). */
static uint32_t route_by(const struct topology *topology, const uint32_t ends[2], uint32_t by,
                         struct hop *hops)
{
    if (by == ends[0] || by == ends[1])
        return 0;
    uint32_t n = grid_route(topology, ends[0], by, hops);
    uint32_t m = grid_route(topology, by, ends[1], hops + n);
    for (uint32_t i = 0; i < m; i++)
        hops[n + i].lane += 2;
    return n + m;
}

/* First the longer way round in one dimension after the other, then by waypoints on the
 * axes of the source and of the destination in turn. */
static uint32_t grid_alternative(const struct topology *topology, uint32_t source,
                                 uint32_t destination, uint32_t number, struct hop *hops)
{
    const struct grid *grid = topology->self;
    const uint32_t ends[2] = {source, destination};
    uint32_t n = grid->n_dimensions, most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = grid->extent[i].value > most ? grid->extent[i].value : most;
    if (number >= n + 4 * n * most)
        return NO_ALTERNATIVE;
    if (number < n)
        return grid_walk(grid, ends, 1u << number, hops);
    uint32_t of = ends[(number - n) % 2];
    return route_by(topology, ends, on_axis(grid, of, (number - n) / 2), hops);
}

/* A link taken apart. */
struct grid_link {
    uint32_t node, dimension, sign;
    uint32_t at;     /* the node's coordinate in that dimension */
    uint32_t stride; /* of the node index along it */
    uint32_t extent;
};

static struct grid_link grid_link_of(const struct grid *grid, uint32_t link)
{
    uint32_t links_per_node = 2 * grid->n_dimensions, port = link % links_per_node;
    struct grid_link parts = {link / links_per_node, port / 2, port % 2, 0, 1, 1};
    for (uint32_t i = 0; i < parts.dimension; i++)
        parts.stride *= grid->extent[i].value;
    parts.extent = grid->extent[parts.dimension].value;
    parts.at = parts.node / parts.stride % parts.extent;
    return parts;
}

static bool at_border(const struct grid_link *link)
{
    return link->at == (link->sign == GRID_PLUS ? link->extent - 1 : 0);
}

static bool grid_has_link(const struct topology *topology, uint32_t link)
{
    const struct grid *grid = topology->self;
    struct grid_link parts = grid_link_of(grid, link);
    if (parts.extent == 1)
        return false;
    return grid->wraps[parts.dimension] || !at_border(&parts);
}

/* Returns the node a link leads to; the link's own node if there is no such link. */
static uint32_t grid_link_end(const struct topology *topology, uint32_t link)
{
    struct grid_link parts = grid_link_of(topology->self, link);
    if (!grid_has_link(topology, link))
        return parts.node;
    uint32_t back = parts.stride * (parts.extent - 1);
    if (parts.sign == GRID_PLUS)
        return at_border(&parts) ? parts.node - back : parts.node + parts.stride;
    return at_border(&parts) ? parts.node + back : parts.node - parts.stride;
}

static const struct link_class *grid_class(const struct topology *topology, uint32_t link)
{
    const struct grid *grid = topology->self;
    return topology_class(topology, link % (2 * grid->n_dimensions) / 2);
}

static uint64_t grid_link_bandwidth(const struct topology *topology, uint32_t link)
{
    return grid_class(topology, link)->bandwidth;
}

static uint64_t grid_link_latency(const struct topology *topology, uint32_t link)
{
    return grid_class(topology, link)->latency;
}

/* Writes a number; the end of it. */
static char *grid_put_number(char *at, uint32_t number)
{
    char digits[10];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n)
        *at++ = digits[--n];
    return at;
}

/* Prints the name of a node without printf: millions of machines are named when networks are joined by
 * names. */
static void grid_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    const struct grid *grid = topology->self;
    char name[TOPOLOGY_MAX_DIMENSIONS * 11 + 2], *at = name;
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        uint32_t above = divide(node, &grid->extent[i]);
        *at++ = i ? ',' : '(';
        at = grid_put_number(at, node - above * grid->extent[i].value);
        node = above;
    }
    *at++ = ')';
    text_append(out, name, (size_t)(at - name));
}

static void grid_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                           uint32_t *to)
{
    const struct grid *grid = topology->self;
    *from = link / (2 * grid->n_dimensions);
    *to = grid_link_end(topology, link);
}

/* "(3,4)", without blanks. */
static uint32_t grid_find_coordinates(const struct topology *topology, const char *name, size_t length)
{
    const struct grid *grid = topology->self;
    const char *cursor = name, *end = name + length;
    uint32_t machine = 0, stride = 1;
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        uint32_t value;
        if (cursor == end || *cursor++ != (i ? ',' : '(') ||
            !topology_scan_number(&cursor, end, &value) || value >= grid->extent[i].value)
            return topology->n_machines;
        machine += value * stride;
        stride *= grid->extent[i].value;
    }
    bool closed = cursor != end && *cursor == ')' && cursor + 1 == end;
    return closed ? machine : topology->n_machines;
}

static uint32_t grid_find_machine(const struct topology *topology, const char *name, size_t length)
{
    return length && name[0] == '(' ? grid_find_coordinates(topology, name, length)
                                    : topology_find_numbered(topology, name, length);
}

static uint32_t n_wrapped(const struct grid *grid)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        n += grid->wraps[i];
    return n;
}

static bool grid_has_lanes(const struct topology *topology)
{
    return n_wrapped(topology->self) > 0;
}

static const char *grid_routing_rule(const struct topology *topology)
{
    (void)topology;
    return "dimension order, lowest dimension first, the shorter way round and + on a tie; "
           "lane 1 from the dateline on";
}

/* mesh:..., torus:..., or torus with the suffix m on what does not wrap; a view is
 * that of tofu:, which has an axis for each number. */
static void grid_shape(const struct topology *topology, struct text *out)
{
    const struct grid *grid = topology->self;
    uint32_t wrapped = n_wrapped(grid);
    uint32_t n = grid->view ? grid->view->n_axes : grid->n_dimensions;
    text_printf(out, "%s:", grid->view ? "tofu" : wrapped ? "torus" : "mesh");
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%u%s", i ? "x" : "", grid->extent[i].value,
                    wrapped && !grid->wraps[i] ? "m" : "");
    topology_print_values(topology, out);
}

static bool grid_cut(const struct topology *topology, uint32_t i, struct topology_cut *cut)
{
    const struct grid *grid = topology->self;
    uint64_t stride = 1;
    if (i >= grid->n_dimensions)
        return false;
    for (uint32_t d = 0; d < i; d++)
        stride *= grid->extent[d].value;
    const uint32_t extent = grid->extent[i].value;
    *cut = (struct topology_cut){grid->wraps[i] ? CUT_RING : CUT_ROW, i, extent, stride,
                                 topology->n_machines / extent,
                                 topology_class(topology, i)->bandwidth};
    return true;
}

static uint64_t grid_fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct grid *grid = topology->self;
    hash = fingerprint_values(topology, hash);
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        hash = fingerprint_number(hash, (uint64_t)grid->extent[i].value << 1 | grid->wraps[i]);
    return fingerprint_classes(topology, hash);
}

static const struct bulk_methods grid_bulk = {
    .route_pairs = grid_route_pairs,
    .lay_loads = grid_lay_loads,
    .sum_loads = grid_sum_loads,
};

static const struct shift_methods grid_shifts = {
    .has_shifts = grid_has_shifts,
    .class_hops = grid_class_hops,
    .offset_latency = grid_offset_latency,
    .links_at = grid_links_at,
    .max_class_hops = grid_max_class_hops,
    .n_classes = grid_n_classes,
    .n_positions = grid_n_positions,
    .link_class = grid_link_class,
};

static const struct topology_methods grid_methods = {
    .number = KIND_GRID,
    .route = grid_route,
    .bulk = &grid_bulk,
    .shifts = &grid_shifts,
    .alternative = grid_alternative,
    .next_choices = grid_next_choices,
    .alternatives = "by the longer way round a ring, else by the nearest node on an axis of either "
                    "end and on lanes 2 and 3 from there",
    .alternatives_have_lanes = true,
    .has_link = grid_has_link,
    .link_ends = grid_link_ends,
    .link_bandwidth = grid_link_bandwidth,
    .link_latency = grid_link_latency,
    .node_name = grid_node_name,
    .find_machine = grid_find_machine,
    .has_lanes = grid_has_lanes,
    .routing_rule = grid_routing_rule,
    .shape = grid_shape,
    .cut = grid_cut,
    .fingerprint = grid_fingerprint,
};
