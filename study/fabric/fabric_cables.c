/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches cables: first by both ports, then by the two nodes, then by one port, or one machine, that
 * stayed. See fabric_cables.h.
 */
#include "study/fabric/fabric_cables.h"
#include "network/adapters.h"
#include "network/ports.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list of one network ---- */

static int fabric_cables_compare_adapters(struct fabric_cable_end a, struct fabric_cable_end b)
{
    return a.adapter && b.adapter ? strcmp(a.adapter, b.adapter) : !!a.adapter - !!b.adapter;
}

/* Orders cables by their nodes, then by adapters. */
static int fabric_cables_compare_nodes(const struct fabric_cable *x, const struct fabric_cable *y)
{
    for (int i = 0; i < 2; i++)
        if (x->end[i].node != y->end[i].node)
            return x->end[i].node < y->end[i].node ? -1 : 1;
    const int order = fabric_cables_compare_adapters(x->end[0], y->end[0]);
    return order ? order : fabric_cables_compare_adapters(x->end[1], y->end[1]);
}

static int fabric_cables_compare_cables(const void *a, const void *b)
{
    const struct fabric_cable *x = a, *y = b;
    const int order = fabric_cables_compare_nodes(x, y);
    if (order)
        return order;
    for (int i = 0; i < 2; i++)
        if (x->end[i].port != y->end[i].port)
            return x->end[i].port < y->end[i].port ? -1 : 1;
    if (x->oddness != y->oddness)
        return x->oddness < y->oddness ? -1 : 1;
    if (x->bandwidth != y->bandwidth) /* the fastest first */
        return x->bandwidth > y->bandwidth ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

static bool fabric_cables_same_nodes(const struct fabric_cable *a, const struct fabric_cable *b)
{
    return a->end[0].node == b->end[0].node && a->end[1].node == b->end[1].node;
}

/* The adapters of machines with names, by joined number and name. */
struct named_adapter {
    uint32_t node;
    const char *name;
};
struct named_adapters {
    struct named_adapter *items;
    uint32_t n;
};

static int fabric_cables_compare_named(const void *a, const void *b)
{
    const struct named_adapter *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return strcmp(x->name, y->name);
}

static struct named_adapters fabric_cables_find_adapters(const struct fabric_join *join, bool is_new)
{
    const struct topology *topology = is_new ? join->new : join->old;
    struct named_adapters all = {mem_alloc((size_t)topology->n_link_ids + 1, sizeof *all.items), 0};
    for (uint32_t link = 0; !join->is_by_structure && link < topology->n_link_ids; link++) {
        uint32_t from, to;
        const char *name = topology_has_link(topology, link) ? topology_adapter_name(topology, link) : NULL;
        if (!name)
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from < topology->n_machines)
            all.items[all.n++] = (struct named_adapter){is_new ? join->of_new[from] : from, name};
    }
    if (all.n)
        qsort(all.items, all.n, sizeof *all.items, fabric_cables_compare_named);
    return all;
}

/* Returns the adapter by which a link leaves a joined node, if the other network has it at that node, too,
 * and further ones. */
static const char *fabric_cables_adapter(const struct topology *topology, uint32_t link, uint32_t node,
                                         const struct named_adapters *others)
{
    const struct named_adapter wanted = {node, topology_adapter_name(topology, link)};
    const struct named_adapter *end = others->items + others->n;
    const struct named_adapter *found =
        wanted.name && others->n
            ? bsearch(&wanted, others->items, others->n, sizeof *others->items, fabric_cables_compare_named)
            : NULL;
    const bool has_more = found && ((found > others->items && found[-1].node == node) ||
                                    (found + 1 < end && found[1].node == node));
    return has_more ? wanted.name : NULL;
}

static struct fabric_cable cable_of_link(const struct fabric_join *join, bool is_new, uint32_t link,
                                         enum fabric_detail detail, const struct named_adapters *others)
{
    const struct topology *topology = is_new ? join->new : join->old;
    struct fabric_cable cable = {.link = link, .partner = NOT_THERE};
    uint32_t from, to;
    topology_link_ends(topology, link, &from, &to);
    cable.end[0].node = is_new ? join->of_new[from] : from;
    cable.end[1].node = is_new ? join->of_new[to] : to;
    const uint32_t back = topology_other_way(topology, link);
    cable.end[0].port = fabric_port_at(join->ports, topology, link, detail == DETAIL_OWN);
    cable.end[1].port = fabric_port_at(join->ports, topology, back, detail == DETAIL_OWN);
    cable.bandwidth = topology_link_bandwidth(topology, link);
    cable.end[0].adapter = fabric_cables_adapter(topology, link, cable.end[0].node, others);
    if (back != NO_NEXT_LINK)
        cable.end[1].adapter = fabric_cables_adapter(topology, back, cable.end[1].node, others);
    return cable;
}

static bool fabric_cables_is_machine(const struct fabric_join *join, uint32_t node)
{
    return join->old_of[node] != NOT_THERE ? join->old_of[node] < join->old->n_machines
                                           : join->new_of[node] < join->new->n_machines;
}

/* Reduces a cable to an outline. Returns false for a cable between switches, which an outline lacks. */
static bool make_outline(struct fabric_cable *cable, const struct fabric_join *join)
{
    cable->end[0].port = cable->end[1].port = 0;
    cable->end[0].adapter = cable->end[1].adapter = NULL;
    cable->bandwidth = 0;
    return fabric_cables_is_machine(join, cable->end[0].node) !=
           fabric_cables_is_machine(join, cable->end[1].node);
}

struct fabric_cables fabric_cables_of(const struct fabric_join *join, bool is_new, enum fabric_detail detail)
{
    const bool is_outline = detail == DETAIL_OUTLINE;
    const struct topology *topology = is_new ? join->new : join->old;
    struct fabric_cables cables = {mem_alloc(topology->n_links + 1, sizeof *cables.items), 0};
    struct named_adapters others = fabric_cables_find_adapters(join, !is_new);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        struct fabric_cable cable = cable_of_link(join, is_new, link, detail, &others);
        if (cable.end[0].node >= cable.end[1].node || (is_outline && !make_outline(&cable, join)))
            continue;
        cables.items[cables.n++] = cable;
    }
    free(others.items);
    qsort(cables.items, cables.n, sizeof *cables.items, fabric_cables_compare_cables);
    const uint32_t n_all = cables.n;
    for (uint32_t i = cables.n = 0; i < n_all; i++)
        if (!is_outline || !cables.n ||
            !fabric_cables_same_nodes(&cables.items[cables.n - 1], &cables.items[i]))
            cables.items[cables.n++] = cables.items[i];
    return cables;
}

void fabric_cables_mark_odd(struct fabric_cables *cables, const struct usual_ports *usual)
{
    for (uint32_t i = 0; i < cables->n; i++)
        cables->items[i].oddness = usual_ports_oddness(usual, cables->items[i].link);
    if (cables->n)
        qsort(cables->items, cables->n, sizeof *cables->items, fabric_cables_compare_cables);
}

/* ---- cables between the same nodes ---- */

static void fabric_cables_join_cables(struct fabric_cables *old, uint32_t i, struct fabric_cables *new,
                                      uint32_t j)
{
    old->items[i].partner = j;
    new->items[j].partner = i;
}

static int fabric_cables_compare_ends(const struct fabric_cable *a, const struct fabric_cable *b,
                                      bool with_ports)
{
    const int order = fabric_cables_compare_nodes(a, b);
    if (order)
        return order;
    for (int i = 0; with_ports && i < 2; i++)
        if (a->end[i].port != b->end[i].port)
            return a->end[i].port < b->end[i].port ? -1 : 1;
    return 0;
}

/* Joins what is equal among those that have no partner, one after the other. */
static void match_equal(struct fabric_cables *old, struct fabric_cables *new, bool with_ports)
{
    for (uint32_t i = 0, j = 0; i < old->n && j < new->n;) {
        if (old->items[i].partner != NOT_THERE || new->items[j].partner != NOT_THERE) {
            i += old->items[i].partner != NOT_THERE;
            j += j < new->n && new->items[j].partner != NOT_THERE;
            continue;
        }
        const int order = fabric_cables_compare_ends(&old->items[i], &new->items[j], with_ports);
        if (!order)
            fabric_cables_join_cables(old, i, new, j);
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---- cables of which one end stayed ---- */

/* An end of a cable without partner. */
struct loose_end {
    struct fabric_cable_end at;
    uint32_t cable;
    uint8_t end;
};

static int compare_loose(const void *a, const void *b)
{
    const struct loose_end *x = a, *y = b;
    if (x->at.node != y->at.node)
        return x->at.node < y->at.node ? -1 : 1;
    const int order = fabric_cables_compare_adapters(x->at, y->at);
    if (order)
        return order;
    if (x->at.port != y->at.port)
        return x->at.port < y->at.port ? -1 : 1;
    return x->cable < y->cable ? -1 : x->cable > y->cable;
}

/* Returns the first end at or behind that place, or n. */
static uint32_t find_loose(const struct loose_end *ends, uint32_t n, struct fabric_cable_end at)
{
    uint32_t first = 0;
    for (uint32_t rest = n; rest;) {
        const uint32_t half = rest / 2;
        const struct loose_end *middle = &ends[first + half];
        const int order = fabric_cables_compare_adapters(middle->at, at);
        const bool is_before = middle->at.node < at.node ||
                               (middle->at.node == at.node &&
                                (order < 0 || (order == 0 && middle->at.port < at.port)));
        first = is_before ? first + half + 1 : first;
        rest = is_before ? rest - half - 1 : half;
    }
    return first;
}

/* True if the end identifies the cable: an unknown port does for a machine, but not for a switch, unless
 * ports are not compared at all. */
static bool is_telling(const struct fabric_join *join, struct fabric_cable_end at)
{
    return at.port || join->is_by_structure || fabric_cables_is_machine(join, at.node);
}

static void match_end(struct fabric_cables *old, uint32_t i, uint8_t end, struct fabric_cables *new,
                      const struct loose_end *ends, uint32_t n)
{
    struct fabric_cable *cable = &old->items[i];
    const struct fabric_cable_end at = cable->end[end];
    for (uint32_t k = find_loose(ends, n, at);
         k < n && ends[k].at.node == at.node && ends[k].at.port == at.port &&
         fabric_cables_compare_adapters(ends[k].at, at) == 0; k++) {
        struct fabric_cable *other = &new->items[ends[k].cable];
        if (other->partner != NOT_THERE)
            continue;
        fabric_cables_join_cables(old, i, new, ends[k].cable);
        cable->is_moved = other->is_moved = true;
        cable->moved_end = other->partner_end = end;
        cable->partner_end = other->moved_end = ends[k].end;
        return;
    }
}

/* Matches moved cables, machines first: a machine that was plugged in elsewhere has moved, not the port
 * that it left. */
static void match_moved(struct fabric_cables *old, struct fabric_cables *new, const struct fabric_join *join)
{
    struct loose_end *ends = mem_alloc(2 * (size_t)new->n + 1, sizeof *ends);
    uint32_t n = 0;
    for (uint32_t j = 0; j < new->n; j++)
        for (uint8_t end = 0; end < 2 && new->items[j].partner == NOT_THERE; end++)
            ends[n++] = (struct loose_end){new->items[j].end[end], j, end};
    qsort(ends, n, sizeof *ends, compare_loose);
    for (int of_machines = 1; of_machines >= 0; of_machines--)
        for (uint32_t i = 0; i < old->n; i++)
            for (uint8_t end = 0; end < 2; end++)
                if (old->items[i].partner == NOT_THERE && is_telling(join, old->items[i].end[end]) &&
                    fabric_cables_is_machine(join, old->items[i].end[end].node) == of_machines)
                    match_end(old, i, end, new, ends, n);
    free(ends);
}

void fabric_cables_match(struct fabric_cables *old, struct fabric_cables *new, const struct fabric_join *join)
{
    match_equal(old, new, true);
    match_equal(old, new, false);
    match_moved(old, new, join);
}
