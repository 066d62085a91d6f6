/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contents of planes of scratch (ir/planes.h): those of a plane are lost once another one of its area is
 * written.
 */
#ifndef COLLC_VERIFY_SYMMETRY_SCRATCH_H
#define COLLC_VERIFY_SYMMETRY_SCRATCH_H

#include "ir/symmetry.h"
#include "verify/data.h"

struct scratch {
    const struct symmetry *symmetry;
    uint8_t *held;             /* [orbit * ZONES_MAX + area] the plane that was written last */
    bool is_turned;            /* something was lost */
};

void scratch_init(struct scratch *scratch, const struct symmetry *symmetry);
void scratch_free(struct scratch *scratch);

/* Makes a representative, before it writes n chunks, forget what other planes of their areas hold. */
void scratch_forget(struct scratch *scratch, struct data *data, uint32_t rank, uint8_t buffer,
                    uint32_t chunk);

#endif
