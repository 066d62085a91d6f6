/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what the process that runs a cell says of it, for check.c, which reads it with jansson: the names of
 * that and of reports/json.h do not go together in one file.
 */
#include "reports/check.h"

#include "reports/record.h"
#include "reports/verdict.h"

const char *const cell_outcome_name[] = {"verified", "not-for", "broken"};

static const char *const part_names[] = {"cable", "switch", "machine"};

/* Counts the findings that are not in the list, by code. Returns the number of all. */
static uint64_t count_left(const struct diagnostics *list, uint64_t n_left[MAX_CODES])
{
    uint64_t n = 0;
    for (uint32_t code = 0; code < n_codes; code++)
        n_left[code] = list->n_of_code[code];
    for (const struct diagnostic *d = list->first; d; d = d->next)
        n_left[d->code] -= 1 + d->n_more;
    for (uint32_t code = 0; code < n_codes; code++)
        n += n_left[code];
    return n;
}

#include "reports/check_record.def"

void cell_record(const struct cell_result *result, bool is_brief, struct text *out)
{
    const struct diagnostics none = {0};
    const struct verdict verdict = {.header = result->header,
                                    .source = result->source,
                                    .topology = result->topology,
                                    .placement = result->placement,
                                    .report = result->report,
                                    .least = result->least,
                                    .symmetric = result->symmetric,
                                    .warnings = &none,
                                    .findings = result->findings};
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    cell_write(&json, result, is_brief, &verdict);
    json_close(&json, '}');
}
