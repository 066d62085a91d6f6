/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where files are in the repository that they belong to: forges know them by their paths from its root.
 */
#ifndef COLLC_STUDY_PROJECT_REPOSITORY_H
#define COLLC_STUDY_PROJECT_REPOSITORY_H

#include "base/memory.h"

/* Appends the way to a folder from the root of its repository, the nearest folder above it (or itself) with
 * a `.git`; where there is none, from `start`. Both are absolute and without symbolic links. "" or "perf/";
 * "../" leads up where `start` is below. */
void repository_way(const char *folder, const char *start, struct text *out);
/* Appends the path of a file from a folder on, "../base"; both are absolute and without symbolic links. */
void repository_relative(const char *folder, const char *path, struct text *out);
/* Appends the path of a file that is `path` from the folder at the end of the way, without "." and "..",
 * where these do not lead above the root. */
void repository_path(const char *way, const char *path, struct text *out);

#endif
