/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arithmetic of whole numbers.
 */
#ifndef COLLC_BASE_INTEGER_H
#define COLLC_BASE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

/* a / b, rounded up; b > 0. */
static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* a * b, or UINT64_MAX where that is more. */
static inline uint64_t multiply_within(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns -1, 0 or 1 as a is less than b, the same or more. */
static inline int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compares for qsort, ascending. */
static inline int compare_uint32(const void *left, const void *right)
{
    return compare_numbers(*(const uint32_t *)left, *(const uint32_t *)right);
}

static inline int compare_uint64(const void *left, const void *right)
{
    return compare_numbers(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* Returns the next of a repeatable sequence that begins with any *state: splitmix64 (Steele, Lea and Flood
 * 2014). */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns the largest number that divides both; 0 is divided by all. */
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* n > 0 */
static inline bool is_power_of_two(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Returns the largest power of two that is not above n; n > 0. */
static inline uint64_t power_of_two_within(uint64_t n)
{
    uint64_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

#endif
