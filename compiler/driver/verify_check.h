/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reports of one `collc verify` or `collc lint` as a check (reports/check.h), for the formats that list
 * findings: each schedule on each network, or each file, is a combination.
 */
#ifndef COLLC_DRIVER_VERIFY_CHECK_H
#define COLLC_DRIVER_VERIFY_CHECK_H

#include "compiler/driver/job.h"
#include "reports/check.h"

/* Findings of a code that a combination keeps, as of `collc check`; others are counted. */
enum { VERIFY_CHECK_KEPT = 1 << 16 };

struct verify_check {
    struct arena arena;
    struct project project; /* of the names and of --topology */
    struct text way;        /* from the root of the repository */
    struct check check;
    size_t n_added;
};

/* Makes it of names of schedules or files, and of the command line. It must stay where it is; release with
 * verify_check_free. */
void verify_check_begin(struct verify_check *verify_check, const struct options *options,
                        const char *const *names, size_t n);
/* Writes the record of a combination for check_add: `findings`, or NULL if it failed for the errors among
 * `problems`, or for the last usage error. */
void verify_check_record(const struct topology *topology, const struct diagnostics *problems,
                         const struct diagnostics *findings, struct text *out);
/* Adds the next combination by such a record: each name in turn on each network in turn. */
void verify_check_add(struct verify_check *verify_check, const struct text *record);
/* Writes all that was added. */
void verify_check_write(struct verify_check *verify_check, const char *format, struct text *out);
void verify_check_free(struct verify_check *verify_check);

#endif
