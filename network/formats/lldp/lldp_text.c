/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what lldpcli and lldpctl print without -f: a block for each neighbour,
 *
 *   Interface:    eth0, via: LLDP, RID: 1, Time: 0 day, 00:12:07
 *     Chassis:
 *       ChassisID:    mac 02:00:00:00:00:01
 *       SysName:      sw0
 *       Capability:   Bridge, on
 *     Port:
 *       PortID:       ifname Ethernet7
 *       PortDescr:    to rack 1
 *
 * Lines of other names are passed over: there are many, and neighbours send what they like.
 */
#include "base/codes.h"
#include "base/text/lines.h"
#include "network/formats/lldp/lldp.h"

struct text_reader {
    struct lldp *lldp;
    struct lines lines;
    struct lldp_entry entry; /* of the block */
    bool has_entry;
    uint32_t line;           /* where the block begins */
};

static const char *text_keep(struct text_reader *reader, struct slice text)
{
    return arena_strndup(&reader->lldp->diagnostics->arena, text.text, text.length);
}

/* Ends a block. False after reporting that it says of nobody. */
static bool text_end_block(struct text_reader *reader)
{
    struct lldp_entry *entry = &reader->entry;
    if (!reader->has_entry)
        return true;
    reader->has_entry = false;
    if (!*entry->peer_name && !*entry->peer_id) {
        const struct position where = {reader->lines.source, reader->line, 1, 1};
        report(reader->lldp->diagnostics, CODE_T020, where,
               "'%.80s': a neighbour without ChassisID and SysName", entry->interface)
            ->help = "take the output of 'lldpcli show neighbors' again, whole";
        return false;
    }
    if (!*entry->peer_id)
        entry->peer_id = entry->peer_name;
    lldp_add_entry(reader->lldp, *entry);
    return true;
}

/* Takes "Bridge, on": true for a system that forwards. */
static bool is_forwarding_text(struct slice value)
{
    const struct slice name = slice_trim(slice_take_until(&value, ','));
    const bool forwards = slice_is(name, "Bridge") || slice_is(name, "Router");
    return forwards && slice_is(slice_trim(value), "on");
}

static void text_read_value(struct text_reader *reader, struct slice key, struct slice value)
{
    struct lldp_entry *entry = &reader->entry;
    struct slice rest = value;
    if (slice_is(key, "ChassisID")) {
        slice_take_word(&rest); /* its kind */
        entry->peer_id = text_keep(reader, slice_trim(rest));
    } else if (slice_is(key, "SysName")) {
        entry->peer_name = text_keep(reader, value);
    } else if (slice_is(key, "Capability")) {
        entry->peer_forwards = entry->peer_forwards || is_forwarding_text(value);
    } else if (slice_is(key, "PortID")) {
        entry->is_port_interface = slice_is(slice_take_word(&rest), "ifname");
        entry->port = text_keep(reader, slice_trim(rest));
    } else if (slice_is(key, "PortDescr")) {
        entry->port_description = text_keep(reader, value);
    }
}

static bool text_read_line(struct text_reader *reader, uint32_t system)
{
    struct slice line = lines_rest(&reader->lines);
    const struct slice key = slice_trim(slice_take_until(&line, ':')), value = slice_trim(line);
    if (!slice_is(key, "Interface")) {
        if (reader->has_entry)
            text_read_value(reader, key, value);
        return true;
    }
    line = value;
    const struct slice interface = slice_trim(slice_take_until(&line, ','));
    if (!text_end_block(reader))
        return false;
    reader->has_entry = true;
    reader->line = reader->lines.line;
    reader->entry = (struct lldp_entry){.system = system, .interface = text_keep(reader, interface),
                                        .peer_name = "", .peer_id = "", .port = "", .port_description = ""};
    return true;
}

bool lldp_is_text(const struct source *source)
{
    struct lines lines;
    bool has_title = false;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        const struct slice line = slice_trim(lines_rest(&lines));
        has_title = has_title || slice_is(line, "LLDP neighbors:");
        if (slice_starts(line, "Interface:") && (has_title || lines_take_after(&lines, "via: LLDP")))
            return true;
    }
    return false;
}

bool lldp_read_text(struct lldp *lldp, uint32_t system, const struct source *source)
{
    struct text_reader reader = {.lldp = lldp};
    lines_open(&reader.lines, source, lldp->diagnostics);
    while (lines_next(&reader.lines))
        if (!text_read_line(&reader, system))
            return false;
    return text_end_block(&reader);
}
