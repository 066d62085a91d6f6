/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of message sizes.
 */
#ifndef COLLC_STUDY_SIZES_H
#define COLLC_STUDY_SIZES_H

#include "base/text/units.h"

enum { SIZES_MAX = 256 };

/* Message sizes: ascending, all different. */
struct size_list {
    uint64_t *items;
    size_t n;
};

/* Parses "64,1KiB" or "8..4MiB" (8, 16, 32 ... up to the end) and adds the sizes to the list. Returns
 * VALUE_RANGE if one is too large; VALUE_SYNTAX if the text is no list of sizes, or of more than
 * SIZES_MAX. */
enum value_result sizes_parse(const char *text, struct size_list *sizes, struct arena *arena);

#endif
