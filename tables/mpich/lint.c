/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the checks of a selection file, and of variables.
 */
#include "tables/mpich/forced.h"
#include "tables/mpich/lint.h"

void mpich_lint(const struct table *table, struct diagnostics *findings)
{
    const struct mpich_table *of = mpich_table_of(table);
    if (of->forced) {
        mpich_lint_settings(of, findings);
        return;
    }
    if (table->ignored) {
        report(findings, CODE_B021, table->ignored_at, "MPI_Init ends the program: %s", table->ignored)
            ->help = "a selection file is refused as a whole, with an assertion or a crash";
        return;
    }
    mpich_lint_twice(of, findings);
    mpich_lint_missing(of, findings);
    mpich_lint_defined(of, findings);
    mpich_lint_numbers(of, findings);
    mpich_lint_order(of, findings);
    mpich_lint_agreement(of, findings);
    mpich_lint_algorithms(of, findings);
    mpich_lint_parameters(of, findings);
    mpich_lint_hidden(of, findings);
}
