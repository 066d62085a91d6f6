/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logs of NCCL and RCCL with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL, of all processes (src/init.cc,
 * src/enqueue.cc of NCCL):
 *
 *   HOST:PID:TID [DEV] NCCL INFO ncclCommInitRank comm 0x5a rank 3 nranks 8 cudaDev 3 ... - Init COMPLETE
 *   HOST:PID:TID [DEV] NCCL INFO Send: opCount 2 sendbuff 0x7f recvbuff (nil) count 1024 datatype 7 op 0
 *       root 5 comm 0x5a [nranks=8] stream 0x2b
 *
 * A line Send names the receiver, `root`, by its rank in the communicator; the sender is the rank that the
 * process has there. Ranks are those of the largest communicator.
 */
#include "schedules/traffic/internal.h"

#include <stdlib.h>

/* A communicator of a process. */
struct nccl_comm {
    struct slice process, handle; /* "HOST:PID"; "0x5a" */
    uint32_t rank, n_ranks, line;
};

struct nccl_log {
    struct traffic *traffic;
    struct nccl_comm *comms;
    size_t capacity;
    struct hash_map map;                 /* of comms; their number is map.n */
    uint32_t n_ranks;                    /* of the largest communicator */
    uint64_t n_collectives, n_elsewhere; /* calls that are left out */
};

#define NCCL_MARK " NCCL INFO "

/* Returns the text behind the mark in the line; length 0: there is none. */
static struct slice nccl_said(const struct lines *lines)
{
    const size_t n = sizeof NCCL_MARK - 1;
    for (const char *at = lines->start; at + n <= lines->end; at++)
        if (*at == ' ' && memcmp(at, NCCL_MARK, n) == 0)
            return (struct slice){at + n, (size_t)(lines->end - at) - n};
    return (struct slice){lines->end, 0};
}

bool nccl_log_is_form(const struct source *source)
{
    enum { FIRST_LINES = 256 };
    struct lines lines;
    lines_open(&lines, source, NULL);
    for (int i = 0; i < FIRST_LINES && lines_next(&lines); i++)
        if (nccl_said(&lines).length)
            return true;
    return false;
}

/* Returns "HOST:PID" at the start of the line. */
static struct slice nccl_process(const struct lines *lines)
{
    struct slice rest = {lines->start, (size_t)(lines->end - lines->start)};
    const struct slice host = slice_take_until(&rest, ':'), pid = slice_take_until(&rest, ':');
    return (struct slice){host.text, (size_t)(pid.text + pid.length - host.text)};
}

/* Returns the word behind a word; length 0: there is none. */
static struct slice nccl_behind(struct slice said, const char *word)
{
    while (said.length)
        if (slice_is(slice_take_word(&said), word))
            return slice_take_word(&said);
    return said;
}

static uint32_t nccl_hash(const void *items, uint32_t item)
{
    const struct nccl_comm *comm = (const struct nccl_comm *)items + item;
    return map_hash_text(map_hash_text(0, comm->process.text, comm->process.length), comm->handle.text,
                         comm->handle.length);
}

static bool nccl_is_comm(const void *items, uint32_t item, const void *key)
{
    const struct nccl_comm *comm = (const struct nccl_comm *)items + item, *other = key;
    return slice_compare(comm->process, other->process) == 0 &&
           slice_compare(comm->handle, other->handle) == 0;
}

/* Keeps the communicator of a line, if it is about one. */
static void nccl_read_comm(struct nccl_log *log)
{
    const struct lines *lines = &log->traffic->lines;
    const struct slice said = nccl_said(lines);
    struct nccl_comm comm = {
        .process = nccl_process(lines), .handle = nccl_behind(said, "comm"), .line = lines->line};
    if (!comm.handle.length || parse_count(nccl_behind(said, "rank"), &comm.rank) != VALUE_OK ||
        parse_count(nccl_behind(said, "nranks"), &comm.n_ranks) != VALUE_OK || comm.rank >= comm.n_ranks ||
        comm.n_ranks > SCHEDULE_MAX_RANKS)
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

static void nccl_read_send(struct nccl_log *log, struct slice said)
{
    struct traffic *traffic = log->traffic;
    struct nccl_comm comm = {.process = nccl_process(&traffic->lines), .handle = nccl_behind(said, "comm")};
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

static void nccl_read_line(struct nccl_log *log)
{
    static const char *const collectives[] = {"AllReduce:", "AllGather:", "ReduceScatter:", "Broadcast:",
                                              "Reduce:",    "AlltoAll:",  "Gather:",        "Scatter:"};
    const struct slice said = nccl_said(&log->traffic->lines);
    struct slice rest = said;
    const struct slice word = slice_take_word(&rest);
    if (slice_is(word, "Send:"))
        nccl_read_send(log, rest);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        log->n_collectives += slice_is(word, collectives[i]);
}

/* Says what the traffic does not have. */
static void nccl_report_left(const struct nccl_log *log)
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
static void nccl_name_hosts(struct nccl_log *log)
{
    struct traffic *traffic = log->traffic;
    if (log->n_ranks > log->map.n)
        return;
    struct traffic_name *names = mem_alloc((size_t)log->n_ranks + 1, sizeof *names);
    uint32_t n = 0;
    for (uint32_t i = 0; i < log->map.n; i++) {
        const struct nccl_comm *comm = &log->comms[i];
        struct slice rest = comm->process;
        if (comm->n_ranks != log->n_ranks)
            continue;
        n += !names[comm->rank].text.length;
        names[comm->rank].text = slice_take_until(&rest, ':');
        names[comm->rank].line = comm->line;
        names[comm->rank].column = 1;
    }
    traffic->has_hosts = n && n == log->n_ranks;
    traffic->names.items = names;
}

void nccl_log_read(struct traffic *traffic)
{
    struct nccl_log log = {.traffic = traffic};
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
