/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes, verifies, measures and compares schedules. See synthesis.h.
 */
#include "study/synthesis.h"

#include "bound/cut/cut.h"
#include "bound/flow/flow.h"
#include "bound/overlay/overlay.h"
#include "bound/routes.h"
#include "network/load.h"
#include "study/lower_bound.h"

#include <stdlib.h>
#include <string.h>

/* ---- loads ---- */

static void synthesis_add_step(const struct schedule *schedule, const struct bound_request *where,
                               const struct step *step, struct hop *hops, struct link_loads *loads)
{
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        uint32_t n = topology_route(where->topology, where->placement->machine[send->rank],
                                    where->placement->machine[send->peer], hops);
        n = link_loads_drop_fat_pipes(where->topology, hops, n);
        link_loads_add(loads, hops, n, schedule_units(&schedule->header, send));
    }
}

/* Measures loads. As the busiest link is known only after all steps, the busy steps of each link are
 * counted. */
static void measure_loads(struct schedule *schedule, const struct bound_request *where,
                          struct synthesis_loads *out)
{
    const struct topology *topology = where->topology;
    struct link_loads loads = link_loads_new(topology, true);
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    uint64_t *n_busy = mem_alloc(topology->n_link_ids, sizeof *n_busy), n_steps = 0;
    struct step step;
    *out = (struct synthesis_loads){.segments = schedule_block_units(&schedule->header)};
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        uint64_t most = 0, at = 0;
        uint32_t link;
        synthesis_add_step(schedule, where, &step, hops, &loads);
        while (link_loads_next(&loads, &at, &link)) {
            most = loads.load[link] > most ? loads.load[link] : most;
            n_busy[link]++;
        }
        n_steps += !step_is_local(&step);
        out->sum_step += most;
        out->max_step = most > out->max_step ? most : out->max_step;
        link_loads_count(&loads, UINT64_MAX);
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (loads.total[link] > out->most) {
            out->most = loads.total[link];
            out->busiest = link;
        }
    out->n_idle = out->most ? n_steps - n_busy[out->busiest] : 0;
    free(n_busy);
    free(hops);
    link_loads_free(&loads);
}

/* ---- bounds ---- */

static void keep_bound(const struct lower_bound *least, struct synthesis *synthesis, bool has_counts)
{
    const uint64_t time = lower_bound_time(least, has_counts ? 1 : synthesis->bytes);
    synthesis->kind = least->kind;
    synthesis->bound = least->kind ? fraction_of(least->top, least->bottom) : (struct fraction){0};
    synthesis->bound_time = time == UINT64_MAX ? 0 : time;
}

/* Finds the bounds that are computed instantly. */
static void find_cuts(const struct bound_request *what, struct lower_bound *least)
{
    struct bound bound = {.kind = NULL};
    if (!bound_serves(what->collective))
        return;
    struct cut_proof proof = cut_prove(what);
    if (cut_bound(&proof, what, &bound))
        lower_bound_take(&bound, least);
    text_free(&bound.reason);
    cut_proof_free(&proof);
    bound_each_cut(what, lower_bound_take, least);
}

static struct overlay_known find_flow(const struct bound_request *what, const struct lp_solver *solver,
                                      struct lower_bound *least)
{
    struct bound bound = {.kind = NULL};
    struct flow flow = flow_of(what, solver);
    const struct overlay_known known = overlay_known_by(&flow);
    if (flow_bound(&flow, what, &bound))
        lower_bound_take(&bound, least);
    text_free(&bound.reason);
    flow_free(&flow);
    return known;
}

/* Finds the bound over relays. Returns false if more may be provable. */
static bool find_overlay(const struct bound_request *what, const struct overlay_known *known,
                         struct lower_bound *least)
{
    struct bound bound = {.kind = NULL};
    struct overlay overlay = overlay_of(what, known, OVERLAY_WORK);
    const bool is_best = overlay_is_best(&overlay);
    if (overlay_bound(&overlay, what, &bound))
        lower_bound_take(&bound, least);
    text_free(&bound.reason);
    overlay_free(&overlay);
    return is_best;
}

/* Finds the other bounds. The best ways over relays need no less than the best flow by any routes: on a
 * large network, of which the job uses a part, that flow's program need not be solved. */
static void find_others(const struct bound_request *what, const struct lp_solver *solver,
                        struct lower_bound *least)
{
    struct overlay_known known = {.is_flow = true};
    if (!bound_serves(what->collective))
        return;
    if (!lower_bound_is_small(what->topology) && find_overlay(what, &known, least))
        return;
    known = find_flow(what, solver, least);
    if (lower_bound_is_small(what->topology))
        find_overlay(what, &known, least);
}

/* ---- what is made ---- */

static bool synthesis_verify(const struct synthesis_request *request, struct schedule *schedule,
                             struct verify_report *report, struct diagnostics *findings)
{
    const struct verify_request what = {.topology = request->of.what.topology,
                                        .placement = request->of.what.placement};
    schedule->rewind(schedule);
    const bool is_run = verify_schedule(schedule, &what, report, findings);
    return is_run && report->is_complete && !diagnostics_has_errors(findings);
}

/* The schedule of one method, and its figures. */
struct made {
    struct schedule *schedule;
    struct verify_report report;
    struct prediction prediction;
    uint64_t busiest_link, time, local;
};

static uint64_t chunk_bytes(const struct schedule_header *header, uint64_t bytes)
{
    return header->counts ? 1 : collective_chunk_bytes(header->collective, header->segments, bytes);
}

static bool synthesis_predict(const struct synthesis_request *request, struct made *made, uint64_t bytes,
                              struct diagnostics *findings)
{
    struct predict_loads loads = {0};
    const uint64_t chunk = chunk_bytes(&made->schedule->header, bytes);
    made->schedule->rewind(made->schedule);
    const bool is_measured = predict_gather(made->schedule, request->of.what.topology,
                                            request->of.what.placement, &loads, findings);
    if (is_measured) {
        made->prediction = predict_time(&loads, &request->simulation.settings.costs, chunk);
        made->busiest_link = predict_busiest_link(&loads, chunk);
        made->time = made->prediction.time;
        made->local = made->prediction.local;
    }
    predict_loads_free(&loads);
    return is_measured;
}

/* False after saying in `problem` why it has no time. */
static bool synthesis_play(const struct synthesis_request *request, struct made *made, uint64_t bytes,
                           struct diagnostics *findings, struct text *problem)
{
    struct simulation_request of = request->simulation;
    struct simulation simulation = {.played.outcome = PLAYED_BROKEN};
    of.settings.topology = request->of.what.topology;
    of.settings.placement = request->of.what.placement;
    of.settings.chunk_bytes = chunk_bytes(&made->schedule->header, bytes);
    made->schedule->rewind(made->schedule);
    simulation_run(&of, made->schedule, &simulation, findings);
    const bool is_whole = simulation.played.outcome == PLAYED_WHOLE;
    made->time = simulation.played.time;
    made->local = simulation.played.parts.local;
    if (!is_whole)
        text_printf(problem, "it cannot be played by the model %s: %s", simulation_models[of.model].name,
                    simulation.played.problem ? simulation.played.problem : "what is made does not end");
    simulation_free(&simulation);
    return is_whole;
}

static void synthesis_drop(struct synthesis *synthesis)
{
    if (synthesis->schedule)
        synthesis->schedule->destroy(synthesis->schedule);
    verify_report_free(&synthesis->report);
    synthesis->schedule = NULL;
}

static void synthesis_keep(struct synthesis *synthesis, const struct made *made, const char *method)
{
    synthesis->schedule = made->schedule;
    synthesis->method = method;
    synthesis->report = made->report;
    synthesis->prediction = made->prediction;
    synthesis->busiest_link = made->busiest_link;
    synthesis->time = made->time;
    synthesis->local = made->local;
}

/* Tries one method; keeps the schedule if it is the best so far. Returns false if it is wrong. */
static bool try_method(const struct synthesis_request *request, unsigned method,
                       struct synthesis *synthesis)
{
    struct synth_request of = request->of;
    struct synthesis_try *try = &synthesis->tries[synthesis->n_tries++];
    struct made made = {0};
    of.method = method;
    of.is_exact = request->method != NULL;
    of.note = &try->note;
    *try = (struct synthesis_try){.method = synth_method_name[method]};
    made.schedule = collc_synth(&of, &try->problem);
    if (!made.schedule)
        return true;
    const bool is_right = synthesis_verify(request, made.schedule, &made.report, &synthesis->findings) &&
                          synthesis_predict(request, &made, synthesis->bytes, &synthesis->findings);
    const bool is_timed =
        !is_right || !simulation_models[request->simulation.model].make ||
        synthesis_play(request, &made, synthesis->bytes, &synthesis->findings, &try->problem);
    try->is_made = is_timed;
    try->n_steps = made.report.n_steps;
    try->time = made.time;
    try->busiest_link = made.busiest_link;
    if (is_right && (!is_timed || (synthesis->schedule && made.time >= synthesis->time))) {
        made.schedule->destroy(made.schedule);
        verify_report_free(&made.report);
        return true;
    }
    synthesis_drop(synthesis);
    synthesis_keep(synthesis, &made, try->method);
    return is_right;
}

/* ---- which methods are tried ---- */

/* True if a time is within 2 % of the bound. */
static bool synthesis_is_near_bound(const struct synthesis *synthesis, uint64_t time)
{
    return synthesis->bound_time && time / 102 < synthesis->bound_time / 100;
}

/* True if the best so far is, without the copies within machines. */
static bool is_enough(const struct synthesis *synthesis)
{
    return synthesis->schedule && synthesis_is_near_bound(synthesis, synthesis->time - synthesis->local);
}

/* Returns the time of the busiest link if all blocks go straight, in ns; 0 if unknown. */
static uint64_t straight_time(const struct bound_request *what, uint64_t bytes)
{
    struct bound bound = {.kind = NULL};
    const uint64_t time = bound_routes(what, &bound) ? bound_time(&bound, what->counts ? 1 : bytes) : 0;
    text_free(&bound.reason);
    return time;
}

static void leave_out(unsigned method, bool is_enough, struct synthesis *synthesis)
{
    struct synthesis_try *try = &synthesis->tries[synthesis->n_tries++];
    *try = (struct synthesis_try){.method = synth_method_name[method]};
    if (is_enough)
        text_printf(&try->problem, "not tried: %s is within 2 %% of the bound", synthesis->method);
    else
        text_printf(&try->problem, "not tried: %s is faster than blocks that go straight can be",
                    synthesis->method);
}

/* Tries the method unless it cannot make anything better. False: what it made is wrong. */
static bool try_if_worth(const struct synthesis_request *request, unsigned method, uint64_t straight,
                         struct synthesis *synthesis)
{
    const bool is_known = synthesis->schedule && collc_synth_is_straight(method) && straight;
    if (request->method && strcmp(request->method, synth_method_name[method]) != 0)
        return true;
    if (!is_enough(synthesis) && !(is_known && straight >= synthesis->time))
        return try_method(request, method, synthesis);
    leave_out(method, is_enough(synthesis), synthesis);
    return true;
}

/* Tries all methods, in their order; but if blocks that go straight cannot come near the bound, first those
 * with relays. */
static bool synthesis_try_all(const struct synthesis_request *request, struct synthesis *synthesis)
{
    const uint64_t straight = straight_time(&request->of.what, synthesis->bytes);
    const bool is_turned = straight && synthesis->bound_time && !synthesis_is_near_bound(synthesis, straight);
    bool is_right = true;
    for (unsigned method = 0; is_right && method < N_SYNTH_METHODS; method++)
        if (!is_turned || !collc_synth_is_straight(method))
            is_right = try_if_worth(request, method, straight, synthesis);
    for (unsigned method = 0; is_right && is_turned && method < N_SYNTH_METHODS; method++)
        if (collc_synth_is_straight(method))
            is_right = try_if_worth(request, method, straight, synthesis);
    return is_right;
}

struct synthesis synthesis_make(const struct synthesis_request *request)
{
    struct synthesis synthesis = {.bytes = request->of.bytes ? request->of.bytes : SYNTHESIS_BYTES};
    struct lower_bound least = {.kind = NULL};
    find_cuts(&request->of.what, &least);
    keep_bound(&least, &synthesis, request->of.what.counts);
    if (!synthesis_try_all(request, &synthesis))
        synthesis_drop(&synthesis);
    if (synthesis.schedule && request->is_explained) {
        measure_loads(synthesis.schedule, &request->of.what, &synthesis.loads);
        find_others(&request->of.what, &request->solver, &least);
        keep_bound(&least, &synthesis, request->of.what.counts);
    }
    if (synthesis.schedule)
        synthesis.schedule->rewind(synthesis.schedule);
    return synthesis;
}

void synthesis_free(struct synthesis *synthesis)
{
    synthesis_drop(synthesis);
    for (size_t i = 0; i < synthesis->n_tries; i++)
        text_free(&synthesis->tries[i].problem), text_free(&synthesis->tries[i].note);
    diagnostics_free(&synthesis->findings);
}
