/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The walk through the statements of a program, of symmetry_internal.h.
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

#include <math.h>

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
    const bool is_done = walk_look_at_list(walk, loop->body);
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
    return walk_look_at_list(walk, loop->body);
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

bool walk_assign(struct walk *walk, uint32_t variable, const struct expr *expr)
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
        if (!walk_assign(walk, definition->arguments[i], call->arguments[i]))
            return false;
    walk->n_calls++;
    const bool is_done = walk_look_at_list(walk, definition->body);
    walk->n_calls--;
    return is_done;
}

static bool look_at_branch(struct walk *walk, const struct statement *statement, bool is_true)
{
    const struct narrowed narrowed = shape_narrow(walk, statement->expr, is_true);
    const bool is_done = walk_look_at_list(walk, is_true ? statement->body : statement->otherwise);
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
bool walk_are_copies_alone(struct walk *walk)
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
        return statement->body ? walk_look_at_list(walk, statement->body)
                               : look_at_chunks(walk, &statement->chunks);
    case STATEMENT_PART: return look_at_part(walk, &statement->chunks);
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        return note_copy(walk, statement) && look_at_chunks(walk, &statement->chunks) &&
               look_at_chunks(walk, &statement->to_chunks);
    case STATEMENT_LET:
        return walk_assign(walk, statement->variable, statement->expr);
    case STATEMENT_IF: return look_at_if(walk, statement);
    case STATEMENT_FOR: return look_at_loop(walk, statement);
    case STATEMENT_STEP: return walk_look_at_list(walk, statement->body);
    case STATEMENT_WINDOW:
        return (is_uniform(walk, statement->expr) ||
                walk_give_up(walk, statement->expr->position, "a window depends on the rank")) &&
               walk_look_at_list(walk, statement->body);
    case STATEMENT_CALL: return look_at_call(walk, statement);
    case STATEMENT_RUN: break;
    }
    return walk_give_up(walk, statement->position, "it runs another algorithm");
}

bool walk_look_at_list(struct walk *walk, const struct statement *first)
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
