/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Place of a job: the topology and the placement of the ranks. See job.h.
 */
#include "compiler/driver/job.h"
#include "base/codes.h"
#include "network/adapters.h"
#include "network/formats/formats.h"
#include "network/formats/opensm/tables.h"
#include "network/placement/placement_make.h"
#include "network/restrict.h"
#include "study/project/placed.h"

#include <stdlib.h>
#include <string.h>

/* The topology a schedule file names must be the one it was compiled for. */
static bool check_fingerprint(struct job *job, const struct schedule_header *header)
{
    if (!header->fingerprint || header->fingerprint == job->topology->fingerprint)
        return true;
    struct diagnostic *found =
        report(&job->diagnostics, CODE_S004, (struct position){.source = job->source},
               "topology '%s' has changed since the schedule was compiled", header->topology);
    found->help = "compile it again, or name the topology to check it against with --topology";
    return false;
}

static bool open_routes(struct job *job)
{
    const struct text_list *routes = &job->options->routes;
    if (!routes->n)
        return true;
    say_verbose(job->options, "routes", routes->items[0]);
    struct route_files files = {routes->items, routes->n, option_is(job->options->lids, "table")};
    return topology_read_routes(job->topology, &files, &job->diagnostics);
}

/* Gives 'each' in the place of a part the help that it is for 'collc check'. */
static void help_with_each(struct job *job)
{
    const struct text_list *failed = &job->options->failed;
    if (failed->n == 1 && strcmp(failed->items[0], "each") == 0)
        job->diagnostics.last->help = "name a part, or take out each in turn: 'collc check --fail each', "
                                      "with a project file (docs/ci.md)";
}

bool job_open_topology(struct job *job, const char *spec)
{
    say_verbose(job->options, "topology", spec);
    job->topology = topology_read(spec, &job->diagnostics);
    if (job->topology)
        job->topology = topology_take_adapters(job->topology, job->options->adapters, &job->diagnostics);
    if (!job->topology || !open_routes(job))
        return false;
    struct topology_restriction restriction = {job->options->failed.items, job->options->failed.n,
                                               job->options->machines};
    job->topology = topology_restrict(job->topology, &restriction, &job->diagnostics);
    if (!job->topology)
        help_with_each(job);
    return job->topology;
}

/* Returns the first option that only a network can have, in words; NULL: there is none. */
static const char *restriction_of(const struct options *options)
{
    if (options->routes.n)
        return "forwarding tables";
    if (options->failed.n)
        return "failed cables";
    if (options->adapters)
        return "adapters";
    return options->machines ? "machines" : NULL;
}

bool job_read_topology(struct job *job)
{
    if (job->topology)
        return true;
    const char *spec = job->options->topology;
    const struct schedule_header *header = job->schedule ? &job->schedule->header : NULL;
    if (!spec && header)
        spec = header->topology;
    const char *useless = spec ? NULL : restriction_of(job->options);
    if (useless)
        return usage_refuse(job->options, "%s belong to a topology: give --topology", useless);
    if (!spec)
        return true;
    if (!job_open_topology(job, spec))
        return false;
    return job->options->topology || check_fingerprint(job, header);
}

/* Ranks without a network still share servers. */
static bool place_without_topology(struct job *job, uint32_t n_ranks)
{
    const struct options *options = job->options;
    uint32_t per_machine = options->ranks_per_machine ? options->ranks_per_machine : 1;
    bool is_cyclic = option_is(options->placement, "cyclic");
    if (options->placement && !is_cyclic && !option_is(options->placement, "block"))
        return usage_refuse(options, "placement '%s' names machines of a topology: give --topology",
                           options->placement);
    if (options->order)
        return usage_refuse(options, "--order is that of the machines of a topology: give "
                                    "--topology");
    uint32_t n_machines = n_ranks / per_machine + (n_ranks % per_machine != 0);
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = is_cyclic ? rank % n_machines : rank / per_machine;
    job->placement = placement_of_machines(machine, n_ranks, is_cyclic ? "cyclic" : "block");
    free(machine);
    return true;
}

static bool place_on_topology(struct job *job, uint32_t n_ranks)
{
    const struct options *options = job->options;
    struct placement_request request = {n_ranks, options->ranks_per_machine, options->placement,
                                        options->order, options->seed};
    job->placement = placement_make(job->topology, &request, &job->diagnostics);
    return job->placement;
}

/* The user's word goes before the header's; naming the topology that the schedule
 * was compiled for asks for nothing else. */
static bool place_schedule(struct job *job)
{
    const struct options *options = job->options;
    const struct schedule_header *header = &job->schedule->header;
    bool is_same = !options->topology || header->fingerprint == job->topology->fingerprint;
    bool is_asked =
        options->ranks_per_machine || options->placement || options->order || !is_same;
    if (options->ranks && options->ranks != header->n_ranks)
        return usage_refuse(options, "'%s' is a schedule of %u ranks, not %u",
                           job->source->path, header->n_ranks, options->ranks);
    if (header->machine && !is_asked)
        return (job->placement = placed_by_header(job->schedule, job->topology, &job->diagnostics));
    if (job->topology)
        return place_on_topology(job, header->n_ranks);
    return place_without_topology(job, header->n_ranks);
}

bool job_place(struct job *job)
{
    if (job->placement)
        return true;
    const struct options *options = job->options;
    bool is_file = options->placement && !option_is(options->placement, "block") &&
                   !option_is(options->placement, "cyclic");
    if (options->order && is_file)
        return usage_refuse(options, "a placement file says where ranks are: --order is for block "
                                    "and cyclic");
    if (job->schedule)
        return place_schedule(job);
    if (job->topology)
        return place_on_topology(job, options->ranks);
    if (!options->ranks)
        return !usage_error_with("give a network with --topology, or only a number with --ranks",
                                 "neither --topology nor --ranks is given");
    return place_without_topology(job, options->ranks);
}

void job_report_apart(struct job *job, const uint32_t machine[2])
{
    char from[256], to[256];
    struct text who = {0};
    placement_say_unrouted(job->topology, job->placement, &who);
    topology_node_name(job->topology, machine[0], from, sizeof from);
    topology_node_name(job->topology, machine[1], to, sizeof to);
    report(&job->diagnostics, CODE_L002, (struct position){.source = job->source},
           "no route from host '%s' to '%s'%s", from, to, who.data ? who.data : "")
        ->help = "place the ranks on hosts that have routes to each other; collc route --unrouted lists who has none";
    text_free(&who);
}
