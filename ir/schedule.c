/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of every schedule, however its steps are produced. See schedule.h; schedule_read.c and
 * schedule_print.c have the text form.
 */
#include "network/networks.h"
#include "ir/schedule.h"

#include <string.h>

uint64_t schedule_chunks(const struct schedule_header *header, enum buffer buffer)
{
    if (buffer == BUFFER_TMP)
        return header->n_tmp;
    if (collective_is_pattern(header->collective))
        return buffer == BUFFER_IN ? header->n_in : buffer == BUFFER_OUT ? header->n_out : 0;
    return collective_chunks(header->collective, buffer, header->n_ranks, header->segments);
}

bool schedule_promises(const struct schedule_header *header)
{
    return !collective_is_pattern(header->collective) || header->needs;
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
