/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the messages of a schedule: the flows (measure/flows.h) of each step, their links, and the load of
 * each step on each link. So questions about a few of them are answered without reading the schedule
 * again.
 */
#ifndef COLLC_STUDY_FABRIC_TRAFFIC_MATRIX_H
#define COLLC_STUDY_FABRIC_TRAFFIC_MATRIX_H

#include "verify/verify.h"

/* Limit of flows times links on their routes; above it nothing is kept. */
enum { MATRIX_MAX_CROSSINGS = 1 << 26 };

struct matrix_flow {
    uint32_t source, destination; /* machines */
    uint32_t n_messages, step;    /* step: among those that have flows */
    uint8_t network;              /* as in struct flow */
};

/* The load of one step on one link. */
struct matrix_load {
    uint32_t link, messages;
};

struct traffic_matrix {
    const struct topology *topology;
    const struct placement *placement;
    bool is_too_large;
    struct matrix_flow *flows;     /* by step */
    size_t n_flows, flows_capacity;
    uint32_t n_steps;
    uint64_t *chunks;            /* [step] chunks of each of its messages (bytes with counts); 0: they
                                    differ */
    size_t chunks_capacity;
    size_t *first_load;          /* [n_steps + 1] */
    size_t first_capacity;
    struct matrix_load *loads;     /* loads of each step from first_load on, by link */
    size_t n_loads, loads_capacity;
    uint64_t n_crossings;        /* over all flows */
    uint64_t *total;             /* [link] over all steps */
    struct link_loads *scratch;
    struct hop *hops;
};

/* Starts keeping. traffic_matrix_watch, with it as context, is the watch of a verify_request; placement NULL:
 * one rank per machine. `topology` must live on. */
struct traffic_matrix traffic_matrix_start(const struct topology *topology,
                                           const struct placement *placement);
void traffic_matrix_watch(void *context, uint64_t step, const struct flows *flows);
void traffic_matrix_free(struct traffic_matrix *matrix);

/* Finds the *n links with load on the route of a flow in `topology`, the one that flows were kept on or a
 * part of it. Returns false if it has no route there. */
bool matrix_flow_route(const struct topology *topology, const struct matrix_flow *flow, struct hop *hops,
                     uint32_t *n);
/* Returns the messages of the step on the link. O(log links) */
uint32_t traffic_matrix_load(const struct traffic_matrix *matrix, uint32_t step, uint32_t link);

#endif
