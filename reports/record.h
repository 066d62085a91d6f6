/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of reports. The .def file of a report has a table for each of its records, a line for each field:
 * key, kind, when it is there, value, meaning. The macros below make the file into the functions that write
 * the records as JSON; tests/lint/json_page.c makes the tables of docs/json.md from the same lines.
 *
 * A .c file includes this header, then has the functions that values call, then includes the .def file:
 *
 *     RECORD(NAME, PARAMETERS)                             the function NAME_write(json, PARAMETERS)
 *     SHARED_RECORD(NAME, PARAMETERS)                      the same, which a header declares for other files
 *         LET(DECLARATION OR CALL)                         what several values need
 *         FIELD(KEY, KIND, WHEN, VALUE, MEANING)           one value
 *         VALUES(KEY, KIND, WHEN, LOOP, VALUE, MEANING)    an array of values
 *         OBJECT(KEY, RECORD, WHEN, (ARGUMENTS), MEANING)  another record
 *         LIST(KEY, RECORD, WHEN, LOOP, (ARGUMENTS), MEANING)  an array of records
 *         LIST_BY(KEY, RECORD, WHEN, CALL, MEANING)        the same, which CALL writes
 *         JOIN(RECORD, WHEN, (ARGUMENTS))                  the fields of another record among these
 *     END
 *
 * WHEN is ALWAYS, NULL_UNLESS(CONDITION) or LEFT_OUT_UNLESS(CONDITION). LOOP is `for (...)`, perhaps with an
 * `if (...)` behind it. A KIND is a function json_put_KIND, or one of the names below, which say the unit.
 */
#ifndef COLLC_REPORTS_RECORD_H
#define COLLC_REPORTS_RECORD_H

#include "reports/json.h"

/* Kinds that are written as others are, and say more of what it is. */
#define json_put_ns             json_put_unsigned
#define json_put_bytes          json_put_unsigned
#define json_put_bandwidth      json_put_unsigned
#define json_put_string_or_null json_put_string

#define ALWAYS
#define NULL_UNLESS(condition)                                                                               \
    if (!(condition))                                                                                        \
        json_put_null(json, record_key);                                                                     \
    else
#define LEFT_OUT_UNLESS(condition) if (condition)

#define RECORD_ARGUMENTS(...) __VA_ARGS__

#define SHARED_RECORD(name, ...)                                                                             \
    void name##_write(struct json *json, __VA_ARGS__)                                                        \
    {
#define RECORD(name, ...) static SHARED_RECORD(name, __VA_ARGS__)
#define END               }
#define LET(...)          __VA_ARGS__;

#define FIELD(key, kind, when, value, meaning)                                                               \
    {                                                                                                        \
        const char *const record_key = #key;                                                                 \
        when json_put_##kind(json, record_key, value);                                                       \
    }
#define VALUES(key, kind, when, loop, value, meaning)                                                        \
    {                                                                                                        \
        const char *const record_key = #key;                                                                 \
        when                                                                                                 \
        {                                                                                                    \
            json_open(json, record_key, '[');                                                                \
            loop json_put_##kind(json, NULL, value);                                                         \
            json_close(json, ']');                                                                           \
        }                                                                                                    \
    }
#define OBJECT(key, record, when, arguments, meaning)                                                        \
    {                                                                                                        \
        const char *const record_key = #key;                                                                 \
        when                                                                                                 \
        {                                                                                                    \
            json_open(json, record_key, '{');                                                                \
            record##_write(json, RECORD_ARGUMENTS arguments);                                                \
            json_close(json, '}');                                                                           \
        }                                                                                                    \
    }
#define LIST(key, record, when, loop, arguments, meaning)                                                    \
    {                                                                                                        \
        const char *const record_key = #key;                                                                 \
        when                                                                                                 \
        {                                                                                                    \
            json_open(json, record_key, '[');                                                                \
            loop                                                                                             \
            {                                                                                                \
                json_open(json, NULL, '{');                                                                  \
                record##_write(json, RECORD_ARGUMENTS arguments);                                            \
                json_close(json, '}');                                                                       \
            }                                                                                                \
            json_close(json, ']');                                                                           \
        }                                                                                                    \
    }
#define LIST_BY(key, record, when, call, meaning)                                                            \
    {                                                                                                        \
        const char *const record_key = #key;                                                                 \
        when                                                                                                 \
        {                                                                                                    \
            json_open(json, record_key, '[');                                                                \
            call;                                                                                            \
            json_close(json, ']');                                                                           \
        }                                                                                                    \
    }
#define JOIN(record, when, arguments) when record##_write(json, RECORD_ARGUMENTS arguments);

#endif
