/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See said.h.
 */
#include "tests/unit/said.h"

#include "reports/json.h"
#include "reports/verdict.h"

struct text said_of_verdict(const struct schedule_header *header, const struct verify_request *request,
                            const struct verify_report *report, const struct diagnostics *findings,
                            bool is_done)
{
    const struct diagnostics warnings = {0};
    struct text text = {0};
    const struct verdict verdict = {.header = header,
                                    .topology = request->topology,
                                    .placement = request->placement,
                                    .report = report,
                                    .least = request->least,
                                    .warnings = &warnings,
                                    .findings = findings,
                                    .drift = request->drift,
                                    .per_step = request->keep_per_step};
    struct json json = {.out = &text};
    text_printf(&text, "%d\n", is_done);
    if (is_done) {
        verdict_text(&verdict, &text);
        verdict_json(&verdict, NULL, &json);
    }
    diagnostics_print(findings, &text, false);
    return text;
}
