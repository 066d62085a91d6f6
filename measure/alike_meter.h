/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The meter of flows that stand for many: where all servers send equally far, the flows of one server say
 * what those of all put on the network (server_flows.h). The record is that of meter.h. On a network whose
 * links fall into classes, one link of a class is measured for all (class_loads.h); on another one the flows
 * of every server are routed.
 */
#ifndef COLLC_MEASURE_ALIKE_METER_H
#define COLLC_MEASURE_ALIKE_METER_H

#include "measure/class_loads.h"
#include "measure/meter.h"

struct alike_meter {
    struct link_shifts shifts;       /* the servers are set by the caller */
    const struct topology *topology; /* NULL: there are no links */
    bool has_classes;
    struct class_loads links;    /* of these classes */
    struct server_flows flows;   /* of the step to be measured: the caller adds them */
    struct server_flows laid;    /* of the step that was measured last, */
    struct step_figures figures; /* its figures, */
    uint64_t n_times;            /* and how often it came since it was laid */
    /* used by alike_meter.c alone: */
    struct meter routes; /* without classes */
    struct flows ported; /* flows of a server as if it sent them to itself; or of all servers */
    uint32_t n_ports, n_stripes;           /* of a server, of a message */
    uint64_t port_chunks[HOST_PORTS_MAX];  /* of those flows, that leave by a port */
    double *slowdown;                      /* [flow] */
    size_t slowdown_capacity;
    struct hol *hol;
};

/* Completes a meter whose shifts.servers are found. False: links have no classes, and flows are not to be
 * routed (may_route). asks: as of meter_init. Release with alike_meter_free, also then. */
bool alike_meter_init(struct alike_meter *meter, const struct topology *topology,
                      const struct placement *placement, const struct schedule_header *header, bool may_route,
                      unsigned asks);
void alike_meter_free(struct alike_meter *meter);

/* Adds messages of a representative to the flows, which are cleared before each step: `times` from `rank` to
 * `peer`, of so many chunks. */
static inline void alike_meter_add(struct alike_meter *meter, uint32_t rank, uint32_t peer, uint32_t times,
                                   uint32_t n_chunks)
{
    server_flows_add_sends(&meter->flows, &meter->shifts.servers, rank, peer, times, n_chunks);
}

/* True if the flows are those that were measured last; merges them. O(flows log flows) */
bool alike_meter_is_again(struct alike_meter *meter);
/* Takes the flows for those that were measured last. */
void alike_meter_keep(struct alike_meter *meter);

/* Measures the flows that were added, which are in `laid` then, and adds them to the totals; again if they
 * are those of the step before. False: the figures are not known, as a number is larger than they hold, a
 * flow has no route, or, on one port, the flows of a server leave it by several links. O(flows x hops by
 * class), or O(servers x flows x hops). */
bool alike_meter_measure(struct alike_meter *meter, unsigned asks);

/* Returns the first port of a server to which the most flows come in the step that was measured last.
 * Requires classes, or no topology. O(flows) */
uint32_t alike_meter_busiest_port(const struct alike_meter *meter);

/* Completes the totals after the last step. */
void alike_meter_end(struct alike_meter *meter);
/* Returns the busiest link of all steps, of METER_TIMES, after alike_meter_end. */
struct transfer alike_meter_longest_total(struct alike_meter *meter);

#endif
