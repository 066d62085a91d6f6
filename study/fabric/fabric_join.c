/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches the nodes of two networks. See fabric_join.h.
 */
#include "study/fabric/fabric_join.h"
#include "network/ports.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_UNKNOWN = 512 }; /* switches without a partner that are compared by their neighbours */

/* A node of one of the networks, with its identifier. */
struct known_node {
    const char *name;
    uint64_t guid;
    uint32_t node;
    bool is_machine;
};

struct joining {
    struct fabric_join *join;
    uint32_t *partner; /* [node of the old network] node of the new one, or NOT_THERE */
    bool *is_taken;    /* [node of the new network] */
};

const char *fabric_node_name(const struct topology *topology, uint32_t node, struct arena *arena)
{
    char name[512];
    topology_node_name(topology, node, name, sizeof name);
    return arena_strndup(arena, name, strlen(name));
}

static int fabric_join_compare_names(const void *a, const void *b)
{
    const struct known_node *x = a, *y = b;
    return x->is_machine != y->is_machine ? x->is_machine - y->is_machine : strcmp(x->name, y->name);
}

static int fabric_join_compare_guids(const void *a, const void *b)
{
    const struct known_node *x = a, *y = b;
    return x->is_machine != y->is_machine ? x->is_machine - y->is_machine
                                          : (x->guid > y->guid) - (x->guid < y->guid);
}

static struct known_node *known_nodes(const struct topology *topology, struct arena *arena)
{
    struct known_node *nodes = arena_alloc(arena, topology->n_nodes, sizeof *nodes);
    uint64_t *guids = arena_alloc(arena, topology->n_nodes, sizeof *guids);
    topology_find_guids(topology, guids);
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        nodes[node] = (struct known_node){fabric_node_name(topology, node, arena), guids[node], node,
                                          node < topology->n_machines};
    return nodes;
}

static void join_pair(struct joining *joining, uint32_t old, uint32_t new)
{
    if (joining->partner[old] != NOT_THERE || joining->is_taken[new])
        return;
    joining->partner[old] = new;
    joining->is_taken[new] = true;
}

static bool is_alone(const struct known_node *nodes, uint32_t n, uint32_t i,
                     int (*compare)(const void *, const void *))
{
    return (!i || compare(&nodes[i - 1], &nodes[i]) != 0) &&
           (i + 1 == n || compare(&nodes[i + 1], &nodes[i]) != 0);
}

/* Joins nodes that are equal, each the only one of its network. */
static void join_equal(struct joining *joining, struct known_node *old, struct known_node *new,
                       int (*compare)(const void *, const void *), bool by_guid)
{
    const uint32_t n_old = joining->join->old->n_nodes, n_new = joining->join->new->n_nodes;
    qsort(old, n_old, sizeof *old, compare);
    qsort(new, n_new, sizeof *new, compare);
    for (uint32_t i = 0, j = 0; i < n_old && j < n_new;) {
        const int order = compare(&old[i], &new[j]);
        if (!order && (!by_guid || old[i].guid) && is_alone(old, n_old, i, compare) &&
            is_alone(new, n_new, j, compare))
            join_pair(joining, old[i].node, new[j].node);
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---- switches with other names: by what is cabled to them ---- */

/* A switch without partner, and the number of its neighbours that have one. */
struct unknown_switch {
    uint32_t node, n_neighbours;
};

/* Lists the switches of one network that have no partner yet and returns their number. `place` becomes
 * their number by node. */
static uint32_t find_unknown(const struct joining *joining, bool is_old, struct unknown_switch *found,
                             uint32_t *place)
{
    const struct topology *topology = is_old ? joining->join->old : joining->join->new;
    uint32_t n = 0;
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        const bool is_known = is_old ? joining->partner[node] != NOT_THERE : joining->is_taken[node];
        place[node] = NOT_THERE;
        if (node < topology->n_machines || is_known || n == MAX_UNKNOWN)
            continue;
        place[node] = n;
        found[n++] = (struct unknown_switch){node, 0};
    }
    return n;
}

/* Two neighbours: a node with a partner, by its number in the new network, and an unknown switch. */
struct cabled {
    uint32_t known, unknown;
};

static int compare_cabled(const void *a, const void *b)
{
    const struct cabled *x = a, *y = b;
    if (x->known != y->known)
        return x->known < y->known ? -1 : 1;
    return (x->unknown > y->unknown) - (x->unknown < y->unknown);
}

/* Lists the neighbours of unknown switches; release with free. */
static struct cabled *list_cabled(const struct joining *joining, bool is_old, const uint32_t *place,
                                  struct unknown_switch *unknown, uint32_t *n)
{
    const struct topology *topology = is_old ? joining->join->old : joining->join->new;
    struct cabled *list = NULL;
    size_t capacity = 0;
    uint32_t from, to;
    *n = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        const uint32_t known = is_old ? joining->partner[from] : from;
        if (place[to] == NOT_THERE || known == NOT_THERE || (!is_old && !joining->is_taken[from]))
            continue;
        list = mem_grow(list, &capacity, *n + 1, sizeof *list);
        list[(*n)++] = (struct cabled){known, place[to]};
    }
    if (*n)
        qsort(list, *n, sizeof *list, compare_cabled);
    const uint32_t n_all = *n;
    *n = 0;
    for (uint32_t i = 0; i < n_all; i++) { /* parallel cables count once */
        if (i && compare_cabled(&list[i - 1], &list[i]) == 0)
            continue;
        unknown[list[i].unknown].n_neighbours++;
        list[(*n)++] = list[i];
    }
    return list;
}

/* Counts what each two of them have in common: shared[old * n_new + new]. */
static void count_shared(const struct cabled *old, uint32_t n_old, const struct cabled *new, uint32_t n_new,
                         uint32_t *shared, uint32_t stride)
{
    for (uint32_t i = 0, j = 0; i < n_old && j < n_new;) {
        if (old[i].known != new[j].known) {
            const bool is_behind = old[i].known < new[j].known;
            i += is_behind;
            j += !is_behind;
            continue;
        }
        for (uint32_t k = j; k < n_new && new[k].known == old[i].known; k++)
            shared[old[i].unknown * stride + new[k].unknown]++;
        i++;
    }
}

/* Joins two switches if most neighbours of each are neighbours of the other one. One pass: what it joins
 * helps the next one. True if there was any. */
static bool join_by_neighbours(struct joining *joining)
{
    const struct fabric_join *join = joining->join;
    uint32_t *places = mem_alloc((size_t)join->old->n_nodes + join->new->n_nodes, sizeof *places);
    struct unknown_switch *unknown = mem_alloc(2 * MAX_UNKNOWN, sizeof *unknown);
    struct unknown_switch *unknown_new = unknown + MAX_UNKNOWN;
    const uint32_t n_old = find_unknown(joining, true, unknown, places);
    const uint32_t n_new = find_unknown(joining, false, unknown_new, places + join->old->n_nodes);
    uint32_t n_cabled_old, n_cabled_new;
    struct cabled *old = list_cabled(joining, true, places, unknown, &n_cabled_old);
    struct cabled *new = list_cabled(joining, false, places + join->old->n_nodes, unknown_new, &n_cabled_new);
    uint32_t *shared = mem_alloc((size_t)n_old * n_new + 1, sizeof *shared);
    bool is_any = false;
    count_shared(old, n_cabled_old, new, n_cabled_new, shared, n_new);
    for (uint32_t i = 0; i < n_old; i++)
        for (uint32_t j = 0; j < n_new; j++)
            if (2 * shared[i * n_new + j] > unknown[i].n_neighbours &&
                2 * shared[i * n_new + j] > unknown_new[j].n_neighbours &&
                !joining->is_taken[unknown_new[j].node] && joining->partner[unknown[i].node] == NOT_THERE) {
                join_pair(joining, unknown[i].node, unknown_new[j].node);
                is_any = true;
            }
    free(shared);
    free(old);
    free(new);
    free(unknown);
    free(places);
    return is_any;
}

/* ---- all of it ---- */

struct fabric_join fabric_join_of_partners(const struct topology *old, const struct topology *new,
                                           const uint32_t *partner)
{
    struct fabric_join join = {.old = old, .new = new};
    const uint32_t n_old = old->n_nodes, n_new = new->n_nodes;
    join.old_of = mem_alloc((size_t)n_old + n_new, sizeof(uint32_t));
    join.new_of = mem_alloc((size_t)n_old + n_new, sizeof(uint32_t));
    join.of_new = mem_alloc(n_new, sizeof(uint32_t));
    memset(join.of_new, 0xff, n_new * sizeof(uint32_t));
    for (; join.n < n_old; join.n++) {
        join.old_of[join.n] = join.n;
        join.new_of[join.n] = partner[join.n];
        if (partner[join.n] != NOT_THERE)
            join.of_new[partner[join.n]] = join.n;
    }
    for (uint32_t node = 0; node < n_new; node++) {
        if (join.of_new[node] != NOT_THERE)
            continue;
        join.old_of[join.n] = NOT_THERE;
        join.new_of[join.n] = node;
        join.of_new[node] = join.n++;
    }
    return join;
}

struct fabric_join fabric_join_make(const struct topology *old, const struct topology *new)
{
    struct fabric_join join = {.old = old, .new = new};
    struct joining joining = {&join, mem_alloc(old->n_nodes, sizeof(uint32_t)),
                              mem_alloc(new->n_nodes, sizeof(bool))};
    struct arena arena = {0};
    struct known_node *old_nodes = known_nodes(old, &arena), *new_nodes = known_nodes(new, &arena);
    memset(joining.partner, 0xff, old->n_nodes * sizeof *joining.partner);
    join_equal(&joining, old_nodes, new_nodes, fabric_join_compare_names, false);
    join_equal(&joining, old_nodes, new_nodes, fabric_join_compare_guids, true);
    while (join_by_neighbours(&joining))
        ;
    join = fabric_join_of_partners(old, new, joining.partner);
    free(joining.partner);
    free(joining.is_taken);
    arena_free(&arena);
    return join;
}

void fabric_join_free(struct fabric_join *join)
{
    free(join->old_of);
    free(join->new_of);
    free(join->of_new);
}
