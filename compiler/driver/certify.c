/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies what is to be emitted. Loops are for any number of ranks: they are tried for a few
 * (trials.h), which shows nearly every mistake, as few algorithms do with more ranks what they
 * never do with nine. See certify.h.
 */
#include "compiler/driver/certify.h"

#include "base/codes.h"
#include "compiler/driver/trials.h"

#include <stdio.h>

/* In sum: a fifth of a second. The built-in algorithms take a tenth of it at most. */
#define MOST_WORK (UINT64_C(1) << 20)
/* Larger values of parameters, above all numbers of segments, only do the same more often. */
enum { ENOUGH = 16 };

struct certification {
    struct trial_run run; /* first */
    struct job *job;
    bool is_right_somewhere;
    int status;
};

static void name_subject(const struct job *job, struct text *text)
{
    const struct program *program = job->program;
    const struct schedule_header *header = job->schedule ? &job->schedule->header : NULL;
    text_printf(text, "%s/", program ? collective_name(program->collective, program->form)
                                     : collective_name(header->collective, header->form));
    text_append_safe(text, program ? program->name : header->algorithm);
}

/* What is wrong, and where. Returns the status. */
static int refuse(const struct job *job, const struct trial *trial, const char *help,
                  const struct diagnostics *findings)
{
    const enum collective collective =
        job->program ? job->program->collective : job->schedule->header.collective;
    const bool has_steps = !findings->n_of_code[CODE_E007] && !findings->n_of_code[CODE_E008];
    struct text text = {0};
    name_subject(job, &text);
    text_printf(&text, " with ");
    trial_name(trial, collective, &text);
    job_print(job, findings);
    usage_error_with(help, "no C is written of %s: it is wrong", text.data);
    text_free(&text);
    return has_steps ? STATUS_FINDINGS : STATUS_FAILED;
}

/* Errors of the input, found while steps are produced, are in the job's own list. */
static int certify_own(struct job *job, struct trial_run *run, const char *help)
{
    const struct trial trial = {job->topology, job->placement, job->schedule->header.root};
    struct diagnostics findings = {.is_joined = true};
    const enum outcome outcome =
        trial_run_schedule(run, job->schedule, job->placement, &findings);
    int status = STATUS_CLEAN;
    if (outcome == TRIAL_WRONG)
        status = refuse(job, &trial, help, &findings);
    else if (job->schedule->failed)
        status = STATUS_FAILED;
    diagnostics_free(&findings);
    return status;
}

int certify_schedule(struct job *job)
{
    struct trial_run run = {.most_work = UINT64_MAX};
    return certify_own(job, &run, "'collc verify' with the same options shows it, too");
}

/* ---- loops ---- */

static void try_one(void *context, const struct trial *trial)
{
    struct certification *certification = context;
    struct diagnostics findings = {.is_joined = true};
    if (certification->status != STATUS_CLEAN)
        return;
    const enum outcome outcome = trial_run(&certification->run, trial, &findings);
    certification->is_right_somewhere |= outcome == TRIAL_RIGHT;
    if (outcome == TRIAL_WRONG)
        certification->status =
            refuse(certification->job, trial,
                   "mend it, or have it refuse such ranks with 'requires'", &findings);
    diagnostics_free(&findings);
}

/* One after the other, all of the first nine, and if it is defined for none of them, of more. */
static void try_ranks(struct certification *certification)
{
    static const uint32_t more[] = {10, 12, 16, 24, 25, 27, 32, 64};
    const struct program *program = certification->run.program;
    for (uint32_t p = 1; p <= 9; p++)
        trials_of_ranks(program, p, try_one, certification);
    for (size_t i = 0; i < sizeof more / sizeof *more && !certification->is_right_somewhere; i++)
        trials_of_ranks(program, more[i], try_one, certification);
}

/* All parameters of the program with the values that the C has, `most` at most. */
static void take_parameters(struct trial_run *run, const int64_t *parameters, int64_t most,
                            struct arena *arena)
{
    const struct program *program = run->program;
    struct parameter_setting *settings = arena_alloc(arena, program->n_variables, sizeof *settings);
    run->n_settings = 0;
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (program->variables[i].kind == VARIABLE_PARAMETER)
            settings[run->n_settings++] = (struct parameter_setting){
                .name = program->variables[i].name,
                .value = parameters[i] > most ? most : parameters[i]};
    run->settings = settings;
}

static void say_unverified(const struct job *job, const char *where, const char *why)
{
    struct text text = {0};
    name_subject(job, &text);
    if (!job->options->quiet)
        fprintf(stderr, "collc: note: %s is not verified %s: %s; 'collc verify' does it for one number "
                        "of ranks\n", text.data, where, why);
    text_free(&text);
}

/* For the ranks of the job; *is_done if it went to the end. */
static int certify_placed(struct job *job, bool *is_done)
{
    struct trial_run run = {.most_work = MOST_WORK};
    int status = certify_own(job, &run, "'collc verify' with the same options shows it, too");
    *is_done = !run.is_cut;
    if (status == STATUS_CLEAN && run.is_cut)
        say_unverified(job, "for these ranks", "there is too much of it");
    return status;
}

/* What cannot be tried with its parameters is tried with smaller ones. True if there was too
 * much of it to be tried as it is. */
static bool try_parameters(struct certification *certification, const int64_t *parameters)
{
    struct job *job = certification->job;
    struct trial_run *run = &certification->run;
    if (parameters)
        take_parameters(run, parameters, INT64_MAX, &job->arena);
    try_ranks(certification);
    const bool was_cut = run->is_cut;
    if (certification->status != STATUS_CLEAN || !was_cut || !parameters)
        return was_cut;
    run->is_cut = false;
    run->work = 0;
    take_parameters(run, parameters, ENOUGH, &job->arena);
    try_ranks(certification);
    return true;
}

/* `is_done`: verified for the ranks of the job. */
static void say_what_is_left(const struct certification *certification, bool was_cut, bool is_done)
{
    const bool is_tried = certification->is_right_somewhere || is_done;
    if (was_cut)
        say_unverified(certification->job, is_tried ? "in full" : "at all", "there is too much of it");
    else if (!is_tried)
        say_unverified(certification->job, "at all",
                       "it is defined for none of the small numbers of ranks tried");
}

int certify_program(struct job *job, const int64_t *parameters, bool is_for_its_grid)
{
    struct certification certification = {
        .run = {.program = job->program, .most_work = MOST_WORK,
                .has_unequal_counts = job->program->form != FORM_EQUAL},
        .job = job};
    bool is_done = false;
    int status = job->schedule ? certify_placed(job, &is_done) : STATUS_CLEAN;
    if (status != STATUS_CLEAN || (is_done && is_for_its_grid))
        return status;
    const bool was_cut = try_parameters(&certification, parameters);
    if (certification.status == STATUS_CLEAN)
        say_what_is_left(&certification, was_cut, is_done);
    return certification.status;
}
