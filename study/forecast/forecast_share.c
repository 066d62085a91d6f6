/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shares a forecast between several processes. Each simulated size is a piece: for one schedule its text
 * is the time or the reason for none, for several their simulated times. Each measured algorithm is a
 * piece, and its text the loads of its variants on links. See forecast.h.
 */
#include "study/parallel/pool.h"
#include "study/forecast/forecast.h"
#include "study/parallel/workers.h"

#include <stdlib.h>
#include <string.h>

enum { WORTH_SHARING = 1 << 21, WORTH_MEASURING = 256 /* ranks */, ENOUGH = 8 };

/* Returns the number of processes of this machine, by whether the work is worth more than one; 0: all
 * launched ones. */
static uint32_t forecast_share_count_processes(const struct forecast *forecast, bool is_worth_it)
{
    const uint32_t n_processors = pool_n_processors();
    if (pool_n_launched() > 1)
        return 0;
    if (forecast->request.jobs)
        return forecast->request.jobs;
    return !is_worth_it ? 1 : n_processors < ENOUGH ? n_processors : ENOUGH;
}

/* A time as a text, followed by the problem if there is none. */
struct played_size {
    enum simulation_model model;
    uint64_t time;
    struct time_parts parts;
    bool is_done;
};

struct sharing {
    struct forecast *forecast;
    struct forecast_cell *cells;
    const char **problems; /* [size] NULL: there is a time */
    bool *is_here;         /* [size] */
};

static void play_size(void *context, size_t size, struct text *out)
{
    struct forecast *forecast = ((struct sharing *)context)->forecast;
    struct forecast_cell cell = {0};
    struct played_size played = {0};
    played.is_done = forecast_play_schedule(forecast, forecast->request.sizes.items[size], &cell);
    played.model = cell.model;
    played.time = cell.time;
    played.parts = cell.parts;
    text_append(out, (const char *)&played, sizeof played);
    if (!played.is_done)
        text_printf(out, "%s", forecast->problem);
}

static void take_size(void *context, size_t size, const char *text, size_t length, int status)
{
    struct sharing *sharing = context;
    struct played_size played;
    (void)status;
    if (!text || length < sizeof played)
        return;
    memcpy(&played, text, sizeof played);
    sharing->is_here[size] = true;
    sharing->cells[size] = (struct forecast_cell){
        forecast_variant(&sharing->forecast->rows[0], sharing->forecast->request.sizes.items[size]),
        played.model, played.time, played.parts, 0};
    if (!played.is_done)
        sharing->problems[size] =
            arena_strndup(&sharing->forecast->arena, text + sizeof played, length - sizeof played);
}

static void tell_sizes(const struct forecast *forecast, size_t n_done)
{
    observer_tell(&forecast->request.observer, "sizes", n_done, forecast->request.sizes.n);
}

static void tell_played(void *context, size_t n_done)
{
    tell_sizes(((struct sharing *)context)->forecast, n_done);
}

/* Returns the number of processes that simulate; 1 if one rank stands for all. */
static uint32_t count_players(struct forecast *forecast)
{
    const struct predict_loads *loads = &forecast->rows[0].variants[0].loads;
    if (forecast->request.sizes.n < 2 || forecast_is_uniform(forecast, forecast->request.sizes.items[0]))
        return 1;
    return forecast_share_count_processes(
        forecast, (loads->n_operations + loads->n_crossings) * forecast->request.sizes.n >= WORTH_SHARING);
}

bool forecast_play_sizes(struct forecast *forecast, struct forecast_cell *cells)
{
    const size_t n = forecast->request.sizes.n;
    struct arena *arena = &forecast->arena;
    struct sharing sharing = {forecast, cells, arena_alloc(arena, n, sizeof *sharing.problems),
                              arena_alloc(arena, n, sizeof *sharing.is_here)};
    const uint32_t n_processes = count_players(forecast);
    const struct workers workers = {.n_items = n,
                                    .n_workers = n_processes,
                                    .context = &sharing,
                                    .work = play_size,
                                    .done = take_size,
                                    .tick = tell_played};
    if (n_processes != 1)
        workers_run(&workers);
    for (size_t size = 0; size < n && pool_number() == 0; size++) {
        if (!sharing.is_here[size] &&
            !forecast_play_schedule(forecast, forecast->request.sizes.items[size], &cells[size]))
            return false;
        if (!sharing.is_here[size])
            tell_sizes(forecast, size + 1);
        forecast->problem = sharing.problems[size];
        if (forecast->problem || (cells[size].time == UINT64_MAX && !forecast_refuse_time(forecast, 0, size)))
            return false;
    }
    return true;
}

/* ---- several schedules ---- */

/* A simulated time, part of the text of a size. The variant in its cell is that of the process that
 * simulated. */
struct shared_play {
    size_t row, variant;
    struct variant_played played;
};

/* Chooses at a size. Item 0 is the second size, as the first is done. */
static void choose_at_size(void *context, size_t item, struct text *out)
{
    struct forecast *forecast = context;
    const uint64_t bytes = forecast->request.sizes.items[item + 1];
    struct forecast_cell *cells = mem_alloc(forecast->n_rows + 1, sizeof *cells);
    forecast_choose(forecast, bytes, cells);
    free(cells);
    for (size_t row = 0; row < forecast->n_rows; row++)
        for (size_t i = 0; i < forecast->rows[row].n_variants; i++) {
            const struct variant *variant = &forecast->rows[row].variants[i];
            for (size_t k = 0; k < variant->n_played; k++) {
                const struct shared_play play = {row, i, variant->played[k]};
                if (play.played.bytes == bytes)
                    text_append(out, (const char *)&play, sizeof play);
            }
        }
}

static void take_plays(void *context, size_t item, const char *text, size_t length, int status)
{
    struct forecast *forecast = context;
    (void)item;
    (void)status;
    for (size_t at = 0; text && at + sizeof(struct shared_play) <= length; at += sizeof(struct shared_play)) {
        struct shared_play play;
        memcpy(&play, text + at, sizeof play);
        struct variant *variant = &forecast->rows[play.row].variants[play.variant];
        play.played.cell.variant = variant;
        forecast_keep_played(variant, play.played);
    }
}

/* Reports progress; the first size is done before. */
static void tell_chosen(void *context, size_t n_done)
{
    tell_sizes(context, 1 + n_done);
}

void forecast_share_choices(struct forecast *forecast, uint64_t work)
{
    const size_t n = forecast->request.sizes.n;
    const uint32_t n_processes = forecast_share_count_processes(forecast, n > 2 && work * n >= WORTH_SHARING);
    if (!forecast->request.is_shared || !forecast_is_played(&forecast->request) || n < 2 || n_processes == 1)
        return;
    workers_run(&(struct workers){.n_items = n - 1,
                                  .n_workers = n_processes,
                                  .context = forecast,
                                  .work = choose_at_size,
                                  .done = take_plays,
                                  .tick = tell_chosen});
}

/* ---- what algorithms put on links ---- */

void forecast_hand(struct forecast *forecast, const struct predict_loads *loads, bool is_free)
{
    text_append(forecast->handed, (const char *)&is_free, sizeof is_free);
    text_append(forecast->handed, (const char *)loads, sizeof *loads);
    text_append(forecast->handed, (const char *)loads->loads, loads->n * sizeof *loads->loads);
    text_append(forecast->handed, (const char *)loads->unlike, loads->n_unlike * sizeof *loads->unlike);
}

/* Moves *at behind n of them. */
static struct step_load *forecast_share_take_steps(const char **at, size_t n)
{
    struct step_load *steps = mem_alloc(n + 1, sizeof *steps);
    memcpy(steps, *at, n * sizeof *steps);
    *at += n * sizeof *steps;
    return steps;
}

bool forecast_take(struct forecast *forecast, struct predict_loads *loads, bool is_free)
{
    if (forecast->taken == forecast->taken_end || *forecast->taken != is_free)
        return false;
    memcpy(loads, forecast->taken + sizeof is_free, sizeof *loads);
    forecast->taken += sizeof is_free + sizeof *loads;
    loads->capacity = loads->n;
    loads->loads = forecast_share_take_steps(&forecast->taken, loads->n);
    loads->unlike = forecast_share_take_steps(&forecast->taken, loads->n_unlike);
    return true;
}

struct measuring {
    struct forecast *forecast;
    forecast_adder *add;
    void *context;
    double spent; /* by this process */
    size_t n;
    struct handed_loads *handed;
};

/* Measures in a forecast of its own. This process has spent less than all together, so it measures as much
 * as a single process would, or more. */
static void measure_algorithm(void *context, size_t algorithm, struct text *out)
{
    struct measuring *measuring = context;
    struct forecast own = forecast_start(&measuring->forecast->request);
    own.spent = measuring->spent;
    own.handed = out;
    measuring->add(&own, measuring->context, algorithm);
    measuring->spent = own.spent;
    forecast_free(&own);
}

static void take_handed(void *context, size_t algorithm, const char *text, size_t length, int status)
{
    const struct measuring *measuring = context;
    (void)status;
    if (text)
        measuring->handed[algorithm] =
            (struct handed_loads){arena_strndup(&measuring->forecast->arena, text, length), length};
}

static void tell_measured(void *context, size_t n_done)
{
    const struct measuring *measuring = context;
    observer_tell(&measuring->forecast->request.observer, "algorithms", n_done, measuring->n);
}

const struct handed_loads *forecast_share_measuring(struct forecast *forecast, size_t n, forecast_adder *add,
                                                    void *context)
{
    const uint32_t n_processes = forecast_share_count_processes(
        forecast, forecast->request.where.placement->n_ranks >= WORTH_MEASURING);
    const struct forecast_request *request = &forecast->request;
    const bool is_apart = !n_processes && forecast_is_played(request); /* all need them, and share plays */
    if (!request->is_shared || is_apart || n_processes == 1)
        return NULL;
    struct measuring measuring = {forecast, add, context, 0, n,
                                  arena_alloc(&forecast->arena, n + 1, sizeof *measuring.handed)};
    workers_run(&(struct workers){.n_items = n,
                                  .n_workers = n_processes,
                                  .context = &measuring,
                                  .work = measure_algorithm,
                                  .done = take_handed,
                                  .tick = tell_measured});
    return measuring.handed;
}
