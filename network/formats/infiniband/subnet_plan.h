/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A topology as an InfiniBand subnet: switches, adapters, their numbered ports, GUIDs and LIDs. The
 * writers of ibsim networks and of forwarding tables both write this plan, so that their files fit
 * together.
 *
 * The plan keeps the port numbers, LIDs and GUIDs of a subnet's dump and derives the others, the same at
 * every run:
 *   ports   a node numbers its ports 1, 2 ... in the order of the ids of the links that leave by them
 *   GUIDs   are numbered in the locally administered range; a port of an adapter has the GUID of the
 *           adapter plus its number, as in ibsim
 *   LIDs    continue above the highest known one, first the ports of machines in their order, then
 *           the switches
 *
 * A machine that forwards, or has a cable to another machine, becomes a switch with one adapter on its
 * last port, because adapters forward nothing.
 */
#ifndef COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_PLAN_H
#define COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_PLAN_H

#include "network/forwarding.h"

struct plan_device {
    uint64_t guid;
    uint32_t node;       /* node of the topology that has this device */
    uint32_t adapter;    /* number in its machine, from 1; 0: a switch */
    uint32_t lid;        /* a switch's LID */
    uint32_t n_ports;    /* highest port number, at least 1 */
    uint32_t first, n;   /* its ends, by port: plan->order[first ...] */
};

/* A port with a cable. */
struct plan_end {
    uint32_t device, port;
    uint32_t peer;       /* the end at the other side of the cable */
    uint32_t link;       /* link that leaves by it; GRAPH_NONE between a machine's own switch and adapter */
    uint32_t lid, lmc;   /* an adapter's LID */
    uint64_t bandwidth;
};

struct plan {
    const struct topology *topology;
    const struct graph *graph;   /* its subnet is the one that was read; or NULL */
    struct plan_device *devices; /* switches, then adapters in the order of machines */
    struct plan_end *ends;
    uint32_t *order;             /* ends by device, then by port */
    uint32_t *end_of_link;       /* [link], GRAPH_NONE: no such link */
    uint32_t *switch_of;         /* [node], GRAPH_NONE: no switch */
    uint32_t n_switches, n_devices, n_ends;
    uint32_t n_lids;             /* all LIDs are below it */
    size_t devices_capacity, ends_capacity;
};

/* Makes the plan. Returns false, with a sentence that lives as long as the topology, if the topology cannot
 * be a subnet: too many LIDs or ports, a name that no node description can hold. Release with plan_free in
 * any case. Memory and time: O(nodes + links log links). */
bool plan_make(struct plan *plan, const struct topology *topology, const char **problem);
void plan_free(struct plan *plan);

/* Returns the GUID of an adapter's port; a switch has one GUID for all ports. */
static inline uint64_t plan_port_guid(const struct plan *plan, const struct plan_end *end)
{
    const struct plan_device *device = &plan->devices[end->device];
    return device->guid + (device->adapter ? end->port : 0);
}
/* Writes the description of a device: "NAME HCA-1" for an adapter, "NAME" for a router, "NAME switch" for
 * the switch of a machine. */
enum { PLAN_NAME_SIZE = 320, PLAN_DESCRIPTION_MAX = 63 };
void plan_describe(const struct plan *plan, const struct plan_device *device,
                   char name[PLAN_NAME_SIZE]);

#endif
