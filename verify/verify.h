/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The static verifier: one pass over the steps of a schedule, one step in
 * memory at a time.
 */
#ifndef COLLC_VERIFY_VERIFY_H
#define COLLC_VERIFY_VERIFY_H

#include "base/observer.h"
#include "network/networks.h"
#include "ir/schedule.h"

/* Largest value allowed; zero: measure only. Counts are whole numbers below 2^32. */
struct limit {
    bool is_set;
    double most;
};
static inline struct limit limit_of(double most)
{
    return (struct limit){true, most};
}
struct verify_limits {
#define LIMIT(field, option, kind, needs_network, measured, help) struct limit field;
#include "verify/limits.def"
};
/* True if there is a limit. */
bool verify_has_limits(const struct verify_limits *limits);

/* Lower bound of the load of the busiest link over all steps, for any schedule and any routes. */
struct least_load {
    const char *kind;  /* word for the bound; NULL: none is known */
    double units;      /* chunks, or parts of them, or bytes where the schedule has counts; not 0 */
    const char *routes_kind; /* the same on the routes of the network; NULL: not known, */
    double routes_units;
    const char *routes_missing; /* and the reason why it was not computed; NULL: there is no such bound */
};

/* Messages that were sent over one of several networks. */
struct network_load {
    uint64_t messages, chunks;
};

/* Figures of one step. */
struct step_record {
    uint64_t n_messages;      /* messages that move in it, those to the own rank included (moves.h) */
    uint32_t max_link_load;   /* messages on the busiest link */
    uint32_t max_fan_in;      /* source servers that send to one server */
    uint32_t max_fan_out;
    uint32_t max_sends;       /* messages one machine puts on the network */
    bool is_contended;        /* a link carries messages of two or more servers */
    double hol_slowdown;      /* model of Naruse et al. 2010, section 3.6; 1 without HoL */
};

/* Consecutive steps first .. end-1. */
struct step_range {
    uint64_t first, end;
};
/* Step ranges in ascending order, neighbours joined. */
struct step_ranges {
    struct step_range *items;
    size_t n, capacity;
};

/* Place of a maximum: in the first step with this value, the lowest number that has it, so that all ways of
 * measuring give the same. */
struct worst {
    uint32_t value;    /* 0: there is no place */
    uint32_t subject;  /* a link; or a port: server * ports of a server + network */
    uint32_t line;     /* line of the source that most of it comes from; 0: not known */
    uint64_t step;
    struct step_ranges steps; /* steps with this value, on any link or port */
};

/* Answers to "does a rank wait forever?". */
enum waiting {
    WAITING_UNKNOWN,  /* not judged: sizes differ (M003), or ranks drift too far apart (D002) */
    WAITING_NONE,     /* every rank ends every step, even if each send waits for its receive */
    WAITING_POSSIBLE, /* a rank waits forever if a send waits for its receive (M001, D001) */
    WAITING_CERTAIN   /* a rank waits forever however much is buffered */
};

enum eager {
    EAGER_UNKNOWN, /* nothing waits in a cycle, or it is not known what would come then */
    EAGER_HELPS,
    EAGER_IN_VAIN  /* ranks wait for each other however much is buffered */
};

/* True, false or unknown: all ranks of an allreduce combine the same expression (agreement.h). */
enum agreement_known {
    AGREEMENT_UNKNOWN, /* the collective is another one, or its result is not complete */
    AGREEMENT_YES,
    AGREEMENT_NO
};

struct verify_report {
    uint64_t n_steps;         /* steps of communication: steps in which ranks only copy do not count */
    uint64_t n_messages;      /* messages that are sent: with counts, data of no bytes are not */
    bool is_over_budget;      /* there is no verdict: the budget is, or would be, used up */
    bool is_cut_short;        /* the steps before ranks wait for each other forever; all figures below are of
                                 them */
    uint64_t n_idle;          /* steps of these in which no rank does anything */
    uint64_t n_records;       /* steps up to the last of communication, all counted */
    bool is_matched;          /* no M... finding */
    enum waiting waiting;
    const char *waiting_reason; /* a clause, such as "a rank waits ..."; NULL: not needed, or D001 says it */
    bool is_complete;         /* all final data are in place, once; every message can travel */
    enum agreement_known agreement; /* all ranks combine the result in the same brackets */
    uint64_t n_unrouted;      /* messages that no route or network carries (L002, L003): no load below has
                                 them, and their data do not arrive */
    bool has_network;         /* a topology was given: the link figures below hold */
    uint32_t max_link_load;   /* over links and steps */
    uint64_t max_total_load;  /* messages on the busiest link over all steps */
    uint32_t total_link;      /* lowest link with so many; undefined where there are none */
    uint64_t
        heaviest_bytes; /* with counts: bytes over all steps on the link that takes longest for its own */
    uint32_t heaviest_link;   /* the lowest such link; undefined where there are none */
    uint64_t sum_step_load;   /* sum over steps of the step's max_link_load: the time in
                                 units of one message, when links set it (Takaue et al. 2010, 3.3) */
    uint64_t sum_step_units;  /* the same sum of amounts: chunks, or bytes with counts. Only if a lower bound
                                 is known; saturates */
    uint32_t n_stripes;       /* of a message: loads of links are of stripes, and sum_step_units of parts of
                                 chunks of which so many make one; 1, or 0 without traffic: they are whole */
    double bound_ratio;       /* ratio of that to the lower bound; 0: not known, or messages have no route */
    uint64_t contended_steps;
    uint32_t drift_link_load; /* as max_link_load and max_fan_in, over the drift window */
    uint32_t drift_fan_in;
    uint32_t max_fan_in, max_fan_out;
    uint64_t hol_steps;       /* steps in which messages wait behind others */
    double max_hol_slowdown;
    struct step_ranges hol_ranges; /* steps with head-of-line blocking */
    struct worst worst_link;  /* messages in a step; undefined without a topology */
    struct worst worst_port;  /* servers that send to it in a step */
    uint32_t max_sends, max_received; /* messages that one machine puts on the network, or takes from it */
    enum eager eager;         /* effect of buffers for ranks that wait in a cycle (buffering.c): */
    uint64_t eager_chunks;    /* chunks, or bytes where the schedule has counts, that are enough at each rank,
                                 in whatever order messages come; 0 unless EAGER_HELPS */
    uint64_t eager_chunks_least; /* below this some order ends in a deadlock */
    uint64_t eager_bytes;     /* enough in bytes, if chunk-bytes is known; saturates */
    uint32_t n_networks;      /* networks of the topology; 0: it has one only */
    struct network_load network_load[NETWORKS_MAX]; /* over all steps, messages within a machine
                                                       included */
    struct step_record *per_step; /* n_records records, if asked for */
    uint64_t *link_load;      /* [n_link_ids] messages in total, if asked for */
    uint64_t *link_units;     /* [n_link_ids] chunks in total, with counts bytes, if asked for */
};

struct flows;     /* measure/flows.h */
struct agreement; /* verify/agreement.h */
struct data;      /* verify/data.h */

struct verify_request {
    const struct topology *topology;   /* NULL: no figures of links */
    const struct placement *placement; /* NULL: one rank per server */
    struct verify_limits limits;
    struct least_load least;
    uint32_t drift;         /* steps whose messages may meet because ranks are only locally synchronised; 0
                               and 1: lockstep. Link and fan-in limits are judged on windows of so many
                               steps */
    double budget;          /* seconds of CPU after which it gives up; 0: never */
    struct verify_claims *common; /* claims of processes that share the budget (parts.h); NULL: it is of this
                                     one */
    bool keep_per_step;
    bool keep_link_load;    /* with counts the units, too */
    bool keep_link_units;   /* with the load */
    /* Receives the flows of each step; NULL: not called. */
    void (*watch)(void *context, uint64_t step, const struct flows *flows);
    void *watch_context;
    /* Receives the brackets of a complete result (agreement_expression). NULL: they are kept for an allreduce
     * only. */
    void (*see_brackets)(void *context, const struct agreement *agreement, const struct data *data);
    void *brackets_context;
    struct observer observer; /* observer of the messages that are routed for a verdict by symmetry */
    uint32_t keep_measured; /* number of links, machines and the like above a limit that are listed, the worst
                               of each rule; 0: all. The others are counted */
};

/* Returns sum_step_units in chunks or bytes. */
static inline double verify_sum_units(const struct verify_report *report)
{
    return (double)report->sum_step_units / (report->n_stripes ? report->n_stripes : 1);
}

/* Returns the word for it: "none", "possible", "certain" or "unknown". */
const char *waiting_word(enum waiting waiting);

/* Returns the seconds of CPU that looking at messages one by one takes: 25 ns each and 4 for each link, a
 * rule of thumb from measurements. */
double verify_seconds(const struct topology *topology, double n_messages);
/* Rules of thumb for what that leaves out: seconds of a message of a step that has the flows of an earlier
 * one (measure/seen.h), and of a copy of one chunk apart from others. */
#define VERIFY_REPEATED_SECONDS 40e-9
#define VERIFY_COPY_SECONDS 100e-9
/* Bytes of memory of a message of a step, with both ends, its data and its flow, and of a copy. */
enum { VERIFY_MESSAGE_BYTES = 400, VERIFY_COPY_BYTES = 64 };

/* Runs every rule over the schedule; findings go to `diagnostics`. False if the schedule could not be
 * produced to its end (already reported), or the budget was used up (report->is_over_budget). Cost: time
 * O(messages * hops), memory O(ranks + links + runs of unlike data + operations of ranks that are behind +
 * findings). If a value is above its limit, the steps are produced and measured once more. Release the report
 * with verify_report_free. */
bool verify_schedule(struct schedule *schedule, const struct verify_request *request,
                     struct verify_report *report, struct diagnostics *diagnostics);
void verify_report_free(struct verify_report *report);

#endif
