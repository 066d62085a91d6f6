/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See certificate.h.
 */
#include "reports/certificate.h"

#include "reports/json.h"

#include <stdlib.h>

static void certificate_write_nodes(const struct topology *topology, struct json *json)
{
    char name[256];
    json_open(json, "nodes", '[');
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        topology_node_name(topology, node, name, sizeof name);
        json_put_string(json, NULL, name);
    }
    json_close(json, ']');
}

static void certificate_write_links(const struct flow_network *network, struct json *json)
{
    json_open(json, "links", '[');
    for (uint32_t i = 0; i < network->n_arcs; i++) {
        const struct flow_arc *arc = &network->arcs[i];
        json_open(json, NULL, '[');
        json_put_unsigned(json, NULL, arc->from);
        json_put_unsigned(json, NULL, arc->to);
        json_put_unsigned(json, NULL, arc->cables);
        json_put_unsigned(json, NULL, arc->cables ? arc->bandwidth : 0);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* ---- demands ---- */

struct demand_list {
    struct {
        uint32_t from, to;
        uint64_t amount;
    } *all;
    size_t n, capacity;
};

static void certificate_add_demand(void *data, uint32_t from, uint32_t to, uint64_t amount)
{
    struct demand_list *list = data;
    list->all = mem_grow(list->all, &list->capacity, list->n + 1, sizeof *list->all);
    list->all[list->n].from = from;
    list->all[list->n].to = to;
    list->all[list->n++].amount = amount;
}

static int certificate_by_ends(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static void write_demands(const struct bound_request *request, struct json *json)
{
    struct demand_list list = {.n = 0};
    flow_each_demand(request, certificate_add_demand, &list);
    if (list.n)
        qsort(list.all, list.n, sizeof *list.all, certificate_by_ends);
    json_open(json, "demands", '[');
    for (size_t i = 0; i < list.n; i++) {
        json_open(json, NULL, '[');
        json_put_unsigned(json, NULL, list.all[i].from);
        json_put_unsigned(json, NULL, list.all[i].to);
        json_put_unsigned(json, NULL, list.all[i].amount);
        json_close(json, ']');
    }
    json_close(json, ']');
    free(list.all);
}

static void certificate_write_ranks(const struct flow_network *network, struct json *json)
{
    json_open(json, "ranks", '[');
    for (uint32_t node = 0; node < network->n_nodes; node++)
        json_put_unsigned(json, NULL, network->ranks[node]);
    json_close(json, ']');
}

/* ---- bounds ---- */

static void write_proof(enum flow_measure measure, struct fraction quotient, const uint64_t *length,
                        uint32_t n_links, struct json *json)
{
    struct text bound = {0};
    fraction_print(quotient, &bound);
    json_open(json, NULL, '{');
    json_put_string(json, "measure", measure == FLOW_LOAD ? "load" : "time");
    json_put_string(json, "bound", bound.data);
    json_open(json, "lengths", '[');
    for (uint32_t i = 0; i < n_links; i++)
        json_put_unsigned(json, NULL, length[i]);
    json_close(json, ']');
    json_close(json, '}');
    text_free(&bound);
}

static void write_sides(const struct cut_proof *proof, uint32_t n_nodes, struct json *json)
{
    json_open(json, "bounds", '[');
    for (uint32_t i = 0; i < proof->n_proofs; i++) {
        struct text bound = {0};
        fraction_print(proof->side[i].ratio, &bound);
        json_open(json, NULL, '{');
        json_put_string(json, "measure", i == 0 ? "load" : "time");
        json_put_string(json, "bound", bound.data);
        json_put_string(json, "direction", proof->side[i].goes_in ? "in" : "out");
        json_open(json, "inside", '[');
        for (uint32_t node = 0; node < n_nodes; node++)
            if (proof->side[i].inside[node])
                json_put_unsigned(json, NULL, node);
        json_close(json, ']');
        json_close(json, '}');
        text_free(&bound);
    }
    json_close(json, ']');
}

static void certificate_begin(struct json *json, const char *kind, const struct bound_request *request,
                              const char *collective)
{
    json_open(json, NULL, '{');
    json_put_string(json, "certificate", kind);
    json_put_string(json, "collective", collective);
    json_put_string(json, "topology", request->topology->name);
    json_put_string(json, "unit", bound_unit(request));
    certificate_write_nodes(request->topology, json);
}

void cut_certificate(const struct cut_proof *proof, const struct bound_request *request,
                     const char *collective, struct text *out)
{
    struct json json = {.out = out};
    struct flow_network network;
    certificate_begin(&json, "collc-cut-1", request, collective);
    flow_network_of(request, &network);
    certificate_write_ranks(&network, &json);
    json_open(&json, "blocks", '[');
    for (uint32_t node = 0; node < network.n_nodes; node++)
        json_put_unsigned(&json, NULL, proof->blocks[node]);
    json_close(&json, ']');
    certificate_write_links(&network, &json);
    write_sides(proof, network.n_nodes, &json);
    json_close(&json, '}');
    flow_network_free(&network);
}

void flow_certificate(const struct flow *flow, const struct bound_request *request,
                      const char *collective, struct text *out)
{
    struct json json = {.out = out};
    certificate_begin(&json, "collc-flow-1", request, collective);
    if (flow_is_product(request))
        certificate_write_ranks(&flow->network, &json);
    else
        write_demands(request, &json);
    certificate_write_links(&flow->network, &json);
    json_open(&json, "bounds", '[');
    for (uint32_t i = 0; i < flow->n_proofs; i++)
        write_proof(flow->proof[i].measure, flow->proof[i].quotient, flow->proof[i].length,
                    flow->network.n_arcs, &json);
    json_close(&json, ']');
    json_close(&json, '}');
}

/* ---- overlays ---- */

static void write_single_links(const struct overlay_network *network, const struct topology *topology,
                               struct json *json)
{
    json_open(json, "links", '[');
    for (uint32_t i = 0; i < network->n_links; i++) {
        uint32_t from, to;
        topology_link_ends(topology, network->links[i].id, &from, &to);
        json_open(json, NULL, '[');
        json_put_unsigned(json, NULL, from);
        json_put_unsigned(json, NULL, to);
        json_put_unsigned(json, NULL, network->links[i].bandwidth);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void certificate_write_route(const struct overlay_network *network, const uint32_t *machine,
                                    size_t pair, struct json *json)
{
    json_open(json, NULL, '[');
    json_put_unsigned(json, NULL, machine[pair / network->n_servers]);
    json_put_unsigned(json, NULL, machine[pair % network->n_servers]);
    for (size_t i = network->first[pair]; i < network->first[pair + 1]; i++)
        json_put_unsigned(json, NULL, network->route[i]);
    json_close(json, ']');
}

struct at_machine {
    uint32_t machine, server;
};

static int by_machine(const void *a, const void *b)
{
    const struct at_machine *x = a, *y = b;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* By machines, not by servers, which have the order of ranks. */
static void certificate_write_routes(const struct overlay_network *network, const struct placement *placement,
                                     struct json *json)
{
    const uint32_t n = network->n_servers;
    struct at_machine *order = mem_alloc(n, sizeof *order);
    for (uint32_t server = 0; server < n; server++)
        order[server] = (struct at_machine){placement->server_machine[server], server};
    qsort(order, n, sizeof *order, by_machine);
    json_open(json, "routes", '[');
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            const size_t pair = (size_t)order[from].server * n + order[to].server;
            if (network->is_routed[pair])
                certificate_write_route(network, placement->server_machine, pair, json);
        }
    json_close(json, ']');
    free(order);
}

void overlay_certificate(const struct overlay *overlay, const struct bound_request *request,
                         const char *collective, struct text *out)
{
    const struct overlay_network *network = &overlay->network;
    struct json json = {.out = out};
    certificate_begin(&json, "collc-overlay-1", request, collective);
    uint64_t *ranks = mem_alloc(request->topology->n_nodes, sizeof *ranks);
    for (uint32_t rank = 0; rank < request->placement->n_ranks; rank++)
        ranks[request->placement->machine[rank]]++;
    json_open(&json, "ranks", '[');
    for (uint32_t node = 0; node < request->topology->n_nodes; node++)
        json_put_unsigned(&json, NULL, ranks[node]);
    json_close(&json, ']');
    free(ranks);
    if (!flow_is_product(request))
        write_demands(request, &json);
    write_single_links(network, request->topology, &json);
    certificate_write_routes(network, request->placement, &json);
    json_open(&json, "bounds", '[');
    for (uint32_t i = 0; i < overlay->n_proofs; i++)
        write_proof(overlay->proof[i].measure, overlay->proof[i].quotient, overlay->proof[i].length,
                    network->n_links, &json);
    json_close(&json, ']');
    json_close(&json, '}');
}
