/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many names in one word, n[001-016,020],login, as Slurm writes them.
 */
#ifndef COLLC_BASE_TEXT_HOSTLIST_WRITE_H
#define COLLC_BASE_TEXT_HOSTLIST_WRITE_H

#include "base/memory.h"

/* Incomplete list; zero-initialise. Names keep their order. */
struct hostlist_writer {
    struct text *out;
    struct text prefix;  /* of the open bracket */
    uint64_t first, last; /* the run in it */
    uint32_t width;      /* digits of `first` as written */
    bool has_names, is_open, has_ranges;
};

/* Appends a name; false, with nothing done, if it has a character with a meaning in a list: blank, comma,
 * bracket, asterisk, quote, control character. */
bool hostlist_write(struct hostlist_writer *writer, const char *name);
/* Writes the rest. Call it once at the end, also after a failure. */
void hostlist_write_end(struct hostlist_writer *writer);

#endif
