/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies or measures a bound program by its symmetry, where it has one, without expanding the schedule.
 * The symmetry is found on the text (compiler/passes/symmetry/symmetry.h) and carried out for
 * representatives (verify/symmetry/symmetric.h, predict/predict.h, simulate/uniform.h). docs/symmetry.md
 * has the argument.
 */
#ifndef COLLC_STUDY_SYMMETRIC_H
#define COLLC_STUDY_SYMMETRIC_H

#include "compiler/passes/symmetry/symmetry.h"
#include "predict/predict.h"
#include "simulate/uniform.h"
#include "verify/symmetry/symmetric.h"

struct symmetric_verdict {
    bool is_decided;
    struct symmetry symmetry;           /* without a schedule */
    struct symmetric_argument argument; /* its reason is in the arena */
    struct arena arena;
};

/* The report is that of verify_schedule if the verdict is decided, and there is no finding then; else it is
 * empty. `request` is as for verify_schedule. Release the report with verify_report_free, the
 * verdict with symmetric_verdict_free. */
struct symmetric_verdict verify_by_symmetry(const struct binding *binding,
                                            const struct verify_request *request,
                                            struct verify_report *report);
void symmetric_verdict_free(struct symmetric_verdict *verdict);

/* Whether that decides, whatever the network, that the program is right. */
bool is_right_by_symmetry(const struct binding *binding);

/* The loads that predict_gather gives, on the topology and the placement of the binding; false, loads being
 * empty: they are not known by symmetry. */
bool predict_by_symmetry(const struct binding *binding, struct predict_loads *loads);
/* As uniform_find; NULL: not known by symmetry. */
struct uniform *uniform_by_symmetry(const struct binding *binding);

#endif
