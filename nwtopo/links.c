/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Links, failures and routes. A route is the network's own unless it would cross a failed
 * link; then it is a shortest path over the links that work, the lowest ids first.
 */
#include "nwtopo/internal.h"

#include "base/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures ---- */

static uint32_t failed_index(const struct nwtopo_topology *topology, uint64_t link)
{
    uint32_t low = 0, high = topology->n_failed;
    SEARCH_FIRST(low, high, middle, topology->failed[middle] < link);
    return low;
}

static bool nwtopo_links_has_failed(const struct nwtopo_topology *topology, uint32_t link)
{
    uint32_t index = failed_index(topology, link);
    return index < topology->n_failed && topology->failed[index] == link;
}

struct fault {
    uint32_t link;
    bool failed;
};

static int set_fault(struct nwtopo_topology *topology, void *argument)
{
    const struct fault *fault = argument;
    uint32_t index = failed_index(topology, fault->link), n = topology->n_failed;
    bool is_there = nwtopo_links_has_failed(topology, fault->link);
    if (is_there == fault->failed)
        return 0;
    if (fault->failed)
        topology->failed = mem_grow(topology->failed, &topology->failed_capacity, n + 1,
                                    sizeof *topology->failed);
    uint32_t *at = &topology->failed[index];
    memmove(at + fault->failed, at + is_there, (n - index - is_there) * sizeof *at);
    if (fault->failed)
        *at = fault->link;
    topology->n_failed = fault->failed ? n + 1 : n - 1;
    return 0;
}

static bool nwtopo_links_is_link(const struct nwtopo_topology *topology, uint64_t id)
{
    const struct topology *network = topology->model->network;
    return id < network->n_link_ids && topology_has_link(network, (uint32_t)id);
}

bool faults_check(struct nwtopo_topology *topology)
{
    for (uint32_t i = 0; i < topology->n_failed; i++)
        if (!nwtopo_links_is_link(topology, topology->failed[i]))
            return false;
    return true;
}

void faults_copy(struct nwtopo_topology *to, const struct nwtopo_topology *from)
{
    for (uint32_t i = 0; i < from->n_failed; i++)
        set_fault(to, &(struct fault){from->failed[i], true});
}

int nwtopo_topology_set_link_failed(nwtopo_topology_t topology, unsigned long id, bool failed)
{
    if (!topology)
        return nwtopo_fail(EINVAL);
    if (topology->is_loaded ? !nwtopo_links_is_link(topology, id) : id >= UINT32_MAX)
        return nwtopo_fail(ENOENT);
    return nwtopo_guarded(topology, set_fault, &(struct fault){(uint32_t)id, failed});
}

/* ---- links ---- */

int nwtopo_topology_get_link(nwtopo_topology_t topology, unsigned long id, nwtopo_link_t link)
{
    uint32_t from, to;
    if (!topology || !topology->is_loaded || !link)
        return nwtopo_fail(EINVAL);
    if (!nwtopo_links_is_link(topology, id))
        return nwtopo_fail(ENOENT);
    const struct topology *network = topology->model->network;
    topology_link_ends(network, (uint32_t)id, &from, &to);
    *link = (struct nwtopo_link){.id = id,
                                 .ends = {from, to},
                                 .bandwidth = topology_link_bandwidth(network, (uint32_t)id),
                                 .latency = topology_link_latency(network, (uint32_t)id),
                                 .failed = nwtopo_links_has_failed(topology, (uint32_t)id)};
    return 0;
}

/* A list with possibly less room than entries. */
struct id_list {
    unsigned n, room;
    unsigned long *ids;
};

static void nwtopo_links_add(struct id_list *list, unsigned long id)
{
    if (list->n < list->room)
        list->ids[list->n] = id;
    list->n++;
}

static bool has_node(const struct nwtopo_topology *topology, uint32_t node)
{
    return has_machine(topology, model_machine_of(topology->model, node)) ||
           upper_object(topology, node) != NULL;
}

static bool nwtopo_links_is_below(const struct nwtopo_topology *topology, nwtopo_obj_t virtual, uint32_t node)
{
    return topology->component ? topology->component[node] == virtual->id
                               : has_machine(topology, model_machine_of(topology->model, node));
}

/* Lists the links from a node to others of the topology. */
static void nwtopo_links_list_links(const struct nwtopo_topology *topology, uint32_t node,
                                    struct id_list *list)
{
    const struct model *model = topology->model;
    uint32_t degree = model_degree(model, node);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t link = model_link(model, node, i), far = model_far_end(model, link);
        if (far != node && has_node(topology, far))
            nwtopo_links_add(list, link);
    }
}

/* Lists the links between nodes below a virtual object. */
static void list_inner_links(const struct nwtopo_topology *topology, nwtopo_obj_t virtual,
                             struct id_list *list)
{
    const struct topology *network = topology->model->network;
    uint32_t from, to;
    for (uint32_t link = 0; link < network->n_link_ids; link++) {
        if (!topology_has_link(network, link))
            continue;
        topology_link_ends(network, link, &from, &to);
        if (nwtopo_links_is_below(topology, virtual, from) && nwtopo_links_is_below(topology, virtual, to))
            nwtopo_links_add(list, link);
    }
}

int nwtopo_obj_get_links(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned *num_links,
                         unsigned long *ids)
{
    if (!topology || !topology->is_loaded || !obj || !num_links || (*num_links && !ids))
        return nwtopo_fail(EINVAL);
    if (!is_machine_of(topology, obj) && upper_object(topology, obj->id) != obj)
        return nwtopo_fail(EINVAL);
    struct id_list list = {0, *num_links, ids};
    if (obj->id < topology->model->network->n_nodes)
        nwtopo_links_list_links(topology, (uint32_t)obj->id, &list);
    else
        list_inner_links(topology, obj, &list);
    *num_links = list.n;
    return 0;
}

/* ---- routes ---- */

struct route {
    uint32_t from, to;
    struct id_list list;
    struct hop *hops;  /* temporary */
    uint32_t *arrived; /* temporary: [node] the link it was reached by, plus one */
    uint32_t *queue;   /* temporary: nodes */
};

static bool nwtopo_links_is_clean(const struct nwtopo_topology *topology, const struct hop *hops, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (nwtopo_links_has_failed(topology, hops[i].link))
            return false;
    return true;
}

/* Adds to the queue what one working link leads to from here. */
static uint32_t nwtopo_links_spread(const struct nwtopo_topology *topology, struct route *route,
                                    uint32_t node, uint32_t n_queued)
{
    const struct model *model = topology->model;
    uint32_t degree = model_degree(model, node);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t link = model_link(model, node, i), far = model_far_end(model, link);
        if (far == node || far == route->from || route->arrived[far] ||
            nwtopo_links_has_failed(topology, link))
            continue;
        route->arrived[far] = link + 1;
        route->queue[n_queued++] = far;
    }
    return n_queued;
}

/* Searches breadth first from the source; machines forward only if they are routers too. */
static void nwtopo_links_search(const struct nwtopo_topology *topology, struct route *route)
{
    const struct topology *network = topology->model->network;
    uint32_t n_queued = 1;
    route->arrived = mem_alloc(network->n_nodes, sizeof *route->arrived);
    route->queue = mem_alloc(network->n_nodes, sizeof *route->queue);
    route->queue[0] = route->from;
    for (uint32_t at = 0; at < n_queued && !route->arrived[route->to]; at++) {
        uint32_t node = route->queue[at];
        if (!at || node >= network->n_machines || network->machines_forward)
            n_queued = nwtopo_links_spread(topology, route, node, n_queued);
    }
}

/* Reads the path off backwards. */
static void list_path(const struct nwtopo_topology *topology, struct route *route)
{
    uint32_t n = 0, from, to;
    for (uint32_t node = route->to; node != route->from; node = from, n++)
        topology_link_ends(topology->model->network, route->arrived[node] - 1, &from, &to);
    route->list.n = n;
    for (uint32_t node = route->to; node != route->from; node = from) {
        uint32_t link = route->arrived[node] - 1;
        topology_link_ends(topology->model->network, link, &from, &to);
        if (--n < route->list.room)
            route->list.ids[n] = link;
    }
}

static int nwtopo_links_find_route(struct nwtopo_topology *topology, void *argument)
{
    struct route *route = argument;
    const struct topology *network = topology->model->network;
    route->hops = mem_alloc(network->max_hops, sizeof *route->hops);
    uint32_t n = topology_route(network, route->from, route->to, route->hops);
    if (nwtopo_links_is_clean(topology, route->hops, n)) {
        for (uint32_t i = 0; i < n; i++)
            nwtopo_links_add(&route->list, route->hops[i].link);
        return n || route->from == route->to ? 0 : nwtopo_fail(EHOSTUNREACH);
    }
    nwtopo_links_search(topology, route);
    if (!route->arrived[route->to])
        return nwtopo_fail(EHOSTUNREACH);
    list_path(topology, route);
    return 0;
}

int nwtopo_topology_get_route(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to,
                              unsigned *num_links, unsigned long *ids)
{
    if (!topology || !topology->is_loaded || !is_machine_of(topology, from) ||
        !is_machine_of(topology, to) || !num_links || (*num_links && !ids))
        return nwtopo_fail(EINVAL);
    struct route route = {.from = (uint32_t)from->id,
                          .to = (uint32_t)to->id,
                          .list = {0, *num_links, ids}};
    pthread_mutex_lock(&topology->model->lock);
    int result = nwtopo_guarded(topology, nwtopo_links_find_route, &route);
    pthread_mutex_unlock(&topology->model->lock);
    int error = errno;
    free(route.hops);
    free(route.arrived);
    free(route.queue);
    errno = error;
    if (result == 0)
        *num_links = route.list.n;
    return result;
}
