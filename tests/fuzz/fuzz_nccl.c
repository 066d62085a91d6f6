/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logs and graph files of NCCL: anything is either refused with a diagnostic,
 * or read, in each part; then the steps are a schedule file that reads and
 * prints the same bytes, and the verifier finds all data where they belong.
 */
#include "schedules/nccl/nccl.h"
#include "tests/fuzz/read_back.h"

enum { MOST_RANKS = 200 }; /* of which steps are made: they grow with their square */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const parts[] = {NULL,
                                        "allgather",
                                        "reduce_scatter,channels=0-1",
                                        "allreduce/tree,segments=2",
                                        "bcast,root=1,hosts=3",
                                        "allreduce/tree,hosts=5"};
    struct arena arena = {0};
    const struct source *source = source_of_text("fuzz.log", (const char *)data, size, &arena);
    for (size_t i = 0; nccl_schedule_is_file(source) && i < sizeof parts / sizeof *parts; i++) {
        struct diagnostics diagnostics = {0};
        struct schedule *schedule = nccl_schedule_read(source, parts[i], &diagnostics);
        if (!schedule == !diagnostics_has_errors(&diagnostics))
            abort();
        if (schedule && schedule->header.n_ranks <= MOST_RANKS)
            read_back(schedule, true, &arena);
        if (schedule)
            schedule->destroy(schedule);
        diagnostics_free(&diagnostics);
    }
    arena_free(&arena);
    return 0;
}
