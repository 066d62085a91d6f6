/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc verify: the rules over a schedule, and what was found. Findings are the
 * result, so they go to standard output; errors of the input go to stderr.
 */
#include "compiler/driver/verify.h"

#include "compiler/driver/budget.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/taken_table.h"
#include "compiler/driver/verify_check.h"
#include "ir/counts.h"
#include "mapping/mapping.h"
#include "reports/json.h"
#include "reports/verdict.h"
#include "study/adaptive.h"
#include "study/parallel/pool.h"
#include "study/lower_bound.h"
#include "study/lint/guards.h"
#include "study/lint/powers.h"
#include "study/lint/ranges.h"
#include "study/reproducible.h"
#include "study/symmetric.h"
#include "study/parallel/verification.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_DRIFT = 65536 }; /* so many steps are held in memory */

/* The reports of one call. */
struct verify_run {
    const struct options *options;
    struct text text;
    struct json json; /* writes to the text */
    bool is_json, has_several;
    uint64_t n_reports;
    bool lists_findings;       /* the format is of findings alone: reports go to the check */
    verify_shower *show;       /* takes the verdict, with its context; NULL: it is printed */
    void *show_context;
    struct verify_check check;
};

static void verify_list(struct verify_run *run, const struct job *job, const struct diagnostics *findings)
{
    struct text record = {0};
    verify_check_record(job->scene.topology, &job->diagnostics, findings, &record);
    verify_check_add(&run->check, &record);
    text_free(&record);
}

static void verify_print_report(struct verify_run *run, struct job *job, const struct verdict *verdict)
{
    const struct options *options = job->options;
    if (run->show) {
        run->show(run->show_context, job, verdict);
    } else if (run->lists_findings) {
        verify_list(run, job, verdict->findings);
    } else if (run->is_json) {
        verdict_json(verdict, NULL, &run->json);
    } else {
        if (run->n_reports && !options->quiet)
            text_append(&run->text, "\n", 1);
        if (!options->quiet)
            verdict_text(verdict, &run->text);
        diagnostics_print(verdict->findings, &run->text, options_use_colour(options, STDOUT_FILENO));
    }
    run->n_reports++;
    if (options->verbose)
        fprintf(stderr, "collc: verified in %.3f seconds\n", verdict->seconds);
}

/* False after refusing a limit on links where there are none. */
static bool verify_check_limits(const struct job *job)
{
    const struct verify_limits *limits = &job->options->limits;
#define LIMIT(field, option, kind, needs_network, measured, help)         \
    if (needs_network && limits->field.is_set && !job->scene.topology) \
        return usage_refuse(job->options, "--" option " is about links: give --topology");
#include "verify/limits.def"
    return true;
}

/* Returns the number of links, machines and the like above a limit that are listed; 0: all. */
static uint32_t measured_kept(const struct verify_run *run)
{
    enum { SHOWN = 5 };
    const uint32_t asked = run->options->max_findings;
    return asked || run->is_json || run->lists_findings ? asked : SHOWN;
}

/* Returns the number of worker processes: the MPI launch size, else --jobs, else one per processor if each
 * gets enough messages. If steps depend on each other, one process holds all data and the others wait for it,
 * so only a few. */
static uint32_t verify_count_processes(const struct job *job, const struct estimate *estimate)
{
    enum { WORTH_A_PROCESS = 1 << 20, FEW = 8, BYTES = 16 /* of a message in a file, about */ };
    const bool is_file = !job->scene.binding && job->scene.source;
    const double n_messages = is_file ? (double)job->scene.source->length / BYTES : estimate->n_messages;
    const double n_worth = n_messages / WORTH_A_PROCESS;
    uint32_t n = pool_n_processors();
    if (pool_n_launched() > 1)
        return pool_n_launched();
    if (job->options->jobs)
        return job->options->jobs;
    if (!estimate->n_independent && n > FEW)
        n = FEW;
    if (n_worth < n)
        n = n_worth < 2 ? 1 : (uint32_t)n_worth;
    return n;
}

/* Returns false. */
static bool refuse_rest(const struct options *options, const struct verify_report *report)
{
    usage_error_with("fewer ranks or steps; --budget allows more",
                     "stopped after %" PRIu64 " steps and %" PRIu64
                     " messages, when the budget of %.4g s of CPU time was used up",
                     report->n_steps, report->n_messages, budget_of(options));
    return false;
}

/* Every rank, if there is time for that. False, having said so, if not. */
static bool verify_all_ranks(struct job *job, const struct verify_request *request,
                             struct verify_report *report, struct diagnostics *findings)
{
    const struct options *options = job->options;
    struct estimate estimate = {.n_messages = 0};
    if (job->scene.binding)
        estimate = estimate_verification(job->scene.binding, budget_enough(options));
    if (!budget_allows(options, &estimate))
        return false;
    const uint32_t n = request->watch ? 1 : verify_count_processes(job, &estimate);
    if (verify_shared(job->scene.schedule, request, n, estimate.n_independent, report, findings))
        return true;
    return report->is_over_budget && refuse_rest(options, report);
}

/* Verifies by symmetry where a program has one, else rank by rank. False: a step could not be produced. */
static bool verify_either_way(struct job *job, const struct verify_request *request,
                              struct verify_report *report, struct symmetric_verdict *symmetric,
                              struct diagnostics *findings)
{
    struct progress progress = progress_begin(job->options);
    struct verify_request shown = *request;
    shown.observer = progress_observer(&progress);
    const bool may_be_symmetric = !job->options->no_symmetry && !request->watch;
    *symmetric = verify_by_symmetry(may_be_symmetric ? job_expanded_from(job) : NULL, &shown, report);
    progress_end(&progress);
    if (symmetric->is_decided)
        return true;
    const double n_to_route = symmetric->argument.n_to_route;
    const double seconds = verify_seconds(request->topology, n_to_route);
    if (report->is_over_budget && seconds > 2 * request->budget)
        return budget_refuse(job->options, "to route",
                             &(struct estimate){.n_messages = n_to_route, .seconds = seconds});
    if (report->is_over_budget)
        return refuse_rest(job->options, report);
    return verify_all_ranks(job, request, report, findings);
}

/* Returns the lower bound, if the report or a finding of a limit will print it. */
static struct least_load verify_find_least(const struct verify_run *run, const struct job *job,
                                           const struct verify_limits *limits)
{
    if (job->options->quiet && !run->is_json && !verify_has_limits(limits))
        return (struct least_load){.kind = NULL};
    return scene_least(&job->scene, NULL);
}

/* Explains messages of a list with errors, and adds the warnings of '^' for exclusive or and of ranges that
 * run down. */
static void note_slips(const struct job *job, struct diagnostics *found)
{
    const struct trial own = {.topology = job->scene.topology,
                              .placement = job->scene.placement,
                              .neighbors = job->scene.neighbors,
                              .neighbors_name = "--neighbors",
                              .root = job->options->root};
    const struct trial_run settings = {.settings = job->scene.settings, .n_settings = job->scene.n_settings};
    if (!job->scene.program || !job->scene.placement || !diagnostics_has_errors(found))
        return;
    guards_explain(job->scene.program, &own, &settings, found);
    powers_check(job->scene.program, &own, &settings, found);
    ranges_check(job->scene.program, found);
}

/* Looks for a better order of the hosts where they are in none. True if there is one. The map is
 * on the heap. It takes at most ORDER_WORK messages and links on their ways, a quarter of a
 * second. */
static bool find_host_order(const struct job *job, struct mapping_result *order)
{
    enum { ORDER_WORK = 1 << 24 };
    const struct mapping_request request = {
        .topology = job->scene.topology, .placement = job->scene.placement, .work = ORDER_WORK};
    return job->scene.topology && !job->options->quiet && !job->map &&
           mapping_is_scattered(job->scene.placement) &&
           !mapping_search_problem(&job->scene.schedule->header, &request) &&
           mapping_order_hosts(job->scene.schedule, &request, order);
}

/* Tries an algorithm, or compares the chunks of a schedule file. */
static struct reproducibility find_reproducibility(const struct job *job)
{
    if (job->scene.program)
        return reproducibility_of_program(job->scene.program, job->scene.settings, job->scene.n_settings);
    return reproducibility_of_schedule(job->scene.schedule, job->scene.placement);
}

/* Refuses what is asked of MPI's collectives, where the schedule is a pattern. */
static bool verify_check_pattern(const struct job *job)
{
    const struct options *options = job->options;
    if (!collective_is_said(job->scene.schedule->header.collective))
        return true;
    if (options->reproducible)
        return usage_refuse(options,
                            "--reproducible is about the results of MPI's reductions, and '%s' is a pattern",
                            job->argument);
    return true;
}

/* ---- adaptive routes ---- */

/* Refuses what is asked of fixed routes. */
static bool adaptive_check(const struct job *job)
{
    const struct options *options = job->options;
    const struct verify_limits *limits = &options->limits;
    const char *useless = limits->max_total_load.is_set    ? "--max-total-load"
                          : limits->max_bound_ratio.is_set ? "--max-bound-ratio"
                          : options->drift > 1             ? "--drift"
                          : pool_n_launched() > 1          ? "a launch by mpirun"
                                                           : NULL;
    return !useless || usage_refuse(options,
                                    "%s is for fixed routes: with --routing adaptive there is "
                                    "--max-link-load and --max-contended-steps",
                                    useless);
}

static int verify_job(struct verify_run *run, struct job *job, struct diagnostics *findings)
{
    const struct options *options = job->options;
    const bool is_adaptive = job->scene.topology && job->scene.topology->is_adaptive;
    if (!verify_check_limits(job) || !verify_check_pattern(job) || (is_adaptive && !adaptive_check(job)))
        return STATUS_FAILED;
    const struct verify_limits limits = scene_limits(&job->scene, &options->limits);
    struct verify_request request = {
        .topology = job->scene.topology,
        .placement = job->scene.placement,
        .limits = limits,
        .least = verify_find_least(run, job, &limits),
        .drift = options->drift,
        .budget = budget_of(options),
        .keep_per_step = options->per_step,
        .keep_measured = measured_kept(run),
    };
    struct load_ranges ranges;
    if (limits.max_bound_ratio.is_set && !request.least.kind &&
        collective_is_said(job->scene.schedule->header.collective))
        return usage_error(
            options,
            "no bound is known of '%s', a pattern that does not say what ranks need: leave out "
            "--max-bound-ratio",
            job->argument);
    if (is_adaptive)
        adaptive_prepare(&request, &ranges);
    struct verify_report report = {0};
    struct symmetric_verdict symmetric = {0};
    struct mapping_result order = {0};
    struct reproducibility reproducibility = {.combines = false};
    double start = seconds_now();
    int status = STATUS_FAILED;
    if (verify_either_way(job, &request, &report, &symmetric, findings)) {
        const double seconds = seconds_now() - start;
        if (is_adaptive)
            adaptive_judge(&ranges, &limits, job->scene.schedule->source, &report, findings);
        note_slips(job, findings);
        if (options->reproducible)
            reproducibility = find_reproducibility(job);
        const struct verdict verdict = {
            .header = &job->scene.schedule->header,
            .source = job->scene.schedule->source,
            .topology = job->scene.topology,
            .placement = job->scene.placement,
            .report = &report,
            .least = request.least,
            .warnings = &job->diagnostics,
            .findings = findings,
            .seconds = seconds,
            .drift = options->drift,
            .shows_placement = options->placement || options->order,
            .ranges = is_adaptive ? &ranges : NULL,
            .host_order = !is_adaptive && find_host_order(job, &order) ? &order : NULL,
            .reproducibility = options->reproducible ? &reproducibility : NULL,
            .per_step = options->per_step,
            .taken = job->taken,
            .symmetric = &symmetric,
            .explains = options->explain,
            .is_verbose = options->verbose,
        };
        verify_print_report(run, job, &verdict);
        bool is_found = has_failures(options, SEVERITY_ERROR, findings) ||
                        has_failures(options, SEVERITY_ERROR, &job->diagnostics);
        status = is_found ? STATUS_FINDINGS : STATUS_CLEAN;
    }
    if (is_adaptive)
        load_ranges_free(&ranges);
    verify_report_free(&report);
    symmetric_verdict_free(&symmetric);
    reproducibility_free(&reproducibility);
    free(order.map);
    return status;
}

/* Verifies one schedule on one network (NULL: none). */
static int verify_one(struct verify_run *run, const char *schedule, const char *topology)
{
    struct options options = *run->options;
    options.arguments[0] = schedule;
    options.n_arguments = 1;
    options.topology = topology;
    struct job job = job_begin(&options);
    struct diagnostics findings = {.is_joined = true,
                                   .keep_per_code =
                                       run->lists_findings ? VERIFY_CHECK_KEPT : options.max_findings,
                                   .how_to_see_more = "--max-findings lists more"};
    int status = job_open(&job);
    if (status == STATUS_CLEAN)
        status = verify_job(run, &job, &findings);
    note_slips(&job, &job.diagnostics);
    if (run->lists_findings && status == STATUS_FAILED)
        verify_list(run, &job, NULL);
    diagnostics_free(&findings);
    return job_close(&job, status);
}

int verify_into(const struct options *options, const char *schedule, const char *topology,
                struct text *out)
{
    struct verify_run run = {.options = options, .is_json = true};
    run.json.out = out;
    return verify_one(&run, schedule, topology);
}

int verify_and_show(const struct options *options, verify_shower *show, void *context)
{
    struct verify_run run = {.options = options, .show = show, .show_context = context};
    return verify_one(&run, options->arguments[0], options->topology);
}

/* Each schedule on each network, so that one run shows what is wrong with all of them. */
static int verify_all(struct verify_run *run)
{
    const struct options *options = run->options;
    const struct text_list *topologies = &options->topologies;
    int worst = STATUS_CLEAN;
    for (uint32_t i = 0; i < options->n_arguments; i++) {
        for (size_t k = 0; k < (topologies->n ? topologies->n : 1); k++) {
            int status = verify_one(run, options->arguments[i],
                                    topologies->n ? topologies->items[k] : NULL);
            worst = status > worst ? status : worst;
        }
    }
    return worst;
}

/* Standard input can be read once. */
static bool is_read_twice(const struct options *options)
{
    size_t n = 0;
    for (uint32_t i = 0; i < options->n_arguments; i++)
        n += option_is(options->arguments[i], "-") * (options->topologies.n ? options->topologies.n : 1);
    for (size_t k = 0; k < options->topologies.n; k++)
        n += option_is(options->topologies.items[k], "-") * options->n_arguments;
    return n > 1;
}

/* Writes reports in the form of verify, several in JSON as one record. */
static int write_reports(struct verify_run *run)
{
    const bool is_wrapped = run->is_json && run->has_several;
    if (is_wrapped) {
        json_open(&run->json, NULL, '{');
        json_put_unsigned(&run->json, "version", REPORTS_VERSION);
        json_open(&run->json, "reports", '[');
    }
    const int status = verify_all(run);
    if (is_wrapped) {
        json_close(&run->json, ']');
        json_close(&run->json, '}');
    }
    return status;
}

/* Writes the findings of all reports as those of a check. */
static int write_findings(struct verify_run *run)
{
    verify_check_begin(&run->check, run->options, run->options->arguments, run->options->n_arguments);
    const int status = verify_all(run);
    verify_check_write(&run->check, run->options->format, &run->text);
    verify_check_free(&run->check);
    return status;
}

int command_verify(const struct options *options)
{
    struct verify_run run = {.options = options,
                             .is_json = option_is(options->format, "json"),
                             .has_several = options->n_arguments > 1 || options->topologies.n > 1};
    if (wants_taken_table(options))
        return write_taken_table(options);
    const struct span_list *spans = &options->spans;
    if (spans->n > 1 || (spans->n && spans->items->first != spans->items->last))
        return usage_error(options, "several sizes are for --as: give one");
    if (options->drift > MAX_DRIFT)
        return usage_error(options, "a drift of %u steps is more than %d", options->drift, MAX_DRIFT);
    if (is_read_twice(options))
        return usage_error(options, "standard input, '-', can be read once only");
    run.json.out = &run.text;
    run.lists_findings = check_format_find(options->format)->is_findings && !options->dump_after;
    const int status = run.lists_findings ? write_findings(&run) : write_reports(&run);
    output_text(NULL, &run.text);
    text_free(&run.text);
    return status;
}
