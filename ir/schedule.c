/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of every schedule, however its steps are produced. See schedule.h; schedule_read.c and
 * schedule_print.c have the text form.
 */
#include "base/text/units.h"
#include "network/networks.h"
#include "ir/schedule.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

uint64_t schedule_chunks(const struct schedule_header *header, enum buffer buffer)
{
    if (buffer == BUFFER_TMP)
        return header->n_tmp;
    if (collective_is_said(header->collective))
        return buffer == BUFFER_IN ? header->n_in : buffer == BUFFER_OUT ? header->n_out : 0;
    return collective_chunks(header->collective, buffer, header->n_ranks, header->segments);
}

bool schedule_promises(const struct schedule_header *header)
{
    return !collective_is_said(header->collective) || header->needs;
}

bool schedule_has(const struct schedule_header *header, uint32_t rank, uint8_t buffer)
{
    return rank == header->root || !collective_at_root(header->collective, (enum buffer)buffer);
}

bool schedule_in_place(const struct schedule_header *header, uint32_t rank, uint32_t *in,
                       uint32_t *out)
{
    const struct collective_info *info = &collective_table[header->collective];
    const bool has_all = !info->rooted || rank == header->root;
    const bool is_in_place = info->numbering == NUMBERED_RANKS && has_all && !info->reduces;
    const bool is_gathered = is_in_place && info->before == HELD_EACH;
    *in = is_gathered ? 0 : rank * header->segments;
    *out = is_gathered ? rank * header->segments : 0;
    return is_in_place;
}

/* Returns the text of line number `line`, or NULL. */
static const char *schedule_find_line(const struct source *source, uint32_t line)
{
    const char *at = source->text, *end = at + source->length;
    while (at && --line > 0) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return at;
}

/* Finding a line is linear in the source. Algorithms are short; in a schedule
 * file of many megabytes the line number alone has to do. */
enum { POSITION_SCAN_LIMIT = 1 << 20 };

static uint32_t schedule_via_number(const char **name)
{
    uint32_t number = NO_NEXT_LINK;
    if (parse_count(slice_of(*name), &number) == VALUE_OK)
        *name = NULL;
    return number;
}

struct schedule_via schedule_via_of(const char *out, const char *in)
{
    struct schedule_via via = {.out = out, .in = in};
    via.out_number = schedule_via_number(&via.out);
    via.in_number = schedule_via_number(&via.in);
    return via;
}

bool schedule_networks(const struct schedule_header *header, const struct topology *topology,
                       uint8_t network[256])
{
    memset(network, NO_NETWORK, 256);
    if (topology_n_networks(topology) == 1)
        return false;
    for (uint32_t i = 0; i < header->n_networks; i++) {
        uint32_t found = topology_find_network(topology, header->networks[i]);
        network[i] = found == NO_NETWORK ? NETWORK_UNKNOWN : (uint8_t)found;
    }
    return true;
}

struct position schedule_line(const struct source *source, uint32_t line)
{
    struct position position = {source, line, 1, 1};
    if (!source || !line)
        return (struct position){0};
    const char *text = source->length <= POSITION_SCAN_LIMIT ? schedule_find_line(source, line) : NULL;
    if (!text)
        return position;
    size_t indent = strspn(text, " \t");
    size_t length = strcspn(text + indent, "#\r\n");
    while (length > 1 && strchr(" \t", text[indent + length - 1]))
        length--;
    position.column = (uint32_t)indent + 1;
    position.length = length ? (uint32_t)length : 1;
    return position;
}

struct position schedule_position(const struct schedule *schedule, const struct op *op)
{
    return schedule_line(schedule->source, op->line);
}

/* --- sets ---------------------------------------------------------------- */

void chunk_sets_clear(struct chunk_sets *sets)
{
    if (!sets->is_kept)
        sets->n = 0;
}

void chunk_sets_reserve(struct chunk_sets *sets, size_t n)
{
    sets->rows = mem_grow(sets->rows, &sets->capacity, sets->n + n, sizeof *sets->rows);
}

/* Makes the last range, a row by itself, the next one of the row before, if it is that. */
static void fold_row(struct chunk_sets *sets, size_t first)
{
    if (sets->n < first + 2)
        return;
    struct chunk_row *row = &sets->rows[sets->n - 2];
    const struct chunk_row *last = row + 1;
    const int64_t apart = (int64_t)last->chunk - row->chunk;
    if (row->n_chunks != last->n_chunks || (row->n > 1 && apart != (int64_t)row->step * row->n))
        return;
    if (row->n == 1)
        row->step = (int32_t)apart;
    row->n++;
    sets->n--;
}

void chunk_sets_append(struct chunk_sets *sets, size_t first, uint32_t chunk, uint32_t n)
{
    struct chunk_row *last = sets->n > first ? &sets->rows[sets->n - 1] : NULL;
    if (last && chunk == (uint64_t)last->chunk + last->n_chunks) {
        last->n_chunks += n;
        return;
    }
    fold_row(sets, first);
    if (sets->n == sets->capacity)
        chunk_sets_reserve(sets, 1);
    sets->rows[sets->n++] = (struct chunk_row){chunk, n, 1, 0};
}

bool chunk_sets_end(struct chunk_sets *sets, size_t first, struct op *op)
{
    fold_row(sets, first);
    op->chunk = (uint32_t)first;
    op->is_set = sets->n > first + 1 || (sets->n > first && (sets->has_all || sets->rows[first].n > 1));
    if (!op->is_set && sets->n > first) {
        op->chunk = sets->rows[first].chunk;
        sets->n = first;
    }
    return sets->n <= UINT32_MAX;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct chunk_row *x = a, *y = b;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

/* True if ranges go up, or down, around the end of a buffer once at most: then none overlap. */
static bool goes_one_way(struct op_ranges ranges)
{
    if (!op_ranges_next(&ranges))
        return true;
    const uint64_t first = ranges.chunk, first_end = first + ranges.n;
    uint64_t begin = first, end = first_end;
    bool goes_up = true, goes_down = true, has_fallen = false, has_risen = false;
    while ((goes_up || goes_down) && op_ranges_next(&ranges)) {
        const uint64_t next = ranges.chunk, next_end = next + ranges.n;
        const bool falls = next < end, rises = next_end > begin;
        goes_up = goes_up && !(falls && has_fallen) && (!(falls || has_fallen) || next_end <= first);
        goes_down = goes_down && !(rises && has_risen) && (!(rises || has_risen) || next >= first_end);
        has_fallen = has_fallen || falls;
        has_risen = has_risen || rises;
        begin = next;
        end = next_end;
    }
    return goes_up || goes_down;
}

bool chunk_set_overlaps(const struct schedule_header *header, const struct op *op, uint32_t *twice)
{
    struct op_ranges ranges = op_ranges(header, op);
    struct chunk_row *sorted = NULL;
    size_t n = 0, capacity = 0;
    bool is_found = false;
    if (goes_one_way(ranges))
        return false;
    while (op_ranges_next(&ranges)) {
        sorted = mem_grow(sorted, &capacity, n + 1, sizeof *sorted);
        sorted[n++] = (struct chunk_row){ranges.chunk, ranges.n, 1, 0};
    }
    qsort(sorted, n, sizeof *sorted, compare_ranges);
    for (size_t i = 1; i < n && !is_found; i++) {
        is_found = sorted[i].chunk < (uint64_t)sorted[i - 1].chunk + sorted[i - 1].n_chunks;
        *twice = sorted[i].chunk;
    }
    free(sorted);
    return is_found;
}
