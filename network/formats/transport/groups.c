/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups machines by the networks they are on. See groups.h.
 */
#include "network/formats/transport/groups.h"

#include "base/integer.h"

#include <stdlib.h>

static uint32_t networks_of(const struct topology *topology, uint32_t machine)
{
    uint32_t set = 0;
    for (uint32_t i = 1; i < topology_n_networks(topology); i++)
        set |= (uint32_t)topology_is_on_network(topology, machine, i) << i;
    return set;
}

static int groups_compare_groups(const void *a, const void *b)
{
    const struct network_group *left = a, *right = b;
    return (left->machines[0] > right->machines[0]) - (left->machines[0] < right->machines[0]);
}

struct network_groups network_groups(const struct topology *topology)
{
    uint32_t n_machines = topology->n_machines;
    uint64_t *keys = mem_alloc(n_machines, sizeof *keys);
    struct network_groups groups = {.machines = mem_alloc(n_machines, sizeof *groups.machines)};
    size_t capacity = 0;
    for (uint32_t machine = 0; machine < n_machines; machine++)
        keys[machine] = (uint64_t)networks_of(topology, machine) << 32 | machine;
    qsort(keys, n_machines, sizeof *keys, compare_uint64);
    for (uint32_t i = 0; i < n_machines; i++) {
        groups.machines[i] = (uint32_t)keys[i];
        if (!i || keys[i] >> 32 != keys[i - 1] >> 32) {
            groups.items =
                mem_grow(groups.items, &capacity, groups.n + 1u, sizeof *groups.items);
            groups.items[groups.n++] = (struct network_group){0, groups.machines + i};
        }
        groups.items[groups.n - 1].n_machines++;
    }
    free(keys);
    if (groups.n)
        qsort(groups.items, groups.n, sizeof *groups.items, groups_compare_groups);
    return groups;
}

void network_groups_free(struct network_groups *groups)
{
    free(groups->items);
    free(groups->machines);
}
