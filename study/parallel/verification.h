/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A verification by several processes (study/parallel/crew.h), with the report and the findings of one.
 */
#ifndef COLLC_STUDY_PARALLEL_VERIFICATION_H
#define COLLC_STUDY_PARALLEL_VERIFICATION_H

#include "verify/verify.h"

/* As verify_schedule, by n processes; `findings` is empty. n_independent: of a program of which all steps are
 * expected to be independent (verify/parts.h), about how many these are; 0: they are not. Where they cannot
 * share the work, or something is to be said about the network, one does all of it, as soon as that is known.
 * Of a process that was launched and does not report, the report is empty. */
bool verify_shared(struct schedule *schedule, const struct verify_request *request, uint32_t n,
                   uint64_t n_independent, struct verify_report *report, struct diagnostics *findings);

#endif
