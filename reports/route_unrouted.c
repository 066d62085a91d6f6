/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the groups of collc route --unrouted.
 */
#include "reports/json.h"
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

static void put_hosts(struct json *json, const char *key, const char *n_key, const struct unrouted *unrouted,
                      const uint32_t *hosts, uint32_t n)
{
    struct text names = {0};
    host_sets_print_names(unrouted->hosts.topology, hosts, n, 0, &names);
    json_put_string(json, key, names.data);
    json_put_unsigned(json, n_key, n);
    text_free(&names);
}

static void route_unrouted_put_group(struct json *json, const struct unrouted *unrouted,
                                     const struct unrouted_group *group)
{
    struct text words = {0}, reason = {0};
    uint32_t *sources = unrouted_sources(unrouted, group);
    unrouted_print_group(unrouted, group, true, &words);
    if (tables_are_used(unrouted->hosts.topology))
        tables_print_end(unrouted->hosts.topology, &group->end, "it", &reason);
    json_open(json, NULL, '{');
    put_hosts(json, "from", "from_hosts", unrouted, sources, group->n_sources);
    put_hosts(json, "to", "to_hosts", unrouted, group->destinations, group->n_destinations);
    json_put_bool(json, "both_ways", group->is_mutual);
    json_put_unsigned(json, "pairs", group->n_pairs);
    json_put_string(json, "problem", reason.data);
    json_put_string(json, "words", words.data);
    json_close(json, '}');
    free(sources);
    text_free(&words);
    text_free(&reason);
}

void unrouted_json(const struct unrouted *unrouted, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_put_string(&json, "topology", unrouted->hosts.topology->name);
    json_put_unsigned(&json, "hosts", unrouted->hosts.n_hosts);
    json_put_unsigned(&json, "pairs", route_unrouted_count_pairs(unrouted));
    json_put_unsigned(&json, "pairs_unrouted", unrouted->n_pairs);
    json_open(&json, "groups", '[');
    for (size_t i = 0; i < unrouted->n_groups; i++)
        route_unrouted_put_group(&json, unrouted, &unrouted->groups[i]);
    json_close(&json, ']');
    json_close(&json, '}');
}
