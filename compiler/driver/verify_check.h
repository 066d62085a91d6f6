/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reports of one `collc verify` as a check (reports/check.h), for the formats that list findings: each
 * schedule on each network is a combination.
 */
#ifndef COLLC_DRIVER_VERIFY_CHECK_H
#define COLLC_DRIVER_VERIFY_CHECK_H

#include "compiler/driver/job.h"
#include "reports/check.h"

/* Findings of a code that a combination keeps, as of `collc check`; others are counted. */
enum { VERIFY_CHECK_KEPT = 1 << 16 };

struct verify_check {
    struct arena arena;
    struct project project; /* of the arguments and of --topology */
    struct text way;        /* from the root of the repository */
    struct check check;
    size_t n_added;
};

/* Makes it of the command line. It must stay where it is; release with verify_check_free. */
void verify_check_begin(struct verify_check *verify_check, const struct options *options);
/* Adds the next combination: `findings` of the verifier, or NULL if the job failed. Each schedule in turn on
 * each network in turn. */
void verify_check_add(struct verify_check *verify_check, const struct job *job,
                      const struct diagnostics *findings);
/* Writes all that was added. */
void verify_check_write(struct verify_check *verify_check, const char *format, struct text *out);
void verify_check_free(struct verify_check *verify_check);

#endif
