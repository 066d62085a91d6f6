/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a fabric of the statements of an ibsim network: looks up names, gives each cable the best rate
 * that both ends support, and gives a port that is reached by an alias the statement it lacks. The
 * remaining checks are those of any dump.
 */
#include "network/formats/ibsim/ibsim.h"

#include "base/codes.h"

#include <inttypes.h>
#include <stdlib.h>

/* Sorted nodes and statements, for looking them up. */
struct index {
    struct ibsim *ibsim;
    uint32_t *nodes;   /* by id */
    uint32_t *ports;   /* by node and port */
    uint32_t *aliases; /* statements that define one, by name */
    uint32_t n_aliases;
    bool failed;
};

static int compare_slices(struct slice a, struct slice b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.text, b.text, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* An entry to be sorted, with its index, as qsort has no context. */
struct entry {
    struct slice name;
    uint64_t key;
    uint32_t index;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_slices(x->name, y->name);
    if (order)
        return order;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Sorts the entries and frees them; their indices in order. */
static uint32_t *sorted(struct entry *entries, uint32_t n)
{
    uint32_t *order = mem_alloc(n, sizeof *order);
    qsort(entries, n, sizeof *entries, compare_entries);
    for (uint32_t i = 0; i < n; i++)
        order[i] = entries[i].index;
    free(entries);
    return order;
}

static void index_make(struct index *index)
{
    const struct ibsim *ibsim = index->ibsim;
    struct entry *nodes = mem_alloc(ibsim->n_nodes, sizeof *nodes);
    struct entry *ports = mem_alloc(ibsim->n_ports, sizeof *ports);
    struct entry *aliases = mem_alloc(ibsim->n_ports, sizeof *aliases);
    for (uint32_t i = 0; i < ibsim->n_nodes; i++)
        nodes[i] = (struct entry){ibsim->nodes[i].id, 0, i};
    for (uint32_t i = 0; i < ibsim->n_ports; i++) {
        const struct ibsim_port *port = &ibsim->ports[i];
        ports[i] = (struct entry){{"", 0}, (uint64_t)port->node << 32 | port->port, i};
        if (port->is_alias)
            aliases[index->n_aliases++] = (struct entry){port->peer, 0, i};
    }
    index->nodes = sorted(nodes, ibsim->n_nodes);
    index->ports = sorted(ports, ibsim->n_ports);
    index->aliases = sorted(aliases, index->n_aliases);
}

static uint32_t ibsim_links_find_node(const struct index *index, struct slice id)
{
    uint32_t low = 0, high = index->ibsim->n_nodes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, node = index->nodes[middle];
        int order = compare_slices(index->ibsim->nodes[node].id, id);
        if (!order)
            return node;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return GRAPH_NONE;
}

static uint32_t ibsim_links_find_alias(const struct index *index, struct slice name)
{
    uint32_t low = 0, high = index->n_aliases;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, port = index->aliases[middle];
        int order = compare_slices(index->ibsim->ports[port].peer, name);
        if (!order)
            return port;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return GRAPH_NONE;
}

static const struct ibsim_port *find_port(const struct index *index, uint32_t node, uint32_t port)
{
    uint32_t low = 0, high = index->ibsim->n_ports;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct ibsim_port *at = &index->ibsim->ports[index->ports[middle]];
        if (at->node == node && at->port == port)
            return at;
        if (at->node < node || (at->node == node && at->port < port))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static struct diagnostic *ibsim_links_complain(struct index *index, const struct ibsim_port *port,
                                               const char *message)
{
    struct text name = {0};
    text_append(&name, port->peer.text, port->peer.length);
    index->failed = true;
    struct diagnostic *found = report(index->ibsim->fabric.diagnostics, CODE_T004, port->position,
                                      "'%s': %s", name.data ? name.data : "", message);
    text_free(&name);
    return found;
}

static void check_twice(struct index *index)
{
    const struct ibsim *ibsim = index->ibsim;
    for (uint32_t i = 1; i < ibsim->n_nodes; i++) {
        const struct ibsim_node *node = &ibsim->nodes[index->nodes[i]];
        const struct ibsim_node *first = &ibsim->nodes[index->nodes[i - 1]];
        if (compare_slices(node->id, first->id) != 0)
            continue;
        index->failed = true;
        struct diagnostic *found =
            report(ibsim->fabric.diagnostics, CODE_T004, node->position,
                   "node '%.*s' listed twice", (int)node->id.length, node->id.text);
        found->related = first->position;
        found->related_text = "first here";
    }
    for (uint32_t i = 1; i < index->n_aliases; i++) {
        const struct ibsim_port *port = &ibsim->ports[index->aliases[i]];
        const struct ibsim_port *first = &ibsim->ports[index->aliases[i - 1]];
        if (compare_slices(port->peer, first->peer) != 0)
            continue;
        struct diagnostic *found = ibsim_links_complain(index, port, "two ports have this name");
        found->related = first->position;
        found->related_text = "the other is here";
    }
}

/* ---- rates ---- */

static const char *ibsim_links_width_of(uint8_t bits)
{
    return bits & 8 ? "12x" : bits & 4 ? "8x" : bits & 2 ? "4x" : bits & 16 ? "2x" : "1x";
}

static const char *ibsim_links_speed_of(struct ibsim_rate rate)
{
    static const char *const extended[] = {"FDR", "EDR", "HDR", "NDR", "XDR"};
    for (int i = 4; i >= 0; i--)
        if (rate.extended >> i & 1)
            return extended[i];
    if (rate.has_fdr10)
        return "FDR10";
    return rate.speeds & 4 ? "QDR" : rate.speeds & 2 ? "DDR" : "SDR";
}

/* Returns the best rate that both ends support. */
static uint64_t negotiate(struct index *index, const struct ibsim_port *a,
                          const struct ibsim_port *b)
{
    struct ibsim_rate rate = {a->rate.widths & b->rate.widths, a->rate.speeds & b->rate.speeds,
                              a->rate.extended & b->rate.extended,
                              a->rate.has_fdr10 && b->rate.has_fdr10};
    bool is_told = b < a && !a->to_alias; /* from the other end */
    if ((!rate.widths || !rate.speeds) && is_told)
        return 0;
    if (!rate.widths || !rate.speeds) {
        struct diagnostic *found = ibsim_links_complain(index, a,
                                                        rate.widths ? "the two ends have no speed in common"
                                                                    : "the two ends have no width in common");
        found->related = b->position;
        found->related_text = "the other end is here";
        found->help = "a port that says nothing runs at 4xSDR";
        return 0;
    }
    const char *width = ibsim_links_width_of(rate.widths), *speed = ibsim_links_speed_of(rate);
    return fabric_lanes((struct slice){width, strlen(width)}) *
           fabric_lane_bandwidth((struct slice){speed, strlen(speed)});
}

/* ---- statements ---- */

static void add_statement(struct index *index, const struct ibsim_port *port, uint32_t peer,
                          uint32_t peer_port, uint64_t bandwidth)
{
    const struct ibsim *ibsim = index->ibsim;
    const struct ibsim_node *node = &ibsim->nodes[port->node];
    struct fabric_port statement = {.node = node->node,
                                    .port = port->port,
                                    .peer = ibsim->nodes[peer].node,
                                    .peer_port = peer_port,
                                    .bandwidth = bandwidth,
                                    .line = port->position.line,
                                    .lid = port->lid,
                                    .lmc = port->lmc};
    if (ibsim->fabric.nodes[node->node].kind == FABRIC_HOST)
        statement.guid = ibsim_text(ibsim, "%" PRIx64, node->guid + port->port);
    fabric_add_port(&index->ibsim->fabric, statement);
}

/* Joins "@uplink"; the port with that alias states nothing itself. */
static void join_alias(struct index *index, const struct ibsim_port *port)
{
    uint32_t found = ibsim_links_find_alias(index, port->peer);
    if (found == GRAPH_NONE) {
        ibsim_links_complain(index, port, "no port has this name")->help =
            "a port gets a name by a line '@[PORT] \"NAME\"'";
        return;
    }
    const struct ibsim_port *other = &index->ibsim->ports[found];
    if (other > port) {
        struct diagnostic *late =
            ibsim_links_complain(index, port, "the port gets this name only further down");
        late->related = other->position;
        late->related_text = "named here";
        late->help = "ibsim looks for a name where it is used: put that node first";
        return;
    }
    uint64_t bandwidth = negotiate(index, port, other);
    add_statement(index, port, other->node, other->port, bandwidth);
    add_statement(index, other, port->node, port->port, bandwidth);
}

static void join_port(struct index *index, const struct ibsim_port *port)
{
    uint32_t peer = ibsim_links_find_node(index, port->peer);
    if (peer == GRAPH_NONE) {
        ibsim_links_complain(index, port, "there is no node of this name");
        return;
    }
    if (port->peer_port > index->ibsim->nodes[peer].n_ports) {
        ibsim_links_complain(index, port,
                             diagnostics_text(index->ibsim->fabric.diagnostics, "it has %u port%s",
                                              index->ibsim->nodes[peer].n_ports,
                                              plural(index->ibsim->nodes[peer].n_ports)));
        return;
    }
    const struct ibsim_port *other = find_port(index, peer, port->peer_port);
    add_statement(index, port, peer, port->peer_port,
                  negotiate(index, port, other ? other : port));
}

struct topology *ibsim_topology(struct ibsim *ibsim)
{
    struct index index = {.ibsim = ibsim};
    index_make(&index);
    check_twice(&index);
    for (uint32_t i = 0; i < ibsim->n_ports; i++) {
        const struct ibsim_port *port = &ibsim->ports[i];
        if (port->to_alias)
            join_alias(&index, port);
        else if (!port->is_alias)
            join_port(&index, port);
    }
    free(index.nodes);
    free(index.ports);
    free(index.aliases);
    return index.failed ? NULL : fabric_topology(&ibsim->fabric);
}
