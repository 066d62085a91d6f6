/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of the codes, CODE_E001 and so on, for those who report under one or ask for one.
 * A new code is a line in codes.def. This header is apart from diagnostic.h, which nearly every
 * file includes, so that such a line does not compile everything anew.
 */
#ifndef COLLC_BASE_CODES_H
#define COLLC_BASE_CODES_H

#include "base/diagnostic.h"

enum code {
#define CODE(id, family, severity, title) CODE_##id,
#define RULE(id, family, severity, title) CODE_##id,
#define FAMILY(name, refutes)
#include "base/codes.def"
    N_CODES
};

#endif
