/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --map: which rank runs what, read before the program is bound, or searched for once there is a
 * schedule. See job.h.
 */
#include "compiler/driver/job.h"
#include "mapping/mapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if the ranks of this collective can be renumbered. Other faults of a map are found before it is
 * applied. */
static bool job_map_check_collective(const struct job *job)
{
    const enum collective collective =
        job->scene.program ? job->scene.program->collective : job->scene.schedule->header.collective;
    const enum collective_form form =
        job->scene.program ? job->scene.program->form : job->scene.schedule->header.form;
    const char *problem = mapping_problem(collective, form);
    if (!problem)
        return true;
    return usage_refuse(job->options, "the ranks of %s cannot be renumbered: %s",
                        collective_name(collective, form), problem);
}

bool job_read_map(struct job *job)
{
    const char *map = job->options->map;
    if (!map || job->map)
        return true;
    if (!job_map_check_collective(job))
        return false;
    if (strcmp(map, "greedy") == 0)
        return true;
    const struct source *source =
        source_read(map, SCHEDULE_FILE_LIMIT, &job->scene.arena, &job->diagnostics);
    if (source)
        job->map = mapping_read(source, job->scene.placement->n_ranks, &job->scene.arena, &job->diagnostics);
    else
        job->diagnostics.last->help = "name a file that 'collc map' wrote, or 'greedy'";
    return job->map;
}

uint32_t job_virtual_root(const struct job *job, uint32_t root)
{
    return job->map ? mapping_find(job->map, job->scene.placement->n_ranks, root) : root;
}

/* The result's map moves into the arena of the job. */
bool job_search_map(struct job *job, struct mapping_result *result)
{
    const struct schedule_header *header = &job->scene.schedule->header;
    const struct options *options = job->options;
    const struct mapping_request request = {
        .topology = job->scene.topology,
        .placement = job->scene.placement,
        .work = options->work,
        .chooses_ways = options->command == COMMAND_map && !(options->to && options->quiet)};
    const char *problem = mapping_search_problem(header, &request);
    if (problem)
        return usage_refuse(job->options, "no map can be searched for: %s%s", problem,
                            job->scene.topology ? "" : ": give --topology");
    bool is_found = mapping_search(job->scene.schedule, &request, result);
    job->map = arena_alloc(&job->scene.arena, header->n_ranks, sizeof *job->map);
    memcpy(job->map, result->map, header->n_ranks * sizeof *job->map);
    free(result->map);
    result->map = job->map;
    return is_found;
}

/* A schedule file has a root of its own. */
static bool job_map_check_root(const struct job *job)
{
    const struct schedule_header *header = &job->scene.schedule->header;
    if (job->scene.program || !collective_table[header->collective].rooted ||
        job->map[header->root] == header->root)
        return true;
    return usage_refuse(job->options,
                        "the map lets rank %u run what root %u of the schedule does: a schedule file "
                        "keeps its root", job->map[header->root], header->root);
}

bool job_rename_ranks(struct job *job)
{
    if (job->scene.schedule->header.is_timed && !job->options->quiet)
        fprintf(stderr, "collc: note: the times of '%s' are left out: they are not those of its ranks "
                        "renumbered\n", job->argument);
    struct scene *scene = &job->scene;
    scene->schedule = mapping_rename(scene->schedule, job->map, scene->program ? scene->topology : NULL,
                                     &job->diagnostics);
    return scene->schedule;
}

bool job_apply_map(struct job *job)
{
    struct mapping_result result;
    if (job->options->map && !job->map && !job_search_map(job, &result))
        return false;
    return !job->map || (job_map_check_root(job) && job_rename_ranks(job));
}
