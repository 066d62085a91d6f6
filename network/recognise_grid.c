/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The grid, or the full mesh, that a network can be.
 *
 * A grid is a product of paths and rings. A ring of 4 is itself the product of two paths
 * of 2, and is taken apart for the search; then two cables of a node belong to the
 * same factor exactly if they do not lie on a common square. A pair of nodes with two
 * cables is a ring of 2. The search starts at a node with the fewest neighbours, which
 * is a corner: two cables of one factor are the two ways round a ring, a lone cable
 * begins a path. From u to its neighbour v along a factor, the neighbours of v in every
 * other factor are those that close a square, and what remains goes on along the factor:
 *
 *     w --- x      w: neighbour of u in another factor
 *     |     |      x: the only other neighbour that v and w share, hence the
 *     u --- v --   neighbour of v in the direction of w
 *
 * So the neighbours of all nodes are sorted by factor and direction, nowhere guessing, and
 * the coordinates are read off.
 */
#include "base/integer.h"
#include "network/full.h"
#include "network/grid.h"
#include "network/recognise_kinds.h"

#include <stdlib.h>
#include <string.h>

/* 8 dimensions, each perhaps two paths of 2; a node has at most as many neighbours. */
enum { MAX_FACTORS = 2 * TOPOLOGY_MAX_DIMENSIONS, MAX_DEGREE = 2 * TOPOLOGY_MAX_DIMENSIONS };

struct factor {
    uint32_t extent;
    bool wraps;
    struct link_class class;
    bool is_second;     /* of two paths of 2 that are a ring of 4 */
    uint32_t dimension; /* of the shape */
};

struct grid_search {
    const struct skeleton *skeleton;
    uint32_t origin;
    uint32_t n_factors;
    struct factor factors[MAX_FACTORS];
    uint32_t *ports; /* [node - begin][factor][+, -]: neighbour, GRAPH_NONE: none */
    bool *is_sorted; /* [node - begin] its ports are known */
    uint32_t *at;    /* [place] node; places count along the factors, first one fastest */
};

static uint32_t *recognise_grid_ports_of(const struct grid_search *search, uint32_t node)
{
    return search->ports + (size_t)(node - search->skeleton->begin) * 2 * search->n_factors;
}

static bool are_neighbours(const struct skeleton *skeleton, uint32_t a, uint32_t b)
{
    const struct neighbour *neighbour = neighbours_of(skeleton, a);
    for (uint32_t i = 0; i < n_neighbours(skeleton, a); i++)
        if (neighbour[i].node == b)
            return true;
    return false;
}

/* Returns the node next to both v and w that is not u, or GRAPH_NONE. */
static uint32_t close_square(const struct skeleton *skeleton, uint32_t u, uint32_t v, uint32_t w)
{
    const struct neighbour *neighbour = neighbours_of(skeleton, w);
    for (uint32_t i = 0; i < n_neighbours(skeleton, w); i++)
        if (neighbour[i].node != u && are_neighbours(skeleton, v, neighbour[i].node))
            return neighbour[i].node;
    return GRAPH_NONE;
}

/* ---- the factors at the origin ---- */

/* A node with the fewest neighbours; false if some node has none or too many. */
static bool find_origin(struct grid_search *search)
{
    const struct skeleton *skeleton = search->skeleton;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t node = skeleton->begin; node < skeleton->begin + skeleton->n; node++) {
        uint32_t n = n_neighbours(skeleton, node);
        if (!n || n > MAX_DEGREE)
            return false;
        if (n < fewest) {
            fewest = n;
            search->origin = node;
        }
    }
    return fewest != UINT32_MAX;
}

static int compare_neighbours(const void *left, const void *right)
{
    const struct neighbour *a = left, *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Sorts the neighbours of the origin into factors; the nearer number is +. */
static void find_factors(struct grid_search *search, uint32_t *ports)
{
    const struct skeleton *skeleton = search->skeleton;
    struct neighbour sorted[MAX_DEGREE];
    bool is_taken[MAX_DEGREE] = {false};
    uint32_t n = n_neighbours(skeleton, search->origin);
    memcpy(sorted, neighbours_of(skeleton, search->origin), n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_neighbours);
    for (uint32_t i = 0; i < n; i++) {
        if (is_taken[i])
            continue;
        struct factor *factor = &search->factors[search->n_factors];
        uint32_t other = i + 1;
        while (other < n && (is_taken[other] || close_square(skeleton, search->origin, sorted[i].node,
                                                             sorted[other].node) != GRAPH_NONE))
            other++;
        *factor = (struct factor){.wraps = other < n || sorted[i].n_cables == 2,
                                  .class = class_of_cable(skeleton, sorted[i].cable)};
        ports[2 * search->n_factors] = sorted[i].node;
        ports[2 * search->n_factors + 1] = other < n ? sorted[other].node : GRAPH_NONE;
        if (other < n)
            is_taken[other] = true;
        search->n_factors++;
    }
}

static void start_at_origin(struct grid_search *search)
{
    uint32_t ports[2 * MAX_FACTORS];
    find_factors(search, ports);
    search->ports =
        mem_alloc(search->skeleton->n, 2 * (size_t)search->n_factors * sizeof *search->ports);
    memcpy(recognise_grid_ports_of(search, search->origin), ports, 2 * search->n_factors * sizeof *ports);
    search->is_sorted[search->origin - search->skeleton->begin] = true;
}

/* ---- from node to node ---- */

static bool recognise_grid_contains(const uint32_t *ports, uint32_t n, uint32_t node)
{
    for (uint32_t i = 0; i < n; i++)
        if (ports[i] == node)
            return true;
    return false;
}

/* The neighbour of v that is in none of its ports yet, GRAPH_NONE if there is none;
 * false if there are several. */
static bool find_rest(const struct grid_search *search, uint32_t v, uint32_t *rest)
{
    const struct neighbour *neighbour = neighbours_of(search->skeleton, v);
    *rest = GRAPH_NONE;
    for (uint32_t i = 0; i < n_neighbours(search->skeleton, v); i++) {
        if (recognise_grid_contains(recognise_grid_ports_of(search, v), 2 * search->n_factors,
                                    neighbour[i].node))
            continue;
        if (*rest != GRAPH_NONE)
            return false;
        *rest = neighbour[i].node;
    }
    return true;
}

/* Sorts the neighbours of v, which is next to u in the + direction of a factor. */
static bool sort_ports(struct grid_search *search, uint32_t u, uint32_t factor, uint32_t v)
{
    const uint32_t *from = recognise_grid_ports_of(search, u);
    uint32_t *to = recognise_grid_ports_of(search, v);
    memset(to, 0xff, 2 * search->n_factors * sizeof *to);
    for (uint32_t port = 0; port < 2 * search->n_factors; port++) {
        if (port / 2 == factor || from[port] == GRAPH_NONE)
            continue;
        to[port] = close_square(search->skeleton, u, v, from[port]);
        if (to[port] == GRAPH_NONE)
            return false;
    }
    to[2 * factor + 1] = u;
    search->is_sorted[v - search->skeleton->begin] = true;
    return find_rest(search, v, &to[2 * factor]);
}

/* Returns the next node in the + direction, its ports known, or GRAPH_NONE. */
static uint32_t recognise_grid_step(struct grid_search *search, uint32_t u, uint32_t factor)
{
    uint32_t v = recognise_grid_ports_of(search, u)[2 * factor];
    if (v == GRAPH_NONE || search->is_sorted[v - search->skeleton->begin])
        return v;
    return sort_ports(search, u, factor, v) ? v : GRAPH_NONE;
}

/* Walks along every factor from the origin; false if the extents are not those of a
 * grid with as many nodes. */
static bool recognise_grid_measure(struct grid_search *search)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < search->n_factors; i++) {
        uint32_t node = search->origin, extent = 0;
        for (; node != GRAPH_NONE && extent <= search->skeleton->n; extent++) {
            node = recognise_grid_step(search, node, i);
            if (node == search->origin)
                node = GRAPH_NONE;
        }
        search->factors[i].extent = extent;
        product *= extent;
        if (product > search->skeleton->n)
            return false;
    }
    return product == search->skeleton->n;
}

/* Reaches every place from the one before it along some factor. */
static bool visit_places(struct grid_search *search)
{
    search->at[0] = search->origin;
    uint32_t stride = 1;
    for (uint32_t i = 0; i < search->n_factors; i++) {
        uint32_t end = stride * search->factors[i].extent;
        for (uint32_t place = stride; place < end; place++) {
            search->at[place] = recognise_grid_step(search, search->at[place - stride], i);
            if (search->at[place] == GRAPH_NONE)
                return false;
        }
        stride = end;
    }
    return true;
}

/* ---- the shape ---- */

static bool recognise_grid_same_class(const struct factor *a, const struct factor *b)
{
    return a->class.bandwidth == b->class.bandwidth && a->class.latency == b->class.latency;
}

static bool recognise_grid_is_pair(const struct factor *factor)
{
    return factor->extent == 2 && !factor->wraps;
}

/* Extent of the dimension that begins with the factor. */
static uint32_t recognise_grid_extent_of(const struct factor *factor, bool is_ring_of_4)
{
    return is_ring_of_4 ? 4 : factor->extent;
}

/* Returns the other path of 2 that makes a ring of 4 with this one, or NULL. */
static struct factor *find_partner(struct grid_search *search, uint32_t i)
{
    for (uint32_t other = i + 1; other < search->n_factors && recognise_grid_is_pair(&search->factors[i]);
         other++) {
        struct factor *factor = &search->factors[other];
        if (recognise_grid_is_pair(factor) && factor->dimension == GRAPH_NONE &&
            recognise_grid_same_class(factor, &search->factors[i]))
            return factor;
    }
    return NULL;
}

/* A dimension of the shape, made of one factor or two. */
struct dimension {
    struct factor *factor, *second; /* second: NULL unless a ring of 4 */
    uint32_t extent, order;
    bool wraps;
};

/* Compares in the canonical order. */
static int compare_dimensions(const void *left, const void *right)
{
    const struct dimension *a = left, *b = right;
    const struct link_class *x = &a->factor->class, *y = &b->factor->class;
    int by_extent = compare_numbers(b->extent, a->extent);
    int by_wraps = compare_numbers(b->wraps, a->wraps);
    int by_bandwidth = compare_numbers(y->bandwidth, x->bandwidth);
    int by_latency = compare_numbers(x->latency, y->latency);
    return by_extent      ? by_extent
           : by_wraps     ? by_wraps
           : by_bandwidth ? by_bandwidth
           : by_latency   ? by_latency
                          : compare_numbers(a->order, b->order);
}

/* Joins paths of 2 to rings of 4, and puts the dimensions in order; how many. */
static uint32_t make_dimensions(struct grid_search *search, struct dimension *dimensions)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < search->n_factors; i++)
        search->factors[i].dimension = GRAPH_NONE;
    for (uint32_t i = 0; i < search->n_factors; i++) {
        struct factor *factor = &search->factors[i], *partner;
        if (factor->dimension != GRAPH_NONE)
            continue;
        partner = find_partner(search, i);
        dimensions[n] = (struct dimension){factor, partner, recognise_grid_extent_of(factor, partner), n,
                                           factor->wraps || partner};
        factor->dimension = n++;
        if (partner)
            partner->dimension = factor->dimension;
    }
    qsort(dimensions, n, sizeof *dimensions, compare_dimensions);
    return n;
}

/* Tells the factors their dimensions in the canonical order. */
static void assign_dimensions(struct dimension *dimensions, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        dimensions[i].factor->dimension = i;
        if (dimensions[i].second) {
            dimensions[i].second->dimension = i;
            dimensions[i].second->is_second = true;
        }
    }
}

/* Returns the machine of the shape at a place of the search. Round a ring of 4 the two paths of 2 are at
 * (0,0) (1,0) (1,1) (0,1). */
static uint32_t recognise_grid_machine_at(const struct grid_search *search, const struct topology *shape,
                                          uint32_t place)
{
    uint32_t coordinate[TOPOLOGY_MAX_DIMENSIONS] = {0};
    for (uint32_t i = 0; i < search->n_factors; i++) {
        const struct factor *factor = &search->factors[i];
        uint32_t along = place % factor->extent, *at = &coordinate[factor->dimension];
        place /= factor->extent;
        if (!factor->is_second)
            *at = along;
        else if (along)
            *at = 3 - *at;
    }
    return grid_machine(topology_as_grid(shape), coordinate);
}

static struct topology *recognise_grid_make_grid(struct grid_search *search,
                                                 const struct topology_settings *settings)
{
    struct dimension dimensions[MAX_FACTORS];
    struct topology_settings complete = *settings;
    struct link_class classes[MAX_FACTORS];
    uint32_t extent[MAX_FACTORS], n = make_dimensions(search, dimensions);
    bool wraps[MAX_FACTORS];
    const char *problem;
    assign_dimensions(dimensions, n);
    for (uint32_t i = 0; i < n; i++) {
        extent[i] = dimensions[i].extent;
        wraps[i] = dimensions[i].wraps;
        classes[i] = dimensions[i].factor->class;
    }
    complete.classes = classes;
    return topology_new_grid(&complete, n, extent, wraps, &problem);
}

struct topology *search_grid(const struct skeleton *skeleton,
                             const struct topology_settings *settings, uint32_t *image)
{
    struct grid_search search = {.skeleton = skeleton};
    struct topology *shape = NULL;
    if (!find_origin(&search))
        return NULL;
    search.is_sorted = mem_alloc(skeleton->n, sizeof *search.is_sorted);
    search.at = mem_alloc(skeleton->n, sizeof *search.at);
    start_at_origin(&search);
    if (recognise_grid_measure(&search) && visit_places(&search))
        shape = recognise_grid_make_grid(&search, settings);
    for (uint32_t place = 0; shape && place < skeleton->n; place++)
        image[search.at[place]] = recognise_grid_machine_at(&search, shape, place);
    free(search.ports);
    free(search.is_sorted);
    free(search.at);
    return shape;
}

struct topology *search_full(const struct skeleton *skeleton,
                             const struct topology_settings *settings, uint32_t *image)
{
    struct topology_settings complete = *settings;
    const char *problem;
    for (uint32_t i = 0; i < skeleton->n; i++)
        image[skeleton->begin + i] = i;
    if (skeleton->n > 1 && n_neighbours(skeleton, skeleton->begin) + 1 != skeleton->n)
        return NULL;
    if (skeleton->n > 1) {
        struct link_class class =
            class_of_cable(skeleton, neighbours_of(skeleton, skeleton->begin)->cable);
        complete.bandwidth = class.bandwidth;
        complete.latency = class.latency;
    }
    return topology_new_full(&complete, skeleton->n, &problem);
}
