/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --neighbors: a word, or a file of the pairs of a graph. See job.h.
 */
#include "compiler/driver/job.h"

#include "base/codes.h"
#include "network/view.h"
#include "schedules/traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

/* Takes each message of the file as an edge, in their order. */
static bool job_neighbors_take(struct job *job, struct schedule *traffic, const struct topology *grid)
{
    const uint32_t n_ranks = job->scene.placement->n_ranks;
    struct neighbor_edge *edges = NULL;
    size_t n = 0, capacity = 0;
    struct step step;
    if (traffic->header.n_ranks > n_ranks)
        return usage_refuse(job->options, "'%s' has %u ranks, and there are %u", job->options->neighbors,
                            traffic->header.n_ranks, n_ranks);
    while (traffic->next(traffic, &step))
        for (size_t i = 0; i < step.n_sends; i++) {
            edges = mem_grow(edges, &capacity, n + 1, sizeof *edges);
            edges[n++] = (struct neighbor_edge){step.sends[i].rank, step.sends[i].peer};
        }
    job->scene.neighbors = neighborhood_of_edges(grid, n_ranks, edges, n, &job->scene.arena);
    free(edges);
    return !traffic->failed;
}

static bool job_neighbors_read(struct job *job, const struct topology *grid)
{
    const struct source *source =
        source_read(job->options->neighbors, SCHEDULE_FILE_LIMIT, &job->scene.arena, &job->diagnostics);
    if (!source)
        return false;
    if (!traffic_is_file(source)) {
        report(&job->diagnostics, CODE_S007, (struct position){.source = source, .line = 1, .column = 1},
               "no pairs of ranks")
            ->help =
            "a graph is a list or matrix of who sends to whom, such as lines '0 1 1' (docs/traffic.md); or "
            "say 'cartesian', 'open' or 'stencil'";
        return false;
    }
    struct schedule *traffic = traffic_read(source, &job->diagnostics);
    const bool is_taken = traffic && job_neighbors_take(job, traffic, grid);
    if (traffic)
        traffic->destroy(traffic);
    return is_taken;
}

bool job_read_neighbors(struct job *job, enum collective collective)
{
    static const char *const words[] = {
        [NEIGHBORS_CARTESIAN] = "cartesian", [NEIGHBORS_OPEN] = "open", [NEIGHBORS_STENCIL] = "stencil"};
    const char *neighbors = job->options->neighbors;
    const struct topology *grid = grid_of_ranks(job->scene.topology, job->scene.placement);
    if (!neighbors && !(job->options->counts && collective_is_of_neighbors(collective)))
        return true;
    if (!neighbors)
        neighbors = words[NEIGHBORS_CARTESIAN];
    if (!collective_is_of_neighbors(collective))
        return usage_refuse(job->options,
                            "'%s' has no neighbours: --neighbors is for neighbor_alltoall, "
                            "neighbor_allgather and their forms",
                            collective_table[collective].name);
    for (enum neighborhood_kind kind = 0; kind < sizeof words / sizeof *words; kind++)
        if (strcmp(neighbors, words[kind]) == 0) {
            job->scene.neighbors =
                neighborhood_of_grid(grid, job->scene.placement->n_ranks, kind, &job->scene.arena);
            return true;
        }
    return job_neighbors_read(job, grid);
}
