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
 * excess.c gathers the values of traffic that are above a limit.
 *
 * None of them decides what is wrong: they offer facts to the rules (rule.h), one in each file
 * that is named by a code.
 */
#ifndef COLLC_VERIFY_INTERNAL_H
#define COLLC_VERIFY_INTERNAL_H

#include "measure/meter.h"
#include "verify/rule.h"

/* events.c: what happens in a step, told to the rules. Every path of the verifier calls these. */
/* Offers a step as it is written, or what representatives do in it, and each operation. */
void events_step(const struct verifier *verifier, const struct step *step);
/* Offers what one rank sends and receives in a step if a receive may meet another operation. True if a rule
 * says that all of it is damaged. */
bool events_posted(const struct verifier *verifier, const struct op *const *ops, size_t n,
                   uint64_t step);
/* Offers a message, where a send meets its receive. */
void events_message(const struct verifier *verifier, const struct op *send, uint64_t send_step,
                    const struct op *receive, uint64_t step);
/* Offers a send and the receive that it meets, or would meet, if their sizes differ. True if they do. */
bool events_unequal(const struct verifier *verifier, const struct op *send, uint64_t send_step,
                    const struct op *receive, uint64_t step);

/* execution.c */
struct execution;
struct execution *execution_new(struct verifier *verifier);
/* True if every message of the step was sent and received in it, and none is left from before. */
bool execution_step(struct execution *execution, const struct step *step);
/* Judges what is left after the last step, then the final data. */
void execution_end(struct execution *execution);
void execution_free(struct execution *execution);

/* Rest of the budget of a request (verify.c). */
struct budget {
    const struct verify_request *request;
    double begin, seen; /* CPU seconds of the process, at the beginning and when the clock was read last */
    uint64_t work;      /* work since then */
};
struct budget budget_begin(const struct verify_request *request);
/* True if it is used up, after so much more work, counted in operations. */
bool budget_is_over(struct budget *budget, uint64_t work);

/* Adds the figures of a step to the report, and counts it if it is one of communication; keeps the record, of
 * which there is room for *capacity (verify.c). */
void verify_add_step(struct verify_report *report, const struct step *step,
                     const struct step_record *record);
/* Notes the value of a step (worst.c). True if no step was as bad before; its line is to be found then. */
bool worst_raise(struct worst *worst, uint64_t step, uint32_t value, uint32_t subject);
/* Raises the figures to the load of a link over all steps; links come in their order. */
void worst_raise_total(struct verify_report *report, uint32_t link, uint64_t load);
/* Does the same by bytes over the bandwidth of the link. */
void worst_raise_bytes(struct verify_report *report, const struct topology *topology, uint32_t link,
                       uint64_t bytes);
/* Messages that a line sends. */
struct line_count {
    uint32_t line;
    uint64_t n;
};
/* Returns the line that sends most, the first of these; 0: none does. Reorders them. O(n log n). */
uint32_t worst_line(struct line_count *counts, size_t n);
/* Returns the line of all these sends, if it is one; *is_one: it is. */
uint32_t worst_only_line(const struct op *sends, size_t n, bool *is_one);
/* True if every figure is below its limit, and not so near that summing in another order might exceed it. */
bool verify_is_within(const struct verify_limits *limits, const struct verify_report *report);
/* Compares the load of links with the lower bound, where one is known. */
void verify_compare_least(struct verify_report *report, const struct least_load *least);
void verify_keep_record(struct verify_report *report, size_t *capacity, uint64_t step,
                        const struct step_record *record);

/* Work of one of several processes (parts.c). */
struct part;
struct verify_share;
struct verify_others;
struct part *part_new(struct schedule *schedule, const struct verify_request *request,
                      const struct verify_share *share);
/* Does the step if it is the part's own: measures it, and carries it out if it is independent. False: the
 * parts are lost. */
bool part_step(struct part *part, const struct step *step);
/* Does all steps; part 0 looks at the others now and then. False: the parts are lost. */
bool part_run(struct part *part, const struct verify_others *others);
/* Appends its result to `out`. False: the parts are lost. */
bool part_give(struct part *part, struct text *out);
/* Returns its data, of independent steps. */
const struct data *part_data(const struct part *part);
/* Returns the number of steps of the schedule. */
uint64_t part_n_steps(const struct part *part);
void part_free(struct part *part);
enum { LOOK = 16 }; /* steps until part 0 asks whether the others are still of use */
/* Figures that are kept of a step. */
struct kept {
    uint64_t step;
    struct step_record record;
};
/* Adds the results of the parts, of so many steps in all, to the report of part 0, which has room for their
 * records (parts_sum.c). own: what part 0 did, NULL: nothing. False: a part is lost, or a figure is above its
 * limit, or of independent steps the result is not complete. */
bool verify_add_parts(struct verify_report *report, const struct verify_request *request,
                      const struct verify_others *others, struct part *own, uint64_t n_steps);

/* Returns the record of a step in which so many messages move. */
static inline struct step_record step_record_of(const struct step_figures *figures, uint64_t n_messages)
{
    return (struct step_record){.n_messages = n_messages,
                                .max_link_load = figures->max_link_load,
                                .max_fan_in = figures->max_fan_in,
                                .max_fan_out = figures->max_fan_out,
                                .max_sends = figures->max_sends,
                                .is_contended = figures->is_contended,
                                .hol_slowdown = figures->hol_slowdown};
}

/* traffic.c */
struct traffic;
struct traffic *traffic_new(struct verifier *verifier);
/* Measures one step into the record. is_closed: the result of execution_step. In a closed step each send may
 * count as several equal messages: times, or NULL. */
void traffic_step(struct traffic *traffic, const struct step *step, const uint32_t *times, bool is_closed,
                  struct step_record *record);
/* Adds the loads of a closed step that was measured before to those over all steps, n_steps times. */
void traffic_repeat(struct traffic *traffic, const struct step *step, const uint32_t *times,
                    uint64_t n_steps);
/* Takes the loads so far over all steps so many times; where no steps are remembered, as there is a limit.
 * O(links) */
void traffic_multiply(struct traffic *traffic, uint64_t times);
/* Reports the busiest link over all steps; nothing without a topology. O(links) */
void traffic_report_total(struct traffic *traffic, struct verify_report *report);
/* After the last step: tells the rules what is above a limit. Produces the steps once more if something
 * is. */
void traffic_end(struct traffic *traffic);
void traffic_free(struct traffic *traffic);

/* timing.c: of a schedule with times; NULL, and nothing is done, of others. */
struct timing;
struct timing *timing_new(struct verifier *verifier);
void timing_step(struct timing *timing, const struct step *step);
/* After the last step: messages, and what links carry. */
void timing_end(struct timing *timing);
void timing_free(struct timing *timing);

/* Load of steps first .. last on the network: one step, or, where ranks drift, a window of several. */
struct loads {
    uint64_t first, last;
    bool is_window;     /* each of the steps was measured before, by itself */
    bool is_widest;     /* no window is wider: limits on what may meet are judged here */
    const struct step_figures *figures;
    const struct meter *meter; /* has what lies on links, ports and servers */
};

/* excess.c: what is above a limit, by link, port and machine. */
struct excess;
struct excess *excess_new(struct verifier *verifier);
/* Records what `measure` found, and a whole step. */
void excess_measure(struct excess *excess, const struct loads *loads);
void excess_step(struct excess *excess, const struct step *step, const struct step_record *record);
/* After the last step. True if something is to be reported for which the steps must be measured
 * once more, as before and with excess_sends; excess_report then tells the rules. */
bool excess_end(struct excess *excess, const uint64_t *total_load);
/* The second time: the messages that move in a step, and where one of them goes. */
struct route_of {
    uint32_t source, destination; /* servers */
    size_t source_port, destination_port;
    const struct hop *hops;       /* those that carry load */
    uint32_t n_hops;
};
bool excess_wants_sends(struct excess *excess, uint64_t step);
void excess_send(struct excess *excess, const struct op *send, const struct route_of *route);
void excess_report(struct excess *excess);
void excess_free(struct excess *excess);

/* trace.c: produces the steps once more, if a finding asked for that (finding_trace). */
void trace_run(struct verifier *verifier);
/* Frees what findings asked for, if the steps are not produced again. */
void trace_free(struct verifier *verifier);

#endif
