/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells by its content for which command a file is: for a first project file, and for help where a file
 * stands in the place of another.
 */
#ifndef COLLC_STUDY_KNOWN_FILE_H
#define COLLC_STUDY_KNOWN_FILE_H

#include "tables/loaders.h"

enum known_kind {
    KNOWN_NOTHING,
    KNOWN_PROJECT,
    KNOWN_NETWORK,
    KNOWN_ROUTES,    /* and other dumps of a subnet that tell no cables */
    KNOWN_SCHEDULE,  /* of any tool: also a log of NCCL, or traffic */
    KNOWN_ALGORITHM,
    KNOWN_TABLE,     /* rules, or settings of an MPI or CCL */
    KNOWN_SCRIPT,    /* without such settings */
    KNOWN_TIMES,
    KNOWN_HOSTS
};

struct known_file {
    enum known_kind kind;
    const char *help;          /* what it is, and which command or option takes it; NULL for nothing */
    bool names_hosts;          /* of a schedule: it may name the hosts of its ranks */
    const struct table *table; /* of a table: as the first target that takes it reads it; else NULL */
};

/* Returns what a file is; strings and the table are in the arena. O(file), and a table is read. */
struct known_file known_file_of(const struct source *source, struct arena *arena);
/* Gives errors at a file that is not what its reader expects the help of what it is. */
void known_file_help(struct diagnostics *diagnostics);

#endif
