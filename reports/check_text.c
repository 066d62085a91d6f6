/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The check of a project for people: a table of its cells, and the findings.
 */
#include "reports/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 12 /* of ranks; more are in the other forms */ };

/* ---- the table ---- */

const char *check_cell_word(const struct check_cell *cell)
{
    switch (cell->verdict) {
    case VERDICT_OK: return "ok";
    case VERDICT_KNOWN: return "known";
    case VERDICT_WAIVED: return "waived";
    case VERDICT_NOT_FOR: return "-";
    case VERDICT_FOUND: return code_table[cell->worst->finding->code].id;
    case VERDICT_WRONG: return "wrong";
    case VERDICT_BROKEN:
    case N_VERDICTS: break;
    }
    return "broken";
}

static int widest(int width, const char *text)
{
    const int length = text ? (int)strlen(text) : 0;
    return length > width ? length : width;
}

/* Rows are of the same schedule, network and root, n_ranks cells long. That of jobs has one, behind those. */
static void check_text_print_row(const struct check *check, size_t first, size_t n_ranks, int schedule_width,
                                 int network_width, struct text *out)
{
    const struct project_cell cell = project_cell(check->project, first);
    text_printf(out, "%-*s", schedule_width, cell.schedule);
    if (cell.network)
        text_printf(out, "  %-*s", network_width, cell.network->name);
    if (check->project->roots.n > 1)
        text_printf(out, "  root %-4u", cell.root);
    for (size_t i = 0; i < n_ranks && i < MAX_COLUMNS; i++)
        text_printf(out, "  %6s", cell.is_of_jobs ? "" : check_cell_word(&check->cells[first + i]));
    text_printf(out, n_ranks > MAX_COLUMNS ? "  ..." : "");
    if (cell.is_of_jobs)
        text_printf(out, "  %6s", check_cell_word(&check->cells[first]));
    text_append(out, "\n", 1);
}

static void check_text_print_heading(const struct check *check, size_t n_ranks, int schedule_width,
                                     int network_width, struct text *out)
{
    const struct project *project = check->project;
    text_printf(out, "%-*s", schedule_width, "schedule");
    if (project->n_networks)
        text_printf(out, "  %-*s", network_width, "network");
    if (project->roots.n > 1)
        text_printf(out, "  %-9s", "");
    for (size_t i = 0; i < n_ranks && i < MAX_COLUMNS; i++) {
        if (project->ranks.n)
            text_printf(out, "  %6u", project->ranks.items[i]);
        else
            text_printf(out, "  %6s", "all");
    }
    text_printf(out, n_ranks > MAX_COLUMNS ? "  ..." : "");
    text_printf(out, project_n_cells(project) > project_n_combinations(project) ? "  %6s\n" : "\n", "jobs");
}

static void check_text_print_table(const struct check *check, struct text *out)
{
    const struct project *project = check->project;
    const size_t n_cells = project_n_combinations(project), n_ranks = project->ranks.n ? project->ranks.n : 1;
    int schedule_width = widest(0, "schedule"), network_width = widest(0, "network");
    struct text table = {0};
    for (size_t i = 0; i < project->schedules.n; i++)
        schedule_width = widest(schedule_width, project->schedules.items[i].text);
    for (size_t i = 0; i < project->n_networks; i++)
        network_width = widest(network_width, project->networks[i].name);
    if (n_cells)
        check_text_print_heading(check, n_ranks, schedule_width, network_width, &table);
    for (size_t first = 0; first < n_cells; first += n_ranks)
        check_text_print_row(check, first, n_ranks, schedule_width, network_width, &table);
    for (size_t i = n_cells; i < project_n_cells(project); i++)
        check_text_print_row(check, i, n_cells ? n_ranks : 0, schedule_width, network_width, &table);
    for (const char *line = table.data; *line; line = strchr(line, '\n') + 1) {
        char *end = strchr(line, '\n');
        *end = '\0';
        text_append_safe(out, line); /* names are the user's */
        text_append(out, "\n", 1);
        *end = '\n';
    }
    text_free(&table);
}

void check_print_sum(const struct check *check, struct text *out)
{
    static const char *const words[] = {"ok",
                                        "known to the baseline",
                                        "waived",
                                        "for which the schedule is not (-)",
                                        "with findings",
                                        "wrong",
                                        "broken"};
    const size_t n = project_n_cells(check->project);
    text_printf(out, "%zu combination%s:", n, plural(n));
    const char *separator = " ";
    for (size_t verdict = 0; verdict < N_VERDICTS; verdict++) {
        if (check->n_of[verdict])
            text_printf(out, "%s%zu %s", separator, check->n_of[verdict], words[verdict]);
        separator = check->n_of[verdict] ? ", " : separator;
    }
    size_t n_known = 0, n_beside = 0;
    for (size_t i = 0; i < check->n_findings; i++) {
        n_known += check->findings[i]->is_known;
        n_beside += n && check_fails_by(check, check->findings[i]);
    }
    if (n_beside)
        text_printf(out, "; %zu finding%s of none of them", n_beside, plural(n_beside));
    if (n_known)
        text_printf(out, "; the baseline %sknows %zu finding%s",
                    !check->accepts                ? ""
                    : check->n_of[VERDICT_BROKEN] ? "not yet written "
                                                   : "written now ",
                    n_known, plural(n_known));
    if (check->n_waived)
        text_printf(out, "; waivers cover %" PRIu64, check->n_waived);
    text_printf(out, "\n");
}

void check_print_assumed(const struct check *check, struct text *out)
{
    const char *separator = "routes are assumed, without tables: on ";
    for (size_t i = 0; check->topologies && i < check->project->n_networks; i++) {
        if (!topology_assumes_routes(check->topologies[i]))
            continue;
        text_printf(out, "%s", separator);
        text_append_safe(out, check->project->networks[i].name);
        separator = ", ";
    }
    text_printf(out, *separator == ',' ? "\n" : "");
}

/* ---- findings ---- */

static const char *where(const struct check *check, const struct check_finding *finding,
                         struct diagnostics *list)
{
    struct text text = {0};
    text_printf(&text, "in ");
    check_cell_name(check, finding->cell, &text);
    if (finding->n_cells > 1)
        text_printf(&text, "; and in %zu more combination%s", finding->n_cells - 1,
                    plural(finding->n_cells - 1));
    if (finding->n_known && finding->n_known < finding->n_cells)
        text_printf(&text, "; the baseline knows it in %zu", finding->n_known);
    const char *words = diagnostics_text(list, "%s", text.data);
    text_free(&text);
    return words;
}

static struct diagnostic *check_text_add(struct diagnostics *list, const struct check_finding *finding,
                                         const char *format, ...) __attribute__((format(printf, 3, 4)));
static struct diagnostic *check_text_add(struct diagnostics *list, const struct check_finding *finding,
                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct diagnostic *d =
        finding->is_measured
            ? report_measured_va(list, finding->code, finding->position, 0, format, args)
            : report_va(list, finding->code, finding->position, format, args);
    va_end(args);
    return d;
}

/* True if as many findings of its code and file are listed before it as may be. They are sorted by
 * code, so that its like are not far. */
static bool check_text_is_full(const struct check *check, size_t number)
{
    const struct check_finding *finding = check->findings[number];
    uint32_t n = 0;
    for (size_t i = number; i-- > 0 && n < check->max_shown;) {
        const struct check_finding *other = check->findings[i];
        if (finding->is_measured && other->code != finding->code)
            break;
        n += !other->is_known && other->code == finding->code && other->path == finding->path;
    }
    return n >= check->max_shown;
}

void check_print_findings(const struct check *check, bool colour, struct text *out)
{
    struct diagnostics list = {.keep_per_code = UINT32_MAX,
                               .how_to_see_more = "--max-findings lists more"};
    for (size_t i = 0; i < check->n_listed; i++) {
        const struct check_finding *finding = check->findings[i];
        if (finding->is_known)
            continue;
        if (check_text_is_full(check, i)) {
            list.n_of_code[finding->code]++;
            continue;
        }
        struct diagnostic *d = check_text_add(&list, finding, "%s", finding->message);
        d->severity = finding->severity;
        d->help = finding->help;
        d->related_text = finding->n_cells ? where(check, finding, &list) : NULL;
    }
    diagnostics_print(&list, out, colour);
    size_t n_left = 0;
    for (size_t i = check->n_listed; i < check->n_findings; i++)
        n_left += !check->findings[i]->is_known;
    if (n_left)
        text_printf(out,
                    "note: %zu more of those above, in further lines of a file; --max-findings "
                    "lists more\n",
                    n_left);
    diagnostics_free(&list);
}

void check_text(const struct check *check, struct text *out)
{
    check_print_findings(check, check->has_colour, out);
    if (check->is_quiet)
        return;
    if (out->length)
        text_append(out, "\n", 1);
    check_text_print_table(check, out);
    check_print_sum(check, out);
    check_print_assumed(check, out);
    for (size_t i = 0; i < project_n_cells(check->project); i++)
        if (check->cells[i].table.length)
            text_printf(out, "\n%s", check->cells[i].table.data);
}

static void check_text_put_line(const struct check *check, const struct check_finding *finding,
                                const char *message, struct text *out)
{
    const struct check_place place = check_place(check, finding);
    text_append_safe(out, place.path);
    if (place.column)
        text_printf(out, ":%u:%u", place.line, place.column);
    text_printf(out,
                ": %s: ", finding->is_known ? "note: known" : severity_names[finding->severity]);
    text_append_safe(out, message);
    text_printf(out, " [%s]", code_table[finding->code].id);
}

void check_concise_line(const struct check *check, const struct check_finding *finding, const char *message,
                        struct text *out)
{
    check_text_put_line(check, finding, message, out);
    text_append(out, "\n", 1);
}

void check_concise_finding(const struct check *check, const struct check_finding *finding, struct text *out)
{
    check_text_put_line(check, finding, finding->message, out);
    text_printf(out, check_names_cell(check, finding) ? " " : "");
    if (check_names_cell(check, finding))
        check_cell_name(check, finding->cell, out);
    text_append(out, "\n", 1);
}

void check_concise(const struct check *check, struct text *out)
{
    for (size_t i = 0; i < check->n_listed; i++)
        check_concise_finding(check, check->findings[i], out);
}
