/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shapes of expressions: whether one is the same on all ranks of an orbit, follows their coordinates, or
 * neither (symmetry.h).
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

#include "base/integer.h"
#include "compiler/passes/neighbors.h"

#include <math.h>

/* groups_before(a, 1): every server has as many ranks. */
static struct shape ranks_before(const struct walk *walk, const struct shape *a, const struct shape *b)
{
    const struct placement *placement = walk->binding->placement;
    const double n = placement ? placement->n_servers : 0;
    bool is_sum = shape_is_sum(a);
    double end = a->high;
    for (uint32_t i = 0; a->kind != UNIFORM && i < a->n_terms; i++) {
        is_sum = is_sum && a->terms[i].scale > 0;
        end += (double)a->terms[i].scale * (walk->extent[a->terms[i].reduced] - 1.0);
    }
    if (!placement || !placement->slots || !shape_is_small(b) || b->value != 1 || !is_sum ||
        !(a->low >= 0) || !(end <= n))
        return shape_unknown;
    const struct shape slots = shape_of_constant(placement->slots);
    return shape_product(walk, a, &slots);
}

/* a mod b, where a is uniform modulo a multiple of b. Else that would take other periods. */
static struct shape reduce_congruent(struct walk *walk, const struct shape *a, const struct shape *b)
{
    int64_t factor[WALK_COORDINATES];
    if (!shape_is_small(b) || b->value < 1)
        return shape_unknown;
    if (a->value % b->value == 0)
        return shape_within(0, (double)b->value - 1, fmax(a->most, b->most));
    for (uint32_t i = 0; i < walk->n; i++)
        factor[i] = walk->period[i];
    walk_want(walk, factor, b->value);
    return shape_unknown;
}

/* a mod b, b being the extent of a coordinate. */
static struct shape symmetry_shape_reduce(struct walk *walk, const struct shape *a, const struct shape *b)
{
    if (a->kind == CONGRUENT)
        return reduce_congruent(walk, a, b);
    if (a->kind == SHIFTED && b->is_known && b->value == walk->binding->n_ranks)
        return *a;
    if (!shape_is_small(b) || a->kind != AFFINE)
        return shape_quotient(walk, a, b, true);
    for (uint32_t i = 0; i < walk->n; i++) {
        if (b->value != walk->extent[i] || b->value == 1 || !shape_is_along(walk, a, i))
            continue;
        struct shape shape = shape_of_coordinate(walk, i);
        shape.modulus = (int)i;
        shape.most = a->most > b->most ? a->most : b->most;
        return shape;
    }
    return shape_quotient(walk, a, b, true);
}

/* Returns the shape of a mod b, of an earlier remainder in the expression where that is the same number. */
static struct shape reduce_once(struct walk *walk, const struct expr *expr, const struct shape *a,
                                const struct shape *b)
{
    for (uint32_t i = 0; i < walk->n_rests; i++)
        if (expr_is_same(walk->rests[i].of, expr->a) && expr_is_same(walk->rests[i].by, expr->b))
            return walk->rests[i].shape;
    const struct shape shape = symmetry_shape_reduce(walk, a, b);
    if (walk->n_rests < MAX_RESTS)
        walk->rests[walk->n_rests++] = (struct rest){expr->a, expr->b, shape};
    return shape;
}

/* a / b, b being an extent: n * (a / n) is a less a mod n, and so it is known if that is added again. */
static struct shape divide_by_extent(struct walk *walk, const struct expr *expr, const struct shape *a,
                                     const struct shape *b)
{
    const struct shape quotient = shape_quotient(walk, a, b, false);
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

static bool symmetry_shape_is_comparison(enum expr_kind kind)
{
    return kind >= EXPR_EQ && kind <= EXPR_GE;
}

/* Known where bounds decide it. */
static struct shape symmetry_shape_of_comparison(enum expr_kind kind, const struct shape *a,
                                                 const struct shape *b)
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

/* Returns the shape of the value over all ranks together, as if it were uniform: the x of a term goes from 0
 * to its extent - 1. */
static struct shape on_all_ranks(const struct walk *walk, const struct shape *shape)
{
    if (shape->kind == UNIFORM)
        return *shape;
    if (!shape_has_terms(shape))
        return shape_uniform(shape->most);
    double low = shape->low, high = shape->high;
    for (uint32_t i = 0; i < shape->n_terms; i++) {
        const struct term *term = &shape->terms[i];
        const double most = (double)term->scale * (walk->extent[term->reduced] - 1.0);
        low += fmin(0, most);
        high += fmax(0, most);
    }
    return shape_within(low, high, shape->most);
}

/* Compares two expressions, one of which at least is not uniform: decided by their bounds, or uniform if
 * their difference is. */
static struct shape symmetry_shape_compare(const struct walk *walk, enum expr_kind kind,
                                           const struct shape *a, const struct shape *b)
{
    const struct shape all_a = on_all_ranks(walk, a), all_b = on_all_ranks(walk, b);
    const struct shape by_bounds = symmetry_shape_of_comparison(kind, &all_a, &all_b);
    if (by_bounds.is_known)
        return by_bounds;
    const bool is_equality = kind == EXPR_EQ || kind == EXPR_NE;
    const bool is_same = shape_sum(walk, a, b, -1).kind == UNIFORM;
    const bool is_cyclic = is_equality && a->kind == AFFINE && b->kind == AFFINE && a->is_reduced &&
                           b->is_reduced && a->reduced == b->reduced;
    const bool is_point = is_equality && a->kind == SHIFTED && b->kind == SHIFTED;
    return is_same || is_cyclic || is_point ? shape_within(0, 1, 1) : shape_unknown;
}

/* Returns a rank shifted by something uniform: in dimension d alone, if that is known. */
struct shape shape_shift_on_grid(struct walk *walk, struct shape rank, const struct shape *d)
{
    for (uint32_t i = 0; i < rank.n_terms; i++)
        if (!d || !d->is_known || d->value == rank.terms[i].reduced)
            rank.terms[i].identity = ++walk->n_identities;
    return rank;
}

/* Returns a coordinate of a rank that is shifted, in whatever dimension: each shift adds a multiple of a
 * period to it, modulo the extent. */
static struct shape coordinate_somewhere(const struct walk *walk)
{
    struct shape shape = {.kind = CONGRUENT, .modulus = -1, .most = walk->binding->n_ranks};
    for (uint32_t i = 0; i < walk->n; i++)
        if (!walk_is_fixed(walk, i))
            shape.value = (int64_t)common_divisor(walk->period[i], (uint64_t)shape.value);
    return shape;
}

/* coordinate(rank, d), which goes round the end where the rank is shifted. A dimension beyond the last one
 * has one place. */
static struct shape coordinate_on_grid(struct walk *walk, const struct shape *rank, const struct shape *d)
{
    if (!shape_is_small(d) || d->value < 0)
        return coordinate_somewhere(walk);
    if (d->value >= walk->n || walk->extent[d->value] == 1)
        return shape_of_constant(0);
    struct shape shape = shape_of_coordinate(walk, (uint32_t)d->value);
    if (shape.kind == UNIFORM)
        return shape;
    shape.modulus = (int)d->value;
    for (uint32_t i = 0; i < rank->n_terms; i++)
        if (rank->terms[i].reduced == d->value)
            shape.terms[0].identity = rank->terms[i].identity;
    return shape;
}

/* Returns the shape of a function of neighbours: on all ranks the lists are those of rank 0, shifted. */
static struct shape symmetry_shape_of_neighbors(struct walk *walk, enum expr_kind kind,
                                                const struct shape *rank, const struct shape *b,
                                                const struct shape *c)
{
    const struct neighborhood *of = walk->binding->neighbors;
    const double most = fmax(of->n_ranks, fmax(of->most[SIDE_OUT], of->most[SIDE_IN]));
    if (walk->way != BY_GRID || rank->kind != SHIFTED || b->kind != UNIFORM || c->kind != UNIFORM)
        return shape_unknown;
    if (kind == EXPR_OUT_NEIGHBOR || kind == EXPR_IN_NEIGHBOR)
        return shape_shift_on_grid(walk, *rank, NULL);
    if (kind == EXPR_OUT_DEGREE || kind == EXPR_IN_DEGREE)
        return shape_of_constant(of->most[kind == EXPR_OUT_DEGREE ? SIDE_OUT : SIDE_IN]);
    return shape_within(0, most, most);
}

/* Returns the shape of a function that shifts a rank. */
static struct shape symmetry_shape_shift(struct walk *walk, enum expr_kind kind, const struct shape *a,
                                         const struct shape *b, const struct shape *c)
{
    const bool is_grid = walk->way == BY_GRID && a->kind == SHIFTED && b->kind == UNIFORM;
    const bool is_xor = walk->way == BY_XOR && kind == EXPR_XOR;
    if (is_grid && kind == EXPR_COORDINATE)
        return coordinate_on_grid(walk, a, b);
    if (is_grid && c->kind == UNIFORM && (kind == EXPR_SHIFT || kind == EXPR_DISPLACE))
        return shape_shift_on_grid(walk, *a, kind == EXPR_SHIFT ? b : NULL);
    if (is_xor && a->kind == SHIFTED && b->kind == UNIFORM)
        return *a;
    return is_xor && b->kind == SHIFTED && a->kind == UNIFORM ? *b : shape_unknown;
}

/* MAX_FACTOR if it is as much or more, or none. */
static int64_t symmetry_shape_power(int64_t base, int64_t exponent)
{
    int64_t result = base < 1 || exponent < 0 || (base > 1 && exponent > 31) ? MAX_FACTOR : 1;
    for (int64_t i = 0; base > 1 && i < exponent && result < MAX_FACTOR; i++)
        result *= base;
    return result;
}

static struct shape quotient_of_uniform(const struct shape *a, const struct shape *b)
{
    const bool is_divided = shape_is_small(b) && b->value > 0;
    const double divisor = is_divided ? (double)b->value : 1;
    if (shape_is_small(a) && is_divided && a->value >= 0)
        return shape_of_constant(a->value / b->value);
    if (is_divided && a->low >= 0)
        return shape_known(shape_within(floor(a->low / divisor), floor(a->high / divisor), a->most));
    return shape_sized(shape_size(a) / divisor + 1, a, b);
}

static struct shape rest_of_uniform(const struct shape *a, const struct shape *b)
{
    const bool is_divided = shape_is_small(b) && b->value > 0;
    const bool is_below = is_divided && a->low >= 0 && a->high < (double)b->value;
    if (shape_is_small(a) && is_divided && a->value >= 0)
        return shape_of_constant(a->value % b->value);
    if (is_divided)
        return shape_within(is_below ? a->low : 0, is_below ? a->high : (double)b->value - 1,
                            fmax(a->most, b->most));
    return shape_sized(fmax(shape_size(a), shape_size(b)), a, b);
}

/* Returns the shape of an operation on uniform operands; its bound is for sums with coordinates only. */
static struct shape of_uniform(const struct walk *walk, enum expr_kind kind, const struct shape *a,
                               const struct shape *b)
{
    const double larger = fmax(shape_size(a), shape_size(b));
    if (symmetry_shape_is_comparison(kind))
        return symmetry_shape_of_comparison(kind, a, b);
    if (kind == EXPR_AND || kind == EXPR_OR || kind == EXPR_NOT)
        return shape_within(0, 1, 1);
    if (kind == EXPR_EXTENT && walk->binding->grid.n_ranks && shape_is_small(a) && a->value >= 0) {
        const struct rank_grid *grid = &walk->binding->grid;
        return shape_of_constant(a->value < grid->n_dimensions ? grid->extent[a->value].value : 1);
    }
    if (is_neighbor_function(kind)) {
        const uint32_t *n = walk->binding->neighbors->most;
        const double most = fmax(walk->binding->n_ranks, fmax(n[SIDE_OUT], n[SIDE_IN]));
        return shape_within(0, most, most);
    }
    if (is_grid_function(kind) || kind == EXPR_GROUPS_BEFORE)
        return shape_within(0, walk->binding->n_ranks, walk->binding->n_ranks);
    switch ((int)kind) {
    case EXPR_POW:
        if (shape_is_small(a) && shape_is_small(b) && symmetry_shape_power(a->value, b->value) < MAX_FACTOR)
            return shape_of_constant(symmetry_shape_power(a->value, b->value));
        return shape_sized(pow(fmax(1, shape_size(a)), fmin(shape_size(b), fmax(0, b->high))), a, b);
    case EXPR_DIV: return quotient_of_uniform(a, b);
    case EXPR_MOD: return rest_of_uniform(a, b);
    case EXPR_XOR: return shape_sized(2 * larger + 1, a, b); /* no bit above those of both */
    case EXPR_MIN:
        return shape_known(
            shape_within(fmin(a->low, b->low), fmin(a->high, b->high), fmax(a->most, b->most)));
    case EXPR_MAX:
        return shape_known(
            shape_within(fmax(a->low, b->low), fmax(a->high, b->high), fmax(a->most, b->most)));
    case EXPR_ABS: return shape_sized(larger, a, b);
    case EXPR_CEIL_LOG2:
    case EXPR_FLOOR_LOG2: return shape_sized(1 + log2(fmax(2, shape_size(a))), a, b);
    case EXPR_CEIL_LOG: return shape_sized(1 + log2(fmax(2, shape_size(b))), a, b);
    default: return shape_uniform(INFINITY);
    }
}

/* Narrows the bounds of a variable by its comparison with something uniform, which is true or false. */
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
    variable->most = fmin(variable->most, shape_size(variable)); /* what is on the way to it was computed */
    *variable = shape_known(*variable);
}

struct narrowed shape_narrow(struct walk *walk, const struct expr *condition, bool is_true)
{
    const struct expr *variable = condition->a;
    struct narrowed narrowed = {.variable = UINT32_MAX};
    if (!symmetry_shape_is_comparison(condition->kind) || variable->kind != EXPR_VARIABLE)
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

/* Returns the shape of one of two coordinates, or of two ranks, that are both shifted by something uniform:
 * it is shifted so, by another number. */
static struct shape either_shifted(struct walk *walk, const struct shape *b, const struct shape *c)
{
    const bool are_coordinates =
        b->kind == AFFINE && c->kind == AFFINE && b->is_reduced && c->is_reduced && b->reduced == c->reduced;
    struct shape shape = shape_unknown;
    if (are_coordinates) {
        shape = shape_of_coordinate(walk, b->reduced);
        shape.modulus = (int)b->reduced;
    } else if (b->kind == SHIFTED && c->kind == SHIFTED && b->n_terms == c->n_terms) {
        shape = shape_shift_on_grid(walk, *b, NULL);
    }
    shape.most = fmax(b->most, c->most);
    return shape;
}

/* b if a else c, where a is the same on all ranks of the orbit: c, or c + (b - c). */
static struct shape choice_of_uniform(struct walk *walk, const struct shape *b, const struct shape *c)
{
    const double most = fmax(b->most, c->most);
    if (b->kind == UNIFORM && c->kind == UNIFORM)
        return shape_known(shape_within(fmin(b->low, c->low), fmax(b->high, c->high), most));
    const struct shape difference = shape_sum(walk, b, c, -1);
    if (difference.kind != UNIFORM)
        return either_shifted(walk, b, c);
    const struct shape more =
        shape_within(fmin(0, difference.low), fmax(0, difference.high), difference.most);
    return shape_sum(walk, c, &more, 1);
}

/* An operand that is never taken may have any shape. */
static struct shape shape_of_choice(struct walk *walk, const struct shape *a, const struct shape *b,
                                    const struct shape *c)
{
    const bool is_uniform = b->kind == UNIFORM && c->kind == UNIFORM;
    if (a->kind != UNIFORM)
        return shape_unknown;
    if (a->low > 0 || a->high < 0)
        return *b;
    if (a->low == 0 && a->high == 0)
        return *c;
    return walk->way == BY_MIRROR && !is_uniform ? shape_unknown : choice_of_uniform(walk, b, c);
}

static struct shape look_at_expr(struct walk *walk, const struct expr *expr)
{
    struct shape a = shape_uniform(0), b = a, c = a, shape;
    if (++walk->n_walked > MAX_WALKED || walk->depth > MAX_DEPTH)
        return shape_unknown;
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
    if (expr->kind == EXPR_CHOICE)
        return shape_of_choice(walk, &a, &b, &c);
    const bool is_uniform = a.kind == UNIFORM && b.kind == UNIFORM && c.kind == UNIFORM;
    if (walk->way == BY_MIRROR && !is_uniform && !symmetry_shape_is_comparison(expr->kind))
        return shape_by_mirror(walk, expr->kind, &a, &b, &c);
    switch ((int)expr->kind) {
    case EXPR_NEGATE: return shape_sum(walk, &(struct shape){.kind = UNIFORM, .modulus = -1}, &a, -1);
    case EXPR_ADD: return shape_sum(walk, &a, &b, 1);
    case EXPR_SUB: return shape_sum(walk, &a, &b, -1);
    case EXPR_MUL: return shape_product(walk, &a, &b);
    default: break;
    }
    if (expr->kind == EXPR_GROUPS_BEFORE && (shape = ranks_before(walk, &a, &b)).kind != NEITHER)
        return shape;
    if (is_uniform)
        return of_uniform(walk, expr->kind, &a, &b);
    shape = shape_unknown;
    if (expr->kind == EXPR_MOD)
        shape = reduce_once(walk, expr, &a, &b);
    else if (expr->kind == EXPR_DIV)
        shape = divide_by_extent(walk, expr, &a, &b);
    else if (symmetry_shape_is_comparison(expr->kind))
        shape = symmetry_shape_compare(walk, expr->kind, &a, &b);
    else if (is_neighbor_function(expr->kind))
        shape = symmetry_shape_of_neighbors(walk, expr->kind, &a, &b, &c);
    else
        shape = symmetry_shape_shift(walk, expr->kind, &a, &b, &c);
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
    return shape_sum(walk, &of_a, &of_b, -1).kind == UNIFORM;
}
