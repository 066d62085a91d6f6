/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See scratch.h.
 */
#include "verify/symmetry/scratch.h"

#include <stdlib.h>

void scratch_init(struct scratch *scratch, const struct symmetry *symmetry)
{
    *scratch = (struct scratch){.symmetry = symmetry};
    if (symmetry->n_areas)
        scratch->held = mem_alloc(symmetry->n_orbits, ZONES_MAX);
}

void scratch_free(struct scratch *scratch)
{
    free(scratch->held);
}

void scratch_forget(struct scratch *scratch, struct data *data, uint32_t rank, uint8_t buffer, uint32_t chunk)
{
    const struct symmetry *symmetry = scratch->symmetry;
    const uint32_t i = buffer == BUFFER_TMP ? symmetry_area(symmetry, chunk) : symmetry->n_areas;
    if (i == symmetry->n_areas)
        return;
    const uint32_t plane = symmetry_plane(symmetry, BUFFER_TMP, chunk) / symmetry->plane;
    uint8_t *held = &scratch->held[symmetry_orbit(symmetry, rank) * ZONES_MAX + i];
    if (*held == plane)
        return;
    chunk_map_clear(&data->maps[BUFFER_TMP][rank], symmetry->areas[i].first + *held * symmetry->plane,
                    symmetry->areas[i].end - symmetry->areas[i].first);
    *held = (uint8_t)plane;
    scratch->is_turned = true;
}
