/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of the DOT reader: dot_tokens.c checks the text before and after cgraph reads it,
 * dot_parse.c holds all calls of cgraph, dot.c makes the network, dot_routes.c its forwarding tables.
 */
#ifndef COLLC_NETWORK_FORMATS_DOT_DOT_H
#define COLLC_NETWORK_FORMATS_DOT_DOT_H

#include "base/text/units.h"
#include "network/format.h"

/* ---- dot_tokens.c ---- */

bool dot_is(const struct source *source);

/* For places that cgraph does not keep: return the text of the first attribute with that name and value, or
 * of the first such identifier; the start of the file if there is none. */
struct slice dot_find_value(const struct source *source, const char *name, const char *value);
struct slice dot_find_name(const struct source *source, const char *name);
/* Returns false after reporting T006 or T019 if the text would make cgraph use memory out of proportion to
 * its length: groups joined with groups, deep nesting, endless attributes. */
bool dot_check_extent(const struct source *source, struct diagnostics *diagnostics);

/* ---- dot_parse.c ---- */

struct dot_node {
    const char *name, *type; /* "" if absent, as below */
    bool is_router;          /* decided by dot.c */
    bool is_relay;           /* a host that forwards: the graph has it and a router, which has its cables */
    uint32_t graph_node;     /* index in the sealed graph; of a relay that of its router */
};

/* An edge; an undirected one is both directions of a cable. */
struct dot_channel {
    uint32_t tail, head, sequence;
    struct slice port[2]; /* at the tail and the head: of "a:swp1 -- b:swp3", or the labels of these ends */
    const char *key, *bandwidth, *latency, *comment, *direction;
};

/* The text as cgraph read it; its graph owns the strings. */
struct dot_network {
    const struct source *source;
    struct diagnostics *diagnostics;
    void *handle;
    bool is_directed, failed;
    const char *name, *bandwidth, *latency, *ports;
    struct dot_node *nodes;       /* in the order of the text, as are */
    struct dot_channel *channels; /* these */
    uint32_t n_nodes, n_channels;
};

/* Reads the one graph of the text. Returns false after reporting T019. Release with dot_network_free in
 * either case. */
bool dot_parse(struct dot_network *network);
void dot_network_free(struct dot_network *network);
/* Reports and sets failed. */
struct diagnostic *dot_report(struct dot_network *network, uint32_t code, struct slice slice,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- dot_routes.c ---- */

/* A cable as two channels, which are the same one in an undirected graph. */
struct dot_cable {
    uint32_t channel[2];
};

bool dot_has_routes(const struct dot_network *network);
/* Gives the topology the port numbers and tables in the comments of the channels; cable c of the graph is
 * cables[c]. Returns false after reporting T004, T006 or T010. */
bool dot_apply_routes(struct dot_network *network, const struct dot_cable *cables,
                      struct topology *topology);

/* ---- dot_write.c ---- */

topology_writer dot_write;

#endif
