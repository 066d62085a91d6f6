/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See certificate.h.
 */
#include "reports/certificate.h"

#include "reports/json.h"

#include <stdlib.h>

static void write_nodes(const struct topology *topology, struct json *json)
{
    char name[256];
    json_open(json, "nodes", '[');
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        topology_node_name(topology, node, name, sizeof name);
        json_put_string(json, NULL, name);
    }
    json_close(json, ']');
}

static void write_links(const struct flow_network *network, struct json *json)
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

static void add_demand(void *data, uint32_t from, uint32_t to, uint64_t amount)
{
    struct demand_list *list = data;
    list->all = mem_grow(list->all, &list->capacity, list->n + 1, sizeof *list->all);
    list->all[list->n].from = from;
    list->all[list->n].to = to;
    list->all[list->n++].amount = amount;
}

static int by_ends(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static void write_demands(const struct bound_request *request, struct json *json)
{
    struct demand_list list = {.n = 0};
    flow_each_demand(request, add_demand, &list);
    if (list.n)
        qsort(list.all, list.n, sizeof *list.all, by_ends);
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

static void write_ranks(const struct flow_network *network, struct json *json)
{
    json_open(json, "ranks", '[');
    for (uint32_t node = 0; node < network->n_nodes; node++)
        json_put_unsigned(json, NULL, network->ranks[node]);
    json_close(json, ']');
}

/* ---- bounds ---- */

static void write_proof(const struct flow *flow, const struct flow_proof *proof, struct json *json)
{
    struct text bound = {0};
    fraction_print(proof->quotient, &bound);
    json_open(json, NULL, '{');
    json_put_string(json, "measure", proof->measure == FLOW_LOAD ? "load" : "time");
    json_put_string(json, "bound", bound.data);
    json_open(json, "lengths", '[');
    for (uint32_t i = 0; i < flow->network.n_arcs; i++)
        json_put_unsigned(json, NULL, proof->length[i]);
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

static void begin(struct json *json, const char *kind, const struct bound_request *request,
                  const char *collective)
{
    json_open(json, NULL, '{');
    json_put_string(json, "certificate", kind);
    json_put_string(json, "collective", collective);
    json_put_string(json, "topology", request->topology->name);
    json_put_string(json, "unit", bound_unit(request));
    write_nodes(request->topology, json);
}

void cut_certificate(const struct cut_proof *proof, const struct bound_request *request,
                     const char *collective, struct text *out)
{
    struct json json = {.out = out};
    struct flow_network network;
    begin(&json, "collc-cut-1", request, collective);
    flow_network_of(request, &network);
    write_ranks(&network, &json);
    json_open(&json, "blocks", '[');
    for (uint32_t node = 0; node < network.n_nodes; node++)
        json_put_unsigned(&json, NULL, proof->blocks[node]);
    json_close(&json, ']');
    write_links(&network, &json);
    write_sides(proof, network.n_nodes, &json);
    json_close(&json, '}');
    flow_network_free(&network);
}

void flow_certificate(const struct flow *flow, const struct bound_request *request,
                      const char *collective, struct text *out)
{
    struct json json = {.out = out};
    begin(&json, "collc-flow-1", request, collective);
    if (flow_is_product(request))
        write_ranks(&flow->network, &json);
    else
        write_demands(request, &json);
    write_links(&flow->network, &json);
    json_open(&json, "bounds", '[');
    for (uint32_t i = 0; i < flow->n_proofs; i++)
        write_proof(flow, &flow->proof[i], &json);
    json_close(&json, ']');
    json_close(&json, '}');
}
