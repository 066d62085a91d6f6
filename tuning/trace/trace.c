/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See trace.h.
 */
#include "tuning/trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The reader of a line, and the call that it belongs to. */
struct trace_reader {
    const char *at, *end; /* rest of the line */
    uint32_t line;
    bool failed;
    struct arena *arena;
    struct trace *trace;
    size_t calls_capacity, events_capacity, pieces_capacity;
};

static struct trace_call *trace_current(struct trace_reader *reader)
{
    if (reader->trace->n == 0)
        reader->failed = true;
    return reader->trace->n ? &reader->trace->calls[reader->trace->n - 1] : NULL;
}

/* ---- words ---- */

/* Returns the next word; of no length at the end of the line. */
static const char *trace_word(struct trace_reader *reader, size_t *length)
{
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
    const char *word = reader->at;
    while (reader->at < reader->end && *reader->at != ' ')
        reader->at++;
    *length = (size_t)(reader->at - word);
    return word;
}

/* Returns the number that the next part of a word is, up to ':' or its end. */
static uint64_t trace_part(struct trace_reader *reader, int base, uint64_t most)
{
    char *behind;
    const bool begins =
        reader->at < reader->end && (base == 16 ? strchr("0123456789abcdef", *reader->at) != NULL
                                                : *reader->at >= '0' && *reader->at <= '9');
    const uint64_t value = begins ? strtoull(reader->at, &behind, base) : 0;
    if (!begins || behind > reader->end || value > most || (behind < reader->end && !strchr(" :", *behind))) {
        reader->failed = true;
        return 0;
    }
    reader->at = behind + (*behind == ':' && behind < reader->end);
    return value;
}

static uint64_t trace_number(struct trace_reader *reader, int base, uint64_t most)
{
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
    return trace_part(reader, base, most);
}

static bool trace_is_at_end(struct trace_reader *reader)
{
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
    return reader->at == reader->end;
}

/* ---- pieces ---- */

/* The parts of a piece: its address, its number of elements, and what follows. */
enum piece_form { PIECE_PLACE, PIECE_DATA, PIECE_OP };

/* Reads the pieces of the rest of a line. Returns their number of elements. */
static uint64_t trace_pieces(struct trace_reader *reader, enum piece_form form, size_t *first, size_t *n)
{
    struct trace_call *call = trace_current(reader);
    uint64_t sum = 0;
    *first = call ? call->n_pieces : 0;
    while (call && !reader->failed && !trace_is_at_end(reader)) {
        struct trace_piece piece = {.address = trace_part(reader, 16, UINT64_MAX)};
        if (form == PIECE_OP)
            piece.right_address = trace_part(reader, 16, UINT64_MAX);
        piece.n = trace_part(reader, 10, TRACE_MOST_ELEMENTS);
        if (form != PIECE_PLACE)
            piece.value = trace_part(reader, 16, UINT64_MAX);
        if (form == PIECE_OP)
            piece.right_value = trace_part(reader, 16, UINT64_MAX);
        sum += piece.n;
        reader->failed |= piece.n == 0 || sum > TRACE_MOST_ELEMENTS;
        call->pieces = mem_grow(call->pieces, &reader->pieces_capacity, call->n_pieces + 1, sizeof piece);
        call->pieces[call->n_pieces++] = piece;
    }
    *n = call ? call->n_pieces - *first : 0;
    return sum;
}

/* ---- lines ---- */

static void end_call(struct trace_reader *reader)
{
    struct trace_call *call = reader->trace->n ? &reader->trace->calls[reader->trace->n - 1] : NULL;
    if (!call)
        return;
    call->events = arena_take(call->events, call->n_events, sizeof *call->events, reader->arena);
    call->pieces = arena_take(call->pieces, call->n_pieces, sizeof *call->pieces, reader->arena);
    reader->events_capacity = reader->pieces_capacity = 0;
}

static void line_begins(struct trace_reader *reader)
{
    size_t length;
    if (reader->trace->n && !reader->trace->calls[reader->trace->n - 1].is_over)
        reader->failed = true;
    end_call(reader);
    reader->trace->calls = mem_grow(reader->trace->calls, &reader->calls_capacity, reader->trace->n + 1,
                                    sizeof(struct trace_call));
    struct trace_call *call = &reader->trace->calls[reader->trace->n++];
    *call = (struct trace_call){.n_ranks = (uint32_t)trace_number(reader, 10, 1 << 20),
                                .root = (uint32_t)trace_number(reader, 10, 1 << 20),
                                .elements = trace_number(reader, 10, TRACE_MOST_ELEMENTS)};
    const char *name = trace_word(reader, &length);
    call->collective = arena_strndup(reader->arena, name, length);
}

static void line_buffer(struct trace_reader *reader)
{
    size_t length;
    struct trace_call *call = trace_current(reader);
    const char *name = trace_word(reader, &length);
    const struct trace_area area = {trace_number(reader, 16, UINT64_MAX),
                                    trace_number(reader, 10, TRACE_MOST_ELEMENTS)};
    if (call)
        *(length == 2 && memcmp(name, "in", 2) == 0 ? &call->in : &call->out) = area;
}

static void trace_add_event(struct trace_reader *reader, struct trace_event event)
{
    struct trace_call *call = trace_current(reader);
    if (!call)
        return;
    event.line = reader->line;
    call->events = mem_grow(call->events, &reader->events_capacity, call->n_events + 1, sizeof event);
    call->events[call->n_events++] = event;
}

static const char *trace_key(struct trace_reader *reader)
{
    size_t length;
    const char *word = trace_word(reader, &length);
    if (length == 0)
        reader->failed = true;
    return length == 1 && (*word == '*' || *word == '-') ? NULL : arena_strndup(reader->arena, word, length);
}

static void line_message(struct trace_reader *reader, enum trace_kind kind)
{
    struct trace_event event = {.kind = kind, .id = trace_number(reader, 10, UINT64_MAX)};
    if (kind == TRACE_SEND)
        event.to = (uint32_t)trace_number(reader, 10, 1 << 20);
    event.key = trace_key(reader);
    event.n = trace_number(reader, 10, TRACE_MOST_ELEMENTS);
    const uint64_t n = trace_pieces(reader, kind == TRACE_SEND ? PIECE_DATA : PIECE_PLACE, &event.first_piece,
                                    &event.n_pieces);
    reader->failed |= n != event.n || (kind == TRACE_SEND && !event.key);
    trace_add_event(reader, event);
}

/* Gives a receive from anybody the key with which it ended. */
static void name_receive(struct trace_call *call, uint64_t id, const char *key)
{
    for (size_t i = call->n_events; i-- > 0;)
        if (call->events[i].kind == TRACE_RECV && call->events[i].id == id) {
            call->events[i].key = key;
            return;
        }
}

static void line_done(struct trace_reader *reader)
{
    struct trace_event event = {.kind = TRACE_DONE, .id = trace_number(reader, 10, UINT64_MAX)};
    event.key = trace_key(reader);
    event.n = trace_pieces(reader, PIECE_DATA, &event.first_piece, &event.n_pieces);
    if (event.key && reader->trace->n)
        name_receive(trace_current(reader), event.id, event.key);
    trace_add_event(reader, event);
}

static void line_op(struct trace_reader *reader)
{
    struct trace_event event = {.kind = TRACE_OP, .value = trace_number(reader, 16, UINT64_MAX / 2)};
    event.n = trace_pieces(reader, PIECE_OP, &event.first_piece, &event.n_pieces);
    trace_add_event(reader, event);
}

static void line_ends(struct trace_reader *reader)
{
    struct trace_call *call = trace_current(reader);
    size_t first, n;
    trace_pieces(reader, PIECE_DATA, &first, &n);
    if (!call)
        return;
    call->first_final = first;
    call->n_final = n;
    call->is_over = true;
}

static void read_line(struct trace_reader *reader)
{
    size_t length;
    const char *word = trace_word(reader, &length);
    const char *name = arena_strndup(reader->arena, word, length < 8 ? length : 8);
    if (strcmp(name, "call") == 0)
        line_begins(reader);
    else if (!trace_current(reader) || reader->trace->calls[reader->trace->n - 1].is_over)
        reader->failed = true;
    else if (strcmp(name, "buffer") == 0)
        line_buffer(reader);
    else if (strcmp(name, "send") == 0)
        line_message(reader, TRACE_SEND);
    else if (strcmp(name, "recv") == 0)
        line_message(reader, TRACE_RECV);
    else if (strcmp(name, "done") == 0)
        line_done(reader);
    else if (strcmp(name, "op") == 0)
        line_op(reader);
    else if (strcmp(name, "end") == 0)
        line_ends(reader);
    else if (strcmp(name, "fails") == 0)
        trace_current(reader)->fails = trace_current(reader)->is_over = true;
    else if (strcmp(name, "lost") == 0)
        trace_current(reader)->lost =
            arena_strndup(reader->arena, reader->at, (size_t)(reader->end - reader->at));
    else
        reader->failed = true;
}

bool trace_read(const struct source *source, struct trace *trace, struct arena *arena)
{
    struct trace_reader reader = {.arena = arena, .trace = trace};
    const char *at = source->text, *end = source->text + source->length;
    *trace = (struct trace){0};
    while (at < end && !reader.failed) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        reader.line++;
        reader.at = at;
        reader.end = newline;
        if (newline)
            read_line(&reader);
        reader.failed |= !newline;
        at = newline ? newline + 1 : end;
    }
    if (trace->n && !trace->calls[trace->n - 1].is_over)
        reader.failed = true;
    end_call(&reader);
    trace->calls = arena_take(trace->calls, trace->n, sizeof *trace->calls, arena);
    if (reader.failed)
        trace->problem =
            arena_printf(arena, "the recording of a rank ends in the middle, in line %" PRIu32, reader.line);
    return !reader.failed;
}
