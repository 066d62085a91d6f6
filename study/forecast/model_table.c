/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See model_table.h. A candidate is an algorithm of the target with a segment size and a fan-out; its
 * time at a size is that of its counterpart in the library with the resulting number of segments.
 * Schedules are measured once for each number of segments (struct measured).
 *
 * A candidate counts for a size only if the target would run it and no other algorithm in its place.
 */
#include "study/forecast/model_table.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

/* Limits of segments, of messages in all, and of halvings. */
enum { MAX_SEGMENTS = 1024, MAX_MESSAGES = 1 << 17, MAX_HALVINGS = 8 };
#define NOT_KNOWN UINT64_MAX

static const uint64_t fan_outs[] = {2, 4, 8};
enum { LEAST_SEGMENT = 1024, MOST_SEGMENT = 1 << 20 };

struct candidate {
    struct table_choice choice;
    const struct counterpart_program *program;
};

/* A program, bound and measured. */
struct measured {
    const struct counterpart_program *program;
    uint64_t n_segments;
    struct table_parameters parameters; /* segments aside */
    bool works;
    const char *problem;           /* why it does not, in the arena */
    bool is_apart;                 /* as a message has no route */
    uint32_t segments;             /* chunks of a block */
    struct predict_loads loads;
};

struct model {
    const struct model_request *request;
    struct arena *arena;
    const struct table *none;      /* choices without a table */
    struct counterpart_program *programs;
    struct candidate *candidates;
    struct measured *measured;
    const char *problem;           /* why the last time that was asked for is not known */
    bool is_apart;
    size_t n_programs, n_candidates, candidates_capacity, n_measured, measured_capacity;
};

static uint32_t model_table_ranks_of(const struct model *model)
{
    return model->request->forecast.where.placement->n_ranks;
}

/* Returns a query with elements of 8 bytes, if the size is a multiple. */
static struct table_query query_of(const struct model *model, uint64_t bytes)
{
    return (struct table_query){.collective = model->request->collective,
                                .n_ranks = model_table_ranks_of(model),
                                .n_nodes = model->request->forecast.where.placement->n_servers,
                                .type_bytes = table_type_bytes(bytes)};
}

/* ---- times ---- */

/* Sets why a time is not known, and returns that. */
static uint64_t not_known(struct model *model, const char *problem, bool is_apart)
{
    model->problem = problem;
    model->is_apart = is_apart;
    return NOT_KNOWN;
}

/* Keeps the first error as the reason. */
static void keep_problem(struct model *model, struct measured *measured,
                         const struct diagnostics *diagnostics)
{
    const struct diagnostic *why = diagnostics->first;
    while (why && why->severity != SEVERITY_ERROR)
        why = why->next;
    measured->is_apart = why && (why->code == CODE_L002 || why->code == CODE_L003);
    measured->problem =
        why ? arena_printf(model->arena, "%s (%s)%s%s", why->message, code_table[why->code].id,
                           why->related_text ? "; " : "", why->related_text ? why->related_text : "")
            : "it cannot be measured";
}

static void model_table_measure(struct model *model, struct measured *measured)
{
    struct diagnostics diagnostics = {0};
    struct parameter_setting settings[COUNTERPART_SETTINGS];
    const struct counterpart_program *program = measured->program;
    struct bind_request where = model->request->forecast.where;
    where.settings = settings;
    where.n_settings =
        counterpart_settings(program->of, measured->n_segments, &measured->parameters, settings);
    struct binding *binding = bind_program(program->scene.program, &where, &diagnostics);
    measured->segments = binding ? binding->segments : 0;
    measured->works = binding && forecast_loads(binding, model->request->forecast.no_symmetry,
                                                &measured->loads, &diagnostics);
    if (!measured->works)
        keep_problem(model, measured, &diagnostics);
    binding_free(binding);
    diagnostics_free(&diagnostics);
    observer_tell(&model->request->forecast.observer, "schedules measured", model->n_measured + 1, 0);
}

static const struct measured *measured_of(struct model *model, const struct counterpart_program *program,
                                          uint64_t n_segments, const struct table_parameters *parameters)
{
    for (size_t i = 0; i < model->n_measured; i++)
        if (model->measured[i].program == program && model->measured[i].n_segments == n_segments &&
            model->measured[i].parameters.fan_out == parameters->fan_out &&
            model->measured[i].parameters.max_requests == parameters->max_requests)
            return &model->measured[i];
    struct measured one = {.program = program, .n_segments = n_segments, .parameters = *parameters};
    model_table_measure(model, &one);
    model->measured =
        mem_grow(model->measured, &model->measured_capacity, model->n_measured + 1, sizeof one);
    model->measured[model->n_measured] = one;
    return &model->measured[model->n_measured++];
}

static uint64_t time_of(struct model *model, const struct counterpart_program *program,
                        const struct table_parameters *parameters, uint64_t bytes)
{
    const struct forecast_request *forecast = &model->request->forecast;
    const uint64_t n_segments =
        counterpart_segments(program->of, parameters->segment_bytes, bytes, model_table_ranks_of(model));
    if (n_segments > MAX_SEGMENTS || n_segments * model_table_ranks_of(model) > MAX_MESSAGES)
        return not_known(model, "its segments are too many to be predicted", false);
    const struct measured *measured = measured_of(model, program, n_segments, parameters);
    if (!measured->works)
        return not_known(model, measured->problem, measured->is_apart);
    const uint64_t chunk = collective_chunk_bytes(forecast->collective, measured->segments, bytes);
    return predict_time(&measured->loads, &forecast->simulation.settings.costs, chunk).time;
}

static uint64_t candidate_time(struct model *model, const struct candidate *candidate, uint64_t bytes)
{
    const struct table_query query = query_of(model, bytes);
    const struct table_range range =
        model->request->loader->writer->outcome(model->request->loader, &query, &candidate->choice, bytes);
    if (range.fails || range.runs_as)
        return NOT_KNOWN;
    return time_of(model, candidate->program, &candidate->choice.parameters, bytes);
}

static const struct counterpart_program *model_table_program_of(const struct model *model,
                                                                const struct counterpart *counterpart)
{
    for (size_t i = 0; i < model->n_programs; i++)
        if (model->programs[i].of == counterpart)
            return &model->programs[i];
    return NULL;
}

/* Returns the time of the target's decision for calls without a rule. *is_unseen: the library has it and
 * cannot predict it. */
static uint64_t default_seen(struct model *model, uint64_t bytes, bool *is_unseen)
{
    struct table_query query = query_of(model, bytes);
    query.is_launched = true;
    const struct taken taken = taken_find(model->none, &query, bytes, model->arena);
    const struct counterpart_program *program =
        taken.problem ? NULL : model_table_program_of(model, taken.counterpart);
    *is_unseen = false;
    if (!program)
        return not_known(model, taken.problem ? taken.problem : "its counterpart cannot be read", false);
    const uint64_t time = time_of(model, program, &taken.range.parameters, bytes);
    *is_unseen = time == NOT_KNOWN;
    return time;
}

static uint64_t model_table_default_time(struct model *model, uint64_t bytes)
{
    bool is_unseen;
    return default_seen(model, bytes, &is_unseen);
}

static uint64_t choice_time(struct model *model, const struct candidate *choice, uint64_t bytes)
{
    return choice ? candidate_time(model, choice, bytes) : model_table_default_time(model, bytes);
}

/* Returns the time for comparisons: no candidate is faster than a decision that cannot be predicted. */
static uint64_t choice_rank(struct model *model, const struct candidate *choice, uint64_t bytes)
{
    bool is_unseen;
    if (choice)
        return candidate_time(model, choice, bytes);
    const uint64_t time = default_seen(model, bytes, &is_unseen);
    return is_unseen ? 0 : time;
}

/* ---- candidates ---- */

static void model_table_add_candidate(struct model *model, const struct counterpart_program *program,
                                      struct table_parameters parameters)
{
    const struct model_request *request = model->request;
    const struct table_choice choice = {program->of->theirs, parameters};
    if (!plan_is_safe(request->loader, request->collective, &choice, request->unmade))
        return;
    model->candidates = mem_grow(model->candidates, &model->candidates_capacity, model->n_candidates + 1,
                                 sizeof *model->candidates);
    model->candidates[model->n_candidates++] =
        (struct candidate){choice, program};
}

static void add_segments(struct model *model, const struct counterpart_program *program, bool has_segment,
                         uint64_t fan_out)
{
    const struct size_list *sizes = &model->request->forecast.sizes;
    const uint64_t largest = sizes->items[sizes->n - 1];
    model_table_add_candidate(model, program, (struct table_parameters){.fan_out = fan_out});
    for (uint64_t segment = LEAST_SEGMENT; has_segment && segment <= MOST_SEGMENT && segment < largest;
         segment *= 2)
        model_table_add_candidate(model, program,
                                  (struct table_parameters){.segment_bytes = segment, .fan_out = fan_out});
}

static void add_algorithm(struct model *model, const struct table_algorithm *algorithm)
{
    const struct table_loader *loader = model->request->loader;
    const struct counterpart *counterpart =
        counterpart_find(loader->target, loader->collectives[model->request->collective], algorithm->name,
                         model_table_ranks_of(model));
    if (!counterpart)
        return;
    struct counterpart_program *program = &model->programs[model->n_programs];
    *program = counterpart_open(counterpart, model->request->forecast.form);
    model->n_programs++;
    if (!program->scene.program)
        return;
    const bool has_segment = algorithm->has_segment && counterpart->segments;
    if (!algorithm->has_fan_out)
        add_segments(model, program, has_segment, 0);
    for (size_t i = 0; algorithm->has_fan_out && i < sizeof fan_outs / sizeof *fan_outs; i++)
        if (fan_outs[i] < model_table_ranks_of(model))
            add_segments(model, program, has_segment, fan_outs[i]);
}

static void add_algorithms(struct model *model)
{
    const struct table_loader *loader = model->request->loader;
    const uint32_t collective = model->request->collective;
    struct table_algorithm algorithm;
    size_t n = 0;
    while (loader->writer->algorithm(loader, collective, n, &algorithm))
        n++;
    model->programs = arena_alloc(model->arena, n + 1, sizeof *model->programs);
    for (size_t i = 0; i < n; i++) {
        loader->writer->algorithm(loader, collective, i, &algorithm);
        add_algorithm(model, &algorithm);
    }
}

/* ---- choices ---- */

/* True if `time` is as good as `best`. */
static bool is_as_good(uint64_t time, uint64_t best)
{
    return time != NOT_KNOWN && time - time / 100 * MODEL_TOLERANCE_PERCENT <= best;
}

/* Returns the candidate with the least time, or NULL. */
static const struct candidate *fastest(struct model *model, uint64_t bytes, uint64_t *least)
{
    const struct candidate *best = NULL;
    *least = NOT_KNOWN;
    for (size_t i = 0; i < model->n_candidates; i++) {
        const uint64_t time = candidate_time(model, &model->candidates[i], bytes);
        if (time < *least) {
            *least = time;
            best = &model->candidates[i];
        }
    }
    return best;
}

/* Chooses the target's own decision if nothing is known to be faster; the choice of the size before, as
 * long as nothing is faster. */
static const struct candidate *choose_at(struct model *model, uint64_t bytes, const struct candidate *before)
{
    uint64_t least;
    const struct candidate *best = fastest(model, bytes, &least);
    if (!best || is_as_good(choice_rank(model, NULL, bytes), least))
        return NULL;
    return before && is_as_good(candidate_time(model, before, bytes), least) ? before : best;
}

/* Returns the one candidate for all sizes that is nowhere slower than the target's own decision, and gains
 * most, or NULL. */
static const struct candidate *choose_one(struct model *model)
{
    const struct size_list *sizes = &model->request->forecast.sizes;
    const struct candidate *best = NULL;
    double most = 0;
    for (size_t i = 0; i < model->n_candidates; i++) {
        double gain = 0;
        bool is_slower = false, is_faster = false;
        for (size_t j = 0; j < sizes->n && !is_slower; j++) {
            const uint64_t own = model_table_default_time(model, sizes->items[j]);
            const uint64_t time = candidate_time(model, &model->candidates[i], sizes->items[j]);
            is_slower = own == NOT_KNOWN || time > own;
            is_faster |= !is_as_good(own, time);
            gain += is_slower ? 0 : (double)(own - time) / (double)(own ? own : 1);
        }
        if (!is_slower && is_faster && gain > most) {
            most = gain;
            best = &model->candidates[i];
        }
    }
    return best;
}

/* Returns approximately the least size above `below`, up to `above`, from which `next` is faster, by a few
 * halvings. */
static uint64_t border(struct model *model, const struct candidate *before, const struct candidate *next,
                       uint64_t below, uint64_t above)
{
    for (int i = 0; i < MAX_HALVINGS && above - below > 1; i++) {
        const uint64_t middle = below + (above - below) / 2;
        if (choice_rank(model, next, middle) < choice_rank(model, before, middle))
            above = middle;
        else
            below = middle;
    }
    return above;
}

static void model_table_add_range(struct model *model, struct model_row *row, struct model_range *ranges,
                                  uint64_t first, const struct candidate *choice, uint64_t at)
{
    if (row->n)
        ranges[row->n - 1].bytes.last = first - 1;
    ranges[row->n++] = (struct model_range){.bytes = {first, SPAN_NO_END},
                                            .choice = choice ? choice->choice : (struct table_choice){0},
                                            .at = at,
                                            .time = choice_time(model, choice, at),
                                            .default_time = model_table_default_time(model, at)};
}

static void model_table_find_ranges(struct model *model, struct model_row *row)
{
    const struct model_request *request = model->request;
    const struct size_list *sizes = &request->forecast.sizes;
    struct model_range *ranges = arena_alloc(model->arena, sizes->n, sizeof *ranges);
    const struct candidate *before = NULL;
    row->ranges = ranges;
    if (request->loader->writer->has_one_choice(request->loader, request->collective)) {
        model_table_add_range(model, row, ranges, 0, choose_one(model), sizes->items[sizes->n - 1]);
        return;
    }
    for (size_t i = 0; i < sizes->n; i++) {
        const uint64_t bytes = sizes->items[i];
        const struct candidate *choice = choose_at(model, bytes, before);
        if (i == 0)
            model_table_add_range(model, row, ranges, 0, choice, bytes);
        else if (choice != before)
            model_table_add_range(model, row, ranges,
                                  border(model, before, choice, sizes->items[i - 1], bytes), choice, bytes);
        before = choice;
    }
}

/* Returns the algorithm that answers instead of all that a table says where the program is not launched as
 * for a table; NULL: none. */
static const char *answers_before(const struct model *model, uint64_t bytes)
{
    struct table_query query = query_of(model, bytes);
    const struct taken plain = taken_find(model->none, &query, bytes, model->arena);
    query.is_launched = true;
    const struct taken launched = taken_find(model->none, &query, bytes, model->arena);
    return strcmp(plain.range.algorithm, launched.range.algorithm) == 0 ? NULL : plain.range.algorithm;
}

static void close(struct model *model)
{
    for (size_t i = 0; i < model->n_measured; i++)
        predict_loads_free(&model->measured[i].loads);
    for (size_t i = 0; i < model->n_programs; i++)
        scene_free(&model->programs[i].scene);
    free(model->measured);
    free(model->candidates);
}

struct model_row model_choose(const struct model_request *request, struct arena *arena)
{
    struct model model = {.request = request, .arena = arena};
    struct model_row row = {.n_ranks = request->forecast.where.placement->n_ranks, .has_default = true};
    const struct size_list *sizes = &request->forecast.sizes;
    model.none = request->loader->writer->none(request->loader, arena);
    row.answers_before = answers_before(&model, sizes->items[0]);
    add_algorithms(&model);
    for (size_t i = 0; i < sizes->n && row.has_default; i++)
        if (model_table_default_time(&model, sizes->items[i]) == NOT_KNOWN) {
            row.has_default = false;
            row.default_problem = model.problem;
            row.is_apart = model.is_apart;
        }
    if (model.n_candidates)
        model_table_find_ranges(&model, &row);
    else
        row.problem = "the library has none of its algorithms";
    close(&model);
    return row;
}
