/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear programs as data and as text. See lp.h.
 */
#include "lp/lp.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct lp lp_new(uint32_t n_variables)
{
    struct lp lp = {.n_variables = n_variables};
    lp.objective = mem_alloc(n_variables, sizeof *lp.objective);
    return lp;
}

void lp_free(struct lp *lp)
{
    free(lp->objective);
    free(lp->terms);
    free(lp->rows);
    *lp = (struct lp){0};
}

void lp_add(struct lp *lp, uint32_t variable, double coefficient)
{
    assert(variable < lp->n_variables && isfinite(coefficient));
    lp->terms = mem_grow(lp->terms, &lp->terms_capacity, lp->n_terms + 1, sizeof *lp->terms);
    lp->terms[lp->n_terms++] = (struct lp_term){variable, coefficient};
}

void lp_end_row(struct lp *lp, char relation, double right)
{
    assert((relation == '<' || relation == '=') && isfinite(right));
    lp->rows = mem_grow(lp->rows, &lp->rows_capacity, lp->n_rows + 1, sizeof *lp->rows);
    lp->rows[lp->n_rows++] = (struct lp_row){lp->n_terms, relation, right};
}

/* Lines of CPLEX-LP are of 255 characters at most in some readers. */
static void write_term(FILE *file, struct lp_term term, size_t *n)
{
    if (term.coefficient == 0)
        return;
    if (++*n % 6 == 0)
        fprintf(file, "\n");
    fprintf(file, " %c %.17g x%" PRIu32, term.coefficient < 0 ? '-' : '+', fabs(term.coefficient),
            term.variable);
}

bool lp_write(const struct lp *lp, FILE *file)
{
    size_t n = 0, term = 0;
    fprintf(file, "Maximize\n obj:");
    for (uint32_t i = 0; i < lp->n_variables; i++)
        write_term(file, (struct lp_term){i, lp->objective[i]}, &n);
    fprintf(file, n ? "\nSubject To\n" : " 0 x0\nSubject To\n"); /* without terms it is not CPLEX-LP */
    for (size_t row = 0; row < lp->n_rows; row++) {
        fprintf(file, " r%zu:", row);
        for (n = 0; term < lp->rows[row].end; term++)
            write_term(file, lp->terms[term], &n);
        if (n == 0)
            fprintf(file, " 0 x0");
        fprintf(file, " %s %.17g\n", lp->rows[row].relation == '<' ? "<=" : "=", lp->rows[row].right);
    }
    fprintf(file, "End\n");
    return fflush(file) == 0 && !ferror(file);
}
