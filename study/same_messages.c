/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See same_messages.h.
 *
 * A chunk has a sum of random numbers, one for each contribution of a rank to a block, and its segment. Two
 * chunks with the same sum have the same contributions, but for a chance of 2^-64. A message has the sum of
 * such numbers over the finest parts of which both schedules' segments are made, so that it does not matter
 * into how many segments each cuts.
 */
#include "study/same_messages.h"

#include "ir/counts.h"

#include "base/integer.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_WORK (UINT64_C(1) << 26) /* operations, and parts of chunks in messages, of both */

struct known_chunk {
    uint64_t contributions; /* 0: nothing, as of a count of 0 */
    uint32_t segment;
};

struct sent_message {
    uint32_t from, to;
    uint64_t content, step;
    struct op op;
};

/* An operation of a rank, in its order: copies, sends and receives of each step. */
struct rank_op {
    struct op op;
    uint64_t step;
    size_t sent; /* of a receive, once it is known: what meets it */
};

struct played {
    struct schedule *schedule;
    struct rank_op *ops; /* by rank, and then as it does them */
    size_t n_ops, ops_capacity;
    size_t *first;              /* [rank] its operations */
    struct known_chunk *chunks; /* of all ranks and buffers */
    uint64_t base[N_BUFFERS], per_rank;
    struct sent_message *messages;
    size_t n_messages, messages_capacity;
    struct known_chunk *contents; /* of the messages that are sent, one behind the other */
    size_t n_contents, contents_capacity;
    size_t *content_at; /* [message] */
    size_t content_at_capacity;
    uint64_t parts; /* parts of a block; segment k of N of n parts begins at part n * k / N */
    uint64_t work;
};

static uint64_t number_of(uint64_t a, uint64_t b)
{
    uint64_t state = a * UINT64_C(0xd1342543de82ef95) + b;
    (void)next_random(&state);
    return next_random(&state);
}

/* ---- operations by rank ---- */

static void take_ops(struct played *played, const struct op *ops, size_t n, uint64_t step)
{
    for (size_t i = 0; i < n; i++) {
        played->ops = mem_grow(played->ops, &played->ops_capacity, played->n_ops + 1, sizeof *played->ops);
        played->ops[played->n_ops++] = (struct rank_op){.op = ops[i], .step = step};
    }
}

static int rank_op_class(const struct op *op)
{
    return op_is_local(op) ? 0 : op->kind == OP_SEND ? 1 : 2;
}

/* Operations as they were taken: their addresses give the order in which they were. */
static int compare_rank_ops(const void *x, const void *y)
{
    const struct rank_op *a = x, *b = y;
    const int differences[] = {compare_numbers(a->op.rank, b->op.rank), compare_numbers(a->step, b->step),
                               rank_op_class(&a->op) - rank_op_class(&b->op),
                               compare_numbers(a->sent, b->sent)};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i])
            return differences[i];
    return 0;
}

static bool take_schedule(struct played *played)
{
    struct step step;
    const uint32_t n_ranks = played->schedule->header.n_ranks;
    played->schedule->rewind(played->schedule);
    if (played->schedule->header.sets)
        played->schedule->header.sets->is_kept = true;
    while (played->schedule->next(played->schedule, &step)) {
        take_ops(played, step.copies, step.n_copies, step.index);
        take_ops(played, step.sends, step.n_sends, step.index);
        take_ops(played, step.receives, step.n_receives, step.index);
        if (played->n_ops > MOST_WORK)
            return false;
    }
    for (size_t i = 0; i < played->n_ops; i++)
        played->ops[i].sent = i;
    if (played->n_ops)
        qsort(played->ops, played->n_ops, sizeof *played->ops, compare_rank_ops);
    played->first = mem_alloc((size_t)n_ranks + 1, sizeof *played->first);
    for (size_t i = 0; i < played->n_ops; i++)
        played->first[played->ops[i].op.rank + 1] = i + 1;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        if (played->first[rank + 1] < played->first[rank])
            played->first[rank + 1] = played->first[rank];
    return !played->schedule->failed;
}

/* ---- memory ---- */

static struct known_chunk *chunk_at(const struct played *played, uint32_t rank, uint8_t buffer,
                                    uint32_t chunk)
{
    return &played->chunks[rank * played->per_rank + played->base[buffer] + chunk];
}

static bool same_messages_has_bytes(const struct schedule_header *header, uint32_t rank, uint8_t buffer,
                                    uint32_t chunk)
{
    const uint64_t datum =
        header->counts ? schedule_chunk_datum(header, rank, (enum buffer)buffer, chunk) : NO_DATUM;
    return datum == NO_DATUM || header->counts->bytes(header->counts, datum) > 0;
}

/* Gives each rank what it has before the collective. */
static bool fill_memory(struct played *played)
{
    const struct schedule_header *header = &played->schedule->header;
    for (int buffer = 0; buffer < N_BUFFERS; buffer++) {
        played->base[buffer] = played->per_rank;
        played->per_rank += schedule_chunks(header, (enum buffer)buffer);
    }
    if (multiply_within(played->per_rank, header->n_ranks) > MOST_WORK)
        return false;
    played->chunks = mem_alloc(played->per_rank * header->n_ranks + 1, sizeof *played->chunks);
    for (uint32_t rank = 0; rank < header->n_ranks; rank++)
        for (uint8_t buffer = 0; buffer < BUFFER_TMP; buffer++) {
            const bool has_data = buffer != BUFFER_OUT && schedule_has(header, rank, buffer) &&
                                  (header->collective != COLLECTIVE_bcast || rank == header->root);
            const uint64_t n = has_data ? schedule_chunks(header, (enum buffer)buffer) : 0;
            for (uint32_t i = 0; i < n; i++)
                if (same_messages_has_bytes(header, rank, buffer, i))
                    *chunk_at(played, rank, buffer, i) =
                        (struct known_chunk){number_of(rank + 1, i / header->segments), i % header->segments};
        }
    return true;
}

/* ---- the play ---- */

static uint64_t message_content(const struct played *played, const struct known_chunk *chunks, uint32_t n)
{
    const uint64_t n_parts = played->parts, n_segments = played->schedule->header.segments;
    uint64_t content = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t part = n_parts * chunks[i].segment / n_segments;
             chunks[i].contributions && part < n_parts * (chunks[i].segment + 1) / n_segments; part++)
            content += number_of(chunks[i].contributions, part + 1);
    return content;
}

static void play_send(struct played *played, const struct rank_op *at)
{
    const struct op *op = &at->op;
    played->messages = mem_grow(played->messages, &played->messages_capacity, played->n_messages + 1,
                                sizeof *played->messages);
    played->content_at =
        mem_grow(played->content_at, &played->content_at_capacity, played->n_messages + 1, sizeof(size_t));
    played->contents = mem_grow(played->contents, &played->contents_capacity,
                                played->n_contents + op->n_chunks + 1, sizeof *played->contents);
    struct known_chunk *contents = &played->contents[played->n_contents];
    struct op_ranges ranges = op_ranges(&played->schedule->header, op);
    for (uint32_t behind = 0; op_ranges_next(&ranges); behind += ranges.n)
        for (uint32_t i = 0; i < ranges.n; i++)
            contents[behind + i] = *chunk_at(played, op->rank, op->buffer, ranges.chunk + i);
    played->content_at[played->n_messages] = played->n_contents;
    played->messages[played->n_messages++] = (struct sent_message){
        op->rank, op->peer, message_content(played, contents, op->n_chunks), at->step, *op};
    played->n_contents += op->n_chunks;
    played->work += op->n_chunks * (played->parts / played->schedule->header.segments + 1) + 1;
}

static void combine_chunks(struct known_chunk *to, const struct known_chunk *from)
{
    to->contributions += from->contributions;
}

static void play_local(const struct played *played, const struct op *op)
{
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        const struct known_chunk *from = chunk_at(played, op->rank, op->buffer, op->chunk + i);
        struct known_chunk *to = chunk_at(played, op->rank, op->to_buffer, op->to_chunk + i);
        if (op->kind == OP_COMBINE)
            combine_chunks(to, from);
        else
            *to = *from;
    }
}

static void play_receive(const struct played *played, const struct op *op, size_t message)
{
    const struct known_chunk *contents = &played->contents[played->content_at[message]];
    const uint32_t n = played->messages[message].op.n_chunks;
    struct op_ranges ranges = op_ranges(&played->schedule->header, op);
    for (uint32_t at = 0; op_ranges_next(&ranges); at += ranges.n)
        for (uint32_t i = 0; i < ranges.n && at + i < n; i++) {
            struct known_chunk *to = chunk_at(played, op->rank, op->buffer, ranges.chunk + i);
            if (op->kind == OP_REDUCE)
                combine_chunks(to, &contents[at + i]);
            else
                *to = contents[at + i];
        }
}

/* Messages that were sent and not received, in their order: the next one behind each. */
struct waiting_messages {
    size_t *next; /* [message] */
    size_t next_capacity;
    size_t *first, *last; /* [rank that receives] messages + 1 */
};

static void leave(struct waiting_messages *waiting, uint32_t to, size_t message)
{
    waiting->next = mem_grow(waiting->next, &waiting->next_capacity, message + 1, sizeof *waiting->next);
    waiting->next[message] = 0;
    *(waiting->last[to] ? &waiting->next[waiting->last[to] - 1] : &waiting->first[to]) = message + 1;
    waiting->last[to] = message + 1;
}

/* Takes the first message of that sender. Returns false if there is none. O(messages that wait there). */
static bool take_waiting(const struct played *played, struct waiting_messages *waiting, const struct op *op,
                         size_t *message)
{
    size_t *link = &waiting->first[op->rank], before = 0;
    while (*link && played->messages[*link - 1].from != op->peer) {
        before = *link;
        link = &waiting->next[*link - 1];
    }
    if (!*link)
        return false;
    *message = *link - 1;
    *link = waiting->next[*message];
    if (waiting->last[op->rank] == *message + 1)
        waiting->last[op->rank] = before;
    return true;
}

/* Plays a rank until a message that it needs has not been sent. Receives end with their step, all together.
 */
static bool play_rank_ops(struct played *played, uint32_t rank, size_t *next,
                          struct waiting_messages *waiting)
{
    const size_t before = *next;
    while (*next < played->first[rank + 1]) {
        struct rank_op *at = &played->ops[*next];
        size_t message;
        if (op_is_local(&at->op)) {
            play_local(played, &at->op);
        } else if (at->op.kind == OP_SEND) {
            play_send(played, at);
            leave(waiting, at->op.peer, played->n_messages - 1);
        } else if (take_waiting(played, waiting, &at->op, &message)) {
            play_receive(played, &at->op, message);
        } else {
            break;
        }
        ++*next;
    }
    return *next > before;
}

static bool play(struct played *played)
{
    const uint32_t n_ranks = played->schedule->header.n_ranks;
    struct waiting_messages waiting = {.first = mem_alloc(n_ranks, sizeof(size_t)),
                                       .last = mem_alloc(n_ranks, sizeof(size_t))};
    size_t *next = mem_alloc(n_ranks, sizeof *next), n_left = played->n_ops;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        next[rank] = played->first[rank];
    bool goes_on = true;
    while (goes_on && n_left && played->work < MOST_WORK) {
        goes_on = false;
        n_left = 0;
        for (uint32_t rank = 0; rank < n_ranks; rank++) {
            goes_on |= play_rank_ops(played, rank, &next[rank], &waiting);
            n_left += played->first[rank + 1] - next[rank];
        }
    }
    free(waiting.next);
    free(waiting.first);
    free(waiting.last);
    free(next);
    return n_left == 0;
}

static void played_free(struct played *played)
{
    free(played->ops);
    free(played->first);
    free(played->chunks);
    free(played->messages);
    free(played->contents);
    free(played->content_at);
}

/* ---- the comparison ---- */

static int compare_sent_messages(const void *x, const void *y)
{
    const struct sent_message *a = x, *b = y;
    const int differences[] = {compare_numbers(a->from, b->from), compare_numbers(a->to, b->to),
                               compare_numbers(a->content, b->content)};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i])
            return differences[i];
    return 0;
}

static void say_witness(const struct sent_message *message, const char *const names[2], int which,
                        struct text *out)
{
    const struct op *op = &message->op;
    text_printf(out, "%s alone: rank %" PRIu32 " sends rank %" PRIu32 " ", names[which], message->from,
                message->to);
    if (!op->n_chunks)
        text_printf(out, "a message without data");
    else if (op->is_set)
        text_printf(out, "%" PRIu32 " chunks of %s", op->n_chunks, buffer_name[op->buffer]);
    else if (op->n_chunks == 1)
        text_printf(out, "%s[%" PRIu32 "]", buffer_name[op->buffer], op->chunk);
    else
        text_printf(out, "%s[%" PRIu32 "..%" PRIu32 "]", buffer_name[op->buffer], op->chunk,
                    op->chunk + op->n_chunks - 1);
    text_printf(out, " in step %" PRIu64, message->step);
}

static void note_other(const struct sent_message *message, const char *const names[2], int which,
                       struct same_messages *same)
{
    same->n_other_empty[which] += !message->op.n_chunks;
    if (!same->witness.length)
        say_witness(message, names, which, &same->witness);
}

/* Leaves out messages to the rank itself, as an MPI may copy instead, and those of counts that are 0, as it
 * may send none. */
static void same_messages_leave_out(struct played *played)
{
    const bool has_counts = played->schedule->header.counts;
    size_t n = 0;
    for (size_t i = 0; i < played->n_messages; i++)
        if (played->messages[i].from != played->messages[i].to &&
            (!has_counts || played->messages[i].content))
            played->messages[n++] = played->messages[i];
    played->n_messages = n;
}

static void compare_played(struct played played[2], const char *const names[2], struct same_messages *same)
{
    size_t i = 0, j = 0;
    for (int k = 0; k < 2; k++) {
        same_messages_leave_out(&played[k]);
        same->n[k] = played[k].n_messages;
        if (played[k].n_messages)
            qsort(played[k].messages, played[k].n_messages, sizeof *played[k].messages,
                  compare_sent_messages);
    }
    while (i < played[0].n_messages || j < played[1].n_messages) {
        const int order = i == played[0].n_messages ? 1
                          : j == played[1].n_messages
                              ? -1
                              : compare_sent_messages(&played[0].messages[i], &played[1].messages[j]);
        if (order < 0)
            note_other(&played[0].messages[i], names, 0, same);
        else if (order > 0)
            note_other(&played[1].messages[j], names, 1, same);
        else
            same->n_same++;
        i += order <= 0;
        j += order >= 0;
    }
}

struct same_messages messages_compare(struct schedule *const schedules[2], const char *const names[2],
                                      uint64_t elements)
{
    struct same_messages same = {0};
    const uint64_t a = schedules[0]->header.segments, b = schedules[1]->header.segments;
    const uint64_t finest = a / common_divisor(a, b) * b, parts = elements % finest ? elements : finest;
    struct played played[2] = {{.schedule = schedules[0], .parts = parts},
                               {.schedule = schedules[1], .parts = parts}};
    same.is_comparable = schedules[0]->header.n_ranks == schedules[1]->header.n_ranks;
    for (int i = 0; i < 2 && same.is_comparable; i++)
        same.is_comparable = take_schedule(&played[i]) && fill_memory(&played[i]) && play(&played[i]);
    if (same.is_comparable)
        compare_played(played, names, &same);
    for (int i = 0; i < 2; i++)
        played_free(&played[i]);
    return same;
}
