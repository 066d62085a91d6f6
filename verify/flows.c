/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows through a hash table with open addressing. Slots of an older stamp are
 * free, so emptying the table costs nothing. See flows.h.
 */
#include "verify/flows.h"

#include <stdlib.h>

struct flow_slot {
    uint32_t source, destination;
    uint32_t flow; /* index */
    uint32_t stamp;
};

void flows_clear(struct flows *flows, size_t n)
{
    flows->n = 0;
    flows->flows = mem_grow(flows->flows, &flows->capacity, n, sizeof *flows->flows);
    if (n * 2 <= flows->table_size && ++flows->stamp != 0)
        return;
    while (n * 2 > flows->table_size)
        flows->table_size = flows->table_size ? flows->table_size * 2 : 64;
    free(flows->table);
    flows->table = mem_alloc(flows->table_size, sizeof *flows->table);
    flows->stamp = 1;
}

static inline void add(struct flows *flows, uint32_t source, uint32_t destination, uint32_t n)
{
    uint64_t hash = ((uint64_t)source << 32 | destination) * UINT64_C(0x9e3779b97f4a7c15);
    size_t mask = flows->table_size - 1, at = (size_t)(hash >> 40) & mask;
    while (flows->table[at].stamp == flows->stamp) {
        const struct flow_slot *slot = &flows->table[at];
        if (slot->source == source && slot->destination == destination) {
            flows->flows[slot->flow].n_messages += n;
            return;
        }
        at = (at + 1) & mask;
    }
    uint32_t flow = (uint32_t)flows->n++;
    flows->table[at] = (struct flow_slot){source, destination, flow, flows->stamp};
    flows->flows[flow] = (struct flow){source, destination, n};
}

void flows_add(struct flows *flows, const struct flow *flow)
{
    add(flows, flow->source, flow->destination, flow->n_messages);
}

void flows_gather(struct flows *flows, const struct step *step, const struct placement *placement)
{
    const uint32_t *server = placement ? placement->server : NULL;
    flows_clear(flows, step->n_sends + 1);
    for (size_t i = 0; i < step->n_sends; i++) {
        uint32_t source = step->sends[i].rank, destination = step->sends[i].peer;
        if (server) {
            source = server[source];
            destination = server[destination];
        }
        if (source != destination)
            add(flows, source, destination, 1);
    }
}

void flows_free(struct flows *flows)
{
    free(flows->flows);
    free(flows->table);
    *flows = (struct flows){0};
}
