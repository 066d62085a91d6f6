/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A topology as an InfiniBand subnet: switches, adapters, their numbered ports, GUIDs
 * and LIDs. The writers of ibsim networks and of forwarding tables both write what
 * this plan says, so that their files fit together.
 *
 * What was read from a subnet's dump is kept: port numbers, LIDs, GUIDs. The rest is
 * derived, the same at every run: a node numbers its ports 1, 2 ... in the order of the
 * ids of the links that leave by them; GUIDs are numbered in the locally administered
 * range; LIDs go on above the highest known one, first the ports of machines in their
 * order, then the switches. A port of an adapter has the GUID of the adapter plus its
 * number, as ibsim has it.
 *
 * A machine that forwards, or has a cable to another machine, becomes a switch with one
 * adapter on its last port; adapters forward nothing.
 */
#ifndef COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_PLAN_H
#define COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_PLAN_H

#include "network/forwarding.h"

struct plan_device {
    uint64_t guid;
    uint32_t node;       /* of the topology: whose device it is */
    uint32_t adapter;    /* 1, 2 ... in its machine; 0: a switch */
    uint32_t lid;        /* of a switch */
    uint32_t n_ports;    /* highest number, at least 1 */
    uint32_t first, n;   /* plan->order[first ...]: its ends, by port */
};

/* A port with a cable. */
struct plan_end {
    uint32_t device, port;
    uint32_t peer;       /* the end at the other side of the cable */
    uint32_t link;       /* that leaves by it; GRAPH_NONE between a machine's own switch and adapter */
    uint32_t lid, lmc;   /* of an adapter */
    uint64_t bandwidth;
};

struct plan {
    const struct topology *topology;
    const struct graph *graph;   /* with the subnet that it was read from, or NULL */
    struct plan_device *devices; /* switches, then adapters in the order of machines */
    struct plan_end *ends;
    uint32_t *order;             /* ends by device, then by port */
    uint32_t *end_of_link;       /* [link], GRAPH_NONE: no such link */
    uint32_t *switch_of;         /* [node], GRAPH_NONE: it has none */
    uint32_t n_switches, n_devices, n_ends;
    uint32_t n_lids;             /* LIDs are below it */
    size_t devices_capacity, ends_capacity;
};

/* False, with a sentence that lives as long as the topology, if it cannot be a subnet:
 * too many LIDs or ports, a name that no node description can hold. The plan is to be
 * freed in any case. Memory and time: O(nodes + links log links). */
bool plan_make(struct plan *plan, const struct topology *topology, const char **problem);
void plan_free(struct plan *plan);

/* GUID of an adapter's port; a switch has one for all. */
static inline uint64_t plan_port_guid(const struct plan *plan, const struct plan_end *end)
{
    const struct plan_device *device = &plan->devices[end->device];
    return device->guid + (device->adapter ? end->port : 0);
}
/* The description of a device: "NAME HCA-1"; of a router "NAME", of the switch that a
 * machine has "NAME switch". */
enum { PLAN_NAME_SIZE = 320, PLAN_DESCRIPTION_MAX = 63 };
void plan_describe(const struct plan *plan, const struct plan_device *device,
                   char name[PLAN_NAME_SIZE]);

#endif
