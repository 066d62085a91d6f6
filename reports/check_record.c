/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the process that runs a cell says of it, for check.c, which reads it with jansson: the names of
 * that and of reports/json.h do not go together in one file.
 */
#include "reports/check.h"

#include "reports/json.h"
#include "reports/verdict.h"

const char *const cell_outcome_name[] = {"verified", "not-for", "broken"};

/* What there was before, then every failure, the worst first. */
static void write_loads(uint64_t sum_step_load, uint32_t max_link_load, uint64_t max_total_load,
                        struct json *json)
{
    json_put_unsigned(json, "sum_step_load", sum_step_load);
    json_put_unsigned(json, "max_link_load", max_link_load);
    json_put_unsigned(json, "max_total_load", max_total_load);
}

static void write_failure(const struct failure *failure, const struct topology *topology, struct json *json)
{
    static const char *const parts[] = {"cable", "switch", "machine"};
    struct text name = {0};
    failure_print(failure, topology, &name);
    json_open(json, NULL, '{');
    json_put_string(json, "part", parts[failure->part]);
    json_put_string(json, "name", name.data);
    json_put_index(json, "link", failure->part == FAILED_CABLE ? (int64_t)failure->link : -1);
    json_put_index(json, "node", failure->part == FAILED_CABLE ? -1 : (int64_t)failure->node);
    json_put_unsigned(json, "lost", failure->n_lost);
    json_put_unsigned(json, "gone", failure->n_gone);
    json_put_unsigned(json, "moved", failure->n_moved);
    write_loads(failure->sum_step_load, failure->max_link_load, failure->max_total_load, json);
    json_close(json, '}');
    text_free(&name);
}

static void write_failures(const struct cell_result *result, struct json *json)
{
    const struct failures *failures = result->failures;
    if (!failures)
        return;
    json_open(json, "failures", '{');
    json_put_unsigned(json, "messages", failures->n_messages);
    write_loads(failures->sum_step_load, failures->max_link_load, failures->max_total_load, json);
    json_open(json, "each", '[');
    for (size_t i = 0; i < failures->n; i++)
        write_failure(&failures->items[i], result->topology, json);
    json_close(json, ']');
    json_close(json, '}');
}

void cell_record(const struct cell_result *result, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_put_string(&json, "outcome", cell_outcome_name[result->outcome]);
    json_open(&json, "problems", '[');
    for (const struct diagnostic *d = result->problems->first; d; d = d->next)
        finding_json(&json, result->topology, d);
    json_close(&json, ']');
    if (result->outcome == CELL_VERIFIED) {
        const struct diagnostics none = {0};
        const struct verdict verdict = {.header = result->header,
                                        .topology = result->topology,
                                        .placement = result->placement,
                                        .report = result->report,
                                        .least = result->least,
                                        .warnings = &none,
                                        .findings = result->findings};
        verdict_json(&verdict, "report", &json);
        write_failures(result, &json);
    }
    json_close(&json, '}');
}
