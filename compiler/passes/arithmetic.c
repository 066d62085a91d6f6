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

#include "base/integer.h"

enum { MAX_EXPONENT = 62 };

/* Division of numbers of 32 bits is several times faster than that of 64. */
static bool is_short(int64_t a, int64_t b)
{
    return ((uint64_t)a | (uint64_t)b) >> 32 == 0;
}

/* Returns the quotient towards minus infinity, b != 0, not INT64_MIN / -1. */
static int64_t floor_divide(int64_t a, int64_t b)
{
    if (is_short(a, b))
        return (uint32_t)a / (uint32_t)b;
    int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* Returns the remainder with the sign of b, b != 0. */
static int64_t floor_mod(int64_t a, int64_t b)
{
    if (is_short(a, b))
        return (uint32_t)a % (uint32_t)b;
    if (b == -1)
        return 0;
    int64_t remainder = a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

static bool arithmetic_power(int64_t base, int64_t exponent, int64_t *result)
{
    bool done = exponent >= 0 && exponent <= MAX_EXPONENT;
    *result = 1;
    if (done && base == 2)
        *result <<= exponent;
    for (int64_t i = 0; base != 2 && done && i < exponent; i++)
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
    static const uint64_t half[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f};
    uint64_t bits = (uint64_t)n;
    if (k < 0 || k > MAX_EXPONENT)
        return false;
    for (int i = 0; i < 3; i++) /* the two halves of each 2, 4 and 8 bits change places */
        bits = (bits >> (1 << i) & half[i]) | (bits & half[i]) << (1 << i);
    *result = k ? (int64_t)(__builtin_bswap64(bits) >> (64 - k)) : 0;
    return true;
}

bool arithmetic_reverse_digits(int64_t base, int64_t n, int64_t k, int64_t *result)
{
    bool done = base >= 2 && n >= 0 && k >= 0 && k <= MAX_EXPONENT;
    *result = 0;
    for (int64_t i = 0; i < k && done; i++, n /= base)
        done = !__builtin_mul_overflow(*result, base, result) &&
               !__builtin_add_overflow(*result, n % base, result);
    return done;
}

static bool least_common_multiple(int64_t a, int64_t b, int64_t *result)
{
    if (a < 1 || b < 1)
        return false;
    return !__builtin_mul_overflow(a / (int64_t)common_divisor((uint64_t)a, (uint64_t)b), b, result);
}

static bool arithmetic_compare(enum expr_kind kind, int64_t a, int64_t b)
{
    bool equal = a == b, less = a < b;
    if (kind == EXPR_EQ || kind == EXPR_NE)
        return equal == (kind == EXPR_EQ);
    if (kind == EXPR_LT || kind == EXPR_GE)
        return less == (kind == EXPR_LT);
    return (less || equal) == (kind == EXPR_LE);
}

__attribute__((always_inline)) static inline bool apply_one(enum expr_kind kind, int64_t a,
                                                            int64_t b, int64_t *result)
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
        return arithmetic_power(a, b, result);
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
        *result = arithmetic_compare(kind, a, b);
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
    case EXPR_CHOICE:
    case EXPR_CALL:
    case EXPR_ARGUMENT:
    case EXPR_GROUPS_BEFORE:
    case EXPR_REVERSE_DIGITS:
    case EXPR_CIRCULANT_BLOCK:
    case EXPR_EXTENT:
    case EXPR_OUT_DEGREE:
    case EXPR_IN_DEGREE:
    case EXPR_OUT_NEIGHBOR:
    case EXPR_IN_NEIGHBOR:
    case EXPR_IN_TURN:
    case EXPR_IN_PLACE:
    case EXPR_OUT_HOP:
    case EXPR_OUT_LIKE:
    case EXPR_OUT_HOPS:
    case EXPR_COORDINATE:
    case EXPR_SHIFT:
    case EXPR_DISPLACE:
    case EXPR_ROTATE:
    case N_EXPR_KINDS:
        break;
    }
    return false;
}

bool arithmetic_apply(enum expr_kind kind, int64_t a, int64_t b, int64_t *result)
{
    return apply_one(kind, a, b, result);
}

const char *arithmetic_reason(enum expr_kind kind, int64_t a, int64_t b)
{
    if (kind == EXPR_DIV || kind == EXPR_MOD)
        return b == 0 ? "divides by zero" : "overflows 64 bits";
    if (kind == EXPR_POW && (b < 0 || b > MAX_EXPONENT))
        return "has an exponent outside 0 .. 62";
    if (kind == EXPR_CEIL_LOG2 || kind == EXPR_FLOOR_LOG2)
        return "is the logarithm of a number below 1";
    if (kind == EXPR_CEIL_LOG)
        return b < 1 ? "is the logarithm of a number below 1" : "has a base below 2";
    if (kind == EXPR_LCM && (a < 1 || b < 1))
        return "has an operand below 1";
    if (kind == EXPR_REVERSE_BITS)
        return "has a number of bits outside 0 .. 62";
    return "overflows 64 bits";
}

static inline uint64_t product_overflows(int64_t a, int64_t b)
{
    int64_t product;
    return (uint64_t)__builtin_mul_overflow(a, b, &product) << 63;
}

/* VECTOR(KIND, result, bad): x and y are the operands as uint64_t, s and t the
 * same as int64_t, r the result, y == 0 for unary kinds; the sign bit of `bad` marks a lane without one. */
#define VECTORS(VECTOR)                          \
    VECTOR(ADD, x + y, (x ^ r) & (y ^ r))        \
    VECTOR(SUB, x - y, (x ^ y) & (x ^ r))        \
    VECTOR(MUL, x * y, product_overflows(s, t))  \
    VECTOR(NEGATE, 0 - x, x & r)                 \
    VECTOR(NOT, s == 0, 0)                       \
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
    VECTORISED static uint64_t lanes_##KIND(const struct value *va,                  \
                                            const struct value *vb, uint32_t n,      \
                                            int64_t *out)                            \
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

/* The operators without vectors: a loop of its own for each, so that what is decided by the
 * operator is decided once. */
#define SCALARS(SCALAR) \
    SCALAR(DIV) SCALAR(MOD) SCALAR(POW) SCALAR(ABS) SCALAR(CEIL_LOG2) SCALAR(FLOOR_LOG2) \
    SCALAR(CEIL_LOG) SCALAR(REVERSE_BITS) SCALAR(LCM)

#define SCALAR_FUNCTION(KIND)                                                          \
    static uint64_t lanes_##KIND(const struct value *a, const struct value *b,         \
                                 uint32_t n, int64_t *out)                             \
    {                                                                                  \
        bool done = true;                                                              \
        for (uint32_t i = 0; i < n && done; i++)                                       \
            done = apply_one(EXPR_##KIND, value_at(a, i), value_at(b, i), &out[i]);    \
        return !done;                                                                  \
    }
SCALARS(SCALAR_FUNCTION)

typedef uint64_t lanes_function(const struct value *a, const struct value *b, uint32_t n,
                                int64_t *out);
static lanes_function *const lanes_functions[N_EXPR_KINDS] = {
#define VECTOR_ENTRY(KIND, result, bad) [EXPR_##KIND] = lanes_##KIND,
#define SCALAR_ENTRY(KIND) [EXPR_##KIND] = lanes_##KIND,
    VECTORS(VECTOR_ENTRY)
    SCALARS(SCALAR_ENTRY)
};

/* Divides by a power of two, or takes the remainder, by shifting or masking. False: the divisor is none. */
VECTORISED static bool divide_by_power(enum expr_kind kind, const struct value *a,
                                       int64_t divisor, uint32_t n, int64_t *out)
{
    if (!a->lane || divisor < 1 || (divisor & (divisor - 1)))
        return false;
    const int shift = __builtin_ctzll((unsigned long long)divisor);
    for (uint32_t i = 0; i < n && kind == EXPR_MOD; i++)
        out[i] = a->lane[i] & (divisor - 1);
    for (uint32_t i = 0; i < n && kind == EXPR_DIV; i++)
        out[i] = a->lane[i] >> shift;
    return true;
}

/* Are all lanes in low .. low + 2^bits - 1? */
VECTORISED static bool is_within(const struct value *value, int64_t low, int bits, uint32_t n)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < (value->lane ? n : 1); i++)
        all |= (uint64_t)value_at(value, i) - (uint64_t)low;
    return all >> bits == 0;
}

/* Division and remainder of numbers of less than 31 bits, the divisor above 0, by floating
 * point, for which there are vectors. Two different quotients of such numbers, one of them
 * whole, differ by more than a double is off: rounded towards 0 it is the whole quotient. */
VECTORISED static bool divide_lanes(enum expr_kind kind, const struct value *a,
                                    const struct value *b, uint32_t n, int64_t *out)
{
    const bool is_mod = kind == EXPR_MOD;
    if (!is_within(a, -(1 << 30), 31, n) || !is_within(b, 1, 30, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t dividend = (int32_t)value_at(a, i), divisor = (int32_t)value_at(b, i);
        const int32_t quotient = (int32_t)((double)dividend / divisor);
        const int32_t rest = dividend - quotient * divisor, below = -(rest < 0);
        out[i] = is_mod ? rest + (below & divisor) : quotient + below;
    }
    return true;
}

/* Products of numbers of 32 bits, for which there are vectors. */
VECTORISED static bool multiply_lanes(const struct value *a, const struct value *b, uint32_t n,
                                      int64_t *out)
{
    if (!is_within(a, INT32_MIN, 32, n) || !is_within(b, INT32_MIN, 32, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        out[i] = (int64_t)(int32_t)value_at(a, i) * (int32_t)value_at(b, i);
    return true;
}

bool arithmetic_lanes(enum expr_kind kind, const struct value *a, const struct value *b, uint32_t n,
                      int64_t *out)
{
    const bool is_division = kind == EXPR_DIV || kind == EXPR_MOD;
    if (is_division && !b->lane && divide_by_power(kind, a, b->scalar, n, out))
        return true;
    if (is_division && divide_lanes(kind, a, b, n, out))
        return true;
    if (kind == EXPR_MUL && multiply_lanes(a, b, n, out))
        return true;
    return !lanes_functions[kind](a, b, n, out);
}
