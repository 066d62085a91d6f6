/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies a program with few ranks, for editors, which show what is found while it is written.
 * See lint.h.
 */
#include "study/lint/lint.h"

#include "base/codes.h"

/* Operations of all trials: some thousandths of a second. */
enum { FEWEST_RANKS = 2, MOST_RANKS = 5, MOST_WORK = 1 << 16 };

struct small_trials {
    struct trial_run run;
    struct diagnostics *findings;
    bool is_wrong; /* a trial was: no other is needed */
};

/* Reports the errors of a trial as they are, with the place of the trial before them. One without a line,
 * such as of data that never come, is shown at the header. */
static void lint_small_report(struct diagnostics *findings, const struct diagnostics *of_trial,
                              const struct program *program, const char *place)
{
    for (const struct diagnostic *found = of_trial->first; found; found = found->next) {
        if (found->severity != SEVERITY_ERROR)
            continue;
        struct diagnostic *copy =
            report(findings, found->code, found->position.line ? found->position : program->head,
                   "with %s: %s", place, found->message);
        copy->severity = SEVERITY_ERROR;
        copy->help = found->help ? diagnostics_text(findings, "%s", found->help) : NULL;
        copy->related = found->related;
        copy->related_text =
            found->related_text ? diagnostics_text(findings, "%s", found->related_text) : NULL;
    }
}

static void lint_small_try(void *context, const struct trial *trial)
{
    struct small_trials *trials = context;
    struct diagnostics of_trial = {.is_joined = true};
    if (trials->is_wrong)
        return;
    if (trial_run(&trials->run, trial, &of_trial) == TRIAL_WRONG) {
        struct text place = {0};
        trial_name(trial, trials->run.program->collective, &place);
        lint_small_report(trials->findings, &of_trial, trials->run.program, place.data);
        trials->is_wrong = true;
        text_free(&place);
    }
    diagnostics_free(&of_trial);
}

void lint_small(const struct program *program, struct diagnostics *findings)
{
    struct small_trials trials = {.run = {.program = program, .most_work = MOST_WORK}, .findings = findings};
    for (uint32_t p = FEWEST_RANKS; p <= MOST_RANKS && !trials.is_wrong; p++)
        trials_of_ranks(program, p, lint_small_try, &trials);
}
