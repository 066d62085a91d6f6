/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the trials of an algorithm (trials.h), with several parameters. See lint.h.
 */
#include "study/lint/lint.h"

#include "base/codes.h"
#include "study/lint/guards.h"
#include "study/lint/powers.h"

#include <stdlib.h>
#include <string.h>

/* Limit of work; the built-in algorithms take less. */
#define MAX_WORK (UINT64_C(1) << 24)

/* ---- one trial ---- */

static void watch_chunks(struct lint_trials *trials, uint8_t buffer, uint64_t end)
{
    if (buffer == BUFFER_TMP && end > trials->tmp_of_trial)
        trials->tmp_of_trial = end;
}

static void watch_ops(struct lint_trials *trials, const struct schedule_header *header, const struct op *ops,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct op *op = &ops[i];
        for (struct op_ranges ranges = op_ranges(header, op); op_ranges_next(&ranges);)
            watch_chunks(trials, op->buffer, (uint64_t)ranges.chunk + ranges.n);
        if (op_is_local(op))
            watch_chunks(trials, op->to_buffer, (uint64_t)op->peer + op->n_chunks);
        if (op->kind != OP_SEND || op->line > trials->n_lines || header->n_ranks < 2)
            continue;
        trials->n_sends[op->line]++;
        trials->n_to_self[op->line] += op->peer == op->rank;
    }
}

static void watch_step(struct trial_run *run, const struct schedule *schedule, const struct step *step)
{
    struct lint_trials *trials = (struct lint_trials *)run;
    trials->declared_of_trial = schedule->header.n_tmp;
    trials->has_messages |= step->n_sends > 0;
    trials->begins_idle |= step->index == 0 && step_is_idle(step);
    trials->ends_idle = step_is_idle(step);
    watch_ops(trials, &schedule->header, step->sends, step->n_sends);
    watch_ops(trials, &schedule->header, step->receives, step->n_receives);
    watch_ops(trials, &schedule->header, step->copies, step->n_copies);
}

static void note_tmp(struct lint_trials *trials)
{
    uint64_t declared = trials->declared_of_trial, used = trials->tmp_of_trial;
    if (declared && used == declared)
        trials->uses_tmp_fully = true;
    if (!used || (trials->tmp_used && declared - used >= trials->tmp_declared - trials->tmp_used))
        return;
    trials->tmp_used = used;
    trials->tmp_declared = declared;
}

static void note_ends(struct lint_trials *trials)
{
    if (!trials->has_messages)
        return;
    trials->n_with_messages++;
    trials->n_begin_idle += trials->begins_idle;
    trials->n_end_idle += trials->ends_idle;
}

/* Keeps what was found first. A place in an algorithm that this one runs is not told. */
static struct problem lint_trials_describe(struct lint_trials *trials, const struct trial *trial,
                                           const struct diagnostic *found)
{
    const struct program *program = trials->run.program;
    struct text place = {0};
    struct problem problem = {.help = found->help ? arena_printf(&trials->arena, "%s", found->help) : NULL};
    trial_name(trial, program->collective, &place);
    problem.text = arena_printf(&trials->arena, "with %s: %s [%s]", place.data, found->message,
                                code_table[found->code].id);
    if (found->position.source == program->source)
        problem.position = found->position;
    text_free(&place);
    return problem;
}

static enum outcome try_once(struct lint_trials *trials, const struct trial *trial)
{
    struct diagnostics diagnostics = {0};
    trials->tmp_of_trial = trials->declared_of_trial = 0;
    trials->has_messages = trials->begins_idle = trials->ends_idle = false;
    enum outcome outcome = trial_run(&trials->run, trial, &diagnostics);
    const struct diagnostic *first = diagnostics.first;
    if (outcome == TRIAL_RIGHT) {
        note_tmp(trials);
        note_ends(trials);
        trials->is_right_somewhere = true;
    } else if (first) {
        if (outcome == TRIAL_WRONG && !trials->n_wrong++)
            guards_explain(trials->run.program, trial, &trials->run, &diagnostics);
        const struct problem problem = lint_trials_describe(trials, trial, first);
        if (outcome == TRIAL_CUT)
            trials->too_large = problem;
        else
            trials->problem = problem;
    }
    diagnostics_free(&diagnostics);
    return outcome;
}

/* ---- many ---- */

/* Notes the network of a trial: how many there are, and which ones fail. */
static void note_network(struct lint_trials *trials, const struct trial *trial, bool is_wrong)
{
    enum { SHOWN = 6 };
    const uint32_t n = trials->n_networks + !trial->root;
    if (!trial->topology || trial->neighbors)
        return;
    if (is_wrong && trials->last_bad_network != n) {
        trials->last_bad_network = n;
        if (trials->n_bad_networks++ < SHOWN)
            text_printf(&trials->bad_networks, "%s%s", trials->bad_networks.length ? ", " : "",
                        trial->topology->name);
        else if (trials->n_bad_networks == SHOWN + 1)
            text_printf(&trials->bad_networks, " ...");
    }
    trials->n_networks = n;
}

struct tally {
    bool is_wrong, is_right;
    bool is_wrong_from_first; /* with root 0, too */
    bool is_refused_plainly;  /* refused without a requirement as the reason */
    struct problem problem;   /* the first; of a wrong one if there is one */
};

/* The trials with one number of ranks, and their results. */
struct trying {
    struct lint_trials *trials;
    struct tally tally;
};

static void count_outcome(void *context, const struct trial *trial)
{
    struct trying *trying = context;
    struct lint_trials *trials = trying->trials;
    struct tally *tally = &trying->tally;
    const enum outcome outcome = try_once(trials, trial);
    note_network(trials, trial, outcome == TRIAL_WRONG);
    if (trial->placement->n_servers > 1 && outcome != TRIAL_CUT) {
        trials->is_run_spread |= outcome != TRIAL_REFUSED;
        if (outcome == TRIAL_REFUSED && !trials->refused_spread.text)
            trials->refused_spread = trials->problem;
    }
    if (outcome == TRIAL_RIGHT)
        tally->is_right = true;
    if (outcome == TRIAL_REFUSED && !trials->run.program->requirements &&
        !trials_need_placement(trials->run.program))
        tally->is_refused_plainly = true;
    if ((outcome == TRIAL_WRONG && !tally->is_wrong) || (outcome == TRIAL_REFUSED && !tally->problem.text))
        tally->problem = trials->problem;
    if (outcome != TRIAL_WRONG)
        return;
    tally->is_wrong = true;
    tally->is_wrong_from_first |= trial->root == 0;
}

/* Tries one number of ranks; a setting without a name leaves the defaults. */
static struct tally lint_trials_try_ranks(struct lint_trials *trials, uint32_t p,
                                          struct parameter_setting setting)
{
    struct trying trying = {.trials = trials};
    trials->run.settings = &setting;
    trials->run.n_settings = setting.name != NULL;
    trials_of_ranks(trials->run.program, p, count_outcome, &trying);
    return trying.tally;
}

/* ---- numbers of ranks ---- */

enum { FEW = 2 }; /* numbers of ranks that happen to work */

/* True for numbers that a line `requires` lets through; KIND of it by `k`. */
static bool is_required(unsigned kind, uint32_t k, uint32_t p)
{
    const bool is[] = {(p & (p - 1)) == 0, p % k == 0, p >= k};
    return is[kind];
}

/* Returns a requirement that holds for exactly the good ones of those that were tried, or NULL. That it is
 * right with a few ranks only, such as p < 5, is an accident of a mistake. */
static const char *requirement_for(const struct lint_trials *trials, struct arena *arena)
{
    static const char *const words[] = {"2^floor_log2(p) == p", "p mod ", "p >= "};
    for (uint32_t k = 2; k <= LINT_RANKS; k++)
        for (unsigned kind = 0; kind < sizeof words / sizeof *words; kind++) {
            size_t n_alike = 0, n_good = 0;
            for (size_t i = 0; i < trials->n_tried; i++) {
                n_alike += is_required(kind, k, trial_ranks[i]) != trials->is_bad[i];
                n_good += i > 0 && !trials->is_bad[i]; /* one rank alone is no use */
            }
            if (n_good > FEW && n_alike == trials->n_tried)
                return kind ? arena_printf(arena, "requires %s%u%s", words[kind], k, kind == 1 ? " == 0" : "")
                            : arena_printf(arena, "requires %s", words[kind]);
        }
    return NULL;
}

/* Returns help for a program that is right with root 0 only. */
static const char *help_with_roots(const struct program *program)
{
    return program->from_root
               ? "it is right with root 0: under 'from root' numbers count from the root, but a whole "
                 "'in' or 'out' is in the order of ranks"
               : "it is right with root 0: 'ranks r: p from root' counts ranks, and the chunks of 'in' "
                 "and 'out', from the root";
}

/* Returns help with the first problem, and a 'requires' if it is right with more than a few ranks, some above
 * those that it fails with. */
static const char *lint_trials_help_with_ranks(const struct lint_trials *trials, struct diagnostics *findings)
{
    const char *requirement =
        trials->n_tried >= LINT_RANKS ? requirement_for(trials, &findings->arena) : NULL;
    const char *help = trials->first.help ? trials->first.help : "mend it";
    bool is_bad = trials->is_bad[0];
    size_t n_good = 0; /* behind a bad one */
    for (size_t i = 1; i < trials->n_tried; i++) {
        n_good += is_bad && !trials->is_bad[i];
        is_bad |= trials->is_bad[i];
    }
    if (requirement)
        return diagnostics_text(findings, "%s; or add '%s'", help, requirement);
    return diagnostics_text(findings, n_good > FEW ? "%s; or refuse these ranks by 'requires ...'" : "%s", help);
}

/* Makes the place of the problem the other place of the finding. */
static void lint_trials_relate(struct diagnostic *finding, const struct problem *problem)
{
    finding->related = problem->position;
    finding->related_text = "the first failure is here";
}

/* Tries those that are left of the first n numbers of ranks, while there is no more work than may be. Large
 * numbers are left out without a word if they are too much. */
static void lint_trials_find_bad(struct lint_trials *trials, size_t n)
{
    enum { LARGE = 65, MOST_OF_LARGE = 1 << 18 };
    const struct parameter_setting none = {0};
    for (; trials->n_tried < n && !trials->run.is_cut; trials->n_tried++) {
        const uint32_t p = trial_ranks[trials->n_tried];
        if (p == LARGE && trials->run.most_work > trials->run.work + MOST_OF_LARGE)
            trials->run.most_work = trials->run.work + MOST_OF_LARGE;
        const struct tally tally = lint_trials_try_ranks(trials, p, none);
        const bool is_bad = tally.is_wrong || (!tally.is_right && tally.is_refused_plainly);
        if (trials->run.is_cut) {
            trials->run.is_cut = p < LARGE;
            trials->cut_at = p;
            if (!is_bad)
                return;
        }
        trials->is_bad[trials->n_tried] = is_bad;
        if (is_bad && !trials->n_bad++)
            trials->first = tally.problem;
        trials->n_right_from_first += tally.is_wrong && !tally.is_wrong_from_first;
    }
}

static void lint_trials_free(struct lint_trials *trials)
{
    free(trials->run.coverage);
    free(trials->n_sends);
    free(trials->n_to_self);
    text_free(&trials->bad_networks);
    arena_free(&trials->arena);
}

const char *lint_requirement(const struct program *program, struct arena *arena)
{
    struct lint_trials trials = {.run = {.program = program, .most_work = MAX_WORK / 16}};
    lint_trials_find_bad(&trials, TRIAL_RANKS);
    const bool is_known = trials.n_tried >= LINT_RANKS && trials.n_right_from_first < trials.n_bad;
    const char *requirement = is_known ? requirement_for(&trials, arena) : NULL;
    lint_trials_free(&trials);
    return requirement;
}

/* ---- W008: rank counts ---- */

/* Appends the shorter one of two lists: of the numbers with which it fails, or of the others. */
static void list_bad(const struct lint_trials *trials, struct text *list)
{
    bool is_good[TRIAL_RANKS];
    struct text bad = {0}, good = {0};
    for (size_t i = 0; i < trials->n_tried; i++)
        is_good[i] = !trials->is_bad[i];
    trial_list_ranks(trials->is_bad, trials->n_tried, &bad);
    trial_list_ranks(is_good, trials->n_tried, &good);
    if (!good.length)
        text_printf(list, "all of them");
    else
        text_printf(list, good.length < bad.length ? "all but %s" : "%s",
                    good.length < bad.length ? good.data : bad.data);
    text_free(&bad);
    text_free(&good);
}

static void lint_trials_report_ranks(struct lint_trials *trials, struct diagnostics *findings)
{
    struct text list = {0};
    if (!trials->n_bad)
        return;
    text_printf(&list, "tried with ");
    trial_list_ranks(NULL, trials->n_tried, &list);
    text_printf(&list, " ranks, it fails with ");
    list_bad(trials, &list);
    if (trials->n_bad_networks)
        text_printf(&list, " (on %u of %u networks: %s)", trials->n_bad_networks, trials->n_networks,
                    trials->bad_networks.data);
    struct diagnostic *finding =
        report(findings, CODE_W008, trials->run.program->head,
               "%s, which no 'requires' refuses; first %s", list.data,
               trials->first.text ? trials->first.text : "?");
    finding->help = trials->n_right_from_first == trials->n_bad
                        ? help_with_roots(trials->run.program)
                        : lint_trials_help_with_ranks(trials, findings);
    lint_trials_relate(finding, &trials->first);
    text_free(&list);
}

/* ---- W007: parameters ---- */

/* Returns the error with a number of ranks that is right with the default; without text if there is none. */
static struct problem problem_with(struct lint_trials *trials, const char *name, int64_t value)
{
    static const uint32_t ranks[] = {1, 2, 3, 4, 5, 8, 9, 12, 16};
    const struct parameter_setting setting = {.name = name, .value = value}, none = {0};
    const struct problem none_found = {.text = NULL};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        if (lint_trials_try_ranks(trials, ranks[i], none).is_wrong)
            continue;
        const struct tally tally = lint_trials_try_ranks(trials, ranks[i], setting);
        if (tally.is_wrong)
            return tally.problem;
    }
    return none_found;
}

static void check_parameter(struct lint_trials *trials, const struct variable *variable,
                            struct diagnostics *findings)
{
    enum { LARGEST = 3 };
    struct text list = {0};
    struct problem problem = {.text = NULL};
    for (int64_t value = 0; value <= LARGEST; value++) {
        const struct problem found = problem_with(trials, variable->name, value);
        if (!found.text)
            continue;
        problem = problem.text ? problem : found;
        text_printf(&list, "%s%lld", list.length ? ", " : "", (long long)value);
    }
    if (list.length) {
        struct diagnostic *finding =
            report(findings, CODE_W007, variable->position,
                   "with %s = %s it fails, which no 'requires' refuses; first %s", variable->name, list.data,
                   problem.text);
        finding->help = diagnostics_text(findings, "add a 'requires' on '%s'", variable->name);
        lint_trials_relate(finding, &problem);
    }
    text_free(&list);
}

static void check_parameters(struct lint_trials *trials, struct diagnostics *findings)
{
    const struct program *program = trials->run.program;
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (program->variables[i].kind == VARIABLE_PARAMETER)
            check_parameter(trials, &program->variables[i], findings);
}

/* ---- W011: not tried ---- */

/* True if the algorithm itself requires something in the line of the problem. */
static bool requires_there(const struct program *program, const struct problem *problem)
{
    bool found = false;
    for (const struct requirement *r = program->requirements; r && !found; r = r->next)
        found = !r->of_run && r->expr->position.line == problem->position.line;
    return found;
}

static void report_end(const struct lint_trials *trials, struct diagnostics *findings)
{
    static const char unknown[] = "what never happens is not known";
    const struct position head = trials->run.program->head;
    struct diagnostic *finding;
    if (trials->too_large.text)
        finding = report(findings, CODE_W011, head, "%s; %s", trials->too_large.text, unknown);
    else if (trials->cut_at)
        finding = report(findings, CODE_W011, head, "the trials end with %u rank%s, after 2^24 operations: %s",
                         trials->cut_at, plural(trials->cut_at), unknown);
    else
        finding = report(findings, CODE_W011, head, "the trials of its parameters end after 2^24 operations: %s",
                         unknown);
    finding->help = "bound its loops by numbers of ranks or segments";
}

/* Says what was not tried, unless the algorithm fails: that is to be mended first. */
static void lint_trials_report_untried(const struct lint_trials *trials, struct diagnostics *findings)
{
    const struct program *program = trials->run.program;
    const struct problem *refused = &trials->refused_spread;
    if (trials->n_bad)
        return;
    if (trials->run.is_cut) {
        report_end(trials, findings);
    } else if (!trials->is_right_somewhere) {
        report(findings, CODE_W011, program->head,
               "it refuses all numbers of ranks that were tried: nothing of it is verified")
            ->help = "'collc verify FILE --ranks N' verifies it for one";
    } else if (refused->text && !trials->is_run_spread && !requires_there(program, refused)) {
        struct diagnostic *finding = report(findings, CODE_W011, program->head,
                                            "refused on all networks of more than one server; first %s",
                                            refused->text);
        finding->help = refused->help ? diagnostics_text(findings, "%s", refused->help) : NULL;
        lint_trials_relate(finding, refused);
    }
}

static uint32_t count_lines(const struct source *source)
{
    uint32_t n = 1;
    for (size_t i = 0; i < source->length; i++)
        n += source->text[i] == '\n';
    return n;
}

size_t lint_program(const struct program *program, struct diagnostics *findings)
{
    struct lint_trials trials = {
        .run = {.program = program, .watch = watch_step, .most_work = MAX_WORK},
        .n_lines = count_lines(program->source)};
    trials.run.coverage = mem_alloc(program->n_statements, sizeof *trials.run.coverage);
    trials.n_sends = mem_alloc(trials.n_lines + 1u, sizeof *trials.n_sends);
    trials.n_to_self = mem_alloc(trials.n_lines + 1u, sizeof *trials.n_to_self);
    lint_text(program, findings);
    lint_trials_find_bad(&trials, LINT_RANKS);
    check_parameters(&trials, findings);
    powers_check(program, NULL, NULL, findings);
    lint_trials_find_bad(&trials, TRIAL_RANKS);
    lint_trials_report_ranks(&trials, findings);
    lint_trials_report_untried(&trials, findings);
    if (!trials.n_bad)
        lint_absent(program, findings);
    if (!trials.run.is_cut && trials.is_right_somewhere)
        lint_coverage(&trials, findings);
    if (!trials.run.is_cut)
        lint_cost(program, findings);
    lint_trials_free(&trials);
    return trials.n_tried;
}
