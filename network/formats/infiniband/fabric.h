/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An InfiniBand fabric as a subnet's dump states it: nodes by GUID and, for every port in use, the port
 * at the other end. The line reader (ibnetdiscover/ibnetdiscover.c) fills it; fabric_topology checks it
 * and makes the graph.
 */
#ifndef COLLC_NETWORK_FORMATS_INFINIBAND_FABRIC_H
#define COLLC_NETWORK_FORMATS_INFINIBAND_FABRIC_H

#include "base/text/units.h"
#include "network/forwarding.h"
#include "network/graph.h"

enum fabric_kind { FABRIC_SWITCH = 'S', FABRIC_HOST = 'H', FABRIC_ROUTER = 'R' };

struct fabric_node {
    struct slice guid;        /* 16 digits as a rule; any text */
    struct slice description; /* length 0: none known */
    enum fabric_kind kind;
    bool is_declared;         /* has a block (or a line) of its own */
    bool is_aggregation;      /* a switch's node for in-network reduction; no host */
    bool is_left_out;
    uint32_t line;            /* line of that block; 0: unknown */
    uint16_t lid;             /* a switch's LID; 0: unknown */
    uint32_t n_cables;
    uint32_t first_port;      /* lowest number of a port with a cable */
    uint32_t graph_node;
};

/* One end of a cable, as stated at that end. */
struct fabric_port {
    uint32_t node, port;
    uint32_t peer, peer_port;
    uint64_t bandwidth;
    struct slice guid; /* port GUID; length 0: unknown */
    uint32_t line;
    uint16_t lid;      /* LID of a host's port; 0: unknown */
    uint8_t lmc;
};

struct fabric {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct fabric_node *nodes;
    struct fabric_port *ports;
    uint32_t n_nodes, n_ports;
    size_t nodes_capacity, ports_capacity;
    struct hash_map by_guid; /* nodes by kind and GUID */
};

/* Returns the node of that kind and GUID, which it adds if it is new. */
uint32_t fabric_node(struct fabric *fabric, enum fabric_kind kind, struct slice guid);
/* Returns the same, or GRAPH_NONE if there is none. */
uint32_t fabric_find_node(const struct fabric *fabric, enum fabric_kind kind, struct slice guid);
void fabric_add_port(struct fabric *fabric, struct fabric_port port);
/* Reports at a line; cheap however often it is called. */
struct diagnostic *fabric_report(const struct fabric *fabric, uint32_t code, uint32_t line,
                                 struct slice slice, const char *message);
/* Checks that both ends of every cable agree, joins the adapters of a host into one machine and makes the
 * topology. Reports T004 or T005 and returns NULL otherwise. Reports one T008 for each reason to leave
 * something out. */
struct topology *fabric_topology(struct fabric *fabric);
void fabric_free(struct fabric *fabric);

/* fabric_rates.c: return the lanes of a width, "1x" to "12x", and the bytes per second of one lane at a
 * speed, "SDR" to "XDR"; 0 for an unknown name. */
uint64_t fabric_lanes(struct slice width);
uint64_t fabric_lane_bandwidth(struct slice speed);
/* Returns the name of a speed given in Gb/s per lane, as OpenSM and ibdiagnet write it: "NDR" for "100". */
struct slice fabric_speed_name(struct slice speed);

/* fabric_names.c: returns the name of the machine that an adapter belongs to, a slice of its description;
 * length 0 if the description names only a model or nothing. */
struct slice fabric_host_name(struct slice description);
/* Returns the name of the adapter in it, "mlx5_0"; length 0: it has none. */
struct slice fabric_adapter_name(struct slice description);
bool fabric_is_aggregation_node(const struct fabric_node *node);

#endif
