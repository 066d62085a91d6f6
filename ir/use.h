/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses of names in a program, and the structure that it distinguishes by them.
 */
#ifndef COLLC_IR_USE_H
#define COLLC_IR_USE_H

#include "ir/program.h"

/* Stands for a variable: any function of the grid; a power with an operand that is not the same on all ranks,
 * but for powers of a number. */
#define A_GRID_FUNCTION UINT32_MAX
#define A_POWER_OF_RANKS (UINT32_MAX - 1)
/* Returns the first expression that is the variable, or NULL if there is none: in an expression, which may be
 * NULL, in statements from the first one on, or anywhere in a program. */
const struct expr *expr_use(const struct expr *expr, uint32_t variable);
const struct expr *block_use(const struct statement *first, uint32_t variable);
const struct expr *program_use(const struct program *program, uint32_t variable);
/* Returns the first use in what an algorithm declares by itself: extents, parameters, lets of the header,
 * requirements and `tmp`, without what the algorithms that it runs need; or NULL. */
const struct expr *head_use(const struct program *program, uint32_t variable);
/* Does the same in the formulas of the clause `costs`, which program_use does not look at. */
const struct expr *costs_use(const struct program *program, uint32_t variable);
/* Structure that the algorithm distinguishes: none, servers and their ranks, clusters of servers, or places
 * of a grid. The last of these of which it uses a name. */
enum program_kind { KIND_PLAIN, KIND_SERVERS, KIND_CLUSTERS, KIND_GRID };
enum program_kind program_kind(const struct program *program);

#endif
