/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic: anything is either refused with a diagnostic, or read; then the steps are a schedule file that
 * reads and prints the same bytes, the traffic that is written of them reads and writes the same bytes, and
 * the verifier finds nothing to refuse.
 */
#include "emitters/emit.h"
#include "schedules/traffic/traffic.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

static bool append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

static struct schedule *read_again(const struct text *text, struct arena *arena,
                                   struct schedule *(*read)(const struct source *, struct diagnostics *))
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = read(source_of_text("fuzz", text->data, text->length, arena), &diagnostics);
    if (!schedule || diagnostics_has_errors(&diagnostics))
        abort();
    diagnostics_free(&diagnostics);
    return schedule;
}

static void must_be_equal(const struct text *a, const struct text *b)
{
    if (a->length != b->length || memcmp(a->data, b->data, a->length) != 0)
        abort();
}

static void check_printed(struct schedule *schedule, struct arena *arena)
{
    struct text text = {0}, again = {0};
    schedule->rewind(schedule);
    if (!schedule_print(schedule, append, &text))
        abort();
    struct schedule *other = read_again(&text, arena, schedule_read);
    if (!schedule_print(other, append, &again))
        abort();
    must_be_equal(&text, &again);
    other->destroy(other);
    text_free(&text);
    text_free(&again);
}

static void check_emitted(struct schedule *schedule, struct arena *arena)
{
    struct text text = {0}, again = {0};
    const struct emit_request request = {.schedule = schedule};
    if (emit_traffic(&request, &text))
        abort();
    struct schedule *other = read_again(&text, arena, traffic_read);
    const struct emit_request of_other = {.schedule = other};
    if (emit_traffic(&of_other, &again))
        abort();
    must_be_equal(&text, &again);
    other->destroy(other);
    text_free(&text);
    text_free(&again);
}

static void check_schedule(struct schedule *schedule, struct arena *arena)
{
    const struct verify_request request = {0};
    struct verify_report report;
    struct diagnostics findings = {0};
    if (!verify_schedule(schedule, &request, &report, &findings) || diagnostics_has_errors(&findings))
        abort();
    verify_report_free(&report);
    diagnostics_free(&findings);
    check_printed(schedule, arena);
    check_emitted(schedule, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const struct source *source = source_of_text("fuzz.csv", (const char *)data, size, &arena);
    if (traffic_is_file(source)) {
        struct schedule *schedule = traffic_read(source, &diagnostics);
        if (!schedule == !diagnostics_has_errors(&diagnostics))
            abort();
        if (schedule) {
            check_schedule(schedule, &arena);
            schedule->destroy(schedule);
        }
    }
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
