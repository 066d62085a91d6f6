/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trials of an algorithm: bound, expanded and verified for small numbers of ranks, on
 * servers and on grids, with several roots and parameters. See lint.h.
 */
#include "compiler/driver/lint.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

/* The built-in algorithms take less. */
#define MAX_WORK (UINT64_C(1) << 24)

/* ---- one trial ---- */

/* Watches the steps on their way to the verifier. */
struct watched {
    struct schedule schedule; /* first */
    struct schedule *inner;
    struct lint_trials *trials;
    uint64_t tmp_used;
};

static void watch_chunks(struct watched *watched, uint8_t buffer, uint64_t end)
{
    if (buffer == BUFFER_TMP && end > watched->tmp_used)
        watched->tmp_used = end;
}

static void watch_ops(struct watched *watched, const struct op *ops, size_t n)
{
    struct lint_trials *trials = watched->trials;
    for (size_t i = 0; i < n; i++) {
        const struct op *op = &ops[i];
        watch_chunks(watched, op->buffer, (uint64_t)op->chunk + op->n_chunks);
        if (op_is_local(op))
            watch_chunks(watched, op->to_buffer, (uint64_t)op->peer + op->n_chunks);
        if (op->kind != OP_SEND || op->line > trials->n_lines || watched->schedule.header.n_ranks < 2)
            continue;
        trials->n_sends[op->line]++;
        trials->n_to_self[op->line] += op->peer == op->rank;
    }
}

static bool watched_next(struct schedule *schedule, struct step *step)
{
    struct watched *watched = (struct watched *)schedule;
    struct lint_trials *trials = watched->trials;
    bool has_step = !trials->is_cut && watched->inner->next(watched->inner, step);
    if (has_step)
        trials->work += step->n_sends + step->n_receives + step->n_copies +
                        watched->schedule.header.n_ranks;
    trials->is_cut |= trials->work > MAX_WORK;
    schedule->failed = watched->inner->failed || trials->is_cut;
    if (has_step) {
        watch_ops(watched, step->sends, step->n_sends);
        watch_ops(watched, step->receives, step->n_receives);
        watch_ops(watched, step->copies, step->n_copies);
    }
    return has_step;
}

static void watched_rewind(struct schedule *schedule)
{
    struct watched *watched = (struct watched *)schedule;
    watched->inner->rewind(watched->inner);
}

static void note_tmp(struct lint_trials *trials, const struct watched *watched)
{
    uint64_t declared = watched->schedule.header.n_tmp, used = watched->tmp_used;
    if (declared && used == declared)
        trials->uses_tmp_fully = true;
    if (!used || (trials->tmp_used && declared - used >= trials->tmp_declared - trials->tmp_used))
        return;
    trials->tmp_used = used;
    trials->tmp_declared = declared;
}

static bool is_schedule_right(struct lint_trials *trials, struct schedule *inner,
                              const struct trial *trial, struct diagnostics *diagnostics)
{
    struct watched watched = {.schedule = *inner, .inner = inner, .trials = trials};
    watched.schedule.next = watched_next;
    watched.schedule.rewind = watched_rewind;
    struct verify_request request = {.placement = trial->placement};
    struct verify_report report = {0};
    bool is_right = verify_schedule(&watched.schedule, &request, &report, diagnostics) &&
                    !diagnostics_has_errors(diagnostics);
    verify_report_free(&report);
    if (is_right)
        note_tmp(trials, &watched);
    return is_right;
}

/* Only what was refused for a reason that the algorithm, or binding, states is no fault. */
static enum outcome outcome_of(struct lint_trials *trials, bool is_right,
                               const struct diagnostics *diagnostics)
{
    const struct diagnostic *first = diagnostics->first;
    trials->is_cut |= diagnostics->n_of_code[CODE_E010] > 0;
    if (trials->is_cut)
        return TRIAL_REFUSED;
    if (is_right) {
        trials->is_right_somewhere = true;
        return TRIAL_RIGHT;
    }
    if (first)
        trials->problem = arena_printf(&trials->arena, "%s [%s]", first->message,
                                       code_table[first->code].id);
    return diagnostics->n_of_code[CODE_E009] ? TRIAL_REFUSED : TRIAL_WRONG;
}

enum outcome lint_try(struct lint_trials *trials, const struct trial *trial)
{
    struct diagnostics diagnostics = {0};
    if (trials->is_cut)
        return TRIAL_REFUSED;
    struct bind_request request = {.topology = trial->topology,
                                   .placement = trial->placement,
                                   .root = trial->root,
                                   .settings = &trial->setting,
                                   .n_settings = trial->setting.name != NULL};
    struct binding *binding = bind_program(trials->program, &request, &diagnostics);
    struct schedule *schedule = NULL;
    if (binding) {
        binding->coverage = trials->coverage;
        schedule = expand_program(binding, &diagnostics);
    }
    bool is_right = schedule && is_schedule_right(trials, schedule, trial, &diagnostics);
    enum outcome outcome = outcome_of(trials, is_right, &diagnostics);
    if (schedule)
        schedule->destroy(schedule);
    binding_free(binding);
    diagnostics_free(&diagnostics);
    return outcome;
}

/* ---- many ---- */

/* What became of the trials with one number of ranks. */
struct tally {
    bool is_wrong, is_right;
    bool is_refused_plainly; /* without a requirement that says so */
    const char *problem;
};

/* A name that has a value on some placements only: the algorithm asks for those by it. */
static bool needs_placement(const struct program *program)
{
    if (program_use(program, A_GRID_FUNCTION))
        return true;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_NAMED && variable->index >= NAMED_slots &&
            variable->index != NAMED_max_slots && program_use(program, i))
            return true;
    }
    return false;
}

static void count_outcome(struct lint_trials *trials, struct tally *tally, enum outcome outcome)
{
    if (outcome == TRIAL_RIGHT)
        tally->is_right = true;
    if (outcome == TRIAL_REFUSED && !trials->program->requirements &&
        !needs_placement(trials->program))
        tally->is_refused_plainly = true;
    if (outcome == TRIAL_WRONG)
        tally->is_wrong = true;
    if (outcome == TRIAL_WRONG || (outcome == TRIAL_REFUSED && !tally->problem))
        tally->problem = trials->problem;
}

/* All roots that matter: the first, one amid, the last. */
static void try_roots(struct lint_trials *trials, struct trial trial, struct tally *tally)
{
    uint32_t p = trial.placement->n_ranks;
    bool is_rooted = collective_table[trials->program->collective].rooted;
    count_outcome(trials, tally, lint_try(trials, &trial));
    for (trial.root = p / 2; is_rooted && trial.root > 0 && trial.root < p; trial.root += p - 1 - p / 2) {
        count_outcome(trials, tally, lint_try(trials, &trial));
        if (trial.root == p - 1)
            break;
    }
}

/* Servers of `slots` ranks, or of slots, slots - 1, ... 1, and again. */
static struct placement *place(uint32_t p, uint32_t slots, bool is_falling)
{
    uint32_t *machine = mem_alloc(p, sizeof *machine);
    uint32_t server = 0, size = slots, n = 0;
    for (uint32_t rank = 0; rank < p; rank++) {
        if (n++ == size) {
            size = is_falling && size > 1 ? size - 1 : slots;
            server++;
            n = 1;
        }
        machine[rank] = server;
    }
    struct placement *placement = placement_of_machines(machine, p, "block");
    free(machine);
    return placement;
}

static void try_grid(struct lint_trials *trials, struct trial trial, uint32_t n,
                     const uint32_t *extent, struct tally *tally)
{
    static const bool wraps[] = {true, true, true};
    const struct topology_settings settings = {.name = "grid"};
    const char *problem;
    struct topology *topology = topology_new_grid(&settings, n, extent, wraps, &problem);
    if (!topology)
        return;
    trial.topology = topology;
    try_roots(trials, trial, tally);
    topology_free(topology);
}

/* Every grid of up to three dimensions of p machines. */
static void try_grids(struct lint_trials *trials, struct trial trial, struct tally *tally)
{
    uint32_t p = trial.placement->n_ranks;
    for (uint32_t x = 1; x <= p; x++) {
        if (p % x)
            continue;
        for (uint32_t y = 1; y <= p / x; y++) {
            const uint32_t extent[] = {x, y, p / x / y};
            if (p / x % y == 0)
                try_grid(trials, trial, extent[2] > 1 ? 3 : 2, extent, tally);
        }
    }
}

/* One number of ranks: on servers of one, two, three or four ranks, or on grids; if the program
 * is for unequal servers also the last one of fewer, and on servers of four, three, two, one. */
static struct tally try_ranks(struct lint_trials *trials, uint32_t p,
                              struct parameter_setting setting)
{
    struct tally tally = {0};
    const bool is_ragged = program_is_ragged(trials->program);
    for (uint32_t slots = 1; slots <= (is_ragged ? 5 : 4); slots++) {
        if (p % slots && !is_ragged)
            continue;
        struct placement *placement = place(p, slots < 5 ? slots : 4, slots == 5);
        struct trial trial = {.placement = placement, .setting = setting};
        try_roots(trials, trial, &tally);
        if (slots == 1 && needs_placement(trials->program))
            try_grids(trials, trial, &tally);
        placement_free(placement);
    }
    return tally;
}

/* ---- W008: rank counts ---- */

static void add_range(struct text *text, uint32_t first, uint32_t last)
{
    const char *comma = text->length ? ", " : "";
    if (first == last)
        text_printf(text, "%s%u", comma, first);
    else
        text_printf(text, "%s%u%s%u", comma, first, last > first + 1 ? " .. " : ", ", last);
}

/* The numbers from 1 on whose bit is set, as ranges. */
static void list_bits(uint32_t bits, struct text *text)
{
    uint32_t first = 0;
    for (uint32_t p = 1; p <= LINT_RANKS + 1; p++) {
        bool is_in = p <= LINT_RANKS && (bits >> p & 1);
        if (is_in && !first)
            first = p;
        if (!is_in && first) {
            add_range(text, first, p - 1);
            first = 0;
        }
    }
}

/* A requirement that holds for exactly the good ones of 1 .. LINT_RANKS, or NULL. */
static const char *requirement_for(uint32_t bad, struct arena *arena)
{
    uint32_t powers = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16;
    uint32_t all = (2u << LINT_RANKS) - 2, good = all & ~bad;
    if (good == powers)
        return "requires 2^floor_log2(p) == p";
    for (uint32_t k = 2; k <= LINT_RANKS; k++) {
        uint32_t multiples = 0, above = all & ~((1u << k) - 1);
        for (uint32_t p = k; p <= LINT_RANKS; p += k)
            multiples |= 1u << p;
        if (good == multiples)
            return arena_printf(arena, "requires p mod %u == 0", k);
        if (good == above)
            return arena_printf(arena, "requires p >= %u", k);
        if (good == (all & ((1u << k) - 1)))
            return arena_printf(arena, "requires p < %u", k);
        if (good == 1u << k)
            return arena_printf(arena, "requires p == %u", k);
    }
    return NULL;
}

static void check_ranks(struct lint_trials *trials, struct diagnostics *findings)
{
    const struct parameter_setting none = {0};
    uint32_t bad = 0;
    const char *problem = NULL;
    struct text list = {0};
    for (uint32_t p = 1; p <= LINT_RANKS; p++) {
        struct tally tally = try_ranks(trials, p, none);
        if (trials->is_cut)
            break;
        if (!tally.is_wrong && (tally.is_right || !tally.is_refused_plainly))
            continue;
        bad |= 1u << p;
        problem = problem ? problem : tally.problem;
    }
    if (!bad)
        return;
    list_bits(bad, &list);
    const char *requirement = requirement_for(bad, &findings->arena);
    report(findings, CODE_W008, source_position(trials->program->source, 0, 1),
           "of 1 .. %d ranks it fails with %s, which no 'requires' refuses; first: %s", LINT_RANKS,
           list.data, problem ? problem : "?")
        ->help = diagnostics_text(findings, "mend it, or add '%s'",
                                  requirement ? requirement : "requires ...");
    text_free(&list);
}

/* ---- W007: parameters ---- */

static bool is_wrong_with(struct lint_trials *trials, const char *name, int64_t value)
{
    static const uint32_t ranks[] = {1, 2, 3, 4, 5, 8, 9, 12, 16};
    const struct parameter_setting setting = {.name = name, .value = value}, none = {0};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        if (!try_ranks(trials, ranks[i], none).is_wrong &&
            try_ranks(trials, ranks[i], setting).is_wrong)
            return true;
    return false;
}

static void check_parameter(struct lint_trials *trials, const struct variable *variable,
                            struct diagnostics *findings)
{
    enum { LARGEST = 3 };
    struct text list = {0};
    const char *problem = NULL;
    for (int64_t value = 0; value <= LARGEST; value++) {
        if (!is_wrong_with(trials, variable->name, value))
            continue;
        problem = problem ? problem : trials->problem;
        text_printf(&list, "%s%lld", list.length ? ", " : "", (long long)value);
    }
    if (list.length)
        report(findings, CODE_W007, variable->position,
               "with %s = %s it fails, which no 'requires' refuses; first: %s", variable->name,
               list.data, problem)
            ->help = diagnostics_text(findings, "add a 'requires' on '%s'", variable->name);
    text_free(&list);
}

static void check_parameters(struct lint_trials *trials, struct diagnostics *findings)
{
    const struct program *program = trials->program;
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (program->variables[i].kind == VARIABLE_PARAMETER)
            check_parameter(trials, &program->variables[i], findings);
}

/* More ranks than 16, for what only those do. */
static void try_more(struct lint_trials *trials)
{
    static const uint32_t ranks[] = {24, 25, 27, 33, 64};
    const struct parameter_setting none = {0};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        try_ranks(trials, ranks[i], none);
}

static uint32_t count_lines(const struct source *source)
{
    uint32_t n = 1;
    for (size_t i = 0; i < source->length; i++)
        n += source->text[i] == '\n';
    return n;
}

void lint_program(const struct program *program, struct diagnostics *findings)
{
    struct lint_trials trials = {.program = program, .n_lines = count_lines(program->source)};
    trials.coverage = mem_alloc(program->n_statements, sizeof *trials.coverage);
    trials.n_sends = mem_alloc(trials.n_lines + 1u, sizeof *trials.n_sends);
    trials.n_to_self = mem_alloc(trials.n_lines + 1u, sizeof *trials.n_to_self);
    lint_text(program, findings);
    check_ranks(&trials, findings);
    check_parameters(&trials, findings);
    try_more(&trials);
    if (trials.is_cut)
        report(findings, CODE_W011, source_position(program->source, 0, 1),
               "too much to be tried in full: what never happens is not known")
            ->help = "bound its loops by numbers of ranks or segments";
    else if (trials.is_right_somewhere)
        lint_coverage(&trials, findings);
    if (!trials.is_cut)
        lint_cost(program, findings);
    free(trials.coverage);
    free(trials.n_sends);
    free(trials.n_to_self);
    arena_free(&trials.arena);
}
