/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The option --map, and collc map, which searches a map and writes it with the figures
 * before and after.
 */
#include "compiler/driver/map.h"

#include "compiler/driver/forecast.h"
#include "compiler/driver/output.h"
#include "mapping/mapping.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- --map ---- */

static bool is_method(const struct options *options)
{
    return is_choice(options->map, "greedy");
}

/* What else is wrong with a map of this schedule is seen before it is applied. */
static int check_collective(const struct job *job)
{
    const enum collective collective =
        job->program ? job->program->collective : job->schedule->header.collective;
    const enum collective_form form =
        job->program ? job->program->form : job->schedule->header.form;
    const char *problem = mapping_problem(collective, form);
    if (!problem)
        return STATUS_CLEAN;
    return usage_error(job->options, "the ranks of %s cannot be renumbered: %s",
                       collective_name(collective, form), problem);
}

int job_read_map(struct job *job)
{
    const struct options *options = job->options;
    if (!options->map)
        return STATUS_CLEAN;
    int status = check_collective(job);
    if (status != STATUS_CLEAN || is_method(options))
        return status;
    const struct source *source =
        source_read(options->map, SOURCE_LIMIT, &job->arena, &job->diagnostics);
    if (source)
        job->map = mapping_read(source, job->placement->n_ranks, &job->arena, &job->diagnostics);
    else
        job->diagnostics.last->help = "name a file that 'collc map' wrote, or 'greedy'";
    return job->map ? STATUS_CLEAN : STATUS_FAILED;
}

uint32_t job_virtual_root(const struct job *job, uint32_t root)
{
    return job->map ? mapping_find(job->map, job->placement->n_ranks, root) : root;
}

static struct mapping_request search_request(const struct job *job)
{
    return (struct mapping_request){job->topology, job->placement, job->options->work};
}

/* The result's map moves into the arena of the job. */
static int search_map(struct job *job, struct mapping_result *result)
{
    const struct schedule_header *header = &job->schedule->header;
    const struct mapping_request request = search_request(job);
    const char *problem = mapping_search_problem(header, &request);
    if (problem)
        return usage_error(job->options, "no map can be searched for: %s%s", problem,
                           job->topology ? "" : ": give --topology");
    bool is_found = mapping_search(job->schedule, &request, result);
    job->map = arena_alloc(&job->arena, header->n_ranks, sizeof *job->map);
    memcpy(job->map, result->map, header->n_ranks * sizeof *job->map);
    free(result->map);
    result->map = job->map;
    return is_found ? STATUS_CLEAN : STATUS_FAILED;
}

/* A schedule file has a root of its own. */
static int check_root(const struct job *job)
{
    const struct schedule_header *header = &job->schedule->header;
    if (job->program || !collective_table[header->collective].rooted ||
        job->map[header->root] == header->root)
        return STATUS_CLEAN;
    return usage_error(job->options,
                       "the map lets rank %u run what root %u of the schedule does: a schedule file "
                       "keeps its root", job->map[header->root], header->root);
}

static int rename_ranks(struct job *job)
{
    job->schedule = mapping_rename(job->schedule, job->map, job->program ? job->topology : NULL,
                                   &job->diagnostics);
    return job->schedule ? STATUS_CLEAN : STATUS_FAILED;
}

int job_apply_map(struct job *job)
{
    struct mapping_result result;
    int status = STATUS_CLEAN;
    if (job->options->map && !job->map)
        status = search_map(job, &result);
    if (!job->map || status != STATUS_CLEAN)
        return status;
    status = check_root(job);
    return status == STATUS_CLEAN ? rename_ranks(job) : status;
}

const struct rank_map *job_rank_map(struct job *job)
{
    if (!job->map || mapping_is_identity(job->map, job->placement->n_ranks))
        return NULL;
    struct rank_map *map = arena_alloc(&job->arena, 1, sizeof *map);
    *map = (struct rank_map){job->map, job->placement->n_ranks,
                             job_virtual_root(job, job->options->root)};
    return map;
}

/* ---- collc map ---- */

static void print_row(struct text *out, const char *label, uint64_t before, uint64_t after)
{
    text_printf(out, "# %-42s %12" PRIu64 " %12" PRIu64 "\n", label, before, after);
}

static void print_figures(struct text *out, const struct mapping_result *result)
{
    const struct mapping_figures *before = &result->before, *after = &result->after;
    text_printf(out, "# %-42s %12s %12s\n", "", "by rank", "mapped");
    print_row(out, "longest route, links", before->max_hops, after->max_hops);
    print_row(out, "all routes, links", before->sum_hops, after->sum_hops);
    print_row(out, "links that routes share", before->shared_links, after->shared_links);
    print_row(out, "cables that routes share, either direction", before->shared_cables,
              after->shared_cables);
    print_row(out, "busiest link of each step, sum, chunks", before->step_load, after->step_load);
    print_row(out, "busiest link of all steps, chunks", before->total_load, after->total_load);
}

/* ns of the schedule at --bytes; UINT64_MAX if that cannot be predicted, or is more. */
static uint64_t predict(const struct job *job, struct schedule *schedule)
{
    struct predict_loads loads = {0};
    struct diagnostics ignored = {0};
    const struct predict_costs costs = forecast_costs(job);
    uint64_t time = UINT64_MAX;
    schedule->rewind(schedule);
    if (predict_gather(schedule, job->topology, job->placement, &loads, &ignored))
        time = predict_time(&loads, &costs, schedule->header.chunk_bytes).time;
    predict_loads_free(&loads);
    diagnostics_free(&ignored);
    return time;
}

static void print_map(const struct job *job, struct text *out)
{
    enum { PER_LINE = 16 };
    const uint32_t n_ranks = job->schedule->header.n_ranks;
    for (uint32_t v = 0; v < n_ranks; v++)
        text_printf(out, "%" PRIu32 "%c", job->map[v],
                    v % PER_LINE == PER_LINE - 1 || v + 1 == n_ranks ? '\n' : ' ');
}

static void print_heading(const struct job *job, struct text *out)
{
    const struct schedule_header *header = &job->schedule->header;
    text_printf(out, "# %s/", collective_table[header->collective].name);
    text_append_safe(out, header->algorithm);
    text_printf(out, " on ");
    text_append_safe(out, job->topology->name);
    text_printf(out, ": the ranks that run its ranks 0 to %" PRIu32 "\n#\n", header->n_ranks - 1);
}

static int map_job(struct job *job, struct text *out)
{
    struct mapping_result result;
    int status = search_map(job, &result);
    if (status != STATUS_CLEAN)
        return status;
    print_heading(job, out);
    if (result.is_too_dense)
        text_printf(out, "# more than %d pairs of ranks communicate: no map was searched for\n",
                    MAPPING_MAX_PAIRS);
    else
        print_figures(out, &result);
    if (job->schedule->header.chunk_bytes) {
        const uint64_t before = predict(job, job->schedule);
        if (rename_ranks(job) != STATUS_CLEAN)
            return STATUS_FAILED;
        const uint64_t after = predict(job, job->schedule);
        if (before == UINT64_MAX || after == UINT64_MAX)
            return usage_error(job->options, "the predicted time is too long to be counted, 2^64 ns (584 "
                                             "years) or more: give smaller --bytes, or none");
        print_row(out, "predicted time, ns", before, after);
    }
    print_map(job, out);
    return STATUS_CLEAN;
}

int command_map(const struct options *options)
{
    struct job job = {0};
    struct text out = {0};
    int status = job_open(&job, options);
    if (status == STATUS_CLEAN)
        status = map_job(&job, &out);
    if (status == STATUS_CLEAN)
        output_text(options->output, &out);
    text_free(&out);
    return job_close(&job, status);
}
