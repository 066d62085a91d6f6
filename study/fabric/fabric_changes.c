/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the cables and routes of two networks. See fabric_changes.h.
 */
#include "base/integer.h"
#include "network/ports.h"
#include "network/tables.h"
#include "study/fabric/fabric_cables.h"
#include "study/fabric/fabric_changes.h"
#include "network/plan.h"

#include <stdlib.h>
#include <string.h>

struct comparison {
    struct fabric_join join;
    struct fabric_cables old_cables, new_cables;
    struct fabric_changes *changes;
    bool is_outline;
    struct wiring wiring; /* of the new network, if structure is compared */
    struct usual_ports usual;
    uint32_t *peer;      /* [joined] another end of a cable of the old network; NOT_THERE: none */
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
    if (comparison->join.is_by_structure)
        return;
    const struct fabric_join *join = &comparison->join;
    const char *old = fabric_node_name(join->old, join->old_of[joined], &comparison->changes->arena);
    const char *new = fabric_changes_name_of(comparison, joined);
    if (strcmp(old, new) == 0)
        return;
    struct fabric_change *change = add_change(comparison, CHANGE_NAME);
    change->node = old;
    change->peer = new;
}

static void find_peers(struct comparison *comparison)
{
    const struct fabric_cables *cables = &comparison->old_cables;
    memset(comparison->peer, 0xff, (size_t)comparison->join.n * sizeof *comparison->peer);
    for (uint32_t i = 0; i < cables->n; i++)
        for (int end = 0; end < 2; end++)
            comparison->peer[cables->items[i].end[end].node] = cables->items[i].end[1 - end].node;
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
        const uint32_t peer = comparison->peer[joined];
        const bool is_at_peer = comparison->join.is_by_structure && machine && peer != NOT_THERE;
        if (is_at_peer && is_gone(comparison, joined) && is_gone(comparison, peer))
            continue; /* the switch is missing with its hosts */
        const enum fabric_change_kind kind =
            is_gone(comparison, joined) ? (machine ? CHANGE_MACHINE_GONE : CHANGE_SWITCH_GONE)
                                        : (machine ? CHANGE_MACHINE_NEW : CHANGE_SWITCH_NEW);
        struct fabric_change *change = add_change(comparison, kind);
        change->node = fabric_changes_name_of(comparison, joined);
        change->n = n_cables;
        if (is_at_peer && kind == CHANGE_MACHINE_GONE)
            change->peer = fabric_changes_name_of(comparison, peer);
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

/* Returns the port at an end of a cable. By structure ports are not compared, but those of the new network
 * are told, and where a missing cable seems to belong. */
static uint32_t port_to_tell(const struct comparison *comparison, const struct fabric_cable *cable, int end)
{
    const struct fabric_join *join = &comparison->join;
    const struct fabric_cables *new = &comparison->new_cables;
    if (!join->is_by_structure)
        return cable->end[end].port;
    if (cable < new->items || cable >= new->items + new->n) {
        const uint32_t nodes[] = {join->new_of[cable->end[0].node], join->new_of[cable->end[1].node]};
        uint32_t ports[2];
        usual_ports_of_missing(&comparison->usual, nodes, ports);
        return ports[end];
    }
    return end ? topology_port_in(join->new, cable->link) : topology_port_out(join->new, cable->link);
}

/* Returns the rate of a cable as it is to be told; 0: the plan leaves it open. */
static uint64_t rate_to_tell(uint64_t bandwidth)
{
    return bandwidth < PLAN_OPEN_RATE ? bandwidth : 0;
}

static void set_cable(struct comparison *comparison, struct fabric_change *change,
                      const struct fabric_cable *cable)
{
    /* a machine is what it is about; of two switches the first is */
    const int subject = fabric_changes_is_machine(comparison, cable->end[1].node) ? 1 : 0;
    change->node = fabric_changes_name_of(comparison, cable->end[subject].node);
    change->port = port_to_tell(comparison, cable, subject);
    change->peer = fabric_changes_name_of(comparison, cable->end[1 - subject].node);
    change->peer_port = port_to_tell(comparison, cable, 1 - subject);
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
    change->old_bandwidth = rate_to_tell(old_bandwidth);
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
    if (stayed.adapter)
        change->node = arena_printf(&comparison->changes->arena, "%s %s", change->node, stayed.adapter);
    change->port = port_to_tell(comparison, now, cable->partner_end);
    change->peer = fabric_changes_name_of(comparison, before.node);
    change->peer_port = before.port;
    change->new_peer = fabric_changes_name_of(comparison, after.node);
    change->new_peer_port = port_to_tell(comparison, now, 1 - cable->partner_end);
    change->n = 1;
    change->old_bandwidth = rate_to_tell(cable->bandwidth);
    change->new_bandwidth = change->old_bandwidth ? now->bandwidth : 0;
}

static void compare_rates(struct comparison *comparison, const struct fabric_cable *cable, uint32_t n_before,
                          size_t first_change)
{
    const struct fabric_cable *now = &comparison->new_cables.items[cable->partner];
    if (rate_to_tell(cable->bandwidth) && cable->bandwidth != now->bandwidth)
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

/* ---- slow cables, where the other network states no rates ---- */

/* A cable among those that should have one rate. */
struct rated_cable {
    uint64_t kind, rate; /* kind 0: it is not judged */
    uint64_t usual;      /* rate of most of its kind; 0: no rate is that of most */
    uint32_t cable;
};

static int compare_rated(const void *a, const void *b)
{
    const struct rated_cable *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->rate != y->rate ? (x->rate < y->rate ? -1 : 1) : compare_numbers(x->cable, y->cable);
}

static int compare_rated_cables(const void *a, const void *b)
{
    const struct rated_cable *x = a, *y = b;
    return compare_numbers(x->cable, y->cable);
}

/* Returns the kind of a cable: with an outline, whether it ends at a machine; else its level or dimension in
 * the plan. */
static uint64_t kind_of_cable(const struct comparison *comparison, const struct fabric_cable *cable)
{
    if (comparison->is_outline)
        return fabric_changes_is_machine(comparison, cable->end[0].node) ||
                       fabric_changes_is_machine(comparison, cable->end[1].node)
                   ? 2
                   : 1;
    const uint64_t planned =
        cable->partner == NOT_THERE ? 0 : comparison->old_cables.items[cable->partner].bandwidth;
    return planned >= PLAN_OPEN_RATE ? planned : 0;
}

/* Finds the usual rate of the cables of each kind, which are in order: the rate of more than half of them. */
static void find_usual_rates(struct rated_cable *rated, uint32_t n)
{
    for (uint32_t first = 0, end; first < n; first = end) {
        uint64_t usual = 0;
        for (end = first; end < n && rated[end].kind == rated[first].kind;)
            end++;
        for (uint32_t i = first, run; i < end; i += run) {
            for (run = 1; i + run < end && rated[i + run].rate == rated[i].rate;)
                run++;
            if (2 * run > end - first)
                usual = rated[i].rate;
        }
        for (uint32_t i = first; i < end; i++)
            rated[i].usual = usual;
    }
}

/* Tells the cables of a list that are slower than most of their kind. */
static void find_slow_cables(struct comparison *comparison, const struct fabric_cables *cables)
{
    struct rated_cable *rated = mem_alloc((size_t)cables->n + 1, sizeof *rated);
    for (uint32_t i = 0; i < cables->n; i++)
        rated[i] = (struct rated_cable){kind_of_cable(comparison, &cables->items[i]),
                                        cables->items[i].bandwidth, 0, i};
    qsort(rated, cables->n, sizeof *rated, compare_rated);
    find_usual_rates(rated, cables->n);
    qsort(rated, cables->n, sizeof *rated, compare_rated_cables);
    for (uint32_t first = 0, n; first < cables->n; first += n) {
        const size_t first_change = comparison->changes->n;
        n = count_parallel(cables, first);
        for (uint32_t i = first; i < first + n; i++)
            if (rated[i].kind && rated[i].rate < rated[i].usual)
                tell_cable(comparison, CHANGE_CABLES_UNLIKE, &cables->items[i], n, rated[i].usual,
                           rated[i].rate, first_change);
    }
    free(rated);
}

/* Tells slow cables against an outline, which has no cables, or against a plan with open rates. */
static void compare_with_most(struct comparison *comparison)
{
    if (comparison->is_outline && !topology_whole(comparison->join.new)->is_outline) {
        struct fabric_cables cables = fabric_cables_of(&comparison->join, true, DETAIL_OWN);
        find_slow_cables(comparison, &cables);
        free(cables.items);
    }
    if (!comparison->is_outline && comparison->join.is_by_structure)
        find_slow_cables(comparison, &comparison->new_cables);
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

/* ---- swapped cables ---- */

static bool are_swapped(const struct fabric_change *a, const struct fabric_change *b)
{
    return a->kind == b->kind && (a->kind == CHANGE_MACHINE_MOVED || a->kind == CHANGE_CABLE_MOVED) &&
           strcmp(a->peer, b->new_peer) == 0 && strcmp(a->new_peer, b->peer) == 0;
}

/* Makes one change of each two moved cables of which each is where the other should be. O(moved^2), and of
 * many moved cables none is looked at. */
static void join_swapped(struct fabric_changes *changes)
{
    size_t n = 0, n_moved = 0;
    for (size_t i = 0; i < changes->n; i++)
        n_moved +=
            changes->items[i].kind == CHANGE_MACHINE_MOVED || changes->items[i].kind == CHANGE_CABLE_MOVED;
    for (size_t i = 0; i < changes->n && n_moved <= 4096; i++)
        for (size_t k = i + 1; k < changes->n; k++) {
            struct fabric_change *change = &changes->items[i], *other = &changes->items[k];
            if (!are_swapped(change, other))
                continue;
            change->kind = CHANGE_SWAPPED;
            change->other = other->node;
            change->other_port = other->port;
            change->peer_port = other->new_peer_port;
            change->n = 2;
            other->kind = N_FABRIC_CHANGES;
        }
    for (size_t i = 0; i < changes->n; i++)
        if (changes->items[i].kind != N_FABRIC_CHANGES)
            changes->items[n++] = changes->items[i];
    changes->n = n;
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

/* True if structure alone is compared: the old network is a shape, whose names say nothing, or no machine of
 * it is in the new one. */
static bool has_foreign_names(const struct fabric_join *join)
{
    if (topology_is_implicit(topology_whole(join->old)) && !topology_is_implicit(topology_whole(join->new)))
        return true;
    for (uint32_t machine = 0; machine < join->old->n_machines; machine++)
        if (join->new_of[machine] != NOT_THERE)
            return false;
    return true;
}

/* True for strings of two shapes: both number their nodes, and a number means another place in each. */
static bool are_other_shapes(const struct fabric_changes *changes)
{
    const struct topology *old = topology_whole(changes->old.topology);
    const struct topology *new = topology_whole(changes->new.topology);
    return topology_is_implicit(old) && topology_is_implicit(new) && strcmp(old->name, new->name) != 0;
}

/* Joins the nodes, by structure where names say nothing. Some plans are then written out. */
static struct fabric_join join_networks(struct fabric_changes *changes)
{
    struct fabric_join join = fabric_join_make(changes->old.topology, changes->new.topology);
    if (!has_foreign_names(&join) && !are_other_shapes(changes))
        return join;
    fabric_join_free(&join);
    changes->is_by_structure = true;
    changes->plan = plan_of(changes->old.topology, changes->new.topology);
    return fabric_join_by_structure(changes->plan ? changes->plan : changes->old.topology,
                                    changes->new.topology);
}

/* Finds all changes of the nodes, cables and routes. */
static void compare_all(struct comparison *comparison)
{
    compare_nodes(comparison);
    compare_old_cables(comparison);
    compare_new_cables(comparison);
    compare_with_most(comparison);
    if (!comparison->is_outline && !comparison->join.is_by_structure)
        compare_routes(comparison);
    join_swapped(comparison->changes);
}

struct fabric_changes fabric_compare(const struct topology *old, const struct topology *new)
{
    struct fabric_changes changes = {.old = {old, 0}, .new = {new, 0}};
    struct comparison comparison = {.join = join_networks(&changes),
                                    .changes = &changes,
                                    .is_outline =
                                        topology_whole(old)->is_outline || topology_whole(new)->is_outline};
    if (!comparison.is_outline && !changes.is_by_structure)
        changes.ports = fabric_ports_of(&comparison.join);
    comparison.join.ports = &changes.ports;
    const enum fabric_detail detail = comparison.is_outline ? DETAIL_OUTLINE : DETAIL_SHARED;
    comparison.old_cables = fabric_cables_of(&comparison.join, false, detail);
    comparison.new_cables = fabric_cables_of(&comparison.join, true, detail);
    comparison.n_cables = mem_alloc((size_t)comparison.join.n + 1, sizeof(uint32_t));
    comparison.peer = mem_alloc((size_t)comparison.join.n + 1, sizeof *comparison.peer);
    find_peers(&comparison);
    count_cables(&comparison, &comparison.old_cables);
    count_cables(&comparison, &comparison.new_cables);
    if (changes.is_by_structure) {
        comparison.wiring = wiring_of(new);
        comparison.usual = usual_ports_of(&comparison.wiring);
        fabric_cables_mark_odd(&comparison.new_cables, &comparison.usual);
    }
    fabric_cables_match(&comparison.old_cables, &comparison.new_cables, &comparison.join);
    compare_all(&comparison);
    if (changes.n)
        qsort(changes.items, changes.n, sizeof *changes.items, fabric_changes_compare_changes);
    changes.old.n_cables = count_all_cables(&comparison.join, false);
    changes.new.n_cables = count_all_cables(&comparison.join, true);
    wiring_free(&comparison.wiring);
    usual_ports_free(&comparison.usual);
    free(comparison.n_cables);
    free(comparison.peer);
    free(comparison.old_cables.items);
    free(comparison.new_cables.items);
    fabric_join_free(&comparison.join);
    return changes;
}

void fabric_changes_free(struct fabric_changes *changes)
{
    fabric_ports_free(&changes->ports);
    topology_free(changes->plan);
    free(changes->items);
    arena_free(&changes->arena);
}
