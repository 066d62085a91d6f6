/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts ports, and pairs of ports, by level. See usual_ports.h.
 */
#include "study/fabric/usual_ports.h"
#include "base/integer.h"
#include "network/ports.h"

#include <stdlib.h>
#include <string.h>

#define NO_USUAL_PEER UINT32_MAX

struct port_habit {
    uint32_t level, port;
    uint32_t n;    /* switches that use it */
    uint32_t peer; /* node to which it leads at more than half of the level, or NO_USUAL_PEER */
};

struct pair_habit {
    uint32_t levels, port[2]; /* level of the first end << 8 | of the second */
    uint32_t n;               /* cables, each counted from both ends */
    bool is_common;
};

/* ---- ports ---- */

struct used_port {
    uint32_t level, port, peer;
};

static int compare_used(const void *a, const void *b)
{
    const struct used_port *x = a, *y = b;
    const int by_level = compare_numbers(x->level, y->level), by_port = compare_numbers(x->port, y->port);
    return by_level ? by_level : by_port ? by_port : compare_numbers(x->peer, y->peer);
}

/* Makes habits of the ports, which are in order. */
static void usual_ports_sum_up(struct usual_ports *usual, const struct used_port *used, uint32_t n)
{
    for (uint32_t first = 0, end; first < n; first = end) {
        struct port_habit habit = {used[first].level, used[first].port, 0, NO_USUAL_PEER};
        for (end = first; end < n && used[end].level == habit.level && used[end].port == habit.port;) {
            const uint32_t start = end;
            while (end < n && compare_used(&used[start], &used[end]) == 0)
                end++;
            if (2 * (end - start) > usual->n_nodes[habit.level])
                habit.peer = used[start].peer;
        }
        habit.n = end - first;
        usual->ports[usual->n_ports++] = habit;
    }
}

static const struct port_habit *usual_ports_find(const struct usual_ports *usual, uint32_t node,
                                                 uint32_t port)
{
    for (uint32_t i = 0; i < usual->n_ports; i++)
        if (usual->ports[i].level == usual->level[node] && usual->ports[i].port == port)
            return &usual->ports[i];
    return NULL;
}

/* ---- pairs ---- */

static int compare_pairs(const void *a, const void *b)
{
    const struct pair_habit *x = a, *y = b;
    const int by_levels = compare_numbers(x->levels, y->levels);
    const int by_first = compare_numbers(x->port[0], y->port[0]);
    return by_levels ? by_levels : by_first ? by_first : compare_numbers(x->port[1], y->port[1]);
}

/* Joins equal pairs, which are in order. Pairs are common if they have at least a quarter of the cables of
 * the most frequent pair between the two levels, and these are several: else ports are joined at random. */
static void usual_ports_join_pairs(struct usual_ports *usual)
{
    struct pair_habit *pairs = usual->pairs;
    uint32_t n = 0;
    for (uint32_t i = 0; i < usual->n_pairs; i++) {
        if (n && compare_pairs(&pairs[n - 1], &pairs[i]) == 0)
            pairs[n - 1].n++;
        else
            pairs[n++] = pairs[i];
    }
    usual->n_pairs = n;
    for (uint32_t first = 0, end; first < n; first = end) {
        uint32_t most = 0;
        for (end = first; end < n && pairs[end].levels == pairs[first].levels; end++)
            most = pairs[end].n > most ? pairs[end].n : most;
        for (uint32_t i = first; i < end; i++)
            pairs[i].is_common = most >= 4 && 4 * pairs[i].n >= most;
    }
}

/* Returns the first pair between two levels, and its end. */
static uint32_t usual_ports_find_pairs(const struct usual_ports *usual, uint32_t levels, uint32_t *end)
{
    uint32_t first = 0;
    while (first < usual->n_pairs && usual->pairs[first].levels != levels)
        first++;
    for (*end = first; *end < usual->n_pairs && usual->pairs[*end].levels == levels;)
        ++*end;
    return first;
}

static uint32_t levels_of(const struct usual_ports *usual, uint32_t from, uint32_t to)
{
    return (uint32_t)usual->level[from] << 8 | usual->level[to];
}

/* True if there are common pairs between the levels of two nodes, and this is none of them. */
static bool is_odd_pair(const struct usual_ports *usual, uint32_t from, uint32_t to, uint32_t out,
                        uint32_t in)
{
    uint32_t end;
    bool is_any = false;
    for (uint32_t i = usual_ports_find_pairs(usual, levels_of(usual, from, to), &end); i < end; i++) {
        const struct pair_habit *pair = &usual->pairs[i];
        if (pair->is_common && pair->port[0] == out && pair->port[1] == in)
            return false;
        is_any |= pair->is_common;
    }
    return is_any;
}

/* ---- all of it ---- */

struct usual_ports usual_ports_of(const struct wiring *wiring)
{
    const struct topology *topology = wiring->topology;
    struct usual_ports usual = {.topology = topology, .level = wiring->level};
    uint32_t from, to, n = 0;
    if (!topology_has_ports(topology))
        return usual;
    struct used_port *used = mem_alloc((size_t)topology->n_links + 1, sizeof *used);
    usual.used = mem_alloc((size_t)topology->n_links + 1, sizeof *usual.used);
    usual.ports = mem_alloc((size_t)topology->n_links + 1, sizeof *usual.ports);
    usual.pairs = mem_alloc((size_t)topology->n_links + 1, sizeof *usual.pairs);
    for (uint32_t node = wiring->n_machines; node < wiring->n; node++)
        usual.n_nodes[wiring->level[node]] += wiring_degree(wiring, node) > 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        const uint32_t port = topology_has_link(topology, link) ? topology_port_out(topology, link) : 0;
        if (!port)
            continue;
        topology_link_ends(topology, link, &from, &to);
        usual.used[usual.n_used++] = (uint64_t)from << 32 | port;
        usual.pairs[usual.n_pairs++] = (struct pair_habit){
            levels_of(&usual, from, to), {port, topology_port_in(topology, link)}, 1, false};
        if (from >= topology->n_machines)
            used[n++] = (struct used_port){wiring->level[from], port, to};
    }
    qsort(used, n, sizeof *used, compare_used);
    qsort(usual.used, usual.n_used, sizeof *usual.used, compare_uint64);
    qsort(usual.pairs, usual.n_pairs, sizeof *usual.pairs, compare_pairs);
    usual_ports_sum_up(&usual, used, n);
    usual_ports_join_pairs(&usual);
    free(used);
    return usual;
}

void usual_ports_free(struct usual_ports *usual)
{
    free(usual->used);
    free(usual->ports);
    free(usual->pairs);
}

/* ---- questions ---- */

bool usual_ports_has(const struct usual_ports *usual, uint32_t node, uint32_t port)
{
    const struct port_habit *habit = usual_ports_find(usual, node, port);
    return habit && 2 * habit->n > usual->n_nodes[habit->level];
}

static bool is_odd_end(const struct usual_ports *usual, uint32_t node, uint32_t port, uint32_t peer)
{
    const struct port_habit *habit =
        node < usual->topology->n_machines ? NULL : usual_ports_find(usual, node, port);
    return habit && habit->peer != NO_USUAL_PEER && habit->peer != peer;
}

uint32_t usual_ports_oddness(const struct usual_ports *usual, uint32_t link)
{
    uint32_t from, to;
    if (!usual->n_used)
        return 0;
    topology_link_ends(usual->topology, link, &from, &to);
    const uint32_t out = topology_port_out(usual->topology, link),
                   in = topology_port_in(usual->topology, link);
    return (uint32_t)is_odd_end(usual, from, out, to) + (uint32_t)is_odd_end(usual, to, in, from) +
           (uint32_t)is_odd_pair(usual, from, to, out, in);
}

static bool is_port_free(const struct usual_ports *usual, uint32_t node, uint32_t port)
{
    const uint64_t key = (uint64_t)node << 32 | port;
    return !bsearch(&key, usual->used, usual->n_used, sizeof key, compare_uint64);
}

/* Returns the free port of a node that usually leads to another one; else the only free one that is usually
 * used; 0: not known. */
static uint32_t free_port(const struct usual_ports *usual, uint32_t node, uint32_t peer)
{
    uint32_t port = 0, n = 0;
    for (uint32_t i = 0; i < usual->n_ports && node >= usual->topology->n_machines; i++) {
        const struct port_habit *habit = &usual->ports[i];
        if (habit->level != usual->level[node] || 2 * habit->n <= usual->n_nodes[habit->level] ||
            !is_port_free(usual, node, habit->port))
            continue;
        if (habit->peer == peer)
            return habit->port;
        port = habit->port;
        n++;
    }
    return n == 1 ? port : 0;
}

void usual_ports_of_missing(const struct usual_ports *usual, const uint32_t nodes[2], uint32_t ports[2])
{
    uint32_t end, n = 0;
    ports[0] = ports[1] = 0;
    if (!usual->n_used)
        return;
    for (uint32_t i = usual_ports_find_pairs(usual, levels_of(usual, nodes[0], nodes[1]), &end); i < end;
         i++) {
        const struct pair_habit *pair = &usual->pairs[i];
        if (!pair->is_common || !is_port_free(usual, nodes[0], pair->port[0]) ||
            !is_port_free(usual, nodes[1], pair->port[1]))
            continue;
        memcpy(ports, pair->port, sizeof pair->port);
        n++;
    }
    if (n == 1)
        return;
    ports[0] = free_port(usual, nodes[0], nodes[1]);
    ports[1] = free_port(usual, nodes[1], nodes[0]);
}
