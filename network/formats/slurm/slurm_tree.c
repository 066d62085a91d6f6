/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a network of switches and blocks. Every node gets a cable to its switch, every switch one to each
 * switch it is listed under: Slurm does not state their number. A switch may have several parents, such
 * as the spines of a fat tree; networks that Slurm refuses are refused.
 */
#include "network/formats/slurm/slurm.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

/* Slurm's limit is 20. */
enum { MAX_LEVELS = 20 };

struct tree_builder {
    struct slurm_network *network;
    uint32_t *router;   /* [group] node of the graph */
    uint32_t *under;    /* [node] the group that listed it last, plus 1 */
    size_t under_capacity;
    uint32_t group;     /* whose members are being read */
};

static struct slurm_group *slurm_tree_group_of(const struct tree_builder *builder, uint32_t group)
{
    return &builder->network->groups[group];
}

static struct slice slurm_tree_name_of(const struct tree_builder *builder, uint32_t group)
{
    return slurm_tree_group_of(builder, group)->name.text;
}

static void slurm_tree_add_cable(struct slurm_network *network, uint32_t lower, uint32_t upper)
{
    graph_add_cable(network->graph, lower, upper, TOPOLOGY_DEFAULT_BANDWIDTH,
                    TOPOLOGY_DEFAULT_LATENCY);
}

/* ---- members of a switch ---- */

static uint32_t *last_group(struct tree_builder *builder, uint32_t node)
{
    size_t before = builder->under_capacity;
    builder->under =
        mem_grow(builder->under, &builder->under_capacity, (size_t)node + 1, sizeof *builder->under);
    for (size_t i = before; i < builder->under_capacity; i++)
        builder->under[i] = 0;
    return &builder->under[node];
}

/* Reports a member that this group or another one lists already. */
static void warn_twice(struct tree_builder *builder, const struct slurm_value *value,
                       struct slice part, struct slice name, uint32_t other)
{
    struct slurm_network *network = builder->network;
    struct slice here = slurm_tree_name_of(builder, builder->group),
                 there = slurm_tree_name_of(builder, other);
    if (other == builder->group)
        slurm_report(network, CODE_T008, value, part, "'%.*s' is listed twice under '%.*s'",
                     (int)name.length, name.text, (int)here.length, here.text)
            ->help = "it is counted once";
    else
        slurm_report(network, CODE_T008, value, part,
                     "node '%.*s' is under switch '%.*s' and under '%.*s'", (int)name.length,
                     name.text, (int)there.length, there.text, (int)here.length, here.text)
            ->help = "a cable to each of them is assumed";
}

static void slurm_tree_add_machine(struct tree_builder *builder, const struct hostlist *list, uint32_t i)
{
    struct slurm_network *network = builder->network;
    const struct slurm_value *value = &slurm_tree_group_of(builder, builder->group)->nodes;
    struct slice name = hostlist_get(list, i), part = slurm_part(list, i);
    uint32_t node = graph_find(network->graph, name.text, name.length);
    if (node == GRAPH_NONE || network->graph->nodes[node].is_router)
        node = slurm_add_node(network, false, value, name, part);
    if (node == GRAPH_NONE)
        return;
    uint32_t *before = last_group(builder, node);
    bool is_same = *before == builder->group + 1;
    if (*before)
        warn_twice(builder, value, part, name, *before - 1);
    *before = builder->group + 1;
    if (!is_same)
        slurm_tree_add_cable(network, node, builder->router[builder->group]);
}

static void add_child(struct tree_builder *builder, const struct hostlist *list, uint32_t i)
{
    struct slurm_network *network = builder->network;
    const struct slurm_value *value = &slurm_tree_group_of(builder, builder->group)->children;
    struct slice name = hostlist_get(list, i), part = slurm_part(list, i);
    uint32_t node = graph_find(network->graph, name.text, name.length);
    uint32_t parent = builder->router[builder->group];
    if (node == GRAPH_NONE || !network->graph->nodes[node].is_router || node == parent) {
        slurm_report(network, CODE_T004, value, part,
                     node == parent ? "switch '%.*s' is listed below itself"
                                    : "no switch '%.*s' is described",
                     (int)name.length, name.text)
            ->help = "every switch below another one has a description of its own: write it, or see "
                     "whether the end of the file is missing";
        return;
    }
    uint32_t *before = last_group(builder, node);
    if (*before == builder->group + 1)
        warn_twice(builder, value, part, name, builder->group);
    else
        slurm_tree_add_cable(network, node, parent);
    *before = builder->group + 1;
}

static void add_members(struct tree_builder *builder, const struct slurm_value *value,
                        void (*add)(struct tree_builder *, const struct hostlist *, uint32_t))
{
    struct hostlist list;
    if (!value->text.length)
        return;
    if (slurm_expand(builder->network, value, &list))
        for (uint32_t i = 0; i < list.n; i++)
            add(builder, &list, i);
    hostlist_free(&list);
}

/* Reports a switch with both nodes and children: Slurm stops at it in topology.conf and drops the children
 * in topology.yaml. */
static void check_leaf(struct tree_builder *builder)
{
    struct slurm_group *group = slurm_tree_group_of(builder, builder->group);
    if (!group->nodes.text.length || !group->children.text.length)
        return;
    slurm_report(builder->network, CODE_T004, &group->name, group->name.text,
                 "switch '%.*s' has nodes and switches below it", (int)group->name.text.length,
                 group->name.text.text)
        ->help = "Slurm takes either: list the nodes under a switch of their own";
}

/* Adds all groups as routers, then their members in the order of the file. */
static void add_groups(struct tree_builder *builder)
{
    struct slurm_network *network = builder->network;
    builder->router = mem_alloc(network->n_groups, sizeof *builder->router);
    for (uint32_t i = 0; i < network->n_groups; i++) {
        const struct slurm_value *name = &slurm_tree_group_of(builder, i)->name;
        builder->router[i] = slurm_add_node(network, true, name, name->text, name->text);
    }
    if (network->failed)
        return;
    for (builder->group = 0; builder->group < network->n_groups; builder->group++) {
        check_leaf(builder);
        add_members(builder, &slurm_tree_group_of(builder, builder->group)->nodes, slurm_tree_add_machine);
        add_members(builder, &slurm_tree_group_of(builder, builder->group)->children, add_child);
    }
}

/* ---- is it a network? ---- */

/* Finds levels such that every node is above all nodes below it. Returns false if there is no end to that. */
static bool slurm_tree_find_levels(const struct graph *graph, uint32_t *level, uint32_t *rising)
{
    bool has_changed = true;
    for (uint32_t pass = 0; has_changed && pass <= MAX_LEVELS; pass++) {
        has_changed = false;
        for (uint32_t i = 0; i < graph->n_cables; i++) {
            const uint32_t *end = graph->cables[i].end;
            if (level[end[1]] > level[end[0]])
                continue;
            level[end[1]] = level[end[0]] + 1;
            *rising = end[1];
            has_changed = true;
        }
    }
    return !has_changed;
}

static void check_levels(struct tree_builder *builder)
{
    struct slurm_network *network = builder->network;
    uint32_t *level = mem_alloc(network->graph->n_nodes, sizeof *level), rising = 0, group = 0;
    if (!slurm_tree_find_levels(network->graph, level, &rising)) {
        while (builder->router[group] != rising)
            group++;
        struct slice name = slurm_tree_name_of(builder, group);
        slurm_report(network, CODE_T004, &slurm_tree_group_of(builder, group)->name, name,
                     "switch '%.*s' is below itself, or more than %d levels high", (int)name.length,
                     name.text, MAX_LEVELS)
            ->help = "follow Switches from it: one of those below lists it again";
    }
    free(level);
}

static uint32_t slurm_tree_root_of(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Returns the set of every node, by its first member (disjoint sets, path halving). */
static uint32_t *find_sets(const struct graph *graph)
{
    uint32_t *parent = mem_alloc(graph->n_nodes, sizeof *parent);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        parent[node] = node;
    for (uint32_t i = 0; i < graph->n_cables; i++) {
        uint32_t a = slurm_tree_root_of(parent, graph->cables[i].end[0]);
        uint32_t b = slurm_tree_root_of(parent, graph->cables[i].end[1]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        parent[node] = slurm_tree_root_of(parent, node);
    return parent;
}

/* Finds the groups that no group lists and that have machines somewhere below. */
static void find_tops(const struct tree_builder *builder, const uint32_t *set, bool *is_top)
{
    const struct graph *graph = builder->network->graph;
    bool *is_listed = mem_alloc(graph->n_nodes, sizeof *is_listed);
    bool *has_machine = mem_alloc(graph->n_nodes, sizeof *has_machine);
    for (uint32_t i = 0; i < graph->n_cables; i++)
        is_listed[graph->cables[i].end[0]] = true;
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        has_machine[set[node]] |= !graph->nodes[node].is_router;
    for (uint32_t i = 0; i < builder->network->n_groups; i++)
        is_top[i] = !is_listed[builder->router[i]] && has_machine[set[builder->router[i]]];
    free(is_listed);
    free(has_machine);
}

/* Appends "'fabA' (4 nodes), 'fabB' (2)", of at most eight trees. */
static void print_trees(const struct tree_builder *builder, const uint32_t *tops, uint32_t n,
                        const uint32_t *n_nodes, struct text *out)
{
    for (uint32_t i = 0; i < n && i < 8; i++) {
        text_printf(out, "%s'", i ? ", " : "");
        const struct slice name = slurm_tree_name_of(builder, tops[i]);
        text_append(out, name.text, name.length);
        text_printf(out, i ? "' (%u)" : "' (%u nodes)", n_nodes[i]);
    }
    if (n > 8)
        text_printf(out, " and %u more", n - 8);
}

/* Says that the file has several trees, tops[0 .. n-1] at their head. Slurm allows that: no job has nodes of
 * two of them (topology.conf(5)). */
static void slurm_tree_say_apart(struct tree_builder *builder, const uint32_t *tops, uint32_t n,
                                 const uint32_t *n_nodes)
{
    struct slurm_network *network = builder->network;
    const struct slurm_value *other = &slurm_tree_group_of(builder, tops[1])->name;
    struct text text = {0};
    network->graph->may_be_apart = true;
    print_trees(builder, tops, n, n_nodes, &text);
    struct diagnostic *found = slurm_report(network, CODE_T008, other, other->text,
                                            "%u trees that nothing connects, nodes of two have no route: %s", n,
                                            text.data);
    text_free(&text);
    found->help = "no job of Slurm crosses them: say --machines with the nodes of one; if they are connected, "
                  "describe the switch above them, as in SwitchName=root Switches=a,b, or see whether the end of "
                  "the file is missing";
}

/* Reads how many trees there are: sets with machines, each by its first top. */
static void check_connected(struct tree_builder *builder)
{
    struct slurm_network *network = builder->network;
    const struct graph *graph = network->graph;
    uint32_t *set = find_sets(graph), *tree = mem_alloc(graph->n_nodes, sizeof *tree), n = 0;
    uint32_t *tops = mem_alloc(network->n_groups, sizeof *tops);
    uint32_t *n_nodes = mem_alloc(network->n_groups, sizeof *n_nodes);
    bool *is_top = mem_alloc(network->n_groups, sizeof *is_top);
    find_tops(builder, set, is_top);
    for (uint32_t i = 0; i < network->n_groups; i++) {
        uint32_t *known = &tree[set[builder->router[i]]];
        if (is_top[i] && !*known) {
            tops[n++] = i;
            *known = n;
        }
    }
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        if (!graph->nodes[node].is_router)
            n_nodes[tree[set[node]] - 1]++;
    if (n > 1)
        slurm_tree_say_apart(builder, tops, n, n_nodes);
    free(is_top);
    free(n_nodes);
    free(tops);
    free(tree);
    free(set);
}

/* ---- what is assumed ---- */

static void slurm_tree_say_assumed(struct slurm_network *network, const char *what)
{
    if (!network->graph->n_machines)
        return; /* that is worse */
    report(network->diagnostics, CODE_T008, (struct position){.source = network->source},
           "'%s' tells no cables between switches: %s", network->source->path, what)
        ->help = "write it as XML (collc topo FILE --to xml), give its links their cables and "
                 "bandwidth, and use that";
}

static void build(struct slurm_network *network, void (*finish)(struct tree_builder *builder))
{
    struct tree_builder builder = {.network = network};
    add_groups(&builder);
    if (!network->failed)
        finish(&builder);
    free(builder.router);
    free(builder.under);
}

static bool has_upper_cables(const struct graph *graph)
{
    for (uint32_t i = 0; i < graph->n_cables; i++)
        if (graph->nodes[graph->cables[i].end[0]].is_router)
            return true;
    return false;
}

static void finish_tree(struct tree_builder *builder)
{
    check_levels(builder);
    if (!builder->network->failed)
        check_connected(builder);
    if (!builder->network->failed && has_upper_cables(builder->network->graph))
        slurm_tree_say_assumed(builder->network, "one from each switch to every switch above it is assumed");
}

void slurm_make_tree(struct slurm_network *network)
{
    build(network, finish_tree);
}

/* Warns of the first block with fewer nodes than the least block size. */
static void check_block_sizes(struct tree_builder *builder)
{
    struct slurm_network *network = builder->network;
    const uint32_t base = slurm_check_sizes(network, CODE_T004);
    uint32_t *n_nodes = mem_alloc(network->graph->n_nodes, sizeof *n_nodes);
    for (uint32_t i = 0; i < network->graph->n_cables; i++)
        n_nodes[network->graph->cables[i].end[1]]++;
    for (uint32_t i = 0; i < network->n_groups; i++) {
        const struct slurm_value *name = &slurm_tree_group_of(builder, i)->name;
        const uint32_t n = n_nodes[builder->router[i]];
        if (!n || n >= base)
            continue;
        slurm_report(network, CODE_T008, name, name->text, "block '%.*s' has %u node%s, the least block size is %u",
                     (int)name->text.length, name->text.text, n, plural(n), base)
            ->help = "Slurm wants at least so many nodes in a block";
        break;
    }
    free(n_nodes);
}

/* Adds a router over all blocks, with a name that does not clash, as the file has no name for it. */
static void finish_blocks(struct tree_builder *builder)
{
    struct slurm_network *network = builder->network;
    char name[16] = "blocks";
    size_t length = strlen(name);
    check_block_sizes(builder);
    if (network->n_groups == 1 || network->failed)
        return;
    while (length < sizeof name && graph_find(network->graph, name, length) != GRAPH_NONE)
        name[length++] = '_';
    struct slurm_value first = builder->network->groups[0].name;
    uint32_t top = slurm_add_node(network, true, &first, (struct slice){name, length}, first.text);
    if (top == GRAPH_NONE)
        return;
    for (uint32_t i = 0; i < network->n_groups; i++)
        slurm_tree_add_cable(network, builder->router[i], top);
    slurm_tree_say_assumed(network, "one from each block to a switch over all blocks is assumed");
}

void slurm_make_blocks(struct slurm_network *network)
{
    build(network, finish_blocks);
}
