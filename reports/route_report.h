/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The output of collc route, as text for people and as JSON.
 */
#ifndef COLLC_REPORTS_ROUTE_REPORT_H
#define COLLC_REPORTS_ROUTE_REPORT_H

#include "base/memory.h"
#include "network/unrouted.h"
#include "routes/crossing.h"
#include "routes/metrics.h"

/* The route of a pair; with `all` those to the other LIDs of the destination too. False if
 * there is none (said, with the reason). */
bool route_text(const struct topology *topology, struct route_ends ends, bool all,
                struct text *out);
bool route_json(const struct topology *topology, struct route_ends ends, bool all,
                struct text *out);

/* The pairs of machines whose routes use each link. */
void links_text(const struct topology *topology, const uint32_t *links, uint32_t n,
                const struct observer *observer, struct text *out);
void links_json(const struct topology *topology, const uint32_t *links, uint32_t n,
                const struct observer *observer, struct text *out);

void metrics_text(const struct topology *topology, const struct metrics *metrics,
                  struct text *out);
void metrics_json(const struct topology *topology, const struct metrics *metrics,
                  struct text *out);

/* Appends all groups of hosts without a route, with all names. */
void unrouted_text(const struct unrouted *unrouted, struct text *out);
void unrouted_json(const struct unrouted *unrouted, struct text *out);

/* One end of a link: "leaf00", or "leaf00[9]" where the number of the port is known. */
enum { END_NAME_SIZE = 272 };
void link_end_name(const struct topology *topology, uint32_t link, bool is_far, char *name);

#endif
