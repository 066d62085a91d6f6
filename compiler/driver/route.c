/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc route: a route between two machines, the pairs that use a link, or what
 * the routes do to the network as a whole.
 */
#include "base/suggest.h"
#include "compiler/driver/budget.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/progress.h"
#include "network/formats/formats.h"
#include "network/formats/opensm/tables.h"
#include "network/restrict.h"
#include "network/unrouted.h"
#include "reports/networks.h"
#include "reports/route_report.h"
#include "study/parallel/pool.h"
#include "study/parallel/route_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the machine of that name; n_machines after saying that there is none. */
static uint32_t route_find_machine(const struct job *job, const char *name)
{
    const struct topology *topology = job->scene.topology;
    uint32_t machine = topology_find_machine(topology, name, strlen(name));
    if (machine < topology->n_machines)
        return machine;
    struct arena arena = {0};
    usage_error_with(topology_help_with_machine(topology, slice_of(name), &arena),
                     "topology '%s' has no machine '%s'", topology->name, name);
    arena_free(&arena);
    return machine;
}

static int show_route(const struct job *job, struct text *out)
{
    const struct options *options = job->options;
    const struct topology *topology = job->scene.topology;
    if (!options->from || !options->to)
        return usage_error(options, "a route has two ends: give both --from and --to");
    struct route_ends ends = {route_find_machine(job, options->from), 0};
    if (ends.source == topology->n_machines)
        return STATUS_FAILED;
    ends.destination = route_find_machine(job, options->to);
    if (ends.destination == topology->n_machines)
        return STATUS_FAILED;
    bool is_routed = option_is(options->format, "json") ? route_json(topology, ends, options->all, out)
                                                        : route_text(topology, ends, options->all, out);
    return is_routed ? STATUS_CLEAN : STATUS_FINDINGS;
}

/* ---- the pairs that use a link ---- */

/* True if `text` is "FROM:TO", the names of the link's ends, or its number. */
static bool is_link_named(const struct topology *topology, uint32_t link, const char *text)
{
    char from[256], to[256];
    uint32_t ends[2];
    size_t n;
    topology_link_ends(topology, link, &ends[0], &ends[1]);
    topology_node_name(topology, ends[0], from, sizeof from);
    n = strlen(from);
    if (strncmp(text, from, n) != 0 || text[n] != ':')
        return false;
    topology_node_name(topology, ends[1], to, sizeof to);
    return strcmp(text + n + 1, to) == 0;
}

static bool route_is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* Returns the links meant, several where cables are parallel; release with free. */
static uint32_t *route_find_links(const struct topology *topology, const char *text, uint32_t *n)
{
    size_t capacity = 0;
    uint32_t *links = NULL;
    *n = 0;
    if (route_is_number(text)) {
        unsigned long long number = strtoull(text, NULL, 10);
        links = mem_alloc(1, sizeof *links);
        links[0] = (uint32_t)number;
        *n = number < topology->n_link_ids && topology_has_link(topology, (uint32_t)number);
        return links;
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link) || !is_link_named(topology, link, text))
            continue;
        links = mem_grow(links, &capacity, *n + 1u, sizeof *links);
        links[(*n)++] = link;
    }
    return links;
}

/* Says that there is no such link, and what was meant. */
static int refuse_link(const struct job *job)
{
    const char *text = job->options->link, *colon = strchr(text, ':');
    const char *help = "name its ends as FROM:TO, or give its number";
    struct arena arena = {0};
    if (colon) {
        const struct slice ends[] = {{text, (size_t)(colon - text)}, slice_of(colon + 1)};
        const char *from = topology_nearest_node(job->scene.topology, ends[0], false, &arena);
        const char *to = topology_nearest_node(job->scene.topology, ends[1], false, &arena);
        const char *pair = from && to ? arena_printf(&arena, "%s:%s", from, to) : text;
        help = strcmp(pair, text) == 0
                   ? arena_printf(&arena, "%s; of two that no cable joins --from and --to show the route", help)
                   : did_you_mean(&arena, pair, help);
    }
    usage_error_with(help, "topology '%s' has no link '%s'", job->scene.topology->name, text);
    arena_free(&arena);
    return STATUS_FAILED;
}

/* True if walking all routes, which takes so many seconds, is within the budget. */
static bool route_is_affordable(const struct job *job, double seconds)
{
    const double n = job->scene.topology->n_machines;
    const struct estimate estimate = {.n_messages = n * n,
                                      .items = "routes",
                                      .seconds = seconds,
                                      .is_at_least = seconds > budget_enough(job->options),
                                      .instead = "single routes, with --from and --to"};
    return budget_allows(job->options, &estimate);
}

static int show_links(const struct job *job, struct text *out)
{
    uint32_t n;
    uint32_t *links = route_find_links(job->scene.topology, job->options->link, &n);
    const bool is_found = n || refuse_link(job) == STATUS_CLEAN;
    const bool is_shown = is_found && route_is_affordable(job, n * routes_over_seconds(job->scene.topology));
    struct progress progress = progress_begin(job->options);
    const struct observer observer = progress_observer(&progress);
    if (is_shown && option_is(job->options->format, "json"))
        links_json(job->scene.topology, links, n, &observer, out);
    else if (is_shown)
        links_text(job->scene.topology, links, n, &observer, out);
    progress_end(&progress);
    free(links);
    return is_shown ? STATUS_CLEAN : STATUS_FAILED;
}

/* ---- which network each rank uses ---- */

/* Returns the rank that --from names by its number, or the first one on the machine of that name; n_ranks
 * after saying that there is none. */
static uint32_t find_rank(const struct job *job, const char *text)
{
    const struct placement *placement = job->scene.placement;
    uint32_t rank = 0, n_ranks = placement->n_ranks;
    size_t length = strlen(text);
    if (route_is_number(text)) {
        unsigned long long number = length < 12 ? strtoull(text, NULL, 10) : UINT32_MAX;
        rank = number < n_ranks ? (uint32_t)number : n_ranks;
    } else {
        uint32_t machine = topology_find_machine(job->scene.topology, text, length);
        while (rank < n_ranks && placement->machine[rank] != machine)
            rank++;
    }
    if (rank == n_ranks)
        usage_error(job->options, "there is no rank '%s', and none on a machine of that name",
                    text);
    return rank;
}

/* STATUS_FINDINGS if a pair has none. */
static int show_networks(struct job *job, struct text *out)
{
    const struct options *options = job->options;
    if (options->to || options->link)
        return usage_error(options, "--networks shows tables of ranks: it goes with --from only");
    if (topology_n_networks(job->scene.topology) == 1)
        return usage_error(options, "topology '%s' has one network only", job->scene.topology->name);
    struct placement_request request = {.n_ranks = options->ranks,
                                        .ranks_per_machine = options->ranks_per_machine,
                                        .rule = options->placement};
    if (!scene_place(&job->scene, &request, &job->diagnostics))
        return STATUS_FAILED;
    const struct placement *placement = job->scene.placement;
    struct rank_networks ranks = {job->scene.topology, placement, 0, placement->n_ranks};
    if (options->from) {
        ranks.first = find_rank(job, options->from);
        if (ranks.first == ranks.end)
            return STATUS_FAILED;
        ranks.end = ranks.first + 1;
    }
    const bool is_joined = option_is(options->format, "json") ? rank_networks_json(&ranks, out)
                                                              : rank_networks_text(&ranks, out);
    return is_joined ? STATUS_CLEAN : STATUS_FINDINGS;
}

/* ---- all of them ---- */

/* Small networks are not worth it. */
static uint32_t route_count_processes(const struct job *job)
{
    enum { WORTH_SHARING = 256 };
    if (pool_n_launched() > 1)
        return pool_n_launched();
    if (job->options->jobs)
        return job->options->jobs;
    return job->scene.topology->n_machines < WORTH_SHARING ? 1 : pool_n_processors();
}

static int show_metrics(const struct job *job, struct text *out)
{
    const struct options *options = job->options;
    if (!route_is_affordable(job, metrics_seconds(job->scene.topology)))
        return STATUS_FAILED;
    struct progress progress = progress_begin(options);
    const struct metrics_request request = {options->seed, options->matchings,
                                            progress_observer(&progress)};
    struct metrics metrics = metrics_shared(job->scene.topology, &request, route_count_processes(job));
    progress_end(&progress);
    if (option_is(options->format, "json"))
        metrics_json(job->scene.topology, &metrics, out);
    else
        metrics_text(job->scene.topology, &metrics, out);
    metrics_free(&metrics);
    return STATUS_CLEAN;
}

/* Lists the pairs without a route; STATUS_FINDINGS if there are some. */
static int show_unrouted(const struct job *job, struct text *out)
{
    if (!route_is_affordable(job, unrouted_seconds(job->scene.topology, job->scene.topology->n_machines)))
        return STATUS_FAILED;
    struct progress progress = progress_begin(job->options);
    const struct observer observer = progress_observer(&progress);
    struct unrouted unrouted = unrouted_find(job->scene.topology, NULL, 0, &observer);
    progress_end(&progress);
    if (option_is(job->options->format, "json"))
        unrouted_json(&unrouted, out);
    else
        unrouted_text(&unrouted, out);
    const bool is_any = unrouted.n_pairs > 0;
    unrouted_free(&unrouted);
    return is_any ? STATUS_FINDINGS : STATUS_CLEAN;
}

static int route_show(struct job *job, struct text *out)
{
    const struct options *options = job->options;
    if (options->networks)
        return show_networks(job, out);
    if (options->from || options->to)
        return show_route(job, out);
    if (job->scene.topology->is_adaptive)
        return usage_error(options,
                           "--routing adaptive has no fixed routes to count or to draw matchings on: give "
                           "--from and --to");
    const char *obstacle = metrics_obstacle(job->scene.topology);
    if (obstacle)
        return usage_error(options, "%s: ask for single routes with --from and --to", obstacle);
    if (options->link)
        return show_links(job, out);
    if (options->unrouted)
        return show_unrouted(job, out);
    return show_metrics(job, out);
}

/* Returns the first option given that asks for something else than --metrics or --unrouted do; NULL: none. */
static const char *other_question(const struct options *options)
{
    if (options->metrics && options->unrouted)
        return "--unrouted";
    if (options->from || options->to)
        return options->from ? "--from" : "--to";
    if (options->link)
        return "--link";
    return options->networks ? "--networks" : NULL;
}

static bool route_open_network(struct job *job)
{
    const struct options *options = job->options;
    if (!job_open_topology(job, options->arguments[0]))
        return false;
    return (!options->sl && !options->sl2vl) ||
           topology_read_lanes(job->scene.owned.topology, options->sl, options->sl2vl, &job->diagnostics);
}

int command_route(const struct options *options)
{
    struct job job = job_begin(options);
    struct text text = {0};
    int status = STATUS_FAILED;
    const char *other = options->metrics || options->unrouted ? other_question(options) : NULL;
    if (other)
        usage_error(options, "%s: leave out %s, or %s",
                    options->metrics ? "--metrics shows the figures of all routes"
                                     : "--unrouted lists all hosts that have no route",
                    other, options->metrics ? "--metrics" : "--unrouted");
    else if (route_open_network(&job))
        status = route_show(&job, &text);
    if (status != STATUS_FAILED)
        output_text(NULL, &text);
    text_free(&text);
    return job_close(&job, status);
}
