/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of a kind of topology: a table of methods, which network/topology.c calls, and its own data behind
 * `self`. For the files of kinds only: all others call topology_route and its neighbours.
 *
 * A new kind is one file with a table, and a maker that ends in topology_finish.
 */
#ifndef COLLC_NETWORK_KIND_H
#define COLLC_NETWORK_KIND_H

#include "network/bulk.h"
#include "network/shifts.h"

/* Returns an empty topology of that kind with the settings filled in, and n_bytes of zeros as its `self`,
 * both in its arena. */
struct topology *topology_allocate(const struct topology_methods *methods, size_t n_bytes,
                                   const struct topology_settings *settings);
/* Does the same for a part of `base`, which it owns from now on: with its name, values and links. */
struct topology *topology_allocate_over(const struct topology_methods *methods, size_t n_bytes,
                                        struct topology *base);
/* Takes the classes of the settings, one for each of n dimensions or levels. */
void topology_set_classes(struct topology *topology, const struct topology_settings *settings,
                          uint32_t n);
/* Returns the class of the links of a dimension or level. */
static inline const struct link_class *topology_class(const struct topology *topology, uint32_t i)
{
    return &topology->classes[topology->n_classes > 1 ? i : 0];
}
/* Computes the fingerprint and, without a name, the name. Call last. */
struct topology *topology_finish(struct topology *topology);

#define NO_ALTERNATIVE UINT32_MAX

/* Methods of kinds that are quick at many pairs, each like its namesake in network/bulk.h. */
struct bulk_methods {
    void (*route_pairs)(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                        uint32_t *links, uint32_t *n_links); /* NULL: by `route`, one by one */
    bool (*route_ways)(const struct topology *topology, const struct topology_pair *pairs,
                       const uint8_t *ways, uint32_t n, uint32_t *links,
                       uint32_t *n_links); /* NULL: by `route_by`, one by one */
    void (*add_loads)(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                      uint64_t *load, uint64_t *most); /* NULL: link by link */
    void (*lay_loads)(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                      const uint64_t *amounts, uint64_t *load); /* NULL: hop by hop */
    void (*sum_loads)(const struct topology *topology, uint64_t *load); /* NULL where lay_loads is */
};

/* Methods of kinds that know their shifts, each like its namesake in network/shifts.h. */
struct shift_methods {
    bool (*has_shifts)(const struct topology *topology, const struct machine_shifts *shifts,
                       bool *is_free);
    uint32_t (*class_hops)(const struct topology *topology, const struct machine_shifts *shifts,
                           uint32_t offset, struct class_hops *hops);
    uint64_t (*offset_latency)(const struct topology *topology, const struct machine_shifts *shifts,
                               uint32_t offset); /* NULL: one link */
    /* The same where messages have ways, in their place; NULL: they cannot have any. */
    uint32_t (*way_hops)(const struct topology *topology, const struct machine_shifts *shifts,
                         uint32_t offset, uint8_t way, struct class_hops *hops);
    uint64_t (*way_latency)(const struct topology *topology, const struct machine_shifts *shifts,
                            uint32_t offset, uint8_t way);
    uint32_t (*max_class_hops)(const struct topology *topology); /* NULL: 4 for each dimension or level */
    uint32_t (*n_classes)(const struct topology *topology); /* 2 for each dimension or level, in their order,
                                                               if these differ, unless links_of says */
    struct link_class (*links_of)(const struct topology *topology, uint32_t class); /* NULL: as said */
    uint32_t (*n_positions)(const struct topology *topology, const struct machine_shifts *shifts,
                            uint32_t class); /* NULL: 1 */
    uint32_t (*links_at)(const struct topology *topology, const struct machine_shifts *shifts,
                         uint32_t class); /* NULL: shifts are free */
    uint32_t (*link_class)(const struct topology *topology, const struct machine_shifts *shifts,
                           uint32_t link, uint32_t *position); /* NULL: shifts are free */
};

/* The kinds, by a number that is part of the fingerprint. */
enum topology_kind {
    KIND_GRID,
    KIND_TREE,
    KIND_FULL,
    KIND_GRAPH,
    KIND_SUBSET,
    KIND_FAULTY,
    KIND_COMPOSITE,
    KIND_ZONES,
    KIND_SLOWED
};

/* Methods of a kind, each like its namesake in network/topology.h. */
struct topology_methods {
    enum topology_kind number;
    uint32_t (*route)(const struct topology *topology, uint32_t source, uint32_t destination,
                      struct hop *hops); /* source and destination differ */
    /* The same from the link `first`, which leaves a machine, to `last`, which arrives at another; 0: there
     * is no such route. NULL: routes are not found so. */
    uint32_t (*route_by)(const struct topology *topology, uint32_t first, uint32_t last, struct hop *hops);
    const struct bulk_methods *bulk;    /* NULL: routes and loads pair by pair */
    const struct shift_methods *shifts; /* NULL: has no shifts */
    /* Another way, at most twice max_hops long, for when the route fails: 0 if there is
     * none of that number, NO_ALTERNATIVE if there is none from it on. NULL: none at all. */
    uint32_t (*alternative)(const struct topology *topology, uint32_t source,
                            uint32_t destination, uint32_t number, struct hop *hops);
    bool (*next_links)(const struct topology *topology, uint32_t destination,
                       uint32_t *next); /* NULL: never, as where machines forward */
    /* As topology_next_choices of network/adaptive.h. NULL: routes are fixed. */
    uint32_t (*next_choices)(const struct topology *topology, uint32_t node, uint32_t destination,
                             struct hop *choices);
    /* The same to the link `last`, which arrives at a machine: nearer to where it begins, and there the
     * link itself, if it is not where the message leaves a machine. NULL: not known. */
    uint32_t (*next_choices_by)(const struct topology *topology, uint32_t node, uint32_t last,
                                struct hop *choices);
    const char *alternatives; /* description of them for the routing rule: "by the next root" */
    bool alternatives_have_lanes; /* they use other lanes than the route */
    /* Takes these links out of the network itself, and puts back all others, where routes are searched anew
     * instead of taking alternatives; false where they are not. NULL: never. */
    bool (*fail_links)(struct topology *topology, const uint32_t *links, uint32_t n_links);
    bool (*has_link)(const struct topology *topology, uint32_t link); /* NULL: every id */
    /* NULL: as the base, or, without one, all links are shared */
    bool (*link_contends)(const struct topology *topology, uint32_t link);
    void (*link_ends)(const struct topology *topology, uint32_t link, uint32_t *from,
                      uint32_t *to);
    /* NULL: as the base, or, without one, all links have the topology's own */
    uint64_t (*link_bandwidth)(const struct topology *topology, uint32_t link);
    uint64_t (*link_latency)(const struct topology *topology, uint32_t link);
    void (*node_name)(const struct topology *topology, uint32_t node, struct text *out);
    uint32_t (*find_machine)(const struct topology *topology, const char *name, size_t length);
    bool (*has_lanes)(const struct topology *topology); /* NULL: never */
    const char *(*routing_rule)(const struct topology *topology);
    bool (*assumes_routes)(const struct topology *topology); /* NULL: as the base, or, without one, no */
    void (*shape)(const struct topology *topology, struct text *out); /* NULL: not implicit */
    bool (*cut)(const struct topology *topology, uint32_t i, struct topology_cut *cut); /* or NULL */
    uint64_t (*fingerprint)(const struct topology *topology, uint64_t hash);
    /* Returns the number of a node in the base; NULL: the same number. */
    uint32_t (*base_node)(const struct topology *topology, uint32_t node);
    /* Called for a whole, with a part of it or itself; NULL: only the routers forward, and all machines if
     * machines_forward. */
    void (*find_forwarding)(const struct topology *part, bool *forwards);
    void (*release)(struct topology *topology); /* frees what is not in the arena; NULL: nothing */
};

/* Prints the name of a node as most implicit kinds do: "m7", "sw3" ... */
void topology_numbered_name(const struct topology *topology, uint32_t node, struct text *out);
uint32_t topology_find_numbered(const struct topology *topology, const char *name, size_t length);
/* Add their numbers to `fingerprint`, before and after those of the kind, and to the end of `shape`. */
uint64_t fingerprint_values(const struct topology *topology, uint64_t hash);
uint64_t fingerprint_classes(const struct topology *topology, uint64_t hash);
void topology_print_values(const struct topology *topology, struct text *out);

/* Takes the base out of a topology and frees the rest of it. */
struct topology *topology_take_base(struct topology *topology);

/* Reads a decimal number without sign or blanks at *cursor, before `end`. */
bool topology_scan_number(const char **cursor, const char *end, uint32_t *value);

/* FNV-1a, 64 bits, over numbers (least significant byte first) and strings. */
uint64_t fingerprint_number(uint64_t hash, uint64_t number);
uint64_t fingerprint_text(uint64_t hash, const char *text, size_t length);
#define FINGERPRINT_START UINT64_C(0xcbf29ce484222325)

#endif
