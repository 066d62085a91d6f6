/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Changes a copy of the program, and tries that: puts a guard such as `if r + 2^k < p` around the message of
 * a finding, or makes a window one step large. Where the finding does not come again, that was the cause. See
 * guards.h.
 */
#include "study/lint/guards.h"

#include "base/codes.h"
#include "compiler/language/language.h"
#include "study/lint/lint.h"

#include <string.h>

enum { MAX_GUARDED_RANKS = 64, MAX_EXPLAINED = 8 };
#define MAX_GUARDED_WORK (UINT64_C(1) << 22)

static bool guards_serve(const struct diagnostic *finding, const struct program *program)
{
    return (finding->code == CODE_M001 || finding->code == CODE_M002 || finding->code == CODE_R005) &&
           finding->position.line && finding->position.source == program->source;
}

/* Gives the help to all findings of the same line and code. */
static void guards_put_help(struct diagnostic *of, const char *help)
{
    for (struct diagnostic *each = of; each; each = each->next)
        if (each->code == of->code && each->position.line == of->position.line)
            each->help = help;
}

/* ---- a changed copy ---- */

struct guarding {
    struct program *program; /* the copy */
    const struct trial *own;
    const struct trial_run *settings;
    struct diagnostic *finding;
    struct statement *guard; /* around the message of the finding */
};

/* True if the finding does not come again. */
static bool guards_is_gone(const struct guarding *guarding)
{
    struct diagnostics diagnostics = {0};
    struct trial_run run = {.program = guarding->program, .most_work = MAX_GUARDED_WORK};
    if (guarding->settings) {
        run.settings = guarding->settings->settings;
        run.n_settings = guarding->settings->n_settings;
    }
    bool is_mended = trial_run(&run, guarding->own, &diagnostics) != TRIAL_CUT;
    for (const struct diagnostic *d = diagnostics.first; d && is_mended; d = d->next)
        is_mended = code_table[d->code].id[0] != 'E' &&
                    (d->code != guarding->finding->code ||
                     d->position.line != guarding->finding->position.line);
    diagnostics_free(&diagnostics);
    return is_mended;
}

/* ---- windows ---- */

/* Returns the innermost window around the line, or NULL. */
static struct statement *find_window(struct statement *s, uint32_t line, struct statement *around)
{
    struct statement *found = NULL;
    for (; s && !found; s = s->next) {
        struct statement *inside = s->kind == STATEMENT_WINDOW && !s->of_run ? s : around;
        if (s->position.line == line && !s->of_run && s->kind < STATEMENT_LET)
            return around;
        found = find_window(s->body, line, inside);
        found = found ? found : find_window(s->otherwise, line, inside);
    }
    return found;
}

static void try_window(const struct guarding *guarding, struct diagnostics *diagnostics)
{
    struct statement *window = find_window(guarding->program->body, guarding->finding->position.line, NULL);
    struct expr one = {.kind = EXPR_INTEGER, .integer = 1, .is_uniform = true};
    if (!window)
        return;
    window->expr = &one;
    if (guards_is_gone(guarding))
        guards_put_help(guarding->finding,
                        diagnostics_text(diagnostics,
                                         "the 'window' of line %u posts several steps together, and the two are in "
                                         "different ones: receive into another chunk, or leave the window out",
                                         window->position.line));
}

/* ---- targets that go round ---- */

/* Returns where the message of the finding hangs in its block, or NULL. */
static struct statement **find_message(struct statement **link, const struct diagnostic *finding)
{
    struct statement **found = NULL;
    for (; *link && !found; link = &(*link)->next) {
        struct statement *s = *link;
        const bool is_send = s->kind == STATEMENT_SEND;
        if (s->of_run)
            continue;
        if (s->position.line == finding->position.line &&
            (is_send || s->kind == STATEMENT_RECV || s->kind == STATEMENT_REDUCE) &&
            is_send == (finding->code == CODE_M001))
            return link;
        found = find_message(&s->body, finding);
        found = found ? found : find_message(&s->otherwise, finding);
    }
    return found;
}

static struct expr *new_comparison(struct program *program, enum expr_kind kind, struct expr *a,
                                   struct expr *b)
{
    struct expr *expr = arena_alloc(program->arena, 1, sizeof *expr);
    *expr = (struct expr){.kind = kind, .a = a, .b = b, .position = a->position};
    return expr;
}

/* Puts a guard without a condition around the message. False: it is not found. */
static bool guards_wrap(struct guarding *guarding)
{
    struct program *program = guarding->program;
    struct statement **link = find_message(&program->body, guarding->finding);
    for (struct definition *d = program->definitions; d && !link; d = d->next)
        link = find_message(&d->body, guarding->finding);
    if (!link)
        return false;
    struct statement *guard = arena_alloc(program->arena, 1, sizeof *guard);
    *guard = (struct statement){.kind = STATEMENT_IF,
                                .number = (*link)->number,
                                .position = (*link)->position,
                                .body = *link,
                                .next = (*link)->next};
    (*link)->next = NULL;
    *link = guarding->guard = guard;
    return true;
}

/* Says that a coordinate of the target goes round. */
static void say_guard(const struct guarding *guarding, uint32_t coordinate, const struct expr *condition,
                      bool is_beyond, struct diagnostics *diagnostics)
{
    const struct program *program = guarding->program;
    struct text named = {0}, guard = {0};
    program_print_expr(program, guarding->guard->body->peer.coordinates[coordinate], &named);
    program_print_expr(program, condition, &guard);
    guards_put_help(guarding->finding,
                    diagnostics_text(diagnostics, "'%s' is %s %s there, and so goes round: guard it by 'if %s'",
                                     named.data, is_beyond ? "beyond the last" : "below the first",
                                     program->n_coordinates == 1
                                         ? "rank"
                                         : program->variables[program->coordinate[coordinate]].name,
                                     guard.data));
    text_free(&named);
    text_free(&guard);
}

/* Tries each coordinate of the target on both sides. */
static void try_guards(const struct guarding *guarding, struct diagnostics *diagnostics)
{
    struct program *program = guarding->program;
    const struct target *target = &guarding->guard->body->peer;
    struct expr zero = {.kind = EXPR_INTEGER, .is_uniform = true};
    for (uint32_t i = 0; i < target->n && target->n == program->n_coordinates; i++) {
        struct expr *at = target->coordinates[i];
        struct expr *const conditions[] = {new_comparison(program, EXPR_LT, at, program->extent[i]),
                                           new_comparison(program, EXPR_GE, at, &zero)};
        for (unsigned side = 0; side < 2; side++) {
            guarding->guard->expr = conditions[side];
            if (guards_is_gone(guarding)) {
                say_guard(guarding, i, conditions[side], side == 0, diagnostics);
                return;
            }
        }
    }
}

static void explain_by_change(const struct program *program, const struct trial *own,
                              const struct trial_run *settings, struct diagnostic *finding,
                              struct diagnostics *diagnostics)
{
    struct diagnostics ignored = {0};
    struct guarding guarding = {.own = own, .settings = settings, .finding = finding};
    guarding.program = program_read_with(program->source, settings ? settings->settings : NULL,
                                         settings ? settings->n_settings : 0, &ignored);
    const bool is_read =
        guarding.program &&
        (program->form == FORM_EQUAL || program_take_form(guarding.program, program->form, &ignored));
    if (is_read && finding->code == CODE_R005)
        try_window(&guarding, diagnostics);
    else if (is_read && guards_wrap(&guarding))
        try_guards(&guarding, diagnostics);
    program_free(guarding.program);
    diagnostics_free(&ignored);
}

/* ---- ranks kept out of a run ---- */

/* Returns the coordinates that the expression depends on, a bit each. */
static uint32_t coordinates_of(const struct program *program, const struct expr *expr)
{
    if (!expr)
        return 0;
    const uint32_t own = expr->kind == EXPR_VARIABLE ? program->variables[expr->variable].coordinates : 0;
    return own | coordinates_of(program, expr->a) | coordinates_of(program, expr->b) |
           coordinates_of(program, expr->c);
}

/* Finds the run in the line, and the nearest `if` around it that differs along the coordinate of the run. */
static const struct statement *guards_find_run(const struct program *program, const struct statement *s,
                                        uint32_t line, const struct statement **around)
{
    const struct statement *found = NULL;
    for (; s && !found; s = s->next) {
        if (s->kind == STATEMENT_RUN && s->position.line == line)
            return s;
        found = guards_find_run(program, s->body, line, around);
        found = found ? found : guards_find_run(program, s->otherwise, line, around);
        if (found && !*around && s->kind == STATEMENT_IF &&
            coordinates_of(program, s->expr) >> found->run->coordinate & 1)
            *around = s;
    }
    return found;
}

static bool explain_by_run(const struct program *program, struct diagnostic *finding,
                           struct diagnostics *diagnostics)
{
    struct diagnostics ignored = {0};
    struct program *written = program_read_as_written(program->source, &ignored);
    const struct statement *around = NULL;
    const struct statement *run =
        written ? guards_find_run(written, written->body, finding->position.line, &around) : NULL;
    if (run && around)
        guards_put_help(finding,
                        diagnostics_text(diagnostics,
                                         "the 'if' of line %u keeps ranks out of this run, in which all ranks along "
                                         "'%s' take part: take the run out of it",
                                         around->position.line,
                                         written->variables[written->coordinate[run->run->coordinate]].name));
    program_free(written);
    diagnostics_free(&ignored);
    return run;
}

/* ---- absent ranks ---- */

/* Returns an algorithm of the user that says 'absent' and is run over max_slots, or NULL. */
static const struct program *find_absent(const struct program *program)
{
    static const char library[] = "compiler/algorithms/";
    const struct program *part = program_is_ragged(program) ? program->parts : NULL;
    while (part && (!part->absent.line || !strncmp(part->source->path, library, sizeof library - 1)))
        part = part->next_part;
    return part;
}

/* Gives the first error a help where it is right if all servers have as many ranks. */
static void explain_by_absence(const struct program *program, const struct trial *own,
                               const struct trial_run *settings, struct diagnostics *diagnostics)
{
    const struct program *part = find_absent(program);
    const uint32_t max_slots = own->placement->max_slots;
    struct diagnostic *first = diagnostics->first;
    struct diagnostics ignored = {0};
    while (first && (first->severity != SEVERITY_ERROR || code_table[first->code].id[0] == 'E'))
        first = first->next;
    if (!part || !first || own->placement->n_ranks == own->placement->n_servers * max_slots)
        return;
    struct placement *full = placement_by_slots(own->placement->n_servers * max_slots, max_slots, false);
    const struct trial everywhere = {.placement = full, .root = own->root};
    struct trial_run run = {.program = program, .most_work = MAX_GUARDED_WORK};
    if (settings) {
        run.settings = settings->settings;
        run.n_settings = settings->n_settings;
    }
    if (trial_run(&run, &everywhere, &ignored) == TRIAL_RIGHT)
        first->help = diagnostics_text(diagnostics,
                                       "where all servers have %u ranks it is right: '%s' says 'absent', so each rank "
                                       "must have its result from ranks below it alone",
                                       max_slots, part->name);
    placement_free(full);
    diagnostics_free(&ignored);
}

void guards_explain(const struct program *program, const struct trial *own, const struct trial_run *settings,
                    struct diagnostics *diagnostics)
{
    struct position last = {.line = 0};
    uint32_t last_code = 0, n = 0;
    explain_by_absence(program, own, settings, diagnostics);
    for (struct diagnostic *finding = diagnostics->first; finding && n < MAX_EXPLAINED;
         finding = finding->next) {
        if (!guards_serve(finding, program) ||
            (finding->position.line == last.line && finding->code == last_code))
            continue;
        last = finding->position;
        last_code = finding->code;
        n++;
        if (!explain_by_run(program, finding, diagnostics) && own->placement->n_ranks <= MAX_GUARDED_RANKS)
            explain_by_change(program, own, settings, finding, diagnostics);
    }
}
