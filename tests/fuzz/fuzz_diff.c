/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes the reports that `collc diff` compares: with itself a report has not become worse.
 */
#include "reports/diff.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct diff diff;
    struct text text = {0};
    const struct source *source = source_of_text("old.json", (const char *)data, size, &arena);
    const bool is_read = diff_make(source, source, &diff, &diagnostics);
    require(is_read == !diagnostics_has_errors(&diagnostics));
    require(!diff_is_worse(&diff));
    diff_text(&diff, 0, &text);
    diff_json(&diff, &text);
    diagnostics_print(&diagnostics, &text, false);
    text_free(&text);
    diff_free(&diff);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
