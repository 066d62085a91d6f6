/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shifted_steps.h.
 */
#include "ir/shifted_steps.h"

#include <stdlib.h>

static const char DIFFERENT[] = "the operations of ranks differ by more than a shift";

void shifted_steps_init(struct shifted_steps *steps, const struct symmetry *symmetry)
{
    *steps = (struct shifted_steps){.symmetry = symmetry};
    planes_init(&steps->planes, symmetry);
}

void shifted_steps_free(struct shifted_steps *steps)
{
    planes_free(&steps->planes);
    rotated_room_free(&steps->rotated);
    free(steps->ops);
}

/* Checks that the operations of the witnesses are those of the representatives, shifted. Returns the reason
 * if not, else NULL. */
static const char *shifted_steps_look_at(struct shifted_steps *steps, const struct op *own,
                                         const size_t *begin)
{
    const struct symmetry *symmetry = steps->symmetry;
    if (!shifted_is_witnessed(symmetry, own, begin, &steps->rotated))
        return DIFFERENT;
    for (size_t i = 0; i < begin[symmetry->n_orbits]; i++)
        if (!shifted_is_whole(symmetry, &own[i]))
            return "a range of chunks goes over several blocks";
    return NULL;
}

/* Room for the operations of a step, with those of the other witnesses. */
static void shifted_steps_make_room(struct shifted_steps *steps, const struct step *step)
{
    const size_t n = step->n_sends + step->n_receives + step->n_copies + 1;
    if (n <= steps->capacity)
        return;
    steps->capacity = n + n / 4;
    steps->ops = mem_resize(steps->ops, steps->capacity, sizeof *steps->ops);
}

const char *shifted_steps_take(struct shifted_steps *steps, const struct step *step, struct step *own)
{
    shifted_steps_make_room(steps, step);
    const uint32_t n_orbits = steps->symmetry->n_orbits;
    struct op *sends = steps->ops, *receives = sends + step->n_sends, *copies = receives + step->n_receives;
    size_t(*begin)[ORBITS_MAX + 1] = steps->begin;
    if (!shifted_take(steps->symmetry, step->sends, step->n_sends, sends, begin[0]) ||
        !shifted_take(steps->symmetry, step->receives, step->n_receives, receives, begin[1]) ||
        !shifted_take(steps->symmetry, step->copies, step->n_copies, copies, begin[2]))
        return DIFFERENT;
    *own = (struct step){.index = step->index,
                         .sends = sends,
                         .n_sends = begin[0][n_orbits],
                         .receives = receives,
                         .n_receives = begin[1][n_orbits],
                         .copies = copies,
                         .n_copies = begin[2][n_orbits]};
    if (!planes_name_copies(&steps->planes, copies, begin[2]) ||
        !planes_name_messages(&steps->planes, sends, begin[0], receives, begin[1]))
        return "the same scratch follows the rank in one place, and does not in another";
    const char *reason = shifted_steps_look_at(steps, sends, begin[0]);
    reason = reason ? reason : shifted_steps_look_at(steps, receives, begin[1]);
    return reason ? reason : shifted_steps_look_at(steps, copies, begin[2]);
}
