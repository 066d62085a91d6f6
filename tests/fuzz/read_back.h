/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule that a fuzz target has read: the verifier judges it, and as a schedule file it reads and prints
 * the same bytes.
 */
#ifndef COLLC_TESTS_FUZZ_READ_BACK_H
#define COLLC_TESTS_FUZZ_READ_BACK_H

#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

static inline bool read_back_append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

static inline void read_back_text(const struct text *text, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct text again = {0};
    struct schedule *schedule =
        schedule_read(source_of_text("fuzz.sched", text->data, text->length, arena), &diagnostics);
    if (!schedule || !schedule_print(schedule, read_back_append, &again) || again.length != text->length ||
        memcmp(again.data, text->data, text->length) != 0)
        abort();
    schedule->destroy(schedule);
    text_free(&again);
    diagnostics_free(&diagnostics);
}

/* Aborts unless that holds, and, if must_be_complete, the verifier finds nothing. */
static inline void read_back(struct schedule *schedule, bool must_be_complete, struct arena *arena)
{
    const struct verify_request request = {0};
    struct verify_report report;
    struct diagnostics findings = {0};
    struct text text = {0};
    if (!verify_schedule(schedule, &request, &report, &findings) ||
        (must_be_complete && (!report.is_complete || diagnostics_has_errors(&findings))))
        abort();
    verify_report_free(&report);
    diagnostics_free(&findings);
    schedule->rewind(schedule);
    if (!schedule_print(schedule, read_back_append, &text))
        abort();
    read_back_text(&text, arena);
    text_free(&text);
}

#endif
