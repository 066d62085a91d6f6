/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of GPU collectives in CSV, inside this folder: of NCCL's example tuner plugin and of the tuner
 * built into RCCL, which has the same words. A row is
 *
 *   collective, first byte, last byte, algorithm, protocol, channels, nodes, ranks[, pipe ops[, registered]]
 *
 * with -1 for any, or for no say in channels. The first row that fits and can act decides.
 */
#ifndef COLLC_TABLES_NCCL_NCCL_H
#define COLLC_TABLES_NCCL_NCCL_H

#include "base/text/slice.h"
#include "tables/rules/table.h"

enum nccl_collective {
    NCCL_BROADCAST,
    NCCL_REDUCE,
    NCCL_ALLGATHER,
    NCCL_REDUCESCATTER,
    NCCL_ALLREDUCE,
    NCCL_N_COLLECTIVES
};
enum nccl_algorithm {
    NCCL_TREE,
    NCCL_RING,
    NCCL_COLLNET_DIRECT,
    NCCL_COLLNET_CHAIN,
    NCCL_NVLS,
    NCCL_NVLS_TREE,
    NCCL_PAT,
    NCCL_N_ALGORITHMS
};
enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_N_PROTOCOLS };
extern const char *const nccl_collective_names[NCCL_N_COLLECTIVES];
extern const char *const nccl_algorithm_names[NCCL_N_ALGORITHMS];
extern const char *const nccl_protocol_names[NCCL_N_PROTOCOLS];

struct nccl_version {
    const char *title;
    bool skips_unknown; /* rows of unknown words, else these mean allreduce, ring and simple */
    bool has_default;   /* of channels: -1 and calls without a row get it; else one */
    bool skips_blanks;  /* before a '#', and fields of blanks drop their row */
};

enum {
    FIELD_COLLECTIVE,
    FIELD_FIRST,
    FIELD_LAST,
    FIELD_ALGORITHM,
    FIELD_PROTOCOL,
    FIELD_CHANNELS,
    FIELD_NODES,
    FIELD_RANKS,
    FIELD_PIPE_OPS,
    FIELD_REGISTERED,
    N_FIELDS,
    LEAST_FIELDS = FIELD_PIPE_OPS
};

struct nccl_row {
    struct table_rule rule; /* keys as written; ranks of one number, or all */
    struct slice fields[N_FIELDS];
    unsigned n_fields; /* that are read */
    enum nccl_algorithm algorithm;
    enum nccl_protocol protocol;
    int32_t channels, nodes, ranks, pipe_ops, registered; /* as atoi has them */
    bool is_known[3];                                     /* its collective, algorithm and protocol */
    bool is_read;                                         /* else the loader leaves the line out */
};

struct nccl_line {
    struct slice text; /* as the loader has it: up to 255 bytes */
    bool is_cut;       /* the rest of it is the next line */
    bool has_more;     /* fields than N_FIELDS */
    bool has_empty;    /* two commas beside each other: the loader sees one */
};

struct nccl_table {
    struct table table;
    const struct nccl_version *version;
    struct nccl_row *rows;   /* of lines that are no comments, or cut ones, in order */
    struct nccl_line *lines; /* of each row */
    size_t n_rows;
};

static inline const struct nccl_table *nccl_table_of(const struct table *table)
{
    return (const struct nccl_table *)(const void *)table;
}

/* What atoi and its like make of a field, before they cut it. */
int64_t nccl_number(struct slice field);
/* Whether NCCL ever has the algorithm for the collective (src/graph/tuning.cc). */
bool nccl_can_act(uint32_t collective, enum nccl_algorithm algorithm);

struct table *nccl_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                        struct diagnostics *diagnostics);
struct table_range nccl_choose(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, uint64_t bytes, struct arena *arena);
void nccl_changes(const struct table *table, const struct table_query *query,
                  void (*note)(void *context, uint64_t bytes), void *context);
void nccl_lint(const struct table *table, struct diagnostics *findings);

#endif
