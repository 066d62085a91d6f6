/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A model of a network whose messages are striped over the adapters of a host: see network_model_striped.
 * Stripe s of message m is message m * n_stripes + s of the model inside.
 */
#include "simulate/network_model.h"

#include "base/memory.h"

#include <stdlib.h>

struct striped_message {
    uint32_t n_leaving, n_coming; /* stripes that have not left, and not arrived */
};

struct striped {
    struct network_model model; /* first */
    struct network_model *inner;
    const struct placement *placement;
    uint32_t n_stripes;
    struct striped_message *messages; /* [id] */
    size_t capacity;
    struct transit_events events; /* of stripes */
};

static struct striped *striped_of(struct network_model *model)
{
    return (struct striped *)model;
}

static void striped_expect(struct network_model *model, uint64_t n_messages)
{
    struct striped *striped = striped_of(model);
    if (striped->inner->methods->expect)
        striped->inner->methods->expect(striped->inner, n_messages * striped->n_stripes);
}

/* Returns the bytes of a stripe: those that equal parts leave over go to the first ones. */
static uint64_t striped_bytes(const struct striped *striped, uint64_t bytes, uint32_t stripe)
{
    return bytes / striped->n_stripes + (stripe < bytes % striped->n_stripes);
}

static bool striped_send(struct network_model *model, const struct transit *message, uint64_t time)
{
    struct striped *striped = striped_of(model);
    const uint32_t *server = striped->placement->server;
    uint32_t n_sent = 0;
    for (uint32_t stripe = 0; stripe < striped->n_stripes; stripe++) {
        struct transit part = *message;
        part.id = message->id * striped->n_stripes + stripe;
        part.network =
            placement_stripe_way(striped->placement, server[message->from], server[message->to], stripe);
        part.bytes = striped_bytes(striped, message->bytes, stripe);
        if (stripe && !part.bytes)
            break;
        if (!striped->inner->methods->send(striped->inner, &part, time))
            return false; /* the player gives up then, whatever was sent */
        n_sent++;
    }
    striped->messages = mem_grow(striped->messages, &striped->capacity, (size_t)message->id + 1,
                                 sizeof *striped->messages);
    striped->messages[message->id] = (struct striped_message){n_sent, n_sent};
    return true;
}

static uint64_t striped_next(struct network_model *model)
{
    struct network_model *inner = striped_of(model)->inner;
    return inner->methods->next(inner);
}

static void striped_advance(struct network_model *model, uint64_t time, struct transit_events *events)
{
    struct striped *striped = striped_of(model);
    striped->events.n = 0;
    striped->inner->methods->advance(striped->inner, time, &striped->events);
    for (size_t i = 0; i < striped->events.n; i++) {
        struct transit_event event = striped->events.items[i];
        event.id /= striped->n_stripes;
        struct striped_message *message = &striped->messages[event.id];
        if (--*(event.kind == TRANSIT_LEFT ? &message->n_leaving : &message->n_coming))
            continue;
        events->items = mem_grow(events->items, &events->capacity, events->n + 1, sizeof *events->items);
        events->items[events->n++] = event;
    }
}

/* Some stripes of a message may be there: the messages in flight are at least as many as these fill. */
static uint32_t striped_stuck(struct network_model *model, char **why)
{
    struct striped *striped = striped_of(model);
    const uint32_t n = striped->inner->methods->stuck(striped->inner, why);
    return n / striped->n_stripes + (n % striped->n_stripes != 0);
}

static void striped_free(struct network_model *model)
{
    struct striped *striped = striped_of(model);
    striped->inner->methods->free(striped->inner);
    free(striped->messages);
    free(striped->events.items);
    free(striped);
}

struct network_model *network_model_striped(struct network_model *inner, const struct placement *placement)
{
    static const struct network_model_methods methods = {.name = "striped",
                                                         .expect = striped_expect,
                                                         .send = striped_send,
                                                         .next = striped_next,
                                                         .advance = striped_advance,
                                                         .stuck = striped_stuck,
                                                         .free = striped_free};
    struct striped *striped = mem_alloc(1, sizeof *striped);
    *striped = (struct striped){.model = {&methods},
                                .inner = inner,
                                .placement = placement,
                                .n_stripes = placement_stripes(placement)};
    return &striped->model;
}
