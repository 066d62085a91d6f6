/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads routes of SimGrid platforms. Names must be declared above, as in SimGrid.
 */
#include "network/formats/simgrid/simgrid.h"

#include "base/codes.h"

#include <string.h>

void simgrid_add_link(struct simgrid *reader, struct zone_route_link link, uint32_t *n)
{
    reader->links = mem_grow(reader->links, &reader->links_capacity, (size_t)*n + 1,
                             sizeof *reader->links);
    reader->links[(*n)++] = link;
}

/* ---- links ---- */

enum direction { DIRECTION_NONE, DIRECTION_UP, DIRECTION_DOWN };

static void report_no_link(struct simgrid *reader, const xmlNode *element, struct slice name,
                           bool has_direction)
{
    bool is_split = zones_find_link(reader->zones, name.text, name.length, 'U') != ZONES_NONE;
    struct diagnostic *diagnostic;
    if (is_split && !has_direction) {
        diagnostic = simgrid_report(reader, CODE_T004, element, "id",
                                    "the link is split, but no direction is given");
        diagnostic->help = "add direction=\"UP\" or direction=\"DOWN\"";
        return;
    }
    bool is_plain = zones_find_link(reader->zones, name.text, name.length, 0) != ZONES_NONE;
    diagnostic = simgrid_report(reader, CODE_T004, element, "id",
                                is_plain ? "the link is not split and has no direction"
                                         : "no link above has this name");
    diagnostic->help = is_plain ? "only links with sharing_policy=\"SPLITDUPLEX\" have one" : NULL;
}

static void read_link_ctn(struct simgrid *reader, const xmlNode *element, uint32_t *n)
{
    static const char *const words[] = {"NONE", "UP", "DOWN", NULL};
    struct slice name;
    simgrid_check_attributes(reader, element);
    int direction = simgrid_word(reader, element, "direction", words);
    if (!simgrid_need_name(reader, element, "id", &name) || direction == SIMGRID_NO_WORD)
        return;
    char there = 0, back = 0;
    if (direction != DIRECTION_NONE) {
        there = direction == DIRECTION_UP ? 'U' : 'D';
        back = direction == DIRECTION_UP ? 'D' : 'U';
    }
    struct zone_route_link link = {
        zones_find_link(reader->zones, name.text, name.length, there),
        zones_find_link(reader->zones, name.text, name.length, back)};
    if (link.there == ZONES_NONE)
        report_no_link(reader, element, name, direction != DIRECTION_NONE);
    else
        simgrid_add_link(reader, link, n);
}

/* ---- ends ---- */

/* Reads the point of this zone that an attribute names. */
static bool simgrid_route_read_end(struct simgrid *reader, const xmlNode *element, const char *attribute,
                                   uint32_t zone, uint32_t *index)
{
    struct slice name;
    struct zone_point point;
    if (!simgrid_need_name(reader, element, attribute, &name))
        return false;
    if (!zones_find_point(reader->zones, name.text, name.length, &point)) {
        simgrid_report(reader, CODE_T004, element, attribute,
                       "no host, router or zone above has this name");
        return false;
    }
    bool is_zone_route = !xml_is(element, "route");
    const struct zone *in = &reader->zones->zones[zone];
    bool is_here = point.zone == zone && !in->cluster;
    if (!is_here || (in->vertices[point.index].kind == VERTEX_ZONE) != is_zone_route) {
        simgrid_report(reader, CODE_T004, element, attribute,
                       is_zone_route ? "not a zone directly inside this zone"
                                     : "not a host or router directly inside this zone")
            ->help = "a route joins hosts and routers of its zone, a zoneRoute the zones in it";
        return false;
    }
    *index = point.index;
    return true;
}

/* True if the point is a host or router in a zone, or in zones of that. */
static bool simgrid_route_is_inside(const struct zones *zones, struct zone_point point, uint32_t zone)
{
    uint32_t at = point.zone;
    if (at == ZONES_NONE ||
        (!zones->zones[at].cluster && zones->zones[at].vertices[point.index].kind == VERTEX_ZONE))
        return false;
    while (at != ZONES_NONE && at != zone)
        at = zones->zones[at].parent;
    return at == zone;
}

static bool read_gateway(struct simgrid *reader, const xmlNode *element, const char *attribute,
                         uint32_t zone, struct zone_point *point)
{
    struct slice name;
    if (!simgrid_need_name(reader, element, attribute, &name))
        return false;
    if (zones_find_point(reader->zones, name.text, name.length, point) &&
        simgrid_route_is_inside(reader->zones, *point, zone))
        return true;
    simgrid_report(reader, CODE_T004, element, attribute, "no host or router of that zone")->help =
        "gw_src is a host or router of zone 'src', gw_dst of zone 'dst'";
    return false;
}

static bool read_ends(struct simgrid *reader, const xmlNode *element, uint32_t zone,
                      struct zone_route *route)
{
    bool is_read = simgrid_route_read_end(reader, element, "src", zone, &route->source);
    is_read &= simgrid_route_read_end(reader, element, "dst", zone, &route->target);
    if (!is_read || xml_is(element, "route"))
        return is_read;
    const struct zone *in = &reader->zones->zones[zone];
    is_read = read_gateway(reader, element, "gw_src", in->vertices[route->source].number,
                           &route->from);
    return read_gateway(reader, element, "gw_dst", in->vertices[route->target].number,
                        &route->to) &&
           is_read;
}

/* ---- routes ---- */

/* Refuses routes in zones that find routes by themselves. */
static bool takes_routes(struct simgrid *reader, const xmlNode *element, uint32_t zone)
{
    enum zone_kind kind = reader->zones->zones[zone].kind;
    if (kind == ZONE_FULL || kind == ZONE_FLOYD || kind == ZONE_DIJKSTRA)
        return true;
    simgrid_report(reader, CODE_T017, element, NULL,
                   kind == ZONE_STAR ? "a zone with routing 'Cluster' takes no routes"
                                     : "a zone with routing 'None' takes no routes")
        ->help = "routing \"Full\", \"Floyd\" and \"Dijkstra\" take routes";
    return false;
}

static uint32_t simgrid_route_read_links(struct simgrid *reader, const xmlNode *element)
{
    uint32_t n = 0;
    bool any = false;
    for (const xmlNode *child = element->children; child; child = child->next) {
        if (child->type != XML_ELEMENT_NODE || xml_is(child, "prop"))
            continue;
        any = true;
        if (xml_is(child, "link_ctn"))
            read_link_ctn(reader, child, &n);
        else
            simgrid_report(reader, CODE_T017, child, NULL, "a route holds nothing but link_ctn");
    }
    if (!any)
        simgrid_report(reader, CODE_T004, element, NULL, "a route without links")->help =
            "name its links in elements link_ctn";
    return n;
}

static uint32_t simgrid_route_add_origin(struct simgrid *reader, const xmlNode *element)
{
    reader->origins = mem_grow(reader->origins, &reader->origins_capacity,
                               (size_t)reader->n_origins + 1, sizeof *reader->origins);
    reader->origins[reader->n_origins] = element;
    return reader->n_origins++;
}

void simgrid_read_route(struct simgrid *reader, const xmlNode *element, uint32_t zone)
{
    static const char *const words[] = {"YES", "yes", "NO", "no", NULL};
    const struct zone_point none = {ZONES_NONE, ZONES_NONE};
    struct zone_route route = {.from = none, .to = none};
    simgrid_check_attributes(reader, element);
    int symmetrical = simgrid_word(reader, element, "symmetrical", words);
    if (!takes_routes(reader, element, zone))
        return;
    bool has_ends = read_ends(reader, element, zone, &route);
    route.n = simgrid_route_read_links(reader, element);
    if (!has_ends || reader->xml.failed || route.source == route.target)
        return; /* messages of a host to itself cross no network */
    route.origin = simgrid_route_add_origin(reader, element);
    zones_add_route(reader->zones, zone, route, reader->links, symmetrical < 2);
}
