/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types and functions that the files of the engine `traffic` (internal.h) share.
 */
#ifndef COLLC_VERIFY_TRAFFIC_INTERNAL_H
#define COLLC_VERIFY_TRAFFIC_INTERNAL_H

#include "measure/flows.h"
#include "measure/hol.h"
#include "network/bulk.h"
#include "network/load.h"
#include "verify/internal.h"
#include "verify/moves.h"
#include "verify/seen.h"

/* State of a link while steps are measured: messages on it in the low half, above them the first server whose
 * messages cross it, or, where loads are laid, the number of flows that do. Zero between measurements. */
typedef uint64_t link_state;

/* Steps measured together. */
struct span {
    uint64_t first, last;
    struct flows *flows;
    bool is_window; /* steps that were measured one by one before */
};

struct traffic {
    struct verifier *verifier;
    uint32_t n_servers;
    struct link_loads links;       /* of link_state; its totals are messages over all steps */
    struct link_loads units;       /* amount that these carry, where that is asked for and they have different
                                      sizes */
    struct hop *hops;
    struct some_routes {           /* routes of some flows */
        uint32_t most;             /* number of flows at most; 1: one by one, into `hops` first */
        struct topology_pair *pairs;
        uint32_t *links, *n_links; /* as of topology_route_pairs; without fat pipes */
        uint64_t *amounts;         /* as of topology_lay_loads */
        bool is_missing;           /* a route is missing: its flow has no messages any more */
    } routes;
    bool has_machine_ports;        /* ports at which servers meet: head-of-line blocking */
    bool has_networks;             /* several: `networks` is used */
    struct flow_networks networks;
    uint32_t n_ports;              /* of a server */
    struct server_counts *servers; /* zero between measurements */
    struct port_counts *ports;     /* [server * n_ports + port], the same */
    struct hol *hol;
    uint32_t drift;                /* steps in the window, at least 1 */
    struct flows *recent;          /* the last `drift` steps, step s at s mod drift */
    size_t n_recent, recent_capacity; /* number that exist so far */
    struct flows window;
    struct moves *moves;           /* NULL as long as all messages move when they are sent */
    struct op *sent;               /* sends with data, where some have none */
    size_t sent_capacity;
    struct excess *excess;
    bool is_new_link, is_new_port; /* a step is the worst so far: its lines are to be found */
    struct line_count *lines;
    size_t line_capacity;
    struct seen seen;              /* steps that repeat */
    bool is_again;                 /* measured once more, for the `excess` of another: judge_limits */
};

/* Indices in `ports` of the ports by which a flow leaves its source and arrives at its destination. */
static inline size_t traffic_port_out(const struct traffic *traffic, const struct flow *flow)
{
    return (size_t)flow->source * traffic->n_ports + flow->out;
}

static inline size_t traffic_port_in(const struct traffic *traffic, const struct flow *flow)
{
    return (size_t)flow->destination * traffic->n_ports + flow->in;
}

/* ---- traffic_links.c ---- */

struct some_routes traffic_routes_new(const struct topology *topology, bool has_networks);
void traffic_routes_free(struct some_routes *routes);

/* Writes the links of a flow into traffic->hops, and its ports; returns how many links. */
uint32_t traffic_route(struct traffic *traffic, struct flow *flow);
/* Puts the flows on their links; returns the most messages on one. *is_shared: a link has messages of several
 * servers. Reports flows without a route and removes them from the span: they are not on the network. O(flows
 * * hops) */
uint32_t traffic_load_links(struct traffic *traffic, const struct span *span, bool *is_shared);
/* Returns the load of the busiest link in a step, in units, max_load messages being the most on one. O(flows
 * * hops) where messages have different sizes. */
uint64_t traffic_units(struct traffic *traffic, const struct flows *flows, uint32_t max_load);
/* Adds the loads of flows to those over all steps, so many times. O(flows * hops) */
void traffic_add_totals(struct traffic *traffic, struct flow *flows, size_t n, uint64_t times);

/* ---- traffic_worst.c ---- */

/* Looks for the busiest link and port of a measured step, if they are busier than in all steps before. */
void traffic_find_worst(struct traffic *traffic, uint64_t step, const struct step_record *record);
/* Names the lines of the worst link and port, where the step has them. `moving` are the messages that move in
 * it; times as of traffic_step. */
void traffic_name_worst(struct traffic *traffic, const struct step *moving, const uint32_t *times);
/* Tells traffic->excess who sends what, and where to. */
void traffic_name_sends(struct traffic *traffic, const struct step *moving);

#endif
