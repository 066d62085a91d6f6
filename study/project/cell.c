/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cell.h.
 */
#include "study/project/cell.h"

#include "base/codes.h"
#include "study/network.h"
#include "study/project/making.h"

/* ---- networks ---- */

static const char **texts_of(const struct project_words *words, struct arena *arena)
{
    const char **texts = arena_alloc(arena, words->n + 1, sizeof *texts);
    for (size_t i = 0; i < words->n; i++)
        texts[i] = words->items[i].text;
    return texts;
}

static struct topology *project_cell_open_network(const struct project_network *network, bool has_tables,
                                                  struct diagnostics *diagnostics)
{
    struct arena arena = {0};
    const struct project_words *routes = &network->routes;
    struct network_request request = {
        .spec = network->spec.text,
        .adapters = network->adapters,
        .restriction = {texts_of(&network->failed, &arena), network->failed.n, network->machines}};
    if (has_tables) {
        request.routes = (struct route_files){texts_of(routes, &arena), routes->n, false};
        request.routes_at = routes->n == 1 ? &routes->items[0].position : NULL;
    }
    struct topology *topology = network_open(&request, diagnostics);
    arena_free(&arena);
    return topology;
}

struct topology *cell_open_network(const struct project_network *network,
                                   struct diagnostics *diagnostics)
{
    return project_cell_open_network(network, true, diagnostics);
}

struct topology *cell_open_rest(const struct project_network *network, struct diagnostics *diagnostics)
{
    struct topology *topology = project_cell_open_network(network, false, diagnostics);
    return topology ? topology_let_fail(topology) : NULL;
}

/* ---- failures ---- */

static void find_failures(const struct traffic_matrix *matrix, struct making *making, struct topology *rest,
                          struct least_load least, uint32_t keep, struct diagnostics *findings,
                          struct failures *failures)
{
    const struct scene *scene = &making->scene;
    const struct position position = {scene->source, 0, 0, 1};
    const struct failures_subject subject = {scene->topology, scene->placement, rest, &making->cell->limits,
                                             position, keep};
    if (matrix->is_too_large) {
        report(&making->problems, CODE_K009, position, "the messages of '%s' cross more than %d links here",
               making->cell->schedule, MATRIX_MAX_CROSSINGS)
            ->help = "failures are for schedules of fewer messages: choose fewer ranks";
        return;
    }
    *failures = failures_of_scene(scene, matrix, rest, least);
    failures_judge(failures, &subject, findings);
}

/* ---- jobs ---- */

/* Reports errors in the input of any of the jobs; true if there are some. */
static bool cell_is_broken(const struct jobs *jobs, struct diagnostics *problems)
{
    for (size_t i = 0; i < jobs->n; i++)
        for (const struct diagnostic *d = jobs->runs[i].making.problems.first; d; d = d->next) {
            struct diagnostic *copy =
                report(problems, d->code, d->position, "job '%s': %s", jobs->runs[i].job->name, d->message);
            copy->help = d->help;
        }
    return diagnostics_has_errors(problems);
}

static void run_jobs(const struct project *project, const struct project_cell *cell, struct cell_place place,
                     struct cell_keep keep,
                     void (*show)(void *context, const struct cell_result *result), void *context)
{
    struct diagnostics findings = {.is_joined = true, .keep_per_code = keep.per_code}, problems = {0};
    struct jobs jobs;
    const bool is_run =
        jobs_run(&jobs, project, cell, place.topology, place.of_jobs, keep.measured, &findings);
    for (size_t i = 0; i < jobs.n; i++)
        if (jobs.runs[i].making.is_not_for)
            report(&problems, CODE_K002, jobs.runs[i].job->schedule.position,
                   "the schedule of job '%s' is for another number of ranks, or another root",
                   jobs.runs[i].job->name)
                ->help = "write ranks: with the number that the file is for";
    const bool is_good = !cell_is_broken(&jobs, &problems) && is_run;
    if (is_good)
        jobs_judge(&jobs, &cell->limits, keep.measured, &findings);
    const struct cell_result result = {.outcome = is_good ? CELL_VERIFIED : CELL_BROKEN,
                                       .topology = place.topology,
                                       .problems = &problems,
                                       .findings = &findings,
                                       .jobs = is_good ? &jobs : NULL};
    show(context, &result);
    jobs_free(&jobs);
    diagnostics_free(&findings);
    diagnostics_free(&problems);
}

/* ---- all ---- */

/* Reports that failures, which count whole messages, are not judged where these are striped. */
static void cell_refuse_stripes(const struct project_cell *cell, const struct placement *placement,
                                struct diagnostics *diagnostics)
{
    if (placement_stripes(placement) > 1)
        report(diagnostics, CODE_A005, cell->network->spec.position,
               "failures are not judged where messages are striped over adapters")
            ->help = "leave out --fail each, or give the network rank-adapters: slot";
}

void cell_run(const struct project *project, const struct project_cell *cell, struct cell_place place,
              struct cell_keep keep,
              void (*show)(void *context, const struct cell_result *result), void *context)
{
    if (cell->is_of_jobs) {
        run_jobs(project, cell, place, keep, show, context);
        return;
    }
    struct making making = {.project = project, .cell = cell, .scene = {.topology = place.topology}};
    const struct scene *scene = &making.scene;
    struct diagnostics findings = {.is_joined = true, .keep_per_code = keep.per_code};
    struct verify_report report = {0};
    struct traffic_matrix matrix = {0};
    struct failures failures = {0};
    const struct least_load none = {.kind = NULL};
    const bool is_made = making_make(&making), has_failures = is_made && place.rest;
    if (has_failures)
        cell_refuse_stripes(cell, scene->placement, &making.problems);
    if (has_failures)
        matrix = traffic_matrix_start(place.topology, scene->placement);
    const struct verify_request request = {.topology = place.topology,
                                           .placement = scene->placement,
                                           .limits = scene_limits(scene, &cell->limits),
                                           .least = is_made ? scene_least(scene, place.bounds) : none,
                                           .watch = has_failures ? traffic_matrix_watch : NULL,
                                           .watch_context = &matrix,
                                           .keep_measured = keep.measured};
    struct symmetric_verdict symmetric = {0};
    if (is_made)
        symmetric = verify_by_symmetry(scene->binding, &request, &report);
    const bool is_verified =
        is_made &&
        (symmetric.is_decided || verify_schedule(scene->schedule, &request, &report, &findings)) &&
        !diagnostics_has_errors(&making.problems);
    if (is_verified && has_failures)
        find_failures(&matrix, &making, place.rest, request.least, keep.measured, &findings, &failures);
    struct cell_result result = {.outcome = is_verified           ? CELL_VERIFIED
                                            : making_is_not_for(&making) ? CELL_NOT_FOR
                                                                  : CELL_BROKEN,
                                 .topology = place.topology,
                                 .placement = scene->placement,
                                 .problems = &making.problems,
                                 .findings = &findings};
    if (is_verified) {
        result.header = &scene->schedule->header;
        result.source = scene->schedule->source;
        result.report = &report;
        result.least = request.least;
        result.symmetric = &symmetric;
        result.failures = failures.n ? &failures : NULL;
    }
    show(context, &result);
    symmetric_verdict_free(&symmetric);
    failures_free(&failures);
    traffic_matrix_free(&matrix);
    verify_report_free(&report);
    diagnostics_free(&findings);
    making_free(&making);
}
