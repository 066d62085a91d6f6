/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages as the protocol frames them: header lines, an empty line, and as many bytes of content as
 * the header `Content-Length` says.
 */
#ifndef COLLC_COMPILER_LSP_MESSAGE_H
#define COLLC_COMPILER_LSP_MESSAGE_H

#include "base/memory.h"

#include <jansson.h>
#include <stdio.h>

/* An algorithm is at most 1 MiB, of which JSON makes six at worst. */
enum { MESSAGE_MAX_BYTES = 8 << 20 };

enum message_state {
    MESSAGE_READ,
    MESSAGE_WRONG, /* faulty message; the next one can be read all the same */
    MESSAGE_END    /* end of the input, perhaps in the middle of a message */
};
/* Reads the content of the next message. WRONG: `problem` has the reason, and the content is skipped where
 * its length is known; else the reader looks for the next header. */
enum message_state message_read(FILE *in, struct text *content, const char **problem);
/* Returns a string of any bytes: those that are no UTF-8 become '?'. */
json_t *message_string(const char *words);
/* Writes a message and flushes; false if that failed. */
bool message_write(FILE *out, const json_t *message);

#endif
