/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls all bounds. See bound.h.
 */
#include "bound/bound.h"

#include "bound/bisection.h"
#include "bound/gossip.h"
#include "bound/routes.h"

typedef bool bound_function(const struct bound_request *request, struct bound *bound);

static void bound_show(const struct bound_request *request, bound_function *function, bound_found *found,
                       void *data)
{
    struct bound bound = {.kind = NULL};
    if (function(request, &bound))
        found(&bound, data);
    text_free(&bound.reason);
}

void bound_each_cut(const struct bound_request *request, bound_found *found, void *data)
{
    static bound_function *const cuts[] = {bound_bisection, bound_tree, bound_machine, bound_gossip};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        bound_show(request, cuts[i], found, data);
}

void bound_each(const struct bound_request *request, bound_found *found, void *data)
{
    bound_each_cut(request, found, data);
    bound_show(request, bound_routes, found, data);
}

uint64_t bound_time(const struct bound *bound, uint64_t bytes)
{
    if (bound->bandwidth == 0)
        return 0;
    const divider_product size = (divider_product)bound->blocks * bytes;
    if (size > UINT64_MAX / 2)
        return UINT64_MAX;
    const divider_product time = (size * 1000000000 + bound->bandwidth - 1) / bound->bandwidth;
    return time > UINT64_MAX ? UINT64_MAX : (uint64_t)time;
}
