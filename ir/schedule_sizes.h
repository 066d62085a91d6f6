/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the reader of schedule files: sizes where counts are unequal, and what the ranks of a pattern need.
 */
#ifndef COLLC_IR_SCHEDULE_SIZES_H
#define COLLC_IR_SCHEDULE_SIZES_H

#include "ir/counts.h"
#include "ir/needs.h"
#include "ir/schedule_scan.h"

/* Reads the rest of a line `counts` or `like`, which both may be repeated; false after reporting. The header
 * keeps the result: schedule_sizes_free. */
bool scan_counts(struct scanner *scanner, struct schedule_header *header);
bool scan_like(struct scanner *scanner, struct schedule_header *header);
/* Checks the sizes when the header is read: reports S002 if they do not fit the rest of it. */
void scan_check_sizes(struct scanner *scanner, const struct schedule_header *header);
void schedule_sizes_free(struct schedule_header *header);

/* Terms of the lines `needs` so far; the owner frees them. */
struct needs_reader {
    struct need_term *terms;
    size_t n, capacity;
    struct need_term *has; /* ranks and chunks `from_chunk` .. of `in` that they have */
    size_t n_has, has_capacity;
    bool is_has; /* there is a line `has` */
};
/* Reads the rest of a line `needs`, which may be repeated; false after reporting. */
bool scan_need(struct scanner *scanner, struct needs_reader *needs);
/* Does the same with a line `has`. */
bool scan_has(struct scanner *scanner, struct needs_reader *needs);
/* Makes header->needs of them when the header is read; reports S002 if they do not fit it. */
void scan_make_needs(struct scanner *scanner, struct needs_reader *needs, struct schedule_header *header);

#endif
