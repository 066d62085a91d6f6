/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See fitted.h.
 */
#include "reports/fitted.h"

#include "base/quantity.h"
#include "network/topology.h"

#include <string.h>

static void value_text(enum model_cost cost, double value, struct text *out)
{
    if (!cost_is_rate(cost))
        print_time((uint64_t)(value + 0.5), out);
    else if (value < 1e-6)
        text_printf(out, "no limit");
    else if (value < 1)
        text_printf(out, "%.4g GB/s", 1 / value);
    else
        text_printf(out, "%.4g MB/s", 1000 / value);
}

static const char *const state_words[] = {
    [COST_HELD] = "as given",
    [COST_UNUSED] = "no time depends on it",
    [COST_LOOSE] = "not determined",
    [COST_KNOWN] = ""};

/* A larger cost of a byte is a smaller bandwidth. */
static void span_text(enum model_cost cost, double least, double most, struct text *out)
{
    value_text(cost, cost_is_rate(cost) ? most : least, out);
    text_printf(out, " to ");
    value_text(cost, cost_is_rate(cost) ? least : most, out);
}

static void cost_text(const struct fitted *fitted, enum model_cost cost, struct text *out)
{
    const struct fitted_cost *found = &fitted->costs[cost];
    struct text value = {0}, span = {0};
    if (found->state != COST_UNUSED && !found->is_several)
        value_text(cost, found->value, &value);
    if (found->state == COST_KNOWN || found->state == COST_LOOSE)
        span_text(cost, found->least, found->most, &span);
    text_printf(out, "  %-20s %-12s %-26s %s\n", model_cost_name[cost], value.length ? value.data : "-",
                span.length ? span.data : "", state_words[found->state]);
    text_free(&value);
    text_free(&span);
}

static void sum_text(const struct known_sum *sum, struct text *out)
{
    text_printf(out, "  %s%s + ", cost_is_rate(sum->first) ? "inverse " : "", model_cost_name[sum->first]);
    if (sum->factor > 1)
        text_printf(out, "%.0f x ", sum->factor);
    else if (sum->factor < 1)
        text_printf(out, "1/%.0f x ", 1 / sum->factor);
    text_printf(out, "%s%s is known: ", cost_is_rate(sum->second) ? "inverse " : "",
                model_cost_name[sum->second]);
    span_text(sum->first, sum->least, sum->most, out);
    text_printf(out, "\n");
}

static void point_text(const struct timed_point *point, double predicted, struct text *out)
{
    struct text size = {0}, measured = {0}, ours = {0};
    print_size(point->bytes, &size);
    print_time((uint64_t)(point->time + 0.5), &measured);
    print_time((uint64_t)(predicted + 0.5), &ours);
    text_printf(out, "  %-34s %5u %9s  %12s %12s %+6.1f %%\n",
                point->kind == TIMED_MESSAGE ? "message"
                : point->kind == TIMED_STREAM ? "stream"
                                              : point->algorithm,
                point->n_ranks, size.data, measured.data, ours.data,
                100 * (predicted - point->time) / point->time);
    text_free(&size);
    text_free(&measured);
    text_free(&ours);
}

static void points_text(const struct costs_request *request, const struct fitted *fitted, bool is_verbose,
                        struct text *out)
{
    const struct timed_points *points = request->points;
    text_printf(out, "%s\n  %-34s %5s %9s  %12s %12s\n",
                is_verbose ? "times:" : "the time that is farthest off:", "", "ranks", "bytes", "measured",
                "predicted");
    for (size_t i = 0; i < points->n; i++)
        if (is_verbose || i == fitted->worst)
            point_text(&points->items[i], fitted->predicted[i], out);
}

void fitted_text(const struct costs_request *request, const struct fitted *fitted, bool is_verbose,
                 struct text *out)
{
    text_printf(out, "fitted to %zu times by the model %s:\n  %-20s %-12s %s\n", request->points->n,
                simulation_models[request->model].name, "", "", "as good is anything from ... to ...");
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        cost_text(fitted, cost, out);
    for (size_t i = 0; i < fitted->n_sums; i++)
        sum_text(&fitted->sums[i], out);
    text_printf(out, "predicted times are off by %.1f %% in the mean, half of them by up to %.1f %%\n",
                100 * fitted->mean_error, 100 * fitted->median_error);
    points_text(request, fitted, is_verbose, out);
}
