/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether what chunks of `tmp` are as large as is shifted with them, where counts may be unequal: if chunk c
 * of rank r is as large as the datum d, is the chunk to which a shift takes c, of the rank to which it
 * takes r, as large as that to which it takes d? Then a datum that fits where it is put (R008) fits on all
 * ranks.
 */
#include "compiler/passes/symmetry_internal.h"

/* The number of a chunk of `tmp` where these stay, or are one cell of blocks of one chunk, so that it is
 * the coordinate by which they are shifted. */
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
    return n_zones == 1 && zone->first == 0 && zone->end == n_tmp && zone->block == 1 &&
           zone->n == 1 && zone->cell == n_tmp;
}

bool symmetry_has_shifted_sizes(struct walk *walk)
{
    const struct program *program = walk->program;
    const struct chunks *like = &program->tmp_like;
    struct shape number;
    if (!program->like.line || (program->form == FORM_EQUAL && walk->binding->segments == 1))
        return true;
    if (walk->way != BY_COORDINATES || program->n_coordinates != 1 || walk->symmetry->n_orbits != 1 ||
        walk->binding->segments != 1 || !collective_is_by_rank(program->collective, like->buffer) ||
        like->n != 1 || like->segment || !find_number(walk, &number))
        return false;
    if (program->tmp_index != UINT32_MAX)
        walk->shapes[program->tmp_index] = number;
    const struct shape block = shape_of(walk, like->index[0]);
    return shape_follows(walk, &block, 0);
}
