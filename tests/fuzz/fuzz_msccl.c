/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MSCCL XML: anything is either refused with a diagnostic, or read; then the steps are a schedule file that
 * reads and prints the same bytes, and the verifier judges it.
 */
#include "schedules/msccl/msccl.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

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
    if (!verify_schedule(schedule, &request, &report, &findings))
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
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct schedule *schedule =
        msccl_read(source_of_text("fuzz.xml", (const char *)data, size, &arena), &diagnostics);
    if (!schedule == !diagnostics_has_errors(&diagnostics))
        abort();
    if (schedule) {
        check_schedule(schedule, &arena);
        schedule->destroy(schedule);
    }
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
