/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model `asap` for whoever plays a schedule on it: its links are in asap_links.h, by the ids of the
 * messages.
 */
#include "simulate/asap_links.h"
#include "simulate/models.h"

struct asap_message {
    struct asap_flight flight; /* first */
    uint64_t leaves_in;        /* ns that its bytes take on the way out */
};

struct asap {
    struct network_model model;
    struct asap_links links;
    struct transit_events *events; /* while time goes on */
    size_t message_capacity;
    uint32_t n_in_flight;
};

static struct asap *asap_of(struct network_model *model)
{
    return (struct asap *)model;
}

static struct asap_message *asap_message_at(const struct asap *asap, uint32_t id)
{
    return (struct asap_message *)(void *)asap_flight_at(&asap->links, id);
}

/* To look ahead is worth it if links are used. */
static void asap_expect(struct network_model *model, uint64_t n_messages)
{
    struct asap *asap = asap_of(model);
    if (n_messages >= asap->links.topology->n_link_ids)
        asap_links_look_ahead(&asap->links);
}

static void asap_leaves(void *owner, const struct asap_flight *flight, uint32_t id, uint64_t time,
                        uint64_t since)
{
    struct asap *asap = owner;
    asap_message_at(asap, id)->leaves_in = since;
    asap_links_plan_left(&asap->links, flight, time, id);
}

static bool asap_send(struct network_model *model, const struct transit *transit, uint64_t time)
{
    struct asap *asap = asap_of(model);
    struct asap_links *links = &asap->links;
    links->messages =
        mem_grow(links->messages, &asap->message_capacity, (size_t)transit->id + 1, links->message_size);
    asap_message_at(asap, transit->id)->flight =
        (struct asap_flight){.bytes = transit->bytes, .from = transit->from, .to = transit->to};
    if (!asap_links_send(links, transit->id, transit->source, transit->destination, transit->network, time))
        return false;
    asap->n_in_flight++;
    return true;
}

static uint64_t asap_next(struct network_model *model)
{
    return timetable_next(&asap_of(model)->links.table);
}

static void asap_tell(void *owner, struct transit_event event)
{
    struct asap *asap = owner;
    struct transit_events *events = asap->events;
    event.time = asap->links.now;
    events->items = mem_grow(events->items, &events->capacity, events->n + 1, sizeof *events->items);
    events->items[events->n++] = event;
}

static void asap_has_left(void *owner, uint32_t id)
{
    asap_tell(owner, (struct transit_event){
                         .id = id, .kind = TRANSIT_LEFT, .bandwidth = asap_message_at(owner, id)->leaves_in});
}

static void asap_arrives(void *owner, uint32_t id)
{
    struct asap *asap = owner;
    struct transit_event event = {.id = id, .kind = TRANSIT_ARRIVED};
    event.latency = asap_links_find_way(&asap->links, &asap_message_at(asap, id)->flight, &event.bandwidth);
    asap->n_in_flight--;
    asap_tell(asap, event);
}

static void asap_advance(struct network_model *model, uint64_t time, struct transit_events *events)
{
    struct asap *asap = asap_of(model);
    asap->events = events;
    asap_links_advance(&asap->links, time);
}

static uint32_t asap_stuck(struct network_model *model, char **why)
{
    *why = NULL;
    return asap_of(model)->n_in_flight;
}

static void asap_free(struct network_model *model)
{
    struct asap *asap = asap_of(model);
    asap_links_free(&asap->links);
    free(asap);
}

struct network_model *simulate_asap(const struct network_model_settings *settings)
{
    static const struct network_model_methods methods = {.name = "asap",
                                                         .expect = asap_expect,
                                                         .send = asap_send,
                                                         .next = asap_next,
                                                         .advance = asap_advance,
                                                         .stuck = asap_stuck,
                                                         .free = asap_free};
    static const struct asap_owner_methods owner_methods = {asap_leaves, asap_has_left, asap_arrives};
    struct asap *asap = mem_alloc(1, sizeof *asap);
    asap->model.methods = &methods;
    asap->links = (struct asap_links){.topology = settings->topology,
                                      .process_bandwidth = settings->process_bandwidth,
                                      .methods = &owner_methods,
                                      .owner = asap,
                                      .message_mask = UINT32_MAX};
    asap_links_init(&asap->links, settings->placement->n_ranks, sizeof(struct asap_message));
    return &asap->model;
}
