/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a certificate proves what it states. It is read and counted here from nothing but its own
 * text, in exact arithmetic (GMP), and none of the code that wrote it is used. docs/bounds.md says what
 * is in it, and what is proved by it. What is refused:
 *
 *   - what is not of the form: another version, a key too many or too few, a number out of range,
 *     pairs out of order
 *   - lengths that prove another bound than the one that is stated, be that higher (it is false) or
 *     lower (it is true, but somebody has changed it)
 *   - with a fabric beside it: other nodes, links or demands than that has
 */
#ifndef COLLC_BOUND_CHECK_CHECK_H
#define COLLC_BOUND_CHECK_CHECK_H

#include "bound/bound.h"

enum { CERTIFICATE_MAX_BYTES = 256 << 20 };

/* What it has to be about. */
struct check_subject {
    const char *collective; /* its name and form */
    const struct bound_request *request;
};

/* Appends what is proved, or else why it is refused: lines for people. `subject` is NULL: what it says
 * of the fabric is taken as it is. */
bool proof_file_check(const char *file, size_t length, const struct check_subject *subject,
                       struct text *verdict);

#endif
