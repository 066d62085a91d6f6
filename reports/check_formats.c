/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The check of a project for programs: JSON, SARIF, annotations of GitHub, code quality of GitLab, JUnit.
 * Forges know files by their paths from the root of the repository.
 */
#include "reports/check.h"

#include "base/embedded.h"
#include "base/text/uri.h"
#include "base/text/xml_write.h"
#include "reports/record.h"
#include "study/project/repository.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_formats_fingerprint_text(const struct check_finding *finding, char out[17])
{
    snprintf(out, 17, "%016" PRIx64, finding->fingerprint);
}

/* "MESSAGE (schedules/ring.coll on star:64, 16 ranks; and 3 more)"; of what is built in "at line 23 of
 * alltoall/ring on ...". */
static void print_message(const struct check *check, const struct check_finding *finding,
                          struct text *out)
{
    const bool is_named = check_names_cell(check, finding);
    text_printf(out, is_named ? "%s (" : "%s", finding->message);
    if (!is_named)
        return;
    if (finding->is_built_in && finding->position.line && check->project->source)
        text_printf(out, "at line %u of ", finding->position.line);
    check_cell_name(check, finding->cell, out);
    if (finding->n_cells > 1)
        text_printf(out, "; and %zu more", finding->n_cells - 1);
    if (finding->n_known && !finding->is_known)
        text_printf(out, ", of which the baseline knows %zu", finding->n_known);
    text_printf(out, ")");
}

/* ---- JSON ---- */

#include "reports/check.def"

void check_json(const struct check *check, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    check_write(&json, check);
    json_close(&json, '}');
}

/* The path from the root of the repository on. */
static void check_formats_print_path(const struct check *check, const struct check_place *place,
                                     struct text *out)
{
    if (place->is_outside)
        text_append(out, place->path, strlen(place->path));
    else
        repository_path(check->way ? check->way : "", place->path, out);
}

/* ---- SARIF 2.1.0 (OASIS Standard, 2020), with what GitHub asks for beside it ---- */

static void write_text_member(struct json *json, const char *key, const char *text)
{
    json_open(json, key, '{');
    json_put_string(json, "text", text);
    json_close(json, '}');
}

/* Writes the page of a code, which forges show beside the finding, and what prints it. */
static void write_help(struct json *json, uint32_t code)
{
    const char *id = code_table[code].id;
    struct text words = {0}, path = {0};
    struct arena arena = {0};
    const char *uri = uri_of_code(id, &arena);
    text_printf(&words, "collc explain %s", id);
    text_printf(&path, "docs/codes/%s.md", id);
    json_open(json, "help", '{');
    json_put_string(json, "text", words.data);
    for (size_t i = 0; i < n_embedded_files; i++)
        if (strcmp(embedded_files[i].path, path.data) == 0)
            json_put_string(json, "markdown", embedded_files[i].text);
    json_close(json, '}');
    if (uri)
        json_put_string(json, "helpUri", uri);
    arena_free(&arena);
    text_free(&words);
    text_free(&path);
}

/* Writes the rules that have findings, in the order of codes; index[code] is a rule's place in the list. */
static void check_formats_write_rules(const struct check *check, struct json *json, uint32_t *index)
{
    bool is_used[MAX_CODES] = {false};
    uint32_t n = 0;
    for (size_t i = 0; i < check->n_listed; i++)
        is_used[check->findings[i]->code] = true;
    json_open(json, "rules", '[');
    for (uint32_t code = 0; code < n_codes; code++) {
        if (!is_used[code])
            continue;
        index[code] = n++;
        json_open(json, NULL, '{');
        json_put_string(json, "id", code_table[code].id);
        write_text_member(json, "shortDescription", code_table[code].title);
        write_text_member(json, "fullDescription", code_table[code].title);
        write_help(json, code);
        json_open(json, "defaultConfiguration", '{');
        json_put_string(json, "level", severity_names[code_table[code].severity]);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* A path as a relative reference (RFC 3986, 4.2): "%20" for a blank; "./" before a colon in the first word. */
static void print_uri(const struct check *check, const struct check_place *place, struct text *out)
{
    struct text from_root = {0};
    check_formats_print_path(check, place, &from_root);
    if (memchr(from_root.data, ':', strcspn(from_root.data, "/")))
        text_append(out, "./", 2);
    for (const char *at = from_root.data; *at; at++) {
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:@!$&'()*+,;=", *at))
            text_append(out, at, 1);
        else
            text_printf(out, "%%%02X", (unsigned char)*at);
    }
    text_free(&from_root);
}

static void write_location(const struct check *check, const struct check_finding *finding,
                           struct json *json)
{
    const struct check_place place = check_place(check, finding);
    struct text uri = {0};
    print_uri(check, &place, &uri);
    json_open(json, "locations", '[');
    json_open(json, NULL, '{');
    json_open(json, "physicalLocation", '{');
    json_open(json, "artifactLocation", '{');
    json_put_string(json, "uri", uri.data);
    json_close(json, '}');
    json_open(json, "region", '{');
    json_put_unsigned(json, "startLine", place.line);
    json_put_unsigned(json, "startColumn", place.column ? place.column : 1);
    json_put_unsigned(json, "endLine", place.line);
    json_put_unsigned(json, "endColumn", place.column ? place.column + place.length : 2);
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, ']');
    text_free(&uri);
}

static void write_result(const struct check *check, const struct check_finding *finding,
                         uint32_t rule, struct json *json)
{
    char fingerprint[17];
    struct text message = {0};
    print_message(check, finding, &message);
    check_formats_fingerprint_text(finding, fingerprint);
    json_open(json, NULL, '{');
    json_put_string(json, "ruleId", code_table[finding->code].id);
    json_put_unsigned(json, "ruleIndex", rule);
    json_put_string(json, "level", severity_names[finding->severity]);
    write_text_member(json, "message", message.data);
    write_location(check, finding, json);
    json_open(json, "partialFingerprints", '{');
    json_put_string(json, "collc/v2", fingerprint);
    json_close(json, '}');
    if (check->baseline)
        json_put_string(json, "baselineState", finding->is_known ? "unchanged" : "new");
    json_close(json, '}');
    text_free(&message);
}

void check_sarif(const struct check *check, struct text *out)
{
    struct json json = {.out = out};
    struct text id = {0};
    uint32_t index[MAX_CODES] = {0};
    text_printf(&id, "collc/%s/", check->command);
    json_open(&json, NULL, '{');
    json_put_string(&json, "version", "2.1.0");
    json_put_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    json_open(&json, "tool", '{');
    json_open(&json, "driver", '{');
    json_put_string(&json, "name", "collc");
    json_put_string(&json, "semanticVersion", check->version);
    check_formats_write_rules(check, &json, index);
    json_close(&json, '}');
    json_close(&json, '}');
    json_open(&json, "automationDetails", '{');
    json_put_string(&json, "id", id.data);
    json_close(&json, '}');
    json_put_string(&json, "columnKind", "unicodeCodePoints");
    json_open(&json, "results", '[');
    for (size_t i = 0; i < check->n_listed; i++)
        write_result(check, check->findings[i], index[check->findings[i]->code], &json);
    json_close(&json, ']');
    if (check->n_listed < check->n_findings) {
        json_open(&json, "properties", '{');
        json_put_unsigned(&json, "findingsLeft", check->n_findings - check->n_listed);
        json_close(&json, '}');
    }
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
    text_free(&id);
}

/* ---- annotations of GitHub: a line "::error file=F,line=L,col=C,title=T::MESSAGE" each ----
 * GitHub shows the first ten of each kind in a step (its documentation of workflow commands, 2026). */

enum { MAX_ANNOTATIONS = 10 };

static void print_escaped(const char *words, bool is_property, struct text *out)
{
    for (; *words; words++) {
        const bool is_special = strchr("%\r\n", *words) || (is_property && strchr(":,", *words));
        if (is_special)
            text_printf(out, "%%%02X", (unsigned char)*words);
        else
            text_append(out, words, 1);
    }
}

static void annotate(const struct check *check, const struct check_finding *finding, struct text *out)
{
    static const char *const level[] = {"notice", "warning", "error"};
    const struct check_place place = check_place(check, finding);
    struct text message = {0}, path = {0};
    print_message(check, finding, &message);
    check_formats_print_path(check, &place, &path);
    text_printf(out, "::%s file=", level[finding->severity]);
    print_escaped(path.data, true, out);
    text_printf(out, ",line=%u,", place.line);
    if (place.column)
        text_printf(out, "col=%u,", place.column);
    text_printf(out, "title=collc (%s)::", code_table[finding->code].id);
    print_escaped(message.data, false, out);
    text_append(out, "\n", 1);
    text_free(&message);
    text_free(&path);
}

/* Which findings become annotations: of each kind the worst of every code at every line, then the second. */
struct annotated {
    const struct check_finding *items[MAX_ANNOTATIONS * (SEVERITY_ERROR + 1)];
    size_t n;
    uint64_t n_left[SEVERITY_ERROR + 1]; /* of each kind how many are none */
};

static uint32_t check_formats_count_alike(const struct annotated *chosen, const struct check *check,
                                          const struct check_finding *finding)
{
    const struct check_place place = check_place(check, finding);
    uint32_t n = 0;
    for (size_t i = 0; i < chosen->n; i++) {
        if (chosen->items[i]->code != finding->code)
            continue;
        const struct check_place other = check_place(check, chosen->items[i]);
        n += other.line == place.line && strcmp(other.path, place.path) == 0;
    }
    return n;
}

static bool is_annotated(const struct annotated *chosen, const struct check_finding *finding)
{
    for (size_t i = 0; i < chosen->n; i++)
        if (chosen->items[i] == finding)
            return true;
    return false;
}

/* O(findings * MAX_ANNOTATIONS^2). One of the notices is that which counts the others. */
static struct annotated choose_annotations(const struct check *check)
{
    struct annotated chosen = {.n = 0};
    uint32_t room[SEVERITY_ERROR + 1] = {MAX_ANNOTATIONS - 1, MAX_ANNOTATIONS, MAX_ANNOTATIONS};
    for (size_t i = 0; i < check->n_listed; i++)
        chosen.n_left[check->findings[i]->severity] += !check->findings[i]->is_known;
    for (uint32_t turn = 0; turn < MAX_ANNOTATIONS; turn++)
        for (size_t i = 0; i < check->n_listed; i++) {
            const struct check_finding *finding = check->findings[i];
            if (finding->is_known || !room[finding->severity] || is_annotated(&chosen, finding) ||
                check_formats_count_alike(&chosen, check, finding) > turn)
                continue;
            chosen.items[chosen.n++] = finding;
            room[finding->severity]--;
            chosen.n_left[finding->severity]--;
        }
    return chosen;
}

/* "::notice title=collc::12 errors, 1 warning, 3 known more, in the log of this step" */
static void annotate_rest(const uint64_t n_left[SEVERITY_ERROR + 1], size_t n_known,
                          struct text *out)
{
    const char *between = "";
    if (!n_left[SEVERITY_NOTE] && !n_left[SEVERITY_WARNING] && !n_left[SEVERITY_ERROR] && !n_known)
        return;
    text_printf(out, "::notice title=collc::");
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        if (n_left[severity]) {
            text_printf(out, "%s%" PRIu64 " %s%s", between, n_left[severity], severity_names[severity],
                        plural(n_left[severity]));
            between = ", ";
        }
    if (n_known)
        text_printf(out, "%s%zu known", between, n_known);
    text_printf(out, " more, in the log of this step\n");
}

/* Prints what is no annotation behind them, as check_concise does, for the log. */
void check_github(const struct check *check, struct text *out)
{
    const struct annotated chosen = choose_annotations(check);
    size_t n_known = 0;
    for (size_t i = 0; i < check->n_listed; i++)
        n_known += check->findings[i]->is_known;
    annotate_rest(chosen.n_left, n_known, out);
    for (size_t i = 0; i < chosen.n; i++)
        annotate(check, chosen.items[i], out);
    for (size_t i = 0; i < check->n_listed; i++)
        if (!is_annotated(&chosen, check->findings[i]))
            check_concise_finding(check, check->findings[i], out);
}

/* ---- code quality of GitLab ---- */

void check_gitlab(const struct check *check, struct text *out)
{
    static const char *const level[] = {"info", "minor", "major"};
    struct json json = {.out = out};
    json_open(&json, NULL, '[');
    for (size_t i = 0; i < check->n_listed; i++) {
        const struct check_finding *finding = check->findings[i];
        const struct check_place place = check_place(check, finding);
        char fingerprint[17];
        struct text message = {0}, path = {0};
        check_formats_print_path(check, &place, &path);
        text_printf(&message, "%s: %s", code_table[finding->code].id,
                    finding->is_known ? "known: " : "");
        print_message(check, finding, &message);
        check_formats_fingerprint_text(finding, fingerprint);
        json_open(&json, NULL, '{');
        json_put_string(&json, "description", message.data);
        json_put_string(&json, "check_name", code_table[finding->code].id);
        json_put_string(&json, "fingerprint", fingerprint);
        json_put_string(&json, "severity",
                        level[finding->is_known ? SEVERITY_NOTE : finding->severity]);
        json_open(&json, "location", '{');
        json_put_string(&json, "path", path.data);
        json_open(&json, "lines", '{');
        json_put_unsigned(&json, "begin", place.line);
        json_close(&json, '}');
        json_close(&json, '}');
        json_close(&json, '}');
        text_free(&message);
        text_free(&path);
    }
    json_close(&json, ']');
}

/* ---- JUnit: a test case for each cell, and for each finding of none that fails the check ---- */

/* The finding that decides the verdict of a cell, as attributes. */
static void write_case_message(const struct check_cell *cell, struct text *out)
{
    struct text message = {0};
    if (cell->verdict == VERDICT_KNOWN)
        text_printf(&message, "known: %s", cell->known->message);
    else if (cell->verdict == VERDICT_WAIVED)
        text_printf(&message, "waived: %s", cell->waived);
    else if (cell->worst) {
        text_printf(&message, "%s", cell->worst->message);
        xml_write_attribute("type", code_table[cell->worst->finding->code].id, out);
    }
    if (message.length)
        xml_write_attribute("message", message.data, out);
    text_free(&message);
}

/* Writes the findings of a cell that are not known, the first of whose entries is given, a line each:
 * "ring.coll:14:3: error: MESSAGE [L001]". */
static void write_case_findings(const struct check *check, size_t entry, struct text *out)
{
    struct text lines = {0};
    const size_t cell = check->entries[entry]->cell;
    for (; entry < check->n_entries && check->entries[entry]->cell == cell; entry++)
        if (!check->entries[entry]->is_known)
            check_concise_line(check, check->entries[entry]->finding, check->entries[entry]->message, &lines);
    xml_write_escaped(lines.data ? lines.data : "", out);
    text_free(&lines);
}

static void write_case(const struct check *check, size_t number, size_t entry, struct text *out)
{
    const struct check_cell *cell = &check->cells[number];
    const char *kind = cell->verdict < VERDICT_FOUND       ? "skipped"
                       : cell->verdict == VERDICT_BROKEN ? "error"
                                                         : "failure";
    struct text schedule = {0}, name = {0};
    text_append_safe(&schedule, project_cell(check->project, number).schedule);
    check_cell_name(check, number, &name);
    text_printf(out, "<testcase");
    xml_write_attribute("classname", schedule.data, out);
    xml_write_attribute("name", name.data, out);
    text_free(&schedule);
    text_free(&name);
    if (cell->verdict == VERDICT_OK) {
        text_printf(out, "/>\n");
        return;
    }
    text_printf(out, "><%s", kind);
    write_case_message(cell, out);
    if (cell->worst) {
        text_printf(out, ">");
        write_case_findings(check, entry, out);
        text_printf(out, "</%s></testcase>\n", kind);
    } else
        text_printf(out, "/></testcase>\n");
}

static void write_case_of_no_cell(const struct check *check, const struct check_finding *finding,
                                  const char *kind, struct text *out)
{
    struct text path = {0}, line = {0};
    text_append_safe(&path, finding->path);
    check_concise_line(check, finding, finding->message, &line);
    text_printf(out, "<testcase");
    xml_write_attribute("classname", path.data, out);
    xml_write_attribute("name", code_table[finding->code].id, out);
    text_printf(out, "><%s", kind);
    xml_write_attribute("message", finding->message, out);
    text_printf(out, ">");
    xml_write_escaped(line.data, out);
    text_printf(out, "</%s></testcase>\n", kind);
    text_free(&path);
    text_free(&line);
}

void check_junit(const struct check *check, struct text *out)
{
    const size_t n = project_n_cells(check->project);
    size_t n_more = 0;
    for (size_t i = 0; i < check->n_listed; i++)
        n_more += check_fails_by(check, check->findings[i]);
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                "<testsuite name=\"collc %s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
                "skipped=\"%zu\">\n",
                check->command, n + n_more,
                check->n_of[VERDICT_FOUND] + check->n_of[VERDICT_WRONG] + (n ? n_more : 0),
                check->n_of[VERDICT_BROKEN] + (n ? 0 : n_more),
                check->n_of[VERDICT_NOT_FOR] + check->n_of[VERDICT_KNOWN] + check->n_of[VERDICT_WAIVED]);
    for (size_t i = 0; i < check->n_listed; i++)
        if (check_fails_by(check, check->findings[i]))
            write_case_of_no_cell(check, check->findings[i], n ? "failure" : "error", out);
    size_t *first = mem_alloc(n, sizeof *first); /* entry of each cell, which are in a row */
    for (size_t i = check->n_entries; i-- > 0;)
        if (check->entries[i]->cell != CHECK_NO_CELL)
            first[check->entries[i]->cell] = i;
    for (size_t i = 0; i < n; i++)
        write_case(check, i, first[i], out);
    free(first);
    text_printf(out, "</testsuite>\n</testsuites>\n");
}
