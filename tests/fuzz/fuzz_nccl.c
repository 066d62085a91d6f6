/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logs and graph files of NCCL: anything is either refused with a diagnostic,
 * or read, in each part; then the steps are a schedule file that reads and
 * prints the same bytes, and the verifier finds all data where they belong.
 */
#include "schedules/nccl/nccl.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 200 }; /* of which steps are made: they grow with their square */

static bool append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

static void check_text(const struct text *text, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct text again = {0};
    struct schedule *schedule =
        schedule_read(source_of_text("fuzz.sched", text->data, text->length, arena), &diagnostics);
    if (!schedule || !schedule_print(schedule, append, &again) || again.length != text->length ||
        memcmp(again.data, text->data, text->length) != 0)
        abort();
    schedule->destroy(schedule);
    text_free(&again);
    diagnostics_free(&diagnostics);
}

static void check_schedule(struct schedule *schedule, struct arena *arena)
{
    const struct verify_request request = {0};
    struct verify_report report;
    struct diagnostics findings = {0};
    struct text text = {0};
    if (!verify_schedule(schedule, &request, &report, &findings) || !report.is_complete ||
        diagnostics_has_errors(&findings))
        abort();
    verify_report_free(&report);
    diagnostics_free(&findings);
    schedule->rewind(schedule);
    if (!schedule_print(schedule, append, &text))
        abort();
    check_text(&text, arena);
    text_free(&text);
}

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
            check_schedule(schedule, &arena);
        if (schedule)
            schedule->destroy(schedule);
        diagnostics_free(&diagnostics);
    }
    arena_free(&arena);
    return 0;
}
