/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies with several processes (study/parallel/pool.h), with the report and the findings of one.
 */
#ifndef COLLC_STUDY_PARALLEL_VERIFICATION_H
#define COLLC_STUDY_PARALLEL_VERIFICATION_H

#include "verify/verify.h"

/* Does the same as verify_schedule, with n processes; `findings` must be empty. n_independent: approximate
 * number of steps of a program if all are expected to be independent (verify/parts.h); else 0. If the work
 * cannot be shared, or there are findings about the network, one process does all of it, as soon as that is
 * known. In a launched process that does not report, the report is empty. */
bool verify_shared(struct schedule *schedule, const struct verify_request *request, uint32_t n,
                   uint64_t n_independent, struct verify_report *report, struct diagnostics *findings);

#endif
