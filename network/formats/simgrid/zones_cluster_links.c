/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the links of a cluster: their ends, numbers and SimGrid's names. The ids are those of the
 * cables (up and down side by side if they are split), then of the limiters, and last of the backbone of
 * a flat cluster.
 */
#include "network/formats/simgrid/zones_cluster.h"

#include <string.h>

enum link_kind { LINK_CABLE, LINK_LIMITER, LINK_BACKBONE };

struct link_place {
    enum link_kind kind;
    uint32_t number; /* number of the cable, or of the node with the limiter */
    bool goes_down;
};

static struct link_place zones_cluster_links_place_of(const struct cluster *cluster, uint32_t link)
{
    uint32_t per_cable = cluster->is_split ? 2 : 1, n = cluster->n_cables * per_cable;
    if (link < n)
        return (struct link_place){LINK_CABLE, link / per_cable, link % per_cable != 0};
    if (cluster->has_backbone && link == cluster->n_link_ids - 1)
        return (struct link_place){LINK_BACKBONE, 0, false};
    return (struct link_place){LINK_LIMITER, link - n, false};
}

/* ---- dragonflies ---- */

/* A cable between switches of a dragonfly: the pair a < b of a set of equals. */
struct dragonfly_cable {
    uint32_t level; /* 0: to a node, 1: green, 2: black, 3: blue */
    uint32_t set;   /* chassis (over all groups), group, 0; of level 0 the host */
    uint32_t a, b, blade;
};

static uint64_t zones_cluster_links_row_of(uint64_t a, uint64_t n)
{
    return a * (2 * n - a - 1) / 2;
}

/* Finds the pair with that number, counted row by row. */
static void unpair(uint32_t number, uint32_t n, uint32_t *a, uint32_t *b)
{
    uint32_t low = 0, high = n - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (zones_cluster_links_row_of(middle, n) <= number)
            low = middle;
        else
            high = middle;
    }
    *a = low;
    *b = low + 1 + (number - (uint32_t)zones_cluster_links_row_of(low, n));
}

static struct dragonfly_cable dragonfly_cable(const struct cluster *cluster, uint32_t cable)
{
    const uint32_t blades = cluster->down[DRAGONFLY_BLADES];
    const uint32_t chassis = cluster->down[DRAGONFLY_CHASSIS];
    struct dragonfly_cable it = {0, cable, 0, 0, 0};
    while (it.level < 3 && cable >= cluster->level_cables[it.level + 1])
        it.level++;
    if (!it.level)
        return it;
    uint32_t number = cable - cluster->level_cables[it.level];
    if (it.level == 2) {
        it.blade = number % blades;
        number /= blades;
    }
    uint32_t n = it.level == 1   ? blades
                 : it.level == 2 ? chassis
                                 : cluster->down[DRAGONFLY_GROUPS];
    uint32_t per_set = (uint32_t)((uint64_t)n * (n - 1) / 2);
    it.set = number / per_set;
    unpair(number % per_set, n, &it.a, &it.b);
    return it;
}

/* Finds the routers at the ends. */
static void dragonfly_ends(const struct cluster *cluster, const struct dragonfly_cable *cable,
                           uint32_t *from, uint32_t *to)
{
    const uint32_t blades = cluster->down[DRAGONFLY_BLADES];
    const uint32_t chassis = cluster->down[DRAGONFLY_CHASSIS];
    switch (cable->level) {
    case 1:
        *from = cable->set * blades + cable->a;
        *to = cable->set * blades + cable->b;
        break;
    case 2:
        *from = (cable->set * chassis + cable->a) * blades + cable->blade;
        *to = (cable->set * chassis + cable->b) * blades + cable->blade;
        break;
    default:
        *from = cable->a * chassis * blades + cable->b;
        *to = cable->b * chassis * blades + cable->a;
    }
}

/* ---- fat trees ---- */

struct tree_cable {
    uint32_t level, child, label; /* level of the child, its place there, the parent's port */
};

static struct tree_cable zones_cluster_links_tree_cable(const struct cluster *cluster, uint32_t cable)
{
    uint32_t level = cluster->n_levels - 1;
    while (cable < cluster->level_cables[level])
        level--;
    uint32_t number = cable - cluster->level_cables[level], ports = cluster->ports[level];
    uint32_t per_child = cluster->up[level] * ports;
    return (struct tree_cable){level, number / per_child, number % per_child / ports};
}

/* Returns the parent's place in its level. */
static uint32_t tree_parent(const struct cluster *cluster, const struct tree_cable *cable)
{
    uint32_t width = 1;
    for (uint32_t i = 0; i < cable->level; i++)
        width *= cluster->up[i];
    uint32_t low = cable->child % width, high = cable->child / width / cluster->down[cable->level];
    return low + (cable->label + high * cluster->up[cable->level]) * width;
}

/* Returns the node; hosts come first, then switches. */
static uint32_t zones_cluster_links_tree_node(const struct cluster *cluster, uint32_t level, uint32_t place)
{
    return level ? cluster->n_hosts + cluster->level_nodes[level - 1] + place : place;
}

/* Returns the number SimGrid gives a node of a fat tree or dragonfly; switches count down. */
static int64_t simgrid_number(const struct cluster *cluster, uint32_t node)
{
    if (node < cluster->n_hosts)
        return node;
    return 2 * (int64_t)cluster->n_hosts - 1 - (node - cluster->n_hosts);
}

/* ---- ends ---- */

static uint32_t zones_cluster_links_end_of(const struct cluster *cluster, uint32_t node)
{
    return node < cluster->n_hosts ? node : CLUSTER_ROUTER | (node - cluster->n_hosts);
}

static uint32_t torus_neighbour(const struct cluster *cluster, uint32_t node, uint32_t dimension)
{
    uint32_t stride = 1, n = cluster->down[dimension];
    for (uint32_t i = 0; i < dimension; i++)
        stride *= cluster->down[i];
    uint32_t x = node / stride % n;
    return x + 1 == n ? node - x * stride : node + stride;
}

static void cable_ends(const struct cluster *cluster, uint32_t cable, uint32_t *from, uint32_t *to)
{
    const uint32_t first_router = cluster->n_hosts;
    *from = cable;
    *to = first_router + (cluster->has_backbone ? 1 : 0);
    if (cluster->shape == CLUSTER_TORUS) {
        *from = cable / cluster->n_levels;
        *to = torus_neighbour(cluster, *from, cable % cluster->n_levels);
    } else if (cluster->shape == CLUSTER_FAT_TREE) {
        struct tree_cable it = zones_cluster_links_tree_cable(cluster, cable);
        *from = zones_cluster_links_tree_node(cluster, it.level, it.child);
        *to = zones_cluster_links_tree_node(cluster, it.level + 1, tree_parent(cluster, &it));
    } else if (cluster->shape == CLUSTER_DRAGONFLY) {
        struct dragonfly_cable it = dragonfly_cable(cluster, cable);
        *to = first_router + cable / cluster->down[DRAGONFLY_NODES];
        if (!it.level)
            return;
        dragonfly_ends(cluster, &it, from, to);
        *from += first_router;
        *to += first_router;
    }
}

void cluster_link_ends(const struct cluster *cluster, uint32_t link, uint32_t *from, uint32_t *to)
{
    struct link_place place = zones_cluster_links_place_of(cluster, link);
    uint32_t a = place.number, b = cluster->n_hosts + cluster->n_switches + place.number;
    if (place.kind == LINK_BACKBONE) { /* from the place where cables meet to the router */
        a = cluster->n_hosts + 1;
        b = cluster->n_hosts;
    } else if (place.kind == LINK_CABLE) {
        cable_ends(cluster, place.number, &a, &b);
    }
    bool from_router = place.goes_down && cluster->shape == CLUSTER_FLAT;
    if (from_router) /* behind the backbone */
        b = cluster->n_hosts;
    *from = zones_cluster_links_end_of(cluster, place.goes_down ? b : a);
    *to = zones_cluster_links_end_of(cluster, place.goes_down ? a : b);
}

/* ---- numbers ---- */

struct zone_link cluster_link(const struct cluster *cluster, uint32_t link)
{
    struct link_place place = zones_cluster_links_place_of(cluster, link);
    struct zone_link result = {.bandwidth = cluster->bandwidth,
                               .latency = cluster->latency,
                               .contends = true};
    if (place.kind == LINK_BACKBONE) {
        result.bandwidth = cluster->backbone_bandwidth;
        result.latency = cluster->backbone_latency;
        result.contends = cluster->backbone_contends;
    } else if (place.kind == LINK_LIMITER) {
        result.bandwidth = cluster->limiter;
        result.latency = 0;
    } else if (cluster->shape == CLUSTER_DRAGONFLY) {
        /* One link stands for all between two routers: ports[] in the order of the file. */
        struct dragonfly_cable cable = dragonfly_cable(cluster, place.number);
        if (cable.level)
            result.bandwidth *= cluster->ports[3 - cable.level];
    }
    return result;
}

/* ---- names ---- */

static void zones_cluster_links_append_name(const struct zones *zones, struct zone_name name,
                                            struct text *out)
{
    text_append(out, zones_text(zones, name), name.length);
}

static void dragonfly_cable_name(const struct cluster *cluster, uint32_t number, struct text *out)
{
    struct dragonfly_cable cable = dragonfly_cable(cluster, number);
    uint32_t nodes = cluster->down[DRAGONFLY_NODES], from, to;
    switch (cable.level) {
    case 0:
        text_printf(out, "local_link_from_router_%u_to_node_%u", number / nodes, number % nodes);
        break;
    case 1:
        text_printf(out, "green_link_in_chassis_%u_between_routers_%u_and_%u",
                    cable.set % cluster->down[DRAGONFLY_CHASSIS], cable.a, cable.b);
        break;
    case 2:
        text_printf(out, "black_link_in_group_%u_between_chassis_%u_and_%u_blade_%u", cable.set,
                    cable.a, cable.b, cable.blade);
        break;
    default:
        dragonfly_ends(cluster, &cable, &from, &to);
        text_printf(out, "blue_link_between_group_%u_and_%u_routers_%u_and_%u", cable.a, cable.b,
                    from, to);
    }
    text_printf(out, "_%u", cluster->serial + number);
}

static void cable_name(const struct zones *zones, const struct cluster *cluster, uint32_t cable,
                       struct text *out)
{
    uint32_t from, to;
    cable_ends(cluster, cable, &from, &to);
    switch (cluster->shape) {
    case CLUSTER_FLAT:
        zones_cluster_links_append_name(zones, cluster->name, out);
        text_printf(out, "_link_%u", cluster_host_number(cluster, cable));
        break;
    case CLUSTER_TORUS:
        zones_cluster_links_append_name(zones, cluster->name, out);
        text_printf(out, "_link_from_%u_to_%u", from, to);
        break;
    case CLUSTER_FAT_TREE:
        text_printf(out, "link_from_%lld_%lld_%u", (long long)simgrid_number(cluster, from),
                    (long long)simgrid_number(cluster, to), cluster->serial + cable);
        break;
    case CLUSTER_DRAGONFLY: dragonfly_cable_name(cluster, cable, out); break;
    }
}

void cluster_link_name(const struct zones *zones, const struct cluster *cluster, uint32_t link,
                       struct text *out)
{
    struct link_place place = zones_cluster_links_place_of(cluster, link);
    if (place.kind == LINK_CABLE) {
        cable_name(zones, cluster, place.number, out);
        if (cluster->is_split)
            text_printf(out, "%s", place.goes_down ? "_DOWN" : "_UP");
        return;
    }
    zones_cluster_links_append_name(zones, cluster->name, out);
    if (place.kind == LINK_BACKBONE)
        text_printf(out, "_backbone");
    else if (cluster->shape == CLUSTER_FLAT)
        text_printf(out, "_link_%u_limiter", cluster_host_number(cluster, place.number));
    else
        text_printf(out, "_link_%lld_limiter", (long long)simgrid_number(cluster, place.number));
}

void cluster_router_name(const struct zones *zones, const struct cluster *cluster,
                         uint32_t router, struct text *out)
{
    if (router >= cluster->n_switches) { /* the node behind a limiter */
        uint32_t per_cable = cluster->is_split ? 2 : 1;
        uint32_t link = cluster->n_cables * per_cable + (router - cluster->n_switches);
        cluster_link_name(zones, cluster, link, out);
    } else if (cluster->shape == CLUSTER_FLAT && !router) {
        zones_cluster_links_append_name(zones, cluster->router, out);
    } else {
        zones_cluster_links_append_name(zones, cluster->name, out);
        if (cluster->shape == CLUSTER_FLAT)
            text_printf(out, "_backbone");
        else
            text_printf(out, "_switch_%u", router);
    }
}

/* ---- links of flat clusters by their names ---- */

static bool zones_cluster_links_take_end(const char *name, size_t *length, const char *end)
{
    size_t n = strlen(end);
    if (*length < n || memcmp(name + *length - n, end, n) != 0)
        return false;
    *length -= n;
    return true;
}

/* Returns the link of a host, whose name must end as `half` requires. */
static uint32_t find_host_link(const struct cluster *cluster, const char *name, size_t length,
                               char half)
{
    uint32_t per_cable = cluster->is_split ? 2 : 1, offset = half == 'D';
    bool is_limiter = !half && zones_cluster_links_take_end(name, &length, "_limiter");
    if (half && !cluster->is_split)
        return ZONES_NONE;
    if (!half && !is_limiter && cluster->is_split) {
        offset = zones_cluster_links_take_end(name, &length, "_DOWN");
        if (!offset && !zones_cluster_links_take_end(name, &length, "_UP"))
            return ZONES_NONE;
    }
    uint32_t host = cluster_find_number(cluster, name, length);
    if (host == ZONES_NONE || (is_limiter && !cluster->limiter))
        return ZONES_NONE;
    return is_limiter ? cluster->n_cables * per_cable + host : host * per_cable + offset;
}

uint32_t cluster_find_link(const struct zones *zones, const struct cluster *cluster,
                           const char *name, size_t length, char half)
{
    static const char backbone[] = "_backbone", host[] = "_link_";
    const size_t prefix = cluster->name.length, of_host = sizeof host - 1;
    if (cluster->shape != CLUSTER_FLAT || length <= prefix ||
        memcmp(name, zones_text(zones, cluster->name), prefix) != 0)
        return ZONES_NONE;
    name += prefix;
    length -= prefix;
    if (length == sizeof backbone - 1 && memcmp(name, backbone, length) == 0)
        return cluster->has_backbone && !half ? cluster->n_link_ids - 1 : ZONES_NONE;
    if (length <= of_host || memcmp(name, host, of_host) != 0)
        return ZONES_NONE;
    return find_host_link(cluster, name + of_host, length - of_host, half);
}
