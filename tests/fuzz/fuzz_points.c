/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Outputs of benchmarks and files of measured times: anything is refused with a diagnostic, or is
 * points whose times and ranks can be used.
 */
#include "costs/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool name(void *context, enum collective collective, struct timed_point *point)
{
    (void)context;
    point->algorithm = "bcast/binomial";
    return collective != COLLECTIVE_scatter;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_SIZE = 1 << 12 };
    if (size > MAX_SIZE || memchr(data, '\0', size))
        return 0;
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct timed_points points = {0};
    const struct points_request request = {.name = name, .n_ranks = 4, .ranks_per_machine = 2};
    const bool is_read = points_read(&points, &request, source_of_text("fuzz", (const char *)data, size, &arena),
                                     &arena, &diagnostics);
    if (is_read == diagnostics_has_errors(&diagnostics))
        abort();
    for (size_t i = 0; i < points.n; i++)
        if (!(points.items[i].time > 0) || !isfinite(points.items[i].time) || points.items[i].n_ranks == 0)
            abort();
    points_free(&points);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
