/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies or measures a bound program by its symmetry, if it has one, without expanding the schedule.
 * The symmetry is found in the text (compiler/passes/symmetry/symmetry.h) and executed for
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
    struct symmetric_argument argument; /* the arena owns its reason */
    struct arena arena;
};

/* Verifies by symmetry; binding NULL: there is no program, so no verdict. If the verdict is decided, the
 * report is that of verify_schedule, and there is no finding; else it is empty, and verify_schedule has to go
 * rank by rank. `request` is as for verify_schedule. Release the report with
 * verify_report_free, the verdict with symmetric_verdict_free. */
struct symmetric_verdict verify_by_symmetry(const struct binding *binding,
                                            const struct verify_request *request,
                                            struct verify_report *report);
void symmetric_verdict_free(struct symmetric_verdict *verdict);

/* True if symmetry proves, for any network, that the program is right. */
bool is_right_by_symmetry(const struct binding *binding);

/* Computes the loads that predict_gather would, on the topology and the placement of the binding. Returns
 * false, with empty loads, if symmetry does not give them. */
bool predict_by_symmetry(const struct binding *binding, struct predict_loads *loads);
/* Does the same as uniform_find. Returns NULL if symmetry does not give it. */
struct uniform *uniform_by_symmetry(const struct binding *binding);

#endif
