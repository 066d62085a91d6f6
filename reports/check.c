/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers what the cells of a project gave. See check.h. A cell is run in another process and
 * comes as a record in JSON, in which findings are as `collc verify --format json` writes them.
 */
#include "reports/check.h"

#include "base/codes.h"
#include "base/embedded.h"
#include "base/text/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *const check_verdict_name[N_VERDICTS] = {"ok",       "known", "not-for",
                                                    "findings", "wrong", "broken"};

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

static uint64_t fingerprint_of(const struct check_finding *finding, const struct project_cell *cell)
{
    const char *id = code_table[finding->code].id, *path = finding->path ? finding->path : "";
    const char *network = cell->network ? cell->network->name : "";
    uint64_t hash = hash_text(UINT64_C(14695981039346656037), id, strlen(id));
    hash = hash_text(hash, path, strlen(path));
    hash = hash_text(hash, finding->place, strlen(finding->place));
    return finding->is_measured ? hash_text(hash, network, strlen(network)) : hash;
}

/* The text of the line by which a finding is known when lines move. What is no result of a rule,
 * or has no line, is known by its message; what a failure does, which has a value and no line, by
 * what fails. */
static const char *place_of(struct check *check, const struct check_finding *finding,
                            const json_t *object)
{
    size_t length;
    if (finding->is_measured && !finding->position.line &&
        strcmp(code_table[finding->code].family, "failure") == 0)
        return arena_printf(&check->arena, "%s%s%s%s", json_text(object, "machine_name"),
                            json_text(object, "link_from"),
                            *json_text(object, "link_from") ? " -> " : "",
                            json_text(object, "link_to"));
    if (!finding->is_measured && (!finding->position.line || !code_table[finding->code].is_rule))
        return arena_strndup(&check->arena, finding->message, strlen(finding->message));
    if (!finding->position.line)
        return "";
    const char *line = line_text(finding->position.source, finding->position.line, &length);
    return arena_strndup(&check->arena, line, length);
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

/* A finding of a cell, as its record has it. */
struct found {
    struct check_finding finding; /* its words are those of the record */
    const char *kind, *from,
        *to; /* of what it is: "link" with its ends, "machine" with its name; or NULL */
    double value;
    size_t order;
};
struct found_list {
    struct found *items;
    size_t n, capacity;
};

/* Returns the amount: what is above a limit, or the number of findings like it. A time is none. */
static double amount_of(const json_t *object, bool is_measured)
{
    const double value = json_number_value(json_object_get(object, "value"));
    const double more = (double)json_integer_value(json_object_get(object, "more"));
    if (is_measured)
        return value;
    return more + (value > 1 && strcmp(json_text(object, "unit"), "ns") != 0 ? value : 1);
}

static void take_subject(struct found *found, const json_t *object)
{
    found->from = json_text(object, "link_from");
    found->to = json_text(object, "link_to");
    found->kind = *found->from ? "link" : NULL;
    if (found->kind || !*json_text(object, "machine_name"))
        return;
    found->kind = "machine";
    found->from = json_text(object, "machine_name");
}

static struct found found_of(struct check *check, const json_t *object, size_t number)
{
    const struct project_cell cell = project_cell(check->project, number);
    struct found found = {.finding = {.cell = number}};
    struct check_finding *finding = &found.finding;
    finding->code = code_find(json_text(object, "code"));
    if (finding->code == n_codes)
        return found;
    finding->severity = severity_of(json_text(object, "severity"));
    finding->message = json_text(object, "message");
    finding->help = json_string_value(json_object_get(object, "help"));
    finding->is_measured = json_is_number(json_object_get(object, "limit")) &&
                           code_table[finding->code].refutes == CLAIM_NOTHING;
    const char *path = json_string_value(json_object_get(object, "file"));
    if (path) {
        finding->position = position_of(check, path, object);
        finding->path = finding->position.source->path;
        finding->is_built_in = is_built_in(check->project, path);
    }
    finding->place = place_of(check, finding, object);
    finding->fingerprint = fingerprint_of(finding, &cell);
    found.value = amount_of(object, finding->is_measured);
    take_subject(&found, object);
    return found;
}

static bool begins_with_one_of(const char *id, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(id, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

bool check_wants(const struct check *check, uint32_t code)
{
    const struct check_filter *filter = &check->filter;
    const char *id = code_table[code].id;
    return (!filter->n_selected || begins_with_one_of(id, filter->selected, filter->n_selected)) &&
           !begins_with_one_of(id, filter->ignored, filter->n_ignored);
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

/* Of links and machines "; 23 more links are above it, 'a' -> 'b' with 2, 'c' -> 'd' with 2 ...",
 * of lines "; also in line 14, 20". */
static const char *message_of(struct check *check, const struct found *found, size_t n)
{
    enum { MAX_NAMED = 3 };
    const char *kind = found->kind ? found->kind : "like it", *message = NULL;
    struct text text = {0};
    text_printf(&text, "%s", found->finding.message);
    if (n > 1 && found->finding.is_measured)
        text_printf(&text, "; %zu more %s%s above it", n - 1, kind,
                    !found->kind ? ""
                    : n > 2      ? "s are"
                                 : " is");
    for (size_t i = 1; i < n && i <= MAX_NAMED; i++) {
        const struct found *other = &found[i];
        if (!found->finding.is_measured)
            text_printf(&text, "%s%u", i > 1 ? ", " : "; also in line ",
                        other->finding.position.line);
        else if (other->kind)
            text_printf(&text,
                        other->finding.is_measured && *other->to ? ", '%s' -> '%s' with %.6g"
                                                                 : ", '%s'%s with %.6g",
                        other->from, other->to, other->value);
    }
    if (n > MAX_NAMED + 1)
        text_printf(&text, " ...");
    message = keep_text(check, text.data);
    text_free(&text);
    return message;
}

static struct check_entry *add_entry(struct check *check, struct check_finding *finding,
                                     size_t cell, size_t n)
{
    struct check_entry *entry = arena_alloc(&check->arena, 1, sizeof *entry);
    check->entries = mem_grow(check->entries, &check->entries_capacity, check->n_entries + 1,
                              sizeof *check->entries);
    check->entries[check->n_entries++] = entry;
    *entry = (struct check_entry){.finding = finding, .cell = cell, .n = n};
    entry->values = arena_alloc(&check->arena, n, sizeof *entry->values);
    return entry;
}

/* True if this entry says more of the finding than what is said so far. */
static bool is_worse_entry(const struct check_entry *entry, const struct check_finding *finding)
{
    const bool is_known = finding->n_known == finding->n_cells; /* of what was added before */
    if (!finding->n_cells || entry->is_known != is_known)
        return !finding->n_cells || is_known;
    if (entry->values[0] < finding->value || entry->values[0] > finding->value)
        return entry->values[0] > finding->value;
    return entry->n != finding->n_places ? entry->n > finding->n_places
                                         : entry->cell < finding->cell;
}

static void tell_of(struct check *check, struct check_finding *finding,
                    const struct check_entry *entry, const struct check_finding *of)
{
    const size_t n_cells = finding->n_cells, n_known = finding->n_known;
    *finding = *of;
    finding->n_cells = n_cells;
    finding->n_known = n_known;
    finding->message = entry->message;
    finding->help = of->help ? keep_text(check, of->help) : NULL;
    finding->value = entry->values[0];
    finding->n_places = entry->n;
}

/* True of what the baseline has, or the one that is written now. */
static bool knows(const struct check *check, const struct check_entry *entry)
{
    const bool is_in_old = check->baseline && baseline_knows(check->baseline, check, entry);
    return is_in_old || check->accepts;
}

/* Adds the findings of a cell that have the same cause, the largest first. */
static const struct check_entry *add_like(struct check *check, const struct found *found, size_t n,
                                          bool may_be_known)
{
    const struct check_finding *of = &found->finding;
    struct check_finding *finding = find_same(check, of->fingerprint);
    if (!finding) {
        finding = arena_alloc(&check->arena, 1, sizeof *finding);
        *finding = *of;
        append_finding(check, finding);
    }
    struct check_entry *entry = add_entry(check, finding, of->cell, n);
    for (size_t i = 0; i < n; i++)
        entry->values[i] = found[i].value;
    entry->message = message_of(check, found, n);
    entry->is_known = may_be_known && knows(check, entry);
    if (is_worse_entry(entry, finding))
        tell_of(check, finding, entry, of);
    finding->n_cells++;
    finding->n_known += entry->is_known;
    finding->is_known = finding->n_known == finding->n_cells;
    return entry;
}

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

/* Takes a finding that no waiver covers and the filter wants. */
static void take_found(struct check *check, const struct found *found, struct found_list *list)
{
    if (found->finding.code == n_codes)
        return;
    if (is_waived(check, &found->finding)) {
        check->n_waived++;
        return;
    }
    if (!check_wants(check, found->finding.code))
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
        const struct found found = found_of(check, object, number);
        take_found(check, &found, list);
    }
}

/* What the cell counted and did not list, by code: nobody can say that a waiver of a line covers
 * it. */
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
        found.finding.fingerprint = fingerprint_of(&found.finding, &cell);
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
            add_like(check, &list->items[first], end - first, may_be_known);
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
        return cell->known ? VERDICT_KNOWN : VERDICT_OK;
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

static int compare_findings(const void *a, const void *b)
{
    const struct check_finding *x = *(const struct check_finding *const *)a;
    const struct check_finding *y = *(const struct check_finding *const *)b;
    if (x->is_known != y->is_known)
        return x->is_known ? 1 : -1;
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

void check_add_of_no_cell(struct check *check, const struct check_finding *of, const char *key,
                          bool is_firm)
{
    struct check_finding *finding = arena_alloc(&check->arena, 1, sizeof *finding);
    *finding = *of;
    finding->path = of->position.source->path;
    finding->place = keep_text(check, of->message);
    finding->fingerprint = hash_text(UINT64_C(14695981039346656037), finding->path, strlen(finding->path));
    finding->fingerprint = hash_text(finding->fingerprint, finding->place, strlen(finding->place));
    finding->fingerprint = hash_text(finding->fingerprint, key, strlen(key));
    if (find_same(check, finding->fingerprint) || (!is_firm && !check_wants(check, finding->code)))
        return;
    append_finding(check, finding);
    if (!is_firm) {
        struct check_entry *entry = add_entry(check, finding, CHECK_NO_CELL, 1);
        entry->values[0] = 1;
        entry->message = finding->message;
        finding->is_known = entry->is_known = knows(check, entry);
    }
    check->fails_by_itself |=
        is_firm || (finding->severity >= check->filter.least && !finding->is_known);
}

/* One that is of no use. */
static void add_waiver(struct check *check, const struct waiver *waiver)
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

/* Findings of a code in a file. */
struct listed {
    uint32_t code;
    const char *path;
    size_t n;
};

/* Moves those behind the others of which there are more than are listed. */
static void cut_list(struct check *check)
{
    struct check_finding **left = mem_alloc(check->n_findings + 1, sizeof *left);
    struct listed *counts = NULL;
    size_t n_left = 0, n_counts = 0, capacity = 0;
    check->n_listed = 0;
    for (size_t i = 0; i < check->n_findings; i++) {
        struct check_finding *finding = check->findings[i];
        size_t k = 0;
        while (k < n_counts && (counts[k].code != finding->code || counts[k].path != finding->path))
            k++;
        if (k == n_counts) {
            counts = mem_grow(counts, &capacity, n_counts + 1, sizeof *counts);
            counts[n_counts++] = (struct listed){finding->code, finding->path, 0};
        }
        if (finding->is_measured || !check->max_listed || counts[k].n++ < check->max_listed)
            check->findings[check->n_listed++] = finding;
        else
            left[n_left++] = finding;
    }
    if (n_left)
        memcpy(&check->findings[check->n_listed], left, n_left * sizeof *left);
    free(left);
    free(counts);
}

void check_end(struct check *check)
{
    for (size_t i = 0; check->waivers && i < check->waivers->n; i++)
        if (!check->waivers->items[i].is_used)
            add_waiver(check, &check->waivers->items[i]);
    check_say_nothing_checked(check);
    if (check->baseline && !check->accepts) /* the new one has nothing that is not found */
        baseline_say_idle(check->baseline, check);
    if (check->n_findings)
        qsort(check->findings, check->n_findings, sizeof *check->findings, compare_findings);
    cut_list(check);
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
