/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The check of a project as one page (reports/page.h): the sum, a table of its combinations, the findings,
 * and the tables of single failures and of jobs.
 */
#include "reports/check.h"
#include "reports/page.h"

#include <stdlib.h>
#include <string.h>

static const struct page_section check_page_cells = {"combinations", "Combinations"};
static const struct page_section check_page_findings = {"findings", "Findings"};
static const struct page_section check_page_tables = {"tables", "Failures and jobs"};

/* "schedules/ring.coll on star:64, root 3": what the cells of a row have in common. */
static void check_page_name_row(const struct check *check, size_t first, struct text *out)
{
    const struct project_cell cell = project_cell(check->project, first);
    text_printf(out, "%s", cell.schedule);
    if (cell.network)
        text_printf(out, " on %s", cell.network->name);
    if (!cell.is_of_jobs && check->project->roots.n > 1)
        text_printf(out, ", root %u", cell.root);
}

/* The cell of jobs has a column behind those of n_ranks numbers of ranks. */
static void check_page_put_row(const struct check *check, size_t first, size_t n_ranks, struct text *out)
{
    const bool is_of_jobs = project_cell(check->project, first).is_of_jobs;
    const size_t n_left = is_of_jobs ? n_ranks : 0, n = is_of_jobs ? 1 : n_ranks;
    const char **cells = mem_alloc(n_left + n + 1, sizeof *cells);
    bool *is_bad = mem_alloc(n_left + n + 1, sizeof *is_bad);
    struct text name = {0};
    check_page_name_row(check, first, &name);
    cells[0] = name.data;
    for (size_t i = 0; i < n_left; i++)
        cells[i + 1] = "";
    for (size_t i = 0; i < n; i++) {
        const struct check_cell *cell = &check->cells[first + i];
        cells[n_left + i + 1] = check_cell_word(cell);
        is_bad[n_left + i + 1] = cell->verdict >= VERDICT_FOUND;
    }
    page_row(out, cells, is_bad, n_left + n + 1);
    text_free(&name);
    free(cells);
    free(is_bad);
}

static void check_page_put_heads(const struct project *project, size_t n_ranks, struct text *out)
{
    const bool has_jobs = project_n_cells(project) > project_n_combinations(project);
    const char **heads = mem_alloc(n_ranks + 2, sizeof *heads);
    struct text *names = mem_alloc(n_ranks + 1, sizeof *names);
    heads[0] = "schedule";
    for (size_t i = 0; i < n_ranks; i++) {
        names[i] = (struct text){0};
        if (project->ranks.n)
            text_printf(&names[i], "%u ranks", project->ranks.items[i]);
        else
            text_printf(&names[i], "all ranks");
        heads[i + 1] = names[i].data;
    }
    heads[n_ranks + 1] = "jobs";
    page_open_table(out, heads, n_ranks + 1 + has_jobs);
    for (size_t i = 0; i < n_ranks; i++)
        text_free(&names[i]);
    free(names);
    free(heads);
}

static void check_page_put_cells(const struct check *check, struct text *out)
{
    const struct project *project = check->project;
    const size_t n_combinations = project_n_combinations(project), n_cells = project_n_cells(project);
    const size_t n_ranks = !n_combinations ? 0 : project->ranks.n ? project->ranks.n : 1;
    struct text assumed = {0};
    page_open_section(out, &check_page_cells);
    check_page_put_heads(project, n_ranks, out);
    for (size_t first = 0; first < n_combinations; first += n_ranks)
        check_page_put_row(check, first, n_ranks, out);
    for (size_t i = n_combinations; i < n_cells; i++)
        check_page_put_row(check, i, n_ranks, out);
    page_close_table(out);
    check_print_assumed(check, &assumed);
    if (assumed.length) {
        assumed.data[strcspn(assumed.data, "\n")] = '\0';
        page_paragraph(out, assumed.data);
    }
    page_close_section(out);
    text_free(&assumed);
}

static void check_page_put_findings(const struct check *check, struct text *out)
{
    struct text findings = {0};
    check_print_findings(check, false, &findings);
    page_section_of_lines(out, &check_page_findings, &findings);
    text_free(&findings);
}

static bool check_page_has_tables(const struct check *check)
{
    for (size_t i = 0; i < project_n_cells(check->project); i++)
        if (check->cells[i].table.length)
            return true;
    return false;
}

void check_html(const struct check *check, struct text *out)
{
    const struct page_section sections[] = {check_page_cells, check_page_findings, check_page_tables};
    const bool has_tables = check_page_has_tables(check);
    const size_t *n_of = check->n_of;
    struct text sum = {0}, made_by = {0}, title = {0};
    text_printf(&title, "collc %s", check->command);
    if (check->project->source)
        text_printf(&title, ": %s", check->project->source->path);
    check_print_sum(check, &sum);
    sum.data[strcspn(sum.data, "\n")] = '\0';
    page_begin(out, title.data, sum.data,
               !n_of[VERDICT_FOUND] && !n_of[VERDICT_WRONG] && !n_of[VERDICT_BROKEN] &&
                   !check->fails_by_itself,
               sections, has_tables ? 3 : 2);
    check_page_put_cells(check, out);
    check_page_put_findings(check, out);
    if (has_tables) {
        page_open_section(out, &check_page_tables);
        for (size_t i = 0; i < project_n_cells(check->project); i++)
            if (check->cells[i].table.length)
                page_lines(out, &check->cells[i].table);
        page_close_section(out);
    }
    text_printf(&made_by, "collc %s", check->version);
    page_end(out, made_by.data);
    text_free(&title);
    text_free(&sum);
    text_free(&made_by);
}
