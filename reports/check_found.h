/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings on their way from the record of a cell (check.c) to the list that reports show
 * (check_list.c).
 */
#ifndef COLLC_REPORTS_CHECK_FOUND_H
#define COLLC_REPORTS_CHECK_FOUND_H

#include "reports/check.h"

struct json_t;

/* A finding of a cell, as its record has it. */
struct found {
    struct check_finding finding; /* its words are those of the record */
    const char *kind, *from,
        *to; /* of what it is: "link" with its ends, "machine" with its name; or NULL */
    double value;
    size_t order;
};
struct found_list {
    struct found *items;
    size_t n, capacity;
};

/* ---- check_found.c ---- */

/* Returns the finding of that cell in the JSON object; code n_codes: this program does not know its code. */
struct found found_of_record(struct check *check, const struct json_t *object, size_t cell);
/* Returns the fingerprint of a finding of a cell, and of one that is in no cell; `key` tells this one from
 * others in its line. */
uint64_t found_fingerprint(const struct check_finding *finding, const struct project_cell *cell);
uint64_t found_fingerprint_of_no_cell(const struct check_finding *finding, const char *key);

/* ---- check_list.c ---- */

/* Adds n findings of a cell that have the same cause, the largest first, and returns what the cell has of it.
 * `may_be_known`: the baseline is asked. */
const struct check_entry *check_list_add(struct check *check, const struct found *found, size_t n,
                                         bool may_be_known);
/* Sorts the findings for reports, and moves those behind the others that are not listed. */
void check_list_end(struct check *check);

#endif
