/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files built into the executable: compiler/algorithms/COLLECTIVE/NAME.coll and
 * docs/codes/ID.md, under those paths, sorted by path.
 */
#ifndef COLLC_BASE_EMBEDDED_H
#define COLLC_BASE_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *path; /* "compiler/algorithms/alltoall/ring.coll" */
    const char *text;
    size_t length;
};
extern const struct embedded_file embedded_files[];
extern const size_t n_embedded_files;

#endif
