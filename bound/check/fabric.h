/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that a certificate is about a given fabric: compares their nodes, links and demands.
 */
#ifndef COLLC_BOUND_CHECK_FABRIC_H
#define COLLC_BOUND_CHECK_FABRIC_H

#include "bound/check/proof_file.h"
#include "bound/check/check.h"

bool proof_file_is_about(const struct proof_file *file, const struct check_subject *subject,
                          struct text *why);

#endif
