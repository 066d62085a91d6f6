/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See jobs.h.
 */
#include "study/project/jobs.h"

#include "base/codes.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- each by itself ---- */

static void take_peaks(struct job_run *run, uint32_t n_links)
{
    run->peak = mem_alloc((size_t)n_links + 1, sizeof *run->peak);
    for (size_t i = 0; i < run->matrix.n_loads; i++) {
        const struct matrix_load *load = &run->matrix.loads[i];
        if (load->messages > run->peak[load->link])
            run->peak[load->link] = load->messages;
    }
}

static bool run_job(struct job_run *run, uint32_t keep_measured, struct diagnostics *findings)
{
    struct making *making = &run->making;
    const struct scene *scene = &making->scene;
    if (!making_make(making))
        return false;
    run->matrix = traffic_matrix_start(scene->topology, scene->placement);
    const struct verify_request request = {.topology = scene->topology,
                                           .placement = scene->placement,
                                           .watch = traffic_matrix_watch,
                                           .watch_context = &run->matrix,
                                           .keep_measured = keep_measured};
    if (!verify_schedule(scene->schedule, &request, &run->report, findings) ||
        diagnostics_has_errors(&making->problems))
        return false;
    if (run->matrix.is_too_large)
        report(&making->problems, CODE_K009, (struct position){scene->source, 0, 0, 1},
               "the messages of job '%s' cross more than %d links", run->job->name, MATRIX_MAX_CROSSINGS)
            ->help = "choose fewer ranks";
    take_peaks(run, scene->topology->n_link_ids);
    return !run->matrix.is_too_large;
}

static bool jobs_is_of(const struct project *project, const struct project_job *job,
                       const struct project_cell *cell)
{
    return &project->networks[job->network] == cell->network;
}

static bool make_runs(struct jobs *jobs, const struct project *project, const struct project_cell *cell,
                      struct topology *const *topologies, uint32_t keep_measured,
                      struct diagnostics *findings)
{
    bool is_good = true;
    jobs->runs = mem_alloc(project->n_jobs, sizeof *jobs->runs);
    for (size_t i = 0; i < project->n_jobs; i++) {
        if (!jobs_is_of(project, &project->jobs[i], cell))
            continue;
        struct job_run *run = &jobs->runs[jobs->n++];
        run->job = &project->jobs[i];
        run->cell = project_job_cell(project, run->job, &run->network);
        run->making = (struct making){.project = project, .cell = &run->cell,
                                      .scene = {.topology = topologies[i]}};
        is_good = run_job(run, keep_measured, findings) && is_good;
    }
    return is_good;
}

/* ---- together ---- */

/* The load of others on each link. */
struct extra {
    double *worst, *mean; /* [link] */
};

static void add_extra(struct extra *extra, const struct job_run *other, uint32_t n_links)
{
    const double n_steps = other->matrix.n_steps ? other->matrix.n_steps : 1;
    for (uint32_t link = 0; link < n_links; link++) {
        extra->worst[link] += other->peak[link];
        extra->mean[link] += (double)other->matrix.total[link] / n_steps;
    }
}

/* Returns the factor of time of a job's steps with that load. */
static struct disturbance disturb(const struct job_run *run, const struct extra *extra, uint32_t n_links)
{
    const struct traffic_matrix *matrix = &run->matrix;
    double alone = 0, worst = 0, mean = 0;
    struct disturbance found = {0, 1, 1};
    for (uint32_t link = 0; link < n_links; link++)
        found.n_links += run->peak[link] && extra->worst[link] > 0;
    for (uint32_t step = 0; step < matrix->n_steps; step++) {
        double most = 0, most_worst = 0, most_mean = 0;
        for (size_t i = matrix->first_load[step]; i < matrix->first_load[step + 1]; i++) {
            const struct matrix_load *load = &matrix->loads[i];
            const double with_worst = load->messages + extra->worst[load->link];
            const double with_mean = load->messages + extra->mean[load->link];
            most = load->messages > most ? load->messages : most;
            most_worst = with_worst > most_worst ? with_worst : most_worst;
            most_mean = with_mean > most_mean ? with_mean : most_mean;
        }
        alone += most;
        worst += most_worst;
        mean += most_mean;
    }
    if (alone > 0) {
        found.worst = worst / alone;
        found.mean = mean / alone;
    }
    return found;
}

static struct disturbance disturb_by(const struct jobs *jobs, size_t job, size_t first, size_t end)
{
    const uint32_t n_links = jobs->topology->n_link_ids;
    struct extra extra = {mem_alloc((size_t)n_links + 1, sizeof(double)),
                          mem_alloc((size_t)n_links + 1, sizeof(double))};
    for (size_t other = first; other < end; other++)
        if (other != job)
            add_extra(&extra, &jobs->runs[other], n_links);
    const struct disturbance found = disturb(&jobs->runs[job], &extra, n_links);
    free(extra.worst);
    free(extra.mean);
    return found;
}

static int jobs_compare_links(const void *a, const void *b)
{
    const struct shared_link *x = a, *y = b;
    if (x->peak != y->peak)
        return x->peak > y->peak ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

static void find_shared(struct jobs *jobs)
{
    const uint32_t n_links = jobs->topology->n_link_ids;
    jobs->links = mem_alloc((size_t)n_links + 1, sizeof *jobs->links);
    for (uint32_t link = 0; link < n_links; link++) {
        struct shared_link shared = {.link = link};
        for (size_t i = 0; i < jobs->n; i++) {
            shared.n_jobs += jobs->runs[i].peak[link] > 0;
            shared.peak += jobs->runs[i].peak[link];
            shared.total += jobs->runs[i].matrix.total[link];
        }
        if (shared.n_jobs > 1)
            jobs->links[jobs->n_links++] = shared;
    }
    if (jobs->n_links)
        qsort(jobs->links, jobs->n_links, sizeof *jobs->links, jobs_compare_links);
}

bool jobs_run(struct jobs *jobs, const struct project *project, const struct project_cell *cell,
              const struct topology *whole, struct topology *const *topologies, uint32_t keep_measured,
              struct diagnostics *findings)
{
    *jobs = (struct jobs){.topology = whole};
    if (!make_runs(jobs, project, cell, topologies, keep_measured, findings))
        return false;
    jobs->by = mem_alloc(jobs->n * jobs->n, sizeof *jobs->by);
    jobs->by_all = mem_alloc(jobs->n, sizeof *jobs->by_all);
    for (size_t i = 0; i < jobs->n; i++) {
        for (size_t k = 0; k < jobs->n; k++)
            jobs->by[i * jobs->n + k] = disturb_by(jobs, i, k, k + 1);
        jobs->by_all[i] = disturb_by(jobs, i, 0, jobs->n);
    }
    find_shared(jobs);
    return true;
}

void jobs_free(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        traffic_matrix_free(&jobs->runs[i].matrix);
        verify_report_free(&jobs->runs[i].report);
        making_free(&jobs->runs[i].making);
        free(jobs->runs[i].peak);
    }
    free(jobs->runs);
    free(jobs->by);
    free(jobs->by_all);
    free(jobs->links);
    *jobs = (struct jobs){0};
}

/* ---- findings ---- */

static bool is_above_alone(const struct jobs *jobs, uint32_t link, double most)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->runs[i].peak[link] > most)
            return true;
    return false;
}

static struct diagnostic *jobs_report_at(struct diagnostics *findings, struct position position,
                                         const char *format, ...) __attribute__((format(printf, 3, 4)));
static struct diagnostic *jobs_report_at(struct diagnostics *findings, struct position position,
                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct diagnostic *found = report_measured_va(findings, CODE_F003, position, 0, format, args);
    va_end(args);
    return found;
}

/* Prints "27 of a, 13 of b". */
static void print_shares(const struct jobs *jobs, uint32_t link, struct text *out)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const struct job_run *run = &jobs->runs[i];
        if (run->peak[link])
            text_printf(out, "%s%u of %s", out->length ? ", " : "", run->peak[link], run->job->name);
    }
}

static void jobs_find(const struct jobs *jobs, const struct shared_link *shared, double most,
                      struct diagnostics *findings)
{
    char from[256], to[256];
    uint32_t end[2];
    struct text shares = {0};
    topology_link_ends(jobs->topology, shared->link, &end[0], &end[1]);
    topology_node_name(jobs->topology, end[0], from, sizeof from);
    topology_node_name(jobs->topology, end[1], to, sizeof to);
    print_shares(jobs, shared->link, &shares);
    struct diagnostic *finding =
        jobs_report_at(findings, jobs->runs[0].job->schedule.position,
                       "link '%s' -> '%s' carries up to %" PRIu64 " messages at once (%s), the limit is %.0f",
                       from, to, shared->peak, shares.data, most);
    text_free(&shares);
    finding->place.link = shared->link;
    finding->counted = (struct counted){"messages", (double)shared->peak, most};
    finding->help = "jobs that share no switches, or fewer links, do not meet there";
}

void jobs_judge(const struct jobs *jobs, const struct verify_limits *limits, uint32_t keep,
                struct diagnostics *findings)
{
    const struct limit *limit = &limits->max_link_load;
    uint32_t n = 0;
    for (size_t i = 0; limit->is_set && i < jobs->n_links && (!keep || n < keep); i++) {
        const struct shared_link *shared = &jobs->links[i];
        if ((double)shared->peak <= limit->most || is_above_alone(jobs, shared->link, limit->most))
            continue;
        jobs_find(jobs, shared, limit->most, findings);
        n++;
    }
}
