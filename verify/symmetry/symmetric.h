/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdict on a schedule that looks the same from every rank (ir/symmetry.h), from what rank 0 does, or a
 * representative of each orbit: the others do the same, shifted. A verdict is given only where it is clean:
 * whatever is out of the ordinary, above a limit or not understood is left to verify_schedule, which looks at
 * every rank and has the words for it.
 */
#ifndef COLLC_VERIFY_SYMMETRY_SYMMETRIC_H
#define COLLC_VERIFY_SYMMETRY_SYMMETRIC_H

#include "ir/symmetry.h"
#include "verify/verify.h"

/* Method by which the network was measured. */
enum measured_by {
    MEASURED_NOTHING,  /* there is no topology: only ports */
    MEASURED_CLASSES,  /* shifts of servers are symmetries of the network: one link of a class */
    MEASURED_FLOWS     /* every flow of each unlike step was routed */
};

struct symmetric_argument {
    const char *reason;        /* reason for no verdict: a phrase, static or in the arena of the diagnostics
                                  given; NULL: there is a verdict */
    bool is_of_group;          /* the reason is about this group; another group may do */
    double n_to_route;         /* messages that must be routed one by one; 0: not foreseen */
    uint64_t n_operations;     /* operations of the representatives */
    uint64_t n_runs;           /* runs of like data that their buffers hold at the end */
    bool turns_scratch;        /* scratch was used under several zones, and what it held before was lost */
    enum measured_by measured_by;
    uint64_t n_unlike;         /* steps measured flow by flow; a step like an earlier one is not */
    uint32_t n_server_shifts;  /* coordinates of the servers, with their extents */
    uint32_t server_extent[SHIFTS_MAX];
};

/* True if the schedule has a clean verdict: the report is that of verify_schedule, which would have no
 * finding. False: nothing is known, the report is empty and the argument says why. Requires what
 * symmetry_find claims; compares the operations of the witnesses with what follows from the representatives.
 * Time O(operations of these * log), and flows * hops where those have to be routed; memory O(runs of their
 * data), O(ranks) only where flows are routed. Release the report with verify_report_free. */
bool verify_symmetric(const struct symmetry *symmetry, const struct verify_request *request,
                      struct verify_report *report, struct symmetric_argument *argument);

#endif
