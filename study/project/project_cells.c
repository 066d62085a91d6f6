/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the cells of a project file: the files of patterns, and the limits of each combination. See
 * project.h.
 */
#include "base/codes.h"
#include "base/suggest.h"
#include "base/text/units.h"
#include "compiler/algorithms/builtin.h"
#include "study/project/project.h"

#include <fnmatch.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

static void add_schedule(struct project *project, const char *path, struct position position)
{
    struct project_words *schedules = &project->schedules;
    for (size_t i = 0; i < schedules->n; i++)
        if (strcmp(schedules->items[i].text, path) == 0)
            return;
    schedules->items =
        mem_grow(schedules->items, &schedules->capacity, schedules->n + 1, sizeof *schedules->items);
    schedules->items[schedules->n++] = (struct key_word){path, position};
}

/* Adds the files of a pattern, by name, and returns their number. */
static size_t add_files(struct project *project, const struct key_word *pattern,
                        struct arena *arena)
{
    glob_t found;
    size_t n = 0;
    if (glob(pattern->text, GLOB_MARK, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        const size_t length = strlen(path);
        if (length && path[length - 1] == '/')
            continue; /* a folder */
        add_schedule(project, arena_strndup(arena, path, length), pattern->position);
        n++;
    }
    globfree(&found);
    return n;
}

/* Adds the built-in algorithms of a pattern such as "alltoall/two_*" and returns their number. */
static size_t add_builtins(struct project *project, const struct key_word *pattern, struct arena *arena)
{
    const size_t length = strcspn(pattern->text, "/");
    const char *collective = arena_strndup(arena, pattern->text, length);
    size_t n = 0;
    for (size_t i = 0; i < n_embedded_files && pattern->text[length]; i++) {
        const char *name = builtin_algorithm(&embedded_files[i], collective, arena);
        if (!name || fnmatch(pattern->text, name, 0) != 0)
            continue;
        add_schedule(project, name, pattern->position);
        n++;
    }
    return n;
}

static void project_cells_report_none(const struct key_word *pattern, bool is_pattern,
                                      struct arena *arena, struct diagnostics *diagnostics)
{
    struct diagnostic *found =
        report(diagnostics, CODE_K003, pattern->position,
               is_pattern ? "no file or built-in algorithm is like '%s'" : "there is no file or built-in algorithm '%s'",
               pattern->text);
    found->help = is_pattern ? "names are from the folder of the project file on; '**' is as '*'"
                             : did_you_mean(&diagnostics->arena, builtin_nearest(pattern->text, arena),
                                            "names are from the folder of the project file on");
}

static bool project_cells_is_there(const struct key_word *name)
{
    enum collective_form form;
    return access(name->text, F_OK) == 0 || builtin_of_name(name->text, &form);
}

static bool find_schedules(struct project *project, const struct key_word *pattern,
                           struct arena *arena, struct diagnostics *diagnostics)
{
    const bool is_pattern = strpbrk(pattern->text, "*?[");
    if (!is_pattern && project_cells_is_there(pattern)) {
        add_schedule(project, pattern->text, pattern->position);
        return true;
    }
    if (is_pattern && (add_files(project, pattern, arena) || add_builtins(project, pattern, arena)))
        return true;
    project_cells_report_none(pattern, is_pattern, arena, diagnostics);
    return false;
}

static bool find_job_schedule(const struct key_word *name, struct arena *arena,
                              struct diagnostics *diagnostics)
{
    if (!project_cells_is_there(name))
        project_cells_report_none(name, false, arena, diagnostics);
    return project_cells_is_there(name);
}

/* True if the name matches; a pattern must match the whole name, and without patterns all match. */
static bool matches(const struct project_words *patterns, const char *name)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (fnmatch(patterns->items[i].text, name, 0) == 0)
            return true;
    return !patterns->n;
}

/* Checks that each pattern of an override matches something. */
static bool check_schedule_patterns(const struct project *project, const struct project_words *patterns,
                                    struct diagnostics *diagnostics)
{
    bool is_good = true;
    for (size_t i = 0; i < patterns->n; i++) {
        size_t k = 0;
        while (k < project->schedules.n &&
               fnmatch(patterns->items[i].text, project->schedules.items[k].text, 0) != 0)
            k++;
        if (k < project->schedules.n)
            continue;
        report(diagnostics, CODE_K003, patterns->items[i].position,
               "'%s' is none of the schedules of the project", patterns->items[i].text)
            ->help = "write it as it is found by schedules:";
        is_good = false;
    }
    return is_good;
}

static bool check_network_patterns(const struct project *project, const struct project_words *patterns,
                                   struct diagnostics *diagnostics)
{
    bool is_good = true;
    for (size_t i = 0; i < patterns->n; i++) {
        size_t k = 0;
        while (k < project->n_networks &&
               fnmatch(patterns->items[i].text, project->networks[k].name, 0) != 0)
            k++;
        if (k < project->n_networks)
            continue;
        report(diagnostics, CODE_K003, patterns->items[i].position,
               "'%s' is none of the networks of the project", patterns->items[i].text)
            ->help = "write the name: of a network, or what it is read from if it has none";
        is_good = false;
    }
    return is_good;
}

/* Adds a schedule for each collective and size of `as:`, named as the command line says it. */
static void project_cells_add_taken(struct project *project, struct arena *arena)
{
    size_t n = 0;
    for (size_t i = 0; i < project->n_as; i++)
        n += project->as[i].collectives.n * project->as[i].bytes.n;
    project->taken = arena_alloc(arena, n + 1, sizeof *project->taken);
    for (size_t i = 0; i < project->n_as; i++) {
        const struct project_as *as = &project->as[i];
        for (size_t k = 0; k < as->collectives.n * as->bytes.n; k++) {
            const struct key_word *collective = &as->collectives.items[k / as->bytes.n];
            const char *size = as->bytes.items[k % as->bytes.n].text;
            struct project_taken taken = {as, collective->text, 0};
            const size_t before = project->schedules.n;
            (void)parse_size(slice_of(size), &taken.bytes);
            add_schedule(project,
                         arena_printf(arena, "%s --as %s%s%s --bytes %s", collective->text, as->target.text,
                                      as->rules.text ? " --rules " : "", as->rules.text ? as->rules.text : "",
                                      size),
                         collective->position);
            if (project->schedules.n > before)
                project->taken[project->n_taken++] = taken;
        }
    }
}

bool project_find_schedules(struct project *project, struct arena *arena,
                            struct diagnostics *diagnostics)
{
    bool is_good = true;
    for (size_t i = 0; i < project->patterns.n; i++)
        is_good &= find_schedules(project, &project->patterns.items[i], arena, diagnostics);
    project_cells_add_taken(project, arena);
    for (size_t i = 0; is_good && i < project->n_overrides; i++)
        is_good = check_schedule_patterns(project, &project->overrides[i].schedules, diagnostics) &&
                  check_network_patterns(project, &project->overrides[i].networks, diagnostics);
    for (size_t i = 0; is_good && i < project->n_waivers; i++)
        is_good = check_network_patterns(project, &project->waivers[i].networks, diagnostics);
    for (size_t i = 0; i < project->n_jobs; i++)
        is_good &= find_job_schedule(&project->jobs[i].schedule, arena, diagnostics);
    if (is_good && project_n_combinations(project) > PROJECT_MAX_CELLS) {
        report(diagnostics, CODE_K002, (struct position){project->source, 0, 0, 1},
               "the project has more than %d combinations", PROJECT_MAX_CELLS)
            ->help = "choose fewer schedules, networks or numbers of ranks";
        is_good = false;
    }
    return is_good;
}

/* ---- cells ---- */

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

/* Returns the product, saturated above PROJECT_MAX_CELLS; each factor is far below 2^32. */
size_t project_n_combinations(const struct project *project)
{
    const size_t factors[] = {project->schedules.n, at_least_one(project->n_networks),
                              at_least_one(project->roots.n), at_least_one(project->ranks.n)};
    size_t n = 1;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        n *= factors[i];
        n = n > PROJECT_MAX_CELLS ? (size_t)PROJECT_MAX_CELLS + 1 : n;
    }
    return n;
}

static bool has_jobs(const struct project *project, size_t network)
{
    for (size_t i = 0; i < project->n_jobs; i++)
        if (project->jobs[i].network == network)
            return true;
    return false;
}

size_t project_n_cells(const struct project *project)
{
    size_t n = project_n_combinations(project);
    for (size_t network = 0; network < project->n_networks; network++)
        n += has_jobs(project, network);
    return n;
}

/* Returns the cell of the jobs on network number `index` of those with jobs. */
static struct project_cell jobs_cell(const struct project *project, size_t index)
{
    size_t network = 0;
    while (!has_jobs(project, network) || index-- > 0)
        network++;
    const struct project_job *first = project->jobs;
    while (first->network != network)
        first++;
    return (struct project_cell){.schedule = "jobs", .position = first->schedule.position, .is_of_jobs = true,
                                 .network = &project->networks[network], .limits = project->limits};
}

struct project_cell project_job_cell(const struct project *project, const struct project_job *job,
                                     struct project_network *network)
{
    *network = project->networks[job->network];
    network->placement = job->placement ? job->placement : network->placement;
    network->order = job->order ? job->order : network->order;
    network->machines = job->machines ? job->machines : network->machines;
    if (job->ranks_per_machine)
        network->ranks_per_machine = job->ranks_per_machine;
    return (struct project_cell){.schedule = job->schedule.text, .network = network,
                                 .n_ranks = job->n_ranks,
                                 .root = project->roots.n ? project->roots.items[0] : 0};
}

static bool project_cells_is_among(const struct project_numbers *numbers, uint32_t number)
{
    for (size_t i = 0; i < numbers->n; i++)
        if (numbers->items[i] == number)
            return true;
    return !numbers->n;
}

static void override_limits(struct verify_limits *limits, const struct verify_limits *others)
{
#define LIMIT(field, option, kind, needs_network, measured, words) \
    if (others->field.is_set)                           \
        limits->field = others->field;
#include "verify/limits.def"
}

struct project_cell project_cell(const struct project *project, size_t number)
{
    const size_t n_ranks = at_least_one(project->ranks.n), n_roots = at_least_one(project->roots.n);
    const size_t n_networks = at_least_one(project->n_networks);
    const size_t ranks = number % n_ranks, root = number / n_ranks % n_roots;
    const size_t network = number / n_ranks / n_roots % n_networks;
    if (number >= project_n_combinations(project))
        return jobs_cell(project, number - project_n_combinations(project));
    const size_t which = number / n_ranks / n_roots / n_networks;
    const size_t first_taken = project->schedules.n - project->n_taken;
    const struct key_word *schedule = &project->schedules.items[which];
    struct project_cell cell = {
        .schedule = schedule->text,
        .taken = which >= first_taken ? &project->taken[which - first_taken] : NULL,
        .position = schedule->position,
        .network = project->n_networks ? &project->networks[network] : NULL,
        .n_ranks = project->ranks.n ? project->ranks.items[ranks] : 0,
        .root = project->roots.n ? project->roots.items[root] : 0,
        .limits = project->limits,
    };
    for (size_t i = 0; i < project->n_overrides; i++) {
        const struct project_override *override = &project->overrides[i];
        if (matches(&override->schedules, cell.schedule) &&
            matches(&override->networks, cell.network ? cell.network->name : "") &&
            project_cells_is_among(&override->ranks, cell.n_ranks))
            override_limits(&cell.limits, &override->limits);
    }
    return cell;
}

bool project_waiver_covers(const struct project_waiver *waiver, const struct project_cell *cell)
{
    return matches(&waiver->schedules, cell->schedule) &&
           matches(&waiver->networks, cell->network ? cell->network->name : "");
}
