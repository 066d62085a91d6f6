/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A model of a network that another one looks at: see network_model_watched.
 */
#include "simulate/network_model.h"

#include "base/memory.h"

#include <stdlib.h>

struct watched {
    struct network_model model; /* first */
    struct network_model *inner;
    transit_watcher *watcher;
    void *context;
    struct transit *messages;   /* [id] */
    size_t capacity;
};

static struct watched *watched_of(struct network_model *model)
{
    return (struct watched *)model;
}

static void watched_expect(struct network_model *model, uint64_t n_messages)
{
    struct network_model *inner = watched_of(model)->inner;
    if (inner->methods->expect)
        inner->methods->expect(inner, n_messages);
}

static bool watched_send(struct network_model *model, const struct transit *message, uint64_t time)
{
    struct watched *watched = watched_of(model);
    if (!watched->inner->methods->send(watched->inner, message, time))
        return false;
    watched->messages = mem_grow(watched->messages, &watched->capacity, (size_t)message->id + 1,
                                 sizeof *watched->messages);
    watched->messages[message->id] = *message;
    watched->watcher(watched->context, message, false, time);
    return true;
}

static uint64_t simulate_watched_next(struct network_model *model)
{
    struct network_model *inner = watched_of(model)->inner;
    return inner->methods->next(inner);
}

static void watched_advance(struct network_model *model, uint64_t time, struct transit_events *events)
{
    struct watched *watched = watched_of(model);
    const size_t before = events->n;
    watched->inner->methods->advance(watched->inner, time, events);
    for (size_t i = before; i < events->n; i++)
        if (events->items[i].kind == TRANSIT_ARRIVED)
            watched->watcher(watched->context, &watched->messages[events->items[i].id], true,
                             events->items[i].time);
}

static uint32_t watched_stuck(struct network_model *model, char **why)
{
    struct network_model *inner = watched_of(model)->inner;
    return inner->methods->stuck(inner, why);
}

static void watched_free(struct network_model *model)
{
    struct watched *watched = watched_of(model);
    watched->inner->methods->free(watched->inner);
    free(watched->messages);
    free(watched);
}

static const struct network_model_methods watched_methods = {.name = "watched",
                                                             .expect = watched_expect,
                                                             .send = watched_send,
                                                             .next = simulate_watched_next,
                                                             .advance = watched_advance,
                                                             .stuck = watched_stuck,
                                                             .free = watched_free};

struct network_model *network_model_watched(struct network_model *inner, transit_watcher *watcher,
                                            void *context)
{
    struct watched *watched = mem_alloc(1, sizeof *watched);
    *watched = (struct watched){.model = {&watched_methods},
                                .inner = inner,
                                .watcher = watcher,
                                .context = context};
    return &watched->model;
}
