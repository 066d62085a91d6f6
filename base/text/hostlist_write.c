/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A name is a prefix and the number it ends in. Names with one prefix and one width
 * share brackets; numbers that follow each other share a range.
 */
#include "base/text/hostlist_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 18 };

struct parts {
    size_t prefix;  /* bytes before the number */
    uint32_t width; /* digits; 0: the name ends in no number */
    uint64_t number;
};

static struct parts hostlist_write_split(const char *name)
{
    struct parts parts = {.prefix = strlen(name)};
    while (parts.prefix && parts.width < MAX_DIGITS && name[parts.prefix - 1] >= '0' &&
           name[parts.prefix - 1] <= '9') {
        parts.prefix--;
        parts.width++;
    }
    parts.number = strtoull(name + parts.prefix, NULL, 10);
    return parts;
}

static bool hostlist_write_is_writable(const char *name)
{
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f || strchr(",[]*\"\\", *at))
            return false;
    return *name != '\0';
}

/* The run that is held back, in an open bracket or as the only one. */
static void write_run(struct hostlist_writer *writer)
{
    if (writer->has_ranges)
        text_append(writer->out, ",", 1);
    text_printf(writer->out, "%0*" PRIu64, (int)writer->width, writer->first);
    if (writer->last > writer->first)
        text_printf(writer->out, "-%0*" PRIu64, (int)writer->width, writer->last);
    writer->has_ranges = true;
}

/* True if the number is written with that many digits in a range of that width. */
static bool fits_width(const struct parts *parts, uint32_t width)
{
    char digits[MAX_DIGITS + 2];
    int length = snprintf(digits, sizeof digits, "%0*" PRIu64, (int)width, parts->number);
    return length >= 0 && (uint32_t)length == parts->width;
}

static bool hostlist_write_continues(const struct hostlist_writer *writer, const char *name,
                                     const struct parts *parts)
{
    return writer->is_open && parts->width && parts->prefix == writer->prefix.length &&
           (!parts->prefix || memcmp(name, writer->prefix.data, parts->prefix) == 0) &&
           fits_width(parts, writer->width);
}

/* Without brackets where one name is all there is. */
static void close_bracket(struct hostlist_writer *writer)
{
    if (!writer->is_open)
        return;
    bool is_single = !writer->has_ranges && writer->first == writer->last;
    if (!writer->has_ranges && !is_single)
        text_append(writer->out, "[", 1);
    write_run(writer);
    if (!is_single)
        text_append(writer->out, "]", 1);
    writer->is_open = writer->has_ranges = false;
}

static void open_bracket(struct hostlist_writer *writer, const char *name,
                         const struct parts *parts)
{
    if (writer->has_names)
        text_append(writer->out, ",", 1);
    writer->has_names = true;
    text_append(writer->out, name, parts->prefix);
    writer->prefix.length = 0;
    text_append(&writer->prefix, name, parts->prefix);
    writer->is_open = parts->width > 0;
    writer->width = parts->width;
    writer->first = writer->last = parts->number;
}

bool hostlist_write(struct hostlist_writer *writer, const char *name)
{
    if (!hostlist_write_is_writable(name))
        return false;
    struct parts parts = hostlist_write_split(name);
    if (!hostlist_write_continues(writer, name, &parts)) {
        close_bracket(writer);
        open_bracket(writer, name, &parts);
    } else if (parts.number == writer->last + 1) {
        writer->last = parts.number;
    } else {
        if (!writer->has_ranges)
            text_append(writer->out, "[", 1);
        write_run(writer);
        writer->first = writer->last = parts.number;
    }
    return true;
}

void hostlist_write_end(struct hostlist_writer *writer)
{
    close_bracket(writer);
    text_free(&writer->prefix);
}
