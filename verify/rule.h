/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interface of rules. The engines find out what happens when a schedule runs and offer it as *facts*
 * (facts.def). A rule looks at the facts that it asks for, decides whether something is wrong, and says
 * so. All of that is in its file verify/CODE.c, for example in verify/R004.c:
 *
 *     static bool judge_absent(const struct judge *judge, const struct fact_absent *fact) { ... }
 *     const struct rule rule_R004 = {.by_representatives = true, .absent = judge_absent};
 *
 * and its line in codes.def is all that makes it known: the list of rules is made from there
 * (rules.c), and so is what its findings mean for the verdict, by the rule's family. A rule keeps
 * no state and knows of no other rule.
 *
 * A rule sees every rank, every copy and every step in one process, unless it says that
 * representatives are enough for it (`by_representatives`). A new fact is a line in facts.def, its
 * struct below, and a call of offer_NAME where it is born, in code that every path runs: events.c
 * for what happens in a step, data.c for data. tests/unit/test_paths.c plants a rule for each fact and
 * asks on all paths.
 *
 * A rule's function returns true if the data in question can no longer be trusted. The engine then
 * takes them for damaged, and their consequences are no findings: one cause is one finding. For facts
 * without data the answer makes no difference.
 */
#ifndef COLLC_VERIFY_RULE_H
#define COLLC_VERIFY_RULE_H

#include "measure/flows.h"
#include "verify/agreement.h"
#include "verify/data.h"
#include "verify/verify.h"

struct traced;

/* State of a rule that judges: the verifier, read only, and the code of the rule. */
struct judge {
    struct verifier *verifier;
    uint32_t code;
};

/* ---- the schedule as it is written ---- */

/* Every step, idle ones too, before anything is done in it. A rule that judges by representatives may get
 * only their operations of a step, and rows of copies (OP_COPIES). */
struct fact_step {
    const struct step *step;
};

/* Every operation, before anything is done in its step: copies and combinations, sends, receives. */
struct fact_op {
    const struct op *op;
    uint64_t step;
};

/* ---- execution ---- */

/* Every send with the receive that it meets, before data moves. */
struct fact_message {
    const struct op *send, *receive;
    uint64_t send_step, step;
};

/* Sends and receives of one rank in a step, in the order of the program, where it has two receives or more,
 * or receives into a buffer that it sends from; in place `in` may be part of `out`. */
struct fact_posted {
    const struct op *const *ops;
    size_t n;
    uint64_t step;
};

/* Every copy and combination within a rank, before it is done. Only the first of a row of copies (struct
 * copy_row): if copies have several chunks, all have the same distance to their target. */
struct fact_local {
    const struct op *op;
    uint64_t step;
};

/* A send and the receive that it meets, or would meet, in their steps, if their numbers of chunks differ. */
struct fact_unequal {
    const struct op *send, *receive;
    uint64_t send_step, step;
};

/* A send or receive that has no counterpart. */
struct fact_unmatched {
    const struct op *op;
    uint64_t step;
};

/* Operation k waits in a step for rank op[k+1 mod n].rank to reach the step `reach`. */
struct wait {
    const struct op *op;
    uint64_t step, reach;
};
struct fact_cycle {
    const struct wait *waits;
    size_t n;
};

/* First of more waiting operations than are kept: */
struct fact_unjudged {
    const struct op *op;
    uint64_t step;
    size_t n_waiting, limit;
};

/* ---- data ---- */

/* First chunk that an operation reads, or combines into, though nothing is there. */
struct fact_absent {
    const struct op *op;
    uint64_t step;
    uint32_t chunk;
};

/* A receive that brings `incoming`, which is not damaged, into chunks of which some hold data, from the run
 * `at` of the map on. */
struct fact_arrival {
    const struct op *op;
    uint64_t step;
    const struct chunk_map *map;
    struct run_at at;
    const struct run *incoming;
};

/* Every reduction or combination of `incoming`, the left operand, into `held`: the same chunks, whose first
 * values represent all. Neither is damaged. */
struct fact_combined {
    const struct op *op;
    uint64_t step;
    const struct run *held, *incoming;
    bool is_shared; /* both have contributions of a rank; of the same datum only */
};

/* Combinations of different data, or of contributions that both have, before they are offered as combined. */
struct fact_mixed {
    const struct fact_combined *combined;
};

/* Data that operations write to chunks, or combine into them, damaged data too. */
struct fact_placed {
    const struct op *op;
    uint64_t step;
    const struct run *run;
};

/* An operation that reads the segments first .. end-1 of a block of `in` that under MPI_IN_PLACE is one of
 * `out`. The blocks begin with the chunks in and out. */
struct fact_aliased {
    const struct op *op;
    uint64_t step, first, end;
    uint32_t in, out;
};

/* Missing result in a buffer at the end: the chunk that `required` begins with and n_absent - 1 others hold
 * nothing (`holds` is NULL); or the first chunk that holds something else than what is required, neither
 * being damaged. */
struct fact_ended {
    uint32_t rank;
    enum buffer buffer;
    const struct run *required, *holds;
    uint64_t n_absent;
};

/* Two ranks that hold the result of a chunk of `buf` by different expressions, at the end, if all data are
 * right. The first chunk, rank 0 and the first rank that differs from it. */
struct fact_disagreed {
    const struct disagreement *found;
    const struct brackets *brackets;
};

/* ---- the network ---- */

/* Messages of a step between machines without a route, or over a network that does not join
 * them. */
struct fact_unrouted {
    const struct flow *flow;
    uint64_t step;
};
struct fact_unjoined {
    const struct op *send;
    uint32_t network; /* as in schedule_networks */
    uint64_t step;
};

/* Quantity with a limit: of each link, of each port of a server on a network, of each server, and of the
 * schedule as a whole. */
enum gauge {
    GAUGE_LINK,    /* messages in a step, or in a window of several */
    GAUGE_TOTAL,   /* messages on a link over all steps */
    GAUGE_FAN_IN,  /* servers that send to a port in a step, or in a window */
    GAUGE_FAN_OUT,
    GAUGE_PORTS,   /* messages that a server sends, or receives, in a step */
    GAUGE_CONTENDED,
    GAUGE_BOUND,   /* what links carry, over the least load */
    GAUGE_HOL,
    GAUGE_STEPS,
    GAUGE_IDLE,
    N_GAUGES
};

/* Operation of a schedule with times whose times are impossible. */
enum mistiming {
    MISTIMED_BACKWARDS, /* it ends before it begins, at `needed` */
    MISTIMED_READ,      /* it reads data that its rank has only from `needed` on */
    MISTIMED_LEFT,      /* its bytes are on the first link only from `needed` on */
    MISTIMED_RECEIVED,  /* the message of `send`, in its step, arrives only at `needed` */
    MISTIMED_LINK       /* the link can have carried it, besides its other load, only by `needed` */
};
struct fact_mistimed {
    const struct op *op;
    uint64_t step;
    enum mistiming mistiming;
    struct op_time time; /* of it */
    uint64_t needed;
    const struct op *send; /* MISTIMED_RECEIVED */
    uint64_t send_step;
    uint32_t link;         /* MISTIMED_LINK */
};

/* Value above its limit. Offered once for each subject, however many steps show it, after the last step; for
 * each gauge the worst first. */
struct fact_excess {
    enum gauge gauge;
    uint32_t subject;    /* link; of fan-in and fan-out server * networks + network; of ports
                            2 * server, and 1 more where it receives */
    double value, limit; /* the value is that of the worst step, or of all steps */
    uint64_t n_left;     /* other subjects of the gauge that are not offered, after the last one */
    const struct step_span *steps; /* steps in which it is above the limit, or counts */
    size_t n_steps;
    struct step_span worst; /* the first step, or window, with the worst value */
    const uint32_t *ranks, *machines; /* senders of what meets in the worst step, ascending */
    size_t n_ranks, n_machines;
    const struct op *send; /* one of their sends, from the line that has most of them; NULL: none is known */
};

/* ---- rules ---- */

struct rule {
    /* True if the rule applies; called once, before the first step. NULL: always. */
    bool (*applies)(const struct verifier *verifier);
    /* True if one fact may stand for several: a rank for those that do the same shifted, the first
     * copy of a row for all of it; and if the rule asks nothing of steps before (parts.h). False:
     * where this rule applies, a verification by symmetry, rows or independent parts gives way. */
    bool by_representatives;
#define FACT(name, kind, file) \
    bool (*name)(const struct judge *judge, const struct fact_##name *fact);
#include "verify/facts.def"
};

enum fact {
#define FACT(name, kind, file) FACT_##name,
#include "verify/facts.def"
    N_FACTS
};

/* Rule that asked for a fact. */
struct subscriber {
    struct judge judge;
    const struct rule *rule;
};
struct subscribers {
    struct subscriber *first;
    size_t n, capacity;
};

struct verifier {
    struct schedule *schedule;
    const struct verify_request *request;
    struct verify_report *report;
    struct diagnostics *diagnostics;
    uint32_t n_ranks;
    const struct data *data;
    struct traced **trace; /* [rank] see trace_chunk; NULL: none */
    struct subscribers asked[N_FACTS];
    bool has_rows;       /* some steps had rows of copies */
    bool is_beyond_rows; /* and one of these cannot be done as a row */
};

/* offer_name(verifier, fact): passes the fact to the rules that asked for it. True if one of them says that
 * the data are damaged. */
#define FACT(name, kind, file)                                                                   \
    static inline bool offer_##name(const struct verifier *verifier,                             \
                                    const struct fact_##name *fact)                              \
    {                                                                                            \
        const struct subscribers *asked = &verifier->asked[FACT_##name];                         \
        bool is_damaged = false;                                                                 \
        for (size_t i = 0; i < asked->n; i++)                                                    \
            is_damaged |= asked->first[i].rule->name(&asked->first[i].judge, fact);              \
        return is_damaged;                                                                       \
    }
#include "verify/facts.def"

/* Finds out which rules apply, and for which facts they ask (rules.c). */
void rules_start(struct verifier *verifier);
void rules_end(struct verifier *verifier);
/* True if a rule that applies has to see every rank, every copy, and every step in one process. */
bool rules_need_all(struct schedule *schedule, const struct verify_request *request);

/* ---- what findings say (finding.c) ---- */

/* Counts a finding and returns true if no more findings of the rule are kept. Call it before building the
 * message, as there may be millions. */
bool finding_is_counted(const struct judge *judge);
/* Does the same as finding_is_counted; counts also where findings without a line are joined by step and the
 * last one of the rule was in that step. */
bool finding_is_joined(const struct judge *judge, uint64_t step);
/* Report a finding. finding_at: about an operation, which gives it rank, peer, step and line. The other:
 * about no single operation; the rule sets its place. */
struct diagnostic *finding_at(const struct judge *judge, const struct op *op, uint64_t step,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
struct diagnostic *finding_of(const struct judge *judge, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes this operation the other place of the finding. */
void finding_relate(const struct judge *judge, struct diagnostic *finding, const struct op *op,
                    const char *text);
/* Sets the ranks and steps of a finding that is about more than its place. Sorts the lists and removes
 * duplicates. */
void finding_set_ranks(const struct judge *judge, struct diagnostic *finding, uint32_t *ranks,
                       size_t n);
void finding_set_steps(const struct judge *judge, struct diagnostic *finding, uint64_t *steps,
                       size_t n);
/* Reports a finding about a value above its limit, at the line that has most of it; with its steps, ranks,
 * machines and what was counted, in `unit`. */
struct diagnostic *finding_of_excess(const struct judge *judge, const struct fact_excess *fact,
                                     const char *unit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Looks for the operation that wrote the chunk of place.rank last: it becomes the place of the finding
 * (trace.c). If that is a receive, `help` is the finding's help, unless it is NULL. */
void finding_trace(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                   uint32_t chunk, const char *help);
/* Looks for the operation of place.peer that replaces the contribution of that rank in its own chunk of
 * `buf`, if the rank has passed nothing of it on before: it becomes the other place of the finding. */
void finding_trace_lost(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                        uint32_t chunk);
/* Looks, for a finding that no operation of place.rank has written, for the last one that wrote to tmp what
 * nothing reads. Ask before the others. */
void finding_trace_unread(const struct judge *judge, struct diagnostic *finding);
/* Does the same as finding_trace for a chunk that nothing wrote: names the operation that wrote the nearest
 * chunk of the buffer of place.rank, the last of equally near ones, if there is one. */
void finding_trace_absent(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                          uint32_t chunk);
/* Looks for what in the step of the operation explains the finding: a message that comes to what it reads
 * only behind it, or another message from the same rank. */
void finding_trace_step(const struct judge *judge, struct diagnostic *finding, const struct op *op,
                        uint64_t step);
/* Looks for the last message that place.rank gets in a barrier: it becomes the place of the finding. */
void finding_trace_word(const struct judge *judge, struct diagnostic *finding);

/* True if the schedule, without findings so far, carries hardly more over all steps than some link must: no
 * algorithm can do much better. Call it after the last step. */
bool is_near_bound(const struct judge *judge);

/* Returns formatted text that lives as long as the findings. */
const char *words(const struct judge *judge, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "step 3" or "steps 3..5". */
const char *words_of_steps(const struct judge *judge, uint64_t first, uint64_t last);
/* Describes a value above its limit. words_up_to: "up to ", if it is not so in one step alone;
 * words_of_excess_steps: "in step 3", or "in 124 steps (3..66, 70..129)"; words_of_senders: the ranks whose
 * messages meet in the worst step, ", from ranks 0, 1 on m0, m1". */
const char *words_up_to(const struct fact_excess *fact);
const char *words_of_excess_steps(const struct judge *judge, const struct fact_excess *fact);
const char *words_of_senders(const struct judge *judge, const struct fact_excess *fact);
/* "'sw0' -> 'm2'" */
const char *words_of_link(const struct judge *judge, uint32_t link);
/* Returns the server of a subject of fan-in, or of fan-out; and, where hosts have several cables, the cable:
 * " over 'sw0' -> 'm2'". */
uint32_t server_of_port(const struct judge *judge, uint32_t port);
const char *words_of_port(const struct judge *judge, uint32_t port, bool is_in);
/* "messages"; or "stripes" where these are cut: they lie on links then. */
const char *words_of_loads(const struct judge *judge);
/* "servers"; or "adapters" where ranks use adapters of their own: they meet at a port then. */
const char *words_of_parties(const struct judge *judge);
bool words_are_adapters(const struct judge *judge);
/* " from rank 3"; nothing for a local operation. */
const char *words_from(const struct judge *judge, const struct op *op);
const char *words_of_machine(const struct judge *judge, uint32_t server);
const char *words_of_datum(const struct judge *judge, uint64_t datum); /* "chunk 3 of rank 1" */

uint32_t server_machine(const struct verifier *verifier, uint32_t server);

#endif
