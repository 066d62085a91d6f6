/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the paths of files in their repository, by which forges know them.
 */
#ifndef COLLC_STUDY_PROJECT_REPOSITORY_H
#define COLLC_STUDY_PROJECT_REPOSITORY_H

#include "base/memory.h"

/* Appends the path of a folder from the root of its repository, the nearest folder above it (or itself)
 * with a `.git`; without one, from `start`. Both must be absolute and without symbolic links. The path is
 * "" or "perf/"; "../" leads up if `start` is below. */
void repository_way(const char *folder, const char *start, struct text *out);
/* Appends the path of a file from a folder on, "../base"; both must be absolute and without symbolic
 * links. */
void repository_relative(const char *folder, const char *path, struct text *out);
/* Appends the path of a file that is `path` from the folder at the end of `way`, without "." and "..",
 * except those that lead above the root. */
void repository_path(const char *way, const char *path, struct text *out);

#endif
