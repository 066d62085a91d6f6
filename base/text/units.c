/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values with units. See units.h. Decimal fractions are kept as an integer over
 * a power of ten, so "13.64Gb/s" means exactly that.
 */
#include "base/text/units.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide; /* not in ISO C; gcc, clang */

enum { MAX_DIGITS = 19 }; /* so many fit 64 bits */

/* digits * 10^-decimals */
struct decimal {
    uint64_t digits;
    uint32_t decimals;
};

/* Takes the number off the front of the slice. */
static enum value_result units_scan_decimal(struct slice *slice, struct decimal *decimal)
{
    uint32_t n_digits = 0, n_integer = 0;
    bool point = false;
    *decimal = (struct decimal){0, 0};
    for (; slice->length && (text_is_digit(*slice->text) || (*slice->text == '.' && !point));
         slice->text++, slice->length--) {
        if (*slice->text == '.') {
            point = true;
            continue;
        }
        n_integer += !point;
        if (++n_digits > MAX_DIGITS)
            return VALUE_RANGE;
        decimal->digits = decimal->digits * 10 + (uint64_t)(*slice->text - '0');
        decimal->decimals += point;
    }
    return n_integer && (!point || decimal->decimals) ? VALUE_OK : VALUE_SYNTAX;
}

struct unit {
    const char *name;
    uint64_t numerator, denominator; /* of the base unit */
};

static const struct unit bandwidth_units[] = {
    {"B/s", 1, 1},
    {"KB/s", 1000, 1},
    {"kB/s", 1000, 1},
    {"MB/s", 1000000, 1},
    {"GB/s", 1000000000, 1},
    {"TB/s", 1000000000000, 1},
    {"KiB/s", 1 << 10, 1},
    {"MiB/s", 1 << 20, 1},
    {"GiB/s", 1 << 30, 1},
    {"b/s", 1, 8},
    {"Kb/s", 1000, 8},
    {"kb/s", 1000, 8},
    {"Mb/s", 1000000, 8},
    {"Gb/s", 1000000000, 8},
    {"Tb/s", 1000000000000, 8},
    {"bit/s", 1, 8},
    {"Kbit/s", 1000, 8},
    {"kbit/s", 1000, 8},
    {"Mbit/s", 1000000, 8},
    {"Gbit/s", 1000000000, 8},
    {"Tbit/s", 1000000000000, 8},
    {NULL, 0, 0},
};

static const struct unit size_units[] = {
    {"", 1, 1},
    {"B", 1, 1},
    {"KB", 1000, 1},
    {"kB", 1000, 1},
    {"MB", 1000000, 1},
    {"GB", 1000000000, 1},
    {"TB", 1000000000000, 1},
    {"PB", 1000000000000000, 1},
    {"EB", 1000000000000000000, 1},
    {"KiB", 1 << 10, 1},
    {"MiB", 1 << 20, 1},
    {"GiB", 1 << 30, 1},
    {"TiB", UINT64_C(1) << 40, 1},
    {"PiB", UINT64_C(1) << 50, 1},
    {"EiB", UINT64_C(1) << 60, 1},
    {NULL, 0, 0},
};

static const struct unit latency_units[] = {
    {"ns", 1, 1}, {"us", 1000, 1}, {"ms", 1000000, 1}, {"s", 1000000000, 1}, {NULL, 0, 0}};

static const struct unit duration_units[] = {
    {"ns", 1, 1}, {"us", 1000, 1}, {"ms", 1000000, 1}, {"s", 1000000000, 1},
    {"min", 60000000000, 1}, {"h", 3600000000000, 1}, {NULL, 0, 0}};

static const struct unit *find_unit(const struct unit *unit, struct slice slice)
{
    for (; unit->name; unit++)
        if (strlen(unit->name) == slice.length && memcmp(unit->name, slice.text, slice.length) == 0)
            return unit;
    return NULL;
}

/* digits * numerator / (denominator * 10^decimals), to the nearest; 10^19 digits
 * times 2^60 fit 128 bits. */
static enum value_result units_scale(struct decimal decimal, const struct unit *unit, uint64_t limit,
                                     uint64_t *value)
{
    wide dividend = (wide)decimal.digits * unit->numerator;
    wide divisor = unit->denominator;
    for (uint32_t i = 0; i < decimal.decimals; i++)
        divisor *= 10;
    wide quotient = (dividend + divisor / 2) / divisor;
    if (quotient > limit)
        return VALUE_RANGE;
    *value = (uint64_t)quotient;
    return VALUE_OK;
}

static enum value_result parse_quantity(struct slice slice, const struct unit *units,
                                        uint64_t limit, uint64_t *value)
{
    struct decimal decimal;
    enum value_result result = units_scan_decimal(&slice, &decimal);
    if (result != VALUE_OK)
        return result;
    const struct unit *unit = find_unit(units, slice);
    return unit ? units_scale(decimal, unit, limit, value) : VALUE_SYNTAX;
}

enum value_result parse_bandwidth(struct slice slice, uint64_t *value)
{
    enum value_result result =
        parse_quantity(slice, bandwidth_units, UINT64_C(1000000000000000), value);
    return result == VALUE_OK && *value == 0 ? VALUE_RANGE : result;
}

enum value_result parse_latency(struct slice slice, uint64_t *value)
{
    return parse_quantity(slice, latency_units, UINT64_C(1000000000000), value);
}

enum value_result parse_duration(struct slice slice, uint64_t *value)
{
    return parse_quantity(slice, duration_units, UINT64_C(1000000000000000), value);
}

enum value_result parse_size(struct slice slice, uint64_t *value)
{
    if (memchr(slice.text, '.', slice.length))
        return VALUE_SYNTAX;
    return parse_quantity(slice, size_units, INT64_MAX, value);
}

enum value_result parse_quantities(struct slice slice,
                                   enum value_result (*parse)(struct slice, uint64_t *),
                                   struct quantities *quantities, struct slice *wrong)
{
    struct slice rest = slice;
    quantities->n = 0;
    for (bool more = true; more;) {
        const char *colon = memchr(rest.text, ':', rest.length);
        *wrong = rest;
        if (quantities->n == UNITS_MAX_VALUES)
            return VALUE_RANGE;
        more = colon != NULL;
        wrong->length = more ? (size_t)(colon - rest.text) : rest.length;
        enum value_result result = parse(*wrong, &quantities->value[quantities->n++]);
        if (result != VALUE_OK)
            return result;
        rest.text += wrong->length + more;
        rest.length -= wrong->length + more;
    }
    return VALUE_OK;
}

/* Takes a whole number off the front. */
static enum value_result units_scan_count(struct slice *slice, uint32_t *value)
{
    uint64_t number = 0;
    bool any = false;
    for (; slice->length && text_is_digit(*slice->text); slice->text++, slice->length--) {
        any = true;
        number = number * 10 + (uint64_t)(*slice->text - '0');
        if (number > UINT32_MAX)
            return VALUE_RANGE;
    }
    *value = (uint32_t)number;
    return any ? VALUE_OK : VALUE_SYNTAX;
}

enum value_result parse_count(struct slice slice, uint32_t *value)
{
    enum value_result result = units_scan_count(&slice, value);
    return result == VALUE_OK && slice.length ? VALUE_SYNTAX : result;
}

enum value_result parse_factor(struct slice slice, double *value)
{
    struct decimal decimal;
    enum value_result result = units_scan_decimal(&slice, &decimal);
    if (result != VALUE_OK || slice.length)
        return result == VALUE_OK ? VALUE_SYNTAX : result;
    double power = 1;
    for (uint32_t i = 0; i < decimal.decimals; i++)
        power *= 10;
    *value = (double)decimal.digits / power;
    return *value >= 1 && *value <= 1e6 ? VALUE_OK : VALUE_RANGE;
}

static enum value_result scan_factor(struct slice *rest, struct factors *factors)
{
    if (factors->n == UNITS_MAX_VALUES)
        return VALUE_RANGE;
    struct slice number = *rest;
    enum value_result result = units_scan_count(&number, &factors->value[factors->n]);
    if (result != VALUE_OK)
        return result;
    if (number.length && (*number.text == 'm' || *number.text == 't')) {
        factors->suffix[factors->n] = *number.text;
        number.text++, number.length--;
    }
    factors->n++;
    *rest = number;
    return VALUE_OK;
}

enum value_result parse_factors(struct slice slice, struct factors *factors, size_t *at)
{
    struct slice rest = slice;
    *factors = (struct factors){0};
    enum value_result result = scan_factor(&rest, factors);
    while (result == VALUE_OK && rest.length && *rest.text == 'x') {
        rest.text++, rest.length--;
        result = scan_factor(&rest, factors);
    }
    *at = (size_t)(rest.text - slice.text);
    return result == VALUE_OK && rest.length ? VALUE_SYNTAX : result;
}
