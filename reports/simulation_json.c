/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation for programs (docs/json.md names the keys).
 */
#include "reports/simulation_report.h"

#include "reports/json.h"

static void write_settings(const struct simulation *simulation, bool is_played, struct json *json)
{
    const struct player_settings *settings = &simulation->request.settings;
    const struct host_costs *costs = &settings->costs;
    json_string(json, "model", simulation_models[simulation->request.model].name);
    json_string(json, "synchronisation",
                is_played ? synchronisation_words[settings->synchronisation].name : "lockstep");
    json_string(json, "collective",
                collective_name(simulation->header->collective, simulation->header->form));
    json_string(json, "algorithm", simulation->header->algorithm);
    json_string(json, "topology", settings->topology->name);
    json_unsigned(json, "ranks", settings->placement->n_ranks);
    json_unsigned(json, "servers", settings->placement->n_servers);
    json_unsigned(json, "chunk_bytes", settings->chunk_bytes);
    json_unsigned(json, "overhead_ns", costs->overhead);
    json_unsigned(json, "gap_ns", costs->gap);
    json_unsigned(json, "memory_bandwidth", costs->memory_bandwidth);
    json_unsigned(json, "memory_latency_ns", costs->memory_latency);
    if (!is_played)
        return;
    json_unsigned(json, "process_bandwidth", costs->process_bandwidth);
    json_unsigned(json, "eager_bytes", settings->eager_limit);
    json_string(json, "send_order", send_order_words[settings->order].name);
    json_unsigned(json, "simulation_seed", settings->seed);
    json_unsigned(json, "window", settings->window);
    if (simulation->request.model != SIMULATION_flit)
        return;
    struct text flit = {0};
    flit_print(&simulation->request.flit, &flit);
    json_string(json, "flit", flit.data);
    text_free(&flit);
}

static void write_times(const struct simulation *simulation, struct json *json)
{
    const struct played *played = &simulation->played;
    json_unsigned(json, "time_ns", played->time);
    json_unsigned(json, "latency_ns", played->parts.latency);
    json_unsigned(json, "bandwidth_ns", played->parts.bandwidth);
    json_unsigned(json, "waiting_ns", played->parts.waiting);
    json_unsigned(json, "host_ns", played->parts.host);
    json_unsigned(json, "local_ns", played->parts.local);
    json_unsigned(json, "memory_ns", played->parts.memory);
    if (simulation->request.model == SIMULATION_flit) {
        json_unsigned(json, "cycles", simulation->cycles);
        json_unsigned(json, "flits_moved", simulation->flits);
    }
}

static void write_waits(const struct played *played, struct json *json)
{
    json_unsigned(json, "last_rank", played->last_rank);
    json_unsigned(json, "waited_ns", played->waited);
    if (!played->longest.time) {
        json_null(json, "longest_wait");
        return;
    }
    json_open(json, "longest_wait", '{');
    json_unsigned(json, "rank", played->longest.rank);
    json_unsigned(json, "peer", played->longest.peer);
    json_unsigned(json, "step", played->longest.step);
    json_unsigned(json, "time_ns", played->longest.time);
    json_close(json, '}');
}

static void write_steps(const struct simulation *simulation, struct json *json)
{
    json_open(json, "per_step", '[');
    for (size_t i = 0; i < simulation->n_steps; i++) {
        const struct simulation_step *step = &simulation->steps[i];
        if (step->start == UINT64_MAX)
            continue;
        json_open(json, NULL, '{');
        json_unsigned(json, "step", i);
        json_unsigned(json, "start_ns", step->start);
        json_unsigned(json, "end_ns", step->end);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void simulation_json(const struct simulation *simulation, struct text *out)
{
    struct json json = {.out = out};
    const struct played *played = &simulation->played;
    const bool is_played = simulation_models[simulation->request.model].make;
    json_open(&json, NULL, '{');
    write_settings(simulation, is_played, &json);
    json_unsigned(&json, "steps", played->n_steps);
    json_unsigned(&json, "messages", played->n_messages);
    if (played->outcome == PLAYED_STUCK) {
        json_null(&json, "time_ns");
        json_string(&json, "deadlock", played->problem);
    } else {
        write_times(simulation, &json);
        json_null(&json, "deadlock");
        if (is_played)
            write_waits(played, &json);
        if (simulation->steps)
            write_steps(simulation, &json);
    }
    json_close(&json, '}');
}
