/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what a certificate of lengths proves, by all distances at once (Floyd and Warshall).
 */
#ifndef COLLC_TESTS_NAIVE_PROOF_H
#define COLLC_TESTS_NAIVE_PROOF_H

#include "base/memory.h"

/* True if the lengths of each bound of a certificate, collc-flow-1 or collc-overlay-1, prove what it states.
 * For certificates of that form and of small numbers only. */
bool naive_proves_all(const struct text *text);

#endif
