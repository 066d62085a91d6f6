/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See rank_adapters.h.
 */
#include "reports/rank_adapters.h"

#include "reports/record.h"

void rank_adapters_text(const struct placement *placement, struct text *out)
{
    const struct rank_adapters *adapters = placement ? placement->adapters : NULL;
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
