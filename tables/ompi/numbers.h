/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the numbers of a rule file as Open MPI does: by fscanf("%li"). If that fails it skips one
 * character, or the rest of the line behind a '#', and tries again (ompi_coll_base_file_getnext_long). So
 * lines mean nothing, 0x10 and 010 are numbers, and so are the digits within a word.
 */
#ifndef COLLC_TABLES_OMPI_NUMBERS_H
#define COLLC_TABLES_OMPI_NUMBERS_H

#include "base/diagnostic.h"

struct ompi_number {
    int64_t value;           /* the nearest value, if it is beyond 64 bits */
    const char *text;        /* its first byte, in the source */
    uint32_t length, line;
    unsigned char base;      /* 8, 10 or 16; a single 0 is decimal */
    bool is_glued;           /* a letter, digit or '_' before or behind it makes it part of a word */
};

struct ompi_numbers {
    const struct source *source;
    const char *at, *end;
    uint32_t line;           /* line of `at` */
};

void ompi_numbers_open(struct ompi_numbers *numbers, const struct source *source);
/* Reads the next number. Returns false at the end of the file. */
bool ompi_number_next(struct ompi_numbers *numbers, struct ompi_number *number);
/* True if the next character is a digit, after blanks and tabs, which it passes over. */
bool ompi_numbers_digit_follows(struct ompi_numbers *numbers);
/* Reads as fscanf("rule-file-version-%u"). Returns false without such a number. Passes over the text that
 * it has read, including a beginning of these words. */
bool ompi_numbers_version(struct ompi_numbers *numbers, uint64_t *version);
struct position ompi_number_position(const struct source *source, const struct ompi_number *number);

#endif
