/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See judged.h.
 */
#include "reports/judged.h"

#include "reports/record.h"

#include <inttypes.h>
#include <string.h>

static void put_likeness(const struct judged *call, struct text *out)
{
    if (!call->like)
        text_printf(out, "none of the library");
    else if (call->unlike)
        text_printf(out, "%s: %s", call->like, call->unlike);
    else if (messages_are_same(&call->same))
        text_printf(out, "%s", call->like);
    else
        text_printf(out, "not %s: %" PRIu64 " of %" PRIu64 " messages, it has %" PRIu64, call->like,
                    call->same.n_same, call->same.n[0], call->same.n[1]);
}

static void put_verdict(const struct judged *call, struct text *out)
{
    if (call->n_errors)
        text_printf(out, "%s", call->found.data);
    else if (call->recorded->n_buffered)
        text_printf(out, "right, buffered");
    else
        text_printf(out, "right");
}

static void judged_put_call(const struct judged *call, struct text *out)
{
    struct text algorithm = {0}, verdict = {0}, likeness = {0};
    record_say_choice(&call->point->choice, &algorithm);
    text_printf(out, "%-20s %-22s %5" PRIu32 " %4" PRIu32 " %8" PRIu64 "  ", call->point->collective,
                algorithm.length ? algorithm.data : "own decision", call->point->n_ranks, call->point->root,
                call->point->bytes);
    if (call->recorded->problem) {
        text_printf(out, "not recorded: %s\n", call->recorded->problem);
    } else {
        put_verdict(call, &verdict);
        put_likeness(call, &likeness);
        text_printf(out, "%8" PRIu64 " %5" PRIu64 "  %-16s  %s\n", call->recorded->n_messages,
                    call->recorded->n_steps, verdict.data, likeness.data);
        if (call->same.witness.length)
            text_printf(out, "    %s\n", call->same.witness.data);
    }
    text_free(&algorithm);
    text_free(&verdict);
    text_free(&likeness);
}

/* ---- ranks for which an algorithm is like another one ---- */

static bool is_same_family(const struct judged *a, const struct judged *b)
{
    const char *one = a->point->choice.algorithm, *other = b->point->choice.algorithm;
    return strcmp(a->point->collective, b->point->collective) == 0 &&
           (one == other || (one && other && strcmp(one, other) == 0));
}

static bool is_like_it(const struct judged *call, const char *like)
{
    return call->like && strcmp(call->like, like) == 0 && messages_are_same(&call->same);
}

/* Appends the numbers of ranks of calls that are like it, as "2 to 4, 8". */
static void put_ranks(const struct judged *calls, size_t n, const char *like, struct text *out)
{
    uint32_t first = 0, last = 0;
    for (size_t i = 0; i <= n; i++) {
        const uint32_t ranks = i < n && is_like_it(&calls[i], like) ? calls[i].point->n_ranks : 0;
        if (i < n && (ranks == 0 || ranks == last))
            continue;
        if (ranks && ranks == last + 1 && last) {
            last = ranks;
            continue;
        }
        if (last > first)
            text_printf(out, "%s%" PRIu32 " to %" PRIu32, out->length ? ", " : "", first, last);
        else if (last)
            text_printf(out, "%s%" PRIu32, out->length ? ", " : "", first);
        first = last = ranks;
    }
}

static void put_family(const struct judged *calls, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        bool is_new = calls[i].like && messages_are_same(&calls[i].same);
        for (size_t j = 0; j < i && is_new; j++)
            is_new = !is_like_it(&calls[j], calls[i].like);
        if (!is_new)
            continue;
        struct text ranks = {0}, algorithm = {0};
        put_ranks(calls, n, calls[i].like, &ranks);
        record_say_choice(&calls[i].point->choice, &algorithm);
        text_printf(out, "%s, %s: the same messages as %s for %s ranks\n", calls[i].point->collective,
                    algorithm.length ? algorithm.data : "own decision", calls[i].like, ranks.data);
        text_free(&ranks);
        text_free(&algorithm);
    }
}

/* Says what the codes of the table mean. */
static void put_codes(const struct judged *calls, size_t n, struct text *out)
{
    for (uint32_t code = 0; code < n_codes; code++)
        for (size_t i = 0; i < n; i++)
            if (calls[i].found.length && strstr(calls[i].found.data, code_table[code].id)) {
                text_printf(out, "%s: %s\n", code_table[code].id, code_table[code].title);
                break;
            }
}

void judged_text(const struct judged *calls, size_t n, struct text *out)
{
    text_printf(out, "%-20s %-22s %5s %4s %8s  %8s %5s  %-16s  %s\n", "collective", "algorithm", "ranks",
                "root", "bytes", "messages", "steps", "verdict", "same messages as");
    for (size_t i = 0; i < n; i++)
        judged_put_call(&calls[i], out);
    put_codes(calls, n, out);
    for (size_t i = 0, end; i < n && n > 1; i = end) {
        for (end = i + 1; end < n && is_same_family(&calls[i], &calls[end]);)
            end++;
        put_family(&calls[i], end - i, out);
    }
}

#include "reports/judged.def"

void judged_json(const struct mpi *mpi, const struct judged *calls, size_t n, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    recorded_calls_write(&json, mpi, calls, n);
    json_close(&json, '}');
    text_printf(out, "\n");
}
