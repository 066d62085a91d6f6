/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See symmetry.h.
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

#include "base/integer.h"
#include "compiler/passes/coordinates.h"
#include "compiler/passes/neighbors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- statements ---- */

bool walk_give_up(struct walk *walk, struct position position, const char *what)
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
        if (!shape_follows(walk, &shape, i))
            return false;
    }
    return true;
}

/* True if a range has the same length on all ranks. A range that is empty on one rank may be all chunks on
 * another, as (r+2) mod p .. (r+1) mod p is where r+2 is p; and its end may be behind the last block, p-1 ..
 * p. */
static bool has_one_length(struct walk *walk, const struct chunks *chunks)
{
    return !chunks->last || shape_is_beside(walk, chunks->index[0], chunks->last) ||
           walk_give_up(walk, chunks->position, "the length of a range depends on the rank");
}

static bool add_use(struct walk *walk, const struct chunks *chunks, const struct shape *shape)
{
    bool follows = shape_has_terms(shape);
    for (uint32_t i = 0; i < shape->n_terms; i++)
        follows = follows && shape->terms[i].scale > 0;
    if (!follows)
        return walk_give_up(walk, chunks->position, "the number of a chunk does not follow the rank");
    if (walk->n_uses == MAX_USES)
        return walk_give_up(walk, chunks->position, "too many ranges of chunks follow the rank");
    walk->uses[walk->n_uses++] = (struct use){chunks, walk->line, *shape};
    return true;
}

/* Notes chunks by number: a range that is the same everywhere, or one in blocks that follow coordinates.
 * Later checks, at the end and when the representatives are carried out, find out if the blocks of a buffer
 * agree, and if a range that is the same everywhere lies among them. */
static bool look_at_numbers(struct walk *walk, const struct chunks *chunks)
{
    struct shape ends[2];
    ends[0] = shape_of(walk, chunks->index[0]);
    ends[1] = chunks->last ? shape_of(walk, chunks->last) : ends[0];
    if (chunks->segment)
        return walk_give_up(walk, chunks->position, "segments of chunks that have numbers");
    if (ends[0].kind == UNIFORM && ends[1].kind == UNIFORM)
        return true;
    if (walk->way == BY_XOR && ends[0].kind == SHIFTED && ends[1].kind == SHIFTED &&
        schedule_chunks(&walk->header, chunks->buffer) == walk->binding->n_ranks)
        return walk->is_by_rank[chunks->buffer] = true;
    for (int i = 0; i < 2; i++)
        if (!add_use(walk, chunks, &ends[i]))
            return false;
    return true;
}

static bool look_at_chunks(struct walk *walk, const struct chunks *chunks)
{
    if (chunks->buffer == N_BUFFERS || !chunks->n)
        return true;
    if (!has_one_length(walk, chunks))
        return false;
    if (!collective_is_by_rank(walk->header.collective, chunks->buffer))
        return look_at_numbers(walk, chunks);
    const bool has_last = chunks->last && chunks->n == 1; /* are they of one period? take_own sees that */
    if ((chunks->last && !has_last) || !is_shifted(walk, chunks->index, chunks->n) ||
        (has_last && !is_shifted(walk, (struct expr *const[]){chunks->last}, 1)))
        return walk_give_up(walk, chunks->position,
                            "a block is not that of the rank's own coordinates plus something uniform");
    return (is_uniform(walk, chunks->segment) && is_uniform(walk, chunks->last_segment)) ||
           walk_give_up(walk, chunks->position, "segments depend on the rank");
}

/* A part of a message of several: its chunks are shifted one by one. A range that follows the rank might go
 * round the end of its zone on one rank. */
static bool look_at_part(struct walk *walk, const struct chunks *chunks)
{
    const bool is_same =
        !chunks->last || (is_uniform(walk, chunks->index[0]) && is_uniform(walk, chunks->last));
    return is_same ? look_at_chunks(walk, chunks)
                   : walk_give_up(walk, chunks->position, "a range that follows the rank is part of a message");
}

/* A zone whose blocks have the numbers of ranks. */
static void add_rank_zone(struct symmetry *symmetry, enum buffer buffer, uint32_t block)
{
    const struct shifts *shifts = &symmetry->shifts;
    struct zone *zone = &symmetry->zones[buffer][symmetry->n_zones[buffer]++];
    *zone = (struct zone){0, shifts->n_ranks * block, block, shifts->n_ranks * block, 0, {0}};
    for (uint32_t stride = 1, i = 0; stride < shifts->n_ranks; stride *= shifts->extent[i]) {
        for (i = 0; shifts->stride[i] != stride || shifts->extent[i] == 1;)
            i++;
        zone->coordinate[zone->n++] = (uint8_t)i;
    }
}

static bool look_at_list(struct walk *walk, const struct statement *first);

/* True if a statement of a list communicates, or begins a step. */
static bool has_steps(const struct statement *first, uint32_t depth)
{
    bool has = depth > MAX_DEPTH;
    for (const struct statement *at = first; at && !has; at = at->next)
        has = (at->kind != STATEMENT_COPY && at->kind != STATEMENT_COMBINE && at->kind != STATEMENT_LET &&
               at->kind != STATEMENT_IF && at->kind != STATEMENT_FOR) ||
              has_steps(at->body, depth + 1) || has_steps(at->otherwise, depth + 1);
    return has;
}

static uint32_t symmetry_last_line(const struct statement *first, uint32_t line)
{
    for (const struct statement *at = first; at; at = at->next) {
        line = at->position.line > line ? at->position.line : line;
        line = symmetry_last_line(at->body, line);
        line = symmetry_last_line(at->otherwise, line);
    }
    return line;
}

/* Turn of a loop: its rounds come in order, or another one comes first on each rank. Then its variable takes
 * all values of a coordinate, or all points. */
struct turn {
    enum { NOT_TURNED, TURNED_COORDINATE, TURNED_POINT } kind;
    uint32_t coordinate;
    int64_t times; /* it goes over so many times as many numbers */
    bool is_first_fastest;
};
enum { MAX_TURNS = WALK_COORDINATES + 3 };

/* True if the i-th coordinate is the only one that is shifted. */
static bool is_only_shifted(const struct walk *walk, uint32_t i)
{
    bool is_only = walk->way == BY_COORDINATES;
    for (uint32_t k = 0; k < walk->n && is_only; k++)
        is_only = k == i || walk_is_fixed(walk, k);
    return is_only;
}

/* Lists the turns that a loop may take, to try them in this order. */
static uint32_t list_turns(const struct walk *walk, const struct statement *loop, const struct shape *first,
                           const struct shape *last, struct turn *turns)
{
    const bool has_turns = walk->way == BY_COORDINATES || walk->way == BY_GRID;
    const bool is_open = has_turns && !walk->n_calls && !loop->by && shape_is_small(first) &&
                         shape_is_small(last) && first->value == 0 && !has_steps(loop->body, 0);
    uint64_t n_points = 1;
    uint32_t n = 0, n_shifted = 0;
    if (!walk->turns_first || !is_open)
        turns[n++] = (struct turn){.kind = NOT_TURNED};
    for (uint32_t i = 0; i < walk->n && is_open; i++) {
        n_points *= walk_has_place(walk, i) ? walk->extent[i] : 1;
        if (walk_is_fixed(walk, i))
            continue;
        const int64_t times = (last->value + 1) / (int64_t)walk->extent[i];
        const bool is_all = last->value >= 0 && (last->value + 1) % (int64_t)walk->extent[i] == 0;
        if (is_all && (times == 1 || is_only_shifted(walk, i)) && !(walk->rotated >> i & 1))
            turns[n++] = (struct turn){.kind = TURNED_COORDINATE, .coordinate = i, .times = times};
        n_shifted++;
    }
    if (is_open && !walk->rotated && last->value == (int64_t)n_points - 1 &&
        (n_shifted > 1 || walk->way == BY_GRID)) {
        turns[n++] = (struct turn){.kind = TURNED_POINT, .is_first_fastest = true};
        if (walk->way == BY_COORDINATES)
            turns[n++] = (struct turn){.kind = TURNED_POINT};
    }
    if (walk->turns_first && is_open)
        turns[n++] = (struct turn){.kind = NOT_TURNED};
    return n;
}

/* A loop over all of a coordinate or all points, of operations inside of ranks: round x of a rank is round
 * x + g of that which is g shifts away, so that both do the same in another order. Or over so many times
 * the extent: round times * x + u is round times * (x + g) + u then, u being the same on both. A loop
 * within one that is turned is noted with that, and takes another coordinate. */
static bool look_at_rotated(struct walk *walk, const struct statement *loop, const struct turn *turn)
{
    struct symmetry *symmetry = walk->symmetry;
    const uint32_t outer = walk->rotated;
    if (!outer && symmetry->n_rotated == ROTATED_MAX)
        return walk_give_up(walk, loop->position, "too many loops go over all of a coordinate");
    if (!outer)
        symmetry->rotated[symmetry->n_rotated++] =
            (struct rotated_loop){loop->position.line, symmetry_last_line(loop->body, loop->position.line)};
    struct shape *variable = &walk->shapes[loop->variable];
    *variable = turn->kind == TURNED_POINT ? shape_of_point(walk, turn->is_first_fastest)
                                           : shape_of_coordinate(walk, turn->coordinate);
    if (turn->kind == TURNED_COORDINATE)
        variable->modulus = (int)turn->coordinate;
    if (turn->kind == TURNED_COORDINATE && turn->times > 1)
        *variable = shape_of_block(variable, turn->times);
    walk->rotated |= turn->kind == TURNED_POINT ? UINT32_MAX : 1u << turn->coordinate;
    const bool is_done = look_at_list(walk, loop->body);
    walk->rotated = outer;
    return is_done;
}

static bool look_at_rounds(struct walk *walk, const struct statement *loop, const struct shape *first,
                           const struct shape *last, const struct turn *turn)
{
    if (turn->kind != NOT_TURNED)
        return look_at_rotated(walk, loop, turn);
    walk->shapes[loop->variable] = shape_within(fmin(first->low, last->low), fmax(first->high, last->high),
                                                fmax(first->most, last->most));
    shape_give_name(walk, &walk->shapes[loop->variable]);
    return look_at_list(walk, loop->body);
}

static bool look_at_loop(struct walk *walk, const struct statement *loop)
{
    struct turn turns[MAX_TURNS];
    const struct shape first = shape_of(walk, loop->expr), last = shape_of(walk, loop->last);
    if (first.kind != UNIFORM || last.kind != UNIFORM || !is_uniform(walk, loop->by))
        return walk_give_up(walk, loop->position, "bounds of a loop depend on the rank");
    if (!loop->by && first.low > last.high) /* no rounds */
        return true;
    const uint32_t n_uses = walk->n_uses, n_statements = walk->symmetry->n_statements;
    const uint32_t n_rotated = walk->symmetry->n_rotated, depth = walk->depth, n_copies = walk->n_copies;
    const uint32_t n_turns = list_turns(walk, loop, &first, &last, turns);
    bool is_done = false;
    for (uint32_t i = 0; i < n_turns && !is_done; i++) {
        if (i) {
            walk->n_uses = n_uses;
            walk->n_copies = n_copies;
            walk->symmetry->n_statements = n_statements;
            walk->symmetry->n_rotated = n_rotated;
            walk->depth = depth;
            walk->reason = NULL;
        }
        is_done = look_at_rounds(walk, loop, &first, &last, &turns[i]);
    }
    return is_done;
}

static bool symmetry_assign(struct walk *walk, uint32_t variable, const struct expr *expr)
{
    walk->shapes[variable] = shape_of(walk, expr);
    shape_give_name(walk, &walk->shapes[variable]);
    return walk->shapes[variable].kind != NEITHER ||
           walk_give_up(walk, expr->position, "a value differs between ranks by more than a shift");
}

static bool look_at_call(struct walk *walk, const struct statement *call)
{
    const struct definition *definition = call->definition;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        if (!symmetry_assign(walk, definition->arguments[i], call->arguments[i]))
            return false;
    walk->n_calls++;
    const bool is_done = look_at_list(walk, definition->body);
    walk->n_calls--;
    return is_done;
}

static bool look_at_branch(struct walk *walk, const struct statement *statement, bool is_true)
{
    const struct narrowed narrowed = shape_narrow(walk, statement->expr, is_true);
    const bool is_done = look_at_list(walk, is_true ? statement->body : statement->otherwise);
    shape_widen(walk, &narrowed);
    return is_done;
}

/* A branch that is never taken is not looked at. */
static bool look_at_if(struct walk *walk, const struct statement *statement)
{
    const struct shape condition = shape_of(walk, statement->expr);
    if (condition.kind != UNIFORM)
        return walk_give_up(walk, statement->expr->position, "a condition depends on the rank");
    return ((condition.is_known && !condition.value) || look_at_branch(walk, statement, true)) &&
           ((condition.is_known && condition.value) || look_at_branch(walk, statement, false));
}

static bool note_copy(struct walk *walk, const struct statement *copy)
{
    for (uint32_t i = 0; i < walk->n_copies; i++)
        if (walk->copies[i].statement == copy && walk->copies[i].is_turned == (walk->rotated != 0))
            return true;
    if (walk->n_copies == MAX_COPIES)
        return walk_give_up(walk, copy->position, "there are too many copies");
    walk->copies[walk->n_copies++] = (struct noted_copy){copy, walk->rotated != 0};
    return true;
}

/* Loops whose rounds are rotated are known by their lines: the operations of a line must be those of one
 * statement, so that all of them are moved by the same coordinates, and no others be of lines of such a
 * loop. (An algorithm that is run has lines of another text.) */
static bool are_alone_in_lines(struct walk *walk)
{
    const struct symmetry *symmetry = walk->symmetry;
    for (uint32_t i = 0; i < walk->n_copies; i++) {
        const struct noted_copy *copy = &walk->copies[i];
        const uint32_t line = copy->statement->position.line;
        bool is_alone = true;
        for (uint32_t k = 0; k < symmetry->n_rotated && !copy->is_turned; k++)
            is_alone = is_alone && (line < symmetry->rotated[k].line || line > symmetry->rotated[k].end);
        for (uint32_t k = 0; k < i && copy->is_turned; k++)
            is_alone = is_alone && walk->copies[k].statement->position.line != line;
        if (!is_alone)
            return walk_give_up(walk, copy->statement->position,
                                "two copies are in one line, of a loop over all of a coordinate");
    }
    return true;
}

static bool symmetry_look_at(struct walk *walk, const struct statement *statement)
{
    walk->symmetry->n_statements++;
    walk->line = statement->position.line;
    switch (statement->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
        if (!is_shifted(walk, statement->peer.coordinates, statement->peer.n))
            return walk_give_up(walk, statement->peer.position,
                                "a peer is not the rank's own coordinates plus something uniform");
        return statement->body ? look_at_list(walk, statement->body)
                               : look_at_chunks(walk, &statement->chunks);
    case STATEMENT_PART: return look_at_part(walk, &statement->chunks);
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        return note_copy(walk, statement) && look_at_chunks(walk, &statement->chunks) &&
               look_at_chunks(walk, &statement->to_chunks);
    case STATEMENT_LET:
        return symmetry_assign(walk, statement->variable, statement->expr);
    case STATEMENT_IF: return look_at_if(walk, statement);
    case STATEMENT_FOR: return look_at_loop(walk, statement);
    case STATEMENT_STEP: return look_at_list(walk, statement->body);
    case STATEMENT_WINDOW:
        return (is_uniform(walk, statement->expr) ||
                walk_give_up(walk, statement->expr->position, "a window depends on the rank")) &&
               look_at_list(walk, statement->body);
    case STATEMENT_CALL: return look_at_call(walk, statement);
    case STATEMENT_RUN: break;
    }
    return walk_give_up(walk, statement->position, "it runs another algorithm");
}

static bool look_at_list(struct walk *walk, const struct statement *first)
{
    bool done = true;
    if (++walk->depth > MAX_DEPTH)
        return walk_give_up(walk, first->position, "blocks are too deep");
    for (const struct statement *at = first; at && done; at = at->next)
        done = ++walk->n_walked <= MAX_WALKED ? symmetry_look_at(walk, at)
                                              : walk_give_up(walk, at->position, "the program is too long");
    walk->depth--;
    return done;
}

/* ---- the whole ---- */

/* Variables of the header: what the binding gave them, or what their expression says. */
static bool symmetry_start(struct walk *walk)
{
    const struct program *program = walk->program;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        walk->shapes[i] = (struct shape){.kind = NEITHER, .modulus = -1};
        if (variable->kind != VARIABLE_ALGORITHM && variable->is_uniform &&
            (variable->kind != VARIABLE_LET || variable->value) && variable->kind != VARIABLE_LOOP &&
            variable->kind != VARIABLE_ARGUMENT && variable->kind != VARIABLE_AREA)
            walk->shapes[i] = shape_of_constant(walk->binding->value[i]);
        else if (variable->kind == VARIABLE_LET && variable->value &&
                 !symmetry_assign(walk, i, variable->value))
            return false;
        for (uint32_t k = 0; k < program->n_coordinates; k++)
            if (program->coordinate[k] == i)
                walk->shapes[i] = way_is_by_grid(walk->way) ? shape_of_point(walk, true)
                                                       : shape_of_coordinate(walk, k);
    }
    return true;
}

/* Ranks are numbered by their coordinates, and there is one at each point. */
static bool symmetry_take_coordinates(struct walk *walk)
{
    struct arena arena = {0};
    struct coordinates coordinates;
    struct shifts *shifts = &walk->symmetry->shifts;
    coordinates_make(&coordinates, walk->binding, &arena);
    bool is_plain = !coordinates.ragged && !coordinates.shift;
    for (uint32_t rank = 0; coordinates.ranks && is_plain && rank < coordinates.n_ranks; rank++)
        is_plain = coordinates.ranks[rank] == rank;
    for (uint32_t i = 0; i < coordinates.n; i++) {
        if (coordinates.extent[i] == 1) /* no shift */
            continue;
        walk->shift_of[i] = shifts->n;
        shifts->extent[shifts->n] = coordinates.extent[i];
        shifts->stride[shifts->n] = coordinates.stride[i];
        walk->symmetry->period[shifts->n] = walk->period[i];
        walk->symmetry->coordinate[shifts->n++] =
            variable_source_name(&walk->program->variables[walk->program->coordinate[i]]);
    }
    arena_free(&arena);
    if (!is_plain)
        walk->reason = "ranks are not numbered by their coordinates";
    return is_plain;
}

/* Ranks are numbered by their places in the grid; or by the bits of their numbers. */
static void symmetry_take_digits(struct walk *walk)
{
    static const char *const names[] = {"x", "y", "z", "4th", "5th", "6th", "7th", "8th"};
    const struct rank_grid *grid = &walk->binding->grid;
    struct shifts *shifts = &walk->symmetry->shifts;
    shifts->is_xor = walk->way == BY_XOR;
    shifts->is_mirrored = walk->way == BY_MIRROR;
    for (uint32_t i = 0; way_is_by_grid(walk->way) && i < grid->n_dimensions; i++) {
        walk->shift_of[i] = i;
        shifts->extent[i] = grid->extent[i].value;
        shifts->stride[i] = grid->step[i];
        walk->symmetry->coordinate[i] = names[i];
        walk->symmetry->period[i] = walk->period[i];
        shifts->n++;
    }
    for (uint32_t bit = 1; walk->way == BY_XOR && bit < walk->binding->n_ranks; bit *= 2) {
        walk->symmetry->period[shifts->n] = 1;
        shifts->extent[shifts->n] = 2;
        shifts->stride[shifts->n++] = bit;
    }
}

/* True if all dimensions have an even number of places, or one. */
static bool has_mirrors(const struct rank_grid *grid)
{
    bool is_even = true;
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        is_even = is_even && (grid->extent[i].value == 1 || grid->extent[i].value % 2 == 0);
    return is_even;
}

/* True if the way can apply to the program, which must count ranks by their numbers unless the way is
 * BY_COORDINATES. */
static bool symmetry_is_open(const struct binding *binding, enum way way)
{
    const uint32_t p = binding->n_ranks;
    const bool is_by_number =
        binding->program->n_coordinates == 1 && program_named_extent(binding->program, 0) == NAMED_p;
    if (way_is_by_grid(way))
        return is_by_number && binding->grid.n_ranks == p && binding->grid.is_even &&
               (way == BY_GRID || has_mirrors(&binding->grid));
    return way == BY_COORDINATES || (is_by_number && !(p & (p - 1)));
}

static const char *symmetry_obstacle(const struct binding *binding)
{
    const struct program *program = binding->program;
    if (collective_table[program->collective].rooted)
        return "the collective has a root";
    if (collective_is_of_neighbors(program->collective) && !binding->neighbors->is_shifted)
        return "the neighbours of ranks differ by more than a shift";
    if (collective_is_scan(program->collective))
        return "the results of ranks differ by more than a shift";
    if (binding->counts)
        return "counts are unequal";
    if (program->ordered.line || program->from_root)
        return "the program has a clause 'ordered' or 'from root'";
    if (!program->n_coordinates || binding->n_ranks < 2)
        return "there are no coordinates to shift";
    return NULL;
}

static void add_by(struct symmetry *symmetry, uint32_t by)
{
    uint32_t i = 0;
    while (i < symmetry->n_by && symmetry->by[i] != by)
        i++;
    if (i == symmetry->n_by)
        symmetry->by[symmetry->n_by++] = by;
}

/* The first of each orbit and the last one, the extremes of what is affine; where that costs little,
 * one in between; and of loops whose rounds are rotated one for each shift that generates the group. */
static void choose_witnesses(struct symmetry *symmetry)
{
    enum { MANY_RANKS = 1 << 18 };
    const struct shifts *shifts = &symmetry->shifts;
    const uint32_t last = symmetry_shift_to(symmetry, shifts->n_ranks - 1);
    const uint32_t middle = symmetry_shift_to(symmetry, last / 2 + 1);
    symmetry->n_by = 1;
    if (middle < last && last < MANY_RANKS)
        add_by(symmetry, middle);
    for (uint32_t i = 0; i < shifts->n && symmetry->n_rotated; i++)
        add_by(symmetry, (shifts->extent[i] - symmetry->period[i]) * shifts->stride[i]);
    add_by(symmetry, last);
    for (uint32_t orbit = 0; orbit < symmetry->n_orbits; orbit++)
        for (uint32_t i = 0; i < symmetry->n_by; i++)
            symmetry->witness[symmetry->n_witnesses++] =
                symmetry_representative(symmetry, orbit) + symmetry->by[i];
    qsort(symmetry->witness, symmetry->n_witnesses, sizeof *symmetry->witness, compare_uint32);
    for (uint32_t i = 0; i < symmetry->n_witnesses; i++) {
        const uint32_t by = symmetry_shift_to(symmetry, symmetry->witness[i]);
        uint32_t k = 0;
        while (symmetry->by[k] != by)
            k++;
        symmetry->place[i] =
            (uint16_t)(k * symmetry->n_orbits + symmetry_orbit(symmetry, symmetry->witness[i]));
    }
}

/* True if the program is symmetric by shifts of this kind. */
static bool try_way(struct walk *walk)
{
    struct symmetry *symmetry = walk->symmetry;
    const struct program *program = walk->program;
    *symmetry = (struct symmetry){.source = program->source};
    if (!symmetry_start(walk) || !look_at_list(walk, program->body) ||
        (walk->way == BY_COORDINATES && !symmetry_take_coordinates(walk)))
        return false;
    symmetry->shifts.n_ranks = walk->binding->n_ranks;
    if (walk->way != BY_COORDINATES)
        symmetry_take_digits(walk);
    symmetry->n_orbits = 1;
    for (uint32_t i = 0; i < symmetry->shifts.n; i++)
        symmetry->n_orbits *= symmetry->period[i];
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        if (walk->is_by_rank[buffer])
            add_rank_zone(symmetry, buffer, 1);
        else if (buffer < BUFFER_TMP && collective_is_by_rank(program->collective, buffer))
            add_rank_zone(symmetry, buffer, walk->binding->segments);
    if (!are_alone_in_lines(walk) || !walk_make_zones(walk))
        return false;
    if (!symmetry_has_shifted_sizes(walk))
        return walk_give_up(walk, program->like, "chunks of tmp have sizes that do not follow the rank");
    choose_witnesses(symmetry);
    return true;
}

/* A group, and how loops are taken that might be turned. */
struct candidate {
    enum way way;
    uint32_t period[WALK_COORDINATES];
    bool turns_first;
    uint64_t n_orbits;
};

static uint32_t list_extents(const struct binding *binding, enum way way, uint32_t *extent)
{
    const bool is_by_grid = way_is_by_grid(way);
    const uint32_t n = is_by_grid ? binding->grid.n_dimensions : binding->program->n_coordinates;
    for (uint32_t i = 0; i < n; i++)
        extent[i] = is_by_grid ? binding->grid.extent[i].value : binding->extent[i];
    return n;
}

/* Tries one group, and says why it is none of the program's, and which periods might help: 0, none. */
static bool symmetry_try_candidate(const struct binding *binding, const struct candidate *candidate,
                                   uint32_t *wanted, struct symmetry *symmetry,
                                   struct diagnostics *diagnostics, const char **reason)
{
    const struct program *program = binding->program;
    struct walk walk = {.way = candidate->way,
                        .period = candidate->period,
                        .wanted = wanted,
                        .turns_first = candidate->turns_first,
                        .binding = binding,
                        .program = program,
                        .header = {.collective = program->collective,
                                   .n_ranks = binding->n_ranks,
                                   .segments = binding->segments,
                                   .n_tmp = binding->n_tmp,
                                   .n_in = binding->n_in,
                                   .n_out = binding->n_out},
                        .diagnostics = diagnostics,
                        .symmetry = symmetry};
    memset(wanted, 0, WALK_COORDINATES * sizeof *wanted);
    walk.n = list_extents(binding, candidate->way, walk.extent);
    walk.shapes = mem_alloc(program->n_variables, sizeof *walk.shapes);
    walk.uses = mem_alloc(MAX_USES, sizeof *walk.uses);
    const bool is_symmetric = try_way(&walk) && (!candidate->turns_first || symmetry->n_rotated);
    free(walk.shapes);
    free(walk.uses);
    *reason = walk.reason;
    return is_symmetric;
}

/* Orders candidates by the number of orbits, then by way. */
static int symmetry_compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->n_orbits != y->n_orbits)
        return x->n_orbits < y->n_orbits ? -1 : 1;
    if (x->way != y->way)
        return x->way < y->way ? -1 : 1;
    if (x->turns_first != y->turns_first)
        return x->turns_first ? 1 : -1;
    for (uint32_t i = WALK_COORDINATES; i-- > 0;)
        if (x->period[i] != y->period[i])
            return x->period[i] < y->period[i] ? -1 : 1;
    return 0;
}

enum { MAX_CANDIDATES = 2 * N_WAYS + (2 << PROGRAM_MAX_COORDINATES) };

/* Returns the group whose shifts of some coordinates are by multiples of a period. */
static struct candidate candidate_of(const struct binding *binding, enum way way, const uint32_t *period)
{
    struct candidate candidate = {.way = way, .n_orbits = 1};
    uint32_t extent[WALK_COORDINATES];
    const uint32_t n = list_extents(binding, way, extent);
    for (uint32_t i = 0; i < n; i++) {
        candidate.period[i] = period ? period[i] : 1;
        candidate.n_orbits *= candidate.period[i];
    }
    return candidate;
}

/* Periods that the text asks for as it takes remainders of coordinates, one after the other, as long as it
 * asks for more: false if it comes to none. */
static bool passes_symmetry_refine(const struct binding *binding, struct candidate *candidate)
{
    struct symmetry *symmetry = mem_alloc(1, sizeof *symmetry);
    struct diagnostics unread = {0};
    uint32_t wanted[WALK_COORDINATES];
    const char *reason;
    bool is_found = false, is_more = true;
    while (!is_found && is_more) {
        const uint64_t n_orbits = candidate->n_orbits;
        is_found = symmetry_try_candidate(binding, candidate, wanted, symmetry, &unread, &reason);
        if (!is_found && wanted[0])
            *candidate = candidate_of(binding, candidate->way, wanted);
        is_more = candidate->n_orbits > n_orbits && candidate->n_orbits <= ORBITS_MAX &&
                  candidate->n_orbits < binding->n_ranks;
    }
    diagnostics_free(&unread);
    free(symmetry);
    return is_found;
}

/* Lists the groups to try, those with the fewest orbits first. */
static uint32_t list_candidates(const struct binding *binding, struct candidate *candidates)
{
    const uint32_t n_coordinates = binding->program->n_coordinates;
    uint32_t n = 0;
    for (enum way way = BY_COORDINATES; way < N_WAYS; way++) {
        if (!symmetry_is_open(binding, way))
            continue;
        struct candidate *whole = &candidates[n++];
        *whole = candidate_of(binding, way, NULL);
        candidates[n] = *whole;
        const bool has_periods = way == BY_COORDINATES || way == BY_GRID;
        if (has_periods && passes_symmetry_refine(binding, &candidates[n]) && candidates[n].n_orbits > 1)
            n++;
    }
    for (uint32_t set = 0; set < 1u << n_coordinates; set++) {
        uint32_t period[WALK_COORDINATES];
        bool is_new = true; /* a coordinate of extent 1 is fixed in any case */
        for (uint32_t i = 0; i < n_coordinates; i++) {
            period[i] = set >> i & 1 ? binding->extent[i] : 1;
            is_new = is_new && (period[i] > 1 || !(set >> i & 1));
        }
        struct candidate candidate = candidate_of(binding, BY_COORDINATES, period);
        if (!is_new || candidate.n_orbits > ORBITS_MAX || candidate.n_orbits >= binding->n_ranks)
            continue;
        if (set)
            candidates[n++] = candidate;
        candidate.turns_first = true;
        candidates[n++] = candidate;
    }
    qsort(candidates, n, sizeof *candidates, symmetry_compare_candidates);
    return n;
}

bool symmetry_find(const struct binding *binding, uint32_t *next, struct symmetry *symmetry,
                   struct diagnostics *diagnostics, const char **reason)
{
    struct candidate candidates[MAX_CANDIDATES];
    const char *others = NULL;
    uint32_t wanted[WALK_COORDINATES];
    *symmetry = (struct symmetry){.source = binding->program->source};
    *reason = symmetry_obstacle(binding);
    if (*reason)
        return false;
    const uint32_t first = *next, n = list_candidates(binding, candidates);
    bool is_found = false;
    while (*next < n && !is_found) {
        const struct candidate *candidate = &candidates[*next];
        const char **why = *next == first ? reason : &others;
        ++*next;
        is_found = symmetry_try_candidate(binding, candidate, wanted, symmetry, diagnostics, why);
    }
    return is_found;
}
