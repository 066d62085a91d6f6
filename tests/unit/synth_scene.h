/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The places for which schedules are made (networks, ranks on them and counts, drawn by chance or named), and
 * checks that what is made is right.
 */
#ifndef COLLC_TESTS_SYNTH_SCENE_H
#define COLLC_TESTS_SYNTH_SCENE_H

#include "ir/counts.h"
#include "synth/synth.h"
#include "verify/verify.h"

struct synth_scene {
    struct topology *topology;
    struct placement *placement;
    struct counts_runs *counts; /* or NULL */
    struct synth_request request;
};

/* Below n. */
uint32_t synth_random(uint64_t *seed, uint32_t n);
/* A tree of 1 to 6 switches, 1 to 12 machines anywhere on them; with some cables more. */
struct topology *synth_fabric(uint64_t *seed, uint32_t n_more);
/* 1 to `most` ranks on each machine, in random order. */
struct placement *synth_placement(const struct topology *topology, uint32_t most, uint64_t *seed);
/* An all-to-all there, of equal counts; takes both over. */
struct synth_scene synth_scene_of(struct topology *topology, struct placement *placement);
/* The same on a network by its string, with random placement. */
struct synth_scene synth_scene_of_spec(const char *spec, uint32_t most, uint64_t *seed);
void synth_scene_close(struct synth_scene *scene);
/* Verifies what was made; the report is to be freed. */
void synth_expect_right(const struct synth_scene *scene, struct schedule *schedule,
                        struct verify_report *report);
/* The same of the method, which may not refuse. */
struct schedule *synth_make_right(const struct synth_scene *scene, unsigned method,
                                  struct verify_report *report);
/* The method refuses, in these words. */
void synth_expect_refusal(const struct synth_scene *scene, unsigned method, const char *words);
/* Returns the schedule that relays make, verified; NULL: no relay helps. */
struct schedule *synth_make_relays(struct synth_scene *scene, struct verify_report *report);

#endif
