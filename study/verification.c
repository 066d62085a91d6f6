/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See verification.h. The budget is shared: each process has its part.
 */
#include "study/verification.h"

#include "study/crew.h"
#include "verify/parts.h"

/* What a part is made from. */
struct sharing {
    struct schedule *schedule;
    const struct verify_request *request;
};

static void measure_part(void *context, uint32_t part, uint32_t n, struct text *out)
{
    const struct sharing *sharing = context;
    verify_measure_part(sharing->schedule, sharing->request, part, n, out);
}

static bool are_lost(void *context)
{
    return crew_has_failed(context);
}

static const char *bytes_of(void *context, uint32_t part, size_t *length)
{
    return crew_text(context, part, length);
}

/* *is_lost: one process is to do it. */
static bool verify_by_crew(struct sharing *sharing, uint32_t n, struct verify_report *report,
                           struct diagnostics *findings, bool *is_lost)
{
    struct diagnostics own = *findings; /* still empty */
    struct crew *crew = crew_begin(n, measure_part, sharing);
    *is_lost = false;
    *report = (struct verify_report){.max_hol_slowdown = 1};
    if (!crew)
        return true;
    const struct verify_others others = {n, crew, are_lost, bytes_of};
    const bool is_done =
        verify_with_others(sharing->schedule, sharing->request, &others, report, &own, is_lost);
    crew_end(crew);
    if (*is_lost) {
        diagnostics_free(&own);
        verify_report_free(report);
    } else {
        *findings = own;
    }
    return is_done;
}

bool verify_shared(struct schedule *schedule, const struct verify_request *request, uint32_t n,
                   struct verify_report *report, struct diagnostics *findings)
{
    struct verify_request part = *request;
    struct sharing sharing = {schedule, &part};
    bool is_lost = true, is_done = false;
    n = verify_n_parts(request, n);
    part.budget /= n;
    if (n > 1 && !request->watch && !request->keep_link_load && !findings->first)
        is_done = verify_by_crew(&sharing, n, report, findings, &is_lost);
    return is_lost ? verify_schedule(schedule, request, report, findings) : is_done;
}
