/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Joins two networks by structure: switches by the best alignment, then the hosts of each switch.
 *
 * Structure does not tell the hosts of a switch from each other. If one has been plugged in elsewhere, names
 * do: those of a switch mostly follow each other. So do ports that other switches do not use.
 */
#include "base/text/slice.h"
#include "network/ports.h"
#include "study/fabric/fabric_align.h"
#include "study/fabric/fabric_join.h"
#include "study/fabric/usual_ports.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 2 }; /* names before and behind that are looked at */

struct host_order {
    struct usual_ports usual;
    uint32_t *switch_of; /* [host seen] the only neighbour; NOT_THERE: it is no pendant */
    uint32_t *order;     /* hosts seen, by name */
    uint32_t *place;     /* [host seen] its place there */
    uint32_t n;
};

struct named_host {
    const char *name;
    uint32_t host;
};

static int fabric_structure_compare_names(const void *a, const void *b)
{
    const struct named_host *x = a, *y = b;
    const int order = slice_compare_names((struct slice){x->name, strlen(x->name)},
                                          (struct slice){y->name, strlen(y->name)});
    return order ? order : (x->host > y->host) - (x->host < y->host);
}

static struct host_order order_hosts(const struct wiring *seen)
{
    struct host_order order = {.usual = usual_ports_of(seen), .n = seen->n_machines};
    struct named_host *hosts = mem_alloc((size_t)order.n + 1, sizeof *hosts);
    struct arena arena = {0};
    order.switch_of = mem_alloc(3 * (size_t)order.n + 1, sizeof *order.switch_of);
    order.order = order.switch_of + order.n;
    order.place = order.order + order.n;
    for (uint32_t host = 0; host < order.n; host++) {
        order.switch_of[host] = seen->is_pendant[host] ? seen->edges[seen->first[host]].node : NOT_THERE;
        hosts[host] = (struct named_host){fabric_node_name(seen->topology, host, &arena), host};
    }
    qsort(hosts, order.n, sizeof *hosts, fabric_structure_compare_names);
    for (uint32_t i = 0; i < order.n; i++) {
        order.order[i] = hosts[i].host;
        order.place[hosts[i].host] = i;
    }
    arena_free(&arena);
    free(hosts);
    return order;
}

/* Returns the number of hosts with near names that are on this switch. */
static uint32_t count_near(const struct host_order *order, uint32_t host, uint32_t at)
{
    const uint32_t place = order->place[host];
    uint32_t n = 0;
    for (uint32_t i = place > NEAR ? place - NEAR : 0; i <= place + NEAR && i < order->n; i++)
        n += i != place && order->switch_of[order->order[i]] == at;
    return n;
}

/* Returns how well a host fits among those of its switch: by its name, then by its port. */
static uint32_t fit_of(const struct host_order *order, uint32_t host, const struct wiring_edge *edge)
{
    const uint32_t port = topology_port_out(order->usual.topology, edge->link);
    return 2 * count_near(order, host, order->switch_of[host]) +
           (uint32_t)usual_ports_has(&order->usual, order->switch_of[host], port);
}

/* A host of a switch, and how well it fits there. */
struct fitting_host {
    uint32_t host, fit;
};

static int compare_fit(const void *a, const void *b)
{
    const struct fitting_host *x = a, *y = b;
    if (x->fit != y->fit)
        return x->fit > y->fit ? -1 : 1;
    return x->host < y->host ? -1 : x->host > y->host;
}

/* Joins the hosts of one switch, those first whose names fit. `hosts` has room for those of a switch. */
static void join_hosts_of(const struct wiring *plan, const struct wiring *seen, uint32_t node, uint32_t at,
                          const struct host_order *order, struct fitting_host *hosts, uint32_t *partner)
{
    uint32_t n = 0, next = 0;
    for (uint32_t i = seen->first[at]; i < seen->first[at + 1]; i++) {
        const uint32_t host = seen->edges[i].node;
        if (seen->is_pendant[host])
            hosts[n++] = (struct fitting_host){host, fit_of(order, host, &seen->edges[i])};
    }
    if (n > plan->n_pendants[node])
        qsort(hosts, n, sizeof *hosts, compare_fit);
    for (uint32_t i = plan->first[node]; i < plan->first[node + 1] && next < n; i++)
        if (plan->is_pendant[plan->edges[i].node])
            partner[plan->edges[i].node] = hosts[next++].host;
}

/* Returns the host without place that fits best to a switch, or NOT_THERE if none is left. */
static uint32_t find_stray(const struct host_order *order, const bool *is_taken, uint32_t at)
{
    uint32_t best = NOT_THERE, best_fit = 0;
    for (uint32_t host = 0; host < order->n; host++) {
        const uint32_t fit = is_taken[host] ? 0 : 1 + count_near(order, host, at);
        if (fit > best_fit) {
            best = host;
            best_fit = fit;
        }
    }
    return best;
}

/* Joins the hosts that are missing at a switch with those that are too many elsewhere. */
static void join_strays(const struct wiring *plan, const struct host_order *order, uint32_t *partner)
{
    bool *is_taken = mem_alloc((size_t)order->n + 1, sizeof *is_taken);
    uint32_t n_left = order->n;
    for (uint32_t host = 0; host < plan->n_machines; host++)
        if (partner[host] != NOT_THERE) {
            is_taken[partner[host]] = true;
            n_left--;
        }
    for (uint32_t host = 0; host < plan->n_machines && n_left; host++) {
        if (partner[host] != NOT_THERE)
            continue;
        const uint32_t planned = plan->is_pendant[host] ? plan->edges[plan->first[host]].node : host;
        partner[host] = find_stray(order, is_taken, partner[planned]);
        is_taken[partner[host]] = true;
        n_left--;
    }
    free(is_taken);
}

struct fabric_join fabric_join_by_structure(const struct topology *old, const struct topology *new)
{
    struct wiring plan = wiring_of(old), seen = wiring_of(new);
    struct host_order order = order_hosts(&seen);
    struct fitting_host *hosts = mem_alloc((size_t)order.n + 1, sizeof *hosts);
    uint32_t *partner = mem_alloc((size_t)plan.n + 1, sizeof *partner);
    fabric_align(&plan, &seen, partner);
    for (uint32_t node = plan.n_machines; node < plan.n; node++)
        if (partner[node] != ALIGN_NONE)
            join_hosts_of(&plan, &seen, node, partner[node], &order, hosts, partner);
    join_strays(&plan, &order, partner);
    struct fabric_join join = fabric_join_of_partners(old, new, partner);
    join.is_by_structure = true;
    free(partner);
    free(hosts);
    free(order.switch_of);
    usual_ports_free(&order.usual);
    wiring_free(&plan);
    wiring_free(&seen);
    return join;
}
