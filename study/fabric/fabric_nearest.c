/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares a network with the shapes that it may have been meant to be. See fabric_nearest.h.
 */
#include "study/fabric/fabric_nearest.h"
#include "network/guess.h"
#include "network/plan.h"

enum { LEAST_CABLES = 16 };

/* Returns the number of cables and nodes that differ. */
static uint64_t amount_of(const struct fabric_changes *changes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < changes->n; i++)
        n += changes->items[i].n ? changes->items[i].n : 1;
    return n;
}

/* Keeps the comparison with a shape, which it owns from now on, if that differs less than the one before. */
static void take_nearer(const struct wiring *wiring, struct topology *shape, struct topology **best,
                        struct fabric_changes *changes)
{
    const struct topology *seen = wiring->topology;
    const uint32_t n_hosts = plan_hosts(shape, seen);
    const uint64_t n_cables = shape->n_links / 2 + (uint64_t)n_hosts * shape->n_nodes;
    const uint64_t difference =
        n_cables > wiring->n_cables ? n_cables - wiring->n_cables : wiring->n_cables - n_cables;
    if (GUESS_TOLERANCE * difference > wiring->n_cables) {
        topology_free(shape);
        return;
    }
    struct fabric_changes found = fabric_compare(shape, seen);
    if (GUESS_TOLERANCE * amount_of(&found) > wiring->n_cables ||
        (*best && amount_of(&found) >= amount_of(changes))) {
        fabric_changes_free(&found);
        topology_free(shape);
        return;
    }
    if (*best) {
        fabric_changes_free(changes);
        topology_free(*best);
    }
    *best = shape;
    *changes = found;
}

bool fabric_nearest(const struct topology *seen, struct topology **shape, struct fabric_changes *changes)
{
    *shape = NULL;
    if (!guess_is_possible(seen))
        return false;
    struct wiring wiring = wiring_of(seen);
    const bool is_large = wiring.n_cables >= LEAST_CABLES;
    struct topology *guesses[GUESS_MAX_GRIDS], *tree = is_large ? guess_tree(&wiring) : NULL;
    uint32_t n_grids = 0;
    if (tree)
        take_nearer(&wiring, tree, shape, changes);
    if (!*shape && is_large)
        n_grids = guess_grids(&wiring, guesses);
    for (uint32_t i = 0; i < n_grids; i++)
        take_nearer(&wiring, guesses[i], shape, changes);
    wiring_free(&wiring);
    if (*shape && !changes->n) {
        fabric_changes_free(changes);
        topology_free(*shape);
        return false;
    }
    return *shape != NULL;
}
