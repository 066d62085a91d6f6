/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Says which parts of a project were not checked at all: numbers of ranks that no network has room for, and
 * schedules that are for none of the combinations. Each cell by itself is no fault, so without this a slip
 * in a number would pass for ever.
 */
#include "reports/check.h"

#include "base/codes.h"

#include <string.h>
#include <unistd.h>

/* The numbers of ranks for which every cell lacks room, in words: "64, 100 ranks"; n_more behind the first few. */
static void say_ranks(struct check *check)
{
    enum { MAX_NAMED = 4 };
    const struct project_numbers *ranks = &check->project->ranks;
    const size_t n_cells = project_n_combinations(check->project);
    struct text names = {0};
    size_t n = 0;
    for (size_t k = 0; k < ranks->n; k++) {
        size_t i = k;
        while (i < n_cells && check->cells[i].lacks_room)
            i += ranks->n;
        if (!n_cells || i < n_cells)
            continue;
        if (n++ < MAX_NAMED)
            text_printf(&names, "%s%u", n > 1 ? ", " : "", ranks->items[k]);
    }
    if (n > MAX_NAMED)
        text_printf(&names, " ... (%zu numbers)", n);
    if (n) {
        const struct check_finding finding = {
            .code = CODE_K011,
            .severity = SEVERITY_WARNING,
            .position = check->project->ranks_position,
            .message = arena_printf(&check->arena, "no network has room for %s ranks: nothing is checked of them",
                                    names.data),
            .help = "take them out, or let several run on a machine: ranks-per-machine:"};
        check_add_of_no_cell(check, &finding, "ranks", false);
    }
    text_free(&names);
}

/* True if a pattern such as "alltoall/two_*" names the cell's schedule: some may be for other networks. */
static bool is_one_of_many(const struct check *check, const struct project_cell *cell)
{
    const struct project_words *patterns = &check->project->patterns;
    for (size_t i = 0; i < patterns->n; i++) {
        const struct position *at = &patterns->items[i].position;
        if (at->line == cell->position.line && at->column == cell->position.column)
            return strpbrk(patterns->items[i].text, "*?[") && access(cell->schedule, F_OK) != 0;
    }
    return false;
}

/* The schedule of the cells first .. end - 1. That all lack room is said of the ranks. */
static void say_schedule(struct check *check, size_t first, size_t end)
{
    const struct project_cell cell = project_cell(check->project, first);
    const char *why = NULL;
    bool lacks_room = true;
    for (size_t i = first; i < end; i++) {
        if (check->cells[i].verdict != VERDICT_NOT_FOR)
            return;
        if (!check->cells[i].lacks_room) {
            why = why ? why : check->cells[i].why_not;
            lacks_room = false;
        }
    }
    if (lacks_room || !cell.position.line || is_one_of_many(check, &cell))
        return;
    const struct check_finding finding = {
        .code = CODE_K011,
        .severity = SEVERITY_WARNING,
        .position = cell.position,
        .message = arena_printf(&check->arena, "'%s' is for none of these networks and ranks: nothing is checked of it%s%s",
                                cell.schedule, why ? "; " : "", why ? why : ""),
        .help = "take it out, or add ranks and networks that it is for"};
    check_add_of_no_cell(check, &finding, cell.schedule, false);
}

/* A project of which nothing at all is checked fails, whatever the filter and the baseline are. */
static void say_project(struct check *check)
{
    const size_t n = project_n_cells(check->project);
    if (!n || check->n_of[VERDICT_NOT_FOR] < n)
        return;
    const struct check_finding finding = {
        .code = CODE_K011,
        .severity = SEVERITY_ERROR,
        .position = {check->project->source, 1, 1, 1},
        .message = arena_printf(&check->arena, "nothing is checked: no schedule is for %s%s%s",
                                n == 1 ? "the only combination" : "any combination",
                                check->cells[0].why_not ? "; " : "",
                                check->cells[0].why_not ? check->cells[0].why_not : ""),
        .help = "add ranks and networks that the schedules are for"};
    check_add_of_no_cell(check, &finding, "project", true);
}

void check_say_nothing_checked(struct check *check)
{
    const size_t n_cells = project_n_combinations(check->project), n = check->project->schedules.n;
    say_project(check);
    say_ranks(check);
    for (size_t i = 0; i < n && n_cells; i++)
        say_schedule(check, i * (n_cells / n), (i + 1) * (n_cells / n));
}
