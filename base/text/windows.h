/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A large file, read a window of whole lines at a time: only one window is in memory. The text of
 * a window goes with the next one; what reports on a line of it keeps that line (struct
 * lines, is_passing).
 */
#ifndef COLLC_BASE_TEXT_WINDOWS_H
#define COLLC_BASE_TEXT_WINDOWS_H

#include "base/diagnostic.h"

#include <stdio.h>

struct windows {
    FILE *file;
    struct diagnostics *diagnostics;
    struct source *window;
    char *buffer;
    size_t capacity, held; /* bytes in the buffer: the window and the start of a line */
    char behind;           /* character in the place of the window's NUL */
    size_t limit, n_read;
    uint32_t next_line;
    bool failed;
};

/* Opens the file for windows_next. False after reporting I001, I002. A file of more than `limit`
 * bytes is refused. Close it either way. */
bool windows_open(struct windows *windows, const char *path, size_t limit,
                  struct diagnostics *diagnostics);
/* Returns the next lines, valid UTF-8; NULL after the last, or with `failed` after reporting I001, I002,
 * I003. */
const struct source *windows_next(struct windows *windows);
void windows_close(struct windows *windows);

#endif
