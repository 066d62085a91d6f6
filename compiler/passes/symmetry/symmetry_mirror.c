/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shapes of expressions where all dimensions of a grid are mirrored (ir/symmetry.h): a shift takes place x
 * of a dimension to g + x, if g is even, and to g - x, if it is odd, and so it keeps the parity of all
 * places there, or turns it. Known are
 *
 *   a sign      1 - 2 * (coordinate(r, d) mod 2): a shift of d by an odd number of places turns it
 *   SIGNED      a sign times something uniform, k, or that plus a constant
 *   SHIFTED     a rank that is shifted, in dimension d by a SIGNED k of d: x + k becomes g + x + k, or
 *               g - x - k, and that is g - (x + k)
 *
 * and sums of the places of such a rank. All else that is not uniform is unknown. So a dimension must be the
 * same number in a sign and where it is used. A variable that is uniform has a name, a new one each time
 * that it gets a value, and so has a known dimension.
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

#include <math.h>

void shape_give_name(struct walk *walk, struct shape *shape)
{
    if (walk->way == BY_MIRROR && shape->kind == UNIFORM && !shape->name)
        shape->name = WALK_COORDINATES + ++walk->n_names;
}

/* Returns the name of a dimension; 0: it has none. */
static uint32_t symmetry_mirror_name_of(const struct shape *d)
{
    if (d->kind != UNIFORM || !d->is_known)
        return d->kind == UNIFORM ? d->name : 0;
    return d->value >= 0 && d->value < WALK_COORDINATES ? (uint32_t)d->value + 1 : 0;
}

/* A dimension of one place, or none, has even places alone, and no shift turns it. */
static struct shape symmetry_mirror_place_of(const struct walk *walk, const struct shape *rank,
                                             const struct shape *d)
{
    const uint32_t name = symmetry_mirror_name_of(d);
    if (rank->kind != SHIFTED || !name)
        return shape_unknown;
    return (struct shape){.kind = PLACE, .modulus = -1, .name = name, .most = walk->binding->n_ranks};
}

/* Twice the parity of a place is 1 less a sign, or 1 and a sign. */
static struct shape remainder_of(const struct walk *walk, const struct shape *a, const struct shape *b)
{
    if (a->kind == SHIFTED && b->is_known && b->value == walk->binding->n_ranks)
        return *a;
    if (a->kind != PLACE || !b->is_known || b->value != 2)
        return shape_unknown;
    return (struct shape){.kind = SIGNED, .modulus = -1, .value = 1, .name = a->name, .most = a->most};
}

static bool is_moderate(const struct shape *shape)
{
    return shape->most < MAX_VALUE && shape->value > -MAX_FACTOR && shape->value < MAX_FACTOR;
}

/* a + sign * b, where one is signed. */
static struct shape signed_sum(const struct shape *a, const struct shape *b, int sign)
{
    struct shape sum = {.kind = SIGNED, .modulus = -1, .most = a->most + b->most};
    const bool are_both = a->kind == SIGNED && b->kind == SIGNED && a->name == b->name;
    const struct shape *other = a->kind == SIGNED ? b : a;
    if (!are_both && !(other->kind == UNIFORM && shape_is_small(other)))
        return shape_unknown;
    sum.name = a->kind == SIGNED ? a->name : b->name;
    sum.value = (a->kind == SIGNED ? 1 : 2) * a->value + sign * (b->kind == SIGNED ? 1 : 2) * b->value;
    return is_moderate(&sum) ? sum : shape_unknown;
}

/* Something signed times something uniform, which must be known unless it is a sign times something alone. */
static struct shape signed_product(const struct shape *a, const struct shape *b)
{
    const struct shape *of = a->kind == SIGNED ? a : b, *by = of == a ? b : a;
    struct shape product = {.kind = SIGNED, .modulus = -1, .name = of->name, .most = a->most * b->most};
    if (by->kind != UNIFORM || (of->value && !shape_is_small(by)))
        return shape_unknown;
    product.value = of->value ? of->value * by->value : 0;
    product.most = fmax(product.most, fmax(a->most, b->most)); /* times 0 */
    return is_moderate(&product) ? product : shape_unknown;
}

/* A shift by more than half of all places is as good as one the other way; only the number must be one. */
static struct shape symmetry_mirror_shift(struct walk *walk, const struct shape *rank, const struct shape *d,
                                          const struct shape *k)
{
    const bool is_signed = rank->kind == SHIFTED && k->kind == SIGNED && !k->value;
    return is_signed && symmetry_mirror_name_of(d) == k->name ? shape_shift_on_grid(walk, *rank, d)
                                                              : shape_unknown;
}

struct shape shape_by_mirror(struct walk *walk, enum expr_kind kind, const struct shape *a,
                             const struct shape *b, const struct shape *c)
{
    static const struct shape zero = {.kind = UNIFORM, .is_known = true, .modulus = -1};
    const bool is_signed = a->kind == SIGNED || b->kind == SIGNED;
    switch ((int)kind) {
    case EXPR_NEGATE: return is_signed ? signed_sum(&zero, a, -1) : shape_sum(walk, &zero, a, -1);
    case EXPR_ADD: return is_signed ? signed_sum(a, b, 1) : shape_sum(walk, a, b, 1);
    case EXPR_SUB: return is_signed ? signed_sum(a, b, -1) : shape_sum(walk, a, b, -1);
    case EXPR_MUL: return is_signed ? signed_product(a, b) : shape_product(walk, a, b);
    case EXPR_MOD: return remainder_of(walk, a, b);
    case EXPR_COORDINATE:
        return symmetry_mirror_place_of(walk, a, b);
    case EXPR_SHIFT:
        return symmetry_mirror_shift(walk, a, b, c);
    default: return shape_unknown;
    }
}
