/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files with a map of ranks: anything is either refused with a diagnostic or a permutation.
 * The first byte is the number of ranks.
 */
#include "mapping/mapping.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const uint32_t p = size ? data[0] + 1u : 1;
    const char *text = size ? (const char *)data + 1 : "";
    const uint32_t *map =
        mapping_read(source_of_text("fuzz.map", text, size ? size - 1 : 0, &arena), p, &arena,
                     &diagnostics);
    if ((map == NULL) != diagnostics_has_errors(&diagnostics))
        abort();
    for (uint32_t rank = 0; map && rank < p; rank++)
        if (mapping_find(map, p, rank) == p)
            abort();
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
