/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of the SimGrid reader: simgrid.c walks the elements, simgrid_values.c reads
 * attributes, simgrid_cluster.c clusters and cabinets, simgrid_route.c routes.
 */
#ifndef COLLC_NETWORK_FORMATS_SIMGRID_SIMGRID_H
#define COLLC_NETWORK_FORMATS_SIMGRID_SIMGRID_H

#include "base/text/xml.h"
#include "network/format.h"
#include "network/formats/simgrid/zones_cluster.h"

struct simgrid {
    struct xml_reader xml;
    struct zones *zones;
    uint32_t n_clusters;
    struct zone_route_link *links; /* links of the route that is being read */
    size_t links_capacity;
    const xmlNode **origins; /* elements of routes, by number */
    uint32_t n_origins;
    size_t origins_capacity;
    uint32_t n_unread; /* elements and attributes that describe changes over time */
};

/* ---- simgrid_values.c ---- */

/* Reports at the value of an attribute, or at the element. */
struct diagnostic *simgrid_report(struct simgrid *reader, uint32_t code, const xmlNode *element,
                                  const char *attribute, const char *message);
/* Returns the attribute, or an empty slice. */
struct slice simgrid_text(const xmlNode *element, const char *attribute);
/* Reads the attribute `id` or another name, of 1 to 255 bytes. Returns false after reporting. */
bool simgrid_need_name(struct simgrid *reader, const xmlNode *element, const char *attribute,
                       struct slice *name);
/* Read bytes per second and ns, in SimGrid's units; a bare number is reported (T008). Leave *value if the
 * attribute is missing. Return false after reporting. */
bool simgrid_bandwidth(struct simgrid *reader, const xmlNode *element, const char *attribute,
                       uint64_t *value);
bool simgrid_latency(struct simgrid *reader, const xmlNode *element, const char *attribute,
                     uint64_t *value);
/* Returns the index of the attribute's word in a NULL-terminated list; 0 if the attribute is missing;
 * SIMGRID_NO_WORD after reporting. */
enum { SIMGRID_NO_WORD = -1 };
int simgrid_word(struct simgrid *reader, const xmlNode *element, const char *attribute,
                 const char *const *words);
/* Takes a whole number, with blanks around it, off the front. */
bool simgrid_take_number(struct slice *rest, uint32_t *value);
/* Reports the attributes that the element cannot have. */
void simgrid_check_attributes(struct simgrid *reader, const xmlNode *element);
/* Returns false after reporting T004: the name is taken by another host, router or zone, or by a link. */
bool simgrid_is_free(struct simgrid *reader, const xmlNode *element, const char *attribute,
                     struct slice name);
bool simgrid_link_is_free(struct simgrid *reader, const xmlNode *element, struct slice name,
                          bool is_split);

/* ---- simgrid_cluster.c ---- */

void simgrid_read_cluster(struct simgrid *reader, const xmlNode *element, uint32_t parent);
/* Reads a zone with routing Cluster after its elements: cables of its hosts, cabinets and backbone. */
void simgrid_read_star(struct simgrid *reader, const xmlNode *element, uint32_t zone);

/* ---- simgrid_route.c ---- */

/* Reads a route, zoneRoute or ASroute. */
void simgrid_read_route(struct simgrid *reader, const xmlNode *element, uint32_t zone);
void simgrid_add_link(struct simgrid *reader, struct zone_route_link link, uint32_t *n);

/* ---- simgrid_write.c ---- */

topology_writer simgrid_write;

#endif
