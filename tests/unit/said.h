/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All that is said of a verified schedule, so that two ways to a verdict can be compared byte for byte.
 */
#ifndef COLLC_TESTS_SAID_H
#define COLLC_TESTS_SAID_H

#include "verify/verify.h"

/* Returns in one text: 0, or 1 and the report as text and as JSON if it was verified to its end; then the
 * findings. Release with text_free. */
struct text said_of_verdict(const struct schedule_header *header, const struct verify_request *request,
                            const struct verify_report *report, const struct diagnostics *findings,
                            bool is_done);

#endif
