/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A formula in conjunctive normal form: clauses of variables, numbered from 1, and their negations (-1).
 * It is written in the DIMACS form and decided in a process of its own, by the MiniSat that is a part of GLPK
 * (collc-lp).
 *
 * Nothing that a solver says is believed here. Who gets values has to see what they are good for; that there
 * are none is the solver's word.
 */
#ifndef COLLC_LP_SAT_H
#define COLLC_LP_SAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAT_MOST_VARIABLES = 1 << 22 };

/* Zero-initialise; sat_free. */
struct sat {
    int32_t n_variables;
    size_t n_clauses;
    int32_t *literals; /* of all clauses, each ended by 0 */
    size_t n, capacity;
};
void sat_free(struct sat *sat);

int32_t sat_variable(struct sat *sat); /* a new one */
void sat_clause(struct sat *sat, const int32_t *literals, size_t n);
/* Adds a clause of two or three literals; a literal 0 is left out. */
void sat_either(struct sat *sat, int32_t a, int32_t b, int32_t c);
/* Adds variables that count how many of the literals hold: count[k], k from 0 to the returned number less 1,
 * holds where more than k of them do; at most `limit` variables. count has room for that. O(n log n * limit)
 * clauses for small limits. */
size_t sat_count(struct sat *sat, const int32_t *literals, size_t n, size_t limit, int32_t *count);

enum sat_end { SAT_FOUND, SAT_NONE, SAT_UNDECIDED, SAT_NO_SOLVER };
/* Solves the clauses; value[variable], n_variables + 1 of them, gets the solution. `seconds` are CPU time of
 * the solver. */
enum sat_end sat_solve(const struct sat *sat, double seconds, bool *value);

#endif
