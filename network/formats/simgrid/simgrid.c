/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads platform files of SimGrid, versions 3 to 4.1: zones, hosts, routers, links and routes
 * (network/formats/simgrid/zones.h). Speeds, disks and properties do not belong to the network and are
 * skipped; changes over time are left out with a warning.
 */
#include "network/formats/simgrid/simgrid.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_simgrid(const struct source *source)
{
    return xml_root_is(source, "platform");
}

/* ---- hosts, routers, links ---- */

/* True if a zone has points of the other sort. SimGrid's DTD does not mix them. */
static bool is_mixed(const struct simgrid *reader, uint32_t zone, bool with_zones)
{
    const struct zone *in = &reader->zones->zones[zone];
    for (uint32_t i = 0; i < in->n_vertices && i < 1; i++)
        if (in->vertices[i].kind != VERTEX_ROUTER)
            return (in->vertices[i].kind == VERTEX_ZONE) != with_zones;
    return false;
}

static void read_point(struct simgrid *reader, const xmlNode *element, uint32_t zone)
{
    struct slice name;
    simgrid_check_attributes(reader, element);
    if (!simgrid_need_name(reader, element, "id", &name) ||
        !simgrid_is_free(reader, element, "id", name))
        return;
    if (xml_is(element, "router")) {
        zones_add_router(reader->zones, zone, name.text, name.length);
        return;
    }
    if (is_mixed(reader, zone, false))
        simgrid_report(reader, CODE_T017, element, "id", "a host beside zones")->help =
            "a zone holds hosts or zones, not both: give the host a zone of its own";
    zones_add_host(reader->zones, zone, name.text, name.length);
}

static void simgrid_read_link(struct simgrid *reader, const xmlNode *element)
{
    static const char *const policies[] = {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE", NULL};
    struct zone_link_class class = {0, 0, false, true};
    struct slice name, bandwidth = simgrid_text(element, "bandwidth");
    simgrid_check_attributes(reader, element);
    if (strcmp(simgrid_text(element, "sharing_policy").text, "WIFI") == 0) {
        simgrid_report(reader, CODE_T017, element, "sharing_policy", "wireless is not supported");
        return;
    }
    int policy = simgrid_word(reader, element, "sharing_policy", policies);
    if (!bandwidth.length)
        simgrid_report(reader, CODE_T017, element, NULL, "attribute 'bandwidth' missing");
    bool is_read = simgrid_need_name(reader, element, "id", &name) && bandwidth.length;
    is_read &= simgrid_bandwidth(reader, element, "bandwidth", &class.bandwidth);
    is_read &= simgrid_latency(reader, element, "latency", &class.latency);
    class.is_split = policy == 1 || policy == 2;
    class.contends = policy != 3;
    if (is_read && policy != SIMGRID_NO_WORD &&
        simgrid_link_is_free(reader, element, name, class.is_split))
        zones_add_link(reader->zones, name.text, name.length, &class);
}

/* ---- zones ---- */

static const struct {
    const char *name;
    enum zone_kind kind;
} routings[] = {
    {"Full", ZONE_FULL},         {"Floyd", ZONE_FLOYD},
    {"Dijkstra", ZONE_DIJKSTRA}, {"DijkstraCache", ZONE_DIJKSTRA},
    {"Cluster", ZONE_STAR},      {"None", ZONE_NONE},
};

static bool read_routing(struct simgrid *reader, const xmlNode *element, enum zone_kind *kind)
{
    const char *routing = xml_find_attribute(element, "routing");
    for (size_t i = 0; routing && i < sizeof routings / sizeof *routings; i++)
        if (strcasecmp(routings[i].name, routing) == 0) {
            *kind = routings[i].kind;
            return true;
        }
    simgrid_report(reader, CODE_T017, element, routing ? "routing" : NULL,
                   routing ? "this routing is not supported" : "attribute 'routing' missing")
        ->help = "supported: Full, Floyd, Dijkstra, DijkstraCache, Cluster, None";
    return false;
}

static void read_zone(struct simgrid *reader, const xmlNode *element, uint32_t parent);

/* Reads an element of a zone that holds points or zones, or joins them. */
static bool simgrid_read_part(struct simgrid *reader, const xmlNode *element, uint32_t zone)
{
    bool is_zone = xml_is(element, "zone") || xml_is(element, "AS");
    if ((is_zone || xml_is(element, "cluster")) && is_mixed(reader, zone, true))
        simgrid_report(reader, CODE_T017, element, "id", "a zone beside hosts")->help =
            "a zone holds hosts or zones, not both: give the hosts a zone of their own";
    if (is_zone)
        read_zone(reader, element, zone);
    else if (xml_is(element, "cluster"))
        simgrid_read_cluster(reader, element, zone);
    else if (xml_is(element, "host") || xml_is(element, "router"))
        read_point(reader, element, zone);
    else if (xml_is(element, "link"))
        simgrid_read_link(reader, element);
    else if (xml_is(element, "route") || xml_is(element, "zoneRoute") ||
             xml_is(element, "ASroute"))
        simgrid_read_route(reader, element, zone);
    else
        return false;
    return true;
}

/* True for an element that describes nothing of the network. */
static bool is_passed_over(struct simgrid *reader, const xmlNode *element)
{
    static const char *const unread[] = {"trace", "trace_connect", "trace:connect"};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (xml_is(element, unread[i])) {
            reader->n_unread++;
            return true;
        }
    return xml_is(element, "prop") || xml_is(element, "config") || xml_is(element, "random") ||
           xml_is(element, "process") || xml_is(element, "actor");
}

static void simgrid_report_element(struct simgrid *reader, const xmlNode *element)
{
    bool is_bypass = strncmp((const char *)element->name, "bypass", 6) == 0;
    simgrid_report(reader, CODE_T017, element, NULL,
                   is_bypass ? "routes that bypass others are not supported"
                             : "element not supported here")
        ->help = is_bypass ? "state the way among the zone's routes instead" : NULL;
}

static void read_parts(struct simgrid *reader, const xmlNode *element, uint32_t zone)
{
    for (const xmlNode *child = element->children; child; child = child->next) {
        bool of_star = reader->zones->zones[zone].kind == ZONE_STAR &&
                       (xml_is(child, "backbone") || xml_is(child, "host_link") ||
                        xml_is(child, "cabinet"));
        if (child->type != XML_ELEMENT_NODE || of_star || is_passed_over(reader, child))
            continue;
        if (!simgrid_read_part(reader, child, zone))
            simgrid_report_element(reader, child);
    }
    if (reader->zones->zones[zone].kind == ZONE_STAR)
        simgrid_read_star(reader, element, zone);
}

static void read_zone(struct simgrid *reader, const xmlNode *element, uint32_t parent)
{
    enum zone_kind kind;
    struct slice name;
    simgrid_check_attributes(reader, element);
    if (!read_routing(reader, element, &kind) ||
        !simgrid_need_name(reader, element, "id", &name) ||
        !simgrid_is_free(reader, element, "id", name))
        return;
    if (parent != ZONES_NONE && reader->zones->zones[parent].depth + 1 == ZONES_MAX_DEPTH) {
        simgrid_report(reader, CODE_T006, element, "id", "zones nested more than 64 deep");
        return;
    }
    uint32_t zone = zones_add_zone(reader->zones, parent, kind, name.text, name.length);
    read_parts(reader, element, zone);
}

/* ---- the platform ---- */

static bool check_version(struct simgrid *reader, const xmlNode *root)
{
    static const char *const versions[] = {"3", "4", "4.0", "4.1"};
    const char *version = xml_find_attribute(root, "version");
    for (size_t i = 0; version && i < sizeof versions / sizeof *versions; i++)
        if (strcmp(versions[i], version) == 0)
            return true;
    simgrid_report(reader, CODE_T017, root, "version",
                   version ? "not a version that is understood" : "attribute 'version' missing")
        ->help = "versions 3 to 4.1 are; simgrid_update_xml brings older files up to date";
    return false;
}

static void read_platform(struct simgrid *reader, const xmlNode *root)
{
    uint32_t n = 0;
    simgrid_check_attributes(reader, root);
    for (const xmlNode *child = root->children; child; child = child->next) {
        bool is_zone = xml_is(child, "zone") || xml_is(child, "AS");
        if (child->type != XML_ELEMENT_NODE || is_passed_over(reader, child))
            continue;
        if (!is_zone && !xml_is(child, "cluster"))
            simgrid_report_element(reader, child);
        else if (n++)
            simgrid_report(reader, CODE_T017, child, "id", "a second outermost zone")->help =
                "put all zones into one";
        else if (is_zone)
            read_zone(reader, child, ZONES_NONE);
        else
            simgrid_read_cluster(reader, child, ZONES_NONE);
    }
    if (!reader->xml.failed && !reader->zones->n_machines)
        simgrid_report(reader, CODE_T004, root, NULL, "the platform has no hosts");
}

/* ---- what shows only when all is read ---- */

static bool check_duplicates(struct simgrid *reader)
{
    struct zone_route first, second;
    if (!zones_find_duplicate(reader->zones, &first, &second))
        return true;
    const xmlNode *before = reader->origins[first.origin];
    const xmlNode *after = reader->origins[second.origin];
    struct diagnostic *diagnostic = simgrid_report(reader, CODE_T004, after, NULL,
                                                   "there is a route between these two already");
    struct slice slice = xml_element_slice(&reader->xml, before);
    diagnostic->related = slice_position(reader->xml.source, slice);
    diagnostic->related_text = "stated here";
    diagnostic->help = "a route leads both ways unless it says symmetrical=\"NO\"";
    return false;
}

/* Refuses dijkstra zones that cross another zone between two gateways: SimGrid 3.32 crashes there. Floyd
 * handles them. */
static bool check_crossings(struct simgrid *reader, const xmlNode *root)
{
    const struct zones *zones = reader->zones;
    uint32_t crossed, zone = zones_find_crossing(zones, ZONE_DIJKSTRA, &crossed);
    if (zone == ZONES_NONE)
        return true;
    simgrid_report(reader, CODE_T017, root, NULL,
                   diagnostics_text(reader->xml.diagnostics,
                                    "zone '%s' routes over zone '%s' between two gateways, which "
                                    "SimGrid's Dijkstra cannot",
                                    zones_text(zones, zones->zones[zone].name),
                                    zones_text(zones, zones->zones[crossed].name)))
        ->help = "use routing=\"Floyd\", or one gateway for all routes of the zone in between";
    return false;
}

enum { MAX_HOPS = 1 << 24 };

static struct topology *simgrid_finish(struct simgrid *reader, const xmlNode *root)
{
    zones_seal(reader->zones);
    if (!check_duplicates(reader) || !check_crossings(reader, root))
        return NULL;
    if (zones_max_hops(reader->zones) > MAX_HOPS) {
        simgrid_report(reader, CODE_T006, root, NULL, "routes of more than 16777216 links");
        return NULL;
    }
    if (reader->n_unread)
        report(reader->xml.diagnostics, CODE_T008,
               slice_position(reader->xml.source, xml_element_slice(&reader->xml, root)),
               "%u trace%s left out: links keep the values stated for them", reader->n_unread,
               plural(reader->n_unread));
    struct topology_settings settings = {.name = reader->xml.source->path};
    struct topology *topology = topology_new_zones(&settings, reader->zones);
    reader->zones = NULL;
    return topology;
}

static struct topology *read_simgrid(const struct source *source, struct diagnostics *diagnostics)
{
    struct simgrid reader = {.xml = {.source = source,
                                     .diagnostics = diagnostics,
                                     .allows_document_type = true}};
    struct topology *topology = NULL;
    xmlDoc *document = xml_parse(&reader.xml);
    if (!document)
        return NULL;
    const xmlNode *root = libxml2()->xmlDocGetRootElement(document);
    reader.zones = zones_new();
    if (check_version(&reader, root))
        read_platform(&reader, root);
    if (!reader.xml.failed)
        topology = simgrid_finish(&reader, root);
    zones_free(reader.zones);
    free(reader.links);
    free(reader.origins);
    libxml2()->xmlFreeDoc(document);
    return topology;
}

const struct topology_format simgrid_format = {
    .is = is_simgrid, .read = read_simgrid, .write = simgrid_write};
