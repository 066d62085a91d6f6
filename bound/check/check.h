/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that a certificate proves what it states. It is read and evaluated here from its own text alone,
 * in exact arithmetic (GMP), without any of the code that wrote it. docs/bounds.md describes its content
 * and the proof. It is refused for:
 *
 *   - another form: another version, a missing or extra key, a number out of range, pairs out of
 *     order
 *   - lengths that prove another bound than the stated one, be that higher (it is false) or
 *     lower (it is true, but somebody has changed it)
 *   - a given fabric with other nodes, links or demands
 */
#ifndef COLLC_BOUND_CHECK_CHECK_H
#define COLLC_BOUND_CHECK_CHECK_H

#include "bound/bound.h"

enum { CERTIFICATE_MAX_BYTES = 256 << 20 };

/* The expected subject of a certificate. */
struct check_subject {
    const char *collective; /* its name and form */
    const struct bound_request *request;
};

/* Checks the text and appends the verdict, lines for people: what is proved, or why it is refused. Without
 * a `subject` its fabric is taken as it is. */
bool proof_file_check(const char *file, size_t length, const struct check_subject *subject,
                       struct text *verdict);

#endif
