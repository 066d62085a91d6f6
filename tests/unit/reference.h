/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reference verifier: the meaning of a schedule (ir/schedule.h) written a
 * second time, as plainly as possible, so that the engine in verify/ has
 * something to be compared with. It expands the whole schedule, keeps every
 * chunk of every rank in a table, and moves ranks until nothing moves. It
 * shares no code with verify/; only the words of its header.
 *
 * Its choices, in cases in which the engine may say the same thing in another place:
 *   M001 at the send, M002 and M003 at the receive; one finding per operation, whether or not
 *   it is ever carried out
 *   D001 at the lowest rank of each group of ranks that wait for each other
 *   R002..R005, and R006 of a reduce or of an input that in place is gone, at the
 *   operation, once per operation
 *   R001 and R006 at the end: once per rank, step -1
 *   P001, L001, H001 once per step, L002 at the send, in the step in which its message moves
 * A schedule with an M or D finding has no R findings. What a rank sends and receives in a step
 * with R005, what a local operation with R005 writes and what is combined with R003 or R006 is not
 * known from then on, and nothing more is said of it.
 */
#ifndef COLLC_TESTS_REFERENCE_H
#define COLLC_TESTS_REFERENCE_H

#include "verify/verify.h"

enum { REFERENCE_MAX_RANKS = 256 };

struct reference_finding {
    uint32_t code;
    int64_t rank, peer, step; /* -1: does not apply */
};

/* A message on the network. */
struct reference_move {
    struct op send;
    uint64_t step;
};

struct reference {
    struct reference_finding *findings; /* sorted, no two equal */
    size_t n_findings, capacity;
    struct reference_move *moves;       /* by step */
    size_t n_moves;
    struct verify_report report;        /* all but eager_*; per_step and link_load kept */
    bool in_cycle[REFERENCE_MAX_RANKS]; /* rank waits in a D001 group */
    uint64_t stopped_at[REFERENCE_MAX_RANKS]; /* step a rank never left; n of steps if none */
};

/* Verifies `schedule`, rewinding it first. False if producing a step failed or
 * the schedule has more ranks than REFERENCE_MAX_RANKS. Release with
 * reference_free, also after false. */
bool reference_verify(struct schedule *schedule, const struct verify_request *request,
                      struct reference *result);
void reference_free(struct reference *result);
/* Carries out a schedule that is right on floats: contribution[rank] is what each rank has in all its chunks,
 * and sums[rank * segments + segment], of the caller, gets what each rank then has in the block of its
 * result. False as before. */
bool reference_sum(struct schedule *schedule, const double *contribution, double *sums);

/* True if it knows the rule. A finding by another rule is the engine's word alone. */
bool reference_knows(uint32_t code);

/* Parts of reference_verify. Adds a finding unless an equal one is there. */
bool has_code(const struct reference *result, uint32_t code);
void reference_add(struct reference *result, struct reference_finding finding);
/* Fills in the numbers; requires the moves, n_steps and n_records. */
void reference_measure(struct schedule *schedule, const struct verify_request *request,
                       struct reference *result);

#endif
