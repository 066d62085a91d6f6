/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc check: runs all combinations of a project file. Several processes run them
 * (study/parallel/workers.h). This one reads the networks first, which all share, and gathers what the
 * others find (reports/check.h).
 */
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/table.h"
#include "compiler/driver/version.h"
#include "reports/check.h"
#include "study/parallel/pool.h"
#include "study/known_file.h"
#include "study/project/repository.h"
#include "study/parallel/workers.h"
#include "tables/loaders.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char file_name[] = "collc.yaml";
enum {
    PROJECT_LIMIT = 4 << 20,
    SHOWN = 3,
    LISTED = 100,  /* lines of a file with the same code, in the forms */
    KEPT = 1 << 16 /* of a combination, before waivers and the baseline; others are counted */
};

struct check_run {
    const struct options *options;
    struct arena arena;
    struct diagnostics diagnostics;
    struct project project;
    struct project nothing;       /* without combinations: of a check that cannot begin */
    struct topology **topologies; /* [network] */
    struct topology **rests;      /* [network] for --fail each; NULL otherwise */
    struct topology **of_jobs;    /* [job] */
    struct waivers waivers;
    struct baseline *baseline; /* NULL: none */
    const char *known_path;    /* of it, from the root of the file system on */
    struct check check;
    struct check_filter filter;
    struct cell_keep keep;
    struct lower_bound_cache least;     /* each process that runs combinations has its own */
    const char *baseline_path;    /* of --write-baseline */
    char start[PATH_MAX];         /* the working directory at first; "" if it is not known */
    struct text way;              /* to the project from the root of its repository */
    struct progress progress;
};

/* ---- the project file ---- */

/* Goes to the nearest folder, from the working directory upwards, that has a project file. */
static bool go_to_project(const struct options *options)
{
    char folder[PATH_MAX], before[PATH_MAX] = "";
    const char *other = access("collc.yml", F_OK) == 0 ? "collc.yml" : NULL;
    while (access(file_name, F_OK) != 0) {
        if (other)
            return !usage_error_with("rename it, or name it: collc check FILE", "'%s' is not read: the project file is "
                                     "called %s", other, file_name);
        if (!getcwd(folder, sizeof folder) || strcmp(folder, before) == 0 || chdir("..") != 0)
            return !usage_error_with("'collc init' writes a first one (docs/ci.md)", "there is no %s in %s or above",
                                     file_name,
                                     options->n_arguments ? options->arguments[0] : "this folder");
        snprintf(before, sizeof before, "%s", folder);
    }
    return true;
}

/* Returns the name of the project file in the working directory, which becomes its folder; NULL after saying
 * what is wrong. */
static const char *find_project(struct check_run *run)
{
    const struct options *options = run->options;
    const char *argument = options->n_arguments ? options->arguments[0] : ".";
    struct stat status;
    if (stat(argument, &status) != 0) {
        source_report_unreadable("open", argument, &run->diagnostics);
        return NULL;
    }
    const bool is_folder = S_ISDIR(status.st_mode);
    const char *slash = strrchr(argument, '/');
    const char *folder = is_folder ? argument
                         : slash   ? arena_strndup(&run->arena, argument, (size_t)(slash - argument) + 1)
                                   : ".";
    if (chdir(folder) != 0) {
        source_report_unreadable("open", folder, &run->diagnostics);
        return NULL;
    }
    if (!is_folder)
        return slash ? slash + 1 : argument;
    return go_to_project(options) ? file_name : NULL;
}

static bool read_project(struct check_run *run)
{
    const char *path = find_project(run);
    const struct source *source =
        path ? source_read(path, PROJECT_LIMIT, &run->arena, &run->diagnostics) : NULL;
    return source && project_read(source, &run->project, &run->arena, &run->diagnostics) &&
           project_find_schedules(&run->project, &run->arena, &run->diagnostics);
}

/* Reads the waivers of a schedule, if it is a file. What cannot be read is told with its combinations. */
static bool read_waivers_of(struct check_run *run, const char *schedule, const char *today)
{
    struct diagnostics unread = {0};
    const struct source *source =
        access(schedule, R_OK) == 0 ? source_read(schedule, SCHEDULE_FILE_LIMIT, &run->arena, &unread) : NULL;
    diagnostics_free(&unread);
    return !source || waivers_read(source, today, &run->waivers, &run->arena, &run->diagnostics);
}

/* True if a schedule of the project, or a job before this one, is the same file. */
static bool is_named_before(const struct project *project, size_t job)
{
    const char *name = project->jobs[job].schedule.text;
    for (size_t i = 0; i < project->schedules.n; i++)
        if (strcmp(project->schedules.items[i].text, name) == 0)
            return true;
    for (size_t i = 0; i < job; i++)
        if (strcmp(project->jobs[i].schedule.text, name) == 0)
            return true;
    return false;
}

/* True if an item of as: before this one has the same rule table. */
static bool is_table_named_before(const struct project *project, size_t as)
{
    for (size_t i = 0; i < as; i++)
        if (project->as[i].rules.text && strcmp(project->as[i].rules.text, project->as[as].rules.text) == 0)
            return true;
    return false;
}

/* Reads the waivers of all schedules, those of jobs too, of rule tables, and of the project file. */
static bool driver_check_read_waivers(struct check_run *run)
{
    const struct project *project = &run->project;
    const time_t now = time(NULL);
    const struct tm *date = gmtime(&now);
    char today[16];
    bool is_good = date && strftime(today, sizeof today, "%Y-%m-%d", date);
    for (size_t i = 0; is_good && i < project->schedules.n; i++)
        is_good = read_waivers_of(run, project->schedules.items[i].text, today);
    for (size_t i = 0; is_good && i < project->n_jobs; i++)
        is_good = is_named_before(project, i) ||
                  read_waivers_of(run, project->jobs[i].schedule.text, today);
    for (size_t i = 0; is_good && i < project->n_as; i++)
        is_good = !project->as[i].rules.text || is_table_named_before(project, i) ||
                  read_waivers_of(run, project->as[i].rules.text, today);
    if (is_good)
        waivers_of_project(&run->project, today, &run->waivers);
    return is_good;
}

/* Adds what is wrong with the rule tables of as:. What cannot be read is told with its combinations. */
static void lint_tables(struct check_run *run)
{
    for (size_t i = 0; i < run->project.n_as; i++) {
        const struct project_as *as = &run->project.as[i];
        struct diagnostics unread = {0}, findings = {.keep_per_code = UINT32_MAX};
        const struct table_loader *loader = table_loader_find(as->target.text);
        const struct table *table =
            as->rules.text ? read_table(loader, as->rules.text, &run->arena, &unread) : NULL;
        if (table)
            table_lint(table, &findings);
        check_add_list(&run->check, &findings, false);
        diagnostics_free(&unread);
        diagnostics_free(&findings);
    }
}

/* Opens a network; diagnostics of it also say where the project names it. */
static struct topology *driver_check_open_network(struct check_run *run,
                                                  const struct project_network *network,
                                                  struct position position, const char *text)
{
    const struct diagnostic *last = run->diagnostics.last;
    struct topology *topology = cell_open_network(network, &run->diagnostics);
    if (!topology)
        known_file_help(&run->diagnostics);
    for (struct diagnostic *d = last ? last->next : run->diagnostics.first; d; d = d->next) {
        if (d->related_text)
            continue;
        d->related = position;
        d->related_text = text;
    }
    return topology;
}

/* All of them, so that one run shows what is wrong with any. */
static bool open_networks(struct check_run *run)
{
    const struct project *project = &run->project;
    bool is_good = true;
    run->topologies = mem_alloc(project->n_networks + 1, sizeof(struct topology *));
    run->of_jobs = mem_alloc(project->n_jobs + 1, sizeof(struct topology *));
    for (size_t i = 0; i < project->n_networks; i++) {
        run->topologies[i] = driver_check_open_network(
            run, &project->networks[i], project->networks[i].spec.position, "the network is named here");
        is_good = is_good && run->topologies[i];
    }
    for (size_t i = 0; is_good && i < project->n_jobs; i++) {
        struct project_network network;
        (void)project_job_cell(project, &project->jobs[i], &network);
        run->of_jobs[i] = driver_check_open_network(run, &network, project->jobs[i].schedule.position,
                                                    "the job is named here");
        is_good = run->of_jobs[i];
    }
    return is_good;
}

static void say_jobs_left_out(const struct project *project)
{
    const size_t n = project_n_cells(project) - project_n_combinations(project);
    if (n)
        fprintf(stderr, "collc: note: single failures are tried with schedules:, and not with jobs: %zu "
                        "combination%s (docs/ci.md)\n", n, plural(n));
}

/* Once more, for what is left when something fails. What is said of them was said before. */
static bool open_rests(struct check_run *run)
{
    const struct project *project = &run->project;
    struct diagnostics unread = {0};
    bool is_good = true;
    if (!run->options->fail_each)
        return true;
    if (!project->n_networks)
        return usage_refuse(run->options, "--fail is about networks, and the project names none");
    run->rests = mem_alloc(project->n_networks + 1, sizeof(struct topology *));
    for (size_t i = 0; i < project->n_networks; i++) {
        run->rests[i] = cell_open_rest(&project->networks[i], &unread);
        is_good = is_good && run->rests[i];
    }
    if (!is_good)
        usage_refuse(run->options, "a network cannot be read twice, as --fail has to");
    say_jobs_left_out(project);
    diagnostics_free(&unread);
    return is_good;
}

/* ---- codes ---- */

/* Words of lists "L001,H" of options; false after refusing one that no code begins with. */
static bool split_codes(struct check_run *run, const char *option, const struct text_list *lists,
                        const char *const **codes, size_t *n)
{
    struct text_list words = {NULL, 0};
    for (size_t i = 0; i < lists->n; i++) {
        for (const char *at = lists->items[i]; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
            const size_t length = strcspn(at, ",");
            uint32_t code = 0;
            while (code < n_codes && (!length || strncmp(code_table[code].id, at, length) != 0))
                code++;
            if (code == n_codes)
                return usage_refuse(run->options, "option '--%s': no code begins with '%.*s'; 'collc explain' "
                                    "lists them", option, (int)length, at);
            const char **items = arena_alloc(&run->arena, words.n + 1, sizeof *items);
            if (words.n)
                memcpy(items, words.items, words.n * sizeof *items);
            items[words.n++] = arena_strndup(&run->arena, at, length);
            words.items = items;
        }
    }
    *codes = words.items;
    *n = words.n;
    return true;
}

/* ---- cells ---- */

static void write_record(void *context, const struct cell_result *result)
{
    cell_record(result, false, context);
}

static void write_brief_record(void *context, const struct cell_result *result)
{
    cell_record(result, true, context);
}

static void run_cell(void *context, size_t number, struct text *out)
{
    struct check_run *run = context;
    const struct project_cell cell = project_cell(&run->project, number);
    const size_t network = cell.network ? (size_t)(cell.network - run->project.networks) : 0;
    const struct cell_place place = {cell.network ? run->topologies[network] : NULL,
                                     cell.network && run->rests ? run->rests[network] : NULL, &run->least,
                                     run->of_jobs};
    struct text record = {0};
    cell_run(&run->project, &cell, place, run->keep,
             run->check.keeps_records ? write_record : write_brief_record, &record);
    output_tell_inputs(out);
    text_append(out, record.data, record.length);
    text_free(&record);
}

static void driver_check_take_cell(void *context, size_t number, const char *record, size_t length,
                                   int status)
{
    struct check_run *run = context;
    const size_t line = record ? output_take_inputs(record) : 0;
    check_add(&run->check, number, record ? record + line : NULL, length - line, status);
}

static void show_progress(void *context, size_t n_done)
{
    struct check_run *run = context;
    progress_show(&run->progress, "combinations", n_done, project_n_cells(&run->project));
}

static void run_cells(struct check_run *run)
{
    const struct workers workers = {.n_items = project_n_cells(&run->project),
                                    .n_workers = run->options->jobs,
                                    .context = run,
                                    .work = run_cell,
                                    .done = driver_check_take_cell,
                                    .tick = show_progress};
    run->progress = progress_begin(run->options);
    workers_run(&workers);
    progress_end(&run->progress);
    if (pool_number() == 0) {
        lint_tables(run);
        check_end(&run->check);
    }
}

/* ---- reports ---- */

static void driver_check_write_report(const struct check_run *run)
{
    struct text text = {0};
    check_format_find(run->options->format)->write(&run->check, &text);
    output_text(NULL, &text);
    text_free(&text);
}

static void write_baseline(const struct check_run *run)
{
    struct text text = {0};
    baseline_write(&run->check, &text);
    output_text(run->baseline_path, &text);
    text_free(&text);
}

static int status_of(const struct check_run *run)
{
    const size_t *n_of = run->check.n_of;
    if (n_of[VERDICT_BROKEN])
        return STATUS_FAILED;
    return n_of[VERDICT_WRONG] + n_of[VERDICT_FOUND] || run->check.fails_by_itself ? STATUS_FINDINGS
                                                                                   : STATUS_CLEAN;
}

/* Returns the path from the root of the file system, as the working directory changes. */
static const char *absolute_path(struct arena *arena, const char *path)
{
    char folder[PATH_MAX];
    if (!path || *path == '/' || strcmp(path, "-") == 0 || !getcwd(folder, sizeof folder))
        return path;
    return arena_printf(arena, "%s/%s", folder, path);
}

/* Reads the project, whose folder becomes the working directory. */
static bool enter_project(struct check_run *run)
{
    char folder[PATH_MAX];
    if (!read_project(run))
        return false;
    if (!*run->start || !getcwd(folder, sizeof folder))
        return true;
    if (run->baseline && *run->known_path == '/') {
        struct text path = {0};
        repository_relative(folder, run->known_path, &path);
        baseline_set_path(run->baseline, arena_strndup(&run->arena, path.data, path.length),
                          &run->arena);
        text_free(&path);
    }
    return true;
}

/* Reads the baseline, whose path will be from the folder of the project on, as those of all
 * findings. */
static bool read_baseline(struct check_run *run)
{
    run->baseline = baseline_read(run->options->baseline, &run->arena, &run->diagnostics);
    run->known_path = absolute_path(&run->arena, run->options->baseline);
    return run->baseline;
}

static bool driver_check_prepare(struct check_run *run)
{
    const struct options *options = run->options;
    struct check_filter *filter = &run->filter;
    filter->least = options_least_severity(options, SEVERITY_ERROR);
    if (!getcwd(run->start, sizeof run->start))
        *run->start = '\0';
    run->baseline_path = absolute_path(&run->arena, options->write_baseline);
    return split_codes(run, "select", &options->selected, &filter->selected, &filter->n_selected) &&
           split_codes(run, "ignore", &options->ignored, &filter->ignored, &filter->n_ignored) &&
           (!options->baseline || read_baseline(run)) && enter_project(run) &&
           driver_check_read_waivers(run) && open_networks(run) && open_rests(run);
}

static void driver_check_begin(struct check_run *run, const struct project *project)
{
    const struct options *options = run->options;
    char folder[PATH_MAX];
    if (*run->start && getcwd(folder, sizeof folder))
        repository_way(folder, run->start, &run->way);
    run->check = check_begin(project);
    run->check.command = "check";
    run->check.version = COLLC_VERSION;
    run->check.is_quiet = options->quiet;
    run->check.has_colour = options_use_colour(options, STDOUT_FILENO);
    run->check.way = run->way.data;
    run->check.filter = run->filter;
    run->check.max_listed = options->max_findings > LISTED ? options->max_findings : LISTED;
    run->check.max_shown = options->max_findings ? options->max_findings : SHOWN;
    run->check.keeps_records = option_is(options->format, "json");
}

/* Writes what kept the check from running, where programs read it: a list without that would look clean. Text
 * and concise lists are for people, who see the errors. */
static void report_refusal(struct check_run *run)
{
    const char *format = run->options->format;
    run->nothing.source = run->project.source;
    if (!run->nothing.source)
        run->nothing.source = source_of_text(file_name, "", 0, &run->arena);
    driver_check_begin(run, &run->nothing);
    say_diagnostics(run->options, &run->diagnostics);
    usage_report(&run->diagnostics);
    check_add_list(&run->check, &run->diagnostics, true);
    check_end(&run->check);
    if (pool_number() == 0 && format && !option_is(format, "text") && !option_is(format, "concise"))
        driver_check_write_report(run);
}

static int report_cells(const struct check_run *run)
{
    driver_check_write_report(run);
    const size_t n_broken = run->check.n_of[VERDICT_BROKEN];
    if (run->options->write_baseline && n_broken)
        usage_error_with("mend what is broken, or take it out of the project; an older baseline stands as it was",
                         "'%s' is not written: %zu combination%s cannot be checked", run->options->write_baseline,
                         n_broken, plural(n_broken));
    else if (run->options->write_baseline)
        write_baseline(run);
    return status_of(run);
}

int command_check(const struct options *options)
{
    struct check_run run = {.options = options};
    int status = STATUS_FAILED;
    if (driver_check_prepare(&run)) {
        driver_check_begin(&run, &run.project);
        run.check.topologies = run.topologies;
        run.check.baseline = run.baseline;
        run.check.accepts = options->write_baseline;
        run.check.waivers = &run.waivers;
        run.keep.per_code = options->max_findings > KEPT ? options->max_findings : KEPT;
        run_cells(&run);
        status = pool_number() ? STATUS_CLEAN : report_cells(&run);
        say_diagnostics(options, &run.diagnostics);
    } else {
        report_refusal(&run);
    }
    check_free(&run.check);
    text_free(&run.way);
    waivers_free(&run.waivers);
    baseline_free(run.baseline);
    for (size_t i = 0; run.topologies && i < run.project.n_networks; i++)
        topology_free(run.topologies[i]);
    for (size_t i = 0; run.rests && i < run.project.n_networks; i++)
        topology_free(run.rests[i]);
    for (size_t i = 0; run.of_jobs && i < run.project.n_jobs; i++)
        topology_free(run.of_jobs[i]);
    free(run.topologies);
    free(run.of_jobs);
    free(run.rests);
    lower_bound_cache_free(&run.least);
    project_free(&run.project);
    diagnostics_free(&run.diagnostics);
    arena_free(&run.arena);
    return status;
}
