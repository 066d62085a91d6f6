/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Place of a job: the topology and the placement of the ranks. See job.h.
 */
#include "compiler/driver/job.h"
#include "base/codes.h"
#include "compiler/driver/usual.h"
#include "network/adaptive.h"
#include "study/network.h"

/* The topology a schedule file names must be the one it was compiled for. */
static bool check_fingerprint(struct job *job, const struct schedule_header *header)
{
    if (!header->fingerprint || header->fingerprint == job->scene.topology->fingerprint)
        return true;
    struct diagnostic *found =
        report(&job->diagnostics, CODE_S004, (struct position){.source = job->scene.source},
               "topology '%s' has changed since the schedule was compiled", header->topology);
    found->help = "compile it again, or name the topology to check it against with --topology";
    return false;
}

/* Makes the routes adaptive where that is asked for. */
static bool take_routing(const struct options *options, struct topology *topology)
{
    const char *problem = option_is(options->routing, "adaptive") ? topology_set_adaptive(topology) : NULL;
    return !problem || usage_refuse(options, "--routing adaptive: %s", problem);
}

bool job_open_topology(struct job *job, const char *spec)
{
    const struct options *options = job->options;
    const struct network_request request = {
        .spec = spec,
        .adapters = options->adapters,
        .routes = {options->routes.items, options->routes.n, option_is(options->lids, "table")},
        .restriction = {options->failed.items, options->failed.n, options->machines}};
    say_verbose(options, "topology", spec);
    if (options->routes.n)
        say_verbose(options, "routes", options->routes.items[0]);
    job->scene.topology = job->scene.owned.topology = network_open(&request, &job->diagnostics);
    return job->scene.topology && take_routing(options, job->scene.owned.topology);
}

struct topology *job_open_rest(struct job *job)
{
    const struct options *options = job->options;
    const struct network_request request = {
        .spec = options->topology ? options->topology : job->scene.topology_spec,
        .adapters = options->adapters,
        .restriction = {options->failed.items, options->failed.n, options->machines}};
    struct topology *rest = request.spec ? network_open(&request, &job->diagnostics) : NULL;
    return rest ? topology_let_fail(rest) : NULL;
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
    if (options->routing)
        return "routings";
    return options->machines ? "machines" : NULL;
}

/* Options of a job whose schedule file names a network, where none was given. */
static const struct options *job_place_without_usual(const struct options *options, const char *network,
                                                     struct arena *arena)
{
    struct options *own = arena_alloc(arena, 1, sizeof *own);
    *own = *options;
    usual_leave_network(own, network);
    return own;
}

bool job_read_topology(struct job *job)
{
    const struct schedule_header *header = job->scene.schedule ? &job->scene.schedule->header : NULL;
    if (job->scene.topology)
        return true;
    if (job->options->is_usual && header && header->topology) {
        job->options = job_place_without_usual(job->options, header->topology, &job->diagnostics.arena);
        job->scene.topology_spec = NULL;
    }
    const char *spec = job->options->topology;
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

bool job_place(struct job *job)
{
    struct scene *scene = &job->scene;
    const struct options *options = job->options;
    const struct placement_request request = {
        options->ranks, options->ranks_per_machine, options->placement,     options->order,
        options->seed,  options->rank_adapters,     options->between_rails, NULL};
    const bool is_file = options->placement && !option_is(options->placement, "block") &&
                         !option_is(options->placement, "cyclic");
    const uint32_t n_ranks = scene->schedule ? scene->schedule->header.n_ranks : options->ranks;
    if (scene->placement)
        return true;
    if (options->order && is_file)
        return usage_refuse(options, "a placement file says where ranks are: --order is for block "
                                    "and cyclic");
    if (options->ranks && options->ranks != n_ranks)
        return !usage_error_with("leave --ranks out", "'%s' is a schedule of %u ranks, not %u", scene->source->path,
                                 n_ranks, options->ranks);
    if (!scene->topology && !n_ranks)
        return !usage_error_with("give a network with --topology, or only a number with --ranks",
                                 "neither --topology nor --ranks is given");
    if (!scene->topology && is_file)
        return usage_refuse(options, "placement '%s' names machines of a topology: give --topology",
                            options->placement);
    if (!scene->topology && options->rank_adapters)
        return usage_refuse(options, "--rank-adapters chooses cables of a topology: give --topology");
    if (!scene->topology && options->order)
        return usage_refuse(options, "--order is that of the machines of a topology: give --topology");
    return scene_place(scene, &request, &job->diagnostics);
}

void job_report_apart(struct job *job, const uint32_t machine[2])
{
    char from[256], to[256];
    struct text who = {0};
    placement_say_unrouted(job->scene.topology, job->scene.placement, &who);
    topology_node_name(job->scene.topology, machine[0], from, sizeof from);
    topology_node_name(job->scene.topology, machine[1], to, sizeof to);
    report(&job->diagnostics, CODE_L002, (struct position){.source = job->scene.source},
           "no route from host '%s' to '%s'%s", from, to, who.data ? who.data : "")
        ->help = "place the ranks on hosts that have routes to each other; collc route --unrouted lists who has none";
    text_free(&who);
}
