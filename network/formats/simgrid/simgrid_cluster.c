/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads clusters of SimGrid platforms: the element cluster, and zones with routing Cluster that are built
 * of host_link, cabinet and backbone.
 */
#include "network/formats/simgrid/simgrid.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CLUSTERS = 4096 };

/* ---- radical: 0-9,12 ---- */

static bool simgrid_cluster_take_range(struct slice *rest, uint32_t *first, uint32_t *last)
{
    if (!simgrid_take_number(rest, first))
        return false;
    *last = *first;
    if (!rest->length || *rest->text != '-')
        return true;
    rest->text++, rest->length--;
    return simgrid_take_number(rest, last);
}

static bool read_radical(struct simgrid *reader, const xmlNode *element, struct cluster *cluster)
{
    struct slice rest = simgrid_text(element, "radical");
    bool is_read;
    do {
        uint32_t first, last;
        is_read = simgrid_cluster_take_range(&rest, &first, &last);
        if (is_read && first <= last)
            cluster_add_range(cluster, first, last);
        is_read = is_read && (!rest.length || *rest.text == ',');
        if (rest.length)
            rest.text++, rest.length--;
    } while (is_read && rest.length);
    if (!is_read || !cluster->n_ranges)
        simgrid_report(reader, CODE_T017, element, "radical", "not a list of numbers")->help =
            "write numbers and ranges, as in radical=\"0-63,80\"";
    return is_read && cluster->n_ranges;
}

/* ---- topo_parameters ---- */

/* Takes "4,4,2": at most `limit` numbers up to a ';' or the end. */
static bool take_list(struct slice *rest, uint32_t *values, uint32_t limit, uint32_t *n)
{
    for (*n = 0; *n < limit;) {
        if (!simgrid_take_number(rest, &values[(*n)++]))
            return false;
        if (!rest->length || *rest->text == ';')
            return true;
        if (*rest->text != ',')
            return false;
        rest->text++, rest->length--;
    }
    return false;
}

static bool take_semicolon(struct slice *rest)
{
    if (!rest->length || *rest->text != ';')
        return false;
    rest->text++, rest->length--;
    return true;
}

static bool read_fat_tree(struct slice *rest, struct cluster *cluster)
{
    uint32_t n, n_levels;
    if (!take_list(rest, &n_levels, 1, &n))
        return false;
    uint32_t *const lists[] = {cluster->down, cluster->up, cluster->ports};
    for (int i = 0; i < 3; i++)
        if (!take_semicolon(rest) || !take_list(rest, lists[i], TOPOLOGY_MAX_DIMENSIONS, &n) ||
            n != n_levels)
            return false;
    cluster->n_levels = n_levels;
    return true;
}

static bool read_dragonfly(struct slice *rest, struct cluster *cluster)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t pair[2], n;
        if (!take_list(rest, pair, 2, &n) || n != 2 || !take_semicolon(rest))
            return false;
        cluster->down[i] = pair[0];
        cluster->ports[i] = pair[1];
    }
    uint32_t n;
    cluster->n_levels = 4;
    cluster->ports[DRAGONFLY_NODES] = 1;
    return take_list(rest, &cluster->down[DRAGONFLY_NODES], 1, &n);
}

static const char *const parameter_help[] = {
    [CLUSTER_FLAT] = NULL,
    [CLUSTER_TORUS] = "write up to 8 extents, as in topo_parameters=\"8,8,4\"",
    [CLUSTER_FAT_TREE] = "write levels;children;parents;cables for up to 8 levels, as in "
                         "topo_parameters=\"2;16,4;1,4;1,2\"",
    [CLUSTER_DRAGONFLY] = "write groups,links;chassis,links;blades,links;nodes, as in "
                          "topo_parameters=\"3,4;4,3;5,1;2\"",
};

static bool has_zero(const struct cluster *cluster)
{
    bool has_up = cluster->shape == CLUSTER_FAT_TREE;
    bool has_ports = has_up || cluster->shape == CLUSTER_DRAGONFLY;
    for (uint32_t i = 0; i < cluster->n_levels; i++)
        if (!cluster->down[i] || (has_up && !cluster->up[i]) || (has_ports && !cluster->ports[i]))
            return true;
    return false;
}

static bool read_parameters(struct simgrid *reader, const xmlNode *element,
                            struct cluster *cluster)
{
    struct slice rest = simgrid_text(element, "topo_parameters");
    bool is_read = true;
    if (cluster->shape == CLUSTER_TORUS)
        is_read = take_list(&rest, cluster->down, TOPOLOGY_MAX_DIMENSIONS, &cluster->n_levels);
    else if (cluster->shape == CLUSTER_FAT_TREE)
        is_read = read_fat_tree(&rest, cluster);
    else if (cluster->shape == CLUSTER_DRAGONFLY)
        is_read = read_dragonfly(&rest, cluster);
    if (is_read && (cluster->shape == CLUSTER_FLAT || !rest.length) && !has_zero(cluster))
        return true;
    simgrid_report(reader, CODE_T017, element, "topo_parameters",
                   "not the parameters of this topology")
        ->help = parameter_help[cluster->shape];
    return false;
}

/* ---- the element cluster ---- */

static bool simgrid_cluster_need_value(struct simgrid *reader, const xmlNode *element, const char *attribute)
{
    if (xml_find_attribute(element, attribute) && *xml_find_attribute(element, attribute))
        return true;
    simgrid_report(reader, CODE_T017, element, NULL,
                   diagnostics_text(reader->xml.diagnostics, "attribute '%s' missing", attribute));
    return false;
}

/* Reads the sharing policies. SimGrid 3.32 never makes a cluster's cables fat pipes: FATPIPE means SHARED. */
static bool read_policies(struct simgrid *reader, const xmlNode *element, struct cluster *cluster)
{
    static const char *const policies[] = {"SPLITDUPLEX", "FULLDUPLEX", "SHARED", "FATPIPE", NULL};
    static const char *const of_backbone[] = {"SHARED", "FATPIPE", NULL};
    int policy = simgrid_word(reader, element, "sharing_policy", policies);
    int backbone = simgrid_word(reader, element, "bb_sharing_policy", of_backbone);
    cluster->is_split = policy == 0 || policy == 1;
    cluster->backbone_contends = backbone == 0;
    return policy != SIMGRID_NO_WORD && backbone != SIMGRID_NO_WORD;
}

static bool simgrid_cluster_read_numbers(struct simgrid *reader, const xmlNode *element,
                                         struct cluster *cluster)
{
    bool is_read = simgrid_cluster_need_value(reader, element, "bw") &&
                   simgrid_cluster_need_value(reader, element, "lat");
    is_read &= simgrid_bandwidth(reader, element, "bw", &cluster->bandwidth);
    is_read &= simgrid_latency(reader, element, "lat", &cluster->latency);
    is_read &= simgrid_bandwidth(reader, element, "bb_bw", &cluster->backbone_bandwidth);
    is_read &= simgrid_latency(reader, element, "bb_lat", &cluster->backbone_latency);
    is_read &= simgrid_bandwidth(reader, element, "limiter_link", &cluster->limiter);
    bool has_backbone = cluster->backbone_bandwidth || cluster->backbone_latency;
    if (is_read && has_backbone && !cluster->backbone_bandwidth) {
        simgrid_report(reader, CODE_T017, element, "bb_lat", "a backbone without bandwidth")
            ->help = "add bb_bw";
        return false;
    }
    cluster->has_backbone = has_backbone && cluster->shape == CLUSTER_FLAT;
    return is_read;
}

static void read_names(struct simgrid *reader, const xmlNode *element, struct cluster *cluster)
{
    struct slice id = simgrid_text(element, "id"), prefix = simgrid_text(element, "prefix");
    struct slice suffix = simgrid_text(element, "suffix");
    struct slice router = simgrid_text(element, "router_id");
    struct text text = {0};
    if (router.length)
        text_append(&text, router.text, router.length);
    else
        text_printf(&text, "%s%s_router%s", prefix.text, id.text, suffix.text);
    cluster->name = zones_intern(reader->zones, id.text, id.length);
    cluster->prefix = zones_intern(reader->zones, prefix.text, prefix.length);
    cluster->suffix = zones_intern(reader->zones, suffix.text, suffix.length);
    cluster->router = zones_intern(reader->zones, text.data, text.length);
    text_free(&text);
}

/* Makes cables and hosts, without the names; NULL after reporting. */
static struct cluster *make_cluster(struct simgrid *reader, const xmlNode *element)
{
    static const char *const shapes[] = {
        [CLUSTER_FLAT] = "FLAT",         [CLUSTER_TORUS] = "TORUS",
        [CLUSTER_FAT_TREE] = "FAT_TREE", [CLUSTER_DRAGONFLY] = "DRAGONFLY",
        [CLUSTER_DRAGONFLY + 1] = NULL};
    int shape = simgrid_word(reader, element, "topology", shapes);
    if (shape == SIMGRID_NO_WORD)
        return NULL;
    struct cluster *cluster = mem_alloc(1, sizeof *cluster);
    cluster->shape = (enum cluster_shape)shape;
    bool is_read = read_policies(reader, element, cluster);
    is_read &= simgrid_cluster_read_numbers(reader, element, cluster);
    is_read &= read_radical(reader, element, cluster);
    is_read &= read_parameters(reader, element, cluster);
    const char *problem = is_read ? cluster_lay_out(cluster) : NULL;
    if (problem)
        simgrid_report(reader, CODE_T017, element,
                       cluster->shape == CLUSTER_FLAT ? "radical" : "topo_parameters", problem);
    if (is_read && !problem)
        return cluster;
    cluster_free(cluster);
    return NULL;
}

/* ---- names that must be free ---- */

static bool simgrid_cluster_report_clash(struct simgrid *reader, const xmlNode *element, const char *name)
{
    simgrid_report(reader, CODE_T004, element, "radical",
                   diagnostics_text(reader->xml.diagnostics,
                                    "a host, router or zone above has the name '%s' too", name));
    return false;
}

/* Compares the hosts with all names above that are not hosts of a cluster. */
static bool differs_from_points(struct simgrid *reader, const xmlNode *element,
                                const struct cluster *cluster)
{
    const struct zones *zones = reader->zones;
    for (uint32_t i = 0; i < zones->by_name.n; i++) {
        const char *name = zones_text(zones, zones->entries[i].name);
        if (zones->entries[i].kind == ENTRY_POINT &&
            cluster_find_host(zones, cluster, name, zones->entries[i].name.length) != ZONES_NONE)
            return simgrid_cluster_report_clash(reader, element, name);
    }
    return true;
}

static bool differs_from_clusters(struct simgrid *reader, const xmlNode *element,
                                  const struct cluster *cluster)
{
    const struct zones *zones = reader->zones;
    struct text name = {0};
    int clash = 0;
    for (uint32_t i = 0; i < zones->n_zones && !clash; i++)
        if (zones->zones[i].cluster)
            clash = cluster_clash(zones, cluster, zones->zones[i].cluster, &name);
    if (clash < 0)
        simgrid_report(reader, CODE_T017, element, "prefix",
                       "names of two large clusters that differ only by digits")
            ->help = "end the prefix with a letter or a dash";
    else if (clash)
        simgrid_cluster_report_clash(reader, element, name.data);
    text_free(&name);
    return !clash;
}

static bool simgrid_cluster_has_room(struct simgrid *reader, const xmlNode *element,
                                     const struct cluster *cluster)
{
    const struct zones *zones = reader->zones;
    const char *problem = NULL;
    if (reader->n_clusters == MAX_CLUSTERS)
        problem = "more than 4096 clusters";
    else if ((uint64_t)zones->n_machines + cluster->n_hosts > TOPOLOGY_MAX_MACHINES)
        problem = "more than 1073741824 hosts";
    else if ((uint64_t)zones->n_link_ids + cluster->n_link_ids >= UINT32_MAX ||
             (uint64_t)zones->n_routers + cluster->n_routers >= UINT32_MAX / 2)
        problem = "more than 4294967294 links";
    if (problem)
        simgrid_report(reader, CODE_T006, element, "id", problem);
    return !problem;
}

static bool names_are_free(struct simgrid *reader, const xmlNode *element,
                           const struct cluster *cluster)
{
    struct slice id = simgrid_text(element, "id");
    struct slice router = {zones_text(reader->zones, cluster->router), cluster->router.length};
    if (!simgrid_is_free(reader, element, "id", id) ||
        (cluster->shape == CLUSTER_FLAT &&
         !simgrid_is_free(reader, element, "router_id", router)))
        return false;
    return differs_from_points(reader, element, cluster) &&
           differs_from_clusters(reader, element, cluster);
}

void simgrid_read_cluster(struct simgrid *reader, const xmlNode *element, uint32_t parent)
{
    struct slice name;
    simgrid_check_attributes(reader, element);
    if (!simgrid_need_name(reader, element, "id", &name) ||
        !simgrid_cluster_need_value(reader, element, "radical"))
        return;
    struct cluster *cluster = make_cluster(reader, element);
    if (!cluster)
        return;
    read_names(reader, element, cluster);
    if (!simgrid_cluster_has_room(reader, element, cluster) || !names_are_free(reader, element, cluster)) {
        cluster_free(cluster);
        return;
    }
    reader->n_clusters++;
    uint32_t zone =
        zones_add_zone(reader->zones, parent, ZONE_CLUSTER, name.text, name.length);
    zones_set_cluster(reader->zones, zone, cluster);
}

/* ---- zones with routing Cluster ---- */

/* Adds the way from a point to the centre over `links`, and back over the others. */
static void add_star_routes(struct simgrid *reader, uint32_t zone, uint32_t point,
                            struct zone_route_link link, uint32_t backbone)
{
    const struct zone_point none = {ZONES_NONE, ZONES_NONE};
    struct zone_route route = {point, ZONES_NONE, none, none, 0, 0, 0};
    simgrid_add_link(reader, link, &route.n);
    if (backbone != ZONES_NONE)
        simgrid_add_link(reader, (struct zone_route_link){backbone, backbone}, &route.n);
    zones_add_route(reader->zones, zone, route, reader->links, true);
}

static uint32_t read_backbone(struct simgrid *reader, const xmlNode *element)
{
    struct zone_link_class class = {.contends = true};
    struct slice name;
    simgrid_check_attributes(reader, element);
    if (!simgrid_need_name(reader, element, "id", &name) ||
        !simgrid_cluster_need_value(reader, element, "bandwidth") ||
        !simgrid_bandwidth(reader, element, "bandwidth", &class.bandwidth) ||
        !simgrid_latency(reader, element, "latency", &class.latency) ||
        !simgrid_link_is_free(reader, element, name, false))
        return ZONES_NONE;
    return zones_add_link(reader->zones, name.text, name.length, &class);
}

static uint32_t find_cable(struct simgrid *reader, const xmlNode *element, const char *attribute)
{
    struct slice name;
    if (!simgrid_need_name(reader, element, attribute, &name))
        return ZONES_NONE;
    uint32_t link = zones_find_link(reader->zones, name.text, name.length, 0);
    if (link == ZONES_NONE)
        simgrid_report(reader, CODE_T004, element, attribute, "no link has this name")->help =
            "of a split link, name a half: add _UP or _DOWN";
    return link;
}

static void read_host_link(struct simgrid *reader, const xmlNode *element, uint32_t zone,
                           uint32_t backbone)
{
    struct slice name;
    struct zone_point point;
    simgrid_check_attributes(reader, element);
    if (!simgrid_need_name(reader, element, "id", &name))
        return;
    bool is_found = zones_find_point(reader->zones, name.text, name.length, &point) &&
                    point.zone == zone;
    if (!is_found)
        simgrid_report(reader, CODE_T004, element, "id", "no host of this zone has this name");
    struct zone_route_link link = {find_cable(reader, element, "up"),
                                   find_cable(reader, element, "down")};
    if (is_found && link.there != ZONES_NONE && link.back != ZONES_NONE)
        add_star_routes(reader, zone, point.index, link, backbone);
}

static uint32_t add_half(struct simgrid *reader, struct text *name, size_t length,
                         const char *suffix, const struct zone_link_class *class)
{
    name->length = length;
    text_append(name, suffix, strlen(suffix));
    return zones_add_link(reader->zones, name->data, name->length, class);
}

/* Hosts that each have a link to the centre and one from it. */
struct cabinet {
    const xmlNode *element;
    uint32_t zone, backbone;
    struct zone_link_class class;
};

static bool add_cabinet_host(struct simgrid *reader, const struct cabinet *cabinet,
                             const char *name)
{
    struct slice host = slice_of(name);
    struct text link = {0};
    text_printf(&link, "link_%s", name);
    bool is_free =
        simgrid_is_free(reader, cabinet->element, "radical", host) &&
        simgrid_link_is_free(reader, cabinet->element, (struct slice){link.data, link.length},
                             true);
    if (is_free) {
        size_t length = link.length;
        uint32_t up = add_half(reader, &link, length, "_UP", &cabinet->class);
        uint32_t down = add_half(reader, &link, length, "_DOWN", &cabinet->class);
        zones_add_host(reader->zones, cabinet->zone, host.text, host.length);
        add_star_routes(reader, cabinet->zone,
                        reader->zones->zones[cabinet->zone].n_vertices - 1,
                        (struct zone_route_link){up, down}, cabinet->backbone);
    }
    text_free(&link);
    return is_free;
}

enum { MAX_CABINET = 1 << 20 }; /* its hosts are stored one by one */

static void fill_cabinet(struct simgrid *reader, const struct cabinet *cabinet,
                         const struct cluster *range)
{
    struct text name = {0};
    bool is_free = true;
    for (uint32_t host = 0; host < range->n_hosts && is_free; host++) {
        name.length = 0;
        cluster_host_name(reader->zones, range, host, &name);
        is_free = add_cabinet_host(reader, cabinet, name.data);
    }
    text_free(&name);
}

static void read_cabinet(struct simgrid *reader, const xmlNode *element, uint32_t zone,
                         uint32_t backbone)
{
    struct cluster *range = mem_alloc(1, sizeof *range);
    simgrid_check_attributes(reader, element);
    bool is_read = simgrid_cluster_need_value(reader, element, "radical") &&
                   read_radical(reader, element, range) &&
                   simgrid_cluster_read_numbers(reader, element, range);
    read_names(reader, element, range);
    const char *problem = is_read ? cluster_lay_out(range) : NULL;
    struct cabinet cabinet = {element, zone, backbone,
                              {range->bandwidth, range->latency, false, true}};
    if (!problem && is_read && reader->zones->n_machines + range->n_hosts > MAX_CABINET)
        problem = "more than 1048576 hosts in cabinets; use the element cluster";
    if (problem)
        simgrid_report(reader, CODE_T006, element, "radical", problem);
    else if (is_read)
        fill_cabinet(reader, &cabinet, range);
    cluster_free(range);
}

void simgrid_read_star(struct simgrid *reader, const xmlNode *element, uint32_t zone)
{
    uint32_t backbone = ZONES_NONE;
    for (const xmlNode *child = element->children; child; child = child->next)
        if (xml_is(child, "backbone"))
            backbone = read_backbone(reader, child);
    for (const xmlNode *child = element->children; child; child = child->next)
        if (xml_is(child, "host_link"))
            read_host_link(reader, child, zone, backbone);
    for (const xmlNode *child = element->children; child; child = child->next)
        if (xml_is(child, "cabinet"))
            read_cabinet(reader, child, zone, backbone);
}
