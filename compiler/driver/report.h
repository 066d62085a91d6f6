/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdict of `collc verify` in its two forms.
 */
#ifndef COLLC_DRIVER_REPORT_H
#define COLLC_DRIVER_REPORT_H

#include "compiler/driver/pipeline.h"
#include "verify/verify.h"

struct verdict {
    const struct job *job;
    const struct verify_report *report;
    const struct diagnostics *findings;
    double seconds; /* that the verifier took */
};

/* A few aligned lines; with --per-step a table in which equal consecutive steps
 * are one row. Without the findings. The same input gives the same bytes. */
void report_text(const struct verdict *verdict, struct text *out);
/* One flat record, findings included; docs/json.md names the keys. */
void report_json(const struct verdict *verdict, struct text *out);

/* One finding, as report_json writes it; `topology` names links and machines, or is NULL. */
struct json;
void finding_json(struct json *json, const struct topology *topology,
                  const struct diagnostic *finding);
/* Whether the list has something of the severity of --fail-on (`otherwise` if that is not
 * given) or above. */
bool fails(const struct options *options, enum severity otherwise, const struct diagnostics *list);

#endif
