/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages of a schedule, kept: which flows (ir/flows.h) each step has, on which links they are, and
 * what each step puts on each link. So questions about a few of them are answered without going through
 * the schedule again.
 */
#ifndef COLLC_STUDY_FABRIC_KEPT_FLOWS_H
#define COLLC_STUDY_FABRIC_KEPT_FLOWS_H

#include "verify/verify.h"

/* Flows times links on their routes: above that nothing is kept. */
enum { KEPT_MAX_CROSSINGS = 1 << 26 };

struct kept_flow {
    uint32_t source, destination; /* machines */
    uint32_t n_messages, step;    /* the step: among those that have any */
    uint8_t network;              /* as in struct flow */
};

/* What one step puts on one link. */
struct kept_load {
    uint32_t link, messages;
};

struct kept_flows {
    const struct topology *topology;
    const struct placement *placement;
    bool is_too_large;
    struct kept_flow *flows;     /* by step */
    size_t n_flows, flows_capacity;
    uint32_t n_steps;
    uint64_t *chunks;            /* [step] of each of its messages (bytes with counts); 0: they differ */
    size_t chunks_capacity;
    size_t *first_load;          /* [n_steps + 1] */
    size_t first_capacity;
    struct kept_load *loads;     /* of a step from first_load on, by link */
    size_t n_loads, loads_capacity;
    uint64_t n_crossings;        /* of all flows */
    uint64_t *total;             /* [link] of all steps */
    struct link_loads *scratch;
    struct hop *hops;
};

/* To be filled by the watch of a verify_request, kept_flows_watch, with it as context; placement NULL: one
 * rank per machine. `topology` has to live on. */
struct kept_flows kept_flows_start(const struct topology *topology, const struct placement *placement);
void kept_flows_watch(void *context, uint64_t step, const struct flows *flows);
void kept_flows_free(struct kept_flows *kept);

/* Writes the *n links with load on the way of a flow in `topology`, the one that flows were kept on or a
 * part of it. Returns false if it has no way there. */
bool kept_flow_route(const struct topology *topology, const struct kept_flow *flow, struct hop *hops,
                     uint32_t *n);
/* Messages that the step puts on the link. O(log links) */
uint32_t kept_load_of(const struct kept_flows *kept, uint32_t step, uint32_t link);

#endif
