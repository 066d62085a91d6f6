/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See certify.h. Loops are for any number of ranks and are tried with a few (trials.h). That shows nearly
 * every mistake, as few algorithms do with more ranks what they never do with nine.
 */
#include "study/certify.h"

#include "base/codes.h"
#include "study/symmetric.h"

#include <stdlib.h>
#include <string.h>

/* Limit of work in all: a fifth of a second. The built-in algorithms take at most a tenth of it. */
#define MOST_WORK (UINT64_C(1) << 20)
/* Limit for values of parameters. Larger ones, such as numbers of segments, only repeat the same more
 * often. */
enum { ENOUGH = 16 };

struct certification {
    struct trial_run run; /* first */
    const struct certify_request *request;
    struct certificate *certificate;
    bool is_right_somewhere;
    bool is_right_now;          /* with the number of ranks that is being tried */
    bool is_right[TRIAL_RANKS]; /* of trial_ranks */
};

static void name_subject(const struct certify_request *request, struct text *text)
{
    const struct program *program = request->program;
    const struct schedule_header *header = program ? NULL : &request->schedule->header;
    text_printf(text, "%s/", program ? collective_name(program->collective, program->form)
                                     : collective_name(header->collective, header->form));
    text_append_safe(text, program ? program->name : header->algorithm);
}

/* Records an error and its place; the certificate takes the findings. */
static void certify_refuse(struct certification *certification, const struct trial *trial, const char *help,
                           struct diagnostics *findings)
{
    const struct certify_request *request = certification->request;
    struct certificate *certificate = certification->certificate;
    certificate->result = CERTIFIED_WRONG;
    certificate->has_steps = !findings->n_of_code[CODE_E007] && !findings->n_of_code[CODE_E008];
    certificate->help = help;
    name_subject(request, &certificate->where);
    text_printf(&certificate->where, " with ");
    trial_name(trial, request->program ? request->program->collective
                                       : request->schedule->header.collective,
               &certificate->where);
    certificate->findings = *findings;
    *findings = (struct diagnostics){0};
}

/* Verifies the schedule as it is. Errors of the input, found while steps are produced, are in the
 * schedule's own list. */
static void verify_own(struct certification *certification, struct trial_run *run)
{
    const struct certify_request *request = certification->request;
    struct schedule *schedule = request->schedule;
    const struct trial trial = {
        .topology = request->topology, .placement = request->placement, .root = schedule->header.root};
    struct diagnostics findings = {.is_joined = true};
    if (request->binding && is_right_by_symmetry(request->binding))
        return;
    if (trial_run_schedule(run, schedule, request->placement, &findings) == TRIAL_WRONG)
        certify_refuse(certification, &trial, "'collc verify' with the same options shows it, too",
                       &findings);
    else if (schedule->failed)
        certification->certificate->result = CERTIFIED_NOT;
    diagnostics_free(&findings);
}

/* ---- loops ---- */

static void try_one(void *context, const struct trial *trial)
{
    struct certification *certification = context;
    struct diagnostics findings = {.is_joined = true};
    if (certification->certificate->result != CERTIFIED_RIGHT)
        return;
    const enum outcome outcome = trial_run(&certification->run, trial, &findings);
    certification->is_right_now |= outcome == TRIAL_RIGHT;
    if (outcome == TRIAL_WRONG)
        certify_refuse(certification, trial, "mend it, or have it refuse such ranks with 'requires'",
                       &findings);
    diagnostics_free(&findings);
}

/* Tries all of the first nine numbers of ranks; larger ones if it is defined for none of them, or untested
 * and that is not too much. */
static void certify_try_ranks(struct certification *certification)
{
    enum { FIRST = 9 };
    struct trial_run *run = &certification->run;
    for (size_t i = 0; i < TRIAL_RANKS; i++) {
        const bool is_more = trial_ranks[i] > FIRST && certification->is_right_somewhere;
        if (is_more && (run->is_cut || !certification->request->is_untested))
            return;
        certification->is_right_now = false;
        trials_of_ranks(run->program, trial_ranks[i], try_one, certification);
        if (run->is_cut && is_more) {
            run->is_cut = false;
            return;
        }
        certification->is_right[i] = certification->is_right_now;
        certification->is_right_somewhere |= certification->is_right_now;
    }
}

/* Takes all parameters of the program with their values in the C, `most` at most; the caller frees them. */
static struct parameter_setting *take_parameters(struct trial_run *run, const int64_t *parameters,
                                                 int64_t most)
{
    const struct program *program = run->program;
    struct parameter_setting *settings = mem_alloc(program->n_variables + 1u, sizeof *settings);
    run->n_settings = 0;
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (program->variables[i].kind == VARIABLE_PARAMETER)
            settings[run->n_settings++] = (struct parameter_setting){
                .name = program->variables[i].name,
                .value = parameters[i] > most ? most : parameters[i]};
    run->settings = settings;
    return settings;
}

static void try_parameters(struct certification *certification, int64_t most)
{
    const int64_t *parameters = certification->request->parameters;
    struct parameter_setting *settings =
        parameters ? take_parameters(&certification->run, parameters, most) : NULL;
    certify_try_ranks(certification);
    free(settings);
}

/* Tries the program, with smaller parameters if its own are too much. Returns true if its own were too
 * much. */
static bool certify_try_program(struct certification *certification)
{
    struct trial_run *run = &certification->run;
    try_parameters(certification, INT64_MAX);
    if (certification->certificate->result != CERTIFIED_RIGHT || !run->is_cut)
        return run->is_cut;
    if (certification->request->parameters) {
        run->is_cut = false;
        run->work = 0;
        try_parameters(certification, ENOUGH);
    }
    return true;
}

static void certify_note(const struct certification *certification, const char *where, const char *why)
{
    struct text *notes = &certification->certificate->notes;
    name_subject(certification->request, notes);
    text_printf(notes, " is not verified %s: %s; 'collc verify' does it for one number of ranks\n",
                where, why);
}

static void certify_note_ranks(const struct certification *certification)
{
    struct text *notes = &certification->certificate->notes;
    name_subject(certification->request, notes);
    text_printf(notes, " is verified with ");
    trial_list_ranks(certification->is_right, TRIAL_RANKS, notes);
    text_printf(notes, strcmp(notes->data + notes->length - 2, " 1") == 0 ? " rank\n" : " ranks\n");
}

static void certify_program(struct certification *certification)
{
    const struct certify_request *request = certification->request;
    const struct certificate *certificate = certification->certificate;
    struct trial_run of_schedule = {.most_work = MOST_WORK};
    if (request->schedule)
        verify_own(certification, &of_schedule);
    if (certificate->result != CERTIFIED_RIGHT)
        return;
    if (of_schedule.is_cut)
        certify_note(certification, "for these ranks", "there is too much of it");
    const bool is_done = request->schedule && !of_schedule.is_cut;
    if (is_done && request->is_for_its_grid)
        return;
    const bool was_cut = certify_try_program(certification);
    const bool is_tried = certification->is_right_somewhere || is_done;
    if (certificate->result != CERTIFIED_RIGHT)
        return;
    if (was_cut)
        certify_note(certification, is_tried ? "in full" : "at all", "there is too much of it");
    else if (!is_tried)
        certify_note(certification, "at all", "it is defined for none of the small numbers of ranks tried");
    else if (request->is_untested)
        certify_note_ranks(certification);
}

struct certificate certify(const struct certify_request *request)
{
    struct certificate certificate = {.result = CERTIFIED_RIGHT};
    struct certification certification = {
        .run = {.program = request->program, .most_work = MOST_WORK,
                .has_unequal_counts = request->program && request->program->form != FORM_EQUAL},
        .request = request,
        .certificate = &certificate};
    struct trial_run in_full = {.most_work = UINT64_MAX};
    if (request->program)
        certify_program(&certification);
    else
        verify_own(&certification, &in_full);
    return certificate;
}

void certificate_free(struct certificate *certificate)
{
    diagnostics_free(&certificate->findings);
    text_free(&certificate->notes);
    text_free(&certificate->where);
    *certificate = (struct certificate){0};
}
