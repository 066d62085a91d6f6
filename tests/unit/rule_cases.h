/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of tests/golden/rules, read for tests: a schedule, what its
 * '# args:' line asks for, and what the EXPECT file beside it says. Paths are
 * relative to the project's folder, where tests run.
 */
#ifndef COLLC_TESTS_RULE_CASES_H
#define COLLC_TESTS_RULE_CASES_H

#include "tests/unit/reference.h"

struct rule_case {
    const char *name;                /* file name without .sched */
    const char *expect;              /* text of EXPECT */
    struct schedule *schedule;
    struct verify_request request;
};

/* Calls `visit` for each case of the rule named `id`, in the order of their
 * names. False, with a message on stderr, if one cannot be read. */
bool rule_cases(const char *id, void (*visit)(const struct rule_case *rule_case, void *context),
                void *context);
/* Whether the findings are those of the lines "NAME: CODE [rank=N] [peer=N]
 * [step=N]" for this case: each line fits a finding and each finding fits a
 * line; "NAME: clean" wants none. */
bool rule_case_fits(const struct rule_case *rule_case, const struct reference *engine);

#endif
