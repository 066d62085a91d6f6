/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See verification.h. The budget is shared; processes without common memory have a part of it each.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "study/parallel/verification.h"

#include "study/parallel/pool.h"
#include "verify/parts.h"

#include <sys/mman.h>

/* Input of a part. */
struct sharing {
    struct schedule *schedule;
    const struct verify_request *request;
    struct verify_share share; /* share of part 0 */
};

static void measure_part(void *context, uint32_t part, uint32_t n, struct text *out)
{
    const struct sharing *sharing = context;
    struct verify_share share = sharing->share;
    share.number = part;
    share.n = n;
    verify_measure_part(sharing->schedule, sharing->request, &share, out);
}

static bool are_lost(void *context)
{
    return pool_has_failed(context);
}

static const char *verification_bytes_of(void *context, uint32_t part, size_t *length)
{
    return pool_text(context, part, length);
}

/* Verifies with the pool. *is_lost: one process must do it. */
static bool verify_by_pool(struct sharing *sharing, struct verify_report *report,
                           struct diagnostics *findings, bool *is_lost)
{
    struct diagnostics own = *findings; /* still empty */
    struct pool *pool = pool_begin(sharing->share.n, measure_part, sharing);
    *is_lost = false;
    *report = (struct verify_report){.max_hol_slowdown = 1};
    if (!pool)
        return true;
    const struct verify_others others = {sharing->share, pool, are_lost, verification_bytes_of};
    const bool is_done =
        verify_with_others(sharing->schedule, sharing->request, &others, report, &own, is_lost);
    pool_end(pool);
    if (*is_lost) {
        diagnostics_free(&own);
        verify_report_free(report);
    } else {
        *findings = own;
    }
    return is_done;
}

/* Makes memory that copies of this process share. */
static struct verify_claims *make_claims(void)
{
    void *claims = mmap(NULL, sizeof(struct verify_claims), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return claims == MAP_FAILED ? NULL : claims;
}

bool verify_shared(struct schedule *schedule, const struct verify_request *request, uint32_t n,
                   uint64_t n_independent, struct verify_report *report, struct diagnostics *findings)
{
    struct verify_request part = *request;
    struct sharing sharing = {schedule, &part, {.n = verify_n_parts(request, n)}};
    struct verify_share *share = &sharing.share;
    bool is_lost = true, is_done = false;
    if (share->n > 1 && !request->watch && !request->keep_link_load && !findings->first) {
        if (verify_may_be_independent(schedule, request))
            share->n_independent = n_independent;
        if (pool_n_launched() == 1 && request->drift <= 1) /* steps of a window belong together */
            share->claims = make_claims();
        part.common = share->claims;
        part.budget /= share->claims ? 1 : share->n;
        is_done = verify_by_pool(&sharing, report, findings, &is_lost);
        if (share->claims)
            munmap(share->claims, sizeof *share->claims);
    }
    return is_lost ? verify_schedule(schedule, request, report, findings) : is_done;
}
