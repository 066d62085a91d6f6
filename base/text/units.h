/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values with units as users write them in synthetic strings and in XML:
 * "2GB/s", "100Gb/s", "1.5us", "8x8x4".
 */
#ifndef COLLC_BASE_TEXT_UNITS_H
#define COLLC_BASE_TEXT_UNITS_H

#include "base/text/slice.h"

/* Values of a list: a topology has up to 8 dimensions or levels. */
enum { UNITS_MAX_VALUES = 8 };

enum value_result { VALUE_OK, VALUE_SYNTAX, VALUE_RANGE };

/* Parses bytes per second, 1 to 10^15: a decimal number and one of B/s KB/s MB/s GB/s TB/s (powers of 10),
 * KiB/s MiB/s GiB/s (powers of 2), or b/s Kb/s Mb/s Gb/s Tb/s, also written bit/s Kbit/s ... (bits). Rounded
 * to the nearest byte. */
enum value_result parse_bandwidth(struct slice slice, uint64_t *value);
/* Parses nanoseconds, 0 to 10^12: a decimal number and one of ns us ms s. */
enum value_result parse_latency(struct slice slice, uint64_t *value);
/* Parses the nanoseconds of a wait, 0 to 10^15 (11 days): the same, and also min and h. */
enum value_result parse_duration(struct slice slice, uint64_t *value);
/* Parses the bytes of a message, 0 to 2^63 - 1: a whole number and nothing or one of B KB MB GB TB PB EB
 * (powers of 10), KiB MiB GiB TiB PiB EiB (powers of 2). */
enum value_result parse_size(struct slice slice, uint64_t *value);
/* Returns the value of a hexadecimal digit, or -1. */
static inline int hexadecimal_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
/* "100Gb/s:200Gb/s": one value, or one for each dimension or level. */
struct quantities {
    uint32_t n;
    uint64_t value[UNITS_MAX_VALUES];
};
/* Parses the whole slice by parse_bandwidth or parse_latency; on failure *wrong is
 * the value at fault, or what is too many. */
enum value_result parse_quantities(struct slice slice,
                                   enum value_result (*parse)(struct slice, uint64_t *),
                                   struct quantities *quantities, struct slice *wrong);
/* Parses a whole number without sign. */
enum value_result parse_count(struct slice slice, uint32_t *value);
/* Parses a decimal number from 1 to 10^6: 2, 1.25. */
enum value_result parse_factor(struct slice slice, double *value);

/* "8x8mx4": up to UNITS_MAX_VALUES numbers, each perhaps with a suffix. */
struct factors {
    uint32_t n;
    uint32_t value[UNITS_MAX_VALUES];
    char suffix[UNITS_MAX_VALUES]; /* 'm', 't' or 0 */
};
/* Parses the whole slice; on failure *at is the offset of what is wrong. */
enum value_result parse_factors(struct slice slice, struct factors *factors, size_t *at);

#define BANDWIDTH_HELP "write a bandwidth like 2GB/s, 500MiB/s or 100Gb/s, at most 1000TB/s"
#define LATENCY_HELP "write a latency like 800ns or 1.5us, at most 1000s"

#endif
