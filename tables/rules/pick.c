/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns choices for single sizes into ranges: the loader names the sizes at which its choice may change,
 * and is asked once from each to the next.
 */
#include "tables/rules/table.h"

#include "base/integer.h"

#include <stdlib.h>
#include <string.h>

struct changes {
    struct span within;
    uint64_t *items;
    size_t n, capacity;
};

static void note_change(void *context, uint64_t bytes)
{
    struct changes *changes = context;
    if (!span_has(changes->within, bytes))
        return;
    changes->items = mem_grow(changes->items, &changes->capacity, changes->n + 1, sizeof *changes->items);
    changes->items[changes->n++] = bytes;
}

static bool are_same_words(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool pick_are_alike(const struct table_range *a, const struct table_range *b)
{
    return a->rule == b->rule && are_same_words(a->algorithm, b->algorithm) &&
           are_same_words(a->runs_as, b->runs_as) && are_same_words(a->fails, b->fails) &&
           are_same_words(a->wrong, b->wrong) &&
           are_same_words(a->why, b->why) && a->parameters.segment_bytes == b->parameters.segment_bytes &&
           a->parameters.fan_out == b->parameters.fan_out &&
           a->parameters.max_requests == b->parameters.max_requests && a->protocol == b->protocol &&
           a->has_channels == b->has_channels && a->channels == b->channels;
}

static void pick_add_range(struct table_ranges *ranges, struct table_range range)
{
    if (ranges->n && ranges->items[ranges->n - 1].bytes.last + 1 == range.bytes.first &&
        pick_are_alike(&ranges->items[ranges->n - 1], &range)) {
        ranges->items[ranges->n - 1].bytes.last = range.bytes.last;
        return;
    }
    ranges->items = mem_grow(ranges->items, &ranges->capacity, ranges->n + 1, sizeof *ranges->items);
    ranges->items[ranges->n++] = range;
}

struct table_ranges table_pick(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, struct span bytes, struct arena *arena)
{
    struct table_ranges ranges = {0};
    struct changes changes = {.within = bytes};
    note_change(&changes, bytes.first);
    table->loader->changes(table, query, note_change, &changes);
    qsort(changes.items, changes.n, sizeof *changes.items, compare_uint64);
    for (size_t i = 0; i < changes.n; i++) {
        if (i && changes.items[i] == changes.items[i - 1])
            continue;
        size_t next = i + 1;
        while (next < changes.n && changes.items[next] == changes.items[i])
            next++;
        struct table_range range =
            table->loader->choose(table, query, is_elsewhere, changes.items[i], arena);
        range.bytes = (struct span){changes.items[i],
                                    next < changes.n ? changes.items[next] - 1 : bytes.last};
        pick_add_range(&ranges, range);
    }
    free(changes.items);
    return ranges;
}

void table_ranges_add(struct table_ranges *ranges, const struct table_ranges *more)
{
    for (size_t i = 0; i < more->n; i++)
        pick_add_range(ranges, more->items[i]);
}

void table_ranges_free(struct table_ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct table_ranges){0};
}

/* True if a target means by its name the collective that is called so: the same word, or that of MPI, which
 * writes "bcast" for "broadcast" and "reduce_scatter" for "reducescatter". */
static bool is_name_of(const char *theirs, const char *name)
{
    if (strcmp(theirs, "broadcast") == 0 && strcmp(name, "bcast") == 0)
        return true;
    for (; *name; name++)
        if ((*name != '_' || *theirs == '_') && *theirs++ != *name)
            return false;
    return !*theirs;
}

uint32_t table_collective(const struct table_loader *loader, const char *name)
{
    uint32_t found = 0;
    while (found < loader->n_collectives && !is_name_of(loader->collectives[found], name))
        found++;
    return found;
}
