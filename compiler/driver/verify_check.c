/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See verify_check.h.
 */
#include "compiler/driver/verify_check.h"

#include "compiler/driver/version.h"
#include "study/project/repository.h"

#include <limits.h>
#include <unistd.h>

enum { LISTED = 100 }; /* lines of a file with the same code, as of collc check */

static void name_schedules(struct verify_check *verify_check, const char *const *names, size_t n)
{
    struct project_words *words = &verify_check->project.schedules;
    words->items = arena_alloc(&verify_check->arena, n + 1, sizeof *words->items);
    words->n = n;
    for (size_t i = 0; i < n; i++)
        words->items[i] = (struct key_word){.text = names[i]};
}

static void verify_check_name_networks(struct verify_check *verify_check, const struct text_list *topologies)
{
    struct project *project = &verify_check->project;
    project->n_networks = topologies->n;
    project->networks = arena_alloc(&verify_check->arena, topologies->n + 1, sizeof *project->networks);
    for (size_t i = 0; i < topologies->n; i++)
        project->networks[i] = (struct project_network){.name = topologies->items[i]};
}

static void name_ranks(struct verify_check *verify_check, uint32_t n_ranks)
{
    struct project_numbers *ranks = &verify_check->project.ranks;
    if (!n_ranks)
        return;
    ranks->items = arena_alloc(&verify_check->arena, 1, sizeof *ranks->items);
    ranks->items[0] = n_ranks;
    ranks->n = 1;
}

void verify_check_begin(struct verify_check *verify_check, const struct options *options,
                        const char *const *names, size_t n)
{
    char folder[PATH_MAX];
    struct check *check = &verify_check->check;
    name_schedules(verify_check, names, n);
    verify_check_name_networks(verify_check, &options->topologies);
    name_ranks(verify_check, options->ranks);
    if (getcwd(folder, sizeof folder))
        repository_way(folder, folder, &verify_check->way);
    *check = check_begin(&verify_check->project);
    check->command = command_table[options->command].name;
    check->version = COLLC_VERSION;
    check->way = verify_check->way.data;
    check->filter.least = options_least_severity(
        options, options->command == COMMAND_lint ? SEVERITY_WARNING : SEVERITY_ERROR);
    check->max_listed = options->max_findings ? options->max_findings : LISTED;
    check->max_shown = (uint32_t)check->max_listed;
}

void verify_check_record(const struct topology *topology, const struct diagnostics *problems,
                         const struct diagnostics *findings, struct text *out)
{
    struct diagnostics refusal = {0}; /* that is no diagnostic, only a message */
    if (!findings && !diagnostics_has_errors(problems))
        usage_report(&refusal);
    const struct cell_result result = {
        .outcome = findings ? CELL_VERIFIED : CELL_BROKEN,
        .topology = topology,
        .problems = refusal.first ? &refusal : problems,
        .findings = findings,
    };
    cell_record(&result, true, out);
    diagnostics_free(&refusal);
}

void verify_check_add(struct verify_check *verify_check, const struct text *record)
{
    check_add(&verify_check->check, verify_check->n_added++, record->data, record->length, 0);
}

void verify_check_write(struct verify_check *verify_check, const char *format, struct text *out)
{
    check_end(&verify_check->check);
    check_format_find(format)->write(&verify_check->check, out);
}

void verify_check_free(struct verify_check *verify_check)
{
    check_free(&verify_check->check);
    text_free(&verify_check->way);
    arena_free(&verify_check->arena);
}
