/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans the switches, adapters and cables of a topology of any kind. See subnet_plan.h.
 */
#include "network/formats/infiniband/subnet_plan.h"
#include "base/integer.h"
#include "network/machine_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Locally administered range, so that no vendor's GUIDs are met. An adapter owns 256 of them. */
static const uint64_t adapter_guids = UINT64_C(0x0200000100000000);
static const uint64_t switch_guids = UINT64_C(0x0200000200000000);

static bool subnet_plan_refuse(const struct plan *plan, const char **problem, const char *subject,
                               const char *what)
{
    struct text words = {0};
    text_append_safe(&words, subject);
    *problem = arena_printf(plan->topology->arena, "'%s' %s", words.data ? words.data : "", what);
    text_free(&words);
    return false;
}

/* ---- devices ---- */

static uint32_t subnet_plan_add_device(struct plan *plan, struct plan_device device)
{
    plan->devices = mem_grow(plan->devices, &plan->devices_capacity,
                             (size_t)plan->n_devices + 1, sizeof *plan->devices);
    plan->devices[plan->n_devices] = device;
    return plan->n_devices++;
}

static uint32_t add_end(struct plan *plan, struct plan_end end)
{
    plan->ends = mem_grow(plan->ends, &plan->ends_capacity, (size_t)plan->n_ends + 1,
                          sizeof *plan->ends);
    plan->ends[plan->n_ends] = end;
    struct plan_device *device = &plan->devices[end.device];
    device->n++;
    if (end.port > device->n_ports)
        device->n_ports = end.port;
    return plan->n_ends++;
}

/* Returns the graph with the link ids and subnet of the topology; a subset keeps its base's. */
static const struct graph *subnet_plan_graph_of(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology_whole(topology));
    return graph && graph->subnet ? graph : NULL;
}

/* Marks the nodes that become switches: every router and every machine that has to forward. */
static void mark_switches(struct plan *plan)
{
    const struct topology *topology = plan->topology;
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        plan->switch_of[node] =
            node >= topology->n_machines || topology->machines_forward ? 0 : GRAPH_NONE;
    for (uint32_t link = 0; link < topology->n_link_ids && !plan->graph; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from < topology->n_machines && to < topology->n_machines)
            plan->switch_of[from] = plan->switch_of[to] = 0;
    }
}

static void add_switches(struct plan *plan)
{
    mark_switches(plan);
    for (uint32_t node = 0; node < plan->topology->n_nodes; node++)
        if (plan->switch_of[node] != GRAPH_NONE)
            plan->switch_of[node] = subnet_plan_add_device(
                plan, (struct plan_device){.guid = switch_guids + node, .node = node, .n_ports = 1});
    plan->n_switches = plan->n_devices;
}

/* Finds the GUID and LID of a switch in the dump, by any link that leaves it. */
static void name_switch(struct plan *plan, uint32_t device, uint32_t link)
{
    const struct graph *graph = plan->graph;
    const struct subnet_router *router =
        &graph->subnet->routers[graph_link_from(graph, link) - graph->n_machines];
    if (router->guid)
        plan->devices[device].guid = router->guid;
    plan->devices[device].lid = router->lid;
}

/* ---- ports ---- */

struct outgoing {
    uint32_t node, link;
};

static int compare_outgoing(const void *a, const void *b)
{
    const struct outgoing *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

/* Returns all links by the node they leave; release with free. */
static struct outgoing *outgoing_links(const struct topology *topology, uint32_t *n)
{
    struct outgoing *links = mem_alloc(topology->n_link_ids, sizeof *links);
    *n = 0;
    for (uint32_t link = 0, to; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link)) {
            topology_link_ends(topology, link, &links[*n].node, &to);
            links[(*n)++].link = link;
        }
    qsort(links, *n, sizeof *links, compare_outgoing);
    return links;
}

/* Returns the port of a machine as the dump has it, or NULL. */
static const struct subnet_port *dumped_port(const struct plan *plan, uint32_t link,
                                             const uint32_t *port_of_link)
{
    uint32_t port = plan->graph ? port_of_link[link] : GRAPH_NONE;
    return port == GRAPH_NONE ? NULL : &plan->graph->subnet->ports[port];
}

/* Returns [link] its entry in subnet->ports. NULL without a dump; release with free. */
static uint32_t *index_ports(const struct plan *plan)
{
    if (!plan->graph)
        return NULL;
    const struct subnet *subnet = plan->graph->subnet;
    uint32_t *port_of_link = mem_alloc(2 * (size_t)plan->graph->n_cables, sizeof *port_of_link);
    memset(port_of_link, 0xff, 2 * (size_t)plan->graph->n_cables * sizeof *port_of_link);
    for (uint32_t i = 0; i < subnet->n_ports; i++)
        port_of_link[subnet->ports[i].link] = i;
    return port_of_link;
}

/* Returns the adapter of a machine that has this port; the machine's first one is `first`. It goes by GUID
 * if that is known, else it takes the last one as long as port numbers ascend. */
static uint32_t find_adapter(struct plan *plan, uint32_t first, uint32_t node, uint64_t guid,
                             uint32_t port)
{
    for (uint32_t i = first; guid && i < plan->n_devices; i++)
        if (plan->devices[i].guid == guid)
            return i;
    struct plan_device *last =
        plan->n_devices > first ? &plan->devices[plan->n_devices - 1] : NULL;
    if (!guid && last && last->guid >> 32 == adapter_guids >> 32 && port > last->n_ports)
        return plan->n_devices - 1;
    uint64_t number = plan->n_devices - plan->n_switches;
    return subnet_plan_add_device(plan,
                                  (struct plan_device){.guid = guid ? guid : adapter_guids + 256 * number,
                                                       .node = node,
                                                       .adapter = plan->n_devices - first + 1,
                                                       .n_ports = guid ? 1 : 0});
}

static void add_machine_end(struct plan *plan, uint32_t first, struct plan_end end,
                            const struct outgoing *at, const struct subnet_port *dumped)
{
    uint64_t guid = dumped && dumped->port_guid > end.port ? dumped->port_guid - end.port : 0;
    end.device = find_adapter(plan, first, at->node, guid, end.port);
    end.lid = dumped ? dumped->lid : 0;
    end.lmc = dumped ? dumped->lmc : 0;
    plan->end_of_link[at->link] = add_end(plan, end);
}

/* Adds the cable between a machine's own switch and its adapter, on the next free port. */
static void add_own_adapter(struct plan *plan, uint32_t node, uint64_t bandwidth)
{
    uint32_t own = plan->switch_of[node], n = plan->n_ends;
    uint32_t port = plan->devices[own].n ? plan->devices[own].n_ports + 1 : 1;
    uint32_t adapter = find_adapter(plan, plan->n_devices, node, 0, 1);
    add_end(plan, (struct plan_end){own, port, n + 1, GRAPH_NONE, 0, 0, bandwidth});
    add_end(plan, (struct plan_end){adapter, 1, n, GRAPH_NONE, 0, 0, bandwidth});
}

/* Adds the ends of a node's links at[0 .. n-1]. */
static void subnet_plan_add_ends(struct plan *plan, uint32_t node, const struct outgoing *at, uint32_t n,
                                 const uint32_t *port_of_link)
{
    const struct topology *topology = plan->topology;
    uint32_t first = plan->n_devices;
    uint64_t fastest = n ? 0 : topology->bandwidth;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t link = at[i].link;
        struct plan_end end = {.device = plan->switch_of[node],
                               .port = plan->graph ? plan->graph->subnet->numbers[link] : i + 1,
                               .link = link,
                               .bandwidth = topology_link_bandwidth(topology, link)};
        fastest = end.bandwidth > fastest ? end.bandwidth : fastest;
        if (end.device == GRAPH_NONE)
            add_machine_end(plan, first, end, &at[i], dumped_port(plan, link, port_of_link));
        else
            plan->end_of_link[link] = add_end(plan, end);
        if (plan->graph && end.device != GRAPH_NONE)
            name_switch(plan, end.device, link);
    }
    if (node < topology->n_machines && plan->switch_of[node] != GRAPH_NONE)
        add_own_adapter(plan, node, fastest);
    else if (node < topology->n_machines && !n) { /* without a cable */
        uint32_t adapter = find_adapter(plan, first, node, 0, 1);
        plan->devices[adapter].n_ports = 1;
    }
}

static void add_all_ends(struct plan *plan)
{
    uint32_t n, *port_of_link = index_ports(plan);
    struct outgoing *links = outgoing_links(plan->topology, &n);
    for (uint32_t node = 0, at = 0, run; node < plan->topology->n_nodes; node++, at += run) {
        for (run = 0; at + run < n && links[at + run].node == node;)
            run++;
        subnet_plan_add_ends(plan, node, &links[at], run, port_of_link);
    }
    free(port_of_link);
    free(links);
}

/* ---- cables ---- */

/* A link, the lower of its nodes first. */
struct directed {
    uint32_t node[2], link;
    bool is_back;
};

static int compare_directed(const void *a, const void *b)
{
    const struct directed *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->node[i] != y->node[i])
            return x->node[i] < y->node[i] ? -1 : 1;
    if (x->is_back != y->is_back)
        return x->is_back ? 1 : -1;
    return (x->link > y->link) - (x->link < y->link);
}

static bool subnet_plan_same_nodes(const struct directed *a, const struct directed *b)
{
    return a->node[0] == b->node[0] && a->node[1] == b->node[1];
}

/* Joins n links between two nodes: the first half leads one way, the second half back. */
static bool join_run(struct plan *plan, const struct directed *run, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        if (run[i].is_back || !run[n / 2 + i].is_back)
            return false;
        uint32_t a = plan->end_of_link[run[i].link], b = plan->end_of_link[run[n / 2 + i].link];
        plan->ends[a].peer = b;
        plan->ends[b].peer = a;
    }
    return n % 2 == 0;
}

/* Joins the ends: the k-th link from a node to another and the k-th back are one cable. */
static bool join_ends(struct plan *plan, const char **problem)
{
    const struct topology *topology = plan->topology;
    struct directed *links = mem_alloc(topology->n_link_ids, sizeof *links);
    uint32_t n = 0;
    for (uint32_t link = 0, from, to; link < topology->n_link_ids; link++) {
        if (plan->end_of_link[link] == GRAPH_NONE)
            continue;
        topology_link_ends(topology, link, &from, &to);
        links[n++] = from < to ? (struct directed){{from, to}, link, false}
                               : (struct directed){{to, from}, link, true};
    }
    qsort(links, n, sizeof *links, compare_directed);
    bool good = true;
    for (uint32_t i = 0, run; i < n && good; i += run) {
        for (run = 1; i + run < n && subnet_plan_same_nodes(&links[i], &links[i + run]);)
            run++;
        good = join_run(plan, &links[i], run);
    }
    free(links);
    return good || subnet_plan_refuse(plan, problem, topology->name, "has a link without a link back");
}

/* ---- LIDs ---- */

static void assign_lid(struct plan *plan, uint32_t *lid)
{
    if (!*lid)
        *lid = plan->n_lids++;
}

static void assign_lids(struct plan *plan)
{
    plan->n_lids = 1;
    for (uint32_t i = 0; i < plan->n_switches; i++)
        if (plan->devices[i].lid >= plan->n_lids)
            plan->n_lids = plan->devices[i].lid + 1;
    for (uint32_t i = 0; i < plan->n_ends; i++) {
        uint32_t end = plan->ends[i].lid + (1u << plan->ends[i].lmc);
        if (plan->ends[i].lid && end > plan->n_lids)
            plan->n_lids = end;
    }
    for (uint32_t i = 0; i < plan->n_ends; i++)
        if (plan->devices[plan->ends[i].device].adapter)
            assign_lid(plan, &plan->ends[i].lid);
    for (uint32_t i = 0; i < plan->n_switches; i++)
        assign_lid(plan, &plan->devices[i].lid);
}

/* ---- checks ---- */

static bool subnet_plan_check_names(struct plan *plan, const char **problem)
{
    char name[PLAN_NAME_SIZE];
    for (uint32_t i = 0; i < plan->n_devices; i++) {
        plan_describe(plan, &plan->devices[i], name);
        if (strlen(name) > PLAN_DESCRIPTION_MAX)
            return subnet_plan_refuse(plan, problem, name,
                                      "is longer than the 63 bytes of a node description");
        for (const char *at = name; *at; at++)
            if (*at == '"' || (unsigned char)*at < ' ')
                return subnet_plan_refuse(plan, problem, name,
                                          "has a quote or a control character, which no node description "
                                          "can hold");
    }
    return true;
}

static bool check_ports(struct plan *plan, const char **problem)
{
    char name[PLAN_NAME_SIZE];
    for (uint32_t i = 0; i < plan->n_devices; i++) {
        const struct plan_device *device = &plan->devices[i];
        plan_describe(plan, device, name);
        if (device->n_ports > SUBNET_MAX_PORT)
            return subnet_plan_refuse(plan, problem, name, "has more than 254 ports");
        for (uint32_t j = 0; j < device->n; j++) {
            uint32_t port = plan->ends[plan->order[device->first + j]].port;
            if (!port)
                return subnet_plan_refuse(plan, problem, name, "has a port whose number is not known");
            if (j && port == plan->ends[plan->order[device->first + j - 1]].port)
                return subnet_plan_refuse(plan, problem, name, "has two ports of one number");
        }
    }
    return true;
}

static bool check_guids(struct plan *plan, const char **problem)
{
    uint64_t *guids = mem_alloc(plan->n_devices, sizeof *guids);
    char word[32] = "";
    for (uint32_t i = 0; i < plan->n_devices; i++)
        guids[i] = plan->devices[i].guid;
    qsort(guids, plan->n_devices, sizeof *guids, compare_uint64);
    for (uint32_t i = 1; i < plan->n_devices; i++)
        if (guids[i] == guids[i - 1])
            snprintf(word, sizeof word, "0x%016" PRIx64, guids[i]);
    free(guids);
    return !*word || subnet_plan_refuse(plan, problem, word, "is the GUID of two nodes");
}

/* ---- all of it ---- */

static void sort_ends(struct plan *plan)
{
    uint32_t at = 0;
    plan->order = mem_alloc(plan->n_ends, sizeof *plan->order);
    for (uint32_t i = 0; i < plan->n_devices; i++) {
        plan->devices[i].first = at;
        at += plan->devices[i].n;
        plan->devices[i].n = 0;
    }
    for (uint32_t i = 0; i < plan->n_ends; i++) {
        struct plan_device *device = &plan->devices[plan->ends[i].device];
        uint32_t *list = plan->order + device->first, j = device->n++;
        for (; j && plan->ends[list[j - 1]].port > plan->ends[i].port; j--)
            list[j] = list[j - 1];
        list[j] = i;
    }
}

bool plan_make(struct plan *plan, const struct topology *topology, const char **problem)
{
    *plan = (struct plan){.topology = topology, .graph = subnet_plan_graph_of(topology)};
    if (!topology_is_one_network(topology, "a subnet", problem))
        return false;
    if (topology->n_nodes >= SUBNET_LIDS)
        return subnet_plan_refuse(plan, problem, topology->name,
                                  "has more nodes than a subnet has LIDs, 49151");
    if (topology->n_link_ids / 256 > topology->n_nodes) /* before memory goes into it */
        return subnet_plan_refuse(plan, problem, topology->name, "has nodes with more than 254 ports");
    plan->switch_of = mem_alloc(topology->n_nodes, sizeof *plan->switch_of);
    plan->end_of_link = mem_alloc(topology->n_link_ids, sizeof *plan->end_of_link);
    memset(plan->end_of_link, 0xff, topology->n_link_ids * sizeof *plan->end_of_link);
    add_switches(plan);
    add_all_ends(plan);
    sort_ends(plan);
    assign_lids(plan);
    if (plan->n_lids > SUBNET_LIDS)
        return subnet_plan_refuse(plan, problem, topology->name, "needs more LIDs than a subnet has, 49151");
    return subnet_plan_check_names(plan, problem) && check_ports(plan, problem) &&
           check_guids(plan, problem) && join_ends(plan, problem);
}

void plan_free(struct plan *plan)
{
    free(plan->devices);
    free(plan->ends);
    free(plan->order);
    free(plan->end_of_link);
    free(plan->switch_of);
}

void plan_describe(const struct plan *plan, const struct plan_device *device,
                   char name[PLAN_NAME_SIZE])
{
    char node[256];
    topology_node_name(plan->topology, device->node, node, sizeof node);
    if (device->adapter)
        snprintf(name, PLAN_NAME_SIZE, "%s HCA-%u", node, device->adapter);
    else
        snprintf(name, PLAN_NAME_SIZE, "%s%s", node,
                 device->node < plan->topology->n_machines ? " switch" : "");
}
