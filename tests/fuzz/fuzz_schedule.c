/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedule files: anything is either refused with a diagnostic or read; what is
 * read prints, reads again and prints the same bytes.
 */
#include "ir/schedule.h"

#include <stdlib.h>
#include <string.h>

static bool append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

/* Reads and prints; false if the text was refused, with a diagnostic. */
static bool print_again(const char *data, size_t size, struct text *out)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct schedule *schedule =
        schedule_read(source_of_text("fuzz.sched", data, size, &arena), &diagnostics);
    bool done = schedule && schedule_print(schedule, append, out);
    if (done == diagnostics_has_errors(&diagnostics))
        abort();
    if (schedule)
        schedule->destroy(schedule);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text once = {0}, twice = {0};
    if (print_again((const char *)data, size, &once) &&
        (!print_again(once.data, once.length, &twice) || once.length != twice.length ||
         memcmp(once.data, twice.data, once.length) != 0))
        abort();
    text_free(&once);
    text_free(&twice);
    return 0;
}
