/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MSCCL XML: anything is either refused with a diagnostic, or read; then the steps are a schedule file that
 * reads and prints the same bytes, and the verifier judges it.
 */
#include "schedules/msccl/msccl.h"
#include "tests/fuzz/read_back.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct schedule *schedule =
        msccl_read(source_of_text("fuzz.xml", (const char *)data, size, &arena), &diagnostics);
    if (!schedule == !diagnostics_has_errors(&diagnostics))
        abort();
    if (schedule) {
        read_back(schedule, false, &arena);
        schedule->destroy(schedule);
    }
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
