/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See map_report.h.
 */
#include "reports/map_report.h"

#include <inttypes.h>

void map_figure(const char *label, uint64_t before, uint64_t after, struct text *out)
{
    text_printf(out, "# %-42s %12" PRIu64 " %12" PRIu64 "\n", label, before, after);
}

static void map_report_print_routes(const struct mapping_figures *before, const struct mapping_figures *after,
                                    bool is_adaptive, struct text *out)
{
    map_figure("longest route, links", before->max_hops, after->max_hops, out);
    map_figure("all routes, links", before->sum_hops, after->sum_hops, out);
    map_figure("links that routes share", before->shared_links, after->shared_links, out);
    map_figure("cables that routes share, either direction", before->shared_cables,
               after->shared_cables, out);
    if (!is_adaptive)
        return;
    map_figure("links shared, ways chosen", before->chosen_links, after->chosen_links, out);
    map_figure("cables shared, ways chosen", before->chosen_cables, after->chosen_cables, out);
}

static void map_report_print_figures(const struct mapping_result *result, bool has_bytes, bool is_adaptive,
                                     struct text *out)
{
    const struct mapping_figures *before = &result->before, *after = &result->after;
    if (result->order)
        text_printf(out, "# hosts %s\n#\n", result->order);
    text_printf(out, "# %-42s %12s %12s\n", "", "by rank", "mapped");
    if (!result->is_too_dense)
        map_report_print_routes(before, after, is_adaptive, out);
    map_figure(has_bytes ? "busiest link of each step, sum, bytes" : "busiest link of each step, sum, chunks",
               before->step_load, after->step_load, out);
    map_figure(has_bytes ? "busiest link of all steps, bytes" : "busiest link of all steps, chunks",
               before->total_load, after->total_load, out);
    if (before->is_weighed)
        text_printf(out, has_bytes ? "# A byte counts as many times as its link is slower than the fastest.\n"
                                   : "# A chunk counts as many times as its link is slower than the fastest.\n");
}

void map_heading(const struct schedule_header *header, const struct topology *topology,
                 const struct mapping_result *result, struct text *out)
{
    text_printf(out, "# %s/", collective_table[header->collective].name);
    text_append_safe(out, header->algorithm);
    text_printf(out, " on ");
    text_append_safe(out, topology->name);
    text_printf(out, ": the ranks that run its ranks 0 to %" PRIu32 "\n#\n", header->n_ranks - 1);
    if (result->is_too_dense)
        text_printf(out, "# more than %d pairs of ranks communicate: %s\n", MAPPING_MAX_PAIRS,
                    result->is_unmeasured ? "no map was searched for; --work allows more"
                                          : "only orders of hosts were tried");
    if (!result->is_unmeasured)
        map_report_print_figures(result, header->counts, topology->is_adaptive, out);
}

void map_ranks(const uint32_t *map, uint32_t n_ranks, struct text *out)
{
    enum { PER_LINE = 16 };
    for (uint32_t v = 0; v < n_ranks; v++)
        text_printf(out, "%" PRIu32 "%c", map[v],
                    v % PER_LINE == PER_LINE - 1 || v + 1 == n_ranks ? '\n' : ' ');
}
