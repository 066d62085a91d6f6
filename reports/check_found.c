/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a finding from the record of a cell: where it is in the files, and by what it is known when lines
 * move. See check_found.h.
 */
#include "reports/check_found.h"

#include "base/codes.h"
#include "base/embedded.h"
#include "base/text/json.h"

#include <string.h>

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

/* ---- what it is known by ---- */

/* FNV-1a, 64 bits; a NUL behind each text. */
static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i <= length; i++)
        hash = (hash ^ (i < length ? (unsigned char)text[i] : 0)) * UINT64_C(1099511628211);
    return hash;
}

uint64_t found_fingerprint(const struct check_finding *finding, const struct project_cell *cell)
{
    const char *id = code_table[finding->code].id, *path = finding->path ? finding->path : "";
    const char *network = cell->network ? cell->network->name : "";
    uint64_t hash = hash_text(UINT64_C(14695981039346656037), id, strlen(id));
    hash = hash_text(hash, path, strlen(path));
    hash = hash_text(hash, finding->place, strlen(finding->place));
    return finding->is_measured ? hash_text(hash, network, strlen(network)) : hash;
}

uint64_t found_fingerprint_of_no_cell(const struct check_finding *finding, const char *key)
{
    uint64_t hash = hash_text(UINT64_C(14695981039346656037), finding->path, strlen(finding->path));
    hash = hash_text(hash, finding->place, strlen(finding->place));
    return hash_text(hash, key, strlen(key));
}

/* The text of the line by which a finding is known when lines move. What is no result of a rule,
 * or has no line, is known by its message; what a failure does, which has a value and no line, by
 * what fails. */
static const char *check_found_place_of(struct check *check, const struct check_finding *finding,
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
    while (severity < SEVERITY_ERROR && strcmp(severity_names[severity], name) != 0)
        severity++;
    return severity;
}

/* ---- where it is ---- */

static struct position check_found_position_of(struct check *check, const char *path, const json_t *object)
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

/* True if the project names a file so, or finds it by a pattern. */
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
    const struct source *file = check->project->source;
    struct position at = finding->position;
    const char *path = finding->path;
    if (!path || (finding->is_built_in && file)) {
        const struct project_cell cell =
            finding->n_cells ? project_cell(check->project, finding->cell) : (struct project_cell){0};
        at = cell.position;
        path = file ? file->path : cell.schedule;
    }
    const bool is_outside = *path == '<' || (finding->is_built_in && !file);
    if (!at.line)
        return (struct check_place){path, 1, 0, 0, is_outside};
    return (struct check_place){path, at.line, at.column, at.length, is_outside};
}

/* ---- a finding ---- */

/* Returns the amount: what is above a limit, or the number of findings like it. A time is none. */
static double check_found_amount_of(const json_t *object, bool is_measured)
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

struct found found_of_record(struct check *check, const json_t *object, size_t number)
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
        finding->position = check_found_position_of(check, path, object);
        finding->path = finding->position.source->path;
        finding->is_built_in = is_built_in(check->project, path);
    }
    finding->place = check_found_place_of(check, finding, object);
    finding->fingerprint = found_fingerprint(finding, &cell);
    found.value = check_found_amount_of(object, finding->is_measured);
    take_subject(&found, object);
    return found;
}
