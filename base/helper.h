/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Executables that do for us what must not be done in our process: libraries that may die of their
 * input, and those whose licence does not go with that of others we use. They lie beside collc and
 * the library, or are the user's own. Nothing is forked, since a program with threads may hold
 * locks of a library at that moment, which no one in the child would ever give back.
 */
#ifndef COLLC_BASE_HELPER_H
#define COLLC_BASE_HELPER_H

#include <stdbool.h>
#include <stdio.h>

enum { HELPER_PATH = 4096 };

/* Finds the executable `name` in the folder $COLLC_LIBEXEC, then in that of the library or the executable
 * that this is part of, and in ../libexec/collc from there. */
bool helper_find(const char *name, char path[HELPER_PATH]);

/* Finds a page, such as "codes/L001.md", of the documentation that belongs to this executable: in a clone or
 * where it is installed. */
bool helper_find_page(const char *page, char path[HELPER_PATH]);

enum helper_end {
    HELPER_WELL,        /* exit status 0 */
    HELPER_BADLY,       /* another one, or a signal */
    HELPER_TOO_LATE,    /* it took longer than `seconds` and was ended, with all that it started */
    HELPER_NOT_STARTED,
    HELPER_UNKNOWN      /* the caller of collc ignores the end of children: not known */
};

/* Runs it, with one file as its standard input and the other as its output, NULL: none. Files without a name
 * are enough: a pipe would need a process that reads while we write, or a signal if it dies. Its error output
 * is dropped. `arguments` end in NULL. 0 seconds are no limit. */
enum helper_end helper_run(const char *path, char *const arguments[], FILE *input, FILE *output,
                           double seconds);

#endif
