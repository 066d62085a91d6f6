/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See times.h.
 */
#include "compiler/driver/times.h"

#include "base/text/lines.h"
#include "compiler/algorithms/builtin.h"
#include "costs/of_targets.h"
#include "network/placement/placement_make.h"

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

/* Returns the collective of the only algorithm that is named; N_COLLECTIVES: there is none. */
static enum collective times_collective(const struct options *options)
{
    enum collective_form form;
    const struct text_list *algorithms = &options->algorithms;
    return algorithms->n == 1
               ? collective_find_form(algorithms->items[0], strcspn(algorithms->items[0], "/"), &form)
               : N_COLLECTIVES;
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

/* True if a line names its algorithm: "time bcast/binomial ...". */
static bool times_name_algorithms(const struct source *source)
{
    struct lines lines;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        if (lines_starts(&lines, "time "))
            return true;
    return false;
}

static bool times_read_file(struct times *times, const char *path)
{
    struct job *job = times->job;
    const struct points_request request = {.name = name_point,
                                           .context = times,
                                           .n_ranks = job->options->ranks,
                                           .ranks_per_machine = job->options->ranks_per_machine,
                                           .is_placed = job->options->placement,
                                           .unnamed = times_collective(job->options)};
    struct arena *arena = &job->scene.arena;
    const struct source *source = source_read(path, TIMES_LIMIT, arena, &job->diagnostics);
    if (!source || !source_check_utf8(source, &job->diagnostics))
        return false;
    if (job->options->command == COMMAND_why && !job->options->as && !job->options->algorithms.n &&
        !times_name_algorithms(source))
        return usage_refuse(job->options, "%s%s", TIMES_SAY_WHAT,
                            job->options->ranks ? "" : TIMES_SAY_RANKS);
    if (are_times_of_tune(source))
        return read_times_of_tune(times, source);
    return points_read(&times->points, &request, source, arena, &job->diagnostics);
}

static void say_left_out(const struct points_left_out *rows, const char *why)
{
    if (rows->n)
        fprintf(stderr, "collc: note: %s:%u: %zu row%s left out, of %s: %s\n", rows->first.source->path,
                rows->first.line, rows->n, rows->n == 1 ? " is" : "s are", rows->names, why);
}

static void say_what_is_left_out(const struct times *times)
{
    const struct timed_points *points = &times->points;
    const char *separator = "";
    say_left_out(&points->unknown, "the benchmark is not known here");
    say_left_out(&points->unmeasured, "the benchmark has measured nothing there");
    say_left_out(&points->wrong, "the benchmark found wrong results");
    if (times->n_without_counterpart)
        fprintf(stderr, "collc: note: %zu times are of algorithms that the library has not\n",
                times->n_without_counterpart);
    if (!points->n_not_named)
        return;
    fprintf(stderr,
            "collc: note: %zu time%s left out, whose algorithm is not known: name it by --algorithm, or "
            "the MPI by --%s (",
            points->n_not_named, points->n_not_named == 1 ? " is" : "s are",
            times_option(times->job->options));
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

/* True if the topology has one of the hosts. */
static bool times_has_host(const struct topology *topology, const char *hosts)
{
    struct slice rest = slice_of(hosts);
    while (rest.length) {
        const struct slice host = slice_take_until(&rest, ',');
        if (topology_find_host(topology, host.text, host.length) < topology->n_machines)
            return true;
    }
    return false;
}

/* Leaves hosts that benchmarks print alone where the topology knows none of them. */
static void times_place(const struct topology *topology, struct timed_points *points)
{
    const char *strange = NULL, *known = NULL;
    for (size_t i = 0; i < points->n; i++) {
        struct timed_point *point = &points->items[i];
        if (!point->are_hosts_of_ranks || point->hosts == known)
            continue;
        if (point->hosts != strange && times_has_host(topology, point->hosts)) {
            known = point->hosts;
            continue;
        }
        if (!strange)
            fprintf(stderr,
                    "collc: note: the topology has none of the hosts that the output names (%.*s ...): ranks are "
                    "placed by --placement, in the topology's order without it\n",
                    (int)strcspn(point->hosts, ","), point->hosts);
        strange = point->hosts;
        point->hosts = NULL;
        point->are_hosts_of_ranks = false;
    }
}

/* Leaves out times of collectives on other numbers of ranks than --ranks; a line of hosts says its own. */
static bool times_keep_ranks(const struct options *options, struct timed_points *points)
{
    const size_t n = points->n;
    uint32_t other = 0;
    points->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct timed_point *point = &points->items[i];
        const bool is_kept = point->kind != TIMED_ALGORITHM || point->n_ranks == options->ranks ||
                             (point->hosts && !point->are_hosts_of_ranks);
        other = is_kept ? other : point->n_ranks;
        if (is_kept)
            points->items[points->n++] = points->items[i];
    }
    if (n && !points->n)
        return usage_refuse(options, "there is no time of %u ranks: the output has %u", options->ranks, other);
    if (points->n < n)
        fprintf(stderr, "collc: note: %zu times of other numbers of ranks than %u are left out\n",
                n - points->n, options->ranks);
    return true;
}

/* Leaves out collectives without data, such as the first row of IMB. */
static void times_leave_out_empty(struct timed_points *points)
{
    const size_t n = points->n;
    points->n = 0;
    for (size_t i = 0; i < n; i++)
        if (points->items[i].bytes || points->items[i].kind != TIMED_ALGORITHM ||
            strncmp(points->items[i].algorithm, "barrier/", 8) == 0)
            points->items[points->n++] = points->items[i];
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
    times_leave_out_empty(&times->points);
    if (is_read)
        times_place(job->scene.owned.topology, &times->points);
    return is_read && (!options->ranks || times_keep_ranks(options, &times->points));
}
