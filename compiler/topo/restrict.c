/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is left of a topology: without the links that have failed, and with only
 * the machines of a job. See topology_restrict.
 */
#include "compiler/topo/restrict.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A list of a million names. */
#define MACHINES_LIMIT ((size_t)64 << 20)

/* ---- failed links ---- */

struct link_list {
    uint32_t *links;
    uint32_t n;
    size_t capacity;
};

static void append(struct link_list *list, uint32_t link)
{
    list->links =
        mem_grow(list->links, &list->capacity, (size_t)list->n + 1, sizeof *list->links);
    list->links[list->n++] = link;
}

/* Every link between two nodes, in both directions; with b == n_nodes every link of a.
 * O(links). */
static void append_between(const struct topology *topology, uint32_t a, uint32_t b,
                           struct link_list *list)
{
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if ((from == a && (to == b || b == topology->n_nodes)) ||
            (to == a && (from == b || b == topology->n_nodes)))
            append(list, link);
    }
}

/* The link back: of the n-th link from a to b, the n-th from b to a. */
static uint32_t link_back(const struct topology *topology, uint32_t link)
{
    uint32_t a, b, from, to, before = 0;
    topology_link_ends(topology, link, &a, &b);
    for (uint32_t other = 0; other < link; other++) {
        topology_link_ends(topology, other, &from, &to);
        before += from == a && to == b && topology_has_link(topology, other);
    }
    for (uint32_t other = 0; other < topology->n_link_ids; other++) {
        topology_link_ends(topology, other, &from, &to);
        if (from == b && to == a && topology_has_link(topology, other) && before-- == 0)
            return other;
    }
    return link;
}

/* A name may have ':' in it: every one is tried as the one between two names. */
static bool append_named(const struct topology *topology, const char *name,
                         struct link_list *list)
{
    size_t length = strlen(name);
    uint32_t before = list->n, node = topology_find_node(topology, name, length);
    if (node < topology->n_nodes) {
        append_between(topology, node, topology->n_nodes, list);
        return list->n > before;
    }
    for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
        uint32_t a = topology_find_node(topology, name, (size_t)(colon - name));
        uint32_t b = topology_find_node(topology, colon + 1, strlen(colon + 1));
        if (a < topology->n_nodes && b < topology->n_nodes)
            append_between(topology, a, b, list);
    }
    return list->n > before;
}

static bool append_numbered(const struct topology *topology, const char *number,
                            struct link_list *list)
{
    unsigned long long link = strtoull(number, NULL, 10);
    if (link >= topology->n_link_ids || !topology_has_link(topology, (uint32_t)link))
        return false;
    append(list, (uint32_t)link);
    append(list, link_back(topology, (uint32_t)link));
    return true;
}

static bool find_failed(const struct topology *topology, const char *name,
                        struct link_list *list, struct diagnostics *diagnostics)
{
    bool is_number = *name && strspn(name, "0123456789") == strlen(name);
    if (is_number ? append_numbered(topology, name, list) : append_named(topology, name, list))
        return true;
    report(diagnostics, CODE_T024, (struct position){0},
           "topology '%s' has no link or node '%s' that could fail", topology->name, name)
        ->help = "name the ends of a cable as A:B, a machine, a router or the number of a link";
    return false;
}

static struct topology *fail_links(struct topology *topology,
                                   const struct topology_restriction *restriction,
                                   struct diagnostics *diagnostics)
{
    struct link_list list = {0};
    bool is_known = true;
    for (size_t i = 0; i < restriction->n_failed; i++)
        is_known = find_failed(topology, restriction->failed[i], &list, diagnostics) && is_known;
    if (is_known && list.n)
        topology = topology_new_faulty(topology, list.links, list.n);
    free(list.links);
    if (is_known)
        return topology;
    topology_free(topology);
    return NULL;
}

/* ---- machines ---- */

static const struct source *machines_source(const char *spec, struct diagnostics *diagnostics)
{
    if (access(spec, F_OK) == 0)
        return source_read(spec, MACHINES_LIMIT, &diagnostics->arena, diagnostics);
    return source_of_text("<machines>", spec, strlen(spec), &diagnostics->arena);
}

static struct topology *subset_of(struct topology *topology, const bool *is_in)
{
    uint32_t *machines = mem_alloc(topology->n_machines, sizeof *machines), n = 0;
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        if (is_in[machine])
            machines[n++] = machine;
    if (n < topology->n_machines)
        topology = topology_new_subset(topology, machines, n);
    free(machines);
    return topology;
}

static struct topology *keep_machines(struct topology *topology, const char *spec,
                                      struct diagnostics *diagnostics)
{
    const struct source *source = machines_source(spec, diagnostics);
    bool *is_in = mem_alloc(topology->n_machines, sizeof *is_in);
    bool is_read = source && source_check_utf8(source, diagnostics) &&
                   mark_machines(topology, source, is_in, diagnostics);
    if (is_read)
        topology = subset_of(topology, is_in);
    free(is_in);
    if (is_read)
        return topology;
    topology_free(topology);
    return NULL;
}

struct topology *topology_restrict(struct topology *topology,
                                   const struct topology_restriction *restriction,
                                   struct diagnostics *diagnostics)
{
    topology = fail_links(topology, restriction, diagnostics);
    if (topology && restriction->machines)
        topology = keep_machines(topology, restriction->machines, diagnostics);
    return topology;
}
