/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flit model of a network: messages are packets, packets are flits, and routers pass on one
 * flit a cycle and link, if the buffer behind the link has room. docs/simulation.md has the rules;
 * in short:
 *
 *   A cycle is the time of one flit on the fastest link. In cycle c a flit may leave a buffer; it
 *   is in the next one from c + router + latency on, and its credit is back from c + credit +
 *   latency on. The sum of the two is the credit round trip: a buffer of so many flits and no
 *   fewer lets a lone packet use all of the link.
 *   A buffer belongs to a virtual channel of a link, is first in first out, and holds flits of
 *   several packets. A packet holds the channel from its head to its tail; it takes one with room
 *   for a flit (wormhole) or for all of it (virtual cut-through).
 *   Crossbars have an input for each virtual channel: links only compete for nothing.
 *
 * The cost is that of the flits that move; what is idle or blocked costs nothing.
 */
#ifndef COLLC_SIMULATE_FLIT_H
#define COLLC_SIMULATE_FLIT_H

#include "simulate/network_model.h"

enum flit_switching { FLIT_WORMHOLE, FLIT_CUT_THROUGH };

/* Which packet a link serves next, of those that can send a flit. */
enum flit_arbitration {
    FLIT_ROUND_ROBIN, /* flit by flit the next, by buffers in turn */
    FLIT_PACKET,      /* the one it served last; if that cannot go on, the next in turn */
    FLIT_AGE          /* the one whose message is oldest */
};

struct flit_settings {
#define FLIT_NUMBER(field, name, least, most, usual, paper, text) uint32_t field;
#define FLIT_WORD(field, value, name, text)
#include "simulate/flit.def"
    enum flit_switching switching;
    enum flit_arbitration arbitration;
};

/* Returns the settings of flit.def with their defaults. */
struct flit_settings flit_defaults(void);
/* Takaue et al. 2010, section 4.1 and table 2; a message of 100 flits is one packet. */
struct flit_settings flit_takaue2010(void);
/* Returns what is wrong with numbers that are in range, a sentence without full stop, or NULL. */
const char *flit_check(const struct flit_settings *settings);
/* Returns the lanes that the routes between some machines use; where routes are adaptive, those that the
 * rule's links may have. There a link has a channel for each and at least one more, for any message. */
uint32_t flit_lanes(const struct topology *topology);
/* Reads "takaue2010,age,buffer=40": the defaults, changed item by item. NULL, or what is wrong, a
 * heap string without full stop. */
char *flit_read(const char *text, struct flit_settings *settings);
/* All of them, as flit_read takes them. */
void flit_print(const struct flit_settings *settings, struct text *out);

/* Return the cycles that have gone by, and the flits that have left a buffer, in a model made by
 * simulate_flit (simulate/models.h), which requires settings that flit_check finds nothing wrong with. */
uint64_t flit_cycles(const struct network_model *model);
uint64_t flit_moves(const struct network_model *model);

#endif
