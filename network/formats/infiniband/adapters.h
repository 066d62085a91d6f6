/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The InfiniBand adapters of machines, from their hwloc XML, and the links of a network that they are
 * cabled to. GUIDs, which both sides know, join them.
 */
#ifndef COLLC_NETWORK_FORMATS_INFINIBAND_ADAPTERS_H
#define COLLC_NETWORK_FORMATS_INFINIBAND_ADAPTERS_H

#include "network/graph.h"

enum { ADAPTER_ACTIVE = 4 /* state of a port that carries data */ };

/* A port of an adapter. */
struct adapter_port {
    const char *machine, *adapter; /* "miriel001", "qib0" */
    uint32_t number;               /* port number, from 1 */
    uint32_t state;                /* as InfiniBand counts: 1 down ... 4 active; 0: not known */
    uint32_t lid;                  /* 0: none or not known */
    uint64_t node_guid;            /* 0: not known */
    uint64_t port_guid, subnet_prefix; /* both 0: not known */
    uint32_t link; /* link of the network that leaves the machine by this port; GRAPH_NONE: not on the network
                      */
};

struct adapter_list {
    struct adapter_port *ports; /* in the order of files and devices */
    uint32_t n_ports;
    uint32_t n_machines;         /* files */
    uint32_t n_without;          /* machines without InfiniBand adapter */
    size_t capacity;
    struct arena arena;
};

/* Reads the hwloc XML in a file, or in all files of a folder, and finds every port on the network. In a
 * network without GUIDs it finds none. Returns false after reporting I001, I002, I003, T002 or T021.
 * Release with adapters_free either way. */
bool adapters_read(const char *name, const struct topology *network, struct adapter_list *list,
                   struct diagnostics *diagnostics);
void adapters_free(struct adapter_list *list);

#endif
