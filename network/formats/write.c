/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the formats that collc writes.
 */
#include "network/formats/formats.h"

#include <string.h>

static const struct {
    const char *spelling;
    const struct topology_format *format;
} writers[] = {
#define WRITES(name, spelling, title) {spelling, &name##_format},
#include "network/formats/formats.def"
};

topology_writer *topology_writer_find(const char *spelling)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (strcmp(writers[i].spelling, spelling) == 0)
            return writers[i].format->write;
    return NULL;
}
