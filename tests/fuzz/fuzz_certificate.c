/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Certificates of bounds: anything is either proved or refused, and something is said of it.
 */
#include "bound/check/check.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text verdict = {0};
    const bool is_good = proof_file_check((const char *)data, size, NULL, &verdict);
    if (!verdict.data || strncmp(verdict.data, is_good ? "proved: " : "refused: ", is_good ? 8 : 9) != 0)
        abort();
    text_free(&verdict);
    return 0;
}
