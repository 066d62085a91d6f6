/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the DOT reader share: dot_tokens.c looks at the text before and
 * after cgraph does, dot_parse.c holds all calls of cgraph, dot.c makes the network
 * and dot_routes.c its forwarding tables.
 */
#ifndef COLLC_NETWORK_FORMATS_DOT_DOT_H
#define COLLC_NETWORK_FORMATS_DOT_DOT_H

#include "base/text/units.h"
#include "network/format.h"

/* ---- dot_tokens.c ---- */

bool dot_is(const struct source *source);

/* Where cgraph keeps no positions: the text of the first value that an attribute of
 * that name has, of the first identifier; the start of the file if it is not found. */
struct slice dot_find_value(const struct source *source, const char *name, const char *value);
struct slice dot_find_name(const struct source *source, const char *name);
/* False after reporting T006 or T019 where the text would make cgraph use memory out
 * of proportion to its length: groups joined with groups, deep nesting, endless
 * attributes. */
bool dot_check_extent(const struct source *source, struct diagnostics *diagnostics);

/* ---- dot_parse.c ---- */

struct dot_node {
    const char *name, *type; /* "" where nothing is said, as below */
    bool is_router;          /* decided by dot.c */
    uint32_t graph_node;     /* of the sealed graph */
};

/* An edge; of an undirected graph both directions of a cable. */
struct dot_channel {
    uint32_t tail, head, sequence;
    const char *key, *bandwidth, *latency, *comment, *direction;
};

/* The strings belong to the graph of cgraph. */
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

/* Reads the one graph of the text. False after reporting T019. Release with
 * dot_network_free in either case. */
bool dot_parse(struct dot_network *network);
void dot_network_free(struct dot_network *network);
/* Reports and sets failed. */
struct diagnostic *dot_report(struct dot_network *network, uint32_t code, struct slice slice,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- dot_routes.c ---- */

/* A cable as two channels; of an undirected graph they are the same one. */
struct dot_cable {
    uint32_t channel[2];
};

bool dot_has_routes(const struct dot_network *network);
/* Gives the topology port numbers and the tables that the comments of the channels
 * state; cable c of the graph is cables[c]. False after reporting T004, T006 or T010. */
bool dot_apply_routes(struct dot_network *network, const struct dot_cable *cables,
                      struct topology *topology);

/* ---- dot_write.c ---- */

topology_writer dot_write;

#endif
