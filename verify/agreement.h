/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides if all ranks get the same result. MPI requires it of an allreduce, and for floats that takes more
 * than the same contributions: all ranks have to combine them in the same brackets (brackets.h).
 *
 * Most results are combined at one rank and sent to the others. So the first expression that makes a chunk
 * whole is kept for all ranks, and a whole chunk of a rank has NO_BRACKETS as long as it is that one: a
 * rank's results are one run, whatever their expressions are.
 */
#ifndef COLLC_VERIFY_AGREEMENT_H
#define COLLC_VERIFY_AGREEMENT_H

#include "verify/brackets.h"
#include "verify/verify.h"

struct agreement;
struct data;

/* Returns what keeps the expressions of the data, whose ranks have been ordered. `group`: the ranks are
 * representatives, for shifts of that group; else NULL. Release with agreement_free. */
struct agreement *agreement_new(const struct data *data, const struct shifts *group);
void agreement_free(struct agreement *agreement); /* NULL: nothing */
/* Returns the expression that is the contribution of one rank. */
uint64_t agreement_contribution(const struct agreement *agreement, uint32_t rank);
/* True if two runs of the same chunks can be combined as a whole. */
bool agreement_is_regular(const struct agreement *agreement, const struct run *held,
                          const struct run *incoming);
/* Gives `result`, which has the datum and the set, the expression of held + incoming. */
void agreement_combine(struct agreement *agreement, const struct run *held, const struct run *incoming,
                       struct run *result);
/* Returns the brackets of the expressions, to print them. */
const struct brackets *agreement_brackets(const struct agreement *agreement);
/* Returns the expression of a chunk at a rank that holds a result; NO_BRACKETS: it holds none. */
uint64_t agreement_expression(const struct agreement *agreement, const struct data *data, uint32_t rank,
                              enum buffer buffer, uint32_t chunk);

/* Two ranks whose results differ in a chunk of `buf`. */
struct disagreement {
    uint32_t rank[2], chunk;
    uint64_t expression[2];
};
/* True if, after the last step, all ranks have the same result; else *found is the first chunk in which a
 * rank differs from rank 0. O(runs); O(chunks * ranks) only where some differ. */
bool agreement_holds(struct agreement *agreement, const struct data *data, struct disagreement *found);

/* Answers the same for representatives: the result of another rank is that of its representative, shifted.
 * Unknown where no pair of ranks that was tried differs, and not all are proved to agree. O(runs *
 * coordinates) */
enum agreement_known agreement_of_representatives(struct agreement *agreement, const struct data *data,
                                                  const struct symmetry *symmetry);

#endif
