/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See synthesis_report.h.
 */
#include "reports/synthesis_report.h"

#include "base/quantity.h"
#include "reports/record.h"
#include "reports/wrap.h"

#include <inttypes.h>

/* ---- figures ---- */

/* In blocks, or bytes. */
static double synthesis_report_load_of(const struct synthesis *synthesis, uint64_t units)
{
    return (double)units / synthesis->loads.segments;
}

static double synthesis_report_bound_of(const struct synthesis *synthesis)
{
    return synthesis->kind ? fraction_real(synthesis->bound) : 0;
}

/* Returns the ratio of the sum of step loads to the bound of the load; 0: there is none. */
static double load_ratio(const struct synthesis *synthesis)
{
    const double bound = synthesis_report_bound_of(synthesis);
    return bound > 0 ? synthesis_report_load_of(synthesis, synthesis->loads.sum_step) / bound : 0;
}

static double time_ratio(const struct synthesis *synthesis)
{
    const double bound = (double)synthesis->bound_time;
    return bound > 0 ? (double)synthesis->time / bound : 0;
}

static const char *model_name(const struct synthesis_request *request)
{
    return simulation_models[request->simulation.model].name;
}

static void synthesis_report_name_link(const struct topology *topology, uint32_t link, struct text *out)
{
    char name[256];
    uint32_t ends[2];
    topology_link_ends(topology, link, &ends[0], &ends[1]);
    for (int i = 0; i < 2; i++) {
        topology_node_name(topology, ends[i], name, sizeof name);
        text_append_safe(out, name);
        text_printf(out, i ? "" : ":");
    }
}

/* ---- text ---- */

static void synthesis_report_print_number(double number, struct text *out)
{
    text_printf(out, number < 1e15 && number == (double)(uint64_t)number ? "%.0f" : "%.2f", number);
}

static void synthesis_report_print_load(const char *what, double load, const char *unit, struct text *out)
{
    text_printf(out, "  %-22s ", what);
    synthesis_report_print_number(load, out);
    text_printf(out, " %s", unit);
}

static void synthesis_report_print_part(const char *what, uint64_t time, struct text *out)
{
    text_printf(out, "  %-22s ", what);
    print_time(time, out);
}

static void print_loads(const struct synthesis_request *request, const struct synthesis *synthesis,
                        struct text *out)
{
    const char *unit = bound_unit(&request->of.what);
    const struct synthesis_loads *loads = &synthesis->loads;
    text_printf(out, "  %-22s %" PRIu64 "\n", "steps", synthesis->report.n_steps);
    synthesis_report_print_load("sum of step loads", synthesis_report_load_of(synthesis, loads->sum_step),
                                unit, out);
    if (synthesis->kind)
        text_printf(out, ", %.4g x bound", load_ratio(synthesis));
    text_printf(out, "\n");
    if (synthesis->kind) {
        synthesis_report_print_load("bound", synthesis_report_bound_of(synthesis), unit, out);
        text_printf(out, " (%s)\n", synthesis->kind);
    }
    synthesis_report_print_load("largest in a step", synthesis_report_load_of(synthesis, loads->max_step),
                                unit, out);
    text_printf(out, "\n  %-22s %" PRIu32 "\n", "largest fan-in", synthesis->report.max_fan_in);
}

static void print_times(const struct synthesis_request *request, const struct synthesis *synthesis,
                        struct text *out)
{
    const struct prediction *prediction = &synthesis->prediction;
    const bool is_sum = request->simulation.model == SIMULATION_step;
    const char *by = is_sum ? "" : ", by the model ", *model = is_sum ? "" : model_name(request);
    if (request->of.what.counts)
        text_printf(out, "\n  predicted time%s%s, of the counts\n", by, model);
    else
        text_printf(out, "\n  predicted time%s%s, of %" PRIu64 " bytes\n", by, model, synthesis->bytes);
    synthesis_report_print_part("all", synthesis->time, out);
    if (synthesis->bound_time)
        text_printf(out, ", %.4g x bound", time_ratio(synthesis));
    text_printf(out, "\n");
    if (synthesis->bound_time) {
        synthesis_report_print_part("bound", synthesis->bound_time, out);
        text_printf(out, "\n");
    }
    const struct {
        const char *name;
        uint64_t time;
    } parts[] = {{"busiest links", prediction->bandwidth}, {"latencies", prediction->latency},
                 {"hosts", prediction->host}, {"head-of-line blocking", prediction->hol},
                 {"copies", prediction->local}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (is_sum && parts[i].time) {
            synthesis_report_print_part(parts[i].name, parts[i].time, out);
            text_printf(out, "\n");
        }
}

/* The load above the bound is of two kinds: the busiest link has more to carry than must be, and in
 * some steps others are busier than it. */
static void print_losses(const struct synthesis_request *request, const struct synthesis *synthesis,
                         struct text *out)
{
    const struct synthesis_loads *loads = &synthesis->loads;
    const char *unit = bound_unit(&request->of.what);
    const double bound = synthesis_report_bound_of(synthesis),
                 most = synthesis_report_load_of(synthesis, loads->most);
    const double sum = synthesis_report_load_of(synthesis, loads->sum_step);
    struct text words = {0};
    text_printf(out, "\n  where it is above the bound\n    ");
    text_printf(&words, "link ");
    synthesis_report_name_link(request->of.what.topology, loads->busiest, &words);
    text_printf(&words, " is the busiest: ");
    synthesis_report_print_number(most, &words);
    text_printf(&words, " %s in all", unit);
    if (synthesis->kind && most > bound) {
        text_printf(&words, ", ");
        synthesis_report_print_number(most - bound, &words);
        text_printf(&words, " more than the bound");
    }
    text_printf(&words, "; it is idle in %" PRIu64 " of %" PRIu64 " steps", loads->n_idle,
                synthesis->report.n_steps);
    text_wrap(out, words.data, 4, 4);
    if (sum > most) {
        text_printf(out, "    other links add ");
        synthesis_report_print_number(sum - most, out);
        text_printf(out, " %s in steps in which they are busier\n", unit);
    }
    text_free(&words);
}

static void print_tries(const struct synthesis_request *request, const struct synthesis *synthesis,
                        struct text *out)
{
    text_printf(out, "\n  %-12s %10s %12s, by the model %s\n", "method", "steps", "time",
                model_name(request));
    for (size_t i = 0; i < synthesis->n_tries; i++) {
        const struct synthesis_try *try = &synthesis->tries[i];
        const size_t start = out->length;
        text_printf(out, "  %-12s ", try->method);
        if (try->is_made) {
            struct text time = {0};
            print_time(try->time, &time);
            text_printf(out, "%10" PRIu64 " %12s\n", try->n_steps, time.data);
            text_free(&time);
            if (try->note.length) {
                text_printf(out, "    ");
                text_wrap(out, try->note.data, 4, 4);
            }
        } else {
            text_wrap(out, try->problem.data, out->length - start,
                      (unsigned)(out->length - start));
        }
    }
}

/* The best built-in algorithm beside what was made. */
static void print_builtin(const struct synthesis *synthesis, struct text *out)
{
    struct text time = {0}, words = {0};
    if (!synthesis->builtin)
        return;
    print_time(synthesis->builtin_time, &time);
    text_printf(&words, "the best built-in algorithm, %s, takes %s by the same model", synthesis->builtin,
                time.data);
    if (synthesis->builtin_time < synthesis->time)
        text_printf(&words, ": it is faster than what was made");
    text_printf(out, "\n  ");
    text_wrap(out, words.data, 2, 2);
    text_free(&time);
    text_free(&words);
}

void synthesis_text(const struct synthesis_request *request, const struct synthesis *synthesis,
                    struct text *out)
{
    const struct bound_request *what = &request->of.what;
    text_printf(out, "%s/%s: %" PRIu32 " rank%s on %" PRIu32 " server%s, ",
                collective_name(what->collective, request->of.form), synthesis->method,
                what->placement->n_ranks, plural(what->placement->n_ranks),
                what->placement->n_servers, plural(what->placement->n_servers));
    text_append_safe(out, what->topology->name);
    text_printf(out, "\n\n");
    print_loads(request, synthesis, out);
    print_times(request, synthesis, out);
    if (synthesis->loads.most)
        print_losses(request, synthesis, out);
    print_tries(request, synthesis, out);
    print_builtin(synthesis, out);
}

/* ---- JSON ---- */

#include "reports/synthesis.def"

void synthesis_json(const struct synthesis_request *request, const struct synthesis *synthesis,
                    struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    synthesis_write(&json, request, synthesis);
    json_close(&json, '}');
}
