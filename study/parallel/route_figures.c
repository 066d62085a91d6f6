/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One process walks all pairs, the other the random matchings. See route_figures.h.
 */
#include "study/parallel/route_figures.h"

#include "study/parallel/pool.h"

#include <string.h>

struct sharing {
    const struct topology *topology;
    const struct metrics_request *request;
};

static void measure_bisection(void *context, uint32_t part, uint32_t n, struct text *out)
{
    const struct sharing *sharing = context;
    (void)part, (void)n;
    const double bisection = metrics_bisection(sharing->topology, sharing->request);
    text_append(out, (const char *)&bisection, sizeof bisection);
}

struct metrics metrics_shared(const struct topology *topology, const struct metrics_request *request,
                              uint32_t n)
{
    struct sharing sharing = {topology, request};
    size_t length;
    if (n < 2)
        return metrics_measure(topology, request);
    struct pool *pool = pool_begin(2, measure_bisection, &sharing);
    if (!pool)
        return (struct metrics){.pairs = 0};
    struct metrics metrics = metrics_of_pairs(topology, request);
    const char *bisection = pool_text(pool, 1, &length);
    if (bisection && length == sizeof metrics.effective_bisection)
        memcpy(&metrics.effective_bisection, bisection, length);
    else
        metrics.effective_bisection = metrics_bisection(topology, request);
    pool_end(pool);
    return metrics;
}
