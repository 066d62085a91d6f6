/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the reader of schedule files: the scanner of one line, used by the
 * header (schedule_header.c) and by the steps (schedule_read.c).
 */
#ifndef COLLC_IR_SCHEDULE_SCAN_H
#define COLLC_IR_SCHEDULE_SCAN_H

#include "ir/schedule.h"

struct scanner {
    const struct source *source; /* NUL-terminated, without NUL bytes inside */
    const char *at, *line_start;
    uint32_t line;
    struct arena *arena;         /* of the schedule: names live here */
    struct diagnostics *diagnostics;
    bool failed;                 /* something was reported */
};

/* Reports an error at the bytes from `from` up to the scanner's place (at
 * least one), or up to the end of the word if it stands at `from`. */
struct diagnostic *scan_error(struct scanner *scanner, uint32_t code, const char *from,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Advances to the next line that is neither empty nor a comment, past its leading blanks; false at the end of
 * the file. */
bool scan_line(struct scanner *scanner);
/* Skips the rest of the line, to go on after an error. */
void scan_skip_line(struct scanner *scanner);
void scan_blanks(struct scanner *scanner);
bool scan_at_line_end(const struct scanner *scanner);

/* True if the next word is `word`; skips it and the blanks behind it then. */
bool scan_word(struct scanner *scanner, const char *word);
bool scan_char(struct scanner *scanner, char c);
/* Reads a decimal number and the blanks behind it; reports S001 naming `what`. */
bool scan_number(struct scanner *scanner, const char *what, uint64_t *number);
/* Reads 0x and hexadecimal digits, at most 64 bits. */
bool scan_hex(struct scanner *scanner, const char *what, uint64_t *number);
/* Reads a bare word, or a text in quotes with the escapes \" \\ \xHH. NULL after reporting. */
const char *scan_name(struct scanner *scanner, const char *what);
/* Reports S001 unless nothing but a comment follows. */
bool scan_end_of_line(struct scanner *scanner);

/* Reads the header: everything before the first `step` or `end`. Reports S001, S002, S003; *machine is the
 * placement (heap, to be freed), or NULL. */
bool scan_header(struct scanner *scanner, struct schedule_header *header, uint32_t **machine);

#endif
