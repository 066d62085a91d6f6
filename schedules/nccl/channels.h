/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The channels of a communicator, whatever told them: rings and trees over its
 * ranks. Equal channels are one, with a share of the data for each.
 */
#ifndef COLLC_SCHEDULES_NCCL_CHANNELS_H
#define COLLC_SCHEDULES_NCCL_CHANNELS_H

#include "base/text/lines.h"
#include "ir/schedule.h"
#include "schedules/nccl/log.h"

enum { NCCL_MAX_CHANNELS = 1024 };

/* The part of a file that is asked for. */
struct nccl_request {
    enum collective collective;
    bool is_tree;
    uint32_t root;
    uint32_t comm;        /* number of the communicator; NCCL_NONE: the largest */
    uint32_t first, last; /* channels */
    uint32_t segments;    /* that each channel cuts its share into, of what is passed
                             on */
    uint32_t n_hosts;     /* of a graph file */
    uint64_t bytes;       /* of a call that a log has: what NCCL took for it; 0: not asked */
    const struct source *source;
    struct diagnostics *diagnostics;
};

struct nccl_channel {
    uint32_t number;     /* of the first of equal ones */
    uint32_t n_times;    /* equal ones; of nccl_channels_join their greatest common
                            divisor is 1 */
    const char *name;    /* "0-3,8" */
    uint32_t *ring;      /* ranks in their order; NULL: a tree */
    uint32_t *up, *down; /* [rank] the one to which a rank sends, or from which it
                            gets; NCCL_NONE: the root */
    uint8_t *via;        /* of the message of [position in ring], or to up[rank]: index
                            in header.vias ... */
    uint8_t *via_down;   /* ... of that from down[rank] */
};

struct nccl_channels {
    struct nccl_request *request;
    struct arena arena; /* of all that is here */
    uint32_t n_ranks, n;
    struct nccl_channel *items;
    struct schedule_host *hosts; /* [rank], or NULL */
    struct schedule_via *vias;   /* [0]: as routes lead */
    uint32_t n_vias;
    size_t capacity, vias_capacity;
    bool failed;
};

/* ---- what tells channels; NULL, or `failed`, after reporting ---- */
void nccl_channels_of_log(struct nccl_channels *channels);
void nccl_channels_of_graph(struct nccl_channels *channels);

/* Appends a channel without any ring or tree. */
struct nccl_channel *nccl_channels_add(struct nccl_channels *channels, uint32_t number);
/* Returns the number of the pair of adapters, 0 if there are too many. Names
 * may be NULL: then by number. */
uint8_t nccl_channels_via(struct nccl_channels *channels, const struct schedule_via *via);
/* Makes equal channels one. */
void nccl_channels_join(struct nccl_channels *channels);
/* Reports S009 at a line of the source, 0: none. */
struct diagnostic *nccl_refuse(struct nccl_channels *channels, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes a part apart. False after reporting. */
bool nccl_request_read(struct nccl_request *request, const char *part);

/* Makes the schedule of channels, which it takes over. */
struct schedule *nccl_steps(struct nccl_channels *channels);

#endif
