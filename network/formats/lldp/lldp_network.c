/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a network of the neighbours that each system sees. Systems with a file are identified by name,
 * with or without domain; the others by their chassis id. A system that its neighbours call a bridge or
 * router, or whose own file is a switch's, is a router, every other one a machine. A cable between two
 * systems that both have a file is stated twice and counted once, by its ports.
 */
#include "network/formats/lldp/lldp.h"
#include "base/codes.h"
#include "base/search.h"
#include "base/text/slice.h"
#include "network/graph_topology.h"

#include <stdlib.h>
#include <string.h>

uint32_t lldp_add_system(struct lldp *lldp, struct lldp_system system)
{
    lldp->systems = mem_grow(lldp->systems, &lldp->systems_capacity, (size_t)lldp->n_systems + 1,
                             sizeof *lldp->systems);
    lldp->systems[lldp->n_systems] = system;
    return lldp->n_systems++;
}

/* ---- who is who ---- */

struct known_name {
    struct slice name;
    uint32_t system;
};

static struct slice without_domain(const char *text)
{
    return (struct slice){text, strcspn(text, ".")};
}

static int lldp_network_compare_known(const void *a, const void *b)
{
    const struct known_name *x = a, *y = b;
    int order = slice_compare(x->name, y->name);
    return order ? order : (x->system > y->system) - (x->system < y->system);
}

/* Names and short names of the systems with a file, sorted; two for each. */
static struct known_name *know_files(const struct lldp *lldp)
{
    struct known_name *known = mem_alloc(lldp->n_files, 2 * sizeof *known);
    for (uint32_t i = 0; i < lldp->n_files; i++) {
        known[2 * i] = (struct known_name){slice_of(lldp->systems[i].name), i};
        known[2 * i + 1] = (struct known_name){without_domain(lldp->systems[i].name), i};
    }
    qsort(known, 2 * (size_t)lldp->n_files, sizeof *known, lldp_network_compare_known);
    return known;
}

/* Returns the first system with that name, or GRAPH_NONE. */
static uint32_t lldp_network_find_known(const struct known_name *known, uint32_t n, struct slice name)
{
    uint32_t low = 0, high = n;
    SEARCH_FIRST(low, high, middle, slice_compare(known[middle].name, name) < 0);
    return low < n && slice_compare(known[low].name, name) == 0 ? known[low].system
                                                                 : (uint32_t)GRAPH_NONE;
}

static void find_peers_with_files(struct lldp *lldp)
{
    struct known_name *known = know_files(lldp);
    for (uint32_t i = 0; i < lldp->n_entries; i++) {
        struct lldp_entry *entry = &lldp->entries[i];
        entry->peer = GRAPH_NONE;
        if (*entry->peer_name)
            entry->peer = lldp_network_find_known(known, 2 * lldp->n_files, slice_of(entry->peer_name));
        if (*entry->peer_name && entry->peer == GRAPH_NONE)
            entry->peer = lldp_network_find_known(known, 2 * lldp->n_files, without_domain(entry->peer_name));
    }
    free(known);
}

static int compare_ids(const void *a, const void *b)
{
    const struct lldp_entry *x = *(struct lldp_entry *const *)a, *y = *(struct lldp_entry *const *)b;
    int order = strcmp(x->peer_id, y->peer_id);
    return order ? order : strcmp(y->peer_name, x->peer_name); /* an empty name last */
}

/* Adds a system for each chassis id that was seen and has no file. */
static void add_other_peers(struct lldp *lldp)
{
    struct lldp_entry **sorted = mem_alloc(lldp->n_entries, sizeof *sorted);
    uint32_t n = 0;
    for (uint32_t i = 0; i < lldp->n_entries; i++)
        if (lldp->entries[i].peer == GRAPH_NONE)
            sorted[n++] = &lldp->entries[i];
    qsort(sorted, n, sizeof *sorted, compare_ids);
    for (uint32_t i = 0; i < n; i++) {
        struct lldp_entry *entry = sorted[i];
        if (i && strcmp(entry->peer_id, sorted[i - 1]->peer_id) == 0)
            entry->peer = sorted[i - 1]->peer;
        else
            entry->peer = lldp_add_system(
                lldp, (struct lldp_system){.name = *entry->peer_name ? entry->peer_name
                                                                     : entry->peer_id,
                                           .id = entry->peer_id});
    }
    free(sorted);
}

static void find_systems(struct lldp *lldp)
{
    find_peers_with_files(lldp);
    add_other_peers(lldp);
    for (uint32_t i = 0; i < lldp->n_entries; i++)
        lldp->systems[lldp->entries[i].peer].forwards |= lldp->entries[i].peer_forwards;
}

/* ---- nodes ---- */

/* Orders machines first, each kind by name. */
static int compare_systems(const void *a, const void *b)
{
    const struct lldp_system *x = *(struct lldp_system *const *)a;
    const struct lldp_system *y = *(struct lldp_system *const *)b;
    if (x->forwards != y->forwards)
        return x->forwards ? 1 : -1;
    int order = slice_compare_names(slice_of(x->name), slice_of(y->name));
    if (!order && (!x->source) != (!y->source))
        return x->source ? -1 : 1;
    return order ? order : strcmp(x->id, y->id);
}

/* Adds the node; appends the chassis id to a name that is taken. */
static uint32_t lldp_network_add_node(struct graph *graph, const struct lldp_system *system)
{
    uint32_t node = graph_add_node(graph, system->forwards, system->name, strlen(system->name));
    struct text name = {0};
    text_printf(&name, "%s %s", system->name, system->id);
    while (node == GRAPH_NONE) {
        node = graph_add_node(graph, system->forwards, name.data, name.length);
        text_append(&name, "'", 1);
    }
    text_free(&name);
    return node;
}

static void lldp_network_add_nodes(struct lldp *lldp, struct graph *graph)
{
    struct lldp_system **sorted = mem_alloc(lldp->n_systems, sizeof *sorted);
    for (uint32_t i = 0; i < lldp->n_systems; i++)
        sorted[i] = &lldp->systems[i];
    qsort(sorted, lldp->n_systems, sizeof *sorted, compare_systems);
    for (uint32_t i = 0; i < lldp->n_systems; i++)
        sorted[i]->node = lldp_network_add_node(graph, sorted[i]);
    free(sorted);
}

/* ---- cables ---- */

struct sighting {
    uint32_t low, high; /* nodes */
    bool is_from_high;
    struct lldp_entry *entry;
    const struct lldp_entry *back; /* the same cable as the other system sees it; NULL: it does not */
};

/* Orders by the two nodes, then by the system that sees, then by interface. */
static int compare_sightings(const void *a, const void *b)
{
    const struct sighting *x = a, *y = b;
    const uint32_t key[3][2] = {{x->low, y->low},
                                {x->high, y->high},
                                {x->is_from_high, y->is_from_high}};
    for (int i = 0; i < 3; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    int order = slice_compare_names(slice_of(x->entry->interface), slice_of(y->entry->interface));
    return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

struct left_out {
    uint32_t loops, shared;
};

static int lldp_network_compare_ports(const void *a, const void *b)
{
    const struct lldp_entry *x = *(struct lldp_entry *const *)a, *y = *(struct lldp_entry *const *)b;
    if (x->system != y->system)
        return x->system < y->system ? -1 : 1;
    int order = strcmp(x->interface, y->interface);
    return order ? order : (x > y) - (x < y);
}

/* Leaves out all but the first neighbour of an interface, as a cable has two ends. Several protocols may
 * see the same neighbour. */
static void leave_out_shared(struct lldp *lldp, struct left_out *left_out)
{
    struct lldp_entry **sorted = mem_alloc(lldp->n_entries, sizeof *sorted);
    for (uint32_t i = 0; i < lldp->n_entries; i++)
        sorted[i] = &lldp->entries[i];
    qsort(sorted, lldp->n_entries, sizeof *sorted, lldp_network_compare_ports);
    for (uint32_t i = 1; i < lldp->n_entries; i++) {
        struct lldp_entry *entry = sorted[i], *before = sorted[i - 1];
        entry->is_left_out = entry->system == before->system &&
                             strcmp(entry->interface, before->interface) == 0;
        left_out->shared += entry->is_left_out && entry->peer != before->peer;
    }
    free(sorted);
}

static struct sighting *sorted_sightings(struct lldp *lldp, uint32_t *n, struct left_out *left_out)
{
    struct sighting *sightings = mem_alloc(lldp->n_entries, sizeof *sightings);
    *n = 0;
    leave_out_shared(lldp, left_out);
    for (uint32_t i = 0; i < lldp->n_entries; i++) {
        struct lldp_entry *entry = &lldp->entries[i];
        uint32_t from = lldp->systems[entry->system].node, to = lldp->systems[entry->peer].node;
        left_out->loops += from == to && !entry->is_left_out;
        if (from != to && !entry->is_left_out)
            sightings[(*n)++] = from < to ? (struct sighting){from, to, false, entry, NULL}
                                          : (struct sighting){to, from, true, entry, NULL};
    }
    qsort(sightings, *n, sizeof *sightings, compare_sightings);
    return sightings;
}

static bool is_interface_of(const struct lldp_entry *entry, const struct lldp_entry *other)
{
    return strcmp(entry->port, other->interface) == 0 ||
           strcmp(entry->port_description, other->interface) == 0;
}

static bool is_same_cable(const struct lldp_entry *a, const struct lldp_entry *b)
{
    return is_interface_of(a, b) || is_interface_of(b, a);
}

/* True if both ports are named by an address or number, which can be any of the neighbour's interfaces. */
static bool may_be_same_cable(const struct lldp_entry *a, const struct lldp_entry *b)
{
    return !a->is_port_interface && !b->is_port_interface;
}

/* Matches what the lower node says with what the higher one says; first by the ports. */
static void lldp_network_match(struct sighting *group, uint32_t n_low, uint32_t n,
                               bool (*is_same)(const struct lldp_entry *, const struct lldp_entry *))
{
    for (uint32_t i = 0; i < n_low; i++)
        for (uint32_t j = n_low; j < n && !group[i].entry->is_matched; j++)
            if (!group[j].entry->is_matched && is_same(group[i].entry, group[j].entry)) {
                group[i].entry->is_matched = group[j].entry->is_matched = true;
                group[i].back = group[j].entry;
            }
}

/* Adds the cables between two nodes; kept[cable]: as it was seen. */
static void add_group(struct sighting *group, uint32_t n, struct graph *graph, struct sighting *kept)
{
    uint32_t n_low = 0;
    while (n_low < n && !group[n_low].is_from_high)
        n_low++;
    lldp_network_match(group, n_low, n, is_same_cable);
    lldp_network_match(group, n_low, n, may_be_same_cable);
    for (uint32_t i = 0; i < n; i++)
        if (i < n_low || !group[i].entry->is_matched) {
            kept[graph->n_cables] = group[i];
            graph_add_cable(graph, group[i].low, group[i].high, TOPOLOGY_DEFAULT_BANDWIDTH,
                            TOPOLOGY_DEFAULT_LATENCY);
        }
}

/* Names the ports of switches: by what they say themselves, else by what their neighbour was told. */
static void lldp_network_name_ports(const struct sighting *cables, struct graph *graph)
{
    for (uint32_t i = 0; i < graph->n_cables; i++)
        for (uint32_t end = 0; end < 2; end++) {
            const struct lldp_entry *entry = cables[i].entry, *back = cables[i].back;
            const char *name = cables[i].is_from_high == end      ? entry->interface
                               : back                              ? back->interface
                               : entry->is_port_interface         ? entry->port
                                                                  : entry->port_description;
            if (*name && graph->nodes[graph->cables[i].end[end]].is_router)
                graph_name_port(graph, 2 * i + end, name, strlen(name));
        }
}

static void lldp_network_add_cables(struct lldp *lldp, struct graph *graph, struct left_out *left_out)
{
    uint32_t n_sightings;
    struct sighting *sightings = sorted_sightings(lldp, &n_sightings, left_out);
    struct sighting *cables = mem_alloc((size_t)n_sightings + 1, sizeof *cables);
    for (uint32_t i = 0, n; i < n_sightings; i += n) {
        for (n = 1; i + n < n_sightings && sightings[i].low == sightings[i + n].low &&
                    sightings[i].high == sightings[i + n].high;)
            n++;
        add_group(sightings + i, n, graph, cables);
    }
    lldp_network_name_ports(cables, graph);
    free(cables);
    free(sightings);
}

/* ---- all of it ---- */

static bool lldp_network_check_names(const struct lldp *lldp)
{
    struct known_name *known = know_files(lldp);
    bool good = true;
    for (uint32_t i = 0; i < lldp->n_files; i++) {
        const struct lldp_system *system = &lldp->systems[i];
        uint32_t first = lldp_network_find_known(known, 2 * lldp->n_files, slice_of(system->name));
        if (strcmp(lldp->systems[first].name, system->name) != 0 || first == i)
            continue;
        report(lldp->diagnostics, CODE_T004, (struct position){system->source, 1, 1, 1},
               "two files of system '%s'", system->name)
            ->help = "name each file like its machine";
        good = false;
    }
    free(known);
    return good;
}

static void lldp_network_report_left_out(const struct lldp *lldp, const struct left_out *left_out)
{
    struct position nowhere = {lldp->systems[0].source, 0, 0, 0};
    if (left_out->loops)
        report(lldp->diagnostics, CODE_T008, nowhere,
               "left out %u cable%s with both ends in one system", left_out->loops,
               plural(left_out->loops));
    if (lldp->n_management)
        report(lldp->diagnostics, CODE_T008, nowhere, "left out %u neighbour%s of management ports",
               lldp->n_management, plural(lldp->n_management));
    if (left_out->shared)
        report(lldp->diagnostics, CODE_T008, nowhere,
               "left out %u neighbour%s on an interface that has another", left_out->shared,
               plural(left_out->shared));
    report(lldp->diagnostics, CODE_T008, nowhere,
           "LLDP tells no bandwidth: every link is taken for one of 100Gb/s")
        ->help = "write the topology with --to xml and set the bandwidths there";
}

/* Says, where hosts do not reach each other, that switches told nothing. */
static void lldp_network_help_apart(const struct lldp *lldp)
{
    struct diagnostic *found = lldp->diagnostics->last;
    for (uint32_t i = 0; i < lldp->n_systems && found->code == CODE_T005; i++)
        if (lldp->systems[i].forwards && !lldp->systems[i].source) {
            found->help = diagnostics_text(lldp->diagnostics,
                                           "switches tell the cables between them: put files of the switches into "
                                           "the folder, too, such as what '%s' sees",
                                           lldp->systems[i].name);
            return;
        }
}

/* Returns the name of the file, or of the folder of several files. */
static const char *name_of_network(const struct lldp *lldp)
{
    const char *path = lldp->systems[0].source->path, *slash = strrchr(path, '/');
    if (lldp->n_files == 1 || !slash)
        return path;
    return arena_strndup(&lldp->diagnostics->arena, path, (size_t)(slash - path));
}

struct topology *lldp_topology(struct lldp *lldp)
{
    struct topology_settings settings = {.name = name_of_network(lldp),
                                         .bandwidth = TOPOLOGY_DEFAULT_BANDWIDTH,
                                         .latency = TOPOLOGY_DEFAULT_LATENCY};
    struct left_out left_out = {0};
    if (!lldp_network_check_names(lldp))
        return NULL;
    struct graph *graph = graph_new();
    find_systems(lldp);
    lldp_network_add_nodes(lldp, graph);
    lldp_network_add_cables(lldp, graph, &left_out);
    lldp_network_report_left_out(lldp, &left_out);
    struct topology *topology = graph_topology(
        &settings, graph, (struct position){lldp->systems[0].source, 1, 1, 1}, lldp->diagnostics);
    if (!topology)
        lldp_network_help_apart(lldp);
    return topology;
}
