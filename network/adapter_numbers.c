/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See adapter_numbers.h. Machines are told apart by their lists of adapters; a list that many machines have
 * gives its numbers to those that lack some of its adapters.
 */
#define _GNU_SOURCE /* strverscmp */
#include "network/adapter_numbers.h"

#include "network/forwarding.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REFERENCES = 64 };

/* Adapters that machines have, by their names. */
struct adapter_names {
    uint32_t machine; /* the first that has them */
    uint32_t n_machines;
};

struct adapter_finder {
    const struct graph *graph;
    uint32_t *cables;            /* [graph->first[machine] + i] links of a machine, in their order */
    struct adapter_names *names; /* by_names.n of them */
    struct hash_map by_names;
    uint32_t *names_of;          /* [machine]; MAP_NONE: they do not tell its cables apart */
};

/* Returns the number of the port of an adapter by which a link leaves; 0: not known. */
static uint32_t adapter_port(const struct graph *graph, uint32_t link)
{
    return graph->subnet ? graph->subnet->numbers[link] : 0;
}

/* Orders the cables of a machine: those of adapters with names first, by these and by ports, then those to
 * routers, then by their links. */
static bool cable_is_before(const struct graph *graph, uint32_t a, uint32_t b)
{
    const char *x = graph_adapter_name(graph, a), *y = graph_adapter_name(graph, b);
    const int order = x && y ? strverscmp(x, y) : (x == NULL) - (y == NULL);
    const bool is_direct_a = graph_link_to(graph, a) < graph->n_machines;
    const bool is_direct_b = graph_link_to(graph, b) < graph->n_machines;
    if (order)
        return order < 0;
    if (x && adapter_port(graph, a) != adapter_port(graph, b))
        return adapter_port(graph, a) < adapter_port(graph, b);
    return is_direct_a != is_direct_b ? is_direct_b : a < b;
}

static uint32_t n_cables_of(const struct adapter_finder *finder, uint32_t machine)
{
    return finder->graph->first[machine + 1] - finder->graph->first[machine];
}

static uint32_t *cables_of(const struct adapter_finder *finder, uint32_t machine)
{
    return &finder->cables[finder->graph->first[machine]];
}

static void sort_cables(struct adapter_finder *finder, uint32_t machine)
{
    const uint32_t *links = &finder->graph->out[finder->graph->first[machine]];
    uint32_t *sorted = cables_of(finder, machine);
    for (uint32_t i = 0, at; i < n_cables_of(finder, machine); i++) {
        for (at = i; at && cable_is_before(finder->graph, links[i], sorted[at - 1]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = links[i];
    }
}

/* ---- names ---- */

static bool has_same_name(const struct graph *graph, uint32_t a, uint32_t b)
{
    return strcmp(graph_adapter_name(graph, a), graph_adapter_name(graph, b)) == 0;
}

/* True if each cable of a machine is at an adapter, or port of one, of another name. */
static bool has_names(const struct adapter_finder *finder, uint32_t machine)
{
    const uint32_t *cables = cables_of(finder, machine), n = n_cables_of(finder, machine);
    for (uint32_t i = 0; i < n; i++)
        if (!graph_adapter_name(finder->graph, cables[i]) ||
            (i && has_same_name(finder->graph, cables[i], cables[i - 1]) &&
             adapter_port(finder->graph, cables[i]) == adapter_port(finder->graph, cables[i - 1])))
            return false;
    return n && n <= HOST_PORTS_MAX;
}

static uint32_t hash_names(const void *items, uint32_t item)
{
    const struct adapter_finder *finder = items;
    const uint32_t machine = finder->names[item].machine, *cables = cables_of(finder, machine);
    uint32_t hash = 0;
    for (uint32_t i = 0; i < n_cables_of(finder, machine); i++) {
        const char *name = graph_adapter_name(finder->graph, cables[i]);
        hash = map_hash_text(hash, name, strlen(name));
    }
    return hash;
}

/* True if a cable is at the adapter of cable k of another machine; where that has several cables at it, at
 * the same port. */
static bool is_same_adapter(const struct graph *graph, uint32_t link, const uint32_t *others, uint32_t k,
                            uint32_t n)
{
    const bool has_twin = (k && has_same_name(graph, others[k], others[k - 1])) ||
                          (k + 1 < n && has_same_name(graph, others[k], others[k + 1]));
    return has_same_name(graph, link, others[k]) &&
           (!has_twin || adapter_port(graph, link) == adapter_port(graph, others[k]));
}

/* Writes for each cable of a machine the number of its adapter among those of another machine. Returns false
 * if that lacks one. */
static bool numbers_among(const struct adapter_finder *finder, uint32_t machine, uint32_t other,
                         uint8_t *numbers)
{
    const uint32_t *own = cables_of(finder, machine), n = n_cables_of(finder, machine);
    const uint32_t *others = cables_of(finder, other), n_others = n_cables_of(finder, other);
    uint32_t i = 0;
    for (uint32_t k = 0; k < n_others && i < n; k++)
        if (is_same_adapter(finder->graph, own[i], others, k, n_others))
            numbers[i++] = (uint8_t)k;
    return i == n;
}

static bool are_names(const void *items, uint32_t item, const void *key)
{
    const struct adapter_finder *finder = items;
    const uint32_t machine = *(const uint32_t *)key, other = finder->names[item].machine;
    uint8_t numbers[HOST_PORTS_MAX];
    return n_cables_of(finder, machine) == n_cables_of(finder, other) &&
           numbers_among(finder, machine, other, numbers);
}

/* Counts the machines that have the adapters of this one. */
static void count_names(struct adapter_finder *finder, uint32_t machine)
{
    finder->names_of[machine] = MAP_NONE;
    if (!has_names(finder, machine))
        return;
    map_reserve(&finder->by_names, hash_names, finder);
    finder->names[finder->by_names.n] = (struct adapter_names){.machine = machine};
    uint32_t *slot =
        map_slot(&finder->by_names, hash_names(finder, finder->by_names.n), are_names, finder, &machine);
    if (*slot == MAP_NONE)
        map_fill(&finder->by_names, slot);
    finder->names_of[machine] = *slot;
    finder->names[*slot].n_machines++;
}

/* ---- references ---- */

/* Orders by the machines that have the names, the most first. */
static int compare_references(const void *a, const void *b)
{
    const struct adapter_names *x = a, *y = b;
    if (x->n_machines != y->n_machines)
        return x->n_machines < y->n_machines ? 1 : -1;
    return (x->machine > y->machine) - (x->machine < y->machine);
}

/* Returns the names that several machines have, the most frequent first, *n of them. */
static struct adapter_names *find_references(const struct adapter_finder *finder, uint32_t *n)
{
    struct adapter_names *references = mem_alloc((size_t)finder->by_names.n + 1, sizeof *references);
    *n = 0;
    for (uint32_t i = 0; i < finder->by_names.n; i++)
        if (finder->names[i].n_machines > 1)
            references[(*n)++] = finder->names[i];
    qsort(references, *n, sizeof *references, compare_references);
    *n = *n < MOST_REFERENCES ? *n : MOST_REFERENCES;
    return references;
}

/* Numbers the cables of a machine as the graph says, or by the most frequent names that have all of its own,
 * if as many machines have them; else in their order. */
static void number_cables(const struct adapter_finder *finder, uint32_t machine,
                          const struct adapter_names *references, uint32_t n_references,
                          struct host_ports *ports)
{
    const uint32_t *cables = cables_of(finder, machine), n = n_cables_of(finder, machine);
    const uint32_t names = finder->names_of[machine];
    uint8_t numbers[HOST_PORTS_MAX];
    bool is_found = finder->graph->rail_at != NULL;
    for (uint32_t i = 0; i < n && is_found; i++)
        numbers[i] = finder->graph->rail_at[cables[i]];
    for (uint32_t i = 0; names != MAP_NONE && i < n_references && !is_found; i++)
        is_found = references[i].n_machines >= finder->names[names].n_machines &&
                   numbers_among(finder, machine, references[i].machine, numbers);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t in_order = i < HOST_PORTS_MAX ? i : HOST_PORTS_MAX - 1;
        const uint8_t number = is_found ? numbers[i] : (uint8_t)in_order;
        ports->out[cables[i]] = ports->in[cables[i] ^ 1] = number;
    }
}

void adapter_numbers_find(const struct graph *graph, struct host_ports *ports)
{
    const uint32_t n_machines = graph->n_machines;
    uint32_t n_references;
    struct adapter_finder finder = {
        .graph = graph,
        .cables = mem_alloc((size_t)graph->first[n_machines] + 1, sizeof *finder.cables),
        .names = mem_alloc((size_t)n_machines + 1, sizeof *finder.names),
        .names_of = mem_alloc(n_machines, sizeof *finder.names_of)};
    for (uint32_t machine = 0; machine < n_machines; machine++) {
        sort_cables(&finder, machine);
        count_names(&finder, machine);
    }
    struct adapter_names *references = find_references(&finder, &n_references);
    for (uint32_t machine = 0; machine < n_machines; machine++)
        number_cables(&finder, machine, references, n_references, ports);
    free(references);
    free(finder.cables);
    free(finder.names);
    free(finder.names_of);
    map_free(&finder.by_names);
}
