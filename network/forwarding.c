/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routes by forwarding tables. See forwarding.h. The tables lie by LID, not by
 * router: the routers on one route read neighbouring bytes. How every pair fares
 * is found once per destination, by a walk that visits each router once.
 */
#include "network/forwarding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- subnets ---- */

struct subnet *subnet_new(uint32_t n_ports, uint32_t n_routers, uint32_t n_cables)
{
    struct subnet *subnet = mem_alloc(1, sizeof *subnet);
    subnet->n_ports = n_ports;
    subnet->ports = mem_alloc(n_ports, sizeof *subnet->ports);
    subnet->routers = mem_alloc(n_routers, sizeof *subnet->routers);
    subnet->numbers = mem_alloc(n_cables, 2 * sizeof *subnet->numbers);
    return subnet;
}

void subnet_free(struct subnet *subnet)
{
    if (!subnet)
        return;
    free(subnet->ports);
    free(subnet->routers);
    free(subnet->numbers);
    free(subnet);
}

/* ---- making ---- */

static uint32_t lids_of(const struct graph *graph)
{
    const struct subnet *subnet = graph->subnet;
    uint32_t n_lids = 1, n_routers = graph->n_nodes - graph->n_machines;
    for (uint32_t i = 0; i < subnet->n_ports; i++) {
        uint32_t end = subnet->ports[i].lid + (1u << subnet->ports[i].lmc);
        n_lids = end > n_lids ? end : n_lids;
    }
    for (uint32_t i = 0; i < n_routers; i++)
        if (subnet->routers[i].lid >= n_lids)
            n_lids = subnet->routers[i].lid + 1u;
    return n_lids < SUBNET_LIDS ? n_lids : SUBNET_LIDS;
}

static uint32_t forwarding_ports_of(const struct graph *graph)
{
    uint32_t stride = 1;
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++)
        if (graph->subnet->numbers[link] >= stride)
            stride = graph->subnet->numbers[link] + 1u;
    return stride;
}

static void fill_exits(struct forwarding *forwarding, const struct graph *graph)
{
    size_t n_exits = (size_t)forwarding->n_routers * forwarding->stride;
    forwarding->exits = mem_alloc(n_exits, sizeof *forwarding->exits);
    memset(forwarding->exits, 0xff, n_exits * sizeof *forwarding->exits);
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++) {
        uint32_t from = graph_link_from(graph, link), port = graph->subnet->numbers[link];
        if (from < graph->n_machines || !port)
            continue;
        forwarding->exits[(size_t)(from - graph->n_machines) * forwarding->stride + port] =
            (struct forwarding_exit){link, graph_link_to(graph, link)};
    }
}

struct forwarding *forwarding_new(const struct graph *graph)
{
    struct forwarding *forwarding = mem_alloc(1, sizeof *forwarding);
    forwarding->n_routers = graph->n_nodes - graph->n_machines;
    forwarding->n_lids = lids_of(graph);
    forwarding->stride = forwarding_ports_of(graph);
    size_t n_entries = (size_t)forwarding->n_lids * forwarding->n_routers;
    forwarding->port = mem_alloc(n_entries, 1);
    memset(forwarding->port, FORWARDING_NONE, n_entries);
    forwarding->has_table = mem_alloc(forwarding->n_routers, sizeof *forwarding->has_table);
    forwarding->machines = mem_alloc(graph->n_machines, sizeof *forwarding->machines);
    fill_exits(forwarding, graph);
    return forwarding;
}

void forwarding_free(struct forwarding *forwarding)
{
    if (!forwarding)
        return;
    lanes_free(forwarding->lanes);
    free(forwarding->port);
    free(forwarding->has_table);
    free(forwarding->exits);
    free(forwarding->machines);
    free(forwarding->lid_at);
    free(forwarding);
}

/* ---- routes ---- */

static inline struct forwarding_exit exit_of(const struct forwarding *forwarding, uint32_t router,
                                             uint8_t port)
{
    if (port >= forwarding->stride)
        return (struct forwarding_exit){GRAPH_NONE, GRAPH_NONE};
    return forwarding->exits[(size_t)router * forwarding->stride + port];
}

static inline uint32_t forwarding_walk(const struct graph *graph, struct forwarding_exit at, uint32_t lid,
                                       uint32_t limit, struct hop *hops)
{
    const struct forwarding *forwarding = graph->forwarding;
    const uint8_t *row = forwarding->port + (size_t)lid * forwarding->n_routers;
    uint32_t n = 0;
    for (;;) {
        if (n == limit || at.link == GRAPH_NONE)
            return 0;
        hops[n++] = (struct hop){at.link, 0};
        if (at.node < graph->n_machines)
            return n;
        uint32_t router = at.node - graph->n_machines;
        at = exit_of(forwarding, router, row[router]);
    }
}

uint32_t forwarding_route_to_lid(const struct graph *graph, uint32_t source, uint32_t destination,
                                 uint32_t lid, uint32_t limit, struct hop *hops)
{
    const struct forwarding *forwarding = graph->forwarding;
    const struct forwarding_machine *from = &forwarding->machines[source];
    const struct forwarding_machine *to = &forwarding->machines[destination];
    if (lid >= forwarding->n_lids || to->link == GRAPH_NONE)
        return 0;
    uint32_t n = forwarding_walk(graph, (struct forwarding_exit){from->link, from->node}, lid, limit, hops);
    return n && hops[n - 1].link == (to->link ^ 1) ? n : 0;
}

uint32_t forwarding_route(const struct graph *graph, uint32_t source, uint32_t destination,
                          struct hop *hops)
{
    const struct forwarding *forwarding = graph->forwarding;
    uint32_t n = forwarding_route_to_lid(graph, source, destination,
                                         forwarding->machines[destination].lid,
                                         forwarding->max_hops, hops);
    if (forwarding->lanes)
        lanes_apply(graph, source, destination, hops, n);
    return n;
}

uint32_t forwarding_route_by(const struct graph *graph, uint32_t first, uint32_t last, struct hop *hops)
{
    const struct forwarding *forwarding = graph->forwarding;
    const uint32_t lid = forwarding->lid_at[last ^ 1];
    const struct forwarding_exit at = {first, graph_link_to(graph, first)};
    if (!lid)
        return 0;
    const uint32_t n = forwarding_walk(graph, at, lid, forwarding->max_hops, hops);
    if (!n || hops[n - 1].link != last)
        return 0;
    if (forwarding->lanes)
        lanes_apply(graph, graph_link_from(graph, first), graph_link_to(graph, last), hops, n);
    return n;
}

void forwarding_next_links(const struct graph *graph, uint32_t destination, uint32_t *next)
{
    const struct forwarding *forwarding = graph->forwarding;
    const struct forwarding_machine *to = &forwarding->machines[destination];
    const uint8_t *row = forwarding->port + (size_t)to->lid * forwarding->n_routers;
    const bool has_lid = to->link != GRAPH_NONE;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        const struct forwarding_machine *from = &forwarding->machines[machine];
        const bool is_astray = from->node < graph->n_machines && from->link != (to->link ^ 1);
        next[machine] = has_lid && !is_astray ? from->link : NO_NEXT_LINK;
    }
    for (uint32_t router = 0; router < forwarding->n_routers; router++) {
        const struct forwarding_exit exit =
            has_lid ? exit_of(forwarding, router, row[router]) : (struct forwarding_exit){NO_NEXT_LINK, 0};
        const bool is_astray = exit.node < graph->n_machines && exit.link != (to->link ^ 1);
        next[graph->n_machines + router] = is_astray ? NO_NEXT_LINK : exit.link;
    }
}

uint32_t forwarding_n_lids(const struct graph *graph, uint32_t machine)
{
    const struct subnet *subnet = graph->subnet;
    uint32_t link = graph->forwarding->machines[machine].link;
    for (uint32_t i = 0; link != GRAPH_NONE && i < subnet->n_ports; i++)
        if (subnet->ports[i].link == link)
            return 1u << subnet->ports[i].lmc;
    return 0;
}

/* ---- how every pair fares ---- */

/* The routers seen on the way to one LID. */
struct survey {
    struct forwarding *forwarding;
    const struct graph *graph;
    uint32_t lid, last_link; /* which leads to the destination */
    uint32_t *length;        /* [router] links to the destination, where it arrives */
    uint8_t *fate;           /* [router], or one of the marks */
    uint32_t *path;          /* routers not yet decided */
};
enum { UNSEEN = N_FATES, ON_PATH };

static enum forwarding_fate fate_of_dead_end(const struct forwarding *forwarding, uint32_t router,
                                             uint32_t lid)
{
    if (!forwarding->has_table[router])
        return FATE_NO_TABLE;
    uint8_t port = forwarding_port(forwarding, router, lid);
    return port == FORWARDING_NONE ? FATE_NO_ENTRY : FATE_NO_CABLE;
}

/* Goes on from a router until the fate is known; returns it, *length being that of
 * the router behind the path, and *n the routers put on the path. */
static enum forwarding_fate forwarding_follow(struct survey *survey, uint32_t router, uint32_t *n,
                                              uint32_t *length)
{
    struct forwarding *forwarding = survey->forwarding;
    for (*n = 0, *length = 0;;) {
        if (survey->fate[router] == ON_PATH) {
            forwarding->loop_router = router;
            forwarding->loop_lid = survey->lid;
            return FATE_LOOPS;
        }
        if (survey->fate[router] != UNSEEN) {
            *length = survey->length[router];
            return survey->fate[router];
        }
        survey->fate[router] = ON_PATH;
        survey->path[(*n)++] = router;
        struct forwarding_exit exit =
            exit_of(forwarding, router, forwarding_port(forwarding, router, survey->lid));
        if (exit.link == GRAPH_NONE)
            return fate_of_dead_end(forwarding, router, survey->lid);
        if (exit.node < survey->graph->n_machines)
            return exit.link == survey->last_link ? FATE_ARRIVES : FATE_ASTRAY;
        router = exit.node - survey->graph->n_machines;
    }
}

static enum forwarding_fate forwarding_decide(struct survey *survey, uint32_t router)
{
    uint32_t n, length;
    enum forwarding_fate fate = forwarding_follow(survey, router, &n, &length);
    while (n--) {
        survey->length[survey->path[n]] = ++length;
        survey->fate[survey->path[n]] = (uint8_t)fate;
    }
    return fate;
}

static void survey_start(struct survey *survey, const struct forwarding_machine *to)
{
    survey->lid = to->lid;
    survey->last_link = to->link ^ 1;
    memset(survey->fate, UNSEEN, survey->forwarding->n_routers);
}

static struct survey survey_new(struct forwarding *forwarding, const struct graph *graph)
{
    uint32_t n = forwarding->n_routers;
    return (struct survey){.forwarding = forwarding,
                           .graph = graph,
                           .length = mem_alloc(n, sizeof(uint32_t)),
                           .fate = mem_alloc(n, 1),
                           .path = mem_alloc(n, sizeof(uint32_t))};
}

static void forwarding_survey_free(struct survey *survey)
{
    free(survey->length);
    free(survey->fate);
    free(survey->path);
}

/* Machines by the node they send to. */
struct senders {
    uint32_t *on_router; /* [router] */
    uint32_t n_direct;   /* cabled to another machine */
    uint32_t n_deaf;     /* without LID */
};

static struct senders count_senders(const struct forwarding *forwarding,
                                    const struct graph *graph)
{
    struct senders senders = {mem_alloc(forwarding->n_routers, sizeof(uint32_t)), 0, 0};
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        const struct forwarding_machine *from = &forwarding->machines[machine];
        if (from->link == GRAPH_NONE)
            senders.n_deaf++;
        else if (from->node < graph->n_machines)
            senders.n_direct++;
        else
            senders.on_router[from->node - graph->n_machines]++;
    }
    return senders;
}

static void survey_machine(struct survey *survey, const struct senders *senders,
                           const struct forwarding_machine *to)
{
    struct forwarding *forwarding = survey->forwarding;
    uint32_t n_machines = survey->graph->n_machines;
    survey_start(survey, to);
    for (uint32_t router = 0; router < forwarding->n_routers; router++) {
        bool is_own = to->node == router + n_machines;
        uint32_t n = senders->on_router[router] - is_own;
        if (!senders->on_router[router] || !n)
            continue;
        enum forwarding_fate fate = forwarding_decide(survey, router);
        forwarding->pairs[fate] += n;
        if (fate == FATE_ARRIVES && survey->length[router] + 1 > forwarding->max_hops)
            forwarding->max_hops = survey->length[router] + 1;
    }
    bool is_direct = to->node < n_machines;
    bool is_met = is_direct && forwarding->machines[to->node].link == (to->link ^ 1);
    forwarding->pairs[FATE_ARRIVES] += is_met;
    forwarding->pairs[FATE_ASTRAY] += senders->n_direct - is_direct - is_met;
    forwarding->pairs[FATE_NO_LID] += senders->n_deaf;
}

/* The first port of a machine that some router has an entry for, else the first
 * with a LID. */
static bool has_entries(const struct forwarding *forwarding, uint32_t lid)
{
    const uint8_t *row = forwarding->port + (size_t)lid * forwarding->n_routers;
    for (uint32_t router = 0; router < forwarding->n_routers; router++)
        if (row[router] != FORWARDING_NONE)
            return true;
    return false;
}

static void choose_ports(struct forwarding *forwarding, const struct graph *graph)
{
    bool *is_settled = mem_alloc(graph->n_machines, sizeof *is_settled);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        forwarding->machines[machine] =
            (struct forwarding_machine){GRAPH_NONE, GRAPH_NONE, 0};
    for (uint32_t i = 0; i < graph->subnet->n_ports; i++) {
        const struct subnet_port *port = &graph->subnet->ports[i];
        uint32_t machine = graph_link_from(graph, port->link);
        if (!port->lid || port->lid >= forwarding->n_lids || is_settled[machine])
            continue;
        is_settled[machine] = has_entries(forwarding, port->lid);
        if (is_settled[machine] || forwarding->machines[machine].link == GRAPH_NONE)
            forwarding->machines[machine] = (struct forwarding_machine){
                port->link, graph_link_to(graph, port->link), port->lid};
    }
    free(is_settled);
}

/* Notes the LIDs of ports, and how long routes to those are that the machines are not addressed by. */
static void survey_ports(struct survey *survey)
{
    struct forwarding *forwarding = survey->forwarding;
    const struct graph *graph = survey->graph;
    const uint32_t n_before = forwarding->max_hops;
    forwarding->lid_at = mem_alloc(2 * (size_t)graph->n_cables, sizeof *forwarding->lid_at);
    for (uint32_t i = 0; i < graph->subnet->n_ports; i++) {
        const struct subnet_port *port = &graph->subnet->ports[i];
        const struct forwarding_machine to = {port->link, graph_link_to(graph, port->link), port->lid};
        if (!port->lid || port->lid >= forwarding->n_lids)
            continue;
        forwarding->lid_at[port->link] = port->lid;
        if (forwarding->machines[graph_link_from(graph, port->link)].link == port->link)
            continue;
        survey_start(survey, &to);
        for (uint32_t router = 0; router < forwarding->n_routers; router++)
            if (forwarding_decide(survey, router) == FATE_ARRIVES &&
                survey->length[router] + 1 > forwarding->max_hops)
                forwarding->max_hops = survey->length[router] + 1;
    }
    forwarding->has_exact_hops = forwarding->max_hops == n_before;
}

void forwarding_finish(struct forwarding *forwarding, const struct graph *graph)
{
    choose_ports(forwarding, graph);
    memset(forwarding->pairs, 0, sizeof forwarding->pairs);
    forwarding->max_hops = 1;
    struct senders senders = count_senders(forwarding, graph);
    struct survey survey = survey_new(forwarding, graph);
    uint32_t n_tables = 0;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        if (forwarding->machines[machine].link != GRAPH_NONE)
            survey_machine(&survey, &senders, &forwarding->machines[machine]);
        else
            forwarding->pairs[FATE_NO_LID] += graph->n_machines - 1;
    const uint32_t loop_router = forwarding->loop_router, loop_lid = forwarding->loop_lid;
    survey_ports(&survey);
    forwarding->loop_router = loop_router;
    forwarding->loop_lid = loop_lid;
    for (uint32_t router = 0; router < forwarding->n_routers; router++)
        n_tables += forwarding->has_table[router];
    snprintf(forwarding->rule, sizeof forwarding->rule,
             "the forwarding tables that were read, of %u of %u routers", n_tables,
             forwarding->n_routers);
    forwarding_survey_free(&survey);
    free(senders.on_router);
}

/* Returns where an entry leads what is for the LID from a router. */
static struct forwarding_exit next_exit(const struct forwarding *forwarding, uint32_t router, uint32_t lid)
{
    return exit_of(forwarding, router, forwarding_port(forwarding, router, lid));
}

/* Goes round the loop that a node is on; returns the lowest node of it. */
static uint32_t lowest_on_loop(const struct graph *graph, uint32_t node, uint32_t lid)
{
    uint32_t lowest = node, at = node;
    do {
        at = next_exit(graph->forwarding, at - graph->n_machines, lid).node;
        lowest = at < lowest ? at : lowest;
    } while (at != node);
    return lowest;
}

struct table_end forwarding_end(const struct graph *graph, uint32_t source, uint32_t destination)
{
    const struct forwarding *forwarding = graph->forwarding;
    const struct forwarding_machine *from = &forwarding->machines[source];
    const struct forwarding_machine *to = &forwarding->machines[destination];
    struct forwarding_exit at = {from->link, from->node};
    if (from->link == GRAPH_NONE || to->link == GRAPH_NONE)
        return (struct table_end){FATE_NO_LID, TABLE_NOWHERE, TABLE_NOWHERE};
    for (uint32_t n = 0; n <= forwarding->n_routers; n++) {
        if (at.node < graph->n_machines)
            return at.link == (to->link ^ 1) ? (struct table_end){FATE_ARRIVES, TABLE_NOWHERE, TABLE_NOWHERE}
                                             : (struct table_end){FATE_ASTRAY, at.node, TABLE_NOWHERE};
        const uint32_t router = at.node - graph->n_machines;
        const struct forwarding_exit exit = next_exit(forwarding, router, to->lid);
        if (exit.link == GRAPH_NONE)
            return (struct table_end){fate_of_dead_end(forwarding, router, to->lid), at.node, TABLE_NOWHERE};
        at = exit;
    }
    return (struct table_end){FATE_LOOPS, lowest_on_loop(graph, at.node, to->lid), TABLE_NOWHERE};
}
