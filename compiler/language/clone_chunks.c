/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chunks and ranks of an algorithm that runs, as chunks and ranks here.
 */
#include "compiler/language/inline.h"

#include "base/codes.h"

/* Returns a rank's number in the group, as the algorithm counts it, as a coordinate here: cyclic. */
static struct expr *coordinate_of(struct instance *instance, struct expr *number)
{
    return instance->root && instance->algorithm->from_root
               ? term_sum(instance->inliner, number, instance->root, 0)
               : number;
}

void clone_target(struct instance *instance, const struct target *from, struct target *to)
{
    struct inliner *inliner = instance->inliner;
    const struct program *program = inliner->program;
    *to = (struct target){.n = from->n ? program->n_coordinates : 0, .position = from->position};
    if (from->n == 0)
        return;
    to->coordinates = arena_alloc(program->arena, to->n, sizeof *to->coordinates);
    for (uint32_t i = 0; i < to->n; i++)
        to->coordinates[i] =
            expr_new_variable(inliner, program->coordinate[i], instance->run->position);
    to->coordinates[instance->run->coordinate] =
        coordinate_of(instance, clone_expr(instance, from->coordinates[0]));
}

static bool clone_chunks_is_by_rank(const struct instance *instance, enum buffer buffer)
{
    return collective_is_by_rank(instance->run->collective, buffer);
}

/* Returns a chunk by rank: from 0 to p - 1. */
static struct expr *within(struct instance *instance, struct expr *number)
{
    number = coordinate_of(instance, number);
    if (number->kind == EXPR_INTEGER ||
        (number->kind == EXPR_VARIABLE && number->variable == instance->rank->variable))
        return number;
    return expr_new_operation(instance->inliner, EXPR_MOD, number, instance->extent);
}

/* --- a chunk for a chunk ------------------------------------------------ */

struct replacement {
    struct inliner *inliner;
    uint32_t variable;
    struct expr *value;
    uint32_t n_nodes; /* of the value */
};

static struct expr *clone_chunks_replace(const struct replacement *by, struct expr *expr)
{
    if (!expr || (expr->kind == EXPR_VARIABLE && expr->variable != by->variable) ||
        expr->kind == EXPR_INTEGER)
        return expr;
    if (inliner_is_full(by->inliner))
        return expr;
    if (expr->kind == EXPR_VARIABLE) { /* shared here, but whoever walks the tree meets it again */
        expr_count_nodes(by->inliner, by->n_nodes, expr->position);
        return by->value;
    }
    struct expr *a = clone_chunks_replace(by, expr->a), *b = clone_chunks_replace(by, expr->b),
                *c = clone_chunks_replace(by, expr->c);
    if (a == expr->a && b == expr->b && c == expr->c)
        return expr;
    struct expr *copy = expr_new_operation(by->inliner, expr->kind, a, b);
    copy->c = c;
    copy->position = expr->position;
    return copy;
}

static void map_chunk(struct instance *instance, const struct area *area, struct expr *number,
                      struct chunks *to)
{
    const struct chunks *chunks = &area->map->chunks;
    const struct replacement by = {instance->inliner, area->map->variable, number,
                                   expr_n_nodes(number)};
    *to = *chunks;
    to->index = arena_alloc(instance->inliner->program->arena, chunks->n, sizeof *to->index);
    for (uint32_t i = 0; i < chunks->n; i++)
        to->index[i] = clone_chunks_replace(&by, chunks->index[i]);
    to->last = clone_chunks_replace(&by, chunks->last);
}

static struct expr *replaced(struct instance *instance, const struct area *area,
                             struct expr *number, struct expr *expr)
{
    const struct replacement by = {instance->inliner, area->map->variable, number,
                                   expr_n_nodes(number)};
    return clone_chunks_replace(&by, expr);
}

struct expr *map_first(struct instance *instance, const struct area *area, struct expr *number)
{
    return replaced(instance, area, number, area->map->chunks.index[0]);
}

/* Returns the chunk of ours behind the last one of that number. */
static struct expr *map_end(struct instance *instance, const struct area *area, struct expr *number)
{
    const struct chunks *chunks = &area->map->chunks;
    struct expr *last = chunks->last ? chunks->last : chunks->index[0];
    return term_sum(instance->inliner, replaced(instance, area, number, last), NULL, 1);
}

bool is_map_in_row(struct instance *instance, const struct area *area)
{
    struct inliner *inliner = instance->inliner;
    if (!area->map || area->map->chunks.n != 1 || area->map->variable == NO_VARIABLE)
        return false;
    struct expr *here = expr_new_variable(inliner, area->map->variable, area->map->position);
    struct expr *one = expr_new_integer(inliner, 1, area->map->position);
    struct expr *next = expr_new_operation(inliner, EXPR_ADD, here, one);
    return expr_is_integer(term_difference(inliner, map_first(instance, area, next),
                                           map_end(instance, area, here), 0), 0);
}

static void report_apart(struct instance *instance, struct area *area, enum buffer buffer)
{
    struct diagnostics *diagnostics = instance->inliner->diagnostics;
    const char *name = buffer_name[buffer];
    if (area->is_reported)
        return;
    area->is_reported = true;
    report(diagnostics, CODE_E005, instance->run->position,
           "'%s' names several chunks of '%s' at once, but here they lie apart",
           instance->algorithm->name, name)
        ->help = diagnostics_text(diagnostics, "give it chunks in a row, '%s = tmp[a .. b]', and copy",
                                  name);
}

/* All chunks from one number to another. */
static void map_range(struct instance *instance, const struct area *area, struct expr *first,
                      struct expr *last, struct chunks *to)
{
    struct inliner *inliner = instance->inliner;
    to->n = 1;
    to->index = arena_alloc(inliner->program->arena, 1, sizeof *to->index);
    to->index[0] = map_first(instance, area, first);
    to->last = term_sum(inliner, map_end(instance, area, last), NULL, -1);
}

/* Its chunks are in places of their own here, so it can name several only if those are in a
 * row. */
static void clone_mapped(struct instance *instance, struct area *area,
                         const struct chunks *from, struct chunks *to)
{
    struct inliner *inliner = instance->inliner;
    const bool is_whole = from->n == 0;
    if (from->last || from->last_segment || (is_whole && !expr_is_integer(area->parts, 1))) {
        if (from->last_segment || !is_map_in_row(instance, area))
            report_apart(instance, area, from->buffer);
        else if (is_whole)
            map_range(instance, area, expr_new_integer(inliner, 0, instance->run->position),
                      term_sum(inliner, area->parts, NULL, -1), to);
        else
            map_range(instance, area, clone_expr(instance, from->index[0]),
                      clone_expr(instance, from->last), to);
        return;
    }
    struct expr *number = is_whole ? expr_new_integer(inliner, 0, instance->run->position)
                                   : clone_expr(instance, from->index[0]);
    if (clone_chunks_is_by_rank(instance, from->buffer))
        number = within(instance, number);
    map_chunk(instance, area, number, to);
}

/* --- a row for a row ---------------------------------------------------- */

/* first + number * width */
static struct expr *clone_chunks_place_of(struct instance *instance, const struct area *area,
                                          struct expr *number, int64_t constant)
{
    struct inliner *inliner = instance->inliner;
    return term_sum(inliner, area->first, term_product(inliner, number, area->width), constant);
}

/* Returns the number behind the last chunk of those that are named, `first` of them by rank or number; NULL:
 * it is one, whole or a segment. */
static struct expr *clone_chunks_end_of(struct instance *instance, const struct chunks *from,
                                        struct expr *first)
{
    struct inliner *inliner = instance->inliner;
    const bool by_rank = clone_chunks_is_by_rank(instance, from->buffer);
    if (from->last && by_rank)
        return term_product(inliner, term_sum(inliner, clone_expr(instance, from->last), NULL, 1),
                            instance->segments);
    if (from->last)
        return term_sum(inliner, clone_expr(instance, from->last), NULL, 1);
    return from->last_segment ? term_sum(inliner, term_product(inliner, first, instance->segments),
                                         clone_expr(instance, from->last_segment), 1)
                              : NULL;
}

static void clone_row(struct instance *instance, const struct area *area,
                      const struct chunks *from, struct chunks *to)
{
    struct inliner *inliner = instance->inliner;
    const bool by_rank = clone_chunks_is_by_rank(instance, from->buffer);
    struct expr *first = clone_expr(instance, from->index[0]), *width = area->width;
    if (!from->last && by_rank)
        first = within(instance, first);
    struct expr *end = clone_chunks_end_of(instance, from, first);
    if (by_rank)
        first = term_product(inliner, first, instance->segments);
    if (from->segment)
        first = term_sum(inliner, first, clone_expr(instance, from->segment), 0);
    else if (by_rank)
        width = term_product(inliner, width, instance->segments);
    to->n = 1;
    to->index = arena_alloc(inliner->program->arena, 1, sizeof *to->index);
    to->index[0] = clone_chunks_place_of(instance, area, first, 0);
    if (end)
        to->last = clone_chunks_place_of(instance, area, end, -1);
    else if (!expr_is_integer(width, 1))
        to->last = term_sum(inliner, to->index[0], width, -1);
}

static void clone_whole(struct instance *instance, const struct area *area, struct chunks *to)
{
    struct inliner *inliner = instance->inliner;
    to->n = 1;
    to->index = arena_alloc(inliner->program->arena, 1, sizeof *to->index);
    to->index[0] = area->first;
    if (!expr_is_integer(area->n, 1))
        to->last = term_sum(inliner, area->first, area->n, -1);
}

/* --- tmp with chunks as large as those of a map -------------------------- */

/* Returns the chunks of ours from the first one of the map to the one with that number, cyclic. */
static struct expr *distance_to(struct instance *instance, const struct area *area,
                                struct expr *number)
{
    struct inliner *inliner = instance->inliner;
    number = coordinate_of(instance, number);
    if (expr_is_integer(number, 0) ||
        (number->kind == EXPR_VARIABLE && number->variable == instance->rank->variable))
        return map_first(instance, area->like, number);
    struct expr *turns = expr_new_operation(inliner, EXPR_DIV, number, instance->extent);
    struct expr *rest = expr_new_operation(inliner, EXPR_MOD, number, instance->extent);
    return term_sum(inliner, map_first(instance, area->like, rest), term_product(inliner, turns, area->n), 0);
}

static struct expr *place_in_tmp(struct instance *instance, const struct area *area,
                                 struct expr *number)
{
    struct inliner *inliner = instance->inliner;
    struct expr *start = clone_expr(instance, area->start);
    struct expr *behind = term_difference(inliner,
                                          distance_to(instance, area, term_sum(inliner, start, number, 0)),
                                          distance_to(instance, area, start), 0);
    return term_sum(inliner, area->first, behind, 0);
}

static void clone_like(struct instance *instance, const struct area *area,
                       const struct chunks *from, struct chunks *to)
{
    struct inliner *inliner = instance->inliner;
    struct expr *first = clone_expr(instance, from->index[0]);
    struct expr *end = term_sum(inliner, from->last ? clone_expr(instance, from->last) : first, NULL, 1);
    to->n = 1;
    to->index = arena_alloc(inliner->program->arena, 1, sizeof *to->index);
    to->index[0] = place_in_tmp(instance, area, first);
    to->last = term_sum(inliner, place_in_tmp(instance, area, end), NULL, -1);
}

/* Numbers of ranks from another root than the first wrap around within a range. */
static bool wraps(const struct instance *instance, const struct chunks *from)
{
    return from->last && clone_chunks_is_by_rank(instance, from->buffer) && instance->root &&
           instance->algorithm->from_root;
}

void clone_chunks(struct instance *instance, const struct chunks *from, struct chunks *to)
{
    struct area *area = from->buffer == N_BUFFERS ? NULL : &instance->areas[from->buffer];
    *to = (struct chunks){.buffer = N_BUFFERS, .position = from->position};
    if (!area || area->buffer == N_BUFFERS)
        return;
    to->buffer = area->buffer;
    if (wraps(instance, from) && area->is_reported)
        return;
    if (wraps(instance, from)) {
        area->is_reported = true;
        report(instance->inliner->diagnostics, CODE_E005, instance->run->position,
               "'%s' names chunks of a range of ranks, counted from another root than 0",
               instance->algorithm->name)
            ->help = "let it count from 0, or choose an algorithm that names single ranks";
    } else if (area->map)
        clone_mapped(instance, area, from, to);
    else if (from->n == 0)
        clone_whole(instance, area, to);
    else if (area->like)
        clone_like(instance, area, from, to);
    else
        clone_row(instance, area, from, to);
}
