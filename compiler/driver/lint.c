/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc lint: likely mistakes in algorithms, or with --target in rule tables. Findings are the
 * result, so they go to standard output, file by file; what cannot be read is an error.
 */
#include "base/text/file_list.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "reports/json.h"
#include "reports/verdict.h"
#include "study/lint/lint.h"
#include "tables/loaders.h"

#include <string.h>
#include <unistd.h>

struct lint_run {
    const struct options *options;
    struct text text;
    struct json json; /* writes to the text */
    uint64_t n_files, n_findings;
    bool is_json, has_failures;
};

static void driver_lint_write_findings(struct lint_run *run, const struct diagnostics *findings)
{
    for (unsigned severity = 0; severity <= SEVERITY_ERROR; severity++)
        run->n_findings += findings->n_of_severity[severity];
    if (!run->is_json) {
        diagnostics_print(findings, &run->text, options_use_colour(run->options, STDOUT_FILENO));
        return;
    }
    for (const struct diagnostic *finding = findings->first; finding; finding = finding->next)
        finding_json(&run->json, NULL, finding);
}

static int lint_job(struct lint_run *run, struct job *job)
{
    struct diagnostics findings = {0};
    if (job->schedule)
        return usage_error(run->options, "'%s' is a schedule file, not an algorithm",
                           job->source->path);
    lint_program(job->program, &findings);
    driver_lint_write_findings(run, &findings);
    run->n_files++;
    run->has_failures |= has_failures(run->options, SEVERITY_WARNING, &findings);
    diagnostics_free(&findings);
    return STATUS_CLEAN;
}

/* Checks one algorithm, given by name or path. */
static int lint_one(struct lint_run *run, const char *name)
{
    struct job job = job_begin(run->options);
    job.argument = name;
    int status = job_read(&job) ? lint_job(run, &job) : STATUS_FAILED;
    return job_close(&job, status);
}

/* True if the ending of the name is that of a table. */
static bool is_named_as_table(const char *path)
{
    static const char *const endings[] = {".rules", ".json", ".csv", ".conf", ".env"};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(ending, endings[i]))
            return true;
    return false;
}

/* Checks a file, a folder of them, or the name of a built-in algorithm. */
static int lint_argument(struct lint_run *run, const char *name)
{
    if (is_named_as_table(name))
        return usage_error(run->options, "'%s' is named as a rule table: say whose it is, such as --target %s",
                           name, table_loaders[0]->target);
    struct file_list files = {0};
    struct diagnostics diagnostics = {0};
    int worst = file_list_add_tree(&files, name, ".coll", &diagnostics) ? STATUS_CLEAN : STATUS_FAILED;
    for (size_t i = 0; i < files.n; i++) {
        const int status = lint_one(run, files.paths[i]);
        worst = status > worst ? status : worst;
    }
    say_diagnostics(run->options, &diagnostics);
    diagnostics_free(&diagnostics);
    file_list_free(&files);
    return worst;
}

/* Checks how the MPI of --target reads a rule table. */
static int lint_table(struct lint_run *run, const char *path)
{
    struct arena arena = {0};
    struct diagnostics findings = {.keep_per_code = UINT32_MAX}, errors = {0};
    const struct table_loader *loader = wanted_loader(run->options);
    const struct table *table = read_table(loader, path, &arena, &errors);
    if (table) {
        loader->lint(table, &findings);
        driver_lint_write_findings(run, &findings);
        run->n_files++;
        run->has_failures |= has_failures(run->options, SEVERITY_WARNING, &findings);
    }
    say_diagnostics(run->options, &errors);
    diagnostics_free(&findings);
    diagnostics_free(&errors);
    arena_free(&arena);
    return table ? STATUS_CLEAN : STATUS_FAILED;
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
        int status = (options->target ? lint_table : lint_argument)(run, options->arguments[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

int command_lint(const struct options *options)
{
    if (options->target && !options->n_arguments)
        return usage_error(options, "say which rule table: FILE --target %s", options->target);
    struct lint_run run = {.options = options, .is_json = option_is(options->format, "json")};
    run.json.out = &run.text;
    if (run.is_json)
        json_open(&run.json, NULL, '[');
    int status = lint_all(&run);
    if (run.is_json)
        json_close(&run.json, ']');
    else if (!options->quiet && (run.n_files || status != STATUS_FAILED))
        text_printf(&run.text, "%llu %s%s, %llu finding%s\n", (unsigned long long)run.n_files,
                    options->target ? "table" : "algorithm", plural(run.n_files),
                    (unsigned long long)run.n_findings, plural(run.n_findings));
    output_text(NULL, &run.text);
    text_free(&run.text);
    return status == STATUS_CLEAN && run.has_failures ? STATUS_FINDINGS : status;
}
