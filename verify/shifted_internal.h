/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of shifted_traffic.h share.
 */
#ifndef COLLC_VERIFY_SHIFTED_INTERNAL_H
#define COLLC_VERIFY_SHIFTED_INTERNAL_H

#include "verify/shifted_traffic.h"

/* Servers as points of coordinates: a shift of ranks that is one of whole servers shifts them. */
struct server_shifts {
    struct shifts shifts; /* of servers */
    uint32_t slots;       /* ranks first .. first+slots-1 are on a server */
    uint32_t per_orbit;   /* ranks of an orbit on a server */
    bool is_split;        /* a coordinate of the ranks goes over servers and slots */
};

/* Messages from a server to that `offset` away. */
struct offset_flow {
    uint32_t offset, n_messages;
    uint64_t n_chunks;
};

/* What a flow puts on each link of some positions of a class. */
struct piece {
    uint32_t begin, end, next; /* next of the class: index + 1 */
    uint32_t start;
    bool is_shared;            /* by several servers */
    size_t totals;             /* of its class */
    uint64_t load, chunks;
};

/* A position from which on a piece counts, or does no longer. */
struct edge {
    uint32_t position;
    bool is_end;
    const struct piece *piece;
};

/* Messages alike of a representative, one after the other. */
struct shifted_send {
    uint32_t rank, peer, n_chunks, line;
    uint32_t times;
};

/* What representatives send in a step. */
struct shifted_sends {
    struct shifted_send *items;
    size_t n, capacity;
};

/* Steps in which representatives send as much to the same ranks in the same order. */
struct unlike {
    uint64_t hash, n_more; /* n_more: later ones that are like it */
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
    /* by classes */
    struct server_shifts servers;
    bool is_free;                  /* of topology_has_shifts */
    struct offset_flow *flows;
    size_t n_flows, flow_capacity;
    uint32_t *messages;            /* [flow] */
    size_t message_capacity;
    struct machine_shifts machines;
    uint32_t machine_extent[SHIFTS_MAX];
    struct class_load {
        uint32_t first, last;      /* of its pieces in a step: index + 1 */
        size_t totals;             /* where those of its positions begin */
        uint32_t offset;           /* of the last flow that was on some of its links */
    } *classes;
    int64_t *totals;               /* of all steps, at each position: how much more than at the one before; at
                                      the end how much */
    size_t n_totals;
    uint32_t n_classes;
    struct shifted_sends own;      /* of the step that is looked at */
    struct shifted_sends worst;    /* of that with the busiest link */
    struct line_count *lines;
    size_t line_capacity;
    uint32_t *touched, n_touched;
    struct class_hops *hops;
    struct piece *pieces;
    size_t n_pieces, piece_capacity;
    /* the last step: what representatives sent, and how many steps since sent the same */
    struct shifted_sends last;
    struct step_record last_record;
    uint64_t last_units, n_more;
    struct edge *edges;
    size_t edge_capacity;
    struct hol *hol;
    /* by flows */
    struct verifier deaf;
    struct verify_report unread;
    struct traffic *traffic;
    struct verifier deaf_to_each; /* the same of steps whose sends count once each */
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
    double n_foreseen;         /* messages to route; 0: it was not asked how many */
    size_t records_capacity;
};

/* Adds a flow; nothing if it stays on its server. */
void shifted_add_flow(struct shifted_traffic *traffic, uint32_t offset, uint32_t n_messages,
                      uint32_t n_chunks);
/* Adds to the flows what the shifts of a send of a representative bring to a server; makes the flows
 * those of a step of representatives, each offset once. */
void shifted_add_send(struct shifted_traffic *traffic, const struct shifted_send *send);
void shifted_gather_flows(struct shifted_traffic *traffic, const struct shifted_sends *own);
/* Appends sends to others. */
void shifted_append_sends(struct shifted_sends *to, const struct shifted_sends *sends);

/* Whether kept sends are those of a step: lines apart, which do not matter to the network. */
bool shifted_is_same(const struct shifted_send *kept, size_t n, const struct shifted_sends *own);
/* Adds to the report what the busiest link of a step carries, where that is asked for. */
void shifted_add_units(struct shifted_traffic *traffic, uint64_t chunks);

/* shifted_flows.c: measures the flows of a step of all ranks, unless an earlier one had them; at the end,
 * adds the loads of those that were not measured to those of all steps. */
void shifted_measure_flows(struct shifted_traffic *traffic, uint64_t step, struct step_record *record);
void shifted_repeat_flows(struct shifted_traffic *traffic);
/* Whether so many messages are more than can be routed in so many seconds, if there is a budget. */
bool shifted_is_over_budget(const struct shifted_traffic *traffic, double n_messages, double seconds);

/* shifted_worst.c: remembers the step if something is worse than before; at the end, names its link, and that
 * with the most in all steps. The last two: by classes only. */
void shifted_find_worst(struct shifted_traffic *traffic, uint64_t step, const struct step_record *record);
void shifted_name_worst(struct shifted_traffic *traffic);
void shifted_report_total(struct shifted_traffic *traffic);

#endif
