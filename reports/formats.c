/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writers of reports/formats.def by name. See check.h.
 */
#include "reports/check.h"

#include <string.h>

static const struct check_format formats[] = {
#define REPORT(name, title) {#name, check_##name, false},
#define FINDINGS(name, title) {#name, check_##name, true},
#include "reports/formats.def"
};

const struct check_format *check_format_find(const char *name)
{
    size_t i = 0;
    while (name && i + 1 < sizeof formats / sizeof *formats && strcmp(formats[i].name, name) != 0)
        i++;
    return &formats[i];
}
