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

const char *map_hosts_print(const struct map_hosts *hosts, const char *form, struct text *out,
                            struct arena *arena)
{
    char name[NAME_BYTES];
    for (uint32_t rank = 0; rank < hosts->placement->n_ranks; rank++) {
        topology_node_name(hosts->topology, map_hosts_machine_of(hosts, rank), name, sizeof name);
        if (!is_host(name))
            return arena_printf(arena, "machine '%s' has no name that a launcher takes: name hosts in the "
                                       "network, or write a map without --to", name);
    }
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
