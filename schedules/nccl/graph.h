/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A graph of a graph file, as it stands there.
 */
#ifndef COLLC_SCHEDULES_NCCL_GRAPH_H
#define COLLC_SCHEDULES_NCCL_GRAPH_H

#include "base/integer.h"
#include "base/text/xml.h"

/* Patterns (src/include/graph.h of NCCL). */
enum {
    NCCL_PATTERN_BALANCED_TREE = 1,
    NCCL_PATTERN_SPLIT_TREE = 2,
    NCCL_PATTERN_TREE = 3,
    NCCL_PATTERN_RING = 4
};
enum { NCCL_GRAPH_MAX_DEVICE = 1 << 30 };

struct nccl_graph {
    const xmlNode *element;
    uint32_t id, pattern, cross, n_stated; /* NCCL_NONE: missing, or no number */
    struct nccl_graph_channel {
        const xmlNode *element;
        uint32_t first, n; /* of devices */
        uint32_t net[2], n_nets;
    } * channels;
    struct nccl_graph_device {
        uint32_t number;
        const xmlNode *element;
    } * devices;
    uint32_t n_channels, n_devices;
};

/* Returns the next graph of the file, the first one of NULL. */
const xmlNode *nccl_graph_next(xmlDoc *document, const xmlNode *before);
/* Reads a graph, whose document outlives it. False after reporting S009. */
bool nccl_graph_read(struct nccl_graph *graph, struct xml_reader *xml, const xmlNode *element);
void nccl_graph_free(struct nccl_graph *graph);

#endif
