/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads forwarding tables as text. Four tools write them, and one grammar covers them all: a heading that
 * names a switch, then a line per LID,
 *
 *   Unicast lids [0-25] of switch Lid 2 guid 0x0002c90300000000 ('sw0'):
 *   0x0001 001 # Channel Adapter portguid 0x0002c90400000001: 'node000 HCA-1'
 *   0x0003 017 : (Switch portguid 0x0002c90300000010: 'sw1')
 *   dump_ucast_routes: Switch 0x0002c90300000000
 *   0x0001 : 001  : 01   : yes
 *   0x0004 : UNREACHABLE
 *
 * The port is followed by free text, of which only a port GUID is used. A line of another form that the
 * tools are not known to print is an error: half a table is worse than none.
 */
#include "network/formats/opensm/lft.h"
#include "base/text/excerpt.h"
#include "base/text/windows.h"
#include "network/formats/infiniband/messages.h"

#include "base/codes.h"

/* True for lines without content. */
static bool is_noise(struct lines *lines)
{
    static const char *const starts[] = {"#", "LID ", "Lid ", "Port ", "***", NULL};
    lines_skip_blanks(lines);
    for (int i = 0; starts[i]; i++)
        if (lines_starts(lines, starts[i]))
            return true;
    return lines_at_end(lines) || infiniband_is_message(lines);
}

/* True for "134 valid lids dumped"; "25 lids dumped" also counts LIDs that opensm did not print. */
static bool is_trailer(struct lines *lines, uint32_t *n, bool *counts)
{
    const char *start = lines->at;
    bool is_number = lines_take_decimal(lines, n);
    lines_skip_blanks(lines);
    *counts = lines_take_text(lines, "valid ");
    bool is_it = is_number && lines_starts(lines, "lids dumped");
    lines->at = start;
    return is_it;
}

struct table_reader {
    struct lines lines;
    const struct lft_listener *listener;
    bool has_table; /* a heading was read */
    bool is_open;   /* and no trailer after it */
    uint32_t n_closed; /* tables with a trailer */
    uint32_t n_entries;
    struct position first, last; /* lines: the first one; the last one, while a table is open */
};

static void lft_read_heading(struct table_reader *reader, const char *guid_word)
{
    struct lines *lines = &reader->lines;
    uint64_t guid;
    const char *start = lines->at;
    if (!lines_take_after(lines, guid_word)) {
        lines->at = start;
        lines_fail_here(lines, CODE_T009, "the heading of a table names no switch GUID");
        return;
    }
    const char *at = lines->at;
    if (!lines_take_hexadecimal(lines, &guid)) {
        lines_fail_here(lines, CODE_T009, "expected the GUID of the switch, such as "
                                          "0x0002c90300000000");
        return;
    }
    reader->has_table = reader->is_open = true;
    reader->n_entries = 0;
    reader->listener->table(reader->listener->context, lines, guid, at);
}

/* Takes "001", " : 001  : 01" or "UNREACHABLE". */
static bool take_exit(struct lines *lines, uint8_t *port)
{
    uint32_t number;
    lines_skip_blanks(lines);
    if (lines_take_text(lines, ":"))
        lines_skip_blanks(lines);
    if (lines_take_text(lines, "UNREACHABLE")) {
        *port = FORWARDING_NONE;
        return true;
    }
    const char *at = lines->at;
    if (!lines_take_decimal(lines, &number) || number > FORWARDING_NONE) {
        lines->at = at;
        lines_fail_here(lines, CODE_T009, "expected a port from 0 to 255")->help =
            "the table is truncated or damaged: take it again";
        return false;
    }
    *port = (uint8_t)number;
    return true;
}

static void lft_read_entry(struct table_reader *reader)
{
    struct lines *lines = &reader->lines;
    struct lft_entry entry = {0};
    uint64_t lid;
    const char *start = lines->at;
    if (!reader->has_table) {
        lines_fail_here(lines, CODE_T009, "an entry without a table before it")->help =
            "a table begins with a line 'Unicast lids ... of switch ... guid 0x...'";
        return;
    }
    if (!lines_take_hexadecimal(lines, &lid) || lid < 1 || lid >= SUBNET_LIDS) {
        lines->at = start;
        lines_fail_here(lines, CODE_T009, "expected a LID from 0x0001 to 0xbfff");
        return;
    }
    entry.lid = (uint32_t)lid;
    if (!take_exit(lines, &entry.port))
        return;
    if (lines_take_after(lines, "portguid "))
        lines_take_hexadecimal(lines, &entry.port_guid);
    reader->n_entries++;
    reader->listener->entry(reader->listener->context, lines, &entry);
}

static void read_trailer(struct table_reader *reader, uint32_t n, bool counts)
{
    if (reader->is_open && counts && n != reader->n_entries)
        lines_fail(&reader->lines, CODE_T009, reader->lines.start,
                   (size_t)(reader->lines.end - reader->lines.start),
                   "the table says it has %u entries, but %u were read", n, reader->n_entries)
            ->help = "lines are missing: take the table again";
    reader->is_open = false;
    reader->n_closed++;
}

static void lft_read_line(struct table_reader *reader)
{
    struct lines *lines = &reader->lines;
    uint32_t n;
    bool counts;
    if (lines_starts(lines, "0x"))
        lft_read_entry(reader);
    else if (lines_starts(lines, "Unicast lids"))
        lft_read_heading(reader, " guid ");
    else if (lines_starts(lines, "dump_ucast_routes:"))
        lft_read_heading(reader, "Switch ");
    else if (lines_starts(lines, "Multicast mlids"))
        lines_fail_here(lines, CODE_T009, "a multicast table")->help =
            "give the unicast tables: dump_lfts without -M, or opensm-lfts.dump";
    else if (is_trailer(lines, &n, &counts))
        read_trailer(reader, n, counts);
    else if (reader->has_table && !is_noise(lines)) /* before the first table: a prompt */
        lines_fail_here(lines, CODE_T009, "not a line of a forwarding table");
}

static void lft_read_lines(struct table_reader *reader, const struct source *source, bool is_passing,
                           struct diagnostics *diagnostics)
{
    bool failed = reader->lines.failed;
    lines_open(&reader->lines, source, diagnostics);
    reader->lines.failed = failed;
    reader->lines.is_passing = is_passing;
    while (lines_next(&reader->lines)) {
        if (reader->lines.line == 1)
            reader->first = lines_position(&reader->lines, reader->lines.start, 1);
        lft_read_line(reader);
    }
    if (reader->is_open) /* reports a table without an end at the last line */
        reader->last = lines_position(&reader->lines, reader->lines.start,
                                      (size_t)(reader->lines.end - reader->lines.start));
}

/* True if a file begins like one that has nothing but tables: no mark before its lines, and no prompt. */
static bool begins_plainly(const struct source *source)
{
    static const char *const starts[] = {"Unicast lids", "dump_ucast_routes:", "0x", "#"};
    const char *text = source_start(source);
    bool is_plain = false;
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        is_plain |= strncmp(text, starts[i], strlen(starts[i])) == 0;
    return is_plain;
}

static bool read_windows(struct table_reader *reader, const char *path,
                         struct diagnostics *diagnostics)
{
    struct windows windows;
    const struct source *window;
    bool good = windows_open(&windows, path, TABLE_FILE_LIMIT, diagnostics), is_first = true, is_plain = true;
    for (; good && (window = windows_next(&windows)) != NULL; is_first = false) {
        is_plain = is_first ? begins_plainly(window) : is_plain;
        lft_read_lines(reader, is_plain ? window : excerpt_clean(window, &diagnostics->arena), true,
                       diagnostics);
    }
    good = good && !windows.failed;
    windows_close(&windows);
    return good;
}

bool lft_read(const struct lft_text *text, const struct lft_listener *listener,
              struct diagnostics *diagnostics)
{
    struct table_reader reader = {.listener = listener};
    if (text->source)
        lft_read_lines(&reader, text->source, false, diagnostics);
    else if (!read_windows(&reader, text->path, diagnostics))
        return false;
    if (reader.is_open && reader.n_closed) {
        reader.lines.failed = true;
        report(diagnostics, CODE_T009, reader.last,
               "the last table has no end, which those before it have")
            ->help = "the file was cut off: take it again";
    }
    if (!reader.has_table && !reader.lines.failed) {
        const char *path = text->source ? text->source->path : text->path;
        if (!reader.first.source) /* an empty file */
            reader.first = source_position(source_of_text(path, "", 0, &diagnostics->arena), 0, 1);
        report(diagnostics, CODE_T009, reader.first, "'%s' holds no forwarding table", path)
            ->help = "known forms: dump_lfts, ibroute, opensm-lfts.dump, opensm.fdbs";
        return false;
    }
    return !reader.lines.failed;
}
