/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes and times for people to read. See quantity.h.
 */
#include "base/quantity.h"

#include <inttypes.h>

static const char *const size_units[] = {"", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
static const size_t last_unit = sizeof size_units / sizeof *size_units - 1;

void print_size(uint64_t bytes, struct text *out)
{
    size_t unit = 0;
    for (; unit < last_unit && bytes && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    text_printf(out, "%" PRIu64 "%s", bytes, size_units[unit]);
}

void print_size_roughly(uint64_t bytes, struct text *out)
{
    double value = (double)bytes;
    size_t unit = 0;
    for (; unit < last_unit && value >= 1023.5; unit++)
        value /= 1024;
    const bool is_whole = unit == 0 || bytes % (UINT64_C(1) << 10 * unit) == 0;
    const int decimals = is_whole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    text_printf(out, "%.*f%s", decimals, value, size_units[unit]);
}

void print_time(uint64_t ns, struct text *out)
{
    static const char *const units[] = {"us", "ms", "s"};
    if (ns < 1000) {
        text_printf(out, "%" PRIu64 " ns", ns);
        return;
    }
    double value = (double)ns / 1000;
    size_t unit = 0;
    for (; unit < 2 && value >= 999.95; unit++)
        value /= 1000;
    int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
    text_printf(out, "%.*f %s", decimals, value, units[unit]);
}
