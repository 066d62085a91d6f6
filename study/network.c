/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See network.h.
 */
#include "study/network.h"

#include "network/adapters.h"
#include "network/formats/formats.h"

#include <string.h>

/* Adds to the reports after `last` the place where the tables are named, where only one can be meant. */
static void say_where_routes_are(const struct network_request *request, const struct diagnostic *last,
                                 struct diagnostics *diagnostics)
{
    if (!request->routes_at)
        return;
    for (struct diagnostic *d = last ? last->next : diagnostics->first; d; d = d->next)
        if (!d->related_text) {
            d->related = *request->routes_at;
            d->related_text = "its routes are named here";
        }
}

static bool read_routes(struct topology *topology, const struct network_request *request,
                        struct diagnostics *diagnostics)
{
    const struct diagnostic *last = diagnostics->last;
    const bool is_read =
        !request->routes.n_names || topology_read_routes(topology, &request->routes, diagnostics);
    say_where_routes_are(request, last, diagnostics);
    return is_read;
}

/* Gives 'each' in the place of a part the help that it is for 'collc check'. */
static void help_with_each(const struct topology_restriction *restriction, struct diagnostics *diagnostics)
{
    if (restriction->n_failed == 1 && strcmp(restriction->failed[0], "each") == 0)
        diagnostics->last->help = "name a part, or take out each in turn: 'collc check --fail each', "
                                  "with a project file (docs/ci.md)";
}

struct topology *network_open(const struct network_request *request, struct diagnostics *diagnostics)
{
    struct topology *topology = topology_read(request->spec, diagnostics);
    if (topology)
        topology = topology_take_adapters(topology, request->adapters, diagnostics);
    if (!topology)
        return NULL;
    if (!read_routes(topology, request, diagnostics)) {
        topology_free(topology);
        return NULL;
    }
    topology = topology_restrict(topology, &request->restriction, diagnostics);
    if (!topology)
        help_with_each(&request->restriction, diagnostics);
    return topology;
}
