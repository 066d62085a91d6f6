/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the cables and routes of two networks. See fabric_changes.h.
 */
#include "base/integer.h"
#include "network/ports.h"
#include "network/tables.h"
#include "study/fabric/fabric_cables.h"
#include "study/fabric/fabric_changes.h"

#include <stdlib.h>
#include <string.h>

struct comparison {
    struct fabric_join join;
    struct fabric_cables old_cables, new_cables;
    struct fabric_changes *changes;
    bool is_outline;
    uint32_t *n_cables;  /* [joined] cables of a node that is in one network only; with an outline of any */
};

static struct fabric_change *add_change(struct comparison *comparison, enum fabric_change_kind kind)
{
    struct fabric_changes *changes = comparison->changes;
    changes->items = mem_grow(changes->items, &changes->capacity, changes->n + 1, sizeof *changes->items);
    changes->items[changes->n] = (struct fabric_change){.kind = kind};
    return &changes->items[changes->n++];
}

/* Returns the name in the new network, if the node is there. */
static const char *fabric_changes_name_of(const struct comparison *comparison, uint32_t joined)
{
    const struct fabric_join *join = &comparison->join;
    return join->new_of[joined] != NOT_THERE
               ? fabric_node_name(join->new, join->new_of[joined], &comparison->changes->arena)
               : fabric_node_name(join->old, join->old_of[joined], &comparison->changes->arena);
}

static bool is_gone(const struct comparison *comparison, uint32_t joined)
{
    return comparison->join.new_of[joined] == NOT_THERE;
}

static bool is_new(const struct comparison *comparison, uint32_t joined)
{
    return comparison->join.old_of[joined] == NOT_THERE;
}

static bool fabric_changes_is_machine(const struct comparison *comparison, uint32_t joined)
{
    const struct fabric_join *join = &comparison->join;
    return is_gone(comparison, joined) ? join->old_of[joined] < join->old->n_machines
                                       : join->new_of[joined] < join->new->n_machines;
}

/* ---- nodes ---- */

static void count_cables(struct comparison *comparison, const struct fabric_cables *cables)
{
    for (uint32_t i = 0; i < cables->n; i++)
        for (int end = 0; end < 2; end++)
            comparison->n_cables[cables->items[i].end[end].node]++;
}

static void tell_name(struct comparison *comparison, uint32_t joined)
{
    const struct fabric_join *join = &comparison->join;
    const char *old = fabric_node_name(join->old, join->old_of[joined], &comparison->changes->arena);
    const char *new = fabric_changes_name_of(comparison, joined);
    if (strcmp(old, new) == 0)
        return;
    struct fabric_change *change = add_change(comparison, CHANGE_NAME);
    change->node = old;
    change->peer = new;
}

/* Compares nodes. An outline has only switches with machines on them. */
static void compare_nodes(struct comparison *comparison)
{
    for (uint32_t joined = 0; joined < comparison->join.n; joined++) {
        const bool machine = fabric_changes_is_machine(comparison, joined);
        const uint32_t n_cables = comparison->n_cables[joined];
        if (comparison->is_outline && !machine && !n_cables)
            continue;
        if (!is_gone(comparison, joined) && !is_new(comparison, joined)) {
            comparison->changes->n_common += machine;
            tell_name(comparison, joined);
            continue;
        }
        const enum fabric_change_kind kind =
            is_gone(comparison, joined) ? (machine ? CHANGE_MACHINE_GONE : CHANGE_SWITCH_GONE)
                                        : (machine ? CHANGE_MACHINE_NEW : CHANGE_SWITCH_NEW);
        struct fabric_change *change = add_change(comparison, kind);
        change->node = fabric_changes_name_of(comparison, joined);
        change->n = n_cables;
    }
}

/* ---- cables ---- */

/* Returns the number of cables between the same nodes, from number `first` on. */
static uint32_t count_parallel(const struct fabric_cables *cables, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < cables->n && cables->items[end].end[0].node == cables->items[first].end[0].node &&
           cables->items[end].end[1].node == cables->items[first].end[1].node)
        end++;
    return end - first;
}

static void set_cable(struct comparison *comparison, struct fabric_change *change,
                      const struct fabric_cable *cable)
{
    /* a machine is what it is about; of two switches the first is */
    const int subject = fabric_changes_is_machine(comparison, cable->end[1].node) ? 1 : 0;
    change->node = fabric_changes_name_of(comparison, cable->end[subject].node);
    change->port = cable->end[subject].port;
    change->peer = fabric_changes_name_of(comparison, cable->end[1 - subject].node);
    change->peer_port = cable->end[1 - subject].port;
}

/* Records a changed cable. Cables between the same nodes with the same change are one change; the changes
 * of these nodes begin at first_change. */
static void tell_cable(struct comparison *comparison, enum fabric_change_kind kind,
                       const struct fabric_cable *cable, uint32_t n_before, uint64_t old_bandwidth,
                       uint64_t new_bandwidth, size_t first_change)
{
    struct fabric_changes *changes = comparison->changes;
    for (size_t i = first_change; i < changes->n; i++)
        if (changes->items[i].kind == kind && changes->items[i].old_bandwidth == old_bandwidth &&
            changes->items[i].new_bandwidth == new_bandwidth) {
            changes->items[i].n++;
            return;
        }
    struct fabric_change *change = add_change(comparison, kind);
    set_cable(comparison, change, cable);
    change->n = 1;
    change->n_before = n_before;
    change->old_bandwidth = old_bandwidth;
    change->new_bandwidth = new_bandwidth;
}

static void tell_moved(struct comparison *comparison, const struct fabric_cable *cable)
{
    const struct fabric_cable *now = &comparison->new_cables.items[cable->partner];
    const struct fabric_cable_end stayed = cable->end[cable->moved_end];
    const struct fabric_cable_end before = cable->end[1 - cable->moved_end];
    const struct fabric_cable_end after = now->end[1 - cable->partner_end];
    struct fabric_change *change =
        add_change(comparison, fabric_changes_is_machine(comparison, stayed.node) ? CHANGE_MACHINE_MOVED
                                                                                  : CHANGE_CABLE_MOVED);
    change->node = fabric_changes_name_of(comparison, stayed.node);
    change->port = stayed.port;
    change->peer = fabric_changes_name_of(comparison, before.node);
    change->peer_port = before.port;
    change->new_peer = fabric_changes_name_of(comparison, after.node);
    change->new_peer_port = after.port;
    change->n = 1;
    change->old_bandwidth = cable->bandwidth;
    change->new_bandwidth = now->bandwidth;
}

static void compare_rates(struct comparison *comparison, const struct fabric_cable *cable, uint32_t n_before,
                          size_t first_change)
{
    const struct fabric_cable *now = &comparison->new_cables.items[cable->partner];
    if (cable->bandwidth != now->bandwidth)
        tell_cable(comparison,
                   now->bandwidth < cable->bandwidth ? CHANGE_CABLES_SLOWER : CHANGE_CABLES_FASTER, now,
                   n_before, cable->bandwidth, now->bandwidth, first_change);
    if (!cable->is_moved &&
        (cable->end[0].port != now->end[0].port || cable->end[1].port != now->end[1].port))
        tell_cable(comparison, CHANGE_PORTS, now, n_before, 0, 0, first_change);
}

/* Compares the cables of the old network; those of a node that is gone are part of that change. */
static void compare_old_cables(struct comparison *comparison)
{
    const struct fabric_cables *cables = &comparison->old_cables;
    for (uint32_t first = 0, n; first < cables->n; first += n) {
        const size_t first_change = comparison->changes->n;
        n = count_parallel(cables, first);
        for (uint32_t i = first; i < first + n; i++) {
            const struct fabric_cable *cable = &cables->items[i];
            if (cable->is_moved)
                tell_moved(comparison, cable);
            else if (cable->partner != NOT_THERE)
                compare_rates(comparison, cable, n, first_change);
            else if (!is_gone(comparison, cable->end[0].node) && !is_gone(comparison, cable->end[1].node))
                tell_cable(comparison, CHANGE_CABLES_GONE, cable, n, cable->bandwidth, 0, first_change);
        }
    }
}

/* Compares new cables. An outline names one switch for a machine, so further cables of it are not new. */
static void compare_new_cables(struct comparison *comparison)
{
    const struct fabric_cables *cables = &comparison->new_cables;
    for (uint32_t first = 0, n; first < cables->n && !comparison->is_outline; first += n) {
        const size_t first_change = comparison->changes->n;
        n = count_parallel(cables, first);
        for (uint32_t i = first; i < first + n; i++) {
            const struct fabric_cable *cable = &cables->items[i];
            if (cable->partner == NOT_THERE && !is_new(comparison, cable->end[0].node) &&
                !is_new(comparison, cable->end[1].node))
                tell_cable(comparison, CHANGE_CABLES_NEW, cable, 0, 0, cable->bandwidth, first_change);
        }
    }
}

/* ---- slow cables of a network whose outline says no rates ---- */

/* Returns the rate of most cables that end at a machine, or of the others; 0 if there are none. */
static uint64_t usual_rate(const struct comparison *comparison, const struct fabric_cables *cables,
                           bool of_machines)
{
    uint64_t *rates = mem_alloc((size_t)cables->n + 1, sizeof *rates), usual = 0;
    uint32_t n = 0, most = 0;
    for (uint32_t i = 0; i < cables->n; i++) {
        const struct fabric_cable *cable = &cables->items[i];
        if ((fabric_changes_is_machine(comparison, cable->end[0].node) ||
             fabric_changes_is_machine(comparison, cable->end[1].node)) == of_machines)
            rates[n++] = cable->bandwidth;
    }
    qsort(rates, n, sizeof *rates, compare_uint64);
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && rates[i + run] == rates[i];)
            run++;
        if (run >= most) {
            most = run;
            usual = rates[i];
        }
    }
    free(rates);
    return usual;
}

static void find_slow_cables(struct comparison *comparison)
{
    struct fabric_cables cables = fabric_cables_of(&comparison->join, true, DETAIL_OWN);
    const uint64_t usual[] = {usual_rate(comparison, &cables, false), usual_rate(comparison, &cables, true)};
    for (uint32_t first = 0, n; first < cables.n; first += n) {
        const size_t first_change = comparison->changes->n;
        n = count_parallel(&cables, first);
        for (uint32_t i = first; i < first + n; i++) {
            const struct fabric_cable *cable = &cables.items[i];
            const uint64_t expected = usual[fabric_changes_is_machine(comparison, cable->end[0].node) ||
                                            fabric_changes_is_machine(comparison, cable->end[1].node)];
            if (cable->bandwidth < expected)
                tell_cable(comparison, CHANGE_CABLES_UNLIKE, cable, n, expected, cable->bandwidth,
                           first_change);
        }
    }
    free(cables.items);
}

/* ---- routes ---- */

/* Figures of the routes between the machines in both networks. */
struct route_figures {
    uint64_t n_lost, n_longer, n_other;
    uint32_t lost[2], longest[2]; /* the first pair, and the one that grew most: joined numbers */
    uint32_t old_hops, new_hops;
};

/* Returns [link of the old network] the same link of the new one, or NOT_THERE, by nodes as far as ports
 * are unknown. Release with free. */
static uint32_t *join_links(const struct comparison *comparison)
{
    const struct fabric_join *join = &comparison->join;
    uint32_t *links = mem_alloc((size_t)join->old->n_link_ids + 1, sizeof *links);
    memset(links, 0xff, (size_t)join->old->n_link_ids * sizeof *links);
    for (uint32_t i = 0; i < comparison->old_cables.n; i++) {
        const struct fabric_cable *cable = &comparison->old_cables.items[i];
        if (cable->partner == NOT_THERE || cable->is_moved)
            continue;
        const uint32_t new_link = comparison->new_cables.items[cable->partner].link;
        const uint32_t back = topology_other_way(join->old, cable->link);
        const uint32_t new_back = topology_other_way(join->new, new_link);
        links[cable->link] = new_link;
        if (back != NO_NEXT_LINK && new_back != NO_NEXT_LINK)
            links[back] = new_back;
    }
    return links;
}

static bool is_same_hop(const struct comparison *comparison, const uint32_t *links, struct hop old,
                        struct hop new)
{
    const struct fabric_join *join = &comparison->join;
    uint32_t from, to, new_from, new_to;
    if (links[old.link] != NOT_THERE)
        return links[old.link] == new.link;
    topology_link_ends(join->old, old.link, &from, &to);
    topology_link_ends(join->new, new.link, &new_from, &new_to);
    return join->new_of[from] == new_from && join->new_of[to] == new_to;
}

static void compare_route(const struct comparison *comparison, const uint32_t *links, uint32_t source,
                          uint32_t destination, struct hop *hops, struct route_figures *figures)
{
    const struct fabric_join *join = &comparison->join;
    struct hop *new_hops = hops + join->old->max_hops;
    const uint32_t n_old = topology_route(join->old, source, destination, hops);
    const uint32_t n_new =
        topology_route(join->new, join->new_of[source], join->new_of[destination], new_hops);
    bool is_same = n_old == n_new;
    for (uint32_t i = 0; i < n_old && is_same; i++)
        is_same = is_same_hop(comparison, links, hops[i], new_hops[i]);
    if (n_old && !n_new && !figures->n_lost++) {
        figures->lost[0] = source;
        figures->lost[1] = destination;
    }
    if (n_old && n_new > n_old) {
        figures->n_longer++;
        if (n_new - n_old > figures->new_hops - figures->old_hops) {
            figures->longest[0] = source;
            figures->longest[1] = destination;
            figures->old_hops = n_old;
            figures->new_hops = n_new;
        }
    }
    figures->n_other += n_new && !is_same;
}

static void tell_routes(struct comparison *comparison, enum fabric_change_kind kind, uint64_t n,
                        const uint32_t *pair)
{
    if (!n)
        return;
    struct fabric_change *change = add_change(comparison, kind);
    change->n = n;
    if (!pair)
        return;
    change->node = fabric_changes_name_of(comparison, pair[0]);
    change->peer = fabric_changes_name_of(comparison, pair[1]);
}

/* Returns the machines in both networks, by their number in the old one; release with free. */
static uint32_t *common_machines(const struct comparison *comparison, uint32_t *n)
{
    const struct fabric_join *join = &comparison->join;
    uint32_t *machines = mem_alloc((size_t)join->old->n_machines + 1, sizeof *machines);
    *n = 0;
    for (uint32_t machine = 0; machine < join->old->n_machines; machine++)
        if (join->new_of[machine] != NOT_THERE)
            machines[(*n)++] = machine;
    return machines;
}

/* Compares routes. Without tables of its subnet manager a network has routes by a rule on numbers, so its
 * choice among paths of the same length is not the network's own. */
static void compare_routes(struct comparison *comparison)
{
    const struct fabric_join *join = &comparison->join;
    struct fabric_changes *changes = comparison->changes;
    struct route_figures figures = {0};
    uint32_t n, *machines = common_machines(comparison, &n), *links = join_links(comparison);
    struct hop *hops = mem_alloc((size_t)join->old->max_hops + join->new->max_hops + 2, sizeof *hops);
    const uint32_t stride = n ? (uint32_t)((uint64_t)n * n / FABRIC_MAX_ROUTES) + 1 : 1;
    changes->n_pairs = n ? (uint64_t)n * (n - 1) : 0;
    for (uint32_t to = 0; to < n; to += stride)
        for (uint32_t from = 0; from < n; from++) {
            if (from == to)
                continue;
            compare_route(comparison, links, machines[from], machines[to], hops, &figures);
            changes->n_routes++;
        }
    tell_routes(comparison, CHANGE_ROUTES_LOST, figures.n_lost, figures.lost);
    tell_routes(comparison, CHANGE_ROUTES_LONGER, figures.n_longer, figures.longest);
    if (figures.n_longer) {
        changes->items[changes->n - 1].old_hops = figures.old_hops;
        changes->items[changes->n - 1].new_hops = figures.new_hops;
    }
    if (tables_are_used(join->old) && tables_are_used(join->new))
        tell_routes(comparison, CHANGE_ROUTES_OTHER, figures.n_other, NULL);
    free(hops);
    free(links);
    free(machines);
}

/* ---- all of it ---- */

/* Returns the amount of the loss: among equal kinds the largest loss comes first. */
static double loss_of(const struct fabric_change *change)
{
    if (change->kind == CHANGE_CABLES_GONE && change->n_before)
        return (double)change->n * (double)change->old_bandwidth;
    if (change->kind == CHANGE_CABLES_SLOWER || change->kind == CHANGE_CABLES_UNLIKE)
        return (double)change->n * (double)(change->old_bandwidth - change->new_bandwidth);
    return (double)change->n;
}

static int fabric_changes_compare_changes(const void *a, const void *b)
{
    const struct fabric_change *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    const double loss_x = loss_of(x), loss_y = loss_of(y);
    if (loss_x < loss_y || loss_x > loss_y)
        return loss_x > loss_y ? -1 : 1;
    int order = strcmp(x->node ? x->node : "", y->node ? y->node : "");
    if (!order)
        order = strcmp(x->peer ? x->peer : "", y->peer ? y->peer : "");
    return order ? order : (x->port > y->port) - (x->port < y->port);
}

static uint32_t count_all_cables(const struct fabric_join *join, bool is_new)
{
    struct fabric_cables cables = fabric_cables_of(join, is_new, DETAIL_OWN);
    free(cables.items);
    return cables.n;
}

struct fabric_changes fabric_compare(const struct topology *old, const struct topology *new)
{
    struct fabric_changes changes = {.old = {old, 0}, .new = {new, 0}};
    struct comparison comparison = {.join = fabric_join_make(old, new),
                                    .changes = &changes,
                                    .is_outline = topology_whole(old)->is_outline ||
                                                  topology_whole(new)->is_outline};
    const enum fabric_detail detail = comparison.is_outline ? DETAIL_OUTLINE : DETAIL_SHARED;
    comparison.old_cables = fabric_cables_of(&comparison.join, false, detail);
    comparison.new_cables = fabric_cables_of(&comparison.join, true, detail);
    comparison.n_cables = mem_alloc((size_t)comparison.join.n + 1, sizeof(uint32_t));
    count_cables(&comparison, &comparison.old_cables);
    count_cables(&comparison, &comparison.new_cables);
    fabric_cables_match(&comparison.old_cables, &comparison.new_cables, &comparison.join);
    compare_nodes(&comparison);
    compare_old_cables(&comparison);
    compare_new_cables(&comparison);
    if (!topology_whole(new)->is_outline && comparison.is_outline)
        find_slow_cables(&comparison);
    if (!comparison.is_outline)
        compare_routes(&comparison);
    if (changes.n)
        qsort(changes.items, changes.n, sizeof *changes.items, fabric_changes_compare_changes);
    changes.old.n_cables = count_all_cables(&comparison.join, false);
    changes.new.n_cables = count_all_cables(&comparison.join, true);
    free(comparison.n_cables);
    free(comparison.old_cables.items);
    free(comparison.new_cables.items);
    fabric_join_free(&comparison.join);
    return changes;
}

void fabric_changes_free(struct fabric_changes *changes)
{
    free(changes->items);
    arena_free(&changes->arena);
}
