/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the forms in which a topology can be written.
 */
#include "network/formats/write.h"

#include <string.h>

static const struct topology_target targets[] = {
#define TARGET(name, spelling, title) {spelling, title, write_topology_##name},
#include "network/formats/targets.def"
};

const struct topology_target *topology_target_find(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}
