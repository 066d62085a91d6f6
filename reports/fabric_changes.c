/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what has changed in a fabric, in words and for programs.
 */
#include "reports/fabric_changes.h"
#include "base/codes.h"
#include "reports/record.h"

#include <inttypes.h>

/* Names of the changes in JSON, and their codes. */
static const struct change_kind {
    const char *name;
    enum code code;
} kinds[N_FABRIC_CHANGES] = {
    [CHANGE_ROUTES_LOST] = {"routes_lost", CODE_G001},
    [CHANGE_SWITCH_GONE] = {"switch_missing", CODE_G002},
    [CHANGE_MACHINE_GONE] = {"machine_missing", CODE_G002},
    [CHANGE_CABLES_GONE] = {"cables_missing", CODE_G003},
    [CHANGE_SWAPPED] = {"cables_swapped", CODE_G004},
    [CHANGE_MACHINE_MOVED] = {"machine_moved", CODE_G004},
    [CHANGE_CABLE_MOVED] = {"cable_moved", CODE_G004},
    [CHANGE_CABLES_SLOWER] = {"cables_slower", CODE_G005},
    [CHANGE_CABLES_UNLIKE] = {"cables_slower_than_most", CODE_G005},
    [CHANGE_ROUTES_LONGER] = {"routes_longer", CODE_G006},
    [CHANGE_PORTS] = {"other_ports", CODE_G006},
    [CHANGE_NAME] = {"other_name", CODE_G006},
    [CHANGE_ROUTES_OTHER] = {"other_routes", CODE_G006},
    [CHANGE_CABLES_FASTER] = {"cables_faster", CODE_G007},
    [CHANGE_SWITCH_NEW] = {"switch_new", CODE_G007},
    [CHANGE_MACHINE_NEW] = {"machine_new", CODE_G007},
    [CHANGE_CABLES_NEW] = {"cables_new", CODE_G007},
};

/* ---- words ---- */

/* Returns the number of a port; 0: it has none. */
static uint32_t fabric_changes_port(uint32_t port)
{
    return port < FABRIC_NAMED_PORT ? port : 0;
}

static void print_end(const struct fabric_changes *changes, const char *node, uint32_t port,
                      struct text *out)
{
    if (port >= FABRIC_NAMED_PORT)
        text_printf(out, "port %s of ", changes->ports.names[port - FABRIC_NAMED_PORT]);
    else if (port)
        text_printf(out, "port %" PRIu32 " of ", port);
    text_printf(out, "'%s'", node);
}

/* "cable from port 1 of 'a' to 'b'", "2 of 4 cables from ...". */
static void print_cables(const struct fabric_changes *changes, const struct fabric_change *change,
                         struct text *out)
{
    if (change->n_before > 1)
        text_printf(out, "%" PRIu64 " of %" PRIu64 " cables", change->n, change->n_before);
    else if (change->n > 1)
        text_printf(out, "%" PRIu64 " cables", change->n);
    else
        text_printf(out, "cable");
    text_printf(out, " from ");
    print_end(changes, change->node, change->n > 1 ? 0 : change->port, out);
    text_printf(out, " to ");
    print_end(changes, change->peer, change->n > 1 ? 0 : change->peer_port, out);
}

static void print_rates(uint64_t now, const char *between, uint64_t before, struct text *out)
{
    topology_print_bandwidth(now, out);
    text_printf(out, "%s", between);
    topology_print_bandwidth(before, out);
}

static void print_moved(const struct fabric_changes *changes, const struct fabric_change *change,
                        struct text *out)
{
    if (change->kind == CHANGE_CABLE_MOVED)
        text_printf(out, "cable at ");
    print_end(changes, change->node, change->port, out);
    text_printf(out, change->kind == CHANGE_MACHINE_MOVED ? " is on " : " leads to ");
    print_end(changes, change->new_peer, change->new_peer_port, out);
    text_printf(out, ", not ");
    print_end(changes, change->peer, change->peer_port, out);
    if (change->new_bandwidth == change->old_bandwidth)
        return;
    text_printf(out, ", with ");
    print_rates(change->new_bandwidth, " instead of ", change->old_bandwidth, out);
}

/* "port 1 of 'a' and port 2 of 'b' are swapped: ..." Both ends of both cables are named. */
static void print_swapped(const struct fabric_changes *changes, const struct fabric_change *change,
                         struct text *out)
{
    print_end(changes, change->node, change->port, out);
    text_printf(out, " and ");
    print_end(changes, change->other, change->other_port, out);
    text_printf(out, " are swapped: the first is cabled to ");
    print_end(changes, change->new_peer, change->new_peer_port, out);
    text_printf(out, ", the second to ");
    print_end(changes, change->peer, change->peer_port, out);
}

static void fabric_changes_print_node(const struct fabric_changes *changes,
                                      const struct fabric_change *change, struct text *out)
{
    const bool is_switch = change->kind == CHANGE_SWITCH_GONE || change->kind == CHANGE_SWITCH_NEW;
    const bool is_gone = change->kind == CHANGE_SWITCH_GONE || change->kind == CHANGE_MACHINE_GONE;
    if (change->kind == CHANGE_MACHINE_GONE && change->peer)
        text_printf(out, "a machine is missing on '%s'", change->peer);
    else
        text_printf(out, "%s '%s'%s is %s", is_switch ? "switch" : "machine", change->node,
                    changes->is_by_structure && is_gone ? " of the plan" : "", is_gone ? "missing" : "new");
    if (change->n > 1)
        text_printf(out, ", with %" PRIu64 " cables", change->n);
}

static void fabric_changes_print_routes(const struct fabric_changes *changes,
                                        const struct fabric_change *change, struct text *out)
{
    text_printf(out, "%" PRIu64 " of %" PRIu64 " routes ", change->n, changes->n_routes);
    if (change->kind == CHANGE_ROUTES_LOST)
        text_printf(out, "are lost, such as from '%s' to '%s'", change->node, change->peer);
    else if (change->kind == CHANGE_ROUTES_LONGER)
        text_printf(out, "are longer, at most from '%s' to '%s': %" PRIu32 " links instead of %" PRIu32,
                    change->node, change->peer, change->new_hops, change->old_hops);
    else
        text_printf(out, "go another way");
}

static void print_change(const struct fabric_changes *changes, const struct fabric_change *change,
                         struct text *out)
{
    switch (change->kind) {
    case CHANGE_ROUTES_LOST:
    case CHANGE_ROUTES_LONGER:
    case CHANGE_ROUTES_OTHER:
        fabric_changes_print_routes(changes, change, out);
        break;
    case CHANGE_SWITCH_GONE:
    case CHANGE_MACHINE_GONE:
    case CHANGE_SWITCH_NEW:
    case CHANGE_MACHINE_NEW:
        fabric_changes_print_node(changes, change, out);
        break;
    case CHANGE_SWAPPED:
        print_swapped(changes, change, out);
        break;
    case CHANGE_MACHINE_MOVED:
    case CHANGE_CABLE_MOVED: print_moved(changes, change, out); break;
    case CHANGE_NAME: text_printf(out, "'%s' is called '%s'", change->node, change->peer); break;
    case CHANGE_CABLES_GONE:
        print_cables(changes, change, out);
        text_printf(out, change->n > 1 ? " are missing" : " is missing");
        break;
    case CHANGE_CABLES_NEW:
        print_cables(changes, change, out);
        text_printf(out, change->n > 1 ? " are new" : " is new");
        break;
    case CHANGE_PORTS:
        print_cables(changes, change, out);
        text_printf(out, change->n > 1 ? ": in other ports" : ": in another port");
        break;
    case CHANGE_CABLES_SLOWER:
    case CHANGE_CABLES_FASTER:
    case CHANGE_CABLES_UNLIKE:
        print_cables(changes, change, out);
        text_printf(out, ": ");
        print_rates(change->new_bandwidth,
                    change->kind == CHANGE_CABLES_UNLIKE ? ", most have " : " instead of ",
                    change->old_bandwidth, out);
        break;
    case N_FABRIC_CHANGES: break;
    }
}

/* ---- findings and text ---- */

/* Changes of one cause are one finding: more than so many other names, or other ports at one switch. */
enum { MOST_ALIKE = 3 };

/* Returns the number of changes from number `first` on, at most up to the next of another kind, that have
 * its cause. */
static size_t fabric_changes_alike(const struct fabric_changes *changes, size_t first)
{
    const struct fabric_change *change = &changes->items[first];
    size_t end = first + 1;
    if (change->kind != CHANGE_NAME)
        return 1;
    while (end < changes->n && changes->items[end].kind == change->kind)
        end++;
    return end - first > MOST_ALIKE ? end - first : 1;
}

void fabric_changes_find(const struct fabric_changes *changes, const struct source *source,
                         struct diagnostics *findings)
{
    for (size_t i = 0, n; i < changes->n; i += n) {
        const struct fabric_change *change = &changes->items[i];
        const enum code code = kinds[change->kind].code;
        struct text message = {0};
        n = fabric_changes_alike(changes, i);
        if (diagnostics_only_counts(findings, code))
            continue;
        if (n > 1)
            text_printf(&message, "%zu machines and switches have other names, such as: ", n);
        print_change(changes, change, &message);
        report(findings, code, (struct position){source, 0, 0, 0}, "%s", message.data);
        text_free(&message);
    }
}

void fabric_changes_sentence(const struct fabric_changes *changes, struct text *out)
{
    const size_t n = changes->n > 5 ? 5 : changes->n;
    for (size_t i = 0; i < n; i++) {
        text_printf(out, "%s", i ? "; " : "");
        print_change(changes, &changes->items[i], out);
    }
    if (changes->n > n)
        text_printf(out, "; and %zu more", changes->n - n);
}

static void print_side(const char *which, const struct fabric_side *side, struct text *out)
{
    const struct topology *topology = side->topology;
    const uint32_t n_switches = topology->n_nodes - topology->n_machines;
    text_printf(out, "%s  ", which);
    text_append_safe(out, topology->name);
    text_printf(out, ": %" PRIu32 " machine%s, %" PRIu32 " switch%s, %" PRIu32 " cable%s\n",
                topology->n_machines, plural(topology->n_machines), n_switches,
                n_switches == 1 ? "" : "es", side->n_cables, plural(side->n_cables));
}

static bool is_outline(const struct fabric_changes *changes)
{
    return topology_whole(changes->old.topology)->is_outline ||
           topology_whole(changes->new.topology)->is_outline;
}

/* The verdict: the changes by severity. */
static void print_verdict(const struct fabric_changes *changes, const struct diagnostics *findings,
                          struct text *out)
{
    static const enum severity severities[] = {SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE};
    uint64_t n[3] = {0}, n_all = 0;
    if (!changes->n && is_outline(changes))
        text_printf(out, "the machines are on the switches as %s; cables between switches were not compared\n",
                    changes->is_by_structure ? "planned" : "before");
    else if (!changes->n)
        text_printf(out, changes->is_by_structure ? "it is cabled as planned\n" : "nothing has changed\n");
    if (!changes->n)
        return;
    for (int i = 0; i < 3; i++)
        n_all += n[i] = findings->n_of_severity[severities[i]];
    text_printf(out, "%" PRIu64 " difference%s:", n_all, plural(n_all));
    for (int i = 0, is_any = 0; i < 3; i++)
        if (n[i])
            text_printf(out, "%s %" PRIu64 " %s%s", is_any++ ? "," : "", n[i], severity_names[severities[i]], plural(n[i]));
    text_printf(out, n[0] ? "\n" : "; nothing is missing or slower\n");
}

/* Says what was compared. */
static void print_compared(const struct fabric_changes *changes, struct text *out)
{
    const struct fabric_ports *ports = &changes->ports;
    if (is_outline(changes)) {
        text_printf(out, "compared: which machine is on which switch; one of the two says no more\n");
        return;
    }
    if (changes->is_by_structure) {
        text_printf(out, "compared: who is cabled to whom, and rates; not names, so not hosts that changed places\n");
        return;
    }
    text_printf(out, "compared: machines, switches, cables, ");
    if (ports->is_compared[0])
        text_printf(out, ports->is_compared[1] ? "ports, " : "ports of switches, ");
    else if (ports->is_compared[1])
        text_printf(out, "ports of machines, ");
    if (changes->n_routes < changes->n_pairs)
        text_printf(out, "and %" PRIu64 " of %" PRIu64 " routes", changes->n_routes, changes->n_pairs);
    else
        text_printf(out, "and all routes");
    text_printf(out, ports->is_known && !ports->is_compared[0] ? "; not ports, which have other names in each\n"
                                                               : "\n");
}

void fabric_changes_text(const struct fabric_changes *changes, const struct diagnostics *findings,
                         bool colour, struct text *out)
{
    print_verdict(changes, findings, out);
    print_side(changes->is_by_structure ? "plan  " : "before", &changes->old, out);
    print_side("now   ", &changes->new, out);
    print_compared(changes, out);
    diagnostics_print(findings, out, colour);
}

/* ---- JSON ---- */

#include "reports/fabric_changes.def"

void fabric_changes_json(const struct fabric_changes *changes, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    fabric_changes_write(&json, changes);
    json_close(&json, '}');
    text_append(out, "\n", 1);
}
