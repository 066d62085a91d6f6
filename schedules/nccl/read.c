/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses what to take of a log or graph file, and makes the schedule. See
 * nccl.h.
 */
#include "schedules/nccl/nccl.h"

#include "base/codes.h"
#include "base/text/xml.h"
#include "schedules/nccl/channels.h"

#include <stdlib.h>

bool nccl_schedule_is_file(const struct source *source)
{
    return nccl_log_is(source) || xml_root_is(source, "graphs");
}

/* ---- parts ---- */

static bool read_refuse(const struct nccl_request *request, struct slice word, const char *help)
{
    report(request->diagnostics, CODE_S009, (struct position){.source = request->source},
           "':%.*s' takes no part of a file of NCCL", (int)(word.length < 80 ? word.length : 80), word.text)
        ->help = help;
    return false;
}

/* Takes 'COLLECTIVE', 'COLLECTIVE/ring' or 'allreduce/tree'. */
static bool read_collective(struct nccl_request *request, struct slice word)
{
    struct slice rest = word;
    const struct slice name = slice_take_until(&rest, '/');
    const bool has_way = name.length < word.length;
    const enum collective collective = slice_is(name, "reduce_scatter")
                                           ? COLLECTIVE_reduce_scatter_block
                                           : collective_find(name.text, name.length);
    static const enum collective on_rings[] = {COLLECTIVE_allreduce, COLLECTIVE_allgather,
                                               COLLECTIVE_reduce_scatter_block, COLLECTIVE_bcast,
                                               COLLECTIVE_reduce};
    bool is_known = false;
    for (size_t i = 0; i < sizeof on_rings / sizeof *on_rings; i++)
        is_known |= collective == on_rings[i];
    request->is_tree = has_way && slice_is(rest, "tree");
    request->collective = collective;
    if (request->is_tree && is_known && collective != COLLECTIVE_allreduce)
        return read_refuse(request, word, "NCCL has trees for allreduce alone");
    if (is_known && (!has_way || request->is_tree || slice_is(rest, "ring")))
        return true;
    return read_refuse(request, word,
                       "it is allreduce, allreduce/tree, allgather, reduce_scatter, bcast or "
                       "reduce, then perhaps "
                       ",comm=N ,channels=A-B ,root=R ,segments=K ,bytes=SIZE ,hosts=H (docs/nccl.md)");
}

/* Takes 'NAME=VALUE'. */
static bool nccl_read_setting(struct nccl_request *request, struct slice word)
{
    struct slice value = word;
    const struct slice name = slice_take_until(&value, '=');
    struct slice last = value;
    const struct slice first = slice_take_until(&last, '-');
    uint32_t number = 0;
    bool is_right = parse_count(value, &number) == VALUE_OK;
    if (slice_is(name, "channels")) {
        is_right = parse_count(first, &request->first) == VALUE_OK;
        request->last = request->first;
        if (first.length < value.length)
            is_right = is_right && parse_count(last, &request->last) == VALUE_OK;
        is_right = is_right && request->first <= request->last;
    } else if (slice_is(name, "comm")) {
        request->comm = number;
    } else if (slice_is(name, "root")) {
        request->root = number;
    } else if (slice_is(name, "segments")) {
        request->segments = number;
        is_right = is_right && number >= 1 && number <= 1 << 16;
    } else if (slice_is(name, "hosts")) {
        request->n_hosts = number;
        is_right = is_right && number >= 1 && number <= 1 << 16;
    } else if (slice_is(name, "bytes")) {
        is_right = parse_size(value, &request->bytes) == VALUE_OK && request->bytes;
    } else {
        is_right = false;
    }
    return is_right || read_refuse(request, word,
                                   "settings are comm=N, channels=A-B, root=R, segments=K, of a log "
                                   "bytes=SIZE, and of a graph file hosts=H");
}

bool nccl_request_read(struct nccl_request *request, const char *part)
{
    struct slice rest = slice_of(part ? part : "");
    while (rest.length) {
        const struct slice word = slice_take_until(&rest, ',');
        const bool is_setting = memchr(word.text, '=', word.length);
        if (!(is_setting ? nccl_read_setting(request, word) : read_collective(request, word)))
            return false;
    }
    return true;
}

/* ---- all of it ---- */

struct schedule *nccl_schedule_read(const struct source *source, const char *part,
                                    struct diagnostics *diagnostics)
{
    struct nccl_request request = {.collective = COLLECTIVE_allreduce,
                                   .comm = NCCL_NONE,
                                   .last = NCCL_NONE,
                                   .segments = 1,
                                   .n_hosts = 1,
                                   .source = source,
                                   .diagnostics = diagnostics};
    struct nccl_channels channels = {.request = &request};
    if (!source_check_utf8(source, diagnostics) || !nccl_request_read(&request, part))
        return NULL;
    if (xml_root_is(source, "graphs"))
        nccl_channels_of_graph(&channels);
    else
        nccl_channels_of_log(&channels);
    if (!channels.failed && channels.n) {
        nccl_channels_join(&channels);
        return nccl_steps(&channels);
    }
    free(channels.items);
    free(channels.vias);
    arena_free(&channels.arena);
    return NULL;
}
