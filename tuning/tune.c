/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See tune.h.
 */
#include "tuning/tune.h"

#include "base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 3, MAX_CANDIDATES = 1000 };
static const double slow = 1.25;      /* times the least: not sampled again */
/* Shares of the time for the calls of each phase. */
static const double sample_share = 0.4, confirm_share = 0.3, again_share = 0.2;

/* Candidates of a collective; the first is the default. */
struct candidates {
    uint32_t collective;
    struct table_choice items[MAX_CANDIDATES];
    int64_t numbers[MAX_CANDIDATES];  /* number of each algorithm */
    size_t n;
};

struct tuning {
    const struct tune_request *request;
    struct measurements *measurements;
    struct tuned *tuned;
    struct arena *arena;
    struct candidates *candidates;    /* [collective of the request] */
    double started;
    double until;                     /* share of the time at which the phase should be over */
    size_t n_left;                    /* launches to come, this one included */
    /* state of the current launch */
    uint32_t launch;
    enum phase phase;
    char at[128];                     /* the point being measured */
    size_t n_ended;                   /* points that are */
};

static double tune_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool tune_fail(struct tuning *tuning, const char *problem, const char *help)
{
    tuning->tuned->problem = problem;
    tuning->tuned->help = help;
    return false;
}

/* ---- what there is to measure ---- */

static int compare_points(const void *x, const void *y)
{
    const struct point *a = x, *b = y;
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    if (a->n_ranks != b->n_ranks)
        return a->n_ranks < b->n_ranks ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static void add_point(struct tuned *tuned, struct point point)
{
    for (size_t i = 0; i < tuned->n; i++)
        if (compare_points(&tuned->points[i], &point) == 0)
            return;
    tuned->points = mem_grow(tuned->points, &tuned->capacity, tuned->n + 1, sizeof *tuned->points);
    tuned->points[tuned->n++] = point;
}

static void tune_add_points(struct tuning *tuning)
{
    const struct tune_request *request = tuning->request;
    for (size_t i = 0; i < request->n_collectives; i++)
        for (size_t j = 0; j < request->ranks.n; j++) {
            const uint32_t collective = request->collectives[i], n_ranks = (uint32_t)request->ranks.items[j];
            const bool has_size = strcmp(request->loader->collectives[collective], "barrier") != 0;
            for (size_t k = 0; k < (has_size ? request->sizes.n : 1); k++)
                add_point(tuning->tuned,
                          (struct point){collective, n_ranks, has_size ? request->sizes.items[k] : 0});
        }
    qsort(tuning->tuned->points, tuning->tuned->n, sizeof *tuning->tuned->points, compare_points);
}

static void tune_add_candidate(struct candidates *candidates, const struct table_algorithm *algorithm,
                               uint64_t segment, uint64_t fan_out)
{
    if (candidates->n == MAX_CANDIDATES)
        return;
    candidates->numbers[candidates->n] = algorithm->number;
    candidates->items[candidates->n++] =
        (struct table_choice){algorithm->name, {.segment_bytes = segment, .fan_out = fan_out}};
}

/* Adds a candidate, unless its row would make some legal call wrong. */
static void add_safe(const struct tuning *tuning, struct candidates *candidates,
                     const struct table_algorithm *algorithm, uint64_t segment, uint64_t fan_out)
{
    const struct table_choice choice = {algorithm->name, {.segment_bytes = segment, .fan_out = fan_out}};
    if (plan_is_safe(tuning->request->loader, candidates->collective, &choice, tuning->measurements->unmade))
        tune_add_candidate(candidates, algorithm, segment, fan_out);
}

static void add_candidates(const struct tuning *tuning, uint32_t collective, struct candidates *candidates)
{
    const struct tune_request *request = tuning->request;
    static const uint64_t fan_outs[] = {2, 4};
    struct table_algorithm algorithm;
    candidates->collective = collective;
    candidates->n = 1;
    for (size_t i = 0; request->loader->writer->algorithm(request->loader, collective, i, &algorithm); i++)
        for (size_t j = 0; j < (algorithm.has_fan_out ? sizeof fan_outs / sizeof *fan_outs : 1); j++) {
            const uint64_t fan_out = algorithm.has_fan_out ? fan_outs[j] : 0;
            add_safe(tuning, candidates, &algorithm, 0, fan_out);
            for (size_t k = 0; algorithm.has_segment && k < request->segments.n; k++)
                if (request->segments.items[k] > 0)
                    add_safe(tuning, candidates, &algorithm, request->segments.items[k], fan_out);
        }
}

static const struct candidates *candidates_of(const struct tuning *tuning, uint32_t collective)
{
    size_t i = 0;
    while (tuning->candidates[i].collective != collective)
        i++;
    return &tuning->candidates[i];
}

/* True if it is run itself there, and not the same without segments. */
static bool is_defined(const struct tuning *tuning, const struct point *point,
                       const struct table_choice *choice)
{
    const struct table_loader *loader = tuning->request->loader;
    const struct table_query query = {.collective = point->collective, .n_ranks = point->n_ranks,
                                      .type_bytes = point->bytes % 8 == 0 && point->bytes ? 8 : 1};
    if (!choice->algorithm)
        return true;
    const struct table_range range = loader->writer->outcome(loader, &query, choice, point->bytes);
    return !range.fails && !range.runs_as && choice->parameters.fan_out < point->n_ranks &&
           (choice->parameters.segment_bytes == 0 || choice->parameters.segment_bytes < point->bytes);
}

/* ---- a launch ---- */

static bool is_slow(const struct standing *standings, size_t n, const struct table_choice *choice)
{
    for (size_t i = 0; i < n; i++)
        if (choices_are_alike(&standings[i].choice, choice))
            return choice->algorithm && standings[i].ratio > slow * standings[0].ratio;
    return n > 0; /* left out before */
}

/* Writes the candidates that are sampled at the point and returns their number. */
static size_t put_samples(const struct tuning *tuning, const struct point *point, struct text *out)
{
    const struct candidates *candidates = candidates_of(tuning, point->collective);
    size_t n_standings, n = 0;
    struct standing *standings = decide_standings(tuning->measurements, PHASE_SAMPLE, point, &n_standings);
    for (size_t i = 0; i < candidates->n; i++)
        if (is_defined(tuning, point, &candidates->items[i]) &&
            !is_slow(standings, n_standings, &candidates->items[i])) {
            text_printf(out, " %zu", i);
            n++;
        }
    free(standings);
    return n;
}

static void tune_put_choice(const struct tuning *tuning, const struct point *point,
                            const struct table_choice *choice, bool *is_put, struct text *out)
{
    const struct candidates *candidates = candidates_of(tuning, point->collective);
    for (size_t i = 0; i < candidates->n; i++)
        if (choices_are_alike(&candidates->items[i], choice) && !is_put[i] &&
            is_defined(tuning, point, choice)) {
            text_printf(out, " %zu", i);
            is_put[i] = true;
        }
}

/* Writes the default, the candidate, and those of the neighbouring sizes; nothing if the default is the
 * fastest. */
static size_t put_confirmed(const struct tuning *tuning, size_t which, struct text *out)
{
    static const struct table_choice own;
    const struct tuned *tuned = tuning->tuned;
    const struct point *point = &tuned->points[which];
    bool is_put[MAX_CANDIDATES] = {false};
    const struct table_choice candidate = decide_candidate(tuning->measurements, tuned->points, tuned->n,
                                                           which);
    if (!candidate.algorithm)
        return 0;
    tune_put_choice(tuning, point, &own, is_put, out);
    for (size_t i = which > 0 ? which - 1 : 0; i <= which + 1 && i < tuned->n; i++) {
        const struct point *beside = &tuned->points[i];
        if (beside->collective != point->collective || beside->n_ranks != point->n_ranks)
            continue;
        const struct table_choice choice = decide_candidate(tuning->measurements, tuned->points, tuned->n, i);
        tune_put_choice(tuning, point, &choice, is_put, out);
    }
    return 1;
}

/* Writes the default and the accepted choice; nothing if that is the default. */
static size_t put_again(const struct tuning *tuning, size_t which, struct text *out)
{
    static const struct table_choice own;
    const struct decision *decision = &tuning->tuned->decisions[which];
    bool is_put[MAX_CANDIDATES] = {false};
    if (!decision->choice.algorithm)
        return 0;
    tune_put_choice(tuning, &decision->point, &own, is_put, out);
    tune_put_choice(tuning, &decision->point, &decision->choice, is_put, out);
    return 1;
}

/* Appends what is measured at a point in the phase; returns 0 if that is nothing. */
static size_t put_phase(const struct tuning *tuning, size_t which, struct text *out)
{
    if (tuning->phase == PHASE_SAMPLE)
        return put_samples(tuning, &tuning->tuned->points[which], out);
    return tuning->phase == PHASE_CONFIRM ? put_confirmed(tuning, which, out)
                                          : put_again(tuning, which, out);
}

/* Launches of a phase that have timed the default at the point. */
static uint32_t launches_at(const struct tuning *tuning, enum phase phase, const struct point *point)
{
    uint32_t n = 0, last = 0;
    for (size_t i = 0; i < tuning->measurements->n; i++) {
        const struct measurement *item = &tuning->measurements->items[i];
        if (item->phase == phase && item->collective == point->collective &&
            item->n_ranks == point->n_ranks &&
            item->bytes == point->bytes && !item->choice.algorithm && item->launch != last) {
            n++;
            last = item->launch;
        }
    }
    return n;
}

static void put_candidates(const struct tuning *tuning, struct text *out)
{
    for (size_t i = 0; i < tuning->request->n_collectives; i++) {
        const struct candidates *of = &tuning->candidates[i];
        for (size_t j = 0; j < of->n; j++) {
            text_printf(out, "candidate %s %zu ", tuning->request->loader->collectives[of->collective], j);
            measurement_put_algorithm(of->items[j].algorithm ? of->items[j].algorithm : "default", out);
            text_printf(out, " %" PRId64 " %" PRIu64 " %" PRIu64 "\n", of->numbers[j],
                        of->items[j].parameters.segment_bytes, of->items[j].parameters.fan_out);
        }
    }
}

/* Writes the lines for the driver and returns the number of points. */
static size_t put_launch(const struct tuning *tuning, uint32_t wanted, double seconds, struct text *out)
{
    const struct tuned *tuned = tuning->tuned;
    struct text lines = {0};
    size_t n = 0;
    bool *is_in = mem_alloc(tuned->n, sizeof *is_in);
    for (size_t i = 0; i < tuned->n; i++) {
        is_in[i] = launches_at(tuning, tuning->phase, &tuned->points[i]) < wanted;
        n += is_in[i];
    }
    const double each = seconds / (double)(n ? n : 1);
    n = 0;
    for (size_t i = 0; i < tuned->n; i++) {
        const struct point *point = &tuned->points[i];
        struct text indices = {0};
        if (is_in[i] && put_phase(tuning, i, &indices)) {
            text_printf(&lines, "measure %s %u %" PRIu64 " %.0f%s\n",
                        tuning->request->loader->collectives[point->collective], point->n_ranks, point->bytes,
                        each * 1e9, indices.data);
            n++;
        }
        text_free(&indices);
    }
    put_candidates(tuning, out);
    if (lines.length)
        text_append(out, lines.data, lines.length);
    text_free(&lines);
    free(is_in);
    return n;
}

/* Takes a line of the driver. */
static void tune_take_line(void *context, char *line)
{
    struct tuning *tuning = context;
    const struct tune_request *request = tuning->request;
    char collective[64];
    unsigned ranks, index, repetitions;
    unsigned long long bytes, median, least;
    struct text text = {0};
    if (strncmp(line, "begin ", 6) == 0)
        snprintf(tuning->at, sizeof tuning->at, "%s", line + 6);
    tuning->n_ended += strncmp(line, "end ", 4) == 0;
    if (sscanf(line, "time %63s %u %llu %u %u %llu %llu", collective, &ranks, &bytes, &index, &repetitions,
               &median,
               &least) != 7)
        return;
    const uint32_t which = table_collective(request->loader, collective);
    const struct candidates *of = candidates_of(tuning, which);
    if (index >= of->n || median == 0)
        return;
    const struct measurement measurement = {
        .launch = tuning->launch, .phase = tuning->phase, .collective = which, .n_ranks = ranks, .bytes =
            bytes,
        .choice = of->items[index], .repetitions = repetitions, .median = median, .least = least};
    measurements_add(tuning->measurements, &measurement);
    measurement_print(request->loader, &measurement, &text);
    request->record(request->context, text.data);
    text_free(&text);
}

static void tune_say_launch(const struct tuning *tuning, size_t n_points)
{
    const double spent = tune_now() - tuning->started, left = tuning->request->seconds - spent;
    char words[160];
    snprintf(words, sizeof words, "launch %u (%s): %zu point%s, %zu launch%s to come, %s%.0f s %s",
             tuning->launch, phase_name[tuning->phase], n_points, plural(n_points), tuning->n_left,
             tuning->n_left == 1 ? "" : "es", left > 0 ? "about " : "", left > 0 ? left : -left,
             left > 0 ? "left" : "over --time");
    tuning->request->say(tuning->request->context, words);
}

/* True if a launch that ended well has measured all points; else fails. */
static bool check_launch(struct tuning *tuning, size_t n)
{
    return tuning->n_ended >= n ||
           tune_fail(tuning,
                     arena_printf(tuning->arena,
                                  "a launch ended well, and there are no times of %zu of %zu points",
                                  n - tuning->n_ended, n),
                     "the launcher has to pass on what rank 0 prints");
}

static bool tune_run_launch(struct tuning *tuning, const struct text *lines, double seconds)
{
    const struct tune_request *request = tuning->request;
    struct mpi_command command =
        mpi_command(request->mpi, (uint32_t)request->ranks.items[request->ranks.n - 1]);
    const double limit = 60 + 5 * seconds;
    struct text why = {0};
    mpi_add_rules(&command, NULL);
    if (request->mpi->is_library)
        mpi_add_variable(&command, "LD_PRELOAD", request->mpi->spy);
    mpi_add(&command, request->mpi->driver);
    mpi_add(&command, mpi_write(request->mpi, "lines", lines));
    mpi_add(&command, arena_printf(tuning->arena, "%.0f", limit + 30));
    mpi_add(&command, arena_printf(tuning->arena, "%u", tuning->launch));
    struct launch launch = {
        .words = command.words, .seconds = limit, .line = tune_take_line, .context = tuning};
    const enum launch_end end = launch_run(&launch);
    launch_explain(&launch, end, &why);
    if (end != LAUNCH_WELL)
        tune_fail(tuning,
                  arena_printf(tuning->arena, "%s%s%s", why.data,
                               tuning->at[0] ? "\nthe last that began: " : "", tuning->at),
                  "what was measured before is kept, and goes on by --from");
    text_free(&why);
    text_free(&launch.said);
    return end == LAUNCH_WELL;
}

/* Returns the time for each remaining launch of the phase: an equal part of its share, or of the rest if
 * earlier ones took longer. */
static double seconds_each(const struct tuning *tuning, double part, size_t n_left)
{
    const double left = tuning->until * tuning->request->seconds - (tune_now() - tuning->started);
    const double of_left = left > 0 ? left / (double)n_left : 0;
    return part < of_left ? part : of_left;
}

/* Launches until every point has the wanted number; `share` of the time. */
static bool run_phase(struct tuning *tuning, enum phase phase, uint32_t wanted, double share)
{
    tuning->phase = phase;
    tuning->until += share;
    for (uint32_t i = 0; i < wanted; i++) {
        struct text lines = {0};
        char head[64];
        const double seconds = seconds_each(tuning, tuning->request->seconds * share / wanted, wanted - i);
        const size_t n = put_launch(tuning, wanted, seconds, &lines);
        if (n == 0) {
            text_free(&lines);
            return true;
        }
        tuning->launch = tuning->measurements->n_launches + 1;
        tuning->n_left = wanted - i;
        tuning->at[0] = '\0';
        tuning->n_ended = 0;
        tune_say_launch(tuning, n);
        snprintf(head, sizeof head, "launch %u %s\n", tuning->launch, phase_name[phase]);
        tuning->request->record(tuning->request->context, head);
        const bool is_run = tune_run_launch(tuning, &lines, seconds) && check_launch(tuning, n);
        text_free(&lines);
        if (!is_run)
            return false;
    }
    return true;
}

/* ---- search ---- */

/* Adds sizes between neighbours whose candidates differ. Returns true if there are any. */
static bool add_between(struct tuning *tuning)
{
    struct tuned *tuned = tuning->tuned;
    const size_t n = tuned->n;
    struct point *added = mem_alloc(n + 1, sizeof *added);
    size_t n_added = 0;
    for (size_t i = 1; i < n; i++) {
        const struct point *a = &tuned->points[i - 1], *b = &tuned->points[i];
        const struct table_loader *loader = tuning->request->loader;
        if (a->collective != b->collective || a->n_ranks != b->n_ranks || b->bytes < a->bytes + 16 ||
            loader->writer->has_one_choice(loader, a->collective))
            continue;
        const struct table_choice one = decide_candidate(tuning->measurements, tuned->points, n, i - 1);
        const struct table_choice other = decide_candidate(tuning->measurements, tuned->points, n, i);
        const uint64_t middle = (uint64_t)sqrt((double)a->bytes * (double)b->bytes) / 8 * 8;
        if (!choices_are_alike(&one, &other) && middle > a->bytes)
            added[n_added++] = (struct point){a->collective, a->n_ranks, middle};
    }
    for (size_t i = 0; i < n_added; i++)
        add_point(tuned, added[i]);
    free(added);
    qsort(tuned->points, tuned->n, sizeof *tuned->points, compare_points);
    return n_added > 0;
}

/* ---- all of it ---- */

/* Adds the measured points among those that are asked for. */
static void add_measured(struct tuning *tuning)
{
    const struct tune_request *request = tuning->request;
    for (size_t i = 0; i < tuning->measurements->n; i++) {
        const struct measurement *item = &tuning->measurements->items[i];
        bool is_wanted[] = {false, false, request->sizes.n == 0};
        for (size_t j = 0; j < request->n_collectives; j++)
            is_wanted[0] |= request->collectives[j] == item->collective;
        for (size_t j = 0; j < request->ranks.n; j++)
            is_wanted[1] |= request->ranks.items[j] == item->n_ranks;
        for (size_t j = 0; j < request->sizes.n; j++)
            is_wanted[2] |= request->sizes.items[j] == item->bytes;
        if (is_wanted[0] && is_wanted[1] && is_wanted[2])
            add_point(tuning->tuned, (struct point){item->collective, item->n_ranks, item->bytes});
    }
    if (tuning->tuned->n)
        qsort(tuning->tuned->points, tuning->tuned->n, sizeof *tuning->tuned->points, compare_points);
}

static void open_candidates(struct tuning *tuning)
{
    const struct tune_request *request = tuning->request;
    tuning->candidates = mem_alloc(request->n_collectives, sizeof *tuning->candidates);
    for (size_t i = 0; i < request->n_collectives; i++)
        add_candidates(tuning, request->collectives[i], &tuning->candidates[i]);
}

/* ---- a table to check ---- */

/* Returns what the rules of the table say of calls at the point; algorithm NULL: nothing, or what is not
 * run itself. */
static struct table_choice checked_choice(const struct tuning *tuning, const struct point *point)
{
    const struct tune_request *request = tuning->request;
    const struct table_query query = {.collective = point->collective, .n_ranks = point->n_ranks,
                                      .type_bytes = point->bytes % 8 == 0 && point->bytes ? 8 : 1};
    const struct table_range range =
        request->loader->choose(request->check, &query, false, point->bytes, tuning->arena);
    const struct table_choice choice = {
        range.algorithm,
        {.segment_bytes = range.has_segment ? range.parameters.segment_bytes : 0,
         .fan_out = range.has_fan_out ? range.parameters.fan_out : 0}};
    const bool is_run = range.rule && !range.fails && !range.runs_as && is_defined(tuning, point, &choice);
    return is_run ? choice : (struct table_choice){0};
}

/* Adds the choice to the candidates of its collective. False: it cannot be measured. */
static bool add_checked(struct tuning *tuning, struct candidates *candidates,
                        const struct table_choice *choice)
{
    const struct table_loader *loader = tuning->request->loader;
    struct table_algorithm algorithm;
    for (size_t i = 1; i < candidates->n; i++)
        if (choices_are_alike(&candidates->items[i], choice))
            return true;
    const size_t n = candidates->n;
    for (size_t i = 0; loader->writer->algorithm(loader, candidates->collective, i, &algorithm); i++)
        if (strcmp(algorithm.name, choice->algorithm) == 0)
            tune_add_candidate(candidates, &algorithm, choice->parameters.segment_bytes,
                               choice->parameters.fan_out);
    return candidates->n > n;
}

/* Leaves the points that the table has rules for, which are the decisions that are held to launches. */
static void keep_checked(struct tuning *tuning)
{
    const struct tune_request *request = tuning->request;
    struct tuned *tuned = tuning->tuned;
    const size_t n = tuned->n;
    tuned->decisions = mem_alloc(n, sizeof *tuned->decisions);
    tuning->candidates = mem_alloc(request->n_collectives, sizeof *tuning->candidates);
    for (size_t i = 0; i < request->n_collectives; i++) {
        tuning->candidates[i].collective = request->collectives[i];
        tuning->candidates[i].n = 1;
    }
    tuned->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct point point = tuned->points[i];
        const struct table_choice choice = checked_choice(tuning, &point);
        struct candidates *of = tuning->candidates;
        while (of->collective != point.collective)
            of++;
        if (!choice.algorithm || !add_checked(tuning, of, &choice))
            continue;
        tuned->points[tuned->n] = point;
        tuned->decisions[tuned->n++] =
            (struct decision){.point = point, .candidate = choice, .choice = choice};
    }
}

static bool tune_check(struct tuning *tuning)
{
    struct tuned *tuned = tuning->tuned;
    tune_add_points(tuning);
    keep_checked(tuning);
    if (tuned->n == 0)
        return tune_fail(tuning, "the file has no rule that acts on these collectives, ranks and sizes",
                         "'collc pick' shows what its rules are for");
    if (!run_phase(tuning, PHASE_AGAIN, decide_launches(tuned->n), 1 - again_share / 2))
        return false;
    decide_again(tuning->measurements, tuned->decisions, tuned->n);
    return true;
}

/* Decides from what is known; measures what stands in a second series, if it can, and decides again. */
static bool tune_settle(struct tuning *tuning)
{
    struct tuned *tuned = tuning->tuned;
    size_t n_stand = 0;
    tuned->decisions = mem_alloc(tuned->n, sizeof *tuned->decisions);
    decide(tuning->measurements, tuned->points, tuned->n, tuned->decisions);
    for (size_t i = 0; i < tuned->n; i++)
        n_stand += tuned->decisions[i].choice.algorithm != NULL;
    if (tuning->request->mpi && n_stand &&
        !run_phase(tuning, PHASE_AGAIN, decide_launches(n_stand), again_share))
        return false;
    decide_again(tuning->measurements, tuned->decisions, tuned->n);
    return true;
}

static bool tune_measure(struct tuning *tuning)
{
    const struct tune_request *request = tuning->request;
    const double search_share = request->is_search ? sample_share / 3 : 0;
    tune_add_points(tuning);
    open_candidates(tuning);
    bool is_run = run_phase(tuning, PHASE_SAMPLE, SAMPLES, sample_share - search_share);
    if (is_run && request->is_search && add_between(tuning))
        is_run = run_phase(tuning, PHASE_SAMPLE, SAMPLES, search_share);
    return is_run && run_phase(tuning, PHASE_CONFIRM, decide_launches(tuning->tuned->n), confirm_share);
}

bool tune(const struct tune_request *request, struct measurements *measurements, struct tuned *tuned,
          struct arena *arena)
{
    struct tuning tuning = {.request = request,
                            .measurements = measurements,
                            .tuned = tuned,
                            .arena = arena,
                            .started = tune_now()};
    *tuned = (struct tuned){0};
    bool is_run = true;
    if (request->check) {
        is_run = tune_check(&tuning);
        free(tuning.candidates);
        return is_run;
    }
    if (request->mpi)
        is_run = tune_measure(&tuning);
    else
        add_measured(&tuning);
    if (is_run && tuned->n == 0)
        is_run = tune_fail(&tuning, "there are no times of these collectives, ranks and sizes",
                           "see what the file has");
    is_run = is_run && tune_settle(&tuning);
    free(tuning.candidates);
    return is_run;
}

void tuned_free(struct tuned *tuned)
{
    free(tuned->points);
    free(tuned->decisions);
    *tuned = (struct tuned){0};
}
