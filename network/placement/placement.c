/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes servers and slots from machine[rank]. Two counting sorts where machine numbers are dense, a
 * comparison sort where a few ranks sit on a huge network.
 */
#include "network/placement/placement.h"

#include "base/integer.h"
#include "network/unrouted.h"

#include <stdlib.h>
#include <string.h>

static void sort_sparse(const uint32_t *machine, uint32_t n_ranks, uint32_t *ranks)
{
    uint64_t *keys = mem_alloc(n_ranks, sizeof *keys);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        keys[rank] = (uint64_t)machine[rank] << 32 | rank;
    qsort(keys, n_ranks, sizeof *keys, compare_uint64);
    for (uint32_t i = 0; i < n_ranks; i++)
        ranks[i] = (uint32_t)keys[i];
    free(keys);
}

static void sort_dense(const uint32_t *machine, uint32_t n_ranks, uint32_t n_machines,
                       uint32_t *ranks)
{
    uint32_t *at = mem_alloc((size_t)n_machines + 1, sizeof *at);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        at[machine[rank] + 1]++;
    for (uint32_t i = 0; i < n_machines; i++)
        at[i + 1] += at[i];
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        ranks[at[machine[rank]]++] = rank;
    free(at);
}

/* Ranks by machine, then by number. */
static void sort_ranks(const uint32_t *machine, uint32_t n_ranks, uint32_t *ranks)
{
    uint32_t last = 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        last = machine[rank] > last ? machine[rank] : last;
    if (last / 4 <= n_ranks)
        sort_dense(machine, n_ranks, last + 1, ranks);
    else
        sort_sparse(machine, n_ranks, ranks);
}

/* Numbers the servers in the order of their lowest ranks; server[rank], returns how many. */
static uint32_t number_servers(const uint32_t *machine, const uint32_t *by_machine,
                               uint32_t n_ranks, uint32_t *server)
{
    uint32_t n = 0;
    uint32_t *leader = mem_alloc(n_ranks, sizeof *leader); /* [rank] lowest of its server */
    for (uint32_t i = 0; i < n_ranks; i++) {
        uint32_t rank = by_machine[i];
        bool is_first = !i || machine[rank] != machine[by_machine[i - 1]];
        leader[rank] = is_first ? rank : leader[by_machine[i - 1]];
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        server[rank] = leader[rank] == rank ? n++ : server[leader[rank]];
    free(leader);
    return n;
}

/* Needs server[rank] and n_servers; counting sort of the ranks by server. */
static void fill_servers(struct placement *placement)
{
    uint32_t *at = mem_alloc((size_t)placement->n_servers + 1, sizeof *at);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        placement->first[placement->server[rank] + 1]++;
    for (uint32_t server = 0; server < placement->n_servers; server++) {
        placement->first[server + 1] += placement->first[server];
        at[server] = placement->first[server];
    }
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        uint32_t server = placement->server[rank];
        placement->server_machine[server] = placement->machine[rank];
        placement->slot[rank] = at[server] - placement->first[server];
        placement->ranks[at[server]++] = rank;
    }
    free(at);
}

static void count_slots(struct placement *placement)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t server = 0; server < placement->n_servers; server++) {
        uint32_t slots = placement->first[server + 1] - placement->first[server];
        least = slots < least ? slots : least;
        placement->max_slots = slots > placement->max_slots ? slots : placement->max_slots;
    }
    placement->slots = least == placement->max_slots ? least : 0;
}

struct placement *placement_of_machines(const uint32_t *machine, uint32_t n_ranks,
                                        const char *name)
{
    struct placement *placement = mem_alloc(1, sizeof *placement);
    struct arena *arena = &placement->arena;
    placement->n_ranks = n_ranks;
    placement->name = arena_strndup(arena, name, strlen(name));
    placement->machine = arena_alloc(arena, n_ranks, sizeof(uint32_t));
    placement->server = arena_alloc(arena, n_ranks, sizeof(uint32_t));
    placement->slot = arena_alloc(arena, n_ranks, sizeof(uint32_t));
    placement->ranks = arena_alloc(arena, n_ranks, sizeof(uint32_t));
    if (n_ranks)
        memcpy(placement->machine, machine, n_ranks * sizeof *machine);
    sort_ranks(placement->machine, n_ranks, placement->ranks);
    placement->n_servers =
        number_servers(placement->machine, placement->ranks, n_ranks, placement->server);
    placement->first = arena_alloc(arena, (size_t)placement->n_servers + 1, sizeof(uint32_t));
    placement->server_machine = arena_alloc(arena, placement->n_servers, sizeof(uint32_t));
    fill_servers(placement);
    count_slots(placement);
    return placement;
}

struct placement *placement_by_slots(uint32_t n_ranks, uint32_t slots, bool is_cyclic)
{
    const uint32_t n_machines = n_ranks / slots + (n_ranks % slots != 0);
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = is_cyclic ? rank % n_machines : rank / slots;
    struct placement *placement = placement_of_machines(machine, n_ranks, is_cyclic ? "cyclic" : "block");
    free(machine);
    return placement;
}

void placement_free(struct placement *placement)
{
    if (!placement)
        return;
    arena_free(&placement->arena);
    free(placement);
}

static void print_unrouted(const struct topology *topology, const struct placement *placement,
                           const char *before, struct text *out)
{
    const bool are_all = !placement || placement->n_servers == topology->n_machines;
    const size_t length = out->length;
    text_printf(out, "%s%s", before, are_all ? "" : "of the hosts with ranks ");
    const size_t begin = out->length;
    unrouted_say(topology, placement ? placement->server_machine : NULL, placement ? placement->n_servers : 0,
                 "", out);
    if (out->length == begin)
        out->data[out->length = length] = '\0'; /* nothing to be said, or too much to be looked for */
}

void placement_say_unrouted(const struct topology *topology, const struct placement *placement,
                            struct text *out)
{
    print_unrouted(topology, placement, "; ", out);
}

void placement_note_unrouted(const struct topology *topology, const struct placement *placement,
                             struct diagnostics *diagnostics, struct diagnostic *diagnostic)
{
    struct text who = {0};
    print_unrouted(topology, placement, "", &who);
    if (who.length)
        diagnostic->related_text = diagnostics_text(diagnostics, "%s", who.data);
    text_free(&who);
}
