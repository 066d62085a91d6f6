/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of the user's own algorithms, each once, however often and by whatever name it was named.
 */
#ifndef COLLC_STUDY_FORECAST_OWN_FILES_H
#define COLLC_STUDY_FORECAST_OWN_FILES_H

#include "base/diagnostic.h"

struct own_file {
    const char *path; /* of several the one that the user named; else called by its algorithm; else no link */
    bool is_named;    /* itself, and not only by its folder */
};

struct own_files {
    const struct own_file *items; /* in the order in which they were named */
    size_t n;
};

/* Finds the files that the names stand for: of a folder all .coll files, at any depth. Returns false after
 * reporting a folder that cannot be read, or has none. The arena owns the files. */
bool own_files_find(const char *const *names, size_t n, struct own_files *files, struct arena *arena,
                    struct diagnostics *diagnostics);

#endif
