/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the pairs destination by destination, and keeps of the sources that do not reach one no more
 * than a fingerprint: destinations with equal fingerprints are one class. See unrouted.h.
 *
 * A destination is no source of its own, so two hosts that nobody reaches differ in their sources by
 * themselves. A destination is therefore tried with itself among its sources, too, and goes to the class
 * that more destinations fit.
 */
#include "network/unrouted.h"

#include "base/integer.h"
#include "base/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A set of machines by two sums of random numbers; equal for unequal sets once in 2^128. */
struct fingerprint {
    uint64_t sum[2];
};

static struct fingerprint unrouted_add_machine(struct fingerprint print, uint32_t machine)
{
    uint64_t state = machine;
    print.sum[0] += next_random(&state);
    print.sum[1] += next_random(&state);
    return print;
}

static bool are_equal(struct fingerprint a, struct fingerprint b)
{
    return a.sum[0] == b.sum[0] && a.sum[1] == b.sum[1];
}

/* Destinations with the same sources, whose ways end at the same place. */
struct class {
    struct table_end end;
    struct fingerprint sources, destinations;
    uint32_t n_sources, n_destinations;
    uint32_t n_fit; /* destinations that could be in it */
    uint64_t n_pairs;
    bool is_mutual, is_gone; /* gone: a part of another one, which is mutual */
};

/* A source that does not reach the destination at hand. */
struct miss {
    struct table_end end;
    uint32_t source;
};

/* A destination with sources whose ways end alike. */
struct entry {
    uint32_t destination, n_sources;
    uint32_t class;    /* without itself among the sources; the chosen one at the end */
    uint32_t with_self; /* with itself; MAP_NONE: not tried */
};

struct finder {
    const struct topology *topology;
    const struct host_sets *hosts;
    bool has_tables;
    /* Tables by node of the whole topology: */
    uint32_t *next;         /* as of topology_next_links; NULL: routes are walked one by one */
    uint8_t *state;         /* of the way to the destination at hand */
    uint32_t *path;         /* scratch */
    uint32_t *to;           /* [link] the node where it ends; NO_NODE: it has failed */
    struct hop *hops;       /* scratch */
    struct miss *misses;    /* [host] */
    struct class *classes;
    size_t n_entries, classes_capacity, entries_capacity;
    struct hash_map by_key; /* of the classes: end and sources */
    struct entry *entries;
};
enum { UNSEEN, ON_THE_WAY, LOST, ARRIVES };
#define NO_NODE UINT32_MAX

/* ---- who does not reach a destination ---- */

/* Routes that are trees know no way round a link that has failed: a part has those of its whole, without
 * the ones over such a link. */
static void open_trees(struct finder *finder)
{
    const struct topology *topology = finder->topology, *whole = topology_whole(topology);
    uint32_t from;
    if (!topology_routes_are_trees(whole))
        return;
    finder->next = mem_alloc(whole->n_nodes, sizeof *finder->next);
    finder->to = mem_alloc(whole->n_link_ids, sizeof *finder->to);
    finder->state = mem_alloc(whole->n_nodes, 1);
    finder->path = mem_alloc(whole->n_nodes, sizeof *finder->path);
    for (uint32_t link = 0; link < whole->n_link_ids; link++)
        if (topology_has_link(topology, link))
            topology_link_ends(whole, link, &from, &finder->to[link]);
        else
            finder->to[link] = NO_NODE;
}

/* True if the way from the node arrives; settles all nodes on it. */
static bool unrouted_arrives(struct finder *finder, uint32_t node)
{
    uint32_t n = 0;
    while (finder->state[node] == UNSEEN) {
        finder->state[node] = ON_THE_WAY;
        finder->path[n++] = node;
        const uint32_t link = finder->next[node];
        if (link == NO_NEXT_LINK || finder->to[link] == NO_NODE)
            break;
        node = finder->to[link];
    }
    const bool is_there = finder->state[node] == ARRIVES;
    while (n)
        finder->state[finder->path[--n]] = is_there ? ARRIVES : LOST;
    return is_there;
}

static void begin_destination(struct finder *finder, uint32_t destination)
{
    const struct topology *whole = topology_whole(finder->topology);
    const uint32_t node = topology_whole_node(finder->topology, destination);
    if (!finder->next)
        return;
    topology_next_links(whole, node, finder->next);
    memset(finder->state, UNSEEN, whole->n_nodes);
    finder->state[node] = ARRIVES;
}

static bool reaches(struct finder *finder, uint32_t source, uint32_t destination)
{
    return finder->next ? unrouted_arrives(finder, topology_whole_node(finder->topology, source))
                        : topology_route(finder->topology, source, destination, finder->hops) > 0;
}

static int unrouted_compare_ends(const struct table_end *a, const struct table_end *b)
{
    if (a->fate != b->fate)
        return a->fate < b->fate ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->link > b->link) - (a->link < b->link);
}

static int compare_misses(const void *a, const void *b)
{
    const struct miss *x = a, *y = b;
    const int order = unrouted_compare_ends(&x->end, &y->end);
    return order ? order : (x->source > y->source) - (x->source < y->source);
}

/* Lists the hosts that do not reach the destination, by the end of their ways, then by number. */
static uint32_t find_misses(struct finder *finder, uint32_t destination)
{
    const struct host_sets *hosts = finder->hosts;
    struct table_end end = {FATE_ARRIVES, TABLE_NOWHERE, TABLE_NOWHERE};
    uint32_t n = 0;
    begin_destination(finder, destination);
    for (uint32_t i = 0; i < hosts->n_hosts; i++) {
        const uint32_t source = hosts->hosts[i];
        if (source == destination || reaches(finder, source, destination))
            continue;
        if (finder->has_tables)
            end = tables_end(finder->topology, source, destination);
        end.link = TABLE_NOWHERE; /* which of the links that have failed is of no account */
        finder->misses[n++] = (struct miss){end, source};
    }
    if (finder->has_tables && n)
        qsort(finder->misses, n, sizeof *finder->misses, compare_misses);
    return n;
}

/* ---- classes ---- */

static uint32_t hash_key(const struct class *class)
{
    return map_hash_number(class->sources.sum[0] + class->end.node);
}

static uint32_t hash_class(const void *items, uint32_t item)
{
    return hash_key((const struct class *)items + item);
}

static bool is_class(const void *items, uint32_t item, const void *key)
{
    const struct class *class = (const struct class *)items + item, *wanted = key;
    return are_equal(class->sources, wanted->sources) && !unrouted_compare_ends(&class->end, &wanted->end);
}

/* Counts a destination that fits a class; returns the number of the class, which may be new. */
static uint32_t fit_class(struct finder *finder, const struct class *key)
{
    map_reserve(&finder->by_key, hash_class, finder->classes);
    finder->classes =
        mem_grow(finder->classes, &finder->classes_capacity, finder->by_key.n + 1u, sizeof *key);
    uint32_t *slot = map_slot(&finder->by_key, hash_key(key), is_class, finder->classes, key);
    if (*slot == MAP_NONE)
        finder->classes[map_fill(&finder->by_key, slot)] = *key;
    finder->classes[*slot].n_fit++;
    return *slot;
}

/* True if the destination might be like others only with itself among the sources: one of these is beside it
 * at its switch, or nobody is. */
static bool may_count_itself(const struct finder *finder, uint32_t destination, const struct miss *misses,
                             uint32_t n)
{
    const struct host_sets *hosts = finder->hosts;
    const uint32_t node = hosts->switch_of[destination];
    if (node == HOST_NO_SWITCH || hosts->n_on[node] < 2)
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (hosts->switch_of[misses[i].source] == node)
            return true;
    return false;
}

/* Adds the destination with sources whose ways end alike. */
static void unrouted_add_entry(struct finder *finder, uint32_t destination, const struct miss *misses,
                               uint32_t n)
{
    struct class key = {.end = misses->end, .n_sources = n};
    for (uint32_t i = 0; i < n; i++)
        key.sources = unrouted_add_machine(key.sources, misses[i].source);
    struct entry entry = {destination, n, fit_class(finder, &key), MAP_NONE};
    if (may_count_itself(finder, destination, misses, n)) {
        key.sources = unrouted_add_machine(key.sources, destination);
        key.n_sources++;
        entry.with_self = fit_class(finder, &key);
    }
    finder->entries =
        mem_grow(finder->entries, &finder->entries_capacity, finder->n_entries + 1, sizeof *finder->entries);
    finder->entries[finder->n_entries++] = entry;
}

/* True if the class with itself is the better one: more fit it; of two that fit no other, that of all
 * hosts. */
static bool counts_itself(const struct finder *finder, const struct entry *entry)
{
    if (entry->with_self == MAP_NONE)
        return false;
    const struct class *without = &finder->classes[entry->class], *with = &finder->classes[entry->with_self];
    return with->n_fit != without->n_fit ? with->n_fit > without->n_fit
                                         : with->n_sources == finder->hosts->n_hosts;
}

/* Puts each destination into one of its classes. */
static void choose_classes(struct finder *finder)
{
    for (size_t i = 0; i < finder->n_entries; i++) {
        struct entry *entry = &finder->entries[i];
        entry->class = counts_itself(finder, entry) ? entry->with_self : entry->class;
        struct class *class = &finder->classes[entry->class];
        class->destinations = unrouted_add_machine(class->destinations, entry->destination);
        class->n_destinations++;
        class->n_pairs += entry->n_sources;
    }
}

static void add_destination(struct finder *finder, uint32_t destination)
{
    const uint32_t n = find_misses(finder, destination);
    for (uint32_t first = 0, end; first < n; first = end) {
        for (end = first + 1;
             end < n && !unrouted_compare_ends(&finder->misses[first].end, &finder->misses[end].end);)
            end++;
        unrouted_add_entry(finder, destination, finder->misses + first, end - first);
    }
}

/* ---- both ways ---- */

/* Returns the class whose sources are the destinations of this one, with ways that end alike, or NULL. */
static struct class *unrouted_find_back(const struct finder *finder, const struct class *class)
{
    const struct class key = {.end = class->end, .sources = class->destinations};
    const uint32_t found = map_find(&finder->by_key, hash_key(&key), is_class, finder->classes, &key);
    return found == MAP_NONE || !finder->classes[found].n_destinations ? NULL : &finder->classes[found];
}

/* True if `back` is the way back of all pairs of `class`, and nothing else. */
static bool is_way_back(const struct finder *finder, const struct class *class, const struct class *back)
{
    const uint32_t n_hosts = finder->hosts->n_hosts;
    const bool is_cut_off = class->n_sources == n_hosts; /* the sources count the destinations then */
    return back != class && !back->is_mutual && !back->is_gone &&
           (is_cut_off ? back->n_destinations == n_hosts - class->n_destinations
                       : are_equal(back->destinations, class->sources));
}

/* Joins two classes that are each other's way back: into that of hosts that are cut off, or else the one with
 * fewer sources. */
static void join_way_back(const struct finder *finder, struct class *class, struct class *back)
{
    const bool is_cut_off = class->n_sources == finder->hosts->n_hosts;
    const bool is_back_kept = !is_cut_off && back->n_sources < class->n_sources;
    struct class *kept = is_back_kept ? back : class, *other = is_back_kept ? class : back;
    kept->n_pairs += other->n_pairs;
    kept->is_mutual = other->is_gone = true;
}

/* Joins all of them. Those of hosts that are cut off come first: their way back could go with another. */
static void join_ways_back(struct finder *finder)
{
    const uint32_t n_hosts = finder->hosts->n_hosts;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < finder->by_key.n; i++) {
            struct class *class = &finder->classes[i];
            if (!class->n_destinations || class->is_gone || class->is_mutual ||
                (!round && class->n_sources != n_hosts))
                continue;
            struct class *back = unrouted_find_back(finder, class);
            if (back && is_way_back(finder, class, back))
                join_way_back(finder, class, back);
        }
}

/* ---- groups ---- */

static int unrouted_compare_groups(const void *a, const void *b)
{
    const struct unrouted_group *x = a, *y = b;
    if (x->n_pairs != y->n_pairs)
        return x->n_pairs > y->n_pairs ? -1 : 1;
    if (x->destinations[0] != y->destinations[0])
        return x->destinations[0] < y->destinations[0] ? -1 : 1;
    return unrouted_compare_ends(&x->end, &y->end);
}

/* True if sources and destinations are `all` hosts, and no host is both. */
static bool is_to_others(const struct class *class, struct fingerprint all)
{
    const struct fingerprint both = {{class->sources.sum[0] + class->destinations.sum[0],
                                      class->sources.sum[1] + class->destinations.sum[1]}};
    return are_equal(all, both);
}

/* Puts the destinations of class after class into one list; first[class] is where its own begin. */
static uint32_t *list_destinations(const struct finder *finder, size_t *first)
{
    uint32_t *list = mem_alloc(finder->n_entries, sizeof *list);
    for (uint32_t i = 0; i < finder->by_key.n; i++)
        first[i + 1] = first[i] + finder->classes[i].n_destinations;
    size_t *at = mem_alloc(finder->by_key.n + 1u, sizeof *at);
    memcpy(at, first, (finder->by_key.n + 1u) * sizeof *at);
    for (size_t i = 0; i < finder->n_entries; i++)
        list[at[finder->entries[i].class]++] = finder->entries[i].destination;
    free(at);
    return list;
}

static void make_groups(const struct finder *finder, struct unrouted *unrouted)
{
    size_t *first = mem_alloc(finder->by_key.n + 1u, sizeof *first);
    struct fingerprint all = {{0, 0}};
    for (uint32_t i = 0; i < finder->hosts->n_hosts; i++)
        all = unrouted_add_machine(all, finder->hosts->hosts[i]);
    unrouted->destinations = list_destinations(finder, first);
    unrouted->groups = mem_alloc(finder->by_key.n, sizeof *unrouted->groups);
    for (uint32_t i = 0; i < finder->by_key.n; i++) {
        const struct class *class = &finder->classes[i];
        if (class->is_gone || !class->n_destinations)
            continue;
        unrouted->n_pairs += class->n_pairs;
        unrouted->groups[unrouted->n_groups++] =
            (struct unrouted_group){.end = class->end,
                                    .is_mutual = class->is_mutual,
                                    .is_all = class->n_sources == finder->hosts->n_hosts,
                                    .is_to_others = is_to_others(class, all),
                                    .is_among = are_equal(class->sources, class->destinations),
                                    .n_sources = class->n_sources,
                                    .n_destinations = class->n_destinations,
                                    .destinations = unrouted->destinations + first[i],
                                    .n_pairs = class->n_pairs};
    }
    free(first);
    if (unrouted->n_groups)
        qsort(unrouted->groups, unrouted->n_groups, sizeof *unrouted->groups, unrouted_compare_groups);
}

/* ---- all of it ---- */

static struct finder finder_open(const struct host_sets *hosts)
{
    const struct topology *topology = hosts->topology;
    struct finder finder = {.topology = topology,
                            .hosts = hosts,
                            .has_tables = tables_are_used(topology),
                            .hops = mem_alloc(topology->max_hops, sizeof *finder.hops),
                            .misses = mem_alloc(hosts->n_hosts, sizeof *finder.misses)};
    open_trees(&finder);
    return finder;
}

static void finder_close(struct finder *finder)
{
    free(finder->next);
    free(finder->to);
    free(finder->state);
    free(finder->path);
    free(finder->hops);
    free(finder->misses);
    free(finder->classes);
    free(finder->entries);
    map_free(&finder->by_key);
}

static uint32_t *all_machines(uint32_t n)
{
    uint32_t *machines = mem_alloc(n, sizeof *machines);
    for (uint32_t i = 0; i < n; i++)
        machines[i] = i;
    return machines;
}

struct unrouted unrouted_find(const struct topology *topology, const uint32_t *machines, uint32_t n,
                              const struct observer *observer)
{
    struct unrouted unrouted = {.all = machines ? NULL : all_machines(topology->n_machines)};
    unrouted.hosts =
        host_sets_new(topology, machines ? machines : unrouted.all, machines ? n : topology->n_machines);
    if (topology_is_implicit(topology))
        return unrouted; /* every pair has a route */
    struct finder finder = finder_open(&unrouted.hosts);
    for (uint32_t i = 0; i < unrouted.hosts.n_hosts; i++) {
        add_destination(&finder, unrouted.hosts.hosts[i]);
        if (observer)
            observer_tell(observer, "destinations", i + 1, unrouted.hosts.n_hosts);
    }
    choose_classes(&finder);
    join_ways_back(&finder);
    make_groups(&finder, &unrouted);
    finder_close(&finder);
    return unrouted;
}

void unrouted_free(struct unrouted *unrouted)
{
    host_sets_free(&unrouted->hosts);
    free(unrouted->groups);
    free(unrouted->destinations);
    free(unrouted->all);
}

double unrouted_seconds(const struct topology *topology, uint32_t n)
{
    const double a_hop = 10e-9, a_node = 3e-9;
    if (topology_is_implicit(topology))
        return 0;
    return topology_routes_are_trees(topology_whole(topology))
               ? (double)n * topology_whole(topology)->n_nodes * a_node
               : (double)n * n * topology->max_hops * a_hop;
}

/* ---- words ---- */

uint32_t *unrouted_sources(const struct unrouted *unrouted, const struct unrouted_group *group)
{
    struct finder finder = finder_open(&unrouted->hosts);
    uint32_t *sources = mem_alloc(group->n_sources, sizeof *sources), n = 0;
    const uint32_t n_misses = find_misses(&finder, group->destinations[0]);
    for (uint32_t i = 0; i < n_misses; i++)
        if (!unrouted_compare_ends(&finder.misses[i].end, &group->end))
            sources[n++] = finder.misses[i].source;
    if (n < group->n_sources)
        sources[n++] = group->destinations[0];
    qsort(sources, n, sizeof *sources, compare_uint32);
    finder_close(&finder);
    return sources;
}

/* Bytes of a list of names in a short form. */
enum { SHORT_LIST = 64, SHORT_GROUPS = 3 };

/* Appends "A do not reach B", "no host reaches B". */
static void print_ends(const struct unrouted *unrouted, const struct unrouted_group *group, uint32_t most,
                       struct text *out)
{
    const char *one = group->n_sources == 1 ? "does" : "do";
    if (group->is_all && !group->is_mutual && !group->is_among) {
        text_printf(out, "no other host reaches ");
        host_sets_print(&unrouted->hosts, group->destinations, group->n_destinations, most, out);
        return;
    }
    if (group->is_all && group->is_mutual) {
        host_sets_print(&unrouted->hosts, group->destinations, group->n_destinations, most, out);
        text_printf(out, " reach%s no other host, and none reaches %s", group->n_destinations == 1 ? "es" : "",
                    group->n_destinations == 1 ? "it" : "them");
        return;
    }
    if (group->is_among) {
        host_sets_print(&unrouted->hosts, group->destinations, group->n_destinations, most, out);
        text_printf(out, " do not reach each other");
        return;
    }
    uint32_t *sources = unrouted_sources(unrouted, group);
    host_sets_print(&unrouted->hosts, sources, group->n_sources, most, out);
    text_printf(out, group->is_mutual ? " and " : " %s not reach ", one);
    if (group->is_to_others || group->n_destinations == unrouted->hosts.n_hosts)
        text_printf(out, group->is_mutual ? "all other hosts" : "any other host");
    else
        host_sets_print(&unrouted->hosts, group->destinations, group->n_destinations, most, out);
    text_printf(out, "%s", group->is_mutual ? " do not reach each other" : "");
    free(sources);
}

void unrouted_print_group(const struct unrouted *unrouted, const struct unrouted_group *group, bool is_short,
                          struct text *out)
{
    const bool has_reason = tables_are_used(unrouted->hosts.topology);
    print_ends(unrouted, group, is_short ? SHORT_LIST : 0, out);
    text_printf(out, ", %" PRIu64 " pair%s", group->n_pairs, plural(group->n_pairs));
    if (has_reason) {
        text_printf(out, ": ");
        tables_print_end(unrouted->hosts.topology, &group->end, group->n_destinations == 1 ? "it" : "them", out);
    }
}

void unrouted_print_short(const struct unrouted *unrouted, struct text *out)
{
    uint64_t n_pairs = 0;
    for (size_t i = 0; i < unrouted->n_groups; i++) {
        if (i >= SHORT_GROUPS) {
            n_pairs += unrouted->groups[i].n_pairs;
            continue;
        }
        text_printf(out, "%s", i ? "; " : "");
        unrouted_print_group(unrouted, &unrouted->groups[i], true, out);
    }
    if (n_pairs)
        text_printf(out, "; and %zu more such group%s, %" PRIu64 " pairs", unrouted->n_groups - SHORT_GROUPS,
                    plural(unrouted->n_groups - SHORT_GROUPS), n_pairs);
}

void unrouted_say(const struct topology *topology, const uint32_t *machines, uint32_t n, const char *before,
                  struct text *out)
{
    const double enough = 2;
    if (unrouted_seconds(topology, machines ? n : topology->n_machines) > enough)
        return;
    uint32_t *list = machines ? mem_alloc(n, sizeof *list) : NULL;
    uint32_t n_different = 0;
    if (machines) {
        memcpy(list, machines, n * sizeof *list);
        qsort(list, n, sizeof *list, compare_uint32);
        for (uint32_t i = 0; i < n; i++)
            if (!i || list[n_different - 1] != list[i])
                list[n_different++] = list[i];
    }
    struct unrouted unrouted = unrouted_find(topology, list, n_different, NULL);
    if (unrouted.n_groups)
        text_printf(out, "%s", before);
    unrouted_print_short(&unrouted, out);
    unrouted_free(&unrouted);
    free(list);
}
