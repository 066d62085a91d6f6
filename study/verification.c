/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See verification.h. The budget is shared: where processes have no memory in common each has its part.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "study/verification.h"

#include "study/crew.h"
#include "verify/parts.h"

#include <sys/mman.h>

/* What a part is made from. */
struct sharing {
    struct schedule *schedule;
    const struct verify_request *request;
    struct verify_claims *claims; /* NULL: there is no memory in common */
};

static void measure_part(void *context, uint32_t part, uint32_t n, struct text *out)
{
    const struct sharing *sharing = context;
    verify_measure_part(sharing->schedule, sharing->request, sharing->claims, part, n, out);
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
    const struct verify_others others = {n, sharing->claims, crew, are_lost, bytes_of};
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

/* Memory that copies of this process share. */
static struct verify_claims *make_claims(void)
{
    void *claims = mmap(NULL, sizeof(struct verify_claims), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return claims == MAP_FAILED ? NULL : claims;
}

bool verify_shared(struct schedule *schedule, const struct verify_request *request, uint32_t n,
                   struct verify_report *report, struct diagnostics *findings)
{
    struct verify_request part = *request;
    struct sharing sharing = {schedule, &part, NULL};
    bool is_lost = true, is_done = false;
    n = verify_n_parts(request, n);
    if (n > 1 && !request->watch && !request->keep_link_load && !findings->first) {
        if (crew_n_launched() == 1 && request->drift <= 1) /* steps of a window belong together */
            sharing.claims = make_claims();
        part.common = sharing.claims;
        part.budget /= sharing.claims ? 1 : n;
        is_done = verify_by_crew(&sharing, n, report, findings, &is_lost);
        if (sharing.claims)
            munmap(sharing.claims, sizeof *sharing.claims);
    }
    return is_lost ? verify_schedule(schedule, request, report, findings) : is_done;
}
