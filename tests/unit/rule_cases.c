/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading the cases of tests/golden/rules (rule_cases.h).
 */
#include "tests/unit/rule_cases.h"

#include "network/formats/formats.h"
#include "network/formats/opensm/tables.h"
#include "network/placement/placement_make.h"
#include "study/lower_bound.h"

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

/* ---- options of a case ----
 *
 * Reads those options of `collc verify` that cases of rules use: the command line itself is tested
 * by the golden suite, with the same line. */

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
#define LIMIT(field, option, kind, needs_network, measured, help) \
    else if (!strcmp(word, "--" option)) limits->field = limit_of(strtod(value, NULL));
#include "verify/limits.def"
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
    if (!opened->placement)
        return false;
    const struct schedule_header *header = &opened->rule_case.schedule->header;
    const struct lower_bound_request request =
        lower_bound_request_of(header, opened->topology, opened->placement);
    const struct lower_bound least = lower_bound_of(&request);
    opened->rule_case.request.least = least_load(&least, header->segments);
    return true;
}

static bool open_case(struct opened *opened, const char *file)
{
    struct rule_case *rule_case = &opened->rule_case;
    const char *path = arena_printf(&opened->arena, "%s/%s", opened->folder, file);
    const struct source *source =
        source_read(path, 1 << 20, &opened->arena, &opened->diagnostics);
    rule_case->name = arena_strndup(&opened->arena, file, strlen(file) - strlen(".sched"));
    rule_case->schedule = source ? schedule_read(source, &opened->diagnostics) : NULL;
    const struct source *output =
        source_read(arena_printf(&opened->arena, "%s/%s.out", opened->folder, rule_case->name),
                    1 << 20, &opened->arena, &opened->diagnostics);
    rule_case->expected = output ? output->text : "";
    return output && rule_case->schedule && read_args(opened, source->text) && open_network(opened);
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

static bool visit_case(const char *folder, const char *file, const struct visitor *visitor)
{
    struct opened opened = {.folder = folder};
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

static bool visit_folder(const char *folder, const struct visitor *visitor)
{
    struct dirent **entries;
    int n_entries = scandir(folder, &entries, is_case, alphasort);
    bool is_done = n_entries >= 0;
    for (int i = 0; i < n_entries; i++) {
        is_done &= visit_case(folder, entries[i]->d_name, visitor);
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
    struct arena arena = {0};
    bool is_done = visit_folder(arena_printf(&arena, "%s/%s", rules_folder, id), &visitor);
    arena_free(&arena);
    return is_done;
}

/* ---- expectations ---- */

static bool is_found(const struct reference *engine, uint32_t code)
{
    for (size_t i = 0; i < engine->n_findings; i++)
        if (engine->findings[i].code == code)
            return true;
    return false;
}

bool rule_case_fits(const struct rule_case *rule_case, const struct reference *engine)
{
    bool is_same = true;
    for (uint32_t code = 0; code < n_codes; code++) {
        char mark[16];
        snprintf(mark, sizeof mark, " [%s]\n", code_table[code].id);
        is_same &= !code_table[code].is_rule ||
                   is_found(engine, code) == (strstr(rule_case->expected, mark) != NULL);
    }
    return is_same;
}
