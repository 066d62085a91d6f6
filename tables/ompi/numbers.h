/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The numbers of a rule file as Open MPI finds them: by fscanf("%li"), and where that fails it
 * leaves out one character, or the rest of the line behind a '#', and tries again
 * (ompi_coll_base_file_getnext_long). So lines mean nothing, 0x10 and 010 are numbers, and so are
 * the digits within a word.
 */
#ifndef COLLC_TABLES_OMPI_NUMBERS_H
#define COLLC_TABLES_OMPI_NUMBERS_H

#include "base/diagnostic.h"

struct ompi_number {
    int64_t value;           /* the nearest, where it is beyond 64 bits */
    const char *text;        /* its first byte, in the source */
    uint32_t length, line;
    unsigned char base;      /* 8, 10 or 16; a single 0 is decimal */
    bool is_glued;           /* a letter, digit or '_' stands before or behind it: a part of a word */
};

struct ompi_numbers {
    const struct source *source;
    const char *at, *end;
    uint32_t line;           /* of `at` */
};

void ompi_numbers_open(struct ompi_numbers *numbers, const struct source *source);
/* False at the end of the file. */
bool ompi_number_next(struct ompi_numbers *numbers, struct ompi_number *number);
/* Whether the next character but blanks and tabs, which are passed over, is a digit. */
bool ompi_numbers_digit_follows(struct ompi_numbers *numbers);
/* fscanf("rule-file-version-%u"): false without such a number. Passes over what it has read, the
 * beginning of these words included. */
bool ompi_numbers_version(struct ompi_numbers *numbers, uint64_t *version);
struct position ompi_number_position(const struct source *source, const struct ompi_number *number);

#endif
