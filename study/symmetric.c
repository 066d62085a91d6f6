/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See symmetric.h.
 */
#include "study/symmetric.h"

#include <string.h>

/* Carries out the representatives of one group. */
static bool symmetric_try_group(struct symmetric_verdict *verdict, const struct binding *binding,
                                const struct verify_request *request, struct verify_report *report,
                                struct diagnostics *unread)
{
    struct symmetry *symmetry = &verdict->symmetry;
    symmetry->schedule = expand_witnesses(binding, symmetry->witness, symmetry->n_witnesses, unread);
    verdict->argument = (struct symmetric_argument){.reason = "the steps cannot be produced"};
    if (!symmetry->schedule)
        return false;
    const bool is_decided = verify_symmetric(symmetry, request, report, &verdict->argument);
    symmetry->schedule->destroy(symmetry->schedule);
    symmetry->schedule = NULL;
    return is_decided;
}

struct symmetric_verdict verify_by_symmetry(const struct binding *binding,
                                            const struct verify_request *request,
                                            struct verify_report *report)
{
    struct symmetric_verdict verdict = {0};
    struct diagnostics unread = {0};
    const char *reason = NULL, *first = NULL;
    bool is_open = true;
    *report = (struct verify_report){.max_hol_slowdown = 1};
    if (!binding)
        return verdict;
    for (uint32_t next = 0; is_open && !verdict.is_decided;) {
        is_open = symmetry_find(binding, &next, &verdict.symmetry, &unread, &reason);
        if (is_open) {
            verdict.is_decided = symmetric_try_group(&verdict, binding, request, report, &unread);
            is_open = verdict.argument.is_of_group;
            reason = verdict.argument.reason;
        }
        first = first ? first : reason;
    }
    verdict.argument.reason = verdict.is_decided ? NULL : arena_strndup(&verdict.arena, first, strlen(first));
    diagnostics_free(&unread);
    return verdict;
}

void symmetric_verdict_free(struct symmetric_verdict *verdict)
{
    arena_free(&verdict->arena);
}

bool is_right_by_symmetry(const struct binding *binding)
{
    const struct verify_request request = {.placement = binding->placement};
    struct verify_report report;
    struct symmetric_verdict verdict = verify_by_symmetry(binding, &request, &report);
    const bool is_right = verdict.is_decided;
    verify_report_free(&report);
    symmetric_verdict_free(&verdict);
    return is_right;
}

typedef bool group_taker(const struct binding *binding, const struct symmetry *symmetry, void *found);

/* Hands one group after the other, with its witnesses, to `take`, up to the first for which it returns
 * true. */
static bool any_group(const struct binding *binding, group_taker *take, void *found)
{
    struct symmetry symmetry;
    struct diagnostics unread = {0};
    const char *reason;
    bool is_found = false;
    for (uint32_t next = 0; !is_found && symmetry_find(binding, &next, &symmetry, &unread, &reason);) {
        symmetry.schedule = expand_witnesses(binding, symmetry.witness, symmetry.n_witnesses, &unread);
        if (!symmetry.schedule)
            break;
        is_found = take(binding, &symmetry, found);
        symmetry.schedule->destroy(symmetry.schedule);
    }
    diagnostics_free(&unread);
    return is_found;
}

static bool symmetric_take_loads(const struct binding *binding, const struct symmetry *symmetry, void *found)
{
    return predict_gather_shifted(symmetry, binding->topology, binding->placement, found);
}

bool predict_by_symmetry(const struct binding *binding, struct predict_loads *loads)
{
    *loads = (struct predict_loads){0};
    return any_group(binding, symmetric_take_loads, loads);
}

static bool take_uniform(const struct binding *binding, const struct symmetry *symmetry, void *found)
{
    struct uniform **uniform = found;
    *uniform = uniform_find_shifted(symmetry, binding->topology, binding->placement);
    return *uniform;
}

struct uniform *uniform_by_symmetry(const struct binding *binding)
{
    struct uniform *uniform = NULL;
    any_group(binding, take_uniform, &uniform);
    return uniform;
}
