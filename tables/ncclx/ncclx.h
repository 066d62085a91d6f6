/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of the tuner built into NCCLX (NCCLX_TUNER_CONFIG_FILE), inside this folder: NCCL's words with
 * another meaning. In CSV a row is
 *
 *   collective, bytes per rank, algorithm, protocol, channels, nodes, ranks of a node[, chunk size]
 *
 * In JSON, by the file name's extension, rules have a "filter" and a "config". Bytes, nodes and ranks are
 * ranges: "[0,4)", "(1,)", one number, or "*". The first row that fits and can act decides; one row with
 * an error fails every communicator.
 *
 * Read from the sources (comms/ncclx/meta/tuner of meta-pytorch/torchcomms, July 2026); never seen
 * running.
 */
#ifndef COLLC_TABLES_NCCLX_NCCLX_H
#define COLLC_TABLES_NCCLX_NCCLX_H

#include "tables/nccl/nccl.h"

enum ncclx_field {
    NCCLX_COLLECTIVE,
    NCCLX_BYTES,
    NCCLX_ALGORITHM,
    NCCLX_PROTOCOL,
    NCCLX_CHANNELS,
    NCCLX_NODES,
    NCCLX_LOCAL,
    NCCLX_CHUNK,
    NCCLX_N_FIELDS
};
enum { NCCLX_LEAST_FIELDS = 7 };

struct ncclx_row {
    struct table_rule rule;  /* keys are bytes per rank */
    struct position at;      /* position of the row */
    struct span nodes, local;
    enum nccl_algorithm algorithm;
    enum nccl_protocol protocol;
    int64_t channels;        /* -1: the library's own */
    uint64_t chunk_bytes;    /* 0: the library's own */
    bool has_more;           /* more columns than are read */
};

struct ncclx_table {
    struct table table;
    struct ncclx_row *rows;
    size_t n_rows;
};

static inline const struct ncclx_table *ncclx_table_of(const struct table *table)
{
    return (const struct ncclx_table *)(const void *)table;
}

struct table *ncclx_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                         struct diagnostics *diagnostics);

#endif
