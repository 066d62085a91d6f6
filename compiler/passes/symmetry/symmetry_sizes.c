/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that the sizes of chunks of `tmp` are shifted with them, where counts may be unequal: if chunk c
 * of rank r is as large as the datum d, is the chunk to which a shift takes c, of the rank to which it
 * takes r, as large as that to which it takes d? Then a datum that fits where it is put (R008) fits on all
 * ranks.
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

/* The number of a chunk of `tmp` where these stay, or are one cell of blocks of one chunk, so that it is
 * the coordinate by which they are shifted, or comes round the end. */
static bool find_number(struct walk *walk, struct shape *number)
{
    const struct symmetry *symmetry = walk->symmetry;
    const struct zone *zone = &symmetry->zones[BUFFER_TMP][0];
    const uint32_t n_zones = symmetry->n_zones[BUFFER_TMP], n_tmp = walk->binding->n_tmp;
    if (n_zones == 0) {
        *number = shape_within(0, n_tmp, n_tmp);
        return true;
    }
    *number = shape_of_coordinate(walk, 0);
    number->modulus = 0;
    return n_zones == 1 && zone->first == 0 && zone->end == n_tmp && zone->block == 1 &&
           zone->n == 1 && zone->cell == n_tmp;
}

/* True if an expression has no coordinate in it: for any chunk of tmp, it is the same on all ranks. */
static bool is_of_no_rank(const struct program *program, const struct expr *expr)
{
    if (!expr)
        return true;
    const bool is_fixed = expr->kind != EXPR_VARIABLE || expr->variable == program->tmp_index ||
                          program->variables[expr->variable].is_uniform;
    return is_fixed && is_of_no_rank(program, expr->a) && is_of_no_rank(program, expr->b) &&
           is_of_no_rank(program, expr->c);
}

/* True if the sizes of tmp's chunks are given by the same blocks on all ranks. With equal blocks only the
 * segment matters, and the expansion compares those of blocks that are shifted to one another. */
static bool has_like_sizes(const struct program *program)
{
    const struct chunks *like = &program->tmp_like;
    bool is_like = !collective_has(program->collective, BUFFER_BUF) && is_of_no_rank(program, like->segment);
    for (uint32_t i = 0; i < like->n; i++)
        is_like = is_like && is_of_no_rank(program, like->index[i]);
    return is_like;
}

bool symmetry_has_shifted_sizes(struct walk *walk)
{
    const struct program *program = walk->program;
    const struct chunks *like = &program->tmp_like;
    struct shape number;
    if (!program->like.line || (program->form == FORM_EQUAL && walk->binding->segments == 1))
        return true;
    if (program->form == FORM_EQUAL)
        return has_like_sizes(program);
    if (program->tmp_like_rank.n || collective_at_root(program->collective, like->buffer) ||
        walk->way != BY_COORDINATES || program->n_coordinates != 1 || walk->symmetry->n_orbits != 1 ||
        walk->binding->segments != 1 || !collective_is_by_rank(program->collective, like->buffer) ||
        like->n != 1 || like->segment || !find_number(walk, &number))
        return false;
    if (program->tmp_index != UINT32_MAX)
        walk->shapes[program->tmp_index] = number;
    const struct shape block = shape_of(walk, like->index[0]);
    return shape_follows(walk, &block, 0);
}
