/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of a host in the host file of an MPI, as "slots=4", or "max_slots = 8"; and what stands behind it in
 * those of batch systems: "4 all.q@node1 UNDEFINED" (PE_HOSTFILE of SGE), "4" (LSB_MCPU_HOSTS of LSF).
 */
#ifndef COLLC_BASE_TEXT_HOSTFILE_H
#define COLLC_BASE_TEXT_HOSTFILE_H

#include "base/text/slice.h"

enum hostfile_option {
    HOSTFILE_END,    /* the line has no more */
    HOSTFILE_COUNT,  /* places for ranks */
    HOSTFILE_OTHER,  /* no matter where ranks are put */
    HOSTFILE_UNKNOWN /* no option */
};

/* Takes an option off the front of the line, and its value, of length 0 without one; `whole` is both. Blanks
 * may stand about the '=', as Open MPI allows. */
enum hostfile_option hostfile_take_option(struct slice *line, struct slice *whole, struct slice *value);

/* True if several hosts are on the line, each with its count, as in LSB_MCPU_HOSTS: "node1 4 node2 2". */
bool hostfile_has_pairs(struct slice line);

#endif
