/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small networks with ranks here and there, for tests of bounds by flows; and certificates that somebody
 * changed.
 */
#ifndef COLLC_TESTS_UNIT_BOUND_SCENES_H
#define COLLC_TESTS_UNIT_BOUND_SCENES_H

#include "bound/bound.h"
#include "bound/check/check.h"

struct bound_scene {
    struct topology *topology;
    struct placement *placement;
    struct counts_runs *counts; /* or NULL */
    struct bound_request request;
};

uint32_t bound_random(uint64_t *seed, uint32_t n);
struct counts_runs *bound_random_counts(uint64_t n, uint64_t *seed);

/* An all-to-all of a rank on each machine. */
struct bound_scene bound_scene_plain(const char *spec);
/* One of alltoall, gather and scatter, with equal or unequal counts, on a grid or a graph. */
struct bound_scene bound_scene_random(uint64_t *seed);
void bound_scene_free(struct bound_scene *scene);
/* The name of its collective and form. */
const char *bound_scene_name(const struct bound_scene *scene);
/* Returns the data that the ranks of a machine have for those of another. */
double bound_scene_demand(const struct bound_scene *scene, uint32_t from, uint32_t to);

/* True if it is proved. The report on it has to fit. */
bool certificate_passes(const struct text *text, const struct check_subject *subject);
/* With one place of the text changed: a digit, a whole number, a character, or a line. */
struct text certificate_mutant(const struct text *text, uint64_t *seed);
/* True if both are the same JSON. */
bool is_same_certificate(const struct text *a, const struct text *b);

#endif
