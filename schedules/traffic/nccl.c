/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages in logs of NCCL and RCCL (schedules/nccl/log.h) with NCCL_DEBUG_SUBSYS=INIT,COLL, of all processes
 * (src/enqueue.cc of NCCL):
 *
 *   HOST:PID:TID [DEV] NCCL INFO Send: opCount 2 sendbuff 0x7f recvbuff (nil) count 1024 datatype 7 op 0
 *       root 5 comm 0x5a [nranks=8] stream 0x2b
 *
 * A line Send names the receiver, `root`, by its rank in the communicator; the sender is the rank that the
 * process has there. Ranks are those of the largest communicator.
 */
#include "schedules/nccl/log.h"
#include "schedules/traffic/internal.h"

#include <stdlib.h>

struct nccl_traffic {
    struct traffic *traffic;
    struct nccl_member *comms;
    size_t capacity;
    struct hash_map map;                 /* of comms; their number is map.n */
    uint32_t n_ranks;                    /* of the largest communicator */
    uint64_t n_collectives, n_elsewhere; /* calls that are left out */
};

bool nccl_sends_is_form(const struct source *source) { return nccl_log_has_sends(source); }

static uint32_t nccl_hash(const void *items, uint32_t item)
{
    const struct nccl_member *comm = (const struct nccl_member *)items + item;
    return map_hash_text(map_hash_text(0, comm->process.text, comm->process.length), comm->handle.text,
                         comm->handle.length);
}

static bool nccl_is_comm(const void *items, uint32_t item, const void *key)
{
    const struct nccl_member *comm = (const struct nccl_member *)items + item, *other = key;
    return slice_compare(comm->process, other->process) == 0 &&
           slice_compare(comm->handle, other->handle) == 0;
}

/* Keeps the communicator of a line, if it is about one. */
static void nccl_read_comm(struct nccl_traffic *log)
{
    const struct lines *lines = &log->traffic->lines;
    struct nccl_member comm = {.line = lines->line};
    struct nccl_log_line line;
    if (!nccl_log_line_read(lines, &line) || !nccl_member_read(&line, &comm))
        return;
    map_reserve(&log->map, nccl_hash, log->comms);
    log->comms = mem_grow(log->comms, &log->capacity, (size_t)log->map.n + 1, sizeof *log->comms);
    log->comms[log->map.n] = comm;
    uint32_t *slot = map_slot(&log->map, nccl_hash(log->comms, log->map.n), nccl_is_comm, log->comms, &comm);
    if (*slot == MAP_NONE)
        map_fill(&log->map, slot);
    else
        log->comms[*slot] = comm; /* a handle is used again */
    log->n_ranks = comm.n_ranks > log->n_ranks ? comm.n_ranks : log->n_ranks;
}

/* Returns the bytes of an element (enum ncclDataType_t); 0: unknown. */
static uint64_t nccl_element(struct slice type)
{
    static const uint8_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    uint32_t number;
    return parse_count(type, &number) == VALUE_OK && number < sizeof bytes ? bytes[number] : 0;
}

static void nccl_read_send(struct nccl_traffic *log, const struct nccl_log_line *line)
{
    struct traffic *traffic = log->traffic;
    const struct slice said = line->said;
    struct nccl_member comm = {.process = line->process, .handle = nccl_behind(said, "comm")};
    const struct slice count = nccl_behind(said, "count"), root = nccl_behind(said, "root");
    const uint64_t element = nccl_element(nccl_behind(said, "datatype"));
    uint64_t n, bytes;
    uint32_t peer;
    if (!comm.handle.length || !element || parse_size(count, &n) != VALUE_OK ||
        !mem_multiply(n, element, &bytes) || bytes > TRAFFIC_MAX_BYTES) {
        traffic_refuse(traffic, said, "a Send without count, datatype and comm")->help =
            "the log may have been cut short, or lines of several processes be mixed: "
            "NCCL_DEBUG_FILE=log.%h.%p "
            "gives each a file";
        return;
    }
    log->comms = mem_grow(log->comms, &log->capacity, (size_t)log->map.n + 1, sizeof *log->comms);
    log->comms[log->map.n] = comm;
    const uint32_t found =
        map_find(&log->map, nccl_hash(log->comms, log->map.n), nccl_is_comm, log->comms, &comm);
    if (found == MAP_NONE || log->comms[found].n_ranks != log->n_ranks)
        log->n_elsewhere++;
    else if (traffic_take_rank(traffic, root, &peer) && peer >= log->n_ranks)
        traffic_refuse(traffic, root, "rank %u is not among %u", peer, log->n_ranks)->help =
            "the log has lines of several runs, or lacks one that begins a communicator";
    else if (!traffic->failed)
        traffic_add(traffic, log->comms[found].rank, peer, bytes);
}

static void nccl_read_line(struct nccl_traffic *log)
{
    static const char *const collectives[] = {"AllReduce:", "AllGather:", "ReduceScatter:", "Broadcast:",
                                              "Reduce:",    "AlltoAll:",  "Gather:",        "Scatter:"};
    struct nccl_log_line line;
    if (!nccl_log_line_read(&log->traffic->lines, &line))
        return;
    struct slice rest = line.said;
    const struct slice word = slice_take_word(&rest);
    line.said = rest;
    if (slice_is(word, "Send:"))
        nccl_read_send(log, &line);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        log->n_collectives += slice_is(word, collectives[i]);
}

/* Says what the traffic does not have. */
static void nccl_report_left(const struct nccl_traffic *log)
{
    struct traffic *traffic = log->traffic;
    const struct position position = {traffic->source, 1, 1, 1};
    if (log->n_collectives)
        report(traffic->diagnostics, CODE_S008, position, "left out: %llu call%s of collectives",
               (unsigned long long)log->n_collectives, plural(log->n_collectives))
            ->help = "only sends name who sends to whom; 'collc verify allreduce/ring' and others are about "
                     "collectives";
    if (log->n_elsewhere)
        report(traffic->diagnostics, CODE_S008, position,
               "left out: %llu send%s in other communicators than those of %u ranks",
               (unsigned long long)log->n_elsewhere, plural(log->n_elsewhere), log->n_ranks)
            ->help =
            "ranks are those of the largest communicator; NCCL_DEBUG_SUBSYS=INIT,COLL logs where each begins";
}

/* Places each rank on its host, if the log has all. */
static void nccl_name_hosts(struct nccl_traffic *log)
{
    struct traffic *traffic = log->traffic;
    if (log->n_ranks > log->map.n)
        return;
    struct traffic_name *names = mem_alloc((size_t)log->n_ranks + 1, sizeof *names);
    uint32_t n = 0;
    for (uint32_t i = 0; i < log->map.n; i++) {
        const struct nccl_member *comm = &log->comms[i];
        if (comm->n_ranks != log->n_ranks)
            continue;
        n += !names[comm->rank].text.length;
        names[comm->rank].text = comm->host;
        names[comm->rank].line = comm->line;
        names[comm->rank].column = 1;
    }
    traffic->has_hosts = n && n == log->n_ranks;
    traffic->names.items = names;
}

void nccl_sends_read(struct traffic *traffic)
{
    struct nccl_traffic log = {.traffic = traffic};
    while (lines_next(&traffic->lines))
        nccl_read_comm(&log);
    traffic_open(traffic);
    while (!traffic->failed && lines_next(&traffic->lines))
        nccl_read_line(&log);
    if (!traffic->failed) {
        nccl_report_left(&log);
        nccl_name_hosts(&log);
        traffic->n_ranks = log.n_ranks;
    }
    free(log.comms);
    map_free(&log.map);
}
