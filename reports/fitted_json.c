/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fitted costs as JSON. See fitted.h. Times are in ns, bandwidths in bytes per second; a bandwidth without
 * limit is null.
 */
#include "network/topology.h"
#include "reports/fitted.h"
#include "reports/record.h"

static const char *const cost_keys[N_MODEL_COSTS] = {
    [COST_LINK_LATENCY] = "link_latency",     [COST_LINK_BYTE] = "link_bandwidth",
    [COST_OVERHEAD] = "overhead",             [COST_GAP] = "gap",
    [COST_MEMORY_LATENCY] = "memory_latency", [COST_MEMORY_BYTE] = "memory_bandwidth",
    [COST_PROCESS_BYTE] = "process_bandwidth"};
static const char *const state_words[] = {
    [COST_HELD] = "held", [COST_UNUSED] = "unused", [COST_LOOSE] = "not determined", [COST_KNOWN] = "known"};

/* A value of a cost: one of a byte, a rate, is written as a bandwidth. */
static void fitted_put(struct json *json, const char *key, enum model_cost cost, double value)
{
    const double no_limit = 1e-6; /* ns for a byte */
    if (!cost_is_rate(cost))
        json_put_real(json, key, value);
    else if (value < no_limit)
        json_put_null(json, key);
    else
        json_put_real(json, key, 1e9 / value);
}
#define json_put_cost(json, key, value) fitted_put(json, key, RECORD_ARGUMENTS value)

static const char *point_word(const struct timed_point *point)
{
    return point->kind == TIMED_MESSAGE  ? "message"
           : point->kind == TIMED_STREAM ? "stream"
                                         : point->algorithm;
}

#include "reports/fitted.def"

void fitted_json(const struct costs_request *request, const struct fitted *fitted, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    fitted_write(&json, request, fitted);
    json_close(&json, '}');
}
