/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of an expression: whether it is the same on all ranks of an orbit, follows their
 * coordinates, or neither (symmetry.h).
 */
#include "compiler/passes/symmetry_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct shape unknown = {.kind = NEITHER, .modulus = -1};

static struct shape uniform(double most)
{
    return (struct shape){
        .kind = UNIFORM, .modulus = -1, .low = -INFINITY, .high = INFINITY, .most = most};
}

/* Bounds from 2^52 on are none: all others are whole numbers that a double holds, and sums of two of them
 * as well. */
static double lower_bound(double low)
{
    return fabs(low) < MAX_BOUND ? low : -INFINITY;
}

static double upper_bound(double high)
{
    return fabs(high) < MAX_BOUND ? high : INFINITY;
}

struct shape shape_within(double low, double high, double most)
{
    return (struct shape){.kind = UNIFORM,
                          .modulus = -1,
                          .low = lower_bound(low),
                          .high = upper_bound(high),
                          .most = most};
}

struct shape shape_of_constant(int64_t value)
{
    return (struct shape){.kind = UNIFORM,
                          .is_known = true,
                          .value = value,
                          .modulus = -1,
                          .low = lower_bound((double)value),
                          .high = upper_bound((double)value),
                          .most = fabs((double)value)};
}

bool walk_is_fixed(const struct walk *walk, uint32_t i)
{
    return walk->fixed >> i & 1;
}

struct shape shape_of_coordinate(struct walk *walk, uint32_t i)
{
    if (walk->way == BY_XOR)
        return (struct shape){.kind = SHIFTED, .modulus = -1, .most = walk->binding->n_ranks};
    if (walk->extent[i] == 1)
        return shape_of_constant(0);
    if (walk_is_fixed(walk, i))
        return shape_within(0, walk->extent[i] - 1.0, walk->extent[i]);
    struct shape shape = {.kind = AFFINE,
                          .modulus = -1,
                          .is_reduced = true,
                          .reduced = i,
                          .terms = {{1, i, ++walk->n_identities}},
                          .n_terms = 1,
                          .most = walk->extent[i]};
    shape.factor[i] = walk->period;
    return shape;
}

struct shape shape_of_point(struct walk *walk, bool is_first_fastest)
{
    struct shape shape = {.kind = walk->way == BY_GRID ? SHIFTED : SCALED,
                          .modulus = -1,
                          .most = walk->binding->n_ranks};
    int64_t stride = 1;
    for (uint32_t k = 0; k < walk->n; k++) {
        const uint32_t i = is_first_fastest ? k : walk->n - 1 - k;
        if (walk->extent[i] == 1 || walk_is_fixed(walk, i))
            continue;
        shape.terms[shape.n_terms++] = (struct term){stride, i, ++walk->n_identities};
        stride *= walk->extent[i];
    }
    return shape;
}

struct shape shape_of_block(const struct shape *coordinate, int64_t size)
{
    return (struct shape){.kind = SCALED,
                          .modulus = -1,
                          .terms = {{size, coordinate->terms[0].reduced, coordinate->terms[0].identity}},
                          .n_terms = 1,
                          .high = (double)size - 1,
                          .most = coordinate->most * (double)size};
}

bool shape_is_small(const struct shape *shape)
{
    return shape->is_known && shape->value > -MAX_FACTOR && shape->value < MAX_FACTOR;
}

bool shape_has_terms(const struct shape *shape)
{
    return shape->n_terms && (shape->kind == AFFINE || shape->kind == SCALED || shape->kind == SHIFTED);
}

/* Whether a number is a multiple of the extent of a coordinate. */
static bool is_turn(const struct walk *walk, uint32_t i, int64_t number)
{
    return number % (int64_t)walk->extent[i] == 0;
}

/* Whether it is coordinate i of the walk plus something uniform, modulo its extent. */
static bool is_along(const struct walk *walk, const struct shape *shape, uint32_t i)
{
    if (walk->extent[i] == 1)
        return shape->kind != NEITHER;
    if (walk_is_fixed(walk, i))
        return shape->kind == UNIFORM;
    if (shape->kind != AFFINE || (shape->modulus >= 0 && shape->modulus != (int)i))
        return false;
    for (uint32_t k = 0; k < walk->n; k++)
        if (!is_turn(walk, i, shape->factor[k] - (k == i ? walk->period : 0)))
            return false;
    return true;
}

bool shape_follows(const struct walk *walk, const struct shape *shape, uint32_t i)
{
    return walk->way == BY_COORDINATES ? is_along(walk, shape, i) : shape->kind == SHIFTED;
}

/* If all factors are 0 an exact expression is uniform; if they are too large nothing is known but what
 * the terms say. */
static struct shape settle(const struct walk *walk, struct shape shape)
{
    bool is_uniform = shape.kind == AFFINE && shape.modulus < 0;
    if (shape.most >= MAX_VALUE)
        return unknown;
    bool says_more = shape.n_terms; /* the bounds, than of what it is a multiple */
    for (uint32_t k = 0; k < shape.n_terms; k++)
        says_more = says_more && shape.high - shape.low < fabs((double)shape.terms[k].scale);
    shape.every = says_more ? 0 : shape.every;
    for (uint32_t k = 0; k < walk->n; k++) {
        if (shape.factor[k] <= -MAX_FACTOR || shape.factor[k] >= MAX_FACTOR)
            shape.kind = shape.n_terms ? SCALED : NEITHER;
        is_uniform = is_uniform && !shape.factor[k];
    }
    return is_uniform ? uniform(shape.most) : shape;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

/* Bounds and multiples of the sum, or of the difference, of what is uniform in two. */
static void add_rests(struct shape *sum, const struct shape *a, const struct shape *b, int sign)
{
    const double low = a->every ? a->rest_low : a->low, high = a->every ? a->rest_high : a->high;
    const double b_low = b->every ? b->rest_low : b->low, b_high = b->every ? b->rest_high : b->high;
    const struct shape result = {
        .every = greatest_divisor(a->every, b->every),
        .low = a->low + (sign > 0 ? b->low : -b->high),
        .high = a->high + (sign > 0 ? b->high : -b->low),
        .rest_low = low + (sign > 0 ? b_low : -b_high),
        .rest_high = high + (sign > 0 ? b_high : -b_low),
    };
    sum->every = result.every;
    sum->low = lower_bound(result.low);
    sum->high = upper_bound(result.high);
    sum->rest_low = lower_bound(result.rest_low);
    sum->rest_high = upper_bound(result.rest_high);
    if (sum->low == sum->high)
        sum->every = 0; /* the bounds say all */
}

/* Something uniform whose bounds leave one value is known. */
static struct shape known(struct shape shape)
{
    if (shape.low == shape.high && fabs(shape.low) < (double)MAX_FACTOR) {
        shape.is_known = true;
        shape.value = (int64_t)shape.low;
    }
    return shape;
}

/* The terms of both, those of one identity together. None if they are too many or too large. */
static bool add_terms(struct shape *sum, const struct shape *a, const struct shape *b, int sign)
{
    memcpy(sum->terms, a->terms, sizeof sum->terms);
    sum->n_terms = a->n_terms;
    bool is_small = true;
    for (uint32_t i = 0; i < b->n_terms; i++) {
        const struct term *term = &b->terms[i];
        uint32_t at = 0;
        while (at < sum->n_terms && sum->terms[at].identity != term->identity)
            at++;
        if (at == MAX_TERMS) {
            sum->n_terms = 0;
            return false;
        }
        if (at == sum->n_terms)
            sum->terms[sum->n_terms++] = (struct term){0, term->reduced, term->identity};
        sum->terms[at].scale += sign * term->scale;
        if (!sum->terms[at].scale)
            sum->terms[at] = sum->terms[--sum->n_terms];
        else
            is_small = is_small && llabs(sum->terms[at].scale) < MAX_FACTOR;
    }
    sum->n_terms = is_small ? sum->n_terms : 0;
    return is_small;
}

static bool is_sum_of_terms(const struct shape *shape)
{
    return shape->kind == UNIFORM || shape_has_terms(shape);
}

/* Whether nothing is known of what is added to it. */
static bool is_opaque(const struct shape *shape)
{
    return shape->kind == NEITHER || shape->kind == DIVIDED || (shape->kind == SHIFTED && !shape->n_terms);
}

static struct shape add(const struct walk *walk, const struct shape *a, const struct shape *b, int sign)
{
    struct shape sum = {.kind = AFFINE, .modulus = -1, .most = a->most + b->most};
    if (is_opaque(a) || is_opaque(b))
        return unknown;
    add_rests(&sum, a, b, sign);
    const bool is_sum = is_sum_of_terms(a) && is_sum_of_terms(b) && add_terms(&sum, a, b, sign);
    if ((a->kind == UNIFORM && b->kind == UNIFORM) || (is_sum && !sum.n_terms && sum.most < MAX_VALUE)) {
        sum.kind = UNIFORM;
        return known(sum);
    }
    const bool is_scaled = a->kind == SCALED || b->kind == SCALED || a->kind == SHIFTED || b->kind == SHIFTED;
    if (is_scaled || (a->modulus >= 0 && b->modulus >= 0 && a->modulus != b->modulus)) {
        sum.kind = sum.n_terms ? SCALED : NEITHER;
        return settle(walk, sum);
    }
    sum.modulus = a->modulus >= 0 ? a->modulus : b->modulus;
    for (uint32_t k = 0; k < walk->n; k++)
        sum.factor[k] = a->factor[k] + sign * b->factor[k];
    return settle(walk, sum);
}

/* The farthest from 0 that a value can be itself, whatever is on the way to it. */
static double size_of(const struct shape *shape)
{
    const double size = fmax(fabs(shape->low), fabs(shape->high));
    return shape->kind == UNIFORM && size < shape->most ? size : shape->most;
}

/* Something uniform as far from 0 as `size`, from operands on whose way there may be more. */
static struct shape sized(double size, const struct shape *a, const struct shape *b)
{
    return shape_within(-size, size, fmax(size, fmax(a->most, b->most)));
}

/* Times a known number: bounds of what is uniform, and of what it is a multiple. */
static void scale_rests(struct shape *product, const struct shape *of, int64_t by)
{
    const double factor = (double)by;
    const bool has_every = of->every && of->every < MAX_FACTOR;
    product->low = fmin(of->low * factor, of->high * factor);
    product->high = fmax(of->low * factor, of->high * factor);
    product->every = by == 0 ? 0 : (by < 0 ? -by : by) * (has_every ? of->every : 1);
    product->rest_low = has_every ? fmin(of->rest_low * factor, of->rest_high * factor) : 0;
    product->rest_high = has_every ? fmax(of->rest_low * factor, of->rest_high * factor) : 0;
    if (by == 0) /* not infinity * 0 */
        product->low = product->high = product->rest_low = product->rest_high = 0;
    product->low = lower_bound(product->low);
    product->high = upper_bound(product->high);
    product->rest_low = lower_bound(product->rest_low);
    product->rest_high = upper_bound(product->rest_high);
    if (product->low == product->high)
        product->every = 0; /* the bounds say all */
}

static struct shape multiply(const struct walk *walk, const struct shape *a, const struct shape *b);

/* A quotient times a multiple of what it is divided by: as many times what was divided, less what remains. */
static struct shape multiply_quotient(const struct walk *walk, const struct shape *of, const struct shape *by)
{
    const int64_t divisor = walk->extent[of->reduced];
    const struct shape rest = {
        .kind = SCALED, .modulus = -1, .terms = {{1, of->reduced, of->remainder}}, .n_terms = 1,
        .most = (double)divisor};
    struct shape whole = *of;
    if (!shape_is_small(by) || by->value % divisor)
        return unknown;
    const struct shape times = shape_of_constant(by->value / divisor);
    whole.kind = SCALED;
    whole = add(walk, &whole, &rest, -1);
    return multiply(walk, &whole, &times);
}

static struct shape multiply(const struct walk *walk, const struct shape *a, const struct shape *b)
{
    const struct shape *by = shape_is_small(b) && b->kind == UNIFORM ? b : a, *of = by == b ? a : b;
    struct shape product = *of;
    if (by->kind == UNIFORM && of->kind == DIVIDED)
        return multiply_quotient(walk, of, by);
    if (by->kind != UNIFORM || is_opaque(of))
        return unknown;
    if (of->kind == UNIFORM) {
        product = sized(size_of(a) * size_of(b), a, b);
        if (shape_is_small(a) && shape_is_small(b))
            return shape_of_constant(a->value * b->value);
        if (shape_is_small(by))
            scale_rests(&product, of, by->value);
        return product;
    }
    if (!shape_is_small(by))
        return unknown;
    if (by->value == 0)
        return shape_of_constant(0);
    product.most = a->most * b->most;
    product.kind = of->kind == SHIFTED ? SCALED : of->kind;
    product.is_reduced = false;
    product.is_known = false;
    scale_rests(&product, of, by->value);
    for (uint32_t k = 0; k < of->n_terms && product.n_terms; k++)
        if (llabs(product.terms[k].scale *= by->value) >= MAX_FACTOR)
            product.n_terms = 0;
    if (product.kind == SCALED && !product.n_terms)
        return unknown;
    for (uint32_t k = 0; k < walk->n; k++)
        product.factor[k] = of->factor[k] * by->value;
    return settle(walk, product);
}

/* An affine value / b, or modulo b: where b divides all by which it grows. Else that would be a period to
 * try. */
static struct shape divide_affine(struct walk *walk, const struct shape *a, const struct shape *b,
                                  bool is_rest)
{
    struct shape result = {.kind = AFFINE, .modulus = -1, .most = a->most};
    bool is_divided = a->kind == AFFINE && shape_is_small(b) && b->value > 0;
    if (!is_divided || (a->modulus >= 0 && (!is_rest || walk->extent[a->modulus] % b->value)))
        return unknown;
    for (uint32_t i = 0; i < walk->n; i++) {
        is_divided = is_divided && a->factor[i] % b->value == 0;
        result.factor[i] = a->factor[i] / b->value;
    }
    if (!is_divided) {
        *walk->wanted = !*walk->wanted && b->value <= ORBITS_MAX ? (uint32_t)b->value : *walk->wanted;
        return unknown;
    }
    return is_rest ? shape_within(0, (double)b->value - 1, fmax(a->most, b->most)) : settle(walk, result);
}

/* A sum that is complete: uniform if it has no terms, and if it has one alone that is a coordinate, modulo
 * its extent. */
static struct shape settle_terms(const struct walk *walk, struct shape sum)
{
    sum.kind = sum.n_terms ? SCALED : UNIFORM;
    sum.modulus = -1;
    sum.is_known = sum.is_reduced = false;
    memset(sum.factor, 0, sizeof sum.factor);
    if (!sum.n_terms)
        return known(sum);
    if (sum.n_terms == 1 && sum.terms[0].scale == 1) {
        sum.kind = AFFINE;
        sum.reduced = sum.terms[0].reduced;
        sum.modulus = (int)sum.reduced;
        sum.factor[sum.reduced] = walk->period;
        sum.is_reduced = sum.low == 0 && sum.high == 0;
    }
    return settle(walk, sum);
}

/* The terms whose scales b divides, divided by it, or the others; these with u are within *low and
 * *high. */
static void divide_each(const struct walk *walk, const struct shape *a, int64_t b, bool is_rest,
                        struct shape *result, double *low, double *high)
{
    *low = a->low;
    *high = a->high;
    result->n_terms = 0;
    for (uint32_t i = 0; i < a->n_terms; i++) {
        struct term term = a->terms[i];
        const bool is_divided = term.scale % b == 0;
        const double most = (double)term.scale * (walk->extent[term.reduced] - 1.0);
        *low += is_divided ? 0 : fmin(0, most);
        *high += is_divided ? 0 : fmax(0, most);
        term.scale /= is_divided ? b : 1;
        if (is_divided != is_rest)
            result->terms[result->n_terms++] = term;
    }
}

/* Terms and u, / b or modulo b: where b divides the scales, but for terms that with u are always from 0 to
 * b - 1. What is divided must not be negative. */
static struct shape divide_terms(struct walk *walk, const struct shape *a, const struct shape *b,
                                 bool is_rest)
{
    struct shape result = *a;
    double low, high;
    if (!shape_is_small(b) || b->value < 1 || !shape_has_terms(a))
        return divide_affine(walk, a, b, is_rest);
    divide_each(walk, a, b->value, is_rest, &result, &low, &high);
    const uint32_t n_left = is_rest ? result.n_terms : a->n_terms - result.n_terms;
    const bool is_below = low >= 0 && high < (double)b->value;
    if (n_left && !is_below)
        return divide_affine(walk, a, b, is_rest);
    if (is_rest)
        return is_below ? settle_terms(walk, result)
                        : known(shape_within(0, (double)b->value - 1, fmax(a->most, b->most)));
    for (uint32_t i = 0; i < a->n_terms; i++)
        if (a->terms[i].scale < 0)
            return unknown;
    if (!(a->low >= 0))
        return unknown;
    result.low = n_left ? 0 : floor(a->low / (double)b->value);
    result.high = n_left ? 0 : floor(a->high / (double)b->value);
    result.every = 0;
    return settle_terms(walk, result);
}

/* groups_before(a, 1): every server has as many ranks. */
static struct shape ranks_before(const struct walk *walk, const struct shape *a, const struct shape *b)
{
    const struct placement *placement = walk->binding->placement;
    const double n = placement ? placement->n_servers : 0;
    bool is_sum = is_sum_of_terms(a);
    double end = a->high;
    for (uint32_t i = 0; a->kind != UNIFORM && i < a->n_terms; i++) {
        is_sum = is_sum && a->terms[i].scale > 0;
        end += (double)a->terms[i].scale * (walk->extent[a->terms[i].reduced] - 1.0);
    }
    if (!placement || !placement->slots || !shape_is_small(b) || b->value != 1 || !is_sum ||
        !(a->low >= 0) || !(end <= n))
        return unknown;
    const struct shape slots = shape_of_constant(placement->slots);
    return multiply(walk, a, &slots);
}

/* a mod b, b being the extent of a coordinate. */
static struct shape reduce(struct walk *walk, const struct shape *a, const struct shape *b)
{
    if (a->kind == SHIFTED && b->is_known && b->value == walk->binding->n_ranks)
        return *a;
    if (!shape_is_small(b) || a->kind != AFFINE)
        return divide_terms(walk, a, b, true);
    for (uint32_t i = 0; i < walk->n; i++) {
        if (b->value != walk->extent[i] || b->value == 1 || !is_along(walk, a, i))
            continue;
        struct shape shape = shape_of_coordinate(walk, i);
        shape.modulus = (int)i;
        shape.most = a->most > b->most ? a->most : b->most;
        return shape;
    }
    return divide_terms(walk, a, b, true);
}

/* Expressions of the same text. */
static bool is_same_text(const struct expr *a, const struct expr *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && (a->kind != EXPR_INTEGER || a->integer == b->integer) &&
           (a->kind != EXPR_VARIABLE || a->variable == b->variable) && is_same_text(a->a, b->a) &&
           is_same_text(a->b, b->b) && is_same_text(a->c, b->c);
}

/* The shape of a mod b, of an earlier remainder in the expression where that is the same number. */
static struct shape reduce_once(struct walk *walk, const struct expr *expr, const struct shape *a,
                                const struct shape *b)
{
    for (uint32_t i = 0; i < walk->n_rests; i++)
        if (is_same_text(walk->rests[i].of, expr->a) && is_same_text(walk->rests[i].by, expr->b))
            return walk->rests[i].shape;
    const struct shape shape = reduce(walk, a, b);
    if (walk->n_rests < MAX_RESTS)
        walk->rests[walk->n_rests++] = (struct rest){expr->a, expr->b, shape};
    return shape;
}

/* a / b, b being an extent: n * (a / n) is a less a mod n, and so it is known if that is added again. */
static struct shape divide_by_extent(struct walk *walk, const struct expr *expr, const struct shape *a,
                                     const struct shape *b)
{
    const struct shape quotient = divide_terms(walk, a, b, false);
    if (quotient.kind != NEITHER || a->kind != AFFINE || !a->n_terms || !shape_is_small(b))
        return quotient;
    const struct shape rest = reduce_once(walk, expr, a, b);
    struct shape divided = *a;
    if (rest.kind != AFFINE || rest.n_terms != 1 || rest.terms[0].scale != 1 || rest.low != 0 ||
        rest.high != 0 || b->value != walk->extent[rest.terms[0].reduced])
        return quotient;
    divided.kind = DIVIDED;
    divided.is_reduced = false;
    divided.reduced = rest.terms[0].reduced;
    divided.remainder = rest.terms[0].identity;
    return divided;
}

static bool is_comparison(enum expr_kind kind)
{
    return kind >= EXPR_EQ && kind <= EXPR_GE;
}

/* Known where bounds decide it. */
static struct shape of_comparison(enum expr_kind kind, const struct shape *a, const struct shape *b)
{
    const bool is_equal = a->is_known && b->is_known && a->value == b->value;
    const bool is_below = a->high < b->low, is_above = a->low > b->high;
    const bool is_at_most = is_equal || a->high <= b->low, is_at_least = is_equal || a->low >= b->high;
    const bool can_equal = !is_below && !is_above;
    switch ((int)kind) {
    case EXPR_EQ: return can_equal && !is_equal ? shape_within(0, 1, 1) : shape_of_constant(is_equal);
    case EXPR_NE: return can_equal && !is_equal ? shape_within(0, 1, 1) : shape_of_constant(!is_equal);
    case EXPR_LT: return is_below || is_at_least ? shape_of_constant(is_below) : shape_within(0, 1, 1);
    case EXPR_LE: return is_at_most || is_above ? shape_of_constant(is_at_most) : shape_within(0, 1, 1);
    case EXPR_GT: return is_above || is_at_most ? shape_of_constant(is_above) : shape_within(0, 1, 1);
    default: return is_at_least || is_below ? shape_of_constant(is_at_least) : shape_within(0, 1, 1);
    }
}

/* What is known of the value on all ranks together, as of something uniform: the x of a term goes from 0
 * to its extent - 1. */
static struct shape on_all_ranks(const struct walk *walk, const struct shape *shape)
{
    if (shape->kind == UNIFORM)
        return *shape;
    if (!shape_has_terms(shape))
        return uniform(shape->most);
    double low = shape->low, high = shape->high;
    for (uint32_t i = 0; i < shape->n_terms; i++) {
        const struct term *term = &shape->terms[i];
        const double most = (double)term->scale * (walk->extent[term->reduced] - 1.0);
        low += fmin(0, most);
        high += fmax(0, most);
    }
    return shape_within(low, high, shape->most);
}

/* Of two expressions of which one at least is not uniform: whether their difference is, or bounds decide. */
static struct shape compare(const struct walk *walk, enum expr_kind kind, const struct shape *a,
                            const struct shape *b)
{
    const struct shape all_a = on_all_ranks(walk, a), all_b = on_all_ranks(walk, b);
    const struct shape by_bounds = of_comparison(kind, &all_a, &all_b);
    if (by_bounds.is_known)
        return by_bounds;
    const bool is_equality = kind == EXPR_EQ || kind == EXPR_NE;
    const bool is_same = add(walk, a, b, -1).kind == UNIFORM;
    const bool is_cyclic = is_equality && a->kind == AFFINE && b->kind == AFFINE && a->is_reduced &&
                           b->is_reduced && a->reduced == b->reduced;
    const bool is_point = is_equality && a->kind == SHIFTED && b->kind == SHIFTED;
    return is_same || is_cyclic || is_point ? shape_within(0, 1, 1) : unknown;
}

/* A rank shifted by something uniform: in dimension d alone, if that is known. */
static struct shape shift_on_grid(struct walk *walk, struct shape rank, const struct shape *d)
{
    for (uint32_t i = 0; i < rank.n_terms; i++)
        if (!d || !d->is_known || d->value == rank.terms[i].reduced)
            rank.terms[i].identity = ++walk->n_identities;
    return rank;
}

/* coordinate(rank, d), which goes round the end where the rank is shifted. A dimension beyond the last one
 * has one place. */
static struct shape coordinate_on_grid(struct walk *walk, const struct shape *rank, const struct shape *d)
{
    if (!shape_is_small(d) || d->value < 0)
        return unknown;
    if (d->value >= walk->n || walk->extent[d->value] == 1)
        return shape_of_constant(0);
    struct shape shape = shape_of_coordinate(walk, (uint32_t)d->value);
    shape.modulus = (int)d->value;
    for (uint32_t i = 0; i < rank->n_terms; i++)
        if (rank->terms[i].reduced == d->value)
            shape.terms[0].identity = rank->terms[i].identity;
    return shape;
}

/* Of a rank that is shifted. */
static struct shape shift(struct walk *walk, enum expr_kind kind, const struct shape *a,
                          const struct shape *b, const struct shape *c)
{
    const bool is_grid = walk->way == BY_GRID && a->kind == SHIFTED && b->kind == UNIFORM;
    const bool is_xor = walk->way == BY_XOR && kind == EXPR_XOR;
    if (is_grid && kind == EXPR_COORDINATE)
        return coordinate_on_grid(walk, a, b);
    if (is_grid && c->kind == UNIFORM && (kind == EXPR_SHIFT || kind == EXPR_DISPLACE))
        return shift_on_grid(walk, *a, kind == EXPR_SHIFT ? b : NULL);
    if (is_xor && a->kind == SHIFTED && b->kind == UNIFORM)
        return *a;
    return is_xor && b->kind == SHIFTED && a->kind == UNIFORM ? *b : unknown;
}

/* MAX_FACTOR if it is as much or more, or none. */
static int64_t power(int64_t base, int64_t exponent)
{
    int64_t result = base < 1 || exponent < 0 || (base > 1 && exponent > 31) ? MAX_FACTOR : 1;
    for (int64_t i = 0; base > 1 && i < exponent && result < MAX_FACTOR; i++)
        result *= base;
    return result;
}

/* Of uniform operands; the bound serves what is added to coordinates only. */
static struct shape of_uniform(const struct walk *walk, enum expr_kind kind, const struct shape *a,
                               const struct shape *b)
{
    const double larger = fmax(size_of(a), size_of(b));
    if (is_comparison(kind))
        return of_comparison(kind, a, b);
    if (kind == EXPR_AND || kind == EXPR_OR || kind == EXPR_NOT)
        return shape_within(0, 1, 1);
    if (kind == EXPR_EXTENT && walk->binding->grid.n_ranks && shape_is_small(a) && a->value >= 0) {
        const struct rank_grid *grid = &walk->binding->grid;
        return shape_of_constant(a->value < grid->n_dimensions ? grid->extent[a->value].value : 1);
    }
    if (is_grid_function(kind) || kind == EXPR_GROUPS_BEFORE)
        return shape_within(0, walk->binding->n_ranks, walk->binding->n_ranks);
    switch ((int)kind) {
    case EXPR_POW:
        if (shape_is_small(a) && shape_is_small(b) && power(a->value, b->value) < MAX_FACTOR)
            return shape_of_constant(power(a->value, b->value));
        return sized(pow(fmax(1, size_of(a)), fmin(size_of(b), fmax(0, b->high))), a, b);
    case EXPR_DIV:
        if (shape_is_small(a) && shape_is_small(b) && a->value >= 0 && b->value > 0)
            return shape_of_constant(a->value / b->value);
        if (shape_is_small(b) && b->value > 0 && a->low >= 0)
            return known(shape_within(floor(a->low / (double)b->value), floor(a->high / (double)b->value),
                                      a->most));
        return sized((shape_is_small(b) && b->value > 0 ? size_of(a) / (double)b->value : size_of(a)) + 1,
                     a, b);
    case EXPR_MOD:
        if (shape_is_small(a) && shape_is_small(b) && a->value >= 0 && b->value > 0)
            return shape_of_constant(a->value % b->value);
        if (shape_is_small(b) && b->value > 0)
            return shape_within(a->low >= 0 && a->high < (double)b->value ? a->low : 0,
                          a->low >= 0 && a->high < (double)b->value ? a->high : (double)b->value - 1,
                          fmax(a->most, b->most));
        return sized(larger, a, b);
    case EXPR_XOR: return sized(2 * larger + 1, a, b); /* no bit above those of both */
    case EXPR_MIN:
        return known(shape_within(fmin(a->low, b->low), fmin(a->high, b->high), fmax(a->most, b->most)));
    case EXPR_MAX:
        return known(shape_within(fmax(a->low, b->low), fmax(a->high, b->high), fmax(a->most, b->most)));
    case EXPR_ABS: return sized(larger, a, b);
    case EXPR_CEIL_LOG2:
    case EXPR_FLOOR_LOG2: return sized(1 + log2(fmax(2, size_of(a))), a, b);
    case EXPR_CEIL_LOG: return sized(1 + log2(fmax(2, size_of(b))), a, b);
    default: return uniform(INFINITY);
    }
}

/* What a comparison with something uniform says of a variable, if it is true, or false. */
static void narrow_by(struct shape *variable, enum expr_kind kind, const struct shape *than, bool is_true)
{
    static const enum expr_kind opposite[][2] = {{EXPR_LT, EXPR_GE}, {EXPR_LE, EXPR_GT}};
    for (size_t i = 0; !is_true && i < sizeof opposite / sizeof *opposite; i++)
        for (int k = 0; k < 2; k++)
            if (kind == opposite[i][k]) {
                narrow_by(variable, opposite[i][1 - k], than, true);
                return;
            }
    if (!is_true)
        return;
    if (kind == EXPR_GE || kind == EXPR_EQ)
        variable->low = fmax(variable->low, than->low);
    if (kind == EXPR_GT)
        variable->low = fmax(variable->low, than->low + 1);
    if (kind == EXPR_LE || kind == EXPR_EQ)
        variable->high = fmin(variable->high, than->high);
    if (kind == EXPR_LT)
        variable->high = fmin(variable->high, than->high - 1);
    variable->most = fmin(variable->most, size_of(variable)); /* what is on the way to it was computed */
    *variable = known(*variable);
}

struct narrowed shape_narrow(struct walk *walk, const struct expr *condition, bool is_true)
{
    const struct expr *variable = condition->a;
    struct narrowed narrowed = {.variable = UINT32_MAX};
    if (!is_comparison(condition->kind) || variable->kind != EXPR_VARIABLE)
        return narrowed;
    const struct shape than = shape_of(walk, condition->b);
    struct shape *shape = &walk->shapes[variable->variable];
    if (shape->kind != UNIFORM || shape->is_known || than.kind != UNIFORM)
        return narrowed;
    narrowed = (struct narrowed){variable->variable, *shape};
    narrow_by(shape, condition->kind, &than, is_true);
    return narrowed;
}

void shape_widen(struct walk *walk, const struct narrowed *narrowed)
{
    if (narrowed->variable != UINT32_MAX)
        walk->shapes[narrowed->variable] = narrowed->shape;
}

static struct shape look_at_expr(struct walk *walk, const struct expr *expr)
{
    struct shape a = uniform(0), b = a, c = a, shape;
    if (++walk->n_walked > MAX_WALKED || walk->depth > MAX_DEPTH)
        return unknown;
    if (expr->kind == EXPR_INTEGER)
        return shape_of_constant(expr->integer);
    if (expr->kind == EXPR_VARIABLE)
        return walk->shapes[expr->variable];
    walk->depth++;
    if (expr->a)
        a = look_at_expr(walk, expr->a);
    if (expr->b)
        b = look_at_expr(walk, expr->b);
    if (expr->c)
        c = look_at_expr(walk, expr->c);
    walk->depth--;
    switch ((int)expr->kind) {
    case EXPR_NEGATE: return add(walk, &(struct shape){.kind = UNIFORM, .modulus = -1}, &a, -1);
    case EXPR_ADD: return add(walk, &a, &b, 1);
    case EXPR_SUB: return add(walk, &a, &b, -1);
    case EXPR_MUL: return multiply(walk, &a, &b);
    default: break;
    }
    if (expr->kind == EXPR_GROUPS_BEFORE && (shape = ranks_before(walk, &a, &b)).kind != NEITHER)
        return shape;
    if (a.kind == UNIFORM && b.kind == UNIFORM && c.kind == UNIFORM)
        return of_uniform(walk, expr->kind, &a, &b);
    shape = unknown;
    if (expr->kind == EXPR_MOD)
        shape = reduce_once(walk, expr, &a, &b);
    else if (expr->kind == EXPR_DIV)
        shape = divide_by_extent(walk, expr, &a, &b);
    else if (is_comparison(expr->kind))
        shape = compare(walk, expr->kind, &a, &b);
    else
        shape = shift(walk, expr->kind, &a, &b, &c);
    return shape;
}

struct shape shape_of(struct walk *walk, const struct expr *expr)
{
    struct rest rests[MAX_RESTS];
    walk->rests = rests;
    walk->n_rests = 0;
    const struct shape shape = look_at_expr(walk, expr);
    walk->rests = NULL;
    return shape;
}

bool shape_is_beside(struct walk *walk, const struct expr *a, const struct expr *b)
{
    struct rest rests[MAX_RESTS];
    walk->rests = rests;
    walk->n_rests = 0;
    const struct shape of_a = look_at_expr(walk, a), of_b = look_at_expr(walk, b);
    walk->rests = NULL;
    return add(walk, &of_a, &of_b, -1).kind == UNIFORM;
}
