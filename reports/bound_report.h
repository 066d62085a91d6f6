/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the lower bounds of a collective.
 */
#ifndef COLLC_REPORTS_BOUND_REPORT_H
#define COLLC_REPORTS_BOUND_REPORT_H

#include "bound/bound.h"
#include "bound/cut/cut.h"
#include "bound/flow/flow.h"
#include "bound/overlay/overlay.h"

struct bound_subject {
    const char *name;    /* of the collective and its form */
    const char *demand;  /* of the pattern that it stands for, or NULL */
    uint64_t bytes;      /* that the user said, or 0 */
    uint64_t unit_bytes; /* of what bounds count, 0: not said */
    const struct flow *flow;
    const struct cut_proof *cut;
    const struct overlay *overlay;
};

void bound_text(const struct bound_request *request, const struct bound_subject *subject,
                struct text *out);
void bound_json(const struct bound_request *request, const struct bound_subject *subject,
                struct text *out);
/* True if the least numbers of steps are known and part of the report. */
bool bound_has_steps(const struct bound_request *request);

#endif
