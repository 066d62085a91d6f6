/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The form, the head and the suite of a unit test.
 */
#ifndef COLLC_TESTS_UNIT_SUITE_H
#define COLLC_TESTS_UNIT_SUITE_H

#include <CUnit/Basic.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Forms of the tests. They differ in sizes and in the number of draws, and no kind of setting is left out.
 * `make test` takes the usual one, `make check` the short one and `make long` the long one: tests/run sets
 * COLLC_TESTS_FORM. Sanitizers always take the short one: they find what they find at few sizes. In `make
 * test` they have COLLC_TESTS_FORM=least: the short form with fewer algorithms (scene.h). */
enum tests_form { TESTS_SHORT, TESTS_USUAL, TESTS_LONG };

static inline enum tests_form tests_form(void)
{
#ifdef __SANITIZE_ADDRESS__
    return TESTS_SHORT;
#else
    const char *form = getenv("COLLC_TESTS_FORM");
    if (form && (strcmp(form, "short") == 0 || strcmp(form, "least") == 0))
        return TESTS_SHORT;
    return form && strcmp(form, "long") == 0 ? TESTS_LONG : TESTS_USUAL;
#endif
}

#define IS_SHORT (tests_form() == TESTS_SHORT)

/* True of the short form with fewer cases than it has. */
static inline bool is_least(void)
{
    const char *form = getenv("COLLC_TESTS_FORM");
    return form && strcmp(form, "least") == 0;
}

/* Returns the number for this form. */
static inline unsigned by_form(unsigned in_short, unsigned in_usual, unsigned in_long)
{
    const unsigned numbers[] = {in_short, in_usual, in_long};
    return numbers[tests_form()];
}

/* Returns how many of n cases that a test must have seen at least the least form is to see. */
static inline unsigned enough(unsigned n)
{
    return is_least() ? n / 20 : n;
}

/* The head of a program's main. All programs are linked as one executable, `programs`, which runs the one
 * by whose name it was called: each link of its own would take as long as compiling three files. ALONE: a
 * program that is linked by itself, as its link differs. */
#ifdef ALONE
#define UNIT_PROGRAM(name) int main(void)
#else
#define UNIT_PROGRAM(name)    \
    int main_of_##name(void); \
    int main_of_##name(void)
#endif

/* Runs one suite, of COLLC_TESTS_CASE only the tests whose names contain that; the exit status: 0 if nothing
 * failed. */
static inline int run_suite(const char *name, CU_TestInfo *tests)
{
    const char *part = getenv("COLLC_TESTS_CASE");
    CU_TestInfo *kept = tests;
    for (CU_TestInfo *test = tests; test->pName; test++)
        if (!part || strstr(test->pName, part))
            *kept++ = *test;
    *kept = (CU_TestInfo)CU_TEST_INFO_NULL;
    CU_SuiteInfo suites[] = {{.pName = name, .pTests = tests}, CU_SUITE_INFO_NULL};
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS)
        return 2;
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned n_failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return n_failures != 0;
}

#endif
