/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers what the cells of a project gave. See check.h. A cell is run in another process and
 * comes as a record in JSON, in which findings are as `collc verify --format json` writes them.
 */
#include "reports/check_found.h"

#include "base/codes.h"
#include "base/text/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *const check_verdict_name[N_VERDICTS] = {"ok",       "known", "waived", "not-for",
                                                    "findings", "wrong", "broken"};

/* ---- cells ---- */

static bool is_worse(const struct check_finding *a, const struct check_entry *other)
{
    const struct check_finding *b = other ? other->finding : NULL;
    const bool refutes_a = code_table[a->code].refutes != CLAIM_NOTHING;
    const bool refutes_b = b && code_table[b->code].refutes != CLAIM_NOTHING;
    if (!b || refutes_a != refutes_b)
        return !b || refutes_a;
    return a->severity > b->severity;
}

static bool is_waived(struct check *check, const struct check_finding *finding,
                      const struct project_cell *cell)
{
    struct waiver *waiver = NULL;
    if (check->waivers && finding->path)
        waiver = waivers_find(check->waivers, finding->code, finding->path, finding->position.line);
    if (check->waivers && !waiver)
        waiver = waivers_find_in_cell(check->waivers, finding->code, cell);
    if (waiver)
        waiver->is_used = true;
    check->n_waived += waiver != NULL;
    return waiver;
}

/* Takes a finding that the filter wants; its cell notes it if a waiver covers it. */
static void take_found(struct check *check, const struct found *found, struct found_list *list)
{
    if (found->finding.code == n_codes)
        return;
    const bool counts = check_wants(check, found->finding.code);
    const struct project_cell of = project_cell(check->project, found->finding.cell);
    if (is_waived(check, &found->finding, &of)) {
        struct check_cell *cell = &check->cells[found->finding.cell];
        if (counts && found->finding.severity >= check->filter.least && !cell->waived)
            cell->waived =
                arena_strndup(&check->arena, found->finding.message, strlen(found->finding.message));
        return;
    }
    if (!counts)
        return;
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n] = *found;
    list->items[list->n].order = list->n;
    list->n++;
}

static void take_findings(struct check *check, size_t number, const json_t *array,
                          struct found_list *list)
{
    size_t i;
    const json_t *object;
    json_array_foreach(array, i, object)
    {
        const struct found found = found_of_record(check, object, number);
        take_found(check, &found, list);
    }
}

/* Takes what the cell counted and did not list, by code. No waiver of a line can cover it. */
static void take_left(struct check *check, size_t number, const json_t *array,
                      struct found_list *list)
{
    const struct project_cell cell = project_cell(check->project, number);
    size_t i;
    const json_t *object;
    json_array_foreach(array, i, object)
    {
        struct found found = {
            .finding = {.cell = number, .code = code_find(json_text(object, "code"))}};
        if (found.finding.code == n_codes)
            continue;
        found.value = json_number_value(json_object_get(object, "n"));
        found.finding.severity = code_table[found.finding.code].severity;
        found.finding.path = cell.schedule;
        found.finding.place = "those that are not listed";
        found.finding.message =
            arena_printf(&check->arena,
                         "%.0f more findings are not listed: waivers of lines do "
                         "not cover them",
                         found.value);
        found.finding.help = "mend the first ones; --max-findings lists more";
        found.finding.fingerprint = found_fingerprint(&found.finding, &cell);
        take_found(check, &found, list);
    }
}

/* Puts entries of the same cause together, the largest first. */
static int compare_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->finding.fingerprint != y->finding.fingerprint)
        return x->finding.fingerprint < y->finding.fingerprint ? -1 : 1;
    if (x->value < y->value || x->value > y->value)
        return x->value > y->value ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void add_found(struct check *check, size_t number, struct found_list *list,
                      bool may_be_known)
{
    struct check_cell *cell = &check->cells[number];
    size_t end;
    for (size_t first = 0; first < list->n; first = end) {
        const struct check_finding *of = &list->items[first].finding;
        for (end = first; end < list->n && list->items[end].finding.fingerprint == of->fingerprint;
             end++)
            ;
        const struct check_entry *entry =
            check_list_add(check, &list->items[first], end - first, may_be_known);
        if (of->severity < check->filter.least)
            continue;
        if (entry->is_known)
            cell->known = cell->known ? cell->known : entry;
        else if (is_worse(of, cell->worst))
            cell->worst = entry;
    }
}

static enum check_verdict verdict_of(const struct check_cell *cell, const char *outcome)
{
    if (strcmp(outcome, cell_outcome_name[CELL_NOT_FOR]) == 0)
        return VERDICT_NOT_FOR;
    if (strcmp(outcome, cell_outcome_name[CELL_VERIFIED]) != 0)
        return VERDICT_BROKEN;
    if (!cell->worst)
        return cell->waived ? VERDICT_WAIVED : cell->known ? VERDICT_KNOWN : VERDICT_OK;
    return code_table[cell->worst->finding->code].refutes != CLAIM_NOTHING ? VERDICT_WRONG
                                                                           : VERDICT_FOUND;
}

static void take_reason(struct check *check, struct check_cell *cell, const json_t *problem)
{
    const char *code = json_text(problem, "code");
    cell->lacks_room = strcmp(code, code_table[CODE_A001].id) == 0;
    if (problem)
        cell->why_not = arena_printf(&check->arena, "%s [%s]", json_text(problem, "message"), code);
}

/* The record of a cell whose process has ended. */
static void record_death(int status, struct text *out)
{
    text_printf(out, "{\"outcome\": \"%s\", \"problems\": [{\"code\": \"K005\", "
                     "\"severity\": \"error\", \"message\": \"the verifier ",
                cell_outcome_name[CELL_BROKEN]);
    if (WIFSIGNALED(status))
        text_printf(out, "was ended by signal %d", WTERMSIG(status));
    else
        text_printf(out, "ended with status %d", WEXITSTATUS(status));
    text_printf(out, "\"}]}");
}

struct check check_begin(const struct project *project)
{
    const size_t n = project_n_cells(project);
    return (struct check){.project = project, .cells = mem_alloc(n, sizeof(struct check_cell))};
}

void check_add(struct check *check, size_t number, const char *record, size_t length, int status)
{
    struct check_cell *cell = &check->cells[number];
    if (record)
        text_append(&cell->record, record, length);
    else
        record_death(status, &cell->record);
    json_t *object = json_loadb(cell->record.data, cell->record.length, 0, NULL);
    const char *outcome = json_text(object, "outcome");
    struct found_list list = {NULL, 0, 0};
    if (strcmp(outcome, cell_outcome_name[CELL_NOT_FOR]) != 0)
        take_findings(check, number, json_object_get(object, "problems"), &list);
    take_findings(check, number, json_object_get(json_object_get(object, "report"), "findings"),
                  &list);
    take_findings(check, number, json_object_get(object, "findings"), &list);
    take_left(check, number, json_object_get(object, "left"), &list);
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, compare_found);
    add_found(check, number, &list, strcmp(outcome, cell_outcome_name[CELL_BROKEN]) != 0);
    free(list.items);
    check_take_jobs(check, number, object);
    check_take_failures(check, number, json_object_get(object, "failures"));
    cell->verdict = verdict_of(cell, outcome);
    if (cell->verdict == VERDICT_NOT_FOR)
        take_reason(check, cell, json_array_get(json_object_get(object, "problems"), 0));
    check->n_of[cell->verdict]++;
    json_decref(object);
    if (!check->keeps_records)
        text_free(&cell->record);
}

void check_add_list(struct check *check, const struct diagnostics *list, bool is_firm)
{
    for (const struct diagnostic *d = list->first; d; d = d->next) {
        struct check_finding finding = {.code = d->code,
                                        .severity = d->severity,
                                        .position = d->position,
                                        .message = d->message,
                                        .help = d->help};
        if (d->related.source && finding.position.source && *finding.position.source->path == '<')
            finding.position = d->related; /* of an option: where the project has it */
        if (!finding.position.source)
            finding.position = (struct position){check->project->source, 0, 0, 1};
        finding.path = finding.position.source->path;
        const struct project_cell file = {.schedule = finding.path};
        if (!is_waived(check, &finding, &file))
            check_add_of_no_cell(check, &finding, code_table[d->code].id, is_firm);
    }
}

/* One that is of no use. */
static void reports_check_add_waiver(struct check *check, const struct waiver *waiver)
{
    const char *id = code_table[waiver->code].id;
    struct check_finding finding = {.code = waiver->is_expired ? CODE_K008 : CODE_K007,
                                    .severity = SEVERITY_WARNING,
                                    .position = waiver->position};
    finding.message = waiver->is_expired
                          ? arena_printf(&check->arena, "the waiver of %s ended on %s", id, waiver->until)
                          : arena_printf(&check->arena, "nothing is found that the waiver of %s covers", id);
    finding.help = waiver->is_expired ? "mend what it covered, or give it a later date" : "take it out";
    check_add_of_no_cell(check, &finding, id, false);
}

void check_end(struct check *check)
{
    const bool is_whole = !check->n_of[VERDICT_BROKEN]; /* what is broken might need what seems idle */
    for (size_t i = 0; check->waivers && i < check->waivers->n; i++)
        if (!check->waivers->items[i].is_used && (is_whole || check->waivers->items[i].is_expired))
            reports_check_add_waiver(check, &check->waivers->items[i]);
    check_say_nothing_checked(check);
    if (check->baseline && is_whole && !check->accepts) /* the new one has nothing that is not found */
        baseline_say_idle(check->baseline, check);
    check_list_end(check);
}

void check_free(struct check *check)
{
    const size_t n = check->project ? project_n_cells(check->project) : 0;
    for (size_t i = 0; i < n; i++) {
        text_free(&check->cells[i].record);
        text_free(&check->cells[i].table);
    }
    free(check->cells);
    free(check->findings);
    free(check->entries);
    map_free(&check->map);
    arena_free(&check->arena);
    *check = (struct check){0};
}

bool check_names_cell(const struct check *check, const struct check_finding *finding)
{
    const struct project *project = check->project;
    return finding->n_cells &&
           (finding->n_cells > 1 || project->source || project->n_networks || project->ranks.n ||
            !finding->path || strcmp(project_cell(project, finding->cell).schedule, finding->path) != 0);
}

void check_cell_name(const struct check *check, size_t number, struct text *out)
{
    const struct project_cell cell = project_cell(check->project, number);
    text_append_safe(out, cell.schedule);
    if (cell.network) {
        text_printf(out, " on ");
        text_append_safe(out, cell.network->name);
    }
    if (cell.n_ranks)
        text_printf(out, ", %u rank%s", cell.n_ranks, plural(cell.n_ranks));
    if (check->project->roots.n > 1)
        text_printf(out, ", root %u", cell.root);
}
