/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the checks of a rule file, and of settings.
 */
#include "tables/ompi/forced.h"
#include "tables/ompi/lint.h"

void ompi_lint(const struct table *table, struct diagnostics *findings)
{
    const struct ompi_table *of = ompi_table_of(table);
    if (of->forced) {
        ompi_lint_settings(of, findings);
        return;
    }
    ompi_lint_ignored(of, findings);
    if (of->json) {
        ompi_lint_json(of, findings);
        return;
    }
    ompi_lint_numbers(of, findings);
    ompi_lint_lines(of, findings);
    if (table->ignored)
        return;
    ompi_lint_unread(of, findings);
    ompi_lint_order(of, findings);
    ompi_lint_ranks(of, findings);
    ompi_lint_keys(of, findings);
    ompi_lint_algorithms(of, findings);
    ompi_lint_agreement(of, findings);
    ompi_lint_hidden(of, findings);
}
