/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rule that is not in codes.def, for tests of what rules are asked.
 */
#ifndef COLLC_VERIFY_PLANTED_H
#define COLLC_VERIFY_PLANTED_H

#include <stdint.h>

struct rule;

/* Adds the rule to all verifications from now on, until another one is planted; NULL: none. Its
 * findings are of the code `code`. */
void rules_plant(uint32_t code, const struct rule *rule);

#endif
