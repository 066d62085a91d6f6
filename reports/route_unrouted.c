/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the groups of collc route --unrouted.
 */
#include "reports/record.h"
#include "reports/route_report.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t route_unrouted_count_pairs(const struct unrouted *unrouted)
{
    const uint64_t n = unrouted->hosts.n_hosts;
    return n ? n * (n - 1) : 0;
}

void unrouted_text(const struct unrouted *unrouted, struct text *out)
{
    text_printf(out, "%s: %" PRIu64 " of %" PRIu64 " pairs of hosts have no route\n",
                unrouted->hosts.topology->name, unrouted->n_pairs, route_unrouted_count_pairs(unrouted));
    for (size_t i = 0; i < unrouted->n_groups; i++) {
        text_printf(out, "  ");
        unrouted_print_group(unrouted, &unrouted->groups[i], false, out);
        text_append(out, "\n", 1);
    }
}

#include "reports/unrouted.def"

void unrouted_json(const struct unrouted *unrouted, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    unrouted_write(&json, unrouted);
    json_close(&json, '}');
}
