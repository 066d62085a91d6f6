/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shapes of a sum, a product, a quotient or a remainder, given those of its operands
 * (symmetry_internal.h).
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

#include "base/integer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct shape shape_unknown = {.kind = NEITHER, .modulus = -1};

struct shape shape_uniform(double most)
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
    return walk->period[i] == walk->extent[i];
}

void walk_want(struct walk *walk, const int64_t *factor, int64_t b)
{
    for (uint32_t i = 0; i < walk->n; i++)
        if (walk->wanted[i])
            return;
    for (uint32_t i = 0; i < walk->n; i++) {
        const uint64_t more = (uint64_t)b / common_divisor((uint64_t)b, (uint64_t)llabs(factor[i]));
        const uint64_t period = walk->period[i] * more;
        walk->wanted[i] = walk->extent[i] % period ? walk->extent[i] : (uint32_t)period;
    }
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
    shape.factor[i] = walk->period[i];
    return shape;
}

bool walk_has_place(const struct walk *walk, uint32_t i)
{
    return walk->extent[i] > 1 && (way_is_by_grid(walk->way) || !walk_is_fixed(walk, i));
}

struct shape shape_of_point(struct walk *walk, bool is_first_fastest)
{
    struct shape shape = {.kind = way_is_by_grid(walk->way) ? SHIFTED : SCALED,
                          .modulus = -1,
                          .most = walk->binding->n_ranks};
    int64_t stride = 1;
    for (uint32_t k = 0; k < walk->n; k++) {
        const uint32_t i = is_first_fastest ? k : walk->n - 1 - k;
        if (!walk_has_place(walk, i))
            continue;
        const int64_t scale = way_is_by_grid(walk->way) ? walk->binding->grid.step[i] : stride;
        shape.terms[shape.n_terms++] = (struct term){scale, i, ++walk->n_identities};
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

/* True if a number is a multiple of the extent of a coordinate. */
static bool is_turn(const struct walk *walk, uint32_t i, int64_t number)
{
    return number % (int64_t)walk->extent[i] == 0;
}

/* True if it is coordinate i of the walk plus something uniform, modulo its extent. */
bool shape_is_along(const struct walk *walk, const struct shape *shape, uint32_t i)
{
    if (walk->extent[i] == 1)
        return shape->kind != NEITHER;
    if (walk_is_fixed(walk, i))
        return shape->kind == UNIFORM;
    if (shape->kind != AFFINE || (shape->modulus >= 0 && shape->modulus != (int)i))
        return false;
    for (uint32_t k = 0; k < walk->n; k++)
        if (!is_turn(walk, i, shape->factor[k] - (k == i ? walk->period[i] : 0)))
            return false;
    return true;
}

bool shape_follows(const struct walk *walk, const struct shape *shape, uint32_t i)
{
    return walk->way == BY_COORDINATES ? shape_is_along(walk, shape, i) : shape->kind == SHIFTED;
}

/* Simplifies a sum: an exact one whose factors are all 0 is uniform; if factors are too large, only the terms
 * remain known. */
static struct shape symmetry_sums_settle(const struct walk *walk, struct shape shape)
{
    bool is_uniform = shape.kind == AFFINE && shape.modulus < 0;
    if (shape.most >= MAX_VALUE)
        return shape_unknown;
    bool says_more = shape.n_terms; /* the bounds, than of what it is a multiple */
    for (uint32_t k = 0; k < shape.n_terms; k++)
        says_more = says_more && shape.high - shape.low < fabs((double)shape.terms[k].scale);
    shape.every = says_more ? 0 : shape.every;
    for (uint32_t k = 0; k < walk->n; k++) {
        if (shape.factor[k] <= -MAX_FACTOR || shape.factor[k] >= MAX_FACTOR)
            shape.kind = shape.n_terms ? SCALED : NEITHER;
        is_uniform = is_uniform && !shape.factor[k];
    }
    return is_uniform ? shape_uniform(shape.most) : shape;
}

/* Bounds and multiples of the sum, or of the difference, of what is uniform in two. */
static void add_rests(struct shape *sum, const struct shape *a, const struct shape *b, int sign)
{
    const double low = a->every ? a->rest_low : a->low, high = a->every ? a->rest_high : a->high;
    const double b_low = b->every ? b->rest_low : b->low, b_high = b->every ? b->rest_high : b->high;
    const struct shape result = {
        .every = (int64_t)common_divisor((uint64_t)a->every, (uint64_t)b->every),
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
    if (sum->low == sum->high || sum->rest_high - sum->rest_low >= (double)sum->every - 1)
        sum->every = 0; /* the bounds say all, or any number is such a multiple plus such a rest */
}

/* Something uniform whose bounds leave one value is known. */
struct shape shape_known(struct shape shape)
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

bool shape_is_sum(const struct shape *shape)
{
    return shape->kind == UNIFORM || shape_has_terms(shape);
}

/* True if nothing is known of a sum with it. */
static bool is_opaque(const struct shape *shape)
{
    return shape->kind == NEITHER || shape->kind == DIVIDED || shape->kind == CONGRUENT ||
           shape->kind == PLACE || shape->kind == SIGNED ||
           (shape->kind == SHIFTED && !shape->n_terms);
}

struct shape shape_sum(const struct walk *walk, const struct shape *a, const struct shape *b, int sign)
{
    struct shape sum = {.kind = AFFINE, .modulus = -1, .most = a->most + b->most};
    if (is_opaque(a) || is_opaque(b))
        return shape_unknown;
    add_rests(&sum, a, b, sign);
    const bool is_sum = shape_is_sum(a) && shape_is_sum(b) && add_terms(&sum, a, b, sign);
    if ((a->kind == UNIFORM && b->kind == UNIFORM) || (is_sum && !sum.n_terms && sum.most < MAX_VALUE)) {
        sum.kind = UNIFORM;
        return shape_known(sum);
    }
    const bool is_scaled = a->kind == SCALED || b->kind == SCALED || a->kind == SHIFTED || b->kind == SHIFTED;
    if (is_scaled || (a->modulus >= 0 && b->modulus >= 0 && a->modulus != b->modulus)) {
        sum.kind = sum.n_terms ? SCALED : NEITHER;
        return symmetry_sums_settle(walk, sum);
    }
    sum.modulus = a->modulus >= 0 ? a->modulus : b->modulus;
    for (uint32_t k = 0; k < walk->n; k++)
        sum.factor[k] = a->factor[k] + sign * b->factor[k];
    return symmetry_sums_settle(walk, sum);
}

/* Returns the farthest from 0 that a value can be itself, whatever is on the way to it. */
double shape_size(const struct shape *shape)
{
    const double size = fmax(fabs(shape->low), fabs(shape->high));
    return shape->kind == UNIFORM && size < shape->most ? size : shape->most;
}

/* Something uniform as far from 0 as `size`, rounded down, from operands on whose way there may be more. */
struct shape shape_sized(double size, const struct shape *a, const struct shape *b)
{
    const double whole = floor(size);
    return shape_within(-whole, whole, fmax(whole, fmax(a->most, b->most)));
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

/* Returns a quotient times a multiple of what it is divided by: as many times what was divided, less what
 * remains. */
static struct shape multiply_quotient(const struct walk *walk, const struct shape *of, const struct shape *by)
{
    const int64_t divisor = walk->extent[of->reduced];
    const struct shape rest = {
        .kind = SCALED, .modulus = -1, .terms = {{1, of->reduced, of->remainder}}, .n_terms = 1,
        .most = (double)divisor};
    struct shape whole = *of;
    if (!shape_is_small(by) || by->value % divisor)
        return shape_unknown;
    const struct shape times = shape_of_constant(by->value / divisor);
    whole.kind = SCALED;
    whole = shape_sum(walk, &whole, &rest, -1);
    return shape_product(walk, &whole, &times);
}

struct shape shape_product(const struct walk *walk, const struct shape *a, const struct shape *b)
{
    const struct shape *by = shape_is_small(b) && b->kind == UNIFORM ? b : a, *of = by == b ? a : b;
    struct shape product = *of;
    if (by->kind == UNIFORM && of->kind == DIVIDED)
        return multiply_quotient(walk, of, by);
    if (by->kind != UNIFORM || is_opaque(of))
        return shape_unknown;
    if (of->kind == UNIFORM) {
        product = shape_sized(shape_size(a) * shape_size(b), a, b);
        if (shape_is_small(a) && shape_is_small(b))
            return shape_of_constant(a->value * b->value);
        if (shape_is_small(by))
            scale_rests(&product, of, by->value);
        return product;
    }
    if (!shape_is_small(by))
        return shape_unknown;
    if (by->value == 0)
        return shape_of_constant(0);
    product.most = a->most * b->most;
    product.kind = of->kind == SHIFTED ? SCALED : of->kind;
    product.is_reduced = false;
    scale_rests(&product, of, by->value);
    for (uint32_t k = 0; k < of->n_terms && product.n_terms; k++)
        if (llabs(product.terms[k].scale *= by->value) >= MAX_FACTOR)
            product.n_terms = 0;
    if (product.kind == SCALED && !product.n_terms)
        return shape_unknown;
    for (uint32_t k = 0; k < walk->n; k++)
        product.factor[k] = of->factor[k] * by->value;
    return symmetry_sums_settle(walk, product);
}

/* Returns an affine value / b, or modulo b: where b divides all by which it grows. Else that would be a
 * period to try. */
static struct shape divide_affine(struct walk *walk, const struct shape *a, const struct shape *b,
                                  bool is_rest)
{
    struct shape result = {.kind = AFFINE, .modulus = -1, .most = a->most};
    bool is_divided = a->kind == AFFINE && shape_is_small(b) && b->value > 0;
    if (!is_divided || (a->modulus >= 0 && (!is_rest || walk->extent[a->modulus] % b->value)))
        return shape_unknown;
    for (uint32_t i = 0; i < walk->n; i++) {
        is_divided = is_divided && a->factor[i] % b->value == 0;
        result.factor[i] = a->factor[i] / b->value;
    }
    if (!is_divided) {
        walk_want(walk, a->factor, b->value);
        return shape_unknown;
    }
    return is_rest ? shape_within(0, (double)b->value - 1, fmax(a->most, b->most))
                   : symmetry_sums_settle(walk, result);
}

/* Returns a sum that is complete: uniform if it has no terms, and if it has one alone that is a coordinate,
 * modulo its extent. */
static struct shape settle_terms(const struct walk *walk, struct shape sum)
{
    sum.kind = sum.n_terms ? SCALED : UNIFORM;
    sum.modulus = -1;
    sum.is_known = sum.is_reduced = false;
    memset(sum.factor, 0, sizeof sum.factor);
    if (!sum.n_terms)
        return shape_known(sum);
    if (sum.n_terms == 1 && sum.terms[0].scale == 1) {
        sum.kind = AFFINE;
        sum.reduced = sum.terms[0].reduced;
        sum.modulus = (int)sum.reduced;
        sum.factor[sum.reduced] = walk->period[sum.reduced];
        sum.is_reduced = sum.low == 0 && sum.high == 0;
    }
    return symmetry_sums_settle(walk, sum);
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
 * b - 1. */
struct shape shape_quotient(struct walk *walk, const struct shape *a, const struct shape *b,
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
                        : shape_known(shape_within(0, (double)b->value - 1, fmax(a->most, b->most)));
    result.low = n_left ? 0 : floor(a->low / (double)b->value);
    result.high = n_left ? 0 : floor(a->high / (double)b->value);
    result.every = 0;
    return settle_terms(walk, result);
}
