/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types and functions that the files of shifted_traffic.h share.
 */
#ifndef COLLC_VERIFY_SYMMETRY_SHIFTED_INTERNAL_H
#define COLLC_VERIFY_SYMMETRY_SHIFTED_INTERNAL_H

#include "measure/alike_meter.h"
#include "verify/symmetry/shifted_traffic.h"

/* Equal consecutive messages of a representative. */
struct shifted_send {
    uint32_t rank, peer, n_chunks, line;
    uint32_t times;
};

/* Messages of the representatives in a step. */
struct shifted_sends {
    struct shifted_send *items;
    size_t n, capacity;
};

/* Steps in which representatives send as much to the same ranks in the same order. */
struct unlike {
    uint64_t hash, n_more; /* n_more: later steps like it */
    size_t first;          /* of its sends */
    uint32_t n;
    struct step_record record;
    uint64_t units;        /* chunks on the busiest link */
};

struct shifted_traffic {
    const struct symmetry *symmetry;
    struct verify_report *report;
    struct verify_request request; /* without limits */
    enum measured_by measured_by;
    struct alike_meter meter;      /* unless measured by flows */
    struct shifted_sends own;      /* sends of the current step */
    struct shifted_sends worst;    /* sends of the step with the busiest link */
    struct line_count *lines;
    size_t line_capacity;
    /* by flows */
    struct verifier deaf;
    struct verify_report unread;
    struct traffic *traffic;
    struct verifier deaf_to_each; /* the same for steps whose sends count once each */
    struct verify_report of_each;
    struct traffic *each;         /* NULL: not needed so far */
    struct op *sends;
    uint32_t *times;
    size_t send_capacity, time_capacity;
    struct unlike *unlike;
    size_t n_unlike, unlike_capacity;
    uint32_t *table; /* open addressing: index of unlike + 1 */
    size_t table_size;
    struct shifted_sends kept; /* of unlike steps */
    bool is_above;             /* more messages in a step than are counted */
    uint64_t n_measured, n_routed; /* steps, and messages of them, or pieces */
    double n_foreseen;         /* messages to route; 0: not asked for */
    size_t records_capacity;
};

/* Makes the flows that shifts of n sends of representatives bring to a server, in traffic->meter.flows. */
void shifted_gather_flows(struct shifted_traffic *traffic, const struct shifted_send *sends, size_t n);
/* Appends sends to others. */
void shifted_append_sends(struct shifted_sends *to, const struct shifted_sends *sends);

/* True if the kept sends are those of a step, apart from lines, which do not matter to the network. */
bool shifted_is_same(const struct shifted_send *kept, size_t n, const struct shifted_sends *own);
/* Adds the load of the busiest link of a step to the report, where that is asked for. */
void shifted_add_units(struct shifted_traffic *traffic, uint64_t chunks);

/* Measures the flows of a step of all ranks, unless an earlier step had them; at the end, adds the loads of
 * the steps that were not measured to those of all steps (shifted_flows.c). */
void shifted_measure_flows(struct shifted_traffic *traffic, uint64_t step, struct step_record *record);
void shifted_repeat_flows(struct shifted_traffic *traffic);
/* True if there is a budget and so many messages cannot be routed in so many seconds. */
bool shifted_is_over_budget(const struct shifted_traffic *traffic, double n_messages, double seconds);

/* Remembers the step if something is worse than before; at the end, by classes only, names the link with the
 * most in all steps, and then that with the most in the step, whose loads replace those of all steps
 * (shifted_worst.c). */
void shifted_find_worst(struct shifted_traffic *traffic, uint64_t step, const struct step_record *record);
void shifted_report_total(struct shifted_traffic *traffic);
void shifted_name_worst(struct shifted_traffic *traffic);

#endif
