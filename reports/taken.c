/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See taken.h.
 */
#include "reports/taken.h"

#include "base/quantity.h"
#include "reports/record.h"

static void taken_add_number(struct text *out, bool has, const char *name, uint64_t value)
{
    if (has && value)
        text_printf(out, ", %s %llu", name, (unsigned long long)value);
}

void taken_choice_text(const struct taken *taken, struct text *out)
{
    const struct table_range *range = &taken->range;
    text_printf(out, "%s", range->algorithm);
    if (taken->number)
        text_printf(out, " (algorithm %lld)", (long long)taken->number);
    if (range->has_segment && range->parameters.segment_bytes) {
        text_printf(out, ", segment ");
        print_size(range->parameters.segment_bytes, out);
    }
    taken_add_number(out, range->has_fan_out, "fan-out", range->parameters.fan_out);
    taken_add_number(out, range->has_max_requests, "requests", range->parameters.max_requests);
    if (range->runs_as)
        text_printf(out, ", in whose place %s runs", range->runs_as);
}

void taken_counterpart_text(const struct taken *taken, struct text *out)
{
    text_printf(out, "%s", taken->counterpart->ours);
    for (size_t i = 0; i < taken->n_settings; i++)
        text_printf(out, ", %s=%lld", taken->settings[i].name, (long long)taken->settings[i].value);
}

static const char *taken_path(const struct taken *taken)
{
    return taken->table->source ? taken->table->source->path : NULL;
}

void taken_text(const struct taken *taken, struct text *out)
{
    const struct table_range *range = &taken->range;
    const struct table_loader *loader = taken->table->loader;
    text_printf(out, "%s takes for %s of %u ranks", loader->target,
                loader->collectives[taken->query.collective], taken->query.n_ranks);
    if (taken->query.n_nodes)
        text_printf(out, " on %u host%s", taken->query.n_nodes, plural(taken->query.n_nodes));
    if (taken->bytes) {
        text_printf(out, " and ");
        print_size(taken->bytes, out);
        text_printf(out, "%s", taken->bytes % 1024 ? " bytes" : "");
    }
    text_printf(out, ": ");
    taken_choice_text(taken, out);
    if (!taken->problem) {
        text_printf(out, "; here it is ");
        taken_counterpart_text(taken, out);
    }
    text_printf(out, " (");
    if (range->rule && range->rule->line && taken_path(taken))
        text_printf(out, "line %u: ", range->rule->line);
    text_printf(out, "%s)", range->why);
    if (range->wrong)
        text_printf(out, "; wrong data and no error: %s", range->wrong);
}

#include "reports/taken.def"
