/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc map: searches a map and writes it with the figures before and after.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "mapping/mapping.h"
#include "predict/predict.h"
#include "reports/map_report.h"

#include <stdio.h>

/* ns of the schedule at --bytes; UINT64_MAX if that cannot be predicted, or is more. */
static uint64_t map_predict(const struct job *job, struct schedule *schedule)
{
    struct predict_loads loads = {0};
    struct diagnostics ignored = {0};
    const struct host_costs costs = job_costs(job);
    uint64_t time = UINT64_MAX;
    schedule->rewind(schedule);
    if (predict_gather(schedule, job->scene.topology, job->scene.placement, &loads, &ignored))
        time = predict_time(&loads, &costs, schedule->header.chunk_bytes).time;
    predict_loads_free(&loads);
    diagnostics_free(&ignored);
    return time;
}

/* The times before and after, where --bytes are given. */
static bool map_add_times(struct job *job, struct text *out)
{
    if (!job->scene.schedule->header.chunk_bytes)
        return true;
    const uint64_t before = map_predict(job, job->scene.schedule);
    if (!job_rename_ranks(job))
        return false;
    const uint64_t after = map_predict(job, job->scene.schedule);
    if (before == UINT64_MAX || after == UINT64_MAX)
        return usage_refuse(job->options, "the predicted time is too long to be counted, 2^64 ns (584 "
                                          "years) or more: give smaller --bytes, or none");
    map_figure("time by the model step, ns", before, after, out);
    return true;
}

/* The gain goes to standard error: not every launcher takes comments. */
static bool map_write_hosts(struct job *job, const struct mapping_result *result, struct text *out)
{
    const struct map_hosts hosts = {job->scene.topology, job->scene.placement, job->map};
    const uint32_t root = job_virtual_root(job, job->scene.schedule->header.root);
    struct text heading = {0};
    const char *problem = map_hosts_print(&hosts, job->options->to, out, &job->scene.arena);
    if (problem)
        return usage_refuse(job->options, "%s", problem);
    map_heading(&job->scene.schedule->header, job->scene.topology, result, &heading);
    if (!job->options->quiet)
        fputs(heading.data, stderr);
    if (collective_table[job->scene.schedule->header.collective].rooted &&
        root != job->scene.schedule->header.root)
        fprintf(stderr, "collc: the root is rank %u of a program that is started so\n", root);
    text_free(&heading);
    return true;
}

static bool map_job(struct job *job, struct text *out)
{
    struct mapping_result result;
    const uint32_t n_ranks = job->scene.schedule->header.n_ranks;
    if (!job_search_map(job, &result))
        return false;
    if (job->options->to)
        return map_write_hosts(job, &result, out);
    map_heading(&job->scene.schedule->header, job->scene.topology, &result, out);
    if (!map_add_times(job, out))
        return false;
    map_ranks(job->map, n_ranks, out);
    return true;
}

/* Tells a user who asked for a better map that there is none. */
static void say_if_nothing(const struct job *job)
{
    bool is_identity = true;
    for (uint32_t rank = 0; is_identity && rank < job->scene.schedule->header.n_ranks; rank++)
        is_identity = job->map[rank] == rank;
    if (is_identity && !job->options->quiet)
        fputs("collc: nothing better was found than the ranks as they are: the map leaves each in its place\n",
              stderr);
}

int command_map(const struct options *options)
{
    struct job job = job_begin(options);
    struct text out = {0};
    int status = job_open(&job);
    if (status == STATUS_CLEAN && !map_job(&job, &out))
        status = STATUS_FAILED;
    if (status == STATUS_CLEAN) {
        output_text(options->output, &out);
        say_if_nothing(&job);
    }
    text_free(&out);
    return job_close(&job, status);
}
