/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See seen.h. Memory O(flows of a step). Where the first steps are all unlike, as in most all-to-alls, it is
 * given up: the copies would cost more than they save.
 */
#include "measure/seen.h"

#include <stdlib.h>
#include <string.h>

enum { ENOUGH_UNLIKE = 32 };

/* Compares networks too; of several nothing is remembered, as messages are counted on each. */
static bool has_flows(const struct seen_step *step, const struct flows *flows)
{
    uint64_t differ = step->n != flows->n;
    for (size_t i = 0; !differ && i < flows->n; i++) {
        const struct flow *a = &step->flows[i], *b = &flows->flows[i];
        differ = (a->source ^ b->source) | (a->destination ^ b->destination) |
                 (a->n_messages ^ b->n_messages) | (a->n_chunks ^ b->n_chunks) | (a->network ^ b->network);
    }
    return !differ;
}

struct seen_step *seen_find(struct seen *seen, const struct flows *flows)
{
    if (seen->is_off)
        return NULL;
    seen->n_looked++;
    for (int i = 0; i < SEEN_STEPS; i++) {
        struct seen_step *step = &seen->steps[i];
        if (!step->last || !has_flows(step, flows))
            continue;
        step->last = seen->n_looked;
        seen->n_met++;
        return step;
    }
    seen->is_off = seen->n_looked >= ENOUGH_UNLIKE && seen->n_met < seen->n_looked / 4;
    return NULL;
}

struct seen_step *seen_place(struct seen *seen)
{
    struct seen_step *oldest = &seen->steps[0];
    for (int i = 1; i < SEEN_STEPS; i++)
        if (seen->steps[i].last < oldest->last)
            oldest = &seen->steps[i];
    return seen->is_off ? NULL : oldest;
}

void seen_keep(struct seen *seen, struct seen_step *place, const struct flows *flows,
               const struct step_figures *figures)
{
    place->flows = mem_grow(place->flows, &place->capacity, flows->n + 1, sizeof *place->flows);
    memcpy(place->flows, flows->flows, flows->n * sizeof *place->flows);
    place->n = flows->n;
    place->last = seen->n_looked;
    place->n_more = 0;
    place->figures = *figures;
}

void seen_free(struct seen *seen)
{
    for (int i = 0; i < SEEN_STEPS; i++)
        free(seen->steps[i].flows);
}
