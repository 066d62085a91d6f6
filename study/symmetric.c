/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See symmetric.h.
 */
#include "study/symmetric.h"

#include <string.h>

struct symmetric_verdict verify_by_symmetry(const struct binding *binding,
                                            const struct verify_request *request,
                                            struct verify_report *report)
{
    struct symmetric_verdict verdict = {0};
    struct symmetry *symmetry = &verdict.symmetry;
    struct diagnostics unread = {0};
    const char *reason = NULL;
    *report = (struct verify_report){.max_hol_slowdown = 1};
    if (symmetry_find(binding, symmetry, &unread, &reason)) {
        symmetry->schedule =
            expand_witnesses(binding, symmetry->witness, symmetry->n_witnesses, &unread);
        verdict.is_decided =
            symmetry->schedule && verify_symmetric(symmetry, request, report, &verdict.argument);
        reason = verdict.argument.reason;
    }
    if (!verdict.is_decided && !reason)
        reason = "the steps cannot be produced";
    if (symmetry->schedule)
        symmetry->schedule->destroy(symmetry->schedule);
    symmetry->schedule = NULL;
    verdict.argument.reason = reason ? arena_strndup(&verdict.arena, reason, strlen(reason)) : NULL;
    diagnostics_free(&unread);
    return verdict;
}

void symmetric_verdict_free(struct symmetric_verdict *verdict)
{
    arena_free(&verdict->arena);
}
