/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several networks between the same machines. See networks.h. What a machine is
 * called in a member is found by counting: places[first[m] ...] are its numbers in
 * the networks whose bits are set in mask[m], in the order of the bits. So a machine
 * costs 8 bytes and 8 more per network it is on, beside its name.
 */
#include "network/networks.h"
#include "network/host_ports.h"
#include "network/kind.h"

#include <stdlib.h>
#include <string.h>

struct composite {
    uint32_t n; /* networks */
    struct network networks[NETWORKS_MAX];
    struct topology *member[NETWORKS_MAX]; /* NULL: memory */
    uint32_t *machine[NETWORKS_MAX];       /* [machine of the member] machine here */
    uint32_t first_link[NETWORKS_MAX + 1];
    uint32_t first_router[NETWORKS_MAX + 1]; /* as nodes */
    uint32_t bit[NETWORKS_MAX];            /* of a network but memory */
    uint32_t by_speed[NETWORKS_MAX];       /* [bit] network */
    uint32_t *mask;                        /* [machine] bits of its networks */
    uint32_t *first;                       /* [machine] index of its first place */
    uint32_t *places;
    struct graph *names;                   /* of machines */
    const char *rule;
};

static const struct topology_methods composite_methods;

static struct composite *composite_of(const struct topology *topology)
{
    return topology->self;
}

/* ---- making ---- */

void network_members_free(struct network_member *members, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        topology_free(members[i].topology);
        free(members[i].machine);
    }
}

/* Routers that are no machines. */
static uint32_t networks_n_routers_of(const struct topology *member)
{
    return member->n_nodes - member->n_machines;
}

static const char *find_problem(const struct graph *names, const struct network_member *members,
                                uint32_t n)
{
    uint64_t links = 0, nodes = names->n_machines, places = 0;
    for (uint32_t i = 1; i < n; i++) {
        links += members[i].topology->n_link_ids;
        nodes += networks_n_routers_of(members[i].topology);
        places += members[i].topology->n_machines;
    }
    if (links >= UINT32_MAX || nodes >= UINT32_MAX)
        return "more than 4294967294 links or nodes in all networks together";
    return places > NETWORKS_MAX_PLACES ? "more than 1048576 machines in all networks together"
                                        : NULL;
}

static const char *networks_keep_text(struct arena *arena, const char *text)
{
    return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

static void take_members(struct composite *composite, const struct network_member *members,
                         struct arena *arena)
{
    for (uint32_t i = 0; i < composite->n; i++) {
        const struct network *from = &members[i].network;
        struct network *network = &composite->networks[i];
        composite->member[i] = members[i].topology;
        composite->machine[i] = members[i].machine;
        *network = *from;
        network->name = networks_keep_text(arena, from->name);
        network->label = networks_keep_text(arena, from->label);
        network->interface = networks_keep_text(arena, from->interface);
        network->device = networks_keep_text(arena, from->device);
        network->transport = networks_keep_text(arena, from->transport);
        network->addresses = networks_keep_text(arena, from->addresses);
        network->n_machines =
            members[i].topology ? members[i].topology->n_machines : composite->names->n_machines;
    }
}

/* Bits by bandwidth, the highest first; a stable insertion keeps equal ones in order. */
static void rank_by_speed(struct composite *composite)
{
    for (uint32_t network = 1; network < composite->n; network++) {
        uint32_t at = network - 1;
        for (; at && composite->networks[composite->by_speed[at - 1]].bandwidth <
                         composite->networks[network].bandwidth;
             at--)
            composite->by_speed[at] = composite->by_speed[at - 1];
        composite->by_speed[at] = network;
    }
    for (uint32_t bit = 0; bit + 1 < composite->n; bit++)
        composite->bit[composite->by_speed[bit]] = bit;
}

static uint32_t count_bits(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

/* Returns the place of a machine in the network of that bit, which it is on. */
static uint32_t *networks_place_of(const struct composite *composite, uint32_t machine, uint32_t bit)
{
    uint32_t below = composite->mask[machine] & ((UINT32_C(1) << bit) - 1);
    return &composite->places[composite->first[machine] + count_bits(below)];
}

static void find_places(struct composite *composite, struct arena *arena)
{
    uint32_t n_machines = composite->names->n_machines, n_places = 0;
    composite->mask = arena_alloc(arena, n_machines, sizeof *composite->mask);
    composite->first = arena_alloc(arena, n_machines, sizeof *composite->first);
    for (uint32_t i = 1; i < composite->n; i++)
        for (uint32_t local = 0; local < composite->member[i]->n_machines; local++)
            composite->mask[composite->machine[i][local]] |= UINT32_C(1) << composite->bit[i];
    for (uint32_t machine = 0; machine < n_machines; machine++) {
        composite->first[machine] = n_places;
        n_places += count_bits(composite->mask[machine]);
    }
    composite->places = arena_alloc(arena, n_places, sizeof *composite->places);
    for (uint32_t i = 1; i < composite->n; i++)
        for (uint32_t local = 0; local < composite->member[i]->n_machines; local++)
            *networks_place_of(composite, composite->machine[i][local], composite->bit[i]) = local;
}

static void lay_out(struct topology *topology, struct composite *composite)
{
    uint32_t node = composite->names->n_machines, link = 0;
    for (uint32_t i = 0; i < composite->n; i++) {
        const struct topology *member = composite->member[i];
        composite->first_link[i] = link;
        composite->first_router[i] = node;
        if (!member)
            continue;
        link += member->n_link_ids;
        node += networks_n_routers_of(member);
        topology->n_links += member->n_links;
        topology->has_fat_pipes |= member->has_fat_pipes;
        if (member->max_hops > topology->max_hops)
            topology->max_hops = member->max_hops;
    }
    composite->first_link[composite->n] = topology->n_link_ids = link;
    composite->first_router[composite->n] = node;
    topology->has_exact_hops = composite->n == 2 && composite->member[1]->has_exact_hops;
    topology->n_machines = composite->names->n_machines;
    topology->n_routers = node - topology->n_machines;
    topology->n_nodes = node;
}

/* "the fastest network of both machines; in MY, FE: up to ...; in GE: ..." */
static const char *make_rule(const struct composite *composite, struct arena *arena)
{
    struct text text = {0};
    bool is_told[NETWORKS_MAX] = {false};
    text_printf(&text, "the fastest network that both machines are on");
    for (uint32_t i = 1; i < composite->n; i++) {
        const char *rule = topology_routing_rule(composite->member[i]), *separator = "; in ";
        if (is_told[i])
            continue;
        for (uint32_t k = i; k < composite->n; k++) {
            if (strcmp(topology_routing_rule(composite->member[k]), rule) != 0)
                continue;
            is_told[k] = true;
            text_printf(&text, "%s%s", separator, composite->networks[k].label);
            separator = ", ";
        }
        text_printf(&text, ": %s", rule);
    }
    const char *copy = arena_strndup(arena, text.data, text.length);
    text_free(&text);
    return copy;
}

struct topology *topology_new_composite(const struct topology_settings *settings,
                                        struct graph *names, struct network_member *members,
                                        uint32_t n, const char **problem)
{
    *problem = find_problem(names, members, n);
    if (*problem) {
        network_members_free(members, n);
        graph_free(names);
        return NULL;
    }
    struct topology *topology =
        topology_allocate(&composite_methods, sizeof(struct composite), settings);
    struct composite *composite = topology->self;
    topology->n_networks = n;
    composite->n = n;
    composite->names = names;
    take_members(composite, members, topology->arena);
    rank_by_speed(composite);
    find_places(composite, topology->arena);
    lay_out(topology, composite);
    composite->rule = make_rule(composite, topology->arena);
    return topology_finish(topology);
}

static void networks_release(struct topology *topology)
{
    struct composite *composite = composite_of(topology);
    for (uint32_t i = 0; i < composite->n; i++) {
        topology_free(composite->member[i]);
        free(composite->machine[i]);
    }
    graph_free(composite->names);
}

/* ---- which network ---- */

bool network_is_label(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    size_t length = strspn(text, letters);
    return length && length <= NETWORK_LABEL_MAX && !text[length] && *text != '_' &&
           !(*text >= '0' && *text <= '9');
}

static uint32_t lowest_bit(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static bool networks_is_on(const struct composite *composite, uint32_t machine, uint32_t network)
{
    return network == NETWORK_MEMORY ||
           (composite->mask[machine] >> composite->bit[network] & 1) != 0;
}

static uint32_t networks_choose(const struct composite *composite, uint32_t source, uint32_t destination)
{
    if (source == destination)
        return NETWORK_MEMORY;
    uint32_t common = composite->mask[source] & composite->mask[destination];
    return common ? composite->by_speed[lowest_bit(common)] : NO_NETWORK;
}

/* Returns the member that has the number, by the first numbers of all. */
static uint32_t member_of(const uint32_t *first, uint32_t n, uint32_t number)
{
    uint32_t network = n - 1;
    while (network && first[network] > number)
        network--;
    return network;
}

/* A subset of a composite topology, and one with failed links, has its networks. NULL: one
 * network. */
static const struct composite *find_composite(const struct topology *topology)
{
    return topology->n_networks > 1 ? topology_whole(topology)->self : NULL;
}

const struct network *topology_network_info(const struct topology *topology, uint32_t network)
{
    return &find_composite(topology)->networks[network];
}

const struct topology *topology_network_member(const struct topology *topology, uint32_t network)
{
    return composite_of(topology)->member[network];
}

uint32_t topology_network_machine(const struct topology *topology, uint32_t network,
                                  uint32_t machine)
{
    return composite_of(topology)->machine[network][machine];
}

uint32_t topology_find_network(const struct topology *topology, const char *label)
{
    const struct composite *composite = find_composite(topology);
    for (uint32_t i = 0; composite && i < composite->n; i++)
        if (strcmp(composite->networks[i].label, label) == 0)
            return i;
    return NO_NETWORK;
}

bool topology_is_on_network(const struct topology *topology, uint32_t machine, uint32_t network)
{
    const struct composite *composite = find_composite(topology);
    return !composite || networks_is_on(composite, topology_whole_node(topology, machine), network);
}

bool topology_is_joined(const struct topology *topology, uint32_t network, uint32_t source,
                        uint32_t destination)
{
    const struct composite *composite = find_composite(topology);
    if (!composite)
        return true;
    if (network >= composite->n || (network == NETWORK_MEMORY && source != destination))
        return false;
    return networks_is_on(composite, topology_whole_node(topology, source), network) &&
           networks_is_on(composite, topology_whole_node(topology, destination), network);
}

uint32_t topology_network(const struct topology *topology, uint32_t source, uint32_t destination)
{
    const struct composite *composite = find_composite(topology);
    return composite ? networks_choose(composite, topology_whole_node(topology, source),
                                       topology_whole_node(topology, destination))
                     : 0;
}

uint32_t topology_link_network(const struct topology *topology, uint32_t link)
{
    const struct composite *composite = find_composite(topology);
    return composite ? member_of(composite->first_link, composite->n, link) : 0;
}

uint32_t topology_router_network(const struct topology *topology, uint32_t node)
{
    const struct composite *composite = find_composite(topology);
    return composite
               ? member_of(composite->first_router, composite->n, topology_whole_node(topology, node))
               : 0;
}

/* below[m] starts as the machines with exactly the networks m and becomes those whose
 * networks are all in m, a network at a time; a machine has no common network with those
 * whose networks are all in the complement of its own. */
uint64_t topology_pairs_apart(const struct topology *topology)
{
    const struct composite *composite = find_composite(topology);
    if (!composite)
        return 0;
    uint32_t n_masks = UINT32_C(1) << (composite->n - 1);
    uint32_t *below = mem_alloc(n_masks, sizeof *below);
    uint64_t pairs = 0;
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        below[composite->mask[topology_whole_node(topology, machine)]]++;
    for (uint32_t bit = 1; bit < n_masks; bit <<= 1)
        for (uint32_t mask = 0; mask < n_masks; mask++)
            if (mask & bit)
                below[mask] += below[mask ^ bit];
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        pairs += below[(n_masks - 1) & ~composite->mask[topology_whole_node(topology, machine)]];
    free(below);
    return pairs;
}

/* ---- routes and links ---- */

static uint32_t route_over(const struct composite *composite, uint32_t network, uint32_t source,
                           uint32_t destination, struct hop *hops)
{
    uint32_t bit = composite->bit[network], base = composite->first_link[network];
    uint32_t n = topology_route(composite->member[network], *networks_place_of(composite, source, bit),
                                *networks_place_of(composite, destination, bit), hops);
    for (uint32_t i = 0; i < n; i++)
        hops[i].link += base;
    return n;
}

static uint32_t networks_route(const struct topology *topology, uint32_t source, uint32_t destination,
                               struct hop *hops)
{
    uint32_t network = networks_choose(composite_of(topology), source, destination);
    return network == NO_NETWORK
               ? 0
               : route_over(composite_of(topology), network, source, destination, hops);
}

uint32_t topology_route_over(const struct topology *topology, uint32_t network, uint32_t source,
                             uint32_t destination, struct hop *hops)
{
    if (network == NO_NETWORK || (topology->n_networks <= 1 && !network))
        return topology_route(topology, source, destination, hops);
    if (topology->n_networks <= 1)
        return topology_route_way(topology, (uint8_t)network, source, destination, hops);
    const struct composite *composite = find_composite(topology);
    if (source == destination || !topology_is_joined(topology, network, source, destination))
        return 0;
    uint32_t n = route_over(composite, network, topology_whole_node(topology, source),
                            topology_whole_node(topology, destination), hops);
    for (uint32_t i = 0; topology->base && i < n; i++)
        if (!topology_has_link(topology, hops[i].link))
            return 0; /* it has failed */
    return n;
}

/* Finds a link's member, and its number there. */
static const struct topology *locate(const struct topology *topology, uint32_t link,
                                     uint32_t *local, uint32_t *network)
{
    const struct composite *composite = composite_of(topology);
    *network = member_of(composite->first_link, composite->n, link);
    *local = link - composite->first_link[*network];
    return composite->member[*network];
}

static bool networks_has_link(const struct topology *topology, uint32_t link)
{
    uint32_t local, network;
    const struct topology *member = locate(topology, link, &local, &network);
    return topology_has_link(member, local);
}

static uint32_t node_here(const struct composite *composite, uint32_t network, uint32_t node)
{
    uint32_t n_machines = composite->member[network]->n_machines;
    return node < n_machines ? composite->machine[network][node]
                             : composite->first_router[network] + (node - n_machines);
}

static void networks_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    uint32_t local, network;
    const struct topology *member = locate(topology, link, &local, &network);
    topology_link_ends(member, local, from, to);
    *from = node_here(composite_of(topology), network, *from);
    *to = node_here(composite_of(topology), network, *to);
}

static bool networks_link_contends(const struct topology *topology, uint32_t link)
{
    uint32_t local, network;
    const struct topology *member = locate(topology, link, &local, &network);
    return topology_link_contends(member, local);
}

static uint64_t networks_link_bandwidth(const struct topology *topology, uint32_t link)
{
    uint32_t local, network;
    const struct topology *member = locate(topology, link, &local, &network);
    return topology_link_bandwidth(member, local);
}

static uint64_t networks_link_latency(const struct topology *topology, uint32_t link)
{
    uint32_t local, network;
    const struct topology *member = locate(topology, link, &local, &network);
    return topology_link_latency(member, local);
}

/* ---- names and numbers ---- */

static void networks_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    const struct composite *composite = composite_of(topology);
    if (node < topology->n_machines) {
        text_append(out, graph_name(composite->names, node),
                    composite->names->nodes[node].name_length);
        return;
    }
    uint32_t network = member_of(composite->first_router, composite->n, node);
    const struct topology *member = composite->member[network];
    text_printf(out, "%s:", composite->networks[network].label);
    member->methods->node_name(member, node - composite->first_router[network] + member->n_machines,
                               out);
}

static uint32_t networks_find_machine(const struct topology *topology, const char *name, size_t length)
{
    uint32_t node = graph_find(composite_of(topology)->names, name, length);
    return node < topology->n_machines ? node : topology->n_machines;
}

static bool networks_has_lanes(const struct topology *topology)
{
    for (uint32_t i = 1; i < composite_of(topology)->n; i++)
        if (topology_has_lanes(composite_of(topology)->member[i]))
            return true;
    return false;
}

static bool networks_assumes_routes(const struct topology *topology)
{
    for (uint32_t i = 1; i < composite_of(topology)->n; i++)
        if (topology_assumes_routes(composite_of(topology)->member[i]))
            return true;
    return false;
}

static const char *networks_routing_rule(const struct topology *topology)
{
    return composite_of(topology)->rule;
}

static uint64_t networks_fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct composite *composite = composite_of(topology);
    for (uint32_t node = 0; node < topology->n_machines; node++)
        hash = fingerprint_text(hash, graph_name(composite->names, node),
                                composite->names->nodes[node].name_length);
    for (uint32_t i = 0; i < composite->n; i++) {
        const struct network *network = &composite->networks[i];
        hash = fingerprint_text(hash, network->label, strlen(network->label));
        hash = fingerprint_number(hash, network->bandwidth);
        hash = fingerprint_number(hash, network->latency);
        if (!composite->member[i])
            continue;
        hash = fingerprint_number(hash, composite->member[i]->fingerprint);
        for (uint32_t local = 0; local < network->n_machines; local++)
            hash = fingerprint_number(hash, composite->machine[i][local]);
    }
    return hash;
}

static const struct topology_methods composite_methods = {
    .number = KIND_COMPOSITE,
    .route = networks_route,
    .has_link = networks_has_link,
    .link_contends = networks_link_contends,
    .link_ends = networks_link_ends,
    .link_bandwidth = networks_link_bandwidth,
    .link_latency = networks_link_latency,
    .node_name = networks_node_name,
    .find_machine = networks_find_machine,
    .has_lanes = networks_has_lanes,
    .routing_rule = networks_routing_rule,
    .assumes_routes = networks_assumes_routes,
    .fingerprint = networks_fingerprint,
    .release = networks_release,
};
