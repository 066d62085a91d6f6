/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts times of points for any costs.
 */
#ifndef COLLC_COSTS_PREDICTOR_H
#define COLLC_COSTS_PREDICTOR_H

#include "costs/costs.h"

struct predictor;

/* Reads, places and binds all points. Returns NULL after reporting Y001 at one that cannot be predicted. */
struct predictor *predictor_new(const struct costs_request *request, struct diagnostics *diagnostics);
void predictor_free(struct predictor *predictor);

/* Sets times[point] in ns. Costs are taken to thousandths of a ns; with `is_rounded` as they are written,
 * to whole ns and bytes per second. Returns false if one cannot be simulated to its end. */
bool predictor_times(struct predictor *predictor, const struct model_costs *costs, bool is_rounded,
                     double *times);

/* Sets the time of a point in ns, on links that may have other costs or other routes than those of the
 * request. Returns false if it cannot be simulated to its end. */
bool predictor_time(struct predictor *predictor, size_t point, const struct topology *on,
                    const struct host_costs *hosts, uint64_t *time);
/* Returns the place of a point's ranks, and its schedule; to be destroyed if the scene has a binding, else
 * only lent. NULL: it cannot be expanded. */
const struct placement *predictor_placement(const struct predictor *predictor, size_t point);
struct schedule *predictor_expand(struct predictor *predictor, size_t point);
void predictor_close(struct predictor *predictor, size_t point);

/* Returns the costs of hosts in whole ns and B/s. */
struct host_costs costs_of_hosts(const struct model_costs *costs);
void costs_set_links(struct topology *topology, const struct model_costs *costs);

#endif
