/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recognises messages that the tools of a subnet mix into their output.
 */
#ifndef COLLC_NETWORK_FORMATS_INFINIBAND_MESSAGES_H
#define COLLC_NETWORK_FORMATS_INFINIBAND_MESSAGES_H

#include "base/text/lines.h"

/* True if the rest of the line is a message: "ibwarn: ...", or with the program's path before it, as
 * libibumad prints it: "/usr/sbin/ibroute: iberror: ...". */
static inline bool infiniband_is_message(const struct lines *lines)
{
    static const char *const words[] = {"iberror:", "ibwarn:", "ibpanic:"};
    struct lines rest = *lines;
    struct slice program = lines_take_word(&rest);
    lines_skip_blanks(&rest);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_starts(program, words[i]) ||
            (program.length && program.text[program.length - 1] == ':' &&
             lines_starts(&rest, words[i])))
            return true;
    return false;
}

#endif
