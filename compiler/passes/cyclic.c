/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vectors modulo a number. See cyclic.h.
 */
#include "compiler/passes/cyclic.h"

#include "ir/schedule.h"

/* Reduces values in [-modulus, 2 modulus), as r + i and r - i are: one conditional
 * addition and one conditional subtraction without branches. The sign bit of the
 * result says that a value was farther away; wrapping is harmless, since such a
 * value has one of the two signs set. */
VECTORISED static uint64_t reduce_near(const int64_t *lane, uint32_t modulus, uint32_t n, uint32_t *out)
{
    const int32_t size = (int32_t)modulus;
    uint64_t outside = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t value = (uint64_t)lane[i];
        int32_t x = (int32_t)lane[i];
        outside |= (value + modulus) | (2 * (uint64_t)modulus - 1 - value);
        x += x >> 31 & size;
        x -= size;
        out[i] = (uint32_t)(x + (x >> 31 & size));
    }
    return outside;
}

_Static_assert(SCHEDULE_MAX_RANKS < 1 << 30, "reduce_near doubles a modulus in 31 bits");

static void reduce_scalar(int64_t scalar, uint32_t modulus, uint32_t n, uint32_t *out)
{
    const int64_t size = modulus;
    int64_t reduced = scalar < 0 ? scalar + size : scalar < size ? scalar : scalar - size;
    if (scalar < -size || scalar >= 2 * size)
        arithmetic_apply(EXPR_MOD, scalar, modulus, &reduced);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint32_t)reduced;
}

void cyclic_reduce_lanes(const struct value *value, uint32_t modulus, uint32_t n, uint32_t *out)
{
    if (!value->lane) {
        reduce_scalar(value->scalar, modulus, n, out);
        return;
    }
    const uint64_t outside = reduce_near(value->lane, modulus, n, out);
    for (uint32_t i = 0; outside >> 63 && i < n; i++)
        reduce_scalar(value->lane[i], modulus, 1, &out[i]);
}

void cyclic_turn_lanes(uint32_t *number, uint32_t n, uint32_t by, uint32_t modulus)
{
    for (uint32_t i = 0; by && i < n; i++) {
        const uint32_t sum = number[i] + by;
        number[i] = sum >= modulus ? sum - modulus : sum;
    }
}
