/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main of a unit test.
 */
#ifndef COLLC_TESTS_UNIT_SUITE_H
#define COLLC_TESTS_UNIT_SUITE_H

#include <CUnit/Basic.h>

/* Under the address sanitizer tables of all algorithms leave sizes out, but no kind of setting: a
 * sanitizer finds what it finds at few sizes, and the plain tests have all of them. */
#ifdef __SANITIZE_ADDRESS__
enum { IS_SHORT = 1 };
#else
enum { IS_SHORT = 0 };
#endif

/* Runs one suite; the exit status: 0 if nothing failed. */
static inline int run_suite(const char *name, CU_TestInfo *tests)
{
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
