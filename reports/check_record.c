/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the process that runs a cell says of it, for check.c, which reads it with jansson: the names of
 * that and of reports/json.h do not go together in one file.
 */
#include "reports/check.h"

#include "reports/json.h"
#include "reports/verdict.h"

const char *const cell_outcome_name[] = {"verified", "not-for", "broken"};

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
    }
    json_close(&json, '}');
}
