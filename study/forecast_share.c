/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes of a forecast that are played by several processes: a size is a piece of work. Of one schedule its
 * text is the time or why there is none, of several what was played. See forecast.h.
 */
#include "study/crew.h"
#include "study/forecast.h"
#include "study/workers.h"

#include <stdlib.h>
#include <string.h>

enum { WORTH_SHARING = 1 << 21, ENOUGH = 8 };

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

/* ---- several schedules ---- */

/* What was played at a size, as a text: of these. The cell's variant is that of the process that played. */
struct shared_play {
    size_t row, variant;
    struct variant_played played;
};

/* The first size is done. */
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

static void tick_choices(void *context, size_t n_done)
{
    const struct forecast_request *request = &((struct forecast *)context)->request;
    (void)n_done;
    if (request->tick)
        request->tick(request->tick_data);
}

void forecast_share_choices(struct forecast *forecast, uint64_t work)
{
    const size_t n = forecast->request.sizes.n;
    const uint32_t n_processors = crew_n_processors();
    if (n < 3 || n_processors < 2 || crew_n_launched() > 1 || work * n < WORTH_SHARING)
        return;
    workers_run(&(struct workers){.n_items = n - 1,
                                  .n_workers = n_processors < ENOUGH ? n_processors : ENOUGH,
                                  .context = forecast,
                                  .work = choose_at_size,
                                  .done = take_plays,
                                  .tick = tick_choices});
}
