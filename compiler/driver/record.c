/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc record: calls collectives under the MPI that is installed, writes the messages that it sends as
 * schedules, verifies these, and compares them with algorithms of the library.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "reports/judged.h"
#include "tables/loaders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SECONDS = 60, MOST_RECORDED_RANKS = 1024, MOST_CALLS = 4096 };

/* Counts and neighbours of a collective on a number of ranks. */
struct record_place {
    struct job job;
    struct placement *placement;
    const char *collective;
    struct record_place *next;
};

struct record_job {
    const struct options *options;
    struct record_place *places;
    const struct table_loader *loader;
    struct mpi mpi;
    struct record_point *points;
    size_t n_points, capacity;
    bool is_refused;      /* what is wrong with a call was said */
    struct judged *calls; /* [n_points] */
    struct arena arena;
};

/* ---- the calls ---- */

/* Returns the size by default: elements that can be shared out evenly among all ranks, and among the largest
 * power of two of them. */
static uint64_t usual_bytes(uint32_t n_ranks)
{
    uint64_t power = 1;
    while (2 * power <= n_ranks)
        power *= 2;
    return TRACE_ELEMENT * power * n_ranks;
}

static bool is_rooted(const char *collective)
{
    enum collective_form form;
    const enum collective found = collective_find_form(collective, strlen(collective), &form);
    return found != N_COLLECTIVES && collective_table[found].rooted;
}

static uint64_t largest_count(struct counts *counts, uint64_t n)
{
    uint64_t largest = 0;
    for (uint64_t i = 0; i < n; i++)
        largest = counts->bytes(counts, i) > largest ? counts->bytes(counts, i) : largest;
    return largest;
}

static bool check_counts(const struct options *options, const struct record_point *point, uint64_t n)
{
    struct counts *counts = point->counts;
    for (uint64_t i = 0; i < n; i++)
        if (counts->bytes(counts, i) % TRACE_ELEMENT)
            return usage_refuse(options,
                                "count %" PRIu64 " is %" PRIu64
                                " bytes: counts that are recorded are multiples of "
                                "%d: each element names its origin",
                                i, counts->bytes(counts, i), TRACE_ELEMENT);
    return true;
}

/* Finds the counts and neighbours of the collective, which calls on so many ranks share. NULL after saying
 * what is wrong. */
static struct record_place *record_find_place(struct record_job *job, const char *name, uint32_t n_ranks)
{
    enum collective_form form;
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    struct record_place *place = job->places;
    while (place && (strcmp(place->collective, name) != 0 || place->placement->n_ranks != n_ranks))
        place = place->next;
    if (place)
        return place;
    place = arena_alloc(&job->arena, 1, sizeof *place);
    *place = (struct record_place){.job = job_begin(job->options),
                                   .placement = placement_by_slots(n_ranks, 1, false),
                                   .collective = name,
                                   .next = job->places};
    job->places = place;
    struct scene *scene = &place->job.scene;
    scene->placement = place->placement;
    const bool is_of_neighbors = collective_is_of_neighbors(collective);
    if ((is_of_neighbors || job->options->neighbors) && !job_read_neighbors(&place->job, collective))
        return NULL;
    if (is_of_neighbors && !scene->neighbors)
        scene->neighbors = neighborhood_of_grid(NULL, n_ranks, NEIGHBORS_CARTESIAN, &job->arena);
    return job_read_counts(&place->job, collective, form) ? place : NULL;
}

/* Takes counts and neighbours for the call. */
static bool record_take_place(struct record_job *job, struct record_point *point)
{
    const struct record_place *place = record_find_place(job, point->collective, point->n_ranks);
    if (!place)
        return false;
    const enum collective collective =
        collective_find_form(point->collective, strlen(point->collective), &point->form);
    point->neighbors = place->job.scene.neighbors;
    point->counts = place->job.scene.counts;
    if (!point->counts) {
        point->form = FORM_EQUAL;
        return true;
    }
    const uint64_t n =
        point->neighbors ? neighborhood_n_data(point->neighbors, collective == COLLECTIVE_neighbor_allgather)
                         : counts_needed(collective, point->n_ranks);
    point->bytes = largest_count(point->counts, n);
    return check_counts(job->options, point, n);
}

static void record_add_point(struct record_job *job, struct record_point point)
{
    if (!record_take_place(job, &point)) {
        job->is_refused = true;
        return;
    }
    job->points = mem_grow(job->points, &job->capacity, job->n_points + 1, sizeof *job->points);
    job->points[job->n_points++] = point;
}

/* True if the algorithm is defined for the call, and nothing else runs in its place. */
static bool record_is_defined(const struct record_job *job, const struct record_point *point)
{
    const struct table_query query = {.collective = table_collective(job->loader, point->collective),
                                      .n_ranks = point->n_ranks,
                                      .n_nodes = job->mpi.kind->record_variable ? point->n_ranks : 0,
                                      .type_bytes = TRACE_ELEMENT,
                                      .is_ordered = job->options->ordered,
                                      .is_irregular = job->options->counts != NULL};
    const struct table_range range =
        job->loader->writer->outcome(job->loader, &query, &point->choice, point->bytes);
    return !range.fails && !range.runs_as;
}

/* Adds the calls of an algorithm; of every one, those for which it is defined. */
static void add_points(struct record_job *job, struct record_point point, bool is_of_all)
{
    const struct options *options = job->options;
    const bool has_roots = is_rooted(point.collective) && options->roots.n;
    const bool has_sizes = options->sizes.n && strcmp(point.collective, "barrier") != 0;
    for (size_t i = 0; i < options->rank_list.n; i++)
        for (size_t j = 0; j < (has_roots ? options->roots.n : 1); j++)
            for (size_t k = 0; k < (has_sizes ? options->sizes.n : 1); k++) {
                point.n_ranks = (uint32_t)options->rank_list.items[i];
                point.root = has_roots ? (uint32_t)options->roots.items[j] : 0;
                point.bytes = has_sizes ? options->sizes.items[k] : usual_bytes(point.n_ranks);
                if (strcmp(point.collective, "barrier") == 0)
                    point.bytes = 0;
                if (point.root < point.n_ranks &&
                    (!is_of_all || !point.choice.algorithm || record_is_defined(job, &point)))
                    record_add_point(job, point);
            }
}

static struct table_choice record_choice(const struct record_job *job,
                                         const struct table_algorithm *algorithm)
{
    const struct options *options = job->options;
    const bool has_fan_out = algorithm->has_fan_out && !job->mpi.is_recorded_alone;
    return (struct table_choice){algorithm->name,
                                 {.segment_bytes = algorithm->has_segment ? options->segment_bytes : 0,
                                  .fan_out = !has_fan_out ? 0 : options->fan_out ? options->fan_out : 4}};
}

static bool refuse_algorithm(const struct record_job *job, const char *collective, const char *name)
{
    struct text names = {0};
    struct table_algorithm algorithm;
    const uint32_t index = table_collective(job->loader, collective);
    const bool has_any = index < job->loader->n_collectives;
    for (size_t i = 0; has_any && job->loader->writer->algorithm(job->loader, index, i, &algorithm); i++)
        text_printf(&names, "%s%s", i ? ", " : "it has ", algorithm.name);
    usage_error_with(names.length ? names.data : "it has none by name", "'%s' has no algorithm '%s' of %s",
                     job->loader->target, name, collective);
    text_free(&names);
    return false;
}

static bool record_add_algorithm(struct record_job *job, const char *collective, const char *name)
{
    const bool is_all = strcmp(name, "all") == 0;
    const uint32_t index = table_collective(job->loader, collective);
    const bool has_any = index < job->loader->n_collectives;
    struct table_algorithm algorithm;
    bool is_found = is_all;
    if (is_all)
        add_points(job, (struct record_point){.collective = collective}, true);
    for (size_t i = 0; has_any && job->loader->writer->algorithm(job->loader, index, i, &algorithm); i++) {
        if (!is_all && strcmp(algorithm.name, name) != 0)
            continue;
        is_found = true;
        add_points(job,
                   (struct record_point){.collective = collective,
                                         .choice = record_choice(job, &algorithm),
                                         .number = algorithm.number},
                   is_all);
    }
    return is_found || refuse_algorithm(job, collective, name);
}

static bool add_collective(struct record_job *job, const char *name)
{
    const struct options *options = job->options;
    if (!mpi_can_record(name)) {
        const char *near = collective_nearest(name, strlen(name));
        return usage_refuse(options, "'%s' cannot be recorded%s", name,
                            usage_did_you_mean(&job->arena, near && strcmp(near, name) != 0 ? near : NULL));
    }
    for (size_t i = 0; i < options->algorithms.n; i++)
        if (!record_add_algorithm(job, name, options->algorithms.items[i]))
            return false;
    if (!options->algorithms.n)
        add_points(job, (struct record_point){.collective = name}, false);
    return true;
}

static bool record_check_options(const struct options *options)
{
    bool has_rooted = false;
    for (uint32_t i = 0; i < options->n_arguments; i++)
        has_rooted |= is_rooted(options->arguments[i]);
    if (!options->rank_list.n)
        return usage_refuse(options, "say on how many ranks: --ranks N");
    if (options->rank_list.items[0] < 2 ||
        options->rank_list.items[options->rank_list.n - 1] > MOST_RECORDED_RANKS)
        return usage_refuse(options, "collectives are recorded on 2 to %d ranks", MOST_RECORDED_RANKS);
    for (size_t i = 0; i < options->sizes.n; i++)
        if (options->sizes.items[i] % TRACE_ELEMENT || options->sizes.items[i] == 0 ||
            options->sizes.items[i] > 1 << 28)
            return usage_refuse(
                options, "sizes are multiples of %d bytes, up to 256MiB: each element names its origin",
                TRACE_ELEMENT);
    if (options->nonblocking && options->algorithms.n)
        return usage_refuse(options, "--algorithm names those of blocking calls; a variable of the MPI, by --mpirun, "
                                     "forces those of --non-blocking (docs/record.md)");
    if (options->roots.n && !has_rooted)
        return usage_refuse(options, "--root is of collectives that have one");
    if ((options->segment_bytes || options->fan_out) && !options->algorithms.n)
        return usage_refuse(options, "--segment and --fan-out are of an algorithm: name one by --algorithm");
    return true;
}

static bool make_points(struct record_job *job)
{
    const struct options *options = job->options;
    if (!record_check_options(options))
        return false;
    if (job->mpi.is_recorded_alone && (options->segment_bytes || options->fan_out))
        return usage_refuse(options,
                            "'%s' takes segments and fan-outs by its variables alone, such as --mpirun "
                            "'mpirun -genv MPIR_CVAR_ALLREDUCE_RECEXCH_KVAL 4'",
                            job->mpi.target);
    for (uint32_t i = 0; i < options->n_arguments; i++)
        if (!add_collective(job, options->arguments[i]))
            return false;
    if (job->is_refused)
        return false;
    if (job->n_points == 0)
        return usage_refuse(options, "nothing is left to record: no root is below the number of ranks");
    if (job->n_points > MOST_CALLS)
        return usage_refuse(options, "%zu calls are more than the %d that are recorded at once",
                            job->n_points, MOST_CALLS);
    return true;
}

/* ---- the MPI ---- */

static bool record_open_mpi(struct record_job *job)
{
    const struct options *options = job->options;
    if (!mpi_open(&job->mpi, options->target, options->mpicc, options->mpirun, &job->arena)) {
        usage_error_with(job->mpi.help, "%s", job->mpi.problem);
        return false;
    }
    job->loader = table_loader_find(job->mpi.target);
    return true;
}

/* ---- the results ---- */

/* Returns the name of the file of a call; NULL: it is not written, "-": standard output. */
static const char *file_of(struct record_job *job, size_t i)
{
    const struct options *options = job->options;
    const struct record_point *point = &job->points[i];
    const bool is_report_alone = options->like || option_is(options->format, "json");
    if (!options->output)
        return job->n_points > 1 || is_report_alone ? NULL : "-";
    if (job->n_points == 1)
        return options->output;
    const char *slash = strrchr(options->output, '/'), *dot = strrchr(options->output, '.');
    const size_t stem = dot && dot > options->output && (!slash || dot > slash + 1)
                            ? (size_t)(dot - options->output)
                            : strlen(options->output);
    return arena_printf(&job->arena, "%.*s-%s-%s-%" PRIu32 "-%" PRIu32 "-%" PRIu64 "%s", (int)stem,
                        options->output, point->collective,
                        point->choice.algorithm ? point->choice.algorithm : "default", point->n_ranks,
                        point->root, point->bytes, options->output + stem);
}

static int record_judge_call(struct record_job *job, const struct recorded *recorded, size_t i)
{
    const struct options *options = job->options;
    const struct judge_request request = {job->loader, options->like, job->mpi.kind->record_variable,
                                          options->settings, options->n_settings};
    struct judged *call = &job->calls[i];
    struct diagnostics findings = {0};
    const char *file = file_of(job, i);
    int status = STATUS_CLEAN;
    *call = (struct judged){.point = &job->points[i], .recorded = recorded};
    if (recorded->problem)
        return job->n_points == 1
                   ? usage_error_with("docs/record.md says what can be seen", "%s", recorded->problem)
                   : STATUS_FINDINGS;
    if (!judge(&request, &job->points[i], recorded, file && strcmp(file, "-") != 0 ? file : "<recorded>",
               call, &findings, &job->arena))
        status = STATUS_FAILED;
    else if (!judged_is_well(&request, call))
        status = STATUS_FINDINGS;
    if (job->n_points == 1 || status == STATUS_FAILED)
        say_diagnostics(options, &findings);
    if (status != STATUS_FAILED && file)
        output_text(file, &recorded->file);
    diagnostics_free(&findings);
    return status;
}

static void record_print_report(struct record_job *job)
{
    const char *file = file_of(job, 0);
    struct text text = {0};
    if (option_is(job->options->format, "json"))
        judged_json(&job->mpi, job->calls, job->n_points, &text);
    else
        judged_text(job->calls, job->n_points, &text);
    if (job->n_points == 1 && file && strcmp(file, "-") == 0)
        fputs(text.data, stderr);
    else
        output_text(NULL, &text);
    text_free(&text);
}

static int record_all_calls(struct record_job *job)
{
    const struct options *options = job->options;
    const struct record_request request = {
        .mpi = &job->mpi,
        .points = job->points,
        .n_points = job->n_points,
        .is_ordered = options->ordered,
        .is_in_place = options->in_place,
        .is_nonblocking = options->nonblocking,
        .seconds = options->time_limit.is_set ? (double)options->time_limit.value * 1e-9 : DEFAULT_SECONDS};
    struct recording recording;
    const bool is_recorded = record_calls(&request, &recording, &job->arena);
    int status = STATUS_CLEAN;
    mpi_close(&job->mpi);
    if (!is_recorded)
        status = usage_error_with(recording.help, "%s", recording.problem);
    job->calls = mem_alloc(job->n_points, sizeof *job->calls);
    for (size_t i = 0; i < job->n_points && status != STATUS_FAILED; i++) {
        const int of_call = record_judge_call(job, &recording.schedules[i], i);
        status = of_call > status ? of_call : status;
    }
    if (status != STATUS_FAILED)
        record_print_report(job);
    for (size_t i = 0; i < job->n_points; i++)
        judged_free(&job->calls[i]);
    free(job->calls);
    recording_free(&recording, job->n_points);
    return status;
}

int command_record(const struct options *options)
{
    struct record_job job = {.options = options};
    int status = STATUS_FAILED;
    if (record_open_mpi(&job) && make_points(&job))
        status = record_all_calls(&job);
    mpi_close(&job.mpi);
    for (struct record_place *place = job.places; place; place = place->next) {
        (void)job_close(&place->job, STATUS_CLEAN);
        placement_free(place->placement);
    }
    free(job.points);
    arena_free(&job.arena);
    return status;
}
