/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See model_table.h. A candidate is an algorithm of the target with a segment size and a fan-out; its
 * time at a size is that of its counterpart in the library with the resulting number of segments.
 * Schedules are measured once for each number of segments (struct measured).
 *
 * A candidate counts for a size only if the target would run it and no other algorithm in its place.
 *
 * The first few of the candidates that `step` finds faster than the target's own decision are played, and
 * stand only if that finds them faster, too.
 */
#include "study/forecast/model_table.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

/* Limits of segments, of messages in all, of halvings, also of those where plays are long, and of algorithms
 * that are played at a size. */
enum { MAX_SEGMENTS = 1024, MAX_MESSAGES = 1 << 17, MAX_HALVINGS = 8, FEW_HALVINGS = 3, MAX_PLAYED = 3 };
enum { LONG_WORK = 1 << 17 };
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
    struct variant variant;
};

struct model {
    const struct model_request *request;
    struct arena *arena;
    const struct table *none;      /* choices without a table */
    struct counterpart_program *programs;
    struct candidate *candidates;
    struct measured **measured;    /* in the arena */
    uint64_t *times;               /* [candidate] by `step`, at a size */
    uint64_t work;                 /* of the last play */
    struct forecast forecast;      /* without rows: what variants are played for */
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
    measured->works = binding && forecast_measure_variant(binding, model->request->forecast.no_symmetry,
                                                          &measured->variant, &diagnostics);
    if (!measured->works)
        keep_problem(model, measured, &diagnostics);
    diagnostics_free(&diagnostics);
    observer_tell(&model->request->forecast.observer, "schedules measured", model->n_measured + 1, 0);
}

static struct measured *measured_of(struct model *model, const struct counterpart_program *program,
                                    uint64_t n_segments, const struct table_parameters *parameters)
{
    for (size_t i = 0; i < model->n_measured; i++) {
        struct measured *before = model->measured[i];
        if (before->program == program && before->n_segments == n_segments &&
            before->parameters.fan_out == parameters->fan_out &&
            before->parameters.max_requests == parameters->max_requests)
            return before;
    }
    struct measured *one = arena_alloc(model->arena, 1, sizeof *one);
    *one = (struct measured){.program = program, .n_segments = n_segments, .parameters = *parameters};
    model_table_measure(model, one);
    model->measured = mem_grow(model->measured, &model->measured_capacity, model->n_measured + 1,
                               sizeof(struct measured *));
    return model->measured[model->n_measured++] = one;
}

/* Returns the time by `step`; is_played: by the model that plays, not known where that is too much. */
static uint64_t time_of(struct model *model, const struct counterpart_program *program,
                        const struct table_parameters *parameters, uint64_t bytes, bool is_played)
{
    const struct forecast_request *forecast = &model->request->forecast;
    const uint64_t n_segments =
        counterpart_segments(program->of, parameters->segment_bytes, bytes, model_table_ranks_of(model));
    if (n_segments > MAX_SEGMENTS || n_segments * model_table_ranks_of(model) > MAX_MESSAGES)
        return not_known(model, "its segments are too many to be predicted", false);
    struct measured *measured = measured_of(model, program, n_segments, parameters);
    struct variant *variant = &measured->variant;
    if (!measured->works)
        return not_known(model, measured->problem, measured->is_apart);
    if (!is_played)
        return predict_time(&variant->loads, &forecast->simulation.settings.costs,
                            forecast_chunk_bytes(&model->forecast, variant, bytes)).time;
    model->work = forecast_is_played(forecast) ? forecast_work_at(&model->forecast, variant, bytes) : 0;
    if (!forecast_is_played(forecast) || model->work > FORECAST_MOST_PLAYED / forecast->sizes.n)
        return NOT_KNOWN;
    const struct forecast_cell *cell = forecast_play_variant(&model->forecast, variant, bytes);
    return cell ? cell->time : NOT_KNOWN;
}

static uint64_t candidate_time(struct model *model, const struct candidate *candidate, uint64_t bytes,
                               bool is_played)
{
    const struct table_query query = query_of(model, bytes);
    const struct table_range range =
        model->request->loader->writer->outcome(model->request->loader, &query, &candidate->choice, bytes);
    if (range.fails || range.runs_as)
        return NOT_KNOWN;
    return time_of(model, candidate->program, &candidate->choice.parameters, bytes, is_played);
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
static uint64_t default_seen(struct model *model, uint64_t bytes, bool is_played, bool *is_unseen)
{
    struct table_query query = query_of(model, bytes);
    query.is_launched = true;
    const struct taken taken = taken_find(model->none, &query, bytes, model->arena);
    const struct counterpart_program *program =
        taken.problem ? NULL : model_table_program_of(model, taken.counterpart);
    *is_unseen = false;
    if (!program)
        return not_known(model, taken.problem ? taken.problem : "its counterpart cannot be read", false);
    const uint64_t time = time_of(model, program, &taken.range.parameters, bytes, is_played);
    *is_unseen = time == NOT_KNOWN;
    return time;
}

/* NULL: the target's own decision. */
static uint64_t choice_time(struct model *model, const struct candidate *choice, uint64_t bytes,
                            bool is_played)
{
    bool is_unseen;
    return choice ? candidate_time(model, choice, bytes, is_played)
                  : default_seen(model, bytes, is_played, &is_unseen);
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

/* True if the candidate is faster than the target's own decision by `step`, and as played, if both are. None
 * is faster than a decision that cannot be predicted. */
static bool is_worthwhile(struct model *model, const struct candidate *candidate, uint64_t bytes)
{
    bool is_unseen;
    const uint64_t time = candidate_time(model, candidate, bytes, false);
    const uint64_t own = default_seen(model, bytes, false, &is_unseen);
    if (time == NOT_KNOWN || is_unseen || is_as_good(own, time))
        return false;
    const uint64_t own_played = choice_time(model, NULL, bytes, true);
    return own_played == NOT_KNOWN || !is_as_good(own_played, candidate_time(model, candidate, bytes, true));
}

/* True if `one` takes no longer than the other, but for a tolerance, as played, or else by `step`. */
static bool is_as_fast(struct model *model, const struct candidate *one, const struct candidate *other,
                       uint64_t bytes)
{
    const uint64_t time = candidate_time(model, one, bytes, true);
    const uint64_t others = candidate_time(model, other, bytes, true);
    if (time != NOT_KNOWN && others != NOT_KNOWN)
        return is_as_good(time, others);
    return is_as_good(candidate_time(model, one, bytes, false), candidate_time(model, other, bytes, false));
}

/* Returns the candidate with the least of model->times, or NULL, and takes out all of its algorithm. */
static const struct candidate *take_fastest(struct model *model, uint64_t *time)
{
    const struct candidate *best = NULL, *candidates = model->candidates;
    for (size_t i = 0; i < model->n_candidates; i++)
        if (model->times[i] < (best ? model->times[best - candidates] : NOT_KNOWN))
            best = &candidates[i];
    *time = best ? model->times[best - candidates] : NOT_KNOWN;
    for (size_t i = 0; best && i < model->n_candidates; i++)
        if (candidates[i].program == best->program)
            model->times[i] = NOT_KNOWN;
    return best;
}

/* Chooses the target's own decision if nothing is known to be faster; the choice of the size before, as
 * long as nothing is faster. */
static const struct candidate *choose_at(struct model *model, uint64_t bytes, const struct candidate *before)
{
    const struct candidate *best = NULL, *next;
    uint64_t least = NOT_KNOWN, by_step;
    for (size_t i = 0; i < model->n_candidates; i++)
        model->times[i] = candidate_time(model, &model->candidates[i], bytes, false);
    for (int n = 0; n < MAX_PLAYED && (next = take_fastest(model, &by_step)) && by_step < least; n++) {
        if (!is_worthwhile(model, next, bytes))
            continue;
        const uint64_t time = candidate_time(model, next, bytes, true);
        if (!best || time < least) {
            best = next;
            least = time;
        }
    }
    const bool can_stay = before && best && is_worthwhile(model, before, bytes);
    return can_stay && is_as_fast(model, before, best, bytes) ? before : best;
}

/* True if the candidate is nowhere slower than the target's own decision, and somewhere faster; *gain is by
 * how much. What is not played makes no difference to what is. */
static bool gains(struct model *model, const struct candidate *candidate, bool is_played, double *gain)
{
    const struct size_list *sizes = &model->request->forecast.sizes;
    bool is_faster = false, is_known = false;
    *gain = 0;
    for (size_t i = 0; i < sizes->n; i++) {
        const uint64_t own = choice_time(model, NULL, sizes->items[i], is_played);
        const uint64_t time = candidate_time(model, candidate, sizes->items[i], is_played);
        if (is_played && (own == NOT_KNOWN || time == NOT_KNOWN))
            continue;
        if (own == NOT_KNOWN || time > own)
            return false;
        is_known = true;
        is_faster |= !is_as_good(own, time);
        *gain += (double)(own - time) / (double)(own ? own : 1);
    }
    return is_faster || !is_known;
}

/* Returns the one candidate for all sizes that gains most, or NULL. */
static const struct candidate *choose_one(struct model *model)
{
    const struct candidate *best = NULL;
    double most = 0, gain, played;
    for (size_t i = 0; i < model->n_candidates; i++) {
        const struct candidate *candidate = &model->candidates[i];
        if (!gains(model, candidate, false, &gain) || !gains(model, candidate, true, &played))
            continue;
        gain = played > 0 ? played : gain;
        best = gain > most ? candidate : best;
        most = gain > most ? gain : most;
    }
    return best;
}

/* Returns approximately the least size above `below`, up to `above`, from which `next` is faster, by a few
 * halvings. */
static uint64_t border(struct model *model, const struct candidate *before, const struct candidate *next,
                       uint64_t below, uint64_t above)
{
    for (int i = 0; i < (model->work > LONG_WORK ? FEW_HALVINGS : MAX_HALVINGS) && above - below > 1; i++) {
        const uint64_t middle = below + (above - below) / 2;
        const bool is_next = !next     ? !is_worthwhile(model, before, middle)
                             : !before ? is_worthwhile(model, next, middle)
                                       : !is_as_fast(model, before, next, middle);
        if (is_next)
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
    struct model_range range = {.bytes = {first, SPAN_NO_END},
                                .choice = choice ? choice->choice : (struct table_choice){0},
                                .at = at,
                                .time = choice_time(model, choice, at, false),
                                .default_time = choice_time(model, NULL, at, false)};
    const uint64_t time = choice_time(model, choice, at, true);
    const uint64_t own = choice_time(model, NULL, at, true);
    range.is_played = time != NOT_KNOWN && (own != NOT_KNOWN || range.default_time == NOT_KNOWN);
    if (range.is_played) {
        range.time = time;
        range.default_time = own;
    }
    ranges[row->n++] = range;
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
        forecast_free_variant(&model->measured[i]->variant);
    for (size_t i = 0; i < model->n_programs; i++)
        scene_free(&model->programs[i].scene);
    free(model->measured);
    free(model->candidates);
}

struct model_row model_choose(const struct model_request *request, struct arena *arena)
{
    struct model model = {.request = request, .arena = arena, .forecast = forecast_start(&request->forecast)};
    struct model_row row = {.n_ranks = request->forecast.where.placement->n_ranks, .has_default = true};
    const struct size_list *sizes = &request->forecast.sizes;
    model.none = request->loader->writer->none(request->loader, arena);
    row.answers_before = answers_before(&model, sizes->items[0]);
    add_algorithms(&model);
    model.times = arena_alloc(arena, model.n_candidates + 1, sizeof *model.times);
    for (size_t i = 0; i < sizes->n && row.has_default; i++)
        if (choice_time(&model, NULL, sizes->items[i], false) == NOT_KNOWN) {
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
