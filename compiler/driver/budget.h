/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --budget: the CPU time that a command may take. What is known to take longer is refused before it begins;
 * all else is stopped, as is what takes more memory than there is.
 */
#ifndef COLLC_DRIVER_BUDGET_H
#define COLLC_DRIVER_BUDGET_H

#include "compiler/driver/options.h"
#include "study/estimate.h"

/* Returns the seconds of CPU; 0: as many as it wants. */
double budget_of(const struct options *options);
/* Returns the seconds that an estimate must be above to be refused: twice the budget; HUGE_VAL: none is. */
double budget_enough(const struct options *options);
/* Says that `what` so many messages, "to look at", or copies if there are more of these, takes longer than
 * that. Returns false. */
bool budget_refuse(const struct options *options, const char *what, const struct estimate *estimate);
/* True if work with this estimate may begin: it is below twice the budget, as an estimate may err, and fits
 * the free memory. Else says so, and what takes long. */
bool budget_allows(const struct options *options, const struct estimate *estimate);
/* True if a text of about so many bytes may be written to --output: there is room for it. Says so if not, and
 * if the text is large. */
bool budget_allows_text(const struct options *options, double bytes);
/* Guards a command that has the option: ends this process with a message and STATUS_FAILED when it, or a
 * child that it starts by itself, has used twice the budget, in whole seconds; or all memory that no other
 * process used. */
void budget_guard(const struct options *options);

#endif
