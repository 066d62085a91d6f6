/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the method `fit`: messages, their needs, and a table of steps in which they are placed.
 *
 * A message needs *places* in its step: one on each link of its route, one of its sender, one of its
 * receiver. A link has as many places in a step as messages that it passes while the slowest link passes
 * one; a rank as many as its machine has links for each of its ranks, at least one.
 */
#ifndef COLLC_SYNTH_FIT_H
#define COLLC_SYNTH_FIT_H

#include "synth/method.h"

#define FIT_NOWHERE UINT32_MAX

struct fit_message {
    uint32_t from, to; /* ranks */
    uint32_t step;     /* or FIT_NOWHERE */
    uint32_t n_moved;  /* times that it was evicted from a step */
    size_t needs;      /* first of its resources in fit.needs; they end at those of the next message */
};

/* Resources are links, then ranks as senders, then ranks as receivers. */
struct fit {
    const struct synth_request *request;
    uint32_t n_resources;
    uint32_t *room;        /* [resource] places in a step */
    uint32_t least;        /* steps that the busiest resource needs */
    bool is_unequal;       /* messages differ in size, and stay where they fit first */
    struct fit_message *messages; /* [n + 1], the last one marks the end of the needs */
    size_t n;
    uint32_t *needs;
};

/* Gives every message a step: in the order of the list the first one with all its places, of `least` steps.
 * A message without one evicts others, those that were evicted least often. If messages are left after
 * `effort` evictions, there are some steps more, and so on. Returns false if the table would take too much
 * memory. Time O(messages * needs * steps / 64 + evictions * needs), memory O(places of all steps). */
bool fit_place(struct fit *fit, uint64_t effort, struct text *problem);

#endif
