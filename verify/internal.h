/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the verifier. One loop over the steps (verify.c) feeds two engines:
 *
 *   execution   runs the ranks with rendezvous sends, matches messages, moves
 *               data (data.c); what is left over at the end is judged in stuck.c
 *   traffic     measures what each step puts on links, machines and ports
 *
 * Neither decides what is wrong: that is one function per rule, in the file
 * named by its code.
 */
#ifndef COLLC_VERIFY_INTERNAL_H
#define COLLC_VERIFY_INTERNAL_H

#include "verify/values.h"
#include "verify/verify.h"

struct traced;
struct flow; /* ir/flows.h */

struct verifier {
    struct schedule *schedule;
    const struct verify_request *request;
    struct verify_report *report;
    struct diagnostics *diagnostics;
    uint32_t n_ranks;
    struct traced **trace; /* [rank] see trace_chunk; NULL: none */
};

/* A growing list of runs: what messages carry. `first` counts from the
 * message's first chunk. */
struct run_list {
    struct run *runs;
    size_t n, capacity;
};

/* data.c: what every chunk of every rank holds. */
struct data {
    struct verifier *verifier;
    const struct schedule_header *header;
    struct chunk_map *maps[N_BUFFERS]; /* [rank]; NULL for `in`, which never changes */
    struct rank_sets sets;
    bool is_barrier; /* every message carries the ranks its sender knows of */
    bool has_in_place; /* a chunk of `in` is one of `out` under MPI_IN_PLACE, at some rank */
    uint64_t n_in;     /* chunks of `in` */
    bool is_started;
};
void data_init(struct data *data, struct verifier *verifier);
/* Puts the data that MPI gives where it is before the call. `step` is the first
 * step, NULL if there is none: sets of contributions are ordered by it. */
void data_start(struct data *data, const struct step *step);
void data_free(struct data *data);
/* Appends what the chunks of a send or copy hold; poison (and R004) where they
 * hold nothing. */
void data_read(struct data *data, const struct op *op, uint64_t step, struct run_list *list);
/* What a receive, reduce or the writing half of a copy does to its chunks. */
void data_write(struct data *data, const struct op *op, uint64_t step, const struct run *runs,
                size_t n);
/* What a receive or reduce does to its chunks when `send` sends chunks of `in`,
 * which never change and need not be kept from the start of the step. */
void data_write_in(struct data *data, const struct op *op, uint64_t step, const struct op *send);
/* R006 if `op`, which reads `in`, would read something else under MPI_IN_PLACE. data_read
 * checks that as well. */
void data_check_in_place(struct data *data, const struct op *op, uint64_t step);
/* A local copy: reads, then writes. `list` is scratch. */
void data_copy(struct data *data, const struct op *op, uint64_t step, struct run_list *list);
/* What MPI requires in chunks chunk, chunk+1 ... of a buffer at the end, with n
 * up to the end of the buffer. False if nothing is required there. */
bool data_required(const struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk,
                   struct run *required);
/* True if the first chunk of both holds the same. */
bool same_value(const struct run *a, const struct run *b);

/* execution.c */
struct execution;
struct execution *execution_new(struct verifier *verifier);
void execution_step(struct execution *execution, const struct step *step);
/* After the last step: leftovers, then the final data. */
void execution_end(struct execution *execution);
void execution_free(struct execution *execution);

/* traffic.c */
struct traffic;
struct traffic *traffic_new(struct verifier *verifier);
/* Measures one step into the record and judges the limits. */
void traffic_step(struct traffic *traffic, const struct step *step, struct step_record *record);
void traffic_end(struct traffic *traffic);
void traffic_free(struct traffic *traffic);

/* trace.c: names the operation that wrote a chunk last in a finding about it. */
void trace_chunk(struct verifier *verifier, struct diagnostic *finding, uint32_t rank,
                 enum buffer buffer, uint32_t chunk);
/* Produces the steps once more, if any chunk is traced. */
void trace_run(struct verifier *verifier);
void trace_free(struct verifier *verifier);

/* The rules. `op` is the operation in question; step and peer as in the place. */
void rule_M001(struct verifier *verifier, const struct op *send, uint64_t step);
void rule_M002(struct verifier *verifier, const struct op *receive, uint64_t step);
bool rule_M003(struct verifier *verifier, const struct op *send, uint64_t send_step,
               const struct op *receive, uint64_t step); /* true: sizes agree */
/* A wait cycle: operation k waits for rank op[k+1 mod n].rank to reach step reach[k]. */
struct wait {
    const struct op *op;
    uint64_t step;  /* in which it waits */
    uint64_t reach; /* step in which the peer has the counterpart */
};
void rule_D001(struct verifier *verifier, const struct wait *cycle, size_t n);
/* The first of so many operations that wait. */
void rule_D002(struct verifier *verifier, const struct op *op, uint64_t step, size_t n_waiting);
void rule_R001_R006(struct data *data); /* both judge the final data: see R001.c and R006.c */
void rule_R001_absent(struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk,
                      uint64_t n);
void rule_R001_partial(struct data *data, uint32_t rank, enum buffer buffer,
                       const struct run *holds, uint64_t required);
void rule_R002(struct data *data, const struct op *op, uint64_t step, uint32_t chunk);
void rule_R003(struct data *data, const struct op *op, uint64_t step, const struct run *held,
               const struct run *incoming); /* first chunks of both */
/* Judges the same two: the left operand is what comes in. */
void rule_R007(struct data *data, const struct op *op, uint64_t step, const struct run *held,
               const struct run *incoming);
void rule_R004(struct data *data, const struct op *op, uint64_t step, uint32_t chunk);
/* Judges chunks about to be written, or combined into, where counts are unequal. */
void rule_R008(struct data *data, const struct op *op, uint64_t step, const struct run *run);
/* All receives and sends of one rank in one step; scratch may be reordered. */
void rule_R005(struct verifier *verifier, const struct op **ops, size_t n, uint64_t step);
/* op is the reduce that combined two data, or NULL at the end of the schedule. */
void rule_R006(struct data *data, uint32_t rank, const struct op *op, uint64_t step,
               enum buffer buffer, uint32_t chunk, const struct run *holds);
/* At the end: contributions that do not belong to the result. */
void rule_R006_extra(struct data *data, uint32_t rank, enum buffer buffer,
                     const struct run *holds, uint64_t required);
void rule_R006_in_place(struct data *data, const struct op *op, uint64_t step, uint32_t segment);
void rule_P001(struct verifier *verifier, uint32_t server, bool sends, uint32_t n, uint64_t step);
/* Loads of the steps first_step .. step together. */
void rule_L001(struct verifier *verifier, uint32_t link, uint32_t load, uint64_t first_step,
               uint64_t step);
void rule_L002(struct verifier *verifier, const struct flow *flow, uint64_t step);
/* `network`: as in schedule_networks. */
void rule_L003(struct verifier *verifier, const struct op *send, uint32_t network, uint64_t step);
void rule_H001(struct verifier *verifier, uint32_t server, uint32_t fan_in, uint64_t first_step,
               uint64_t step);

/* How findings speak (names.c). */
/* "step 3" or "steps 3..5". */
const char *steps_text(const struct verifier *verifier, uint64_t first, uint64_t last);
/* Says which rank, with whom if it is a message, and in which step. */
void place_at_op(struct diagnostic *finding, const struct op *op, uint64_t step);
/* " from rank 3"; nothing for a local operation. */
const char *from_text(const struct verifier *verifier, const struct op *op);
/* For findings about no single operation: the source without a line. */
struct position whole_schedule(const struct verifier *verifier);
uint32_t server_machine(const struct verifier *verifier, uint32_t server);
const char *machine_name(const struct verifier *verifier, uint32_t server);
const char *datum_text(const struct data *data, uint64_t datum); /* "chunk 3 of rank 1" */

#endif
