/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See sharing.h. A round settles one connected part of links and streams; what it reached carries
 * its number. Streams that it leaves as they are count as taken from their links.
 */
#include "simulate/sharing.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Levels closer than this are one: that much less than a ns goes wrong in what a day takes. */
static const double SAME = 1e-12;
/* A slower stream must be slower by this, so that no rounding takes one for slower. */
static const double SLOWER = 1e-9;
#define NO_NUMBER UINT32_MAX

static inline void list_add(struct sharing_list *list, uint32_t item)
{
    if (list->n == list->capacity)
        list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] = item;
}

struct sharing sharing_new(uint32_t n_links)
{
    struct sharing sharing = {.links = mem_alloc(n_links, sizeof *sharing.links),
                              .n_links = n_links,
                              .free_stream = NO_NUMBER,
                              .slowest_end = INFINITY};
    for (size_t i = 0; i < SHARING_CLASSES; i++)
        sharing.free_hops[i] = NO_NUMBER;
    return sharing;
}

void sharing_free(struct sharing *sharing)
{
    for (uint32_t i = 0; i < sharing->n_links; i++)
        if (sharing->links[i].room > 1)
            free(sharing->links[i].crossings);
    free(sharing->links);
    free(sharing->streams);
    free(sharing->hops);
    free(sharing->touched.items);
    free(sharing->grown.items);
    free(sharing->settled.items);
    free(sharing->reached_links.items);
    free(sharing->reached_streams.items);
    free(sharing->heap.items);
    *sharing = (struct sharing){0};
}

/* Hops are kept in pieces of 2^class. */
static uint32_t class_of(uint32_t n)
{
    uint32_t class = 1;
    while (n > UINT32_C(1) << class)
        class++;
    return class;
}

static uint32_t take_hops(struct sharing *sharing, uint32_t n)
{
    const uint32_t class = class_of(n);
    uint32_t first = sharing->free_hops[class];
    if (first != NO_NUMBER) {
        sharing->free_hops[class] = sharing->hops[first].link;
        return first;
    }
    first = (uint32_t)sharing->n_hops;
    sharing->n_hops += (size_t)1 << class;
    if (sharing->n_hops > NO_NUMBER)
        fatal("messages on more than 2^32 links at once");
    sharing->hops = mem_grow(sharing->hops, &sharing->hop_capacity, sharing->n_hops,
                             sizeof *sharing->hops);
    return first;
}

static void give_hops(struct sharing *sharing, uint32_t first, uint32_t n)
{
    const uint32_t class = class_of(n);
    sharing->hops[first].link = sharing->free_hops[class];
    sharing->free_hops[class] = first;
}

static uint32_t take_stream(struct sharing *sharing)
{
    const uint32_t stream = sharing->free_stream;
    if (stream != NO_NUMBER) {
        sharing->free_stream = sharing->streams[stream].first;
        return stream;
    }
    sharing->streams = mem_grow(sharing->streams, &sharing->stream_capacity,
                                ++sharing->n_streams, sizeof *sharing->streams);
    return (uint32_t)sharing->n_streams - 1;
}

static void sharing_make_room(struct sharing_link *link)
{
    if (link->room > 1) {
        link->room *= 2;
        link->crossings = mem_resize(link->crossings, link->room, sizeof *link->crossings);
    } else if (link->room == 1) {
        link->crossings = mem_alloc(link->room = 4, sizeof *link->crossings);
        link->crossings[0] = link->only;
    } else {
        link->crossings = &link->only;
        link->room = 1;
    }
}

/* Others than a stream that begins or ends are on the link. */
static inline void sharing_touch(struct sharing *sharing, struct sharing_link *link)
{
    if (link->is_touched)
        return;
    link->is_touched = true;
    list_add(&sharing->touched, (uint32_t)(link - sharing->links));
}

static inline void sharing_grow(struct sharing *sharing, uint32_t number)
{
    struct sharing_stream *stream = &sharing->streams[number];
    stream->n++;
    if (stream->is_grown)
        return;
    stream->is_grown = true;
    list_add(&sharing->grown, number);
}

uint32_t sharing_open(struct sharing *sharing, const uint32_t *links, uint32_t n, double limit)
{
    const uint32_t number = take_stream(sharing);
    const uint32_t first = take_hops(sharing, n);
    sharing->streams[number] = (struct sharing_stream){
        .limit = limit, .first = first, .n_hops = n, .round = sharing->round};
    for (uint32_t i = 0; i < n; i++) {
        struct sharing_link *link = &sharing->links[links[i]];
        assert(link->capacity > 0);
        if (link->n)
            sharing_touch(sharing, link);
        if (link->n == link->room)
            sharing_make_room(link);
        sharing->hops[first + i] = (struct sharing_hop){links[i], link->n};
        link->crossings[link->n++] = (struct sharing_crossing){number, i};
        link->n_messages++;
    }
    sharing_grow(sharing, number);
    return number;
}

void sharing_begin(struct sharing *sharing, uint32_t number)
{
    const struct sharing_stream *stream = &sharing->streams[number];
    for (uint32_t i = 0; i < stream->n_hops; i++) {
        struct sharing_link *link = &sharing->links[sharing->hops[stream->first + i].link];
        link->n_messages++;
        sharing_touch(sharing, link);
    }
    sharing_grow(sharing, number);
}

static void take_crossing(struct sharing *sharing, struct sharing_link *link, uint32_t position)
{
    if (position == --link->n)
        return;
    const struct sharing_crossing moved = link->crossings[position] = link->crossings[link->n];
    sharing->hops[sharing->streams[moved.stream].first + moved.hop].position = position;
}

void sharing_end(struct sharing *sharing, uint32_t number)
{
    struct sharing_stream *stream = &sharing->streams[number];
    assert(stream->n && stream->rate > 0);
    const bool is_last = --stream->n == 0;
    if (stream->rate < sharing->slowest_end)
        sharing->slowest_end = stream->rate;
    for (uint32_t i = 0; i < stream->n_hops; i++) {
        const struct sharing_hop hop = sharing->hops[stream->first + i];
        struct sharing_link *link = &sharing->links[hop.link];
        link->n_messages--;
        if (is_last)
            take_crossing(sharing, link, hop.position);
        if (link->n)
            sharing_touch(sharing, link);
    }
    if (!is_last)
        return;
    assert(!stream->is_grown);
    give_hops(sharing, stream->first, stream->n_hops);
    stream->first = sharing->free_stream;
    sharing->free_stream = number;
}

/* The level up to which all goes as before: each message that began, but for those that are settled,
 * has at least an equal part of each of its links. */
static double unchanged_level(const struct sharing *sharing)
{
    double level = sharing->slowest_end;
    for (size_t i = 0; i < sharing->grown.n; i++) {
        const struct sharing_stream *stream = &sharing->streams[sharing->grown.items[i]];
        if (!stream->is_grown)
            continue;
        for (uint32_t k = 0; k < stream->n_hops; k++) {
            const struct sharing_link *link =
                &sharing->links[sharing->hops[stream->first + k].link];
            const double part = link->capacity / link->n_messages;
            level = part < level ? part : level;
        }
        level = stream->limit < level ? stream->limit : level;
    }
    return level * (1 - SLOWER);
}

/* A stream that has got a rate. */
static void set_rate(struct sharing *sharing, uint32_t number, double rate)
{
    struct sharing_stream *stream = &sharing->streams[number];
    const bool is_other = fabs(rate - stream->rate) > SAME * rate;
    if (is_other)
        stream->rate = rate;
    if (is_other || stream->is_grown)
        list_add(&sharing->settled, number);
    stream->is_grown = false;
}

/* The messages of a stream that nobody else's cross, and no link twice, share it among them. */
static void settle_alone(struct sharing *sharing, uint32_t number)
{
    const struct sharing_stream *stream = &sharing->streams[number];
    const struct sharing_hop *hops = sharing->hops + stream->first;
    double least = INFINITY;
    for (uint32_t i = 0; i < stream->n_hops; i++) {
        const struct sharing_link *link = &sharing->links[hops[i].link];
        if (link->n != 1)
            return;
        least = link->capacity < least ? link->capacity : least;
    }
    if (stream->n > 1)
        least /= stream->n;
    set_rate(sharing, number, stream->limit < least ? stream->limit : least);
}

static void reach_link(struct sharing *sharing, uint32_t number)
{
    struct sharing_link *link = &sharing->links[number];
    if (link->round == sharing->round)
        return;
    link->round = sharing->round;
    link->left = link->capacity;
    link->n_open = 0;
    list_add(&sharing->reached_links, number);
}

static void reach_stream(struct sharing *sharing, uint32_t number)
{
    struct sharing_stream *stream = &sharing->streams[number];
    if (stream->round == sharing->round)
        return;
    stream->round = sharing->round;
    list_add(&sharing->reached_streams, number);
    for (uint32_t i = 0; i < stream->n_hops; i++)
        reach_link(sharing, sharing->hops[stream->first + i].link);
}

/* All that shares links with the first one, but what is slower than `level`. */
static void sharing_reach(struct sharing *sharing, uint32_t first, double level)
{
    sharing->reached_links.n = sharing->reached_streams.n = 0;
    reach_link(sharing, first);
    for (size_t at = 0; at < sharing->reached_links.n; at++) {
        struct sharing_link *link = &sharing->links[sharing->reached_links.items[at]];
        for (uint32_t i = 0; i < link->n; i++) {
            const uint32_t number = link->crossings[i].stream;
            const struct sharing_stream *stream = &sharing->streams[number];
            if (stream->rate < level && !stream->is_grown) {
                link->left -= stream->rate * stream->n;
            } else {
                link->n_open += stream->n;
                reach_stream(sharing, number);
            }
        }
    }
}

static bool sharing_is_lower(const void *a, const void *b)
{
    const struct sharing_level *left = a, *right = b;
    return left->level < right->level;
}

static void make_heap(struct sharing *sharing)
{
    const struct sharing_list *links = &sharing->reached_links;
    const struct sharing_list *streams = &sharing->reached_streams;
    struct heap *heap = &sharing->heap;
    struct sharing_level *levels = heap->items =
        mem_grow(heap->items, &heap->capacity, links->n + streams->n, sizeof *levels);
    heap->n = 0;
    for (size_t i = 0; i < links->n; i++) {
        const struct sharing_link *link = &sharing->links[links->items[i]];
        if (link->n_open)
            levels[heap->n++] = (struct sharing_level){link->left / link->n_open, links->items[i], false};
    }
    for (size_t i = 0; i < streams->n; i++) {
        const double limit = sharing->streams[streams->items[i]].limit;
        if (isfinite(limit))
            levels[heap->n++] = (struct sharing_level){limit, streams->items[i], true};
    }
    for (size_t at = heap->n / 2; at-- > 0;) {
        const struct sharing_level level = levels[at];
        heap_sink(heap, at, &level, sizeof level, sharing_is_lower);
    }
}

/* The stream keeps this level. Returns how many streams that were, none if it has one already. */
static size_t keep_level(struct sharing *sharing, uint32_t number, double level)
{
    struct sharing_stream *stream = &sharing->streams[number];
    if (stream->round != sharing->round)
        return 0;
    stream->round = sharing->round + 1;
    for (uint32_t i = 0; i < stream->n_hops; i++) {
        struct sharing_link *link = &sharing->links[sharing->hops[stream->first + i].link];
        link->left -= level * stream->n;
        link->n_open -= stream->n;
    }
    set_rate(sharing, number, level);
    return 1;
}

/* Progressive filling of what was reached. Levels of links only rise as streams get theirs, so a
 * link in the heap is looked at again when it comes to the top. */
static void sharing_fill(struct sharing *sharing)
{
    double level = 0;
    make_heap(sharing);
    for (size_t n_found = 0; n_found < sharing->reached_streams.n;) {
        assert(sharing->heap.n);
        struct sharing_level top = *(const struct sharing_level *)sharing->heap.items;
        const struct sharing_link *link = top.is_limit ? NULL : &sharing->links[top.number];
        const bool is_done = link && !link->n_open;
        if (link && link->n_open) {
            const double now = link->left / link->n_open;
            if (now > top.level + SAME * top.level) {
                top.level = now;
                heap_sink(&sharing->heap, 0, &top, sizeof top, sharing_is_lower);
                continue;
            }
        }
        heap_drop(&sharing->heap, sizeof top, sharing_is_lower);
        if (is_done)
            continue;
        level = top.level > level + SAME * level ? top.level : level;
        if (!link)
            n_found += keep_level(sharing, top.number, level);
        else
            for (uint32_t i = 0; i < link->n; i++)
                n_found += keep_level(sharing, link->crossings[i].stream, level);
    }
}

void sharing_settle(struct sharing *sharing)
{
    sharing->settled.n = 0;
    sharing->round += 2;
    for (size_t i = 0; i < sharing->grown.n; i++)
        settle_alone(sharing, sharing->grown.items[i]);
    const double level = sharing->touched.n ? unchanged_level(sharing) : 0;
    for (size_t i = 0; i < sharing->touched.n; i++) {
        struct sharing_link *link = &sharing->links[sharing->touched.items[i]];
        link->is_touched = false;
        if (link->round == sharing->round || !link->n)
            continue;
        sharing_reach(sharing, sharing->touched.items[i], level);
        sharing_fill(sharing);
    }
    sharing->touched.n = sharing->grown.n = 0;
    sharing->slowest_end = INFINITY;
}
