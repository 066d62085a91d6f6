/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out by its symmetry whether all ranks of a schedule do the same, and links treat them alike: see
 * uniform.h. Classes of links are those of network/topology.h. Where a class has as many links as there are
 * ranks, and one message from each rank puts n on each of its links, each of these crosses n of them.
 */
#include "simulate/uniform_parts.h"

#include "base/integer.h"
#include "base/memory.h"
#include "measure/server_flows.h"
#include "ir/shifted_steps.h"
#include "network/shifts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HOPS = 1 << 25 }; /* of one rank */

struct shifted {
    const struct symmetry *symmetry;
    const struct topology *topology;
    struct uniform *found;
    struct link_shifts shifts;
    uint32_t n_ranks;
    struct class_hops *classes; /* that messages of an offset cross */
    uint32_t *n_left;           /* [class] of its links that the message has still to cross, else zero */
    struct hop *hops;
    uint32_t *peers;            /* that rank 0 receives from */
    size_t peer_capacity;
};

/* ---- messages ---- */

/* True if each message crosses as many links of the class as that puts on each of its links. */
static bool is_of_each(const struct shifted *shifted, const struct class_hops *hops)
{
    const uint32_t n = topology_n_positions(shifted->topology, &shifted->shifts.machines, hops->class);
    return hops->begin == 0 && hops->end == n && hops->n &&
           (shifted->shifts.is_free ||
            (uint64_t)topology_links_at(shifted->topology, &shifted->shifts.machines, hops->class) * n ==
                shifted->n_ranks);
}

/* The classes of the links that the message of rank 0 crosses, in their order. False: it is not so that
 * those of all ranks cross the same. */
static bool find_hops(struct shifted *shifted, uint32_t peer, uint32_t n_classes, uint32_t n_hops,
                      uint32_t *classes)
{
    if (shifted->shifts.is_free) { /* one of each class, in their order */
        for (uint32_t i = 0; i < n_classes; i++)
            classes[i] = shifted->classes[i].class;
        return true;
    }
    if (topology_route(shifted->topology, 0, peer, shifted->hops) != n_hops)
        return false;
    for (uint32_t i = 0; i < n_classes; i++)
        shifted->n_left[shifted->classes[i].class] += shifted->classes[i].n;
    bool is_same = true;
    for (uint32_t i = 0; i < n_hops; i++) {
        uint32_t position;
        classes[i] = topology_link_class(shifted->topology, &shifted->shifts.machines, shifted->hops[i].link,
                                         &position);
        is_same = is_same && shifted->n_left[classes[i]];
        shifted->n_left[classes[i]] -= is_same;
    }
    for (uint32_t i = 0; i < n_classes; i++)
        shifted->n_left[shifted->classes[i].class] = 0;
    return is_same;
}

static bool uniform_shifted_add_send(struct shifted *shifted, const struct op *send)
{
    const uint32_t n =
        topology_class_hops(shifted->topology, &shifted->shifts.machines, send->peer, 0, shifted->classes);
    uint64_t n_hops = 0;
    bool is_same = true;
    for (uint32_t i = 0; i < n && is_same; i++) {
        is_same = is_of_each(shifted, &shifted->classes[i]);
        n_hops += shifted->classes[i].n;
    }
    if (!is_same || n_hops + shifted->found->n_hops > MOST_HOPS)
        return false;
    return find_hops(shifted, send->peer, n, (uint32_t)n_hops,
                     uniform_add_message(shifted->found, send->n_chunks, (uint32_t)n_hops));
}

/* True if rank 0 receives what is sent to it: shifted back, what it sends. */
static bool uniform_shifted_is_matched(struct shifted *shifted, const struct step *own)
{
    const size_t n = own->n_sends;
    shifted->peers = mem_grow(shifted->peers, &shifted->peer_capacity, 2 * n + 1, sizeof *shifted->peers);
    for (size_t i = 0; i < n; i++) {
        shifted->peers[i] = own->receives[i].peer;
        shifted->peers[n + i] = shifts_back(&shifted->symmetry->shifts, own->sends[i].peer);
    }
    qsort(shifted->peers, n, sizeof *shifted->peers, compare_uint32);
    qsort(shifted->peers + n, n, sizeof *shifted->peers, compare_uint32);
    return memcmp(shifted->peers, shifted->peers + n, n * sizeof *shifted->peers) == 0;
}

/* ---- steps ---- */

/* If the messages of a step are those of the one before, it has these instead. */
static void share_messages(struct uniform *found, struct uniform_step *step)
{
    const struct uniform_step *last = found->n_steps ? &found->steps[found->n_steps - 1] : NULL;
    bool is_same = last && last->n_messages == step->n_messages && step->n_messages;
    for (size_t i = 0; is_same && i < step->n_messages; i++) {
        const struct uniform_message *a = &found->messages[last->first_message + i];
        const struct uniform_message *b = &found->messages[step->first_message + i];
        is_same = a->units == b->units && a->n_hops == b->n_hops &&
                  memcmp(found->hops + a->first_hop, found->hops + b->first_hop,
                         a->n_hops * sizeof *found->hops) == 0;
    }
    if (!is_same)
        return;
    found->n_hops = found->messages[step->first_message].first_hop;
    found->n_messages = step->first_message;
    step->first_message = last->first_message;
}

/* Adds the packing of a message to the runs from `first` on. False: not all ranks do the same. */
static bool uniform_shifted_add_packed(struct shifted *shifted, size_t first, const struct op *op)
{
    const enum packed_on on = shifted_packed_on(shifted->symmetry, op);
    if (on == PACKED_ON_ALL)
        uniform_add_local(shifted->found, first, op->n_chunks);
    return on != PACKED_ON_SOME;
}

static bool uniform_shifted_take_step(struct shifted *shifted, const struct step *own)
{
    struct uniform *found = shifted->found;
    const size_t n_hops = found->n_hops;
    struct uniform_step made = {.first_copy = found->n_runs, .first_message = found->n_messages};
    if (own->n_sends != own->n_receives || !shifted_turns_as_much(shifted->symmetry, own) ||
        !uniform_shifted_is_matched(shifted, own))
        return false;
    for (size_t i = 0; i < own->n_copies; i++)
        uniform_add_local(found, made.first_copy, own->copies[i].n_chunks);
    for (size_t i = 0; i < own->n_sends; i++)
        if (!uniform_shifted_add_packed(shifted, made.first_copy, &own->sends[i]))
            return false;
    made.n_copies = found->n_runs - made.first_copy;
    for (size_t i = 0; i < own->n_sends; i++)
        if (!uniform_shifted_add_send(shifted, &own->sends[i]))
            return false;
    made.n_messages = own->n_sends;
    made.first_combine = found->n_runs;
    for (size_t i = 0; i < own->n_receives; i++)
        if (own->receives[i].kind == OP_REDUCE)
            uniform_add_local(found, made.first_combine, own->receives[i].n_chunks);
        else if (!uniform_shifted_add_packed(shifted, made.first_combine, &own->receives[i]))
            return false;
    made.n_combines = found->n_runs - made.first_combine;
    made.work = 1 + made.n_messages + (found->n_hops - n_hops) + made.n_copies + made.n_combines;
    share_messages(found, &made);
    uniform_add_step(found, &made);
    return true;
}

static bool uniform_shifted_take_steps(struct shifted *shifted)
{
    struct schedule *witnesses = shifted->symmetry->schedule;
    struct shifted_steps steps;
    struct step step, own;
    bool is_uniform = true;
    shifted_steps_init(&steps, shifted->symmetry);
    witnesses->rewind(witnesses);
    while (is_uniform && witnesses->next(witnesses, &step))
        is_uniform = !shifted_steps_take(&steps, &step, &own) &&
                     (step_is_idle(&own) || uniform_shifted_take_step(shifted, &own));
    shifted_steps_free(&steps);
    return is_uniform && !witnesses->failed;
}

static void make_classes(struct uniform *found, const struct topology *topology)
{
    found->n_classes = topology_n_classes(topology);
    found->classes = mem_alloc(found->n_classes, sizeof *found->classes);
    for (uint32_t i = 0; i < found->n_classes; i++) {
        const struct link_class links = topology_links_of(topology, i);
        found->classes[i] = (struct uniform_class){.bandwidth = links.bandwidth, .latency = links.latency};
    }
}

struct uniform *uniform_find_shifted(const struct symmetry *symmetry, const struct topology *topology,
                                     const struct placement *placement)
{
    struct shifted shifted = {
        .symmetry = symmetry, .topology = topology, .n_ranks = symmetry->shifts.n_ranks};
    if (symmetry->n_orbits > 1 || placement->n_servers != symmetry->shifts.n_ranks || placement->adapters ||
        !link_shifts_find(symmetry, topology, placement, &shifted.shifts))
        return NULL;
    shifted.found = mem_alloc(1, sizeof *shifted.found);
    make_classes(shifted.found, topology);
    shifted.classes = mem_alloc(topology_max_class_hops(topology), sizeof *shifted.classes);
    shifted.n_left = mem_alloc(topology_n_classes(topology), sizeof *shifted.n_left);
    shifted.hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *shifted.hops);
    const bool is_uniform = uniform_shifted_take_steps(&shifted);
    free(shifted.classes);
    free(shifted.n_left);
    free(shifted.hops);
    free(shifted.peers);
    if (is_uniform)
        return shifted.found;
    uniform_free(shifted.found);
    return NULL;
}
