/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a schedule in its text form (docs/schedule-format.md). The form is
 * canonical: fixed order of the header lines, and in a step one operation per
 * line by rank, the copies of a rank first, then its sends, then its receives,
 * each in program order. Two equal schedules therefore print the same bytes.
 *
 * Schedules run to hundreds of millions of lines, so numbers are formatted by
 * hand into one buffer and a step is put in rank order by a radix sort that
 * costs nothing when it is in order already.
 */
#include "ir/counts.h"
#include "ir/needs.h"
#include "ir/schedule.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_BYTES = 1 << 16,
    LINE_BYTES = 256, /* longest operation or header field without a name */
    DIGIT_BITS = 11,
    DIGIT_VALUES = 1 << DIGIT_BITS
};

struct printer {
    bool (*write)(void *context, const char *data, size_t length);
    void *context;
    const struct schedule_header *header;
    bool failed;
    size_t used;
    char buffer[BUFFER_BYTES];
    /* order[0..2] of copies, sends and receives; [3] is room for the sort */
    uint32_t *order[4];
    size_t capacity[4];
};

static void flush(struct printer *out)
{
    if (out->used && !out->failed)
        out->failed = !out->write(out->context, out->buffer, out->used);
    out->used = 0;
}

static void schedule_print_make_room(struct printer *out)
{
    if (BUFFER_BYTES - out->used < LINE_BYTES)
        flush(out);
}

static void put_char(struct printer *out, char c)
{
    out->buffer[out->used++] = c;
}

/* A short text; the caller has made room. */
static void schedule_print_put(struct printer *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out->buffer + out->used, text, length);
    out->used += length;
}

static void schedule_print_put_number(struct printer *out, uint64_t number)
{
    char digits[20];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n > 0)
        put_char(out, digits[--n]);
}

static void put_hex(struct printer *out, uint64_t number, unsigned n_digits)
{
    for (unsigned i = n_digits; i > 0; i--)
        put_char(out, "0123456789abcdef"[number >> (4 * (i - 1)) & 15]);
}

/* A name of any length in quotes; the file is UTF-8, whatever the name is. */
static void put_quoted(struct printer *out, const char *name)
{
    put_char(out, '"');
    for (size_t length; *name; name += length ? length : 1) {
        schedule_print_make_room(out);
        length = utf8_length(name, UTF8_LONGEST);
        if (*name == '"' || *name == '\\')
            put_char(out, '\\');
        if (length == 0 || (unsigned char)*name < ' ' || *name == 0x7f) {
            schedule_print_put(out, "\\x");
            put_hex(out, (unsigned char)*name, 2);
        } else {
            memcpy(out->buffer + out->used, name, length);
            out->used += length;
        }
    }
    put_char(out, '"');
}

static void schedule_print_put_algorithm(struct printer *out, const char *name)
{
    size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    schedule_print_put(out, "algorithm ");
    if (plain == 0 || name[plain] || plain > LINE_BYTES / 2)
        put_quoted(out, name);
    else
        schedule_print_put(out, name);
    put_char(out, '\n');
    schedule_print_make_room(out);
}

static void put_field(struct printer *out, const char *name, uint64_t value)
{
    schedule_print_make_room(out);
    schedule_print_put(out, name);
    put_char(out, ' ');
    schedule_print_put_number(out, value);
    put_char(out, '\n');
}

/* Machines in rank order, each run of equal ones as MACHINExRANKS. */
static void put_placement(struct printer *out, const struct schedule_header *header)
{
    schedule_print_put(out, "placement");
    for (uint32_t rank = 0, next; rank < header->n_ranks; rank = next) {
        next = rank + 1;
        while (next < header->n_ranks && header->machine[next] == header->machine[rank])
            next++;
        schedule_print_make_room(out);
        put_char(out, ' ');
        schedule_print_put_number(out, header->machine[rank]);
        put_char(out, 'x');
        schedule_print_put_number(out, next - rank);
    }
    put_char(out, '\n');
}

static void put_topology(struct printer *out, const struct schedule_header *header)
{
    schedule_print_make_room(out);
    schedule_print_put(out, "topology ");
    put_quoted(out, header->topology);
    schedule_print_make_room(out);
    schedule_print_put(out, " 0x");
    put_hex(out, header->fingerprint, 16);
    put_char(out, '\n');
    if (header->machine)
        put_placement(out, header);
}

static void put_networks(struct printer *out, const struct schedule_header *header)
{
    schedule_print_make_room(out);
    schedule_print_put(out, "networks");
    for (uint32_t i = 0; i < header->n_networks; i++) {
        uint32_t same = 0;
        while (strcmp(header->networks[same], header->networks[i]) != 0)
            same++;
        if (same < i)
            continue; /* a program names one that the topology has, too */
        schedule_print_make_room(out);
        put_char(out, ' ');
        schedule_print_put(out, header->networks[i]);
    }
    put_char(out, '\n');
}

static void put_adapter(struct printer *out, const char *name, uint32_t number)
{
    schedule_print_make_room(out);
    put_char(out, ' ');
    if (name)
        put_quoted(out, name);
    else
        schedule_print_put_number(out, number);
}

static void put_adapters(struct printer *out, const struct schedule_header *header)
{
    schedule_print_make_room(out);
    schedule_print_put(out, "adapters");
    for (uint32_t i = 1; i < header->n_vias; i++) {
        put_adapter(out, header->vias[i].out, header->vias[i].out_number);
        put_adapter(out, header->vias[i].in, header->vias[i].in_number);
    }
    put_char(out, '\n');
}

static void put_chunk_range(struct printer *out, unsigned buffer, uint32_t first, uint32_t n)
{
    schedule_print_put(out, buffer_name[buffer]);
    put_char(out, '[');
    schedule_print_put_number(out, first);
    if (n > 1) {
        schedule_print_put(out, "..");
        schedule_print_put_number(out, (uint64_t)first + n - 1);
    }
    put_char(out, ']');
}

static void put_chunks(struct printer *out, unsigned buffer, uint32_t first, uint32_t n)
{
    put_char(out, ' ');
    put_chunk_range(out, buffer, first, n);
}

/* The ranges of a message; single chunks equally far apart in short. */
static void put_ranges(struct printer *out, const struct op *op)
{
    uint32_t left = op->n_chunks;
    if (!op->is_set) {
        put_chunks(out, op->buffer, op->chunk, op->n_chunks);
        return;
    }
    schedule_print_put(out, " ");
    schedule_print_put(out, buffer_name[op->buffer]);
    for (const struct chunk_row *row = &out->header->sets->rows[op->chunk]; left > 0; row++) {
        const bool is_short = row->n_chunks == 1 && row->n > 2;
        for (uint32_t k = 0; k < (is_short ? 1 : row->n); k++) {
            const uint32_t chunk = (uint32_t)(row->chunk + (int64_t)row->step * k);
            const uint64_t far = is_short ? (uint64_t)((int64_t)row->step * (row->n - 1)) : row->n_chunks - 1;
            schedule_print_make_room(out);
            put_char(out, left == op->n_chunks && k == 0 ? '[' : ',');
            schedule_print_put_number(out, chunk);
            if (far > 0) {
                schedule_print_put(out, "..");
                schedule_print_put_number(out, (uint32_t)(chunk + far));
            }
            if (is_short) {
                schedule_print_put(out, row->step < 0 ? " by -" : " by ");
                schedule_print_put_number(out, (uint64_t)(row->step < 0 ? -(int64_t)row->step : row->step));
            }
        }
        left -= row->n * row->n_chunks;
    }
    schedule_print_make_room(out);
    put_char(out, ']');
}

/* Counts first .. first+n-1 in a line, each run of equal ones as TIMESxBYTES. */
static void put_count_line(struct printer *out, struct counts *counts, uint64_t first, uint64_t n)
{
    schedule_print_make_room(out);
    schedule_print_put(out, "counts");
    for (uint64_t i = first, next; i < first + n; i = next) {
        uint64_t bytes = counts->bytes(counts, i);
        next = i + 1;
        while (next < first + n && counts->bytes(counts, next) == bytes)
            next++;
        schedule_print_make_room(out);
        put_char(out, ' ');
        if (next > i + 1) {
            schedule_print_put_number(out, next - i);
            put_char(out, 'x');
        }
        schedule_print_put_number(out, bytes);
    }
    put_char(out, '\n');
}

/* A line; of pairs and patterns one for each sender. */
static void put_counts(struct printer *out, const struct schedule_header *header)
{
    uint32_t row;
    const uint64_t n = schedule_n_counts(header, &row);
    for (uint64_t first = 0; first < n; first += row)
        put_count_line(out, header->counts, first, row);
}

static bool is_like_of_all(const struct schedule_header *header)
{
    for (uint32_t rank = 1; rank < header->n_ranks; rank++)
        for (uint32_t chunk = 0; chunk < header->n_tmp; chunk++)
            if (schedule_has_own_tmp(header) ||
                schedule_like_chunk(header, rank, chunk) != schedule_like_chunk(header, 0, chunk))
                return false;
    return true;
}

/* A rank may have fewer chunks of tmp than others where their sizes are those of others' data. */
static uint32_t chunks_with_size(const struct schedule_header *header, uint32_t rank)
{
    uint32_t n = header->n_tmp;
    while (schedule_has_own_tmp(header) && n > 0 &&
           schedule_chunk_datum(header, rank, BUFFER_TMP, n - 1) == NO_DATUM)
        n--;
    return n;
}

static void put_like(struct printer *out, const struct schedule_header *header, uint32_t rank,
                     bool is_of_all)
{
    schedule_print_make_room(out);
    schedule_print_put(out, "like");
    if (!is_of_all) {
        put_char(out, ' ');
        schedule_print_put_number(out, rank);
    }
    const uint32_t n_tmp = chunks_with_size(header, rank);
    for (uint32_t chunk = 0, n; chunk < n_tmp; chunk += n) {
        const uint32_t first = schedule_like_chunk(header, rank, chunk);
        const uint32_t owner = schedule_like_rank(header, rank, chunk);
        for (n = 1; chunk + n < n_tmp &&
                    schedule_like_chunk(header, rank, chunk + n) == first + n &&
                    schedule_like_rank(header, rank, chunk + n) == owner; n++)
            ;
        schedule_print_make_room(out);
        put_char(out, ' ');
        if (owner != rank) {
            schedule_print_put_number(out, owner);
            put_char(out, ':');
        }
        put_chunk_range(out, header->tmp_sizes->buffer, first, n);
    }
    put_char(out, '\n');
}

static void put_likes(struct printer *out, const struct schedule_header *header)
{
    bool is_of_all = is_like_of_all(header);
    for (uint32_t rank = 0; rank < (is_of_all ? 1 : header->n_ranks); rank++)
        put_like(out, header, rank, is_of_all);
}

/* A line for each range of chunks of `in` that a rank has, where not all have all; one without any where none
 * has. */
static void put_has(struct printer *out, const struct needs *needs)
{
    bool is_any = false;
    for (uint32_t rank = 0; rank < needs->n_ranks; rank++)
        for (uint32_t chunk = 0, next; chunk < needs->n_in; chunk = next) {
            next = chunk + 1;
            if (!needs_has(needs, rank, chunk))
                continue;
            while (next < needs->n_in && needs_has(needs, rank, next))
                next++;
            schedule_print_make_room(out);
            schedule_print_put(out, "has ");
            schedule_print_put_number(out, rank);
            put_chunks(out, BUFFER_IN, chunk, next - chunk);
            put_char(out, '\n');
            is_any = true;
        }
    if (!is_any)
        schedule_print_put(out, "has\n");
}

/* A line for each term, so that what one chunk needs from several ranks is combined; one without any where
 * nothing is needed. */
static void put_needs(struct printer *out, const struct needs *needs)
{
    if (needs->has)
        put_has(out, needs);
    if (!needs->n_terms)
        schedule_print_put(out, "needs\n");
    for (size_t i = 0; i < needs->n_terms; i++) {
        const struct need_term *term = &needs->terms[i];
        schedule_print_make_room(out);
        schedule_print_put(out, "needs ");
        schedule_print_put_number(out, term->rank);
        put_chunks(out, BUFFER_OUT, term->chunk, term->n);
        put_char(out, ' ');
        schedule_print_put_number(out, term->from);
        if (term->last > term->from) {
            schedule_print_put(out, "..");
            schedule_print_put_number(out, term->last);
        }
        put_char(out, ':');
        put_chunk_range(out, BUFFER_IN, term->from_chunk, term->n);
        put_char(out, '\n');
    }
}

static void put_header(struct printer *out, const struct schedule_header *header)
{
    schedule_print_put(out,
                       header->is_timed ? "collc-schedule 2\ncollective " : "collc-schedule 1\ncollective ");
    schedule_print_put(out, collective_name(header->collective, header->form));
    put_char(out, '\n');
    schedule_print_put_algorithm(out, header->algorithm);
    put_field(out, "ranks", header->n_ranks);
    if (collective_table[header->collective].rooted)
        put_field(out, "root", header->root);
    if (header->segments > 1 || collective_has(header->collective, BUFFER_BUF))
        put_field(out, "segments", header->segments);
    if (header->n_in)
        put_field(out, "in", header->n_in);
    if (header->n_out)
        put_field(out, "out", header->n_out);
    if (header->n_tmp)
        put_field(out, "tmp", header->n_tmp);
    if (header->needs)
        put_needs(out, header->needs);
    if (header->is_ordered)
        schedule_print_put(out, "ordered\n");
    if (header->is_exact)
        schedule_print_put(out, "exact\n");
    if (header->chunk_bytes)
        put_field(out, "chunk-bytes", header->chunk_bytes);
    if (header->counts)
        put_counts(out, header);
    if (header->n_tmp && header->tmp_sizes)
        put_likes(out, header);
    if (header->topology)
        put_topology(out, header);
    if (header->n_networks)
        put_networks(out, header);
    if (header->n_vias > 1)
        put_adapters(out, header);
}

void schedule_print_header(const struct schedule_header *header,
                           bool (*write)(void *context, const char *data, size_t length), void *context)
{
    struct printer *out = mem_alloc(1, sizeof *out);
    out->write = write;
    out->context = context;
    out->header = header;
    put_header(out, header);
    flush(out);
    free(out);
}

static bool schedule_print_is_by_rank(const struct op *ops, size_t n)
{
    size_t i = 1;
    while (i < n && ops[i - 1].rank <= ops[i].rank)
        i++;
    return i >= n;
}

/* Sorts `from` into `to` by the digit at `shift`: a stable counting pass. */
static void sort_pass(const struct op *ops, size_t n, unsigned shift, const uint32_t *from,
                      uint32_t *to)
{
    size_t start[DIGIT_VALUES + 1] = {0};
    for (size_t i = 0; i < n; i++)
        start[(ops[i].rank >> shift & (DIGIT_VALUES - 1)) + 1]++;
    for (unsigned digit = 0; digit < DIGIT_VALUES; digit++)
        start[digit + 1] += start[digit];
    for (size_t i = 0; i < n; i++)
        to[start[ops[from[i]].rank >> shift & (DIGIT_VALUES - 1)]++] = from[i];
}

/* Gives the operations' indices by rank, keeping the order of each rank. */
static const uint32_t *sort_ops(struct printer *out, unsigned which, const struct op *ops, size_t n)
{
    if (schedule_print_is_by_rank(ops, n))
        return NULL;
    out->order[which] = mem_grow(out->order[which], &out->capacity[which], n, sizeof(uint32_t));
    out->order[3] = mem_grow(out->order[3], &out->capacity[3], n, sizeof(uint32_t));
    uint32_t *from = out->order[which], *to = out->order[3], max = 0;
    for (size_t i = 0; i < n; i++) {
        from[i] = (uint32_t)i;
        max = ops[i].rank > max ? ops[i].rank : max;
    }
    for (unsigned shift = 0; shift < 32 && max >> shift; shift += DIGIT_BITS) {
        sort_pass(ops, n, shift, from, to);
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from == out->order[3]) { /* odd number of passes: the rooms change names */
        size_t capacity = out->capacity[3];
        out->order[3] = out->order[which];
        out->capacity[3] = out->capacity[which];
        out->order[which] = from;
        out->capacity[which] = capacity;
    }
    return out->order[which];
}

/* Only a send says which network it takes: a receive takes what comes. */
static void put_network(struct printer *out, const struct op *op)
{
    const struct schedule_header *header = out->header;
    if (header->n_networks && op->kind == OP_SEND && op->network < header->n_networks) {
        schedule_print_put(out, " via ");
        schedule_print_put(out, header->networks[op->network]);
    } else if (!header->n_networks && op->network) {
        schedule_print_put(out, " via ");
        schedule_print_put_number(out, op->network);
    }
}

static void schedule_print_put_time(struct printer *out, const struct op_time *time)
{
    schedule_print_put(out, " at ");
    schedule_print_put_number(out, time->start);
    schedule_print_put(out, "ns until ");
    schedule_print_put_number(out, time->end);
    schedule_print_put(out, "ns");
}

/* time NULL: not said. */
static void schedule_print_put_op(struct printer *out, const struct op *op, const struct op_time *time)
{
    static const char *const verb[] = {" send", " recv", " reduce", " copy", " reduce"};
    if (op_is_local(op) && !op->n_chunks)
        return; /* does nothing and has no spelling */
    schedule_print_make_room(out);
    schedule_print_put_number(out, op->rank);
    schedule_print_put(out, verb[op->kind]);
    if (op->n_chunks && op_is_local(op))
        put_chunks(out, op->buffer, op->chunk, op->n_chunks);
    else if (op->n_chunks)
        put_ranges(out, op);
    if (op_is_local(op)) {
        schedule_print_put(out, " to");
        put_chunks(out, op->to_buffer, op->to_chunk, op->n_chunks);
    } else {
        schedule_print_put(out, op->kind == OP_SEND ? " to " : " from ");
        schedule_print_put_number(out, op->peer);
    }
    put_network(out, op);
    if (time)
        schedule_print_put_time(out, time);
    put_char(out, '\n');
}

/* The operations of one kind still to be printed, by rank. */
struct queue {
    const struct op *ops;
    const uint32_t *order; /* NULL: as they are */
    size_t next, n;
    const struct op_time *times; /* NULL: not said */
};

static size_t queue_at(const struct queue *queue)
{
    return queue->order ? queue->order[queue->next] : queue->next;
}

static const struct op *queue_head(const struct queue *queue)
{
    return queue->next < queue->n ? &queue->ops[queue_at(queue)] : NULL;
}

static void put_step(struct printer *out, const struct step *step)
{
    struct queue queues[3] = {
        {step->copies, sort_ops(out, 0, step->copies, step->n_copies), 0, step->n_copies,
         step->copy_times},
        {step->sends, sort_ops(out, 1, step->sends, step->n_sends), 0, step->n_sends,
         step->send_times},
        {step->receives, sort_ops(out, 2, step->receives, step->n_receives), 0, step->n_receives,
         step->receive_times}};
    const struct op *head[3];
    for (unsigned i = 0; i < 3; i++)
        head[i] = queue_head(&queues[i]);
    put_field(out, "step", step->index);
    while (head[0] || head[1] || head[2]) {
        unsigned least = 3;
        for (unsigned i = 0; i < 3; i++)
            if (head[i] && (least == 3 || head[i]->rank < head[least]->rank))
                least = i;
        uint32_t rank = head[least]->rank;
        for (unsigned i = least; i < 3; i++)
            for (; head[i] && head[i]->rank == rank; head[i] = queue_head(&queues[i])) {
                schedule_print_put_op(out, head[i],
                                      queues[i].times ? &queues[i].times[queue_at(&queues[i])] : NULL);
                queues[i].next++;
            }
    }
}

bool schedule_print(struct schedule *schedule,
                    bool (*write)(void *context, const char *data, size_t length), void *context)
{
    struct printer *out = mem_alloc(1, sizeof *out);
    struct step step;
    out->write = write;
    out->context = context;
    out->header = &schedule->header;
    put_header(out, &schedule->header);
    schedule->rewind(schedule);
    while (!out->failed && schedule->next(schedule, &step))
        put_step(out, &step);
    schedule_print_make_room(out);
    schedule_print_put(out, "end\n");
    flush(out);
    bool done = !out->failed && !schedule->failed;
    for (unsigned i = 0; i < 4; i++)
        free(out->order[i]);
    free(out);
    return done;
}
