/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation for programs (docs/json.md names the keys).
 */
#include "reports/simulation_report.h"

#include "reports/host_costs.h"

#include <stdlib.h>

void simulation_rules_json(const struct player_settings *settings, struct json *json)
{
    json_put_unsigned(json, "process_bandwidth", settings->costs.process_bandwidth);
    json_put_unsigned(json, "eager_bytes", settings->eager_limit);
    json_put_string(json, "send_order", send_order_words[settings->order].name);
    json_put_unsigned(json, "simulation_seed", settings->seed);
    json_put_unsigned(json, "window", settings->window);
}

static void simulation_json_write_settings(const struct simulation *simulation, bool is_played,
                                           struct json *json)
{
    const struct player_settings *settings = &simulation->request.settings;
    json_put_string(json, "model", simulation_models[simulation->request.model].name);
    json_put_string(json, "synchronisation",
                is_played ? synchronisation_words[settings->synchronisation].name : "lockstep");
    json_put_string(json, "collective",
                collective_name(simulation->header->collective, simulation->header->form));
    json_put_string(json, "algorithm", simulation->header->algorithm);
    json_put_string(json, "topology", settings->topology->name);
    json_put_bool(json, "routes_assumed", topology_assumes_routes(settings->topology));
    json_put_unsigned(json, "ranks", settings->placement->n_ranks);
    json_put_unsigned(json, "servers", settings->placement->n_servers);
    json_put_unsigned(json, "chunk_bytes", settings->chunk_bytes);
    host_costs_json(&settings->costs, json);
    if (!is_played)
        return;
    simulation_rules_json(settings, json);
    if (simulation->request.model != SIMULATION_flit)
        return;
    struct text flit = {0};
    flit_print(&simulation->request.flit, &flit);
    json_put_string(json, "flit", flit.data);
    text_free(&flit);
}

static void simulation_json_write_times(const struct simulation *simulation, struct json *json)
{
    const struct played *played = &simulation->played;
    json_put_unsigned(json, "time_ns", played->time);
    json_put_unsigned(json, "latency_ns", played->parts.latency);
    json_put_unsigned(json, "bandwidth_ns", played->parts.bandwidth);
    json_put_unsigned(json, "waiting_ns", played->parts.waiting);
    json_put_unsigned(json, "host_ns", played->parts.host);
    json_put_unsigned(json, "local_ns", played->parts.local);
    json_put_unsigned(json, "memory_ns", played->parts.memory);
    if (simulation->request.model == SIMULATION_flit) {
        json_put_unsigned(json, "cycles", simulation->cycles);
        json_put_unsigned(json, "flits_moved", simulation->flits);
    }
}

static void write_waits(const struct played *played, struct json *json)
{
    json_put_unsigned(json, "last_rank", played->last_rank);
    json_put_unsigned(json, "waited_ns", played->waited);
    if (!played->longest.time) {
        json_put_null(json, "longest_wait");
        return;
    }
    json_open(json, "longest_wait", '{');
    json_put_unsigned(json, "rank", played->longest.rank);
    json_put_unsigned(json, "peer", played->longest.peer);
    json_put_unsigned(json, "step", played->longest.step);
    json_put_unsigned(json, "time_ns", played->longest.time);
    json_close(json, '}');
}

static void write_rank_waits(const struct played *played, struct json *json)
{
    json_open(json, "waits", '[');
    for (uint32_t i = 0; i < played->n_waits; i++) {
        const struct played_rank_wait *wait = &played->waits[i];
        json_open(json, NULL, '{');
        json_put_unsigned(json, "rank", wait->longest.rank);
        json_put_unsigned(json, "time_ns", wait->time);
        json_put_unsigned(json, "longest_ns", wait->longest.time);
        json_put_unsigned(json, "peer", wait->longest.peer);
        json_put_unsigned(json, "step", wait->longest.step);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_critical_path(const struct played *played, struct json *json)
{
    static const char *const names[] = {"send", "receive", "combine", "copy", "combine"};
    size_t n = 0;
    uint64_t waiting = 0;
    uint32_t *path = played_critical_path(played, &n);
    if (!path) {
        json_put_null(json, "critical_path");
        return;
    }
    json_open(json, "critical_path", '[');
    for (size_t i = 0; i < n; i++) {
        const struct played_event *event = &played->events[path[i]];
        json_open(json, NULL, '{');
        json_put_unsigned(json, "rank", event->rank);
        json_put_string(json, "operation", names[event->kind]);
        json_put_index(json, "peer", event->kind <= OP_RECV ? (int64_t)event->peer : -1);
        json_put_unsigned(json, "step", event->step);
        json_put_unsigned(json, "end_ns", event->time);
        json_put_unsigned(json, "waiting_ns", event->waiting - waiting);
        waiting = event->waiting;
        json_close(json, '}');
    }
    json_close(json, ']');
    free(path);
}

void simulation_steps_json(const struct simulation *simulation, struct json *json)
{
    json_open(json, "per_step", '[');
    for (size_t i = 0; i < simulation->n_steps; i++) {
        const struct simulation_step *step = &simulation->steps[i];
        if (step->start == UINT64_MAX)
            continue;
        json_open(json, NULL, '{');
        json_put_unsigned(json, "step", i);
        json_put_unsigned(json, "start_ns", step->start);
        json_put_unsigned(json, "end_ns", step->end);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_figures(const struct under_way_figures *figures, struct json *json)
{
    json_put_unsigned(json, "messages", figures->messages);
    json_put_unsigned(json, "link_load", figures->link_load);
    json_put_unsigned(json, "contended_links", figures->contended_links);
    json_put_unsigned(json, "fan_in", figures->fan_in);
}

static void write_over_time(const struct over_time *all, struct json *json)
{
    json_open(json, "over_time", '{');
    json_put_unsigned(json, "max_messages", all->most.messages);
    json_put_unsigned(json, "max_link_load", all->most.link_load);
    json_put_unsigned(json, "max_contended_links", all->most.contended_links);
    json_put_unsigned(json, "max_fan_in", all->most.fan_in);
    json_put_unsigned(json, "contended_ns", all->contended);
    json_put_unsigned(json, "fan_in_ns", all->several);
    json_open(json, "intervals", '[');
    for (uint32_t i = 0; i < all->n_intervals; i++) {
        json_open(json, NULL, '{');
        json_put_unsigned(json, "start_ns", i * all->width);
        json_put_unsigned(json, "end_ns", i + 1 < all->n_intervals ? (i + 1) * all->width : all->time);
        write_figures(&all->intervals[i], json);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void simulation_json_write_jobs(const struct simulation *simulation, struct json *json)
{
    json_open(json, "jobs", '[');
    for (size_t i = 0; i < simulation->n_jobs; i++) {
        const struct simulation_job *job = &simulation->jobs[i];
        json_open(json, NULL, '{');
        json_put_string(json, "schedule", job->name);
        json_put_unsigned(json, "first_rank", job->first_rank);
        json_put_unsigned(json, "ranks", job->n_ranks);
        json_put_unsigned(json, "time_ns", job->time);
        json_put_unsigned(json, "alone_ns", job->alone);
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
    simulation_json_write_settings(simulation, is_played, &json);
    json_put_unsigned(&json, "steps", played->n_steps);
    json_put_unsigned(&json, "messages", played->n_messages);
    if (played->outcome == PLAYED_STUCK) {
        json_put_null(&json, "time_ns");
        json_put_string(&json, "deadlock", played->problem);
    } else {
        simulation_json_write_times(simulation, &json);
        json_put_null(&json, "deadlock");
        if (is_played) {
            write_waits(played, &json);
            write_rank_waits(played, &json);
            write_critical_path(played, &json);
        }
        if (simulation->steps)
            simulation_steps_json(simulation, &json);
        if (simulation->jobs)
            simulation_json_write_jobs(simulation, &json);
        if (simulation->request.has_over_time)
            write_over_time(&simulation->over_time, &json);
    }
    json_close(&json, '}');
}
