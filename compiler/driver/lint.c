/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc lint: likely mistakes in algorithms, or with --target in rule tables. Findings are the
 * result, so they go to standard output, file by file; what cannot be read is an error.
 */
#include "base/codes.h"
#include "base/text/file_list.h"
#include "base/text/xml.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "compiler/driver/verify_check.h"
#include "reports/json.h"
#include "reports/verdict.h"
#include "study/known_file.h"
#include "study/lint/lint.h"
#include "tables/loaders.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A table that was read, or a file with settings. */
struct lint_file {
    const char *path;
    const struct table *table;
    const char *folder; /* it stands for a node; NULL: the file is named itself */
    const char *inside; /* its path in the folder; NULL: likewise */
    bool is_compared;   /* with others like it */
};

struct lint_run {
    const struct options *options;
    struct arena arena;            /* of the tables, which are compared at the end */
    struct lint_file *files;
    size_t n_tables, capacity;
    const char **folders;
    size_t n_folders, folders_capacity;
    struct text text;
    struct json json; /* writes to the text */
    uint64_t n_files, n_findings;
    size_t n_tried; /* numbers of ranks with which every algorithm was tried */
    const char *what; /* the files are, in one word */
    bool is_json, has_failures;
    bool lists_findings; /* the format is of findings alone: a record for each file goes to a check */
    const char **names;  /* [n_records] */
    struct text *records;
    size_t n_records, names_capacity, records_capacity;
};

static void lint_add_record(struct lint_run *run, const char *name, const struct diagnostics *problems,
                            const struct diagnostics *findings)
{
    run->names = mem_grow(run->names, &run->names_capacity, run->n_records + 1, sizeof *run->names);
    run->records = mem_grow(run->records, &run->records_capacity, run->n_records + 1, sizeof *run->records);
    run->names[run->n_records] = arena_strndup(&run->arena, name, strlen(name));
    run->records[run->n_records] = (struct text){0};
    verify_check_record(NULL, problems, findings, &run->records[run->n_records++]);
}

static void driver_lint_write_json(struct lint_run *run, const struct diagnostics *list)
{
    for (const struct diagnostic *finding = list->first; finding; finding = finding->next)
        finding_json(&run->json, NULL, finding);
}

/* Writes the findings of the file `name`. */
static void driver_lint_write_findings(struct lint_run *run, const char *name,
                                       const struct diagnostics *findings)
{
    const struct diagnostics none = {0};
    for (unsigned severity = 0; severity <= SEVERITY_ERROR; severity++)
        run->n_findings += findings->n_of_severity[severity];
    run->has_failures |= has_failures(run->options, SEVERITY_WARNING, findings);
    if (run->lists_findings)
        lint_add_record(run, name, &none, findings);
    else if (run->is_json)
        driver_lint_write_json(run, findings);
    else
        diagnostics_print(findings, &run->text, options_use_colour(run->options, STDOUT_FILENO));
}

/* Writes, where programs read it, why the file was not looked at: errors, or the last usage error. Returns
 * `status`, which is not STATUS_FAILED if it was. */
static int lint_write_errors(struct lint_run *run, const char *name, const struct diagnostics *errors,
                             int status)
{
    struct diagnostics all = {.keep_per_code = UINT32_MAX};
    if (status != STATUS_FAILED && !diagnostics_has_errors(errors))
        return status;
    diagnostics_append(&all, errors);
    usage_report(&all);
    if (run->lists_findings)
        lint_add_record(run, name, &all, NULL);
    else if (run->is_json)
        driver_lint_write_json(run, &all);
    diagnostics_free(&all);
    return status;
}

/* Checks a graph file of NCCL, of the host that --topology is. */
static int lint_graph_file(struct lint_run *run, struct job *job)
{
    struct diagnostics findings = {.keep_per_code = UINT32_MAX};
    const char *host = run->options->topology;
    if (host && !job_open_topology(job, host))
        return STATUS_FAILED;
    lint_graph(job->scene.source, job->scene.topology, &findings);
    driver_lint_write_findings(run, job->argument, &findings);
    run->n_files++;
    run->what = "graph file";
    diagnostics_free(&findings);
    return STATUS_CLEAN;
}

static int lint_job(struct lint_run *run, struct job *job)
{
    struct diagnostics findings = {0};
    if (job->scene.schedule)
        return usage_error(run->options, "'%s' is a schedule file, not an algorithm",
                           job->scene.source->path);
    const size_t n_tried = lint_program(job->scene.program, &findings);
    run->n_tried = n_tried < run->n_tried ? n_tried : run->n_tried;
    driver_lint_write_findings(run, job->argument, &findings);
    run->n_files++;
    diagnostics_free(&findings);
    return STATUS_CLEAN;
}

/* Checks one algorithm, given by name or path. */
static int lint_one(struct lint_run *run, const char *name)
{
    struct job job = job_begin(run->options);
    int status = STATUS_FAILED;
    job.argument = name;
    if (access(name, R_OK) == 0)
        job.scene.source = source_read(name, SCHEDULE_FILE_LIMIT, &job.scene.arena, &job.diagnostics);
    if (job.scene.source && xml_root_is(job.scene.source, "graphs")) {
        status = lint_graph_file(run, &job);
    } else if (run->options->topology) {
        status = usage_error_with("'collc verify FILE -t NETWORK' judges an algorithm on yours",
                                  "'%s' is no graph file of NCCL, and algorithms are tried on "
                                  "networks of lint's own: leave --topology out", name);
    } else {
        job.scene.source = NULL;
        status = job_read(&job) ? lint_job(run, &job) : STATUS_FAILED;
    }
    return job_close(&job, lint_write_errors(run, name, &job.diagnostics, status));
}

/* True if the ending of the name is that of a table, or of a file with settings. */
static bool is_named_as_table(const char *path)
{
    static const char *const endings[] = {".rules", ".json", ".csv", ".conf", ".env",
                                          ".sh", ".sbatch", ".slurm", ".yaml", ".yml"};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(ending, endings[i]))
            return true;
    return false;
}

/* Asks for the target of a rule table or settings, by what stands in it. */
static void ask_for_target(struct lint_run *run, const char *path)
{
    struct diagnostics ignored = {0};
    const struct source *source = source_read(path, TABLE_FILE_LIMIT, &run->arena, &ignored);
    const struct known_file file =
        source ? known_file_of(source, &run->arena) : (struct known_file){.table = NULL};
    const char *target = file.table ? file.table->loader->target : NULL;
    if (target)
        usage_error(run->options, "'%s' has %s of %s: say --target %s, or of another version", path,
                    file.table->settings ? "settings" : "rules", target, target);
    else if (file.help && file.kind != KNOWN_SCRIPT)
        usage_error_with(file.help, "'%s' is neither an algorithm nor a rule table", path);
    else
        usage_error(run->options, "'%s' is named as a rule table or settings: say whose, such as --target %s",
                    path, table_loaders[0]->target);
    diagnostics_free(&ignored);
}

/* Checks a file, a folder of them, or the name of a built-in algorithm. */
static int lint_argument(struct lint_run *run, const char *name)
{
    struct file_list files = {0};
    struct diagnostics diagnostics = {0};
    int worst = STATUS_FAILED;
    if (is_named_as_table(name))
        ask_for_target(run, name);
    else if (file_list_add_tree(&files, name, ".coll", &diagnostics))
        worst = STATUS_CLEAN;
    lint_write_errors(run, name, &diagnostics, worst);
    for (size_t i = 0; i < files.n; i++) {
        const int status = lint_one(run, files.paths[i]);
        worst = status > worst ? status : worst;
    }
    say_diagnostics(run->options, &diagnostics);
    diagnostics_free(&diagnostics);
    file_list_free(&files);
    return worst;
}

/* Checks how the library of --target reads a rule table, or settings. `folder` as in struct lint_file. */
static int lint_table(struct lint_run *run, const char *path, const char *folder, struct diagnostics *errors)
{
    struct diagnostics findings = {.keep_per_code = UINT32_MAX};
    const struct table *table = read_table(wanted_loader(run->options), path, &run->arena, errors);
    if (table) {
        table_lint(table, &findings);
        table = table->whole ? table->whole : table;
        driver_lint_write_findings(run, path, &findings);
        run->n_files++;
        run->files = mem_grow(run->files, &run->capacity, run->n_tables + 1, sizeof *run->files);
        run->files[run->n_tables++] =
            (struct lint_file){table->source->path, table, folder,
                               folder ? arena_printf(&run->arena, "%s", path + strlen(folder)) : NULL, false};
    }
    diagnostics_free(&findings);
    return table ? STATUS_CLEAN : STATUS_FAILED;
}

/* Checks the files of a folder, and of its folders, that the target reads: one with none of them is an
 * error. */
static int lint_folder(struct lint_run *run, const char *folder, const struct file_list *files,
                       struct diagnostics *errors)
{
    int status = STATUS_FAILED;
    run->folders =
        mem_grow(run->folders, &run->folders_capacity, run->n_folders + 1, sizeof(const char *));
    run->folders[run->n_folders++] = folder;
    for (size_t i = 0; i < files->n; i++) {
        struct diagnostics nothing = {0};
        const bool is_last = i + 1 == files->n && status == STATUS_FAILED;
        if (lint_table(run, files->paths[i], folder, is_last ? errors : &nothing) == STATUS_CLEAN)
            status = STATUS_CLEAN;
        diagnostics_free(&nothing);
    }
    return status;
}

/* Checks a file or the files of a folder. */
static int lint_target_argument(struct lint_run *run, const char *name)
{
    struct diagnostics errors = {0};
    struct file_list files = {0};
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    const char *folder = arena_strndup(&run->arena, name, length);
    int status = STATUS_FAILED;
    if (strcmp(name, "-") == 0 || !file_list_is_folder(name))
        status = lint_table(run, name, NULL, &errors);
    else if (file_list_add_tree(&files, folder, "", &errors))
        status = lint_folder(run, folder, &files, &errors);
    lint_write_errors(run, name, &errors, status);
    say_diagnostics(run->options, &errors);
    diagnostics_free(&errors);
    file_list_free(&files);
    return status;
}

/* ---- nodes of a job ---- */

/* True if the paths are those of two nodes: alike but for numbers, one at least behind a word for a node. */
static bool lint_are_paths_of_nodes(const char *a, const char *b)
{
    static const char *const words[] = {"node", "nid", "host", "compute", "gpu", "worker", "cn", "n", "c", "vm"};
    bool is_of_node = false;
    for (const char *start = a; *a || *b;) {
        if (text_is_digit(*a) && text_is_digit(*b)) {
            for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
                const size_t length = strlen(words[i]);
                const char *word = a - length;
                is_of_node |= (size_t)(a - start) >= length && strncmp(word, words[i], length) == 0 &&
                              (word == start || strchr("/-_.", word[-1]));
            }
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return is_of_node;
}

/* True if both are the same file of two nodes. A folder on the command line is a node. */
static bool lint_are_of_nodes(const struct lint_file *a, const struct lint_file *b)
{
    const bool is_inside = a->inside && b->inside && strcmp(a->inside, b->inside) == 0;
    return is_inside ? strcmp(a->path, b->path) != 0 : lint_are_paths_of_nodes(a->path, b->path);
}

/* Reports a rule file that is another one on another node. */
static void lint_compare_files(const struct lint_file *first, const struct lint_file *other,
                               struct diagnostics *findings)
{
    const struct source *a = first->table->source, *b = other->table->source;
    if (a->length != b->length || memcmp(a->text, b->text, a->length) != 0)
        report(findings, CODE_B042, source_position(b, 0, 1),
               "the file differs from '%s': ranks choose different algorithms, and every collective can hang",
               a->path)
            ->help = "give all nodes of a job the same file";
}

/* True if the folder has the file that files[first] is in its own. */
static bool lint_has_file(const struct lint_run *run, size_t first, const char *folder)
{
    for (size_t i = 0; i < run->n_tables; i++)
        if (run->files[i].folder == folder && strcmp(run->files[i].inside, run->files[first].inside) == 0)
            return true;
    return false;
}

/* Adds the folders that lack the file, as nodes without settings; reports them for a rule file. Returns the
 * number of nodes. */
static size_t lint_add_missing(struct lint_run *run, size_t first, struct settings_node *nodes, size_t n,
                               struct diagnostics *findings)
{
    static const struct settings none;
    const struct lint_file *file = &run->files[first];
    for (size_t i = 0; i < run->n_folders && file->folder; i++) {
        if (lint_has_file(run, first, run->folders[i]))
            continue;
        if (file->table->settings)
            nodes[n++] = (struct settings_node){
                arena_printf(&run->arena, "%s%s", run->folders[i], file->inside), &none};
        else
            report(findings, CODE_B042, source_position(file->table->source, 0, 1),
                   "'%s' has no such file: ranks choose different algorithms, and every collective can hang",
                   run->folders[i])
                ->help = "give all nodes of a job the same file";
    }
    return n;
}

/* Compares a file with those of other nodes behind it. */
static void lint_compare(struct lint_run *run, size_t first, struct diagnostics *findings)
{
    struct lint_file *files = run->files;
    struct settings_node *nodes = mem_alloc(run->n_tables + run->n_folders, sizeof *nodes);
    size_t n = 0;
    for (size_t i = first; i < run->n_tables; i++) {
        if (files[i].is_compared || (i > first && !lint_are_of_nodes(&files[first], &files[i])))
            continue;
        files[i].is_compared = true;
        if (files[i].table->settings)
            nodes[n++] = (struct settings_node){files[i].path, files[i].table->settings};
        else if (i > first && !files[first].table->settings)
            lint_compare_files(&files[first], &files[i], findings);
    }
    n = lint_add_missing(run, first, nodes, n, findings);
    if (n > 1)
        settings_compare(nodes, n, wanted_loader(run->options)->dialect, findings);
    free(nodes);
}

static void lint_nodes(struct lint_run *run)
{
    struct diagnostics findings = {.keep_per_code = UINT32_MAX};
    for (size_t i = 0; i < run->n_tables; i++)
        if (!run->files[i].is_compared)
            lint_compare(run, i, &findings);
    if (findings.first)
        driver_lint_write_findings(run, findings.first->position.source->path, &findings);
    diagnostics_free(&findings);
}

static int lint_builtins(struct lint_run *run)
{
    static const char folder[] = "compiler/algorithms/";
    struct arena arena = {0};
    int status = STATUS_CLEAN;
    for (size_t i = 0; i < n_embedded_files && status == STATUS_CLEAN; i++) {
        const char *path = embedded_files[i].path;
        if (strncmp(path, folder, strlen(folder)) != 0)
            continue;
        path += strlen(folder);
        status = lint_one(run, arena_strndup(&arena, path, (size_t)(strrchr(path, '.') - path)));
    }
    arena_free(&arena);
    return status;
}

/* Every argument is looked at, so that one run shows the mistakes in all of them. */
static int lint_all(struct lint_run *run)
{
    const struct options *options = run->options;
    int worst = options->n_arguments ? STATUS_CLEAN : lint_builtins(run);
    for (uint32_t i = 0; i < options->n_arguments; i++) {
        int status = (options->target ? lint_target_argument : lint_argument)(run, options->arguments[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Writes the records of all files as a check. */
static void lint_write_list(struct lint_run *run)
{
    struct verify_check list = {.n_added = 0};
    verify_check_begin(&list, run->options, run->names, run->n_records);
    for (size_t i = 0; i < run->n_records; i++)
        verify_check_add(&list, &run->records[i]);
    verify_check_write(&list, run->options->format, &run->text);
    verify_check_free(&list);
}

static void lint_free(struct lint_run *run)
{
    for (size_t i = 0; i < run->n_records; i++)
        text_free(&run->records[i]);
    free(run->records);
    free(run->names);
    free(run->files);
    free(run->folders);
    text_free(&run->text);
    arena_free(&run->arena);
}

static void lint_summarise(struct lint_run *run)
{
    text_printf(&run->text, "%llu %s%s, %llu finding%s", (unsigned long long)run->n_files, run->what,
                plural(run->n_files), (unsigned long long)run->n_findings, plural(run->n_findings));
    if (run->n_tried != SIZE_MAX) {
        text_printf(&run->text, "; tried with ");
        trial_list_ranks(NULL, run->n_tried, &run->text);
        text_printf(&run->text, " ranks");
    }
    text_printf(&run->text, "\n");
}

int command_lint(const struct options *options)
{
    if (options->target && !options->n_arguments)
        return usage_error(options, "say which rule table: FILE --target %s", options->target);
    struct lint_run run = {.options = options,
                           .is_json = option_is(options->format, "json"),
                           .lists_findings = check_format_find(options->format)->is_findings,
                           .n_tried = SIZE_MAX,
                           .what = options->target ? "table" : "algorithm"};
    run.json.out = &run.text;
    if (run.is_json)
        json_open(&run.json, NULL, '[');
    int status = lint_all(&run);
    lint_nodes(&run);
    if (run.is_json)
        json_close(&run.json, ']');
    else if (run.lists_findings)
        lint_write_list(&run);
    else if (!options->quiet && (run.n_files || status != STATUS_FAILED))
        lint_summarise(&run);
    output_text(NULL, &run.text);
    lint_free(&run);
    return status == STATUS_CLEAN && run.has_failures ? STATUS_FINDINGS : status;
}
