/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See loaders.h.
 */
#include "tables/loaders.h"

#include <string.h>

#define TARGET(name, spelling, title) extern const struct table_loader name##_loader;
#include "tables/loaders.def"

const struct table_loader *const table_loaders[] = {
#define TARGET(name, spelling, title) &name##_loader,
#include "tables/loaders.def"
};
const size_t n_table_loaders = sizeof table_loaders / sizeof *table_loaders;

const struct table_loader *table_loader_find(const char *target)
{
    for (size_t i = 0; i < n_table_loaders; i++)
        if (strcmp(table_loaders[i]->target, target) == 0)
            return table_loaders[i];
    return NULL;
}
