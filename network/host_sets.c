/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Says which hosts are meant. See host_sets.h.
 */
#include "network/host_sets.h"

#include "base/integer.h"
#include "base/text/hostlist_write.h"
#include "base/text/slice.h"

#include <stdlib.h>
#include <string.h>

/* ---- the switch of each host ---- */

/* Sets the switch of every machine of the whole topology: the router at the other end of its first link. */
static uint32_t *whole_switches(const struct topology *whole)
{
    uint32_t *switch_of = mem_alloc(whole->n_machines, sizeof *switch_of);
    memset(switch_of, 0xff, whole->n_machines * sizeof *switch_of);
    for (uint32_t link = 0; link < whole->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(whole, link))
            continue;
        topology_link_ends(whole, link, &from, &to);
        if (from < whole->n_machines && to >= whole->n_machines && switch_of[from] == HOST_NO_SWITCH)
            switch_of[from] = to;
    }
    return switch_of;
}

struct host_sets host_sets_new(const struct topology *topology, const uint32_t *hosts, uint32_t n_hosts)
{
    const struct topology *whole = topology_whole(topology);
    struct host_sets sets = {topology, hosts, n_hosts, NULL, NULL};
    sets.switch_of = mem_alloc(topology->n_machines, sizeof *sets.switch_of);
    sets.n_on = mem_alloc(whole->n_nodes, sizeof *sets.n_on);
    uint32_t *of_whole = whole_switches(whole);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        sets.switch_of[machine] = of_whole[topology_whole_node(topology, machine)];
    for (uint32_t i = 0; i < n_hosts; i++)
        if (sets.switch_of[hosts[i]] != HOST_NO_SWITCH)
            sets.n_on[sets.switch_of[hosts[i]]]++;
    free(of_whole);
    return sets;
}

void host_sets_free(struct host_sets *sets)
{
    free(sets->switch_of);
    free(sets->n_on);
}

/* ---- names ---- */

static int host_sets_compare_named(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return slice_compare_names(slice_of(*x), slice_of(*y));
}

/* Returns the names of nodes in their order, in the arena. */
static const char **sorted_names(const struct topology *topology, const uint32_t *nodes, uint32_t n,
                                 struct arena *arena)
{
    const char **names = arena_alloc(arena, n, sizeof *names);
    char name[256];
    for (uint32_t i = 0; i < n; i++) {
        struct text safe = {0};
        topology_node_name(topology, nodes[i], name, sizeof name);
        text_append_safe(&safe, name);
        names[i] = arena_strndup(arena, safe.data ? safe.data : "", safe.length);
        text_free(&safe);
    }
    if (n)
        qsort(names, n, sizeof *names, host_sets_compare_named);
    return names;
}

/* Writes them as a host list; false if a name cannot stand in one. */
static bool host_sets_write_list(const char *const *names, uint32_t n, struct text *out)
{
    struct hostlist_writer writer = {.out = out};
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++)
        good = !strpbrk(names[i], "()") && hostlist_write(&writer, names[i]); /* coordinates stay apart */
    hostlist_write_end(&writer);
    return good;
}

/* Returns how many bytes of a list stay where at most so many may: whole names and ranges. */
static size_t cut_at(const struct text *list, uint32_t most)
{
    size_t end = most;
    if (!most || list->length <= most)
        return list->length;
    while (end && list->data[end] != ',' && list->data[end] != ' ')
        end--;
    return end ? end : most;
}

void host_sets_print_names(const struct topology *topology, const uint32_t *nodes, uint32_t n, uint32_t most,
                           struct text *out)
{
    struct arena arena = {0};
    struct text list = {0};
    const char **names = sorted_names(topology, nodes, n, &arena);
    if (!host_sets_write_list(names, n, &list)) {
        list.length = 0;
        for (uint32_t i = 0; i < n; i++)
            text_printf(&list, "%s%s", i ? " " : "", names[i]);
    }
    const size_t length = cut_at(&list, most);
    if (length)
        text_append(out, list.data, length);
    if (length < list.length)
        text_printf(out, "%s", list.data[length] == ' ' ? " ..." : ",...");
    text_free(&list);
    arena_free(&arena);
}

/* ---- sets ---- */

/* Lists the switches of a set, each once; *is_whole: all hosts of each are in it. Returns how many, 0 where
 * a host hangs on none. */
static uint32_t list_switches(const struct host_sets *sets, const uint32_t *set, uint32_t n,
                              uint32_t *switches, bool *is_whole)
{
    uint32_t n_switches = 0, n_hosts = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (sets->switch_of[set[i]] == HOST_NO_SWITCH)
            return 0;
        switches[n_switches++] = sets->switch_of[set[i]];
    }
    qsort(switches, n, sizeof *switches, compare_uint32);
    n_switches = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!n_switches || switches[n_switches - 1] != switches[i])
            switches[n_switches++] = switches[i];
    for (uint32_t i = 0; i < n_switches; i++)
        n_hosts += sets->n_on[switches[i]];
    *is_whole = n_hosts == n;
    return n_switches;
}

void host_sets_print(const struct host_sets *sets, const uint32_t *set, uint32_t n, uint32_t most,
                     struct text *out)
{
    uint32_t *switches = mem_alloc(n, sizeof *switches);
    bool is_whole = false;
    const uint32_t n_switches = n > 1 ? list_switches(sets, set, n, switches, &is_whole) : 0;
    if (n == 1)
        text_printf(out, "host ");
    else if (is_whole)
        text_printf(out, "hosts of switch%s ", n_switches == 1 ? "" : "es");
    else
        text_printf(out, n_switches == 1 ? "%u hosts of switch " : "%u hosts", n);
    if (n_switches == 1 || is_whole)
        host_sets_print_names(topology_whole(sets->topology), switches, n_switches, most, out);
    if (n > 1)
        text_printf(out, " (");
    host_sets_print_names(sets->topology, set, n, most, out);
    if (n > 1)
        text_printf(out, ")");
    free(switches);
}
