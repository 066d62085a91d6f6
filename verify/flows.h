/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of one step, or of several, gathered into flows: one per ordered pair
 * of servers with messages between them. Messages within a server do not touch
 * the network and are left out.
 */
#ifndef COLLC_VERIFY_FLOWS_H
#define COLLC_VERIFY_FLOWS_H

#include "ir/schedule.h"

struct flow {
    uint32_t source, destination; /* servers, different */
    uint32_t n_messages;
};

struct flow_slot;

/* Zero-initialise; flows_free when done. */
struct flows {
    struct flow *flows; /* in order of their first message */
    size_t n, capacity;
    struct flow_slot *table;
    size_t table_size;
    uint32_t stamp;
};

/* Empties the set and makes room for n flows. */
void flows_clear(struct flows *flows, size_t n);
/* Adds messages from a server to another; at most as many calls as room. */
void flows_add(struct flows *flows, const struct flow *flow);
/* The flows of one step; placement NULL: one rank per server. O(sends). */
void flows_gather(struct flows *flows, const struct step *step, const struct placement *placement);
void flows_free(struct flows *flows);

#endif
