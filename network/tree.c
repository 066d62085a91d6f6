/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parallel ports generalised fat trees PGFT(h; m_1..m_h; w_1..w_h; p_1..p_h) under D-mod-k routing (Zahavi
 * 2010), which are those of Oehring et al. 1995 if all p_i are 1. With M_i = m_1 * ... * m_i and
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
 *
 * If cables are parallel, link b + W_i * c of a subtree is cable c of those to its parent with b. With
 * L_i = W_i * p_i the port up is (d / W_{i-1}) mod (w_i * p_i), so L_i stands in the place of W_i above:
 * d mod L_i is d mod W_i + W_i * (d / W_i mod p_i). The way down is by the same number.
 */
#include "network/tree.h"

#include "network/kind.h"
#include "network/tree_loads.h"

static const struct topology_methods tree_methods;

const struct tree *topology_as_tree(const struct topology *topology)
{
    return topology->methods == &tree_methods ? topology->self : NULL;
}

static const char *tree_check(uint32_t n_levels, const uint32_t *down, const uint32_t *up,
                              const uint32_t *cables)
{
    if (n_levels < 1 || n_levels > TOPOLOGY_MAX_DIMENSIONS)
        return "a tree has 1 to 8 levels";
    uint64_t machines = 1, width = 1, links = 0, nodes = 0;
    for (uint32_t i = 0; i < n_levels; i++) {
        if (!down[i] || !up[i] || !cables[i])
            return "the number of children, parents or cables is 0";
        machines *= down[i];
        if (machines > TOPOLOGY_MAX_MACHINES)
            return "more than 1073741824 machines";
    }
    for (uint32_t i = 0, below = (uint32_t)machines; i < n_levels; i++) {
        width *= up[i];
        if (width > UINT32_MAX || width * cables[i] > UINT32_MAX)
            return "more than 4294967294 links";
        links += 2 * width * cables[i] * below;
        below /= down[i];
        nodes += width * below;
        if (links >= UINT32_MAX || nodes + machines >= UINT32_MAX)
            return "more than 4294967294 links";
    }
    return NULL;
}

static void tree_lay_out(struct topology *topology)
{
    struct tree *tree = topology->self;
    uint32_t below = topology->n_machines;
    for (uint32_t i = 0; i < tree->n_levels; i++) {
        uint32_t width = tree->width[i].value, links = below * tree->links[i].value;
        tree->up_base[i] = topology->n_links;
        tree->down_base[i] = topology->n_links + links;
        topology->n_links += 2 * links;
        below /= tree->down[i].value;
        tree->router_base[i] = topology->n_routers;
        topology->n_routers += below * width;
    }
    topology->n_link_ids = topology->n_links;
}

/* Levels with one child need no climbing: the ancestor lies below them. */
static uint32_t tree_height(const struct tree *tree)
{
    uint32_t height = tree->n_levels;
    while (height && tree->down[height - 1].value == 1)
        height--;
    return height;
}

struct topology *topology_new_tree(const struct topology_settings *settings, uint32_t n_levels,
                                   const uint32_t *down, const uint32_t *up, const uint32_t *cables,
                                   const char **problem)
{
    static const uint32_t one_each[TOPOLOGY_MAX_DIMENSIONS] = {1, 1, 1, 1, 1, 1, 1, 1};
    cables = cables ? cables : one_each;
    *problem = tree_check(n_levels, down, up, cables);
    if (*problem)
        return NULL;
    struct topology *topology = topology_allocate(&tree_methods, sizeof(struct tree), settings);
    struct tree *tree = topology->self;
    tree->n_levels = n_levels;
    topology->n_machines = 1;
    for (uint32_t i = 0, width = 1; i < n_levels; i++) {
        width *= up[i];
        topology->n_machines *= down[i];
        tree->down[i] = divider_of(down[i]);
        tree->up[i] = divider_of(up[i]);
        tree->cables[i] = divider_of(cables[i]);
        tree->width[i] = divider_of(width);
        tree->links[i] = divider_of(width * cables[i]);
    }
    topology_set_classes(topology, settings, n_levels);
    tree_lay_out(topology);
    topology->max_hops = 2 * tree_height(tree);
    return topology_finish(topology);
}

/* Writes the way of that number, 0 being that of the rule: first another root, then another cable up or down
 * at a level. */
static uint32_t network_tree_climb(const struct tree *tree, const uint32_t ends[2], uint32_t height,
                                   uint64_t number, struct hop *hops)
{
    uint32_t s = ends[0], d = ends[1], root = ends[1];
    if (number) {
        const uint32_t n_roots = height ? tree->width[height - 1].value : 1;
        root = (uint32_t)((ends[1] + number % n_roots) % n_roots);
        number /= n_roots;
    }
    for (uint32_t i = 0; i < height; i++) {
        const uint32_t width = tree->width[i].value, n_cables = tree->cables[i].value;
        const uint32_t b = divide_rest(root, &tree->width[i]);
        uint32_t up = divide_rest(divide(ends[1], &tree->width[i]), &tree->cables[i]), down = up;
        if (number) {
            down = (uint32_t)((up + number / n_cables) % n_cables);
            up = (uint32_t)((up + number) % n_cables);
            number = number / n_cables / n_cables;
        }
        hops[i] = (struct hop){tree->up_base[i] + s * tree->links[i].value + b + width * up, 0};
        hops[2 * height - 1 - i] =
            (struct hop){tree->down_base[i] + d * tree->links[i].value + b + width * down, 0};
        s = divide(s, &tree->down[i]);
        d = divide(d, &tree->down[i]);
    }
    return 2 * height;
}

/* Returns the level of the ancestors that two machines have in common. */
static uint32_t tree_meeting(const struct tree *tree, uint32_t source, uint32_t destination)
{
    uint32_t level = 0;
    for (; source != destination; level++) {
        source = divide(source, &tree->down[level]);
        destination = divide(destination, &tree->down[level]);
    }
    return level;
}

static uint32_t tree_route(const struct topology *topology, uint32_t source, uint32_t destination,
                           struct hop *hops)
{
    const struct tree *tree = topology->self;
    const uint32_t height = tree_meeting(tree, source, destination);
    return network_tree_climb(tree, (uint32_t[]){source, destination}, height, 0, hops);
}

/* Full bisection, what `fattree` means without `up`: as many parents as
 * children, and one cable per machine. */
static bool is_full_bisection(const struct tree *tree)
{
    bool full = tree->up[0].value == 1;
    for (uint32_t i = 1; i < tree->n_levels; i++)
        full = full && tree->up[i].value == tree->down[i - 1].value;
    return full;
}

bool tree_has_parallel(const struct tree *tree)
{
    for (uint32_t i = 0; i < tree->n_levels; i++)
        if (tree->cables[i].value > 1)
            return true;
    return false;
}

/* Writes the links of one pair with full bisection; returns how many levels it climbs. W_i is M_{i-1} then:
 * the way down is at place d of every level, the way up as far from it as the ancestors are from each
 * other. */
static inline uint32_t climb_full(const struct tree *tree, uint32_t source, uint32_t destination,
                                  uint32_t *links)
{
    uint32_t s = source, d = destination, level = 0;
    for (; s != d; level++) {
        links[2 * level] = tree->up_base[level] + destination + (s - d) * tree->width[level].value;
        links[2 * level + 1] = tree->down_base[level] + destination;
        s = divide(s, &tree->down[level]);
        d = divide(d, &tree->down[level]);
    }
    return level;
}

/* Does the same for any tree. */
static inline uint32_t climb_any(const struct tree *tree, uint32_t source, uint32_t destination,
                                 uint32_t *links)
{
    uint32_t s = source, d = destination, level = 0;
    for (; s != d; level++) {
        const struct divider *each = &tree->links[level];
        const uint32_t port = divide_rest(destination, each);
        links[2 * level] = tree->up_base[level] + s * each->value + port;
        links[2 * level + 1] = tree->down_base[level] + d * each->value + port;
        s = divide(s, &tree->down[level]);
        d = divide(d, &tree->down[level]);
    }
    return level;
}

static void tree_route_pairs(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                             uint32_t *links, uint32_t *n_links)
{
    const struct tree tree = *(const struct tree *)topology->self; /* a copy, which `links` is no part of */
    const bool is_full = is_full_bisection(&tree) && !tree_has_parallel(&tree);
    for (uint32_t i = 0; i < n; links += n_links[i++])
        n_links[i] = 2 * (is_full ? climb_full(&tree, pairs[i].source, pairs[i].destination, links)
                                  : climb_any(&tree, pairs[i].source, pairs[i].destination, links));
}

/* ---- shifts ---- */

static bool is_power_of_2(uint32_t number)
{
    return !(number & (number - 1));
}

/* True if shifts of machines are symmetries. A star with one cable for each machine has all of them
 * (*is_free). Else they are those of one coordinate over all machines, or by their bits, where each link from
 * a subtree is used by as many of its machines. */
static bool tree_has_shifts(const struct topology *topology, const struct machine_shifts *shifts,
                            bool *is_free)
{
    const struct tree *tree = topology->self;
    uint32_t machines = 1;
    *is_free = tree->n_levels == 1 && tree->links[0].value == 1;
    if (*is_free)
        return true;
    if (shifts->is_mirrored || (!shifts->is_xor && shifts->n != 1))
        return false;
    for (uint32_t i = 0; i < tree->n_levels && machines < topology->n_machines; i++) {
        const uint32_t width = tree->links[i].value;
        if (machines % width || (shifts->is_xor && !(is_power_of_2(machines) && is_power_of_2(width))))
            return false;
        machines *= tree->down[i].value;
    }
    return true;
}

/* The links up of level i are class 2i, those down 2i + 1; the position is the number modulo their width
 * of the destinations that cross them. */
static uint32_t tree_n_positions(const struct topology *topology, const struct machine_shifts *shifts,
                                 uint32_t class)
{
    const struct tree *tree = topology->self;
    (void)shifts;
    return tree->links[class / 2].value;
}

static uint32_t tree_link_class(const struct topology *topology, const struct machine_shifts *shifts,
                                uint32_t link, uint32_t *position)
{
    const struct tree *tree = topology->self;
    uint32_t class = 0, nearest = UINT32_MAX;
    (void)shifts;
    for (uint32_t i = 0; i < 2 * tree->n_levels; i++) {
        const uint32_t base = i % 2 ? tree->down_base[i / 2] : tree->up_base[i / 2];
        if (base > link || link - base > nearest)
            continue;
        nearest = link - base;
        class = i;
    }
    *position = nearest % tree->links[class / 2].value;
    return class;
}

/* Links from a subtree of `machines` and to it: of the destinations there of messages from elsewhere the
 * first `n` are meant, or the last. */
struct crossing {
    uint32_t level, width, machines, n_machines, offset;
    bool are_last, is_xor;
};

/* Writes the positions that n messages cross. In order from one end, each position gets one message, and so
 * on round. */
static uint32_t network_tree_cross(const struct crossing *crossing, uint32_t n, struct class_hops *hops)
{
    const uint32_t width = crossing->width, machines = crossing->machines, offset = crossing->offset;
    const uint32_t each = n / width, more = n % width;
    /* from the position to the one destination, if there is one; from there to the source */
    const uint32_t ahead = crossing->are_last ? machines - width : 0;
    const uint32_t source = crossing->is_xor ? offset : crossing->n_machines - offset + ahead;
    uint32_t written = 0;
    for (uint32_t has_more = 0; has_more < 2; has_more++) {
        struct class_hops up = {2 * crossing->level, has_more ? 0 : more, has_more ? more : width,
                                each + has_more, source % machines};
        if (crossing->are_last) {
            up.begin = has_more ? width - more : 0;
            up.end = has_more ? width : width - more;
        }
        if (up.begin == up.end || !up.n)
            continue;
        struct class_hops down = up;
        down.class++;
        down.start = source % crossing->n_machines;
        hops[written++] = up;
        hops[written++] = down;
    }
    return written;
}

/* A message stays in its subtree if it neither leaves it ahead, which those do whose destination is among the
 * first ones of another, as many as the offset, nor behind, round the end of all. */
static uint32_t tree_class_hops(const struct topology *topology, const struct machine_shifts *shifts,
                                uint32_t offset, struct class_hops *hops)
{
    const struct tree *tree = topology->self;
    const uint32_t n_machines = topology->n_machines, behind = n_machines - offset;
    uint32_t n = 0, machines = 1;
    if (tree->n_levels == 1 && tree->links[0].value == 1) {
        hops[0] = (struct class_hops){.class = 0, .end = 1, .n = 1};
        hops[1] = (struct class_hops){.class = 1, .end = 1, .n = 1, .start = offset};
        return 2;
    }
    for (uint32_t i = 0; i < tree->n_levels && machines < n_machines; i++) {
        struct crossing crossing = {i, tree->links[i].value, machines, n_machines, offset,
                                    !shifts->is_xor && behind < machines, shifts->is_xor};
        if (crossing.are_last)
            n += network_tree_cross(&crossing, behind, hops + n);
        else if (offset >= machines || !shifts->is_xor)
            n += network_tree_cross(&crossing, offset < machines ? offset : machines, hops + n);
        machines *= tree->down[i].value;
    }
    return n;
}

/* Returns the latency of the longest route. Some messages leave each subtree whose machines have targets in
 * another one; by xor all do. */
static uint64_t tree_offset_latency(const struct topology *topology, const struct machine_shifts *shifts,
                                    uint32_t offset)
{
    const struct tree *tree = topology->self;
    uint32_t machines = 1;
    uint64_t latency = 0;
    for (uint32_t i = 0; i < tree->n_levels && machines < topology->n_machines; i++) {
        if (offset >= machines || !shifts->is_xor)
            latency += 2 * topology_links_of(topology, 2 * i).latency;
        machines *= tree->down[i].value;
    }
    return latency;
}

static uint32_t tree_links_at(const struct topology *topology, const struct machine_shifts *shifts,
                              uint32_t class)
{
    const struct tree *tree = topology->self;
    uint32_t n = topology->n_machines;
    (void)shifts;
    for (uint32_t i = 0; i < class / 2; i++)
        n /= tree->down[i].value;
    return n;
}

static uint32_t tree_n_classes(const struct topology *topology)
{
    return 2 * ((const struct tree *)topology->self)->n_levels;
}

/* The next ways up and down again, one after the other: all of them, as a way is decided by its root and by
 * its cable up and down at each level. */
static uint32_t tree_alternative(const struct topology *topology, uint32_t source,
                                 uint32_t destination, uint32_t number, struct hop *hops)
{
    const struct tree *tree = topology->self;
    const uint32_t height = tree_meeting(tree, source, destination);
    uint64_t n_ways = height ? tree->width[height - 1].value : 1;
    for (uint32_t i = 0; i < height && n_ways <= UINT32_MAX; i++)
        n_ways *= (uint64_t)tree->cables[i].value * tree->cables[i].value;
    if ((uint64_t)number + 1 >= n_ways)
        return NO_ALTERNATIVE;
    return network_tree_climb(tree, (uint32_t[]){source, destination}, height, (uint64_t)number + 1, hops);
}

/* Returns the node (a, b) of a level, level 0 being the machines. */
static uint32_t network_tree_node(const struct topology *topology, uint32_t level, uint32_t a, uint32_t b)
{
    const struct tree *tree = topology->self;
    if (level == 0)
        return a;
    return topology->n_machines + tree->router_base[level - 1] +
           a * tree->width[level - 1].value + b;
}

/* From the node (a, b) of a level to the children (a * m + i, b mod the width below). */
static struct tree_row row_down(const struct topology *topology, uint32_t level, uint32_t a, uint32_t b)
{
    const struct tree *tree = topology->self;
    if (level == 0)
        return (struct tree_row){0};
    const uint32_t n = tree->down[level - 1].value, width = tree->width[level - 1].value;
    const uint32_t below = level > 1 ? tree->width[level - 2].value : 1, each = tree->links[level - 1].value;
    return (struct tree_row){.n = n,
                             .link = tree->down_base[level - 1] + a * n * each + b,
                             .link_stride = each,
                             .node = network_tree_node(topology, level - 1, a * n, b % below),
                             .node_stride = below,
                             .n_cables = tree->cables[level - 1].value,
                             .cable_stride = width};
}

/* From there to the parents (a / m, b + i * the width). */
static struct tree_row row_up(const struct topology *topology, uint32_t level, uint32_t a, uint32_t b)
{
    const struct tree *tree = topology->self;
    if (level == tree->n_levels)
        return (struct tree_row){0};
    const uint32_t width = level ? tree->width[level - 1].value : 1;
    return (struct tree_row){
        .n = tree->up[level].value,
        .link = tree->up_base[level] + a * tree->links[level].value + b,
        .link_stride = width,
        .node = network_tree_node(topology, level + 1, divide(a, &tree->down[level]), b),
        .node_stride = width,
        .n_cables = tree->cables[level].value,
        .cable_stride = tree->width[level].value};
}

/* Place of a node: (a, b) of a level, level 0 being the machines. */
struct tree_place {
    uint32_t level, a, b;
};

static struct tree_place network_tree_place(const struct topology *topology, uint32_t node)
{
    const struct tree *tree = topology->self;
    struct tree_place place = {0, node, 0};
    if (node < topology->n_machines)
        return place;
    const uint32_t router = node - topology->n_machines;
    for (place.level = 1; place.level < tree->n_levels && router >= tree->router_base[place.level];)
        place.level++;
    const uint32_t within = router - tree->router_base[place.level - 1];
    place.a = divide(within, &tree->width[place.level - 1]);
    place.b = within - place.a * tree->width[place.level - 1].value;
    return place;
}

void tree_links_of(const struct topology *topology, uint32_t node, struct tree_row rows[2])
{
    const struct tree_place place = network_tree_place(topology, node);
    rows[0] = row_down(topology, place.level, place.a, place.b);
    rows[1] = row_up(topology, place.level, place.a, place.b);
}

/* Writes n links, `stride` apart, that of the rule first. */
static uint32_t tree_write_choices(uint32_t first, uint32_t n, uint32_t stride, uint32_t by_rule,
                                   struct hop *choices)
{
    choices[0] = (struct hop){first + by_rule * stride, 0};
    for (uint32_t i = 0, written = 1; i < n; i++)
        if (i != by_rule)
            choices[written++] = (struct hop){first + i * stride, 0};
    return n;
}

/* Any cable to any parent up to an ancestor of the destination, then any cable of the one way down. */
static uint32_t tree_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                                  struct hop *choices)
{
    const struct tree *tree = topology->self;
    const struct tree_place place = network_tree_place(topology, node);
    uint32_t at = destination, child = destination;
    for (uint32_t i = 0; i < place.level; i++) {
        child = at;
        at = divide(at, &tree->down[i]);
    }
    if (at == place.a) {
        const uint32_t level = place.level - 1, width = tree->width[level].value;
        const uint32_t n = tree->cables[level].value;
        const uint32_t first = tree->down_base[level] + child * tree->links[level].value + place.b;
        return tree_write_choices(first, n, width, destination / width % n, choices);
    }
    const struct tree_row row = row_up(topology, place.level, place.a, place.b);
    const uint32_t width = place.level ? tree->width[place.level - 1].value : 1, n = row.n * row.n_cables;
    return tree_write_choices(row.link, n, width, destination / width % n, choices);
}

/* Returns the level i of a link between levels i and i + 1; level 0 are the machines. */
static uint32_t tree_level(const struct tree *tree, uint32_t link)
{
    uint32_t i = tree->n_levels - 1;
    while (link < tree->up_base[i])
        i--;
    return i;
}

static uint64_t tree_link_bandwidth(const struct topology *topology, uint32_t link)
{
    return topology_class(topology, tree_level(topology->self, link))->bandwidth;
}

static uint64_t tree_link_latency(const struct topology *topology, uint32_t link)
{
    return topology_class(topology, tree_level(topology->self, link))->latency;
}

static void tree_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    const struct tree *tree = topology->self;
    uint32_t i = tree_level(tree, link);
    bool goes_down = link >= tree->down_base[i];
    uint32_t offset = link - (goes_down ? tree->down_base[i] : tree->up_base[i]);
    uint32_t a = divide(offset, &tree->links[i]);
    uint32_t b = (offset - a * tree->links[i].value) % tree->width[i].value;
    uint32_t lower_b = i ? divide_rest(b, &tree->width[i - 1]) : 0;
    uint32_t lower = network_tree_node(topology, i, a, lower_b);
    uint32_t upper = network_tree_node(topology, i + 1, divide(a, &tree->down[i]), b);
    *from = goes_down ? upper : lower;
    *to = goes_down ? lower : upper;
}

static void print_product(const struct divider *factors, uint32_t n, struct text *out)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%u", i ? "x" : "", factors[i].value);
}

static void tree_shape(const struct topology *topology, struct text *out)
{
    const struct tree *tree = topology->self;
    bool full = is_full_bisection(tree);
    text_printf(out, "%s:", tree->n_levels == 1 && full ? "star" : "fattree");
    print_product(tree->down, tree->n_levels, out);
    if (!full) {
        text_printf(out, ",up=");
        print_product(tree->up, tree->n_levels, out);
    }
    if (tree_has_parallel(tree)) {
        text_printf(out, ",cables=");
        print_product(tree->cables, tree->n_levels, out);
    }
    topology_print_values(topology, out);
}

static const char *tree_routing_rule(const struct topology *topology)
{
    (void)topology;
    return "up to the nearest common ancestor by D-mod-k, then down";
}

/* Above each machine are width[level] routers of a level, from which links[level + 1] lead to the next
 * one. */
static bool tree_cut(const struct topology *topology, uint32_t i, struct topology_cut *cut)
{
    const struct tree *tree = topology->self;
    uint64_t below = 1;
    if (i + 1 >= tree->n_levels)
        return false;
    for (uint32_t level = 0; level <= i; level++)
        below *= tree->down[level].value;
    *cut = (struct topology_cut){CUT_TREE, i + 1, (uint32_t)(topology->n_machines / below), below,
                                 tree->links[i + 1].value,
                                 topology_class(topology, i + 1)->bandwidth};
    return true;
}

static uint64_t tree_fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct tree *tree = topology->self;
    hash = fingerprint_values(topology, hash);
    for (uint32_t i = 0; i < tree->n_levels; i++)
        hash = fingerprint_number(hash, (uint64_t)tree->down[i].value << 32 | tree->up[i].value);
    for (uint32_t i = 0; i < tree->n_levels && tree_has_parallel(tree); i++)
        hash = fingerprint_number(hash, tree->cables[i].value);
    return fingerprint_classes(topology, hash);
}

static const struct bulk_methods tree_bulk = {
    .route_pairs = tree_route_pairs,
    .add_loads = tree_add_loads,
};

static const struct shift_methods tree_shifts = {
    .has_shifts = tree_has_shifts,
    .class_hops = tree_class_hops,
    .offset_latency = tree_offset_latency,
    .links_at = tree_links_at,
    .n_classes = tree_n_classes,
    .n_positions = tree_n_positions,
    .link_class = tree_link_class,
};

static const struct topology_methods tree_methods = {
    .number = KIND_TREE,
    .route = tree_route,
    .bulk = &tree_bulk,
    .shifts = &tree_shifts,
    .alternative = tree_alternative,
    .next_choices = tree_next_choices,
    .alternatives = "by the next root",
    .link_ends = tree_link_ends,
    .link_bandwidth = tree_link_bandwidth,
    .link_latency = tree_link_latency,
    .node_name = topology_numbered_name,
    .find_machine = topology_find_numbered,
    .routing_rule = tree_routing_rule,
    .shape = tree_shape,
    .cut = tree_cut,
    .fingerprint = tree_fingerprint,
};
