/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A map as a file by which a launcher starts rank v of a program where the map has what the algorithm calls
 * rank v. See map_report.h.
 */
#include "reports/map_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

/* True if a launcher takes it for the name of a host and nothing else. */
static bool is_host(const char *name)
{
    static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *name && name[strspn(name, in_names)] == '\0';
}

static uint32_t map_hosts_machine_of(const struct map_hosts *hosts, uint32_t rank)
{
    return hosts->placement->machine[hosts->map[rank]];
}

/* True if the ranks of every machine are next to each other. */
static bool is_in_blocks(const struct map_hosts *hosts)
{
    bool *is_over = mem_alloc(hosts->topology->n_machines, sizeof *is_over);
    bool is_good = true;
    for (uint32_t rank = 0; rank < hosts->placement->n_ranks; rank++) {
        const uint32_t machine = map_hosts_machine_of(hosts, rank);
        is_good = is_good && !is_over[machine];
        if (rank + 1 < hosts->placement->n_ranks && map_hosts_machine_of(hosts, rank + 1) != machine)
            is_over[machine] = true;
    }
    free(is_over);
    return is_good;
}

/* SLURM_HOSTFILE: the host of each rank. */
static void print_slurm(const struct map_hosts *hosts, struct text *out)
{
    char name[NAME_BYTES];
    for (uint32_t rank = 0; rank < hosts->placement->n_ranks; rank++) {
        topology_node_name(hosts->topology, map_hosts_machine_of(hosts, rank), name, sizeof name);
        text_printf(out, "%s\n", name);
    }
}

/* A rank file of Open MPI: the slots of a host are taken in the order of its ranks. */
static void print_openmpi(const struct map_hosts *hosts, struct text *out)
{
    uint32_t *n_slots = mem_alloc(hosts->topology->n_machines, sizeof *n_slots);
    char name[NAME_BYTES];
    for (uint32_t rank = 0; rank < hosts->placement->n_ranks; rank++) {
        const uint32_t machine = map_hosts_machine_of(hosts, rank);
        topology_node_name(hosts->topology, machine, name, sizeof name);
        text_printf(out, "rank %" PRIu32 "=%s slot=%" PRIu32 "\n", rank, name, n_slots[machine]++);
    }
    free(n_slots);
}

/* A host file of MPICH: how many ranks follow each other on each host. */
static void print_mpich(const struct map_hosts *hosts, struct text *out)
{
    const uint32_t n_ranks = hosts->placement->n_ranks;
    char name[NAME_BYTES];
    for (uint32_t rank = 0, end; rank < n_ranks; rank = end) {
        const uint32_t machine = map_hosts_machine_of(hosts, rank);
        for (end = rank + 1; end < n_ranks && map_hosts_machine_of(hosts, end) == machine;)
            end++;
        topology_node_name(hosts->topology, machine, name, sizeof name);
        text_printf(out, "%s:%" PRIu32 "\n", name, end - rank);
    }
}

/* The node rank of each host, for torchrun. False if hosts have not equally many ranks. */
static bool print_torchrun(const struct map_hosts *hosts, struct text *out)
{
    const uint32_t n_ranks = hosts->placement->n_ranks, slots = hosts->placement->slots;
    char name[NAME_BYTES];
    for (uint32_t node = 0; slots && node < n_ranks / slots; node++) {
        topology_node_name(hosts->topology, map_hosts_machine_of(hosts, node * slots), name, sizeof name);
        text_printf(out, "%s %" PRIu32 "\n", name, node);
    }
    return slots;
}

/* True if every machine has as many ranks as the first one, but perhaps the last has fewer. */
static bool map_hosts_is_even(const uint32_t *n_ranks, uint32_t n_machines)
{
    uint32_t last = n_machines;
    while (last && !n_ranks[last - 1])
        last--;
    for (uint32_t machine = 0; machine + 1 < last; machine++)
        if (n_ranks[machine] != n_ranks[0])
            return false;
    return !last || n_ranks[last - 1] <= n_ranks[0];
}

/* MPICH_RANK_ORDER: the ranks of each host, a line each. False if a host has not as many as the first. */
static bool print_rank_order(const struct map_hosts *hosts, struct text *out)
{
    const uint32_t n_machines = hosts->topology->n_machines, n = hosts->placement->n_ranks;
    uint32_t *n_ranks = mem_alloc(n_machines, sizeof *n_ranks), *first = mem_alloc(n_machines, sizeof *first);
    uint32_t *ranks = mem_alloc(n, sizeof *ranks);
    for (uint32_t rank = 0; rank < n; rank++)
        n_ranks[map_hosts_machine_of(hosts, rank)]++;
    const bool good = map_hosts_is_even(n_ranks, n_machines);
    for (uint32_t machine = 1; machine < n_machines; machine++)
        first[machine] = first[machine - 1] + n_ranks[machine - 1];
    for (uint32_t rank = 0; rank < n; rank++)
        ranks[first[map_hosts_machine_of(hosts, rank)]++] = rank;
    for (uint32_t i = 0, machine = 0, left = 0; good && i < n; i++, left--) {
        while (!left)
            left = n_ranks[machine++];
        text_printf(out, "%" PRIu32 "%s", ranks[i], left > 1 ? "," : "\n");
    }
    free(n_ranks);
    free(first);
    free(ranks);
    return good;
}

const char *map_hosts_print(const struct map_hosts *hosts, const char *form, struct text *out,
                            struct arena *arena)
{
    char name[NAME_BYTES];
    if (strcmp(form, "mpich-rank-order") == 0)
        return print_rank_order(hosts, out)
                   ? NULL
                   : "MPICH_RANK_ORDER needs as many ranks on each host, from the first host on: take --to slurm";
    for (uint32_t rank = 0; rank < hosts->placement->n_ranks; rank++) {
        topology_node_name(hosts->topology, map_hosts_machine_of(hosts, rank), name, sizeof name);
        if (!is_host(name))
            return arena_printf(arena, "machine '%s' has no name that a launcher takes: name hosts in the "
                                       "network, or write a map without --to", name);
    }
    if (strcmp(form, "torchrun") == 0)
        return is_in_blocks(hosts) && print_torchrun(hosts, out)
                   ? NULL
                   : "torchrun has equally many ranks on each host, next to each other: take --to slurm";
    if (strcmp(form, "mpich") == 0 && !is_in_blocks(hosts))
        return "MPICH's host files have the ranks of a host next to each other, and this map does not: "
               "take --to slurm or --to openmpi";
    if (strcmp(form, "slurm") == 0)
        print_slurm(hosts, out);
    else if (strcmp(form, "openmpi") == 0)
        print_openmpi(hosts, out);
    else
        print_mpich(hosts, out);
    return NULL;
}
