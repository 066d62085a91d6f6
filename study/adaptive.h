/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verification where routes are adaptive: loads of links are ranges (measure/ranges.h), and take the place of
 * what the verifier counts on one route for each pair. docs/routes.md says what is certain and what is
 * possible.
 */
#ifndef COLLC_STUDY_ADAPTIVE_H
#define COLLC_STUDY_ADAPTIVE_H

#include "measure/ranges.h"
#include "verify/verify.h"

/* Lets the ranges see the flows of each step of a request, on an adaptive topology. The request asks for no
 * bound and has no limits of links any more: keep them for adaptive_judge. Release with load_ranges_free. */
void adaptive_prepare(struct verify_request *request, struct load_ranges *ranges);

/* Reports the limits on link load and contention that are exceeded: L001 or L005 where that is so whatever
 * the switches choose, L007 where it is so by some choices. Takes the figures of links out of the report. */
void adaptive_judge(const struct load_ranges *ranges, const struct verify_limits *limits,
                    const struct source *source, struct verify_report *report, struct diagnostics *findings);

#endif
