/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See trees.h. Machines on one router share the rest of their routes. Those with consecutive numbers a ..
 * b-1, a *run*, send to machine d in the shifts d-b+1 .. d-a: an interval of the loads that the links
 * from their router to d have in one shift after the other.
 */
#include "routes/trees.h"

#include <stdlib.h>
#include <string.h>

/* Machines first .. first+n-1, which send to the same router. */
struct run {
    uint32_t first, n, router; /* router: a node; a machine or NO_NEXT_LINK means no router */
};

/* Loads that a link has: one more in the shifts first .. last, cyclic. */
struct interval {
    uint32_t link, first, n;
};

#define UNKNOWN UINT32_MAX
#define ENDLESS (UINT32_MAX - 1)
enum { MAX_INTERVALS = 1 << 24 };

struct trees {
    const struct topology *topology;
    const bool *is_inner;
    uint32_t *to;       /* [link] node */
    uint32_t *next;     /* [node] of the destination at hand */
    uint32_t *sent;     /* [machine] next of the machines when `runs` were made */
    uint32_t *depth;    /* [node] links to the destination, UNKNOWN, or ENDLESS: none leads there */
    uint32_t *inner;    /* [node] of these, inner ones */
    uint32_t *n_routes; /* [node] */
    uint32_t *path;     /* [node] scratch */
    uint32_t *order;    /* [node] those with routes, deepest first */
    uint32_t n_order;
    struct tree_link *links;
    struct run *runs;
    uint32_t n_runs;
};

bool trees_are_routes(const struct topology *topology)
{
    return !topology->has_fat_pipes && topology_routes_are_trees(topology);
}

struct trees *trees_new(const struct topology *topology, const bool *is_inner)
{
    const uint32_t n = topology->n_nodes;
    uint32_t from;
    if (!trees_are_routes(topology))
        return NULL;
    struct trees *trees = mem_alloc(1, sizeof *trees);
    *trees = (struct trees){.topology = topology,
                            .is_inner = is_inner,
                            .to = mem_alloc(topology->n_link_ids + 1, sizeof *trees->to),
                            .next = mem_alloc(n, sizeof *trees->next),
                            .sent = mem_alloc(topology->n_machines, sizeof *trees->sent),
                            .depth = mem_alloc(n, sizeof *trees->depth),
                            .inner = mem_alloc(n, sizeof *trees->inner),
                            .n_routes = mem_alloc(n, sizeof *trees->n_routes),
                            .path = mem_alloc(n, sizeof *trees->path),
                            .order = mem_alloc(n, sizeof *trees->order),
                            .links = mem_alloc(n, sizeof *trees->links),
                            .runs = mem_alloc(topology->n_machines, sizeof *trees->runs)};
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        topology_link_ends(topology, link, &from, &trees->to[link]);
    memset(trees->sent, 0xfe, topology->n_machines * sizeof *trees->sent); /* no link */
    return trees;
}

void trees_free(struct trees *trees)
{
    if (!trees)
        return;
    free(trees->to);
    free(trees->next);
    free(trees->sent);
    free(trees->depth);
    free(trees->inner);
    free(trees->n_routes);
    free(trees->path);
    free(trees->order);
    free(trees->links);
    free(trees->runs);
    free(trees);
}

/* ---- one tree ---- */

/* Finds runs; links of a machine mostly are the same for all destinations. */
static void trees_find_runs(struct trees *trees)
{
    const uint32_t n = trees->topology->n_machines;
    if (memcmp(trees->sent, trees->next, n * sizeof *trees->sent) == 0)
        return;
    memcpy(trees->sent, trees->next, n * sizeof *trees->sent);
    trees->n_runs = 0;
    for (uint32_t machine = 0; machine < n; machine++) {
        const uint32_t link = trees->next[machine];
        const uint32_t router = link == NO_NEXT_LINK ? NO_NEXT_LINK : trees->to[link];
        if (!trees->n_runs || trees->runs[trees->n_runs - 1].router != router)
            trees->runs[trees->n_runs++] = (struct run){machine, 0, router};
        trees->runs[trees->n_runs - 1].n++;
    }
}

/* Sets depth and inner of the node and of all behind it. */
static void find_depth(struct trees *trees, uint32_t node)
{
    uint32_t n = 0;
    for (; trees->depth[node] == UNKNOWN; node = trees->to[trees->next[node]]) {
        trees->depth[node] = ENDLESS; /* if the way leads back here, or stops */
        trees->path[n++] = node;
        if (trees->next[node] == NO_NEXT_LINK || node < trees->topology->n_machines)
            return;
    }
    for (; n-- && trees->depth[node] != ENDLESS; node = trees->path[n]) {
        trees->depth[trees->path[n]] = trees->depth[node] + 1;
        trees->inner[trees->path[n]] =
            trees->inner[node] + trees->is_inner[trees->next[trees->path[n]]];
    }
}

/* Sorts the routers with routes by the length of their path, the longest first (counting sort). */
static void sort_routers(struct trees *trees, uint32_t destination)
{
    const uint32_t n = trees->topology->n_nodes;
    uint32_t *start = trees->path, deepest = 0;
    memset(start, 0, n * sizeof *start);
    for (uint32_t i = 0; i < trees->n_runs; i++) {
        uint32_t node = trees->runs[i].router;
        if (node == NO_NEXT_LINK || trees->depth[node] == ENDLESS)
            continue;
        for (; node != destination && !trees->n_routes[node]; node = trees->to[trees->next[node]]) {
            trees->n_routes[node] = 1; /* marked; counted below */
            start[trees->depth[node]]++;
            deepest = trees->depth[node] > deepest ? trees->depth[node] : deepest;
        }
    }
    uint32_t sum = 0;
    for (uint32_t depth = deepest + 1; depth-- > 0;) {
        const uint32_t here = start[depth];
        start[depth] = sum;
        sum += here;
    }
    trees->n_order = sum;
    for (uint32_t node = trees->topology->n_machines; node < n; node++)
        if (trees->n_routes[node]) {
            trees->order[start[trees->depth[node]]++] = node;
            trees->n_routes[node] = 0;
        }
}

/* Finds next, runs and depths for a destination. */
static void open_tree(struct trees *trees, uint32_t destination)
{
    const struct topology *topology = trees->topology;
    topology_next_links(topology, destination, trees->next);
    trees_find_runs(trees);
    memset(trees->depth, 0xff, topology->n_nodes * sizeof *trees->depth);
    trees->depth[destination] = trees->inner[destination] = 0;
    for (uint32_t i = 0; i < trees->n_runs; i++)
        if (trees->runs[i].router != NO_NEXT_LINK)
            find_depth(trees, trees->runs[i].router);
}

static bool trees_arrives(const struct trees *trees, const struct run *run)
{
    return run->router != NO_NEXT_LINK && trees->depth[run->router] != ENDLESS;
}

/* Returns the number of machines of the run that send to the destination. */
static uint32_t senders(const struct run *run, uint32_t destination)
{
    return run->n - (destination - run->first < run->n);
}

struct tree trees_to(struct trees *trees, uint32_t destination)
{
    struct tree tree = {.links = trees->links};
    open_tree(trees, destination);
    memset(trees->n_routes, 0, trees->topology->n_nodes * sizeof *trees->n_routes);
    sort_routers(trees, destination);
    for (uint32_t i = 0; i < trees->n_runs; i++) {
        const struct run *run = &trees->runs[i];
        const uint32_t n = senders(run, destination);
        if (!trees_arrives(trees, run) || !n)
            continue;
        tree.n_sources += n;
        trees->n_routes[run->router] += n;
        if (run->router == destination)
            continue;
        tree.has_switches = true;
        if (trees->inner[run->router] > tree.max_inner)
            tree.max_inner = trees->inner[run->router];
    }
    for (uint32_t i = 0; i < trees->n_order; i++) {
        const uint32_t node = trees->order[i], link = trees->next[node], to = trees->to[link];
        const uint32_t n = trees->n_routes[node];
        if (!n) /* only the destination itself is there */
            continue;
        trees->links[tree.n_links++] =
            (struct tree_link){link, to == destination ? NO_NEXT_LINK : trees->next[to], n};
        trees->n_routes[to] += n;
    }
    return tree;
}

/* ---- shifts ---- */

struct intervals {
    struct interval *list;
    size_t n, capacity;
};

/* Adds the intervals of the inner links behind the run's router; the first links, of one machine, and the
 * last one carry at most one message. Returns false if the intervals are too many. */
static bool trees_add_run(struct trees *trees, const struct run *run, uint32_t destination,
                          struct intervals *intervals)
{
    const uint32_t n = trees->topology->n_machines, end = run->first + run->n - 1;
    const uint32_t first = destination >= end ? destination - end : destination + n - end;
    for (uint32_t node = run->router; node != destination; node = trees->to[trees->next[node]]) {
        const uint32_t link = trees->next[node];
        if (!trees->is_inner[link])
            continue;
        if (intervals->n == MAX_INTERVALS)
            return false;
        intervals->list = mem_grow(intervals->list, &intervals->capacity, intervals->n + 1,
                                   sizeof *intervals->list);
        intervals->list[intervals->n++] = (struct interval){link, first, run->n};
    }
    return true;
}

/* Adds one to the loads of n shifts from `first` on, cyclic, as changes of load. */
static void add_interval(int32_t *change, const struct interval *interval, uint32_t n_machines)
{
    const uint32_t end = interval->first + interval->n;
    change[interval->first]++;
    change[end < n_machines ? end : n_machines]--;
    if (end > n_machines) {
        change[0]++;
        change[end - n_machines]--;
    }
}

/* Sorts all intervals by link: [link] the first of its intervals in the order. */
static struct interval *sort_by_link(const struct intervals *intervals, size_t *start, uint32_t n_links)
{
    struct interval *sorted = mem_alloc(intervals->n + 1, sizeof *sorted);
    for (size_t i = 0; i < intervals->n; i++)
        start[intervals->list[i].link + 1]++;
    for (uint32_t link = 0; link < n_links; link++)
        start[link + 1] += start[link];
    for (size_t i = intervals->n; i-- > 0;) /* from behind: start[link + 1] falls to its first */
        sorted[--start[intervals->list[i].link + 1]] = intervals->list[i];
    return sorted;
}

static void raise_loads(const struct trees *trees, const struct intervals *intervals, uint32_t *load)
{
    const uint32_t n = trees->topology->n_machines, n_links = trees->topology->n_link_ids;
    size_t *start = mem_alloc((size_t)n_links + 2, sizeof *start);
    struct interval *sorted = sort_by_link(intervals, start, n_links);
    int32_t *change = mem_alloc((size_t)n + 1, sizeof *change);
    start[n_links + 1] = intervals->n;
    for (uint32_t link = 0; link < n_links; link++) {
        const size_t first = start[link + 1], end = start[link + 2];
        if (first == end)
            continue;
        memset(change, 0, ((size_t)n + 1) * sizeof *change);
        for (size_t i = first; i < end; i++)
            add_interval(change, &sorted[i], n);
        int32_t sum = 0;
        for (uint32_t shift = 0; shift < n; shift++) {
            sum += change[shift];
            load[shift] = (uint32_t)sum > load[shift] ? (uint32_t)sum : load[shift];
        }
    }
    free(start);
    free(sorted);
    free(change);
}

bool trees_shift_loads(struct trees *trees, const struct observer *observer, uint32_t *load)
{
    const uint32_t n = trees->topology->n_machines;
    struct intervals intervals = {0};
    int32_t *routed = mem_alloc((size_t)n + 1, sizeof *routed);
    bool done = true;
    for (uint32_t destination = 0; destination < n && done; destination++) {
        open_tree(trees, destination);
        for (uint32_t i = 0; i < trees->n_runs && done; i++) {
            const struct run *run = &trees->runs[i];
            if (!trees_arrives(trees, run))
                continue;
            const uint32_t end = run->first + run->n - 1;
            const uint32_t first = destination >= end ? destination - end : destination + n - end;
            add_interval(routed, &(struct interval){0, first, run->n}, n);
            done = trees_add_run(trees, run, destination, &intervals);
        }
        observer_tell(observer, "destinations of shifts", destination + 1, n);
    }
    int32_t sum = 0;
    for (uint32_t shift = 0; shift < n; shift++)
        load[shift] = (sum += routed[shift]) > 0;
    if (done)
        raise_loads(trees, &intervals, load);
    free(routed);
    free(intervals.list);
    return done;
}
