/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Facts that the search for symmetry knows of expressions (compiler/passes/symmetry/symmetry_internal.h),
 * compared with the values of the expressions at all places. Drawn are coordinates, periods, uniform numbers
 * and expressions. A fact that is missing costs symmetry, which test_symmetry sees; one that is wrong may
 * cost a right verdict, though no program that is at hand shows it.
 */
#include "compiler/passes/symmetry/symmetry_internal.h"
#include "ir/program.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdio.h>

/* Variables: coordinates, numbers of rounds of loops that are rotated along them, and uniform numbers. */
enum { N_COORDINATES = 2, FIRST_ROTATED = N_COORDINATES, FIRST_UNIFORM = 2 * N_COORDINATES, N_UNIFORM = 2 };
enum { N_VARIABLES = FIRST_UNIFORM + N_UNIFORM, MAX_EXTENT = 6, MAX_POINTS = MAX_EXTENT * MAX_EXTENT };
enum { MAX_EXPRS = 64, MAX_SAID = 512 };

struct drawn {
    struct walk walk;
    uint32_t period[WALK_COORDINATES], wanted[WALK_COORDINATES];
    struct shape shapes[N_VARIABLES];
    struct binding binding;
    struct expr exprs[MAX_EXPRS];
    uint32_t n_exprs;
    int64_t low[N_UNIFORM], high[N_UNIFORM], turn[N_COORDINATES];
    int64_t variable[N_VARIABLES]; /* the values at the place that is looked at */
};

/* Numbers of facts that were compared, by kind. */
struct seen {
    uint64_t uniform, known, multiples, affine, modular, reduced, terms, congruent;
};

static uint64_t shapes_random(uint64_t *state, uint64_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % n;
}

/* ---- drawing ---- */

static int64_t draw_integer(const struct drawn *drawn, uint64_t *random)
{
    const uint32_t *extent = drawn->walk.extent;
    switch (shapes_random(random, 6)) {
    case 0:
        return extent[0];
    case 1:
        return extent[1];
    case 2:
        return (int64_t)extent[0] * extent[1];
    case 3:
        return drawn->period[shapes_random(random, N_COORDINATES)];
    default:
        return (int64_t)shapes_random(random, 11) - 3;
    }
}

static struct expr *draw_expr(struct drawn *drawn, uint32_t depth, uint64_t *random)
{
    static const enum expr_kind kinds[] = {EXPR_ADD, EXPR_ADD, EXPR_SUB, EXPR_SUB,   EXPR_MUL,
                                           EXPR_MUL, EXPR_DIV, EXPR_DIV, EXPR_MOD,   EXPR_MOD,
                                           EXPR_MOD, EXPR_LT,  EXPR_EQ,  EXPR_CHOICE};
    struct expr *expr = &drawn->exprs[drawn->n_exprs++];
    *expr = (struct expr){.kind = EXPR_INTEGER};
    if (depth == 0 || shapes_random(random, 8) == 0) {
        if (shapes_random(random, 4)) {
            expr->kind = EXPR_VARIABLE;
            expr->variable = (uint32_t)shapes_random(random, N_VARIABLES);
        } else {
            expr->integer = draw_integer(drawn, random);
        }
        return expr;
    }
    expr->kind = kinds[shapes_random(random, sizeof kinds / sizeof *kinds)];
    expr->a = draw_expr(drawn, depth - 1, random);
    if (expr->kind == EXPR_CHOICE)
        expr->c = draw_expr(drawn, depth - 1, random);
    const bool is_by_number = (expr->kind == EXPR_MUL || expr->kind == EXPR_DIV || expr->kind == EXPR_MOD) &&
                              shapes_random(random, 6);
    expr->b = draw_expr(drawn, is_by_number ? 0 : depth - 1, random);
    if (is_by_number)
        *expr->b = (struct expr){.kind = EXPR_INTEGER, .integer = draw_integer(drawn, random)};
    return expr;
}

static void draw_scene(struct drawn *drawn, uint64_t *random)
{
    struct walk *walk = &drawn->walk;
    *drawn = (struct drawn){.walk = {.way = BY_COORDINATES, .n = N_COORDINATES}};
    walk->period = drawn->period;
    walk->wanted = drawn->wanted;
    walk->shapes = drawn->shapes;
    walk->binding = &drawn->binding;
    drawn->binding.n_ranks = 1;
    for (uint32_t i = 0; i < N_COORDINATES; i++) {
        walk->extent[i] = (uint32_t)shapes_random(random, MAX_EXTENT) + 1;
        do
            drawn->period[i] = (uint32_t)shapes_random(random, walk->extent[i]) + 1;
        while (walk->extent[i] % drawn->period[i]);
        drawn->binding.n_ranks *= walk->extent[i];
    }
    for (uint32_t i = 0; i < N_COORDINATES; i++) {
        drawn->shapes[i] = shape_of_coordinate(walk, i);
        drawn->turn[i] = (int64_t)shapes_random(random, walk->extent[i]);
        drawn->shapes[FIRST_ROTATED + i] = shape_of_coordinate(walk, i);
        if (drawn->shapes[FIRST_ROTATED + i].kind == AFFINE)
            drawn->shapes[FIRST_ROTATED + i].modulus = (int)i;
    }
    for (uint32_t i = 0; i < N_UNIFORM; i++) {
        drawn->low[i] = (int64_t)shapes_random(random, 6) - 2;
        drawn->high[i] = drawn->low[i] + (int64_t)shapes_random(random, 3);
        const double low = (double)drawn->low[i], high = (double)drawn->high[i];
        drawn->shapes[FIRST_UNIFORM + i] = shape_known(shape_within(low, high, fmax(fabs(low), fabs(high))));
    }
}

/* ---- values ---- */

static int64_t rounded_down(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* False if the program would be wrong, or the number is large. */
static bool find_value(const struct drawn *drawn, const struct expr *expr, int64_t *value)
{
    int64_t a, b;
    if (expr->kind == EXPR_INTEGER || expr->kind == EXPR_VARIABLE) {
        *value = expr->kind == EXPR_INTEGER ? expr->integer : drawn->variable[expr->variable];
        return true;
    }
    if (!find_value(drawn, expr->a, &a))
        return false;
    if (expr->kind == EXPR_CHOICE)
        return find_value(drawn, a ? expr->b : expr->c, value);
    if (!find_value(drawn, expr->b, &b))
        return false;
    switch ((int)expr->kind) {
    case EXPR_ADD:
        *value = a + b;
        break;
    case EXPR_SUB:
        *value = a - b;
        break;
    case EXPR_MUL:
        *value = a * b;
        break;
    case EXPR_LT:
        *value = a < b;
        break;
    case EXPR_EQ:
        *value = a == b;
        break;
    default:
        if (b <= 0)
            return false;
        *value = expr->kind == EXPR_DIV ? rounded_down(a, b) : a - b * rounded_down(a, b);
    }
    return llabs(*value) < INT64_C(1) << 40;
}

/* One orbit: its places, and the values there. */
struct orbit {
    int64_t at[MAX_POINTS][N_COORDINATES], value[MAX_POINTS];
    uint32_t n;
};

static bool find_orbit(struct drawn *drawn, const struct expr *expr, const uint32_t base[N_COORDINATES],
                       struct orbit *orbit)
{
    const uint32_t *extent = drawn->walk.extent;
    orbit->n = 0;
    for (uint32_t x = base[0]; x < extent[0]; x += drawn->period[0])
        for (uint32_t y = base[1]; y < extent[1]; y += drawn->period[1]) {
            const int64_t at[N_COORDINATES] = {x, y};
            for (uint32_t i = 0; i < N_COORDINATES; i++) {
                const bool is_turned = drawn->walk.extent[i] > drawn->period[i];
                drawn->variable[i] = orbit->at[orbit->n][i] = at[i];
                drawn->variable[FIRST_ROTATED + i] = is_turned ? (at[i] + drawn->turn[i]) % extent[i] : at[i];
            }
            if (!find_value(drawn, expr, &orbit->value[orbit->n++]))
                return false;
        }
    return true;
}

/* ---- facts against values ---- */

/* True if u is as the bounds and multiples of the shape say. */
static bool is_within(const struct shape *shape, int64_t u, struct seen *seen)
{
    if ((double)u < shape->low || (double)u > shape->high)
        return false;
    if (!shape->every)
        return true;
    seen->multiples++;
    if (shape->rest_high - shape->rest_low >= (double)shape->every - 1)
        return true;
    for (int64_t rest = (int64_t)shape->rest_low; (double)rest <= shape->rest_high; rest++)
        if ((u - rest) % shape->every == 0)
            return true;
    return false;
}

/* True if the values grow as `factor` says from each place to the next. */
static bool is_affine(const struct drawn *drawn, const struct shape *shape, const struct orbit *orbit)
{
    const int64_t modulus = shape->modulus < 0 ? 0 : drawn->walk.extent[shape->modulus];
    for (uint32_t k = 1; k < orbit->n; k++) {
        int64_t off = orbit->value[0] - orbit->value[k];
        for (uint32_t i = 0; i < N_COORDINATES; i++)
            off += shape->factor[i] * ((orbit->at[k][i] - orbit->at[0][i]) / drawn->period[i]);
        if (modulus ? off % modulus : off)
            return false;
    }
    return true;
}

/* True if it is a coordinate plus something uniform, modulo its extent. */
static bool is_reduced_to(const struct drawn *drawn, const struct shape *shape, const struct orbit *orbit)
{
    const int64_t extent = drawn->walk.extent[shape->reduced];
    for (uint32_t k = 0; k < orbit->n; k++) {
        const int64_t grown = orbit->at[k][shape->reduced] - orbit->at[0][shape->reduced];
        if (orbit->value[k] < 0 || orbit->value[k] >= extent ||
            (orbit->value[k] - orbit->value[0] - grown) % extent)
            return false;
    }
    return true;
}

/* True if the value less its terms, whose coordinates are turned by these numbers, is one number u. */
static bool has_terms_turned(const struct drawn *drawn, const struct shape *shape, const struct orbit *orbit,
                             const int64_t turn[MAX_TERMS], int64_t *u)
{
    for (uint32_t k = 0; k < orbit->n; k++) {
        int64_t rest = orbit->value[k];
        for (uint32_t t = 0; t < shape->n_terms; t++) {
            const struct term *term = &shape->terms[t];
            const int64_t extent = drawn->walk.extent[term->reduced];
            rest -= term->scale * ((orbit->at[k][term->reduced] + turn[t]) % extent);
        }
        if (k && rest != *u)
            return false;
        *u = rest;
    }
    return true;
}

/* True if turned by some numbers the terms leave a u that is as the shape says. */
static bool has_terms(const struct drawn *drawn, const struct shape *shape, const struct orbit *orbit,
                      struct seen *seen)
{
    int64_t turn[MAX_TERMS] = {0}, u = 0;
    while (true) {
        if (has_terms_turned(drawn, shape, orbit, turn, &u) && is_within(shape, u, seen))
            return true;
        uint32_t t = 0;
        while (t < shape->n_terms && ++turn[t] == (int64_t)drawn->walk.extent[shape->terms[t].reduced])
            turn[t++] = 0;
        if (t == shape->n_terms)
            return false;
    }
}

static bool is_uniform_as_said(const struct shape *shape, const struct orbit *orbit, struct seen *seen)
{
    for (uint32_t k = 1; k < orbit->n; k++)
        if (orbit->value[k] != orbit->value[0])
            return false;
    seen->uniform += orbit->n > 1;
    seen->known += shape->is_known;
    return (!shape->is_known || shape->value == orbit->value[0]) && is_within(shape, orbit->value[0], seen);
}

/* Returns the fact that is wrong, or NULL. */
static const char *wrong_fact(const struct drawn *drawn, const struct shape *shape, const struct orbit *orbit,
                              struct seen *seen)
{
    const bool has_none = shape->kind == NEITHER || shape->kind == DIVIDED;
    for (uint32_t k = 0; k < orbit->n && !has_none; k++)
        if (fabs((double)orbit->value[k]) > shape->most)
            return "most";
    if (shape->kind == UNIFORM)
        return is_uniform_as_said(shape, orbit, seen) ? NULL : "uniform";
    if (shape->kind == CONGRUENT) {
        seen->congruent++;
        for (uint32_t k = 1; k < orbit->n; k++)
            if ((orbit->value[k] - orbit->value[0]) % shape->value)
                return "congruent";
    }
    if (shape->kind == AFFINE) {
        seen->affine++;
        seen->modular += shape->modulus >= 0;
        seen->reduced += shape->is_reduced;
        if (!is_affine(drawn, shape, orbit))
            return "affine";
        if (shape->is_reduced && !is_reduced_to(drawn, shape, orbit))
            return "reduced";
    }
    if (!shape_has_terms(shape))
        return NULL;
    seen->terms++;
    return has_terms(drawn, shape, orbit, seen) ? NULL : "terms";
}

static void say_expr(const struct expr *expr, char *text)
{
    static const char *const signs[] = {
        [EXPR_ADD] = "+",   [EXPR_SUB] = "-", [EXPR_MUL] = "*", [EXPR_DIV] = "/",
        [EXPR_MOD] = "mod", [EXPR_LT] = "<",  [EXPR_EQ] = "==", [EXPR_CHOICE] = "?"};
    char *end = text + strlen(text);
    const size_t left = MAX_SAID - strlen(text);
    if (expr->kind == EXPR_INTEGER) {
        snprintf(end, left, "%lld", (long long)expr->integer);
    } else if (expr->kind == EXPR_VARIABLE) {
        snprintf(end, left, "v%u", expr->variable);
    } else {
        snprintf(end, left, "(");
        say_expr(expr->a, text);
        snprintf(text + strlen(text), MAX_SAID - strlen(text), " %s ", signs[expr->kind]);
        say_expr(expr->b, text);
        if (expr->c) {
            snprintf(text + strlen(text), MAX_SAID - strlen(text), " : ");
            say_expr(expr->c, text);
        }
        snprintf(text + strlen(text), MAX_SAID - strlen(text), ")");
    }
}

/* True if all facts of an expression hold on all orbits, whatever the uniform numbers are. */
static bool holds_everywhere(struct drawn *drawn, const struct expr *expr, struct seen *seen)
{
    const struct shape shape = shape_of(&drawn->walk, expr);
    int64_t *u = &drawn->variable[FIRST_UNIFORM];
    struct orbit orbit;
    for (u[0] = drawn->low[0]; u[0] <= drawn->high[0]; u[0]++)
        for (u[1] = drawn->low[1]; u[1] <= drawn->high[1]; u[1]++)
            for (uint32_t i = 0; i < drawn->period[0] * drawn->period[1]; i++) {
                const uint32_t base[N_COORDINATES] = {i / drawn->period[1], i % drawn->period[1]};
                if (!find_orbit(drawn, expr, base, &orbit))
                    continue; /* refused when it is expanded */
                const char *wrong = wrong_fact(drawn, &shape, &orbit, seen);
                if (!wrong)
                    continue;
                char said[MAX_SAID] = "";
                say_expr(expr, said);
                printf("wrong (%s): %s, extents %ux%u, periods %ux%u\n", wrong, said, drawn->walk.extent[0],
                       drawn->walk.extent[1], drawn->period[0], drawn->period[1]);
                return false;
            }
    return true;
}

static void test_facts(void)
{
    static struct drawn drawn;
    struct seen seen = {0};
    const unsigned n = by_form(30000, 75000, 3000000);
    uint64_t random = 1;
    unsigned n_wrong = 0;
    for (unsigned i = 0; i < n && n_wrong < 5; i++) {
        draw_scene(&drawn, &random);
        const struct expr *expr = draw_expr(&drawn, 1 + (uint32_t)shapes_random(&random, 4), &random);
        n_wrong += !holds_everywhere(&drawn, expr, &seen);
    }
    CU_ASSERT_EQUAL(n_wrong, 0);
    printf("  | facts: %llu uniform, %llu known, %llu of multiples, %llu affine, %llu modular, %llu reduced, "
           "%llu with terms, %llu congruent\n",
           (unsigned long long)seen.uniform, (unsigned long long)seen.known,
           (unsigned long long)seen.multiples, (unsigned long long)seen.affine,
           (unsigned long long)seen.modular, (unsigned long long)seen.reduced, (unsigned long long)seen.terms,
           (unsigned long long)seen.congruent);
    const uint64_t least = n / 300;
    CU_ASSERT(seen.uniform > least && seen.known > least && seen.multiples > least && seen.affine > least &&
              seen.modular > least && seen.reduced > least && seen.terms > least);
}

UNIT_PROGRAM(test_shapes)
{
    CU_TestInfo tests[] = {{"facts of drawn expressions", test_facts}, CU_TEST_INFO_NULL};
    return run_suite("shapes", tests);
}
