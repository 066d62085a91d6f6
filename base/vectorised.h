/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that are worth wider vectors than every processor has.
 */
#ifndef COLLC_BASE_VECTORISED_H
#define COLLC_BASE_VECTORISED_H

/* Before a static function with a loop over numbers: it is compiled twice, for any processor and
 * for one with AVX2, and the program takes its choice when it starts. (What other files call
 * clang 14 gives another name than they use.) */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute) && !defined(__AVX2__)
#if __has_attribute(target_clones)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef VECTORISED
#define VECTORISED
#endif

#endif
