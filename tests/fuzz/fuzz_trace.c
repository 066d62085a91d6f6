/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces of the ranks of a call, with '-----' between them: they are refused with a problem, or give a
 * schedule file that can be read.
 */
#include "tuning/trace/recorded.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16 };

/* Gives a call of a form with counts such that grow from rank to rank. NULL: it is of none. */
static struct counts_runs *counts_of_call(const struct trace_call *call, uint32_t n_ranks,
                                          struct recorded_request *request)
{
    const enum collective collective =
        collective_find_form(call->collective, strlen(call->collective), &request->form);
    if (request->form == FORM_EQUAL || collective == N_COLLECTIVES ||
        collective_is_of_neighbors(collective)) {
        request->form = FORM_EQUAL;
        return NULL;
    }
    struct counts_runs *counts = counts_new();
    for (uint64_t i = 0; i < counts_needed(collective, n_ranks); i++)
        counts_add(counts, TRACE_ELEMENT * (1 + i % n_ranks), 1);
    request->counts = &counts->counts;
    return counts;
}

/* Makes the schedules of all calls that every rank has. */
static void make_schedules(const struct trace *traces, uint32_t n_ranks, struct arena *arena)
{
    for (size_t i = 0; i < traces[0].n; i++) {
        const struct trace_call *calls[MOST_RANKS];
        struct recorded recorded;
        struct diagnostics diagnostics = {0};
        bool has_all = true;
        for (uint32_t rank = 0; rank < n_ranks; rank++) {
            has_all &= i < traces[rank].n;
            calls[rank] = has_all ? &traces[rank].calls[i] : NULL;
        }
        struct recorded_request request = {.calls = calls, .n_ranks = n_ranks, .title = "fuzz"};
        struct counts_runs *counts = has_all ? counts_of_call(calls[0], n_ranks, &request) : NULL;
        if (has_all && recorded_make(&request, &recorded, arena)) {
            const struct source *source =
                source_of_text("fuzz", recorded.file.data, recorded.file.length, arena);
            struct schedule *schedule = schedule_read(source, &diagnostics);
            if (!schedule && !diagnostics_has_errors(&diagnostics))
                abort();
            if (schedule)
                schedule->destroy(schedule);
        } else if (has_all && !recorded.problem) {
            abort();
        }
        if (has_all)
            text_free(&recorded.file);
        if (counts)
            counts->counts.destroy(&counts->counts);
        diagnostics_free(&diagnostics);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_SIZE = 1 << 16 };
    static const char between[] = "-----\n";
    struct arena arena = {0};
    struct trace traces[MOST_RANKS];
    uint32_t n = 0;
    bool is_read = size > 0 && size <= MAX_SIZE && !memchr(data, '\0', size);
    const char *text = is_read ? arena_strndup(&arena, (const char *)data, size) : "";
    while (is_read && text && n < MOST_RANKS) {
        const char *end = strstr(text, between);
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        is_read = trace_read(source_of_text("fuzz", text, length, &arena), &traces[n], &arena);
        if (is_read == (traces[n].problem != NULL))
            abort();
        n++;
        text = end ? end + strlen(between) : NULL;
    }
    if (is_read && n)
        make_schedules(traces, n, &arena);
    arena_free(&arena);
    return 0;
}
