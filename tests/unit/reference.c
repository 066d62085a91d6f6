/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reference verifier (reference.h): brute force, one idea per function.
 *
 *   load       all operations of all steps, sorted by rank, step, order
 *   pair       k-th send of a pair of ranks with its k-th receive (MPI order)
 *   run        post and finish steps of ranks until nothing moves
 *   end        who waits in a cycle, what is missing or wrong
 *   measure    loads and fan-in step by step, ranks in lockstep (reference_measure.c)
 *
 * Assumes that ranks, peers and chunks of operations are in range, as every
 * producer of schedules promises.
 */
#include "tests/unit/reference_cell.h"

#include "base/codes.h"
#include "ir/counts.h"

#include <stdlib.h>
#include <string.h>

struct item {
    struct op op;
    uint64_t step;
    size_t order;         /* of loading */
    struct item *partner; /* the operation it meets, or NULL */
    struct cell *payload; /* of a send that was posted */
    uint32_t *chunks;     /* [op.n_chunks] sent, received, or read by a local operation */
};

struct run {
    struct schedule *schedule;
    const struct schedule_header *header;
    struct reference *result;
    struct item *items; /* sorted by rank, step, order */
    size_t n_items, capacity;
    uint64_t n_steps;      /* all steps, a last one of copies included */
    size_t *start;         /* [rank * n_steps + step]: its first item; one more at the end */
    struct cell *cells[N_BUFFERS];
    uint64_t n_chunks[N_BUFFERS];
    uint64_t at[REFERENCE_MAX_RANKS];  /* step a rank is in */
    bool is_posted[REFERENCE_MAX_RANKS];
    bool is_muddled[REFERENCE_MAX_RANKS]; /* R005 among what the rank has posted */
    const double *contribution;           /* [rank] floats to sum; NULL: none */
};

/* ---- findings ---- */

bool reference_knows(uint32_t code)
{
    static const uint32_t known[] = {
        CODE_M001, CODE_M002, CODE_M003, CODE_D001, CODE_R001, CODE_R002, CODE_R003, CODE_R004,
        CODE_R005, CODE_R006, CODE_R007, CODE_R008, CODE_R010, CODE_P001, CODE_L001, CODE_L002, CODE_L003,
        CODE_H001, CODE_L004, CODE_L005, CODE_H002, CODE_H003, CODE_C001, CODE_C002};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == code)
            return true;
    return false;
}

static int compare_findings(const void *left, const void *right)
{
    const struct reference_finding *a = left, *b = right;
    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

bool has_code(const struct reference *result, uint32_t code)
{
    for (size_t i = 0; i < result->n_findings; i++)
        if (result->findings[i].code == code)
            return true;
    return false;
}

void reference_add(struct reference *result, struct reference_finding finding)
{
    for (size_t i = 0; i < result->n_findings; i++)
        if (!compare_findings(&result->findings[i], &finding))
            return;
    result->findings = mem_grow(result->findings, &result->capacity, result->n_findings + 1,
                                sizeof *result->findings);
    result->findings[result->n_findings++] = finding;
}

static void add(struct run *run, uint32_t code, int64_t rank, int64_t peer, int64_t step)
{
    reference_add(run->result, (struct reference_finding){code, rank, peer, step});
}

static void add_at(struct run *run, uint32_t code, const struct item *item)
{
    int64_t peer = op_is_local(&item->op) ? -1 : (int64_t)item->op.peer;
    add(run, code, item->op.rank, peer, (int64_t)item->step);
}

static bool has_family(const struct run *run, const char *family)
{
    for (size_t i = 0; i < run->result->n_findings; i++)
        if (!strcmp(code_table[run->result->findings[i].code].family, family))
            return true;
    return false;
}

/* ---- load ---- */

/* The chunks of an operation one by one; those of a set row by row, and range by range in a row. */
static uint32_t *list_chunks(const struct schedule_header *header, const struct op *op)
{
    uint32_t *chunks = mem_alloc((size_t)op->n_chunks + 1, sizeof *chunks), n = 0;
    if (op_is_local(op) || !op->is_set) {
        for (; n < op->n_chunks; n++)
            chunks[n] = op->chunk + n;
        return chunks;
    }
    for (const struct chunk_row *row = header->sets->rows + op->chunk; n < op->n_chunks; row++)
        for (uint32_t k = 0; k < row->n * row->n_chunks; k++)
            chunks[n++] =
                (uint32_t)(row->chunk + (int64_t)row->step * (k / row->n_chunks) + k % row->n_chunks);
    return chunks;
}

static void load_ops(struct run *run, const struct op *ops, size_t n_ops)
{
    run->items =
        mem_grow(run->items, &run->capacity, run->n_items + n_ops + 1, sizeof *run->items);
    for (size_t i = 0; i < n_ops; i++) {
        run->items[run->n_items] = (struct item){.op = ops[i], .step = run->n_steps,
                                                 .order = run->n_items,
                                                 .chunks = list_chunks(run->header, &ops[i])};
        run->n_items++;
    }
}

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->op.rank != b->op.rank)
        return a->op.rank < b->op.rank ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void index_items(struct run *run)
{
    size_t n_entries = (size_t)(run->header->n_ranks * run->n_steps), next = 0;
    qsort(run->items, run->n_items, sizeof *run->items, compare_items);
    run->start = mem_alloc(n_entries + 1, sizeof *run->start);
    for (size_t entry = 0; entry <= n_entries; entry++) {
        while (next < run->n_items &&
               run->items[next].op.rank * run->n_steps + run->items[next].step < entry)
            next++;
        run->start[entry] = next;
    }
}

static bool load(struct run *run)
{
    struct verify_report *report = &run->result->report;
    struct step step;
    run->schedule->rewind(run->schedule);
    if (run->header->sets) /* sizes are asked for at the end */
        run->header->sets->is_kept = true;
    while (run->schedule->next(run->schedule, &step)) {
        load_ops(run, step.copies, step.n_copies);
        load_ops(run, step.sends, step.n_sends);
        load_ops(run, step.receives, step.n_receives);
        run->n_steps++;
        if (step.n_copies && !step.n_sends && !step.n_receives)
            continue; /* no step of communication */
        report->n_steps++;
        report->n_idle += !step.n_copies && !step.n_sends && !step.n_receives;
        report->n_records = run->n_steps;
    }
    if (run->schedule->failed)
        return false;
    if (run->n_items)
        index_items(run);
    return true;
}

/* The items of a rank in a step: [*first, *end). */
static void items_of(const struct run *run, uint32_t rank, uint64_t step, struct item **first,
                     struct item **end)
{
    size_t entry = (size_t)(rank * run->n_steps + step);
    *first = run->items + (run->n_items ? run->start[entry] : 0);
    *end = run->items + (run->n_items ? run->start[entry + 1] : 0);
}

/* ---- pair ---- */

static bool is_receive(const struct item *item)
{
    return item->op.kind == OP_RECV || item->op.kind == OP_REDUCE;
}

static struct item *first_free_receive(const struct run *run, uint32_t rank, uint32_t source)
{
    struct item *item, *end, *unused;
    items_of(run, rank, 0, &item, &unused);
    items_of(run, rank, run->n_steps - 1, &unused, &end);
    for (; item < end; item++)
        if (is_receive(item) && item->op.peer == source && !item->partner)
            return item;
    return NULL;
}

/* Items are in the order in which each rank posts them, so the first receive
 * still free is the one MPI matches (MPI 4.0, section 3.5). */
static void pair(struct run *run)
{
    for (struct item *send = run->items; send < run->items + run->n_items; send++) {
        if (send->op.kind != OP_SEND)
            continue;
        send->partner = first_free_receive(run, send->op.peer, send->op.rank);
        if (!send->partner)
            add_at(run, CODE_M001, send);
        else
            send->partner->partner = send;
    }
    for (struct item *item = run->items; item < run->items + run->n_items; item++)
        if (is_receive(item) && !item->partner)
            add_at(run, CODE_M002, item);
}

/* ---- data ---- */

static struct cell *cell_at(struct run *run, uint32_t rank, uint32_t buffer, uint64_t chunk)
{
    return &run->cells[buffer][rank * run->n_chunks[buffer] + chunk];
}

/* A barrier is an allreduce of one chunk of knowledge. */
static void fill_cells(struct run *run)
{
    for (uint32_t buffer = 0; buffer < N_BUFFERS; buffer++) {
        uint64_t n = schedule_chunks(run->header, (enum buffer)buffer);
        if (run->header->collective == COLLECTIVE_barrier && buffer == BUFFER_BUF)
            n = 1;
        run->n_chunks[buffer] = n;
        run->cells[buffer] = mem_alloc((size_t)(n * run->header->n_ranks + 1), sizeof(struct cell));
        for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
            for (uint64_t chunk = 0; chunk < n; chunk++) {
                struct cell *cell = cell_at(run, rank, buffer, chunk);
                *cell = cell_initial(run->header, rank, buffer, chunk);
                cell->sum = run->contribution ? run->contribution[rank] : 0;
            }
    }
}

/* ---- a rank posts a step ---- */

/* True if chunk `chunk` of `in` is, in place, the rank's own chunk *same of `out`. */
static bool is_in_place(const struct run *run, uint32_t rank, uint64_t chunk, uint64_t *same)
{
    const uint32_t segments = run->header->segments;
    bool is_root = rank == run->header->root;
    if (run->header->collective == COLLECTIVE_scatter) {
        *same = chunk % segments;
        return is_root && chunk / segments == rank;
    }
    *same = (uint64_t)rank * segments + chunk;
    return run->header->collective == COLLECTIVE_allgather ||
           (run->header->collective == COLLECTIVE_gather && is_root);
}

/* True if in place a chunk that is read holds something else by then. */
static bool is_lost_in_place(struct run *run, const struct item *item)
{
    const struct op *op = &item->op;
    bool is_lost = false;
    uint64_t out;
    for (uint32_t i = 0; op->buffer == BUFFER_IN && i < op->n_chunks; i++) {
        const uint64_t chunk = item->chunks[i];
        if (!is_in_place(run, op->rank, chunk, &out))
            continue;
        const struct cell *same = cell_at(run, op->rank, BUFFER_OUT, out);
        const struct cell *own = cell_at(run, op->rank, BUFFER_IN, chunk);
        is_lost |= same->state == VALUE && same->datum != own->datum;
    }
    return is_lost;
}

/* A copy of what the item reads; what is not there becomes poison. */
static struct cell *read_cells(struct run *run, const struct item *item)
{
    struct cell *payload = mem_alloc(item->op.n_chunks + 1, sizeof *payload);
    bool is_missing = false;
    for (uint32_t i = 0; i < item->op.n_chunks; i++) {
        payload[i] = *cell_at(run, item->op.rank, item->op.buffer, item->chunks[i]);
        if (payload[i].state != EMPTY)
            continue;
        payload[i].state = POISON;
        is_missing = true;
    }
    if (run->header->collective == COLLECTIVE_barrier)
        payload[0] = *cell_at(run, item->op.rank, BUFFER_BUF, 0);
    if (is_lost_in_place(run, item))
        add_at(run, CODE_R006, item);
    if (is_missing)
        add_at(run, CODE_R004, item);
    return payload;
}

static void combine(struct run *run, const struct item *item, struct cell *cell, struct cell value);

static void check_size(struct run *run, const struct item *item, uint32_t buffer, uint64_t chunk,
                       const struct cell *value)
{
    const bool combines = item->op.kind == OP_REDUCE || item->op.kind == OP_COMBINE;
    if (combines && run->header->form == FORM_EQUAL)
        return; /* R006 */
    if (!cell_fits(run->header, item->op.rank, buffer, chunk, value))
        add_at(run, CODE_R008, item);
}

/* True if a copy or combination reads a chunk that it writes. A copy of chunks onto themselves,
 * in place or not, does nothing. */
static bool overlaps_itself(const struct run *run, const struct op *op)
{
    const uint64_t end = (uint64_t)op->peer + op->n_chunks;
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        const uint64_t read = (uint64_t)op->chunk + i, written = (uint64_t)op->peer + i;
        uint64_t out;
        const bool is_idle = op->kind == OP_COPY && read == written;
        if (op->buffer == op->to_buffer && read >= op->peer && read < end && !is_idle)
            return true;
        if (op->buffer == BUFFER_IN && op->to_buffer == BUFFER_OUT &&
            is_in_place(run, op->rank, read, &out) && out != written && out >= op->peer && out < end)
            return true;
    }
    return false;
}

static void muddle_written(struct run *run, const struct item *item)
{
    for (uint32_t i = 0; i < item->op.n_chunks; i++)
        cell_at(run, item->op.rank, item->op.to_buffer, (uint64_t)item->op.peer + i)->state = POISON;
}

static void muddle_received(struct run *run, const struct item *item)
{
    for (uint32_t i = 0; i < item->op.n_chunks; i++)
        cell_at(run, item->op.rank, item->op.buffer, item->chunks[i])->state = POISON;
}

static void do_local(struct run *run, const struct item *item)
{
    if (overlaps_itself(run, &item->op)) {
        add_at(run, CODE_R005, item);
        muddle_written(run, item);
        return;
    }
    struct cell *payload = read_cells(run, item);
    for (uint32_t i = 0; i < item->op.n_chunks; i++) {
        struct cell *cell =
            cell_at(run, item->op.rank, item->op.to_buffer, (uint64_t)item->op.peer + i);
        check_size(run, item, item->op.to_buffer, (uint64_t)item->op.peer + i, &payload[i]);
        if (item->op.kind == OP_COPY)
            *cell = payload[i];
        else
            combine(run, item, cell, payload[i]);
    }
    free(payload);
}

/* True if it names the chunk. */
static bool names(const struct item *item, uint32_t buffer, uint64_t chunk)
{
    for (uint32_t i = 0; item->op.buffer == buffer && i < item->op.n_chunks; i++)
        if (item->chunks[i] == chunk)
            return true;
    return false;
}

/* A recv against another operation of its step (R005). A reduce lands aside
 * and combines when the step ends: sends of its chunk and other reduces into it
 * do not disturb it. */
static bool collides(const struct run *run, const struct item *receive, const struct item *other)
{
    const struct op *op = &other->op;
    bool meets = false;
    uint64_t out;
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        meets = meets || names(receive, op->buffer, other->chunks[i]);
        if (op->buffer == BUFFER_IN && is_in_place(run, op->rank, other->chunks[i], &out))
            meets = meets || names(receive, BUFFER_OUT, out);
    }
    return receive != other && receive->op.kind == OP_RECV && !op_is_local(op) && meets;
}

static bool check_overlap(struct run *run, struct item *first, struct item *end)
{
    bool is_found = false;
    for (struct item *item = first; item < end; item++)
        for (struct item *other = first; other < end; other++)
            if (collides(run, item, other)) {
                add_at(run, CODE_R005, item);
                is_found = true;
            }
    return is_found;
}

/* Reads chunks that change while they are sent. The message of a barrier is in no chunk. */
static struct cell *read_muddle(struct run *run, const struct item *item)
{
    if (run->header->collective == COLLECTIVE_barrier)
        return read_cells(run, item);
    struct cell *payload = mem_alloc(item->op.n_chunks + 1, sizeof *payload);
    for (uint32_t i = 0; i < item->op.n_chunks; i++)
        payload[i].state = POISON;
    return payload;
}

static void post(struct run *run, uint32_t rank)
{
    struct item *first, *end;
    items_of(run, rank, run->at[rank], &first, &end);
    for (struct item *item = first; item < end; item++)
        if (op_is_local(&item->op))
            do_local(run, item);
    run->is_muddled[rank] = check_overlap(run, first, end);
    for (struct item *item = first; item < end; item++)
        if (item->op.kind == OP_SEND)
            item->payload = run->is_muddled[rank] ? read_muddle(run, item) : read_cells(run, item);
    run->is_posted[rank] = true;
}

/* ---- a step of a rank ends ---- */

static void write_received(struct run *run, const struct item *item, uint32_t i, struct cell value)
{
    uint64_t chunk = item->chunks[i];
    struct cell *cell = cell_at(run, item->op.rank, item->op.buffer, chunk);
    struct cell required = cell_final(run->header, item->op.rank, item->op.buffer, chunk);
    bool is_known = value.state != POISON;
    if (required.state == VALUE && cell_is_equal(cell, &required) && is_known)
        add_at(run, CODE_R002, item);
    *cell = value;
}

/* The left operand is `value`. */
static void check_order(struct run *run, const struct item *item, const struct cell *cell,
                        const struct cell *value)
{
    uint32_t first[2], end[2], n = run->header->n_ranks;
    if (run->header->is_ordered && cell_is_row(value, n, &first[0], &end[0]) &&
        cell_is_row(cell, n, &first[1], &end[1]) && end[0] != first[1])
        add_at(run, CODE_R007, item);
}

static void combine(struct run *run, const struct item *item, struct cell *cell, struct cell value)
{
    bool both = cell->state == VALUE && value.state == VALUE, twice = false;
    if (cell->state == EMPTY)
        add_at(run, CODE_R004, item);
    if (collective_is_said(run->header->collective) && !run->header->needs) {
        cell->state = POISON; /* anything may be combined with anything */
        return;
    }
    if (both && cell->datum != value.datum)
        add_at(run, CODE_R006, item);
    if (!both || cell->datum != value.datum) {
        cell->state = POISON;
        return;
    }
    for (uint32_t word = 0; word < CELL_WORDS; word++)
        twice |= (cell->set[word] & value.set[word]) != 0;
    if (twice) {
        add_at(run, CODE_R003, item);
        cell->state = POISON;
        return;
    }
    check_order(run, item, cell, &value);
    cell_combine(cell, &value);
}

/* Sizes that differ are a finding of their own (M003): what arrives then is
 * not known. */
static struct cell arrived(const struct item *item, uint32_t i)
{
    if (item->partner->op.n_chunks != item->op.n_chunks)
        return (struct cell){.state = POISON};
    return item->partner->payload[i];
}

static void land(struct run *run, const struct item *item)
{
    if (run->header->collective == COLLECTIVE_barrier)
        cell_unite(cell_at(run, item->op.rank, BUFFER_BUF, 0), &item->partner->payload[0]);
    if (run->is_muddled[item->op.rank]) {
        muddle_received(run, item);
        return;
    }
    for (uint32_t i = 0; i < item->op.n_chunks; i++) {
        uint64_t chunk = item->chunks[i];
        struct cell value = arrived(item, i);
        check_size(run, item, item->op.buffer, chunk, &value);
        if (item->op.kind == OP_RECV)
            write_received(run, item, i, value);
        else
            combine(run, item, cell_at(run, item->op.rank, item->op.buffer, chunk), value);
    }
}

static bool has_met(const struct run *run, const struct item *item)
{
    const struct item *partner = item->partner;
    if (op_is_local(&item->op))
        return true;
    if (!partner)
        return false;
    return run->at[partner->op.rank] > partner->step ||
           (run->at[partner->op.rank] == partner->step && run->is_posted[partner->op.rank]);
}

static bool can_finish(const struct run *run, uint32_t rank)
{
    struct item *item, *end;
    items_of(run, rank, run->at[rank], &item, &end);
    for (; item < end; item++)
        if (!has_met(run, item))
            return false;
    return true;
}

/* Receives first: a reduce combines when the step ends. */
static void finish(struct run *run, uint32_t rank)
{
    struct item *first, *end;
    items_of(run, rank, run->at[rank], &first, &end);
    for (struct item *item = first; item < end; item++)
        if (item->op.kind == OP_RECV)
            land(run, item);
    for (struct item *item = first; item < end; item++)
        if (item->op.kind == OP_REDUCE)
            land(run, item);
    run->at[rank]++;
    run->is_posted[rank] = false;
}

static bool move(struct run *run, uint32_t rank)
{
    if (run->at[rank] == run->n_steps)
        return false;
    if (!run->is_posted[rank]) {
        post(run, rank);
        return true;
    }
    if (!can_finish(run, rank))
        return false;
    finish(run, rank);
    return true;
}

static void run_until_still(struct run *run)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
            moved |= move(run, rank);
    }
}

/* ---- end ---- */

typedef bool relation[REFERENCE_MAX_RANKS][REFERENCE_MAX_RANKS];

/* waits[a][b]: a waits for an operation that b has but has not reached. */
static void note_waits(const struct run *run, uint32_t rank, relation waits)
{
    struct item *item, *end;
    if (run->at[rank] == run->n_steps)
        return;
    items_of(run, rank, run->at[rank], &item, &end);
    for (; item < end; item++)
        if (item->partner && !has_met(run, item))
            waits[rank][item->op.peer] = true;
}

static void close_relation(relation reach, uint32_t n)
{
    for (uint32_t via = 0; via < n; via++)
        for (uint32_t from = 0; from < n; from++)
            for (uint32_t to = 0; reach[from][via] && to < n; to++)
                reach[from][to] |= reach[via][to];
}

static void report_cycle(struct run *run, uint32_t rank, relation waits, relation reach)
{
    run->result->in_cycle[rank] = true;
    for (uint32_t lower = 0; lower < rank; lower++)
        if (reach[rank][lower] && reach[lower][rank])
            return;
    for (uint32_t peer = 0; peer < run->header->n_ranks; peer++)
        if (waits[rank][peer] && reach[peer][rank]) {
            add(run, CODE_D001, rank, peer, (int64_t)run->at[rank]);
            return;
        }
}

static void check_cycles(struct run *run)
{
    relation *tables = mem_alloc(2, sizeof *tables);
    for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
        note_waits(run, rank, tables[0]);
    memcpy(tables[1], tables[0], sizeof *tables);
    close_relation(tables[1], run->header->n_ranks);
    for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
        if (tables[1][rank][rank])
            report_cycle(run, rank, tables[0], tables[1]);
    free(tables);
}

/* True of a chunk whose count is 0: nobody sees what is in it. */
static bool has_no_bytes(const struct run *run, uint32_t rank, uint32_t buffer, uint64_t chunk)
{
    const struct op op = {.kind = OP_SEND,
                          .rank = rank,
                          .buffer = (uint8_t)buffer,
                          .chunk = (uint32_t)chunk,
                          .n_chunks = 1};
    return run->header->counts && collective_has_data(run->header->collective) &&
           schedule_units(run->header, &op) == 0;
}

static void check_chunk(struct run *run, uint32_t rank, uint32_t buffer, uint64_t chunk)
{
    if (has_no_bytes(run, rank, buffer, chunk))
        return;
    struct cell required = cell_final(run->header, rank, buffer, chunk);
    const struct cell *cell = cell_at(run, rank, buffer, chunk);
    if (required.state == EMPTY || cell->state == POISON || cell_is_equal(cell, &required))
        return;
    if (cell->state == EMPTY || (cell->datum == required.datum && cell_lacks(cell, &required)))
        add(run, CODE_R001, rank, -1, -1);
    else
        add(run, CODE_R006, rank, -1, -1);
}

static void check_end(struct run *run)
{
    for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
        for (uint32_t buffer = 0; buffer < N_BUFFERS; buffer++)
            for (uint64_t chunk = 0; chunk < run->n_chunks[buffer]; chunk++)
                check_chunk(run, rank, buffer, chunk);
}

/* The first chunk of the result in which a rank differs from rank 0 (R010). */
static void check_agreement(struct run *run)
{
    struct verify_report *report = &run->result->report;
    if (run->header->collective != COLLECTIVE_allreduce || has_family(run, "result"))
        return;
    report->agreement = AGREEMENT_YES;
    for (uint64_t chunk = 0; chunk < run->n_chunks[BUFFER_BUF]; chunk++)
        for (uint32_t rank = 1; rank < run->header->n_ranks; rank++)
            if (cell_at(run, rank, BUFFER_BUF, chunk)->expression !=
                    cell_at(run, 0, BUFFER_BUF, chunk)->expression &&
                report->agreement == AGREEMENT_YES) {
                report->agreement = AGREEMENT_NO;
                if (!run->header->is_exact)
                    add(run, CODE_R010, rank, 0, -1);
            }
}

/* Drops findings about the result if a match is broken or there is a deadlock: data that went
 * missing or astray by it is no finding of its own. */
static void drop_results(struct run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->result->n_findings; i++)
        if (strcmp(code_table[run->result->findings[i].code].family, "result") != 0)
            run->result->findings[kept++] = run->result->findings[i];
    run->result->n_findings = kept;
}

/* Compares the sizes of matched messages. Matching needs no run. */
static void check_sizes(struct run *run)
{
    for (struct item *item = run->items; item < run->items + run->n_items; item++)
        if (is_receive(item) && item->partner && item->op.n_chunks != item->partner->op.n_chunks)
            add_at(run, CODE_M003, item);
}

static int compare_moves(const void *left, const void *right)
{
    const struct reference_move *a = left, *b = right;
    return a->step < b->step ? -1 : a->step > b->step;
}

/* A message is on its way once both ends are posted: in the later of the two steps. With counts
 * one of no bytes is never sent. */
static void list_moves(struct run *run)
{
    struct reference *result = run->result;
    result->moves = mem_alloc(run->n_items + 1, sizeof *result->moves);
    for (struct item *item = run->items; item < run->items + run->n_items; item++) {
        const bool has_sizes = run->header->tmp_sizes && run->header->tmp_sizes->is_told;
        const bool is_empty = run->header->counts && item->op.n_chunks > 0 && !has_sizes &&
                              item->op.kind == OP_SEND && schedule_units(run->header, &item->op) == 0;
        if (item->op.kind != OP_SEND || is_empty)
            continue;
        result->report.n_messages++;
        if (!item->partner)
            continue;
        const uint64_t receive_step = item->partner->step;
        result->moves[result->n_moves++] = (struct reference_move){
            item->op, item->step > receive_step ? item->step : receive_step};
    }
    qsort(result->moves, result->n_moves, sizeof *result->moves, compare_moves);
}

/* ---- who waits for ever ---- */

/* True if a rank at `rank`'s place can end its step where sends never wait. */
static bool can_end_buffered(const struct run *run, const uint64_t *at, uint32_t rank)
{
    struct item *item, *end;
    items_of(run, rank, at[rank], &item, &end);
    for (; item < end; item++)
        if (!op_is_local(&item->op) && item->op.kind != OP_SEND &&
            (!item->partner || at[item->partner->op.rank] < item->partner->step))
            return false;
    return true;
}

/* True if some rank never ends its steps, however much is buffered. */
static bool is_stuck_buffered(const struct run *run)
{
    uint64_t at[REFERENCE_MAX_RANKS] = {0};
    bool moved = true, is_stuck = false;
    while (moved) {
        moved = false;
        for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
            while (at[rank] < run->n_steps && can_end_buffered(run, at, rank)) {
                at[rank]++;
                moved = true;
            }
    }
    for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
        is_stuck |= at[rank] < run->n_steps;
    return is_stuck;
}

static enum waiting find_waiting(const struct run *run)
{
    bool is_stuck = false;
    for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
        is_stuck |= run->at[rank] < run->n_steps;
    if (!is_stuck)
        return has_family(run, "match") ? WAITING_UNKNOWN : WAITING_NONE;
    return is_stuck_buffered(run) ? WAITING_CERTAIN : WAITING_POSSIBLE;
}

static void conclude(struct run *run)
{
    struct verify_report *report = &run->result->report;
    check_sizes(run);
    list_moves(run);
    check_cycles(run);
    for (uint32_t rank = 0; rank < run->header->n_ranks; rank++)
        run->result->stopped_at[rank] = run->at[rank];
    report->is_matched = !has_family(run, "match");
    report->waiting = find_waiting(run);
    if (report->waiting == WAITING_NONE) {
        check_end(run);
        check_agreement(run);
    } else {
        drop_results(run);
    }
    report->is_complete = report->waiting == WAITING_NONE && !has_family(run, "result");
}

/* ---- all of it ---- */

static void free_run(struct run *run)
{
    for (size_t i = 0; i < run->n_items; i++) {
        free(run->items[i].payload);
        free(run->items[i].chunks);
    }
    for (uint32_t buffer = 0; buffer < N_BUFFERS; buffer++)
        free(run->cells[buffer]);
    free(run->items);
    free(run->start);
}

bool reference_verify(struct schedule *schedule, const struct verify_request *request,
                      struct reference *result)
{
    struct run run = {.schedule = schedule, .header = &schedule->header,
                      .result = result};
    *result = (struct reference){.n_findings = 0};
    if (schedule->header.n_ranks > REFERENCE_MAX_RANKS)
        return false;
    bool is_loaded = load(&run);
    if (is_loaded) {
        pair(&run);
        fill_cells(&run);
        run_until_still(&run);
        conclude(&run);
        reference_measure(schedule, request, result);
        if (result->n_findings)
            qsort(result->findings, result->n_findings, sizeof *result->findings,
                  compare_findings);
    }
    free_run(&run);
    return is_loaded;
}

void reference_free(struct reference *result)
{
    free(result->findings);
    free(result->moves);
    free(result->report.per_step);
    free(result->report.link_load);
    *result = (struct reference){.n_findings = 0};
}

bool reference_sum(struct schedule *schedule, const double *contribution, double *sums)
{
    struct reference result = {.n_findings = 0};
    struct run run = {
        .schedule = schedule, .header = &schedule->header, .result = &result, .contribution = contribution};
    const uint32_t segments = schedule->header.segments;
    const uint32_t buffer = collective_has(schedule->header.collective, BUFFER_BUF) ? BUFFER_BUF : BUFFER_OUT;
    const bool is_loaded = schedule->header.n_ranks <= REFERENCE_MAX_RANKS && load(&run);
    if (is_loaded) {
        pair(&run);
        fill_cells(&run);
        run_until_still(&run);
        for (uint32_t i = 0; i < schedule->header.n_ranks * segments; i++)
            sums[i] = cell_at(&run, i / segments, buffer, i % segments)->sum;
    }
    free_run(&run);
    reference_free(&result);
    return is_loaded;
}
