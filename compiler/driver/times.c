/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See times.h.
 */
#include "compiler/driver/times.h"

#include "base/text/lines.h"
#include "compiler/algorithms/builtin.h"
#include "costs/of_targets.h"

#include <stdio.h>
#include <string.h>

enum { TIMES_LIMIT = 1 << 26 };

/* Returns the option that names an MPI. */
static const char *times_option(const struct options *options)
{
    return options->command == COMMAND_fit ? "target" : "as";
}

/* Takes the algorithm of the library that --algorithm names for a collective, or what the MPI takes. */
static bool name_point(void *context, enum collective collective, struct timed_point *point)
{
    const struct times *times = context;
    const struct text_list *algorithms = &times->job->options->algorithms;
    const char *name = collective_table[collective].name;
    for (size_t i = 0; i < algorithms->n; i++) {
        const char *given = algorithms->items[i];
        if (strncmp(given, name, strlen(name)) == 0 && given[strlen(name)] == '/') {
            point->algorithm = given;
            return true;
        }
    }
    return times->table &&
           point_of_table(times->table, times->each, collective, point, &times->job->scene.arena);
}

static bool are_times_of_tune(const struct source *source)
{
    struct diagnostics unused = {0};
    struct lines lines;
    struct slice word = {0};
    lines_open(&lines, source, &unused);
    while (word.length == 0 && lines_next(&lines))
        if ((word = lines_take_word(&lines)).length && *word.text == '#')
            word.length = 0;
    return slice_is(word, "launch");
}

static bool read_times_of_tune(struct times *times, const struct source *source)
{
    const struct options *options = times->job->options;
    if (!times->table)
        return usage_refuse(options,
                            "'%s' has times of an MPI's own algorithms: say of which, for example "
                            "'--%s ompi-4.1'",
                            source->path, times_option(options));
    struct measurements measurements = {.loader = times->table->loader};
    const bool is_read = measurements_read(&measurements, source, &times->job->diagnostics);
    if (is_read)
        points_of_measurements(&times->points, &measurements, source, &times->n_without_counterpart,
                               &times->job->scene.arena);
    measurements_free(&measurements);
    return is_read;
}

static bool times_read_file(struct times *times, const char *path)
{
    struct job *job = times->job;
    const struct points_request request = {name_point, times, job->options->ranks,
                                           job->options->ranks_per_machine};
    struct arena *arena = &job->scene.arena;
    const struct source *source = source_read(path, TIMES_LIMIT, arena, &job->diagnostics);
    if (!source || !source_check_utf8(source, &job->diagnostics))
        return false;
    if (are_times_of_tune(source))
        return read_times_of_tune(times, source);
    return points_read(&times->points, &request, source, arena, &job->diagnostics);
}

static void say_what_is_left_out(const struct times *times)
{
    const struct timed_points *points = &times->points;
    const char *separator = "";
    if (points->n_unknown)
        fprintf(stderr, "collc: note: %zu times are of benchmarks that are not known here\n",
                points->n_unknown);
    if (times->n_without_counterpart)
        fprintf(stderr, "collc: note: %zu times are of algorithms that the library has not\n",
                times->n_without_counterpart);
    if (!points->n_not_named)
        return;
    fprintf(stderr,
            "collc: note: %zu times are left out, whose algorithm is not known: name it by --algorithm, or "
            "the MPI by --%s (",
            points->n_not_named, times_option(times->job->options));
    for (uint32_t i = 0; i < N_COLLECTIVES; i++)
        if (points->is_not_named[i]) {
            fprintf(stderr, "%s%s", separator, collective_table[i].name);
            separator = ", ";
        }
    fprintf(stderr, ")\n");
}

static bool times_check_algorithms(const struct options *options)
{
    enum collective_form form;
    for (size_t i = 0; i < options->algorithms.n; i++)
        if (!builtin_of_name(options->algorithms.items[i], &form))
            return usage_refuse(options, "there is no built-in algorithm '%s'", options->algorithms.items[i]);
    return true;
}

bool times_read(struct job *job, struct times *times)
{
    const struct options *options = job->options;
    times->job = job;
    bool is_read = times_check_algorithms(options);
    for (uint32_t i = 0; i < options->n_arguments && is_read; i++)
        is_read = times_read_file(times, options->arguments[i]);
    if (is_read)
        say_what_is_left_out(times);
    return is_read;
}
