/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of tests/golden/rules that are schedules, read for tests: the schedule, what its
 * '# args:' line asks for, and the output that the golden suite expects of it. Paths are
 * relative to the project's folder, where tests run.
 */
#ifndef COLLC_TESTS_RULE_CASES_H
#define COLLC_TESTS_RULE_CASES_H

#include "tests/unit/reference.h"

struct rule_case {
    const char *name;                /* file name without .sched */
    const char *expected;            /* text of the .out beside it */
    struct schedule *schedule;
    struct verify_request request;
};

/* Calls `visit` for each case of the rule named `id`, in the order of their
 * names. False, with a message on stderr, if one cannot be read. */
bool rule_cases(const char *id, void (*visit)(const struct rule_case *rule_case, void *context),
                void *context);
/* True if the rules found are those of the lines of the expected output that end with a code. */
bool rule_case_fits(const struct rule_case *rule_case, const struct reference *engine);

#endif
