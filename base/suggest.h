/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "Did you mean": the word nearest to one that nobody knows.
 */
#ifndef COLLC_BASE_SUGGEST_H
#define COLLC_BASE_SUGGEST_H

#include "base/memory.h"

/* Returns the edit distance (insertions, deletions and substitutions of a byte, and swaps of two neighbours;
 * letters of either case are one) from the `length` bytes at `text` to `candidate`, if it is that of a slip:
 * a third of the longer word at most. SIZE_MAX if it is more, or if a word is shorter than 2 or longer than
 * 64 bytes. */
size_t slip_distance(const char *text, size_t length, const char *candidate);

/* Returns the candidate at the least such distance, the first of several, or NULL. Words that the text lacks
 * ("coll_bcast_size" of "coll_bcast_segment_size"), if it has two others at least, count 1 each. Candidates may be NULL. */
const char *nearest(const char *text, size_t length, const char *const *candidates, size_t n);

/* Returns the path of the file, in the folder that `path` says, whose name is nearest, in the arena; NULL:
 * none is, or the folder has more than 4096. Reads the folder. */
const char *nearest_file(const char *path, struct arena *arena);

/* "did you mean 'NEAR'?", or `otherwise` if `near` is NULL: for the help of a diagnostic. */
const char *did_you_mean(struct arena *arena, const char *near, const char *otherwise);

#endif
