/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the verifier. One loop over the steps (verify.c) feeds three engines:
 *
 *   execution   runs the ranks with rendezvous sends, matches messages, moves
 *               data (data.c); what is left over at the end is looked at in stuck.c
 *   traffic     measures what each step puts on links, machines and ports
 *
 *   timing      compares the times of a schedule that has some with what it does
 *
 * None decides what is wrong: they offer facts to the rules (rule.h), one in each file
 * that is named by a code.
 */
#ifndef COLLC_VERIFY_INTERNAL_H
#define COLLC_VERIFY_INTERNAL_H

#include "verify/rule.h"

/* execution.c */
struct execution;
struct execution *execution_new(struct verifier *verifier);
/* True if every message of the step was sent and received in it, and none is left from before. */
bool execution_step(struct execution *execution, const struct step *step);
/* After the last step: leftovers, then the final data. */
void execution_end(struct execution *execution);
void execution_free(struct execution *execution);

/* traffic.c */
struct traffic;
struct traffic *traffic_new(struct verifier *verifier);
/* Measures one step into the record. is_closed: as execution_step says of it. */
void traffic_step(struct traffic *traffic, const struct step *step, bool is_closed,
                  struct step_record *record);
void traffic_end(struct traffic *traffic);
void traffic_free(struct traffic *traffic);

/* timing.c: of a schedule with times; NULL, and nothing is done, of others. */
struct timing;
struct timing *timing_new(struct verifier *verifier);
void timing_step(struct timing *timing, const struct step *step);
/* After the last step: messages, and what links carry. */
void timing_end(struct timing *timing);
void timing_free(struct timing *timing);

/* trace.c: produces the steps once more, if a finding asked for that (finding_trace). */
void trace_run(struct verifier *verifier);

#endif
