/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See under_way.h. Which machines' messages are on a link, and which machines send to one, is counted by
 * pair, in tables that forget pairs of which nothing is under way. Where the most is, is looked for among
 * all links each time that there is more than ever before.
 */
#include "ir/under_way.h"

#include "base/map.h"
#include "base/memory.h"

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

struct under_way {
    const struct topology *topology;
    uint32_t n_intervals;
    struct hop *hops;
    uint32_t *load;          /* [link] */
    uint32_t *n_sources;     /* [link] machines whose messages are on it */
    uint32_t *fan_in;        /* [machine] */
    struct pair_counts on_link, to_machine;
    struct levels loads, fan_ins;
    uint64_t *heat;          /* [link][interval] load x ns up to `since`, or NULL */
    uint64_t *since;         /* [link] */
    uint64_t now;
    struct under_way_figures figures; /* now */
    struct over_time over_time;
};

struct under_way *under_way_new(const struct topology *topology, uint32_t n_intervals, uint64_t end,
                                bool has_heat)
{
    assert(n_intervals && n_intervals % 2 == 0 && n_intervals <= UNDER_WAY_MAX_INTERVALS);
    struct under_way *under_way = mem_alloc(1, sizeof *under_way);
    const size_t n_links = topology->n_link_ids;
    under_way->topology = topology;
    under_way->n_intervals = n_intervals;
    under_way->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *under_way->hops);
    under_way->load = mem_alloc(n_links + 1, sizeof *under_way->load);
    under_way->n_sources = mem_alloc(n_links + 1, sizeof *under_way->n_sources);
    under_way->fan_in = mem_alloc(topology->n_machines, sizeof *under_way->fan_in);
    under_way->over_time.width = end / n_intervals + 1;
    if (has_heat) {
        under_way->heat = mem_alloc(n_links * n_intervals + 1, sizeof *under_way->heat);
        under_way->since = mem_alloc(n_links + 1, sizeof *under_way->since);
    }
    return under_way;
}

static void pair_counts_free(struct pair_counts *counts)
{
    free(counts->items);
    map_free(&counts->map);
}

void under_way_free(struct under_way *under_way)
{
    if (!under_way)
        return;
    free(under_way->hops);
    free(under_way->load);
    free(under_way->n_sources);
    free(under_way->fan_in);
    pair_counts_free(&under_way->on_link);
    pair_counts_free(&under_way->to_machine);
    free(under_way->loads.n_of);
    free(under_way->fan_ins.n_of);
    free(under_way->heat);
    free(under_way->since);
    free(under_way);
}

/* ---- pairs ---- */

static uint32_t hash_of_pair(const void *items, uint32_t i)
{
    const struct pair_count *count = &((const struct pair_count *)items)[i];
    return map_hash_number((uint64_t)count->at << 32 | count->source);
}

static bool under_way_is_pair(const void *items, uint32_t i, const void *key)
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
    uint32_t *slot = map_slot(&counts->map, map_hash_number((uint64_t)at << 32 | source), under_way_is_pair,
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
                                    under_way_is_pair, counts->items, &key);
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

static void raise_figures(struct under_way_figures *most, const struct under_way_figures *by)
{
    most->messages = by->messages > most->messages ? by->messages : most->messages;
    most->link_load = by->link_load > most->link_load ? by->link_load : most->link_load;
    most->fan_in = by->fan_in > most->fan_in ? by->fan_in : most->fan_in;
    if (by->contended_links > most->contended_links)
        most->contended_links = by->contended_links;
}

/* Two intervals become one. */
static void merge_intervals(struct under_way *under_way)
{
    struct over_time *all = &under_way->over_time;
    const uint32_t n = under_way->n_intervals;
    all->width *= 2;
    for (uint32_t i = 0; i < n; i++) {
        struct under_way_figures merged = {0};
        for (uint32_t half = 2 * i; half < 2 * i + 2 && half < n; half++)
            raise_figures(&merged, &all->intervals[half]);
        all->intervals[i] = merged;
    }
    for (size_t link = 0; under_way->heat && link < under_way->topology->n_link_ids; link++) {
        uint64_t *of_link = &under_way->heat[link * n];
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

/* Adds up what is under way now as lasting until `time`. */
static void under_way_go_on(struct under_way *under_way, uint64_t time)
{
    struct over_time *all = &under_way->over_time;
    const uint64_t lasts = time - under_way->now;
    assert(time >= under_way->now);
    if (!lasts)
        return;
    under_way->figures.link_load = under_way->loads.most;
    under_way->figures.fan_in = under_way->fan_ins.most;
    if (under_way->loads.most > all->most.link_load)
        all->link = first_with(under_way->load, under_way->loads.most);
    if (under_way->fan_ins.most > all->most.fan_in)
        all->machine = first_with(under_way->fan_in, under_way->fan_ins.most);
    while ((time - 1) / all->width >= under_way->n_intervals)
        merge_intervals(under_way);
    for (uint64_t i = under_way->now / all->width; i <= (time - 1) / all->width; i++)
        raise_figures(&all->intervals[i], &under_way->figures);
    raise_figures(&all->most, &under_way->figures);
    all->contended += under_way->figures.contended_links ? lasts : 0;
    all->several += under_way->figures.fan_in > 1 ? lasts : 0;
    under_way->now = time;
}

/* Adds what the link has carried since it was last looked at. */
static void add_heat(struct under_way *under_way, uint32_t link)
{
    const uint64_t width = under_way->over_time.width, now = under_way->now;
    if (!under_way->heat)
        return;
    uint64_t from = under_way->since[link];
    under_way->since[link] = now;
    if (!under_way->load[link])
        return;
    while (from < now) {
        const uint64_t interval = from / width, end = (interval + 1) * width;
        const uint64_t to = end < now ? end : now;
        under_way->heat[(size_t)link * under_way->n_intervals + interval] +=
            (to - from) * under_way->load[link];
        from = to;
    }
}

/* ---- messages ---- */

static uint32_t under_way_find_route(struct under_way *under_way, const struct passage *passage)
{
    return topology_route_over(under_way->topology, passage->network, passage->source, passage->destination,
                               under_way->hops);
}

static void under_way_enter_link(struct under_way *under_way, uint32_t link, uint32_t source)
{
    add_heat(under_way, link);
    level_rises(&under_way->loads, &under_way->load[link]);
    if (pair_enters(&under_way->on_link, link, source) && ++under_way->n_sources[link] == 2)
        under_way->figures.contended_links++;
}

bool under_way_enter(struct under_way *under_way, const struct passage *passage, uint64_t time)
{
    const uint32_t n_hops = under_way_find_route(under_way, passage);
    if (!n_hops)
        return false;
    under_way_go_on(under_way, time);
    under_way->figures.messages++;
    for (uint32_t i = 0; i < n_hops; i++)
        if (topology_link_contends(under_way->topology, under_way->hops[i].link))
            under_way_enter_link(under_way, under_way->hops[i].link, passage->source);
    if (pair_enters(&under_way->to_machine, passage->destination, passage->source))
        level_rises(&under_way->fan_ins, &under_way->fan_in[passage->destination]);
    return true;
}

void under_way_leave(struct under_way *under_way, const struct passage *passage, uint64_t time)
{
    const uint32_t n_hops = under_way_find_route(under_way, passage);
    if (!n_hops)
        return;
    under_way_go_on(under_way, time);
    under_way->figures.messages--;
    for (uint32_t i = 0; i < n_hops; i++) {
        const uint32_t link = under_way->hops[i].link;
        if (!topology_link_contends(under_way->topology, link))
            continue;
        add_heat(under_way, link);
        level_falls(&under_way->loads, &under_way->load[link]);
        if (pair_leaves(&under_way->on_link, link, passage->source) && --under_way->n_sources[link] == 1)
            under_way->figures.contended_links--;
    }
    if (pair_leaves(&under_way->to_machine, passage->destination, passage->source))
        level_falls(&under_way->fan_ins, &under_way->fan_in[passage->destination]);
}

struct over_time under_way_end(struct under_way *under_way, uint64_t time)
{
    under_way_go_on(under_way, time);
    for (uint32_t link = 0; under_way->heat && link < under_way->topology->n_link_ids; link++)
        add_heat(under_way, link);
    under_way->over_time.time = time;
    under_way->over_time.n_intervals = (uint32_t)((time + under_way->over_time.width - 1) /
                                                  under_way->over_time.width);
    return under_way->over_time;
}

double under_way_heat(const struct under_way *under_way, uint32_t link, uint32_t interval)
{
    const uint64_t begin = interval * under_way->over_time.width, end = begin + under_way->over_time.width;
    const uint64_t lasts = (end < under_way->over_time.time ? end : under_way->over_time.time) - begin;
    return (double)under_way->heat[(size_t)link * under_way->n_intervals + interval] / (double)lasts;
}
