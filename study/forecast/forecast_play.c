/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates times of a forecast, and finds the best at a size. See forecast.h.
 *
 * The work of a simulation is its operations and the links that its messages cross, for each size; if one
 * rank stands for all (simulate/uniform.h), only those of that rank. The variants simulated at a size
 * depend only on that size, so its result is the same whatever other sizes are wanted. Rows are visited
 * in the order of their times by `step`, without what the model leaves out (forecast_hope), each with its
 * fastest variant, which is simulated
 *
 *   - if it is small; or
 *   - if `step` puts it below all that was played, so that it would be named without having been, as long
 *     as the work for the size is not far too much; or
 *   - if it is one of the first few, or may be faster than all that was played, as ranks run ahead of each
 *     other, as long as the work for the size is not too much;
 *
 * and from each, variants with half and twice as many segments, while that is faster.
 */
#include "study/forecast/forecast.h"

#include "compiler/passes/symmetry/congruent.h"
#include "ir/counts.h"
#include "simulate/direct.h"
#include "study/symmetric.h"

#include <stdlib.h>

enum {
    FEW = 3,
    SMALL = 1 << 14,          /* work of a schedule that is always played */
    MOST_OF_SIZE = 1 << 21,   /* work for a size, but for what is small; */
    MOST_DIRECT = 6 << 20,    /* the same if it is simulated directly (simulate/direct.h); */
    MOST_OF_BEST = 18700000, /* and of the best variant there: some 2 s of CPU time */
    MOST_VARIED = 1 << 17,    /* work up to which a variant is tried for less reason, and its neighbours */
    MOST_LOOKED_AT = 1 << 26, /* to see whether one rank stands for all, of what symmetry has measured */
};

bool forecast_is_played(const struct forecast_request *request)
{
    return simulation_models[request->simulation.model].make;
}

/* Returns the work of a full simulation. */
static uint64_t full_work(const struct variant *variant)
{
    return variant->loads.n_operations + variant->loads.n_crossings;
}

static struct schedule *open_schedule(const struct forecast *forecast, const struct variant *variant,
                                      struct diagnostics *diagnostics)
{
    return variant->binding ? expand_program(variant->binding, diagnostics) : forecast->schedule;
}

static void close_schedule(const struct variant *variant, struct schedule *schedule)
{
    if (schedule && variant->binding)
        schedule->destroy(schedule);
}

static struct player_settings settings_at(const struct forecast *forecast, const struct variant *variant,
                                          uint64_t bytes)
{
    struct player_settings settings = forecast->request.simulation.settings;
    settings.topology = forecast->request.where.topology;
    settings.placement = forecast->request.where.placement;
    settings.chunk_bytes = forecast_chunk_bytes(forecast, variant, bytes);
    return settings;
}

void forecast_simulate(const struct forecast *forecast, const struct variant *variant, uint64_t bytes,
                       bool has_steps, struct simulation *simulation)
{
    struct simulation_request request = forecast->request.simulation;
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = open_schedule(forecast, variant, &diagnostics);
    request.settings = settings_at(forecast, variant, bytes);
    request.has_steps = has_steps;
    *simulation = (struct simulation){.played.outcome = PLAYED_BROKEN};
    if (schedule)
        simulation_run(&request, schedule, simulation, &diagnostics);
    if (variant->binding)
        simulation->header = NULL;
    close_schedule(variant, schedule);
    diagnostics_free(&diagnostics);
}

static const struct variant_played *played_at(const struct variant *variant, uint64_t bytes)
{
    for (size_t i = 0; i < variant->n_played; i++)
        if (variant->played[i].bytes == bytes)
            return &variant->played[i];
    return NULL;
}

const struct variant_played *forecast_keep_played(struct variant *variant, struct variant_played played)
{
    variant->played = mem_grow(variant->played, &variant->played_capacity, variant->n_played + 1,
                               sizeof *variant->played);
    variant->played[variant->n_played] = played;
    return &variant->played[variant->n_played++];
}

/* Finds out whether all ranks do the same: by symmetry, or else by steps alike, or all steps. A variant
 * that symmetry has measured quickly is not examined message by message for long. */
static void look_for_uniform(const struct forecast *forecast, struct variant *variant)
{
    const struct bind_request *where = &forecast->request.where;
    const struct binding *of = variant->binding ? variant->binding : forecast->binding;
    const struct binding *binding = forecast->request.no_symmetry ? NULL : of;
    struct diagnostics diagnostics = {0};
    variant->is_looked_at = true;
    variant->uniform = binding ? uniform_by_symmetry(binding) : NULL;
    struct schedule *alike = binding && !variant->uniform ? expand_congruent(binding) : NULL;
    const bool is_long = variant->is_symmetric && full_work(variant) > MOST_LOOKED_AT;
    struct schedule *schedule =
        alike || variant->uniform || is_long ? NULL : open_schedule(forecast, variant, &diagnostics);
    if (alike || schedule)
        variant->uniform = uniform_find(alike ? alike : schedule, where->topology, where->placement);
    if (alike)
        alike->destroy(alike);
    close_schedule(variant, schedule);
    diagnostics_free(&diagnostics);
}

/* Plays one rank for all, if that can be done. */
static const struct variant_played *play_uniform(const struct forecast *forecast,
                                                 struct variant *variant, uint64_t bytes)
{
    const struct player_settings settings = settings_at(forecast, variant, bytes);
    struct forecast_cell cell = {.variant = variant, .model = SIMULATION_asap};
    if (forecast->request.simulation.model != SIMULATION_asap)
        return NULL;
    if (!variant->is_looked_at)
        look_for_uniform(forecast, variant);
    if (!variant->uniform || !uniform_play(variant->uniform, &settings, &cell.time, &cell.parts))
        return NULL;
    const uint64_t work = uniform_work(variant->uniform);
    return forecast_keep_played(variant, (struct variant_played){bytes, cell, work, true});
}

uint64_t forecast_work_at(const struct forecast *forecast, struct variant *variant, uint64_t bytes)
{
    const struct variant_played *played = played_at(variant, bytes);
    if (!played && full_work(variant) > SMALL)
        played = play_uniform(forecast, variant, bytes);
    return played ? played->work : full_work(variant);
}

/* Plays what is not small for its time alone, if that can be done; *cell is what was found. */
static bool play_directly(const struct forecast *forecast, const struct variant *variant, uint64_t bytes,
                          struct forecast_cell *cell)
{
    const struct player_settings settings = settings_at(forecast, variant, bytes);
    struct diagnostics diagnostics = {0};
    if (forecast->request.simulation.model != SIMULATION_asap || full_work(variant) <= SMALL)
        return false;
    struct schedule *schedule = open_schedule(forecast, variant, &diagnostics);
    *cell = (struct forecast_cell){.variant = variant, .model = SIMULATION_asap};
    const bool is_played = schedule && direct_play(schedule, &settings, &cell->time, &cell->parts);
    close_schedule(variant, schedule);
    diagnostics_free(&diagnostics);
    return is_played;
}

const struct forecast_cell *forecast_play_variant(struct forecast *forecast, struct variant *variant,
                                                  uint64_t bytes)
{
    const uint64_t work = forecast_work_at(forecast, variant, bytes);
    const struct variant_played *played = played_at(variant, bytes);
    struct forecast_cell cell;
    if (!played && play_directly(forecast, variant, bytes, &cell))
        played = forecast_keep_played(variant, (struct variant_played){bytes, cell, work, true});
    if (!played) {
        struct simulation simulation;
        forecast_simulate(forecast, variant, bytes, false, &simulation);
        cell = (struct forecast_cell){variant, forecast->request.simulation.model, simulation.played.time,
                                      simulation.played.parts, 0};
        const bool is_whole = simulation.played.outcome == PLAYED_WHOLE;
        played = forecast_keep_played(variant, (struct variant_played){bytes, cell, work, is_whole});
        simulation_free(&simulation);
    }
    return played->is_whole ? &played->cell : NULL;
}

bool forecast_is_uniform(const struct forecast *forecast, uint64_t bytes)
{
    struct variant *variant = forecast_variant(&forecast->rows[0], bytes);
    forecast_work_at(forecast, variant, bytes);
    return played_at(variant, bytes);
}

uint64_t forecast_work(struct forecast *forecast)
{
    const struct size_list *sizes = &forecast->request.sizes;
    const bool is_played = forecast_is_played(&forecast->request);
    uint64_t work = 0;
    if (!is_played || forecast_is_uniform(forecast, sizes->items[0]))
        return 0;
    for (size_t i = 0; i < sizes->n; i++)
        work = units_sum(work, full_work(forecast_variant(&forecast->rows[0], sizes->items[i])));
    return work;
}

bool forecast_play_schedule(struct forecast *forecast, uint64_t bytes, struct forecast_cell *cell)
{
    struct variant *variant = forecast_variant(&forecast->rows[0], bytes);
    struct simulation simulation;
    forecast_work_at(forecast, variant, bytes);
    if (played_at(variant, bytes)) {
        *cell = played_at(variant, bytes)->cell;
        return true;
    }
    if (play_directly(forecast, variant, bytes, cell))
        return true;
    forecast_simulate(forecast, variant, bytes, false, &simulation);
    const struct played *played = &simulation.played;
    *cell = (struct forecast_cell){variant, forecast->request.simulation.model, played->time,
                                   played->parts, 0};
    if (played->outcome != PLAYED_WHOLE)
        forecast->problem = arena_printf(
            &forecast->arena, "'%s' has no time by the model %s%s%s: --model step adds up its steps",
            forecast->rows[0].name, simulation_models[cell->model].name, played->problem ? ", " : "",
            played->problem ? played->problem : "");
    const bool is_whole = played->outcome == PLAYED_WHOLE;
    simulation_free(&simulation);
    return is_whole;
}

/* ---- what is the best ---- */

/* State of the choice at a size. */
struct selection {
    struct forecast *forecast;
    uint64_t bytes;
    struct forecast_cell *cells; /* [row] by `step`, and then as played */
    size_t *order;               /* rows, by their times by `step` */
    uint64_t spent;              /* work of what was played, small ones not counted, */
    uint64_t work;               /* and of all of them */
    uint64_t least;              /* time played; UINT64_MAX: nothing was */
};

/* Plays a variant for the row, whose time it is if that is less. False if it is not less. */
static bool forecast_play_improve(struct selection *selection, size_t row, size_t number, bool is_first)
{
    struct forecast *forecast = selection->forecast;
    struct variant *variant = &forecast->rows[row].variants[number];
    const uint64_t work = forecast_work_at(forecast, variant, selection->bytes);
    observer_tell(&forecast->request.observer, "schedules played", forecast->n_begun++, 0);
    const struct forecast_cell *cell = forecast_play_variant(forecast, variant, selection->bytes);
    selection->work += work;
    selection->spent += work <= SMALL ? 0 : work;
    if (!cell || (!is_first && cell->time >= selection->cells[row].time))
        return false;
    selection->cells[row] = *cell;
    if (cell->time < selection->least)
        selection->least = cell->time;
    return true;
}

/* True if the row would have that variant even without the other sizes. */
static bool is_of_size(const struct selection *selection, const struct row *row, size_t number)
{
    struct row before = *row;
    before.n_variants = number;
    return forecast_can_be_faster(selection->forecast, &before, selection->bytes);
}

/* Goes on to fewer, or more, segments as long as that is faster. False if it is not at once. */
static bool forecast_play_vary(struct selection *selection, size_t row, size_t number, bool is_down)
{
    const struct row *of = &selection->forecast->rows[row];
    bool is_better = false;
    if (of->variants[0].from_bytes)
        return false;
    while (is_down ? number > 0 : number + 1 < of->n_variants) {
        number = is_down ? number - 1 : number + 1;
        if (forecast_work_at(selection->forecast, &of->variants[number], selection->bytes) > MOST_VARIED ||
            (!is_down && !is_of_size(selection, of, number)) ||
            !forecast_play_improve(selection, row, number, false))
            break;
        is_better = true;
    }
    return is_better;
}

/* Returns the number of the variant in its row of the cell. */
static size_t variant_number(const struct selection *selection, size_t row)
{
    return (size_t)(selection->cells[row].variant - selection->forecast->rows[row].variants);
}

static bool is_to_be_played(const struct selection *selection, size_t place)
{
    const size_t row = selection->order[place];
    const struct forecast_cell *cell = &selection->cells[row];
    struct variant *variant =
        &selection->forecast->rows[row].variants[variant_number(selection, row)];
    const uint64_t work = forecast_work_at(selection->forecast, variant, selection->bytes);
    const bool is_asap = selection->forecast->request.simulation.model == SIMULATION_asap;
    const uint64_t most_of_few = is_asap ? MOST_DIRECT : MOST_OF_SIZE;
    const uint64_t most_of_best = is_asap ? MOST_OF_BEST : MOST_OF_SIZE;
    const uint64_t after = selection->spent + work;
    const uint64_t hope = forecast_hope(selection->forecast, cell);
    const bool may_be_faster = (work > MOST_VARIED ? hope - hope / 5 : hope / 2) < selection->least;
    return work <= SMALL || (hope < selection->least && after <= most_of_best) ||
           ((place < FEW || may_be_faster) && after <= most_of_few);
}

static void sort_rows(struct selection *selection)
{
    const struct forecast *forecast = selection->forecast;
    const struct forecast_cell *cells = selection->cells;
    for (size_t row = 0; row < forecast->n_rows; row++) {
        const uint64_t hope = forecast_hope(forecast, &cells[row]);
        size_t at = row;
        for (; at && forecast_hope(forecast, &cells[selection->order[at - 1]]) > hope; at--)
            selection->order[at] = selection->order[at - 1];
        selection->order[at] = row;
    }
}

static void play_some(struct selection *selection)
{
    const size_t n_rows = selection->forecast->n_rows;
    selection->order = mem_alloc(n_rows + 1, sizeof *selection->order);
    sort_rows(selection);
    for (size_t place = 0; place < n_rows; place++) {
        const size_t row = selection->order[place];
        const size_t number = variant_number(selection, row);
        if (is_to_be_played(selection, place) && forecast_play_improve(selection, row, number, true) &&
            !forecast_play_vary(selection, row, number, true))
            forecast_play_vary(selection, row, number, false);
    }
    free(selection->order);
}

struct forecast_choice forecast_choose(struct forecast *forecast, uint64_t bytes,
                                       struct forecast_cell *cells)
{
    struct selection selection = {
        .forecast = forecast, .bytes = bytes, .cells = cells, .least = UINT64_MAX};
    struct forecast_choice choice = {0};
    for (size_t row = 0; row < forecast->n_rows; row++)
        cells[row] = forecast_fastest(forecast, &forecast->rows[row], bytes);
    if (forecast_is_played(&forecast->request))
        play_some(&selection);
    for (size_t row = 1; row < forecast->n_rows; row++)
        if (cells[row].time < cells[choice.row].time)
            choice.row = row;
    choice.work = selection.work;
    return choice;
}
