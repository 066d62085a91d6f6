/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc bound: what no schedule of a collective can beat, here.
 */
#include "base/codes.h"
#include "bound/bound.h"
#include "bound/check/check.h"
#include "bound/fan_in.h"
#include "bound/flow/flow.h"
#include "bound/overlay/overlay.h"
#include "bound/routes.h"
#include "bound/server_plan.h"
#include "compiler/driver/combinations.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "ir/counts.h"
#include "reports/bound_report.h"
#include "reports/certificate.h"

#include <string.h>
#include <unistd.h>

enum { MAX_PLANNED_RANKS = 512, PLAN_EFFORT = 20000000 };

static void bound_write_schedule(const struct options *options, const struct topology *topology,
                                 const struct placement *placement)
{
    struct server_plan plan =
        server_plan_find(placement, options->max_fan_in ? options->max_fan_in : 1, PLAN_EFFORT);
    struct schedule *schedule = server_plan_schedule(&plan);
    struct output output = output_open(options->schedule);
    schedule->header.topology = options->topology;
    schedule->header.fingerprint = topology->fingerprint;
    schedule->header.machine = placement->machine;
    schedule_print(schedule, output_write, &output);
    output_commit(&output);
    schedule->destroy(schedule);
    server_plan_free(&plan);
}

static int check_schedule(const struct options *options, enum collective collective,
                          const struct placement *placement)
{
    if (!options->schedule && options->max_fan_in)
        return usage_error(options, "--max-fan-in is for --schedule");
    if (options->schedule && (collective != COLLECTIVE_alltoall || options->counts))
        return usage_error(options, "--schedule is for alltoall");
    if (options->schedule && placement->n_ranks > MAX_PLANNED_RANKS)
        return usage_error(options, "--schedule is for %d ranks at most, these are %u",
                           MAX_PLANNED_RANKS, placement->n_ranks);
    return STATUS_CLEAN;
}

/* Servers that cannot reach each other have no all-to-all; relays are not for us to find. */
static bool bound_is_whole(struct job *job, const struct bound_request *request, const struct flow *flow)
{
    uint32_t machine[2] = {flow->apart[0], flow->apart[1]};
    if (!flow->is_apart && (!bound_has_steps(request) || !bound_unreachable(request, machine)))
        return true;
    job_report_apart(job, machine);
    return false;
}

/* Sums of counts are to be numbers. */
static int bound_check_counts(const struct job *job, enum collective collective)
{
    const uint32_t p = job->scene.placement->n_ranks;
    const uint64_t n = counts_needed(collective, p);
    uint64_t sum = 0;
    if (!job->scene.counts)
        return STATUS_CLEAN;
    if (n > p && p > BOUND_MAX_PAIRED_RANKS)
        return usage_error(job->options, "bounds of so many counts are for %d ranks at most, these are "
                                         "%u", BOUND_MAX_PAIRED_RANKS, p);
    for (uint64_t i = 0; i < n; i++)
        sum = units_sum(sum, job->scene.counts->bytes(job->scene.counts, i));
    if (sum > INT64_MAX)
        return usage_error(job->options, "--counts are 2^63 bytes or more in all: give smaller ones");
    return STATUS_CLEAN;
}

static int bound_check_request(struct job *job, enum collective collective)
{
    if (!job->scene.topology)
        return usage_error(job->options, "bounds are those of a network: give --topology");
    if (!job_check_root(job, collective))
        return STATUS_FAILED;
    const int status = check_schedule(job->options, collective, job->scene.placement);
    return status == STATUS_CLEAN ? bound_check_counts(job, collective) : status;
}

static int check_solver(const struct options *options)
{
    if (options->time_limit.is_set && options->time_limit.value == 0)
        return usage_error(options, "--time is zero: nothing can be solved in that");
    if (options->solver && access(options->solver, X_OK) != 0)
        return usage_error(options, "--solver '%s' is no executable", options->solver);
    return STATUS_CLEAN;
}

static void print_bounds(const struct job *job, const struct bound_request *request,
                         const struct bound_subject *subject)
{
    struct text text = {0};
    if (option_is(job->options->format, "json"))
        bound_json(request, subject, &text);
    else
        bound_text(request, subject, &text);
    output_text(NULL, &text);
    text_free(&text);
}

/* False: nothing is known that could be written. */
static bool write_certificate(const struct job *job, const struct bound_request *request,
                              const struct bound_subject *subject)
{
    struct text text = {0};
    if (subject->flow->n_proofs == 0 && subject->cut->n_proofs == 0 && subject->overlay->n_proofs == 0) {
        usage_error(job->options, "no bound by flows, relays or any cut is known of %s here, so there is nothing for "
                                  "--certificate", subject->name);
        return false;
    }
    if (subject->overlay->n_proofs)
        overlay_certificate(subject->overlay, request, subject->name, &text);
    else if (subject->flow->n_proofs)
        flow_certificate(subject->flow, request, subject->name, &text);
    else
        cut_certificate(subject->cut, request, subject->name, &text);
    output_text(job->options->certificate, &text);
    text_free(&text);
    return true;
}

/* Writes all outputs that were asked for; an output that goes to standard output goes there alone. */
static int bound_write_all(const struct job *job, const struct bound_request *request,
                           const struct bound_subject *subject)
{
    const struct options *options = job->options;
    if (options->certificate && !write_certificate(job, request, subject))
        return STATUS_FAILED;
    if (options->schedule)
        bound_write_schedule(options, job->scene.topology, job->scene.placement);
    if (!(options->schedule && !strcmp(options->schedule, "-")) &&
        !(options->certificate && !strcmp(options->certificate, "-")))
        print_bounds(job, request, subject);
    return STATUS_CLEAN;
}

static int show_bounds(struct job *job, const struct bound_request *request, const char *name)
{
    const struct options *options = job->options;
    if (check_solver(options) != STATUS_CLEAN)
        return STATUS_FAILED;
    const struct lp_solver solver = {
        .path = options->solver,
        .seconds = options->time_limit.is_set ? (double)options->time_limit.value * 1e-9 : 10};
    struct flow flow = flow_of(request, &solver);
    struct cut_proof cut = cut_prove(request);
    const struct overlay_known known = overlay_known_by(&flow);
    struct overlay overlay = overlay_of(request, &known, OVERLAY_WORK);
    const bool has_bytes = job->scene.counts && !job->counts_blocks;
    const struct bound_subject subject = {
        name, job->demand, options->bytes, has_bytes ? 1 : options->bytes, &flow, &cut, &overlay};
    const int status =
        bound_is_whole(job, request, &flow) ? bound_write_all(job, request, &subject) : STATUS_FAILED;
    flow_free(&flow);
    cut_proof_free(&cut);
    overlay_free(&overlay);
    return status;
}

/* Checks that a certificate proves what it states, about the subject named here if there is one. Returns a
 * status. */
static int check_certificate(struct job *job, const struct check_subject *subject)
{
    struct text verdict = {0};
    const struct source *source = source_read(job->options->certificate_to_check, CERTIFICATE_MAX_BYTES,
                                              &job->scene.arena, &job->diagnostics);
    if (!source)
        return STATUS_FAILED;
    const bool is_good = proof_file_check(source->text, source->length, subject, &verdict);
    output_text(NULL, &verdict);
    text_free(&verdict);
    return is_good ? STATUS_CLEAN : STATUS_FINDINGS;
}

static int bound_answer(struct job *job, enum collective collective, enum collective_form form)
{
    const char *name = collective_name(collective, form);
    if (bound_check_request(job, collective) != STATUS_CLEAN)
        return STATUS_FAILED;
    const struct bound_request request = {collective, job->options->root, job->scene.topology,
                                          job->scene.placement, job->scene.counts,
                                          job->counts_blocks};
    const struct check_subject subject = {name, &request};
    return job->options->certificate_to_check ? check_certificate(job, &subject)
                                              : show_bounds(job, &request, name);
}

/* "alltoall, bcast, ..." */
static const char *served_names(struct arena *arena)
{
    const char *names = "";
    for (enum collective i = 0; i < N_COLLECTIVES; i++)
        if (bound_serves(i))
            names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", collective_table[i].name);
    return names;
}

static int bound_check_collective(struct job *job, enum collective collective, enum collective_form form)
{
    const char *name = collective_name(collective, form);
    if (form != FORM_EQUAL && !job->scene.counts)
        return usage_error(job->options, "the blocks of %s are of --counts: give them, or name '%s'",
                           name, collective_table[collective].name);
    if (!bound_serves(collective))
        return usage_error(job->options, "no bound of %s is known: bounds are of what must cross a cut, "
                                         "in %s",
                           name, served_names(&job->scene.arena));
    return STATUS_CLEAN;
}

int command_bound(const struct options *options)
{
    enum collective collective;
    enum collective_form form;
    if (!options->n_arguments && !options->certificate_to_check)
        return usage_error(options, "name a COLLECTIVE, or a certificate with --check");
    if (options->certificate_to_check && options_given(options, "bytes", "") && !options->counts)
        return usage_error(options, "with --check, --bytes has no effect but for --counts: leave it out");
    struct job job = job_begin(options);
    int status = STATUS_FAILED;
    if (!options->n_arguments && options->topology)
        status = usage_error(options, "--topology is for a COLLECTIVE: name it, too");
    else if (!options->n_arguments)
        status = check_certificate(&job, NULL);
    else if (job_open_collective(&job, &collective, &form))
        status = bound_check_collective(&job, collective, form);
    if (options->n_arguments && status == STATUS_CLEAN)
        status = bound_answer(&job, collective, form);
    return job_close(&job, status);
}
