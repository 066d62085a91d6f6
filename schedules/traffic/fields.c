/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fields of a line of traffic. See internal.h.
 */
#include "schedules/traffic/internal.h"

#include <math.h>
#include <stdlib.h>

void traffic_open(struct traffic *traffic)
{
    struct lines *lines = &traffic->lines;
    lines_open(lines, traffic->source, traffic->diagnostics);
    traffic->separator = ' ';
    if (traffic_next_line(traffic)) {
        const char *at = lines->at;
        while (at < lines->end && *at != ',' && *at != ';')
            at++;
        traffic->separator = at < lines->end ? *at : ' ';
    }
    lines_open(lines, traffic->source, traffic->diagnostics);
}

/* Returns the end of the field that begins here. */
static const char *fields_find_end(const struct traffic *traffic, const char *from)
{
    const char *end = traffic->lines.end, *to = from;
    if (traffic->separator == ' ') {
        while (to < end && *to != ' ' && *to != '\t')
            to++;
        return to;
    }
    while (to < end && *to != traffic->separator)
        to++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    return to;
}

bool traffic_take_field(struct traffic *traffic, struct slice *field)
{
    struct lines *lines = &traffic->lines;
    lines_skip_blanks(lines);
    if (lines_at_end(lines))
        return false;
    const char *from = lines->at;
    const char *quote = *from == '"' ? memchr(from + 1, '"', (size_t)(lines->end - from - 1)) : NULL;
    const char *to = quote ? quote : fields_find_end(traffic, from);
    *field = (struct slice){from + (quote != NULL), (size_t)(to - from) - (quote != NULL)};
    lines->at = to + (quote != NULL);
    lines_skip_blanks(lines);
    if (!lines_at_end(lines) && *lines->at == traffic->separator)
        lines->at++;
    return true;
}

bool traffic_next_line(struct traffic *traffic)
{
    struct lines *lines = &traffic->lines;
    while (lines_next(lines)) {
        lines_skip_blanks(lines);
        if (!lines_at_end(lines) && *lines->at != '#' && *lines->at != '%')
            return true;
    }
    return false;
}

struct diagnostic *traffic_refuse(struct traffic *traffic, struct slice at, const char *format, ...)
{
    struct lines *lines = &traffic->lines;
    va_list args;
    va_start(args, format);
    struct diagnostic *diagnostic =
        report_va(traffic->diagnostics, CODE_S007, lines_position(lines, at.text, at.length), format, args);
    va_end(args);
    traffic->failed = true;
    return diagnostic;
}

bool traffic_is_whole(struct slice field)
{
    size_t i = 0;
    while (i < field.length && text_is_digit(field.text[i]))
        i++;
    return field.length && i == field.length;
}

/* Parses the whole field as a number with a fraction or an exponent. */
static bool fields_parse_real(struct slice field, double *value)
{
    enum { LONGEST = 64 };
    char copy[LONGEST + 1], *end;
    if (!field.length || field.length > LONGEST)
        return false;
    memcpy(copy, field.text, field.length);
    copy[field.length] = '\0';
    *value = strtod(copy, &end);
    return end != copy && !*end && !copy[strcspn(copy, "xXnNiI")];
}

/* True if the field is a size with a minus sign before it. */
static bool fields_is_negative(struct slice field)
{
    uint64_t bytes;
    return field.length > 1 && *field.text == '-' &&
           parse_size((struct slice){field.text + 1, field.length - 1}, &bytes) != VALUE_SYNTAX;
}

bool traffic_is_number(struct slice field)
{
    uint64_t bytes;
    double value;
    return parse_size(field, &bytes) != VALUE_SYNTAX || fields_parse_real(field, &value) ||
           fields_is_negative(field);
}

bool traffic_take_real(struct slice field, double *value)
{
    return fields_parse_real(field, value) && *value > -1e300 && *value < 1e300;
}

#define SIZE_HELP "a size is a number of bytes below 2^63, such as 4096, 1.5e6 or 64KiB"

/* Reports a size that cannot be read. Returns false. */
static bool fields_refuse_size(struct traffic *traffic, struct slice field, const char *why)
{
    traffic_refuse(traffic, field, "'%.*s': %s", (int)(field.length < 80 ? field.length : 80), field.text,
                   why)
        ->help = SIZE_HELP;
    return false;
}

/* Parses a number with a fraction or an exponent, or a unit behind it. */
static bool fields_take_real(struct traffic *traffic, struct slice field, double unit, uint64_t *bytes)
{
    double value;
    if (unit == 1 && parse_size(field, bytes) == VALUE_OK)
        return true;
    if (!fields_parse_real(field, &value))
        return fields_refuse_size(traffic, field,
                                  fields_is_negative(field) ? "a size is not negative" : "no size");
    value *= unit;
    if (value < 0)
        return fields_refuse_size(traffic, field, "a size is not negative");
    if (!(value < 0x1p63))
        return fields_refuse_size(traffic, field, "a size of 2^63 bytes or more");
    *bytes = (uint64_t)floor(value + 0.5);
    return true;
}

bool traffic_take_size(struct traffic *traffic, struct slice field, double unit, uint64_t *bytes)
{
    enum { SAFE_DIGITS = 18 };
    uint64_t sum = 0;
    size_t i = 0;
    if (unit == 1 && field.length <= SAFE_DIGITS)
        for (; i < field.length && text_is_digit(field.text[i]); i++)
            sum = 10 * sum + (uint64_t)(field.text[i] - '0');
    *bytes = sum;
    return (i && i == field.length) || fields_take_real(traffic, field, unit, bytes);
}

bool traffic_take_rank(struct traffic *traffic, struct slice field, uint32_t *rank)
{
    enum { SAFE_DIGITS = 9 };
    uint32_t value = 0;
    size_t i = 0;
    for (; i < field.length && i < SAFE_DIGITS && text_is_digit(field.text[i]); i++)
        value = 10 * value + (uint32_t)(field.text[i] - '0');
    *rank = value;
    if (i && i == field.length && value < SCHEDULE_MAX_RANKS) {
        traffic->n_ranks = value < traffic->n_ranks ? traffic->n_ranks : value + 1;
        return true;
    }
    traffic_refuse(traffic, field, "'%.*s' is no rank", (int)(field.length < 80 ? field.length : 80),
                   field.text)
        ->help = "ranks are numbers from 0 to 67108863; or all ends are names of hosts";
    return false;
}

/* ---- names ---- */

static uint32_t fields_hash_name(const void *items, uint32_t item)
{
    const struct traffic_name *name = (const struct traffic_name *)items + item;
    return map_hash_text(0, name->text.text, name->text.length);
}

static bool fields_is_name(const void *items, uint32_t item, const void *key)
{
    const struct traffic_name *name = (const struct traffic_name *)items + item;
    return slice_compare(name->text, *(const struct slice *)key) == 0;
}

bool traffic_take_name(struct traffic *traffic, struct slice field, uint32_t *number)
{
    struct traffic_names *names = &traffic->names;
    if (!field.length || names->map.n >= SCHEDULE_MAX_RANKS) {
        traffic_refuse(traffic, field,
                       field.length ? "more than 67108864 hosts" : "the name of a host is missing");
        return false;
    }
    map_reserve(&names->map, fields_hash_name, names->items);
    uint32_t *slot = map_slot(&names->map, map_hash_text(0, field.text, field.length), fields_is_name,
                              names->items, &field);
    if (*slot == MAP_NONE) {
        names->items =
            mem_grow(names->items, &names->capacity, (size_t)names->map.n + 1, sizeof *names->items);
        names->items[map_fill(&names->map, slot)] = (struct traffic_name){
            field, traffic->lines.line, (uint32_t)(field.text - traffic->lines.start) + 1};
        traffic->n_ranks = names->map.n;
    }
    *number = *slot;
    return true;
}
