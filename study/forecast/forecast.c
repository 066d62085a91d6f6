/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes rows and variants of a forecast, and their times. See forecast.h.
 */
#include "study/forecast/forecast.h"

#include "base/quantity.h"
#include "compiler/language/language.h"
#include "compiler/passes/symmetry/congruent.h"
#include "study/parallel/pool.h"
#include "study/symmetric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Takes the stated cost if it is known. */
static void take_cost(uint64_t *cost, uint64_t said)
{
    if (said != HOST_COST_UNKNOWN)
        *cost = said;
}

struct host_costs forecast_costs(const struct topology *topology)
{
    struct host_costs costs = HOST_COSTS_DEFAULTS;
    if (topology_n_networks(topology) > 1) {
        const struct network *memory = topology_network_info(topology, NETWORK_MEMORY);
        if (memory->bandwidth)
            costs.memory_bandwidth = memory->bandwidth;
        if (memory->latency) /* 0, too, if it is not said */
            costs.memory_latency = memory->latency;
    }
    const struct host_costs *said = topology_whole(topology)->hosts;
    if (said) {
        take_cost(&costs.overhead, said->overhead);
        take_cost(&costs.gap, said->gap);
        take_cost(&costs.memory_bandwidth, said->memory_bandwidth);
        take_cost(&costs.memory_latency, said->memory_latency);
        take_cost(&costs.process_bandwidth, said->process_bandwidth);
        take_cost(&costs.inside_bandwidth, said->inside_bandwidth);
    }
    return costs;
}

struct forecast forecast_start(const struct forecast_request *request)
{
    return (struct forecast){.request = *request, .has_counts = request->where.counts};
}

void forecast_free_variant(struct variant *variant)
{
    predict_loads_free(&variant->loads);
    binding_free(variant->binding);
    uniform_free(variant->uniform);
    free(variant->played);
}

void forecast_free(struct forecast *forecast)
{
    for (size_t row = 0; row < forecast->n_rows; row++) {
        for (size_t i = 0; i < forecast->rows[row].n_variants; i++)
            forecast_free_variant(&forecast->rows[row].variants[i]);
        free(forecast->rows[row].variants);
    }
    for (size_t i = 0; i < forecast->n_programs; i++)
        program_free(forecast->programs[i]);
    free(forecast->programs);
    free(forecast->rows);
    free(forecast->refusals);
    arena_free(&forecast->arena);
}

struct forecast_shortcut forecast_find_shortcut(const struct binding *binding)
{
    enum { FEW_RANKS = 256 };
    struct forecast_shortcut shortcut = {.alike = NULL};
    if (binding->n_ranks < FEW_RANKS)
        return shortcut;
    shortcut.is_measured = predict_by_symmetry(binding, &shortcut.loads);
    shortcut.alike = shortcut.is_measured ? NULL : expand_congruent(binding);
    return shortcut;
}

bool forecast_take_shortcut(struct forecast_shortcut *shortcut, struct predict_loads *loads)
{
    if (!shortcut->is_measured)
        return false;
    *loads = shortcut->loads;
    shortcut->loads = (struct predict_loads){0};
    return true;
}

void forecast_shortcut_free(struct forecast_shortcut *shortcut)
{
    predict_loads_free(&shortcut->loads);
    if (shortcut->alike)
        shortcut->alike->destroy(shortcut->alike);
}

bool forecast_measure_steps(const struct binding *binding, struct schedule *alike,
                            struct predict_loads *loads, struct diagnostics *diagnostics)
{
    struct schedule *expanded = alike ? NULL : expand_program(binding, diagnostics);
    if (!alike && !expanded)
        return false;
    const bool is_measured = predict_gather(alike ? alike : expanded, binding->topology, binding->placement,
                                            loads, diagnostics);
    if (expanded)
        expanded->destroy(expanded);
    return is_measured;
}

bool forecast_measure_variant(struct binding *binding, bool no_symmetry, struct variant *variant,
                              struct diagnostics *diagnostics)
{
    struct forecast_shortcut shortcut = {.alike = NULL};
    if (!no_symmetry)
        shortcut = forecast_find_shortcut(binding);
    *variant = (struct variant){.segments = binding->segments,
                                .size_bytes = program_tells_sizes(binding->program) ? BYTES_OF_SIZE : 0,
                                .binding = binding};
    variant->is_symmetric = forecast_take_shortcut(&shortcut, &variant->loads);
    const bool is_measured =
        variant->is_symmetric ||
        forecast_measure_steps(binding, shortcut.alike, &variant->loads, diagnostics);
    forecast_shortcut_free(&shortcut);
    return is_measured;
}

bool forecast_add_schedule(struct forecast *forecast, const char *name, struct schedule *schedule,
                           const struct binding *binding, struct forecast_shortcut *shortcut,
                           struct diagnostics *diagnostics)
{
    struct variant variant = {.segments = schedule->header.segments,
                              .size_bytes = schedule_size_bytes(&schedule->header)};
    const struct bind_request *where = &forecast->request.where;
    forecast->has_counts = schedule->header.counts;
    forecast->is_of_schedule = true;
    forecast->schedule = schedule;
    forecast->binding = binding;
    variant.is_symmetric = shortcut && forecast_take_shortcut(shortcut, &variant.loads);
    const bool is_measured =
        variant.is_symmetric ||
        predict_gather(shortcut && shortcut->alike ? shortcut->alike : schedule, where->topology,
                       where->placement, &variant.loads, diagnostics);
    struct row row = {.name = arena_strndup(&forecast->arena, name, strlen(name))};
    row.variants = mem_grow(NULL, &row.capacity, 1, sizeof *row.variants);
    row.variants[row.n_variants++] = variant;
    forecast->rows = mem_grow(forecast->rows, &forecast->rows_capacity, forecast->n_rows + 1,
                              sizeof *forecast->rows);
    forecast->rows[forecast->n_rows++] = row;
    return is_measured;
}

const struct parameter_setting *forecast_sized_setting(const struct parameter_setting *settings, size_t n)
{
    const struct parameter_setting *found = NULL;
    for (size_t i = 0; i < n && !found; i++)
        found = settings[i].bytes ? &settings[i] : NULL;
    return found;
}

void forecast_set_size(struct variant *variant, const struct binding *binding,
                       const struct parameter_setting *setting, uint64_t bytes)
{
    const struct variable *parameter = program_parameter(binding->program, setting->name);
    variant->from_bytes = bytes;
    variant->parameter = setting->name;
    variant->value = binding->value[parameter - binding->program->variables];
}

bool forecast_add_size(struct forecast *forecast, struct binding *binding, uint64_t bytes,
                       struct diagnostics *diagnostics)
{
    const struct bind_request *where = &forecast->request.where;
    const struct parameter_setting *setting = forecast_sized_setting(where->settings, where->n_settings);
    struct row *row = &forecast->rows[0];
    struct variant variant;
    const bool is_measured =
        forecast_measure_variant(binding, forecast->request.no_symmetry, &variant, diagnostics);
    if (!row->variants[0].from_bytes)
        forecast_set_size(&row->variants[0], forecast->binding, setting, forecast->request.sizes.items[0]);
    forecast_set_size(&variant, binding, setting, bytes);
    row->variants = mem_grow(row->variants, &row->capacity, row->n_variants + 1, sizeof *row->variants);
    row->variants[row->n_variants++] = variant;
    return is_measured;
}

/* True if the variant of that number is for the size. */
static bool is_for(const struct row *row, size_t number, uint64_t bytes)
{
    const struct variant *variant = &row->variants[number];
    return !variant->from_bytes || ((number == 0 || bytes >= variant->from_bytes) &&
                                    (number + 1 == row->n_variants || bytes < variant[1].from_bytes));
}

struct variant *forecast_variant(const struct row *row, uint64_t bytes)
{
    size_t number = 0;
    while (!is_for(row, number, bytes))
        number++;
    return &row->variants[number];
}

uint64_t forecast_chunk_bytes(const struct forecast *forecast, const struct variant *variant,
                              uint64_t bytes)
{
    if (forecast->has_counts)
        return 1;
    return collective_chunk_bytes(forecast->request.collective, variant->segments, bytes) +
           variant->size_bytes;
}

uint64_t forecast_least(const struct forecast *forecast, uint64_t bytes)
{
    const uint64_t time = lower_bound_time(&forecast->request.least, forecast->has_counts ? 1 : bytes);
    return time == UINT64_MAX ? 0 : time;
}

struct forecast_cell forecast_step(const struct variant *variant, struct prediction prediction)
{
    return (struct forecast_cell){variant,
                                  SIMULATION_step,
                                  prediction.time,
                                  {.latency = prediction.latency,
                                   .bandwidth = prediction.bandwidth,
                                   .waiting = prediction.hol,
                                   .host = prediction.host,
                                   .local = prediction.local},
                                  prediction.worst};
}

static struct forecast_cell time_by_step(const struct forecast *forecast, const struct variant *variant,
                                         uint64_t bytes)
{
    return forecast_step(variant, predict_time(&variant->loads,
                                               &forecast->request.simulation.settings.costs,
                                               forecast_chunk_bytes(forecast, variant, bytes)));
}

struct forecast_cell forecast_fastest(const struct forecast *forecast, const struct row *row,
                                      uint64_t bytes)
{
    struct forecast_cell best = {0};
    for (size_t i = 0; i < row->n_variants; i++) {
        const struct variant *variant = &row->variants[i];
        if (!is_for(row, i, bytes))
            continue;
        if (variant->is_costly && best.variant != variant - 1)
            break;
        const struct forecast_cell cell = time_by_step(forecast, variant, bytes);
        if (!best.variant || cell.time < best.time)
            best = cell;
    }
    return best;
}

bool forecast_refuse_time(struct forecast *forecast, size_t row, size_t size)
{
    struct text text = {0};
    if (!forecast->has_counts)
        print_size(forecast->request.sizes.items[size], &text);
    forecast->problem =
        arena_printf(&forecast->arena,
                     "the time of '%s' for %s is too long to be counted, 2^64 ns (584 years) or "
                     "more: give smaller %s", forecast->rows[row].name,
                     text.data ? text.data : "--counts", text.data ? "sizes" : "counts");
    text_free(&text);
    return false;
}

/* Measures a size. *work: work of its simulations. */
static bool measure_size(struct forecast *forecast, size_t size, uint64_t *work)
{
    const uint64_t bytes = forecast->request.sizes.items[size];
    const size_t n_sizes = forecast->request.sizes.n;
    struct forecast_cell *cells = mem_alloc(forecast->n_rows + 1, sizeof *cells);
    bool is_done = true;
    const struct forecast_choice choice = forecast_choose(forecast, bytes, cells);
    forecast->best[size] = choice.row;
    *work = choice.work;
    for (size_t row = 0; row < forecast->n_rows && is_done; row++) {
        forecast->cells[row * n_sizes + size] = cells[row];
        is_done = cells[row].time != UINT64_MAX || forecast_refuse_time(forecast, row, size);
    }
    free(cells);
    return is_done;
}

bool forecast_measure(struct forecast *forecast)
{
    const size_t n_sizes = forecast->request.sizes.n;
    bool is_done = true;
    forecast->cells =
        arena_alloc(&forecast->arena, forecast->n_rows * n_sizes + 1, sizeof *forecast->cells);
    forecast->best = arena_alloc(&forecast->arena, n_sizes + 1, sizeof *forecast->best);
    if (forecast->is_of_schedule && forecast_is_played(&forecast->request))
        return forecast_play_sizes(forecast, forecast->cells);
    for (size_t i = 0; i < n_sizes && is_done; i++) {
        uint64_t work;
        is_done = measure_size(forecast, i, &work);
        if (i == 0 && is_done)
            forecast_share_choices(forecast, work);
        if (forecast->request.is_shared && pool_number() > 0)
            break; /* number 0 goes on */
    }
    return is_done;
}

const struct forecast_cell *forecast_cell(const struct forecast *forecast, size_t row, size_t size)
{
    return &forecast->cells[row * forecast->request.sizes.n + size];
}

bool forecast_has_worst(const struct forecast *forecast)
{
    return forecast->request.where.topology->is_adaptive && !forecast_is_played(&forecast->request);
}

bool forecast_row_is_mixed(const struct forecast *forecast, size_t row, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (forecast_cell(forecast, row, i)->model != forecast->request.simulation.model)
            return true;
    return false;
}

bool forecast_is_mixed(const struct forecast *forecast)
{
    for (size_t row = 0; row < forecast->n_rows; row++)
        if (forecast_row_is_mixed(forecast, row, 0, forecast->request.sizes.n))
            return true;
    return false;
}

/* Returns the best at a size with its time by `step`, and the row that `step` puts first. */
static struct forecast_blocking blocking_at(const struct forecast *forecast, size_t size)
{
    const uint64_t bytes = forecast->request.sizes.items[size];
    struct forecast_blocking at = {.size = size};
    at.best_by_step = time_by_step(
        forecast, forecast_cell(forecast, forecast->best[size], size)->variant, bytes);
    for (size_t row = 0; row < forecast->n_rows; row++) {
        const struct forecast_cell cell = forecast_fastest(forecast, &forecast->rows[row], bytes);
        if (!row || cell.time < at.instead_by_step.time) {
            at.instead = row;
            at.instead_by_step = cell;
        }
    }
    return at;
}

static bool knows_no_blocking(enum simulation_model model)
{
    return model == SIMULATION_asap || model == SIMULATION_flow;
}

uint64_t forecast_hope(const struct forecast *forecast, const struct forecast_cell *cell)
{
    const bool is_left_out = knows_no_blocking(forecast->request.simulation.model);
    return is_left_out && cell->model == SIMULATION_step ? cell->time - cell->parts.waiting : cell->time;
}

bool forecast_may_be_best(const struct forecast *forecast, size_t row, size_t size)
{
    const struct forecast_cell *cell = forecast_cell(forecast, row, size);
    const struct forecast_cell *best = forecast_cell(forecast, forecast->best[size], size);
    const uint64_t least = forecast_least(forecast, forecast->request.sizes.items[size]);
    return cell->model != best->model && best->model == forecast->request.simulation.model &&
           best->time - best->time / 50 > least && forecast_hope(forecast, cell) / 2 < best->time;
}

uint64_t forecast_hol_left_out(const struct forecast *forecast, const struct forecast_cell *cell,
                               uint64_t bytes)
{
    return knows_no_blocking(cell->model) ? time_by_step(forecast, cell->variant, bytes).parts.waiting : 0;
}

double forecast_share_of_default(const struct forecast *forecast, size_t size, bool of_memory)
{
    const struct player_settings *settings = &forecast->request.simulation.settings;
    const struct variant *variant = forecast_cell(forecast, forecast->best[size], size)->variant;
    const uint64_t chunk = forecast_chunk_bytes(forecast, variant, forecast->request.sizes.items[size]);
    struct host_costs without = settings->costs;
    if (of_memory ? !settings->assumes_memory : !settings->assumes_host)
        return 0;
    if (of_memory)
        without.memory_bandwidth = UINT64_MAX;
    else
        without.overhead = without.gap = 0;
    const uint64_t time = predict_time(&variant->loads, &settings->costs, chunk).time;
    return time ? 1 - (double)predict_time(&variant->loads, &without, chunk).time / (double)time : 0;
}

bool forecast_find_blocking(const struct forecast *forecast, struct forecast_blocking *blocking)
{
    const double much = 1.05;
    double most = much;
    if (!knows_no_blocking(forecast->request.simulation.model))
        return false;
    for (size_t size = 0; size < forecast->request.sizes.n && forecast->n_rows; size++) {
        const struct forecast_blocking at = blocking_at(forecast, size);
        const struct forecast_cell *best = &at.best_by_step, *instead = &at.instead_by_step;
        const double ratio = (double)best->time / (double)(instead->time ? instead->time : 1);
        if (ratio <= most || best->parts.waiting < best->time - instead->time)
            continue;
        most = ratio;
        *blocking = at;
    }
    return most > much;
}
