/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See why.h.
 */
#include "reports/why.h"

#include "base/quantity.h"
#include "reports/host_costs.h"
#include "reports/record.h"

#include <math.h>

static const char *why_word(const struct timed_point *point)
{
    return point->kind == TIMED_MESSAGE  ? "message"
           : point->kind == TIMED_STREAM ? "stream"
                                         : point->algorithm;
}

/* ---- text ---- */

static void why_time_text(double ns, struct text *out)
{
    struct text time = {0};
    if (ns > 0)
        print_time((uint64_t)(ns + 0.5), &time);
    text_printf(out, " %11s", time.length ? time.data : "-");
    text_free(&time);
}

static void why_times_text(const struct causes_request *request, const struct causes *causes,
                           struct text *out)
{
    const struct timed_points *points = request->costs.points;
    text_printf(out, "\n  %-30s %5s %8s %11s %11s %11s %11s\n", "times", "ranks", "bytes", "measured",
                "predicted", "explained", "least");
    for (size_t i = 0; i < points->n; i++) {
        const struct timed_point *point = &points->items[i];
        struct text size = {0};
        print_size(point->bytes, &size);
        text_printf(out, "  %-30s %5u %8s", why_word(point), point->n_ranks, size.data);
        why_time_text(point->time, out);
        why_time_text(causes->predicted[i], out);
        why_time_text(causes->explained[i], out);
        why_time_text(causes->least[i], out);
        if (point->runs)
            text_printf(out, "  %s", point->runs);
        if (point->hosts)
            text_printf(out, "  on %s", point->hosts);
        text_printf(out, "\n");
        text_free(&size);
    }
}

static void why_cause_text(const struct causes_request *request, const struct cause *cause, struct text *out)
{
    cause_print(request, cause, out);
    text_printf(out, "; %s, times %s by %.0f %%", cause->gain < 0 ? "without it" : "mended",
                cause->gain < 0 ? "grow" : "shrink", 100 * fabs(cause->gain));
}

/* Says that no cause was found for times that are off, though not by far in the mean. */
static void why_furthest_text(const struct causes_request *request, const struct causes *causes,
                              struct text *out)
{
    const struct timed_point *point = &request->costs.points->items[causes->furthest];
    text_printf(out, "nothing that was tried explains how far times are off, or is better; furthest off is %s of ",
                why_word(point));
    print_size(point->bytes, out);
    text_printf(out, ", by %.0f %%\n", 100 * (exp(causes->furthest_error) - 1));
}

static void why_verdict_text(const struct causes_request *request, const struct causes *causes,
                             struct text *out)
{
    const bool is_explained = causes->error_left <= CAUSES_EXPLAINED;
    const bool has_cause = causes->n && cause_is_of_run(causes->items[0].kind);
    text_printf(out, "  verdict  ");
    if (!is_explained)
        text_printf(out, "nothing that was tried explains the times: the network is another than stated, or "
                         "something else ran\n");
    else if (causes_are_none(causes))
        text_printf(out, "the times are as predicted, and nothing that was tried is better\n");
    else if (!causes->n)
        why_furthest_text(request, causes, out);
    bool is_first_of_run = is_explained;
    for (size_t i = 0; i < causes->n; i++) {
        const bool is_nearest = !is_explained && i == 0 && has_cause;
        if (i || !is_explained)
            text_printf(out, "  %-8s ", is_nearest                                 ? "nearest"
                                        : i == (is_explained || has_cause ? 1 : 0) ? "then"
                                                                                   : "");
        if (is_first_of_run && cause_is_of_run(causes->items[i].kind)) {
            text_printf(out, "%s", causes->n_rivals ? "most likely " : "");
            is_first_of_run = false;
        }
        why_cause_text(request, &causes->items[i], out);
        text_printf(out, "\n");
    }
}

/* Says what was not stated, and is taken all the same. */
static void why_assumed_text(const struct causes_request *request, const struct causes *causes,
                             struct text *out)
{
    const struct placement_request *where = &request->costs.where;
    bool is_assumed = false;
    for (size_t i = 0; i < request->costs.points->n; i++)
        is_assumed |= !request->costs.points->items[i].hosts;
    if (is_assumed && !where->rule && !where->order)
        text_printf(out, "  assumed  ranks run on the hosts in the topology's order: --placement says where they ran\n");
    if (causes->memory_share > 0)
        host_costs_default_text(&request->hosts, true, causes->memory_share, " that is the longest", out);
}

static void why_below_text(const struct causes_request *request, const struct causes *causes,
                           struct text *out)
{
    const double nearly = 0.97; /* of the bound: timers and buffers */
    size_t n = 0;
    for (size_t i = 0; i < request->costs.points->n; i++)
        n += request->costs.points->items[i].time < nearly * causes->least[i];
    if (n)
        text_printf(out,
                    "  below    %zu time%s shorter than the lower bound: links are faster than stated, or "
                    "fewer ranks ran\n",
                    n, n == 1 ? " is" : "s are");
}

void why_text(const struct causes_request *request, const struct causes *causes, struct text *out)
{
    text_printf(out, "%zu time%s on %s, predicted by %s\n", request->costs.points->n, plural(request->costs.points->n),
                request->costs.topology->name, simulation_models[request->costs.model].name);
    why_verdict_text(request, causes, out);
    for (size_t i = 0; i < causes->n_rivals; i++) {
        text_printf(out, "  %-8s ", i == 0 ? "or" : "");
        cause_print(request, &causes->rivals[i], out);
        text_printf(out, "\n");
    }
    if (causes->n_more_rivals)
        text_printf(out, "           and %zu more of these kinds, which fit about as well\n", causes->n_more_rivals);
    if (causes->next)
        text_printf(out, "  next     measure %s\n", causes->next);
    text_printf(out, "  off by   %.1f %%", 100 * (exp(causes->error) - 1));
    if (causes->error_left < causes->error)
        text_printf(out, ", with what explains the times by %.1f %%", 100 * (exp(causes->error_left) - 1));
    text_printf(out, "\n");
    why_assumed_text(request, causes, out);
    why_below_text(request, causes, out);
    if (causes->are_too_few)
        text_printf(out, "  few      each cause needs two times that differ in size, collective or hosts: no "
                         "further one was looked for\n");
    if (causes->n_untried)
        text_printf(out, "  untried  %zu cables that carry less than others\n", causes->n_untried);
    why_times_text(request, causes, out);
}

/* ---- JSON ---- */

static const char *const why_kinds[] = {[CAUSE_CABLE] = "cable",
                                        [CAUSE_FAILED] = "failed",
                                        [CAUSE_LINKS] = "links",
                                        [CAUSE_OVERHEAD] = "overhead",
                                        [CAUSE_ORDER] = "order",
                                        [CAUSE_ADAPTERS] = "adapters",
                                        [CAUSE_ALGORITHM] = "algorithm",
                                        [CAUSE_BETTER_ORDER] = "better order",
                                        [CAUSE_BETTER_ROUTES] = "better routes",
                                        [CAUSE_BETTER_ALGORITHM] = "better algorithm"};

static void why_put_cause(struct json *json, const char *key, const struct causes_request *request,
                          const struct cause *cause)
{
    struct text words = {0};
    cause_print(request, cause, &words);
    json_put_string(json, key, words.data);
    text_free(&words);
}
#define json_put_cause(json, key, value) why_put_cause(json, key, RECORD_ARGUMENTS value)

static void why_put_cable(struct json *json, const char *key, const struct causes_request *request,
                          const struct cable *cable)
{
    struct text words = {0};
    cause_print_cable(request->costs.topology, cable, &words);
    json_put_string(json, key, words.data);
    text_free(&words);
}
#define json_put_cable(json, key, value) why_put_cable(json, key, RECORD_ARGUMENTS value)

#include "reports/why.def"

void why_json(const struct causes_request *request, const struct causes *causes, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    why_write(&json, request, causes);
    json_close(&json, '}');
}
