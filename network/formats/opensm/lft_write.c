/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the routes of a topology as forwarding tables, in the text that OpenSM dumps
 * and loads (-R file -U FILE): a heading per switch and a line per LID. Each line names
 * the port GUID behind the LID, so that OpenSM finds the port whatever LID it gives it.
 *
 * A topology with tables gives those tables. Otherwise every route is walked and has to agree with the
 * others about the port that a switch uses for a LID: a table only depends on the destination. Entries
 * that no route needs, such as those for switches, follow shortest paths over the lowest port.
 */
#include "network/formats/infiniband/subnet_plan.h"
#include "network/format.h"
#include "network/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 1 << 25 }; /* a line has 64 bytes: 2 GiB of text */

struct tables {
    struct plan plan;
    const struct forwarding *read; /* tables to be written as they are, or NULL */
    uint8_t *port;                 /* [lid * n_switches + switch]; NULL: those of `read` */
    uint32_t *owner;               /* [lid] end of an adapter, or n_ends + switch, or GRAPH_NONE */
};

static uint8_t *entry_at(struct tables *tables, uint32_t lid, uint32_t device)
{
    return &tables->port[(size_t)lid * tables->plan.n_switches + device];
}

/* ---- from routes ---- */

struct walk {
    struct tables *tables;
    struct hop *hops;
    uint32_t source, destination, n_hops;
    uint32_t device, port; /* place of the entry to be made */
};

/* Finds switch and port at step i of a route: the links from 0, and last the way from the destination's own
 * switch into its adapter. Returns false for a machine's port, which is in no table. */
static bool lft_write_step_of(struct walk *walk, uint32_t i)
{
    const struct plan *plan = &walk->tables->plan;
    if (i < walk->n_hops) {
        const struct plan_end *end = &plan->ends[plan->end_of_link[walk->hops[i].link]];
        walk->device = end->device;
        walk->port = end->port;
        return !plan->devices[end->device].adapter;
    }
    walk->device = plan->switch_of[walk->destination];
    if (walk->device == GRAPH_NONE)
        return false;
    walk->port = plan->devices[walk->device].n_ports;
    return true;
}

/* Returns the adapter's end by which a route arrives. */
static uint32_t arrival_of(const struct walk *walk)
{
    const struct plan *plan = &walk->tables->plan;
    uint32_t own = plan->switch_of[walk->destination];
    if (own != GRAPH_NONE) {
        const struct plan_device *device = &plan->devices[own];
        return plan->ends[plan->order[device->first + device->n - 1]].peer;
    }
    return plan->ends[plan->end_of_link[walk->hops[walk->n_hops - 1].link]].peer;
}

static void lft_write_route(struct walk *walk, uint32_t source)
{
    walk->source = source;
    walk->n_hops = topology_route(walk->tables->plan.topology, source, walk->destination,
                                  walk->hops);
}

/* Refuses: `how` tells in which way the routes from walk's source and from `other` differ. */
static bool lft_write_refuse(const struct walk *walk, const char **problem, uint32_t other, const char *how)
{
    const struct topology *topology = walk->tables->plan.topology;
    const uint32_t nodes[3] = {walk->destination, other, walk->source};
    struct text safe[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        char name[256];
        topology_node_name(topology, nodes[i], name, sizeof name);
        text_append_safe(&safe[i], name);
    }
    *problem = arena_printf(topology->arena,
                            "the routes to '%s' from '%s' and from '%s' %s, but a forwarding table "
                            "goes by the destination alone",
                            safe[0].data, safe[1].data, safe[2].data, how);
    for (int i = 0; i < 3; i++)
        text_free(&safe[i]);
    return false;
}

/* Returns the first source whose route leaves walk's switch by another port than walk's. */
static uint32_t find_rival(const struct walk *walk)
{
    struct walk other = *walk;
    for (uint32_t source = 0; source < walk->source; source++) {
        if (source == walk->destination)
            continue;
        lft_write_route(&other, source);
        for (uint32_t i = 0; i <= other.n_hops && other.n_hops; i++)
            if (lft_write_step_of(&other, i) && other.device == walk->device && other.port != walk->port)
                return source;
    }
    return walk->source;
}

static bool conflict(const struct walk *walk, const char **problem)
{
    const struct plan *plan = &walk->tables->plan;
    char name[PLAN_NAME_SIZE], how[PLAN_NAME_SIZE + 32];
    plan_describe(plan, &plan->devices[walk->device], name);
    snprintf(how, sizeof how, "leave '%s' by different ports", name);
    return lft_write_refuse(walk, problem, find_rival(walk), how);
}

/* Enters one route, for the LID of the end it arrives at. */
static bool enter_route(struct walk *walk, uint32_t lid, const char **problem)
{
    for (uint32_t i = 0; i <= walk->n_hops; i++) {
        if (!lft_write_step_of(walk, i))
            continue;
        uint8_t *entry = entry_at(walk->tables, lid, walk->device);
        if (*entry != FORWARDING_NONE && *entry != walk->port)
            return conflict(walk, problem);
        *entry = (uint8_t)walk->port;
    }
    return true;
}

static bool enter_routes_to(struct walk *walk, uint32_t destination, const char **problem)
{
    const struct plan *plan = &walk->tables->plan;
    uint32_t arrival = GRAPH_NONE, first = 0;
    walk->destination = destination;
    for (uint32_t source = 0; source < plan->topology->n_machines; source++) {
        lft_write_route(walk, source);
        if (!walk->n_hops)
            continue; /* to itself, or none */
        uint32_t end = arrival_of(walk);
        if (arrival == GRAPH_NONE) {
            arrival = end;
            first = source;
        }
        if (end != arrival)
            return lft_write_refuse(walk, problem, first, "arrive at different ports");
        if (!enter_route(walk, plan->ends[end].lid, problem))
            return false;
    }
    return true;
}

/* ---- what no route needs ---- */

/* Scratch of a search over switches. */
struct search {
    struct tables *tables;
    uint32_t *queue, *seen; /* seen[switch]: the LID it was last seen for */
};

/* Enters shortest paths to a switch, and by its port `port` to the LID, where no entry exists. It searches
 * from there outward, ports in ascending order. Existing entries lead to the LID, so whatever leads to them
 * does too. */
static void enter_rest(struct search *search, uint32_t lid, uint32_t destination, uint32_t port)
{
    const struct plan *plan = &search->tables->plan;
    uint32_t n = 1;
    search->queue[0] = destination;
    search->seen[destination] = lid;
    if (*entry_at(search->tables, lid, destination) == FORWARDING_NONE)
        *entry_at(search->tables, lid, destination) = (uint8_t)port;
    for (uint32_t i = 0; i < n; i++) {
        const struct plan_device *device = &plan->devices[search->queue[i]];
        for (uint32_t j = 0; j < device->n; j++) {
            const struct plan_end *far =
                &plan->ends[plan->ends[plan->order[device->first + j]].peer];
            if (plan->devices[far->device].adapter || search->seen[far->device] == lid)
                continue;
            uint8_t *entry = entry_at(search->tables, lid, far->device);
            *entry = *entry == FORWARDING_NONE ? (uint8_t)far->port : *entry;
            search->seen[far->device] = lid;
            search->queue[n++] = far->device;
        }
    }
}

/* Enters the rest for a port of a machine; with an LMC all its LIDs have the same route. */
static void enter_rest_to(struct search *search, const struct plan_end *end)
{
    struct tables *tables = search->tables;
    const struct plan *plan = &tables->plan;
    const struct plan_end *peer = &plan->ends[end->peer];
    if (plan->devices[peer->device].adapter)
        return;
    enter_rest(search, end->lid, peer->device, peer->port);
    for (uint32_t lid = end->lid + 1; lid < end->lid + (1u << end->lmc); lid++)
        memcpy(entry_at(tables, lid, 0), entry_at(tables, end->lid, 0), plan->n_switches);
}

static void enter_all_rest(struct tables *tables)
{
    const struct plan *plan = &tables->plan;
    struct search search = {tables, mem_alloc(plan->n_switches, sizeof(uint32_t)),
                            mem_alloc(plan->n_switches, sizeof(uint32_t))};
    for (uint32_t i = 0; i < plan->n_ends; i++)
        if (plan->devices[plan->ends[i].device].adapter)
            enter_rest_to(&search, &plan->ends[i]);
    for (uint32_t i = 0; i < plan->n_switches; i++)
        enter_rest(&search, plan->devices[i].lid, i, 0);
    free(search.queue);
    free(search.seen);
}

static bool enter_all(struct tables *tables, const char **problem)
{
    const struct plan *plan = &tables->plan;
    bool good = true;
    struct walk walk = {.tables = tables,
                        .hops = mem_alloc(plan->topology->max_hops, sizeof(struct hop))};
    for (uint32_t machine = 0; machine < plan->topology->n_machines && good; machine++)
        good = enter_routes_to(&walk, machine, problem);
    if (good)
        enter_all_rest(tables);
    free(walk.hops);
    return good;
}

/* ---- text ---- */

static uint8_t port_for(const struct tables *tables, uint32_t lid, uint32_t device)
{
    if (!tables->read)
        return tables->port[(size_t)lid * tables->plan.n_switches + device];
    return lid < tables->read->n_lids ? forwarding_port(tables->read, device, lid)
                                      : FORWARDING_NONE;
}

static void write_entry(const struct tables *tables, uint32_t lid, uint8_t port, struct text *out)
{
    const struct plan *plan = &tables->plan;
    uint32_t owner = tables->owner[lid];
    bool is_switch = owner >= plan->n_ends;
    text_printf(out, "0x%04x %03u #", lid, port);
    if (owner != GRAPH_NONE) {
        const struct plan_device *device =
            &plan->devices[is_switch ? owner - plan->n_ends : plan->ends[owner].device];
        uint64_t guid = is_switch ? device->guid : plan_port_guid(plan, &plan->ends[owner]);
        char name[PLAN_NAME_SIZE];
        plan_describe(plan, device, name);
        text_printf(out, " %s portguid 0x%016" PRIx64 ": '%s'",
                    is_switch ? "Switch" : "Channel Adapter", guid, name);
    }
    text_append(out, "\n", 1);
}

static void lft_write_table(const struct tables *tables, uint32_t device, struct text *out)
{
    const struct plan_device *self = &tables->plan.devices[device];
    char name[PLAN_NAME_SIZE];
    uint32_t n = 0;
    if (tables->read && !tables->read->has_table[device])
        return;
    plan_describe(&tables->plan, self, name);
    text_printf(out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('%s'):\n",
                tables->plan.n_lids - 1, self->lid, self->guid, name);
    for (uint32_t lid = 1; lid < tables->plan.n_lids; lid++) {
        uint8_t port = port_for(tables, lid, device);
        if (port == FORWARDING_NONE)
            continue;
        write_entry(tables, lid, port, out);
        n++;
    }
    text_printf(out, "%u valid lids dumped\n", n);
}

/* ---- all of it ---- */

static bool own_lids(struct tables *tables, uint32_t owner, uint32_t lid, uint32_t lmc,
                     const char **problem)
{
    for (uint32_t i = lid; i < lid + (1u << lmc); i++) {
        if (tables->owner[i] != GRAPH_NONE) {
            *problem = arena_printf(tables->plan.topology->arena, "two ports have LID %u", i);
            return false;
        }
        tables->owner[i] = owner;
    }
    return true;
}

static bool index_lids(struct tables *tables, const char **problem)
{
    const struct plan *plan = &tables->plan;
    tables->owner = mem_alloc(plan->n_lids, sizeof *tables->owner);
    memset(tables->owner, 0xff, plan->n_lids * sizeof *tables->owner);
    for (uint32_t i = 0; i < plan->n_ends; i++)
        if (plan->devices[plan->ends[i].device].adapter &&
            !own_lids(tables, i, plan->ends[i].lid, plan->ends[i].lmc, problem))
            return false;
    for (uint32_t i = 0; i < plan->n_switches; i++)
        if (!own_lids(tables, plan->n_ends + i, plan->devices[i].lid, 0, problem))
            return false;
    return true;
}

static bool lft_write_fill(struct tables *tables, const char **problem)
{
    const struct plan *plan = &tables->plan;
    uint64_t n_entries = (uint64_t)plan->n_lids * plan->n_switches;
    if (!plan->n_switches) {
        *problem = "it has no switches";
        return false;
    }
    if (n_entries > MAX_ENTRIES) {
        *problem = "the tables would have more than 2^25 entries";
        return false;
    }
    if (!index_lids(tables, problem))
        return false;
    if (tables->read)
        return true;
    tables->port = mem_alloc(n_entries, 1);
    memset(tables->port, FORWARDING_NONE, n_entries);
    return enter_all(tables, problem);
}

/* True if links have failed since tables were read: pairs have lost their way, but an entry for the
 * destination would give them another. */
static bool has_torn_tables(const struct topology *topology)
{
    bool has_failed = false;
    const struct graph *graph = topology_as_graph(topology_whole(topology));
    for (; topology->base; topology = topology->base)
        has_failed = has_failed || topology_is_faulty(topology);
    return has_failed && graph && graph->forwarding;
}

static bool write_lfts(const struct topology *topology, struct text *out, const char **problem)
{
    if (has_torn_tables(topology)) {
        *problem = "tables with failed links: pairs whose way is lost would get another one; leave "
                   "out the failures, or the tables";
        return false;
    }
    const struct graph *graph = topology_as_graph(topology);
    struct tables tables = {.read = graph ? graph->forwarding : NULL};
    bool good = plan_make(&tables.plan, topology, problem) && lft_write_fill(&tables, problem);
    for (uint32_t i = 0; i < tables.plan.n_switches && good; i++)
        lft_write_table(&tables, i, out);
    free(tables.port);
    free(tables.owner);
    plan_free(&tables.plan);
    return good;
}

const struct topology_format lfts_format = {.write = write_lfts};
