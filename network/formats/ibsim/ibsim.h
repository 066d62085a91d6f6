/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network of ibsim as its file states it. ibsim.c reads the lines, ibsim_rate.c the rates in them;
 * ibsim_links.c joins the ends of cables and makes a fabric.
 */
#ifndef COLLC_NETWORK_FORMATS_IBSIM_IBSIM_H
#define COLLC_NETWORK_FORMATS_IBSIM_IBSIM_H

#include "network/formats/infiniband/fabric.h"
#include "base/text/lines.h"
#include "network/format.h"

/* The rates that a port supports, as bits; a cable runs at the best rate of both ends. */
struct ibsim_rate {
    uint8_t widths;   /* w=: 1 1x, 2 4x, 4 8x, 8 12x, 16 2x */
    uint8_t speeds;   /* s=: 1 SDR, 2 DDR, 4 QDR */
    uint8_t extended; /* e=: 1 FDR, 2 EDR, 4 HDR, 8 NDR; 16 XDR */
    bool has_fdr10;
};

struct ibsim_node {
    struct slice id;        /* with the prefix of its module */
    uint32_t node;          /* in the fabric */
    uint64_t guid;
    uint32_t n_ports;
    struct position position;
};

struct ibsim_port {
    uint32_t node, port;    /* node: index in nodes */
    struct slice peer;      /* id of a node, or an alias */
    uint32_t peer_port;
    bool is_alias;          /* this port is called `peer`; another one names it */
    bool to_alias;
    struct position position; /* position of the peer's name */
    struct ibsim_rate rate;
    uint16_t lid;
    uint8_t lmc;
};

struct ibsim {
    struct lines lines;
    struct fabric fabric;
    struct ibsim_node *nodes;
    struct ibsim_port *ports;
    uint32_t n_nodes, n_ports;
    size_t nodes_capacity, ports_capacity;
    /* state of the line being read */
    uint32_t node;          /* node whose ports follow, or GRAPH_NONE */
    uint32_t ports_left;    /* lines of ports that may still follow */
    bool is_lost;           /* the ports that follow belong to a node that was not understood */
    struct slice prefix;    /* module prefix; length 0: none */
    uint64_t guid_base[3], next_guid[3]; /* switch, adapter, router */
    struct ibsim_rate rate; /* default rate of a port */
};

/* Returns text joined from several pieces of the file; it lives as long as the diagnostics. */
struct slice ibsim_text(const struct ibsim *ibsim, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes a number, "0x1f" or "31". */
bool ibsim_take_number(struct lines *lines, uint64_t *number);
/* Changes the rate of a port by the rest of its line. Returns false after reporting. */
bool ibsim_read_rate(struct lines *lines, struct ibsim_rate *rate);
/* Returns the topology, or NULL after reporting. */
struct topology *ibsim_topology(struct ibsim *ibsim);

topology_writer ibsim_write; /* ibsim_write.c */

#endif
