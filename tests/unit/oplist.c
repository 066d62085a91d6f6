/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules as lists of operations and their mutations (oplist.h).
 */
#include "tests/unit/oplist.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

void oplist_append(struct oplist *list, uint64_t step, struct op op)
{
    size_t index = list->n_ops;
    list->ops = mem_grow(list->ops, &list->capacity, list->n_ops + 1, sizeof *list->ops);
    while (index > 0 && list->ops[index - 1].step > step)
        index--;
    memmove(list->ops + index + 1, list->ops + index, (list->n_ops - index) * sizeof *list->ops);
    list->ops[index] = (struct listed_op){op, step};
    list->n_ops++;
    if (step >= list->n_steps)
        list->n_steps = step + 1;
}

void oplist_remove(struct oplist *list, size_t index)
{
    list->n_ops--;
    memmove(list->ops + index, list->ops + index + 1, (list->n_ops - index) * sizeof *list->ops);
}

static bool is_set(const struct op *op)
{
    return !op_is_local(op) && op->is_set;
}

/* The chunks of a set of the list, one by one. */
static uint32_t *set_chunks(const struct chunk_sets *sets, const struct op *op)
{
    uint32_t *chunks = mem_alloc((size_t)op->n_chunks + 1, sizeof *chunks), n = 0;
    for (const struct chunk_row *row = sets->rows + op->chunk; n < op->n_chunks; row++)
        for (uint32_t k = 0; k < row->n; k++)
            for (uint32_t i = 0; i < row->n_chunks; i++)
                chunks[n++] = (uint32_t)(row->chunk + (int64_t)row->step * k + i);
    return chunks;
}

static void put_chunks(struct chunk_sets *sets, const uint32_t *chunks, uint32_t n, struct op *op)
{
    const size_t first = sets->n;
    for (uint32_t i = 0; i < n; i++)
        chunk_sets_append(sets, first, chunks[i], 1);
    op->n_chunks = n;
    chunk_sets_end(sets, first, op);
}

static void append_all(struct oplist *list, uint64_t step, const struct op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct op op = ops[i];
        if (is_set(&op)) {
            uint32_t *chunks = set_chunks(list->header.sets, &op);
            put_chunks(&list->sets, chunks, op.n_chunks, &op);
            free(chunks);
        }
        oplist_append(list, step, op);
    }
}

bool oplist_capture(struct schedule *schedule, struct oplist *list)
{
    struct step step;
    *list = (struct oplist){.header = schedule->header};
    list->header.machine = NULL;
    list->sets.is_kept = true;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        append_all(list, step.index, step.copies, step.n_copies);
        append_all(list, step.index, step.sends, step.n_sends);
        append_all(list, step.index, step.receives, step.n_receives);
        list->n_steps = step.index + 1;
    }
    return !schedule->failed;
}

void oplist_copy(const struct oplist *from, struct oplist *to)
{
    *to = *from;
    to->capacity = 0;
    to->ops = mem_grow(NULL, &to->capacity, from->n_ops + 1, sizeof *to->ops);
    to->sets = (struct chunk_sets){.n = from->sets.n, .is_kept = true};
    to->sets.rows = mem_grow(NULL, &to->sets.capacity, from->sets.n + 1, sizeof *to->sets.rows);
    if (from->sets.n)
        memcpy(to->sets.rows, from->sets.rows, from->sets.n * sizeof *to->sets.rows);
    if (from->n_ops)
        memcpy(to->ops, from->ops, from->n_ops * sizeof *to->ops);
}

void oplist_free(struct oplist *list)
{
    free(list->ops);
    free(list->sets.rows);
    *list = (struct oplist){.n_ops = 0};
}

static size_t n_messages_before(const struct oplist *list, size_t index)
{
    size_t n = 0;
    const struct op *send = &list->ops[index].op;
    for (size_t i = 0; i < index; i++)
        n += list->ops[i].op.kind == OP_SEND && list->ops[i].op.rank == send->rank &&
             list->ops[i].op.peer == send->peer;
    return n;
}

static bool is_receive(const struct op *op)
{
    return op->kind == OP_RECV || op->kind == OP_REDUCE;
}

static bool append_text(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

struct schedule *oplist_reread(const struct oplist *list, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct text text = {0};
    struct schedule *printed = oplist_schedule(list), *schedule = NULL;
    if (schedule_print(printed, append_text, &text))
        schedule = schedule_read(source_of_text("mutant", text.data, text.length, arena), &diagnostics);
    printed->destroy(printed);
    text_free(&text);
    diagnostics_free(&diagnostics);
    return schedule;
}

size_t oplist_partner(const struct oplist *list, size_t send)
{
    size_t n_skip = n_messages_before(list, send), index;
    for (index = 0; index < list->n_ops; index++) {
        const struct op *op = &list->ops[index].op;
        if (is_receive(op) && op->rank == list->ops[send].op.peer &&
            op->peer == list->ops[send].op.rank && n_skip-- == 0)
            break;
    }
    return index;
}

/* ---- as a schedule ---- */

struct list_schedule {
    struct schedule base; /* first: the schedule handed out is this object */
    const struct oplist *list;
    uint64_t step;
    size_t next;
    struct op *ops[3]; /* sends, receives, copies of the step */
    struct chunk_sets sets; /* the list's: the schedule does not change them */
};

static size_t array_of(const struct op *op)
{
    return op->kind == OP_SEND ? 0 : op_is_local(op) ? 2 : 1;
}

static bool list_next(struct schedule *schedule, struct step *step)
{
    struct list_schedule *self = (struct list_schedule *)schedule;
    size_t n[3] = {0};
    if (self->step == self->list->n_steps)
        return false;
    for (; self->next < self->list->n_ops; self->next++) {
        const struct listed_op *listed = &self->list->ops[self->next];
        size_t array = array_of(&listed->op);
        if (listed->step != self->step)
            break;
        self->ops[array][n[array]++] = listed->op;
    }
    *step = (struct step){.index = self->step,
                          .sends = self->ops[0],
                          .receives = self->ops[1],
                          .copies = self->ops[2],
                          .n_sends = n[0],
                          .n_receives = n[1],
                          .n_copies = n[2]};
    self->step++;
    return true;
}

static void list_rewind(struct schedule *schedule)
{
    struct list_schedule *self = (struct list_schedule *)schedule;
    self->step = 0;
    self->next = 0;
}

static void list_destroy(struct schedule *schedule)
{
    struct list_schedule *self = (struct list_schedule *)schedule;
    for (size_t array = 0; array < 3; array++)
        free(self->ops[array]);
    free(self);
}

struct schedule *oplist_schedule(const struct oplist *list)
{
    struct list_schedule *self = mem_alloc(1, sizeof *self);
    self->list = list;
    for (size_t array = 0; array < 3; array++)
        self->ops[array] = mem_alloc(list->n_ops + 1, sizeof(struct op));
    self->base.header = list->header;
    self->sets = list->sets;
    self->sets.is_kept = true;
    self->base.header.sets = &self->sets;
    self->base.next = list_next;
    self->base.rewind = list_rewind;
    self->base.destroy = list_destroy;
    return &self->base;
}

/* ---- mutations ---- */

const char *const mutation_name[N_MUTATIONS] = {
    [MUTATE_DELETE] = "delete",         [MUTATE_DUPLICATE] = "duplicate",
    [MUTATE_SWAP] = "swap",             [MUTATE_SWAP_SENDS] = "swap sends",
    [MUTATE_PEER] = "peer",             [MUTATE_CHUNK] = "chunk",
    [MUTATE_BUFFER] = "buffer",         [MUTATE_TARGET] = "target",
    [MUTATE_SIZE] = "size",             [MUTATE_SET] = "set",
    [MUTATE_KIND] = "kind",
    [MUTATE_SHIFT] = "shift",           [MUTATE_SEND_TWICE] = "send twice",
    [MUTATE_SEND_LATER] = "send later",
};

/* Knuth's MMIX constants; the upper bits are the good ones. */
uint64_t random_below(uint64_t *random, uint64_t n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 33) % n;
}

static bool is_any(const struct op *op)
{
    return op->kind <= OP_COMBINE;
}

static bool is_written(const struct op *op)
{
    return op->kind != OP_SEND;
}

static bool is_send(const struct op *op)
{
    return op->kind == OP_SEND;
}

static bool is_copy(const struct op *op)
{
    return op_is_local(op);
}

static bool is_message(const struct op *op)
{
    return !op_is_local(op);
}

/* An operation that `wanted` accepts: the first one from a random place on.
 * n_ops if there is none. */
static size_t pick(const struct oplist *list, bool (*wanted)(const struct op *), uint64_t *random)
{
    size_t start = list->n_ops ? (size_t)random_below(random, list->n_ops) : 0;
    for (size_t i = 0; i < list->n_ops; i++)
        if (wanted(&list->ops[(start + i) % list->n_ops].op))
            return (start + i) % list->n_ops;
    return list->n_ops;
}

static void move_op(struct oplist *list, size_t index, uint64_t step)
{
    struct op op = list->ops[index].op;
    oplist_remove(list, index);
    oplist_append(list, step, op);
}

static bool swap_steps(struct oplist *list, size_t a, bool sends_only)
{
    for (size_t b = a + 1; b < list->n_ops; b++) {
        struct listed_op x = list->ops[a], y = list->ops[b];
        if (y.op.rank != x.op.rank || y.step == x.step ||
            (sends_only && (y.op.kind != OP_SEND || y.op.peer == x.op.peer)))
            continue;
        list->ops[a].op = y.op;
        list->ops[b].op = x.op;
        return true;
    }
    return false;
}

/* Chunks of the buffer an operation names; 0 in a barrier. */
static uint64_t room(const struct oplist *list, const struct op *op)
{
    return schedule_chunks(&list->header, (enum buffer)op->buffer);
}

/* Moves a set as a whole. */
static bool move_set(struct oplist *list, struct op *op, uint64_t *random)
{
    uint32_t *chunks = set_chunks(&list->sets, op), most = 0;
    for (uint32_t i = 0; i < op->n_chunks; i++)
        most = chunks[i] > most ? chunks[i] : most;
    const uint64_t n = room(list, op), by = random_below(random, n - most);
    for (uint32_t i = 0; i < op->n_chunks; i++)
        chunks[i] += (uint32_t)by;
    put_chunks(&list->sets, chunks, op->n_chunks, op);
    free(chunks);
    return by != 0;
}

static bool has_chunk(const uint32_t *chunks, uint32_t n, uint64_t chunk)
{
    bool has = false;
    for (uint32_t i = 0; i < n; i++)
        has = has || chunks[i] == chunk;
    return has;
}

/* Another chunk in the place of one, two chunks in the place of each other, or one less. */
static bool change_set(struct oplist *list, struct op *op, uint64_t *random)
{
    uint32_t *chunks = set_chunks(&list->sets, op), n = op->n_chunks;
    const uint32_t i = (uint32_t)random_below(random, n), k = (uint32_t)random_below(random, n);
    const uint32_t other = (uint32_t)random_below(random, room(list, op)), kept = chunks[i];
    const uint64_t choice = random_below(random, 3);
    bool is_changed = true;
    if (choice == 0) {
        is_changed = !has_chunk(chunks, n, other);
        chunks[i] = is_changed ? other : kept;
    } else if (choice == 1) {
        chunks[i] = chunks[k];
        chunks[k] = kept;
        is_changed = i != k;
    } else {
        memmove(chunks + i, chunks + i + 1, (n - i - 1) * sizeof *chunks);
        n--;
    }
    put_chunks(&list->sets, chunks, n, op);
    free(chunks);
    return is_changed;
}

static bool change_chunk(struct oplist *list, struct op *op, uint64_t *random)
{
    if (is_set(op))
        return move_set(list, op, random);
    uint64_t n = room(list, op), old = op->chunk;
    if (op->n_chunks == 0 || n <= op->n_chunks)
        return false;
    op->chunk = (uint32_t)random_below(random, n - op->n_chunks + 1);
    return op->chunk != old;
}

static bool change_buffer(const struct oplist *list, struct op *op, uint64_t *random)
{
    uint8_t buffer = (uint8_t)random_below(random, N_BUFFERS);
    uint64_t n = schedule_chunks(&list->header, (enum buffer)buffer);
    if (op->n_chunks == 0 || n < op->n_chunks || buffer == op->buffer)
        return false;
    for (uint32_t i = 0; is_set(op); i++) {
        uint32_t *chunks = set_chunks(&list->sets, op);
        const bool is_end = i == op->n_chunks, is_outside = !is_end && chunks[i] >= n;
        free(chunks);
        if (is_outside)
            return false;
        if (is_end)
            break;
    }
    op->buffer = buffer;
    if (!is_set(op) && op->chunk > n - op->n_chunks)
        op->chunk = (uint32_t)(n - op->n_chunks);
    return true;
}

static bool change_target(const struct oplist *list, struct op *op, uint64_t *random)
{
    uint64_t n = schedule_chunks(&list->header, (enum buffer)op->to_buffer), old = op->peer;
    op->peer = (uint32_t)random_below(random, n - op->n_chunks + 1);
    return op->peer != old;
}

static bool change_size(struct oplist *list, struct op *op, uint64_t *random)
{
    uint64_t most = room(list, op), old = op->n_chunks;
    if (is_set(op))
        return change_set(list, op, random);
    most = most > op->chunk ? most - op->chunk : 0;
    if (most == 0 || op_is_local(op))
        return false;
    op->n_chunks = (uint32_t)random_below(random, most + 1);
    return op->n_chunks != old;
}

static bool change_peer(const struct oplist *list, struct op *op, uint64_t *random)
{
    uint32_t old = op->peer;
    op->peer = (uint32_t)random_below(random, list->header.n_ranks);
    return op->peer != old;
}

static bool shift(struct oplist *list, size_t index, uint64_t *random)
{
    uint64_t step = list->ops[index].step;
    if (random_below(random, 2) && step > 0)
        move_op(list, index, step - 1);
    else
        move_op(list, index, step + 1);
    return true;
}

static bool send_again(struct oplist *list, size_t send, bool later)
{
    size_t receive = oplist_partner(list, send);
    if (receive == list->n_ops)
        return false;
    struct listed_op first = list->ops[send], second = list->ops[receive];
    uint64_t last = list->n_steps;
    oplist_append(list, later ? last : first.step, first.op);
    oplist_append(list, later ? last : second.step, second.op);
    return true;
}

static bool change_kind(struct op *op)
{
    static const uint8_t other[] = {
        [OP_SEND] = OP_SEND, [OP_RECV] = OP_REDUCE, [OP_REDUCE] = OP_RECV,
        [OP_COPY] = OP_COMBINE, [OP_COMBINE] = OP_COPY};
    op->kind = other[op->kind];
    return true;
}

static bool (*wanted_by(enum mutation mutation))(const struct op *)
{
    if (mutation == MUTATE_PEER || mutation == MUTATE_SIZE)
        return is_message;
    if (mutation == MUTATE_TARGET)
        return is_copy;
    if (mutation == MUTATE_KIND)
        return is_written;
    if (mutation == MUTATE_SWAP_SENDS || mutation == MUTATE_SEND_TWICE ||
        mutation == MUTATE_SEND_LATER)
        return is_send;
    if (mutation == MUTATE_SET)
        return is_set;
    return is_any;
}

static bool apply(struct oplist *list, enum mutation mutation, size_t index, uint64_t *random)
{
    struct listed_op *listed = &list->ops[index];
    switch (mutation) {
    case MUTATE_DELETE:
        oplist_remove(list, index);
        return true;
    case MUTATE_DUPLICATE:
        oplist_append(list, listed->step, listed->op);
        return true;
    case MUTATE_SWAP:
    case MUTATE_SWAP_SENDS:
        return swap_steps(list, index, mutation == MUTATE_SWAP_SENDS);
    case MUTATE_PEER:
        return change_peer(list, &listed->op, random);
    case MUTATE_CHUNK:
        return change_chunk(list, &listed->op, random);
    case MUTATE_BUFFER:
        return change_buffer(list, &listed->op, random);
    case MUTATE_TARGET:
        return change_target(list, &listed->op, random);
    case MUTATE_SIZE:
        return change_size(list, &listed->op, random);
    case MUTATE_SET:
        return change_set(list, &listed->op, random);
    case MUTATE_KIND:
        return change_kind(&listed->op);
    case MUTATE_SHIFT:
        return shift(list, index, random);
    case MUTATE_SEND_TWICE:
    case MUTATE_SEND_LATER:
        return send_again(list, index, mutation == MUTATE_SEND_LATER);
    case N_MUTATIONS:
        break;
    }
    return false;
}

bool oplist_mutate(struct oplist *list, enum mutation mutation, uint64_t *random)
{
    size_t index = pick(list, wanted_by(mutation), random);
    return index < list->n_ops && apply(list, mutation, index, random);
}
