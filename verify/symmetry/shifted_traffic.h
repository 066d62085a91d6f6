/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads that the steps of a symmetric schedule put on the network, from the sends of the representatives
 * (symmetric.c). Where shifts of ranks shift the servers and these shifts are symmetries of the network,
 * one server and one link of each class say all. Elsewhere each flow of a step is routed (shifted_flows.c,
 * traffic_links.c); of a step in which representatives send as much to the same ranks as in an earlier
 * one, nothing is routed again.
 */
#ifndef COLLC_VERIFY_SYMMETRY_SHIFTED_TRAFFIC_H
#define COLLC_VERIFY_SYMMETRY_SHIFTED_TRAFFIC_H

#include "verify/internal.h"
#include "verify/symmetry/symmetric.h"

struct shifted_traffic;
struct shifted_traffic *shifted_traffic_new(const struct symmetry *symmetry,
                                            const struct verify_request *request,
                                            struct verify_report *report);
/* Returns the number of messages that are routed one by one in all, foreseen where that takes more than a
 * moment and there is a budget, else 0. The other: the number routed so far, or added up instead. */
double shifted_traffic_foreseen(const struct shifted_traffic *traffic);
uint64_t shifted_traffic_routed(const struct shifted_traffic *traffic);
/* Adds a step of the representatives to the report. False: a message has no route, or a link may have more
 * messages of a step than a record can hold; or what is foreseen takes more than twice the budget. May go
 * through the steps of the schedule, up to this one again. */
bool shifted_traffic_step(struct shifted_traffic *traffic, const struct step *own);
/* Completes report and argument. report->max_received is UINT32_MAX where it is not known. */
void shifted_traffic_end(struct shifted_traffic *traffic, struct symmetric_argument *argument);
void shifted_traffic_free(struct shifted_traffic *traffic);

#endif
