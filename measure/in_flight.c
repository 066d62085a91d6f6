/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See in_flight.h. Which machines' messages are on a link, and which machines send to one, is counted by
 * pair, in tables that forget pairs of which nothing is in flight. Where the most is, is looked for among
 * all links each time that there is more than ever before.
 */
#include "measure/in_flight.h"

#include "base/map.h"
#include "base/memory.h"
#include "network/host_ports.h"

#include <assert.h>
#include <stdlib.h>

struct pair_count {
    uint32_t at, source, n; /* at: a link, or a machine */
};
struct pair_counts {
    struct pair_count *items;
    size_t capacity;
    struct hash_map map;
    uint32_t n_live;
};

/* Number of objects with each load, so that the largest load is at hand. */
struct levels {
    uint32_t *n_of; /* [load above 0] */
    size_t capacity;
    uint32_t most;
};

struct in_flight {
    const struct topology *topology;
    uint32_t n_intervals;
    struct hop *hops;
    uint32_t *load;          /* [link] */
    uint32_t *n_sources;     /* [link] machines whose messages are on it */
    uint32_t n_ports;        /* of a machine */
    uint32_t *fan_in;        /* [machine * n_ports + port] */
    struct pair_counts on_link, to_port;
    struct levels loads, fan_ins;
    uint64_t *heat;          /* [link][interval] load x ns up to `since`, or NULL */
    uint64_t *since;         /* [link] */
    uint64_t now;
    struct in_flight_figures figures; /* now */
    struct over_time over_time;
};

struct in_flight *in_flight_new(const struct topology *topology, uint32_t n_intervals, uint64_t end,
                                bool has_heat)
{
    assert(n_intervals && n_intervals % 2 == 0 && n_intervals <= UNDER_WAY_MAX_INTERVALS);
    struct in_flight *in_flight = mem_alloc(1, sizeof *in_flight);
    const size_t n_links = topology->n_link_ids;
    in_flight->topology = topology;
    in_flight->n_intervals = n_intervals;
    in_flight->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *in_flight->hops);
    in_flight->load = mem_alloc(n_links + 1, sizeof *in_flight->load);
    in_flight->n_sources = mem_alloc(n_links + 1, sizeof *in_flight->n_sources);
    in_flight->n_ports = topology_n_host_ports(topology);
    in_flight->fan_in =
        mem_alloc((size_t)topology->n_machines * in_flight->n_ports, sizeof *in_flight->fan_in);
    in_flight->over_time.width = end / n_intervals + 1;
    if (has_heat) {
        in_flight->heat = mem_alloc(n_links * n_intervals + 1, sizeof *in_flight->heat);
        in_flight->since = mem_alloc(n_links + 1, sizeof *in_flight->since);
    }
    return in_flight;
}

static void pair_counts_free(struct pair_counts *counts)
{
    free(counts->items);
    map_free(&counts->map);
}

void in_flight_free(struct in_flight *in_flight)
{
    if (!in_flight)
        return;
    free(in_flight->hops);
    free(in_flight->load);
    free(in_flight->n_sources);
    free(in_flight->fan_in);
    pair_counts_free(&in_flight->on_link);
    pair_counts_free(&in_flight->to_port);
    free(in_flight->loads.n_of);
    free(in_flight->fan_ins.n_of);
    free(in_flight->heat);
    free(in_flight->since);
    free(in_flight);
}

/* ---- pairs ---- */

static uint32_t hash_of_pair(const void *items, uint32_t i)
{
    const struct pair_count *count = &((const struct pair_count *)items)[i];
    return map_hash_number((uint64_t)count->at << 32 | count->source);
}

static bool in_flight_is_pair(const void *items, uint32_t i, const void *key)
{
    const struct pair_count *count = &((const struct pair_count *)items)[i], *wanted = key;
    return count->at == wanted->at && count->source == wanted->source;
}

static void forget_idle_pairs(struct pair_counts *counts)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < counts->map.n; i++)
        if (counts->items[i].n)
            counts->items[n++] = counts->items[i];
    counts->map.n = n;
    map_rebuild(&counts->map, hash_of_pair, counts->items, false);
}

/* Counts one more message of the pair. True: it is the first. */
static bool pair_enters(struct pair_counts *counts, uint32_t at, uint32_t source)
{
    const struct pair_count key = {at, source, 1};
    if (counts->map.n > 1024 && counts->map.n / 4 > counts->n_live)
        forget_idle_pairs(counts);
    map_reserve(&counts->map, hash_of_pair, counts->items);
    uint32_t *slot = map_slot(&counts->map, map_hash_number((uint64_t)at << 32 | source), in_flight_is_pair,
                              counts->items, &key);
    if (*slot == MAP_NONE) {
        counts->items = mem_grow(counts->items, &counts->capacity, (size_t)counts->map.n + 1,
                                 sizeof *counts->items);
        counts->items[counts->map.n] = key;
        map_fill(&counts->map, slot);
        counts->n_live++;
        return true;
    }
    const bool is_first = counts->items[*slot].n++ == 0;
    counts->n_live += is_first;
    return is_first;
}

/* Counts one less message of the pair. True: it was the last. */
static bool pair_leaves(struct pair_counts *counts, uint32_t at, uint32_t source)
{
    const struct pair_count key = {at, source, 1};
    const uint32_t found = map_find(&counts->map, map_hash_number((uint64_t)at << 32 | source),
                                    in_flight_is_pair, counts->items, &key);
    assert(found != MAP_NONE && counts->items[found].n);
    const bool is_last = --counts->items[found].n == 0;
    counts->n_live -= is_last;
    return is_last;
}

/* ---- levels ---- */

static void level_rises(struct levels *levels, uint32_t *load)
{
    const uint32_t to = ++*load;
    const size_t before = levels->capacity;
    levels->n_of = mem_grow(levels->n_of, &levels->capacity, (size_t)to + 1, sizeof *levels->n_of);
    for (size_t i = before; i < levels->capacity; i++)
        levels->n_of[i] = 0;
    levels->n_of[to]++;
    if (to > 1)
        levels->n_of[to - 1]--;
    levels->most = to > levels->most ? to : levels->most;
}

static void level_falls(struct levels *levels, uint32_t *load)
{
    const uint32_t from = (*load)--;
    levels->n_of[from]--;
    if (from > 1)
        levels->n_of[from - 1]++;
    if (from == levels->most && !levels->n_of[from])
        levels->most--;
}

/* ---- intervals ---- */

static void raise_figures(struct in_flight_figures *most, const struct in_flight_figures *by)
{
    most->messages = by->messages > most->messages ? by->messages : most->messages;
    most->link_load = by->link_load > most->link_load ? by->link_load : most->link_load;
    most->fan_in = by->fan_in > most->fan_in ? by->fan_in : most->fan_in;
    if (by->contended_links > most->contended_links)
        most->contended_links = by->contended_links;
}

/* Two intervals become one. */
static void merge_intervals(struct in_flight *in_flight)
{
    struct over_time *all = &in_flight->over_time;
    const uint32_t n = in_flight->n_intervals;
    all->width *= 2;
    for (uint32_t i = 0; i < n; i++) {
        struct in_flight_figures merged = {0};
        for (uint32_t half = 2 * i; half < 2 * i + 2 && half < n; half++)
            raise_figures(&merged, &all->intervals[half]);
        all->intervals[i] = merged;
    }
    for (size_t link = 0; in_flight->heat && link < in_flight->topology->n_link_ids; link++) {
        uint64_t *of_link = &in_flight->heat[link * n];
        for (uint32_t i = 0; i < n; i++)
            of_link[i] = 2 * i < n ? of_link[2 * i] + of_link[2 * i + 1] : 0;
    }
}

static uint32_t first_with(const uint32_t *loads, uint32_t load)
{
    uint32_t i = 0;
    while (loads[i] != load)
        i++;
    return i;
}

/* Adds up what is in flight now as lasting until `time`. */
static void in_flight_go_on(struct in_flight *in_flight, uint64_t time)
{
    struct over_time *all = &in_flight->over_time;
    const uint64_t lasts = time - in_flight->now;
    assert(time >= in_flight->now);
    if (!lasts)
        return;
    in_flight->figures.link_load = in_flight->loads.most;
    in_flight->figures.fan_in = in_flight->fan_ins.most;
    if (in_flight->loads.most > all->most.link_load)
        all->link = first_with(in_flight->load, in_flight->loads.most);
    if (in_flight->fan_ins.most > all->most.fan_in)
        all->machine = first_with(in_flight->fan_in, in_flight->fan_ins.most) / in_flight->n_ports;
    while ((time - 1) / all->width >= in_flight->n_intervals)
        merge_intervals(in_flight);
    for (uint64_t i = in_flight->now / all->width; i <= (time - 1) / all->width; i++)
        raise_figures(&all->intervals[i], &in_flight->figures);
    raise_figures(&all->most, &in_flight->figures);
    all->contended += in_flight->figures.contended_links ? lasts : 0;
    all->several += in_flight->figures.fan_in > 1 ? lasts : 0;
    in_flight->now = time;
}

/* Adds what the link has carried since it was last looked at. */
static void add_heat(struct in_flight *in_flight, uint32_t link)
{
    const uint64_t width = in_flight->over_time.width, now = in_flight->now;
    if (!in_flight->heat)
        return;
    uint64_t from = in_flight->since[link];
    in_flight->since[link] = now;
    if (!in_flight->load[link])
        return;
    while (from < now) {
        const uint64_t interval = from / width, end = (interval + 1) * width;
        const uint64_t to = end < now ? end : now;
        in_flight->heat[(size_t)link * in_flight->n_intervals + interval] +=
            (to - from) * in_flight->load[link];
        from = to;
    }
}

/* ---- messages ---- */

static uint32_t in_flight_find_route(struct in_flight *in_flight, const struct passage *passage)
{
    return topology_route_over(in_flight->topology, passage->network, passage->source, passage->destination,
                               in_flight->hops);
}

/* Returns the index of the port at which the route in `hops` arrives. */
static uint32_t port_of_passage(const struct in_flight *in_flight, const struct passage *passage,
                                uint32_t n_hops)
{
    const struct host_ports *ports = in_flight->topology->host_ports;
    const uint32_t port = ports ? ports->in[in_flight->hops[n_hops - 1].link] : 0;
    return passage->destination * in_flight->n_ports + port;
}

static void in_flight_enter_link(struct in_flight *in_flight, uint32_t link, uint32_t source)
{
    add_heat(in_flight, link);
    level_rises(&in_flight->loads, &in_flight->load[link]);
    if (pair_enters(&in_flight->on_link, link, source) && ++in_flight->n_sources[link] == 2)
        in_flight->figures.contended_links++;
}

bool in_flight_enter(struct in_flight *in_flight, const struct passage *passage, uint64_t time)
{
    const uint32_t n_hops = in_flight_find_route(in_flight, passage);
    if (!n_hops)
        return false;
    in_flight_go_on(in_flight, time);
    in_flight->figures.messages++;
    for (uint32_t i = 0; i < n_hops; i++)
        if (topology_link_contends(in_flight->topology, in_flight->hops[i].link))
            in_flight_enter_link(in_flight, in_flight->hops[i].link, passage->source);
    const uint32_t port = port_of_passage(in_flight, passage, n_hops);
    if (pair_enters(&in_flight->to_port, port, passage->source))
        level_rises(&in_flight->fan_ins, &in_flight->fan_in[port]);
    return true;
}

void in_flight_leave(struct in_flight *in_flight, const struct passage *passage, uint64_t time)
{
    const uint32_t n_hops = in_flight_find_route(in_flight, passage);
    if (!n_hops)
        return;
    in_flight_go_on(in_flight, time);
    in_flight->figures.messages--;
    for (uint32_t i = 0; i < n_hops; i++) {
        const uint32_t link = in_flight->hops[i].link;
        if (!topology_link_contends(in_flight->topology, link))
            continue;
        add_heat(in_flight, link);
        level_falls(&in_flight->loads, &in_flight->load[link]);
        if (pair_leaves(&in_flight->on_link, link, passage->source) && --in_flight->n_sources[link] == 1)
            in_flight->figures.contended_links--;
    }
    const uint32_t port = port_of_passage(in_flight, passage, n_hops);
    if (pair_leaves(&in_flight->to_port, port, passage->source))
        level_falls(&in_flight->fan_ins, &in_flight->fan_in[port]);
}

struct over_time in_flight_end(struct in_flight *in_flight, uint64_t time)
{
    in_flight_go_on(in_flight, time);
    for (uint32_t link = 0; in_flight->heat && link < in_flight->topology->n_link_ids; link++)
        add_heat(in_flight, link);
    in_flight->over_time.time = time;
    in_flight->over_time.n_intervals = (uint32_t)((time + in_flight->over_time.width - 1) /
                                                  in_flight->over_time.width);
    return in_flight->over_time;
}

double in_flight_heat(const struct in_flight *in_flight, uint32_t link, uint32_t interval)
{
    const uint64_t begin = interval * in_flight->over_time.width, end = begin + in_flight->over_time.width;
    const uint64_t lasts = (end < in_flight->over_time.time ? end : in_flight->over_time.time) - begin;
    return (double)in_flight->heat[(size_t)link * in_flight->n_intervals + interval] / (double)lasts;
}
