/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operators of the language. See arithmetic.h.
 *
 * A vector operator is written once as a macro line: the value of one lane in
 * wrapping arithmetic and a word whose sign bit says that the lane has no
 * result. The words of all lanes are or-ed together without a branch, so that
 * the compiler can vectorise; whoever needs to know which lane it was
 * looks for it with the scalar definition. Operators that are rare or cannot be
 * vectorised go through the scalar definition lane by lane.
 */
#include "compiler/passes/arithmetic.h"

#include "ir/topology.h"

enum { MAX_EXPONENT = 62 };

/* The quotient towards minus infinity, b != 0, not INT64_MIN / -1. */
static int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* The remainder with the sign of b, b != 0. */
static int64_t floor_mod(int64_t a, int64_t b)
{
    if (b == -1)
        return 0;
    int64_t remainder = a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

static bool power(int64_t base, int64_t exponent, int64_t *result)
{
    bool done = exponent >= 0 && exponent <= MAX_EXPONENT;
    *result = 1;
    for (int64_t i = 0; done && i < exponent; i++)
        done = !__builtin_mul_overflow(*result, base, result);
    return done;
}

static int64_t floor_log2(int64_t n)
{
    return 63 - __builtin_clzll((unsigned long long)n);
}

static int64_t ceil_log2(int64_t n)
{
    return n == 1 ? 0 : floor_log2(n - 1) + 1;
}

static bool divide_apply(enum expr_kind kind, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (kind == EXPR_DIV && a == INT64_MIN && b == -1))
        return false;
    *result = kind == EXPR_DIV ? floor_divide(a, b) : floor_mod(a, b);
    return true;
}

static bool log2_apply(enum expr_kind kind, int64_t n, int64_t *result)
{
    if (n < 1)
        return false;
    *result = kind == EXPR_CEIL_LOG2 ? ceil_log2(n) : floor_log2(n);
    return true;
}

/* The smallest k with base^k >= n. */
static bool ceil_log(int64_t base, int64_t n, int64_t *result)
{
    if (base < 2 || n < 1)
        return false;
    *result = 0;
    for (int64_t rest = n - 1; rest > 0; rest /= base)
        ++*result;
    return true;
}

static bool reverse_bits(int64_t n, int64_t k, int64_t *result)
{
    *result = 0;
    for (int64_t bit = 0; bit < k && k <= MAX_EXPONENT; bit++)
        *result = 2 * *result + (int64_t)((uint64_t)n >> bit & 1);
    return k >= 0 && k <= MAX_EXPONENT;
}

static bool least_common_multiple(int64_t a, int64_t b, int64_t *result)
{
    int64_t divisor = a, rest = b;
    if (a < 1 || b < 1)
        return false;
    while (rest) {
        int64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return !__builtin_mul_overflow(a / divisor, b, result);
}

static bool compare(enum expr_kind kind, int64_t a, int64_t b)
{
    bool equal = a == b, less = a < b;
    if (kind == EXPR_EQ || kind == EXPR_NE)
        return equal == (kind == EXPR_EQ);
    if (kind == EXPR_LT || kind == EXPR_GE)
        return less == (kind == EXPR_LT);
    return (less || equal) == (kind == EXPR_LE);
}

bool arithmetic_apply(enum expr_kind kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case EXPR_ADD:
        return !__builtin_add_overflow(a, b, result);
    case EXPR_SUB:
        return !__builtin_sub_overflow(a, b, result);
    case EXPR_MUL:
        return !__builtin_mul_overflow(a, b, result);
    case EXPR_NEGATE:
        return !__builtin_sub_overflow(INT64_C(0), a, result);
    case EXPR_ABS:
        return a < 0 ? !__builtin_sub_overflow(INT64_C(0), a, result) : (*result = a, true);
    case EXPR_DIV:
    case EXPR_MOD:
        return divide_apply(kind, a, b, result);
    case EXPR_POW:
        return power(a, b, result);
    case EXPR_CEIL_LOG2:
    case EXPR_FLOOR_LOG2:
        return log2_apply(kind, a, result);
    case EXPR_CEIL_LOG:
        return ceil_log(a, b, result);
    case EXPR_REVERSE_BITS:
        return reverse_bits(a, b, result);
    case EXPR_LCM:
        return least_common_multiple(a, b, result);
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        *result = compare(kind, a, b);
        return true;
    case EXPR_OR:
        *result = a || b;
        return true;
    case EXPR_AND:
        *result = a && b;
        return true;
    case EXPR_NOT:
        *result = !a;
        return true;
    case EXPR_XOR:
        *result = a ^ b;
        return true;
    case EXPR_MIN:
        *result = a < b ? a : b;
        return true;
    case EXPR_MAX:
        *result = a > b ? a : b;
        return true;
    case EXPR_INTEGER:
    case EXPR_VARIABLE:
    case EXPR_GROUPS_BEFORE:
    case EXPR_EXTENT:
    case EXPR_COORDINATE:
    case EXPR_SHIFT:
    case EXPR_DISPLACE:
    case EXPR_ROTATE:
    case N_EXPR_KINDS:
        break;
    }
    return false;
}

const char *arithmetic_reason(enum expr_kind kind, int64_t b)
{
    if (kind == EXPR_DIV || kind == EXPR_MOD)
        return b == 0 ? "divides by zero" : "overflows 64 bits";
    if (kind == EXPR_POW && (b < 0 || b > MAX_EXPONENT))
        return "has an exponent outside 0 .. 62";
    if (kind == EXPR_CEIL_LOG2 || kind == EXPR_FLOOR_LOG2)
        return "is the logarithm of a number below 1";
    if (kind == EXPR_CEIL_LOG)
        return b < 1 ? "is the logarithm of a number below 1" : "has a base below 2";
    if (kind == EXPR_LCM && b < 1)
        return "has an operand below 1";
    if (kind == EXPR_REVERSE_BITS)
        return "has a number of bits outside 0 .. 62";
    return "overflows 64 bits";
}

static bool apply_each(enum expr_kind kind, const struct value *a, const struct value *b,
                       uint32_t n, int64_t *out)
{
    bool done = true;
    for (uint32_t lane = 0; lane < n && done; lane++)
        done = arithmetic_apply(kind, value_at(a, lane), value_at(b, lane), &out[lane]);
    return done;
}

/* VECTOR(KIND, result, bad): x and y are the operands as uint64_t, s and t the
 * same as int64_t, r the result; the sign bit of `bad` marks a lane without one. */
#define VECTORS(VECTOR)                          \
    VECTOR(ADD, x + y, (x ^ r) & (y ^ r))        \
    VECTOR(SUB, x - y, (x ^ y) & (x ^ r))        \
    VECTOR(XOR, x ^ y, 0)                        \
    VECTOR(EQ, s == t, 0)                        \
    VECTOR(NE, s != t, 0)                        \
    VECTOR(LT, s < t, 0)                         \
    VECTOR(LE, s <= t, 0)                        \
    VECTOR(GT, s > t, 0)                         \
    VECTOR(GE, s >= t, 0)                        \
    VECTOR(AND, (s != 0) & (t != 0), 0)          \
    VECTOR(OR, (s != 0) | (t != 0), 0)           \
    VECTOR(MIN, s < t ? x : y, 0)                \
    VECTOR(MAX, s > t ? x : y, 0)

#define LANE_LOOP(A, B, result, bad)                             \
    for (uint32_t i = 0; i < n; i++) {                           \
        const int64_t s = A, t = B;                              \
        const uint64_t x = (uint64_t)s, y = (uint64_t)t;         \
        const uint64_t r = (uint64_t)(result);                   \
        (void)x, (void)y, (void)s, (void)t;                      \
        flag |= bad;                                             \
        out[i] = (int64_t)r;                                     \
    }

#define VECTOR_FUNCTION(KIND, result, bad)                                           \
    static uint64_t lanes_##KIND(const struct value *va, const struct value *vb,     \
                                 uint32_t n, int64_t *out)                           \
    {                                                                                \
        const int64_t *a = va->lane, *b = vb->lane;                                  \
        const int64_t ua = va->scalar, ub = vb->scalar;                              \
        uint64_t flag = 0;                                                           \
        if (!b)                                                                      \
            LANE_LOOP(a[i], ub, result, bad)                                         \
        else if (!a)                                                                 \
            LANE_LOOP(ua, b[i], result, bad)                                         \
        else                                                                         \
            LANE_LOOP(a[i], b[i], result, bad)                                       \
        return flag >> 63;                                                           \
    }
VECTORS(VECTOR_FUNCTION)

typedef uint64_t lanes_function(const struct value *a, const struct value *b, uint32_t n,
                                int64_t *out);
static lanes_function *const lanes_functions[N_EXPR_KINDS] = {
#define ENTRY(KIND, result, bad) [EXPR_##KIND] = lanes_##KIND,
    VECTORS(ENTRY)
#undef ENTRY
};

/* Division and remainder by one number, where all dividends fit in 32 bits and
 * none is negative: a multiplication instead. */
static bool divide_lanes(enum expr_kind kind, const struct value *a, int64_t divisor, uint32_t n,
                         int64_t *out)
{
    uint64_t all = 0;
    if (!a->lane || divisor < 1 || divisor > UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < n; i++)
        all |= (uint64_t)a->lane[i];
    if (all > UINT32_MAX)
        return false;
    const struct divider divider = divider_of((uint32_t)divisor);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t dividend = (uint32_t)a->lane[i], quotient = divide(dividend, &divider);
        out[i] = kind == EXPR_DIV ? quotient : dividend - quotient * (uint32_t)divisor;
    }
    return true;
}

bool arithmetic_lanes(enum expr_kind kind, const struct value *a, const struct value *b, uint32_t n,
                      int64_t *out)
{
    lanes_function *function = lanes_functions[kind];
    if (function)
        return !function(a, b, n, out);
    bool is_division = kind == EXPR_DIV || kind == EXPR_MOD;
    if (is_division && !b->lane && divide_lanes(kind, a, b->scalar, n, out))
        return true;
    return apply_each(kind, a, b, n, out);
}
