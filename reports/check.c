/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers what the cells of a project gave. See check.h. A cell is run in another process and comes as
 * a record in JSON, in which findings are as `collc verify --format json` writes them.
 */
#include "reports/check.h"

#include "base/codes.h"
#include "base/embedded.h"
#include "base/text/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *const check_verdict_name[N_VERDICTS] = {"ok", "not-for", "findings", "wrong", "broken"};

static const char *const severity_name[] = {"note", "warning", "error"};

/* ---- sources, to show lines of and to know findings by ---- */

struct check_sources {
    const struct source *source;
    struct check_sources *next;
};

static const struct source *read_path(struct check *check, const char *path)
{
    struct diagnostics unread = {0};
    const struct source *source = NULL;
    for (size_t i = 0; i < n_embedded_files && !source; i++)
        if (strcmp(embedded_files[i].path, path) == 0)
            source = source_of_text(path, embedded_files[i].text, embedded_files[i].length, &check->arena);
    if (!source)
        source = source_read(path, SCHEDULE_FILE_LIMIT, &check->arena, &unread);
    if (!source)
        source = source_of_text(path, "", 0, &check->arena);
    diagnostics_free(&unread);
    return source;
}

static const struct source *source_of_path(struct check *check, const char *path)
{
    struct check_sources *known = check->sources;
    while (known && strcmp(known->source->path, path) != 0)
        known = known->next;
    if (known)
        return known->source;
    struct check_sources *added = arena_alloc(&check->arena, 1, sizeof *added);
    *added = (struct check_sources){read_path(check, path), check->sources};
    check->sources = added;
    return added->source;
}

/* The text of a line without the blanks around it. */
static const char *line_text(const struct source *source, uint32_t line, size_t *length)
{
    const char *at = source->text;
    for (uint32_t n = 1; n < line && at; n++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    at = at ? at + strspn(at, " \t") : "";
    *length = strcspn(at, "#\r\n");
    while (*length && strchr(" \t", at[*length - 1]))
        --*length;
    return at;
}

/* ---- findings ---- */

/* FNV-1a, 64 bits; a NUL behind each text. */
static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i <= length; i++)
        hash = (hash ^ (i < length ? (unsigned char)text[i] : 0)) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t fingerprint_of(const struct check_finding *finding, const json_t *object,
                               const struct project_cell *cell)
{
    const char *const texts[] = {cell->network ? cell->network->name : "", json_text(object, "link_from"),
                                 json_text(object, "link_to"), json_text(object, "machine_name")};
    const char *id = code_table[finding->code].id;
    const char *path = finding->path ? finding->path : "";
    uint64_t hash = hash_text(UINT64_C(14695981039346656037), id, strlen(id));
    hash = hash_text(hash, path, strlen(path));
    if (finding->position.line) {
        size_t length;
        const char *line = line_text(finding->position.source, finding->position.line, &length);
        hash = hash_text(hash, line, length);
    }
    if (!finding->is_measured && (!finding->position.line || !code_table[finding->code].is_rule)) {
        hash = hash_text(hash, finding->message, strlen(finding->message));
    }
    for (size_t i = 0; finding->is_measured && i < sizeof texts / sizeof *texts; i++)
        hash = hash_text(hash, texts[i], strlen(texts[i]));
    return hash;
}

static enum severity severity_of(const char *name)
{
    enum severity severity = SEVERITY_NOTE;
    while (severity < SEVERITY_ERROR && strcmp(severity_name[severity], name) != 0)
        severity++;
    return severity;
}

static const char *keep_text(struct check *check, const char *text)
{
    return arena_strndup(&check->arena, text, strlen(text));
}

static struct position position_of(struct check *check, const char *path, const json_t *object)
{
    struct position position = {source_of_path(check, path), 0, 0, 1};
    size_t length;
    position.line = (uint32_t)json_integer_value(json_object_get(object, "line"));
    position.column = (uint32_t)json_integer_value(json_object_get(object, "column"));
    if (!position.line)
        return position;
    const char *text = line_text(position.source, position.line, &length);
    const char *start = text; /* of the line, from where columns count */
    while (start > position.source->text && start[-1] != '\n')
        start--;
    const size_t behind = (size_t)(text - start) + length; /* bytes up to the end of the words */
    position.length = behind >= position.column ? (uint32_t)(behind - position.column + 1) : 1;
    return position;
}

/* Whether the project names a file so, or finds it by a pattern. */
static bool is_file_of(const struct project *project, const char *path)
{
    for (size_t i = 0; i < project->schedules.n; i++)
        if (strcmp(project->schedules.items[i].text, path) == 0)
            return true;
    for (size_t i = 0; i < project->n_jobs; i++)
        if (strcmp(project->jobs[i].schedule.text, path) == 0)
            return true;
    return false;
}

static bool is_built_in(const struct project *project, const char *path)
{
    size_t i = 0;
    while (i < n_embedded_files && strcmp(embedded_files[i].path, path) != 0)
        i++;
    return i < n_embedded_files && !is_file_of(project, path);
}

struct check_place check_place(const struct check *check, const struct check_finding *finding)
{
    struct position at = finding->position;
    if (finding->is_built_in || !finding->path)
        at = finding->n_cells ? project_cell(check->project, finding->cell).position : (struct position){0};
    if (!at.line)
        return (struct check_place){
            finding->path && !finding->is_built_in ? finding->path : check->project->source->path, 1, 0, 0};
    return (struct check_place){finding->is_built_in || !finding->path ? check->project->source->path
                                                                       : finding->path,
                                at.line, at.column, at.length};
}

static struct check_finding finding_of(struct check *check, const json_t *object, size_t number)
{
    const struct project_cell cell = project_cell(check->project, number);
    struct check_finding finding = {.cell = number, .n_cells = 1};
    finding.code = code_find(json_text(object, "code"));
    finding.severity = severity_of(json_text(object, "severity"));
    finding.message = json_text(object, "message");
    finding.value = json_number_value(json_object_get(object, "value"));
    finding.is_measured = json_is_number(json_object_get(object, "limit")) &&
                          code_table[finding.code].refutes == CLAIM_NOTHING;
    const char *path = json_string_value(json_object_get(object, "file"));
    if (path) {
        finding.position = position_of(check, path, object);
        finding.path = finding.position.source->path;
        finding.is_built_in = is_built_in(check->project, path);
    }
    finding.fingerprint = fingerprint_of(&finding, object, &cell);
    return finding;
}

static bool begins_with_one_of(const char *id, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(id, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static bool is_wanted(const struct check *check, uint32_t code)
{
    const struct check_filter *filter = &check->filter;
    const char *id = code_table[code].id;
    return (!filter->n_selected || begins_with_one_of(id, filter->selected, filter->n_selected)) &&
           !begins_with_one_of(id, filter->ignored, filter->n_ignored);
}

static int compare_known(const void *a, const void *b)
{
    const struct check_known *x = a, *y = b;
    return x->fingerprint < y->fingerprint ? -1 : x->fingerprint > y->fingerprint;
}

static bool is_known(const struct check *check, const struct check_finding *finding)
{
    const struct check_known key = {finding->fingerprint, 0};
    const struct check_known *known =
        check->n_known ? bsearch(&key, check->known, check->n_known, sizeof key, compare_known) : NULL;
    return known && (!finding->is_measured || finding->value <= known->value);
}

static uint32_t hash_of(const void *items, uint32_t item)
{
    struct check_finding *const *findings = items;
    return map_hash_number(findings[item]->fingerprint);
}

static bool is_finding(const void *items, uint32_t item, const void *key)
{
    struct check_finding *const *findings = items;
    return findings[item]->fingerprint == *(const uint64_t *)key;
}

/* The finding that has the same cause, or NULL. */
static struct check_finding *find_same(const struct check *check, uint64_t fingerprint)
{
    const uint32_t item = map_find(&check->map, map_hash_number(fingerprint), is_finding,
                                   check->findings, &fingerprint);
    return item == MAP_NONE ? NULL : check->findings[item];
}

static void append_finding(struct check *check, struct check_finding *finding)
{
    check->findings = mem_grow(check->findings, &check->capacity, check->n_findings + 1,
                               sizeof *check->findings);
    map_reserve(&check->map, hash_of, check->findings);
    uint32_t *slot = map_slot(&check->map, map_hash_number(finding->fingerprint), is_finding,
                              check->findings, &finding->fingerprint);
    map_fill(&check->map, slot);
    check->findings[check->n_findings++] = finding;
}

static struct check_finding *add_finding(struct check *check, const struct check_finding *found,
                                         const json_t *object)
{
    struct check_finding *same = find_same(check, found->fingerprint);
    const size_t n_cells = same ? same->n_cells + (same->last_cell != found->cell) : 1;
    if (same && (found->value < same->value ||
                 (found->value <= same->value && found->cell >= same->cell))) {
        same->n_cells = n_cells;
        same->last_cell = found->cell;
        return same;
    }
    if (!same) {
        same = arena_alloc(&check->arena, 1, sizeof *same);
        same->fingerprint = found->fingerprint;
        append_finding(check, same);
    }
    *same = *found;
    same->last_cell = found->cell;
    same->n_cells = n_cells;
    same->message = keep_text(check, found->message);
    const char *help = json_string_value(json_object_get(object, "help"));
    same->help = help ? keep_text(check, help) : NULL;
    same->is_known = is_known(check, same);
    return same;
}

/* ---- cells ---- */

static bool is_worse(const struct check_finding *a, const struct check_finding *b)
{
    const bool refutes_a = code_table[a->code].refutes != CLAIM_NOTHING;
    const bool refutes_b = b && code_table[b->code].refutes != CLAIM_NOTHING;
    if (!b || refutes_a != refutes_b)
        return !b || refutes_a;
    return a->severity > b->severity;
}

static bool is_waived(struct check *check, const struct check_finding *finding)
{
    struct waiver *waiver = NULL;
    const struct project_cell cell = project_cell(check->project, finding->cell);
    if (check->waivers && finding->path)
        waiver = waivers_find(check->waivers, finding->code, finding->path, finding->position.line);
    if (check->waivers && !waiver)
        waiver = waivers_find_in_cell(check->waivers, finding->code, &cell);
    if (waiver)
        waiver->is_used = true;
    return waiver;
}

static void add_findings(struct check *check, size_t number, const json_t *list)
{
    struct check_cell *cell = &check->cells[number];
    size_t i;
    const json_t *object;
    json_array_foreach(list, i, object) {
        const struct check_finding found = finding_of(check, object, number);
        if (found.code == n_codes || is_waived(check, &found) || !is_wanted(check, found.code))
            continue;
        const struct check_finding *finding = add_finding(check, &found, object);
        if (found.severity < check->filter.least || is_known(check, &found))
            continue;
        cell->n_findings++;
        if (is_worse(finding, cell->worst))
            cell->worst = finding;
    }
}

/* What the cell counted and did not list. */
static uint64_t n_left(const json_t *report)
{
    const json_t *findings = json_object_get(report, "findings"), *object;
    uint64_t n = (uint64_t)json_integer_value(json_object_get(report, "findings_total"));
    size_t i;
    json_array_foreach(findings, i, object)
        n -= 1 + (uint64_t)json_integer_value(json_object_get(object, "more"));
    return n;
}

static enum check_verdict verdict_of(const struct check_cell *cell, const char *outcome)
{
    if (strcmp(outcome, cell_outcome_name[CELL_NOT_FOR]) == 0)
        return VERDICT_NOT_FOR;
    if (strcmp(outcome, cell_outcome_name[CELL_VERIFIED]) != 0)
        return VERDICT_BROKEN;
    if (!cell->worst)
        return VERDICT_OK;
    return code_table[cell->worst->code].refutes != CLAIM_NOTHING ? VERDICT_WRONG : VERDICT_FOUND;
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
    if (strcmp(outcome, cell_outcome_name[CELL_NOT_FOR]) != 0)
        add_findings(check, number, json_object_get(object, "problems"));
    const json_t *report = json_object_get(object, "report");
    add_findings(check, number, json_object_get(report, "findings"));
    check->n_left += n_left(report);
    add_findings(check, number, json_object_get(object, "findings"));
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

static int compare_findings(const void *a, const void *b)
{
    const struct check_finding *x = *(const struct check_finding *const *)a;
    const struct check_finding *y = *(const struct check_finding *const *)b;
    if (x->is_measured != y->is_measured)
        return x->is_measured ? 1 : -1;
    if (x->is_measured && x->code != y->code)
        return x->code < y->code ? -1 : 1;
    if (x->is_measured && (x->value < y->value || x->value > y->value))
        return x->value > y->value ? -1 : 1;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x->position.line != y->position.line)
        return x->position.line < y->position.line ? -1 : 1;
    return x->fingerprint < y->fingerprint ? -1 : x->fingerprint > y->fingerprint;
}

void check_add_of_no_cell(struct check *check, const struct check_finding *of, const char *key)
{
    struct check_finding *finding = arena_alloc(&check->arena, 1, sizeof *finding);
    size_t length;
    const char *line = line_text(of->position.source, of->position.line, &length);
    *finding = *of;
    finding->path = of->position.source->path;
    finding->severity = code_table[of->code].severity;
    finding->fingerprint = hash_text(UINT64_C(14695981039346656037), finding->path, strlen(finding->path));
    finding->fingerprint = hash_text(finding->fingerprint, line, strcspn(line, "\r\n"));
    finding->fingerprint = hash_text(finding->fingerprint, key, strlen(key));
    finding->is_known = is_known(check, finding);
    if (!find_same(check, finding->fingerprint) && is_wanted(check, finding->code))
        append_finding(check, finding);
    check->fails_by_itself |= finding->severity >= check->filter.least && !finding->is_known &&
                              is_wanted(check, finding->code);
}

/* One that is of no use. */
static void add_waiver(struct check *check, const struct waiver *waiver)
{
    const char *id = code_table[waiver->code].id;
    struct check_finding finding = {.code = waiver->is_expired ? CODE_K008 : CODE_K007,
                                    .position = waiver->position};
    finding.message = waiver->is_expired
                          ? arena_printf(&check->arena, "the waiver of %s ended on %s", id, waiver->until)
                          : arena_printf(&check->arena, "nothing is found that the waiver of %s covers", id);
    finding.help = waiver->is_expired ? "mend what it covered, or give it a later date" : "take it out";
    check_add_of_no_cell(check, &finding, id);
}

void check_end(struct check *check)
{
    for (size_t i = 0; check->waivers && i < check->waivers->n; i++)
        if (!check->waivers->items[i].is_used)
            add_waiver(check, &check->waivers->items[i]);
    check_say_nothing_checked(check);
    if (check->n_findings)
        qsort(check->findings, check->n_findings, sizeof *check->findings, compare_findings);
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
    map_free(&check->map);
    arena_free(&check->arena);
    *check = (struct check){0};
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
