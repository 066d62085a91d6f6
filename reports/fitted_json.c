/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fitted costs as JSON. See fitted.h. Times are in ns, bandwidths in bytes per second; a bandwidth without
 * limit is null.
 */
#include "network/topology.h"
#include "reports/fitted.h"
#include "reports/json.h"

static const char *const cost_keys[N_MODEL_COSTS] = {
    [COST_LINK_LATENCY] = "link_latency",     [COST_LINK_BYTE] = "link_bandwidth",
    [COST_OVERHEAD] = "overhead",             [COST_GAP] = "gap",
    [COST_MEMORY_LATENCY] = "memory_latency", [COST_MEMORY_BYTE] = "memory_bandwidth",
    [COST_PROCESS_BYTE] = "process_bandwidth"};
static const char *const state_words[] = {
    [COST_HELD] = "held", [COST_UNUSED] = "unused", [COST_LOOSE] = "not determined", [COST_KNOWN] = "known"};

static void put_value(struct json *json, const char *key, enum model_cost cost, double value)
{
    const double no_limit = 1e-6; /* ns for a byte */
    if (!cost_is_rate(cost))
        json_put_real(json, key, value);
    else if (value < no_limit)
        json_put_null(json, key);
    else
        json_put_real(json, key, 1e9 / value);
}

/* A larger cost of a byte is a smaller bandwidth. */
static void put_span(struct json *json, enum model_cost cost, double least, double most)
{
    put_value(json, "least", cost, cost_is_rate(cost) ? most : least);
    put_value(json, "most", cost, cost_is_rate(cost) ? least : most);
}

static void put_cost(struct json *json, enum model_cost cost, const struct fitted_cost *found)
{
    const bool has_span = found->state == COST_KNOWN || found->state == COST_LOOSE;
    json_open(json, cost_keys[cost], '{');
    json_put_string(json, "state", state_words[found->state]);
    if (found->state != COST_UNUSED)
        put_value(json, "value", cost, found->value);
    if (has_span)
        put_span(json, cost, found->least, found->most);
    json_close(json, '}');
}

/* first + factor * second, of bandwidths of their inverses. */
static void put_sum(struct json *json, const struct known_sum *sum)
{
    json_open(json, NULL, '{');
    json_put_string(json, "first", cost_keys[sum->first]);
    json_put_string(json, "second", cost_keys[sum->second]);
    json_put_real(json, "factor", sum->factor);
    put_span(json, sum->first, sum->least, sum->most);
    json_close(json, '}');
}

static void put_point(struct json *json, const struct timed_point *point, double predicted)
{
    const bool is_message = point->kind == TIMED_MESSAGE, is_stream = point->kind == TIMED_STREAM;
    json_open(json, NULL, '{');
    json_put_string(json, "algorithm", is_message ? "message" : is_stream ? "stream" : point->algorithm);
    json_put_unsigned(json, "ranks", point->n_ranks);
    json_put_unsigned(json, "bytes", point->bytes);
    json_put_real(json, "measured_ns", point->time);
    json_put_real(json, "predicted_ns", predicted);
    json_close(json, '}');
}

void fitted_json(const struct costs_request *request, const struct fitted *fitted, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_put_string(&json, "topology", request->topology->name);
    json_put_string(&json, "model", simulation_models[request->model].name);
    json_open(&json, "costs", '{');
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        put_cost(&json, cost, &fitted->costs[cost]);
    json_close(&json, '}');
    json_open(&json, "sums", '[');
    for (size_t i = 0; i < fitted->n_sums; i++)
        put_sum(&json, &fitted->sums[i]);
    json_close(&json, ']');
    json_put_real(&json, "mean_error", fitted->mean_error);
    json_put_real(&json, "median_error", fitted->median_error);
    json_put_unsigned(&json, "worst", fitted->worst);
    json_open(&json, "times", '[');
    for (size_t i = 0; i < request->points->n; i++)
        put_point(&json, &request->points->items[i], fitted->predicted[i]);
    json_close(&json, ']');
    json_close(&json, '}');
}
