/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The meter: it lays the flows of a step (flows.h) on the network and says in one record what they do there.
 * Each flow is routed once. What lies on a link or at a host can be looked at until the meter is cleared.
 * A step with the flows of one of the last few unlike steps gets the record of that one (seen.h).
 */
#ifndef COLLC_MEASURE_METER_H
#define COLLC_MEASURE_METER_H

#include "measure/flows.h"
#include "measure/hol.h"
#include "measure/seen.h"
#include "network/load.h"
#include "network/spread.h"

/* Figures of a step that are asked for. Those of hosts (fans, sends, receives) always are. */
enum {
    METER_MESSAGES = 1, /* messages on links, and contention; without a topology there are none */
    METER_HOL = 2,      /* hol_slowdown */
    METER_UNITS = 4,    /* units on the busiest link, after METER_MESSAGES */
    METER_TIMES = 8     /* what times depend on; requires a topology, and is not asked for with the others */
};

/* Messages out of and into a host; the hosts that it sends to and that send to it are those of one port. */
struct server_counts {
    uint32_t sent, received;
};
struct port_counts {
    uint32_t sent, received, fan_out, fan_in;
};

struct meter {
    const struct topology *topology;   /* NULL: there are no links */
    const struct placement *placement; /* NULL: one rank per server */
    uint32_t n_servers, n_ports;       /* ports of a server */
    bool has_machine_ports;            /* ports at which servers meet: head-of-line blocking */
    bool has_networks;                 /* several, or ways: `networks` is used */
    bool has_ways;                     /* flows take ways between adapters of ranks */
    uint32_t n_stripes;                /* of a message; its chunks are counted in as many parts */
    struct flow_networks networks;
    struct link_loads messages;    /* messages in the low half; totals are over all steps */
    struct link_loads units;       /* chunks, or bytes of METER_UNITS; the same */
    struct port_counts *ports;     /* [server * n_ports + port], zero between measurements */
    struct server_counts *servers; /* [server], the same; NULL: a server has one port (meter_server) */
    struct seen seen;              /* steps that repeat */
    struct seen_step *again;       /* the earlier step that was measured last; NULL: a new one was */
    /* Is told of a flow that no route carries; NULL: not told. */
    void (*miss)(void *context, const struct flow *flow);
    void *context;
    /* used by meter.c and meter_links.c alone: */
    struct hop *hops;
    struct some_routes { /* routes of some flows */
        uint32_t most;   /* number of flows at most; 1: one by one, into `hops` first */
        struct topology_pair *pairs;
        uint8_t *ways; /* [flow], where they take ways */
        uint32_t *links, *n_links; /* as of topology_route_pairs; without fat pipes */
        uint64_t *amounts;         /* as of topology_lay_loads */
        bool is_missing;           /* a route is missing: its flow has no messages any more */
    } routes;
    struct hol *hol;
    uint32_t *first_link; /* [flow] of METER_TIMES */
    double *slowdown;     /* [flow] of its source */
    size_t first_capacity, slowdown_capacity;
    bool is_uniform; /* every link has the latency of the topology */
    uint64_t least_bandwidth; /* of a link, in the units of meter_bandwidth; of METER_TIMES */
    struct spread *spread;    /* of METER_TIMES where routes are adaptive, else NULL */
    struct spread_flow *spread_flows;
    size_t spread_capacity;
};

/* Makes a meter of steps of a schedule with this header. asks: figures that will be asked for. Release with
 * meter_free. */
void meter_init(struct meter *meter, const struct topology *topology, const struct placement *placement,
                const struct schedule_header *header, unsigned asks);
void meter_free(struct meter *meter);

/* Returns the B/s of a link, in units of which n_stripes make a chunk: as many times what its bytes take. */
static inline uint64_t meter_bandwidth(const struct meter *meter, uint32_t link)
{
    return meter->n_stripes * topology_link_bandwidth(meter->topology, link);
}

/* Returns the machine of a server. */
static inline uint32_t meter_machine(const struct meter *meter, uint32_t server)
{
    return meter->placement ? meter->placement->server_machine[server] : server;
}

/* Returns the networks of flows_gather. */
static inline const struct flow_networks *meter_networks(const struct meter *meter)
{
    return meter->has_networks ? &meter->networks : NULL;
}

/* Returns the indices in `ports` of the ports by which a flow leaves its source and arrives at its
 * destination. */
static inline size_t meter_port_out(const struct meter *meter, const struct flow *flow)
{
    return (size_t)flow->source * meter->n_ports + flow->out;
}

static inline size_t meter_port_in(const struct meter *meter, const struct flow *flow)
{
    return (size_t)flow->destination * meter->n_ports + flow->in;
}

/* True if every flow has a route and hosts have one port, so that hosts may be counted before flows are
 * routed. */
static inline bool meter_routes_all(const struct meter *meter)
{
    return !meter->topology || (meter->routes.most > 1 && !meter->has_ways);
}

/* True if messages wait behind others at hosts, which are counted. */
static inline bool meter_may_block(const struct meter *meter, const struct step_figures *figures)
{
    return meter->has_machine_ports && figures->max_fan_in > 1;
}

/* Returns the messages out of and into a server. */
static inline struct server_counts meter_server(const struct meter *meter, uint32_t server)
{
    return meter->servers ? meter->servers[server]
                          : (struct server_counts){meter->ports[server].sent, meter->ports[server].received};
}

/* Writes the route of a flow into meter->hops, and its ports into the flow; returns how many links. 0: there
 * is no route. */
uint32_t meter_route(struct meter *meter, struct flow *flow);
/* False if no network of those that a flow may take joins its hosts; where there are several. */
bool meter_is_joined(const struct meter *meter, const struct flow *flow);

/* Measures the flows of a step. Flows without a route are told to `miss` and leave the set: they are not on
 * the network. The loads of links stay until meter_take_off, which follows; those of hosts until
 * meter_clear_hosts. Returns false if an earlier step had these flows: the figures are those of that one, and
 * nothing is on links and hosts. O(flows * (hops + log fan-in)) */
bool meter_measure(struct meter *meter, struct flows *flows, unsigned asks, struct step_figures *figures);
void meter_clear_hosts(struct meter *meter, const struct flows *flows);
/* Takes what was measured last off the links, after adding it to the totals so many times: at most once if
 * these are messages. */
void meter_take_off(struct meter *meter, uint64_t times);

/* Adds flows to the totals, so many times. O(flows * hops) */
void meter_add_totals(struct meter *meter, struct flow *flows, size_t n, uint64_t times);
/* Completes the totals after the last step: adds the steps whose figures were remembered. */
void meter_add_seen(struct meter *meter);
/* Does so and returns the busiest link of all steps, of METER_TIMES; nothing where routes are adaptive.
 * O(links)  */
struct transfer meter_longest_total(struct meter *meter);
/* Takes the totals of messages so many times. Requires that no step is remembered. O(links) */
void meter_multiply(struct meter *meter, uint64_t times);

/* meter_links.c: put flows on the links, as messages and as units. */
struct some_routes meter_routes_new(const struct topology *topology, bool has_networks, bool has_ways);
void meter_routes_free(struct some_routes *routes);
void meter_lay_messages(struct meter *meter, struct flows *flows, struct step_figures *figures);
void meter_lay_units(struct meter *meter, struct flows *flows, struct step_figures *figures);
/* Puts one flow, in units, on the links of its route, of which it returns the first; NO_NEXT_LINK: it has no
 * route. After the last one, meter_find_longest finds the busiest link. */
uint32_t meter_lay_flow(struct meter *meter, struct flow *flow, struct step_figures *figures);
void meter_find_longest(const struct meter *meter, struct step_figures *figures);
/* Returns what lies on a link, in units. */
static inline struct transfer meter_transfer(const struct meter *meter, uint32_t link)
{
    return (struct transfer){meter->units.load[link], meter_bandwidth(meter, link)};
}
/* Returns the units on the busiest link, max_load messages being the most on one. */
uint64_t meter_most_units(struct meter *meter, struct flows *flows, uint32_t max_load);

#endif
