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

static void name_schedules(struct verify_check *verify_check, const struct options *options)
{
    struct project_words *words = &verify_check->project.schedules;
    words->items = arena_alloc(&verify_check->arena, options->n_arguments, sizeof *words->items);
    words->n = options->n_arguments;
    for (size_t i = 0; i < words->n; i++)
        words->items[i] = (struct key_word){.text = options->arguments[i]};
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

void verify_check_begin(struct verify_check *verify_check, const struct options *options)
{
    char folder[PATH_MAX];
    struct check *check = &verify_check->check;
    name_schedules(verify_check, options);
    verify_check_name_networks(verify_check, &options->topologies);
    name_ranks(verify_check, options->ranks);
    if (getcwd(folder, sizeof folder))
        repository_way(folder, folder, &verify_check->way);
    *check = check_begin(&verify_check->project);
    check->command = "verify";
    check->version = COLLC_VERSION;
    check->way = verify_check->way.data;
    check->filter.least = options_least_severity(options, SEVERITY_ERROR);
    check->max_listed = options->max_findings ? options->max_findings : LISTED;
}

void verify_check_add(struct verify_check *verify_check, const struct job *job,
                      const struct diagnostics *findings)
{
    const struct cell_result result = {
        .outcome = findings ? CELL_VERIFIED : CELL_BROKEN,
        .topology = job->scene.topology,
        .problems = &job->diagnostics,
        .findings = findings,
    };
    struct text record = {0};
    cell_record(&result, true, &record);
    check_add(&verify_check->check, verify_check->n_added++, record.data, record.length, 0);
    text_free(&record);
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
