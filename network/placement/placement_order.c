/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order in which block and cyclic take the machines, and the orders of orders.h.
 */
#include "network/placement/orders.h"
#include "network/placement/placement_files.h"

#include "base/integer.h"
#include "base/text/slice.h"

#include <stdlib.h>
#include <string.h>

/* A machine with the switch and the cable it hangs on. */
struct seat {
    uint32_t router, cable, machine;
};

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if (x->router != y->router)
        return x->router < y->router ? -1 : 1;
    if (x->cable != y->cable)
        return x->cable < y->cable ? -1 : 1;
    return (x->machine > y->machine) - (x->machine < y->machine);
}

/* Sorts by the first link of each machine. */
static void order_by_switch(const struct topology *topology, uint32_t *order)
{
    uint32_t n = topology->n_machines, from, to;
    struct seat *seats = mem_alloc(n, sizeof *seats);
    for (uint32_t machine = 0; machine < n; machine++)
        seats[machine] = (struct seat){UINT32_MAX, UINT32_MAX, machine};
    for (uint32_t link = topology->n_link_ids; link-- > 0;) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from < n && to >= n)
            seats[from] = (struct seat){to, link, from};
    }
    qsort(seats, n, sizeof *seats, compare_seats);
    for (uint32_t i = 0; i < n; i++)
        order[i] = seats[i].machine;
    free(seats);
}

/* A machine and its name. */
struct named {
    char *name;
    uint32_t machine;
};

static int compare_machine_names(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int order = slice_compare_names(slice_of(x->name), slice_of(y->name));
    return order ? order : (x->machine > y->machine) - (x->machine < y->machine);
}

static void order_by_name(const struct topology *topology, uint32_t *order)
{
    const uint32_t n = topology->n_machines;
    struct named *list = mem_alloc(n, sizeof *list);
    struct arena arena = {0};
    char name[256];
    for (uint32_t machine = 0; machine < n; machine++) {
        topology_node_name(topology, machine, name, sizeof name);
        list[machine] = (struct named){arena_strndup(&arena, name, strlen(name)), machine};
    }
    qsort(list, n, sizeof *list, compare_machine_names);
    for (uint32_t i = 0; i < n; i++)
        order[i] = list[i].machine;
    arena_free(&arena);
    free(list);
}

static uint32_t *order_by_number(uint32_t n)
{
    uint32_t *order = mem_alloc(n, sizeof *order);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    return order;
}

uint32_t *machines_in_order(const struct topology *topology, enum machine_order order)
{
    uint32_t *machines = order_by_number(topology->n_machines);
    if (!topology_is_implicit(topology) && order == ORDER_NAME)
        order_by_name(topology, machines);
    if (!topology_is_implicit(topology) && order == ORDER_SWITCH)
        order_by_switch(topology, machines);
    return machines;
}

/* Fisher and Yates, from the end; a number below i is the upper half of a 32-bit product. */
static uint32_t *order_at_random(uint32_t n, uint32_t seed)
{
    uint64_t state = seed;
    uint32_t *order = order_by_number(n);
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)((next_random(&state) >> 32) * i >> 32), other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
    return order;
}

uint32_t *order_machines(const struct topology *topology, const struct placement_request *asked)
{
    if (!asked->order || strcmp(asked->order, "name") == 0)
        return NULL;
    if (strcmp(asked->order, "random") == 0)
        return order_at_random(topology->n_machines, asked->seed);
    return machines_in_order(topology, ORDER_SWITCH);
}
