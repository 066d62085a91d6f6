/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipeline. See job.h.
 */
#include "compiler/driver/job.h"

#include "compiler/driver/progress.h"
#include "compiler/language/language.h"

#include "ir/counts.h"
#include "study/alternatives.h"
#include "study/certify.h"
#include "study/forecast/forecast.h"

#include <stdio.h>
#include <time.h>

/* Returns the size that all are asked for; 0: none. The smallest of predictions counts where segments have a
 * size. */
static uint64_t job_bytes(const struct options *options)
{
    const bool is_sized = forecast_sized_setting(options->settings, options->n_settings);
    return is_sized && options->sizes.n ? options->sizes.items[0] : options->bytes;
}

struct job job_begin(const struct options *options)
{
    return (struct job){.options = options,
                        .argument = options->n_arguments ? options->arguments[0] : NULL,
                        .scene = {.settings = options->settings,
                                  .n_settings = options->n_settings,
                                  .topology_spec = options->topology,
                                  .has_counts = options->counts,
                                  .bytes = job_bytes(options)}};
}

/* Sets the size. A schedule file of equal chunks is the same for every size: that of the user overrides that
 * of the file. */
static bool set_bytes(const struct job *job)
{
    struct schedule_header *header = &job->scene.schedule->header;
    if (job->options->root || job->options->counts)
        return usage_refuse(job->options, "a schedule file has a root and counts of its own: "
                                          "--root and --counts are for algorithms");
    if (header->counts)
        return usage_refuse(job->options, "the schedule file has unequal counts: --bytes is for equal ones");
    header->chunk_bytes = collective_chunk_bytes(header->collective, header->segments, job->options->bytes);
    return true;
}

/* A schedule file is what it is. */
static bool job_check_options(const struct job *job)
{
    const struct options *options = job->options;
    if (job->scene.program)
        return true;
    if (options->dump_after)
        return usage_refuse(options, "a schedule file has no passes: --dump-after is for algorithms");
    if (options->n_settings)
        return usage_refuse(options, "a schedule file has no parameters");
    if (options->bytes && (options->command == COMMAND_simulate || options->command == COMMAND_report ||
                           options->command == COMMAND_draw))
        return set_bytes(job);
    if (options->root || options->bytes || options->counts)
        return usage_refuse(options, "a schedule file has a root and sizes of its own: "
                                     "--root, --bytes and --counts are for algorithms");
    if (options->neighbors)
        return usage_refuse(options,
                            "a schedule file says what its ranks need: --neighbors is for algorithms");
    return true;
}

static bool driver_job_read_counts(struct job *job)
{
    const struct program *program = job->scene.program;
    return !program || (job_check_root(job, program->collective) &&
                        job_read_neighbors(job, program->collective) &&
                        job_read_counts(job, program->collective, program->form));
}

static bool job_bind(struct job *job)
{
    struct scene *scene = &job->scene;
    if (!scene->program || scene->binding ||
        scene_bind(scene, job_virtual_root(job, job->options->root), &job->diagnostics))
        return true;
    const struct bind_request where = job_bind_request(job);
    alternatives_bound(scene->program, &where, &job->diagnostics);
    return false;
}

static bool job_watch(struct job *job)
{
    job->scene.schedule = progress_watch(job->scene.schedule, job->scene.binding, job->options);
    return true;
}

int job_open(struct job *job)
{
    const bool is_ready = job_choose(job)           /* --best, --as: a collective becomes an algorithm */
                          && job_read(job)          /* a program, or the schedule of a file */
                          && job_check_options(job) /* what a schedule file has of its own */
                          && job_dump(job, PASS_parse) && job_dump(job, PASS_inline) &&
                          job_read_topology(job)         /* the network, its tables, without what failed */
                          && job_place(job)              /* ranks on machines */
                          && job_read_map(job)           /* --map: which rank runs what */
                          && driver_job_read_counts(job) /* --counts, --neighbors */
                          && job_bind(job)               /* program + placement + parameters -> binding */
                          && job_dump(job, PASS_bind) &&
                          scene_expand(&job->scene, &job->diagnostics) /* binding -> schedule */
                          && job_watch(job)                            /* on a terminal: how far it is */
                          && job_apply_map(job);                       /* its ranks renumbered */
    return is_ready ? STATUS_CLEAN : STATUS_FAILED;
}

int job_close(struct job *job, int status)
{
    if (job->is_dumped)
        status = STATUS_CLEAN;
    if (diagnostics_has_errors(&job->diagnostics))
        status = STATUS_FAILED;
    say_diagnostics(job->options, &job->diagnostics);
    scene_free(&job->scene);
    diagnostics_free(&job->diagnostics);
    return status;
}

bool job_locate(struct job *job)
{
    return job_read_topology(job) && job_place(job);
}

bool job_check_root(const struct job *job, enum collective collective)
{
    const struct options *options = job->options;
    if (options->root && collective < N_COLLECTIVES && !collective_table[collective].rooted)
        return usage_refuse(options, "--root has no effect: %s has no root",
                            collective_table[collective].name);
    if (job->scene.placement && options->root >= job->scene.placement->n_ranks)
        return usage_refuse(options, "root %u is not among %u ranks", options->root,
                            job->scene.placement->n_ranks);
    return true;
}

struct bind_request job_bind_request(const struct job *job)
{
    return scene_where(&job->scene, job->options->root);
}

bool job_is_proved(const struct job *job)
{
    bool has_parts = false;
    for (size_t i = 0; i < job->scene.n_settings; i++)
        has_parts = has_parts || job->scene.settings[i].text;
    return job->scene.is_builtin && !has_parts;
}

bool job_is_right(struct job *job)
{
    const struct certify_request request = {
        .schedule = job->scene.schedule,
        .binding = job->options->no_symmetry ? NULL : job_expanded_from(job),
        .topology = job->scene.topology,
        .placement = job->scene.placement};
    if (job_is_proved(job))
        return true;
    struct certificate certificate = certify(&request);
    const bool is_wrong = certificate.result == CERTIFIED_WRONG;
    if (is_wrong) {
        say_diagnostics(job->options, &certificate.findings);
        fprintf(stderr, "collc: warning: %s is wrong: it breaks its collective; 'collc verify' shows "
                        "all\n", certificate.where.data);
    }
    certificate_free(&certificate);
    return !is_wrong;
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
