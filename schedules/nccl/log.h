/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logs of NCCL and RCCL (NCCL_DEBUG=INFO), line by line, and what processes say of communicators in them. The
 * lines of src/init.cc, src/graph/ and src/transport/ from 2.3 to 2.30, and RCCL's, which end in
 * 'comm 0x5a nRanks 08':
 *
 *   HOST:PID:TID [DEV] NCCL INFO ncclCommInitRank comm 0x5a rank 3 nranks 8 ... commId 0x7b - Init COMPLETE
 *   HOST:PID:TID [DEV] NCCL INFO Channel 00/04 :    0   1   2   3     a ring, by rank 0; cut if long
 *   HOST:PID:TID [DEV] NCCL INFO Ring 00 : 2 -> 3 -> 4                the same of one rank
 *   HOST:PID:TID [DEV] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1      children -> rank -> parent
 *   HOST:PID:TID [DEV] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA      a connection
 *   HOST:PID:TID [DEV] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB     names of these adapters
 *
 * Lines of many processes may be mixed. Those of one thread keep their order, and belong to the communicator
 * that it begins or completes next.
 */
#ifndef COLLC_SCHEDULES_NCCL_LOG_H
#define COLLC_SCHEDULES_NCCL_LOG_H

#include "base/map.h"
#include "base/text/lines.h"
#include "ir/schedule.h"

struct nccl_log_line {
    struct slice host, process, thread; /* "HOST", "HOST:PID", "HOST:PID:TID" */
    struct slice device;                /* "[0]"; of length 0: none */
    struct slice said;                  /* the text behind NCCL INFO */
};

/* True if one of the lines in the first 4 MiB is one of NCCL. O(these) */
bool nccl_log_is(const struct source *source);
/* True if it has calls of ncclSend (schedules/traffic/nccl.c). O(text) */
bool nccl_log_has_sends(const struct source *source);
/* Takes the current line apart. False: NCCL has not written it. */
bool nccl_log_line_read(const struct lines *lines, struct nccl_log_line *line);
/* Returns the word behind a word; length 0: there is none. */
struct slice nccl_behind(struct slice said, const char *word);

/* A rank of a communicator, as its process says. */
struct nccl_member {
    struct slice host, process, device;
    struct slice handle;               /* "0x5a", of the process */
    struct slice id;                   /* commId; of length 0: not said */
    struct slice parent, color, split; /* of a communicator that was split off; else of length 0 */
    uint32_t rank, n_ranks;            /* NCCL_NONE, 0: not said */
    uint32_t of_process;               /* in nccl_log.processes */
    uint32_t line;
};
#define NCCL_NONE UINT32_MAX

/* Fills in what the line says of a communicator. False: nothing. */
bool nccl_member_read(const struct nccl_log_line *line, struct nccl_member *member);

/* ---- all that a log says of channels ---- */

enum nccl_topic {
    NCCL_RING,    /* text: ranks of a ring */
    NCCL_LINK,    /* from -> to in a ring */
    NCCL_TREES,   /* text: places of a rank in trees */
    NCCL_SEND,    /* from -> to, by adapter `device` of the sender ... */
    NCCL_RECEIVE, /* ... or of the receiver */
    NCCL_RINGS_DONE,
    NCCL_TREES_DONE
};
struct nccl_saying {
    uint32_t member; /* who says so */
    uint32_t line;
    uint32_t channel, n_channels, from, to, device; /* NCCL_NONE: no number, or not by an adapter */
    struct slice text;
    uint8_t topic;
};
/* The algorithm of a call, as NCCL_DEBUG_SUBSYS=TUNING writes it from 2.24 on:
 *
 *   AllReduce: 8388608 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}
 */
struct nccl_taken {
    enum collective collective;
    struct slice algorithm;
    uint64_t bytes;
    uint32_t first, last; /* channels; 0, NCCL_NONE: not said */
    uint32_t line;
};
/* Algorithms of which a log says that they are connected, but not by whom to whom; bits. */
enum { NCCL_HAS_NVLS = 1, NCCL_HAS_COLLNET = 2, NCCL_HAS_PAT = 4 };

struct nccl_process {
    struct slice name;
    struct slice adapters; /* "0]mlx5_0:1/IB [1]mlx5_1:1/IB"; of length 0: not said */
};

struct nccl_log {
    const struct source *source;
    struct nccl_member *members;
    struct nccl_saying *sayings; /* in the order of the log */
    struct nccl_process *processes;
    struct nccl_taken *taken;
    uint32_t n_members, n_sayings, n_taken;
    size_t members_capacity, sayings_capacity, processes_capacity, taken_capacity;
    unsigned has; /* NCCL_HAS_... */
    struct hash_map process_map; /* number of processes: process_map.n */
};
/* Reads all lines. O(text) */
void nccl_log_read(struct nccl_log *log, const struct source *source);
void nccl_log_free(struct nccl_log *log);
#endif
