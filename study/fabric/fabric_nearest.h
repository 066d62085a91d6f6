/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regular shape that an explicit network was meant to be, if a few of its cables are wrong.
 */
#ifndef COLLC_STUDY_FABRIC_FABRIC_NEAREST_H
#define COLLC_STUDY_FABRIC_FABRIC_NEAREST_H

#include "study/fabric/fabric_changes.h"

/* Compares the network with the nearest shape: *shape, to be released with topology_free after
 * fabric_changes_free(changes). A tree has the children and parents that most switches of each level have; of
 * meshes and tori those are tried that have as many switches and nearly as many cables at each. False, with
 * nothing to release, if no shape differs in at most one cable of eight, if nothing differs, if the network
 * has fewer than 16 cables or is no graph. O(cables log cables) and a few calls of fabric_align. */
bool fabric_nearest(const struct topology *seen, struct topology **shape, struct fabric_changes *changes);

#endif
