/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation for people. Each number has its model and its synchrony beside it.
 */
#include "reports/simulation_report.h"

#include "base/quantity.h"
#include "reports/host_costs.h"
#include "reports/rank_adapters.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_WAITS = 5, MAX_PATH = 20 }; /* lines */

static void simulation_text_print_label(struct text *out, const char *label)
{
    text_printf(out, "  %-12s", label);
}

static void simulation_text_print_part(struct text *out, const char *label, uint64_t ns, const char *what)
{
    struct text time = {0};
    print_time(ns, &time);
    simulation_text_print_label(out, label);
    text_printf(out, "%12s%s%s\n", time.data, *what ? "  " : "", what);
    text_free(&time);
}

uint64_t alltoall_bandwidth(enum collective collective, const struct placement *placement, uint64_t bytes,
                            uint64_t ns)
{
    double pairs = 0;
    if (collective != COLLECTIVE_alltoall || placement->n_servers < 2 || ns == 0)
        return 0;
    for (uint32_t i = 0; i < placement->n_servers; i++)
        pairs += (double)placement_slots(placement, i) * (placement->n_ranks - placement_slots(placement, i));
    return (uint64_t)(pairs * (double)bytes / placement->n_servers / (double)ns * 1e9 + 0.5);
}

static bool is_played(const struct simulation *simulation)
{
    return simulation_models[simulation->request.model].make;
}

void assumed_routes_text(const struct topology *topology, struct text *out)
{
    if (topology->is_adaptive) {
        simulation_text_print_label(out, "routing");
        text_printf(out, "%s\n", topology_routing_rule(topology));
        return;
    }
    if (!topology_assumes_routes(topology))
        return;
    simulation_text_print_label(out, "routes");
    text_printf(out, "assumed, without tables: shortest paths\n");
}

void simulation_rules_text(const struct player_settings *settings, struct text *out)
{
    const struct simulation_word *synchronisation =
        &synchronisation_words[settings->synchronisation];
    simulation_text_print_label(out, "synchrony");
    text_printf(out, "%s: %s\n", synchronisation->name, synchronisation->title);
    simulation_text_print_label(out, "messages");
    text_printf(out, "up to ");
    print_size(settings->eager_limit, out);
    text_printf(out, " leave without their receives; order %s", send_order_words[settings->order].name);
    if (settings->order == SEND_RANDOM)
        text_printf(out, ", seed %" PRIu64, settings->seed);
    if (settings->window)
        text_printf(out, "; window %u", settings->window);
    text_append(out, "\n", 1);
}

/* Says which costs of hosts that nobody has said make up much of the time. */
static void print_defaults(const struct simulation *simulation, struct text *out)
{
    const struct player_settings *settings = &simulation->request.settings;
    const struct time_parts *parts = &simulation->played.parts;
    const double time = (double)simulation->played.time;
    if (time > 0 && settings->assumes_memory)
        host_costs_default_text(
            &settings->costs, true, (double)(parts->local + (settings->costs.inside_bandwidth ? 0 : parts->memory)) / time, "",
            out);
    if (time > 0 && settings->assumes_host)
        host_costs_default_text(&settings->costs, false, (double)parts->host / time, "", out);
}

static void simulation_text_print_head(const struct simulation *simulation, struct text *out)
{
    const struct player_settings *settings = &simulation->request.settings;
    const struct placement *placement = settings->placement;
    const struct schedule_header *header = simulation->header;
    const struct simulation_model_info *model = &simulation_models[simulation->request.model];
    text_printf(out, "%s/", collective_name(header->collective, header->form));
    text_append_safe(out, header->algorithm);
    text_printf(out, ": %u rank%s on %u server%s, ", placement->n_ranks, plural(placement->n_ranks),
                placement->n_servers, plural(placement->n_servers));
    text_append_safe(out, settings->topology->name);
    text_append(out, "\n", 1);
    assumed_routes_text(settings->topology, out);
    simulation_text_print_label(out, "model");
    text_printf(out, "%s: %s\n", model->name, model->title);
    if (simulation->request.model == SIMULATION_flit) {
        simulation_text_print_label(out, "flits");
        flit_print(&simulation->request.flit, out);
        text_append(out, "\n", 1);
    }
    simulation_text_print_label(out, "hosts");
    host_costs_text(&settings->costs, out);
    text_append(out, "\n", 1);
    print_defaults(simulation, out);
    rank_adapters_text(settings->topology, placement, out);
    if (is_played(simulation))
        simulation_rules_text(settings, out);
    simulation_text_print_label(out, "steps");
    text_printf(out, "%" PRIu64 ", messages %" PRIu64 "\n", simulation->played.n_steps,
                simulation->played.n_messages);
}

static void simulation_text_print_parts(const struct simulation *simulation, struct text *out)
{
    const struct time_parts *parts = &simulation->played.parts;
    simulation_text_print_part(out, "time", simulation->played.time, "");
    if (!is_played(simulation) && simulation->request.settings.topology->is_adaptive)
        simulation_text_print_part(out, "at worst", simulation->worst,
                                   "if the switches choose badly; the time is by the balanced load");
    simulation_text_print_part(out, "latency", parts->latency, "of links");
    simulation_text_print_part(out, "bandwidth", parts->bandwidth, "bytes on links");
    simulation_text_print_part(out, is_played(simulation) ? "waiting" : "blocking", parts->waiting,
                               is_played(simulation) ? "for a link, a port or a memory that serves others"
                                                     : "head-of-line");
    simulation_text_print_part(out, "host", parts->host, "messages at the hosts");
    simulation_text_print_part(out, "local", parts->local, "copies and combinations");
    if (is_played(simulation))
        simulation_text_print_part(out, "memory", parts->memory, "messages within a machine");
    if (simulation->request.model == SIMULATION_flit)
        text_printf(out, "  %" PRIu64 " cycles, %" PRIu64 " flits moved\n", simulation->cycles,
                    simulation->flits);
}

static void simulation_text_print_right(uint64_t ns, struct text *out)
{
    struct text time = {0};
    print_time(ns, &time);
    text_printf(out, "%12s", time.data);
    text_free(&time);
}

static void print_waits(const struct simulation *simulation, struct text *out)
{
    const struct played *played = &simulation->played;
    const double all = (double)played->time * simulation->header->n_ranks;
    text_printf(out, "\n  These parts are those of what rank %u, the last one, waited for, and so on "
                     "back to the beginning.\n", played->last_rank);
    text_printf(out, "  Ranks spend %.1f %% of the time on waiting for messages",
                all > 0 ? 100 * (double)played->waited / all : 0);
    if (played->longest.time) {
        text_printf(out, "; rank %u waits longest, ", played->longest.rank);
        print_time(played->longest.time, out);
        text_printf(out, " in step %" PRIu64 " for rank %u", played->longest.step,
                    played->longest.peer);
    }
    text_printf(out, ".\n");
    if (played->n_waits)
        text_printf(out, "\n  %-12s%12s%12s  %s\n", "who waits", "in all", "longest", "for whom");
    for (uint32_t i = 0; i < played->n_waits && i < MAX_WAITS; i++) {
        const struct played_rank_wait *wait = &played->waits[i];
        text_printf(out, "  rank %-7u", wait->longest.rank);
        simulation_text_print_right(wait->time, out);
        simulation_text_print_right(wait->longest.time, out);
        text_printf(out, "  rank %u in step %" PRIu64 "\n", wait->longest.peer, wait->longest.step);
    }
}

static void print_event(const struct played_event *event, struct text *out)
{
    text_printf(out, "  rank %u ", event->rank);
    if (event->kind == OP_SEND)
        text_printf(out, "has sent to %u", event->peer);
    else if (event->kind == OP_RECV)
        text_printf(out, "has received from %u", event->peer);
    else
        text_printf(out, event->kind == OP_COPY ? "has copied" : "has combined");
    text_printf(out, ", step %" PRIu64 "\n", event->step);
}

/* The first and the last of the events that the end waited for. */
static void print_critical_path(const struct simulation *simulation, struct text *out)
{
    const struct played *played = &simulation->played;
    size_t n = 0;
    uint32_t *path = played_critical_path(played, &n);
    if (!path)
        return;
    text_printf(out, "\n  critical path, %zu operation%s\n  %-12s%12s%12s\n", n, plural(n), "at", "after",
                "waiting");
    for (size_t i = 0; i < n; i++) {
        const struct played_event *event = &played->events[path[i]];
        const struct played_event *before = i ? &played->events[path[i - 1]] : NULL;
        if (n > MAX_PATH && i == MAX_PATH / 2) {
            text_printf(out, "  ... %zu more\n", n - MAX_PATH);
            i = n - MAX_PATH / 2 - 1;
            continue;
        }
        struct text time = {0};
        print_time(event->time, &time);
        text_printf(out, "  %-12s", time.data);
        text_free(&time);
        simulation_text_print_right(event->time - (before ? before->time : 0), out);
        simulation_text_print_right(event->waiting - (before ? before->waiting : 0), out);
        print_event(event, out);
    }
    free(path);
}

void simulation_steps_text(const struct simulation *simulation, struct text *out)
{
    text_printf(out, "\n  %-12s%12s%12s%12s\n", "step", "begins", "ends", "lasts");
    for (size_t i = 0; i < simulation->n_steps; i++) {
        const struct simulation_step *step = &simulation->steps[i];
        const uint64_t times[] = {step->start, step->end, step->end - step->start};
        text_printf(out, "  %-12zu", i);
        for (size_t k = 0; k < 3; k++) {
            struct text time = {0};
            if (step->start == UINT64_MAX)
                text_printf(&time, "-");
            else
                print_time(times[k], &time);
            text_printf(out, "%12s", time.data);
            text_free(&time);
        }
        text_append(out, "\n", 1);
    }
}

static void simulation_text_print_name(struct text *out, const struct topology *topology, uint32_t node)
{
    char name[256];
    topology_node_name(topology, node, name, sizeof name);
    text_printf(out, "'");
    text_append_safe(out, name);
    text_printf(out, "'");
}

/* The most of link load and fan-in, where it is, and for how long there are several. */
static void simulation_text_print_jobs(const struct simulation *simulation, struct text *out)
{
    text_printf(out, "\n  %12s%12s%9s  %-18s%s\n", "time", "alone", "slower", "ranks", "job");
    for (size_t i = 0; i < simulation->n_jobs; i++) {
        const struct simulation_job *job = &simulation->jobs[i];
        struct text ranks = {0};
        text_printf(&ranks, "%u..%u", job->first_rank, job->first_rank + job->n_ranks - 1);
        text_printf(out, "  ");
        simulation_text_print_right(job->time, out);
        simulation_text_print_right(job->alone, out);
        text_printf(out, "%8.2fx  %-18s", job->alone ? (double)job->time / (double)job->alone : 1.0,
                    ranks.data);
        text_append_safe(out, job->name);
        text_append(out, "\n", 1);
        text_free(&ranks);
    }
}

static void print_most(const struct over_time *all, const struct topology *topology, struct text *out)
{
    const double time = all->time ? (double)all->time : 1;
    uint32_t from, to;
    text_printf(out, "\n  Link load: at most %" PRIu32, all->most.link_load);
    if (all->most.link_load) {
        topology_link_ends(topology, all->link, &from, &to);
        text_printf(out, ", from ");
        simulation_text_print_name(out, topology, from);
        text_printf(out, " to ");
        simulation_text_print_name(out, topology, to);
    }
    text_printf(out, "; messages of several machines share a link for %.1f %% of the time.\n  Fan-in: at "
                     "most %" PRIu32,
                100 * (double)all->contended / time, all->most.fan_in);
    if (all->most.fan_in) {
        text_printf(out, ", to ");
        simulation_text_print_name(out, topology, all->machine);
    }
    text_printf(out, "; several machines send to one for %.1f %% of the time.\n",
                100 * (double)all->several / time);
}

static void print_over_time(const struct simulation *simulation, struct text *out)
{
    const struct over_time *all = &simulation->over_time;
    print_most(all, simulation->request.settings.topology, out);
    if (all->n_intervals)
        text_printf(out, "\n  %12s%12s%12s%12s%12s%12s\n", "from", "until", "messages", "link load",
                    "contended", "fan-in");
    for (uint32_t i = 0; i < all->n_intervals; i++) {
        const struct in_flight_figures *figures = &all->intervals[i];
        const uint64_t ends[] = {i * all->width,
                                 i + 1 < all->n_intervals ? (i + 1) * all->width : all->time};
        text_append(out, "  ", 2);
        for (int k = 0; k < 2; k++) {
            struct text time = {0};
            print_time(ends[k], &time);
            text_printf(out, "%12s", time.data);
            text_free(&time);
        }
        text_printf(out, "%12" PRIu64 "%12" PRIu32 "%12" PRIu32 "%12" PRIu32 "\n", figures->messages,
                    figures->link_load, figures->contended_links, figures->fan_in);
    }
}

void simulation_text(const struct simulation *simulation, struct text *out)
{
    simulation_text_print_head(simulation, out);
    text_append(out, "\n", 1);
    if (simulation->played.outcome == PLAYED_STUCK) {
        text_printf(out, "  deadlock: nothing goes on any more: %s\n", simulation->played.problem);
        return;
    }
    simulation_text_print_parts(simulation, out);
    if (simulation->jobs)
        simulation_text_print_jobs(simulation, out);
    if (is_played(simulation))
        print_waits(simulation, out);
    if (is_played(simulation))
        print_critical_path(simulation, out);
    if (simulation->steps)
        simulation_steps_text(simulation, out);
    if (simulation->request.has_over_time)
        print_over_time(simulation, out);
}
