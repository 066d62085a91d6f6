/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See model_table.h.
 */
#include "reports/model_table.h"

#include "base/quantity.h"

void table_choice_text(const struct table_choice *choice, struct text *out)
{
    const struct table_parameters *parameters = &choice->parameters;
    text_printf(out, "%s", choice->algorithm ? choice->algorithm : "default");
    if (parameters->fan_out)
        text_printf(out, ", fan-out %llu", (unsigned long long)parameters->fan_out);
    if (parameters->max_requests)
        text_printf(out, ", requests %llu", (unsigned long long)parameters->max_requests);
    if (parameters->segment_bytes) {
        text_printf(out, ", segment ");
        print_size(parameters->segment_bytes, out);
    }
}

static void range_text(const struct model_range *range, enum simulation_model model, struct text *out)
{
    const char *mark = range->is_played || model == SIMULATION_step ? "" : "~";
    if (range->bytes.first == 0 && range->bytes.last == SPAN_NO_END)
        text_printf(out, "all sizes: ");
    else if (range->bytes.last == SPAN_NO_END)
        text_printf(out, "from %llu bytes on: ", (unsigned long long)range->bytes.first);
    else
        text_printf(out, "%llu..%llu bytes: ", (unsigned long long)range->bytes.first,
                    (unsigned long long)range->bytes.last);
    table_choice_text(&range->choice, out);
    if (range->time == UINT64_MAX)
        return;
    text_printf(out, "; %s", mark);
    print_time(range->time, out);
    if (range->choice.algorithm && range->default_time != UINT64_MAX) {
        text_printf(out, " instead of %s", mark);
        print_time(range->default_time, out);
    }
    text_printf(out, " for ");
    print_size(range->at, out);
}

void model_row_text(const char *collective, const struct model_row *row, enum simulation_model model,
                    struct text *out)
{
    for (size_t i = 0; i < row->n; i++) {
        text_printf(out, "%s, %u ranks, ", collective, row->n_ranks);
        range_text(&row->ranges[i], model, out);
        text_printf(out, "\n");
    }
}
