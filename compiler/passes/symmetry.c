/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See symmetry.h.
 */
#include "compiler/passes/symmetry.h"

#include "compiler/passes/coordinates.h"

#include <math.h>
#include <stdlib.h>

/* What is known of an expression. */
struct shape {
    enum {
        NEITHER,
        UNIFORM,
        AFFINE,
        SCALED, /* `scale` times a coordinate that is reduced, plus something uniform, low .. high */
        SHIFTED /* by grid or xor: the rank, shifted by something uniform */
    } kind;
    bool is_known;     /* UNIFORM: the value is `value`, always */
    int64_t value;
    int modulus;       /* AFFINE: modulo the extent of this coordinate; -1: it is exact */
    bool is_reduced;   /* AFFINE: it is one coordinate plus something, from 0 to its extent - 1 */
    uint32_t reduced;  /* of which that is so */
    int64_t factor[PROGRAM_MAX_COORDINATES];
    int64_t scale;
    double low, high;  /* UNIFORM: bounds of the value */
    double most;       /* no value, and none on the way to it, is farther from 0 */
};

enum { MAX_WALKED = 100000, MAX_DEPTH = 200, MAX_TIED = 16 };
#define MAX_FACTOR ((int64_t)1 << 31)
#define MAX_VALUE 0x1p61 /* beyond it additions might overflow */

/* The group that is tried. */
enum way { BY_COORDINATES, BY_GRID, BY_XOR, N_WAYS };

struct walk {
    enum way way;
    const struct binding *binding;
    const struct program *program;
    struct schedule_header header;
    struct diagnostics *diagnostics;
    struct symmetry *symmetry;
    struct shape *shapes;      /* [variable] */
    bool stays[N_BUFFERS];     /* the buffer is used as one that stays */
    const struct chunks *tied[MAX_TIED][2]; /* buffers of which one is copied to the other as a whole */
    uint32_t n_tied;
    uint32_t n_walked, depth;
    const char *reason;
};

/* ---- expressions ---- */

static const struct shape unknown = {.kind = NEITHER, .modulus = -1};

static struct shape uniform(double most)
{
    return (struct shape){
        .kind = UNIFORM, .modulus = -1, .low = -INFINITY, .high = INFINITY, .most = most};
}

static struct shape within(double low, double high, double most)
{
    return (struct shape){.kind = UNIFORM, .modulus = -1, .low = low, .high = high, .most = most};
}

static struct shape constant(int64_t value)
{
    return (struct shape){.kind = UNIFORM,
                          .is_known = true,
                          .value = value,
                          .modulus = -1,
                          .low = (double)value,
                          .high = (double)value,
                          .most = fabs((double)value)};
}

static struct shape coordinate(const struct walk *walk, uint32_t i)
{
    if (walk->way != BY_COORDINATES)
        return (struct shape){.kind = SHIFTED, .modulus = -1, .most = walk->binding->n_ranks};
    struct shape shape = {.kind = AFFINE,
                          .modulus = -1,
                          .is_reduced = true,
                          .reduced = i,
                          .most = walk->binding->extent[i]};
    shape.factor[i] = 1;
    return shape;
}

static bool is_small(const struct shape *shape)
{
    return shape->is_known && shape->value > -MAX_FACTOR && shape->value < MAX_FACTOR;
}

/* Whether a number is a multiple of the extent of a coordinate. */
static bool is_turn(const struct walk *walk, uint32_t i, int64_t number)
{
    return number % (int64_t)walk->binding->extent[i] == 0;
}

/* Whether the expression, modulo the extent of coordinate i, is that coordinate plus something
 * uniform. */
static bool follows(const struct walk *walk, const struct shape *shape, uint32_t i)
{
    const uint32_t n = walk->program->n_coordinates;
    if (walk->way != BY_COORDINATES)
        return shape->kind == SHIFTED;
    if (walk->binding->extent[i] == 1)
        return shape->kind != NEITHER;
    if (shape->kind != AFFINE || (shape->modulus >= 0 && shape->modulus != (int)i))
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (!is_turn(walk, i, shape->factor[k] - (k == i)))
            return false;
    return true;
}

/* If all factors are 0 an exact expression is uniform. */
static struct shape settle(const struct walk *walk, struct shape shape)
{
    bool is_uniform = shape.modulus < 0;
    for (uint32_t k = 0; k < walk->program->n_coordinates; k++) {
        if (shape.factor[k] <= -MAX_FACTOR || shape.factor[k] >= MAX_FACTOR)
            return unknown;
        is_uniform = is_uniform && !shape.factor[k];
    }
    if (shape.most >= MAX_VALUE)
        return unknown;
    return is_uniform ? uniform(shape.most) : shape;
}

static struct shape known_sum(const struct shape *a, const struct shape *b, int sign, double most)
{
    struct shape sum = within(a->low + (sign > 0 ? b->low : -b->high),
                              a->high + (sign > 0 ? b->high : -b->low), most);
    if (is_small(a) && is_small(b)) {
        sum.is_known = true;
        sum.value = a->value + sign * b->value;
    }
    return sum;
}

static struct shape add(const struct walk *walk, const struct shape *a, const struct shape *b, int sign)
{
    struct shape sum = {.kind = AFFINE, .most = a->most + b->most};
    if (a->kind == UNIFORM && b->kind == UNIFORM)
        return known_sum(a, b, sign, sum.most);
    if (a->kind == SCALED && b->kind == UNIFORM && sum.most < MAX_VALUE) {
        const struct shape offset = known_sum(a, b, sign, 0);
        sum = *a;
        sum.low = offset.low;
        sum.high = offset.high;
        sum.most = a->most + b->most;
        return sum;
    }
    if (b->kind == SCALED && a->kind == UNIFORM && sign > 0)
        return add(walk, b, a, 1);
    if ((a->kind != UNIFORM && a->kind != AFFINE) || (b->kind != UNIFORM && b->kind != AFFINE))
        return unknown;
    if (a->modulus >= 0 && b->modulus >= 0 && a->modulus != b->modulus)
        return unknown;
    sum.modulus = a->modulus >= 0 ? a->modulus : b->modulus;
    for (uint32_t k = 0; k < PROGRAM_MAX_COORDINATES; k++)
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
    return within(-size, size, fmax(size, fmax(a->most, b->most)));
}

static struct shape multiply(const struct walk *walk, const struct shape *a, const struct shape *b)
{
    const struct shape *by = a->kind == UNIFORM ? a : b, *of = a->kind == UNIFORM ? b : a;
    struct shape product = *of;
    if (by->kind != UNIFORM || (of->kind != UNIFORM && of->kind != AFFINE))
        return unknown;
    product.most = a->most * b->most;
    if (of->kind == UNIFORM) {
        product = sized(size_of(a) * size_of(b), a, b);
        product.is_known = is_small(a) && is_small(b);
        if (product.is_known)
            product = constant(a->value * b->value);
        return product;
    }
    if (!is_small(by))
        return unknown;
    if (of->is_reduced && of->modulus >= 0 && by->value > 0) {
        product.kind = product.most < MAX_VALUE ? SCALED : NEITHER;
        product.scale = by->value;
        product.low = product.high = 0;
        return product;
    }
    product.is_reduced = false;
    for (uint32_t k = 0; k < PROGRAM_MAX_COORDINATES; k++)
        product.factor[k] = of->factor[k] * by->value;
    return settle(walk, product);
}

/* a mod b, b being the extent of a coordinate. */
static struct shape reduce(const struct walk *walk, const struct shape *a, const struct shape *b)
{
    if (a->kind == SHIFTED && b->is_known && b->value == walk->binding->n_ranks)
        return *a;
    if (!b->is_known || a->kind != AFFINE)
        return unknown;
    for (uint32_t i = 0; i < walk->program->n_coordinates; i++) {
        if (b->value != walk->binding->extent[i] || !follows(walk, a, i))
            continue;
        struct shape shape = coordinate(walk, i);
        shape.modulus = (int)i;
        shape.most = a->most > b->most ? a->most : b->most;
        return shape;
    }
    return unknown;
}

/* Of two expressions of which neither is uniform: whether their difference is. */
static struct shape compare(const struct walk *walk, enum expr_kind kind, const struct shape *a,
                            const struct shape *b)
{
    const bool is_equality = kind == EXPR_EQ || kind == EXPR_NE;
    bool is_same = a->kind == AFFINE && b->kind == AFFINE && a->modulus < 0 && b->modulus < 0;
    for (uint32_t k = 0; k < walk->program->n_coordinates; k++)
        is_same = is_same && a->factor[k] == b->factor[k];
    const bool is_cyclic = is_equality && a->kind == AFFINE && b->kind == AFFINE && a->is_reduced &&
                           b->is_reduced && a->reduced == b->reduced;
    const bool is_point = is_equality && a->kind == SHIFTED && b->kind == SHIFTED;
    return is_same || is_cyclic || is_point ? within(0, 1, 1) : unknown;
}

/* Of a rank that is shifted. */
static struct shape shift(const struct walk *walk, enum expr_kind kind, const struct shape *a,
                          const struct shape *b, const struct shape *c)
{
    const bool is_grid = walk->way == BY_GRID && (kind == EXPR_SHIFT || kind == EXPR_DISPLACE);
    const bool is_xor = walk->way == BY_XOR && kind == EXPR_XOR;
    if (is_grid && a->kind == SHIFTED && b->kind == UNIFORM && c->kind == UNIFORM)
        return *a;
    if (is_xor && a->kind == SHIFTED && b->kind == UNIFORM)
        return *a;
    return is_xor && b->kind == SHIFTED && a->kind == UNIFORM ? *b : unknown;
}

static bool is_comparison(enum expr_kind kind)
{
    return kind >= EXPR_EQ && kind <= EXPR_GE;
}

/* Of uniform operands; the bound serves what is added to coordinates only. */
static struct shape of_uniform(const struct walk *walk, enum expr_kind kind, const struct shape *a,
                               const struct shape *b)
{
    const double larger = fmax(size_of(a), size_of(b));
    if (is_comparison(kind) || kind == EXPR_AND || kind == EXPR_OR || kind == EXPR_NOT)
        return within(0, 1, 1);
    if (is_grid_function(kind))
        return within(0, walk->binding->n_ranks, walk->binding->n_ranks);
    switch ((int)kind) {
    case EXPR_POW: return sized(pow(fmax(1, size_of(a)), fmin(size_of(b), fmax(0, b->high))), a, b);
    case EXPR_DIV:
        return sized((is_small(b) && b->value > 0 ? size_of(a) / (double)b->value : size_of(a)) + 1, a, b);
    case EXPR_MOD: return sized(larger, a, b);
    case EXPR_XOR: return sized(2 * larger + 1, a, b); /* no bit above those of both */
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_ABS: return sized(larger, a, b);
    case EXPR_CEIL_LOG2:
    case EXPR_FLOOR_LOG2: return sized(1 + log2(fmax(2, size_of(a))), a, b);
    case EXPR_CEIL_LOG: return sized(1 + log2(fmax(2, size_of(b))), a, b);
    default: return uniform(INFINITY);
    }
}

static struct shape shape_of(struct walk *walk, const struct expr *expr)
{
    struct shape a = uniform(0), b = a, c = a, shape;
    if (++walk->n_walked > MAX_WALKED || walk->depth > MAX_DEPTH)
        return unknown;
    if (expr->kind == EXPR_INTEGER)
        return constant(expr->integer);
    if (expr->kind == EXPR_VARIABLE)
        return walk->shapes[expr->variable];
    walk->depth++;
    if (expr->a)
        a = shape_of(walk, expr->a);
    if (expr->b)
        b = shape_of(walk, expr->b);
    if (expr->c)
        c = shape_of(walk, expr->c);
    walk->depth--;
    switch ((int)expr->kind) {
    case EXPR_NEGATE: return add(walk, &(struct shape){.kind = UNIFORM, .modulus = -1}, &a, -1);
    case EXPR_ADD: return add(walk, &a, &b, 1);
    case EXPR_SUB: return add(walk, &a, &b, -1);
    case EXPR_MUL: return multiply(walk, &a, &b);
    default: break;
    }
    if (a.kind == UNIFORM && b.kind == UNIFORM && c.kind == UNIFORM)
        return of_uniform(walk, expr->kind, &a, &b);
    shape = unknown;
    if (expr->kind == EXPR_MOD)
        shape = reduce(walk, &a, &b);
    else if (is_comparison(expr->kind))
        shape = compare(walk, expr->kind, &a, &b);
    else
        shape = shift(walk, expr->kind, &a, &b, &c);
    return shape;
}

/* ---- statements ---- */

static bool give_up(struct walk *walk, struct position position, const char *what)
{
    if (!walk->reason)
        walk->reason = arena_printf(&walk->diagnostics->arena, "%s (line %u)", what, position.line);
    return false;
}

static bool is_uniform(struct walk *walk, const struct expr *expr)
{
    return !expr || shape_of(walk, expr).kind == UNIFORM;
}

/* A point: of each coordinate the rank's own, plus something uniform. */
static bool is_shifted(struct walk *walk, struct expr *const *point, uint32_t n)
{
    if (n != walk->program->n_coordinates)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct shape shape = shape_of(walk, point[i]);
        if (!follows(walk, &shape, i))
            return false;
    }
    return true;
}

static bool use(struct walk *walk, const struct chunks *chunks, bool moves, uint32_t block)
{
    struct symmetry *symmetry = walk->symmetry;
    if (moves ? walk->stays[chunks->buffer] ||
                    (symmetry->moves[chunks->buffer] && symmetry->block[chunks->buffer] != block)
              : symmetry->moves[chunks->buffer])
        return give_up(walk, chunks->position,
                       "chunks of a buffer follow the rank in one place, and do not in another");
    walk->stays[chunks->buffer] = !moves;
    symmetry->moves[chunks->buffer] = moves;
    symmetry->block[chunks->buffer] = block;
    return true;
}

/* Whether it is in the block of `scale` chunks that follows the rank. A range that begins in one
 * block and ends in another is met where rank 0 is carried out. */
static bool is_in_scale(const struct shape *shape)
{
    return shape->kind == SCALED && shape->low >= 0 && shape->high <= (double)(shape->scale - 1);
}

/* Chunks by number: a range that is the same everywhere, or of blocks, as many as ranks, that follow
 * the rank. */
static bool look_at_numbers(struct walk *walk, const struct chunks *chunks)
{
    const struct shape shape = shape_of(walk, chunks->index[0]);
    if (chunks->segment)
        return give_up(walk, chunks->position, "segments of chunks that have numbers");
    if (shape.kind == UNIFORM && is_uniform(walk, chunks->last))
        return use(walk, chunks, false, 1);
    const uint64_t n_ranks = walk->binding->n_ranks;
    const uint64_t n_chunks = schedule_chunks(&walk->header, chunks->buffer);
    const bool is_one = shape.kind == SHIFTED || (shape.kind == AFFINE && shape.is_reduced);
    if (walk->program->n_coordinates == 1 && is_one && !chunks->last && n_chunks == n_ranks)
        return use(walk, chunks, true, 1);
    const struct shape last = chunks->last ? shape_of(walk, chunks->last) : shape;
    if (walk->program->n_coordinates == 1 && is_in_scale(&shape) && is_in_scale(&last) &&
        shape.scale == last.scale && n_chunks == n_ranks * (uint64_t)shape.scale)
        return use(walk, chunks, true, (uint32_t)shape.scale);
    return give_up(walk, chunks->position, "the number of a chunk does not follow the rank");
}

static bool look_at_chunks(struct walk *walk, const struct chunks *chunks)
{
    if (chunks->buffer == N_BUFFERS)
        return true;
    const bool is_by_rank = collective_is_by_rank(walk->header.collective, chunks->buffer);
    if (!chunks->n && !is_by_rank)
        return use(walk, chunks, false, 1);
    if (!is_by_rank)
        return look_at_numbers(walk, chunks);
    if (!chunks->n || chunks->last || !is_shifted(walk, chunks->index, chunks->n))
        return give_up(walk, chunks->position,
                       "a block is not that of the rank's own coordinates plus something uniform");
    if (!is_uniform(walk, chunks->segment) || !is_uniform(walk, chunks->last_segment))
        return give_up(walk, chunks->position, "segments depend on the rank");
    return use(walk, chunks, true, walk->header.segments);
}

/* A whole buffer to a whole buffer, chunk by chunk: that is the same shifted, as long as both move by
 * the same blocks, or neither does. */
static bool look_at_copy(struct walk *walk, const struct chunks *from, const struct chunks *to)
{
    const bool is_whole = from->buffer != N_BUFFERS && to->buffer != N_BUFFERS && !from->n && !to->n &&
                          schedule_chunks(&walk->header, from->buffer) ==
                              schedule_chunks(&walk->header, to->buffer);
    if (!is_whole || walk->n_tied == MAX_TIED)
        return look_at_chunks(walk, from) && look_at_chunks(walk, to);
    walk->tied[walk->n_tied][0] = from;
    walk->tied[walk->n_tied++][1] = to;
    return true;
}

static bool look_at_ties(struct walk *walk)
{
    const struct symmetry *symmetry = walk->symmetry;
    for (uint32_t i = 0; i < walk->n_tied; i++) {
        const enum buffer from = walk->tied[i][0]->buffer, to = walk->tied[i][1]->buffer;
        if (symmetry->moves[from] != symmetry->moves[to] ||
            (symmetry->moves[from] && symmetry->block[from] != symmetry->block[to]))
            return give_up(walk, walk->tied[i][0]->position,
                           "of two buffers that are copied as wholes one follows the rank");
    }
    return true;
}

static bool look_at_list(struct walk *walk, const struct statement *first);

static bool look_at_loop(struct walk *walk, const struct statement *loop)
{
    const struct shape first = shape_of(walk, loop->expr), last = shape_of(walk, loop->last);
    if (first.kind != UNIFORM || last.kind != UNIFORM || !is_uniform(walk, loop->by))
        return give_up(walk, loop->position, "bounds of a loop depend on the rank");
    walk->shapes[loop->variable] = within(fmin(first.low, last.low), fmax(first.high, last.high),
                                          fmax(first.most, last.most));
    return look_at_list(walk, loop->body);
}

static bool assign(struct walk *walk, uint32_t variable, const struct expr *expr)
{
    walk->shapes[variable] = shape_of(walk, expr);
    return walk->shapes[variable].kind != NEITHER ||
           give_up(walk, expr->position, "a value differs between ranks by more than a shift");
}

static bool look_at_call(struct walk *walk, const struct statement *call)
{
    const struct definition *definition = call->definition;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        if (!assign(walk, definition->arguments[i], call->arguments[i]))
            return false;
    return look_at_list(walk, definition->body);
}

static bool look_at(struct walk *walk, const struct statement *statement)
{
    walk->symmetry->n_statements++;
    switch (statement->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
        if (!is_shifted(walk, statement->peer.coordinates, statement->peer.n))
            return give_up(walk, statement->peer.position,
                           "a peer is not the rank's own coordinates plus something uniform");
        return look_at_chunks(walk, &statement->chunks);
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        return look_at_copy(walk, &statement->chunks, &statement->to_chunks);
    case STATEMENT_LET: return assign(walk, statement->variable, statement->expr);
    case STATEMENT_IF:
        if (!is_uniform(walk, statement->expr))
            return give_up(walk, statement->expr->position, "a condition depends on the rank");
        return look_at_list(walk, statement->body) && look_at_list(walk, statement->otherwise);
    case STATEMENT_FOR: return look_at_loop(walk, statement);
    case STATEMENT_STEP: return look_at_list(walk, statement->body);
    case STATEMENT_WINDOW:
        return (is_uniform(walk, statement->expr) ||
                give_up(walk, statement->expr->position, "a window depends on the rank")) &&
               look_at_list(walk, statement->body);
    case STATEMENT_CALL: return look_at_call(walk, statement);
    case STATEMENT_RUN: break;
    }
    return give_up(walk, statement->position, "it runs another algorithm");
}

static bool look_at_list(struct walk *walk, const struct statement *first)
{
    bool done = true;
    if (++walk->depth > MAX_DEPTH)
        return give_up(walk, first->position, "blocks are too deep");
    for (const struct statement *at = first; at && done; at = at->next)
        done = ++walk->n_walked <= MAX_WALKED ? look_at(walk, at)
                                              : give_up(walk, at->position, "the program is too long");
    walk->depth--;
    return done;
}

/* ---- the whole ---- */

/* Variables of the header: what the binding gave them, or what their expression says. */
static bool start(struct walk *walk)
{
    const struct program *program = walk->program;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        walk->shapes[i] = unknown;
        if (variable->kind != VARIABLE_ALGORITHM && variable->is_uniform &&
            (variable->kind != VARIABLE_LET || variable->value) && variable->kind != VARIABLE_LOOP &&
            variable->kind != VARIABLE_ARGUMENT)
            walk->shapes[i] = constant(walk->binding->value[i]);
        else if (variable->kind == VARIABLE_LET && variable->value && !assign(walk, i, variable->value))
            return false;
        for (uint32_t k = 0; k < program->n_coordinates; k++)
            if (program->coordinate[k] == i)
                walk->shapes[i] = coordinate(walk, k);
    }
    return true;
}

/* Ranks are numbered by their coordinates, and there is one at each point. */
static bool take_coordinates(struct walk *walk)
{
    struct arena arena = {0};
    struct coordinates coordinates;
    struct shifts *shifts = &walk->symmetry->shifts;
    coordinates_make(&coordinates, walk->binding, &arena);
    bool is_plain = !coordinates.ragged && !coordinates.shift;
    for (uint32_t rank = 0; coordinates.ranks && is_plain && rank < coordinates.n_ranks; rank++)
        is_plain = coordinates.ranks[rank] == rank;
    shifts->n = coordinates.n;
    for (uint32_t i = 0; i < coordinates.n; i++) {
        shifts->extent[i] = coordinates.extent[i];
        shifts->stride[i] = coordinates.stride[i];
        walk->symmetry->coordinate[i] =
            variable_source_name(&walk->program->variables[walk->program->coordinate[i]]);
    }
    arena_free(&arena);
    if (!is_plain)
        walk->reason = "ranks are not numbered by their coordinates";
    return is_plain;
}

/* Ranks are numbered by their places in the grid; or by the bits of their numbers. */
static void take_digits(struct walk *walk)
{
    static const char *const names[] = {"x", "y", "z", "4th", "5th", "6th", "7th", "8th"};
    const struct rank_grid *grid = &walk->binding->grid;
    struct shifts *shifts = &walk->symmetry->shifts;
    shifts->is_xor = walk->way == BY_XOR;
    for (uint32_t i = 0; walk->way == BY_GRID && i < grid->n_dimensions; i++) {
        shifts->extent[i] = grid->extent[i].value;
        shifts->stride[i] = grid->stride[i].value;
        walk->symmetry->coordinate[i] = names[i];
        shifts->n++;
    }
    for (uint32_t bit = 1; walk->way == BY_XOR && bit < walk->binding->n_ranks; bit *= 2) {
        shifts->extent[shifts->n] = 2;
        shifts->stride[shifts->n++] = bit;
    }
}

/* Whether the way makes sense for the program, which counts ranks by their numbers then. */
static bool is_open(const struct binding *binding, enum way way)
{
    const uint32_t p = binding->n_ranks;
    const bool is_by_number =
        binding->program->n_coordinates == 1 && program_named_extent(binding->program, 0) == NAMED_p;
    if (way == BY_GRID)
        return is_by_number && binding->grid.n_ranks == p && !binding->grid.place_of;
    return way == BY_COORDINATES || (is_by_number && !(p & (p - 1)));
}

static const char *obstacle(const struct binding *binding)
{
    const struct program *program = binding->program;
    if (collective_table[program->collective].rooted)
        return "the collective has a root";
    if (program->collective == COLLECTIVE_scan || program->collective == COLLECTIVE_exscan)
        return "the results of ranks differ by more than a shift";
    if (program->form != FORM_EQUAL || binding->counts)
        return "counts are unequal";
    if (program->ordered.line || program->from_root)
        return "the program has a clause 'ordered' or 'from root'";
    if (program->like.line && binding->segments > 1)
        return "chunks of tmp have sizes of their own";
    if (!program->n_coordinates || binding->n_ranks < 2)
        return "there are no coordinates to shift";
    return NULL;
}

/* Rank 0 and the last one, the extremes of what is affine; and, where that costs little, one in
 * between. */
static void choose_witnesses(struct symmetry *symmetry)
{
    enum { MANY_RANKS = 1 << 18 };
    const uint32_t last = symmetry->shifts.n_ranks - 1, middle = last / 2 + 1;
    const bool has_middle = last > middle && last < MANY_RANKS;
    symmetry->witness[0] = 0;
    symmetry->witness[1] = has_middle ? middle : last;
    symmetry->witness[2] = last;
    symmetry->n_witnesses = has_middle ? 3 : 2;
}

/* Whether the program is symmetric by shifts of this kind. */
static bool try_way(struct walk *walk)
{
    struct symmetry *symmetry = walk->symmetry;
    const struct program *program = walk->program;
    *symmetry = (struct symmetry){.source = program->source};
    if (!start(walk) || !look_at_list(walk, program->body) ||
        (walk->way == BY_COORDINATES && !take_coordinates(walk)))
        return false;
    symmetry->shifts.n_ranks = walk->binding->n_ranks;
    if (walk->way != BY_COORDINATES)
        take_digits(walk);
    for (enum buffer buffer = 0; buffer < BUFFER_TMP; buffer++)
        if (collective_is_by_rank(program->collective, buffer)) {
            symmetry->moves[buffer] = true;
            symmetry->block[buffer] = walk->binding->segments;
        }
    choose_witnesses(symmetry);
    return look_at_ties(walk);
}

bool symmetry_find(const struct binding *binding, struct symmetry *symmetry,
                   struct diagnostics *diagnostics, const char **reason)
{
    const struct program *program = binding->program;
    const char *first_reason = NULL;
    bool is_symmetric = false;
    *symmetry = (struct symmetry){.source = program->source};
    *reason = obstacle(binding);
    for (enum way way = 0; way < N_WAYS && !is_symmetric && !*reason; way++) {
        struct walk walk = {.way = way,
                            .binding = binding,
                            .program = program,
                            .header = {.collective = program->collective,
                                       .n_ranks = binding->n_ranks,
                                       .segments = binding->segments,
                                       .n_tmp = binding->n_tmp},
                            .diagnostics = diagnostics,
                            .symmetry = symmetry};
        if (!is_open(binding, way))
            continue;
        walk.shapes = mem_alloc(program->n_variables, sizeof *walk.shapes);
        is_symmetric = try_way(&walk);
        free(walk.shapes);
        if (way == BY_COORDINATES)
            first_reason = walk.reason;
    }
    if (!is_symmetric && !*reason)
        *reason = first_reason;
    return is_symmetric;
}
