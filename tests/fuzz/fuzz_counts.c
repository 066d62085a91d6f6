/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts, as a file and as a formula: anything is either refused with a diagnostic or gives a
 * number of bytes below 2^63 for every rank.
 */
#include "compiler/passes/counts.h"

#include <stdlib.h>
#include <string.h>

enum { N_RANKS = 5 };

static void check(struct counts *counts, const struct diagnostics *diagnostics)
{
    if (!counts && !diagnostics_has_errors(diagnostics))
        abort();
    for (uint64_t i = 0; counts && i < N_RANKS; i++)
        if (counts->bytes(counts, i) > INT64_MAX)
            abort();
    if (counts)
        counts->destroy(counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics of_file = {0}, of_formula = {0};
    struct arena arena = {0};
    const uint64_t bytes = 8;
    const struct source *source = source_of_text("fuzz", (const char *)data, size, &arena);
    check(counts_read(source, N_RANKS, &of_file), &of_file);
    const bool has_bytes = strstr(source->text, "bytes");
    check(counts_of_formula(source, COLLECTIVE_gather, NULL, N_RANKS, has_bytes ? &bytes : NULL, &of_formula),
          &of_formula);
    diagnostics_free(&of_file);
    diagnostics_free(&of_formula);
    arena_free(&arena);
    return 0;
}
