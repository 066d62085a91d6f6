/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc tune: measures the algorithms of the MPI that is installed, decides which are faster than what it
 * takes by itself, writes rules for these, and proves that the rules act.
 *
 * Measured times go to a file of their own as they come, so that a run that was stopped can go on.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "compiler/driver/messages.h"
#include "base/integer.h"
#include "compiler/driver/emit_library.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "reports/observed.h"
#include "reports/tuned.h"
#include "study/parallel/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_SECONDS = 180, MOST_RANKS = 1024, MEASUREMENTS_LIMIT = 1 << 28 };

struct tune_job {
    const struct options *options;
    struct tune_request request;
    struct measurements measurements;
    struct mpi mpi;
    const char *times_path;
    FILE *times;
    uint32_t collectives[MAX_ARGUMENTS];
    size_t n_rules;              /* written */
    struct text library;         /* the C text of the algorithms that are measured, for that target */
    struct text machine;         /* a line: its load before the first launch, and its cores */
    struct diagnostics diagnostics;
    struct arena arena;
};

/* ---- what was asked for ---- */

static bool tune_take_collectives(struct tune_job *job)
{
    const struct options *options = job->options;
    const struct table_loader *loader = job->request.loader;
    struct table_algorithm algorithm;
    for (uint32_t i = 0; i < options->n_arguments; i++) {
        const uint32_t collective = table_collective(loader, options->arguments[i]);
        if (collective == loader->n_collectives || !loader->writer->algorithm(loader, collective, 0,
                                                                              &algorithm))
            return usage_refuse(options, "tables of %s have no rules for '%s'", loader->target,
                                options->arguments[i]);
        if (!mpi_has_collective(options->arguments[i]))
            return usage_refuse(options, "'%s' cannot be measured here", options->arguments[i]);
        job->collectives[i] = collective;
    }
    qsort(job->collectives, options->n_arguments, sizeof *job->collectives, compare_uint32);
    for (uint32_t i = 1; i < options->n_arguments; i++)
        if (job->collectives[i] == job->collectives[i - 1])
            return usage_refuse(options, "'%s' is named twice", loader->collectives[job->collectives[i]]);
    job->request.collectives = job->collectives;
    job->request.n_collectives = options->n_arguments;
    return true;
}

static bool tune_take_options(struct tune_job *job)
{
    const struct options *options = job->options;
    struct tune_request *request = &job->request;
    if (!options->rules_to_check && (!options->output || option_is(options->output, "-")))
        return usage_refuse(options, "say where the rules go: -o FILE");
    if (!options->rank_list.n)
        return usage_refuse(options, "say on how many ranks: --ranks N");
    if (options->rank_list.items[0] < 2 || options->rank_list.items[options->rank_list.n - 1] > MOST_RANKS)
        return usage_refuse(options,
                            "rules act on two ranks and more, and %d are the most that are started here",
                            MOST_RANKS);
    request->ranks = options->rank_list;
    request->sizes = options->sizes;
    request->segments = options->segments;
    if (options->chart && (options->rank_list.n > 1 || options->n_arguments > 1))
        return usage_refuse(options, "a chart is of one collective on one number of ranks");
    if (!request->sizes.n && !options->decide)
        (void)sizes_parse("8,64,512,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,1MiB", &request->sizes,
                          &job->arena);
    if (!request->segments.n)
        (void)sizes_parse("1KiB..256KiB", &request->segments, &job->arena);
    if (request->sizes.n &&
        (request->sizes.items[0] == 0 || request->sizes.items[request->sizes.n - 1] > 1u << 30))
        return usage_refuse(options, "sizes from 1 byte to 1GiB can be measured");
    request->seconds = options->time_limit.is_set ? (double)options->time_limit.value * 1e-9
        : DEFAULT_SECONDS;
    if (options->segments.n && option_is(options->target, "library"))
        return usage_refuse(options, "--segments has no effect with --target library, whose algorithms take a "
                                     "number of segments: 4, 16 and 64 are tried");
    request->is_search = option_is(options->strategy, "search");
    return tune_take_collectives(job);
}

/* ---- the file of measured times ---- */

/* Reads what is there. A file that was not named by --from must not have any times. */
static bool open_times(struct tune_job *job)
{
    const struct options *options = job->options;
    if (options->rules_to_check)
        return true;
    job->times_path = options->from ? options->from : arena_printf(&job->arena, "%s.times", options->output);
    if (output_is_same(job->times_path, options->chart))
        return usage_refuse(options, "output file '%s' (--chart) is the file of the measured times, too",
                            options->chart);
    if (options->from || access(job->times_path, F_OK) == 0) {
        const struct source *source =
            source_read(job->times_path, MEASUREMENTS_LIMIT, &job->arena, &job->diagnostics);
        if (!source || !measurements_read(&job->measurements, source, &job->diagnostics))
            return false;
    }
    if (!options->from && job->measurements.n)
        return !usage_error_with("go on with it by --from, or take it away",
                                 "'%s' exists: it has the times of an earlier run", job->times_path);
    return true;
}

static void record(void *context, const char *text)
{
    struct tune_job *job = context;
    if (job->options->rules_to_check)
        return;
    if (!job->times) {
        const bool is_new = access(job->times_path, F_OK) != 0;
        job->times = fopen(job->times_path, "a");
        if (!job->times)
            fatal("cannot write '%s':", job->times_path);
        if (is_new)
            fprintf(job->times, "# times measured by collc tune: %s, target %s\n", job->mpi.version,
                    job->mpi.target);
    }
    if (fputs(text, job->times) < 0 || fflush(job->times) != 0)
        fatal("cannot write '%s':", job->times_path);
}

/* Returns the load of the machine, processes that run or want to; negative: not known. */
static double read_load(void)
{
    double load = -1;
    FILE *file = fopen("/proc/loadavg", "r");
    if (file && fscanf(file, "%lf", &load) != 1)
        load = -1;
    if (file)
        fclose(file);
    return load;
}

/* Says what stands against times of this machine, before they are taken. */
static void say_machine(struct tune_job *job)
{
    const unsigned n_cores = pool_n_processors();
    const uint64_t most = job->request.ranks.items[job->request.ranks.n - 1];
    const double load = read_load();
    text_printf(&job->machine, "this machine: %u core%s", n_cores, plural(n_cores));
    if (load >= 0)
        text_printf(&job->machine, ", load %.2f before the first launch%s", load,
                    load > 0.5 * n_cores ? ": other work disturbs the times" : "");
    if (most > n_cores)
        text_printf(&job->machine,
                    "; %u ranks are more than its cores: if all run on it, the times say little of a machine "
                    "with enough", (unsigned)most);
    text_printf(&job->machine, "\n");
    if (!job->options->quiet)
        fprintf(stderr, "collc: tune: %s", job->machine.data);
}

static void say(void *context, const char *words)
{
    const struct tune_job *job = context;
    if (!job->options->quiet)
        fprintf(stderr, "collc: tune: %s\n", words);
}

/* ---- the rules ---- */

static void tune_write_rules(struct tune_job *job, const struct tuned *tuned)
{
    const struct table_loader *loader = job->request.loader;
    struct text title = {0}, file = {0}, lost = {0};
    struct plan_rule *rules = decide_rules(loader, tuned->decisions, tuned->n, &job->n_rules);
    if (job->machine.length)
        text_append(&title, job->machine.data, job->machine.length);
    text_printf(&title, "written by collc tune for %s, from times in %s\n",
                job->mpi.version ? job->mpi.version : loader->target, job->times_path);
    plan_say_unmade(job->measurements.unmade, "", &title);
    tuned_text(loader, tuned, &title);
    const struct table_plan plan = {loader, rules, job->n_rules, title.data};
    loader->writer->write(&plan, &file, &lost);
    output_text(job->options->output, &file);
    if (lost.length)
        fprintf(stderr, "collc: note: %s", lost.data);
    free(rules);
    text_free(&title);
    text_free(&file);
    text_free(&lost);
}

/* Runs calls under the file as written: each that a rule is for has to get it. */
static int prove_rules(struct tune_job *job)
{
    struct observation seen;
    char *path = realpath(job->options->output, NULL);
    const struct table *table =
        path ? read_table(job->request.loader, job->options->output, &job->arena, &job->diagnostics) : NULL;
    const struct tune_request *request = &job->request;
    struct span bytes = {request->sizes.items[0], request->sizes.items[request->sizes.n - 1]};
    const struct observe_request asked = {
        .table = table, .path = path, .mpi = &job->mpi, .ranks = request->ranks, .seconds = 120,
        .collectives = request->collectives, .n_collectives = request->n_collectives,
        .bytes = {&bytes, 1}};
    int status = STATUS_FAILED;
    if (table && job->n_rules == 0)
        status = STATUS_CLEAN;
    else if (table && !observe(&asked, &seen, &job->arena))
        usage_error_with(seen.help, "the rules could not be proved: %s", seen.problem);
    else if (table)
        status = observed_rules_act(&seen) ? STATUS_CLEAN : STATUS_FINDINGS;
    if (status == STATUS_FINDINGS)
        fprintf(stderr, "collc: error: rules of '%s' do not act: 'collc prove' shows where\n",
                job->options->output);
    else if (status == STATUS_CLEAN && job->n_rules && !job->options->quiet)
        fprintf(stderr, "collc: tune: proved: each rule acts\n");
    if (table && job->n_rules)
        observation_free(&seen);
    free(path);
    return status;
}

static void tune_draw(const struct tune_job *job, const struct tuned *tuned)
{
    struct text text = {0};
    if (!job->options->chart)
        return;
    tuned_svg(&job->measurements, tuned, &text);
    output_text(job->options->chart, &text);
    text_free(&text);
}

/* Compiles all algorithms of the collectives as a library without rules. */
static bool tune_compile_library(struct tune_job *job)
{
    struct text lines = {0};
    text_printf(&lines, "collc-table 1\n");
    for (size_t i = 0; i < job->request.n_collectives; i++)
        text_printf(&lines, "%s have *\n", job->request.loader->collectives[job->collectives[i]]);
    const char *path = mpi_write(&job->mpi, "all.rules", &lines);
    const struct table *table = read_table(job->request.loader, path, &job->arena, &job->diagnostics);
    text_free(&lines);
    if (!table || !emit_library_text(job->options, table, &job->library)) {
        job->mpi.problem = "the library cannot be made";
        return false;
    }
    job->mpi.library = job->library.data;
    return mpi_compile_spy(&job->mpi);
}

static bool open_mpi(struct tune_job *job)
{
    const struct options *options = job->options;
    job->request.mpi = options->decide ? NULL : &job->mpi;
    return options->decide ||
           (mpi_open(&job->mpi, options->target, options->mpicc, options->mpirun, &job->arena) &&
            mpi_compile_driver(&job->mpi) && (!job->mpi.is_library || tune_compile_library(job)));
}

/* Says that what a user's own table decides is measured as the default. */
static void say_own_table(const struct tune_job *job)
{
    const char *variable = job->options->decide ? NULL : job->mpi.kind->table_variable;
    const char *path = variable ? getenv(variable) : NULL;
    if (path && *path)
        fprintf(stderr, "collc: note: the default is what '%s' says (%s), and none of that is in what is written\n",
                path, variable);
}

static int tune_run(struct tune_job *job)
{
    struct tuned tuned;
    struct text report = {0};
    if (!open_mpi(job))
        return usage_error_with(job->mpi.help, "%s", job->mpi.problem);
    say_own_table(job);
    if (!job->options->decide)
        say_machine(job);
    int status = STATUS_FAILED;
    if (tune(&job->request, &job->measurements, &tuned, &job->arena)) {
        tune_write_rules(job, &tuned);
        tune_draw(job, &tuned);
        tuned_text(job->request.loader, &tuned, &report);
        if (!job->options->quiet)
            output_text(NULL, &report);
        if (job->n_rules)
            say_launch(job->options, job->request.loader);
        status = job->options->decide ? STATUS_CLEAN : prove_rules(job);
    } else {
        usage_error_with(tuned.help, "%s", tuned.problem);
    }
    text_free(&report);
    tuned_free(&tuned);
    return status;
}

/* Measures the rules of a file that is there. */
static int run_check(struct tune_job *job)
{
    const struct options *options = job->options;
    const struct table_loader *loader = job->request.loader;
    struct tuned tuned = {0};
    struct text report = {0};
    int status = STATUS_FAILED;
    job->request.check = read_table(loader, options->rules_to_check, &job->arena, &job->diagnostics);
    if (!job->request.check)
        return STATUS_FAILED;
    if (!open_mpi(job))
        return usage_error_with(job->mpi.help, "%s", job->mpi.problem);
    say_own_table(job);
    say_machine(job);
    if (tune(&job->request, &job->measurements, &tuned, &job->arena)) {
        status = checked_text(loader, &tuned, &report) ? STATUS_FINDINGS : STATUS_CLEAN;
        output_text(NULL, &report);
    } else {
        usage_error_with(tuned.help, "%s", tuned.problem);
    }
    text_free(&report);
    tuned_free(&tuned);
    return status;
}

int command_tune(const struct options *options)
{
    struct tune_job *job = mem_alloc(1, sizeof *job);
    int status = STATUS_FAILED;
    job->options = options;
    job->request = (struct tune_request){.loader = wanted_loader(options), .say = say,
                                         .record = record, .context = job};
    job->measurements.loader = job->request.loader;
    job->measurements.unmade = unmade_calls(options);
    if (job->request.loader && tune_take_options(job) && open_times(job))
        status = options->rules_to_check ? run_check(job) : tune_run(job);
    mpi_close(&job->mpi);
    if (job->times)
        fclose(job->times);
    say_diagnostics(options, &job->diagnostics);
    measurements_free(&job->measurements);
    diagnostics_free(&job->diagnostics);
    text_free(&job->library);
    text_free(&job->machine);
    arena_free(&job->arena);
    free(job);
    return status;
}
