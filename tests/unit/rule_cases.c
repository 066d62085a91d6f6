/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading the cases of tests/golden/rules (rule_cases.h).
 */
#include "tests/unit/rule_cases.h"

#include "network/formats/formats.h"
#include "network/formats/opensm/tables.h"
#include "network/placement/placement_make.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char rules_folder[] = "tests/golden/rules";

struct opened {
    struct rule_case rule_case;
    struct diagnostics diagnostics;
    struct arena arena;
    const char *folder;
    const char *network; /* NULL: none asked for */
    const char *routes;  /* forwarding tables; NULL: none */
    struct placement_request place;
    struct topology *topology;
    struct placement *placement;
};

/* ---- options of a case ---- */

static bool read_arg(struct opened *opened, const char *word, const char *value)
{
    struct verify_limits *limits = &opened->rule_case.request.limits;
    uint32_t number = (uint32_t)strtoul(value, NULL, 10);
    if (!strcmp(word, "-t")) /* a file lies beside the case */
        opened->network = arena_printf(&opened->arena, strchr(value, '.') ? "%s/%s" : "%.0s%s",
                                        opened->folder, value);
    else if (!strcmp(word, "--routes"))
        opened->routes = arena_printf(&opened->arena, "%s/%s", opened->folder, value);
    else if (!strcmp(word, "--placement"))
        opened->place.rule = arena_printf(&opened->arena, "%s", value);
    else if (!strcmp(word, "--ranks-per-machine"))
        opened->place.ranks_per_machine = number;
    else if (!strcmp(word, "--max-link-load"))
        limits->max_link_load = number;
    else if (!strcmp(word, "--max-fan-in"))
        limits->max_fan_in = number;
    else if (!strcmp(word, "--ports"))
        limits->ports = number;
    else
        return false;
    return true;
}

static bool read_args(struct opened *opened, const char *text)
{
    const char *at = strstr(text, "# args:");
    char word[64], value[128];
    int n_read;
    if (!at)
        return true;
    for (at += strlen("# args:");
         sscanf(at, "%*[ ]%63[^ \n] %127[^ \n]%n", word, value, &n_read) == 2; at += n_read)
        if (!read_arg(opened, word, value))
            return false;
    return true;
}

/* ---- one case ---- */

static bool open_network(struct opened *opened)
{
    if (!opened->network)
        return true;
    opened->place.n_ranks = opened->rule_case.schedule->header.n_ranks;
    struct route_files routes = {&opened->routes, 1, false};
    opened->topology = topology_read(opened->network, &opened->diagnostics);
    if (opened->topology &&
        (!opened->routes || topology_read_routes(opened->topology, &routes, &opened->diagnostics)))
        opened->placement =
            placement_make(opened->topology, &opened->place, &opened->diagnostics);
    opened->rule_case.request.topology = opened->topology;
    opened->rule_case.request.placement = opened->placement;
    return opened->placement != NULL;
}

static bool open_case(struct opened *opened, const char *file)
{
    struct rule_case *rule_case = &opened->rule_case;
    const char *path = arena_printf(&opened->arena, "%s/%s", opened->folder, file);
    const struct source *source =
        source_read(path, 1 << 20, &opened->arena, &opened->diagnostics);
    rule_case->name = arena_strndup(&opened->arena, file, strlen(file) - strlen(".sched"));
    rule_case->schedule = source ? schedule_read(source, &opened->diagnostics) : NULL;
    return rule_case->schedule && read_args(opened, source->text) && open_network(opened);
}

static void close_case(struct opened *opened)
{
    if (opened->rule_case.schedule)
        opened->rule_case.schedule->destroy(opened->rule_case.schedule);
    if (opened->placement)
        placement_free(opened->placement);
    if (opened->topology)
        topology_free(opened->topology);
    diagnostics_free(&opened->diagnostics);
    arena_free(&opened->arena);
}

/* ---- all cases of a rule ---- */

struct visitor {
    void (*visit)(const struct rule_case *rule_case, void *context);
    void *context;
};

static bool visit_case(const char *folder, const char *file, const char *expect,
                       const struct visitor *visitor)
{
    struct opened opened = {.rule_case = {.expect = expect}, .folder = folder};
    bool is_open = open_case(&opened, file);
    if (is_open)
        visitor->visit(&opened.rule_case, visitor->context);
    else
        fprintf(stderr, "%s/%s: %s\n", folder, file,
                opened.diagnostics.first ? opened.diagnostics.first->message : "unknown option");
    close_case(&opened);
    return is_open;
}

static int is_case(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".sched");
}

static bool visit_folder(const char *folder, const char *expect, const struct visitor *visitor)
{
    struct dirent **entries;
    int n_entries = scandir(folder, &entries, is_case, alphasort);
    bool is_done = n_entries >= 0;
    for (int i = 0; i < n_entries; i++) {
        is_done &= visit_case(folder, entries[i]->d_name, expect, visitor);
        free(entries[i]);
    }
    if (n_entries >= 0)
        free(entries);
    return is_done;
}

bool rule_cases(const char *id, void (*visit)(const struct rule_case *rule_case, void *context),
                void *context)
{
    struct visitor visitor = {visit, context};
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const char *folder = arena_printf(&arena, "%s/%s", rules_folder, id);
    const struct source *expect = source_read(arena_printf(&arena, "%s/EXPECT", folder), 1 << 16,
                                              &arena, &diagnostics);
    if (!expect)
        fprintf(stderr, "%s: no EXPECT\n", folder);
    bool is_done = expect && visit_folder(folder, expect->text, &visitor);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return is_done;
}

/* ---- expectations ---- */

static bool fits(const struct reference_finding *finding, const char *line)
{
    static const char *const names[] = {"rank=", "peer=", "step="};
    const int64_t values[] = {finding->rank, finding->peer, finding->step};
    const char *id = code_table[finding->code].id;
    if (strncmp(line, id, strlen(id)) != 0)
        return false;
    for (size_t i = 0; i < 3; i++) {
        const char *at = strstr(line, names[i]);
        if (at && strtoll(at + strlen(names[i]), NULL, 10) != values[i])
            return false;
    }
    return true;
}

/* True if the line of EXPECT fits; marks the findings it explains. */
static bool fits_line(const struct reference *engine, const char *line, bool *is_explained)
{
    bool is_met = !strcmp(line, "clean") && engine->n_findings == 0;
    for (size_t i = 0; i < engine->n_findings; i++)
        if (fits(&engine->findings[i], line))
            is_explained[i] = is_met = true;
    return is_met;
}

bool rule_case_fits(const struct rule_case *rule_case, const struct reference *engine)
{
    bool *is_explained = mem_alloc(engine->n_findings + 1, sizeof *is_explained);
    bool has_line = false, is_same = true;
    char line[256];
    size_t length = strlen(rule_case->name);
    for (const char *at = rule_case->expect; sscanf(at, "%255[^\n]", line) == 1;) {
        at += strcspn(at, "\n");
        at += strspn(at, "\n");
        if (strncmp(line, rule_case->name, length) != 0 || strncmp(line + length, ": ", 2) != 0)
            continue;
        has_line = true;
        is_same &= fits_line(engine, line + length + 2, is_explained);
    }
    for (size_t i = 0; i < engine->n_findings; i++)
        is_same &= is_explained[i];
    free(is_explained);
    return has_line && is_same;
}
