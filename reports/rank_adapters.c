/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See rank_adapters.h.
 */
#include "reports/rank_adapters.h"

#include "network/adapters.h"
#include "network/host_ports.h"
#include "reports/record.h"

/* True if a host of the ranks has several adapters that the file tells. */
static bool have_several(const struct topology *topology, const struct placement *placement)
{
    bool is_found = false;
    if (topology_tells_adapters(topology_whole(topology)))
        for (uint32_t server = 0; server < placement->n_servers && !is_found; server++)
            is_found = host_ports_count(topology, placement->server_machine[server]) > 1;
    return is_found;
}

void rank_adapters_text(const struct topology *topology, const struct placement *placement, struct text *out)
{
    const struct rank_adapters *adapters = placement ? placement->adapters : NULL;
    if (!adapters && topology && placement && have_several(topology, placement))
        text_printf(out, "  adapters    one for each message, as routes lead (--rank-adapters: others, or all)\n");
    if (!adapters)
        return;
    text_printf(out, "  adapters    ");
    text_append_safe(out, adapters->name);
    if (adapters->n_stripes > 1)
        text_printf(out, "; a message is %u stripes, each on a rail of its own: loads are of stripes\n",
                    adapters->n_stripes);
    else if (adapters->ways)
        text_printf(out, "\n");
    else
        text_printf(out, "; between rails %s\n",
                    adapters->crosses_fabric ? "by the fabric" : "within the host (PXN)");
}

#include "reports/rank_adapters.def"
