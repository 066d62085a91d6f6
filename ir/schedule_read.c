/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a schedule file (docs/schedule-format.md) into memory: the operations
 * of all steps in three arrays (copies, sends, receives) and for each step
 * where its part begins. Memory is proportional to the text. Every error of
 * the file is reported; after one, reading goes on with the next line.
 */
#include "network/networks.h"
#include "base/codes.h"
#include "ir/schedule_sizes.h"

#include <stdlib.h>
#include <string.h>

struct op_array {
    struct op *ops;
    struct op_time *times; /* of each, if the file has times */
    size_t n, capacity, time_capacity;
};

struct step_start {
    size_t copies, sends, receives;
};

struct listing {
    struct schedule schedule; /* first: the functions below get a pointer to it */
    struct op_array copies, sends, receives;
    struct step_start *steps; /* n_steps + 1 entries once read */
    size_t n_steps, capacity, next_step;
    uint32_t *machine;
    struct chunk_sets sets; /* of all steps */
    struct arena arena;
};

struct reader {
    struct scanner scanner;
    struct listing *listing;
    uint64_t n_chunks[N_BUFFERS];
    uint64_t next_number; /* of the next step */
};

static void schedule_read_push_op(struct op_array *array, const struct op *op, const struct op_time *time)
{
    if (time) {
        array->times =
            mem_grow(array->times, &array->time_capacity, array->n + 1, sizeof *array->times);
        array->times[array->n] = *time;
    }
    array->ops = mem_grow(array->ops, &array->capacity, array->n + 1, sizeof *array->ops);
    array->ops[array->n++] = *op;
}

static void push_step(struct listing *listing)
{
    listing->steps = mem_grow(listing->steps, &listing->capacity, listing->n_steps + 2,
                              sizeof *listing->steps);
    listing->steps[listing->n_steps++] =
        (struct step_start){listing->copies.n, listing->sends.n, listing->receives.n};
}

static bool read_rank(struct reader *reader, const char *what, uint32_t *rank)
{
    const char *from = reader->scanner.at;
    uint64_t number;
    if (!scan_number(&reader->scanner, what, &number))
        return false;
    *rank = (uint32_t)number;
    if (number < reader->listing->schedule.header.n_ranks)
        return true;
    scan_error(&reader->scanner, CODE_S003, from, "%s is %llu, but there are %u ranks", what,
               (unsigned long long)number, reader->listing->schedule.header.n_ranks);
    return false;
}

/* in, out, buf or tmp; N_BUFFERS if none follows. */
static unsigned scan_buffer(struct scanner *scanner)
{
    unsigned buffer = 0;
    while (buffer < N_BUFFERS && !scan_word(scanner, buffer_name[buffer]))
        buffer++;
    return buffer;
}

static bool schedule_read_check_chunks(struct reader *reader, const char *from, unsigned buffer,
                                       uint64_t first, uint64_t last)
{
    uint64_t size = reader->n_chunks[buffer];
    if (last < first)
        scan_error(&reader->scanner, CODE_S003, from, "range %llu..%llu is empty",
                   (unsigned long long)first, (unsigned long long)last)
            ->help = "leave the chunks out to send a message without data";
    else if (size == 0)
        scan_error(&reader->scanner, CODE_S003, from, "this schedule has no buffer '%s'",
                   buffer_name[buffer])
            ->help = "a line 'tmp N' in the header declares scratch chunks; the other buffers are "
                     "those of the collective";
    else if (last >= size)
        scan_error(&reader->scanner, CODE_S003, from,
                   "chunk %llu of '%s' is outside its %llu chunks", (unsigned long long)last,
                   buffer_name[buffer], (unsigned long long)size);
    else
        return true;
    return false;
}

/* BUFFER[ */
static bool read_buffer(struct reader *reader, uint8_t *buffer)
{
    struct scanner *scanner = &reader->scanner;
    const char *from = scanner->at;
    *buffer = (uint8_t)scan_buffer(scanner);
    if (*buffer < N_BUFFERS && scan_char(scanner, '['))
        return true;
    scan_error(scanner, CODE_S001, from, "expected chunks, such as in[3] or buf[0..7]");
    return false;
}

/* A range of a buffer: its chunks, or those from `first` to `last` with a step. */
struct named_range {
    uint64_t first, last;
    uint64_t step; /* 0: all of them */
};

static bool check_range(struct reader *reader, const char *from, uint8_t buffer,
                        const struct named_range *range)
{
    const bool is_down = range->step && range->last < range->first;
    return schedule_read_check_chunks(reader, from, buffer, is_down ? range->last : range->first,
                                      is_down ? range->first : range->last);
}

/* by STEP, behind FIRST..LAST: single chunks */
static bool read_stride(struct reader *reader, const char *from, struct named_range *range)
{
    struct scanner *scanner = &reader->scanner;
    const bool is_down = scan_char(scanner, '-');
    if (!scan_number(scanner, "the step of the range", &range->step))
        return false;
    const uint64_t far = is_down ? range->first - range->last : range->last - range->first;
    if (range->step > 0 && far > 0 && far <= SCHEDULE_MAX_CHUNKS && far % range->step == 0)
        return true;
    scan_error(scanner, CODE_S003, from, "the range does not end at its last chunk")->help =
        "a range with steps ends at a chunk that it has: 1..7 by 2, or 7..1 by -2";
    return false;
}

/* FIRST, FIRST..LAST, or FIRST..LAST by STEP */
static bool schedule_read_range(struct reader *reader, const char *from, struct named_range *range)
{
    struct scanner *scanner = &reader->scanner;
    if (!scan_number(scanner, "a chunk", &range->first))
        return false;
    range->last = range->first;
    range->step = 0;
    if (scan_char(scanner, '.') &&
        (!scan_char(scanner, '.') || !scan_number(scanner, "the last chunk", &range->last))) {
        scan_error(scanner, CODE_S001, from, "expected a range, such as buf[0..7]");
        return false;
    }
    return range->last == range->first || !scan_word(scanner, "by") || read_stride(reader, from, range);
}

static bool end_chunks(struct scanner *scanner)
{
    if (!scan_char(scanner, ']')) {
        scan_error(scanner, CODE_S001, scanner->at, "expected ']'");
        return false;
    }
    return true;
}

/* ] behind a range that is all of the chunks */
static bool end_range(struct reader *reader, const char *from, uint8_t buffer,
                      const struct named_range *range)
{
    if (!end_chunks(&reader->scanner) || !check_range(reader, from, buffer, range))
        return false;
    scan_blanks(&reader->scanner);
    return true;
}

/* BUFFER[FIRST] or BUFFER[FIRST..LAST] */
static bool schedule_read_chunks(struct reader *reader, uint8_t *buffer, uint32_t *chunk, uint32_t *n_chunks)
{
    const char *from = reader->scanner.at;
    struct named_range range;
    if (!read_buffer(reader, buffer) || !schedule_read_range(reader, from, &range))
        return false;
    if (range.step || *reader->scanner.at == ',') {
        scan_error(&reader->scanner, CODE_S001, from, "a copy from or to chunks that do not lie in a row")
            ->help = "only the chunks of a message may be a set";
        return false;
    }
    *chunk = (uint32_t)range.first;
    *n_chunks = (uint32_t)(range.last - range.first + 1);
    return end_range(reader, from, *buffer, &range);
}

static bool fail_twice(struct reader *reader, const char *from, uint8_t buffer)
{
    scan_error(&reader->scanner, CODE_S003, from, "a chunk of '%s' is twice in a message",
               buffer_name[buffer])
        ->help = "a message has each chunk once";
    return false;
}

/* The set of a message, up to its end. */
static bool end_set(struct reader *reader, const char *from, size_t first, struct op *op)
{
    const struct schedule_header *header = &reader->listing->schedule.header;
    uint32_t twice;
    if (!chunk_sets_end(header->sets, first, op)) {
        scan_error(&reader->scanner, CODE_S003, from, "the sets of chunks have more than 2^32 ranges");
        return false;
    }
    if (op->is_set && chunk_set_overlaps(header, op, &twice))
        return fail_twice(reader, from, op->buffer);
    scan_blanks(&reader->scanner);
    return true;
}

/* Appends the chunks of a range that the buffer has. */
static uint64_t append_range(struct chunk_sets *sets, size_t first, const struct named_range *range)
{
    const bool is_down = range->last < range->first;
    const uint64_t far = is_down ? range->first - range->last : range->last - range->first;
    if (!range->step)
        chunk_sets_append(sets, first, (uint32_t)range->first, (uint32_t)far + 1);
    for (uint64_t k = 0; range->step && k <= far; k += range->step)
        chunk_sets_append(sets, first, (uint32_t)(is_down ? range->first - k : range->first + k), 1);
    return range->step ? far / range->step + 1 : far + 1;
}

/* BUFFER[RANGE {, RANGE}] */
static bool schedule_read_set(struct reader *reader, struct op *op)
{
    struct scanner *scanner = &reader->scanner;
    struct chunk_sets *sets = reader->listing->schedule.header.sets;
    const size_t first = sets->n;
    const char *from = scanner->at;
    struct named_range range;
    uint64_t n_chunks = 0;
    if (!read_buffer(reader, &op->buffer) || !schedule_read_range(reader, from, &range))
        return false;
    op->chunk = (uint32_t)range.first;
    op->n_chunks = (uint32_t)(range.last - range.first + 1);
    if (!range.step && *scanner->at != ',')
        return end_range(reader, from, op->buffer, &range);
    for (;;) {
        if (!check_range(reader, from, op->buffer, &range))
            return false;
        n_chunks += append_range(sets, first, &range);
        if (n_chunks > reader->n_chunks[op->buffer])
            return fail_twice(reader, from, op->buffer);
        if (!scan_char(scanner, ','))
            break;
        scan_blanks(scanner);
        if (!schedule_read_range(reader, from, &range))
            return false;
    }
    op->n_chunks = (uint32_t)n_chunks;
    return end_chunks(scanner) && end_set(reader, from, first, op);
}

/* LABEL, one of those in the header */
static bool read_label(struct reader *reader, struct op *op)
{
    struct scanner *scanner = &reader->scanner;
    const struct schedule_header *header = &reader->listing->schedule.header;
    const char *from = scanner->at;
    op->network = 0;
    while (op->network < header->n_networks &&
           !scan_word(scanner, header->networks[op->network]))
        op->network++;
    if (op->network < header->n_networks)
        return true;
    scan_error(scanner, CODE_S003, from, "no such network in the header")->help =
        "the line 'networks' in the header has the labels; leave 'via' out for the network that "
        "the topology chooses";
    return false;
}

static bool schedule_read_network(struct reader *reader, struct op *op)
{
    struct scanner *scanner = &reader->scanner;
    const char *from = scanner->at;
    uint64_t network;
    bool is_named = reader->listing->schedule.header.n_networks > 0;
    op->network = is_named && op->kind == OP_SEND ? NO_NETWORK : 0;
    if (!scan_word(scanner, "via"))
        return true;
    if (is_named && op->kind == OP_SEND)
        return read_label(reader, op);
    if (is_named) {
        scan_error(scanner, CODE_S001, from, "'via' at a receive")->help =
            "only a send says which network it takes; a receive takes what comes";
        return false;
    }
    if (!scan_number(scanner, "a network", &network))
        return false;
    op->network = (uint8_t)network;
    if (network > 0 && network <= UINT8_MAX)
        return true;
    scan_error(scanner, CODE_S003, from, "network must be between 1 and 255")->help =
        "leave 'via' out for network 0";
    return false;
}

/* to CHUNKS, after the chunks read */
static bool read_written(struct reader *reader, const char *from, struct op *op)
{
    struct scanner *scanner = &reader->scanner;
    uint32_t n_written;
    if (!scan_word(scanner, "to")) {
        scan_error(scanner, CODE_S001, scanner->at, "expected 'to' and the chunks written");
        return false;
    }
    if (!schedule_read_chunks(reader, &op->to_buffer, &op->to_chunk, &n_written))
        return false;
    if (n_written == op->n_chunks)
        return true;
    scan_error(scanner, CODE_S003, from, "%s of %u chunk%s to %u",
               op->kind == OP_COPY ? "copy" : "reduce", op->n_chunks, plural(op->n_chunks), n_written);
    return false;
}

/* [CHUNKS] to|from RANK [via NETWORK]; or, of a reduce, CHUNKS to CHUNKS */
static bool read_message(struct reader *reader, struct op *op)
{
    struct scanner *scanner = &reader->scanner;
    const char *word = op->kind == OP_SEND ? "to" : "from", *from = scanner->at;
    if (!scan_word(scanner, word)) {
        struct scanner ahead;
        if (!schedule_read_set(reader, op))
            return false;
        ahead = *scanner;
        if (op->kind == OP_REDUCE && scan_word(&ahead, "to")) {
            if (op->is_set) {
                scan_error(scanner, CODE_S001, from, "a reduce of chunks that do not lie in a row")->help =
                    "only the chunks of a message may be a set";
                return false;
            }
            op->kind = OP_COMBINE;
            return read_written(reader, from, op);
        }
        if (!scan_word(scanner, word)) {
            scan_error(scanner, CODE_S001, scanner->at, "expected '%s' and a rank", word);
            return false;
        }
    }
    return read_rank(reader, "the peer", &op->peer) && schedule_read_network(reader, op);
}

/* CHUNKS to CHUNKS */
static bool schedule_read_copy(struct reader *reader, struct op *op)
{
    const char *from = reader->scanner.at;
    return schedule_read_chunks(reader, &op->buffer, &op->chunk, &op->n_chunks) &&
           read_written(reader, from, op);
}

/* The rank of a gather or scatter that has no such buffer. */
static bool schedule_read_check_has(struct reader *reader, const char *from, const struct op *op,
                                    uint8_t buffer)
{
    const struct schedule_header *header = &reader->listing->schedule.header;
    if (!op->n_chunks || schedule_has(header, op->rank, buffer))
        return true;
    scan_error(&reader->scanner, CODE_E011, from, "rank %u has no '%s' in a %s with root %u",
               op->rank, buffer_name[buffer], collective_table[header->collective].name,
               header->root)
        ->help = "only the root has it; scratch data goes to 'tmp'";
    return false;
}

/* `in` is only read, and only reducing collectives combine. */
static bool check_meaning(struct reader *reader, const char *from, const struct op *op)
{
    enum collective collective = reader->listing->schedule.header.collective;
    uint8_t written = op_is_local(op) ? op->to_buffer : op->buffer;
    if (op->kind != OP_SEND && op->n_chunks && written == BUFFER_IN) {
        scan_error(&reader->scanner, CODE_E011, from,
                   "'in' cannot be written, it is the user's input")
            ->help = "the result goes to 'out', scratch data to 'tmp'";
        return false;
    }
    bool combines = op->kind == OP_REDUCE || op->kind == OP_COMBINE;
    if (combines && !collective_table[collective].reduces) {
        scan_error(&reader->scanner, CODE_E011, from, "'%s' combines no data",
                   collective_table[collective].name)
            ->help = op->kind == OP_REDUCE ? "use recv" : "use copy";
        return false;
    }
    return schedule_read_check_has(reader, from, op, op->buffer) &&
           schedule_read_check_has(reader, from, op, written);
}

/* NUMBER ns */
static bool read_ns(struct scanner *scanner, uint64_t *ns)
{
    const char *from = scanner->at;
    if (!scan_number(scanner, "a time", ns))
        return false;
    if (*ns > OP_TIME_MAX) {
        scan_error(scanner, CODE_S003, from, "the time is above 2^62 ns");
        return false;
    }
    if (scan_word(scanner, "ns"))
        return true;
    scan_error(scanner, CODE_S001, scanner->at, "expected 'ns'")->help =
        "times are whole nanoseconds: at 1200ns until 2400ns";
    return false;
}

/* at TIME until TIME, in a file that has times */
static bool read_time(struct reader *reader, struct op_time *time)
{
    struct scanner *scanner = &reader->scanner;
    const char *from = scanner->at;
    const bool is_timed = reader->listing->schedule.header.is_timed, is_at = scan_word(scanner, "at");
    if (!is_timed && !is_at)
        return true;
    if (!is_timed) {
        scan_error(scanner, CODE_S001, from, "a time in a file without times")->help =
            "the first line of a file with times is: collc-schedule 2";
        return false;
    }
    if (!is_at) {
        scan_error(scanner, CODE_S001, from, "expected 'at' and the time of the operation")->help =
            "in version 2 of the format every operation ends in: at 1200ns until 2400ns";
        return false;
    }
    if (!read_ns(scanner, &time->start))
        return false;
    if (scan_word(scanner, "until"))
        return read_ns(scanner, &time->end);
    scan_error(scanner, CODE_S001, scanner->at, "expected 'until' and the end of the operation");
    return false;
}

static void read_op(struct reader *reader)
{
    struct scanner *scanner = &reader->scanner;
    struct listing *listing = reader->listing;
    struct op op = {.line = scanner->line};
    struct op_time time = {0, 0};
    const char *from = scanner->at;
    bool done = false;
    if (!read_rank(reader, "the rank", &op.rank))
        return;
    if (scan_word(scanner, "send")) {
        op.kind = OP_SEND;
        done = read_message(reader, &op);
    } else if (scan_word(scanner, "recv")) {
        op.kind = OP_RECV;
        done = read_message(reader, &op);
    } else if (scan_word(scanner, "reduce")) {
        op.kind = OP_REDUCE;
        done = read_message(reader, &op);
    } else if (scan_word(scanner, "copy")) {
        op.kind = OP_COPY;
        done = schedule_read_copy(reader, &op);
    } else {
        scan_error(scanner, CODE_S001, scanner->at, "expected send, recv, reduce or copy");
    }
    if (!done || !read_time(reader, &time) || !scan_end_of_line(scanner) || !check_meaning(reader, from, &op))
        return;
    struct op_array *array = op.kind == OP_SEND ? &listing->sends : &listing->receives;
    schedule_read_push_op(op_is_local(&op) ? &listing->copies : array, &op,
                          listing->schedule.header.is_timed ? &time : NULL);
}

static void schedule_read_step(struct reader *reader)
{
    struct scanner *scanner = &reader->scanner;
    const char *from = scanner->at;
    uint64_t number, expected = reader->next_number;
    push_step(reader->listing);
    if (!scan_number(scanner, "the number of the step", &number))
        return;
    reader->next_number = number + 1;
    if (number != expected)
        scan_error(scanner, CODE_S003, from, "step %llu where step %llu is due",
                   (unsigned long long)number, (unsigned long long)expected)
            ->help = "steps are numbered 0, 1, 2 ... in the order of the file";
    else
        scan_end_of_line(scanner);
}

/* Steps up to `end`. */
static void schedule_read_steps(struct reader *reader)
{
    struct scanner *scanner = &reader->scanner;
    for (; scan_line(scanner); scan_skip_line(scanner)) {
        if (*scanner->at >= '0' && *scanner->at <= '9' && reader->listing->n_steps)
            read_op(reader);
        else if (scan_word(scanner, "step"))
            schedule_read_step(reader);
        else if (scan_word(scanner, "end"))
            return;
        else
            scan_error(scanner, CODE_S001, scanner->at,
                       reader->listing->n_steps ? "expected an operation, 'step' or 'end'"
                                                : "expected 'step 0'")
                ->help = "an operation is: RANK send|recv|reduce|copy ...";
    }
    scan_error(scanner, CODE_S001, scanner->at, "file ends without 'end'")->help =
        "the file was cut short: write or copy it again";
}

/* See SCHEDULE_MAX_IDLE_RANKS. */
static void schedule_read_check_ranks(struct reader *reader)
{
    const struct listing *listing = reader->listing;
    uint32_t n_ranks = listing->schedule.header.n_ranks;
    size_t n = listing->copies.n + listing->sends.n + listing->receives.n;
    if (n_ranks <= SCHEDULE_MAX_IDLE_RANKS || n >= n_ranks || reader->scanner.failed)
        return;
    scan_error(&reader->scanner, CODE_S003, reader->scanner.at, "%u ranks, but %zu operations",
               n_ranks, n)
        ->help = "beyond 65536 ranks a schedule has at least one operation for each: correct "
                 "'ranks' in the header";
}

static void read_rest(struct reader *reader)
{
    schedule_read_check_ranks(reader);
    struct scanner *scanner = &reader->scanner;
    if (scan_end_of_line(scanner)) {
        scan_skip_line(scanner);
        if (scan_line(scanner))
            scan_error(scanner, CODE_S001, scanner->at, "text after 'end'");
    }
    push_step(reader->listing);
    reader->listing->n_steps--; /* that one only marks where the last step ends */
}

static const struct op *ops_from(const struct op_array *array, size_t first)
{
    return array->ops ? array->ops + first : NULL;
}

static const struct op_time *times_from(const struct op_array *array, size_t first)
{
    return array->times ? array->times + first : NULL;
}

static bool listing_next(struct schedule *schedule, struct step *step)
{
    struct listing *listing = (struct listing *)schedule;
    if (listing->next_step >= listing->n_steps)
        return false;
    const struct step_start *at = &listing->steps[listing->next_step], *end = at + 1;
    *step = (struct step){.index = listing->next_step++,
                          .sends = ops_from(&listing->sends, at->sends),
                          .n_sends = end->sends - at->sends,
                          .receives = ops_from(&listing->receives, at->receives),
                          .n_receives = end->receives - at->receives,
                          .copies = ops_from(&listing->copies, at->copies),
                          .n_copies = end->copies - at->copies,
                          .send_times = times_from(&listing->sends, at->sends),
                          .receive_times = times_from(&listing->receives, at->receives),
                          .copy_times = times_from(&listing->copies, at->copies)};
    return true;
}

static void listing_rewind(struct schedule *schedule)
{
    ((struct listing *)schedule)->next_step = 0;
}

static void listing_destroy(struct schedule *schedule)
{
    struct listing *listing = (struct listing *)schedule;
    free(listing->copies.ops);
    free(listing->sends.ops);
    free(listing->receives.ops);
    free(listing->sets.rows);
    free(listing->copies.times);
    free(listing->sends.times);
    free(listing->receives.times);
    free(listing->steps);
    free(listing->machine);
    schedule_sizes_free(&listing->schedule.header);
    needs_free(listing->schedule.header.needs);
    arena_free(&listing->arena);
    free(listing);
}

bool schedule_is_file(const struct source *source)
{
    static const char first_word[] = "collc-schedule";
    const char *text = source->text;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    while (text += strspn(text, " \t\r\n"), *text == '#')
        text += strcspn(text, "\n");
    return strncmp(text, first_word, strlen(first_word)) == 0;
}

struct schedule *schedule_read(const struct source *source, struct diagnostics *diagnostics)
{
    if (!source_check_utf8(source, diagnostics))
        return NULL;
    struct listing *listing = mem_alloc(1, sizeof *listing);
    listing->sets.is_kept = true;
    listing->schedule = (struct schedule){.source = source,
                                          .next = listing_next,
                                          .rewind = listing_rewind,
                                          .destroy = listing_destroy};
    struct reader reader = {
        .scanner = {source, source->text, source->text, 1, &listing->arena, diagnostics, false},
        .listing = listing};
    if (strncmp(source->text, "\xEF\xBB\xBF", 3) == 0)
        reader.scanner.at += 3; /* a byte order mark */
    if (scan_header(&reader.scanner, &listing->schedule.header, &listing->machine)) {
        listing->schedule.header.sets = &listing->sets;
        for (unsigned buffer = 0; buffer < N_BUFFERS; buffer++)
            reader.n_chunks[buffer] = schedule_chunks(&listing->schedule.header, buffer);
        schedule_read_steps(&reader);
        read_rest(&reader);
    }
    if (!reader.scanner.failed)
        return &listing->schedule;
    listing_destroy(&listing->schedule);
    return NULL;
}
