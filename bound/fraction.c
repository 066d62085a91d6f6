/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See fraction.h.
 */
#include "bound/fraction.h"

#include <assert.h>

struct fraction fraction_of(wide top, wide bottom)
{
    assert(bottom > 0);
    wide a = top, b = bottom;
    while (b) {
        const wide rest = a % b;
        a = b;
        b = rest;
    }
    return (struct fraction){top / a, bottom / a};
}

/* Compares by the continued fractions of both, as cross-multiplication may overflow. */
bool fraction_is_above(struct fraction a, struct fraction b)
{
    if (b.bottom == 0 || a.bottom == 0)
        return a.bottom > 0;
    for (bool is_turned = false;; is_turned = !is_turned) {
        const wide whole_a = a.top / a.bottom, whole_b = b.top / b.bottom;
        const wide rest_a = a.top % a.bottom, rest_b = b.top % b.bottom;
        if (whole_a != whole_b)
            return (whole_a > whole_b) != is_turned;
        if (rest_a == 0 || rest_b == 0)
            return is_turned ? rest_a == 0 && rest_b > 0 : rest_a > 0 && rest_b == 0;
        a = (struct fraction){a.bottom, rest_a};
        b = (struct fraction){b.bottom, rest_b};
    }
}

double fraction_real(struct fraction fraction)
{
    return (double)fraction.top / (double)fraction.bottom;
}

void fraction_narrow(struct fraction fraction, uint64_t *top, uint64_t *bottom)
{
    const wide limit = (wide)1 << 62;
    wide a = fraction.top, b = fraction.bottom;
    while (a >= limit || b >= limit) {
        a /= 2;
        b = b / 2 + 1;
    }
    *top = (uint64_t)a;
    *bottom = (uint64_t)b;
}

void wide_print(wide number, struct text *out)
{
    char digits[48];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + (int)(number % 10));
    while (number /= 10);
    text_append(out, digits + at, sizeof digits - at);
}

void fraction_print(struct fraction fraction, struct text *out)
{
    wide_print(fraction.top, out);
    if (fraction.bottom == 1)
        return;
    text_printf(out, "/");
    wide_print(fraction.bottom, out);
}
