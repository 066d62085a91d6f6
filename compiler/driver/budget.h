/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --budget: the CPU time that a command may take. What is known to take longer is refused before it begins;
 * all else is stopped, as is what takes more memory than there is.
 */
#ifndef COLLC_DRIVER_BUDGET_H
#define COLLC_DRIVER_BUDGET_H

#include "compiler/driver/options.h"
#include "study/estimate.h"

/* Seconds of CPU; 0: as many as it wants. */
double budget_of(const struct options *options);
/* Seconds that an estimate must be above to be refused: twice the budget; HUGE_VAL: none is. */
double budget_enough(const struct options *options);
/* Says that `what` so many messages, and copies if there are more of these, takes longer than that: "to look
 * at". Returns false. */
bool budget_refuse(const struct options *options, const char *what, const struct estimate *estimate);
/* Whether what was estimated may be begun: up to twice the budget, as an estimate is no more than that, and
 * with the memory that there is. Says so if not, and what takes long. */
bool budget_allows(const struct options *options, const struct estimate *estimate);
/* Whether a text of about so many bytes may be begun: at --output, with the room that there is. Says
 * so if not, and when it is a large one. */
bool budget_allows_text(const struct options *options, double bytes);
/* Of a command that has the option: ends this process with a message and STATUS_FAILED when it, or one that
 * it starts by itself, has used twice the budget up, in whole seconds; or when it has used up the memory that
 * nobody else used. */
void budget_guard(const struct options *options);

#endif
