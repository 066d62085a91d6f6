/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flit model a second time: every flit is a record, every router is looked at in every
 * cycle, and what may be sent is found anew each time. For a few messages, times in cycles.
 */
#ifndef COLLC_TESTS_FLIT_NAIVE_H
#define COLLC_TESTS_FLIT_NAIVE_H

#include "simulate/flit.h"

enum { NAIVE_MESSAGES = 64, NAIVE_HOPS = 32 };

struct naive_message {
    uint32_t from, to, source, destination;
    uint64_t time, flits;
    /* filled in; SIMULATE_NEVER: it has not */
    uint64_t left, arrived;
};

/* Sends all of them, in this order where times are equal, until no flit moves. Cycles that it
 * took. Requires links of equal bandwidth, or slower by a power of two, a send order that is not
 * random, and no jitter or limit of a process. */
uint64_t naive_flits(const struct network_model_settings *network,
                     const struct flit_settings *settings, struct naive_message *messages,
                     uint32_t n);

#endif
