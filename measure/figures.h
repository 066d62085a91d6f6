/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of a step: what its flows do to links and hosts (meter.h).
 */
#ifndef COLLC_MEASURE_FIGURES_H
#define COLLC_MEASURE_FIGURES_H

#include "measure/transfer.h"

#include <stdbool.h>
#include <stdint.h>

struct step_figures {
    uint32_t max_link_load; /* messages on the busiest link */
    bool is_contended;      /* a link carries messages of two or more servers */
    uint32_t max_fan_in;    /* source servers that send to one port of a server */
    uint32_t max_fan_out;
    uint32_t max_sends, max_received; /* messages that one server puts on the network, or takes from it */
    uint32_t port_messages;           /* the more of both, at one port of a server */
    double hol_slowdown;              /* of the slowest sender (hol.h); 1 without head-of-line blocking */
    uint64_t units;                   /* chunks, or bytes with counts, on the busiest link */
    /* METER_TIMES: */
    uint64_t latency;       /* ns of the longest route; UINT64_MAX: nothing on the network */
    struct transfer link;   /* the busiest one; where routes are adaptive, by the best choices */
    struct transfer worst;  /* the same by the worst choices; nothing where routes are fixed */
    struct transfer sender; /* the first link of the sender blocked longest */
    uint64_t slowdown;      /* slowdown of that sender, in millionths; 1000000: not blocked */
    uint64_t n_crossings;   /* links crossed by messages */
};

/* Returns the figures of a step without flows. */
static inline struct step_figures no_figures(void)
{
    return (struct step_figures){.hol_slowdown = 1, .latency = UINT64_MAX, .slowdown = 1000000};
}

#endif
