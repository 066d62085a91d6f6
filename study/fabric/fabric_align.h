/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Aligns two networks by structure alone: finds for each node of a plan the node that stands in its place, so
 * that as few cables as possible are missing or left over. Names, ports and rates are not looked at.
 *
 * Which graph a network is with a few cables wrong is a hard question in general. Here it is answered as a
 * fitter would: begin at a switch that looks as most do, and go on with the node that has most cables to
 * those already placed. Where several nodes would do as well, the one is taken whose neighbours' neighbours
 * are those that were placed there. In a regular network any choice that is left then is a symmetry. A cable
 * that is wrong costs a node one of many cables, so it seldom misleads; several starts are tried, and the
 * best alignment is kept.
 */
#ifndef COLLC_STUDY_FABRIC_FABRIC_ALIGN_H
#define COLLC_STUDY_FABRIC_FABRIC_ALIGN_H

#include "network/wiring.h"

#define ALIGN_NONE UINT32_MAX

/* Fills partner[node of the plan] with a node of the network that was seen, or ALIGN_NONE, and returns the
 * number of cables that are missing or left over: those of `plan` and of `seen` without a counterpart. More
 * than 0 is an upper bound on the least number. Machines stand for machines, switches for switches, of the
 * same level if they are no exception. Hosts with one cable are neither placed nor counted. O(cables *
 * degree) time for each start, at most 256 starts and about 3 * 10^8 steps; O(nodes + cables) memory. */
uint64_t fabric_align(const struct wiring *plan, const struct wiring *seen, uint32_t *partner);

#endif
