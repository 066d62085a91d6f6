/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See simulation.h.
 */
#include "study/simulation.h"

#include "predict/predict.h"
#include "simulate/models.h"

#include <stdlib.h>
#include <string.h>

const struct simulation_model_info simulation_models[N_SIMULATION_MODELS] = {
#define SUM(name, title) {#name, title, NULL},
#define MODEL(name, title) {#name, title, simulate_##name},
#include "simulate/models.def"
};

const struct simulation_word synchronisation_words[N_SYNCHRONISATIONS] = {
#define SYNCHRONISATION(name, spelling, title) {spelling, title},
#define SEND_ORDER(name, spelling, title)
#include "simulate/words.def"
};

const struct simulation_word send_order_words[N_SEND_ORDERS] = {
#define SYNCHRONISATION(name, spelling, title)
#define SEND_ORDER(name, spelling, title) {spelling, title},
#include "simulate/words.def"
};

static struct simulation_step *step_at(struct simulation *simulation, uint64_t step)
{
    simulation->steps = mem_grow(simulation->steps, &simulation->capacity, step + 1,
                                 sizeof *simulation->steps);
    for (; simulation->n_steps <= step; simulation->n_steps++)
        simulation->steps[simulation->n_steps] = (struct simulation_step){UINT64_MAX, 0};
    return &simulation->steps[step];
}

static void note_step(void *context, const struct played_op *op)
{
    struct simulation_step *step = step_at(context, op->step);
    if (op->start < step->start)
        step->start = op->start;
    if (op->end > step->end)
        step->end = op->end;
}

enum { N_INTERVALS = 32 }; /* limit of intervals of time: as many lines as a reader can take in */

static void note_transit(void *context, const struct transit *message, bool arrives, uint64_t time)
{
    const struct passage passage = {message->source, message->destination, message->network};
    if (arrives)
        in_flight_leave(context, &passage, time);
    else
        in_flight_enter(context, &passage, time);
}

static void simulation_play(struct simulation *simulation, struct schedule *schedule,
                            struct diagnostics *diagnostics)
{
    struct player_settings settings = simulation->request.settings;
    const struct network_model_settings of_model = {
        .topology = settings.topology,
        .placement = settings.placement,
        .process_bandwidth = settings.costs.process_bandwidth,
        .order = settings.order,
        .seed = settings.seed,
        .flit = &simulation->request.flit};
    struct network_model *model = simulation_models[simulation->request.model].make(&of_model);
    struct in_flight *in_flight = NULL;
    struct network_model *watched = model;
    if (simulation->request.has_over_time) {
        in_flight = in_flight_new(settings.topology, N_INTERVALS, 0, false);
        watched = network_model_watched(model, note_transit, in_flight);
    }
    if (simulation->request.has_steps) {
        settings.observe = note_step;
        settings.context = simulation;
    }
    if (placement_stripes(settings.placement) > 1)
        watched = network_model_striped(watched, settings.placement);
    player_run(schedule, watched, &settings, &simulation->played, diagnostics);
    if (simulation->request.model == SIMULATION_flit) {
        simulation->cycles = flit_cycles(model);
        simulation->flits = flit_moves(model);
    }
    if (in_flight && simulation->played.outcome == PLAYED_WHOLE)
        simulation->over_time = in_flight_end(in_flight, simulation->played.time);
    in_flight_free(in_flight);
    watched->methods->free(watched);
}

/* ---- the model `step` ---- */

static void simulation_add_loads(struct simulation *simulation, const struct predict_loads *loads)
{
    const struct player_settings *settings = &simulation->request.settings;
    uint64_t time = 0;
    for (size_t i = 0; i < loads->n; i++)
        for (uint64_t k = 0; k < loads->loads[i].n_steps; k++) {
            const uint64_t start = time;
            time += predict_step(&loads->loads[i], &settings->costs, settings->chunk_bytes).time;
            *step_at(simulation, loads->loads[i].first + k) = (struct simulation_step){start, time};
        }
}

static void sum(struct simulation *simulation, struct schedule *schedule,
                struct diagnostics *diagnostics)
{
    const struct player_settings *settings = &simulation->request.settings;
    struct played *played = &simulation->played;
    struct predict_loads loads;
    played->outcome = PLAYED_BROKEN;
    if (predict_gather(schedule, settings->topology, settings->placement, &loads, diagnostics)) {
        const struct prediction time =
            predict_time(&loads, &settings->costs, settings->chunk_bytes);
        const bool is_short = time.time < (settings->max_time ? settings->max_time
                                                              : UINT64_MAX);
        *played = (struct played){.outcome = is_short ? PLAYED_WHOLE : PLAYED_BROKEN,
                                  .time = time.time,
                                  .parts = {.latency = time.latency,
                                            .bandwidth = time.bandwidth,
                                            .waiting = time.hol,
                                            .host = time.host,
                                            .local = time.local},
                                  .n_steps = loads.n_steps,
                                  .n_messages = loads.n_messages};
        simulation->worst = time.worst;
        if (!is_short)
            played->problem = strdup(settings->max_time ? "it takes longer than the limit of time"
                                                        : "it takes too long to be counted");
        else if (simulation->request.has_steps)
            simulation_add_loads(simulation, &loads);
    }
    predict_loads_free(&loads);
}

void simulation_run(const struct simulation_request *request, struct schedule *schedule,
                    struct simulation *simulation, struct diagnostics *diagnostics)
{
    *simulation = (struct simulation){.request = *request, .header = &schedule->header};
    if (simulation_models[request->model].make)
        simulation_play(simulation, schedule, diagnostics);
    else
        sum(simulation, schedule, diagnostics);
}

void simulation_free(struct simulation *simulation)
{
    played_free(&simulation->played);
    free(simulation->steps);
    free(simulation->jobs);
    *simulation = (struct simulation){.steps = NULL};
}
