/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of the reader of traffic: the forms (forms.def) add messages, gather.c orders and sums them,
 * pattern.c makes the schedule.
 */
#ifndef COLLC_SCHEDULES_TRAFFIC_INTERNAL_H
#define COLLC_SCHEDULES_TRAFFIC_INTERNAL_H

#include "base/codes.h"
#include "base/text/lines.h"
#include "schedules/traffic/traffic.h"

#define TRAFFIC_MAX_BYTES ((uint64_t)INT64_MAX)

/* Bytes from one rank to another in a phase. */
struct traffic_message {
    uint64_t bytes; /* 0: only says that both ranks exist */
    uint32_t from, to;
    uint32_t phase; /* index of its value in `phases`; after traffic_gather, its step */
    uint32_t line;
};

/* Names of hosts, and where each was first read. */
struct traffic_names {
    struct traffic_name {
        struct slice text;
        uint32_t line, column;
    } *items;
    size_t capacity;
    struct hash_map map; /* number of names: map.n */
};

struct traffic {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct lines lines;     /* of forms that are read by line */
    char separator;         /* of fields: ',' or ';', with blanks around it; ' ' for blanks */
    bool failed;            /* an error was reported */
    uint32_t n_ranks;       /* the highest rank said, plus 1; with names their number */
    struct traffic_message *messages;
    size_t n, capacity;
    struct traffic_names names;
    bool has_names;         /* ranks are numbers of names */
    bool has_hosts;         /* names.items[rank] is the host of a rank, which it may share */
    struct traffic_phases {
        double *values;     /* in the order of their first messages; of traffic without phases none */
        size_t capacity;
        struct hash_map map; /* number of phases: map.n */
        uint32_t latest;
    } phases;
};

/* ---- fields.c ---- */

/* Starts with the first line, and finds the separator: the first comma or semicolon in a line that is no
 * comment. */
void traffic_open(struct traffic *traffic);
/* Takes the next field of the line: what stands between separators, or quotes. Returns false at the end of
 * the line. */
bool traffic_take_field(struct traffic *traffic, struct slice *field);
/* Advances to the next line that is neither empty nor a comment (# or %). */
bool traffic_next_line(struct traffic *traffic);
/* Reports S007 at a slice of the current line. Returns the diagnostic. */
struct diagnostic *traffic_refuse(struct traffic *traffic, struct slice at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Parses a size in bytes: a number, perhaps with a fraction or an exponent, times `unit`, or with a unit
 * behind it (parse_size). Rounds to the nearest byte. False after reporting. */
bool traffic_take_size(struct traffic *traffic, struct slice field, double unit, uint64_t *bytes);
/* Parses the number of a rank. False after reporting. */
bool traffic_take_rank(struct traffic *traffic, struct slice field, uint32_t *rank);
/* Finds or adds the name of a host; sets the number. */
bool traffic_take_name(struct traffic *traffic, struct slice field, uint32_t *number);
/* True if the field is a number without sign, fraction or unit. */
bool traffic_is_whole(struct slice field);
/* True if the field is a number, perhaps with a fraction, an exponent or a unit of sizes. */
bool traffic_is_number(struct slice field);
/* Parses a number with a fraction or an exponent. False if it is none. */
bool traffic_take_real(struct slice field, double *value);

/* ---- gather.c ---- */

/* Adds a message in the current line of traffic->lines. */
void traffic_add(struct traffic *traffic, uint32_t from, uint32_t to, uint64_t bytes);
/* Returns the index of a phase by its value. O(1) */
uint32_t traffic_phase(struct traffic *traffic, double value);
/* Orders messages by phase, sender and receiver, and joins those that agree in all three. Names are
 * numbered in their order, phases in that of their values. False after reporting a sum that is too large, or
 * more ranks than messages. */
bool traffic_gather(struct traffic *traffic);
void traffic_release(struct traffic *traffic);

/* ---- pattern.c ---- */

/* Makes the schedule of gathered traffic, which it releases. */
struct schedule *traffic_pattern(struct traffic *traffic);

/* ---- the forms ---- */

#define FORM(name, title)                                                                                    \
    bool name##_is_form(const struct source *source);                                                        \
    void name##_read(struct traffic *traffic);
#include "schedules/traffic/forms.def"

#endif
