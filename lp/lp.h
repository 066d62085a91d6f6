/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A linear program: maximise the objective over variables that are not negative, within rows. It is
 * written as CPLEX-LP and solved in a process of its own, by collc-lp (base/helper.h) or by whatever
 * the user names: an executable that reads the program from its standard input and writes its
 * solution to its standard output, one variable and its value after another ("x7 0.25"; words around
 * them do not matter, what is not named is 0). So every solver does, with a script of a line or two.
 *
 * Nothing that a solver says is believed here. A caller must make of it what is true whatever the
 * numbers are.
 */
#ifndef COLLC_LP_LP_H
#define COLLC_LP_LP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct lp_term {
    uint32_t variable;
    double coefficient;
};

struct lp_row {
    size_t end;    /* end of its terms; they begin where those of the row before end */
    char relation; /* '<' (at most) or '=' */
    double right;
};

struct lp {
    uint32_t n_variables;
    double *objective; /* [variable] */
    struct lp_term *terms;
    struct lp_row *rows;
    size_t n_terms, n_rows, terms_capacity, rows_capacity;
};

struct lp lp_new(uint32_t n_variables);
void lp_free(struct lp *lp);
/* lp_add: adds a term to the next row. The other: ends that row. */
void lp_add(struct lp *lp, uint32_t variable, double coefficient);
void lp_end_row(struct lp *lp, char relation, double right);

/* Writes the program to a file. False if that fails. */
bool lp_write(const struct lp *lp, FILE *file);

/* Solver's executable, and its time limit. */
struct lp_solver {
    const char *path; /* NULL: collc-lp, where it is to be found */
    double seconds;   /* at most, above 0 */
    uint64_t most_rows; /* of a bound by flows: a larger program is not solved; 0: as large as it can be */
};

enum lp_end {
    LP_SOLVED,
    LP_NO_SOLVER,
    LP_TOO_LATE,
    LP_FAILED,
    LP_TOO_LARGE /* result of a caller that does not even try */
};

/* Solves the program; if it is solved, writes a number that is neither negative nor infinite for each
 * variable. */
enum lp_end lp_solve(const struct lp *lp, const struct lp_solver *solver, double *solution);
/* Returns the reason, for any end but LP_SOLVED, as half a sentence: "collc-lp is not installed". */
const char *lp_problem(enum lp_end end);

#endif
