/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes of a forecast that are played by several processes: a size is a piece of work, its text the time or
 * why there is none. See forecast.h.
 */
#include "study/crew.h"
#include "study/forecast.h"
#include "study/workers.h"

#include <string.h>

/* A time as a text; behind it the problem, if there is no time. */
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
    sharing->cells[size] = (struct forecast_cell){sharing->forecast->rows[0].variants, played.model,
                                                  played.time, played.parts};
    if (!played.is_done)
        sharing->problems[size] =
            arena_strndup(&sharing->forecast->arena, text + sizeof played, length - sizeof played);
}

static void tick(void *context, size_t n_done)
{
    const struct forecast_request *request = &((struct sharing *)context)->forecast->request;
    (void)n_done;
    if (request->tick)
        request->tick(request->tick_data);
}

/* 1 where one rank stands for all. */
static uint32_t count_processes(struct forecast *forecast)
{
    enum { WORTH_SHARING = 1 << 21, ENOUGH = 8 };
    const struct predict_loads *loads = &forecast->rows[0].variants[0].loads;
    const uint32_t n_processors = crew_n_processors();
    if (forecast->request.sizes.n < 2 || forecast_is_uniform(forecast, forecast->request.sizes.items[0]))
        return 1;
    if (crew_n_launched() > 1)
        return crew_n_launched();
    if (forecast->request.jobs)
        return forecast->request.jobs;
    if ((loads->n_operations + loads->n_crossings) * forecast->request.sizes.n < WORTH_SHARING)
        return 1;
    return n_processors < ENOUGH ? n_processors : ENOUGH;
}

bool forecast_play_sizes(struct forecast *forecast, struct forecast_cell *cells)
{
    const size_t n = forecast->request.sizes.n;
    struct arena *arena = &forecast->arena;
    struct sharing sharing = {forecast, cells, arena_alloc(arena, n, sizeof *sharing.problems),
                              arena_alloc(arena, n, sizeof *sharing.is_here)};
    const uint32_t n_processes = count_processes(forecast);
    const struct workers workers = {.n_items = n,
                                    .n_workers = crew_n_launched() > 1 ? 0 : n_processes,
                                    .context = &sharing,
                                    .work = play_size,
                                    .done = take_size,
                                    .tick = tick};
    if (n_processes > 1)
        workers_run(&workers);
    for (size_t size = 0; size < n && crew_number() == 0; size++) {
        if (!sharing.is_here[size] &&
            !forecast_play_schedule(forecast, forecast->request.sizes.items[size], &cells[size]))
            return false;
        forecast->problem = sharing.problems[size];
        if (forecast->problem || (cells[size].time == UINT64_MAX && !forecast_refuse_time(forecast, 0, size)))
            return false;
    }
    return true;
}
